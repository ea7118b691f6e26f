"""
Each op with each element type, compiled for the CPU of this machine: the cases of ops that the
interpreter has to compute right, by the same wanted bits.
"""

from __future__ import annotations

import pytest

import tileiras_xdsl as tx

from ..interpreter.kernels import Case
from ..interpreter.test_ops_coverage import CASES

COMPILED = [case for case in CASES if case.name != "assert"]
"""An assertion that fails is an error."""


@pytest.mark.every(31)
@pytest.mark.parametrize("case", COMPILED, ids=[case.name for case in COMPILED])
def test_ops(case: Case):
    arrays = case.arrays()
    kernel = tx.compile(case.text, "cpu", cache=False)
    # Tile blocks one after the other, as in the interpreter.
    kernel.launch(case.grid, list(arrays.values()), threads=1)
    for name, tile in case.wanted.items():
        tile.compare(arrays[name], f"%{name}")
