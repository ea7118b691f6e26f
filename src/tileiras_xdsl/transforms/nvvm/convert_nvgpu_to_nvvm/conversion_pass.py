"""
From asynchronous GPU ops to the instructions that implement them.

    nvgpu.tma.async.load %dst[%x, %y], %bar, %map
        : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
    →
    %p = builtin.unrealized_conversion_cast %dst : memref<64x64xf16, 3> to !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %p, %map, %x, %y, %bar
        {mode = #nvvm.load_mode<tile>} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nvgpu import Nvgpu
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    apply_partial_conversion,
)

from .barriers import populate_barriers
from .copies import populate_copies
from .matrix import populate_matrix
from .one_to_one import populate_one_to_one
from .tcgen05 import populate_tcgen05
from .tensor_copies import populate_tensor_copies
from .types import has_bridges, make_type_converter

FAILURE = "failed to convert nvgpu to nvvm"


def make_target() -> ConversionTarget:
    """All of `nvgpu` must go."""
    target = ConversionTarget()
    target.add_legal_dialect("llvm", "nvvm")
    target.add_illegal_dialect(Nvgpu.name)
    return target


def make_patterns() -> PatternSet:
    """A pattern for each op; those that only other front ends make come from `interop`."""
    patterns = PatternSet(_populate_rest)
    populate_one_to_one(patterns)
    populate_barriers(patterns)
    populate_tensor_copies(patterns)
    populate_copies(patterns)
    populate_matrix(patterns)
    populate_tcgen05(patterns)
    return patterns


def _populate_rest(patterns: PatternSet) -> None:
    from tileiras_xdsl.transforms.interop.nvgpu import populate_upstream

    populate_upstream(patterns)


@dataclass(frozen=True)
class ConvertNvgpuToNvvmPass(ModulePass):
    """Converts all of `nvgpu` to `llvm` and `nvvm`. On failure the module is unchanged."""

    name = "convert-nvgpu-to-nvvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converter = make_type_converter()
        apply_partial_conversion(op, make_target(), converter, make_patterns(), FAILURE)
        if has_bridges(op):
            from tileiras_xdsl.transforms.interop.nvgpu_values import retype_values

            retype_values(op, converter)
