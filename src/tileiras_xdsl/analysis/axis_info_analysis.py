"""
Axis info analysis: a forward dataflow analysis of contiguity, divisibility, constancy and integer
ranges of the integers and pointers of a function.

    axis_info = analyze(func)
    axis_info[value].divisor, axis_info[value].low, axis_info[value].contiguity, …

One walk in program order, since control flow is structured. Loop bodies are walked until the
loop-carried values reach a fixpoint; a range that grows is widened at once. A deeply nested loop is
walked from scratch a few times only, then from its last state: else the number of walks would grow
exponentially with the nesting depth. There are transfer functions for `arith`, `gpu`, `nv_tileaa`,
and the ops of `nv_tileas` that change shapes and layouts. Results of other ops, and parameters of
the function, are top. Undefined behaviour is assumed not to happen: no division by zero, no
overflow of `nsw` arithmetic, no assumption that fails.

Conditions of `scf.if` and `scf.while` refine the ranges of the scalars they compare, for the ops
in the branch or after the condition; `axis_info[value]` of the scalar itself holds everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    RELATIONS,
    BoundedAttr,
    DivByAttr,
    SameElementsAttr,
    get_shape,
    is_pointer,
    word,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp
from tileiras_xdsl.xdsl_extras.walking import last_of

from . import axis_info as rules
from .axis_info import (
    INDEX_RANGE,
    AxisInfo,
    IntegerRange,
    common_divisor,
    integer_range_of,
    is_tracked,
    joint_divisor,
    multiplied_divisor,
    multiply,
    offset_pointer,
    power_of_two,
)
from .slices import operands_first, operands_of

__all__ = ["AxisInfo", "AxisInfoAnalysis", "analyze", "max_vector_width"]

VECTOR_BYTES = 16
"""The widest access of a thread."""

MAX_LITERAL = 4096
"""Dense constants with more elements are not analysed element by element."""

MAX_FRESH_WALKS = 8
"""How often a nested loop is walked from scratch."""

GRID_LIMITS = {"x": 2**31 - 1, "y": 65535, "z": 65535}

JOINED_IF_TRUE = (elementwise.AndIOp, arith.AndIOp)
"""Ops of which both operands hold if the result does."""
JOINED_IF_FALSE = (elementwise.OrIOp, arith.OrIOp)
"""Ops of which neither operand holds if the result does not."""

Rule = Callable[..., "AxisInfo | None"]
"""A transfer function: the axis info of an op's only result, given that of its operands."""

RULES: dict[str, Rule] = {}


@dataclass(frozen=True, eq=False)
class AxisInfoAnalysis:
    """The axis info of the values of a function; top of those that were not reached."""

    known: Mapping[SSAValue, AxisInfo | None]

    def __getitem__(self, value: SSAValue) -> AxisInfo:
        return self.known.get(value) or AxisInfo.top(value.type)


def analyze(function: Operation) -> AxisInfoAnalysis:
    """Analyses all values in a function, or in any op with regions."""
    analysis = Analysis()
    for region in function.regions:
        analysis.visit_region(region)
    return AxisInfoAnalysis(analysis.known)


