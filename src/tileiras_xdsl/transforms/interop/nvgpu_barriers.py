"""Barriers that code makes for itself, and waits by the token of an arrival."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.one_to_one import BarrierOneToOne
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.types import get_barrier, get_token
from tileiras_xdsl.transforms.nvvm.llvm_symbols import RuntimeSymbols, address_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

STORAGE = "mbar_storage"


class ConvertCreate(ConversionPattern[nvgpu.MBarrierCreateOp]):
    """
    Barriers of its own in shared memory.

        %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
        →
        llvm.mlir.global internal @mbar_storage() {addr_space = 3 : i32, alignment = 8 : i64} : i64
        %bar = llvm.mlir.addressof @mbar_storage : !llvm.ptr<3>
    """

    def __init__(self, symbols: RuntimeSymbols):
        self.symbols = symbols

    def convert(self, op: nvgpu.MBarrierCreateOp, rewriter: ConversionRewriter) -> None:
        rewriter.type(op.barrier.type)
        ty: Attribute = i64
        if isinstance(op.barrier.type, nvgpu.MBarrierGroupType):
            ty = LLVMArrayType(op.barrier.type.num_barriers, i64)
        storage = self.symbols.add_global(op, STORAGE, ty, space=nvvm.SHARED_SPACE, alignment=8)
        rewriter.replace(op, address_of(storage))


class ConvertTestWait(ConversionPattern[nvgpu.MBarrierTestWaitOp]):
    """
    Whether the phase of a token is complete.

        %done = nvgpu.mbarrier.test.wait %bar, %tok : !nvgpu.mbarrier, !nvgpu.token -> i1
        →
        %done = nvvm.mbarrier.test.wait.shared %bar, %tok : !llvm.ptr<3>, i64 -> i1
    """

    def convert(self, op: nvgpu.MBarrierTestWaitOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        state = get_token(rewriter, op.token, i64)
        rewriter.replace(op, nvvm.MBarrierTestWaitSharedOp(barrier, state))


def populate_own_barriers(patterns: PatternSet, symbols: RuntimeSymbols) -> None:
    patterns.add(nvgpu.MBarrierCreateOp, ConvertCreate(symbols))
    nocomplete = BarrierOneToOne.to(nvvm.MBarrierArriveNocompleteSharedOp)
    patterns.add(nvgpu.MBarrierArriveNocompleteOp, nocomplete)
    patterns.add(nvgpu.MBarrierTestWaitOp, ConvertTestWait())
