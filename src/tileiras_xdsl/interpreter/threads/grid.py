"""Where a thread is, barriers of the CTA, and output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvvm.registers import CLOCKS, PREFIX, SPECIAL_REGISTERS
from tileiras_xdsl.interpreter.arithmetic import combiner
from tileiras_xdsl.interpreter.attributes import flag, word, word_of
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import (
    THREADS,
    BoundProgram,
    CallFrame,
    Direct,
    InCta,
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
    "tid": lambda cta, axis: cta.thread_ids[axis],
    "ntid": lambda cta, axis: cta.sizes[axis],
    "ctaid": lambda cta, axis: cta.index[axis],
    "nctaid": lambda cta, axis: cta.grid[axis],
    "clusterid": lambda cta, axis: cta.index[axis] // cta.cluster.sizes[axis],
    "nclusterid": lambda cta, axis: cta.grid[axis] // cta.cluster.sizes[axis],
    "cluster.ctaid": lambda cta, axis: cta.index[axis] % cta.cluster.sizes[axis],
    "cluster.nctaid": lambda cta, axis: cta.cluster.sizes[axis],
    "global": lambda cta, axis: cta.index[axis] * cta.sizes[axis] + cta.thread_ids[axis],
}
"""Coordinates of a thread along an axis, by their names in PTX."""
SCALARS: dict[str, Callable[[CtaThreads], Any]] = {
    "laneid": lambda cta: cta.lanes,
    "warpid": lambda cta: cta.warps - cta.first // WARP,
    "warpsize": lambda cta: WARP,
    "nwarpid": lambda cta: -(-cta.size // WARP),
    "lanemask.eq": lambda cta: 1 << cta.lanes,
    "lanemask.lt": lambda cta: (1 << cta.lanes) - 1,
    "lanemask.le": lambda cta: (2 << cta.lanes) - 1,
    "lanemask.gt": lambda cta: ALL_ONES & ~((2 << cta.lanes) - 1),
    "lanemask.ge": lambda cta: ALL_ONES & ~((1 << cta.lanes) - 1),
    "cluster.ctarank": lambda cta: cta.rank,
    "cluster.nctarank": lambda cta: cta.cluster.size,
    # CTAs that run concurrently may fill an SM each.
    "smid": lambda cta: cta.first // cta.size,
    "nsmid": lambda cta: max(cta.sm_count, cta.cluster.size * cta.cluster.together),
    "total_smem_size": lambda cta: len(cta.shared.data),
    "dynamic_smem_size": lambda cta: cta.shared.end - cta.addresses["dynamic shared memory"],
    **dict.fromkeys(CLOCKS, lambda cta: cta.read_clock()),
}
"""The other registers of a thread."""


def _register(cta: CtaThreads, name: str) -> Array:
    """A register of a thread, by its name in PTX, as an array of int64."""
    vector, _, axis = name.rpartition(".")
    if axis in "xyz":
        return np.atleast_1d(COORDINATES[vector](cta, "xyz".index(axis)))
    if name not in SCALARS:
        raise ExecutionError(f"register '{name}' cannot be read on the CPU")
    return np.atleast_1d(SCALARS[name](cta))


@THREADS.runs(
    *(f"{PREFIX}{register}" for register in SPECIAL_REGISTERS),
    name=lambda op: op.name.removeprefix(PREFIX),
    dtype=lambda op: dtype_of_type(op.results[0].type),
)
def run_register(cta: CtaThreads, *, name: str, dtype: np.dtype[Any]) -> Array:
    """A special register."""
    return _register(cta, name).astype(dtype)


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
def run_query(cta: CtaThreads, *, name: str) -> Array:
    """Where a thread is."""
    return _register(cta, name)


# Barriers


@THREADS.runs("gpu.barrier", "nvvm.barrier0", "nvvm.bar.sync.aligned")
def run_barrier(cta: CtaThreads, *identifier: Array, op: Operation) -> None:
    """A barrier of all threads of the CTA."""
    cta.sync_threads(op)


@THREADS.binds("nvvm.barrier")
def bind_named_barrier(op: Operation, program: BoundProgram) -> InCta:
    """A named barrier, which may reduce predicates."""
    reduction = word_of(op, "reduction")

    def apply(
        cta: CtaThreads, name: Array | None, count: Array | None, predicate: Array | None
    ) -> Array | None:
        if count is None:
            cta.sync_threads(op)
        else:
            threads = cta.uniform(count, "the number of threads")
            number = 0 if name is None else cta.uniform(name, "the barrier")
            cta.meet_some(number, threads, waits=True)
        if predicate is None:
            return None
        _check_together(cta)
        flags = cta.full(predicate)
        match reduction:
            case "popc":
                return np.array([flags.sum()], np.int32)
            case "and":
                return np.array([flags.all()])
            case _:
                return np.array([flags.any()])

    return InCta(apply, slots(op, "id thread_count predicate"))


def _check_together(cta: CtaThreads) -> None:
    """Raises if threads cannot see each other's values, because they run apart."""
    if cta.is_apart:
        raise ExecutionError("cannot be run on the CPU in a kernel whose warps wait for each other")


