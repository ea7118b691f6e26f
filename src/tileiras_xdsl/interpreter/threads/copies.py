"""
Asynchronous copies of elements, and barriers in shared memory.

A copy reads at once, but writes only when its thread waits for its group; until then nobody may
touch the bytes it writes. After that it counts as a write of that thread, so that others need a
barrier before they read.

Barriers in shared memory are kept beside it. Lanes of a warp run in lockstep, so one that waits
for what another lane does on the other side of a branch waits forever: this is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter.errors import ExecutionError

from . import accesses
from .accesses import GLOBAL, SHARED, Lanes, lanes_of, space_of
from .attributes import integer_of
from .machine import InBlock, Program, binds, query
from .pointers import memref_address
from .state import BlockState
from .values import Array, Bytes, Integers, Value

COPY_SIZES = (4, 8, 16)


# Copies


@dataclass
class Copy:
    """Copies of threads that are on their way."""

    op: Operation
    offsets: Integers
    data: Bytes
    threads: Integers
    groups: Integers
    """The number of the group of each, among those of its thread."""


@dataclass
class Copies:
    """The copies of a block."""

    committed: Integers
    """How many groups each thread has made."""
    waiting: list[Copy] = field(default_factory=list[Copy])

    @staticmethod
    def of(block: BlockState) -> Copies:
        found = block.data.get("copies")
        if found is None:
            found = block.data["copies"] = Copies(np.zeros(block.threads, np.int64))
        return cast(Copies, found)

    def begin(self, op: Operation, block: BlockState, target: Array, data: Bytes) -> None:
        """Active threads begin to copy rows of bytes."""
        lanes = lanes_of(block, target, None)
        size = data.shape[1]
        accesses.check_alignment(lanes, size, "copies to")
        offsets = lanes.addresses - block.shared.base
        outside = (offsets < 0) | (offsets + size > len(block.shared.data))
        if outside.any():
            index = int(np.argmax(outside))
            raise ExecutionError(
                f"thread {lanes.threads[index]} copies {size} bytes to offset {offsets[index]} of "
                f"shared memory, which has {len(block.shared.data)} bytes"
            )
        if block.shared.shadow is not None:
            block.shared.shadow.begin_arrival(op, offsets, size, lanes.threads)
        rows = data if lanes.chosen is None else data[lanes.chosen]
        groups = self.committed[lanes.threads]
        self.waiting.append(Copy(op, offsets, rows, lanes.threads, groups))

    def commit(self, block: BlockState) -> None:
        """Active threads make a group of what they have begun."""
        self.committed[block.active_mask()] += 1

    def wait(self, block: BlockState, groups: int | None) -> None:
        """Active threads wait until so many of their groups are left, or for all they began."""
        active = block.active_mask()
        remaining: list[Copy] = []
        for copy in self.waiting:
            done = active[copy.threads]
            if groups is not None:
                done &= copy.groups < self.committed[copy.threads] - groups
            if done.any():
                _finish(block, copy, done)
            if not done.all():
                left = ~done
                parts = (copy.offsets[left], copy.data[left], copy.threads[left], copy.groups[left])
                remaining.append(Copy(copy.op, *parts))
        self.waiting = remaining


def _finish(block: BlockState, copy: Copy, done: Array) -> None:
    offsets, data, threads = copy.offsets[done], copy.data[done], copy.threads[done]
    if block.shared.shadow is not None:
        block.shared.shadow.end_arrival(offsets, data.shape[1])
    lanes = Lanes(offsets + block.shared.base, threads, None, len(offsets))
    accesses.store(copy.op, block, SHARED, lanes, data)


def _read(
    op: Operation, block: BlockState, space: int, source: Array, size: int, taken: Array | None
) -> Bytes:
    """The bytes that threads copy: so many of the source, then zeros."""
    if taken is None:
        return accesses.load(op, block, space, lanes_of(block, source, None), size)
    given = block.full(taken)
    data = np.zeros((block.threads, size), np.uint8)
    for length in np.unique(given[block.active_mask()]):
        if not 0 <= length <= size:
            raise ExecutionError(f"takes {length} of {size} bytes")
        if length:
            lanes = lanes_of(block, source, given == length)
            part = accesses.load(op, block, space, lanes, int(length), 1)
            data[:, :length] |= part
    return data


def _copy_size(block: BlockState, size: Array) -> int:
    number = block.uniform(size, "the size of a copy")
    if number not in COPY_SIZES:
        raise ExecutionError(f"copies 4, 8 or 16 bytes, not {number}")
    return number


@binds("nvvm.cp.async.shared.global")
def bind_cp_async(op: Operation, program: Program) -> InBlock:
    """Begins to copy a few bytes from global to shared memory."""

    def apply(
        block: BlockState, target: Array, source: Array, size: Array, *taken: Array
    ) -> tuple[()]:
        given = taken[0] if taken else None
        data = _read(op, block, GLOBAL, source, _copy_size(block, size), given)
        Copies.of(block).begin(op, block, target, data)
        return ()

    return InBlock(apply)


@binds("nvgpu.device_async_copy")
def bind_device_copy(op: Operation, program: Program) -> InBlock:
    """Begins to copy a few bytes from global to shared memory."""
    space = space_of(op.operands[0].type)

    def apply(block: BlockState, source: Value, target: Value, size: Array) -> None:
        data = _read(op, block, space, memref_address(source), _copy_size(block, size), None)
        Copies.of(block).begin(op, block, memref_address(target), data)

    return InBlock(apply)


@binds("nvvm.cp.async.commit.group", "nvgpu.device_async_create_group")
def bind_commit(op: Operation, program: Program) -> InBlock:
    """Makes a group of the copies begun."""
    has_result = bool(op.results)

    def apply(block: BlockState, *tokens: Value) -> Value:
        Copies.of(block).commit(block)
        return None if has_result else ()

    return InBlock(apply)


@binds("nvvm.cp.async.wait.group", "nvgpu.device_async_wait")
def bind_wait_group(op: Operation, program: Program) -> InBlock:
    """Waits until so many groups are left."""
    name = "groups" if op.name == "nvvm.cp.async.wait.group" else "numGroups"
    groups = integer_of(op, name, 0)

    def apply(block: BlockState, *tokens: Value) -> tuple[()]:
        Copies.of(block).wait(block, groups)
        return ()

    return InBlock(apply)


@binds("nvvm.cp.async.wait.all")
def bind_wait_all(op: Operation, program: Program) -> InBlock:
    """Waits for all copies."""

    def apply(block: BlockState) -> tuple[()]:
        Copies.of(block).wait(block, None)
        return ()

    return InBlock(apply)


# Barriers in shared memory


@dataclass
class MBarrier:
    """A barrier in shared memory."""

    expected: int
    """Arrivals of each phase."""
    pending: int
    """Arrivals that are missing in this phase."""
    phase: int = 0
    bytes: int = 0
    """Bytes that copies have still to bring in this phase."""
    arrived: set[int] = field(default_factory=set[int])
    """The threads that arrived in this phase."""
    released: set[int] = field(default_factory=set[int])
    """Those of the phase before."""

    def turn(self) -> None:
        """Goes on to the next phase if this one is complete."""
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.expected
            self.released, self.arrived = self.arrived, set()

    def arrive(self, thread: int, count: int) -> None:
        """A thread arrives."""
        if count > self.pending:
            raise ExecutionError(
                f"thread {thread} arrives on a barrier in shared memory that expects "
                f"{self.expected} arrivals, all of which have come"
            )
        self.pending -= count
        self.arrived.add(thread)
        self.turn()


def _barriers(block: BlockState) -> dict[int, MBarrier]:
    return cast(dict[int, MBarrier], block.data.setdefault("barriers", {}))


def _barrier_at(block: BlockState, address: int) -> MBarrier:
    found = _barriers(block).get(address)
    if found is None:
        raise ExecutionError(f"there is no barrier at {address:#x} of shared memory")
    return found


def _each(block: BlockState, address: Array) -> list[tuple[int, int]]:
    """Active threads, and the addresses they use."""
    places = block.full(address)
    return [(int(thread), int(places[thread])) for thread in np.flatnonzero(block.active_mask())]


@binds("nvgpu.mbarrier.create")
def bind_create(op: Operation, program: Program) -> InBlock:
    """The address of a barrier, which has been given its place before the run."""
    return query(lambda block: np.array([block.places[op]], np.int64))


@binds("nvvm.mbarrier.init.shared", "nvgpu.mbarrier.init")
def bind_init(op: Operation, program: Program) -> InBlock:
    """Sets a barrier up."""

    def apply(block: BlockState, address: Array, count: Array) -> tuple[()]:
        counts = block.full(count)
        for thread, place in _each(block, address):
            _barriers(block)[place] = MBarrier(int(counts[thread]), int(counts[thread]))
        return ()

    return InBlock(apply)


@binds("nvvm.mbarrier.inval.shared")
def bind_inval(op: Operation, program: Program) -> InBlock:
    """Ends a barrier."""

    def apply(block: BlockState, address: Array) -> tuple[()]:
        for place in {place for _, place in _each(block, address)}:
            _barrier_at(block, place)
            del _barriers(block)[place]
        return ()

    return InBlock(apply)


@binds(
    "nvvm.mbarrier.arrive.shared",
    "nvvm.mbarrier.arrive.nocomplete.shared",
    "nvgpu.mbarrier.arrive",
    "nvgpu.mbarrier.arrive.nocomplete",
)
def bind_arrive(op: Operation, program: Program) -> InBlock:
    """Arrives; yields the number of the phase."""

    def apply(block: BlockState, address: Array, *count: Array) -> Array:
        state = np.zeros(block.threads, np.int64)
        counts = block.full(count[0]) if count else np.ones(block.threads, np.int64)
        for thread, place in _each(block, address):
            barrier = _barrier_at(block, place)
            state[thread] = barrier.phase
            barrier.arrive(thread, int(counts[thread]))
        block.happened()
        return state

    return InBlock(apply)


@binds("nvvm.cp.async.mbarrier.arrive.shared")
def bind_copy_arrive(op: Operation, program: Program) -> InBlock:
    """Arrives when copies are done: they are done now."""
    noinc = integer_of(op, "noinc", 0) != 0

    def apply(block: BlockState, address: Array) -> tuple[()]:
        Copies.of(block).wait(block, None)
        for thread, place in _each(block, address):
            barrier = _barrier_at(block, place)
            if not noinc:
                barrier.pending += 1
            barrier.arrive(thread, 1)
        block.happened()
        return ()

    return InBlock(apply)


@binds("nvvm.mbarrier.arrive.expect_tx.shared", "nvgpu.mbarrier.arrive.expect_tx")
def bind_arrive_expect(op: Operation, program: Program) -> InBlock:
    """Expects bytes, and arrives."""

    def apply(block: BlockState, address: Array, size: Array) -> tuple[()]:
        sizes = block.full(size)
        for thread, place in _each(block, address):
            barrier = _barrier_at(block, place)
            barrier.bytes += int(sizes[thread])
            barrier.arrive(thread, 1)
        block.happened()
        return ()

    return InBlock(apply)


@binds("nvvm.mbarrier.expect_tx.shared")
def bind_expect(op: Operation, program: Program) -> InBlock:
    """Expects bytes."""

    def apply(block: BlockState, address: Array, size: Array) -> tuple[()]:
        sizes = block.full(size)
        for thread, place in _each(block, address):
            _barrier_at(block, place).bytes += int(sizes[thread])
        return ()

    return InBlock(apply)


def _passed(block: BlockState, address: Array, phases: Array, *, by_parity: bool) -> Array:
    """Whether phases are complete; what threads did before they arrived is then ordered."""
    done = np.zeros(block.threads, np.bool_)
    released: set[int] = set()
    for thread, place in _each(block, address):
        barrier = _barrier_at(block, place)
        if by_parity:
            done[thread] = barrier.phase % 2 != int(phases[thread])
        else:
            done[thread] = barrier.phase > int(phases[thread])
        if done[thread]:
            released |= barrier.released
    if released:
        who = np.array(sorted(released))
        for shadow in block.shadows():
            shadow.forget(who)
    return done


def _tested(block: BlockState, done: Array) -> Array:
    """The answer to who asks without waiting; others go on before the next question."""
    if (~done & block.active_mask()).any():
        block.pause()
    return done


@binds("nvvm.mbarrier.test.wait.shared", "nvgpu.mbarrier.test.wait")
def bind_test_wait(op: Operation, program: Program) -> InBlock:
    """Whether the phase of an arrival is complete."""

    def apply(block: BlockState, address: Array, state: Array) -> Array:
        return _tested(block, _passed(block, address, block.full(state), by_parity=False))

    return InBlock(apply)


@binds("nvvm.mbarrier.test.wait.parity.shared")
def bind_test_parity(op: Operation, program: Program) -> InBlock:
    """Whether the phase of a parity is complete."""

    def apply(block: BlockState, address: Array, parity: Array) -> Array:
        return _tested(block, _passed(block, address, block.full(parity), by_parity=True))

    return InBlock(apply)


@binds("nvvm.mbarrier.try_wait.parity.shared", "nvgpu.mbarrier.try_wait.parity")
def bind_try_wait(op: Operation, program: Program) -> InBlock:
    """Waits for the phase of a parity."""

    def apply(block: BlockState, address: Array, parity: Array, ticks: Array) -> Array:
        while True:
            done = _passed(block, address, block.full(parity), by_parity=True)
            stuck = ~done & block.active_mask()
            if not stuck.any():
                block.happened()
                return done
            if not block.pause():
                raise ExecutionError(
                    f"thread {int(np.argmax(stuck))} waits for a phase that nobody completes"
                )

    return InBlock(apply)
