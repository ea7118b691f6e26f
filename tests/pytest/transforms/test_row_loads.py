"""Rows that consumer threads of WGMMA kernels read: TMA loads them where registers are short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tileiras_xdsl.dialects.nv_tileas.decisions import WARP_RELEASE
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nvvm.matrix import WgmmaMmaAsyncOp
from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.transforms.tileas.kernel_model import staged_loads
from tileiras_xdsl.transforms.tileas.schedule import stages

from ..harness.modules import ops_of
from .test_warpgroup_kernels import View, check, count, kernel, lower, numbers

ROWS, COLUMNS = 128, 64
A, B, W = (View(name, "f16", (rows, 64)) for name, rows in (("a", ROWS), ("b", 64), ("w", 64)))
R, C = View("r", "f32", (1, COLUMNS)), View("c", "f32", (ROWS, 64), pads=False)
WIDE = C.tile_type

TEXT = kernel(
    (A, B, W, R, C),
    f"""
    %none = constant <f32: 0.0> : {WIDE}
    %sum = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> ({WIDE}) {{
      {A.load("%x", "%zero", "%t")}
      {B.load("%y", "%t", "%zero")}
      %d = mmaf %x, %y, %none : {A.tile_type}, {B.tile_type}, {WIDE}
      {R.load("%row", "%t", "%zero")}
      %rows = broadcast %row : {R.tile_type} -> {WIDE}
      %e = subf %d, %rows : {WIDE}
      %h = ftof %e : {WIDE} -> tile<{ROWS}x{COLUMNS}xf16>
      {W.load("%z", "%t", "%zero")}
      %u = mmaf %h, %z, %s : tile<{ROWS}x{COLUMNS}xf16>, {W.tile_type}, {WIDE}
      continue %u : {WIDE}
    }}
    {C.store("%sum", "%zero", "%zero")}""",
)
TRIPS = 7


@pytest.fixture
def few_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread can load ahead."""

    def none(_dots: Sequence[DotOp]) -> int:
        return 0

    for module in (staged_loads, stages):
        monkeypatch.setattr(module, "free_registers", none)


@pytest.mark.part("kernels")
def test_rows_in_buffer_stages(few_registers: None):
    """Each warp releases the row that it has read, and waits for no other."""
    a, b, w = numbers("f16", ROWS, 64 * TRIPS), *(numbers("f16", 64 * TRIPS, 64) for _ in "bw")
    r = numbers("f32", TRIPS, COLUMNS)
    expected = np.zeros((ROWS, 64))
    for t in range(TRIPS):
        part = slice(64 * t, 64 * t + 64)
        d = a[:, part].astype(np.float64) @ b[part].astype(np.float64) - r[t]
        expected += d @ w[part].astype(np.float64)
    arrays = [a, b, w, r, np.zeros((ROWS, 64), np.float32)]
    module = check(TEXT, arrays, expected, n=TRIPS)
    assert count(module, "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile") >= 4
    agents = lower(TEXT, "host-maps", 3, 3)[2]
    released = [WARP_RELEASE.is_on(op) for op in ops_of(agents, CreatePipelineOp)]
    assert sorted(released) == [False, False, True]


def test_more_accumulators_fit_beside_a_small_operand():
    """192 registers for accumulators, and 16 for an operand, as in the gradients of keys."""
    live = [[(128, 128), (128, 128), (128, 64), (128, 64)]]
    choose = WARPGROUPS.choose_num_warpgroups
    assert choose(live) is None
    assert choose(live, operand_words=128 * 64 // 2) == 2
    assert choose(live, operand_words=128 * 128 // 2) is None


WIDE_W, WIDE_C = View("w", "f16", (32, 256)), View("c", "f32", (64, 256), pads=False)
NARROW_A, NARROW_B = View("a", "f16", (64, 64)), View("b", "f16", (64, 32))
CHAIN = kernel(
    (NARROW_A, NARROW_B, WIDE_W, WIDE_C),
    f"""
    %none = constant <f32: 0.0> : tile<64x32xf32>
    %nothing = constant <f32: 0.0> : {WIDE_C.tile_type}
    %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({WIDE_C.tile_type}) {{
      {NARROW_A.load("%x", "%zero", "%t")}
      {NARROW_B.load("%y", "%t", "%zero")}
      %d = mmaf %x, %y, %none : {NARROW_A.tile_type}, {NARROW_B.tile_type}, tile<64x32xf32>
      %h = ftof %d : tile<64x32xf32> -> tile<64x32xf16>
      {WIDE_W.load("%z", "%t", "%zero")}
      %u = mmaf %h, %z, %s : tile<64x32xf16>, {WIDE_W.tile_type}, {WIDE_C.tile_type}
      continue %u : {WIDE_C.tile_type}
    }}
    %doubled = addf %sum, %sum : {WIDE_C.tile_type}
    {WIDE_C.store("%doubled", "%zero", "%zero")}""",
)


@pytest.mark.part("kernels")
def test_instructions_of_fewer_columns():
    """Threads of two CTAs of two agents are launched with 128 registers, fewer than one names."""
    a, b = numbers("f16", 64, 64 * TRIPS), numbers("f16", 64 * TRIPS, 32)
    w = numbers("f16", 32 * TRIPS, 256)
    expected = np.zeros((64, 256))
    for t in range(TRIPS):
        part = slice(64 * t, 64 * t + 64)
        d = a[:, part].astype(np.float64) @ b[part].astype(np.float64)
        expected += 2 * d @ w[32 * t : 32 * t + 32].astype(np.float64)
    module = check(CHAIN, [a, b, w, np.zeros((64, 256), np.float32)], expected, n=TRIPS)
    shapes = {str(op.shape) for op in ops_of(module, WgmmaMmaAsyncOp)}
    assert {shape.split("n = ")[1].split(",")[0] for shape in shapes} == {"32", "128"}
