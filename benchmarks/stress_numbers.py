"""
Kernels with tiles that do not fit, launched on the GPU of this machine and compared with the
interpreter of the program as it is written.

    python benchmarks/stress_numbers.py [KERNEL …]

Numbers are small integers, so that sums are exact in any order; other results have to be equal but
for `RTOL`. The exit code is 1 if a kernel differs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import tileiras_xdsl

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.harness.stress_kernels import KERNELS, make

RTOL = 1e-4
"""Of approximations of transcendental functions."""


def differs(name: str) -> str:
    """Where a kernel differs; empty if it does not."""
    builder = make(name)
    text, expected, found = builder.text(), builder.make_arguments(), builder.make_arguments()
    with np.errstate(all="ignore"):
        tileiras_xdsl.run(tileiras_xdsl.load(text), grid=1, args=expected, engine="interpreter")
    tileiras_xdsl.compile(text, abi="host-maps").launch(1, found)
    for number, (before, after) in enumerate(zip(expected, found, strict=True)):
        if isinstance(before, int):
            continue
        wide: list[Any] = [np.asarray(each, np.float64) for each in (before, after)]
        if not np.allclose(*wide, rtol=RTOL, atol=RTOL, equal_nan=True):
            count = int((wide[0] != wide[1]).sum())
            return f"argument {number}: {count} of {before.size} elements differ"
    return ""


def main() -> int:
    names = [
        name for name in KERNELS if not sys.argv[1:] or any(part in name for part in sys.argv[1:])
    ]
    failed = False
    for name in names:
        if name.startswith("print"):
            continue
        found = differs(name)
        failed |= bool(found)
        print(f"{name:28} {found or 'equal'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
