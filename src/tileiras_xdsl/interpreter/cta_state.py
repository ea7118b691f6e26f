"""
What one CTA knows and does while it runs.

A buffer in its shared memory, at level 2, is an array that ops of `nv_tileas` change in place, all
of which get theirs from an allocation there. When an asynchronous copy is issued nobody knows what
the buffer holds, and when it is waited for it holds what was copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.ir import Attribute, Operation

from .accesses import ElementFormat
from .errors import ExecutionError, place_of
from .memory import Allocation, Array, Memory
from .output import format_values
from .schedule import TaskScheduler
from .values import Mask, Value

if TYPE_CHECKING:
    from .barriers import ThreadsUse
    from .checks import CheckedAccess, Checker, CtaOrder, Token
    from .environment import Environment
    from .schedule import Turn

# Copies to shared memory, and barriers there


@dataclass
class PendingCopy:
    """A copy that is in flight."""

    destination: Array
    data: Array
    is_done: bool = False

    def __post_init__(self) -> None:
        dtype = self.destination.dtype
        garbage = np.frombuffer(b"\xff" * dtype.itemsize, dtype)
        self.destination[...] = True if dtype == np.bool_ else garbage[0]

    def finish(self) -> None:
        """The data is there."""
        if not self.is_done:
            self.destination[...] = self.data
            self.is_done = True


@dataclass
class CopyGroups:
    """The copies of a CTA in groups, of which the oldest is waited for first."""

    issued: list[PendingCopy] = field(default_factory=list[PendingCopy])
    """Those that are in no group yet."""
    groups: list[list[PendingCopy]] = field(default_factory=list[list[PendingCopy]])

    def issue(self, destination: Array, data: Array) -> PendingCopy:
        """Begins a copy."""
        copy = PendingCopy(destination, np.array(data))
        self.issued.append(copy)
        return copy

    def commit(self) -> None:
        """Makes a group of the copies that are in none."""
        self.groups.append(self.issued)
        self.issued = []

    def wait(self, pending: int) -> None:
        """Waits until at most this many groups are in flight."""
        while len(self.groups) > pending:
            for copy in self.groups.pop(0):
                copy.finish()


@dataclass
class Barrier:
    """A barrier in shared memory: it counts arrivals, and phases by their parity."""

    count: int = 0
    pending: int = 0
    parity: int = 0


AfterAccess: TypeAlias = Callable[[Operation, tuple[int, int, int]], object]
"""Takes an op that has accessed memory, and its CTA."""


@dataclass
class CtaState:
    """A CTA."""

    index: tuple[int, int, int]
    grid: tuple[int, int, int]
    memory: Memory
    globals: dict[str, int]
    """The addresses of global variables."""
    write: Callable[[str], object]
    """Where `print` writes to."""
    checker: Checker | None = None
    """What watches accesses and gives tokens their meaning; `None` if nothing does."""
    environment: Environment | None = None
    """Who else touches memory."""
    turn: Turn | None = None
    """By which it rests while it waits for other CTAs; `None` if it cannot."""
    strong: frozenset[Operation] = frozenset()
    """The accesses of the kernel by which a CTA may wait for others."""
    order: CtaOrder | None = None
    """What is ordered with what in it, if anything is checked."""
    allocated: list[Allocation] = field(default_factory=list[Allocation])
    """The memory of the CTA."""
    copies: CopyGroups = field(default_factory=CopyGroups)
    """Asynchronous copies that are in flight."""
    schedule: TaskScheduler | None = None
    """How agents of pipelines take turns, while there are any."""
    threads_use: ThreadsUse | None = None
    """What its threads do with shared memory, if that is allocated and anything is checked."""
    sm_count: int = 1
    """The SMs of the simulated device."""
    after_access: AfterAccess | None = None
    """Told of every access to memory."""
    threads: int = 1
    """Of those that may go different ways there is one, which is the CTA."""
    active: Mask | None = None
    clock: int = 0
    """Moves when it is read."""
    ping_pong_held: Operation | None = None
    """Where warpgroups have taken the turn that they are in, if they are."""

    def read_clock(self) -> int:
        """Later than whoever of the CTA read it before."""
        self.clock += 1
        return self.clock

    def perform(
        self,
        op: Operation,
        token: Token | None,
        effect: Callable[[CheckedAccess | None], Value],
        *,
        may_wait: bool = False,
    ) -> tuple[Value, Token | None]:
        """
        Performs an access that comes after a token; returns its value and the token after
        it. One that `may_wait` has no value, and may be performed later if nothing forbids
        that.
        """
        if self.environment is not None:
            self._let_others_run(op, may_wait)
        if self.checker is None:
            result = effect(None), None
        else:
            result = self.checker.perform(self, op, token, effect, may_wait=may_wait)
        if self.after_access is not None:
            self.after_access(op, self.index)
        if self.turn is not None:
            if may_wait:
                self.turn.happened()
            elif op in self.strong:
                self.turn.answer(op, result[0])
        return result

    def _let_others_run(self, op: Operation, is_store: bool) -> None:
        """Others take steps before an access."""
        assert self.environment is not None
        if is_store:
            self.environment.happened()
        try:
            self.environment.before(None, may_spin=op in self.strong)
        except ExecutionError as error:
            raise error.at(op, self.index) from None

    def wait_for_grids(self, tokens: Sequence[Token | None], *, has_token: bool) -> Token | None:
        """Waits for the grid that the launch depends on; the token after that."""
        if self.environment is not None:
            self.environment.wait_for_grid()
        if self.checker is None or self.order is None:
            return None
        return self.checker.wait_for_grids(self.order, tokens, has_token=has_token)

    def check_ping_pong(self, what: str) -> None:
        """Raises if warpgroups wait for each other, and one has a turn that others wait for."""
        if (op := self.ping_pong_held) is not None:
            raise ExecutionError(
                f"deadlock: {what}, but the others wait for the turn that one of them has taken at "
                f"{place_of(op)}'{op.name}' and not passed on"
            )

    def synchronize(self) -> None:
        """A CTA barrier: what precedes it happens before what follows."""
        if self.order is not None:
            self.order.synchronize()

    def join(self, tokens: Sequence[Token | None]) -> Token | None:
        """The token after several others."""
        return None if self.checker is None else self.checker.join(tokens)

    def show(
        self,
        op: Operation,
        token: Token | None,
        fmt: str,
        values: Sequence[Value],
        elements: Sequence[Attribute],
    ) -> Token | None:
        """Prints values."""
        text = format_values(fmt, values, elements)
        return self.perform(op, token, lambda access: self.write(text))[1]

    def verify(self, op: Operation, condition: Array, message: str) -> None:
        """Stops the program unless a condition holds everywhere."""
        if not np.all(condition):
            failed = np.argwhere(~np.asarray(condition))[0]
            raise ExecutionError(
                f"failed: {message}", op, self.index, [int(number) for number in failed] or None
            )

    def allocate(self, op: Operation, element: Attribute, count: int, alignment: int) -> Array:
        """Memory of the CTA; nothing has been written to it yet."""
        fmt = ElementFormat.of(element)
        size = count * fmt.size if not fmt.packed else (count + 1) // 2
        try:
            data, initialized = np.zeros(size, np.uint8), np.zeros(size, np.bool_)
        except (MemoryError, ValueError):
            raise ExecutionError(f"cannot have {size} bytes of memory", op, self.index) from None
        allocation = self.memory.allocate(data, op.name, alignment)
        allocation.initialized = initialized
        self.allocated.append(allocation)
        return np.asarray(allocation.base, np.int64)

    def begin(self) -> None:
        """Begins the CTA."""
        if self.environment is not None:
            self.environment.begin_cta()
        if self.checker is not None:
            self.order = self.checker.begin(self)

    def finish(self) -> None:
        """Ends the CTA: what it has put off happens, and its memory is gone."""
        if self.threads_use is not None:
            self.threads_use.finish()
        if self.order is not None:
            self.order.finish()
        self.memory.free(self.allocated)
        self.allocated.clear()
