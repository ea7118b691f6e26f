"""
Whether the tuned numbers of `targets/` still hold: measures code for each of them one step up and
down.

    python benchmarks/remeasure.py list                            # the numbers, and their steps
    python benchmarks/remeasure.py make FOLDER [NUMBER …] [--kernel TEXT]  # where the compiler is
    python benchmarks/board/regret.py run FOLDER --json FILE       # where the GPU is
    python benchmarks/remeasure.py judge FILE                      # which numbers no longer hold

A number is one of `targets/choices.py`, or a field of `WARPGROUPS` or `MMA_PIPELINING` of Hopper.
The steps of a power of two are half and twice as many, of another number a quarter less and more.
`make` compiles the kernels of `benchmarks/gpu` for each step in a process of its own, says how many
differ, and keeps their code. It resumes where it was stopped.

A number no longer holds by the rule of CONTRIBUTING.md: a step gains 3 % or more for two kernels or
more and loses that for none, or 1 % in the geometric mean with no kernel below 0.99.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import geometric_mean
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
GPU_FOLDER: Final = ROOT / "benchmarks/gpu"
sys.path[:0] = [str(ROOT / "src"), str(GPU_FOLDER)]

BUNDLE: Final = "plans.json"
"""What `regret.py run` reads."""
ARCH: Final = "sm_90a"
ABI: Final = "host-maps"
RECORDS: Final = ("WARPGROUPS", "MMA_PIPELINING")
SCALED: Final = ("_mxf", "_nvf")
"""Products that Hopper's tensor cores do not do."""
GAIN: Final = 0.03
MEAN_GAIN: Final = 0.01


