# pyright: basic
"""
Checks and times the kernels of a folder that `make.py` wrote, and prints a table: ours for both
ABIs, NVIDIA's compiler on the same bytecode, and torch, in one run.

    python benchmarks/gpu/run.py FOLDER [--markdown FILE] [--json FILE] [--measured FILE]
        [--only gemm,attention] [--ours] [--list] [--small]

It needs torch, the CUDA driver and this repository, but neither xDSL nor LLVM; where these are, it
makes a folder that is not there yet. Inputs are random, outputs are poison before a launch, and all
results are compared with float64. Times are medians of bursts of launches, each after a pause;
those whose times are compared take turns. The work is done by another process: one that a kernel
brings down, or that a kernel keeps forever, is replaced, and the rest goes on without that kernel.
Results are written after each case.

Beside what is measured stands what `make.py` predicted: the time, what binds the kernel, and how
far above that limit it is. `--measured` keeps what was measured for the tests of the cost model.

The exit code is 1 if a result is wrong, code fails, a bar is missed, or a prediction is off by more
than 15 %, and 2 if there is no folder and none can be made.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

ABIS = ("host-maps", "device-maps")
PEER, TORCH = "tileiras", "torch"
STARTING = "start"
HEAD_START = 500_000
"""Clock cycles that the GPU waits before a burst."""
COMPILER_NEEDS = ("llvmlite", "ml_dtypes", "numpy", "xdsl")
COMPILATIONS = 3
"""How often each kernel is compiled where the folder is made here."""
APART = ("variants", "memory")
"""Groups whose cases have nothing in common."""
TOLERANCE = 0.15
"""By how much of what is measured a prediction may be off."""
OTHER_GRID = 0.03
"""By how much a grid that random inputs decide may differ from the one that was predicted."""


def is_missing(package: str) -> bool:
    return package not in sys.modules and importlib.util.find_spec(package) is None


def replace_missing() -> None:
    """Where they are not installed: as much of other packages as launching needs."""
    if is_missing("xdsl"):
        names = ("xdsl", "xdsl.utils", "xdsl.utils.exceptions")
        modules = {name: ModuleType(name) for name in names}
        vars(modules[names[-1]])["DiagnosticException"] = type(
            "DiagnosticException", (Exception,), {}
        )
        sys.modules.update(modules)
    if is_missing("ml_dtypes"):
        # Scalars that are not integers would need it; these kernels have none.
        narrow = ModuleType("ml_dtypes")
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"):
            setattr(narrow, name, None)
        sys.modules["ml_dtypes"] = narrow


@dataclass(frozen=True)
class Settings:
    """How to measure."""

    folder: Path
    bursts: int
    launches: int
    idle: float
    graph: bool
    small: bool
    """Whether results are checked only, and only those of a few CTAs."""
    ours: bool = False
    """Whether peers are left out."""


# What follows, up to `work`, runs in the process that has the GPU.


def flatten(arrays: Sequence[Any]) -> list[int]:
    """The parameters of a kernel that has only arrays."""
    parts = ((array.data_ptr(), *array.shape, *array.stride()) for array in arrays)
    return [number for part in parts for number in part]


class Launcher:
    """Code with its arguments, ready to be launched any number of times."""

    def __init__(self, image: bytes, record: Any, grid: Sequence[int], values: Sequence[float]):
        from tileiras_xdsl.backend import cuda
        from tileiras_xdsl.backend.arguments import LaunchArguments

        self.kernel = cuda.load(image, record)
        self.grid = (*grid, 1, 1)[:3]
        self.arguments = LaunchArguments(
            self.kernel.device.driver,
            record,
            values,
            0,
            self.grid,
        )
        self.addresses = self.arguments.__enter__()

    def __call__(self) -> None:
        import torch

        self.kernel.launch_packed(
            self.grid,
            self.addresses,
            torch.cuda.current_stream().cuda_stream,
            # What is ahead is this kernel, or one of torch that was not launched early.
            programmatic=self.kernel.record.programmatic,
        )


def make_burst(launch: Callable[[], object], count: int, *, graph: bool) -> Callable[[], None]:
    """
    Several launches, one behind the other; as a graph, so that what the CPU takes to launch a small
    kernel is not measured.
    """
    import torch

    def loop() -> None:
        for _ in range(count):
            launch()

    if not graph:
        return loop
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        launch()
    torch.cuda.current_stream().wait_stream(stream)
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        loop()
    return recorded.replay


def time_burst(burst: Callable[[], None], settings: Settings) -> float:
    """Milliseconds of a launch."""
    import torch

    time.sleep(settings.idle)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    # The GPU waits a little, so that all launches are there when it begins.
    torch.cuda._sleep(HEAD_START)
    start.record()
    burst()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / settings.launches


class Worker:
    """Runs cases, and tells what it is doing before it does it."""

    def __init__(self, settings: Settings, connection: Connection):
        self.settings = settings
        self.connection = connection
        bundle = json.loads((settings.folder / "bundle.json").read_text())
        self.kernels: dict[str, Any] = bundle["kernels"]
        self.gpu: str = bundle.get("gpu", "sm_90")

    def tell(self, what: str, about: Any) -> None:
        self.connection.send((what, about))

    def launcher(self, case: Any, who: str, inputs: Any) -> Launcher | None:
        """None if the bundle has no such code, or the same for the other ABI."""
        from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

        codes = self.kernels.get(case.kernel, {}).get("code", {})
        if who not in codes:
            return None
        code = codes[who]
        if who == PEER:
            # cuTile launches CTAs of one thread; the code requires as many as it needs.
            parameters: list[Parameter] = []
            for array in inputs.arrays:
                parameters.append(Parameter("ptr"))
                parameters += [Parameter("i32")] * (2 * array.dim())
            record = LaunchRecord(case.kernel, self.gpu, tuple(parameters), (1, 1, 1))
        else:
            record = LaunchRecord.from_dict(code["record"])
            other = codes.get(ABIS[1], {})
            if who == ABIS[0] and record.abi == ABIS[1] and other.get("sha256") == code["sha256"]:
                # The same code needs no second measurement.
                return None
        image = (self.settings.folder / code["file"]).read_bytes()
        return Launcher(image, record, inputs.grid, flatten(inputs.arrays))

    def run(self, case: Any, excluded: dict[str, str]) -> dict[str, Any]:
        """Checks and times one case, without those that failed before."""
        import torch
        from cases import compare

        self.tell("doing", STARTING)
        torch.manual_seed(time.time_ns())
        inputs = (case.make.small() if self.settings.small else case.make)("cuda")
        expected = inputs.expected()
        errors, checks = dict(excluded), {}
        bursts: dict[str, Callable[[], None]] = {}
        for who in ABIS if self.settings.ours else (*ABIS, PEER, TORCH):
            if who in excluded:
                continue
            self.tell("doing", who)
            try:
                launch = inputs.peer if who == TORCH else self.launcher(case, who, inputs)
                if launch is None:
                    continue
                inputs.output.reset()
                launch()
                torch.cuda.synchronize()
                if who != TORCH:
                    checks[who] = asdict(compare(case, inputs.output, expected))
                if self.settings.small:
                    continue
                graph = self.settings.graph and not (who == TORCH and case.peer_waits)
                bursts[who] = make_burst(launch, self.settings.launches, graph=graph)
                bursts[who]()
                torch.cuda.synchronize()
            except Exception as error:
                errors[who] = f"{type(error).__name__}: {error}"
                # After a fault of the GPU this fails too, and the process with it.
                torch.cuda.synchronize()
        times: dict[str, list[float]] = {who: [] for who in bursts}
        for _ in range(self.settings.bursts):
            for who, burst in bursts.items():
                self.tell("doing", who)
                times[who].append(time_burst(burst, self.settings))
        medians = {who: median(values) for who, values in times.items()}
        return {
            "errors": errors,
            "checks": checks,
            "times": times,
            "rates": {who: 1e3 * case.work / value for who, value in medians.items()},
            "blocks": math.prod(inputs.grid),
        }


def work(settings: Settings, pending: list[tuple[str, dict[str, str]]], pipe: Connection) -> None:
    """A process that runs cases and sends what it finds, until a kernel breaks it."""
    replace_missing()
    import torch
    from cases import CASES

    torch.backends.cuda.matmul.allow_tf32 = False
    worker = Worker(settings, pipe)
    cases = {case.name: case for case in CASES}
    worker.tell("device", f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    for name, excluded in pending:
        try:
            result = worker.run(cases[name], excluded)
        except Exception as error:
            worker.tell("broken", f"{type(error).__name__}: {error}")
            # Nothing can be cleaned up on a GPU after a fault.
            pipe.close()
            os._exit(1)
        worker.tell("done", result)
        torch.cuda.empty_cache()


# What follows runs in the process that was started, without the GPU.


@dataclass
class Row:
    """A case and what was found."""

    case: Any
    kernel: dict[str, Any]
    """Of the bundle."""
    errors: dict[str, str]
    checks: dict[str, Any] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    blocks: int = 0
    """Of the grid."""
    timed: bool = True
    device: str = ""

    @property
    def predictions(self) -> dict[str, dict[str, Any]]:
        """By ABI: what the bundle predicts for this launch on this GPU, and microseconds."""
        found: dict[str, dict[str, Any]] = {}
        for abi in ABIS:
            known = self.kernel["code"].get(abi, {}).get("predictions", {}).get(self.case.name)
            if known is None or abi not in self.times:
                continue
            if "none" not in known:
                blocks = math.prod(known["grid"])
                if (
                    known["gpu"] not in self.device
                    or abs(self.blocks - blocks) > OTHER_GRID * blocks
                ):
                    continue
            found[abi] = {"predicted": known, "measured": 1e3 * median(self.times[abi])}
        return found

    @property
    def mispredicted(self) -> list[str]:
        """The ABIs whose predictions are off."""
        return [
            abi
            for abi, found in self.predictions.items()
            if "none" not in found["predicted"]
            and abs(found["predicted"]["microseconds"] / found["measured"] - 1) > TOLERANCE
        ]

    @property
    def best(self) -> float:
        """Our rate, for whichever ABI is faster and right."""
        right = [abi for abi, check in self.checks.items() if abi in ABIS and check["right"]]
        return max((self.rates[abi] for abi in right if abi in self.rates), default=math.nan)

    @property
    def needed(self) -> float:
        return math.nan if self.case.bar is None else self.case.bar.rate(self.rates)

    @property
    def problems(self) -> list[str]:
        """All that is wrong but for speed."""
        ours = [f"{who}: {text}" for who, text in self.errors.items() if who in (*ABIS, STARTING)]
        for who, check in self.checks.items():
            if who in ABIS:
                ours += [f"{who}: {text}" for text in check["problems"]]
        if not self.timed:
            return ours
        for abi in ABIS:
            said = self.kernel["code"].get(abi, {}).get("problems", ())
            ours += [f"{abi}: {text}" for text in said]
            if (error := self.kernel["errors"].get(abi)) is not None:
                ours.append(f"{abi}: {error}")
        return ours

    @property
    def verdict(self) -> str:
        if self.problems:
            return "PROBLEM"
        if self.case.bar is None or not self.timed:
            return "-"
        if math.isnan(self.needed):
            return "?"
        return "yes" if self.best >= self.needed else "NO"

    def line(self) -> str:
        def cell(value: float, form: str) -> str:
            return form.format("-") if math.isnan(value) else form.format(f"{value:.4g}")

        rates = [self.rates.get(who, math.nan) for who in (*ABIS, PEER, TORCH)]
        ratios = [self.best / rate for rate in rates[2:]]
        error = max((c["error"] for w, c in self.checks.items() if w in ABIS), default=math.nan)
        bar = "" if self.case.bar is None else f"{cell(self.needed, '{}')} ({self.case.bar.text})"
        return (
            f"{self.case.name:<36}"
            + "".join(cell(rate, "{:>9}") for rate in rates)
            + f" {self.case.unit:<8}"
            + "".join(f"{ratio:>9.3f}" for ratio in ratios)
            + f"{error:>9.1e}  {self.verdict:<8}{bar}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.case.name,
            "kernel": self.case.kernel,
            "group": self.case.group,
            "unit": self.case.unit,
            "work": self.case.work,
            "bar": None if self.case.bar is None else self.case.bar.text,
            "needed": self.needed,
            "best": self.best,
            "verdict": self.verdict,
            "problems": self.problems,
            "errors": self.errors,
            "checks": self.checks,
            "rates": self.rates,
            "times": self.times,
            "predictions": self.predictions,
            "compile_ms": {who: code["milliseconds"] for who, code in self.kernel["code"].items()},
        }


def describe_code(code: dict[str, Any]) -> dict[str, Any]:
    """What code takes of an SM, and its digest."""
    record = code["record"]
    return {
        "threads": math.prod(record["threads"]),
        "registers": record["registers"],
        "shared": max(record["static_shared"], record["shared"]),
        "sha256": code["sha256"],
    }


class Overseer:
    """Keeps a process at work, and what it found."""

    def __init__(self, settings: Settings, cases: list[Any], limit: float, target: Path):
        self.settings = settings
        self.limit = limit
        self.target = target
        bundle = json.loads((settings.folder / "bundle.json").read_text())
        self.kernels: dict[str, Any] = bundle["kernels"]
        self.pending = [case for case in cases if case.kernel in self.kernels]
        self.missing = [case.name for case in cases if case.kernel not in self.kernels]
        self.device = ""
        self.rows: list[Row] = []
        self.failed: dict[str, dict[str, str]] = {case.name: {} for case in cases}

    def run(self) -> None:
        context = multiprocessing.get_context("spawn")
        while self.pending:
            ours, theirs = context.Pipe()
            pending = [(case.name, self.failed[case.name]) for case in self.pending]
            process = context.Process(target=work, args=(self.settings, pending, theirs))
            process.start()
            theirs.close()
            self.listen(ours)
            process.join(5)
            process.kill()

    def listen(self, connection: Connection) -> None:
        """Until all is done, or a kernel has to be left out."""
        doing = STARTING
        while self.pending:
            try:
                if not connection.poll(self.limit):
                    self.give_up(doing)
                    return
                what, about = connection.recv()
            except (EOFError, OSError):
                self.fail(doing, "the process ended")
                return
            match what:
                case "device":
                    self.greet(about)
                case "doing":
                    doing = about
                case "broken":
                    self.fail(doing, about)
                    return
                case _:
                    self.add(about)

    def greet(self, device: str) -> None:
        if self.device:
            return
        self.device = device
        print(f"{device}, {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC")
        columns = "".join(f"{name:>9}" for name in ("host", "device", PEER, TORCH))
        print(
            f"{'case':<36}{columns} {'unit':<8}{'/til.':>9}{'/torch':>9}{'error':>9}  met     bar"
        )

    def fail(self, who: str, why: str) -> None:
        """Leaves code out of a case, or the whole case."""
        if not self.device:
            sys.exit(f"the process that should use the GPU does not start: {why}")
        name = self.pending[0].name
        print(f"{name}: {who}: {why}", file=sys.stderr, flush=True)
        self.failed[name][who] = why
        if who == STARTING:
            self.add({"errors": self.failed[name]})

    def give_up(self, who: str) -> None:
        """Leaves code out that does not end, also where it would run with other arguments."""
        kernel = self.pending[0].kernel
        for case in self.pending[1:]:
            if case.kernel == kernel and who != STARTING:
                self.failed[case.name][who] = f"no answer in {self.pending[0].name}"
        self.fail(who, f"no answer in {self.limit:.0f} s")

    def add(self, found: dict[str, Any]) -> None:
        case = self.pending.pop(0)
        timed = not self.settings.small
        row = Row(case, self.kernels[case.kernel], **found, timed=timed, device=self.device)
        self.rows.append(row)
        print(row.line(), flush=True)
        self.target.write_text(json.dumps(self.to_json(), indent=1))

    def to_json(self) -> dict[str, Any]:
        return {"device": self.device, "rows": [row.to_json() for row in self.rows]}

    def summarize(self) -> bool:
        """Prints what the table does not show; whether all is well."""
        if not self.settings.small:
            self.compare_rates()
            self.compare_predictions()
        fine = ("yes", "-", "?") if self.settings.ours else ("yes", "-")
        bad = [row for row in self.rows if row.verdict not in fine]
        print(f"\n{len(self.rows) - len(bad)} of {len(self.rows)} cases are as they should be")
        for row in bad:
            shown = list(row.problems)
            if row.timed and row.case.bar is not None and not row.best >= row.needed:
                shown.append(f"{row.best:.4g}, but {row.needed:.4g} ({row.case.bar.text})")
            print(f"{row.case.name}: " + "; ".join(shown))
        for row in self.rows:
            for who in (PEER, TORCH):
                check = row.checks.get(who, {})
                for text in (*check.get("problems", ()), *filter(None, [row.errors.get(who)])):
                    print(f"{row.case.name}: {who}: {text}")
        off = [(row.case.name, abi) for row in self.rows for abi in row.mispredicted]
        for name, abi in off:
            print(f"{name}: {abi}: predicted with an error of more than {TOLERANCE:.0%}")
        return not bad and not off

    def compare_predictions(self) -> None:
        """What was predicted beside what was measured, and what binds each kernel."""
        from table import PREDICTION_HEAD, ROW, prediction_cells

        cells = [
            prediction_cells(row.case.name, abi, found["predicted"], found["measured"])
            for row in self.rows
            for abi, found in row.predictions.items()
        ]
        if cells:
            print(f"\n{ROW.format(*PREDICTION_HEAD)}")
            for each in cells:
                print(ROW.format(*each))

    def measured(self) -> dict[str, Any]:
        """Microseconds of each case, and the code that they are of."""
        return {
            "device": self.device,
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "microseconds": {
                row.case.name: {
                    abi: round(1e3 * median(row.times[abi]), 3) for abi in ABIS if abi in row.times
                }
                for row in self.rows
            },
            "kernels": {
                row.case.kernel: {
                    abi: describe_code(row.kernel["code"][abi]) for abi in ABIS if abi in row.times
                }
                for row in self.rows
            },
        }

    def compare_rates(self) -> None:
        """Of several tiles for the same work, and of both ABIs."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(row.case.group, []).append(row)
        print("\nbest of each over the tiles of a group: ours, tileiras, torch")
        for group, rows in groups.items():
            if len(rows) < 2 or group in APART:
                continue
            theirs = [
                max((row.rates[who] for row in rows if who in row.rates), default=math.nan)
                for who in (PEER, TORCH)
            ]
            best = max((row.best for row in rows if not math.isnan(row.best)), default=math.nan)
            print(f"{group:<24}{best:9.4g}" + "".join(f"{rate:9.4g}" for rate in theirs))
        print("\nrate with maps of the device by that with maps of the host")
        for row in self.rows:
            if all(abi in row.rates for abi in ABIS):
                print(f"{row.case.name:<36}{row.rates[ABIS[1]] / row.rates[ABIS[0]]:7.3f}")


