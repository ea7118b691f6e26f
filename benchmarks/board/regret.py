"""
What the choice of a plan costs: times the plan that the compiler chose and the best others, and
compares both with what the cost model predicted.

    python benchmarks/board/regret.py make FOLDER [NAME …] [--launches FOLDER] [--plans 5]
    python benchmarks/board/regret.py run FOLDER [--json FILE]           # where the GPU is
    python benchmarks/board/regret.py judge [NAME …] [--launches FOLDER] [--file FILE]

`make` asks the model to rank the plans of each kernel of `benchmarks/gpu`, and of those of the
board that `launches.py` found, and compiles the chosen one and the best others with host maps. It
resumes where it was stopped. `run` compares every result of our kernels with a reference in higher
precision; those of others get zeros. It times the plans of a case in interleaved bursts with idle
gaps. Regret is the time of the chosen plan over that of the best one: 1 where the choice was right.

`judge` needs no GPU: of the plans that were timed (`regret.json`), it takes the one that passes
choose today, and the one that the model predicts to be the best today.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tileiras_xdsl.cost.model import Launch

GPU_FOLDER = Path(__file__).parents[1] / "gpu"
sys.path[:0] = [str(GPU_FOLDER.parents[1] / "src"), str(GPU_FOLDER), str(Path(__file__).parent)]

BUNDLE = "plans.json"
TIMED = Path(__file__).parent / "regret.json"
"""What `run` found."""
ARCH, ABI = "sm_90a", "host-maps"
SCALED = ("_mxf", "_nvf")
"""Products that Hopper's tensor cores do not do."""
BURST_MS = 4.0
"""How long a burst should take."""
MOST_LAUNCHES = 100
ROOM, MARGIN = 4, 1 << 20
"""Times the bytes of an array that it gets, and bytes that are a multiple of."""


def load_bundle(folder: Path) -> dict[str, Any]:
    file = folder / BUNDLE
    return json.loads(file.read_text()) if file.exists() else {"cases": {}}


def make(folder: Path, names: list[str], most: int, launches: Path | None = None) -> None:
    """Compiles the chosen plan of each case, and as many of the best others."""
    from accuracy import OWN, foreign_launches, own_launches

    folder.mkdir(parents=True, exist_ok=True)
    bundle = load_bundle(folder)
    kernels = {case["kernel"] for case in bundle["cases"].values()}
    for each in (*(foreign_launches(launches) if launches else ()), *own_launches()):
        name, kernel = each.case, each.kernel
        wanted = not names or any(text in name for text in names)
        if not wanted or kernel in kernels or any(text in kernel for text in SCALED):
            continue
        kernels.add(kernel)
        start = time.perf_counter()
        try:
            plans = make_case(folder, each.bytecode, each.launch, most)
        except Exception as error:
            print(f"{name}: left out, {type(error).__name__}: {error}", flush=True)
            continue
        case: dict[str, Any] = {"kernel": kernel, "plans": plans}
        if not name.startswith(OWN):
            case["launch"] = asdict(each.launch)
        bundle["cases"][name := name_of(each)] = case
        (folder / BUNDLE).write_text(json.dumps(bundle, indent=1))
        print(f"{name}: {len(plans)} plans, {time.perf_counter() - start:.0f} s", flush=True)


def make_case(folder: Path, path: Path, launch: Launch, most: int) -> list[dict[str, Any]]:
    """The code of some plans for a launch; that of the chosen one comes first."""
    import tileiras_xdsl
    from tileiras_xdsl.driver.compiler.compiled import CompileError
    from tileiras_xdsl.driver.compiler.options import Options
    from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
    from tileiras_xdsl.frontend.load import Program
    from tileiras_xdsl.plan.ranking import Planner, passes_for

    options = Options(ARCH, abi=ABI)
    ranked = Planner(Program.of(path), options, PassPlan(), launch).rank()
    chosen = next(row for row in ranked if row.is_chosen)
    if chosen.microseconds is None:
        raise ValueError(chosen.why)
    others = [row for row in ranked if not row.is_chosen and row.microseconds is not None]
    found: list[dict[str, Any]] = []
    for row in [chosen, *others[:most]]:
        insert = None if row.is_chosen else passes_for(row.plan)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = tileiras_xdsl.compile(path, ARCH, abi=ABI, insert=insert, cache=False)
        except CompileError as error:
            print(f"{row.plan}: {error}", file=sys.stderr)
            continue
        digest = hashlib.sha256(code.cubin).hexdigest()
        if any(each["sha256"] == digest for each in found):
            continue
        file = f"{digest[:16]}.cubin"
        (folder / file).write_bytes(code.cubin)
        found.append(
            {
                "plan": str(row.plan),
                "rule": row.rule or "chosen",
                "predicted": row.microseconds,
                "file": file,
                "sha256": digest,
                "record": code.launch_record.to_dict(),
            }
        )
    return found


