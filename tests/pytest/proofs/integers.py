"""What integer ops, constants, comparisons and choices mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.attributes import Bounded, DivBy, SameElements
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, float_to_bits
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.dialects.nv_tileaa.attributes import RELATIONS

from .machine import (
    Lane,
    Machine,
    Tile,
    Unsupported,
    constant,
    count_lanes,
    element_of,
    elementwise,
    means,
    of_bits,
    of_lanes,
    shape_of,
    splat,
    strict,
    width_of,
)
from .smt import Term, z3

# Attributes


def keyword(op: Operation, name: str, default: str) -> str:
    """The word of a mode, in either dialect's form."""
    match op.properties.get(name):
        case StringAttr(data=word):
            return word
        case CodedEnumAttr() as attribute:
            return str(attribute.data.value)
        case _:
            return default


def overflow_flags(op: Operation) -> tuple[bool, bool]:
    """Whether an op may assume that it has no signed, and no unsigned, overflow."""
    flags = op.properties.get("overflowFlags")
    match flags:
        case arith.IntegerOverflowAttr():
            found = arith.IntegerOverflowFlag
            return found.NSW in flags.data, found.NUW in flags.data
        case llvm.OverflowAttr():
            return llvm.OverflowFlag.NO_SIGNED_WRAP in flags.data, (
                llvm.OverflowFlag.NO_UNSIGNED_WRAP in flags.data
            )
        case _:
            word = keyword(op, "overflow", "none")
            return word in ("no_signed_wrap", "no_wrap"), word in ("no_unsigned_wrap", "no_wrap")


def is_signed(op: Operation) -> bool:
    """Whether an op reads its operands as signed numbers."""
    dialect, _, name = op.name.rpartition(".")
    if dialect in ("cuda_tile", "nv_tileaa"):
        return keyword(op, "signedness", "signed") == "signed"
    return name in (
        *("minsi", "maxsi", "divsi", "remsi", "shrsi", "extsi", "floordivsi", "ceildivsi"),
        *("smin", "smax", "sdiv", "srem", "ashr", "sext", "index_cast"),
    )


# Constants


def constant_bits(value: Attribute, ty: Attribute) -> list[int]:
    """The bits of each element of a literal."""
    element = element_of(ty)
    count, width = count_lanes(ty), width_of(element)
    match value:
        case DenseElementsAttr():
            bits = list(value.get_bits())
        case IntegerAttr():
            bits = [value.value.data]
        case FloatAttr():
            bits = [float_to_bits(value.value.data, element)]
        case DenseIntOrFPElementsAttr():
            data = value.data.data
            size = len(data) // max(len(value), 1)
            bits = [
                int.from_bytes(data[place : place + size], "little")
                for place in range(0, len(data), size)
            ]
        case _:
            raise Unsupported(f"literal {value}")
    bits = [each & ((1 << width) - 1) for each in bits]
    return bits * count if len(bits) == 1 else bits


