"""Threads load neighbours along the axis of a scan, and exchange few totals."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shape import ScanOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import Axis, with_runs_first

from ..harness.passes import lower
from ..harness.running import assert_same_bits

SHAPE = (8, 64, 32)
TILE = "tile<8x64x32xi32>"
STRIDES = "strides = [2048, 32, 1]"
VIEW = "tensor_view<16x64x32xi32, strides=[2048,32,1]>"
TILES = f"partition_view<tile=(8x64x32), {VIEW}>"


def kernel(axis: int, reverse: str) -> str:
    """A scan of tiles of three dimensions."""
    return f"""
entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {{
  %t = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %i, %j, %k = get_tile_block_id : tile<i32>
  %a1 = assume div_by<16>, %a : tile<ptr<i32>>
  %b1 = assume div_by<16>, %b : tile<ptr<i32>>
  %ta = make_tensor_view %a1, shape = [16, 64, 32], {STRIDES} : {VIEW}
  %tb = make_tensor_view %b1, shape = [16, 64, 32], {STRIDES} : {VIEW}
  %va = make_partition_view %ta : {TILES}
  %vb = make_partition_view %tb : {TILES}
  %x, %tx = load_view_tko weak %va[%i, %zero, %zero] token=%t
      : {TILES}, tile<i32> -> {TILE}, token
  %n = negi %x : {TILE}
  %s = scan %n dim={axis} reverse={reverse} identities=[0 : i32] : {TILE} -> {TILE}
      (%p: tile<i32>, %q: tile<i32>) {{
    %pq = addi %p, %q : tile<i32>
    yield %pq : tile<i32>
  }}
  %e = store_view_tko weak %s, %vb[%i, %zero, %zero] token=%t
      : {TILE}, {TILES}, tile<i32> -> token
  return
}}
"""


@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scans(axis: int, reverse: str):
    module = load(kernel(axis, reverse))
    tiles = lower(module, "tileas")
    x = np.random.default_rng(2).integers(-999, 999, (16, 64, 32)).astype(np.int32)
    results: list[list[np.ndarray]] = []
    for each in (module, tiles, lower(tiles, "nvgpu", after="tileas")):
        arguments = [x.copy(), np.zeros_like(x)]
        run(each, grid=2, args=arguments, check=True)
        results.append(arguments)
    for found in results[1:]:
        assert_same_bits(results[0], found)
    (scan,) = [op for op in tiles.walk() if isinstance(op, ScanOp)]
    layout = layout_of(scan.operands[0].type)
    assert layout is not None
    along = Axis(with_runs_first(layout, axis), axis)
    if axis < 2:
        # Whatever registers a thread has along the axis are one run.
        assert along.run_bits == len(along.register)
        assert len(get_buffers(scan)) == len(along.warp)


MASK = "tile<128x64xi32>"
MASKED = f"""
entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {{
  %t = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %ta = make_tensor_view %a, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
  %va = make_partition_view %ta : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
  %tb = make_tensor_view %b, shape = [128, 64], strides = [64, 1]
      : tensor_view<128x64xi32, strides=[64,1]>
  %vb = make_partition_view %tb
      : partition_view<tile=(128x64), tensor_view<128x64xi32, strides=[64,1]>>
  %x, %tx = load_view_tko weak %va[%zero] token=%t
      : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32>
      -> tile<128xi32>, token
  %x0 = reshape %x : tile<128xi32> -> tile<128x1xi32>
  %x1 = broadcast %x0 : tile<128x1xi32> -> {MASK}
  %n = iota : tile<64xi32>
  %n0 = reshape %n : tile<64xi32> -> tile<1x64xi32>
  %n1 = broadcast %n0 : tile<1x64xi32> -> {MASK}
  %m = cmpi equal %x1, %n1, signed : {MASK} -> tile<128x64xi1>
  %y = exti %m unsigned : tile<128x64xi1> -> {MASK}
  %s = scan %y dim=0 reverse=false identities=[0 : i32] : {MASK} -> {MASK}
      (%p: tile<i32>, %q: tile<i32>) {{
    %pq = addi %p, %q : tile<i32>
    yield %pq : tile<i32>
  }}
  %e = store_view_tko weak %s, %vb[%zero, %zero] token=%t
      : {MASK}, partition_view<tile=(128x64), tensor_view<128x64xi32, strides=[64,1]>>, tile<i32>
      -> token
  return
}}
"""


def test_scans_of_what_is_computed():
    """Nothing says in which layout a mask is computed: it is the one that suits the scan."""
    module = load(MASKED)
    tiles = lower(module, "tileas")
    x = np.random.default_rng(3).integers(0, 64, 128).astype(np.int32)
    expected = (x[:, None] == np.arange(64)).cumsum(0)
    for each in (module, tiles, lower(tiles, "nvgpu", after="tileas")):
        result = np.zeros((128, 64), np.int32)
        run(each, grid=1, args=[x, result], check=True)
        assert (result == expected).all()
    (scan,) = [op for op in tiles.walk() if isinstance(op, ScanOp)]
    layout = layout_of(scan.operands[0].type)
    assert layout is not None
    along = Axis(layout, 0)
    assert along.run_bits == len(along.register) > 1
    assert len(get_buffers(scan)) == len(along.warp)
