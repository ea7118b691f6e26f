"""
Who else touches memory while a kernel runs: the grid that it depends on, and other CTAs.

    run(kernel, grid=1, args=[x, flag, out], check=True, seed=7, others=[
        OtherBlock([Write(x, slice(None), 1.0), Release(flag, 0, 1)]),
    ])

Other CTAs, or the host, are concurrent with the whole launch. They take their steps in order, at
moments that `seed` chooses, between any two accesses of the kernel to global memory; also between
those of two warps, or of two lanes, that read the same flag. A CTA that spins on a flag is
answered after a while, and steps that are left over are taken when the kernel has ended; an other
CTA that waits for what the kernel never stores is an error.

The grid before this one still writes its arrays until `griddepcontrol.wait` (`gdc_wait_tko`): what
they hold at the call is what it has written in the end; before the wait they hold something else.

If races are checked, others take part as threads of their own: what they do comes before an access
of the kernel only through an acquire that reads what they have released, in a scope that has both
in it, or through the wait for the previous grid.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .accesses import SCOPES, WEAK, Semantics
from .errors import ExecutionError
from .memory import Allocation, Array, Memory, byte_bounds, first_byte

ORDERS = ("relaxed", "acquire", "release", "acq_rel")
"""Of atomic additions."""

DELAYS = (0, 0, 1, 2, 3, 5, 8, 13, 21, 34)
"""After how many accesses of the kernel a step is taken."""
PATIENCE = 12
"""Reads of a flag after which who waits for different readers stops waiting for a second one."""
LONGEST_DELAY = 400
"""After this many accesses of any kind a step is taken in any case."""
MOST_SPINS = 50_000
"""This many strong reads without anything else happening are taken for a loop that never ends."""

Index: TypeAlias = Any
"""What NumPy takes as an index: of one element, or of several."""


# What others do


@dataclass(frozen=True, eq=False)
class _Access:
    """What is done to elements of an array."""

    array: Array
    index: Index


@dataclass(frozen=True, eq=False)
class Write(_Access):
    """An ordinary (weak) store of a value to elements of an array."""

    value: Any


@dataclass(frozen=True, eq=False)
class Release(_Access):
    """A store with release semantics: publishes all that the CTA has done before."""

    value: Any
    scope: str = "gpu"


@dataclass(frozen=True, eq=False)
class Add(_Access):
    """An atomic addition."""

    value: Any
    order: str = "relaxed"
    scope: str = "gpu"


@dataclass(frozen=True, eq=False)
class AwaitAcquire(_Access):
    """
    Spins, with acquire loads, until elements have the expected value; a function says instead
    whether a value is one that the CTA waits for.
    """

    expected: Any
    scope: str = "gpu"


@dataclass(frozen=True, eq=False)
class Read(_Access):
    """An ordinary (weak) load of elements; `into` is called with what was read."""

    into: Callable[[Any], object] | None = None


Step: TypeAlias = Write | Release | Add | AwaitAcquire | Read


@dataclass(frozen=True, eq=False)
class OtherBlock:
    """Another CTA, or the host: takes its steps in order."""

    steps: Sequence[Step]


@dataclass(frozen=True, eq=False)
class PreviousGrid:
    """The grid that this launch depends on: still writes arrays until `griddepcontrol.wait`."""

    writes: Sequence[Array]


Other: TypeAlias = OtherBlock | PreviousGrid


# Where they do it


@dataclass(frozen=True, eq=False)
class ArrayElements:
    """Elements of an array in the memory of the device."""

    allocation: Allocation
    offsets: npt.NDArray[np.int64]
    """Of the first bytes of the elements."""
    size: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The bytes that the elements span."""
        if not len(self.offsets):
            return 0, 0
        return int(self.offsets.min()), int(self.offsets.max()) + self.size

    def _bytes(self) -> npt.NDArray[np.int64]:
        return self.offsets[:, None] + np.arange(self.size)

    def load(self) -> Array:
        """What the elements hold."""
        data = np.ascontiguousarray(self.allocation.data[self._bytes()])
        return data.view(self.dtype).reshape(self.shape)

    def store(self, value: Any) -> None:
        """Changes the elements."""
        values = np.empty(self.shape, self.dtype)
        values[...] = value
        data = np.ascontiguousarray(values).reshape(-1, 1).view(np.uint8)
        self.allocation.data[self._bytes()] = data.reshape(len(self.offsets), self.size)

    def meets(self, base: int, offsets: npt.NDArray[np.int64], size: int) -> bool:
        """Whether accesses of this many bytes to an allocation touch what the elements span."""
        if base != self.allocation.base:
            return False
        low, high = self.bounds
        return bool(((offsets < high) & (offsets + size > low)).any())


