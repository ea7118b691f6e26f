"""Elementary functions of compiled code: how far they are off, as docs/cpu.md has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx

COUNT = 1 << 16
KERNEL = """cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {{
    %i = iota : tile<{count}xi32>
    %a1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %a2 = broadcast %a1 : tile<1xptr<f32>> -> tile<{count}xptr<f32>>
    %pa = offset %a2, %i : tile<{count}xptr<f32>>, tile<{count}xi32> -> tile<{count}xptr<f32>>
    %b1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b2 = broadcast %b1 : tile<1xptr<f32>> -> tile<{count}xptr<f32>>
    %pb = offset %b2, %i : tile<{count}xptr<f32>>, tile<{count}xi32> -> tile<{count}xptr<f32>>
    %x, %t1 = load_ptr_tko weak %pa : tile<{count}xptr<f32>> -> tile<{count}xf32>, token
    %y = {op} %x : tile<{count}xf32>
    %t2 = store_ptr_tko weak %pb, %y : tile<{count}xptr<f32>>, tile<{count}xf32> -> token
    return
  }}
}}"""

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], float, float, float]] = {
    "exp": (np.exp, -87, 88, 1),
    "exp2": (np.exp2, -126, 127, 1),
    "log": (np.log, 0, 1e4, 1),
    "log2": (np.log2, 0, 1e4, 1),
    "sin": (np.sin, -100, 100, 1),
    "cos": (np.cos, -100, 100, 1),
    "tan": (np.tan, -100, 100, 1),
    "sqrt": (np.sqrt, 0, 1e4, 0.5),
    "tanh": (np.tanh, -10, 10, 2),
    "sinh": (np.sinh, -80, 80, 2),
    "cosh": (np.cosh, -80, 80, 2),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0, 1e4, 2),
}
"""In double precision, the range of arguments, and the most that results may be off."""


@pytest.mark.parametrize("op", FUNCTIONS)
def test_errors_of_functions(op: str):
    function, low, high, most = FUNCTIONS[op]
    x = np.random.default_rng(0).uniform(low, high, COUNT).astype(np.float32)
    found = np.zeros_like(x)
    tx.compile(KERNEL.format(op=op, count=COUNT), "cpu").launch(1, [x, found])
    wanted = function(x.astype(np.float64))
    unit = np.spacing(np.abs(wanted).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(found - wanted) / unit) <= most
