"""Ops of `nvvm`: asynchronous copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.ir import SSAValue

from tileiras_xdsl.backend.guard import CTA_GROUP, GATHER4, SCATTER4, SM_90, SM_100
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm import CacheModifier, LoadMode

from .types import pointer, space_of
from .writer import NVVM, LlvmFunctionWriter, Table, fail, handles

COPY_OPS: Final[Table] = {}

GLOBAL: Final = pointer(1)
SHARED: Final = pointer(3)
CLUSTER: Final = pointer(7)
COPY_SIZES: Final = (4, 8, 16)
PEER_BIT: Final = 1 << 24
"""The lowest bit of the CTA's rank in an address of shared memory, by which pairs differ."""

Arguments = list[tuple[str, str]]

# Elements


@handles(COPY_OPS, nvvm.CpAsyncSharedGlobalOp)
def _cp_async(writer: LlvmFunctionWriter, op: nvvm.CpAsyncSharedGlobalOp) -> None:
    size = writer.constant(op, op.size, "the size")
    if size not in COPY_SIZES:
        fail(op, f"'{op.name}' copies 4, 8 or 16 bytes, not {size}")
    modifier = CacheModifier.CA if op.modifier is None else op.modifier.data
    if modifier is CacheModifier.CG and size != 16:
        fail(op, f"modifier 'cg' is for copies of 16 bytes, not {size}")
    name = f"{NVVM}cp.async.{modifier.value}.shared.global.{size}"
    arguments = [(SHARED, writer.scalar(op.dst)), (GLOBAL, writer.scalar(op.src))]
    if op.src_size is not None:
        name += ".s"
        arguments.append(("i32", writer.scalar(op.src_size)))
    writer.call(name, "void", arguments)


@handles(COPY_OPS, nvvm.CpAsyncWaitGroupOp)
def _cp_async_wait(writer: LlvmFunctionWriter, op: nvvm.CpAsyncWaitGroupOp) -> None:
    arguments = [("i32", str(op.groups.value.data))]
    writer.call(f"{NVVM}cp.async.wait.group", "void", arguments)


@handles(COPY_OPS, nvvm.CpAsyncMBarrierArriveSharedOp)
def _cp_async_arrive(writer: LlvmFunctionWriter, op: nvvm.CpAsyncMBarrierArriveSharedOp) -> None:
    noinc = op.noinc is not None and bool(op.noinc.value.data)
    name = f"{NVVM}cp.async.mbarrier.arrive{'.noinc' if noinc else ''}.shared"
    writer.call(name, "void", [(SHARED, writer.scalar(op.address))])


# TMA


def _coordinates(writer: LlvmFunctionWriter, values: Sequence[SSAValue]) -> Arguments:
    return [("i32", writer.scalar(value)) for value in values]


def _flag(value: object | None) -> tuple[str, str]:
    return "i1", "0" if value is None else "1"


def _or_zero(writer: LlvmFunctionWriter, ty: str, value: SSAValue | None) -> tuple[str, str]:
    return ty, "0" if value is None else writer.scalar(value)


@handles(COPY_OPS, *nvvm.BULK_TENSOR_LOADS.values(), needs=SM_90)
def _tensor_load(writer: LlvmFunctionWriter, op: nvvm.BulkTensorLoadOp) -> None:
    if op.mode is not None and op.mode.data is not LoadMode.TILE:
        fail(op, f"'{op.name}' has no mode '{op.mode.data.value}', only 'tile'")
    if (
        op.multicast_mask is None
        and op.group is None
        and space_of(op.dst.type) == nvvm.SHARED_SPACE
        and writer.module.target.machine.has("tma.cta")
    ):
        # In the form for clusters, ptxas compares CTAs, and calls a function for others.
        own: Arguments = [
            (SHARED, writer.scalar(op.dst)),
            (SHARED, writer.scalar(op.barrier)),
            ("ptr", writer.generic(op.tensor_map)),
            *_coordinates(writer, op.coordinates),
            *_hint(writer, op.cache_hint),
        ]
        writer.call(f"{NVVM}cp.async.bulk.tensor.g2s.cta.tile.{op.RANK}d", "void", own)
        return
    _load(writer, op, f"tile.{op.RANK}d")


def _own_address(writer: LlvmFunctionWriter, value: SSAValue) -> str:
    """
    An address in shared memory of a CTA as one of its cluster, whose window has that of the CTA at
    the same addresses. LLVM would convert it, and read a special register for that.
    """
    number = writer.define(f"ptrtoint {writer.typed(value)} to i64")
    return writer.define(f"inttoptr i64 {number} to {CLUSTER}")


def _load(writer: LlvmFunctionWriter, op: nvvm.BulkTensorLoadOp, name: str) -> None:
    """A TMA load into shared memory of the cluster."""
    if op.group is not None:
        writer.require(op, CTA_GROUP, f"cta_group::{op.group.data.ctas}")
    arguments: Arguments = [
        (CLUSTER, _own_address(writer, op.dst)),
        (SHARED, _leader(writer, op)),
        ("ptr", writer.generic(op.tensor_map)),
        *_coordinates(writer, op.coordinates),
        _or_zero(writer, "i16", op.multicast_mask),
        _or_zero(writer, "i64", op.cache_hint),
        _flag(op.multicast_mask),
        _flag(op.cache_hint),
        ("i32", "0" if op.group is None else str(op.group.data.ctas)),
    ]
    writer.call(f"{NVVM}cp.async.bulk.tensor.g2s.{name}", "void", arguments)


