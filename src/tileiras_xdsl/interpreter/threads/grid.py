"""Where a thread is, barriers of the block, and output."""

from __future__ import annotations

from functools import partial, reduce

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nvvm.registers import PREFIX, SPECIAL_REGISTERS
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.printing import format_values

from .attributes import property_of, word_of
from .cluster import address_in_cluster
from .machine import Binder, Body, Direct, Frame, InBlock, Program, binds, query
from .names import WARP
from .state import CLUSTER_BARRIER, BlockState
from .values import Array, Value, dtype_of_type, element_of
from .vectors import combiner

# Queries


def _coordinate(block: BlockState, name: str, axis: int) -> Array:
    """A coordinate of a thread, as an array of int64."""
    match name:
        case "tid":
            return block.thread_ids[axis]
        case "ntid":
            return np.array([block.sizes[axis]])
        case "ctaid":
            return np.array([block.index[axis]])
        case "nctaid":
            return np.array([block.grid[axis]])
        case "clusterid":
            return np.array([block.index[axis] // block.cluster.sizes[axis]])
        case "nclusterid":
            return np.array([block.grid[axis] // block.cluster.sizes[axis]])
        case "cluster.ctaid":
            return np.array([block.index[axis] % block.cluster.sizes[axis]])
        case "cluster.nctaid":
            return np.array([block.cluster.sizes[axis]])
        case _:
            return block.index[axis] * block.sizes[axis] + block.thread_ids[axis]


def _scalar(block: BlockState, name: str) -> Array:
    """Another register of a thread, as an array of int64."""
    ones = np.int64(0xFFFFFFFF)
    match name:
        case "laneid":
            return block.lanes
        case "warpid":
            return block.warps - block.first // WARP
        case "warpsize":
            return np.array([WARP])
        case "nwarpid":
            return np.array([-(-block.size // WARP)])
        case "lanemask.eq":
            return 1 << block.lanes
        case "lanemask.lt":
            return (1 << block.lanes) - 1
        case "lanemask.le":
            return (2 << block.lanes) - 1
        case "lanemask.gt":
            return ones & ~((2 << block.lanes) - 1)
        case "lanemask.ge":
            return ones & ~((1 << block.lanes) - 1)
        case "cluster.ctarank":
            return np.array([block.rank])
        case "cluster.nctarank":
            return np.array([block.cluster.size])
        case "smid":
            # Blocks that run side by side may fill a multiprocessor each.
            return np.array([block.first // block.size])
        case "nsmid":
            return np.array([block.cluster.size * block.cluster.together])
        case "total_smem_size":
            return np.array([len(block.shared.data)])
        case "dynamic_smem_size":
            return np.array([block.shared.end - block.addresses["dynamic shared memory"]])
        case _:
            raise ExecutionError(f"register '{name}' cannot be read on the CPU")


def _bind_coordinate(name: str, axis: int) -> Binder:
    def bind(op: Operation, program: Program) -> InBlock:
        dtype = dtype_of_type(op.results[0].type)
        return query(lambda block: _coordinate(block, name, axis).astype(dtype))

    return bind


def _bind_scalar(name: str) -> Binder:
    def bind(op: Operation, program: Program) -> InBlock:
        dtype = dtype_of_type(op.results[0].type)
        return query(lambda block: _scalar(block, name).astype(dtype))

    return bind


for register in SPECIAL_REGISTERS:
    vector, _, axis_name = register.rpartition(".")
    is_coordinate = axis_name in ("x", "y", "z")
    binds(f"{PREFIX}{register}")(
        _bind_coordinate(vector, "xyz".index(axis_name))
        if is_coordinate
        else _bind_scalar(register)
    )

DIMENSIONS = {
    "gpu.thread_id": "tid",
    "gpu.block_dim": "ntid",
    "gpu.block_id": "ctaid",
    "gpu.grid_dim": "nctaid",
    "gpu.cluster_id": "clusterid",
    "gpu.cluster_dim": "nclusterid",
    "gpu.cluster_block_id": "cluster.ctaid",
    "gpu.cluster_dim_blocks": "cluster.nctaid",
    "gpu.global_id": "global",
}


@binds(*DIMENSIONS)
def bind_dimension(op: Operation, program: Program) -> InBlock:
    """A coordinate in one dimension."""
    name, axis = DIMENSIONS[op.name], "xyz".index(word_of(op, "dimension") or "x")
    return query(lambda block: _coordinate(block, name, axis))


SCALARS = {
    "gpu.lane_id": "laneid",
    "gpu.subgroup_id": "warpid",
    "gpu.subgroup_size": "warpsize",
    "gpu.num_subgroups": "nwarpid",
}


@binds(*SCALARS)
def bind_scalar_query(op: Operation, program: Program) -> InBlock:
    """A number of a thread."""
    name = SCALARS[op.name]
    return query(lambda block: _scalar(block, name))


# Barriers


@binds("gpu.barrier", "nvvm.barrier0", "nvvm.bar.sync.aligned")
def bind_barrier(op: Operation, program: Program) -> InBlock:
    """All threads of the block meet."""

    def apply(block: BlockState, *identifier: Array) -> tuple[()]:
        block.meet(op)
        return ()

    return InBlock(apply)


@binds("nvvm.barrier")
def bind_named_barrier(op: Operation, program: Program) -> Direct:
    """Threads meet, and may combine predicates."""
    names = ("id", "thread_count", "predicate")
    name, count, predicate = (
        None if (value := getattr(op, name)) is None else program.register(value) for name in names
    )
    results = program.all(op.results)
    reduction = word_of(op, "reduction")

    def step(frame: Frame) -> None:
        block = frame.block
        if count is None:
            block.meet(op)
        else:
            threads = block.uniform(frame.registers[count], "the number of threads")
            number = 0 if name is None else block.uniform(frame.registers[name], "the barrier")
            block.meet_some(number, threads, waits=True)
        if predicate is None:
            return
        _check_together(block)
        flags = block.full(frame.registers[predicate])
        match reduction:
            case "popc":
                answer = np.array([flags.sum()], np.int32)
            case "and":
                answer = np.array([flags.all()])
            case _:
                answer = np.array([flags.any()])
        frame.registers[results[0]] = answer

    return Direct(step)


def _check_together(block: BlockState) -> None:
    """Raises if threads cannot see each other's values, because they run apart."""
    if block.is_apart:
        raise ExecutionError("cannot be run on the CPU in a kernel whose warps wait for each other")


@binds("nvvm.barrier.arrive")
def bind_barrier_arrive(op: Operation, program: Program) -> InBlock:
    """Arrives at a named barrier."""

    def apply(block: BlockState, name: Array, count: Array) -> tuple[()]:
        number = block.uniform(name, "the barrier")
        expected = block.uniform(count, "the number of threads")
        block.meet_some(number, expected, waits=False)
        return ()

    return InBlock(apply)


def _check_aligned(block: BlockState, is_aligned: bool) -> None:
    """Raises if threads of a warp do not come to an op that all of them execute."""
    if is_aligned:
        block.check_lanes(np.array([0xFFFFFFFF]))


@binds("nvvm.cluster.arrive", "nvvm.cluster.arrive.relaxed")
def bind_cluster_arrive(op: Operation, program: Program) -> InBlock:
    """Arrives at the barrier of the cluster; if it is relaxed, memory is not ordered."""
    is_relaxed, is_aligned = op.name.endswith("relaxed"), property_of(op, "aligned") is not None

    def apply(block: BlockState) -> tuple[()]:
        _check_aligned(block, is_aligned)
        expected = block.cluster_threads()
        passed = block.arrive_at(CLUSTER_BARRIER, expected, is_relaxed=is_relaxed)
        block.data[CLUSTER_BARRIER, int(block.numbers[0])] = passed
        return ()

    return InBlock(apply)


@binds("nvvm.cluster.wait")
def bind_cluster_wait(op: Operation, program: Program) -> InBlock:
    """Waits for all threads of the cluster."""
    is_aligned = property_of(op, "aligned") is not None

    def apply(block: BlockState) -> tuple[()]:
        _check_aligned(block, is_aligned)
        passed = block.data.pop((CLUSTER_BARRIER, int(block.numbers[0])), None)
        if passed is None:
            raise ExecutionError("waits at the barrier of the cluster without having arrived")
        block.wait_at(CLUSTER_BARRIER, block.cluster_threads(), passed)
        block.cluster.met.update(int(warp) for warp in block.warps)
        return ()

    return InBlock(apply)


@binds("nvvm.mapa")
def bind_mapa(op: Operation, program: Program) -> InBlock:
    """The same address in a block of the cluster."""
    return InBlock(address_in_cluster)


@binds("nvvm.bar.warp.sync")
def bind_warp_barrier(op: Operation, program: Program) -> InBlock:
    """The lanes of a mask meet."""

    def apply(block: BlockState, lanes: Array) -> tuple[()]:
        block.meet_warps(lanes)
        return ()

    return InBlock(apply)


@binds("gpu.all_reduce")
def bind_all_reduce(op: Operation, program: Program) -> Direct:
    """Combines the values of all threads of the block, those of the first ones first."""
    (operand,), (result,) = program.all(op.operands), program.all(op.results)
    kind = word_of(op, "op")
    body: Body | None = None
    if kind is None:
        body = program.bind_block(op.regions[0].block)
    combine = None if kind is None else combiner(kind, element_of(op.results[0].type))

    def step(frame: Frame) -> None:
        block = frame.block
        _check_together(block)
        block.meet(op)
        values = block.full(frame.registers[operand])
        parts = [values[thread : thread + 1] for thread in range(block.threads)]
        if body is not None:
            frame.registers[result] = reduce(partial(_run_pair, body, frame), parts)
        elif combine is not None:
            frame.registers[result] = reduce(combine, parts)

    return Direct(step)


def _run_pair(body: Body, frame: Frame, a: Value, b: Value) -> Value:
    return body.run(frame, [a, b])[0]


# Output


@binds("gpu.printf")
def bind_printf(op: Operation, program: Program) -> InBlock:
    """Prints values, one thread after the other."""
    format = property_of(op, "format")
    assert isinstance(format, StringAttr)
    elements = [element_of(value.type) for value in op.operands]

    def apply(block: BlockState, *values: Value) -> tuple[()]:
        parts = [block.full(value) for value in values]
        for thread in np.flatnonzero(block.active_mask()):
            numbers = [np.asarray(part[thread]) for part in parts]
            block.write(format_values(format.data, numbers, elements))
        return ()

    return InBlock(apply)
