"""
The results of `run.py` as a Markdown table:

    python benchmarks/gpu/table.py results.json [results.json …]

Of cases that are in several files, the last counts. `run.py --markdown FILE` writes the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

RATES = ("host-maps", "device-maps", "tileiras", "torch")
HEAD = ("case", "host maps", "device maps", *RATES[2:], "unit", "needed", "met")

PREDICTION_HEAD = ("case", "ABI", "predicted, µs", "measured", "off", "bound by", "longest limit")
ROW = "{:<36}{:<12}{:>14}{:>10}{:>6}  {:<18} {}"


def prediction_cells(
    name: str, abi: str, found: Mapping[str, Any], measured: float | None
) -> tuple[str, ...]:
    """What a bundle predicts for a case, beside the microseconds that were measured."""
    shown = "" if measured is None else f"{measured:.4g}"
    if "none" in found:
        return name, abi, "-", shown, "-", "not predicted", found["none"]
    time, limit = found["microseconds"], found["limits"][found["limit"]]
    return (
        *(name, abi, f"{time:.4g}", shown),
        "" if measured is None else f"{time / measured - 1:+.0%}",
        found["bound"],
        f"{found['limit']} {limit:.4g} µs, {(measured or time) / limit - 1:.0%} above",
    )


def show(number: float | None) -> str:
    """Three digits or more; a dash for what is not there."""
    if number is None or number != number:
        return "-"
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def cells_of(row: dict[str, Any]) -> list[str]:
    rates: dict[str, float] = row["rates"]
    needed = "" if row["bar"] is None else f"{show(row['needed'])} ({row['bar']})"
    return [
        row["name"].replace("_", " "),
        *(show(rates.get(who)) for who in RATES),
        row["unit"],
        needed,
        row["verdict"],
    ]


def to_markdown(results: Iterable[dict[str, Any]]) -> str:
    """The results of some runs: rates, and how long compiling took."""
    rows: dict[str, dict[str, Any]] = {}
    devices: dict[str, None] = {}
    for data in results:
        devices[data["device"]] = None
        rows.update({row["name"]: row for row in data["rows"]})
    lines = [
        "; ".join(devices),
        "",
        f"| {' | '.join(HEAD)} |",
        f"|{' --- |' * len(HEAD)}",
        *(f"| {' | '.join(cells_of(row))} |" for row in rows.values()),
        "",
        "| kernel | compiled, ms | tileiras, ms | ratio |",
        "| --- | --- | --- | --- |",
    ]
    for name, times in {row["kernel"]: row["compile_ms"] for row in rows.values()}.items():
        ours, theirs = times.get("device-maps"), times.get("tileiras")
        if ours is not None and theirs is not None:
            lines.append(f"| {name} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |")
    predicted = [
        prediction_cells(row["name"].replace("_", " "), abi, found["predicted"], found["measured"])
        for row in rows.values()
        for abi, found in row.get("predictions", {}).items()
    ]
    if predicted:
        cells = (PREDICTION_HEAD, ["---"] * len(PREDICTION_HEAD), *predicted)
        lines += ["", *(f"| {' | '.join(each)} |" for each in cells)]
    return "\n".join(lines) + "\n"


def main() -> None:
    print(to_markdown(json.loads(Path(name).read_text()) for name in sys.argv[1:]), end="")


if __name__ == "__main__":
    main()
