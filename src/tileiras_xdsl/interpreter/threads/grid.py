"""Where a thread is, barriers of the block, and output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvvm.registers import PREFIX, SPECIAL_REGISTERS
from tileiras_xdsl.interpreter.arithmetic import combiner
from tileiras_xdsl.interpreter.attributes import flag, word, word_of
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import (
    THREADS,
    BoundProgram,
    CallFrame,
    Direct,
    InBlock,
    slots,
)
from tileiras_xdsl.interpreter.printing import format_values
from tileiras_xdsl.interpreter.types import element_of
from tileiras_xdsl.interpreter.values import Array, Value, dtype_of_type

from .cluster import address_in_cluster
from .names import WARP
from .state import CLUSTER_BARRIER, CtaThreads

# Queries

ALL_ONES = np.int64(0xFFFFFFFF)


COORDINATES: dict[str, Callable[[CtaThreads, int], Any]] = {
    "tid": lambda block, axis: block.thread_ids[axis],
    "ntid": lambda block, axis: block.sizes[axis],
    "ctaid": lambda block, axis: block.index[axis],
    "nctaid": lambda block, axis: block.grid[axis],
    "clusterid": lambda block, axis: block.index[axis] // block.cluster.sizes[axis],
    "nclusterid": lambda block, axis: block.grid[axis] // block.cluster.sizes[axis],
    "cluster.ctaid": lambda block, axis: block.index[axis] % block.cluster.sizes[axis],
    "cluster.nctaid": lambda block, axis: block.cluster.sizes[axis],
    "global": lambda block, axis: block.index[axis] * block.sizes[axis] + block.thread_ids[axis],
}
"""Coordinates of a thread along an axis, by their names in PTX."""
SCALARS: dict[str, Callable[[CtaThreads], Any]] = {
    "laneid": lambda block: block.lanes,
    "warpid": lambda block: block.warps - block.first // WARP,
    "warpsize": lambda block: WARP,
    "nwarpid": lambda block: -(-block.size // WARP),
    "lanemask.eq": lambda block: 1 << block.lanes,
    "lanemask.lt": lambda block: (1 << block.lanes) - 1,
    "lanemask.le": lambda block: (2 << block.lanes) - 1,
    "lanemask.gt": lambda block: ALL_ONES & ~((2 << block.lanes) - 1),
    "lanemask.ge": lambda block: ALL_ONES & ~((1 << block.lanes) - 1),
    "cluster.ctarank": lambda block: block.rank,
    "cluster.nctarank": lambda block: block.cluster.size,
    # CTAs that run concurrently may fill an SM each.
    "smid": lambda block: block.first // block.size,
    "nsmid": lambda block: block.cluster.size * block.cluster.together,
    "total_smem_size": lambda block: len(block.shared.data),
    "dynamic_smem_size": lambda block: block.shared.end - block.addresses["dynamic shared memory"],
}
"""The other registers of a thread."""


def _register(block: CtaThreads, name: str) -> Array:
    """A register of a thread, by its name in PTX, as an array of int64."""
    vector, _, axis = name.rpartition(".")
    if axis in "xyz":
        return np.atleast_1d(COORDINATES[vector](block, "xyz".index(axis)))
    if name not in SCALARS:
        raise ExecutionError(f"register '{name}' cannot be read on the CPU")
    return np.atleast_1d(SCALARS[name](block))


@THREADS.runs(
    *(f"{PREFIX}{register}" for register in SPECIAL_REGISTERS),
    name=lambda op: op.name.removeprefix(PREFIX),
    dtype=lambda op: dtype_of_type(op.results[0].type),
)
def run_register(block: CtaThreads, *, name: str, dtype: np.dtype[Any]) -> Array:
    """A special register."""
    return _register(block, name).astype(dtype)


GPU_REGISTERS = {
    "gpu.thread_id": "tid",
    "gpu.block_dim": "ntid",
    "gpu.block_id": "ctaid",
    "gpu.grid_dim": "nctaid",
    "gpu.cluster_id": "clusterid",
    "gpu.cluster_dim": "nclusterid",
    "gpu.cluster_block_id": "cluster.ctaid",
    "gpu.cluster_dim_blocks": "cluster.nctaid",
    "gpu.global_id": "global",
    "gpu.lane_id": "laneid",
    "gpu.subgroup_id": "warpid",
    "gpu.subgroup_size": "warpsize",
    "gpu.num_subgroups": "nwarpid",
}
"""What ops of `gpu` ask for, along a dimension if they have one."""


def _gpu_register(op: Operation) -> str:
    axis = word_of(op, "dimension")
    return f"{GPU_REGISTERS[op.name]}.{axis}" if axis else GPU_REGISTERS[op.name]


@THREADS.runs(*GPU_REGISTERS, name=_gpu_register)
def run_query(block: CtaThreads, *, name: str) -> Array:
    """Where a thread is."""
    return _register(block, name)


# Barriers


@THREADS.runs("gpu.barrier", "nvvm.barrier0", "nvvm.bar.sync.aligned")
def run_barrier(block: CtaThreads, *identifier: Array, op: Operation) -> None:
    """A barrier of all threads of the CTA."""
    block.sync_threads(op)


@THREADS.binds("nvvm.barrier")
def bind_named_barrier(op: Operation, program: BoundProgram) -> InBlock:
    """A named barrier, which may reduce predicates."""
    reduction = word_of(op, "reduction")

    def apply(
        block: CtaThreads, name: Array | None, count: Array | None, predicate: Array | None
    ) -> Array | None:
        if count is None:
            block.sync_threads(op)
        else:
            threads = block.uniform(count, "the number of threads")
            number = 0 if name is None else block.uniform(name, "the barrier")
            block.meet_some(number, threads, waits=True)
        if predicate is None:
            return None
        _check_together(block)
        flags = block.full(predicate)
        match reduction:
            case "popc":
                return np.array([flags.sum()], np.int32)
            case "and":
                return np.array([flags.all()])
            case _:
                return np.array([flags.any()])

    return InBlock(apply, slots(op, "id thread_count predicate"))


def _check_together(block: CtaThreads) -> None:
    """Raises if threads cannot see each other's values, because they run apart."""
    if block.is_apart:
        raise ExecutionError("cannot be run on the CPU in a kernel whose warps wait for each other")


