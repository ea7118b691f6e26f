"""Where a thread is: queries become reads of special registers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.gpu import DimensionAttr
from xdsl.irdl import IRDLOperation

from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.nvvm import read_register
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

DIMENSION_REGISTERS: dict[type[gpu.DimensionQueryOp], str] = {
    gpu.ThreadIdOp: "tid",
    gpu.BlockIdOp: "ctaid",
    gpu.BlockDimOp: "ntid",
    gpu.GridDimOp: "nctaid",
    gpu.ClusterIdOp: "clusterid",
    gpu.ClusterDimOp: "nclusterid",
    gpu.ClusterBlockIdOp: "cluster.ctaid",
    gpu.ClusterDimBlocksOp: "cluster.nctaid",
}
"""Registers of queries in one dimension; `.x`, `.y` or `.z` follows."""

REGISTERS: dict[type[gpu.QueryOp], str] = {
    gpu.SubgroupSizeOp: "warpsize",
    gpu.LaneIdOp: "laneid",
}


@dataclass(frozen=True)
class ConvertQuery(ConversionPattern[IRDLOperation]):
    """
    A query about the thread, often in one dimension.

        %i = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
        →
        %r = nvvm.read.ptx.sreg.tid.x : i32
        %i = arith.index_cast %r : i32 to index
    """

    register: str

    def convert(self, op: IRDLOperation, rewriter: ConversionRewriter) -> None:
        dimension = op.properties.get("dimension")
        axis = f".{dimension.data.value}" if isinstance(dimension, DimensionAttr) else ""
        read = read_register(f"{self.register}{axis}")
        rewriter.replace(op, read, arith.IndexCastOp(read, IndexType()))


class ConvertGlobalId(ConversionPattern[gpu.GlobalIdOp]):
    """
    `ctaid * ntid + tid` in one dimension.

        %i = "gpu.global_id"() {dimension = #gpu<dim x>} : () -> index
        →
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %n = nvvm.read.ptx.sreg.ntid.x : i32
        %t = nvvm.read.ptx.sreg.tid.x : i32
        … each cast to index, then arith.muli and arith.addi
    """

    def convert(self, op: gpu.GlobalIdOp, rewriter: ConversionRewriter) -> None:
        axis = op.dimension.data.value
        casts: list[arith.IndexCastOp] = []
        for register in ("ctaid", "ntid", "tid"):
            read = rewriter.insert(read_register(f"{register}.{axis}"))
            casts.append(rewriter.insert(arith.IndexCastOp(read, IndexType())))
        block, size, thread = casts
        first = arith.MuliOp(block, size)
        rewriter.replace(op, first, arith.AddiOp(first, thread))


@dataclass(frozen=True)
class ConvertSubgroupCount(ConversionPattern[IRDLOperation]):
    """
    The warps of a CTA, or the warp index of the thread, from the linear thread index.

        %i = "gpu.num_subgroups"() : () -> index
        →
        … the product of nvvm.read.ptx.sreg.ntid.{x,y,z}, plus 31, divided by 32
    """

    counts: bool

    def convert(self, op: IRDLOperation, rewriter: ConversionRewriter) -> None:
        from .warps import get_linear_thread, get_thread_count, get_warp

        if self.counts:
            value = get_warp(rewriter, get_thread_count(rewriter), round_up=True)
        else:
            value = get_warp(rewriter, get_linear_thread(rewriter))
        rewriter.replace(op, arith.IndexCastOp(value, IndexType()))


def populate_queries(patterns: PatternSet) -> None:
    for op, register in (*DIMENSION_REGISTERS.items(), *REGISTERS.items()):
        patterns.add(op, ConvertQuery(register))
    patterns.add(gpu.GlobalIdOp, ConvertGlobalId())
    patterns.add(gpu.NumSubgroupsOp, ConvertSubgroupCount(counts=True))
    patterns.add(gpu.SubgroupIdOp, ConvertSubgroupCount(counts=False))