def _leader(writer: LlvmFunctionWriter, op: nvvm.BulkTensorLoadOp) -> str:
    """The mbarrier of a load: its own, or the one at the same offset in the pair's even CTA."""
    barrier = writer.scalar(op.barrier)
    if op.leader_barrier is None:
        return barrier
    address = writer.define(f"ptrtoint {SHARED} {barrier} to i32")
    even = writer.define(f"and i32 {address}, {~PEER_BIT}")
    return writer.define(f"inttoptr i32 {even} to {SHARED}")


@handles(COPY_OPS, nvvm.BulkTensorGather4Op, needs=SM_90)
def _gather4(writer: LlvmFunctionWriter, op: nvvm.BulkTensorGather4Op) -> None:
    if writer.module.target.meets(GATHER4):
        _load(writer, op, "tile.gather4.2d")
        return
    # Others have it for the shared memory of a CTA.
    writer.require(op, SM_100)
    if op.multicast_mask is not None or op.group is not None:
        writer.require(op, GATHER4, "tile::gather4 to shared memory of a cluster")
    arguments: Arguments = [
        (SHARED, writer.scalar(op.dst)),
        (SHARED, writer.scalar(op.barrier)),
        ("ptr", writer.generic(op.tensor_map)),
        *_coordinates(writer, op.coordinates),
        *_hint(writer, op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.tensor.g2s.cta.tile.gather4.2d", "void", arguments)


@handles(COPY_OPS, nvvm.BulkTensorScatter4Op, needs=SCATTER4)
def _scatter4(writer: LlvmFunctionWriter, op: nvvm.BulkTensorScatter4Op) -> None:
    arguments: Arguments = [
        (SHARED, writer.scalar(op.src)),
        ("ptr", writer.generic(op.tensor_map)),
        *_coordinates(writer, op.coordinates),
        *_hint(writer, op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.tensor.s2g.tile.scatter4.2d", "void", arguments)


def _hint(writer: LlvmFunctionWriter, hint: SSAValue | None) -> Arguments:
    return [_or_zero(writer, "i64", hint), _flag(hint)]


def _tma_copy(
    writer: LlvmFunctionWriter,
    op: nvvm.BulkTensorStoreOp | nvvm.BulkTensorReduceOp | nvvm.BulkTensorPrefetchOp,
    name: str,
    source: Arguments,
) -> None:
    """A TMA op that does not complete on an mbarrier."""
    writer.require(op, SM_90)
    arguments: Arguments = [
        *source,
        ("ptr", writer.generic(op.tensor_map)),
        *_coordinates(writer, op.coordinates),
        *_hint(writer, op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.tensor.{name}.tile.{len(op.coordinates)}d", "void", arguments)


@handles(COPY_OPS, *nvvm.BULK_TENSOR_STORES.values())
def _tensor_store(writer: LlvmFunctionWriter, op: nvvm.BulkTensorStoreOp) -> None:
    _tma_copy(writer, op, "s2g", [(SHARED, writer.scalar(op.src))])


@handles(COPY_OPS, nvvm.BulkTensorReduceOp)
def _tensor_reduce(writer: LlvmFunctionWriter, op: nvvm.BulkTensorReduceOp) -> None:
    source = [(SHARED, writer.scalar(op.src))]
    _tma_copy(writer, op, f"reduce.{op.red_op.data.value}", source)


@handles(COPY_OPS, nvvm.BulkTensorPrefetchOp)
def _tensor_prefetch(writer: LlvmFunctionWriter, op: nvvm.BulkTensorPrefetchOp) -> None:
    _tma_copy(writer, op, "prefetch", [])


@handles(COPY_OPS, nvvm.PrefetchTensorMapOp, needs=SM_90)
def _prefetch_map(writer: LlvmFunctionWriter, op: nvvm.PrefetchTensorMapOp) -> None:
    arguments: Arguments = [("ptr", writer.generic(op.address))]
    writer.call(f"{NVVM}prefetch.tensormap.p0", "void", arguments)


# Bytes


@handles(COPY_OPS, nvvm.BulkLoadOp, needs=SM_90)
def _bulk_load(writer: LlvmFunctionWriter, op: nvvm.BulkLoadOp) -> None:
    dst, src, barrier, size = op.slots[:4]
    arguments: Arguments = [
        (CLUSTER, writer.in_space(dst, 7)),
        (SHARED, writer.scalar(barrier)),
        (GLOBAL, writer.scalar(src)),
        ("i32", writer.scalar(size)),
        _or_zero(writer, "i16", op.multicast_mask),
        _or_zero(writer, "i64", op.cache_hint),
        _flag(op.multicast_mask),
        _flag(op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.global.to.shared.cluster", "void", arguments)


@handles(COPY_OPS, nvvm.BulkStoreOp, needs=SM_90)
def _bulk_store(writer: LlvmFunctionWriter, op: nvvm.BulkStoreOp) -> None:
    dst, src, size = op.slots[:3]
    arguments: Arguments = [
        (GLOBAL, writer.scalar(dst)),
        (SHARED, writer.scalar(src)),
        ("i32", writer.scalar(size)),
        *_hint(writer, op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.shared.cta.to.global", "void", arguments)


@handles(COPY_OPS, nvvm.CpAsyncBulkWaitGroupOp, needs=SM_90)
def _bulk_wait(writer: LlvmFunctionWriter, op: nvvm.CpAsyncBulkWaitGroupOp) -> None:
    name = f"{NVVM}cp.async.bulk.wait.group{'' if op.read is None else '.read'}"
    writer.call(name, "void", [("i32", str(op.groups.value.data))])
