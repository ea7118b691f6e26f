"""
From portable GPU ops to those of NVIDIA's GPUs.

    gpu.func @k(%x: f32) kernel {
      %i = gpu.thread_id x
      %y = math.sin %x : f32
      gpu.return
    }
    →
    llvm.func @k(%x: f32) attributes {nvvm.kernel} {
      %r = nvvm.read.ptx.sreg.tid.x : i32
      %i = arith.index_cast %r : i32 to index
      %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
      llvm.return
    }
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import YieldOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    apply_partial_conversion,
    get_name,
)

from ..llvm_symbols import RuntimeSymbols
from ..reconcile_casts import reconcile_casts
from .functions import make_type_converter, populate_functions
from .math import populate_math, set_math_legality
from .queries import populate_queries
from .runtime_calls import populate_runtime_calls
from .warps import populate_warps

FAILURE = "failed to convert gpu to nvvm"


def is_legal_yield(op: Operation) -> bool:
    """A yield goes with the op that it belongs to, which must be one of `gpu`."""
    parent = op.parent_op()
    return parent is not None and get_name(parent).startswith("gpu.")


def make_target() -> ConversionTarget:
    """Of `gpu` only the module may stay; assertions and what libdevice computes must go."""
    target = ConversionTarget()
    target.add_legal_dialect("llvm", "nvvm")
    target.add_illegal_dialect("gpu")
    target.add_legal_op(gpu.ModuleOp)
    target.add_dynamically_legal_op(YieldOp, is_legal_yield)
    target.add_illegal_op(cf.AssertOp)
    set_math_legality(target)
    return target


def make_patterns(*, barrier0: bool = False) -> PatternSet:
    """All patterns."""
    patterns, symbols = PatternSet(), RuntimeSymbols()
    populate_queries(patterns)
    populate_warps(patterns, symbols, barrier0=barrier0)
    populate_runtime_calls(patterns, symbols)
    populate_math(patterns, symbols)
    populate_functions(patterns, symbols)
    return patterns


@dataclass(frozen=True)
class ConvertGpuToNvvmPass(ModulePass):
    """
    Converts all of `gpu` but its modules, `cf.assert`, and the ops of `math` that libdevice
    computes to `llvm` and `nvvm`. On failure the module is unchanged.

    Option: `barrier0` (false) writes barriers as `nvvm.barrier0`.
    """

    name = "convert-gpu-to-nvvm"

    barrier0: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_partial_conversion(
            op, make_target(), make_type_converter(), make_patterns(barrier0=self.barrier0), FAILURE
        )
        reconcile_casts(op)
