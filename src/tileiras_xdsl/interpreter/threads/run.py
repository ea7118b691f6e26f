"""Running a kernel of level 3, or 4, over a grid."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import prod
from random import Random
from typing import Any, TypedDict, Unpack, cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvgpu.types import (
    HostMap,
    MBarrierGroupType,
    get_dynamic_shared,
    get_host_maps,
    get_persistent_ctas,
    has_hidden_maps,
)
from tileiras_xdsl.interpreter import arithmetic as _arithmetic
from tileiras_xdsl.interpreter import control_flow as _control_flow
from tileiras_xdsl.interpreter.arguments import (
    MOST_SMS,
    SM_COUNT,
    BoundArguments,
    ChosenBlocks,
    CtaIndices,
    Grid,
    choose_kernel,
    full_grid,
    launch_of,
)
from tileiras_xdsl.interpreter.elements import to_bytes
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, Body, BoundProgram, BranchGraph, CallFrame
from tileiras_xdsl.interpreter.memory import Memory
from tileiras_xdsl.interpreter.output import ProgressBar
from tileiras_xdsl.interpreter.schedule import TaskScheduler
from tileiras_xdsl.interpreter.values import (
    Array,
    Value,
    element_of,
    integer_of,
    integers_of,
    literal_of,
    property_of,
    row_bits,
    word_of,
)
from tileiras_xdsl.targets.tma import EMPTY_BYTES, MBARRIER_BYTES
from tileiras_xdsl.xdsl_extras.public import choose_options, public, with_options

from . import copies as _copies
from . import grid as _grid
from . import matrix as _matrix
from . import mbarriers as _mbarriers
from . import pointers as _pointers
from . import tcgen05 as _tcgen05
from . import tensor_copies as _tensor_copies
from . import tensor_maps as _tensor_maps
from . import vectors as _vectors
from . import warp as _warp
from . import warpgroup as _warpgroup
from .accesses import SHARED, space_of
from .clocks import Clocks
from .cluster import MAX_CLUSTER_CTAS, Cluster
from .copies import guard_of, has_wgmma
from .grid import Launches
from .mbarriers import check_copies, find_arrivals
from .outside import Other, names_of, outside
from .pointers import alignment_of, size_of, static_memref
from .shadow import WARP, Names
from .state import SHARED_BASE, CtaThreads, GlobalMemory, Variables
from .tensor_copies import check_end
from .tensor_cores import TensorCores, TensorTrace, Timing
from .tensor_maps import encode

# The modules register what ops do.
REGISTERED = (
    *(_arithmetic, _control_flow, _copies, _grid),
    *(_matrix, _mbarriers, _pointers, _tcgen05, _tensor_copies, _tensor_maps),
    *(_vectors, _warp, _warpgroup),
)

MOST_THREADS = 4096
"""Of all CTAs that run side by side."""
DYNAMIC_SHARED = "dynamic shared memory"
FUNCTIONS = ("gpu.func", "llvm.func")
CTA_SIZES = ("nvvm.reqntid", "gpu.known_block_size", "known_block_size")
BLOCKS_ARE_CLUSTERS = ("nvvm.blocksareclusters", "nvgpu.blocks_are_clusters")
CLUSTER_SIZES = ("nvvm.cluster_dim", "gpu.known_cluster_size", "known_cluster_size")
THREAD_DIALECTS = ("vector", "nvvm", "nvgpu", "llvm", "memref")
TILE_DIALECTS = ("cuda_tile", "nv_tileaa", "nv_tileas")
THREAD_OPS = ("gpu.thread_id", "gpu.lane_id", "gpu.barrier", "gpu.global_id", "gpu.shuffle")


# Kernels


def is_thread_kernel(op: Operation) -> bool:
    """Whether an op is a kernel whose body is the code of one thread."""
    if not _is_kernel(op):
        return False
    names = [inner.name for inner in op.walk()]
    dialects = {name.partition(".")[0] for name in names}
    if not dialects.isdisjoint(TILE_DIALECTS):
        return False
    says_threads = any(property_of(op, name) is not None for name in CTA_SIZES)
    return (
        says_threads
        or not dialects.isdisjoint(THREAD_DIALECTS)
        or any(name in THREAD_OPS for name in names)
    )


def _is_kernel(op: Operation) -> bool:
    if op.name == "gpu.func":
        return property_of(op, "kernel") is not None
    return op.name == "llvm.func" and (
        property_of(op, "nvvm.kernel") is not None or property_of(op, "gpu.kernel") is not None
    )


def thread_kernels(module: ModuleOp) -> dict[str, Operation]:
    """The kernels of a module that are the code of one thread, by name."""
    found: dict[str, Operation] = {}
    for op in module.walk():
        if op.name in FUNCTIONS and is_thread_kernel(op):
            found[word_of(op, "sym_name")] = op
    return found


def _sizes_of(kernel: Operation, names: Sequence[str]) -> tuple[int, int, int] | None:
    """The sizes that a kernel says by the first of some attributes that it has."""
    given = [name for name in names if property_of(kernel, name) is not None]
    return full_grid(integers_of(kernel, given[0])) if given else None


def _threads_of(kernel: Operation, threads: Grid | None) -> tuple[int, int, int]:
    """The threads of a CTA: those given, or those that the kernel requires."""
    sizes = _sizes_of(kernel, CTA_SIZES) if threads is None else full_grid(threads)
    if sizes is None:
        raise ExecutionError("does not say how many threads a CTA has: give `threads`", kernel)
    if prod(sizes) > 1024:
        raise ExecutionError(f"a CTA has at most 1024 threads, but got {prod(sizes)}", kernel)
    return sizes


def _cluster_of(kernel: Operation, threads: int) -> tuple[int, int, int]:
    """The CTAs of a cluster that a kernel requires."""
    sizes = _sizes_of(kernel, CLUSTER_SIZES) or (1, 1, 1)
    if prod(sizes) > MAX_CLUSTER_CTAS:
        raise ExecutionError(
            f"a cluster has at most {MAX_CLUSTER_CTAS} CTAs, but got {prod(sizes)}", kernel
        )
    if prod(sizes) > 1 and threads % WARP:
        raise ExecutionError(
            f"CTAs of {threads} threads cannot be run in clusters on the CPU, for these are no "
            "whole warps",
            kernel,
        )
    return sizes


def _grid_of_clusters(
    kernel: Operation, ctas: tuple[int, int, int], cluster: tuple[int, int, int]
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The CTAs and the clusters of a grid, which is said in either."""
    if any(property_of(kernel, name) is not None for name in BLOCKS_ARE_CLUSTERS):
        x, y, z = (size * by for size, by in zip(ctas, cluster, strict=True))
        return (x, y, z), ctas
    if any(size % by for size, by in zip(ctas, cluster, strict=True)):
        raise ExecutionError(f"a grid of {ctas} CTAs is no grid of clusters {cluster}", kernel)
    x, y, z = (size // by for size, by in zip(ctas, cluster, strict=True))
    return ctas, (x, y, z)


WAITING = (
    "nvvm.barrier.arrive",
    "nvvm.cluster.arrive",
    "nvvm.cluster.arrive.relaxed",
    "nvvm.mbarrier.try_wait.parity.shared",
    "nvvm.mbarrier.test.wait.parity.shared",
    "nvvm.mbarrier.test.wait.shared",
    "nvgpu.mbarrier.try_wait.parity",
    "nvgpu.mbarrier.test.wait",
)
"""Ops that need others to run on."""

TENSOR_CORES = ("nvvm.tcgen05.",)
"""Beginnings of names of ops that use tensor memory."""
ARRIVALS = ("nvvm.barrier.arrive",)
"""Some warps wait at a barrier where others have only come by."""
LAUNCH_CONTROL = ("nvvm.clusterlaunchcontrol.",)
ASYNCHRONOUS = (
    *("nvvm.wgmma.", "nvgpu.warpgroup.", "nvvm.cp.async.bulk.", "nvgpu.tma."),
    *(*TENSOR_CORES, *LAUNCH_CONTROL),
)
"""Beginnings of names of ops that work while threads run on."""


def _has(kernel: Operation, beginnings: tuple[str, ...]) -> bool:
    """Whether a kernel has ops whose names begin so."""
    return any(op.name.startswith(beginnings) for op in kernel.walk())


def waits_for_others(op: Operation) -> bool:
    """Whether the warps of a kernel cannot run together, or are not the only ones who work."""
    return any(
        inner.name in WAITING
        or inner.name.startswith(ASYNCHRONOUS)
        or (inner.name == "nvvm.barrier" and getattr(inner, "thread_count", None) is not None)
        for inner in op.walk()
    )


# Memory


def _add_variables(module: ModuleOp, memory: Memory, dynamic_shared: int) -> Variables:
    addresses: dict[str, int] = {}
    shared: dict[str, int] = {}
    end = SHARED_BASE
    dynamic: list[str] = []
    places: dict[Operation, int] = {}
    for op in module.walk():
        if op.name == "nvgpu.mbarrier.create":
            end = places[op] = -(-end // MBARRIER_BYTES) * MBARRIER_BYTES
            ty = op.results[0].type
            count = ty.num_barriers if isinstance(ty, MBarrierGroupType) else 1
            end += count * MBARRIER_BYTES
        if op.name not in ("llvm.mlir.global", "memref.global"):
            continue
        name = word_of(op, "sym_name")
        size, alignment, is_shared = _variable(op)
        if is_shared and size == 0:
            dynamic.append(name)
        elif is_shared:
            end = -(-end // alignment) * alignment
            shared[name] = end
            end += size
        else:
            data = _initial(op, size)
            allocation = memory.allocate(data, f"@{name}", alignment)
            allocation.writable = property_of(op, "constant") is None
            addresses[name] = allocation.base
    end = -(-end // 128) * 128
    shared[DYNAMIC_SHARED] = end
    shared.update(dict.fromkeys(dynamic, end))
    size = -(-(end + dynamic_shared - SHARED_BASE) // 16) * 16
    return Variables(addresses, shared, places, size)


def _variable(op: Operation) -> tuple[int, int, bool]:
    """Bytes and alignment of a variable, and whether it is in shared memory."""
    alignment = integer_of(op, "alignment", 16)
    if op.name == "memref.global":
        ty = property_of(op, "type")
        assert isinstance(ty, MemRefType)
        count = 0 if DYNAMIC_INDEX in ty.get_shape() else prod(ty.get_shape())
        bits = row_bits(ty.element_type)
        return -(-count * bits // 8), alignment, space_of(ty) == SHARED
    ty = property_of(op, "global_type")
    assert ty is not None
    is_shared = integer_of(op, "addr_space", 0) == SHARED
    return size_of(ty), max(alignment, alignment_of(ty)), is_shared


def _initial(op: Operation, size: int) -> Array:
    """The bytes a variable begins with."""
    value = property_of(op, "value") or property_of(op, "initial_value")
    data = np.zeros(size, np.uint8)
    match value:
        case StringAttr():
            text = value.data.encode()
            data[: len(text)] = np.frombuffer(text, np.uint8)
        case DenseIntOrFPElementsAttr():
            element = cast(Attribute, value.get_element_type())
            literal = literal_of(value, VectorType(element, value.get_shape()))
            data[:] = to_bytes(np.ascontiguousarray(literal), element_of(element))
        case IntegerAttr() | FloatAttr():
            ty = property_of(op, "global_type")
            assert ty is not None
            data[:] = to_bytes(literal_of(value, ty), element_of(ty))
        case _:
            pass
    return data


def pass_arguments(
    kernel: Operation,
    args: Sequence[Any],
    memory: Memory,
    maps: Sequence[HostMap],
    grid: Sequence[int],
) -> BoundArguments:
    """The arguments of a kernel, with those that the launcher adds: sizes, tensor maps …"""
    arguments = BoundArguments(kernel, args, memory, grid, THREADS.lead, more=len(maps))
    numbers = [int(value[0]) for value in arguments.values]
    for number, parameter in enumerate(kernel.regions[0].blocks[0].args[: len(numbers)]):
        if isinstance(parameter.type, MemRefType):
            arguments.values[number] = static_memref(arguments.values[number], parameter.type)
    are_hidden = has_hidden_maps(kernel)
    for number, tensor_map in enumerate(maps):
        base = numbers[tensor_map.base]
        get_zeros = (lambda base=base: base) if are_hidden else partial(_add_zeros, memory)
        data = encode(tensor_map, numbers, get_zeros)
        allocation = memory.allocate(data, f"tensor map {number}")
        allocation.writable = False
        arguments.values.append(np.array([allocation.base], np.int64))
    return arguments


def _add_zeros(memory: Memory) -> int:
    """The address of memory that stands for an empty tensor: it reads as zeros, and stays so."""
    allocation = memory.allocate(np.zeros(EMPTY_BYTES, np.uint8), "zeros for an empty tensor")
    allocation.writable = False
    return allocation.base


# Runs


@dataclass(frozen=True, kw_only=True)
class ThreadOptions:
    """The options of `run_threads`, each of which is also a keyword of it."""

    threads: Grid | None = None
    """Of a CTA, if the kernel does not say it by `gpu.known_block_size` or `nvvm.reqntid`."""
    check_races: bool = True
    """
    Whether accesses of different threads of a CTA, or of a cluster, to the same byte, one of which
    writes, without a barrier between them, are errors; in shared and in global memory.
    """
    dynamic_shared: int = 0
    """
    Bytes that are added to the shared memory of variables; by default as many as the kernel asks
    for by `tileiras.dynamic_shared_bytes`.
    """
    tensor_maps: Sequence[HostMap] | None = None
    """
    Passed after the other arguments; by default those that the kernel asks for by
    `nvgpu.host_maps`.
    """
    sm_count: int = SM_COUNT
    """
    The SMs that run the CTAs of a persistent kernel (`nvgpu.persistent`); `%nsmid` is that, or the
    number of CTAs that run side by side, if these are more.
    """
    others: Sequence[Other] = ()
    """
    Who else touches memory meanwhile, see `interpreter.environment`; then warps run apart, and
    `seed` chooses their order, and when others take their steps.
    """
    seed: int | None = None
    side_by_side: bool = False
    """
    Whether all CTAs of the grid run at once, so that they may wait for each other, and are searched
    for races between them. This is slow, and only for a few CTAs.
    """
    deadline: float | None = None
    """When to give up with an `OutOfTimeError`, as `process_time` counts."""
    timing: Timing = "late"
    """
    When operations of tensor cores run, see `tensor_cores`: `"late"`, `"early"`, or `"random"` as
    `seed` says; then the order of warps is random, too, and requests of cluster launch control are
    refused. So is that of warps that arrive at named barriers without waiting.
    """
    ctas_per_sm: int = 1
    """How many clusters that run side by side share an SM, and its tensor memory."""
    workers: int = 1
    """
    How many clusters run side by side, and take over the work of others, if the kernel asks for
    that by cluster launch control.
    """
    trace: TensorTrace | None = None
    """What is told what happens to tensor memory, see `visual.tensor_memory_over_time`."""
    progress: bool | None = None
    """Whether a bar is shown; by default if a run takes long, on a terminal."""
    blocks: Sequence[tuple[int, int, int]] | None = None
    """The tile blocks of the grid that are run, by default all, see `run`."""


class ThreadKeywords(TypedDict, total=False):
    """The fields of `ThreadOptions` as keywords."""

    threads: Grid | None
    check_races: bool
    dynamic_shared: int
    tensor_maps: Sequence[HostMap] | None
    sm_count: int
    others: Sequence[Other]
    seed: int | None
    side_by_side: bool
    deadline: float | None
    timing: Timing
    ctas_per_sm: int
    workers: int
    trace: TensorTrace | None
    progress: bool | None
    blocks: Sequence[tuple[int, int, int]] | None


@public
@with_options(ThreadOptions)
def run_threads(
    program: ModuleOp,
    grid: Grid = 1,
    args: Sequence[Any] = (),
    *,
    entry: str | None = None,
    options: ThreadOptions | None = None,
    **keywords: Unpack[ThreadKeywords],
) -> None:
    """
    Runs a kernel that is the code of one thread over a grid; arrays are changed in place.

    Always errors, as `ExecutionError`: accesses out of bounds or misaligned, reads of shared
    memory that was never written or is still being copied to, barriers that not all threads reach,
    shuffles from lanes that are not there.

    The CTAs of a cluster (`gpu.known_cluster_size`, `nvvm.cluster_dim`) run side by side; in
    errors their threads are named with the rank of their CTA. With `nvvm.blocksareclusters`
    `grid` counts clusters. Options are those of `ThreadOptions`, or each as a keyword.
    """
    chosen = choose_options(ThreadOptions, options, keywords)
    others, seed, blocks, timing = chosen.others, chosen.seed, chosen.blocks, chosen.timing
    sm_count, side_by_side = chosen.sm_count, chosen.side_by_side
    kernel = choose_kernel(thread_kernels(program), entry)
    sizes = _threads_of(kernel, chosen.threads)
    some = None if blocks is None else ChosenBlocks(kernel, grid, blocks)
    if some is not None:
        sm_count = min(some.total * MAX_CLUSTER_CTAS, MOST_SMS)
    ctas, asked = launch_of(kernel, grid, sm_count)
    cluster_sizes = _cluster_of(kernel, prod(sizes))
    ctas, cluster_grid = _grid_of_clusters(kernel, ctas, cluster_sizes)
    guard = guard_of if has_wgmma(kernel) else None
    bound = BoundProgram(THREADS, guard, deadline=chosen.deadline)
    body = bound.bind_region(kernel.regions[0])
    if body is None:
        raise ExecutionError("has no body", kernel)
    memory = Memory()
    maps = get_host_maps(kernel) if chosen.tensor_maps is None else chosen.tensor_maps
    arguments = pass_arguments(kernel, args, memory, maps, asked)
    added = chosen.dynamic_shared or get_dynamic_shared(kernel) or 0
    variables = _add_variables(program, memory, added)
    cta_threads, cluster_ctas = prod(sizes), prod(cluster_sizes)
    is_shared = bool(others) or side_by_side
    apart = is_shared or cluster_ctas > 1 or waits_for_others(kernel)
    takes_over = _has(kernel, LAUNCH_CONTROL)
    positions: Sequence[tuple[int, int, int]] = CtaIndices(cluster_grid)
    if some is not None:
        positions = _chosen_clusters(kernel, some, ctas, cluster_sizes)
    count = len(positions)
    together = count if side_by_side else min(chosen.workers, count) if takes_over else 1
    if together > 1:
        _check_side_by_side(kernel, cta_threads, together * cluster_ctas)
    names = Names(cta_threads, "CTA") if together > 1 else None
    clocks = None
    if chosen.check_races:
        outsiders = names_of(others)
        clocks = Clocks(cta_threads, cluster_ctas, outsiders, clusters=together, names=names)
    device = GlobalMemory(memory, clocks)

    def make_cluster(number: int, position: tuple[int, int, int]) -> Cluster:
        cluster = Cluster(
            cluster_sizes, cta_threads, clocks, number=number, together=together, names=names
        )
        for inside in CtaIndices(cluster_sizes):
            x, y, z = (
                n * size + i for n, size, i in zip(position, cluster_sizes, inside, strict=True)
            )
            state = CtaThreads((x, y, z), ctas, sizes, device, variables, cluster)
            state.environment = environment
            state.sm_count = sm_count
            state.cores, state.launches = cores, launches
        return cluster

    with ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
        environment = None
        if is_shared:
            environment = stack.enter_context(outside(others, device, seed))
        uses_cores = _has(kernel, TENSOR_CORES)
        is_random = timing == "random" and (uses_cores or takes_over or _has(kernel, ARRIVALS))
        random = Random(seed) if is_random else None
        launches = Launches(deque(positions), cluster_sizes, random)
        cores = None
        bar = ProgressBar(len(launches.left) * cluster_ctas, chosen.progress)
        stack.callback(bar.finish)
        while launches.left:
            if clocks is not None:
                clocks.everything_ordered()
            if environment is not None:
                environment.begin_cta()
            if uses_cores:
                cores = TensorCores(
                    *(clocks, timing, random or Random(0), chosen.ctas_per_sm), trace=chosen.trace
                )
            group = launches.begin(together)
            running = [make_cluster(number, position) for number, position in enumerate(group)]
            order = environment.random if environment is not None else random
            _run_clusters(body, bound, running, arguments.values, apart=apart, order=order)
            bar.advance(bar.total - len(launches.left) * cluster_ctas - bar.done)


def _chosen_clusters(
    kernel: Operation,
    chosen: ChosenBlocks,
    ctas: tuple[int, int, int],
    cluster: tuple[int, int, int],
) -> list[tuple[int, int, int]]:
    """The indices of the clusters of a launch that do tile blocks."""
    found = chosen.find_ctas(
        ctas,
        cluster,
        is_persistent=get_persistent_ctas(kernel) > 0,
        are_clusters=any(property_of(kernel, name) is not None for name in BLOCKS_ARE_CLUSTERS),
    )
    x, y, z = cluster
    return list(dict.fromkeys((i // x, j // y, k // z) for i, j, k in found))


def _check_side_by_side(kernel: Operation, threads: int, ctas: int) -> None:
    """Raises if the CTAs of a grid are too many to be run side by side, or no whole warps."""
    if threads % WARP:
        raise ExecutionError(
            f"CTAs of {threads} threads cannot be run side by side on the CPU, for these are no "
            "whole warps",
            kernel,
        )
    if threads * ctas > MOST_THREADS:
        raise ExecutionError(
            f"{ctas} CTAs of {threads} threads are too many to be run side by side on the CPU, "
            f"which runs {MOST_THREADS} threads",
            kernel,
        )


def _run_clusters(
    body: Body | BranchGraph,
    program: BoundProgram,
    clusters: Sequence[Cluster],
    arguments: Sequence[Value],
    *,
    apart: bool,
    order: Random | None,
) -> None:
    """Runs the threads of a CTA together, or the warps of all CTAs of clusters apart."""
    size = len(program.registers)
    ctas = [cta for cluster in clusters for cta in cluster.ctas]
    if not apart:
        (state,) = ctas
        body.run(CallFrame(size, state), arguments)
        return
    frames: list[CallFrame] = []
    for state in ctas:
        warps = np.split(np.arange(state.size), range(WARP, state.size, WARP))
        frames += [CallFrame(size, state.apart(warp)) for warp in warps]
    schedule = TaskScheduler(
        [partial(_run_warp, body, frame, arguments) for frame in frames], order
    )
    for state in (*ctas, *(frame.cta for frame in frames)):
        state.schedule = schedule
        if state.cores is not None:
            state.cores.happened = schedule.happened
    schedule.run()
    for state in ctas:
        check_end(state)


def _run_warp(body: Body | BranchGraph, frame: CallFrame, arguments: Sequence[Value]) -> None:
    """Runs a warp; who is the last of its CTA looks whether others still need the CTA."""
    body.run(frame, arguments)
    cta = frame.cta
    if cta.end():
        if cta.cores is not None:
            cta.cores.check_end(cta)
        cta.cluster.check_visits(cta, find_arrivals(cta))
        check_copies(cta)
