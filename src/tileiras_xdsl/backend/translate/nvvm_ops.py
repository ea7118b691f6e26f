"""Ops of `nvvm`: special registers, what lanes of a warp do together, barriers, fences, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, Final

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.backend.guard import (
    CTA_GROUP,
    FLOAT_REDUX,
    GATHER4,
    SCATTER4,
    SM_90,
    SM_90A,
    SM_100,
)
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.building import EnumAttr
from tileiras_xdsl.dialects.nvvm.warp import PREFIX, ClockRegisterOp
from tileiras_xdsl.targets.tma import MAP_BYTES

from .types import Register, pointer, scalar_type, space_of
from .writer import NVVM, LlvmFunctionWriter, calls, fail, translates

GLOBAL: Final = pointer(1)
SHARED: Final = pointer(3)
CLUSTER: Final = pointer(7)

Arguments = list[tuple[str, str]]

# Ops that are one intrinsic, of their operands and result as they are

calls(nvvm.Barrier0Op, "barrier.cta.sync.aligned.all", number=lambda _: 0)
calls(nvvm.BarSyncAlignedOp, "barrier.cta.sync.aligned.all")
calls(nvvm.BarWarpSyncOp, "bar.warp.sync")
calls(nvvm.BarrierArriveOp, lambda _, op: f"barrier.cta.arrive{_aligned(op)}.count")
for cluster_op in (nvvm.ClusterArriveOp, nvvm.ClusterArriveRelaxedOp, nvvm.ClusterWaitOp):
    calls(cluster_op, lambda _, op: _cluster_barrier(op), SM_90)
calls(nvvm.MBarrierInitSharedOp, "mbarrier.init.shared")
calls(nvvm.MBarrierInvalSharedOp, "mbarrier.inval.shared")
calls(nvvm.MBarrierArriveSharedOp, "mbarrier.arrive.shared")
calls(nvvm.MBarrierArriveNocompleteSharedOp, "mbarrier.arrive.noComplete.shared")
calls(nvvm.MBarrierTestWaitSharedOp, "mbarrier.test.wait.shared")
calls(nvvm.MBarrierExpectTxSharedOp, "mbarrier.expect.tx.scope.cta.space.cta", SM_90)
calls(
    nvvm.MBarrierArriveExpectTxClusterOp, "mbarrier.arrive.expect.tx.scope.cta.space.cluster", SM_90
)
calls(nvvm.MBarrierArriveClusterOp, lambda _, op: _remote_arrival(op), SM_90)
calls(nvvm.FenceMBarrierInitOp, "fence.mbarrier_init.release.cluster", SM_90)
calls(
    nvvm.FenceProxyReleaseOp,
    lambda _, op: f"fence.proxy.tensormap_generic.release.{op.scope.data.value}",
    SM_90,
)
calls(nvvm.CpAsyncCommitGroupOp, "cp.async.commit.group")
calls(nvvm.CpAsyncWaitAllOp, "cp.async.wait.all")
calls(nvvm.CpAsyncWaitGroupOp, "cp.async.wait.group", number=lambda op: op.groups.value.data)
calls(nvvm.CpAsyncMBarrierArriveSharedOp, lambda _, op: _copy_arrival(op))
calls(nvvm.CpAsyncBulkCommitGroupOp, "cp.async.bulk.commit.group", SM_90)
calls(
    nvvm.CpAsyncBulkWaitGroupOp,
    lambda _, op: f"cp.async.bulk.wait.group{'' if op.read is None else '.read'}",
    SM_90,
    number=lambda op: op.groups.value.data,
)
calls(nvvm.WgmmaFenceAlignedOp, "wgmma.fence.sync.aligned", SM_90A)
calls(nvvm.WgmmaCommitGroupOp, "wgmma.commit_group.sync.aligned", SM_90A)
calls(nvvm.ActiveMaskOp, "activemask")
calls(nvvm.VoteSyncOp, lambda _, op: f"vote.{op.kind.data.value}.sync")
calls(nvvm.MapaOp, "mapa.shared.cluster", SM_90)
calls(nvvm.PrmtOp, "prmt")
calls(nvvm.NanosleepOp, "nanosleep")
calls(nvvm.GriddepcontrolWaitOp, "griddepcontrol.wait", SM_90)
calls(nvvm.GriddepcontrolLaunchDependentsOp, "griddepcontrol.launch.dependents", SM_90)


def _aligned(op: nvvm.BarrierOp | nvvm.BarrierArriveOp) -> str:
    return ".aligned" if op.unaligned is None else ""


def _cluster_barrier(op: Any) -> str:
    word = op.name.removeprefix("nvvm.cluster.")
    return f"barrier.cluster.{word}{'' if op.aligned is None else '.aligned'}"


def _copy_arrival(op: nvvm.CpAsyncMBarrierArriveSharedOp) -> str:
    noinc = op.noinc is not None and bool(op.noinc.value.data)
    return f"cp.async.mbarrier.arrive{'.noinc' if noinc else ''}.shared"


def _remote_arrival(op: nvvm.MBarrierArriveClusterOp) -> str:
    relaxed = "" if op.relaxed is None else "relaxed."
    return f"mbarrier.arrive.{relaxed}scope.{_barrier_scope(op, op.scope)}.space.cluster"


def _barrier_scope(op: Operation, scope: EnumAttr[nvvm.MemScope] | None) -> str:
    """The scope of an op on an mbarrier: the CTA, or its cluster."""
    found = nvvm.MemScope.CTA if scope is None else scope.data
    if found not in (nvvm.MemScope.CTA, nvvm.MemScope.CLUSTER):
        fail(op, f"the order of barriers is for cta or cluster, not {found.value}")
    return found.value


WITHOUT_INTRINSIC: Final = ("dynamic_smem_size", "total_smem_size", "globaltimer.lo")
"""Special registers that only inline assembly can read."""


@translates(*nvvm.SPECIAL_REGISTERS.values())
def _special_register(writer: LlvmFunctionWriter, op: nvvm.SpecialRegisterOp) -> None:
    register = op.name.removeprefix(PREFIX)
    if "cluster" in register:
        writer.require(op, SM_90)
    ty = scalar_type(op.result.type)
    if register in WITHOUT_INTRINSIC:
        instruction = f"mov.u32 $0, %{register.replace('.', '_')};"
        changes = isinstance(op, ClockRegisterOp)
        (text,) = writer.assembly(instruction, [("r", ty)], [], effects=changes)
    else:
        text = writer.call(f"{NVVM}read.ptx.sreg.{register}", ty, [])
    writer.set(op.result, text)


# Exchange


@translates(nvvm.ShflOp)
def _shfl(writer: LlvmFunctionWriter, op: nvvm.ShflOp) -> None:
    with_predicate = op.return_value_and_is_valid is not None
    mask, offset, clamp = map(writer.scalar, (op.mask, op.offset, op.clamp))
    valid = ""

    def shuffle(ty: str, text: str) -> str:
        nonlocal valid
        kind = "f32" if ty == "float" else "i32"
        name = f"{NVVM}shfl.sync.{op.kind.data.value}.{kind}"
        arguments = [("i32", mask), (ty, text), ("i32", offset), ("i32", clamp)]
        if not with_predicate:
            return writer.call(name, ty, arguments)
        result = f"{{ {ty}, i1 }}"
        pair = writer.call(f"{name}p", result, arguments)
        valid = writer.define(f"extractvalue {result} {pair}, 1")
        return writer.define(f"extractvalue {result} {pair}, 0")

    registers: list[str] = []
    for register, text in writer.typed_registers(op.value):
        registers.extend(_shuffled(writer, register, text, shuffle))
    if with_predicate:
        registers.append(valid)
    writer.set(op.result, *registers)


def _shuffled(
    writer: LlvmFunctionWriter, register: Register, text: str, shuffle: Callable[[str, str], str]
) -> Iterator[str]:
    """The register of another lane; one of 64 bits in two halves."""
    if register.type == "float":
        yield shuffle("float", text)
        return
    if register.bits == 32:
        yield writer.cast_back(shuffle("i32", writer.cast(register, text, "i32")), register)
        return
    if register.bits < 32:
        small = f"i{register.bits}"
        bits = writer.cast(register, text, small)
        wide = shuffle("i32", writer.define(f"zext {small} {bits} to i32"))
        yield writer.cast_back(writer.define(f"trunc i32 {wide} to {small}"), register, small)
        return
    words = [
        writer.define(f"extractelement <2 x i32> {pair}, i32 {i}")
        for pair in (writer.cast(register, text, "<2 x i32>"),)
        for i in range(2)
    ]
    joined = writer.insert_all("<2 x i32>", "i32", [shuffle("i32", word) for word in words])
    yield writer.cast_back(joined, register, "<2 x i32>")


@translates(nvvm.ReduxOp)
def _redux(writer: LlvmFunctionWriter, op: nvvm.ReduxOp) -> None:
    name = f"{NVVM}redux.sync.{op.kind.data.value}"
    if scalar_type(op.value.type) == "float":
        writer.require(op, FLOAT_REDUX)
        name += ".abs" if op.abs is not None else ""
        name += ".NaN" if op.nan is not None else ""
    ty = scalar_type(op.value.type)
    arguments = [(ty, writer.scalar(op.value)), ("i32", writer.scalar(op.mask))]
    writer.set(op.result, writer.call(name, ty, arguments))


@translates(nvvm.MatchSyncOp)
def _match(writer: LlvmFunctionWriter, op: nvvm.MatchSyncOp) -> None:
    ty = scalar_type(op.value.type)
    arguments = [("i32", writer.scalar(op.mask)), (ty, writer.scalar(op.value))]
    if op.kind.data is nvvm.MatchKind.ANY:
        writer.set(op.result, writer.call(f"{NVVM}match.any.sync.{ty}", "i32", arguments))
        return
    pair = writer.call(f"{NVVM}match.all.sync.{ty}p", "{ i32, i1 }", arguments)
    writer.set_packed(op.result, pair)


@translates(nvvm.ElectSyncOp, needs=SM_90)
def _elect(writer: LlvmFunctionWriter, op: nvvm.ElectSyncOp) -> None:
    mask = "-1" if op.mask is None else writer.scalar(op.mask)
    pair = writer.call(f"{NVVM}elect.sync", "{ i32, i1 }", [("i32", mask)])
    writer.set(op.predicate, writer.define(f"extractvalue {{ i32, i1 }} {pair}, 1"))


# Threads


@translates(nvvm.BarrierOp)
def _barrier(writer: LlvmFunctionWriter, op: nvvm.BarrierOp) -> None:
    aligned = _aligned(op)
    scope = "all" if op.thread_count is None else "count"
    arguments = [("i32", "0" if op.id is None else writer.scalar(op.id))]
    if op.thread_count is not None:
        arguments.append(("i32", writer.scalar(op.thread_count)))
    if op.reduction is None or op.predicate is None or op.result is None:
        writer.call(f"{NVVM}barrier.cta.sync{aligned}.{scope}", "void", arguments)
        return
    arguments.append(("i1", writer.scalar(op.predicate)))
    ty = "i32" if op.reduction.data is nvvm.BarrierReduction.POPC else "i1"
    name = f"{NVVM}barrier.cta.red.{op.reduction.data.value}{aligned}.{scope}"
    writer.set(op.result, writer.call(name, ty, arguments))


# Barriers in shared memory


@translates(nvvm.MBarrierArriveExpectTxSharedOp, needs=SM_90)
def _mbarrier_arrive_expect(
    writer: LlvmFunctionWriter, op: nvvm.MBarrierArriveExpectTxSharedOp
) -> None:
    arguments = [(SHARED, writer.scalar(op.address)), ("i32", writer.scalar(op.tx_count))]
    writer.call(f"{NVVM}mbarrier.arrive.expect.tx.scope.cta.space.cta", "i64", arguments)


@translates(nvvm.MBarrierTestWaitParitySharedOp)
def _mbarrier_test_parity(
    writer: LlvmFunctionWriter, op: nvvm.MBarrierTestWaitParitySharedOp
) -> None:
    parity = writer.widen(op.phase)
    if writer.module.target.machine.meets(SM_90):
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


@translates(nvvm.MBarrierTryWaitParitySharedOp, needs=SM_90)
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
    name = f"{NVVM}mbarrier.try.wait.parity{limited}.scope.{scope}.space.cta"
    writer.set(op.done, writer.call(name, "i1", arguments))


# Fences

SYNCSCOPES: Final = {
    nvvm.MemScope.CTA: 'syncscope("block") ',
    nvvm.MemScope.CLUSTER: 'syncscope("cluster") ',
    nvvm.MemScope.GPU: 'syncscope("device") ',
    nvvm.MemScope.SYS: "",
}


@translates(nvvm.FenceAcqRelOp, nvvm.FenceScOp)
def _fence(writer: LlvmFunctionWriter, op: nvvm.FenceAcqRelOp | nvvm.FenceScOp) -> None:
    if op.scope.data is nvvm.MemScope.CLUSTER:
        writer.require(op, SM_90)
    ordering = "acq_rel" if isinstance(op, nvvm.FenceAcqRelOp) else "seq_cst"
    writer.emit(f"fence {SYNCSCOPES[op.scope.data]}{ordering}")


@translates(nvvm.FenceProxyOp)
def _fence_proxy(writer: LlvmFunctionWriter, op: nvvm.FenceProxyOp) -> None:
    kind = op.kind.data
    if kind is nvvm.ProxyKind.ALIAS:
        writer.assembly("fence.proxy.alias;", [], [], clobbers_memory=True)
        return
    writer.require(op, SM_90)
    suffix = {nvvm.ProxyKind.ASYNC: "", nvvm.ProxyKind.ASYNC_GLOBAL: ".global"}.get(kind)
    if suffix is None:
        is_cluster = op.space is not None and op.space.data is nvvm.SharedSpace.CLUSTER
        suffix = ".shared_cluster" if is_cluster else ".shared_cta"
    writer.call(f"{NVVM}fence.proxy.async{suffix}", "void", [])


def _acquire(writer: LlvmFunctionWriter, scope: nvvm.MemScope, address: str) -> None:
    arguments = [("ptr", address), ("i32", str(MAP_BYTES))]
    writer.call(f"{NVVM}fence.proxy.tensormap_generic.acquire.{scope.value}", "void", arguments)


@translates(nvvm.FenceProxyAcquireOp, needs=SM_90)
def _fence_acquire(writer: LlvmFunctionWriter, op: nvvm.FenceProxyAcquireOp) -> None:
    size = writer.constant(op, op.size, "the size")
    if size != MAP_BYTES:
        fail(op, f"the size of a tensor map is {MAP_BYTES}, not {size}")
    _acquire(writer, op.scope.data, writer.generic(op.address))


@translates(nvvm.FenceProxyAcquireSyncOp)
def _fence_acquire_sync(writer: LlvmFunctionWriter, op: nvvm.FenceProxyAcquireSyncOp) -> None:
    scope = nvvm.MemScope.SYS if op.scope is None else op.scope.data
    if op.address is not None or scope is nvvm.MemScope.CLUSTER:
        writer.require(op, SM_90)
    if op.address is None:
        # There is no map to acquire; what is left is the order of ordinary accesses.
        writer.emit(f"fence {SYNCSCOPES[scope]}acquire")
        return
    _acquire(writer, scope, writer.generic(op.address))


@translates(nvvm.TensorMapCpFenceProxyOp, needs=SM_90)
def _cp_fence(writer: LlvmFunctionWriter, op: nvvm.TensorMapCpFenceProxyOp) -> None:
    writer.assembly(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
        f"{op.scope.data.value}.sync.aligned [$0], [$1], {MAP_BYTES};",
        [],
        [writer.address(op.dst), writer.address(op.src)],
        clobbers_memory=True,
    )


@translates(nvvm.TensorMapReplaceOp, needs=SM_90)
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


# Copies

COPY_SIZES: Final = (4, 8, 16)
PEER_BIT: Final = 1 << 24
"""The lowest bit of the CTA's rank in an address of shared memory, by which pairs differ."""

