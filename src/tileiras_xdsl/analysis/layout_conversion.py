"""
Plans of layout conversions between distributed layouts.

Both layouts are linear, so the map from target places to source places is linear over GF(2), too.
If it maps registers to registers, the conversion is a renaming; if a thread has all its elements,
but in registers that depend on the thread, a few selects; if each warp has all its elements,
shuffles; otherwise, or where that is cheaper, the tile goes through shared memory.

A plan has all that code generation needs: constant register numbers, and linear functions of lane
and warp, as bases to combine by XOR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.targets.machine import (
    ACCESS_COST,
    BLOCK_SYNC_COST,
    LINE_BYTES,
    PACK_COST,
    SELECT_COST,
    SHUFFLE_COST,
    WARP_SYNC_COST,
    WORD_BITS,
)

from .linear_layout import (
    BANK_BYTES,
    LANE,
    LANE_BITS,
    WARP,
    Bases,
    BitMap,
    LinearLayout,
    Solver,
    extend,
    intersection,
    is_permutation_of_registers,
    log2,
    rank,
    reduced,
    stays_in_warp,
    wavefronts,
    xor_all,
)
from .matrix_layouts import MatrixAccess, matrix_access, offsets_of

Indices = tuple[int, ...]

MAX_PIECE_BYTES: Final = 16


# Plans


@dataclass(frozen=True)
class Identity:
    """Both layouts are the same map."""

    cost: float = 0.0


@dataclass(frozen=True)
class Renaming:
    """Register i of the target is register `indices[i]` of the source, in every thread."""

    indices: Indices
    cost: float = 0.0


@dataclass(frozen=True)
class Select:
    """
    A select of registers by thread. The condition is the parity of the lane bits `lane` and the
    warp bits `warp`, a linear function; register i is then `when_true[i]` of the input registers,
    else `when_false[i]`.
    """

    lane: int
    warp: int
    when_false: Indices
    when_true: Indices


@dataclass(frozen=True)
class LocalSelect:
    """
    Each thread has all its elements, in registers that depend on the thread: register i of the
    target is register `indices[i]` of the last select's result.
    """

    selects: tuple[Select, ...]
    indices: Indices
    cost: float


@dataclass(frozen=True)
class ShuffledWord:
    """
    Registers that one shuffle moves, at most 32 bits or one element, from the lane that differs by
    `xor` from the one that `Shuffles` computes.
    """

    registers: Indices
    xor: int


@dataclass(frozen=True)
class Shuffles:
    """
    Warp shuffles. First the source's registers go through the selects `before`. A thread then gets
    each word from the lane that `lane` and `warp` give (bases of the bits of its own lane and
    warp); the words go through the selects `after`. Register i of the target is register
    `indices[i]` of their result.
    """

    before: tuple[Select, ...]
    words: tuple[ShuffledWord, ...]
    lane: Bases
    warp: Bases
    after: tuple[Select, ...]
    indices: Indices
    cost: float

    @property
    def keeps_lanes(self) -> bool:
        """Whether a word comes from the lane that differs by its `xor` alone: a butterfly."""
        return self.lane == _units(len(self.lane)) and not any(self.warp)


@dataclass(frozen=True)
class SharedAccess:
    """
    How the registers of a thread are moved to or from shared memory: in vectors of `width`
    consecutive registers. Offsets are in elements, those of several bits are combined by XOR.
    """

    width: int
    register: Bases
    """The offset for each bit of the number of a vector."""
    lane: Bases
    warp: Bases

    def wavefronts(self, element_bytes: int) -> int:
        """Shared memory wavefronts for one vector of all lanes of a warp."""
        offsets = [xor_all(self.lane, lane) * element_bytes for lane in range(1 << len(self.lane))]
        return wavefronts(offsets, self.width * element_bytes)


@dataclass(frozen=True)
class ThroughShared:
    """
    A round trip through shared memory, or several that reuse the same scratch memory. In round i
    the threads store the registers `gather[i]` of the source; after a barrier they load
    registers, which are appended to those of earlier rounds. Register i of the target is register
    `spread[i]` of all of them. Before the next round there is a barrier again.

    Only threads whose `copy_lanes` bits of the lane and `copy_warps` bits of the warp are zero
    store; the others hold copies.
    """

    shared: LinearLayout
    """The elements of the first round, by offset."""
    memory_bits: int
    """The size of an element in memory: whole bytes."""
    gather: tuple[Indices, ...]
    store: SharedAccess | MatrixAccess
    load: SharedAccess | MatrixAccess
    spread: Indices
    copy_lanes: int
    copy_warps: int
    within_warps: bool
    """Whether a warp reads only what it has written, so that a warp barrier is enough."""
    cost: float

    @property
    def bytes(self) -> int:
        """Bytes of scratch memory."""
        return (self.memory_bits // 8) << len(self.shared.offset)

    @property
    def wavefronts(self) -> int:
        """Shared memory wavefronts of a warp, in all rounds."""
        size = self.memory_bits // 8
        both = (each.wavefronts(size) << len(each.register) for each in (self.store, self.load))
        return len(self.gather) * sum(both)


Plan = Identity | Renaming | LocalSelect | Shuffles | ThroughShared


@cache
def plan_conversion(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    ldmatrix: bool = False,
    stmatrix: bool = False,
    max_bytes: int | None = None,
) -> Plan:
    """
    The cheapest layout conversion. `ldmatrix` and `stmatrix` are used only where allowed. A
    conversion through shared memory takes several rounds if it would need more than `max_bytes`.
    """
    assert source.elements == target.elements
    assert len(source.lane) == len(target.lane) == LANE_BITS
    if len(source.warp) != len(target.warp):
        counts = " and ".join(str(1 << len(layout.warp)) for layout in (source, target))
        raise PassFailedException(f"there is no conversion between layouts of {counts} warps")
    if is_permutation_of_registers(source, target):
        solver = Solver(source.register)
        indices = _combine([_solved(solver, basis) for basis in target.register])
        return Identity() if indices == tuple(range(source.registers)) else Renaming(indices)
    plans: list[Plan] = []
    if (local := _plan_selects(source, target, element_bits)) is not None:
        plans.append(local)
    if (shuffles := _plan_shuffles(source, target, element_bits)) is not None:
        plans.append(shuffles)
    if not plans or min(plan.cost for plan in plans) > WARP_SYNC_COST:
        through = _plan_shared(source, target, element_bits, ldmatrix, stmatrix, max_bytes)
        if not plans or max_bytes is None or through.bytes <= max_bytes:
            plans.append(through)
    return min(plans, key=lambda plan: plan.cost)


@cache
def count_wavefronts(registers: LinearLayout, shared: LinearLayout, element_bits: int) -> int:
    """
    Shared memory wavefronts in which a warp copies its registers of a tile to shared memory or from
    there, by its widest accesses.
    """
    size = bits_in_memory(element_bits) // 8
    access = _side(registers, shared.offset, size, matrices=True).access
    return access.wavefronts(size) << len(access.register)


def bits_in_memory(element_bits: int) -> int:
    """The size of an element in memory: a power of two of whole bytes."""
    return max(8, 1 << (element_bits - 1).bit_length())


# Within a thread


@dataclass(frozen=True)
class _Flip:
    """XORs `register` into register numbers in threads with odd parity of the masked bits."""

    register: int
    lane: int
    warp: int


def _flips(lane: Sequence[int], warp: Sequence[int]) -> list[_Flip]:
    """
    The fewest flips that XOR into register numbers what each bit of lane and warp asks for. Each is
    a select of all registers, so a basis of their span is used, not one flip for each bit.
    """
    basis = reduced((*lane, *warp))
    solver = Solver(basis)

    def mask(bases: Sequence[int], index: int) -> int:
        return sum(
            1 << bit for bit, value in enumerate(bases) if _solved(solver, value) >> index & 1
        )

    return [
        _Flip(register, mask(lane, index), mask(warp, index))
        for index, register in enumerate(basis)
    ]


def _selects(
    flips: Sequence[_Flip], needed: Sequence[int], position: Sequence[int]
) -> tuple[tuple[Select, ...], Indices]:
    """
    Selects after which a thread has the registers `needed`, each with the flips of the thread, and
    their positions then. Initially register i is at `position[i]`.
    """
    # Each select keeps only the registers that later ones can still reach.
    kept = [list(dict.fromkeys(needed))]
    for flip in reversed(flips):
        kept.append(
            list(dict.fromkeys(i ^ other for i in kept[-1] for other in (0, flip.register)))
        )
    kept.reverse()
    where = {register: position[register] for register in kept[0]}
    selects: list[Select] = []
    for flip, registers in zip(flips, kept[1:], strict=True):
        when_false = tuple(where[i] for i in registers)
        when_true = tuple(where[i ^ flip.register] for i in registers)
        selects.append(Select(flip.lane, flip.warp, when_false, when_true))
        where = {register: index for index, register in enumerate(registers)}
    return tuple(selects), tuple(where[i] for i in needed)


def _cost_of_selects(selects: Iterable[Select], element_bits: int) -> float:
    words = sum(len(select.when_true) for select in selects) * max(1, element_bits // WORD_BITS)
    return words * SELECT_COST


def _plan_selects(
    source: LinearLayout, target: LinearLayout, element_bits: int
) -> LocalSelect | None:
    solver = Solver(source.register)
    register = [solver.solve(basis) for basis in target.register]
    lane = [solver.solve(a ^ b) for a, b in zip(source.lane, target.lane, strict=True)]
    warp = [solver.solve(a ^ b) for a, b in zip(source.warp, target.warp, strict=True)]
    if None in register or None in lane or None in warp:
        return None
    flips = _flips([each or 0 for each in lane], [each or 0 for each in warp])
    needed = _combine([each or 0 for each in register])
    selects, indices = _selects(flips, needed, range(source.registers))
    return LocalSelect(selects, indices, _cost_of_selects(selects, element_bits))


# Within a warp


def _plan_shuffles(
    source: LinearLayout, target: LinearLayout, element_bits: int
) -> Shuffles | None:
    """
    Let target register k of lane l be at source register D·k + E·l, source lane A·k + B·l. Several
    lanes may read from one lane, but only the same register. So in round k a lane fetches not
    register k but k + G·l, with G such that lanes which read the same lane, which are those that
    differ by the kernel of B + A·G, read the same register. What a lane must publish then
    follows from its number: N·(B + A·G) = E + D·G.

    All of it is linear in the bits of k and l, so each map is known by what it makes of single
    bits: `by_register` is (D, A), `by_lane` is (E, B), `after` is G, `publish` is N.
    """
    if not stays_in_warp(source, target):
        return None
    # 1. D, A, E and B: where the source has what each bit of a target register or lane flips. A
    #    lane that has it in registers of its own reads itself. Copies among target registers are
    #    left out, and made again at the end.
    lanes = len(source.lane)
    count = len(source.register)
    solver = Solver([*source.register, *source.lane])
    local = Solver(source.register)

    def find(basis: int) -> tuple[int, int]:
        packed = _solved(solver, basis)
        return packed & ((1 << count) - 1), packed >> count

    wanted = extend((), target.register)
    by_register = [find(basis) for basis in wanted]
    by_lane: list[tuple[int, int]] = []
    for bit, basis in enumerate(target.lane):
        own = local.solve(basis ^ source.lane[bit])
        by_lane.append(find(basis) if own is None else (own, 1 << bit))
    by_warp = [find(a ^ b) for a, b in zip(source.warp, target.warp, strict=True)]

    # 2. G: which lanes fetch registers out of order, so that no lane is asked for two registers at
    #    once. `by_lane` is (E + D·G, B + A·G) from here on. An element with copies in the source
    #    may as well be read from another copy; that needs no reordering.
    after = _separate(
        by_lane,
        [(packed & ((1 << count) - 1), packed >> count, 0) for packed in solver.kernel]
        + [(*each, 1 << bit) for bit, each in enumerate(by_register)],
    )
    if after is None:
        return None

    # 3. N, from its values on the lanes that are read; on others it may be anything.
    read = extend((), (lane for _, lane in by_lane))
    published = {lane: register for register, lane in by_lane}
    basis = [*read, *extend(read, _units(lanes))]
    lane_solver = Solver(basis)
    values = [published.get(each, 0) if each in read else 0 for each in basis]
    publish = BitMap(tuple(xor_all(values, _solved(lane_solver, unit)) for unit in _units(lanes)))

    # 4. What a lane publishes is linear in its lane and warp number: selects before the shuffle.
    flips = _flips(publish.columns, [register ^ publish.apply(lane) for register, lane in by_warp])
    # 5. Words: rounds that read from the same lane are made consecutive, and one shuffle moves as
    #    many of them as 32 bits hold.
    sources = [lane for _, lane in by_register]
    same = reduced(Solver(sources).kernel)
    rounds = [*same, *extend(same, _units(len(wanted)))]
    order = _combine(rounds)
    constant = [register ^ publish.apply(lane) for register, lane in by_register]
    before, positions = _selects(
        flips, [xor_all(constant, k) for k in order], range(source.registers)
    )
    memory_bits = bits_in_memory(element_bits)
    width = min(1 << len(same), max(1, WORD_BITS // memory_bits))
    words = tuple(
        ShuffledWord(positions[first : first + width], xor_all(sources, order[first]))
        for first in range(0, len(order), width)
    )
    # 6. Each lane undoes its reordering: selects after the shuffle, by G again.
    got = [0] * len(order)
    for index, k in enumerate(order):
        got[k] = index
    unite = Solver(wanted)
    needed = _combine([_solved(unite, each) for each in target.register])
    selects, indices = _selects(after, needed, got)
    plan = Shuffles(
        before,
        words,
        tuple(lane for _, lane in by_lane),
        tuple(lane for _, lane in by_warp),
        selects,
        indices,
        0.0,
    )
    moved = sum(bool(word.xor) or not plan.keeps_lanes for word in words)
    cost = moved * max(1, memory_bits // WORD_BITS) * SHUFFLE_COST
    cost += _cost_of_selects((*before, *selects), memory_bits)
    return replace(plan, cost=cost)


def _separate(
    by_lane: list[tuple[int, int]], choices: Sequence[tuple[int, int, int]]
) -> list[_Flip] | None:
    """
    Changes the sources of lanes, (register, lane) for each lane bit, so that lanes that read the
    same lane read the same register. A choice XORs (register, lane) into a source and in return
    flips the register that a lane fetches. Returns the flips, or `None` if there is no solution.
    """
    lanes = len(by_lane)
    read = [lane for _, lane in by_lane]
    # Lanes that differ by the kernel of B read the same lane. Where E is zero there too they read
    # the same register of it: the kernel of (E, B). The rest of the kernel of B are conflicts.
    harmless = Solver([lane | register << lanes for register, lane in by_lane]).kernel
    conflicts = extend(harmless, Solver(read).kernel)
    flips: list[_Flip] = []
    reached = extend((), read)
    for index, conflict in enumerate(conflicts):
        # A conflict is resolved if its lanes read lanes that no lane read before.
        usable = [each for each in choices if extend(reached, (each[1],))]
        if not usable:
            return None
        # The conflict itself is best: then the shuffle is a butterfly.
        register, lane, flip = min(usable, key=lambda each: (bool(each[2]), each[1] != conflict))
        reached.append(lane)
        # The lanes that change are those with odd parity of a mask: one half of each conflicting
        # pair, and both or none of the lanes that differ by any other vector of the kernel, so that
        # conflicts resolved before stay resolved.
        others = [*harmless, *conflicts[:index], *conflicts[index + 1 :]]
        mask = min(
            (
                mask
                for mask in range(1, 1 << lanes)
                if _odd(mask & conflict) and not any(_odd(mask & other) for other in others)
            ),
            key=int.bit_count,
        )
        for bit in range(lanes):
            if mask >> bit & 1:
                by_lane[bit] = by_lane[bit][0] ^ register, by_lane[bit][1] ^ lane
        if flip:
            flips.append(_Flip(flip, mask, 0))
    return flips


# Through shared memory


def _plan_shared(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    ldmatrix: bool,
    stmatrix: bool,
    max_bytes: int | None,
) -> ThroughShared:
    # 1. Rounds: elements that differ by a vector in the span of `rounds` are moved in different
    #    rounds through the same memory.
    memory_bits = bits_in_memory(element_bits)
    threads = (*source.lane, *source.warp, *target.lane, *target.warp)
    rounds: list[int] = []
    if max_bytes is not None:
        parts = -(-(source.elements * memory_bits // 8) // max_bytes)
        # Only elements that differ by registers alone, in both layouts, can be in later rounds.
        later = extend(threads, intersection(source.register, target.register))
        rounds = later[::-1][: max(0, parts - 1).bit_length()]
    # 2. The elements of a round have numbers of their own, as if there were no others: a
    #    complement of `rounds` is the basis `chunk`, and `numbers` are coordinates in it.
    chunk = extend(rounds, reduced(threads))
    chunk += extend((*chunk, *rounds), _units(log2(source.elements)))
    numbers = LinearLayout.shared((source.elements,), (*chunk, *rounds)).inverse()
    copy_lanes, copy_warps = source.free_bits(LANE), source.free_bits(WARP)
    # `stmatrix` needs all lanes of a warp, so threads with copies could not be left out.
    stmatrix = stmatrix and not copy_lanes and not copy_warps
    first = _restricted(source, numbers, len(chunk))
    last = _restricted(target, numbers, len(chunk))

    # 3. The cheapest swizzle, for one round.
    trip = min(
        (
            _trip(first, last, memory_bits // 8, memory, ldmatrix, stmatrix)
            for memory in _memories(first, last, memory_bits // 8, ldmatrix, stmatrix)
        ),
        key=lambda each: each.cost,
    )
    # 4. Back from numbers to elements, and from these to the registers that hold them: each round
    #    is the first, moved by one element of what `rounds` spans.
    stored = [xor_all(chunk, number) for number in trip.store.registers]
    loaded = [xor_all(chunk, number) for number in trip.load.registers]
    at = Solver(source.register)
    gather = tuple(
        tuple(_solved(at, element ^ xor_all(rounds, index)) for element in _combine(stored))
        for index in range(1 << len(rounds))
    )
    got = Solver([*loaded, *rounds])
    within_warps = not copy_warps and stays_in_warp(source, target)
    sync = WARP_SYNC_COST if within_warps else BLOCK_SYNC_COST
    return ThroughShared(
        shared=LinearLayout.shared(source.shape, [xor_all(chunk, each) for each in trip.columns]),
        memory_bits=memory_bits,
        gather=gather,
        store=trip.store.access,
        load=trip.load.access,
        spread=_combine([_solved(got, basis) for basis in target.register]),
        copy_lanes=copy_lanes,
        copy_warps=copy_warps,
        within_warps=within_warps,
        cost=len(gather) * (trip.cost + sync),
    )


def _restricted(layout: LinearLayout, numbers: BitMap, bits: int) -> LinearLayout:
    """The layout restricted to elements whose new numbers have `bits` bits, without copies."""
    mapped = layout.mapped(numbers, (1 << len(numbers.columns),))
    kept = extend((), (basis for basis in mapped.register if not basis >> bits))
    inside = intersection(mapped.register, _units(bits))
    return LinearLayout.distributed(
        (1 << bits,), [*kept, *extend(kept, inside)], mapped.lane, mapped.warp
    )


@dataclass(frozen=True)
class _Memory:
    """
    A candidate layout of scratch memory: its lowest bits, how many of them are within one vector of
    the store and of the load, and the bases of lanes that access memory in the same phase.
    """

    lowest: Sequence[int]
    store_bits: int
    store_phase: Sequence[int]
    load_bits: int
    load_phase: Sequence[int]

    def columns(self, bits: int, element_bytes: int, preferred: Sequence[int]) -> list[int]:
        """
        The element that each offset bit flips: first the lowest, then those that select the bank,
        then the rest. Neither side has bank conflicts if the rest is independent of the bases
        within a vector and of those of a phase. For bases that only one side has, the rest consists
        of XORs of one from each side: a swizzle.
        """
        word = log2(max(1, BANK_BYTES // element_bytes))
        line = log2(LINE_BYTES // element_bytes)
        units = (*preferred, *_units(bits))
        missing = max(0, word - len(self.lowest))
        others = (*intersection(self.store_phase, self.load_phase), *self.load_phase, *units)
        lowest = [*self.lowest, *extend(self.lowest, others)[:missing]]
        store = extend((), (*lowest[: max(self.store_bits, word)], *self.store_phase))
        load = extend((), (*lowest[: max(self.load_bits, word)], *self.load_phase))
        both = intersection(store, load)
        # From the end, since the lowest bits are at the beginning and must stay what they are.
        only_store = extend(both, store)[::-1]
        only_load = extend(both, load)[::-1]
        rest = extend((*store, *load), units)
        rest += [a ^ b for a, b in zip(only_store, only_load)]
        rest = rest[: max(0, bits - line)]
        banks = extend((*lowest, *rest), units)
        return [*lowest, *banks, *rest]


def _memories(
    first: LinearLayout, last: LinearLayout, element_bytes: int, ldmatrix: bool, stmatrix: bool
) -> Iterable[_Memory]:
    """The candidate layouts of scratch memory."""
    most = log2(max(1, MAX_PIECE_BYTES // element_bytes))

    def phase(layout: LinearLayout, bits: int) -> Bases:
        return layout.lane[: log2(min(1 << LANE_BITS, LINE_BYTES // (element_bytes << bits)))]

    def within(lowest: Sequence[int], layout: LinearLayout) -> int:
        bits = 0
        while bits < min(most, len(lowest)) and not extend(layout.register, lowest[: bits + 1]):
            bits += 1
        return bits

    def memory(lowest: Sequence[int]) -> _Memory:
        store, load = within(lowest, first), within(lowest, last)
        return _Memory(lowest, store, phase(first, store), load, phase(last, load))

    before, after = (*first.lane, *first.warp), (*last.lane, *last.warp)
    common = intersection(first.register, last.register)
    common = extend((*before, *after), common)[:most]
    yield memory(common)
    for threads, layout in ((after, last), (before, first)):
        own = extend((*common, *threads), layout.register)[: most - len(common)]
        for count in range(len(own)):
            yield memory([*common, *own[: count + 1]])
    for allowed, layout in ((ldmatrix, last), (stmatrix, first)):
        for inside, rows in _matrices(layout, element_bytes) if allowed else ():
            plain = memory(inside)
            if layout is last:
                yield replace(plain, load_bits=len(inside), load_phase=rows)
            else:
                yield replace(plain, store_bits=len(inside), store_phase=rows)


def _matrices(
    layout: LinearLayout, element_bytes: int
) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
    """The bases within a row, and of the rows, of the matrices of `ldmatrix` and `stmatrix`."""
    word = log2(max(1, BANK_BYTES // element_bytes))
    if element_bytes > BANK_BYTES or len(layout.register) < word:
        return
    inside, rows = (*layout.register[:word], *layout.lane[:2]), layout.lane[2:]
    if rank(inside) == len(inside):
        yield inside, rows
    if element_bytes == 2 and rank(rows) == len(rows):
        yield rows, inside


@dataclass(frozen=True)
class _Side:
    """The store or the load of a round trip."""

    access: SharedAccess | MatrixAccess
    registers: Sequence[int]
    """The bases of the registers in the order in which they are moved."""
    cost: float


@dataclass(frozen=True)
class _Trip:
    """A round trip through shared memory."""

    columns: Sequence[int]
    store: _Side
    load: _Side

    @property
    def cost(self) -> float:
        return self.store.cost + self.load.cost


def _trip(
    first: LinearLayout,
    last: LinearLayout,
    element_bytes: int,
    memory: _Memory,
    ldmatrix: bool,
    stmatrix: bool,
) -> _Trip:
    bits = log2(first.elements)
    preferred = (*last.warp, *last.lane, *first.warp, *first.lane)
    columns = memory.columns(bits, element_bytes, preferred)
    return _Trip(
        columns,
        _side(first, columns, element_bytes, stmatrix),
        _side(last, columns, element_bytes, ldmatrix),
    )


def _side(
    layout: LinearLayout, columns: Sequence[int], element_bytes: int, matrices: bool
) -> _Side:
    """The cheapest access to memory."""
    shared = LinearLayout.shared(layout.shape, columns)
    sides: list[_Side] = []
    bits = log2(max(1, MAX_PIECE_BYTES // element_bytes))
    while True:
        inside = columns[:bits]
        if not extend(layout.register, inside):
            registers = [*inside, *extend(inside, layout.register)]
            offsets = offsets_of(shared, layout.replaced(register=registers))
            rest = offsets.register[len(inside) :]
            # If lanes flipped the lowest bits, a vector would have its elements in another order.
            if not any(each % (1 << len(inside)) for each in (*rest, *offsets.lane, *offsets.warp)):
                access = SharedAccess(1 << len(inside), rest, offsets.lane, offsets.warp)
                each = access.wavefronts(element_bytes) + ACCESS_COST
                each += _cost_of_packing(layout.register, inside, element_bytes)
                sides.append(_Side(access, registers, each * (1 << len(rest))))
                break
        bits -= 1
    if matrices:
        for transposed in (False, True):
            access = matrix_access(shared, layout, 8 * element_bytes, transposed=transposed)
            if access is not None:
                each = access.wavefronts(element_bytes) + ACCESS_COST
                sides.append(_Side(access, layout.register, each * (1 << len(access.register))))
    return min(sides, key=lambda side: side.cost)


def _cost_of_packing(register: Bases, inside: Sequence[int], element_bytes: int) -> float:
    """The cost of packing elements that are contiguous in memory, but not in 32-bit registers."""
    word = min(log2(max(1, BANK_BYTES // element_bytes)), len(inside))
    kept = 0
    while kept < word and register[kept] == inside[kept]:
        kept += 1
    words = 1 << (len(inside) - word)
    return words * ((1 << (word - kept)) - 1) * PACK_COST


# Bits


def _units(count: int) -> Bases:
    return tuple(1 << bit for bit in range(count))


def _combine(bases: Sequence[int]) -> Indices:
    """The value of each index whose bits flip what the bases say."""
    return tuple(xor_all(bases, index) for index in range(1 << len(bases)))


def _solved(solver: Solver, vector: int) -> int:
    solution = solver.solve(vector)
    assert solution is not None
    return solution


def _odd(mask: int) -> bool:
    return bool(mask.bit_count() & 1)


# An intermediate layout, for conversions of tiles that do not fit in shared memory.
#
# A conversion can reuse the same scratch memory in several rounds if source and target have basis
# vectors in common that both map to registers: elements that differ by these are exchanged in
# different rounds. A transpose has none, as registers of the source are threads of the target. Two
# conversions with an intermediate layout in between have some:
#
#     source          registers  a b c d    threads  e f g h
#     intermediate    registers  c d g h    threads  a b e f     rounds by c d to here,
#     target          registers  e f g h    threads  a b c d     by g h from here


def intermediate_layout(
    source: LinearLayout, target: LinearLayout, parts: int
) -> LinearLayout | None:
    """
    A layout to and from which conversions take `parts` rounds, a power of two; `None` if threads
    hold copies of elements, or have too few registers.
    """
    bits, waiting = log2(source.elements), log2(parts)
    threads = len(source.lane) + len(source.warp)
    for layout in (source, target):
        if len(layout.all_bases) != bits or len(layout.register) < waiting:
            return None
    first = source.register[len(source.register) - waiting :]
    last = target.register[len(target.register) - waiting :]
    # Thread bases must be independent of the bases of rounds, in both conversions.
    around_first = [basis for basis in source.all_bases if basis not in first]
    around_last = [basis for basis in target.all_bases if basis not in last]
    places = intersection(around_first, around_last)[:threads]
    wanted = extend((), (*first, *last))
    if len(places) < threads or len(extend(places, wanted)) < len(wanted):
        return None
    registers = extend(places, (*wanted, *(1 << bit for bit in range(bits))))
    lanes = len(source.lane)
    return LinearLayout.distributed(source.shape, registers, places[:lanes], places[lanes:])
