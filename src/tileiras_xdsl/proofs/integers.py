"""What integer ops, constants, comparisons and choices mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, float_to_bits
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.dialects.nv_tileaa.base import RELATIONS

from .machine import Machine, means
from .smt import Term, z3
from .values import (
    Lane,
    Tile,
    Unsupported,
    constant,
    count_lanes,
    element_of,
    elementwise,
    shape_of,
    splat,
    width_of,
)

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


def strict(function: Callable[..., Term]) -> Callable[..., Lane]:
    """A function of bits that is poison where an operand is."""

    def apply(*lanes: Lane) -> Lane:
        return Lane(function(*(lane.bits for lane in lanes)), z3.Or(*(x.poison for x in lanes)))

    return apply


def _with_overflow(
    names: Sequence[str],
    compute: Callable[[Term, Term], Term],
    fits_signed: Callable[[Term, Term], Term],
    fits_unsigned: Callable[[Term, Term], Term],
) -> None:
    @means(*names)
    def _(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
        signed, unsigned = overflow_flags(op)

        def apply(lhs: Lane, rhs: Lane) -> Lane:
            poison = [lhs.poison, rhs.poison]
            if signed:
                poison.append(z3.Not(fits_signed(lhs.bits, rhs.bits)))
            if unsigned:
                poison.append(z3.Not(fits_unsigned(lhs.bits, rhs.bits)))
            return Lane(compute(lhs.bits, rhs.bits), z3.Or(*poison))

        return [elementwise(apply, *operands)]


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


def _binary(names: Sequence[str], compute: Callable[[Term, Term], Term]) -> None:
    @means(*names)
    def _(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
        return [elementwise(strict(compute), *operands)]


_binary(("cuda_tile.andi", "nv_tileaa.andi", "arith.andi", "llvm.and"), lambda a, b: a & b)
_binary(("cuda_tile.ori", "nv_tileaa.ori", "arith.ori", "llvm.or"), lambda a, b: a | b)
_binary(("cuda_tile.xori", "nv_tileaa.xori", "arith.xori", "llvm.xor"), lambda a, b: a ^ b)


@means("cuda_tile.shli", "nv_tileaa.shli", "arith.shli", "llvm.shl")
def _shift_left(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed, unsigned = overflow_flags(op)

    def apply(lhs: Lane, rhs: Lane) -> Lane:
        result = lhs.bits << rhs.bits
        poison = [lhs.poison, rhs.poison, z3.UGE(rhs.bits, lhs.bits.size())]
        if signed:
            poison.append((result >> rhs.bits) != lhs.bits)
        if unsigned:
            poison.append(z3.LShR(result, rhs.bits) != lhs.bits)
        return Lane(result, z3.Or(*poison)) if lhs.bits.size() > 1 else _narrow_shift(lhs, rhs)

    return [elementwise(apply, *operands)]


def _narrow_shift(lhs: Lane, rhs: Lane) -> Lane:
    """A shift of an i1: any amount but zero is too much."""
    return Lane(lhs.bits, z3.Or(lhs.poison, rhs.poison, rhs.bits != 0))


@means(
    *("cuda_tile.shri", "nv_tileaa.shri", "arith.shrsi", "arith.shrui"),
    *("llvm.ashr", "llvm.lshr"),
)
def _shift_right(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed = is_signed(op)

    def apply(lhs: Lane, rhs: Lane) -> Lane:
        if lhs.bits.size() == 1:
            return _narrow_shift(lhs, rhs)
        result = lhs.bits >> rhs.bits if signed else z3.LShR(lhs.bits, rhs.bits)
        is_far = z3.UGE(rhs.bits, lhs.bits.size())
        return Lane(result, z3.Or(lhs.poison, rhs.poison, is_far))

    return [elementwise(apply, *operands)]


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


def _is_bad_division(lhs: Lane, rhs: Lane, *, signed: bool, overflows: bool = True) -> Term:
    bad = rhs.bits == 0
    if signed and overflows:
        bad = z3.Or(bad, z3.And(lhs.bits == _smallest(lhs.bits), rhs.bits == -1))
    return bad


@means(*_DIVISIONS)
def _divide(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed = is_signed(op)
    rounding = _DIVISIONS[op.name] or keyword(op, "rounding", "zero")
    # The op of `nv_tileaa` may be speculated, so its result is poison and nothing worse.
    is_deferred = op.name == "nv_tileaa.divi"

    def apply(lhs: Lane, rhs: Lane) -> Lane:
        bad = _is_bad_division(lhs, rhs, signed=signed)
        poison = z3.Or(lhs.poison, rhs.poison)
        if is_deferred:
            poison = z3.Or(poison, bad)
        else:
            machine.state = machine.state.fail_if(z3.Or(rhs.poison, bad))
        return Lane(quotient(lhs.bits, rhs.bits, signed=signed, rounding=rounding), poison)

    return [elementwise(apply, *operands)]


@means(
    *("cuda_tile.remi", "nv_tileaa.remi", "arith.remsi", "arith.remui"),
    *("llvm.srem", "llvm.urem"),
)
def _remainder(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed = is_signed(op)
    # Those of Tile IR may be speculated, and the remainder of a division by -1 is 0.
    is_deferred = op.name in ("cuda_tile.remi", "nv_tileaa.remi")

    def apply(lhs: Lane, rhs: Lane) -> Lane:
        bad = _is_bad_division(lhs, rhs, signed=signed, overflows=not is_deferred)
        poison = z3.Or(lhs.poison, rhs.poison)
        if is_deferred:
            poison = z3.Or(poison, bad)
        else:
            machine.state = machine.state.fail_if(z3.Or(rhs.poison, bad))
        rest = z3.SRem(lhs.bits, rhs.bits) if signed else z3.URem(lhs.bits, rhs.bits)
        return Lane(rest, poison)

    return [elementwise(apply, *operands)]


@means("cuda_tile.mulhii", "nv_tileaa.mulhii")
def _multiply_high(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    def compute(lhs: Term, rhs: Term) -> Term:
        width = lhs.size()
        product = z3.ZeroExt(width, lhs) * z3.ZeroExt(width, rhs)
        return z3.Extract(2 * width - 1, width, product)

    return [elementwise(strict(compute), *operands)]


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


@means("cuda_tile.absi", "nv_tileaa.absi", "math.absi", "llvm.intr.abs")
def _absolute(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    def compute(bits: Term) -> Term:
        return z3.If(bits < 0, -bits, bits)

    return [elementwise(strict(compute), operands[0])]


@means("cuda_tile.negi", "nv_tileaa.negi")
def _negate(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    signed, _ = overflow_flags(op)

    def apply(lane: Lane) -> Lane:
        overflows = lane.bits == _smallest(lane.bits)
        return Lane(-lane.bits, z3.Or(lane.poison, overflows) if signed else lane.poison)

    return [elementwise(apply, *operands)]


_EXTREMA = {
    "maxi": True,
    "mini": False,
    **dict.fromkeys(("maxsi", "maxui", "smax", "umax"), True),
    **dict.fromkeys(("minsi", "minui", "smin", "umin"), False),
}


@means(
    *("cuda_tile.maxi", "cuda_tile.mini", "arith.minsi", "arith.minui", "arith.maxsi"),
    *("arith.maxui", "llvm.intr.smin", "llvm.intr.umin", "llvm.intr.smax", "llvm.intr.umax"),
)
def _extremum(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    is_maximum = _EXTREMA[op.name.rpartition(".")[2]]
    signed = is_signed(op)

    def compute(lhs: Term, rhs: Term) -> Term:
        is_less = lhs < rhs if signed else z3.ULT(lhs, rhs)
        return z3.If(is_less, rhs, lhs) if is_maximum else z3.If(is_less, lhs, rhs)

    return [elementwise(strict(compute), *operands)]


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


@means("cuda_tile.cmpi", "nv_tileaa.cmpi", "arith.cmpi", "llvm.icmp")
def _compare(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    predicate, signed = relation_of(op)

    def compute(lhs: Term, rhs: Term) -> Term:
        return as_bit(compare(predicate, lhs, rhs, signed=signed))

    return [elementwise(strict(compute), *operands)]


@means("cuda_tile.select", "arith.select", "llvm.select")
def _select(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    def apply(condition: Lane, first: Lane, second: Lane) -> Lane:
        holds = condition.bits == 1
        poison = z3.Or(condition.poison, z3.If(holds, first.poison, second.poison))
        return Lane(z3.If(holds, first.bits, second.bits), poison)

    return [elementwise(apply, *operands)]


# Conversions


@means(
    *("cuda_tile.exti", "arith.extsi", "arith.extui", "llvm.sext", "llvm.zext"),
    *("cuda_tile.trunci", "nv_tileaa.trunci", "arith.trunci", "llvm.trunc"),
    *("arith.index_cast", "arith.index_castui"),
)
def _convert(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    target = width_of(element_of(op.results[0].type))
    signed = is_signed(op)
    flags = overflow_flags(op)

    def apply(lane: Lane) -> Lane:
        source = lane.bits.size()
        if target > source:
            extend = z3.SignExt if signed else z3.ZeroExt
            return Lane(extend(target - source, lane.bits), lane.poison)
        if target == source:
            return lane
        cut = z3.Extract(target - 1, 0, lane.bits)
        poison = [lane.poison]
        for flag, extend in zip(flags, (z3.SignExt, z3.ZeroExt), strict=True):
            if flag:
                poison.append(extend(source - target, cut) != lane.bits)
        return Lane(cut, z3.Or(*poison))

    return [elementwise(apply, *operands)]


@means("llvm.bitcast", "arith.bitcast", "cuda_tile.bitcast", "nv_tileaa.bitcast")
def _bitcast(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    if width_of(element_of(ty)) != operands[0].lanes[0].bits.size():
        raise Unsupported("bitcast to another width")
    assert prod(shape_of(ty)) == len(operands[0].lanes)
    return [Tile(shape_of(ty), operands[0].lanes)]