# Elements


@translates(nvvm.CpAsyncSharedGlobalOp)
def _cp_async(writer: LlvmFunctionWriter, op: nvvm.CpAsyncSharedGlobalOp) -> None:
    size = writer.constant(op, op.size, "the size")
    if size not in COPY_SIZES:
        fail(op, f"'{op.name}' copies 4, 8 or 16 bytes, not {size}")
    modifier = nvvm.CacheModifier.CA if op.modifier is None else op.modifier.data
    if modifier is nvvm.CacheModifier.CG and size != 16:
        fail(op, f"modifier 'cg' is for copies of 16 bytes, not {size}")
    name = f"{NVVM}cp.async.{modifier.value}.shared.global.{size}"
    arguments = [(SHARED, writer.scalar(op.dst)), (GLOBAL, writer.scalar(op.src))]
    if op.src_size is not None:
        name += ".s"
        arguments.append(("i32", writer.scalar(op.src_size)))
    writer.call(name, "void", arguments)


# TMA


def _flag(value: object | None) -> tuple[str, str]:
    return "i1", "0" if value is None else "1"


def _or_zero(writer: LlvmFunctionWriter, ty: str, value: SSAValue | None) -> tuple[str, str]:
    return ty, "0" if value is None else writer.scalar(value)


def _hint(writer: LlvmFunctionWriter, hint: SSAValue | None) -> Arguments:
    return [_or_zero(writer, "i64", hint), _flag(hint)]


