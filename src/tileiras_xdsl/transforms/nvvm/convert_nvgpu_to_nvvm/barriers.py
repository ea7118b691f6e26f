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


class ConvertArriveRemote(ConversionPattern[nvgpu.MBarrierArriveRemoteOp]):
    """
    Maps the address to the other CTA, and arrives there.

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


def populate_barriers(patterns: PatternSet) -> None:
    patterns.add(nvgpu.MBarrierAtOp, ConvertAt())
    patterns.add(nvgpu.MBarrierArriveRemoteOp, ConvertArriveRemote())