@dataclass(frozen=True)
class Number:
    """A tuned number."""

    module: str
    """Of `targets`."""
    record: str
    """Whose field it is; empty for one of the module."""
    field: str
    value: float

    @property
    def name(self) -> str:
        return ".".join(each for each in (self.module, self.record, self.field) if each)

    @property
    def steps(self) -> tuple[float, float]:
        """One step down and up."""
        value = self.value
        if isinstance(value, int):
            if value & (value - 1) == 0:
                return value // 2, 2 * value
            step = max(1, value // 4)
            return value - step, value + step
        return value * 3 / 4, value * 5 / 4


def find_numbers(names: Sequence[str] = ()) -> list[Number]:
    """All tuned numbers whose name contains one of some texts."""
    from tileiras_xdsl.targets import choices, hopper

    found = [
        Number("choices", "", name, value)
        for name, value in vars(choices).items()
        if name.isupper() and type(value) in (int, float) and name in choices.__annotations__
    ]
    for record in RECORDS:
        numbers = getattr(hopper, record)
        found += [
            Number("hopper", record, each.name, value)
            for each in fields(numbers)
            if type(value := getattr(numbers, each.name)) in (int, float)
        ]
    return [each for each in found if not names or any(name in each.name for name in names)]


def change(name: str, value: float) -> None:
    """Changes a number in this process, before passes import it."""
    from importlib import import_module

    module, *record, field = name.split(".")
    owner: Any = import_module(f"tileiras_xdsl.targets.{module}")
    for each in record:
        owner = getattr(owner, each)
    if record:
        object.__setattr__(owner, field, value)
    else:
        setattr(owner, field, value)


def find_kernels(texts: Sequence[str]) -> dict[str, str]:
    """A case for each kernel of `benchmarks/gpu` whose name contains one of some texts."""
    from predict import find_cases

    found: dict[str, str] = {}
    for name, case in find_cases().items():
        wanted = not texts or any(text in case.kernel for text in texts)
        if wanted and not any(each in case.kernel for each in SCALED):
            found.setdefault(case.kernel, name)
    return found


def compile_to(folder: Path, kernel: str) -> dict[str, Any] | None:
    """Compiles a kernel into a folder; None if it cannot be compiled."""
    import tileiras_xdsl
    from tileiras_xdsl.driver.compiler.compiled import CompileError

    path = GPU_FOLDER / f"bytecode/{kernel}.tileirbc"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = tileiras_xdsl.compile(path, ARCH, abi=ABI, cache=False)
    except CompileError as error:
        print(f"{kernel}: {error}", file=sys.stderr)
        return None
    digest = hashlib.sha256(code.cubin).hexdigest()
    file = f"{digest[:16]}.cubin"
    (folder / file).write_bytes(code.cubin)
    return {"file": file, "sha256": digest, "record": code.launch_record.to_dict()}


def compile_step(folder: Path, step: str, kernels: Sequence[str]) -> dict[str, Any]:
    """What kernels become with a step (`choices.TUNED=8`, or none), in a process of its own."""
    answer = subprocess.run(
        [sys.executable, __file__, "step", str(folder), step, *kernels],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(answer.stdout.splitlines()[-1])


def make(folder: Path, names: Sequence[str], texts: Sequence[str]) -> None:
    """Compiles all steps, and writes what differs where `regret.py run` finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "steps.json"
    done: dict[str, dict[str, Any]] = json.loads(state.read_text()) if state.exists() else {}
    kernels = find_kernels(texts)
    steps = [""] + [f"{n.name}={step!r}" for n in find_numbers(names) for step in n.steps]
    for step in steps:
        known = done.setdefault(step, {})
        if missing := [kernel for kernel in kernels if kernel not in known]:
            known |= compile_step(folder, step, missing)
            state.write_text(json.dumps(done, indent=1))
        others = sum(differs(done[""].get(kernel), known[kernel]) for kernel in kernels)
        print(f"{step or 'as it is'}: {others} kernels differ", flush=True)
    (folder / BUNDLE).write_text(json.dumps({"cases": bundle(done, kernels)}, indent=1))


def differs(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> bool:
    """Whether both could be compiled, to other code."""
    return before is not None and after is not None and before["sha256"] != after["sha256"]


def bundle(done: Mapping[str, Mapping[str, Any]], kernels: Mapping[str, str]) -> dict[str, Any]:
    """Kernels with the steps that change them, as `regret.py` has plans."""
    cases: dict[str, Any] = {}
    for kernel, case in kernels.items():
        before = done[""].get(kernel)
        plans: list[dict[str, Any]] = []
        for step, found in done.items():
            code = found.get(kernel)
            if code is not None and (not step or differs(before, code)):
                plan = {"plan": step or "as it is", "rule": step or "chosen", "predicted": None}
                plans.append({**plan, **code})
        if len(plans) > 1:
            cases[case] = {"kernel": kernel, "plans": plans}
    return cases


def gains(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """By step and case: how many times as fast the step is."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        before, *others = row["plans"]
        for plan in others:
            gain = before["measured"] / plan["measured"]
            found.setdefault(plan["plan"], {})[row["name"]] = gain
    return found


def still_holds(by_case: Mapping[str, float]) -> bool:
    """Whether a step gains less than what a branch of the compiler needs to stay."""
    speeds = [*by_case.values()]
    large = sum(speed >= 1 + GAIN for speed in speeds) >= 2 and min(speeds) > 1 - GAIN
    small = geometric_mean(speeds) >= 1 + MEAN_GAIN and min(speeds) >= 1 - MEAN_GAIN
    return not (large or small)


def judge(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each step, those that would be better first."""
    found = sorted(gains(rows).items(), key=lambda each: (still_holds(each[1]), each[0]))
    for step, by_case in found:
        words = "holds" if still_holds(by_case) else "better"
        worst, best = min(by_case.values()), max(by_case.values())
        mean = geometric_mean(by_case.values())
        yield f"{words:<8}{step:<56}{len(by_case):>3} kernels {worst:.3f} {mean:.3f} {best:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("numbers", nargs="*", metavar="NUMBER")
    making.add_argument("--kernel", default="")
    stepping = commands.add_parser("step")
    stepping.add_argument("folder", type=Path)
    stepping.add_argument("step")
    stepping.add_argument("kernels", nargs="+")
    judging = commands.add_parser("judge")
    judging.add_argument("file", type=Path)
    given = parser.parse_args()
    match given.command:
        case "list":
            for number in find_numbers():
                down, up = number.steps
                print(f"{number.name:<56}{number.value:>10g}{down:>10g}{up:>10g}")
        case "make":
            make(given.folder, given.numbers, [text for text in given.kernel.split(",") if text])
        case "step":
            if given.step:
                name, value = given.step.split("=")
                change(name, json.loads(value))
            print(
                json.dumps({kernel: compile_to(given.folder, kernel) for kernel in given.kernels})
            )
        case _:
            print("\n".join(judge(json.loads(given.file.read_text())["cases"])))


if __name__ == "__main__":
    main()