def make_folder(folder: Path) -> list[str]:
    """Compiles all kernels as `make.py` does, where that is possible; what is wrong with them."""
    missing = [name for name in COMPILER_NEEDS if is_missing(name)]
    reason = f"{', '.join(missing)} not installed"
    if not missing:
        from make import Maker, find_kernels

        from tileiras_xdsl.backend.cuda import find_architecture
        from tileiras_xdsl.backend.errors import MissingToolError

        try:
            gpu = find_architecture("sm_90a")
            return Maker(folder, gpu, repeat=COMPILATIONS).make(find_kernels())
        except MissingToolError as error:
            reason = str(error)
    print(f"{folder} has no kernels, and none can be compiled here: {reason}", file=sys.stderr)
    sys.exit(2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="parts of names or groups, with commas")
    parser.add_argument("--json", type=Path, help="where results go (default: into the folder)")
    parser.add_argument("--markdown", type=Path, help="where the table goes, as table.py makes it")
    parser.add_argument("--measured", type=Path, help="where microseconds of all cases go")
    parser.add_argument("--list", action="store_true", help="name the cases and do nothing")
    parser.add_argument("--ours", action="store_true", help="measure no peers: bars stay open")
    parser.add_argument("--bursts", type=int, default=5)
    parser.add_argument("--launches", type=int, default=15, help="in a burst")
    parser.add_argument("--idle", type=float, default=0.25, help="seconds before a burst")
    parser.add_argument(
        "--limit", type=float, default=45, help="seconds after which a kernel hangs"
    )
    parser.add_argument("--no-graph", action="store_true", help="launch each kernel by itself")
    parser.add_argument("--small", action="store_true", help="check a few CTAs, time nothing")
    arguments = parser.parse_args()
    from cases import CASES
    from table import to_markdown

    only = [part for part in arguments.only.split(",") if part]
    cases = [
        case
        for case in CASES
        if not only or any(part in case.name or part in case.group for part in only)
    ]
    if arguments.list:
        for case in cases:
            print(f"{case.name:<36}{case.kernel:<30}{'' if case.bar is None else case.bar.text}")
        return
    settings = Settings(
        arguments.folder,
        arguments.bursts,
        arguments.launches,
        arguments.idle,
        not arguments.no_graph,
        arguments.small,
        arguments.ours,
    )
    found = [] if (arguments.folder / "bundle.json").exists() else make_folder(arguments.folder)
    target = arguments.json or arguments.folder / "results.json"
    overseer = Overseer(settings, cases, arguments.limit, target)
    if overseer.missing:
        print(f"not in the folder: {', '.join(overseer.missing)}")
    overseer.run()
    if arguments.markdown is not None:
        arguments.markdown.write_text(to_markdown([overseer.to_json()]))
    if arguments.measured is not None:
        arguments.measured.write_text(json.dumps(overseer.measured(), indent=1) + "\n")
    is_good = overseer.summarize()
    for text in found:
        print(text)
    if found or not is_good:
        sys.exit(1)


if __name__ == "__main__":
    main()