def run(folder: Path, output: Path | None, bursts: int, idle: float, limit: float) -> int:
    """Times all plans of all cases; the number of those whose results are wrong."""
    from run import replace_missing

    replace_missing()
    import torch
    from cases import CASES

    torch.backends.cuda.matmul.allow_tf32 = False
    cases = {case.name: case for case in CASES}
    rows: list[dict[str, Any]] = []
    wrong, start = 0, time.monotonic()
    for name, entry in load_bundle(folder)["cases"].items():
        if time.monotonic() - start > limit:
            print(f"no time for {name}")
            continue
        try:
            row = run_case(folder, name, entry, cases.get(name), bursts, idle)
        except Exception as error:
            print(f"{name}: failed, {type(error).__name__}: {error}", flush=True)
            wrong += 1
            continue
        wrong += len(row["problems"])
        rows.append(row)
        print(describe(row), flush=True)
        if output is not None:
            about = {"device": torch.cuda.get_device_name(), "unit": "microseconds"}
            output.write_text(json.dumps({**about, "cases": rows}, indent=1))
        torch.cuda.empty_cache()
    print(summary(rows))
    return wrong


def place_zeros(launch: dict[str, Any]) -> tuple[Any, list[float]]:
    """
    Memory of zeros, and the parameters of a launch whose arrays are there, with room between them:
    what is recorded of one is how many elements it has, which may be some of a larger one.
    """
    import torch

    places, total = {}, 0
    for number, size in launch["arrays"].items():
        places[int(number)] = total
        total += -(-int(ROOM * size + MARGIN) // MARGIN) * MARGIN
    memory = torch.zeros(total, dtype=torch.uint8, device="cuda")
    return memory, [
        memory.data_ptr() + places[number] if number in places else value or 0
        for number, value in enumerate(launch["values"])
    ]


def run_case(
    folder: Path, name: str, entry: dict[str, Any], case: Any, bursts: int, idle: float
) -> dict[str, Any]:
    """Checks and times the plans of a case, which take turns; zeros are not checked."""
    import torch
    from cases import compare
    from run import Launcher, Settings, flatten, make_burst, time_burst

    from tileiras_xdsl.backend.launch_record import LaunchRecord

    torch.manual_seed(time.time_ns())
    inputs = expected = None
    if case is None:
        grid = entry["launch"]["grid"]
        inputs, values = place_zeros(entry["launch"])
    else:
        inputs = case.make("cuda")
        expected, grid, values = inputs.expected(), inputs.grid, flatten(inputs.arrays)
    plans, problems = entry["plans"], list[str]()
    launchers: list[Any] = []
    for plan in plans:
        image = (folder / plan["file"]).read_bytes()
        launch = Launcher(image, LaunchRecord.from_dict(plan["record"]), grid, values)
        if expected is not None:
            inputs.output.reset()
        launch()
        torch.cuda.synchronize()
        if expected is not None:
            found = compare(case, inputs.output, expected)
            problems += [f"{plan['plan']}: {text}" for text in found.problems]
        launchers.append(launch)
    least = min(plan["predicted"] or 100.0 for plan in plans)
    launches = max(2, min(MOST_LAUNCHES, int(1000 * BURST_MS / least)))
    settings = Settings(folder, bursts, launches, idle, graph=True, small=False)
    graphs = [make_burst(launch, launches, graph=True) for launch in launchers]
    times: list[list[float]] = [[] for _ in graphs]
    for number in range(settings.bursts + 1):
        for at, burst in enumerate(graphs):
            measured = 1000 * time_burst(burst, settings)
            if number:
                times[at].append(measured)
    rows = [
        {
            **{key: plan[key] for key in ("plan", "rule", "predicted")},
            "measured": median(values),
        }
        for plan, values in zip(plans, times, strict=True)
    ]
    return {"name": name, "problems": problems, "plans": rows}


def judge(file: Path, names: list[str], launches: Path | None) -> None:
    """What of the plans that were timed is chosen today, by passes and by the model."""
    from accuracy import foreign_launches, own_launches

    found: dict[str, Any] = {}
    for each in (*own_launches(), *(foreign_launches(launches) if launches else ())):
        found.setdefault(name_of(each), each)
    chosen, picked = list[dict[str, Any]](), list[dict[str, Any]]()
    for row in json.loads(file.read_text())["cases"]:
        wanted = not names or any(text in row["name"] for text in names)
        if wanted and (each := found.get(row["name"])) is not None:
            plans = judge_case(row["plans"], each.bytecode, each.launch)
            known = [plan for plan in plans if plan["predicted"] is not None]
            best = min(known, key=lambda plan: plan["predicted"], default=plans[0])
            chosen.append({**row, "plans": plans})
            picked.append({**row, "plans": [best, *(plan for plan in plans if plan is not best)]})
            print(f"{describe(chosen[-1])}  by the model: {regret_of(picked[-1]):.3f}", flush=True)
    print(f"passes: {summary(chosen)}\nthe model: {summary(picked)}")


def judge_case(plans: list[dict[str, Any]], path: Path, launch: Launch) -> list[dict[str, Any]]:
    """Plans that were timed with what the model predicts today; the one that is chosen is first."""
    from tileiras_xdsl.dialects.nv_tileas.plan import Plan
    from tileiras_xdsl.driver.compiler.options import Options
    from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
    from tileiras_xdsl.frontend.load import Program
    from tileiras_xdsl.plan.ranking import Planner

    planner = Planner(Program.of(path), Options(ARCH, abi=ABI), PassPlan(), launch)
    today = str(planner.price(None).plan)
    if all(plan["plan"] != today for plan in plans):
        print(f"{today} was not timed: what was chosen then stands for it", file=sys.stderr)
    found: list[dict[str, Any]] = []
    for plan in plans:
        fields = dict(field.split("=") for field in plan["plan"].split())
        asked = Plan(**{name: int(value) for name, value in fields.items()})
        found.append({**plan, "predicted": planner.price(asked).microseconds})
    return sorted(found, key=lambda plan: plan["plan"] != today)


def name_of(each: Any) -> str:
    """What bundles call a launch of a case: ours have one kernel each."""
    from accuracy import OWN

    name: str = each.case
    return name.removeprefix(OWN) if name.startswith(OWN) else f"{name}, {each.kernel}"


def regret_of(row: dict[str, Any]) -> float:
    """The time of the chosen plan over that of the best one."""
    return row["plans"][0]["measured"] / min(plan["measured"] for plan in row["plans"])


def describe(row: dict[str, Any]) -> str:
    """A line about a case."""
    chosen, best = row["plans"][0], min(row["plans"], key=lambda plan: plan["measured"])
    cells = f"{row['name']:<36}{chosen['measured']:>9.1f} µs{regret_of(row):>7.3f}"
    predicted = chosen["predicted"]
    if predicted is not None:
        cells += f"  predicted {predicted / chosen['measured']:>6.2f}"
    said = "; ".join(row["problems"])
    return f"{cells}  best: {best['rule']}, {best['plan']}  {said}"


def summary(rows: list[dict[str, Any]]) -> str:
    """How much of the time of the best plans the chosen ones take, and how good the model is."""
    if not rows:
        return "no cases"
    regrets = sorted(map(regret_of, rows))
    errors = sorted(
        abs(plan["predicted"] / plan["measured"] - 1)
        for row in rows
        for plan in row["plans"]
        if plan["predicted"] is not None
    )
    plans = sum(len(row["plans"]) for row in rows)

    def at(values: list[float], part: float) -> float:
        return values[min(len(values) - 1, int(part * len(values)))]

    found = (
        f"{len(rows)} cases, {plans} plans; regret: median {median(regrets):.3f}, "
        f"95th percentile {at(regrets, 0.95):.3f}, worst {regrets[-1]:.3f}"
    )
    if not errors:
        return found
    return (
        f"{found}; predictions: median error {median(errors):.0%}, 80 % within "
        f"{at(errors, 0.8):.0%}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="compile plans")
    making.add_argument("folder", type=Path)
    making.add_argument("names", nargs="*", metavar="NAME")
    making.add_argument("--launches", type=Path, help="what launches.py found")
    making.add_argument("--plans", type=int, default=5, help="how many others")
    running = commands.add_parser("run", help="time plans on a GPU")
    running.add_argument("folder", type=Path)
    running.add_argument("--json", type=Path)
    running.add_argument("--bursts", type=int, default=5, help="of each plan")
    running.add_argument("--idle", type=float, default=0.03, help="seconds before a burst")
    running.add_argument("--limit", type=float, default=math.inf, help="seconds, then no new case")
    judging = commands.add_parser("judge", help="rank plans that were timed, with today's model")
    judging.add_argument("names", nargs="*", metavar="NAME")
    judging.add_argument("--launches", type=Path, help="what launches.py found")
    judging.add_argument("--file", type=Path, default=TIMED, help="what `run` found")
    options = parser.parse_args()
    if options.command == "judge":
        judge(options.file, options.names, options.launches)
        return 0
    if options.command == "make":
        make(options.folder, options.names, options.plans, options.launches)
        return 0
    given = options.json, options.bursts, options.idle, options.limit
    return 1 if run(options.folder, *given) else 0


if __name__ == "__main__":
    sys.exit(main())
