"""
Reductions and scans with any body.

The layout splits the coordinate along the axis into register, lane and warp bits: these are reduced
within a thread, by shuffles, and through shared memory. The body is lowered for whole vectors of
elements at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import coalesced
from tileiras_xdsl.dialects.arith import ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa import aggregate as tileaa
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas import shape as tileas
from tileiras_xdsl.dialects.nvvm import ShflOp
from tileiras_xdsl.dialects.nvvm.base import ShuffleKind
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes, element_bits
from tileiras_xdsl.targets.choices import EXTREMA_CHAINS
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import (
    Axis,
    direct_layout,
    reduction_groups,
    scan_group,
    with_runs_first,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .barriers import sync_threads, take_scratch
from .exchange import (
    ElementOffsets,
    convert_value,
    read_elements,
    read_tile,
    stored_type,
    write_tile,
)
from .lowering_registry import lower_op, lowers
from .thread_builder import ThreadBuilder, concatenate, element_of, extract, select_registers, splat
from .thread_index import ALL_LANES, get_lane, get_thread, get_warp

Values = list[SSAValue]
"""A fragment for each operand."""

COMMUTATIVE = frozenset(
    (
        *(f"nv_tileaa.{op}" for op in ("addf", "mulf", "maxf", "minf", "addi", "muli")),
        *(f"nv_tileaa.{op}" for op in ("andi", "ori", "xori", "mulhii")),
        *(f"arith.{op}" for op in ("maxsi", "maxui", "minsi", "minui")),
    )
)
"""Ops whose operands may be swapped."""

EXTREMA = frozenset(("nv_tileaa.maxf", "nv_tileaa.minf"))


def combine(builder: ThreadBuilder, body: Block, first: Values, second: Values) -> Values:
    """The body applied to two fragments of each operand."""
    count = count_lanes(first[0].type)
    if any(op.regions for op in body.ops):
        return _combine_one_by_one(builder, body, first, second)
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    return _apply(builder.for_op(builder.op, vector_width=count), body, pairs)


def _apply(builder: ThreadBuilder, body: Block, arguments: Sequence[SSAValue]) -> Values:
    for argument, value in zip(body.args, arguments, strict=True):
        builder.map(argument, value)
    last = body.last_op
    assert last is not None
    for op in body.ops:
        if op is not last:
            lower_op(builder, op)
    return [builder.lookup(value) for value in last.operands]


def _combine_one_by_one(
    builder: ThreadBuilder, body: Block, first: Values, second: Values
) -> Values:
    """A body with branches cannot take them differently for elements of a vector."""
    results: list[Values] = []
    for index in range(count_lanes(first[0].type)):
        pairs = [
            extract(builder, value, index)
            for pair in zip(first, second, strict=True)
            for value in pair
        ]
        results.append([splat(builder, value, 1) for value in _apply(builder, body, pairs)])
    return [concatenate(builder, [row[n] for row in results]) for n in range(len(first))]


def prepare(builder: ThreadBuilder, op: AggregateOperation) -> tuple[Values, LinearLayout, Axis]:
    """The operands in a layout whose bits are bits of the axis or not, never both."""
    layout = builder.layout(op.operands[0])
    values = [builder.lookup(operand) for operand in op.operands]
    axis = Axis(layout, op.get_axis())
    if not axis.is_simple:
        plain = coalesced(layout.shape, builder.kernel.consumer_warps)
        values = [convert_value(builder, value, layout, plain) for value in values]
        layout, axis = plain, Axis(plain, op.get_axis())
    return values, layout, axis


def shuffle(builder: ThreadBuilder, value: SSAValue, kind: ShuffleKind, lane: SSAValue) -> SSAValue:
    """A fragment of another lane."""
    element, count = element_of(value.type), count_lanes(value.type)
    bits = 1 if element == i1 else element_bits(element)
    if bits < WORD_BITS and bits * count % WORD_BITS:
        # Lanes exchange words, so what does not fill one is widened.
        narrow = VectorType(IntegerType(bits), [count])
        integers = value
        if not isinstance(element, IntegerType):
            integers = builder.emit(arith.BitcastOp(value, narrow)).result
        words = builder.emit(ExtUIOp(integers, VectorType(i32, [count]))).result
        moved = shuffle(builder, words, kind, lane)
        integers = builder.emit(TruncIOp(moved, narrow)).result
        if isinstance(element, IntegerType):
            return integers
        return builder.emit(arith.BitcastOp(integers, value.type)).result
    mask, clamp = builder.constant(ALL_LANES), builder.constant(31)
    return builder.emit(ShflOp(kind, mask, value, lane, clamp)).result


# Reductions


@lowers(tileas.ReduceOp, tileaa.ReduceOp)
def lower_reduce(builder: ThreadBuilder, op: AggregateOperation) -> None:
    values, layout, axis = prepare(builder, op)
    body = op.body.block
    dim = op.get_axis()
    values, registers = _reduce_registers(builder, body, values, axis.register)
    sliced = layout.slice(dim)
    assert registers == sliced.registers
    bits = list(axis.lane)
    groups = _exchange_groups(builder, values, sliced, axis)
    if axis.warp and groups == 1 and can_share_lanes(builder, body, sliced, bits):
        values, sliced, bits = _share_lanes(builder, body, values, sliced, bits)
    for bit in bits:
        values = _reduce_lanes(builder, body, values, bit)
    if axis.warp:
        values, sliced = _reduce_warps(builder, op, values, sliced, axis, groups)
    for result, value in zip(op.results, values, strict=True):
        if isinstance(result.type, TensorType):
            builder.map(result, convert_value(builder, value, sliced, builder.layout(result)))
        else:
            builder.map(result, extract(builder, value, 0))


def _reduce_lanes(builder: ThreadBuilder, body: Block, values: Values, bit: int) -> Values:
    """
    Folds lanes that differ in a bit. Both get the same result, since it may decide where all
    threads go: unless the body is commutative, the element of the lower lane comes first in both.
    """
    offset = builder.constant(1 << bit)
    others = [shuffle(builder, value, ShuffleKind.BFLY, offset) for value in values]
    if is_commutative(body):
        return combine(builder, body, values, others)
    single = builder.binary("and", get_lane(builder), offset)
    flag = builder.compare("ne", single, 0)
    is_upper = splat(builder, flag, count_lanes(values[0].type))
    pairs = list(zip(values, others, strict=True))
    first: Values = [builder.select(is_upper, other, own) for own, other in pairs]
    second: Values = [builder.select(is_upper, own, other) for own, other in pairs]
    return combine(builder, body, first, second)


def can_share_lanes(
    builder: ThreadBuilder, body: Block, sliced: LinearLayout, bits: Sequence[int]
) -> bool:
    """
    Whether lanes may share what they reduce: there are registers to share, and the body does not
    ask for an order. What a lane keeps and what it passes on are chosen by selects, which take
    registers: where tiles leave few, ptxas would spill.
    """
    has_both = bool(sliced.register) and bool(bits)
    return has_both and is_commutative(body) and builder.kernel.has_spare_registers


def _share_lanes(
    builder: ThreadBuilder, body: Block, values: Values, sliced: LinearLayout, bits: list[int]
) -> tuple[Values, LinearLayout, list[int]]:
    """
    Folds lanes that differ in a bit, each for half of the registers: a lane passes on the other
    half, so that the next bit has half as many to fold. Returns the layout of what is left, and the
    bits for which there are no registers to share.
    """
    register, lane = list(sliced.register), list(sliced.lane)
    while bits and register:
        bit, *bits = bits
        lane[bit] = register.pop()
        offset = builder.constant(1 << bit)
        single = builder.binary("and", get_lane(builder), offset)
        flag = builder.compare("ne", single, 0)
        half = 1 << len(register)
        is_upper = splat(builder, flag, half)
        kept: Values = []
        passed: Values = []
        for value in values:
            low = select_registers(builder, value, range(half))
            high = select_registers(builder, value, range(half, 2 * half))
            kept.append(builder.select(is_upper, high, low))
            passed.append(builder.select(is_upper, low, high))
        others = [shuffle(builder, value, ShuffleKind.BFLY, offset) for value in passed]
        values = combine(builder, body, kept, others)
    return values, sliced.replaced(register=register, lane=lane), bits


def is_commutative(body: Block) -> bool:
    """Whether a body is known to be commutative in the elements of each operand."""
    last = body.last_op
    assert last is not None
    pairs = zip(body.args[::2], body.args[1::2], strict=True)
    return all(
        isinstance(value.owner, Operation)
        and value.owner.name in COMMUTATIVE
        and set(value.owner.operands) == set(pair)
        for value, pair in zip(last.operands, pairs, strict=True)
    )


def _reduce_registers(
    builder: ThreadBuilder, body: Block, values: Values, bits: Iterable[int]
) -> tuple[Values, int]:
    """Folds the registers that differ in some bits, neighbours first."""
    bits = list(bits)
    if 1 << len(bits) > EXTREMA_CHAINS and builder.kernel.target.has("max3") and _is_extremum(body):
        values, bits = _reduce_in_chains(builder, body, values, bits)
    for done, bit in enumerate(sorted(bits)):
        bit -= done
        count = count_lanes(values[0].type)
        low = [index for index in range(count) if not index >> bit & 1]
        high = [index | 1 << bit for index in low]
        values = combine(
            builder,
            body,
            [select_registers(builder, value, low) for value in values],
            [select_registers(builder, value, high) for value in values],
        )
    return values, count_lanes(values[0].type)


def _is_extremum(body: Block) -> bool:
    """Whether a body is the maximum or the minimum of two f32."""
    return (
        len(body.args) == 2
        and body.args[0].type == f32
        and is_commutative(body)
        and all(op.name in EXTREMA for op in body.ops if op is not body.last_op)
    )


def _reduce_in_chains(
    builder: ThreadBuilder, body: Block, values: Values, bits: Sequence[int]
) -> tuple[Values, list[int]]:
    """
    Folds registers into `EXTREMA_CHAINS`, one after the other: of `max(max(a, b), c)` LLVM makes
    one instruction. The bits that are left are the highest ones.
    """
    (value,) = values
    places = [
        sum(1 << bit for n, bit in enumerate(sorted(bits)) if index >> n & 1)
        for index in range(1 << len(bits))
    ]
    kept = [index for index in range(count_lanes(value.type)) if not index & places[-1]]
    folded: Values = []
    for start in range(0, len(places), EXTREMA_CHAINS):
        indices = [
            place | index for place in places[start : start + EXTREMA_CHAINS] for index in kept
        ]
        part = [select_registers(builder, value, indices)]
        folded = combine(builder, body, folded, part) if folded else part
    first = len(kept).bit_length() - 1
    return folded, [first + n for n in range(EXTREMA_CHAINS.bit_length() - 1)]


def _exchange_groups(
    builder: ThreadBuilder, values: Values, sliced: LinearLayout, axis: Axis
) -> int:
    """In how many groups of registers warps exchange partial results."""
    sizes = [element_bits(stored_type(element_of(value.type))) // 8 for value in values]
    return reduction_groups(sliced, axis.warp, sizes, builder.kernel.model.scratch_budget)[0]


def _reduce_warps(
    builder: ThreadBuilder,
    op: AggregateOperation,
    values: Values,
    sliced: LinearLayout,
    axis: Axis,
    groups: int,
) -> tuple[Values, LinearLayout]:
    """
    Every warp writes its partial results, and all read those of all warps: of all elements at once,
    in the layout of the results, or if these do not fit of one group of registers after the other.
    Returns the layout as well.
    """
    body = op.body.block
    if groups == 1:
        places = _element_places(sliced)
        wanted = direct_layout(op) or sliced
        values = _exchange_parts(
            builder, body, values, sliced, axis, (places, _element_places(wanted)), sliced.elements
        )
        return values, wanted
    # A slot for each thread that has other elements than those before it, and each register.
    slots = 1
    bases: list[list[int]] = []
    for names in (sliced.lane, sliced.warp):
        bases.append([])
        for basis in names:
            bases[-1].append(slots if basis else 0)
            slots *= 2 if basis else 1
    count = sliced.registers // groups
    places = ElementOffsets(bases[0], bases[1], [index * slots for index in range(count)])
    reduced: list[Values] = []
    for first in range(0, sliced.registers, count):
        indices = range(first, first + count)
        part = [select_registers(builder, value, indices) for value in values]
        reduced.append(
            _exchange_parts(builder, body, part, sliced, axis, (places, places), count * slots)
        )
    whole = [
        concatenate(builder, [group[operand] for group in reduced])
        for operand in range(len(values))
    ]
    return whole, sliced


def _element_places(layout: LinearLayout) -> ElementOffsets:
    """A place for each element, in row-major order."""
    elements = [layout.element(register=index) for index in range(layout.registers)]
    return ElementOffsets(layout.lane, layout.warp, elements)


def _exchange_parts(
    builder: ThreadBuilder,
    body: Block,
    values: Values,
    sliced: LinearLayout,
    axis: Axis,
    sides: tuple[ElementOffsets, ElementOffsets],
    count: int,
) -> Values:
    """
    Combines what the warps along the axis have: each writes it to some places for this many
    elements, and threads read what they want from places of theirs. Parts of the warps are
    contiguous, so that a thread reads them by vectorized loads.
    """
    places, wanted = sides
    bits = sorted(axis.warp)
    parts = 1 << len(bits)
    lane = [basis * parts for basis in places.lane]
    written = [basis * parts for basis in places.warp]
    for part, bit in enumerate(bits):
        written[bit] |= 1 << part
    free_warps = sliced.free_bits("warp") & ~sum(1 << bit for bit in bits)
    owner = _is_zero(builder, sliced.free_bits("lane") | free_warps << 5)
    scratches: list[SSAValue] = []
    for value in values:
        size = element_bits(stored_type(element_of(value.type))) // 8
        scratch = take_scratch(builder, count * parts * size)
        offsets = ElementOffsets(lane, written, [place * parts for place in places.registers])
        write_tile(builder, scratch, value, offsets, owner)
        scratches.append(scratch)
    sync_threads(builder)
    read = ElementOffsets(
        [basis * parts for basis in wanted.lane],
        [basis * parts for basis in wanted.warp],
        [place * parts + part for place in wanted.registers for part in range(parts)],
    )
    gathered: Values = []
    for value, scratch in zip(values, scratches, strict=True):
        gathered.append(read_tile(builder, scratch, element_of(value.type), read))
    return _reduce_registers(builder, body, gathered, range(len(bits)))[0]


def _is_zero(builder: ThreadBuilder, mask: int) -> SSAValue | None:
    """Whether some bits of the thread index are all zero; `None` if there are no bits."""
    if not mask:
        return None
    bits = builder.binary("and", get_thread(builder), mask)
    return builder.compare("eq", bits, 0)


# Scans


@lowers(tileas.ScanOp, tileaa.ScanOp)
def lower_scan(builder: ThreadBuilder, op: AggregateOperation) -> None:
    values, given, _ = prepare(builder, op)
    layout = with_runs_first(given, op.get_axis())
    values = [convert_value(builder, value, given, layout) for value in values]
    scan = Scan(builder, op, layout, Axis(layout, op.get_axis()))
    results = scan.run(values)
    for result, value in zip(op.results, results, strict=True):
        builder.map(result, convert_value(builder, value, layout, builder.layout(result)))


class Scan:
    """
    A scan along one axis.

    Runs of neighbours in registers are scanned one by one. Their totals are scanned over the
    other bits of the coordinate, lowest first: where a bit is set, the total of the elements
    with this bit clear and all lower bits set comes first. Then each run is combined with what
    is before it. A reverse scan is the same with every bit of the coordinate inverted.
    """

    def __init__(
        self, builder: ThreadBuilder, op: AggregateOperation, layout: LinearLayout, axis: Axis
    ):
        self._builder = builder
        self._body = op.body.block
        self._layout = layout
        self._axis = axis
        self._is_reverse = _flag(op, "reverse", default=False)
        self._is_inclusive = _flag(op, "inclusive", default=True)
        self._op = op
        self._run_bits = axis.run_bits
        self._dim = op.get_axis()

    @property
    def _run(self) -> int:
        return 1 << self._run_bits

    def run(self, values: Values) -> Values:
        runs = self._scan_runs(values)
        totals = runs[-1]
        before, has_before = self._scan_totals(totals)
        return self._finish(runs, before, has_before)

    def _combine(self, first: Values, second: Values) -> Values:
        return combine(self._builder, self._body, first, second)

    # Runs in registers

    def _scan_runs(self, values: Values) -> list[Values]:
        """The scans of runs: for each position in a run the fragments of all runs."""
        count = count_lanes(values[0].type)
        order = range(self._run)
        if self._is_reverse:
            order = range(self._run - 1, -1, -1)
        scanned: list[Values] = []
        for position in order:
            indices = list(range(position, count, self._run))
            part = [select_registers(self._builder, value, indices) for value in values]
            scanned.append(self._combine(scanned[-1], part) if scanned else part)
        return scanned

    # Totals over lanes, warps and the other registers

    def _scan_totals(self, totals: Values) -> tuple[Values | None, SSAValue | None]:
        """
        What comes before each run, and whether anything does; `None` if there is one run only.
        """
        bits = self._axis.other_bits
        before: Values | None = None
        has_before: SSAValue | None = None
        for index, (name, bit) in enumerate(bits):
            lower = bits[:index]
            last = self._fetch(totals, name, bit, lower)
            is_set = self._is_set(name, bit)
            joined = self._combine(last, totals)
            if before is None:
                before, has_before = last, is_set
            else:
                assert has_before is not None
                longer = self._combine(last, before)
                longer = self._select(has_before, longer, last)
                before = self._select(is_set, longer, before)
                has_before = self._builder.binary("or", has_before, is_set)
            totals = self._select(is_set, joined, totals)
        return before, has_before

    @property
    def _count(self) -> int:
        return self._layout.registers >> self._run_bits

    def _is_set(self, name: str, bit: int) -> SSAValue:
        """Where a bit of the coordinate is set, or clear in reverse: a vector of i1."""
        builder, count = self._builder, self._count
        if name == "register":
            flags = [(index >> bit & 1) ^ int(self._is_reverse) for index in range(count)]
            return builder.constant_vector([-flag for flag in flags], i1)
        source = get_lane(builder) if name == "lane" else get_warp(builder)
        single = builder.binary("and", source, 1 << bit)
        word = "eq" if self._is_reverse else "ne"
        flag = builder.compare(word, single, 0)
        return splat(builder, flag, count)

    def _select(self, condition: SSAValue, yes: Values, no: Values) -> Values:
        return [self._builder.select(condition, a, b) for a, b in zip(yes, no, strict=True)]

    def _fetch(
        self, totals: Values, name: str, bit: int, lower: Sequence[tuple[str, int]]
    ) -> Values:
        """
        For every run, the total at the position with a bit clear and all lower bits set (in reverse
        the other way round).
        """
        builder = self._builder
        clear = {"register": 0, "lane": 0, "warp": 0}
        fill = {"register": 0, "lane": 0, "warp": 0}
        clear[name] |= 1 << bit
        for each, lower_bit in lower:
            fill[each] |= 1 << lower_bit
        if self._is_reverse:
            clear, fill = fill, clear
        keep = {each: ~(clear[each] | fill[each]) for each in clear}
        indices = [index & keep["register"] | fill["register"] for index in range(self._count)]
        totals = [select_registers(builder, value, indices) for value in totals]
        if clear["warp"] | fill["warp"]:
            return self._fetch_warp(totals, keep, fill)
        if clear["lane"] | fill["lane"]:
            lane = self._replace_bits(get_lane(builder), keep["lane"], fill["lane"], 31)
            return [shuffle(builder, value, ShuffleKind.IDX, lane) for value in totals]
        return totals

    def _replace_bits(self, source: SSAValue, keep: int, fill: int, mask: int) -> SSAValue:
        builder = self._builder
        kept = builder.binary("and", source, keep & mask)
        return builder.binary("or", kept, fill & mask)

    def _fetch_warp(self, totals: Values, keep: dict[str, int], fill: dict[str, int]) -> Values:
        """
        Through shared memory, where every thread has a slot of its own: for all runs at once, or
        if these do not fit for one group of them after the other.
        """
        builder = self._builder
        sizes = [element_bits(stored_type(element_of(value.type))) // 8 for value in totals]
        count = scan_group(
            self._count, builder.kernel.consumer_threads, sizes, builder.kernel.model.scratch_budget
        )
        groups: list[Values] = []
        for first in range(0, self._count, count):
            indices = range(first, first + count)
            part = [select_registers(builder, value, indices) for value in totals]
            groups.append(self._fetch_group(part, keep, fill))
        return [
            concatenate(builder, [group[operand] for group in groups])
            for operand in range(len(totals))
        ]

    def _fetch_group(self, totals: Values, keep: dict[str, int], fill: dict[str, int]) -> Values:
        builder = self._builder
        count = count_lanes(totals[0].type)
        lane = self._replace_bits(get_lane(builder), keep["lane"], fill["lane"], 31)
        warp = self._replace_bits(
            get_warp(builder), keep["warp"], fill["warp"], builder.kernel.consumer_warps - 1
        )
        shifted = builder.binary("shl", warp, 5)
        thread = builder.binary("or", shifted, lane)
        results: Values = []
        scratches: list[SSAValue] = []
        bits = [1 << bit for bit in range(5)]
        warps = [32 << bit for bit in range(builder.kernel.consumer_warps.bit_length() - 1)]
        offsets = ElementOffsets(
            bits, warps, [index * builder.kernel.consumer_threads for index in range(count)]
        )
        for value in totals:
            size = element_bits(stored_type(element_of(value.type))) // 8
            scratch = take_scratch(builder, count * builder.kernel.consumer_threads * size)
            write_tile(builder, scratch, value, offsets, None)
            scratches.append(scratch)
        sync_threads(builder)
        for value, scratch in zip(totals, scratches, strict=True):
            linear_indices = builder.constant_vector(
                [index * builder.kernel.consumer_threads for index in range(count)]
            )
            linear_indices = builder.binary("add", linear_indices, splat(builder, thread, count))
            results.append(read_elements(builder, scratch, element_of(value.type), linear_indices))
        return results

    # Runs and what is before them

    def _finish(
        self, runs: list[Values], before: Values | None, has_before: SSAValue | None
    ) -> Values:
        scanned = runs
        if not self._is_inclusive:
            scanned = [self._identities(), *runs[:-1]]
        finished: list[Values] = []
        for index, part in enumerate(scanned):
            if before is None or has_before is None:
                finished.append(part)
                continue
            if index == 0 and not self._is_inclusive:
                joined = before
            else:
                joined = self._combine(before, part)
            finished.append(self._select(has_before, joined, part))
        if self._is_reverse:
            finished.reverse()
        return [
            self._interleave([part[operand] for part in finished])
            for operand in range(len(finished[0]))
        ]

    def _interleave(self, parts: Sequence[SSAValue]) -> SSAValue:
        """Registers in the order of the layout, from the fragments of each position in a run."""
        joined = concatenate(self._builder, parts)
        count = self._count
        indices = [position * count + run for run in range(count) for position in range(self._run)]
        return select_registers(self._builder, joined, indices)

    def _identities(self) -> Values:
        attributes = self._op.identities
        if attributes is None:
            fail(self._op, "an exclusive scan needs identities")
        return [_constant(self._builder, attribute, self._count) for attribute in attributes]


def _flag(op: AggregateOperation, name: str, *, default: bool) -> bool:
    match op.properties.get(name):
        case IntegerAttr() as flag:
            return bool(flag.value.data)
        case _:
            return default


def _constant(builder: ThreadBuilder, attribute: Attribute, count: int) -> SSAValue:
    assert isinstance(attribute, IntegerAttr | FloatAttr)
    scalar = builder.emit(arith.ConstantOp(attribute)).result
    return splat(builder, scalar, count)
