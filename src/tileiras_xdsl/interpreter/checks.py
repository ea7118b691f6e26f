"""
What is checked while a program runs, and what is said if a check fails.

Nothing is checked unless it is asked for. A `Checker` watches the accesses of a run; each is
given a `CheckedAccess` to report to, which knows the lanes of the tile that take part. Values of
ops that do not access memory are checked by guards, which are put in front of ops when these are
bound.

A program of `cuda_tile` promises something of its values: the predicates of `assume`, and that
steps of loops are positive. What a program does that breaks a promise is undefined, and passes may
make anything of it. Only the program as it was written is checked: what it promises may be moved to
where it is not needed, and not be true there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr, SameElementsAttr
from tileiras_xdsl.dialects.cuda_tile.types import PtrType

from .accesses import ATOMIC, GPU, READ, WEAK, WRITE, Addresses, Semantics, StridedArray
from .elements import bit_width, memory_bytes, signed
from .environment import ArrayElements, Observer
from .errors import ExecutionError, place_of
from .machine import BoundProgram, CallFrame, Step
from .memory import Allocation, Array, Memory
from .processes import shared_bytes
from .races import Places, Race, RaceDetector
from .tokens import START, AccessOrdering, Event, Shuffle, Token, join_tokens
from .unwritten import mark_unwritten
from .values import Mask, Value, element_of, is_signed, pointee_of, shape_of

if TYPE_CHECKING:
    from .cta_state import CtaState

BOUNDS, UNINITIALIZED, RACES, DIVISION = "bounds", "uninitialized", "races", "division"
ASSUMPTIONS, OUTSIDE = "assumptions", "outside"
CHECKS = (BOUNDS, UNINITIALIZED, RACES, DIVISION, ASSUMPTIONS, OUTSIDE)


def checks_of(check: Iterable[str] | bool) -> frozenset[str]:
    """The names of checks: all, none, one or several."""
    if isinstance(check, bool):
        return frozenset(CHECKS if check else ())
    names = [check] if isinstance(check, str) else list(check)
    for name in names:
        if name not in CHECKS:
            raise ExecutionError(f"there is no check {name!r}, but {', '.join(CHECKS)}")
    return frozenset(names)


@dataclass
class CtaOrder:
    """What is ordered with what in a CTA that runs."""

    number: int
    """Of the CTA, in the order in which CTAs begin."""
    shuffle: Shuffle | None
    """The accesses that wait, if they are shuffled."""
    count: int = 0
    """How many accesses it has made."""
    barrier: Token = START
    """What the last barrier of the CTA comes after."""
    acquired: list[Token] = field(default_factory=list[Token])
    """Tokens of the CTA that come after accesses of others."""
    single: Token = START
    """What the thread has done that executes accesses of rank 0."""
    repeated: dict[Operation, Token] = field(default_factory=dict[Operation, Token])
    """What accesses that are in order with themselves have done."""

    def finish(self) -> None:
        """The CTA ends: what waits happens."""
        if self.shuffle is not None:
            self.shuffle.finish()

    def synchronize(self) -> None:
        """A barrier: all accesses before it come before all that follow."""
        self.finish()
        everything = Token((1 << self.count) - 1)
        self.barrier = join_tokens([everything, *self.acquired])

    def since(self, count: int) -> Token:
        """The token that follows the accesses past the first this many."""
        return Token((1 << self.count) - (1 << count))

    def follow(self, token: Token | None) -> None:
        """All that the program has later comes after a token."""
        self.barrier = join_tokens([self.barrier, token])

    def before(self, op: Operation, ordering: AccessOrdering) -> list[Token]:
        """What an access comes after, whatever its token."""
        found = [self.barrier]
        if ordering.single:
            found.append(self.single)
        if ordering.repeated:
            found.append(self.repeated.get(op, START))
        return found

    def complete(self, op: Operation, token: Token, ordering: AccessOrdering) -> Token:
        """Notes the token after an access."""
        if ordering.single:
            self.single = token
        if ordering.repeated:
            self.repeated[op] = token
        if token.others:
            self.acquired.append(token)
        return token


COUNTED: Final = (ct.StoreViewOp, ct.AtomicRedViewOp, ct.LoadViewOp)
"""Ops whose tiles are counted."""


def _has_padding(op: Operation) -> bool:
    """Whether a load says what is read outside of the array, and so means to."""
    return isinstance(op, ct.LoadViewOp) and getattr(op.view.type, "padding", None) is not None


class OutsideWarning(UserWarning):
    """
    A program stores tiles of which no element lies in the array, or loads such without padding.

    This is legal, but it is nearly always the sign of a wrong grid.
    """


class CountedTiles:
    """
    Counts the tiles that each op of a program stores, or loads from a view without padding, and
    those of them that lie outside of the array.

    Only a program as it was written is counted: passes cut tiles into parts, of which some may lie
    outside although the tile does not.
    """

    def __init__(self, kernel: Operation, memory: Memory):
        ops = [op for op in kernel.walk() if isinstance(op, COUNTED) and not _has_padding(op)]
        self.memory = memory
        # Of each op: all tiles, those outside, and the address of the array. Processes share them.
        rows = shared_bytes(24 * len(ops)).view(np.int64).reshape(-1, 3)
        self.counts: dict[Operation, npt.NDArray[np.int64]] = dict(zip(ops, rows, strict=True))

    def add(self, op: Operation, address: int, *, outside: bool) -> None:
        """An op accesses a tile of the array at an address."""
        if op in self.counts:
            with self.memory.lock:
                row = self.counts[op]
                row[0] += 1
                row[1] += outside
                row[2] = address

    def warn(self) -> None:
        """One warning about all ops that have accessed tiles outside, if any has."""
        lines: list[str] = []
        for op, (total, outside, address) in self.counts.items():
            if outside:
                array = self.memory.find(address)
                verb, to = ("load", "of") if isinstance(op, ct.LoadViewOp) else ("store", "to")
                name = f" {to} '{array.name}'" if array is not None else ""
                tiles = f"{outside} of {total} {'tile' if total == 1 else 'tiles'}"
                lines.append(f"{place_of(op)}{verb}{name}: {tiles} outside the array")
        if lines:
            # The caller of `tileiras_xdsl.run`, which is decorated.
            warnings.warn("; ".join(lines), OutsideWarning, stacklevel=5)


@dataclass
class Checker:
    """Watches accesses, and gives tokens their meaning; one CTA runs at a time."""

    checks: frozenset[str]
    memory: Memory
    seed: int | None = None
    races: RaceDetector | None = None
    previous_grids: list[Token] = field(default_factory=list[Token])
    """What the previous grid has written, as tokens of this one."""
    tiles: CountedTiles | None = None
    """Counts tiles that are accessed, if those outside of arrays are to be reported."""
    _ctas: int = 0
    """How many have begun."""
    _orderings: dict[Operation, AccessOrdering] = field(
        default_factory=dict[Operation, AccessOrdering]
    )

    def __post_init__(self) -> None:
        if RACES in self.checks:
            self.races = RaceDetector(self.memory)
        self._watches = bool(self.checks & {BOUNDS, UNINITIALIZED, RACES, OUTSIDE})

    def begin(self, cta: CtaState) -> CtaOrder:
        """A CTA begins."""
        self._ctas += 1
        shuffle = None if self.seed is None else Shuffle(self.seed, cta.index)
        return CtaOrder(self._ctas - 1, shuffle)

    def join(self, tokens: Sequence[Token | None]) -> Token:
        """The token after several others."""
        return join_tokens(tokens)

    def wait_for_grids(
        self, order: CtaOrder, tokens: Sequence[Token | None], *, has_token: bool
    ) -> Token:
        """
        The token after the wait for the previous grid; where tokens have been discharged, all
        that the program has later comes after it.
        """
        over = join_tokens([*tokens, *self.previous_grids])
        order.acquired.append(over)
        if not has_token:
            order.barrier = join_tokens([order.barrier, over])
        return over

    def perform(
        self,
        cta: CtaState,
        op: Operation,
        token: Token | None,
        effect: Callable[[CheckedAccess | None], Value],
        *,
        may_wait: bool = False,
    ) -> tuple[Value, Token | None]:
        """Performs an access after a token, now or later; returns its value and its token."""
        order = cta.order
        assert order is not None
        ordering = self._orderings.get(op)
        if ordering is None:
            ordering = self._orderings[op] = AccessOrdering.of(op)
        before = join_tokens([token, *order.before(op, ordering)])
        event = Event(op, ordering, cta.index, order.number, order.count)
        order.count += 1
        access = CheckedAccess(self, cta, event, before) if self._watches else None
        shuffle = order.shuffle
        if shuffle is not None and may_wait:
            shuffle.add(event.number, before, lambda: _happen(effect, access, event))
            return None, order.complete(op, before.after(event), ordering)
        if shuffle is not None:
            shuffle.before(before)
        value = _happen(effect, access, event)
        if access is not None:
            value = access.result(value)
        after = (before if access is None else access.token).after(event)
        return value, order.complete(op, after, ordering)

    def note(
        self, access: CheckedAccess, allocation: Allocation, places: Places, kind: str
    ) -> Race | None:
        """Looks for a race of an access to bytes."""
        if self.races is None:
            return None
        found = self.races.touch(
            access.event,
            access.token,
            allocation,
            places,
            reads=kind != WRITE,
            writes=kind != READ,
        )
        if isinstance(found, Race):
            return found
        access.token = found
        return None


def _happen(
    effect: Callable[[CheckedAccess | None], Value], access: CheckedAccess | None, event: Event
) -> Value:
    try:
        return effect(access)
    except ExecutionError as error:
        assert event.op is not None
        raise error.at(event.op, event.place) from None


class CheckedAccess:
    """An access to memory while it is performed: says what is wrong with it."""

    def __init__(self, checker: Checker, cta: CtaState, event: Event, token: Token):
        self.checker, self.cta, self.event, self.token = checker, cta, event, token
        self.checks_bounds = BOUNDS in checker.checks
        self._shape: tuple[int, ...] = ()
        self._numbers: npt.NDArray[np.int64] | None = None
        self._home: Allocation | None = None
        self._stored: Mask | None = None
        self.unwritten: tuple[npt.NDArray[np.int64], ExecutionError] | None = None
        """The numbers of the elements that were read before they were written."""

    # Which lanes take part

    def lanes(self, lanes: Array | None, shape: Sequence[int]) -> None:
        """The access is made by lanes of these numbers of a tile; `None` is by all."""
        self._shape, self._numbers = tuple(shape), lanes

    def tile(self, part: tuple[slice, ...] | Array, shape: Sequence[int]) -> None:
        """The access is made by a part of a tile, given by what it is indexed by."""
        numbers = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(tuple(shape))
        self.lanes(numbers[part].reshape(-1), shape)

    def only(self, chosen: Array) -> CheckedAccess:
        """The same access by some of its lanes."""
        part = CheckedAccess(self.checker, self.cta, self.event, self.token)
        part._home = self._home
        numbers = np.flatnonzero(chosen)
        part.lanes(numbers if self._numbers is None else self._numbers[numbers], self._shape)
        if self._stored is not None:
            part._stored = self._stored[numbers]
        return part

    def stores(self, unwritten: Mask | None) -> None:
        """The access stores elements of which some were never written."""
        self._stored = unwritten

    def through_view(self, address: int) -> None:
        """The access is made through a view at an address, and stays in its allocation."""
        self._home = self.cta.memory.find(address)

    def counts_tile(self, address: int, *, outside: bool) -> None:
        """The access is of a tile of a view at an address, which may lie outside of its array."""
        if self.checker.tiles is not None and self.event.op is not None:
            self.checker.tiles.add(self.event.op, address, outside=outside)

    def _error(self, message: str, lane: int) -> ExecutionError:
        number = lane if self._numbers is None else int(self._numbers[lane])
        index = [int(part) for part in np.unravel_index(number, self._shape)]
        return ExecutionError(message, self.event.op, self.event.place, index or None)

    # What may be wrong

    def out_of_bounds(self, lane: int, addresses: Addresses, size: int) -> None:
        """A lane accesses bytes that no allocation has."""
        if self.checks_bounds:
            raise self._error(f"is out of bounds: {self._where(int(addresses[lane]), size)}", lane)

    def _where(self, address: int, size: int) -> str:
        text = f"{_bytes(size)} at address {address % (1 << 64):#x}"
        nearest = min(self.cta.memory, key=lambda one: one.distance(address, size), default=None)
        if nearest is None:
            return f"{text}, but there is no memory"
        whole = f"'{nearest.name}' ({_bytes(nearest.size)})"
        index = nearest.describe(address)
        index = f", at {index}" if index else ""
        if address < nearest.base:
            return f"{text} begin {_bytes(nearest.base - address)} before {whole}{index}"
        past = address + size - nearest.end
        if past <= 0:
            return f"{text} lie between the elements of {whole}{index.replace(', at', ', after')}"
        return f"{text} reach {_bytes(past)} past the end of {whole}{index}"

    def touch(
        self,
        kind: str,
        allocation: Allocation,
        offsets: Addresses,
        size: int,
        lanes: npt.NDArray[np.int64] | None,
    ) -> None:
        """Lanes access bytes of an allocation; `lanes` are their numbers among all."""
        if not offsets.size:
            return
        checks = self.checker.checks
        if self.checks_bounds:
            self._check_bounds(kind, allocation, offsets, size, lanes)
        if self._stored is not None and allocation.initialized is None:
            allocation.initialized = np.ones(len(allocation.data), np.bool_)
        checks_written = UNINITIALIZED in checks and allocation.initialized is not None
        if not checks_written and RACES not in checks:
            return
        places = _places(offsets, size)
        if checks_written:
            self._check_initialized(kind, allocation, places, offsets, size, lanes)
        race = self.checker.note(self, allocation, places, kind)
        if race is not None:
            place = int(offsets[race.place // size]) + race.place % size
            lane = _pick(lanes, race.place // size)
            text = race_text(race, kind, allocation, allocation.offset_of(place))
            raise self._error(text, lane)

    @property
    def excludes_others(self) -> bool:
        """Whether it is a race if two lanes write different values to one place."""
        return self.checker.races is not None and not self.event.ordering.strong

    def overwritten(
        self,
        allocation: Allocation,
        offsets: Addresses,
        position: int,
        lanes: npt.NDArray[np.int64] | None,
    ) -> None:
        """Another lane of the same access has written another value where one has."""
        place = allocation.offset_of(int(offsets[position]))
        raise self._error(
            f"writes {allocation.name_byte(place)} in a race with another lane, which writes "
            "another value",
            _pick(lanes, position),
        )

    def _check_bounds(
        self,
        kind: str,
        allocation: Allocation,
        offsets: Addresses,
        size: int,
        lanes: npt.NDArray[np.int64] | None,
    ) -> None:
        if self._home is not None and allocation is not self._home:
            address = allocation.base + allocation.offset_of(int(offsets[0]))
            raise self._error(
                f"is out of bounds: a view of '{self._home.name}' "
                f"({_bytes(self._home.size)}) reaches {_bytes(size)} at address "
                f"{address:#x}, which is in '{allocation.name}'",
                _pick(lanes, 0),
            )
        if allocation.owned is not None:
            inside = allocation.owned[offsets[:, None] + np.arange(size)].all(axis=1)
            if not inside.all():
                lane = int(np.flatnonzero(~inside)[0])
                where = self._where(allocation.base + int(offsets[lane]), size)
                raise self._error(f"is out of bounds: {where}", _pick(lanes, lane))
        if kind != READ and not allocation.writable:
            raise self._error(f"writes to '{allocation.name}', which is read-only", _pick(lanes, 0))

    def _check_initialized(
        self,
        kind: str,
        allocation: Allocation,
        places: Places,
        offsets: Addresses,
        size: int,
        lanes: npt.NDArray[np.int64] | None,
    ) -> None:
        assert allocation.initialized is not None
        if kind != WRITE:
            written = allocation.initialized[places]
            if not written.all():
                place = int(np.flatnonzero(~written)[0])
                byte = allocation.offset_of(int(offsets[place // size]) + place % size)
                error = self._error(
                    f"reads {allocation.name_byte(byte)}, which has not been written",
                    _pick(lanes, place // size),
                )
                if kind != READ:
                    raise error
                missing = np.asarray(~written.reshape(-1, size).all(axis=1))
                self._note_unwritten(missing, lanes, error)
        if kind != READ:
            allocation.initialized[places] = True
            if self._stored is not None:
                stored = self._stored if lanes is None else self._stored[lanes]
                allocation.initialized[_places(offsets[stored], size)] = False

    def _note_unwritten(
        self, missing: Mask, lanes: npt.NDArray[np.int64] | None, error: ExecutionError
    ) -> None:
        """Notes which elements of the tile were read before they were written."""
        numbers = np.flatnonzero(missing)
        numbers = numbers if lanes is None else lanes[numbers]
        numbers = numbers if self._numbers is None else self._numbers[numbers]
        if self.unwritten is not None:
            numbers, error = np.concatenate((self.unwritten[0], numbers)), self.unwritten[1]
        self.unwritten = numbers, error

    def result(self, value: Value) -> Value:
        """The value that was read, which knows what of it was never written."""
        if self.unwritten is None:
            return value
        numbers, error = self.unwritten
        elements = np.zeros(self._shape, np.bool_)
        elements.reshape(-1)[numbers] = True
        return mark_unwritten(value, elements, error)


def _places(offsets: Addresses, size: int) -> Places:
    """The bytes of elements; a slice if they lie side by side."""
    if not offsets.size:
        return offsets
    first, last = int(offsets[0]), int(offsets[-1])
    if last - first == (len(offsets) - 1) * size and (np.diff(offsets) == size).all():
        return slice(first, last + size)
    return offsets if size == 1 else (offsets[:, None] + np.arange(size)).reshape(-1)


def _bytes(count: int) -> str:
    return f"{count} byte" if count == 1 else f"{count} bytes"


def _pick(lanes: npt.NDArray[np.int64] | None, position: int) -> int:
    return position if lanes is None else int(lanes[position])


VERBS = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}


def race_text(race: Race, kind: str, allocation: Allocation, place: int) -> str:
    """Says with whom an access races."""
    return f"{VERBS[kind]} {allocation.name_byte(place)} in a race with {_who(race.event)}"


def _who(event: Event) -> str:
    """An access in words."""
    if event.op is None:
        return event.who
    cta = ", ".join(str(number) for number in event.place)
    return f"{place_of(event.op)}'{event.op.name}' of CTA ({cta})"


# Guards


Guard: TypeAlias = Callable[..., None]
"""Looks at the CTA and the values of the operands of an op before it."""


def guards_of(checks: frozenset[str]) -> Callable[[BoundProgram, Operation], Step | None]:
    """The guard of an op, if a check asks for one, as a step."""

    def find(program: BoundProgram, op: Operation) -> Step | None:
        check, make = GUARDS.get(op.name.partition(".")[2], ("", None))
        guard = None if make is None or check not in checks else make(op)
        if guard is None:
            return None
        operands = program.all(op.operands)

        def step(frame: CallFrame) -> None:
            guard(frame.cta, *[frame.registers[operand] for operand in operands])

        return step

    return find


def _fail(op: Operation, cta: CtaState, bad: Array, message: str) -> None:
    """An error in the first lane where something is bad."""
    if np.any(bad):
        lane = [int(number) for number in np.argwhere(bad)[0]]
        # In the body of a reduction, an op on scalars is performed on many at once.
        known = lane if len(shape_of(op.results[0].type)) == len(lane) else []
        raise ExecutionError(message, op, cta.index, known or None)


def guard_division(op: Operation) -> Guard:
    """Nothing is divided by zero, nor the smallest number by -1, whose quotient does not fit."""
    element = element_of(op.results[0].type)
    overflows = op.name.endswith(".divi") and is_signed(op)

    def guard(cta: CtaState, lhs: Value, rhs: Value, *_: Value) -> None:
        _fail(op, cta, np.asarray(rhs) == 0, "divides by zero")
        if overflows:
            smallest = -(1 << (bit_width(element) - 1))
            both = (signed(np.asarray(lhs)) == smallest) & (signed(np.asarray(rhs)) == -1)
            _fail(op, cta, both, f"divides {smallest}, the smallest {element}, by -1")

    return guard


def guard_part(op: Operation) -> Guard:
    """The part of a tile that is extracted or inserted exists."""
    first = 2 if op.name.endswith(".insert") else 1
    value = op.operands[0] if first == 2 else op.results[0]
    whole = shape_of(op.operands[first - 1].type)
    part = shape_of(value.type) or (1,) * len(whole)
    counts = [extent // size for extent, size in zip(whole, part, strict=True)]

    def guard(cta: CtaState, *values: Value) -> None:
        for dim, (count, value) in enumerate(zip(counts, values[first:], strict=False)):
            if not 0 <= int(value) < count:
                raise ExecutionError(
                    f"is out of bounds: index {int(value)} of dimension {dim}, which has "
                    f"{count} {'part' if count == 1 else 'parts'}",
                    op,
                    cta.index,
                )

    return guard


# Accesses of others, as the race detector sees them

NOWHERE = (0, 0, 0)
"""The index of a CTA that is not in the grid."""
ANOTHER_CTA, PREVIOUS_GRID = "another CTA", "the previous grid"


def _cta_of(other: int) -> int:
    """The number of the CTA that stands for an other; those of the grid count from 0."""
    return -1 - other


class RaceObserver(Observer):
    """
    Each other is a CTA whose accesses are ordered as its steps are; the previous grid is one
    with a single access, which the token of a wait comes after.
    """

    def __init__(self, races: RaceDetector, checker: Checker):
        self.races, self.checker = races, checker
        self.tokens: dict[int, Token] = {}
        self.counts: dict[int, int] = {}

    def read(self, other: int, place: ArrayElements, semantics: Semantics) -> None:
        self._touch(other, place, semantics, READ)

    def write(
        self, other: int, place: ArrayElements, semantics: Semantics, *, updates: bool
    ) -> None:
        self._touch(other, place, semantics, ATOMIC if updates else WRITE)

    def hold(self, other: int, place: ArrayElements) -> None:
        self._touch(other, place, WEAK, WRITE, PREVIOUS_GRID)
        grid = self.tokens[other].seen_by(_cta_of(other), 0)
        self.checker.previous_grids.append(grid)

    def _touch(
        self,
        other: int,
        place: ArrayElements,
        semantics: Semantics,
        kind: str,
        who: str = ANOTHER_CTA,
    ) -> None:
        if not len(place.offsets):
            return
        ordering = AccessOrdering(
            strong=semantics.strong,
            wide=semantics.strong and semantics.scope >= GPU,
            acquires=semantics.acquires,
            releases=semantics.releases,
        )
        number = self.counts.get(other, 0)
        self.counts[other] = number + 1
        event = Event(None, ordering, NOWHERE, _cta_of(other), number, who)
        token = self.tokens.get(other, START)
        places = (place.offsets[:, None] + np.arange(place.size)).reshape(-1)
        found = self.races.touch(
            event, token, place.allocation, places, reads=kind != WRITE, writes=kind != READ
        )
        if isinstance(found, Race):
            text = race_text(found, kind, place.allocation, int(places[found.place]))
            raise ExecutionError(f"{who} {text}")
        self.tokens[other] = found.after(event)


# Promises


def check_predicate(op: ct.AssumeOp, cta: object, value: Value) -> None:
    """A predicate holds for a value."""
    predicate = op.predicate
    if isinstance(value, StridedArray):
        value = np.array(value.address)
    numbers = signed(np.asarray(value)).astype(np.int64)
    match predicate:
        case BoundedAttr():
            lower, upper = predicate.lower, predicate.upper
            wrong = np.zeros(numbers.shape, np.bool_)
            if lower is not None:
                wrong |= numbers < lower
            if upper is not None:
                wrong |= numbers > upper
        case DivByAttr():
            wrong = _indivisible(predicate, op, numbers)
        case SameElementsAttr():
            wrong = _unequal(predicate, numbers)
        case _:
            return
    if wrong.any():
        lane = [int(number) for number in np.argwhere(wrong)[0]]
        found = int(numbers[tuple(lane)])
        kind = predicate.name.partition(".")[2]
        raise ExecutionError(f"is not true: {found} breaks '{kind}'", op, lane=lane or None)


def _indivisible(predicate: DivByAttr, op: ct.AssumeOp, numbers: Array) -> Array:
    """Which elements are not divisible, or do not count up from one that is."""
    every, along = predicate.every, predicate.along
    if every is None or along is None:
        return np.asarray(numbers % predicate.divisor != 0)
    is_pointer = isinstance(element_of(op.value.type), PtrType)
    unit = memory_bytes(pointee_of(op.value.type)) if is_pointer else 1
    places = np.indices(numbers.shape)[along]
    first = _first_of_groups(numbers, along, every)
    return np.asarray((first % predicate.divisor != 0) | (numbers - first != places % every * unit))


def _unequal(predicate: SameElementsAttr, numbers: Array) -> Array:
    """Which elements differ from the first of their group."""
    first = numbers
    for dim, size in enumerate(predicate.data):
        first = _first_of_groups(first, dim, size)
    return np.asarray(numbers != first)


def _first_of_groups(numbers: Array, dim: int, size: int) -> Array:
    """The first elements of groups of this many along a dimension, in the place of all of them."""
    count = max(size, 1)
    places = np.array([place // count * count for place in range(numbers.shape[dim])], np.int64)
    return np.take(numbers, places, axis=dim)


def check_step(
    op: ct.ForOp, cta: object, lower: Value, upper: Value, step: Value, *_: Value
) -> None:
    """The step of a loop is positive."""
    number = int(np.asarray(step))
    if number == 0 or (number < 0 and op.unsigned_cmp is None):
        raise ExecutionError(f"the step of a loop must be positive, but is {number}", op)


def guard_promise(op: Operation) -> Callable[..., None] | None:
    """Looks at the CTA and the values of the operands of an op before it; `None` if it need not."""
    match op:
        case ct.ForOp():
            return partial(check_step, op)
        case ct.AssumeOp():
            return partial(check_predicate, op)
        case _:
            return None


GUARDS: dict[str, tuple[str, Callable[[Operation], Guard | None]]] = {
    "divi": (DIVISION, guard_division),
    "remi": (DIVISION, guard_division),
    "extract": (BOUNDS, guard_part),
    "insert": (BOUNDS, guard_part),
    "assume": (ASSUMPTIONS, guard_promise),
    "for": (ASSUMPTIONS, guard_promise),
}
