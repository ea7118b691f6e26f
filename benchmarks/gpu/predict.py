"""
Predicts the cases of `run.py`: how long each launch takes, what binds it, and how far from that
limit it is. `make.py` writes predictions into its bundle, where `run.py` compares them with what it
measures.

    python benchmarks/gpu/predict.py [NAME …] [--abi host-maps] [--markdown]

Kernels are compiled, and nothing is run; what was measured on the day of `measured.json` is shown
beside. A name stands for all cases whose names contain it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

from table import PREDICTION_HEAD, ROW, prediction_cells
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.cost.model import Launch, count_persistent, estimate_kernel, make_launch
from tileiras_xdsl.cost.report import NO_SPILLS, Prediction, Spills, predict, why_not
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.interpreter.arguments import full_grid
from tileiras_xdsl.targets.target import find_occupancy
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

FOLDER: Final = Path(__file__).parent
MEASURED: Final = FOLDER / "measured.json"
META: Final = "meta"
MARKDOWN: Final = f"|{' {} |' * len(PREDICTION_HEAD)}"


@dataclass(frozen=True)
class CaseLaunch:
    """What a case launches."""

    name: str
    kernel: str
    grid: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    """Of its arrays."""
    launch: Launch
    work: float
    unit: str


@cache
def find_cases() -> Mapping[str, Any]:
    """The cases of `cases.py` by name; torch need not be installed."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    if "torch" in sys.modules or importlib.util.find_spec("torch") is not None:
        from cases import CASES
    else:
        from meta_torch import instead_of_torch

        with instead_of_torch():
            from cases import CASES
    return {case.name: case for case in CASES}


@cache
def find_launch(name: str) -> CaseLaunch:
    """What a case launches, without the elements of its arrays."""
    case = find_cases()[name]
    inputs = case.make(META)
    flat: list[Any] = []
    for array in inputs.arrays:
        flat += [array, *array.shape, *array.stride()]
    shapes = tuple(tuple(map(int, array.shape)) for array in inputs.arrays)
    launch = make_launch(full_grid(inputs.grid), flat)
    return CaseLaunch(*(case.name, case.kernel, inputs.grid, shapes, launch, case.work, case.unit))


@dataclass(frozen=True)
class Code:
    """What the code of a kernel takes of an SM."""

    threads: int
    registers: int | None
    shared: int
    spills: Spills = NO_SPILLS

    @staticmethod
    def of(record: LaunchRecord) -> Code:
        shared = max(record.static_shared, record.shared or 0)
        threads, spilled = prod(record.threads or (1,)), (record.spill_stores, record.spill_loads)
        spills = [threads * float(each or 0) for each in spilled]
        return Code(threads, record.registers, shared, Spills(*spills))


def predict_launch(module: ModuleOp, code: Code, launch: Launch) -> Prediction | str:
    """
    The prediction for a launch of a kernel at the end of the stage `tileas`, whose code takes that
    much of an SM; or why there is none.
    """
    (function,), target = kernels(module), get_target(module)
    occupancy = None
    if not count_persistent(function):
        fits = find_occupancy(target, code.threads, code.registers, code.shared)
        occupancy = max(1, fits.ctas)
    try:
        estimate = estimate_kernel(function, target, launch, occupancy)
    except UnknownScheduleError as error:
        return str(error)
    estimate = estimate.with_spills(code.spills)
    return predict(estimate) or why_not(estimate) or ""


def predict_cases(compiled: Compiled, kernel: str) -> dict[str, dict[str, Any]]:
    """By the name of each case of a kernel: a prediction, or why there is none."""
    found: dict[str, dict[str, Any]] = {}
    module = compiled.stages["tileas"]
    if get_target(module).board is None:
        return found
    for name in (each.name for each in find_cases().values() if each.kernel == kernel):
        try:
            case = find_launch(name)
        except (AttributeError, NotImplementedError, TypeError) as error:
            found[name] = {"none": f"its arguments are computed by torch ({error})"}
            continue
        made = predict_launch(module, Code.of(compiled.launch_record), case.launch)
        if isinstance(made, Prediction):
            found[name] = {**made.to_dict(), "grid": case.grid, "shapes": case.shapes}
        else:
            found[name] = {"none": made}
    return found


@dataclass(frozen=True)
class Measured:
    """What was measured in one run."""

    device: str
    date: str
    microseconds: Mapping[str, Mapping[str, float]]
    """Of a launch, by case and ABI."""
    kernels: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """What the code took of an SM, by kernel and ABI, and its SHA-256."""

    @staticmethod
    def load(path: Path = MEASURED) -> Measured:
        data = json.loads(path.read_text())
        names = ("device", "date", "microseconds", "kernels")
        return Measured(*(data[name] for name in names))


def main() -> int:
    import tileiras_xdsl

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--abi", default="host-maps", choices=("host-maps", "device-maps"))
    parser.add_argument("--gpu", default="sm_90a")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    measured = Measured.load().microseconds
    wanted: Sequence[str] = options.names
    line = MARKDOWN if options.markdown else ROW
    print(line.format(*PREDICTION_HEAD))
    if options.markdown:
        print(line.format(*["---"] * len(PREDICTION_HEAD)))
    compiled: dict[str, dict[str, dict[str, Any]]] = {}
    for name, case in find_cases().items():
        path = FOLDER / f"bytecode/{case.kernel}.tileirbc"
        if wanted and not any(each in name for each in wanted):
            continue
        if any(word in case.kernel for word in ("_mxf8_", "_mxf4_", "_nvf4_")):
            continue
        if case.kernel not in compiled:
            code = tileiras_xdsl.compile(path, options.gpu, abi=options.abi)
            compiled[case.kernel] = predict_cases(code, case.kernel)
        found = compiled[case.kernel].get(name)
        if found is not None:
            known = measured.get(name, {})
            time = known.get(options.abi, known.get("device-maps"))
            print(line.format(*prediction_cells(name, options.abi, found, time)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
