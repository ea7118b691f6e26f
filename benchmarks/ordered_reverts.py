"""
Undoes each repair of the memory order, and counts the random kernels that find it.

    python benchmarks/ordered_reverts.py [--count 15] [--revert NAME] [--theme NAME]

Compiles the first kernels of the themes that each of `tests/pytest/fuzz/reverts.py` names, or of
another one, without the repair, and prints how many of them are then wrong when threads run them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.ordered_runs import examine
from tests.pytest.fuzz.reverts import REVERTS, Revert
from tests.pytest.strategies.ordered_kernels import random_ordered_kernel
from tests.pytest.strategies.ordered_themes import THEMES


def count(revert: Revert, theme: str, kernels: int) -> list[int]:
    """The seeds of kernels that find what is wrong."""
    found: list[int] = []
    with revert.planted():
        for seed in range(kernels):
            orders = range(seed, seed + revert.orders)
            if examine(random_ordered_kernel(seed, theme), ("nvgpu",), orders).findings:
                found.append(seed)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--revert", choices=[revert.name for revert in REVERTS])
    parser.add_argument("--theme", choices=list(THEMES))
    options = parser.parse_args()
    for revert in REVERTS:
        if options.revert not in (None, revert.name):
            continue
        for theme in [options.theme] if options.theme else revert.themes:
            seeds = count(revert, theme, options.count)
            numbers = " ".join(map(str, seeds))
            print(
                f"{revert.name:50}{theme:20}{len(seeds):4} of {options.count}: {numbers}",
                flush=True,
            )


if __name__ == "__main__":
    main()
