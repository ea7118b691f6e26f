"""Barriers in shared memory."""

from __future__ import annotations

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .types import get_barrier


class ConvertAt(ConversionPattern[nvgpu.MBarrierAtOp]):
    """
    A barrier is its address.

        %bar = nvgpu.mbarrier.at %p : !llvm.ptr<3> -> !nvgpu.mbarrier
        →
        %p
    """

    def convert(self, op: nvgpu.MBarrierAtOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, rewriter.value(op.address))


class ConvertInit(ConversionPattern[nvgpu.MBarrierInitOp]):
    """
    Sets a barrier up.

        nvgpu.mbarrier.init %bar, %count : !nvgpu.mbarrier, i32
        →
        nvvm.mbarrier.init.shared %bar, %count : !llvm.ptr<3>, i32
    """

    def convert(self, op: nvgpu.MBarrierInitOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        rewriter.replace(op, nvvm.MBarrierInitSharedOp(barrier, rewriter.value(op.count)))


class ConvertInitFence(ConversionPattern[nvgpu.MBarrierInitFenceOp]):
    """
    Shows new barriers to others.

        nvgpu.mbarrier.init.fence
        →
        nvvm.fence.mbarrier.init
    """

    def convert(self, op: nvgpu.MBarrierInitFenceOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.FenceMBarrierInitOp())


class ConvertArrive(ConversionPattern[nvgpu.MBarrierArriveOp]):
    """
    Arrives; the token is the state of the barrier.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
        →
        %tok = nvvm.mbarrier.arrive.shared %bar : !llvm.ptr<3> -> i64
    """

    def convert(self, op: nvgpu.MBarrierArriveOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        rewriter.replace(op, nvvm.MBarrierArriveSharedOp(barrier))


class ConvertArriveExpectTx(ConversionPattern[nvgpu.MBarrierArriveExpectTxOp]):
    """
    Arrives, and expects bytes.

        nvgpu.mbarrier.arrive.expect_tx %bar, %tx : !nvgpu.mbarrier, i32
        →
        nvvm.mbarrier.arrive.expect_tx.shared %bar, %tx : !llvm.ptr<3>, i32
    """

    def convert(self, op: nvgpu.MBarrierArriveExpectTxOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        count = rewriter.value(op.tx_count)
        rewriter.replace(op, nvvm.MBarrierArriveExpectTxSharedOp(barrier, count))


class ConvertArriveRemote(ConversionPattern[nvgpu.MBarrierArriveRemoteOp]):
    """
    Finds the barrier in the other block, and arrives there.

        nvgpu.mbarrier.arrive.remote %bar, %rank, %count {scope = #nvvm.mem_scope<cluster>}
            : !nvgpu.mbarrier, i32, i32
        →
        %there = nvvm.mapa %bar, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
        nvvm.mbarrier.arrive.shared.cluster %there, %count {scope = #nvvm.mem_scope<cluster>}
            : !llvm.ptr<7>, i32
    """

    def convert(self, op: nvgpu.MBarrierArriveRemoteOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        there = rewriter.insert(nvvm.MapaOp(barrier, rewriter.value(op.rank))).result
        arrive = nvvm.MBarrierArriveClusterOp(
            there,
            rewriter.value(op.count),
            scope=None if op.scope is None else op.scope.data,
            relaxed=op.relaxed is not None,
        )
        rewriter.replace(op, arrive)


class ConvertTryWaitParity(ConversionPattern[nvgpu.MBarrierTryWaitParityOp]):
    """
    Waits for the phase of a parity, which stays an `i1`.

        %t = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
        →
        %t = nvvm.mbarrier.try_wait.parity.shared %bar, %phase, %ticks
            : !llvm.ptr<3>, i1, i32 -> i1
    """

    def convert(self, op: nvgpu.MBarrierTryWaitParityOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        phase, ticks = rewriter.value(op.phase), rewriter.value(op.ticks)
        scope = None if op.scope is None else op.scope.data
        wait = nvvm.MBarrierTryWaitParitySharedOp(barrier, phase, ticks, scope=scope)
        rewriter.replace(op, wait)


class ConvertFenceProxy(ConversionPattern[nvgpu.FenceProxyOp]):
    """
    Orders ordinary accesses with those of a proxy.

        nvgpu.fence.proxy {kind = #nvvm.proxy_kind<async>}
        →
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    """

    def convert(self, op: nvgpu.FenceProxyOp, rewriter: ConversionRewriter) -> None:
        space = None if op.space is None else op.space.data
        rewriter.replace(op, nvvm.FenceProxyOp(op.kind.data, space))


def populate_barriers(patterns: PatternSet) -> None:
    patterns.add(nvgpu.MBarrierAtOp, ConvertAt())
    patterns.add(nvgpu.MBarrierInitOp, ConvertInit())
    patterns.add(nvgpu.MBarrierInitFenceOp, ConvertInitFence())
    patterns.add(nvgpu.MBarrierArriveOp, ConvertArrive())
    patterns.add(nvgpu.MBarrierArriveExpectTxOp, ConvertArriveExpectTx())
    patterns.add(nvgpu.MBarrierArriveRemoteOp, ConvertArriveRemote())
    patterns.add(nvgpu.MBarrierTryWaitParityOp, ConvertTryWaitParity())
    patterns.add(nvgpu.FenceProxyOp, ConvertFenceProxy())
