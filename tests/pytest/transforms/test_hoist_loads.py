"""Loads behind stores: those that have to see a store do, and those that need not come first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.memory import LoadOp, StoreOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.passes import run_steps

TILE = "tile<64xf32>"
POINTERS = "tile<64xptr<f32>>"


def program(token: str) -> str:
    """Doubles a tile, and adds to each element of another one that which is 3 further on."""
    return f"""
    entry @twice(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %r: tile<ptr<f32>>) {{
      %i = iota : tile<64xi32>
      %three = constant <i32: 3> : tile<64xi32>
      %last = constant <i32: 63> : tile<64xi32>
      %j0 = addi %i, %three : tile<64xi32>
      %j = andi %j0, %last : tile<64xi32>
      %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
      %pb = broadcast %p1 : tile<1xptr<f32>> -> {POINTERS}
      %ps = offset %pb, %i : {POINTERS}, tile<64xi32> -> {POINTERS}
      %x, %t0 = load_ptr_tko weak %ps : {POINTERS} -> {TILE}, token
      %x2 = addf %x, %x rounding<nearest_even> : {TILE}
      %t1 = store_ptr_tko weak %ps, %x2 token=%t0 : {POINTERS}, {TILE} -> token
      %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
      %qb = broadcast %q1 : tile<1xptr<f32>> -> {POINTERS}
      %qs = offset %qb, %j : {POINTERS}, tile<64xi32> -> {POINTERS}
      %y, %t2 = load_ptr_tko weak %qs {token} : {POINTERS} -> {TILE}, token
      %z = addf %x2, %y rounding<nearest_even> : {TILE}
      %r1 = reshape %r : tile<ptr<f32>> -> tile<1xptr<f32>>
      %rb = broadcast %r1 : tile<1xptr<f32>> -> {POINTERS}
      %rs = offset %rb, %i : {POINTERS}, tile<64xi32> -> {POINTERS}
      %t3 = store_ptr_tko weak %rs, %z token=%t2 : {POINTERS}, {TILE} -> token
      return
    }}"""


@pytest.mark.parametrize("stage", ["tileas", "nvgpu", "nvvm"])
@pytest.mark.parametrize("in_place", [False, True])
def test_numbers(stage: Any, in_place: bool):
    module = load(program("token=%t1" if in_place else ""))
    run_steps(module, select_steps(to=stage), "sm_90a", "device-maps")
    x, y = np.arange(64, dtype=np.float32), np.arange(100, 164, dtype=np.float32)
    other = x if in_place else y
    result, doubled = np.zeros_like(x), 2 * x
    expected = doubled + np.roll(doubled if in_place else y, -3)
    run(module, grid=(1, 1), args=[x, other, result])
    np.testing.assert_array_equal(x, doubled)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("in_place", [False, True])
def test_order(in_place: bool):
    module = load(program("token=%t1" if in_place else ""))
    steps = select_steps(to="tileas")
    names = [step.name for step in steps]
    run_steps(module, steps[: names.index("hoist-loads") + 1], "sm_90a", "device-maps")
    ops = [type(op) for op in find_all(module, LoadOp, StoreOp)]
    first = [LoadOp, StoreOp, LoadOp] if in_place else [LoadOp, LoadOp, StoreOp]
    assert ops == [*first, StoreOp]
