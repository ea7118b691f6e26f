"""Ops that `nvvm` has under another name, with the same operands and properties."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    OpT,
    PatternSet,
)

from .types import get_barrier

TOKENS = (nvgpu.TokenType, nvgpu.MBarrierTokenType, nvgpu.DeviceAsyncTokenType)


class OneToOne(ConversionPattern[OpT]):
    """
    All that the op says means the same.

        %d = nvgpu.warpgroup.mma.async %a, %b, %c {…} : i64, i64, vector<4xf32>
        →
        %d = nvvm.wgmma.mma_async %a, %b, %c {…} : i64, i64, vector<4xf32>
    """

    op_class: ClassVar[type[Operation]]

    def convert(self, op: OpT, rewriter: ConversionRewriter) -> None:
        new = self.op_class.create(
            operands=self.get_operands(op, rewriter),
            # The token of an arrival is the state of the barrier.
            result_types=[i64 if isinstance(t, TOKENS) else t for t in op.result_types],
            properties=op.properties.copy(),
        )
        rewriter.replace(op, new)

    def get_operands(self, op: OpT, rewriter: ConversionRewriter) -> list[SSAValue]:
        """The operands of the new op."""
        return rewriter.values(op.operands)


class BarrierOneToOne(OneToOne[OpT]):
    """
    The same of an op on a barrier in shared memory, which is its address.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
        →
        %tok = nvvm.mbarrier.arrive.shared %bar : !llvm.ptr<3> -> i64
    """

    def get_operands(self, op: OpT, rewriter: ConversionRewriter) -> list[SSAValue]:
        barrier, *others = op.operands
        return [get_barrier(rewriter, barrier, 0), *rewriter.values(others)]


class ConvertInit(BarrierOneToOne[nvgpu.MBarrierInitOp]):
    """Sets a barrier up."""

    op_class = nvvm.MBarrierInitSharedOp


class ConvertArrive(BarrierOneToOne[nvgpu.MBarrierArriveOp]):
    """Arrives; the token is the state of the barrier."""

    op_class = nvvm.MBarrierArriveSharedOp


class ConvertArriveExpectTx(BarrierOneToOne[nvgpu.MBarrierArriveExpectTxOp]):
    """Arrives, and expects bytes."""

    op_class = nvvm.MBarrierArriveExpectTxSharedOp


class ConvertTryWaitParity(BarrierOneToOne[nvgpu.MBarrierTryWaitParityOp]):
    """Waits for the phase of a parity, which stays an `i1`."""

    op_class = nvvm.MBarrierTryWaitParitySharedOp


class ConvertInitFence(OneToOne[nvgpu.MBarrierInitFenceOp]):
    """Shows new barriers to others."""

    op_class = nvvm.FenceMBarrierInitOp


class ConvertFenceProxy(OneToOne[nvgpu.FenceProxyOp]):
    """Orders ordinary accesses with those of a proxy."""

    op_class = nvvm.FenceProxyOp


class ConvertCommitGroup(OneToOne[nvgpu.TmaCommitGroupOp]):
    """A group of all stores so far."""

    op_class = nvvm.CpAsyncBulkCommitGroupOp


class ConvertWaitGroup(OneToOne[nvgpu.TmaWaitGroupOp]):
    """Waits for groups of stores."""

    op_class = nvvm.CpAsyncBulkWaitGroupOp


class ConvertPrefetchDescriptor(OneToOne[nvgpu.TmaPrefetchDescriptorOp]):
    """Brings a tensor map into the cache."""

    op_class = nvvm.PrefetchTensorMapOp


class ConvertPublishDescriptor(OneToOne[nvgpu.TmaPublishDescriptorOp]):
    """Copies a tensor map to global memory."""

    op_class = nvvm.TensorMapCpFenceProxyOp


class ConvertProductFence(OneToOne[nvgpu.WarpgroupFenceOp]):
    """Begins a group of products."""

    op_class = nvvm.WgmmaFenceAlignedOp


class ConvertMmaAsync(OneToOne[nvgpu.WarpgroupMmaAsyncOp]):
    """A product of a group."""

    op_class = nvvm.WgmmaMmaAsyncOp


class ConvertProductCommit(OneToOne[nvgpu.WarpgroupCommitOp]):
    """Ends a group of products."""

    op_class = nvvm.WgmmaCommitGroupOp


def populate_one_to_one(patterns: PatternSet) -> None:
    patterns.add(nvgpu.MBarrierInitOp, ConvertInit())
    patterns.add(nvgpu.MBarrierArriveOp, ConvertArrive())
    patterns.add(nvgpu.MBarrierArriveExpectTxOp, ConvertArriveExpectTx())
    patterns.add(nvgpu.MBarrierTryWaitParityOp, ConvertTryWaitParity())
    patterns.add(nvgpu.MBarrierInitFenceOp, ConvertInitFence())
    patterns.add(nvgpu.FenceProxyOp, ConvertFenceProxy())
    patterns.add(nvgpu.TmaCommitGroupOp, ConvertCommitGroup())
    patterns.add(nvgpu.TmaWaitGroupOp, ConvertWaitGroup())
    patterns.add(nvgpu.TmaPrefetchDescriptorOp, ConvertPrefetchDescriptor())
    patterns.add(nvgpu.TmaPublishDescriptorOp, ConvertPublishDescriptor())
    patterns.add(nvgpu.WarpgroupFenceOp, ConvertProductFence())
    patterns.add(nvgpu.WarpgroupMmaAsyncOp, ConvertMmaAsync())
    patterns.add(nvgpu.WarpgroupCommitOp, ConvertProductCommit())
