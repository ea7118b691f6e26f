"""
Attacks on `tileas-unspecialized-pipeline`: loops with no iteration, one, and more than there are
stages twice over; tiles with padding that is not zero, rows that end in the midst of a vector,
loops that end at the last numbers of their type, tiles that a loop carries.
"""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.dialects.nvgpu import DeviceAsyncWaitOp

from ..harness.modules import ops_of
from .attacks import Attack
from .dot_loops import NAMES, Shape, programs

ATTACK = Attack("tileas-unspecialized-pipeline", arch="sm_80", is_idempotent=False, then=("nvgpu",))
SHAPE = Shape(32, 32, 16)
TRIPS = (0, 1, 2, 11)


@pytest.mark.every(22, first=1)
@pytest.mark.parametrize("name", NAMES)
def test_dots(name: str):
    after = ATTACK.but(fires=None).run(programs(SHAPE)[name], map(SHAPE.arguments, TRIPS))
    assert ops_of(after, DeviceAsyncWaitOp) or name == "loads in branches"


def sums(padding: str, element: str = "f32") -> str:
    """Sums of the columns of a matrix, whose rows are loaded tile by tile, up to `%hi`."""
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    view = f"partition_view<tile=(8x64), padding_value = {padding}, {tensor}>"
    tile, scalar = f"tile<8x64x{element}>", f"tile<{element}>"
    result = f"partition_view<tile=(64), tensor_view<64x{element}, strides=[1]>>"
    return f"""
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %rows: tile<i32>,
      %columns: tile<i32>, %stride: tile<i32>, %lo: tile<i32>, %hi: tile<i32>, %step: tile<i32>) {{
    %b = assume div_by<16>, %p : tile<ptr<{element}>>
    %s = assume div_by<16>, %stride : tile<i32>
    %t = make_tensor_view %b, shape = [%rows, %columns], strides = [%s, 1] : tile<i32> -> {tensor}
    %v = make_partition_view %t : {view}
    %u = make_tensor_view %q, shape = [64], strides = [1] : tensor_view<64x{element}, strides=[1]>
    %w = make_partition_view %u : {result}
    %zero = constant <i32: 0> : tile<i32>
    %seven = constant <i32: 7> : tile<i32>
    %none = constant <{element}: 0.0> : {tile}
    %r = for %i in (%lo to %hi, step %step) : tile<i32> iter_values(%x = %none) -> ({tile}) {{
      %at = andi %i, %seven : tile<i32>
      %y, %ty = load_view_tko weak %v[%at, %zero] : {view}, tile<i32> -> {tile}, token
      %z = addf %x, %y : {tile}
      continue %z : {tile}
    }}
    %l = reduce %r dim=0 identities=[0.0 : {element}] : {tile} -> tile<64x{element}>
        (%e0: {scalar}, %e1: {scalar}) {{
      %e2 = addf %e0, %e1 : {scalar}
      yield %e2 : {scalar}
    }}
    %done = store_view_tko weak %l, %w[%zero] : tile<64x{element}>, {result}, tile<i32> -> token
    return
  }}
}}"""


LAST = (1 << 31) - 1
BOUNDS = (
    (0, 0, 1),
    (0, 1, 1),
    (0, 8, 1),
    (3, 8, 2),
    (-5, 4, 3),
    (LAST - 9, LAST, 4),
    (0, LAST, LAST),
)


@pytest.mark.part("kernels")
@pytest.mark.every(16, first=9)
@pytest.mark.parametrize("columns", [64, 63, 1, 0])
@pytest.mark.parametrize("padding", ["zero", "neg_zero", "nan", "pos_inf"])
def test_padding_and_ends(padding: str, columns: int):
    rng = np.random.default_rng(columns)
    inputs = [
        [
            rng.integers(-3, 4, (64, 64)).astype(np.float32),
            np.full(64, 7, np.float32),
            rows,
            columns,
            64,
            *bounds,
        ]
        for bounds in BOUNDS
        for rows in (59, 0)
    ]
    after = ATTACK.run(sums(padding), inputs)
    assert ops_of(after, DeviceAsyncWaitOp)