@THREADS.runs("nvvm.barrier.arrive")
def run_barrier_arrive(cta: CtaThreads, name: Array, count: Array) -> None:
    """Arrives at a named barrier."""
    number = cta.uniform(name, "the barrier")
    expected = cta.uniform(count, "the number of threads")
    cta.meet_some(number, expected, waits=False)


def _check_aligned(cta: CtaThreads, is_aligned: bool) -> None:
    """Raises if threads of a warp do not come to an op that all of them execute."""
    if is_aligned:
        cta.check_lanes(np.array([0xFFFFFFFF]))


@THREADS.runs(
    "nvvm.cluster.arrive",
    "nvvm.cluster.arrive.relaxed",
    is_relaxed=lambda op: op.name.endswith("relaxed"),
    is_aligned=flag("aligned"),
)
def run_cluster_arrive(cta: CtaThreads, *, is_relaxed: bool, is_aligned: bool) -> None:
    """Arrives at the barrier of the cluster; if it is relaxed, memory is not ordered."""
    _check_aligned(cta, is_aligned)
    expected = cta.cluster_threads()
    passed = cta.arrive_at(CLUSTER_BARRIER, expected, is_relaxed=is_relaxed)
    cta.data[CLUSTER_BARRIER, int(cta.numbers[0])] = passed


@THREADS.runs("nvvm.cluster.wait", is_aligned=flag("aligned"))
def run_cluster_wait(cta: CtaThreads, *, is_aligned: bool) -> None:
    """Waits for all threads of the cluster."""
    _check_aligned(cta, is_aligned)
    passed = cta.data.pop((CLUSTER_BARRIER, int(cta.numbers[0])), None)
    if passed is None:
        raise ExecutionError("waits at the barrier of the cluster without having arrived")
    cta.wait_at(CLUSTER_BARRIER, cta.cluster_threads(), passed)
    cta.cluster.met.update(int(warp) for warp in cta.warps)


THREADS.runs("nvvm.mapa")(address_in_cluster)


@THREADS.runs("nvvm.bar.warp.sync")
def run_warp_barrier(cta: CtaThreads, lanes: Array) -> None:
    """A barrier of the lanes of a mask."""
    cta.meet_warps(lanes)


@THREADS.binds("gpu.all_reduce")
def bind_all_reduce(op: Operation, program: BoundProgram) -> Direct:
    """Combines the values of all threads of the CTA, those of the first ones first."""
    (operand,), (result,) = program.all(op.operands), program.all(op.results)
    kind = word_of(op, "op")
    body = None if kind else program.bind_block(op.regions[0].block)

    def step(frame: CallFrame) -> None:
        def combine(a: Value, b: Value) -> Value:
            if body is None:
                return combiner(kind, element_of(op.results[0].type))(a, b)
            return body.run(frame, [a, b]).values[0]

        cta: CtaThreads = frame.cta
        _check_together(cta)
        cta.sync_threads(op)
        values = cta.full(frame.registers[operand])
        parts = [values[thread : thread + 1] for thread in range(cta.threads)]
        frame.registers[result] = reduce(combine, parts)

    return Direct(step)


# Output


@THREADS.runs(
    "gpu.printf",
    text=word("format"),
    elements=lambda op: [element_of(value.type) for value in op.operands],
)
def run_printf(cta: CtaThreads, *values: Value, text: str, elements: Sequence[Attribute]) -> None:
    """Prints values, one thread after the other."""
    parts = [cta.full(value) for value in values]
    for thread in np.flatnonzero(cta.active_mask()):
        cta.write(format_values(text, [np.asarray(part[thread]) for part in parts], elements))
