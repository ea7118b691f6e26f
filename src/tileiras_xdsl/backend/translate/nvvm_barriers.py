"""Ops of `nvvm`: barriers and fences."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.backend.guard import SM_90
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.definitions import EnumAttr
from tileiras_xdsl.dialects.nvvm import (
    BarrierReduction,
    MemScope,
    ProxyKind,
    SharedSpace,
)
from tileiras_xdsl.dialects.nvvm.barriers import ClusterBarrierOp
from tileiras_xdsl.targets.tma import MAP_BYTES

from .types import pointer
from .writer import NVVM, LlvmFunctionWriter, Table, fail, handles

BARRIER_OPS: Final[Table] = {}

SHARED: Final = pointer(3)
CLUSTER: Final = pointer(7)
SYNCSCOPES: Final = {
    MemScope.CTA: 'syncscope("block") ',
    MemScope.CLUSTER: 'syncscope("cluster") ',
    MemScope.GPU: 'syncscope("device") ',
    MemScope.SYS: "",
}

# Threads


@handles(BARRIER_OPS, nvvm.Barrier0Op)
def _barrier0(writer: LlvmFunctionWriter, op: nvvm.Barrier0Op) -> None:
    writer.call(f"{NVVM}barrier.cta.sync.aligned.all", "void", [("i32", "0")])


@handles(BARRIER_OPS, nvvm.BarrierOp)
def _barrier(writer: LlvmFunctionWriter, op: nvvm.BarrierOp) -> None:
    aligned = ".aligned" if op.unaligned is None else ""
    scope = "all" if op.thread_count is None else "count"
    arguments = [("i32", "0" if op.id is None else writer.scalar(op.id))]
    if op.thread_count is not None:
        arguments.append(("i32", writer.scalar(op.thread_count)))
    if op.reduction is None or op.predicate is None or op.result is None:
        writer.call(f"{NVVM}barrier.cta.sync{aligned}.{scope}", "void", arguments)
        return
    arguments.append(("i1", writer.scalar(op.predicate)))
    ty = "i32" if op.reduction.data is BarrierReduction.POPC else "i1"
    name = f"{NVVM}barrier.cta.red.{op.reduction.data.value}{aligned}.{scope}"
    writer.set(op.result, writer.call(name, ty, arguments))


@handles(BARRIER_OPS, nvvm.BarrierArriveOp)
def _barrier_arrive(writer: LlvmFunctionWriter, op: nvvm.BarrierArriveOp) -> None:
    aligned = ".aligned" if op.unaligned is None else ""
    arguments = [("i32", writer.scalar(each)) for each in (op.id, op.thread_count)]
    writer.call(f"{NVVM}barrier.cta.arrive{aligned}.count", "void", arguments)


@handles(
    BARRIER_OPS, nvvm.ClusterArriveOp, nvvm.ClusterArriveRelaxedOp, nvvm.ClusterWaitOp, needs=SM_90
)
def _cluster(writer: LlvmFunctionWriter, op: ClusterBarrierOp) -> None:
    word = op.name.removeprefix("nvvm.cluster.")
    aligned = "" if op.aligned is None else ".aligned"
    writer.call(f"{NVVM}barrier.cluster.{word}{aligned}", "void", [])


# Barriers in shared memory


@handles(BARRIER_OPS, nvvm.MBarrierArriveExpectTxSharedOp, needs=SM_90)
def _mbarrier_arrive_expect(
    writer: LlvmFunctionWriter, op: nvvm.MBarrierArriveExpectTxSharedOp
) -> None:
    arguments = [(SHARED, writer.scalar(op.address)), ("i32", writer.scalar(op.tx_count))]
    writer.call(f"{NVVM}mbarrier.arrive.expect.tx.scope.cta.space.cta", "i64", arguments)


def _barrier_scope(op: Operation, scope: EnumAttr[MemScope] | None) -> MemScope:
    """The scope of an op on an mbarrier: the CTA, or its cluster."""
    found = MemScope.CTA if scope is None else scope.data
    if found not in (MemScope.CTA, MemScope.CLUSTER):
        fail(op, f"the order of barriers is for cta or cluster, not {found.value}")
    return found


@handles(BARRIER_OPS, nvvm.MBarrierArriveClusterOp, needs=SM_90)
def _mbarrier_arrive_cluster(writer: LlvmFunctionWriter, op: nvvm.MBarrierArriveClusterOp) -> None:
    scope = _barrier_scope(op, op.scope)
    relaxed = "" if op.relaxed is None else "relaxed."
    arguments = [(CLUSTER, writer.scalar(op.address)), ("i32", writer.scalar(op.count))]
    name = f"{NVVM}mbarrier.arrive.{relaxed}scope.{scope.value}.space.cluster"
    writer.call(name, "void", arguments)


@handles(BARRIER_OPS, nvvm.MBarrierTestWaitParitySharedOp)
def _mbarrier_test_parity(
    writer: LlvmFunctionWriter, op: nvvm.MBarrierTestWaitParitySharedOp
) -> None:
    parity = writer.widen(op.phase)
    if writer.module.target.meets(SM_90):
        name = f"{NVVM}mbarrier.test.wait.parity.scope.cta.space.cta"
        arguments = [(SHARED, writer.scalar(op.address)), ("i32", parity)]
        writer.set(op.done, writer.call(name, "i1", arguments))
        return
    (text,) = writer.assembly(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }",
        [("r", "i32")],
        [writer.address(op.address), ("r", "i32", parity)],
        clobbers_memory=True,
    )
    writer.set(op.done, writer.define(f"trunc i32 {text} to i1"))


@handles(BARRIER_OPS, nvvm.MBarrierTryWaitParitySharedOp, needs=SM_90)
def _mbarrier_try_parity(
    writer: LlvmFunctionWriter, op: nvvm.MBarrierTryWaitParitySharedOp
) -> None:
    arguments = [(SHARED, writer.scalar(op.address)), ("i32", writer.widen(op.phase))]
    ticks = writer.scalar(op.ticks)
    limited = ""
    if ticks != "0":
        limited = ".tl"
        arguments.append(("i32", ticks))
    scope = _barrier_scope(op, op.scope)
    name = f"{NVVM}mbarrier.try.wait.parity{limited}.scope.{scope.value}.space.cta"
    writer.set(op.done, writer.call(name, "i1", arguments))


# Fences


@handles(BARRIER_OPS, nvvm.FenceAcqRelOp, nvvm.FenceScOp)
def _fence(writer: LlvmFunctionWriter, op: nvvm.FenceAcqRelOp | nvvm.FenceScOp) -> None:
    if op.scope.data is MemScope.CLUSTER:
        writer.require(op, SM_90)
    ordering = "acq_rel" if isinstance(op, nvvm.FenceAcqRelOp) else "seq_cst"
    writer.emit(f"fence {SYNCSCOPES[op.scope.data]}{ordering}")


@handles(BARRIER_OPS, nvvm.FenceProxyOp)
def _fence_proxy(writer: LlvmFunctionWriter, op: nvvm.FenceProxyOp) -> None:
    kind = op.kind.data
    if kind is ProxyKind.ALIAS:
        writer.assembly("fence.proxy.alias;", [], [], clobbers_memory=True)
        return
    writer.require(op, SM_90)
    suffix = {ProxyKind.ASYNC: "", ProxyKind.ASYNC_GLOBAL: ".global"}.get(kind)
    if suffix is None:
        is_cluster = op.space is not None and op.space.data is SharedSpace.CLUSTER
        suffix = ".shared_cluster" if is_cluster else ".shared_cta"
    writer.call(f"{NVVM}fence.proxy.async{suffix}", "void", [])


def _acquire(writer: LlvmFunctionWriter, scope: MemScope, address: str) -> None:
    arguments = [("ptr", address), ("i32", str(MAP_BYTES))]
    writer.call(f"{NVVM}fence.proxy.tensormap_generic.acquire.{scope.value}", "void", arguments)


@handles(BARRIER_OPS, nvvm.FenceProxyAcquireOp, needs=SM_90)
def _fence_acquire(writer: LlvmFunctionWriter, op: nvvm.FenceProxyAcquireOp) -> None:
    size = writer.constant(op, op.size, "the size")
    if size != MAP_BYTES:
        fail(op, f"the size of a tensor map is {MAP_BYTES}, not {size}")
    _acquire(writer, op.scope.data, writer.generic(op.address))


@handles(BARRIER_OPS, nvvm.FenceProxyReleaseOp, needs=SM_90)
def _fence_release(writer: LlvmFunctionWriter, op: nvvm.FenceProxyReleaseOp) -> None:
    name = f"{NVVM}fence.proxy.tensormap_generic.release.{op.scope.data.value}"
    writer.call(name, "void", [])


@handles(BARRIER_OPS, nvvm.FenceProxyAcquireSyncOp)
def _fence_acquire_sync(writer: LlvmFunctionWriter, op: nvvm.FenceProxyAcquireSyncOp) -> None:
    scope = MemScope.SYS if op.scope is None else op.scope.data
    if op.address is not None or scope is MemScope.CLUSTER:
        writer.require(op, SM_90)
    if op.address is None:
        # There is no map to acquire; what is left is the order of ordinary accesses.
        writer.emit(f"fence {SYNCSCOPES[scope]}acquire")
        return
    _acquire(writer, scope, writer.generic(op.address))


@handles(BARRIER_OPS, nvvm.TensorMapCpFenceProxyOp, needs=SM_90)
def _cp_fence(writer: LlvmFunctionWriter, op: nvvm.TensorMapCpFenceProxyOp) -> None:
    writer.assembly(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
        f"{op.scope.data.value}.sync.aligned [$0], [$1], {MAP_BYTES};",
        [],
        [writer.address(op.dst), writer.address(op.src)],
        clobbers_memory=True,
    )


@handles(BARRIER_OPS, nvvm.TensorMapReplaceOp, needs=SM_90)
def _replace_field(writer: LlvmFunctionWriter, op: nvvm.TensorMapReplaceOp) -> None:
    field = op.field.data
    arguments = [(SHARED, writer.scalar(op.map))]
    if op.ord is not None:
        arguments.append(("i32", str(op.ord.value.data)))
    if field.is_constant:
        arguments.append(("i32", str(writer.constant(op, op.value, "the value of the field"))))
    else:
        arguments.append(("i64" if field.is_wide else "i32", writer.scalar(op.value)))
    name = f"{NVVM}tensormap.replace.{field.value.replace('_', '.')}.p3"
    writer.call(name, "void", arguments)