def find_place(array: Array, index: Index, memory: Memory) -> ArrayElements:
    """Where elements of an array are, which is an argument of the kernel or a part of one."""
    allocation = _allocation_of(array, memory)
    numbers = np.arange(array.size, dtype=np.int64).reshape(array.shape)[index]
    shape = np.shape(numbers)
    offset = first_byte(array) - first_byte(allocation.data)
    offsets = np.full(numbers.size, offset, np.int64)
    places = np.unravel_index(np.ravel(numbers), array.shape) if array.ndim else ()
    for position, stride in zip(places, array.strides, strict=True):
        offsets += position * stride
    return ArrayElements(allocation, offsets, array.itemsize, array.dtype, shape)


def _allocation_of(array: Array, memory: Memory) -> Allocation:
    low, high = byte_bounds(array)
    for allocation in memory:
        if len(allocation.data):
            first = first_byte(allocation.data)
            if first <= low and high <= first + len(allocation.data):
                return allocation
    raise ExecutionError("others use an array that is no argument of the kernel")


# Those who watch


class Observer:
    """What an interpreter notes of the accesses of others; this one notes nothing."""

    def read(self, other: int, place: ArrayElements, semantics: Semantics) -> None:
        """An other CTA reads."""

    def write(
        self, other: int, place: ArrayElements, semantics: Semantics, *, updates: bool
    ) -> None:
        """An other CTA writes, or reads and writes at once."""

    def hold(self, other: int, place: ArrayElements) -> None:
        """The previous grid is writing."""


@dataclass(frozen=True)
class KernelAccess:
    """An access of the kernel that others may come before."""

    who: Hashable
    """The warp, or CTA, of the kernel."""
    op: Hashable
    base: int
    """Of the allocation."""
    offsets: npt.NDArray[np.int64]
    size: int
    is_strong_load: bool
    """Whether it may be the question of a loop that waits."""


@dataclass(eq=False)
class Running:
    """An other CTA while it runs, and when it takes its next step."""

    number: int
    steps: list[tuple[Step, ArrayElements]]
    position: int = 0
    delay: int = 0
    seeks_split: bool = False
    """Whether the step waits until some, but not all, warps have read what it changes."""
    age: int = 0
    reads: int = 0
    readers: dict[Hashable, set[Hashable]] = field(default_factory=dict[Hashable, set[Hashable]])
    """Who has read what the step changes, by op."""

    @property
    def is_done(self) -> bool:
        return self.position == len(self.steps)

    def schedule(self, random: Random, *, may_split: bool) -> None:
        """Chooses when the next step is taken."""
        self.age = self.reads = 0
        self.readers = {}
        self.delay = random.choice(DELAYS)
        step = None if self.is_done else self.steps[self.position][0]
        is_watched = isinstance(step, Release | Add)
        self.seeks_split = may_split and is_watched and random.random() < 0.6

    def is_due(self, access: KernelAccess | None) -> bool:
        """Whether the next step is taken before an access."""
        self.age += 1
        if not self.seeks_split or access is None:
            return self.age > (LONGEST_DELAY if self.seeks_split else self.delay)
        place = self.steps[self.position][1]
        if access.is_strong_load and place.meets(access.base, access.offsets, access.size):
            self.reads += 1
            readers = self.readers.setdefault(access.op, set())
            is_split = bool(readers) and access.who not in readers
            readers.add(access.who)
            return is_split or self.reads > PATIENCE
        return self.age > LONGEST_DELAY

    def splits_lanes(self, access: KernelAccess) -> bool:
        """Whether the next step changes what several lanes of a warp are about to read."""
        if self.is_done or not isinstance(self.steps[self.position][0], Release | Add | Write):
            return False
        place = self.steps[self.position][1]
        return place.meets(access.base, access.offsets, access.size)


