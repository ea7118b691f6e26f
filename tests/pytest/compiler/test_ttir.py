"""Kernels of Triton as programs: TTIR in any form, and remarks on how it was lowered."""

from io import StringIO

import numpy as np
import pytest
from xdsl.printer import Printer

import tileiras_xdsl as tx
from tileiras_xdsl.frontend.load import make_context, parse_bytes

ROWS = """
tt.func public @rows(%x: !tt.ptr<f32>, %n: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %n : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %i = tt.load %p : tensor<16x!tt.ptr<i32>>
  %a = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %t = tt.splat %x : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %q = tt.addptr %t, %a : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  %v = tt.load %q : tensor<16x1x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<16x1xf32>
  tt.store %q, %w : tensor<16x1x!tt.ptr<f32>>
  tt.return
}
"""


def generic() -> str:
    output = StringIO()
    Printer(output, print_generic_format=True).print_op(
        parse_bytes(make_context(), ROWS.encode(), "")
    )
    return output.getvalue()


@pytest.mark.parametrize("program", [ROWS, generic()], ids=["custom", "generic"])
def test_both_forms_run(program: str):
    x, n = np.arange(16, dtype=np.float32), np.arange(16, dtype=np.int32)[::-1].copy()
    tx.run(program, 1, (x, n), engine="interpreter")
    np.testing.assert_array_equal(x, np.arange(16) * 2)


def test_modules_are_compiled():
    module = parse_bytes(make_context(), ROWS.encode(), "")
    assert ".entry rows" in tx.compile(module, "sm_90").ptx


def test_remarks_on_views_that_were_not_found():
    text = "this load goes through pointers, not through a view of a tensor"
    compiled = tx.compile(ROWS, "sm_90", explain=True)
    explored = tx.explore(ROWS, gpu="sm_90")
    for remarks in (compiled.remarks, explored.remarks):
        found = [each for each in remarks if each.message == text]
        assert [(each.kind, each.category) for each in found] == [("Missed", "Memory")]
        assert "no sums of multiples" in str(found[0])
    assert text not in str(tx.compile(ROWS, "sm_90").remarks)