@means("cuda_tile.constant", "arith.constant", "llvm.mlir.constant")
def _constant(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    width = width_of(element_of(ty))
    bits = constant_bits(op.properties["value"], ty)
    return [Tile(shape_of(ty), tuple(constant(each, width) for each in bits))]


@means("ub.poison", "llvm.mlir.poison")
def _poison(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    zero = z3.BitVecVal(0, width_of(element_of(ty)))
    return [splat(Lane(zero, z3.BoolVal(True)), ty)]


# Arithmetic


def _with_overflow(
    names: Sequence[str],
    compute: Callable[[Term, Term], Term],
    fits_signed: Callable[[Term, Term], Term],
    fits_unsigned: Callable[[Term, Term], Term],
) -> None:
    @of_lanes(*names)
    def _(op: Operation, lhs: Lane, rhs: Lane) -> Lane:
        signed, unsigned = overflow_flags(op)
        poison = [lhs.poison, rhs.poison]
        if signed:
            poison.append(z3.Not(fits_signed(lhs.bits, rhs.bits)))
        if unsigned:
            poison.append(z3.Not(fits_unsigned(lhs.bits, rhs.bits)))
        return Lane(compute(lhs.bits, rhs.bits), z3.Or(*poison))


_with_overflow(
    ("cuda_tile.addi", "nv_tileaa.addi", "arith.addi", "llvm.add"),
    lambda a, b: a + b,
    lambda a, b: z3.And(z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow(a, b)),
    lambda a, b: z3.BVAddNoOverflow(a, b, False),
)
_with_overflow(
    ("cuda_tile.subi", "nv_tileaa.subi", "arith.subi", "llvm.sub"),
    lambda a, b: a - b,
    lambda a, b: z3.And(z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, True)),
    lambda a, b: z3.BVSubNoUnderflow(a, b, False),
)
_with_overflow(
    ("cuda_tile.muli", "nv_tileaa.muli", "arith.muli", "llvm.mul"),
    lambda a, b: a * b,
    lambda a, b: z3.And(z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow(a, b)),
    lambda a, b: z3.BVMulNoOverflow(a, b, False),
)


@of_bits(
    *("cuda_tile.andi", "nv_tileaa.andi", "arith.andi", "llvm.and"),
    *("cuda_tile.ori", "nv_tileaa.ori", "arith.ori", "llvm.or"),
    *("cuda_tile.xori", "nv_tileaa.xori", "arith.xori", "llvm.xor"),
)
def _logic(op: Operation, lhs: Term, rhs: Term) -> Term:
    match op.name.rpartition(".")[2].removesuffix("i"):
        case "and":
            return lhs & rhs
        case "or":
            return lhs | rhs
        case _:
            return lhs ^ rhs


@of_lanes("cuda_tile.shli", "nv_tileaa.shli", "arith.shli", "llvm.shl")
def _shift_left(op: Operation, lhs: Lane, rhs: Lane) -> Lane:
    if lhs.bits.size() == 1:
        return _narrow_shift(lhs, rhs)
    signed, unsigned = overflow_flags(op)
    result = lhs.bits << rhs.bits
    poison = [lhs.poison, rhs.poison, z3.UGE(rhs.bits, lhs.bits.size())]
    if signed:
        poison.append((result >> rhs.bits) != lhs.bits)
    if unsigned:
        poison.append(z3.LShR(result, rhs.bits) != lhs.bits)
    return Lane(result, z3.Or(*poison))


def _narrow_shift(lhs: Lane, rhs: Lane) -> Lane:
    """A shift of an i1: any amount but zero is too much."""
    return Lane(lhs.bits, z3.Or(lhs.poison, rhs.poison, rhs.bits != 0))


@of_lanes(
    *("cuda_tile.shri", "nv_tileaa.shri", "arith.shrsi", "arith.shrui"),
    *("llvm.ashr", "llvm.lshr"),
)
def _shift_right(op: Operation, lhs: Lane, rhs: Lane) -> Lane:
    if lhs.bits.size() == 1:
        return _narrow_shift(lhs, rhs)
    result = lhs.bits >> rhs.bits if is_signed(op) else z3.LShR(lhs.bits, rhs.bits)
    is_far = z3.UGE(rhs.bits, lhs.bits.size())
    return Lane(result, z3.Or(lhs.poison, rhs.poison, is_far))


def quotient(lhs: Term, rhs: Term, *, signed: bool, rounding: str) -> Term:
    """A quotient rounded `zero`, `negative_inf` or `positive_inf`."""
    if not signed:
        found = z3.UDiv(lhs, rhs)
        has_rest = z3.URem(lhs, rhs) != 0
        return z3.If(has_rest, found + 1, found) if rounding == "positive_inf" else found
    found = lhs / rhs
    rest = z3.SRem(lhs, rhs)
    is_positive = (rest < 0) == (rhs < 0)
    match rounding:
        case "negative_inf":
            return z3.If(z3.And(rest != 0, z3.Not(is_positive)), found - 1, found)
        case "positive_inf":
            return z3.If(z3.And(rest != 0, is_positive), found + 1, found)
        case _:
            return found


_DIVISIONS = {
    "cuda_tile.divi": None,
    "nv_tileaa.divi": None,
    "arith.divsi": "zero",
    "arith.divui": "zero",
    "arith.floordivsi": "negative_inf",
    "arith.ceildivsi": "positive_inf",
    "arith.ceildivui": "positive_inf",
    "llvm.sdiv": "zero",
    "llvm.udiv": "zero",
}
"""How divisions round; those of Tile IR say so."""


def _smallest(term: Term) -> Term:
    return z3.BitVecVal(1 << (term.size() - 1), term.size())


def _divide_lanes(
    machine: Machine, compute: Callable[[Term, Term], Term], *, overflows: bool, is_deferred: bool
) -> Callable[[Lane, Lane], Lane]:
    """
    A quotient or remainder. Where there is none, the result of an op that may be speculated
    (`is_deferred`) is poison; with others behaviour is undefined.
    """

    def apply(lhs: Lane, rhs: Lane) -> Lane:
        bad = rhs.bits == 0
        if overflows:
            bad = z3.Or(bad, z3.And(lhs.bits == _smallest(lhs.bits), rhs.bits == -1))
        poison = z3.Or(lhs.poison, rhs.poison)
        if is_deferred:
            poison = z3.Or(poison, bad)
        else:
            machine.state = machine.state.fail_if(z3.Or(rhs.poison, bad))
        return Lane(compute(lhs.bits, rhs.bits), poison)

    return apply


@means(*_DIVISIONS)
def _divide(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed = is_signed(op)
    rounding = _DIVISIONS[op.name] or keyword(op, "rounding", "zero")

    def compute(lhs: Term, rhs: Term) -> Term:
        return quotient(lhs, rhs, signed=signed, rounding=rounding)

    is_deferred = op.name == "nv_tileaa.divi"
    apply = _divide_lanes(machine, compute, overflows=signed, is_deferred=is_deferred)
    return [elementwise(apply, *operands)]


@means(
    *("cuda_tile.remi", "nv_tileaa.remi", "arith.remsi", "arith.remui"),
    *("llvm.srem", "llvm.urem"),
)
def _remainder(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed = is_signed(op)
    # The remainder of a division by -1 is 0.
    is_deferred = op.name in ("cuda_tile.remi", "nv_tileaa.remi")
    compute = z3.SRem if signed else z3.URem
    overflows = signed and not is_deferred
    apply = _divide_lanes(machine, compute, overflows=overflows, is_deferred=is_deferred)
    return [elementwise(apply, *operands)]


@of_bits("cuda_tile.mulhii", "nv_tileaa.mulhii")
def _multiply_high(op: Operation, lhs: Term, rhs: Term) -> Term:
    width = lhs.size()
    product = z3.ZeroExt(width, lhs) * z3.ZeroExt(width, rhs)
    return z3.Extract(2 * width - 1, width, product)


@means("arith.mului_extended", "arith.mulsi_extended")
def _multiply_extended(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    extend = z3.SignExt if op.name == "arith.mulsi_extended" else z3.ZeroExt

    def part(first: bool) -> Callable[[Term, Term], Term]:
        def compute(lhs: Term, rhs: Term) -> Term:
            width = lhs.size()
            product = extend(width, lhs) * extend(width, rhs)
            low = 0 if first else width
            return z3.Extract(low + width - 1, low, product)

        return compute

    return [elementwise(strict(part(first)), *operands) for first in (True, False)]


@of_bits("cuda_tile.absi", "nv_tileaa.absi", "math.absi", "llvm.intr.abs")
def _absolute(op: Operation, bits: Term) -> Term:
    return z3.If(bits < 0, -bits, bits)


@of_lanes("cuda_tile.negi", "nv_tileaa.negi")
def _negate(op: Operation, lane: Lane) -> Lane:
    signed, _ = overflow_flags(op)
    overflows = lane.bits == _smallest(lane.bits)
    return Lane(-lane.bits, z3.Or(lane.poison, overflows) if signed else lane.poison)


@of_bits(
    *("cuda_tile.maxi", "cuda_tile.mini", "arith.minsi", "arith.minui", "arith.maxsi"),
    *("arith.maxui", "llvm.intr.smin", "llvm.intr.umin", "llvm.intr.smax", "llvm.intr.umax"),
)
def _extremum(op: Operation, lhs: Term, rhs: Term) -> Term:
    is_less = lhs < rhs if is_signed(op) else z3.ULT(lhs, rhs)
    return z3.If(is_less, rhs, lhs) if "max" in op.name else z3.If(is_less, lhs, rhs)


# Comparisons and choices

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def relation_of(op: Operation) -> tuple[str, bool]:
    """The predicate of a comparison, and whether it is signed."""
    predicate = op.properties.get("predicate")
    if isinstance(predicate, IntegerAttr):
        name = _PREDICATES[predicate.value.data]
        return (name, True) if name in ("eq", "ne") else (name[1:], name[0] == "s")
    return RELATIONS[keyword(op, "comparison_predicate", "equal")], is_signed(op)


def compare(predicate: str, lhs: Term, rhs: Term, *, signed: bool) -> Term:
    """Whether two integers compare so."""
    match predicate:
        case "eq":
            return lhs == rhs
        case "ne":
            return lhs != rhs
        case "lt":
            return lhs < rhs if signed else z3.ULT(lhs, rhs)
        case "le":
            return lhs <= rhs if signed else z3.ULE(lhs, rhs)
        case "gt":
            return lhs > rhs if signed else z3.UGT(lhs, rhs)
        case _:
            return lhs >= rhs if signed else z3.UGE(lhs, rhs)


def as_bit(condition: Term) -> Term:
    """An i1."""
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


@of_bits("cuda_tile.cmpi", "nv_tileaa.cmpi", "arith.cmpi", "llvm.icmp")
def _compare(op: Operation, lhs: Term, rhs: Term) -> Term:
    predicate, signed = relation_of(op)
    return as_bit(compare(predicate, lhs, rhs, signed=signed))


@of_lanes("cuda_tile.select", "arith.select", "llvm.select")
def _select(op: Operation, condition: Lane, first: Lane, second: Lane) -> Lane:
    holds = condition.bits == 1
    poison = z3.Or(condition.poison, z3.If(holds, first.poison, second.poison))
    return Lane(z3.If(holds, first.bits, second.bits), poison)


# Conversions


@of_lanes(
    *("cuda_tile.exti", "arith.extsi", "arith.extui", "llvm.sext", "llvm.zext"),
    *("cuda_tile.trunci", "nv_tileaa.trunci", "arith.trunci", "llvm.trunc"),
    *("arith.index_cast", "arith.index_castui"),
)
def _convert(op: Operation, lane: Lane) -> Lane:
    source, target = lane.bits.size(), width_of(element_of(op.results[0].type))
    if target > source:
        extend = z3.SignExt if is_signed(op) else z3.ZeroExt
        return Lane(extend(target - source, lane.bits), lane.poison)
    if target == source:
        return lane
    cut = z3.Extract(target - 1, 0, lane.bits)
    poison = [lane.poison]
    for flag, extend in zip(overflow_flags(op), (z3.SignExt, z3.ZeroExt), strict=True):
        if flag:
            poison.append(extend(source - target, cut) != lane.bits)
    return Lane(cut, z3.Or(*poison))


@means("llvm.bitcast", "arith.bitcast", "cuda_tile.bitcast", "nv_tileaa.bitcast")
def _bitcast(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    if width_of(element_of(ty)) != operands[0].lanes[0].bits.size():
        raise Unsupported("bitcast to another width")
    assert prod(shape_of(ty)) == len(operands[0].lanes)
    return [Tile(shape_of(ty), operands[0].lanes)]


# What ops mean that change shapes or pick parts, and assumptions.


def coordinates(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """The places of a shape, row-major."""
    return list(product(*map(range, shape)))


def flat(place: Sequence[int], shape: Sequence[int]) -> int:
    """The number of a place."""
    number = 0
    for index, size in zip(place, shape, strict=True):
        number = number * size + index
    return number


@means(
    *("cuda_tile.reshape", "nv_tileaa.view", "nv_tileaa.expand_dims"),
    *("nv_tileas.view", "nv_tileas.expand_dims"),
)
def _reshape(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    count_lanes(op.results[0].type)
    return [Tile(shape_of(op.results[0].type), operands[0].lanes)]


@means("nv_tileaa.splat", "vector.broadcast")
def _splat(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    return [splat(operands[0].scalar, op.results[0].type)]


@means("cuda_tile.broadcast", "nv_tileaa.broadcast")
def _broadcast(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, shape = operands[0], shape_of(op.results[0].type)
    count_lanes(op.results[0].type)
    if not source.shape:
        return [splat(source.scalar, op.results[0].type)]
    places: list[int] = []
    for place in coordinates(shape):
        origin = [0 if size == 1 else i for i, size in zip(place, source.shape, strict=True)]
        places.append(flat(origin, source.shape))
    return [source.pick(shape, places)]


@means("cuda_tile.permute", "nv_tileaa.permute")
def _permute(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, shape = operands[0], shape_of(op.results[0].type)
    attribute = cast("DenseArrayBase[IntegerType]", op.properties["permutation"])
    order = [int(dim) for dim in attribute.get_values()]
    places: list[int] = []
    for place in coordinates(shape):
        origin = [0] * len(order)
        for dim, index in zip(order, place, strict=True):
            origin[dim] = index
        places.append(flat(origin, source.shape))
    return [source.pick(shape, places)]


@means("cuda_tile.iota", "nv_tileaa.make_range")
def _range(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    width = width_of(element_of(ty))
    start = operands[0].scalar if operands else constant(0, width)
    lanes = tuple(Lane(start.bits + number, start.poison) for number in range(count_lanes(ty)))
    return [Tile(shape_of(ty), lanes)]


@means("cuda_tile.extract", "nv_tileaa.extract")
def _extract(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, *indices = operands
    shape = shape_of(op.results[0].type)
    part = shape or (1,) * len(source.shape)
    counts = [whole // size for whole, size in zip(source.shape, part, strict=True)]
    lanes = [index.scalar for index in indices]
    poison = z3.Or(*(lane.poison for lane in lanes))
    # An index beyond the last slice gives anything.
    for lane, count in zip(lanes, counts, strict=True):
        if count < 1 << min(lane.bits.size(), 32):
            poison = z3.Or(poison, z3.UGE(lane.bits, count))
    found: list[Lane] = []
    for place in coordinates(part):
        chosen: Lane | None = None
        for number in coordinates(counts):
            origin = [n * size + i for n, size, i in zip(number, part, place, strict=True)]
            lane = source.lanes[flat(origin, source.shape)]
            if chosen is None:
                chosen = lane
                continue
            here = z3.And(*(x.bits == n for x, n in zip(lanes, number, strict=True)))
            chosen = Lane(
                z3.If(here, lane.bits, chosen.bits), z3.If(here, lane.poison, chosen.poison)
            )
        assert chosen is not None
        found.append(Lane(chosen.bits, z3.Or(poison, chosen.poison)))
    assert len(found) == prod(part)
    return [Tile(shape, tuple(found))]


# Assumptions


def divisible(bits: Term, divisor: int) -> Term:
    """Whether an integer is a multiple of a power of two."""
    width = bits.size()
    if divisor >= 1 << width:
        return bits == 0
    return bits & z3.BitVecVal(divisor - 1, width) == 0


@means("cuda_tile.assume", "nv_tileaa.assume")
def _assume(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    predicate, tile = op.properties["predicate"], operands[0]
    fails: list[Term] = []
    for place, lane in zip(coordinates(tile.shape), tile.lanes, strict=True):
        fails.append(lane.poison)
        match predicate:
            case DivBy(data=(divisor, None, None)):
                fails.append(z3.Not(divisible(lane.bits, divisor)))
            case DivBy(data=(divisor, int() as every, int() as along)):
                start = place[along] // max(every, 1) * every
                first = [*place]
                first[along] = start
                bits = tile.lanes[flat(first, tile.shape)].bits
                fails.append(z3.Not(divisible(bits, divisor)))
                fails.append(lane.bits != bits + (place[along] - start))
            case Bounded(data=(lower, upper)):
                if lower is not None:
                    fails.append(lane.bits < lower)
                if upper is not None:
                    fails.append(lane.bits > upper)
            case SameElements(data=groups):
                first = [i // max(g, 1) * max(g, 1) for i, g in zip(place, groups, strict=True)]
                fails.append(lane.bits != tile.lanes[flat(first, tile.shape)].bits)
            case _:
                raise Unsupported(f"assumption {predicate}")
    machine.state = machine.state.fail_if(z3.Or(*fails))
    return [tile]


@means("llvm.insertelement")
def _insert_element(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    # llvm.insertelement %value, %vector[%place]
    first, second, place = operands
    value, whole = (first, second) if not first.shape else (second, first)
    index = z3.simplify(place.scalar.bits)
    if not z3.is_bv_value(index):
        raise Unsupported("an unknown place in a vector")
    lanes = list(whole.lanes)
    lanes[index.as_long()] = value.scalar
    return [Tile(whole.shape, tuple(lanes))]


def integer_property(op: Operation, name: str, default: int = 0) -> int:
    """A number among the properties of an op."""
    found = op.properties.get(name)
    return found.value.data if isinstance(found, IntegerAttr) else default


@means("nv_tileaa.cat")
def _cat(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    first, second = operands
    dim = integer_property(op, "dim")
    shape = shape_of(op.results[0].type)
    lanes: list[Lane] = []
    for place in coordinates(shape):
        behind = place[dim] - first.shape[dim]
        source = first if behind < 0 else second
        inside = [*place] if behind < 0 else [*place[:dim], behind, *place[dim + 1 :]]
        lanes.append(source.lanes[flat(inside, source.shape)])
    return [Tile(shape, tuple(lanes))]


@means("nv_tileaa.insert")
def _insert(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    part, whole, *indices = operands
    numbers = [index.scalar for index in indices]
    lanes: list[Lane] = []
    for place, lane in zip(coordinates(whole.shape), whole.lanes, strict=True):
        inside = [i % size for i, size in zip(place, part.shape, strict=True)]
        slices = [i // size for i, size in zip(place, part.shape, strict=True)]
        here = z3.And(*(x.bits == n for x, n in zip(numbers, slices, strict=True)))
        new = part.lanes[flat(inside, part.shape)]
        lanes.append(Lane(z3.If(here, new.bits, lane.bits), z3.If(here, new.poison, lane.poison)))
    poison = z3.Or(*(number.poison for number in numbers))
    return [Tile(whole.shape, tuple(Lane(bits, z3.Or(poison, bad)) for bits, bad in lanes))]


@of_bits("nv_tileaa.int_to_ptr", "nv_tileaa.ptr_to_int")
def _address(op: Operation, bits: Term) -> Term:
    width, source = width_of(element_of(op.results[0].type)), bits.size()
    if width > source:
        return z3.ZeroExt(width - source, bits)
    return z3.Extract(width - 1, 0, bits)