def _tensor(writer: LlvmFunctionWriter, op: Any) -> Arguments:
    """The tensor map of a TMA op, and where in the tensor it copies."""
    coordinates = zip(repeat("i32"), map(writer.scalar, op.coordinates))
    return [("ptr", writer.generic(op.tensor_map)), *coordinates]


def _tma(writer: LlvmFunctionWriter, op: Any, name: str, *shared: SSAValue) -> None:
    """A TMA op on addresses in shared memory of the CTA, or on none."""
    addresses = zip(repeat(SHARED), map(writer.scalar, shared))
    arguments = [*addresses, *_tensor(writer, op), *_hint(writer, op.cache_hint)]
    writer.call(f"{NVVM}cp.async.bulk.tensor.{name}", "void", arguments)


@translates(*nvvm.BULK_TENSOR_LOADS.values(), needs=SM_90)
def _tensor_load(writer: LlvmFunctionWriter, op: nvvm.BulkTensorLoadOp) -> None:
    if op.mode is not None and op.mode.data is not nvvm.LoadMode.TILE:
        fail(op, f"'{op.name}' has no mode '{op.mode.data.value}', only 'tile'")
    if (
        op.multicast_mask is None
        and op.group is None
        and space_of(op.dst.type) == nvvm.SHARED_SPACE
        and writer.module.target.machine.has("tma.cta")
    ):
        # In the form for clusters, ptxas compares CTAs, and calls a function for others.
        _tma(writer, op, f"g2s.cta.tile.{op.RANK}d", op.dst, op.barrier)
        return
    _load(writer, op, f"tile.{op.RANK}d")


