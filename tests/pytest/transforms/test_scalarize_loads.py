"""Elements of tiles that are loaded as scalars, in the tensor and beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.memory import LoadOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import MODULE_STAGES, select_steps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.passes import run_steps

VIEW = "partition_view<tile=(2x4), padding_value = zero, tensor_view<?x?x{ty}, strides=[?,?]>>"


def extracting(ty: str) -> str:
    """A program whose CTA x, y copies element [x mod 2, y mod 4] of tile x - 1, y."""
    view, pointer = VIEW.format(ty=ty), f"tile<ptr<{ty}>>"
    return f"""
    entry @elements(%a: tile<ptr<{ty}>>, %r: tile<ptr<{ty}>>, %m: tile<i32>, %n: tile<i32>,
                    %s: tile<i32>, %t: tile<i32>) {{
      %tensor = make_tensor_view %a, shape = [%m, %n], strides = [%s, %t] : tile<i32>
          -> tensor_view<?x?x{ty}, strides=[?,?]>
      %view = make_partition_view %tensor : {view}
      %x, %y, %z = get_tile_block_id : tile<i32>
      %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %two = constant <i32: 2> : tile<i32>
      %four = constant <i32: 4> : tile<i32>
      %row = remi %x, %two signed : tile<i32>
      %column = remi %y, %four signed : tile<i32>
      %before = subi %x, %one : tile<i32>
      %tile, %done = load_view_tko weak %view[%before, %y] : {view}, tile<i32>
          -> tile<2x4x{ty}>, token
      %part = extract %tile[%row, %column] : tile<2x4x{ty}> -> tile<1x1x{ty}>
      %element = reshape %part : tile<1x1x{ty}> -> tile<{ty}>
      %line = muli %x, %gy : tile<i32>
      %place = addi %line, %y : tile<i32>
      %pointer = offset %r, %place : {pointer}, tile<i32> -> {pointer}
      %last = store_ptr_tko weak %pointer, %element token=%done : {pointer}, tile<{ty}> -> token
      return
    }}"""


@pytest.mark.every(4)
@pytest.mark.parametrize("stage", MODULE_STAGES)
@pytest.mark.parametrize("ty", ["f32", "i64", "f16", "i8"])
def test_numbers(ty: str, stage: Any):
    module = load(extracting(ty))
    run_steps(module, select_steps(to=stage), "sm_90a", "device-maps")
    if stage == "tileaa":
        assert not find_all(module, TiledLoadOp)
        assert len(find_all(module, LoadOp)) == 1
    kinds: dict[str, Any] = {"f32": np.float32, "i64": np.int64, "f16": np.float16, "i8": np.int8}
    # Columns lie next to each other, and rows of the tensor are only a part of those in memory.
    memory = np.arange(1, 8 * 5 + 1).reshape(8, 5).astype(kinds[ty])
    tensor = memory[:6, :3].T
    result = np.full((4, 3), -1, kinds[ty])
    run(module, grid=(4, 3), args=[memory, result, 3, 6, 1, 5])
    expected = np.zeros_like(result)
    for x, y in np.ndindex(4, 3):
        i, j = 2 * (x - 1) + x % 2, 4 * y + y % 4
        if 0 <= i < 3 and j < 6:
            expected[x, y] = tensor[i, j]
    np.testing.assert_array_equal(result, expected)


LENGTHS = """
entry @lengths(%a: tile<ptr<i32>>, %r: tile<ptr<i32>>, %n: tile<i32>) {
  %tensor = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32>
      -> tensor_view<?xi32, strides=[1]>
  %view = make_partition_view %tensor
      : partition_view<tile=(1), padding_value = zero, tensor_view<?xi32, strides=[1]>>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %tile, %done = load_view_tko weak %view[%x]
      : partition_view<tile=(1), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32>
      -> tile<1xi32>, token
  %length = reshape %tile : tile<1xi32> -> tile<i32>
  %sum = for %i in (%zero to %length, step %one) : tile<i32>
      iter_values(%s = %zero) -> (tile<i32>) {
    %more = addi %s, %i : tile<i32>
    continue %more : tile<i32>
  }
  %pointer = offset %r, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %last = store_ptr_tko weak %pointer, %sum token=%done : tile<ptr<i32>>, tile<i32> -> token
  return
}"""
"""CTA x sums the numbers below element x, which is a tile of its own."""


@pytest.mark.parametrize("stage", MODULE_STAGES)
def test_tiles_of_one_element(stage: Any):
    module = load(LENGTHS)
    run_steps(module, select_steps(to=stage), "sm_90a", "device-maps")
    if stage == "tileaa":
        assert not find_all(module, TiledLoadOp)
    lengths, result = np.array([3, 0, 9, 5], np.int32), np.full(5, -1, np.int32)
    run(module, grid=(5, 1), args=[lengths[:3], result, 3])
    np.testing.assert_array_equal(result, [3, 0, 36, 0, 0])
    # A tensor of a negative size has no elements.
    run(module, grid=(5, 1), args=[lengths, result, -3])
    assert not result.any()
