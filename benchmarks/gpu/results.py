"""
The table and the pictures of `docs/performance.md`, from what was measured:

    python benchmarks/gpu/results.py             # the table, and docs/images/performance.svg
    python benchmarks/gpu/results.py --predict   # compiles all, for docs/images/predicted.svg
    python benchmarks/gpu/results.py --board     # kernels that others wrote, beside tileiras

`results.json` has the rows, with rates of `run.py` beside torch. Our rates of rows without follow
from `measured.json`, the microseconds of the same day. `../board/measured.json` has the times of
`tileiras`, beside ours, as cuTile launches both.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from predict import Measured, find_cases, predict_cases
from table import show

FOLDER: Final = Path(__file__).parent
BOARD: Final = FOLDER.parent / "board"
DOCS: Final = FOLDER.parents[1] / "docs"
PAGE: Final = DOCS / "performance.md"
BARS: Final = DOCS / "images" / "performance.svg"
POINTS: Final = DOCS / "images" / "predicted.svg"
TABLE: Final = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD: Final = (
    *("kernel", "tile", "ours, host maps", "ours, device maps"),
    *("`tileiras`", "torch", "unit"),
)
OURS, THEIRS, INK, PALE = "#2563eb", "#9ca3af", "#1f2937", "#e5e7eb"


@dataclass(frozen=True)
class Row:
    """Rates of a kernel."""

    label: str
    tile: str
    host: float | None
    device: float
    tileiras: float
    torch: float | None
    library: str
    unit: str

    @property
    def cells(self) -> Sequence[str]:
        host = "–" if self.host is None else show(self.host)
        torch = "–" if self.torch is None else f"{show(self.torch)} ({self.library})"
        rates = host, show(self.device), show(self.tileiras), torch
        return self.label, self.tile or "–", *rates, self.unit


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def find_rows() -> list[Row]:
    data, board = read_json(FOLDER / "results.json"), read_json(BOARD / "measured.json")
    measured = Measured.load()
    if len({data["date"], board["date"], measured.date}) > 1:
        raise SystemExit("the files are of several days")
    cases = find_cases()

    def rate(name: str, microseconds: float) -> float:
        return cases[name].work / microseconds * 1e6

    def tileiras(name: str) -> float:
        (times,) = board["cases"][f"own.{name}"].values()
        return rate(name, times["tileiras"])

    rows: list[Row] = []
    for name, label, tile, *rates in data["rows"]:
        if not rates:
            times = measured.microseconds[name]
            rates = *(rate(name, times[abi]) for abi in ("host-maps", "device-maps")), None, ""
        host, device, torch, library = rates
        unit = cases[name].unit
        rows.append(Row(label, tile, host, device, tileiras(name), torch, library, unit))
    return rows


def to_markdown(rows: Iterable[Row]) -> str:
    cells = [HEAD, ["---"] * len(HEAD), *(row.cells for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{INK}">{words}</text>'
    )


def line(start: tuple[float, float], end: tuple[float, float], style: str) -> str:
    (left, top), (right, bottom) = start, end
    return f'<line x1="{left:.1f}" y1="{top:.1f}" x2="{right:.1f}" y2="{bottom:.1f}" {style}/>'


def picture(width: int, height: int, parts: Iterable[str]) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *parts,
            "</svg>\n",
        )
    )


def draw_bars(rows: Sequence[Row]) -> str:
    """Rates as shares of that of torch, a pair of bars for each kernel."""
    left, right, scale, step, top = 330, 820, 250.0, 26, 50
    rows = [row for row in rows if row.torch is not None]
    bottom = top + step * len(rows)

    def parts() -> Iterator[str]:
        for color, words, x in ((OURS, "tileiras-xdsl", left), (THEIRS, "tileiras", left + 130)):
            yield f'<rect x="{x}" y="12" width="12" height="12" fill="{color}"/>'
            yield text(x + 18, 22, words)
        for share in (0.5, 1.0, 1.5):
            x, style = left + scale * share, f'stroke="{INK if share == 1 else PALE}"'
            yield line((x, top - 6), (x, bottom), style)
            yield text(x, top - 10, f"{share:g}", "middle", 11)
        for index, row in enumerate(rows):
            y = top + step * index
            yield text(left - 8, y + 15, f"{row.label} · {row.tile}", "end")
            best = max(row.host or 0, row.device)
            for offset, (color, rate) in enumerate(((OURS, best), (THEIRS, row.tileiras))):
                width = scale * rate / (row.torch or math.inf)
                shape = f'x="{left}" y="{y + 2 + 10 * offset}" width="{width:.1f}" height="9"'
                yield f'<rect {shape} fill="{color}"/>'
            yield text(right, y + 11, f"{show(best)} {row.unit}", "end", 10)
        yield text(left, bottom + 18, "speed; torch (cuBLAS, cuDNN) is 1", size=11)

    return picture(right + 10, bottom + 30, parts())


def draw_points(
    pairs: Sequence[tuple[float, float]],
    ends: tuple[float, float] = (5, 4000),
    bands: Sequence[float] = (0.15,),
) -> str:
    """Predicted over measured microseconds, both logarithmic, with bands of such errors."""
    side, margin = 400, 60
    least, most = ends
    low, high = math.log(least), math.log(most)

    def place(microseconds: float) -> float:
        return side * (math.log(microseconds) - low) / (high - low)

    def at(measured: float, predicted: float) -> tuple[float, float]:
        return margin + place(measured), 20 + side - place(predicted)

    def parts() -> Iterator[str]:
        for tick in (10, 100, 1000):
            yield line(at(tick, least), at(tick, most), f'stroke="{PALE}"')
            yield line(at(least, tick), at(most, tick), f'stroke="{PALE}"')
            yield text(at(tick, least)[0], side + 38, str(tick), "middle", 11)
            yield text(margin - 8, at(least, tick)[1] + 4, str(tick), "end", 11)
        for factor in (1.0, *(1 + band for band in bands), *(1 / (1 + band) for band in bands)):
            dashes = "" if factor == 1 else ' stroke-dasharray="4 3"'
            first, last = least * 1.2, most * 0.85
            points = at(first, first * factor), at(last, last * factor)
            yield line(*points, f'stroke="{THEIRS}"{dashes}')
        for measured, predicted in pairs:
            x, y = at(measured, predicted)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{OURS}" fill-opacity="0.6"/>'
        yield text(margin + side / 2, side + 58, "measured, µs", "middle")
        yield text(10, 12, "predicted, µs")

    return picture(margin + side + 20, side + 70, parts())


def predicted_pairs() -> Iterator[tuple[str, str, float, float]]:
    """Case, ABI, and measured and predicted microseconds of all launches that were measured."""
    import tileiras_xdsl

    measured = Measured.load().microseconds
    for kernel in dict.fromkeys(case.kernel for case in find_cases().values()):
        path = FOLDER / f"bytecode/{kernel}.tileirbc"
        for abi in ("host-maps", "device-maps"):
            names = [name for name, case in find_cases().items() if case.kernel == kernel]
            if not any(abi in measured.get(name, {}) for name in names):
                continue
            compiled = tileiras_xdsl.compile(path, "sm_90a", abi=abi)
            for name, found in predict_cases(compiled, kernel).items():
                if "microseconds" in found and abi in measured.get(name, {}):
                    yield name, abi, measured[name][abi], found["microseconds"]


def board_ratios() -> dict[tuple[str, str], float]:
    """By case and kernel of the board that others wrote: the time of `tileiras` over ours."""
    cases = {
        case: kernels
        for run in ("measured_tileiras", "measured_driver_maps")
        for case, kernels in read_json(BOARD / f"{run}.json")["cases"].items()
    }
    return {
        (case, kernel): times["tileiras"] / times["ours"]
        for case, kernels in cases.items()
        for kernel, times in kernels.items()
        if {"ours", "tileiras"} <= times.keys() and not case.startswith("own.")
    }


def print_board() -> None:
    found = sorted((ratio, *each) for each, ratio in board_ratios().items())
    for ratio, case, kernel in found:
        print(f"{ratio:6.2f}  {case}, {kernel}")
    for words, ratios in (
        ("all", [each[0] for each in found]),
        ("without fmha", [each[0] for each in found if not each[1].startswith("fmha ")]),
    ):
        mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
        faster, slower = (sum(r > 1.03 for r in ratios), sum(r < 0.97 for r in ratios))
        print(
            f"{words}: {len(ratios)} kernels, mean {mean:.2f}, median {median(ratios):.2f}, ",
            end="",
        )
        print(f"{faster} above 1.03, {slower} below 0.97")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--board", action="store_true")
    options = parser.parse_args()
    if options.board:
        print_board()
    elif options.predict:
        found = list(predicted_pairs())
        for name, abi, measured, predicted in found:
            off = predicted / measured - 1
            print(f"{name:<40}{abi:<12}{measured:>10.4g}{predicted:>10.4g}{off:>+7.1%}")
        errors = [abs(predicted / measured - 1) for *_, measured, predicted in found]
        print(f"{len(errors)} launches: {math.fsum(errors) / len(errors):.1%} off on average")
        for limit in (0.05, 0.1, 0.15):
            print(f"{sum(each <= limit for each in errors)} within {limit:.0%}")
        POINTS.write_text(draw_points([(m, p) for *_, m, p in found]), encoding="utf-8")
    else:
        rows = find_rows()
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(rf"\1{to_markdown(rows)}\2", page), encoding="utf-8")
        BARS.write_text(draw_bars(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
