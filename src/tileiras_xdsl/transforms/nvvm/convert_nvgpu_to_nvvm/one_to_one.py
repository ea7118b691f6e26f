"""Ops that `nvvm` has under another name, with the same operands and properties."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .types import get_barrier

TOKENS = (nvgpu.TokenType, nvgpu.MBarrierTokenType, nvgpu.DeviceAsyncTokenType)


class ConvertToSameNvvmOp(ConversionPattern[Operation]):
    """
    All that the op says means the same.

        %d = nvgpu.warpgroup.mma.async %a, %b, %c {…} : i64, i64, vector<4xf32>
        →
        %d = nvvm.wgmma.mma_async %a, %b, %c {…} : i64, i64, vector<4xf32>
    """

    op_class: ClassVar[type[Operation]]

    @classmethod
    @cache
    def to(cls, op_class: type[Operation]) -> ConvertToSameNvvmOp:
        """The pattern, of a class of its own, that makes these ops."""
        derived = type(f"ConvertTo{op_class.__name__}", (cls,), {"op_class": op_class})
        return cast(ConvertToSameNvvmOp, derived())

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = self.op_class.create(
            operands=self.get_operands(op, rewriter),
            # The token of an arrival is the state of the barrier.
            result_types=[i64 if isinstance(t, TOKENS) else t for t in op.result_types],
            properties=op.properties.copy(),
        )
        rewriter.replace(op, new)

    def get_operands(self, op: Operation, rewriter: ConversionRewriter) -> list[SSAValue]:
        """The operands of the new op."""
        return rewriter.values(op.operands)


class BarrierOneToOne(ConvertToSameNvvmOp):
    """
    The same of an op on a barrier in shared memory, which is its address.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
        →
        %tok = nvvm.mbarrier.arrive.shared %bar : !llvm.ptr<3> -> i64
    """

    def get_operands(self, op: Operation, rewriter: ConversionRewriter) -> list[SSAValue]:
        barrier, *others = op.operands
        return [get_barrier(rewriter, barrier, 0), *rewriter.values(others)]


BARRIER_OPS: dict[type[Operation], type[Operation]] = {
    nvgpu.MBarrierInitOp: nvvm.MBarrierInitSharedOp,
    nvgpu.MBarrierArriveOp: nvvm.MBarrierArriveSharedOp,
    nvgpu.MBarrierArriveExpectTxOp: nvvm.MBarrierArriveExpectTxSharedOp,
    nvgpu.MBarrierTryWaitParityOp: nvvm.MBarrierTryWaitParitySharedOp,
    nvgpu.Tcgen05CommitOp: nvvm.Tcgen05CommitOp,
}
OTHER_OPS: dict[type[Operation], type[Operation]] = {
    nvgpu.MBarrierInitFenceOp: nvvm.FenceMBarrierInitOp,
    nvgpu.FenceProxyOp: nvvm.FenceProxyOp,
    nvgpu.TmaCommitGroupOp: nvvm.CpAsyncBulkCommitGroupOp,
    nvgpu.TmaWaitGroupOp: nvvm.CpAsyncBulkWaitGroupOp,
    nvgpu.TmaPrefetchDescriptorOp: nvvm.PrefetchTensorMapOp,
    nvgpu.TmaPublishDescriptorOp: nvvm.TensorMapCpFenceProxyOp,
    nvgpu.WarpgroupFenceOp: nvvm.WgmmaFenceAlignedOp,
    nvgpu.WarpgroupMmaAsyncOp: nvvm.WgmmaMmaAsyncOp,
    nvgpu.WarpgroupCommitOp: nvvm.WgmmaCommitGroupOp,
    nvgpu.Tcgen05RelinquishAllocPermitOp: nvvm.Tcgen05RelinquishAllocPermitOp,
    nvgpu.Tcgen05FenceOp: nvvm.Tcgen05FenceOp,
    nvgpu.Tcgen05WaitOp: nvvm.Tcgen05WaitOp,
    nvgpu.Tcgen05LdOp: nvvm.Tcgen05LdOp,
    nvgpu.Tcgen05LdRedOp: nvvm.Tcgen05LdRedOp,
    nvgpu.Tcgen05StOp: nvvm.Tcgen05StOp,
    nvgpu.Tcgen05CpOp: nvvm.Tcgen05CpOp,
    nvgpu.Tcgen05ShiftOp: nvvm.Tcgen05ShiftOp,
}


def populate_one_to_one(patterns: PatternSet) -> None:
    for source, target in BARRIER_OPS.items():
        patterns.add(source, BarrierOneToOne.to(target))
    for source, target in OTHER_OPS.items():
        patterns.add(source, ConvertToSameNvvmOp.to(target))