@THREADS.runs("nvvm.barrier.arrive")
def run_barrier_arrive(block: CtaThreads, name: Array, count: Array) -> None:
    """Arrives at a named barrier."""
    number = block.uniform(name, "the barrier")
    expected = block.uniform(count, "the number of threads")
    block.meet_some(number, expected, waits=False)


def _check_aligned(block: CtaThreads, is_aligned: bool) -> None:
    """Raises if threads of a warp do not come to an op that all of them execute."""
    if is_aligned:
        block.check_lanes(np.array([0xFFFFFFFF]))


@THREADS.runs(
    "nvvm.cluster.arrive",
    "nvvm.cluster.arrive.relaxed",
    is_relaxed=lambda op: op.name.endswith("relaxed"),
    is_aligned=flag("aligned"),
)
def run_cluster_arrive(block: CtaThreads, *, is_relaxed: bool, is_aligned: bool) -> None:
    """Arrives at the barrier of the cluster; if it is relaxed, memory is not ordered."""
    _check_aligned(block, is_aligned)
    expected = block.cluster_threads()
    passed = block.arrive_at(CLUSTER_BARRIER, expected, is_relaxed=is_relaxed)
    block.data[CLUSTER_BARRIER, int(block.numbers[0])] = passed


@THREADS.runs("nvvm.cluster.wait", is_aligned=flag("aligned"))
def run_cluster_wait(block: CtaThreads, *, is_aligned: bool) -> None:
    """Waits for all threads of the cluster."""
    _check_aligned(block, is_aligned)
    passed = block.data.pop((CLUSTER_BARRIER, int(block.numbers[0])), None)
    if passed is None:
        raise ExecutionError("waits at the barrier of the cluster without having arrived")
    block.wait_at(CLUSTER_BARRIER, block.cluster_threads(), passed)
    block.cluster.met.update(int(warp) for warp in block.warps)


THREADS.runs("nvvm.mapa")(address_in_cluster)


@THREADS.runs("nvvm.bar.warp.sync")
def run_warp_barrier(block: CtaThreads, lanes: Array) -> None:
    """A barrier of the lanes of a mask."""
    block.meet_warps(lanes)


@THREADS.binds("gpu.all_reduce")
def bind_all_reduce(op: Operation, program: BoundProgram) -> Direct:
    """Combines the values of all threads of the block, those of the first ones first."""
    (operand,), (result,) = program.all(op.operands), program.all(op.results)
    kind = word_of(op, "op")
    body = None if kind else program.bind_block(op.regions[0].block)

    def step(frame: CallFrame) -> None:
        def combine(a: Value, b: Value) -> Value:
            if body is None:
                return combiner(kind, element_of(op.results[0].type))(a, b)
            return body.run(frame, [a, b]).values[0]

        block: CtaThreads = frame.block
        _check_together(block)
        block.sync_threads(op)
        values = block.full(frame.registers[operand])
        parts = [values[thread : thread + 1] for thread in range(block.threads)]
        frame.registers[result] = reduce(combine, parts)

    return Direct(step)


# Output


@THREADS.runs(
    "gpu.printf",
    text=word("format"),
    elements=lambda op: [element_of(value.type) for value in op.operands],
)
def run_printf(block: CtaThreads, *values: Value, text: str, elements: Sequence[Attribute]) -> None:
    """Prints values, one thread after the other."""
    parts = [block.full(value) for value in values]
    for thread in np.flatnonzero(block.active_mask()):
        block.write(format_values(text, [np.asarray(part[thread]) for part in parts], elements))
