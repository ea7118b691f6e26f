"""
Asynchronous copies of elements.

A copy reads at once, but writes only when its thread waits for its group; until then nobody may
touch the bytes it writes. After that it counts as a write of that thread, so that others need a
barrier before they read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCopyOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentCpAsyncOp
from tileiras_xdsl.interpreter.errors import ExecutionError, place_of
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, CallFrame, InCta, Step, slots
from tileiras_xdsl.interpreter.values import Array, Bytes, Integers, Value, has_results, integer_of

from . import accesses
from .accesses import GLOBAL, SHARED, How, Lanes, lanes_of, space_of
from .pointers import memref_address
from .shadow import Touch
from .state import CtaThreads

# Accumulators of WGMMAs that are in flight.
#
# The values are computed when a WGMMA is issued, but may not be used before a wait. An array that
# holds them knows its WGMMA; all ops but those that only move values report its use.


@dataclass
class IssuedWgmma:
    """A WGMMA that a warp has issued."""

    op: Operation
    group: int
    """The number of its group among those of its warp."""
    is_over: bool = False


class InFlight(np.ndarray[Any, np.dtype[Any]]):
    """An array that a WGMMA in flight writes."""

    wgmma: IssuedWgmma | None

    def __array_finalize__(self, obj: npt.NDArray[Any] | None) -> None:
        self.wgmma = getattr(obj, "wgmma", None)


MOVES = (
    *("nvvm.wgmma.mma_async", "nvvm.wgmma.wait.group.sync.aligned"),
    *("nvgpu.warpgroup.mma", "nvgpu.warpgroup.wait"),
    *("vector.extract_strided_slice", "vector.insert_strided_slice"),
    *("vector.shuffle", "llvm.shufflevector", "llvm.insertvalue", "llvm.extractvalue"),
    *("builtin.unrealized_conversion_cast", "vector.shape_cast"),
)
"""Ops that may see results in flight, because they become no instruction."""


def has_wgmma(kernel: Operation) -> bool:
    """Whether a kernel has asynchronous WGMMAs."""
    names = ("nvvm.wgmma.mma_async", "nvgpu.warpgroup.mma")
    return any(op.name in names for op in kernel.walk())


def begun(values: Array, wgmma: IssuedWgmma) -> Array:
    """The result of a WGMMA that was issued."""
    result = values.view(InFlight)
    result.wgmma = wgmma
    return result


def wgmma_of(value: Value) -> IssuedWgmma | None:
    """The WGMMA in flight that a value is the result of."""
    if isinstance(value, tuple):
        found = (wgmma_of(part) for part in cast(tuple[Value, ...], value))
        return next((wgmma for wgmma in found if wgmma is not None), None)
    if not isinstance(value, InFlight) or value.wgmma is None or value.wgmma.is_over:
        return None
    return value.wgmma


def landed(value: Value) -> Value:
    """A value that is about to be used; raises if a WGMMA in flight still writes it."""
    if isinstance(value, tuple):
        return tuple(landed(part) for part in cast(tuple[Value, ...], value))
    if not isinstance(value, InFlight):
        return value
    wgmma = wgmma_of(value)
    if wgmma is not None:
        place = place_of(wgmma.op).rstrip(": ")
        raise ExecutionError(
            f"uses the result of '{wgmma.op.name}'{f' at {place}' if place else ''} that nobody "
            "has waited for"
        )
    return value.view(np.ndarray)


def passed_on(result: Array, *sources: Value) -> Array:
    """A value made by moving others around, some of which may be in flight."""
    for source in sources:
        wgmma = wgmma_of(source)
        if wgmma is not None:
            return begun(result, wgmma)
    return result


def guard_of(program: BoundProgram, op: Operation) -> Step | None:
    """A step in front of an op whose operands must not be in flight."""
    if not op.operands or op.regions or op.name in MOVES:
        return None
    operands = program.all(op.operands)

    def guard(frame: CallFrame) -> None:
        registers = frame.registers
        for operand in operands:
            value = registers[operand]
            if isinstance(value, InFlight | tuple):
                registers[operand] = landed(value)

    return guard


COPY_SIZES = (4, 8, 16)


# Copies


@dataclass
class ThreadCopy:
    """Copies of threads that are on their way."""

    op: Operation
    offsets: Integers
    data: Bytes
    threads: Integers
    groups: Integers
    """The number of the group of each, among those of its thread."""


@dataclass
class Copies:
    """The copies of a CTA."""

    committed: Integers
    """How many groups each thread has made."""
    waiting: list[ThreadCopy] = field(default_factory=list[ThreadCopy])

    @staticmethod
    def of(cta: CtaThreads) -> Copies:
        found = cta.data.get("copies")
        if found is None:
            found = cta.data["copies"] = Copies(np.zeros(cta.first + cta.size, np.int64))
        return cast(Copies, found)

    def begin(self, op: Operation, cta: CtaThreads, target: Array, data: Bytes) -> None:
        """Active threads begin to copy rows of bytes."""
        lanes = lanes_of(cta, target, None)
        size = data.shape[1]
        accesses.check_alignment(cta, lanes, size, "copies to")
        offsets = lanes.addresses - cta.shared.base
        outside = (offsets < 0) | (offsets + size > len(cta.shared.data))
        if outside.any():
            index = int(np.argmax(outside))
            raise ExecutionError(
                f"{cta.names.thread(lanes.threads[index])} copies {size} bytes to offset "
                f"{offsets[index]} of shared memory, which has {len(cta.shared.data)} bytes"
            )
        if cta.shared.shadow is not None:
            cta.shared.shadow.begin_arrival(Touch(op, offsets, size, lanes.threads))
        rows = data if lanes.chosen is None else data[lanes.chosen]
        groups = self.committed[lanes.threads]
        self.waiting.append(ThreadCopy(op, offsets, rows, lanes.threads, groups))

    def commit(self, cta: CtaThreads) -> None:
        """Active threads make a group of what they have begun."""
        self.committed[cta.active_threads()] += 1

    def wait(self, cta: CtaThreads, groups: int | None) -> None:
        """Active threads wait until this many of their groups are left, or for all they began."""
        active = np.zeros(cta.first + cta.size, np.bool_)
        active[cta.active_threads()] = True
        remaining: list[ThreadCopy] = []
        for copy in self.waiting:
            done = active[copy.threads]
            if groups is not None:
                done &= copy.groups < self.committed[copy.threads] - groups
            if done.any():
                _finish(cta, copy, done)
            if not done.all():
                left = ~done
                parts = (copy.offsets[left], copy.data[left], copy.threads[left], copy.groups[left])
                remaining.append(ThreadCopy(copy.op, *parts))
        self.waiting = remaining


def _finish(cta: CtaThreads, copy: ThreadCopy, done: Array) -> None:
    offsets, data, threads = copy.offsets[done], copy.data[done], copy.threads[done]
    if cta.shared.shadow is not None:
        cta.shared.shadow.end_arrival(offsets, data.shape[1])
    lanes = Lanes(offsets + cta.shared.base, threads, None, len(offsets))
    accesses.store(How(copy.op, SHARED), cta, lanes, data)


def _read(
    op: Operation, cta: CtaThreads, space: int, source: Array, size: int, taken: Array | None
) -> Bytes:
    """The bytes that threads copy: this many of the source, then zeros."""
    if taken is None:
        return accesses.load(How(op, space), cta, lanes_of(cta, source, None), size)
    given = cta.full(taken)
    data = np.zeros((cta.threads, size), np.uint8)
    for length in np.unique(given[cta.active_mask()]):
        if not 0 <= length <= size:
            raise ExecutionError(f"takes {length} of {size} bytes")
        if length:
            lanes = lanes_of(cta, source, given == length)
            part = accesses.load(How(op, space, 1), cta, lanes, int(length))
            data[:, :length] |= part
    return data


def _copy_size(cta: CtaThreads, size: Array) -> int:
    number = cta.uniform(size, "the size of a copy")
    if number not in COPY_SIZES:
        raise ExecutionError(f"copies 4, 8 or 16 bytes, not {number}")
    return number


@THREADS.runs("nvvm.cp.async.shared.global")
def run_cp_async(
    cta: CtaThreads, target: Array, source: Array, size: Array, *taken: Array, op: Operation
) -> None:
    """Begins to copy a few bytes from global to shared memory."""
    given = taken[0] if taken else None
    data = _read(op, cta, GLOBAL, source, _copy_size(cta, size), given)
    Copies.of(cta).begin(op, cta, target, data)


def begin_pieces(
    how: How, cta: CtaThreads, target: Array, source: Array, mask: Array | None, size: int
) -> None:
    """
    Begins to copy pieces of this many bytes; those that the mask leaves out are zeros. A mask of
    integers says how many bytes of a piece are read.
    """
    target, source = cta.full(target), cta.full(source)
    mask = None if mask is None else cta.full(mask)
    for index in range(target.shape[1]):
        wanted = None if mask is None else mask[:, index]
        if wanted is not None and wanted.dtype != np.bool_:
            data = _read(how.op, cta, GLOBAL, source[:, index], size, wanted)
        else:
            data = accesses.load(how, cta, lanes_of(cta, source[:, index], wanted), size)
        Copies.of(cta).begin(how.op, cta, target[:, index], data)


@THREADS.binds("nvvm.fragment.cp_async")
def bind_fragment_copy(op: FragmentCpAsyncOp, program: BoundProgram) -> InCta:
    """Begins to copy pieces of global memory to shared memory."""
    how, size = How(op, GLOBAL), op.bytes.value.data

    def apply(cta: CtaThreads, target: Array, source: Array, mask: Array | None) -> None:
        begin_pieces(how, cta, target, source, mask, size)

    return InCta(apply, slots(op, "dst src mask"))


@THREADS.binds("nvgpu.device_async_copy")
def bind_device_copy(op: DeviceAsyncCopyOp, program: BoundProgram) -> InCta:
    """Begins to copy a few bytes from global to shared memory."""
    space = space_of(op.src.type)

    def apply(cta: CtaThreads, source: Value, target: Value, size: Array) -> None:
        data = _read(op, cta, space, memref_address(source), _copy_size(cta, size), None)
        Copies.of(cta).begin(op, cta, memref_address(target), data)

    return InCta(apply)


@THREADS.runs(
    "nvvm.cp.async.commit.group", "nvgpu.device_async_create_group", has_result=has_results
)
def run_commit(cta: CtaThreads, *tokens: Value, has_result: bool) -> Value:
    """Makes a group of the copies begun."""
    Copies.of(cta).commit(cta)
    return None if has_result else ()


@THREADS.runs(
    *("nvvm.cp.async.wait.group", "nvgpu.device_async_wait"),
    groups=lambda op: integer_of(op, "groups" if "nvvm" in op.name else "numGroups", 0),
)
def run_wait_group(cta: CtaThreads, *tokens: Value, groups: int) -> None:
    """Waits until this many groups are left."""
    Copies.of(cta).wait(cta, groups)


@THREADS.runs("nvvm.cp.async.wait.all")
def run_wait_all(cta: CtaThreads) -> None:
    """Waits for all copies."""
    Copies.of(cta).wait(cta, None)