def max_vector_width(pointer: AxisInfo, mask: AxisInfo | None, dim: int, element_bytes: int) -> int:
    """
    The vector width of an access along a dimension: contiguous addresses, aligned to the vector,
    with a constant mask, 16 bytes at most.
    """
    if pointer.step != element_bytes:
        return 1
    width = min(
        pointer.contiguity[dim],
        max(power_of_two(pointer.divisibility[dim]) // element_bytes, 1),
        max(VECTOR_BYTES // element_bytes, 1),
    )
    return width if mask is None else min(width, mask.constancy[dim])


@dataclass(eq=False)
class Analysis:
    """A walk over a function. `None` is the bottom of the lattice: the axis info of poison."""

    known: dict[SSAValue, AxisInfo | None] = field(
        default_factory=dict[SSAValue, AxisInfo | None], init=False
    )
    _tops: dict[Attribute, AxisInfo] = field(default_factory=dict[Attribute, AxisInfo], init=False)
    _walks: dict[Operation, int] = field(default_factory=dict[Operation, int], init=False)
    _carried: dict[Operation, list[AxisInfo | None]] = field(
        default_factory=dict[Operation, list[AxisInfo | None]], init=False
    )
    """For each loop, the fixpoint of its loop-carried values in the last walk."""

    def get(self, value: SSAValue) -> AxisInfo:
        found = self.known.get(value)
        return self.top(value.type) if found is None else found

    def top(self, ty: Attribute) -> AxisInfo:
        found = self._tops.get(ty)
        if found is None:
            found = self._tops[ty] = AxisInfo.top(ty)
        return found

    def visit_region(self, region: Region) -> None:
        for block in region.blocks:
            self.visit_block(block)

    def visit_block(self, block: Block) -> None:
        known = self.known
        for op in block.ops:
            rule = RULES.get(op.name)
            if rule is not None:
                found = rule(op, *map(self.get, op.operands))
                if found is not None:
                    known[op.results[0]] = found
            elif op.regions:
                self.visit_structure(op)
            elif isinstance(op, views.GetTensorShapeOp | views.GetIndexSpaceShapeOp):
                self.visit_shape_of_view(op)
            elif op.name == "ub.poison":
                known[op.results[0]] = None

    def visit_shape_of_view(self, op: Operation) -> None:
        make = memref_of(op.operands[0])
        if make is None:
            return
        sizes, _ = dims_of(make, self.get)
        ty = op.operands[0].type
        if isinstance(ty, TiledViewType):
            sizes = [
                rules.divide(sizes[dim], AxisInfo.constant(step), rules.INDEX_RANGE, "positive_inf")
                for dim, step in zip(ty.get_dim_map(), ty.get_steps(), strict=True)
            ]
        for result, size in zip(op.results, sizes, strict=True):
            if isinstance(result.type, IntegerType):
                self.known[result] = rules.wrap(size, integer_range_of(result.type))

    # Control flow

    def visit_structure(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self.visit_for(op)
            case scf.WhileOp():
                self.visit_while(op)
            case scf.IfOp():
                then, otherwise = (self.learn(op.cond, holds=holds) for holds in (True, False))
                self.visit_branches(op, [then, otherwise])
            case scf.IndexSwitchOp() | scf.ExecuteRegionOp():
                self.visit_branches(op, [dict[SSAValue, AxisInfo]()] * len(op.regions))
            case _ if op.has_trait(IsolatedFromAbove):
                pass
            case _:
                for region in op.regions:
                    self.visit_region(region)

    def carried(self, values: Sequence[SSAValue]) -> list[AxisInfo | None]:
        """The axis info of values; `None` for poison."""
        return [
            self.known[value] if value in self.known else self.top(value.type) for value in values
        ]

    def assign(self, targets: Sequence[SSAValue], infos: Sequence[AxisInfo | None]) -> None:
        for target, found in zip(targets, infos, strict=True):
            if is_tracked(target.type):
                self.known[target] = found

    def visit_branches(self, op: Operation, learnt: Sequence[dict[SSAValue, AxisInfo]]) -> None:
        results: list[AxisInfo | None] | None = None
        for region, better in zip(op.regions, learnt, strict=True):
            block = region.blocks.last
            if block is None:
                continue
            with self.knowing(better):
                self.visit_region(region)
                found = self.carried(last_of(block).operands) if op.results else []
            results = found if results is None else _join_all(results, found)
        if results is not None:
            self.assign(op.results, results)

    @contextmanager
    def knowing(self, better: dict[SSAValue, AxisInfo]) -> Generator[None]:
        """Refines the axis info of values within the context."""
        old = {value: self.known[value] for value in better if value in self.known}
        self.known.update(better)
        yield
        for value in better:
            if value in old:
                self.known[value] = old[value]
            else:
                del self.known[value]

    def learn(self, condition: SSAValue, *, holds: bool) -> dict[SSAValue, AxisInfo]:
        """The ranges of compared scalars, refined by a condition that holds or does not."""
        joined = JOINED_IF_TRUE if holds else JOINED_IF_FALSE
        learnt: dict[SSAValue, AxisInfo] = {}
        with ExitStack() as known:
            for part in operands_first(
                condition, lambda each: operands_of(each) if isinstance(each.owner, joined) else ()
            ):
                found = self._learn_comparison(part, holds=holds)
                known.enter_context(self.knowing(found))
                learnt |= found
        return learnt

    def _learn_comparison(self, condition: SSAValue, *, holds: bool) -> dict[SSAValue, AxisInfo]:
        owner = condition.owner
        if not isinstance(owner, elementwise.CmpIOp | arith.CmpiOp):
            return {}
        predicate, signed = comparison_of(owner)
        lhs, rhs = owner.operands
        if get_shape(lhs.type) or integer_range_of(lhs.type) is rules.I1_RANGE:
            return {}
        if not holds:
            predicate = rules.NEGATED[predicate]
        ranges = rules.compared_ranges(predicate, self.get(lhs), self.get(rhs), signed=signed)
        return dict(zip((lhs, rhs), ranges, strict=True))

    def visit_for(self, op: scf.ForOp) -> None:
        lower, upper, step = map(self.get, op.operands[:3])
        body = op.body.block
        counter, *arguments = body.args
        divisor = rules.common_divisor(lower.divisor, step.divisor)
        # The body runs only if the induction variable is below the upper bound.
        self.known[counter] = AxisInfo.scalar(lower.low, max(lower.low, upper.high - 1), divisor)

        def visit_body() -> Sequence[SSAValue]:
            self.visit_block(body)
            return last_of(op.body.block).operands

        state = self.find_fixpoint(op, op.operands[3:], arguments, visit_body)
        self.assign(op.results, state)

    def visit_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block

        def visit_body() -> Sequence[SSAValue]:
            self.visit_block(before)
            condition, *passed = last_of(op.before_region.block).operands
            for holds, targets in ((True, after.args), (False, op.results)):
                with self.knowing(self.learn(condition, holds=holds)):
                    infos = self.carried(passed)
                self.assign(targets, infos)
            self.visit_block(after)
            return last_of(op.after_region.block).operands

        self.find_fixpoint(op, op.operands, before.args, visit_body)

    def find_fixpoint(
        self,
        op: Operation,
        initial: Sequence[SSAValue],
        arguments: Sequence[SSAValue],
        visit_body: Callable[[], Sequence[SSAValue]],
    ) -> list[AxisInfo | None]:
        """The fixpoint of a loop's carried values: what holds in every iteration."""
        state = self.carried(initial)
        self._walks[op] = self._walks.get(op, 0) + 1
        if self._walks[op] > MAX_FRESH_WALKS:
            state = _join_all(state, self._carried[op])
        while True:
            self.assign(arguments, state)
            following = _join_all(state, self.carried(visit_body()))
            if following == state:
                self._carried[op] = state
                return state
            state = [
                new
                if old is None or new is None
                else rules.widen(old, new, integer_range_of(value.type))
                for value, old, new in zip(arguments, state, following, strict=True)
            ]


def _join_all(
    first: Sequence[AxisInfo | None], second: Sequence[AxisInfo | None]
) -> list[AxisInfo | None]:
    return [
        b if a is None else a if b is None else rules.join(a, b)
        for a, b in zip(first, second, strict=True)
    ]


# Rules


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


@_rule("arith.constant")
def _constant(op: Operation) -> AxisInfo | None:
    value = op.properties["value"]
    ty = op.results[0].type
    match value:
        case IntegerAttr():
            return AxisInfo.constant(_as_element(value.value.data, integer_range_of(ty)))
        case DenseIntOrFPElementsAttr() if is_tracked(ty):
            return _literal(value, ty)
        case _:
            return None


def _as_element(number: int, bounds: IntegerRange) -> int:
    """An integer in the range of the type: literals may be written signed or unsigned."""
    number &= (1 << bounds.bits) - 1
    return number if number <= bounds.high else number - (1 << bounds.bits)


def _literal(value: DenseIntOrFPElementsAttr, ty: Attribute) -> AxisInfo | None:
    data, sizes, bounds = value.data.data, get_shape(ty), integer_range_of(ty)
    count = len(value)
    width = len(data) // max(count, 1)
    if count and data == data[:width] * count:
        first = int.from_bytes(data[:width], "little")
        return AxisInfo.constant(_as_element(first, bounds), sizes)
    if count > MAX_LITERAL:
        return None
    numbers = [
        _as_element(int.from_bytes(data[i : i + width], "little"), bounds)
        for i in range(0, len(data), width)
    ]
    return rules.of_elements(numbers, sizes)


_OVERFLOW_FREE = ("no_signed_wrap", "no_wrap")


def may_wrap(op: Operation) -> bool:
    """Whether signed overflow is defined."""
    flags = op.properties.get("overflowFlags")
    if isinstance(flags, arith.IntegerOverflowAttr):
        return arith.IntegerOverflowFlag.NSW not in flags.data
    overflow = op.properties.get("overflow")
    return word(overflow, "none") not in _OVERFLOW_FREE  # pyright: ignore[reportArgumentType]


def _arithmetic(name: str, apply: Callable[..., AxisInfo]) -> None:
    """Registers a transfer function of arithmetic that may have overflow flags."""

    @_rule(f"arith.{name}", f"nv_tileaa.{name}")
    def _(op: Operation, *operands: AxisInfo) -> AxisInfo:
        return apply(*operands, integer_range_of(op.results[0].type), may_wrap=may_wrap(op))


_arithmetic("addi", rules.add)
_arithmetic("subi", rules.subtract)
_arithmetic("muli", rules.multiply)
_arithmetic("shli", rules.shift_left)
_arithmetic("negi", rules.negate)


def _bounded(name: str, apply: Callable[..., AxisInfo]) -> None:
    """Registers a transfer function of the operands and the result's integer range."""

    @_rule(f"arith.{name}", f"nv_tileaa.{name}")
    def _(op: Operation, *operands: AxisInfo) -> AxisInfo:
        return apply(*operands, integer_range_of(op.results[0].type))


_bounded("andi", rules.bit_and)
_bounded("ori", rules.bit_or)
_bounded("xori", rules.bit_xor)
_bounded("mulhii", rules.unknown)
_bounded("absi", rules.magnitude)
_bounded("trunci", rules.wrap)


def _is_signed(op: Operation) -> bool:
    if op.name.startswith("arith."):
        return op.name.endswith("si")
    found = op.properties.get("signedness")
    return word(found, "signed") == "signed"  # pyright: ignore[reportArgumentType]


_ARITH_ROUNDINGS = {
    "arith.divsi": "zero",
    "arith.divui": "zero",
    "arith.floordivsi": "negative_inf",
    "arith.ceildivsi": "positive_inf",
    "arith.ceildivui": "positive_inf",
}


@_rule("nv_tileaa.divi", *_ARITH_ROUNDINGS)
def _division(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    bounds = integer_range_of(op.results[0].type)
    if not _is_signed(op) and (first.low < 0 or second.low < 0):
        return rules.unknown(first, second, bounds)
    if isinstance(op, elementwise.DivIOp):
        return rules.divide(first, second, bounds, word(op.rounding, "zero"))
    return rules.divide(first, second, bounds, _ARITH_ROUNDINGS[op.name])


@_rule("nv_tileaa.remi", "arith.remsi", "arith.remui")
def _remainder(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    bounds = integer_range_of(op.results[0].type)
    if _is_signed(op) or (first.low >= 0 and second.low >= 0):
        return rules.remainder(first, second, bounds)
    if second.low > 0:
        bounds = IntegerRange(0, second.high - 1, bounds.bits)
    return rules.unknown(first, second, bounds)


@_rule("nv_tileaa.shri", "arith.shrsi", "arith.shrui")
def _shift_right(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    bounds = integer_range_of(op.results[0].type)
    if _is_signed(op) or first.low >= 0:
        return rules.shift_right(first, second, bounds)
    if (amount := second.value) is not None and 0 < amount < bounds.bits:
        # Zeros come in from above.
        bounds = IntegerRange(0, (1 << (bounds.bits - amount)) - 1, bounds.bits)
    return rules.unknown(first, second, bounds)


@_rule("arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui")
def _extremum(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    bounds = integer_range_of(op.results[0].type)
    is_minimum = op.name.startswith("arith.min")
    if bounds is rules.I1_RANGE:
        return rules.unknown(first, second, bounds)
    if not _is_signed(op) and (first.low < 0 or second.low < 0):
        limits = [found.high for found in (first, second) if found.low >= 0]
        if is_minimum and limits:
            # As unsigned, a negative integer is greater than all others.
            bounds = IntegerRange(0, min(limits), bounds.bits)
        return rules.unknown(first, second, bounds)
    return rules.extremum(first, second, is_minimum=is_minimum)


_ARITH_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_LAST_SIGNED = 5


def comparison_of(op: elementwise.CmpIOp | arith.CmpiOp) -> tuple[str, bool]:
    """The predicate of a comparison, and whether it is signed."""
    if isinstance(op, elementwise.CmpIOp):
        return RELATIONS[word(op.comparison_predicate, "equal")], op.is_signed
    number = op.predicate.value.data
    return _ARITH_PREDICATES[number], number <= _LAST_SIGNED


@_rule("nv_tileaa.cmpi", "arith.cmpi")
def _cmpi(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    assert isinstance(op, elementwise.CmpIOp | arith.CmpiOp)
    predicate, signed = comparison_of(op)
    width = integer_range_of(op.lhs.type).bits
    return rules.compare(predicate, first, second, signed=signed, width=width)


# Conversions


@_rule("arith.extsi", "arith.index_cast", "arith.extui", "arith.index_castui")
def _extend(op: Operation, found: AxisInfo) -> AxisInfo:
    source, target = integer_range_of(op.operands[0].type), integer_range_of(op.results[0].type)
    extend = rules.zero_extend if op.name.endswith("ui") else rules.sign_extend
    return rules.wrap(extend(found, source), target)


# Values of any type


def _any_type(*names: str) -> Callable[[Rule], Rule]:
    """Registers a transfer function of ops that take any type; only tracked types are analysed."""

    def register(rule: Rule) -> Rule:
        @_rule(*names)
        def _(op: Operation, *operands: AxisInfo) -> AxisInfo | None:
            return rule(op, *operands) if is_tracked(op.results[0].type) else None

        return rule

    return register


@_any_type("arith.select")
def _select(op: Operation, condition: AxisInfo, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    return rules.select(condition, first, second)


@_any_type("nv_tileaa.bitcast")
def _bitcast(op: Operation, found: AxisInfo) -> AxisInfo | None:
    return found if op.operands[0].type == op.results[0].type else None


@_any_type("nv_tileas.convert_layout", "nv_tileas.shuffle")
def _relayout(op: Operation, found: AxisInfo) -> AxisInfo:
    return found


@_any_type("nv_tileaa.splat")
def _splat(op: Operation, found: AxisInfo) -> AxisInfo:
    return rules.splat(found, get_shape(op.results[0].type))


@_rule("nv_tileaa.make_range")
def _make_range(op: Operation, start: AxisInfo, *_: AxisInfo) -> AxisInfo:
    ty = op.results[0].type
    return rules.counting(start, get_shape(ty)[0], integer_range_of(ty))


@_any_type("nv_tileaa.view", "nv_tileas.view")
def _view(op: Operation, found: AxisInfo) -> AxisInfo:
    return rules.reshape(found, get_shape(op.results[0].type))


@_any_type("nv_tileaa.expand_dims", "nv_tileas.expand_dims")
def _expand_dims(op: Operation, found: AxisInfo) -> AxisInfo:
    assert isinstance(op, shape.ExpandDimsOperation)
    sources: list[int | None] = list(range(len(found.shape)))
    sources.insert(op.get_axis(), None)
    return rules.with_dims(found, get_shape(op.result.type), sources)


@_any_type("nv_tileaa.broadcast")
def _broadcast(op: Operation, found: AxisInfo) -> AxisInfo:
    sizes = get_shape(op.results[0].type)
    sources = [dim if found.shape[dim] == size else None for dim, size in enumerate(sizes)]
    return rules.with_dims(found, sizes, sources)


@_any_type("nv_tileaa.permute")
def _permute(op: Operation, found: AxisInfo) -> AxisInfo:
    assert isinstance(op, shape.PermuteOp)
    return rules.with_dims(found, get_shape(op.result.type), op.get_permutation())


@_any_type("nv_tileaa.cat")
def _cat(op: Operation, first: AxisInfo, second: AxisInfo) -> AxisInfo:
    return rules.joined_parts(first, second, get_shape(op.results[0].type), first.shape)


@_any_type("nv_tileaa.extract")
def _extract(op: Operation, found: AxisInfo, *_: AxisInfo) -> AxisInfo:
    return rules.limit_runs(found, get_shape(op.results[0].type))


@_any_type("nv_tileaa.insert")
def _insert(op: Operation, source: AxisInfo, destination: AxisInfo, *_: AxisInfo) -> AxisInfo:
    return rules.joined_parts(source, destination, destination.shape, source.shape)


@_any_type("nv_tileaa.assume")
def _assume(op: Operation, found: AxisInfo) -> AxisInfo:
    assert isinstance(op, shape.AssumeOp)
    match op.predicate:
        case DivByAttr(divisor=divisor, every=int() as every, along=int() as along):
            return rules.assume_runs(found, divisor, every, along)
        case DivByAttr(divisor=divisor):
            return rules.assume_divisor(found, divisor)
        case BoundedAttr(lower=lower, upper=upper):
            return rules.assume_range(found, lower, upper)
        case SameElementsAttr(data=groups):
            return rules.assume_equal(found, groups)
        case _:
            return found


# Pointers and views


def element_bytes(element: Attribute) -> int | None:
    """Bytes of an element in memory; `None` for sub-byte types."""
    bits = element_bit_width(element)
    if bits == 1:
        return 1
    return None if bits % 8 else bits // 8


@_rule("nv_tileaa.addptr")
def _addptr(op: Operation, base: AxisInfo, offset: AxisInfo) -> AxisInfo | None:
    assert isinstance(op, memory.AddPtrOp)
    size = element_bytes(op.elem_type)
    return None if size is None else rules.offset_pointer(base, offset, size)


@_rule("nv_tileaa.alloca")
def _alloca(op: Operation, *_: AxisInfo) -> AxisInfo:
    assert isinstance(op, memory.AllocaOp)
    return rules.assume_divisor(AxisInfo.top(op.result.type), op.alignment.value.data)


@_rule("nv_tileaa.int_to_ptr", "nv_tileaa.ptr_to_int")
def _address(op: Operation, found: AxisInfo) -> AxisInfo:
    ty = op.results[0].type
    bounds = integer_range_of(ty)
    address = rules.unknown(found, found, bounds)
    if not is_pointer(ty) and bounds.bits < rules.POINTER_BITS:
        return address
    return rules.assume_divisor(address, power_of_two(found.divisor))


@_rule("gpu.block_id", "gpu.grid_dim")
def _grid(op: Operation) -> AxisInfo:
    limit = GRID_LIMITS[str(op.properties["dimension"].data)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    return AxisInfo.scalar(1, limit) if op.name == "gpu.grid_dim" else AxisInfo.scalar(0, limit - 1)


def memref_of(view: SSAValue) -> views.MakeMemrefOp | None:
    """The `make_memref` behind a view or memref, if it is visible."""
    owner = view.owner
    while isinstance(owner, views.BlockTileOp | shape.AssumeOp):
        owner = owner.operands[0].owner
    return owner if isinstance(owner, views.MakeMemrefOp) else None


def dims_of(
    op: views.MakeMemrefOp, get: Callable[[SSAValue], AxisInfo]
) -> tuple[list[AxisInfo], list[AxisInfo]]:
    """The axis info of the sizes and strides of a tensor, static or dynamic."""
    ty = op.result.type
    assert isinstance(ty, MemRefType)
    found: list[list[AxisInfo]] = []
    for dims, dynamic in ((ty.shape.data, op.sizes), (ty.strides.data, op.strides)):
        values = iter(dynamic)
        found.append(
            [AxisInfo.constant(dim) if dim is not None else get(next(values)) for dim in dims]
        )
    sizes, strides = found
    return sizes, strides


# Axis info of views, and of the tiles that accesses load or store.
#
#     %m = make_memref %p sizes(%n, %k) strides(%s)     %p, %k, %s div_by<16>, f16
#     %v = block_tile %m {tileSizes = array<i64: 64, 64>}
#     tiled_load %v[%i, %j]                             vectors of 8 along dimension 1: aligned to
#                                                       16 bytes, and in bounds or out of bounds
#                                                       as a whole, as 8 divides %k
#
# So there is one bounds check for each vector, and none along a dimension where integer ranges, or
# `in_bounds` of the access, prove that the tile is in bounds.

UNKNOWN_DIM = AxisInfo.scalar(INDEX_RANGE.low, INDEX_RANGE.high)

FAR: Final = 1 << 60
"""No tensor has this many elements along a dimension."""


def may_be_far(index: AxisInfo, step: int) -> bool:
    """Whether an index of tiles may be so large that its product with the step wraps around."""
    return index.low * step < -FAR or index.high * step > FAR


@dataclass(frozen=True)
class ViewAxisInfo:
    """A strided tensor cut into tiles; sizes and strides are those of the tensor."""

    type: TiledViewType
    sizes: tuple[AxisInfo, ...]
    strides: tuple[AxisInfo, ...]
    """In elements."""
    alignment: int
    """A divisor of the address of the first element, in bytes."""

    @staticmethod
    def of(view: SSAValue, axis_info: AxisInfoAnalysis) -> ViewAxisInfo:
        """The axis info of a view; from its type alone if its `make_memref` is not visible."""
        ty = view.type
        assert isinstance(ty, TiledViewType)
        make = memref_of(view)
        if make is None:
            sizes, strides = (
                tuple(UNKNOWN_DIM if dim is None else AxisInfo.constant(dim) for dim in dims)
                for dims in (ty.memref.shape.data, ty.memref.strides.data)
            )
            return ViewAxisInfo(ty, sizes, strides, 1)
        base = axis_info[make.base]
        if make.offset is not None:
            size = element_bytes(ty.element_type)
            offset = axis_info[make.offset]
            base = AxisInfo.scalar(0, 1) if size is None else offset_pointer(base, offset, size)
        found = dims_of(make, axis_info.__getitem__)
        alignment = joint_divisor(base.divisor, _assumed_alignment(view))
        return ViewAxisInfo(ty, tuple(found[0]), tuple(found[1]), alignment)


def _assumed_alignment(view: SSAValue) -> int:
    """The alignment that `assume` ops state of the memref behind a view."""
    alignment = 1
    owner = view.owner
    while isinstance(owner, BlockTileOp | AssumeOp):
        if isinstance(owner, AssumeOp) and isinstance(owner.predicate, DivByAttr):
            alignment = joint_divisor(alignment, owner.predicate.divisor)
        owner = owner.operands[0].owner
    return alignment


@dataclass(frozen=True)
class TileAxisInfo:
    """The tile of a view that an access loads or stores; dimensions are those of the tile."""

    view: ViewAxisInfo
    starts: tuple[AxisInfo, ...]
    """Where the tile begins, in elements; along a sparse dimension, its rows."""
    promised: tuple[bool, ...]
    """Along which dimensions the access has `in_bounds`."""

    @staticmethod
    def of(
        view: SSAValue,
        indices: Sequence[SSAValue],
        axis_info: AxisInfoAnalysis,
        in_bounds: Sequence[bool] | None = None,
    ) -> TileAxisInfo:
        """The axis info of `view[indices]`."""
        found = ViewAxisInfo.of(view, axis_info)
        ty = found.type
        starts = tuple(
            axis_info[index]
            if dim == ty.get_sparse_dim()
            else multiply(axis_info[index], AxisInfo.constant(step), INDEX_RANGE, may_wrap=False)
            for dim, (index, step) in enumerate(zip(indices, ty.get_steps(), strict=True))
        )
        promised = tuple(in_bounds) if in_bounds else (False,) * ty.rank
        return TileAxisInfo(found, starts, promised)

    def size(self, dim: int) -> AxisInfo:
        """The size of the tensor along a dimension."""
        return self.view.sizes[self.view.type.get_dim_map()[dim]]

    def stride(self, dim: int) -> AxisInfo:
        """The stride of the tensor along a dimension, in elements."""
        return self.view.strides[self.view.type.get_dim_map()[dim]]

    def extent(self, dim: int) -> int:
        """The extent of the tile from its start; 1 along a sparse dimension of gathered rows."""
        ty = self.view.type
        return 1 if dim == ty.get_sparse_dim() else ty.get_tile_shape()[dim]

    def is_in_bounds(self, dim: int) -> bool:
        """Whether the tile is proven to be in bounds along a dimension."""
        if self.promised[dim]:
            return True
        start = self.starts[dim]
        return start.low >= 0 and start.high + self.extent(dim) <= self.size(dim).low

    def bounds_divisor(self, dim: int) -> int:
        """
        A divisor of the distance from the start of the tile to either end of the tensor. A vector
        whose length divides it, and its offset in the tile, is in bounds or out of bounds as a
        whole.
        """
        if dim == self.view.type.get_sparse_dim():
            return 1
        return common_divisor(self.size(dim).divisor, self.starts[dim].divisor)

    def alignment(self) -> int:
        """A divisor of the address of the first element of the tile, in bytes."""
        size = element_bytes(self.view.type.element_type)
        if size is None:
            return 1
        divisor = self.view.alignment
        for dim, start in enumerate(self.starts):
            moved = multiplied_divisor(start.divisor, self.stride(dim).divisor)
            divisor = common_divisor(divisor, multiplied_divisor(moved, size))
        return divisor

    def vector_width(self, dim: int, max_bytes: int = VECTOR_BYTES) -> int:
        """
        The vector width of accesses along a dimension, anywhere in the tile: contiguous in memory,
        aligned to the vector, and in bounds or out of bounds as a whole.
        """
        width = self.aligned_width(dim, max_bytes)
        if not self.is_in_bounds(dim):
            width = min(width, power_of_two(self.bounds_divisor(dim)))
        return width

    def aligned_width(self, dim: int, max_bytes: int = VECTOR_BYTES) -> int:
        """
        How many elements along a dimension, anywhere in the tile, are contiguous in memory and
        aligned as a whole, of which the last may be out of bounds.
        """
        ty = self.view.type
        size = element_bytes(ty.element_type)
        if size is None or self.stride(dim).value != 1 or dim == ty.get_sparse_dim():
            return 1
        divisor = self.alignment()
        for other in range(ty.rank):
            if other != dim and self.extent(other) > 1:
                apart = multiplied_divisor(self.stride(other).divisor, size)
                divisor = common_divisor(divisor, apart)
        return min(
            power_of_two(ty.get_tile_shape()[dim]),
            max(power_of_two(divisor) // size, 1),
            max(max_bytes // size, 1),
        )
