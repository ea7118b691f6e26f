"""
How well the cost model predicts the board: the times of `measured*.json` beside predictions.

    python benchmarks/board/accuracy.py [FOLDER] [--only TEXT,…] [--json FILE] [--picture FILE]

`FOLDER` has what `launches.py` found of the cases that others wrote; without it, there are only the
kernels of `benchmarks/gpu`. Kernels are compiled for an H200 as cuTile's launcher needs them, and
nothing is run. Each kernel of each case is compared with the newest run that has it.

Left out are kernels whose loops or branches depend on elements, and those that cuTile would tune,
as nobody wrote down which tile sizes a run chose. A third of the kernels, by a hash of their names,
is held out: no number of the model was chosen by them, and they are counted apart.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
GPU_FOLDER: Final = FOLDER.parent / "gpu"
sys.path[:0] = [str(FOLDER.parents[1] / "src"), str(GPU_FOLDER)]

RUNS: Final = (
    *("measured", "measured_lighter", "measured_warpgroups", "measured_now"),
    "measured_tileiras",
)
"""Runs of the board, the oldest first."""
OURS: Final = ("ours", "now")
"""What runs call this compiler."""
INDEX: Final = "launches.json"
ARCH: Final = "sm_90a"
ABI: Final = "device-maps"
OWN: Final = "own."
CLOSE: Final = 0.15
FAR: Final = 0.3
SHORT: Final = 100.0
"""Microseconds, of which those of a launch are a part that can be seen."""
HELD_OUT: Final = 3
"""One of so many kernels is held out."""


@dataclass(frozen=True)
class Row:
    """A kernel of a case."""

    case: str
    kernel: str
    measured: float
    predicted: float | None
    bound: str
    """What binds it, or why there is no prediction."""

    @property
    def name(self) -> str:
        return f"{self.case}, {self.kernel}"

    @property
    def error(self) -> float:
        """By how much the prediction is off, as a share of what was measured."""
        assert self.predicted is not None
        return self.predicted / self.measured - 1

    @property
    def is_held_out(self) -> bool:
        return zlib.crc32(self.kernel.encode()) % HELD_OUT == 0


@dataclass(frozen=True)
class Launched:
    """A launch of a kernel in a case."""

    case: str
    kernel: str
    bytecode: Path
    launch: Any


def read_measured(runs: Iterable[str] = RUNS) -> dict[str, float]:
    """Microseconds by case and kernel, each in the newest run that has it."""
    found: dict[str, float] = {}
    for run in runs:
        for case, kernels in json.loads((FOLDER / f"{run}.json").read_text())["cases"].items():
            if any(name in kernels for name in OURS):
                # One kernel, without its name.
                kernels = {"": kernels}
            for kernel, times in kernels.items():
                time = next((times[name] for name in OURS if name in times), None)
                if time is not None:
                    found[f"{case}, {kernel}" if kernel else case] = time
    return found


@cache
def find_unseen() -> float:
    """
    Microseconds of a launch before the first CTA, which a graph of launches takes and CUPTI does
    not see: what short kernels of `benchmarks/gpu` take less on the board than in
    `benchmarks/gpu/measured.json` with device maps, of the same day and code (the median).
    """
    graphs = json.loads((GPU_FOLDER / "measured.json").read_text())["microseconds"]
    less = [
        graphs[case]["device-maps"] - time
        for name, time in read_measured(RUNS[:1]).items()
        if time < SHORT
        and name.startswith(OWN)
        and "device-maps" in graphs.get(case := name.removeprefix(OWN).partition(", ")[0], {})
    ]
    return median(less)


def own_launches() -> Iterator[Launched]:
    """The kernels of `benchmarks/gpu`."""
    from predict import find_cases, find_launch

    for name, case in find_cases().items():
        try:
            launch = find_launch(name).launch
        except (AttributeError, NotImplementedError, TypeError):
            # Their arguments are computed by torch.
            continue
        path = GPU_FOLDER / f"bytecode/{case.kernel}.tileirbc"
        yield Launched(f"{OWN}{name}", case.kernel, path, launch)


def foreign_launches(folder: Path) -> Iterator[Launched]:
    """What `launches.py` found."""
    from tileiras_xdsl.cost.model import Launch

    for case, found in json.loads((folder / INDEX).read_text()).items():
        for each in found.get("launches", ()):
            if each["is_guessed"]:
                continue
            arrays = {int(number): float(size) for number, size in each["arrays"].items()}
            launch = Launch(tuple(each["grid"]), each["values"], sum(arrays.values()), arrays)
            path = folder / f"{each['bytecode']}.tileirbc"
            yield Launched(case, each["kernel"], path, launch)


@cache
def compile_kernel(path: Path) -> tuple[Any, Any]:
    """A kernel at the end of the stage `tileas`, and what its code takes of an SM."""
    from predict import Code

    import tileiras_xdsl

    compiled = tileiras_xdsl.compile(path, ARCH, abi=ABI)
    return compiled.stages["tileas"], Code.of(compiled.launch_record)


def predict_rows(launches: Iterable[Launched], measured: Mapping[str, float]) -> Iterator[Row]:
    """Predictions of what was measured; the launches of one kernel in a case are added up."""
    from predict import predict_launch

    from tileiras_xdsl.cost.report import Prediction

    by_name: dict[str, list[Launched]] = {}
    for each in launches:
        by_name.setdefault(f"{each.case}, {each.kernel}", []).append(each)
    for name, several in by_name.items():
        if name not in measured:
            continue
        total, bound = 0.0, ""
        for each in several:
            made = predict_launch(*compile_kernel(each.bytecode), each.launch)
            if not isinstance(made, Prediction):
                total, bound = None, made
                break
            total, bound = total + made.microseconds - find_unseen(), made.bound
        yield Row(several[0].case, several[0].kernel, measured[name], total, bound)


def share(rows: Sequence[Row], limit: float) -> float:
    """How many predictions are off by no more than a limit."""
    return sum(abs(row.error) <= limit for row in rows) / len(rows) if rows else 0.0


def summarize(rows: Sequence[Row]) -> Iterator[str]:
    """How good the predictions are, in all and of kernels that are held out, and the worst."""
    known = [row for row in rows if row.predicted is not None]
    held = [row for row in known if row.is_held_out]
    for words, some in (("all", known), ("held out", held)):
        far = sum(abs(row.error) > FAR for row in some)
        yield (
            f"{words}: {len(some)} predictions, {share(some, CLOSE):.0%} within {CLOSE:.0%}, "
            f"{share(some, FAR):.0%} within {FAR:.0%}, {far} further off"
        )
    for row in sorted(known, key=lambda row: -abs(row.error)):
        if abs(row.error) > FAR:
            yield f"  {row.error:+.0%}  {row.name}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", type=Path, help="an SVG")
    given = parser.parse_args()
    print(f"{find_unseen():.2f} microseconds of a launch are not seen on the board")
    launches = [*own_launches()]
    if given.folder is not None:
        launches += foreign_launches(given.folder)
    only = [text for text in given.only.split(",") if text]
    if only:
        launches = [each for each in launches if any(text in each.case for text in only)]
    rows: list[Row] = []
    for row in predict_rows(launches, read_measured()):
        rows.append(row)
        cells = f"{row.measured:>10.2f}"
        if row.predicted is None:
            print(f"{cells}{'-':>10}{'':>8}  {row.name}: {row.bound}", flush=True)
        else:
            print(f"{cells}{row.predicted:>10.2f}{row.error:>+8.0%}  {row.name}: {row.bound}")
    print("\n".join(summarize(rows)))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if given.picture is not None:
        from results import draw_points

        known = [(row.measured, row.predicted) for row in rows if row.predicted is not None]
        given.picture.write_text(draw_points(known, (0.8, 5000), (CLOSE, FAR)))


if __name__ == "__main__":
    main()