class Environment:
    """All others, while a kernel runs."""

    def __init__(
        self,
        others: Sequence[Other],
        memory: Memory,
        seed: int | None,
        observer: Observer,
        *,
        splits_readers: bool = False,
    ):
        """`splits_readers`: the kernel says by whom and where it reads, see `KernelAccess`."""
        self.splits_readers = splits_readers
        self.random = Random(f"others {seed}")
        self.observer = observer
        self.ctas: list[Running] = []
        self.grids: list[Held] = []
        self.spins = 0
        for number, other in enumerate(others):
            if isinstance(other, PreviousGrid):
                for array in other.writes:
                    place = find_place(array, ..., memory)
                    self.grids.append(Held(number, array, place, self.random))
                continue
            if not isinstance(other, OtherBlock):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ExecutionError(f"others are CTAs or grids, but got {other!r}")
            steps = [_placed(step, memory) for step in other.steps]
            self.ctas.append(Running(number, steps))
        for cta in self.ctas:
            cta.schedule(self.random, may_split=splits_readers)

    # The previous grid

    def begin(self) -> None:
        """The kernel begins."""
        for grid in self.grids:
            self.observer.hold(grid.number, grid.place)

    def begin_cta(self) -> None:
        """A CTA of the kernel begins, for which the previous grid is not over."""
        self.happened()
        for grid in self.grids:
            grid.hold()

    @property
    def is_held(self) -> bool:
        """Whether the previous grid is still writing."""
        return any(grid.is_held for grid in self.grids)

    def wait_for_grid(self) -> None:
        """The previous grid has ended."""
        for grid in self.grids:
            grid.deliver()

    # Other CTAs

    def before(self, access: KernelAccess | None, *, may_spin: bool) -> None:
        """
        Others take steps before an access of the kernel to global memory, which may be the
        question of a loop that waits.
        """
        if may_spin:
            self.spins += 1
            if self.spins > MOST_SPINS:
                raise ExecutionError("reads the same memory again and again, which nobody changes")
        for cta in self._shuffled():
            while not cta.is_done:
                step, place = cta.steps[cta.position]
                if isinstance(step, AwaitAcquire):
                    if not _is_met(step, place):
                        break
                elif not cta.is_due(access):
                    break
                self._take(cta)

    def between_lanes(self, access: KernelAccess) -> int | None:
        """How many of the accesses of a warp come before a step that is taken now, if one is."""
        count = len(access.offsets)
        if count < 2 or not any(cta.splits_lanes(access) for cta in self.ctas):
            return None
        return self.random.randrange(1, count) if self.random.random() < 0.3 else None

    def take_between(self, access: KernelAccess) -> None:
        """An other CTA changes what some lanes have read, and others are about to."""
        for cta in self._shuffled():
            if cta.splits_lanes(access):
                self._take(cta)
                return

    def happened(self) -> None:
        """The kernel has done something that may end a loop that waits."""
        self.spins = 0

    def _shuffled(self) -> list[Running]:
        if len(self.ctas) < 2:
            return self.ctas
        return self.random.sample(self.ctas, len(self.ctas))

    def finish(self) -> None:
        """The kernel has ended: others take the steps that are left."""
        self.wait_for_grid()
        left = [cta for cta in self.ctas if not cta.is_done]
        while left:
            ready = [cta for cta in left if not self._waits(cta)]
            if not ready:
                raise ExecutionError(_stuck(left[0]))
            self._take(self.random.choice(ready))
            left = [cta for cta in left if not cta.is_done]

    def restore(self) -> None:
        """Arrays hold what the previous grid has written, also if the kernel has failed."""
        self.wait_for_grid()

    def _waits(self, cta: Running) -> bool:
        step, place = cta.steps[cta.position]
        return isinstance(step, AwaitAcquire) and not _is_met(step, place)

    def _take(self, cta: Running) -> None:
        """An other CTA takes its next step."""
        step, place = cta.steps[cta.position]
        number, observer = cta.number, self.observer
        match step:
            case Write():
                observer.write(number, place, WEAK, updates=False)
                place.store(step.value)
            case Release():
                how = Semantics(True, releases=True, scope=SCOPES.index(step.scope))
                observer.write(number, place, how, updates=False)
                place.store(step.value)
            case Add():
                acquires = step.order in ("acquire", "acq_rel")
                releases = step.order in ("release", "acq_rel")
                how = Semantics(True, acquires, releases, SCOPES.index(step.scope))
                observer.write(number, place, how, updates=True)
                place.store(place.load() + np.asarray(step.value, place.dtype))
            case AwaitAcquire():
                how = Semantics(True, acquires=True, scope=SCOPES.index(step.scope))
                observer.read(number, place, how)
            case Read():
                observer.read(number, place, WEAK)
                if step.into is not None:
                    found = place.load()
                    step.into(found[()] if not found.shape else found)
        cta.position += 1
        cta.schedule(self.random, may_split=self.splits_readers)
        self.happened()


