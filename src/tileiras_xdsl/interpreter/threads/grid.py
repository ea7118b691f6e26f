"""
Where a thread is, barriers of the CTA, output, calls of functions that the device has, and cluster
launch control: a cluster that runs takes over the work of one that has not begun.

The answer to a request is 16 bytes that come to shared memory as those of a copy do: nobody may
read them before their barrier says so, and who read them must have fenced and arrived before the
next ones come. Its encoding is our own: whether a cluster was canceled, and the index of its first
CTA. In a random run requests are refused although there are clusters left, which begin later then.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from random import Random
from typing import Any, Final

import numpy as np
from xdsl.dialects.builtin import f64, i32, i64
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm.warp import CLOCKS, PREFIX, SPECIAL_REGISTERS
from tileiras_xdsl.interpreter.arithmetic import LIBDEVICE, combiner
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import (
    THREADS,
    BoundProgram,
    CallFrame,
    Direct,
    Function,
    InCta,
    slots,
)
from tileiras_xdsl.interpreter.output import CONVERSION, format_values
from tileiras_xdsl.interpreter.values import (
    Array,
    Value,
    alike,
    dtype_of_type,
    element_of,
    flag,
    from_rows,
    property_of,
    row_bits,
    word,
    word_of,
)

from . import accesses
from .accesses import GENERIC, How, lanes_of
from .cluster import CTA_SPAN, address_in_cluster
from .pointers import memref_address
from .shadow import WARP
from .state import CLUSTER_BARRIER, CtaThreads
from .tensor_copies import begin_load
from .tensor_maps import CHUNK

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


# Assertions, and calls of functions that the device has: output, and those of libdevice

LONG = re.compile(r"l|j|z|t")
"""Sizes of integers that have 64 bits."""


def _fail(cta: CtaThreads, message: str, failed: Array) -> None:
    thread = cta.names.thread(cta.numbers[np.argmax(failed)])
    raise ExecutionError(f"failed: {message} ({thread})")


@THREADS.runs("cf.assert", message=word("msg"))
def run_assert(cta: CtaThreads, condition: Array, *, message: str) -> None:
    """Ends the program unless a condition holds for all threads."""
    failed = ~cta.full(condition) & cta.active_mask()
    if failed.any():
        _fail(cta, message, failed)


@THREADS.runs("llvm.intr.trap")
def run_trap(cta: CtaThreads) -> None:
    """Ends the program; what it printed before says why."""
    _fail(cta, cta.last_line.strip() or "trap", cta.active_mask())


@THREADS.binds("llvm.call", "func.call")
def bind_call(op: Operation, program: BoundProgram) -> Function | InCta:
    """A function that the device has."""
    callee = property_of(op, "callee")
    name = "" if callee is None else str(callee).removeprefix("@").strip('"')
    if name == "vprintf":
        return InCta(partial(_vprintf, How(op, GENERIC)))
    if name == "__assertfail":
        return InCta(_assertfail)
    if name == "malloc":
        return InCta(_malloc)
    if name == "free":
        return InCta(_free)
    function = LIBDEVICE.get(name) or LIBDEVICE.get(name.removesuffix("f"))
    if function is None or not op.operands:
        raise ExecutionError(f"a call of '{name}' cannot be run on the CPU", op)
    element = element_of(op.operands[0].type)
    return lambda *values: function(element, *alike(values))


def _malloc(cta: CtaThreads, size: Array) -> Array:
    """Memory on the heap of the device, for each thread that executes; it holds nothing yet."""
    sizes, addresses = cta.full(size), np.zeros(cta.threads, np.int64)
    for thread in np.flatnonzero(cta.active_mask()):
        addresses[thread] = cta.memory.allocate(int(sizes[thread]), "the heap of the device")
    return addresses


def _free(cta: CtaThreads, address: Array) -> None:
    """Gives memory back."""
    for place in cta.full(address)[cta.active_mask()]:
        if not cta.memory.free(int(place)):
            raise ExecutionError(f"frees address {int(place):#x}, where no memory begins")


def _text_at(cta: CtaThreads, address: Array) -> str:
    """The characters in memory up to a zero."""
    place = cta.uniform(address, "the address of a text")
    piece = cta.memory.find(place)
    if piece is None:
        raise ExecutionError(f"there is no text at address {place:#x}")
    return piece.data[place - piece.base :].tobytes().partition(b"\0")[0].decode(errors="replace")


def _types_of(fmt: str) -> list[Attribute]:
    """The types of the values that a format takes."""
    types: list[Attribute] = []
    for conversion in CONVERSION.findall(fmt):
        match conversion[-1]:
            case "%":
                continue
            case kind if kind in "eEfFgGaA":
                types.append(f64)
            case kind if kind in "ps" or LONG.search(conversion):
                types.append(i64)
            case _:
                types.append(i32)
    return types


def _vprintf(how: How, cta: CtaThreads, fmt: Array, values: Array) -> Array:
    """Prints values that lie in memory one after the other, each aligned to its size."""
    text = _text_at(cta, fmt)
    types = _types_of(text)
    arrays: list[Array] = []
    offset = 0
    for ty in types:
        size = row_bits(ty) // 8
        offset = -(-offset // size) * size
        lanes = lanes_of(cta, values + offset, None)
        arrays.append(from_rows(accesses.load(how, cta, lanes, size), ty))
        offset += size
    for thread in np.flatnonzero(cta.active_mask()):
        cta.write(format_values(text, [array[thread] for array in arrays], types))
    return np.array([len(types)], np.int32)


def _assertfail(cta: CtaThreads, message: Array, *place: Array) -> None:
    """Ends the program."""
    _fail(cta, _text_at(cta, message), cta.active_mask())


@THREADS.binds("llvm.inline_asm")
def bind_inline_asm(op: Operation, program: BoundProgram) -> Function:
    """PTX, which has no meaning here."""
    text = property_of(op, "asm_string")
    raise ExecutionError(f"inline assembly cannot be run on the CPU: {text}", op)


REFUSES: Final = 0.2
"""How likely a request is refused in a random run, though a cluster is left."""
QUERIES: Final = {
    "get_first_cta_id_x": 1,
    "get_first_cta_id_y": 2,
    "get_first_cta_id_z": 3,
}
"""Which word of an answer is asked for."""
REFUSED: Final = "refused"
"""Where a cluster keeps that it knows that nothing is left."""


@dataclass
class Launches:
    """The clusters of a grid that have not begun."""

    left: deque[tuple[int, int, int]]
    sizes: tuple[int, int, int]
    """CTAs of a cluster."""
    random: Random | None = None

    def begin(self, count: int) -> list[tuple[int, int, int]]:
        """Some of them begin."""
        return [self.left.popleft() for _ in range(min(count, len(self.left)))]

    def cancel(self) -> tuple[int, int, int] | None:
        """The index of the first CTA of one that will not begin; `None` if it is refused."""
        if not self.left or (self.random is not None and self.random.random() < REFUSES):
            return None
        x, y, z = (n * size for n, size in zip(self.left.popleft(), self.sizes, strict=True))
        return x, y, z


def _check_fenced(op: Operation, cta: CtaThreads, offset: int) -> None:
    """Raises if threads have read the answer before, and not fenced since."""
    clocks, shadow = cta.clocks, cta.shared.shadow
    reads: dict[Any, Any] = getattr(shadow, "last_reads", {})
    if clocks is None or shadow is None:
        return
    cells = shadow.cells(np.array([offset]), CHUNK)
    for (kind, _), stamps in reads.items():
        if kind != "warp":
            continue
        found = stamps[cells]
        parties = found & clocks.parties - 1
        hidden = found >> clocks.bits > clocks.fenced[cta.number, clocks.thread_of[parties]]
        if hidden.any():
            who = clocks.name(int(parties[hidden][0]))
            raise ExecutionError(
                f"overwrites an answer that {who} has read in "
                f"{shadow.log.other(offset, CHUNK)}, without a proxy fence in between"
            )


@THREADS.binds("nvvm.clusterlaunchcontrol.try.cancel")
def bind_try_cancel(op: nvvm.TryCancelOp, program: BoundProgram) -> InCta:
    """Asks for the work of a cluster that has not begun."""
    goes_to_all = op.multicast is not None

    def apply(cta: CtaThreads, address: Array, barrier: Value) -> None:
        rows = np.flatnonzero(cta.active_mask())
        if len(rows) != 1:
            raise ExecutionError(f"is issued by {len(rows)} threads, once for each")
        if cta.cluster.data.get(REFUSED):
            raise ExecutionError("asks again after it was refused")
        assert cta.launches is not None
        thread = int(cta.numbers[rows[0]])
        found = cta.launches.cancel()
        answer = np.array([[0, -1, -1, -1] if found is None else [1, *found]], np.int32)
        place = int(cta.full(address)[rows[0]])
        signal = int(cta.full(memref_address(barrier))[rows[0]])
        if place % CHUNK:
            raise ExecutionError(f"the answer at {place:#x} is not aligned to {CHUNK} bytes")
        targets: Sequence[CtaThreads] = cta.cluster.ctas if goes_to_all else [cta]
        for target in targets:
            offset = place % CTA_SPAN - target.shared.base % CTA_SPAN
            if not 0 <= offset <= len(target.shared.data) - CHUNK:
                raise ExecutionError(f"the answer at {place:#x} is not in shared memory")
            _check_fenced(op, target, offset)
            there = signal % CTA_SPAN + target.rank * CTA_SPAN
            data = answer.view(np.uint8)
            begin_load(op, target, there, np.array([offset]), data, thread)
        cta.happened()

    return InCta(apply)


@THREADS.runs("nvvm.clusterlaunchcontrol.query.cancel", query=word("query"))
def run_query_cancel(cta: CtaThreads, answer: Array, *, query: str) -> Array:
    """What an answer says."""
    words = np.ascontiguousarray(answer).view(np.int32).reshape(len(answer), 4)
    if query != "is_canceled":
        asked = words if len(words) == 1 else words[cta.active_mask()]
        if (asked[:, 0] == 0).any():
            raise ExecutionError("asks which CTA was canceled, but the request was refused")
        return words[:, QUERIES[query]]
    is_canceled = words[:, 0] != 0
    asked = is_canceled if len(words) == 1 else is_canceled[cta.active_mask()]
    if not asked.all():
        cta.cluster.data[REFUSED] = True
    return is_canceled
