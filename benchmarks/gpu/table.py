"""
The results of `run.py` as a table for `docs/performance.md`:

    python benchmarks/gpu/table.py results.json [results.json …]

Of cases that are in several files, the last counts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

RATES = ("host-maps", "device-maps", "tileiras", "torch")
HEAD = ("case", "maps of the host", "of the device", *RATES[2:], "unit", "needed", "met")


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


def main() -> None:
    rows: dict[str, dict[str, Any]] = {}
    devices: dict[str, None] = {}
    for name in sys.argv[1:]:
        data = json.loads(Path(name).read_text())
        devices[data["device"]] = None
        rows.update({row["name"]: row for row in data["rows"]})
    print(f"{'; '.join(devices)}\n")
    print(f"| {' | '.join(HEAD)} |")
    print(f"|{' --- |' * len(HEAD)}")
    for row in rows.values():
        print(f"| {' | '.join(cells_of(row))} |")
    print("\n| kernel | compiled, ms | tileiras, ms | ratio |\n| --- | --- | --- | --- |")
    for name, times in {row["kernel"]: row["compile_ms"] for row in rows.values()}.items():
        ours, theirs = times.get("device-maps"), times.get("tileiras")
        if ours is not None and theirs is not None:
            print(f"| {name} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