def _placed(step: Step, memory: Memory) -> tuple[Step, ArrayElements]:
    """A step, and where it is."""
    if isinstance(step, Release | Add | AwaitAcquire) and step.scope not in SCOPES:
        raise ExecutionError(f"there is no scope {step.scope!r}, but {', '.join(SCOPES)}")
    if isinstance(step, Add) and step.order not in ORDERS:
        raise ExecutionError(f"there is no order {step.order!r}, but {', '.join(ORDERS)}")
    return step, find_place(step.array, step.index, memory)


def _is_met(step: AwaitAcquire, place: ArrayElements) -> bool:
    found = place.load()
    if callable(step.expected):
        return bool(step.expected(found[()] if not found.shape else found))
    return bool((found == step.expected).all())


def _stuck(cta: Running) -> str:
    step, place = cta.steps[cta.position]
    assert isinstance(step, AwaitAcquire)
    return (
        f"another CTA waits until '{place.allocation.name}' holds {step.expected!r}, but the "
        f"kernel has ended and it holds {place.load().tolist()}"
    )


class Held:
    """An array that the previous grid is writing."""

    def __init__(self, number: int, array: Array, place: ArrayElements, random: Random):
        self.number, self.place = number, place
        self.array = array
        self.final = array.copy()
        self.garbage = _garbage(array, random)
        self.is_theirs = np.ones(array.shape, np.bool_)
        """The elements that nobody has written since."""
        self.is_held = False

    def hold(self) -> None:
        """The array holds something else until the grid has ended."""
        if self.is_held or not self.array.flags.writeable:
            return
        self.is_held = True
        self.is_theirs &= _same(self.array, self.final)
        self.array[self.is_theirs] = self.garbage[self.is_theirs]

    def deliver(self) -> None:
        """The grid has ended; what the kernel has written since stays."""
        if not self.is_held:
            return
        self.is_held = False
        self.is_theirs &= _same(self.array, self.garbage)
        self.array[self.is_theirs] = self.final[self.is_theirs]


def _same(first: Array, second: Array) -> npt.NDArray[np.bool_]:
    """Which elements have the same bits."""
    parts = [np.ascontiguousarray(each)[..., None].view(np.uint8) for each in (first, second)]
    return np.asarray((parts[0] == parts[1]).all(axis=-1)).reshape(first.shape)


def _garbage(array: Array, random: Random) -> Array:
    """
    Something else than an array holds, in each element; near to it, so that what is counted with
    it ends.
    """
    shifts = np.random.default_rng(random.getrandbits(32)).integers(1, 8, array.shape)
    if array.dtype == np.bool_:
        return ~array
    with np.errstate(all="ignore"):
        found = (array + shifts.astype(array.dtype)).astype(array.dtype)
        return np.where(_same(found, array), np.ones_like(array), found)
