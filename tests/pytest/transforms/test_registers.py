"""The estimate of registers that tiles take."""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp
from xdsl.parser import Parser

from tileiras_xdsl.transforms.tileas.kernel_model.registers import needed_registers
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context

REGISTERS = "register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]"
TEXT = f"""
#c = #nv_tileas.layout<{REGISTERS}, warp = []>
gpu.module @m {{
  gpu.func @f(%a: tensor<16x16xf16, #c>, %c: tensor<16x16xf32, #c>, %n: i32) kernel {{
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %c, %y = %c)
        -> (tensor<16x16xf32, #c>, tensor<16x16xf32, #c>) : i32 {{
      %d = nv_tileas.dot %a, %a, %x {{atom = #nv_tileas.atom<mma.sm80>}}
          : tensor<16x16xf16, #c>, tensor<16x16xf16, #c>, tensor<16x16xf32, #c>
      %e = nv_tileas.dot %a, %a, %y {{atom = #nv_tileas.atom<mma.sm80>}}
          : tensor<16x16xf16, #c>, tensor<16x16xf16, #c>, tensor<16x16xf32, #c>
      %f = nv_tileaa.addf %c, %c : tensor<16x16xf32, #c>
      "test.op"(%f) : (tensor<16x16xf32, #c>) -> ()
      scf.yield %d, %e : tensor<16x16xf32, #c>, tensor<16x16xf32, #c>
    }}
    gpu.return
  }}
}}
"""


def test_accumulators_of_mma_sync():
    """All accumulators of a loop are live together, beside the largest other tile."""
    (function,) = find_all(Parser(context(), TEXT).parse_module(), FuncOp)
    assert needed_registers(function) == 2 * 8 + 8
