"""
Accumulators of WGMMAs whose registers have the same values: they are written before the fence.

LLVM copies such values to registers of their own right in front of the instruction that overwrites
them. Between `wgmma.fence` and the WGMMAs that would be a race with the tensor cores.
"""

from __future__ import annotations

import numpy as np
import pytest

import tileiras_xdsl
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import wgmma

from ..ptx_checks.program import Finding, parse
from ..ptx_checks.wgmma import find_missing_fences
from .test_warpgroup_kernels import View, check, kernel, numbers

ROWS, COLUMNS = 128, 64
A, B, W = (View(name, "f16", (rows, 64)) for name, rows in (("a", ROWS), ("b", 64), ("w", 64)))
R, C = View("r", "f32", (1, COLUMNS)), View("c", "f32", (ROWS, 64), pads=False)
WIDE, HALF = C.tile_type, f"tile<{ROWS}x{COLUMNS}xf16>"
TRIPS = 3

STARTS = {
    "broadcast": f"%start = broadcast %row : {R.tile_type} -> {WIDE}",
    "negative": f"%rows = broadcast %row : {R.tile_type} -> {WIDE}\n%start = negf %rows : {WIDE}",
    "constant": f"%start = constant <f32: 2.0> : {WIDE}",
}


def text(start: str) -> str:
    """Products of products, which begin with what a row, or a number, says."""
    return kernel(
        (A, B, W, R, C),
        f"""
    %none = constant <f32: 0.0> : {WIDE}
    %sum = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> ({WIDE}) {{
      {R.load("%row", "%t", "%zero")}
      {STARTS[start]}
      {A.load("%x", "%zero", "%t")}
      {B.load("%y", "%t", "%zero")}
      %d = mmaf %x, %y, %start : {A.tile_type}, {B.tile_type}, {WIDE}
      %h = ftof %d : {WIDE} -> {HALF}
      {W.load("%z", "%t", "%zero")}
      %u = mmaf %h, %z, %s : {HALF}, {W.tile_type}, {WIDE}
      continue %u : {WIDE}
    }}
    {C.store("%sum", "%zero", "%zero")}""",
    )


def writes_behind_fences(start: str) -> list[Finding]:
    """WGMMAs whose registers are written between a fence and the WGMMA."""
    compiled = tileiras_xdsl.compile(text(start), gpu="sm_90a", cache=False)
    assert "wgmma.mma_async" in compiled.ptx
    return [each for function in parse(compiled.ptx) for each in find_missing_fences(function)]


@pytest.mark.every(3)
@pytest.mark.parametrize("start", STARTS)
def test_written_before_the_fence(start: str):
    assert not writes_behind_fences(start)


@pytest.mark.part("kernels")
def test_the_test_finds_them(monkeypatch: pytest.MonkeyPatch):
    def never(_value: object) -> bool:
        return False

    monkeypatch.setattr(wgmma, "is_copied_by_llvm", never)
    assert writes_behind_fences("broadcast")


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("start", STARTS)
def test_what_they_are(start: str):
    a, b, w = numbers("f16", ROWS, 64 * TRIPS), *(numbers("f16", 64 * TRIPS, 64) for _ in "bw")
    r = numbers("f32", TRIPS, COLUMNS)
    expected = np.zeros((ROWS, 64))
    for t in range(TRIPS):
        part = slice(64 * t, 64 * t + 64)
        begin = {"broadcast": r[t], "negative": -r[t], "constant": np.float32(2.0)}[start]
        d = a[:, part].astype(np.float64) @ b[part].astype(np.float64) + begin
        expected += d @ w[part].astype(np.float64)
    check(text(start), [a, b, w, r, np.zeros((ROWS, 64), np.float32)], expected, n=TRIPS)
