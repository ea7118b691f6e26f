"""Program order of Triton's accesses: through one array, in loops, under conditions."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.interpreter.run import run

HEAD = """
tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %one = arith.constant dense<1> : tensor<16xi32>
  %mod = arith.constant dense<16> : tensor<16xi32>
  %two = arith.constant dense<2.0> : tensor<16xf32>
  %moved = arith.addi %r, %one : tensor<16xi32>
  %turned = arith.remsi %moved, %mod : tensor<16xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %q = tt.addptr %s, %turned : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
"""
ROTATES = """
    %a = tt.load %p : tensor<16x!tt.ptr<f32>>
    tt.store %q, %a : tensor<16x!tt.ptr<f32>>
    %b = tt.load %p : tensor<16x!tt.ptr<f32>>
    %c = arith.mulf %b, %two : tensor<16xf32>
    tt.store %p, %c : tensor<16x!tt.ptr<f32>>
"""
LOOP = f"scf.for %k = %c0 to %n step %c1 : i32 {{{ROTATES}}}"
CONDITION = f"""
  scf.for %k = %c0 to %n step %c1 : i32 {{
    %odd = arith.remsi %k, %c2 : i32
    %is = arith.cmpi eq, %odd, %c0 : i32
    scf.if %is {{{ROTATES}}}
    %d = tt.load %q : tensor<16x!tt.ptr<f32>>
    tt.store %p, %d : tensor<16x!tt.ptr<f32>>
  }}
"""


@pytest.mark.parametrize("body", [ROTATES, LOOP, CONDITION])
def test_order(body: str):
    x = np.arange(1, 17, dtype=np.float32)
    expected = x.copy()
    for k in range(1 if body == ROTATES else 5):
        if body != CONDITION or k % 2 == 0:
            expected = np.roll(expected, 1) * 2
        if body == CONDITION:
            expected = np.roll(expected, -1)
    run(f"{HEAD}{body}\n  tt.return\n}}", 1, (x, 5), check=True)
    np.testing.assert_array_equal(x, expected)
