"""Attacks on `fuse-fma`: where products are exact, nothing changes; what else must not be fused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tileiras_xdsl.dialects.cuda_tile.floating import FmaOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("fuse-fma", prepare=False)
FRAME = """
entry @k(%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
  BODY
  %t = store_ptr_tko weak %p, %r : tile<ptr<f32>>, tile<f32> -> token
  return
}"""
MUL = "%m = mulf %a, %b : tile<f32>\n"
FUSED = {
    "sum": MUL + "%r = addf %m, %c : tile<f32>",
    "sum, the other way": MUL + "%r = addf %c, %m : tile<f32>",
    "difference": MUL + "%r = subf %m, %c : tile<f32>",
    "two products": MUL + "%n = mulf %b, %c : tile<f32>\n%r = addf %n, %m : tile<f32>",
    "rounded to zero": "%m = mulf %a, %b rounding<zero> : tile<f32>\n"
    "%r = subf %m, %c rounding<zero> : tile<f32>",
    "rounded down": "%m = mulf %a, %b rounding<negative_inf> : tile<f32>\n"
    "%r = subf %m, %c rounding<negative_inf> : tile<f32>",
    "flushed": "%m = mulf %a, %b flush_to_zero : tile<f32>\n"
    "%r = addf %m, %c flush_to_zero : tile<f32>",
}
KEPT = {
    "used twice": MUL + "%s = addf %m, %c : tile<f32>\n%r = addf %m, %s : tile<f32>",
    "squared": MUL + "%r = addf %m, %m : tile<f32>",
    "reversed difference": MUL + "%r = subf %c, %m : tile<f32>",
    "other rounding": MUL + "%r = addf %m, %c rounding<zero> : tile<f32>",
    "flushed once": MUL + "%r = addf %m, %c flush_to_zero : tile<f32>",
}
SPECIAL = (0.0, -0.0, 1.0, -3.0, 2.0**-10, float("inf"), float("nan"))


@pytest.mark.every(3)
@pytest.mark.parametrize("name", FUSED)
def test_fused(name: str):
    """Signs of zeros, infinities and NaNs; products of these numbers are exact."""
    numbers = [*product(SPECIAL, repeat=3)][:: 3 if name == "difference" else 9]
    inputs = [[np.zeros(1, np.float32), *each] for each in numbers]
    after = ATTACK.run(FRAME.replace("BODY", FUSED[name]), inputs)
    assert ops_of(after, FmaOp)


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str):
    """In numbers whose products are not exact, too."""
    inputs = [[np.zeros(1, np.float32), 1.1, 1.3, each] for each in (-1.43, 0.7)]
    ATTACK.but(fires=None).run(FRAME.replace("BODY", KEPT[name]), inputs)