def _load(writer: LlvmFunctionWriter, op: nvvm.BulkTensorLoadOp, name: str) -> None:
    """A TMA load into shared memory of the cluster."""
    if op.group is not None:
        writer.require(op, CTA_GROUP, f"cta_group::{op.group.data.ctas}")
    # The window of a CTA has the same addresses in the shared memory of its cluster. LLVM would
    # convert the address, and read a special register for that.
    number = writer.define(f"ptrtoint {writer.typed(op.dst)} to i64")
    arguments: Arguments = [
        (CLUSTER, writer.define(f"inttoptr i64 {number} to {CLUSTER}")),
        (SHARED, _leader(writer, op)),
        *_tensor(writer, op),
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


@translates(nvvm.BulkTensorGather4Op, needs=SM_90)
def _gather4(writer: LlvmFunctionWriter, op: nvvm.BulkTensorGather4Op) -> None:
    if writer.module.target.machine.meets(GATHER4):
        _load(writer, op, "tile.gather4.2d")
        return
    # Others have it for the shared memory of a CTA.
    writer.require(op, SM_100)
    if op.multicast_mask is not None or op.group is not None:
        writer.require(op, GATHER4, "tile::gather4 to shared memory of a cluster")
    _tma(writer, op, "g2s.cta.tile.gather4.2d", op.dst, op.barrier)


@translates(nvvm.BulkTensorScatter4Op, needs=SCATTER4)
def _scatter4(writer: LlvmFunctionWriter, op: nvvm.BulkTensorScatter4Op) -> None:
    _tma(writer, op, "s2g.tile.scatter4.2d", op.src)


@translates(*nvvm.BULK_TENSOR_STORES.values(), needs=SM_90)
def _tensor_store(writer: LlvmFunctionWriter, op: nvvm.BulkTensorStoreOp) -> None:
    _tma(writer, op, f"s2g.tile.{len(op.coordinates)}d", op.src)


@translates(nvvm.BulkTensorReduceOp, needs=SM_90)
def _tensor_reduce(writer: LlvmFunctionWriter, op: nvvm.BulkTensorReduceOp) -> None:
    _tma(writer, op, f"reduce.{op.red_op.data.value}.tile.{len(op.coordinates)}d", op.src)


@translates(nvvm.BulkTensorPrefetchOp, needs=SM_90)
def _tensor_prefetch(writer: LlvmFunctionWriter, op: nvvm.BulkTensorPrefetchOp) -> None:
    _tma(writer, op, f"prefetch.tile.{len(op.coordinates)}d")


@translates(nvvm.PrefetchTensorMapOp, needs=SM_90)
def _prefetch_map(writer: LlvmFunctionWriter, op: nvvm.PrefetchTensorMapOp) -> None:
    arguments: Arguments = [("ptr", writer.generic(op.address))]
    writer.call(f"{NVVM}prefetch.tensormap.p0", "void", arguments)


# Bytes


@translates(nvvm.BulkLoadOp, needs=SM_90)
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


@translates(nvvm.BulkStoreOp, needs=SM_90)
def _bulk_store(writer: LlvmFunctionWriter, op: nvvm.BulkStoreOp) -> None:
    dst, src, size = op.slots[:3]
    arguments: Arguments = [
        (GLOBAL, writer.scalar(dst)),
        (SHARED, writer.scalar(src)),
        ("i32", writer.scalar(size)),
        *_hint(writer, op.cache_hint),
    ]
    writer.call(f"{NVVM}cp.async.bulk.shared.cta.to.global", "void", arguments)
