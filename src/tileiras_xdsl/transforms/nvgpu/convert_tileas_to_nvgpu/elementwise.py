"""
Integer arithmetic, comparisons and selects, elementwise, for scalars and fragments alike.

What Tile IR leaves undefined does here what the hardware does, so that no later pass draws
conclusions from it: amounts of the width or more shift all bits out, a division by zero yields all
bits, the smallest number divided by -1 is itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import TensorType, VectorType, i1, i8, i32, i64
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.matrix_layouts import contiguous_run
from tileiras_xdsl.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    IndexCastOp,
    SelectOp,
    TruncIOp,
)
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.attributes import RELATIONS, word
from tileiras_xdsl.dialects.nv_tileas.decisions import get_vector
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.common.expressions import Number, multiply_high
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import width_of

from .constants import known_number, known_numbers
from .lowering_registry import clone_op, lowers
from .thread_builder import ThreadBuilder, element_of, select_registers

MIN_DIVISION_BITS = 8
"""Narrower numbers are divided as numbers of this many bits."""


lowers(
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp, CmpiOp),
    *(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp, arith.DivUIOp, arith.RemUIOp),
    *(ExtSIOp, ExtUIOp, TruncIOp, IndexCastOp),
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp, CmpfOp),
    *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
    *(math.AbsFOp, math.AbsIOp, math.CeilOp, math.FloorOp, math.FmaOp, math.TruncOp),
    *(math.RoundOp, math.RoundEvenOp, math.CopySignOp),
)(clone_op)


@lowers(SelectOp)
def lower_select(builder: ThreadBuilder, op: SelectOp) -> None:
    """The same op; one element of a vector decides for all, if the vector has one mask."""
    cond, lhs, rhs = map(builder.lookup, op.operands)
    if (vector := get_vector(op)) is not None:
        run = contiguous_run(builder.layout(op.result), vector.dim)
        width = min(vector.width, run)
        indices = [index // width * width for index in range(count_lanes(cond.type))]
        cond = select_registers(builder, cond, indices)
    builder.map(op.result, builder.emit(SelectOp(cond, lhs, rhs)))


# Arithmetic

OVERFLOW = {
    "none": (),
    "no_signed_wrap": (arith.IntegerOverflowFlag.NSW,),
    "no_unsigned_wrap": (arith.IntegerOverflowFlag.NUW,),
    "no_wrap": (arith.IntegerOverflowFlag.NSW, arith.IntegerOverflowFlag.NUW),
}
WITH_OVERFLOW = {
    tileaa.AddIOp: arith.AddiOp,
    tileaa.SubIOp: arith.SubiOp,
    tileaa.MulIOp: arith.MuliOp,
}
BITWISE = {tileaa.AndIOp: "and", tileaa.OrIOp: "or", tileaa.XOrIOp: "xor"}


@lowers(*WITH_OVERFLOW)
def lower_overflow(builder: ThreadBuilder, op: tileaa.OverflowOperation) -> None:
    flags = arith.IntegerOverflowAttr(OVERFLOW[word(op.overflow, "none")])
    lhs, rhs = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, builder.emit(WITH_OVERFLOW[type(op)](lhs, rhs, overflow=flags)))


@lowers(*BITWISE)
def lower_bitwise(builder: ThreadBuilder, op: tileaa.BinaryIntegerOperation) -> None:
    lhs, rhs = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, builder.binary(BITWISE[type(op)], lhs, rhs))


@lowers(tileaa.NegIOp)
def lower_negi(builder: ThreadBuilder, op: tileaa.NegIOp) -> None:
    value = builder.lookup(op.source)
    # As a difference it always leaves the unsigned numbers, but as a negation it does not.
    is_signed = word(op.overflow, "none") in ("no_signed_wrap", "no_wrap")
    flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,) if is_signed else ())
    zero = builder.literal(0, value.type)
    builder.map(op.result, builder.emit(arith.SubiOp(zero, value, overflow=flags)))


@lowers(tileaa.AbsIOp)
def lower_absi(builder: ThreadBuilder, op: tileaa.UnaryIntegerOperation) -> None:
    value = builder.lookup(op.source)
    if element_of(value.type) == i1:
        # -1 becomes 1, which has the same bit.
        builder.map(op.result, value)
        return
    builder.map(op.result, builder.emit(math.AbsIOp(value)))


@lowers(tileaa.MulhiIOp)
def lower_mulhii(builder: ThreadBuilder, op: tileaa.BinaryIntegerOperation) -> None:
    lhs, rhs = builder.lookup(op.lhs), builder.lookup(op.rhs)
    if element_of(lhs.type) == i1:
        builder.map(op.result, builder.literal(0, lhs.type))
        return
    if element_of(lhs.type) == i64:
        builder.map(op.result, multiply_high(builder.number(lhs), builder.number(rhs)).value)
        return
    builder.map(op.result, builder.emit(arith.MulUIExtendedOp(lhs, rhs)).results[1])


# Shifts


@lowers(tileaa.ShLIOp)
def lower_shli(builder: ThreadBuilder, op: tileaa.OverflowOperation) -> None:
    value, amount = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, shift(builder, "shl", value, amount))


@lowers(tileaa.ShRIOp)
def lower_shri(builder: ThreadBuilder, op: tileaa.SignedOperation) -> None:
    value, amount = builder.lookup(op.lhs), builder.lookup(op.rhs)
    if not op.is_signed:
        builder.map(op.result, shift(builder, "lshr", value, amount))
        return
    width = width_of(element_of(value.type))
    if width == 1:
        builder.map(op.result, value)
        return
    known = known_number(amount)
    if known is None or not 0 <= known < width:
        amount = low_half(builder, amount).apply("umin", width - 1).value
    builder.map(op.result, builder.binary("ashr", value, amount))


def shift(builder: ThreadBuilder, word: str, value: SSAValue, amount: SSAValue) -> SSAValue:
    """A shift that fills with zeros."""
    width = width_of(element_of(value.type))
    if width == 1:
        return (builder.number(amount) ^ 1).apply("and", value).value
    known = known_numbers(amount)
    if known is None and (number := known_number(amount)) is not None:
        known = [number]
    if known is not None and 0 <= min(known) and max(known) < width:
        if width < WORD_BITS and len(known) * width % WORD_BITS == 0:
            return shift_in_words(builder, word, value, known)
        return builder.binary(word, value, amount)
    low = low_half(builder, amount)
    # What is shifted too far is not even chosen, but would be poison without a mask.
    shifted = builder.number(value).apply(word, low & width - 1)
    return low.compare("ult", width).select(shifted, 0).value


def shift_in_words(
    builder: ThreadBuilder, word: str, value: SSAValue, amounts: Sequence[int]
) -> SSAValue:
    """
    A shift of each element of a vector by what is known of it. There are no instructions for
    elements of less than 32 bits: whole words are shifted, once for each amount, and bits that come
    from other elements are cleared.

        %w = vector.bitcast %v : vector<4xi8> to vector<1xi32>
        %s = arith.shrui %w, dense<4> : vector<1xi32>
        %m = arith.andi %s, dense<0x0F0F0F0F> : vector<1xi32>
        %r = vector.bitcast %m : vector<1xi32> to vector<4xi8>
    """
    ty = value.type
    assert isinstance(ty, VectorType)
    element = ty.get_element_type()
    width, lanes = width_of(element), WORD_BITS // width_of(element)
    words = VectorType(i32, [len(amounts) // lanes])
    whole = builder.number(builder.emit(vector.BitcastOp(value, words)).result)
    parts: list[Number] = []
    for amount in sorted({*amounts}):
        kept = (1 << width) - 1
        kept = kept >> amount if word == "lshr" else kept << amount & kept
        masks = [
            sum(
                kept << width * lane
                for lane, each in enumerate(amounts[first : first + lanes])
                if each == amount
            )
            for first in range(0, len(amounts), lanes)
        ]
        moved = whole.apply(word, amount) if amount else whole
        parts.append(moved & builder.constant_vector(masks))
    result = parts[0]
    for part in parts[1:]:
        result = result | part
    return builder.emit(vector.BitcastOp(result.value, ty)).result


def low_half(builder: ThreadBuilder, amount: SSAValue) -> Number:
    """The 32 bits of an amount that count."""
    number = builder.number(amount)
    return number & 0xFFFFFFFF if element_of(amount.type) == i64 else number


# Division


def are_unsigned(builder: ThreadBuilder, *values: SSAValue) -> bool:
    """
    Whether scalars are divided as unsigned numbers, because none is negative: that takes half the
    instructions.
    """
    return all(
        not isinstance(value.type, TensorType) and builder.kernel.model.axis_info[value].low >= 0
        for value in values
    )


@lowers(arith.DivSIOp, arith.RemSIOp)
def lower_signed_division(builder: ThreadBuilder, op: arith.DivSIOp | arith.RemSIOp) -> None:
    """The same op, or its unsigned counterpart, if that does the same."""
    if not are_unsigned(builder, op.lhs, op.rhs):
        clone_op(builder, op)
        return
    unsigned = arith.DivUIOp if isinstance(op, arith.DivSIOp) else arith.RemUIOp
    builder.map(op.result, builder.emit(unsigned(builder.lookup(op.lhs), builder.lookup(op.rhs))))


@lowers(tileaa.DivIOp)
def lower_divi(builder: ThreadBuilder, op: tileaa.DivIOp) -> None:
    rounding = word(op.rounding, "zero")
    is_signed = op.is_signed and not are_unsigned(builder, op.lhs, op.rhs)

    divide = divide_signed if is_signed else divide_unsigned
    builder.map(op.result, widened(builder, op, partial(divide, rounding=rounding)))


@lowers(tileaa.RemIOp)
def lower_remi(builder: ThreadBuilder, op: tileaa.SignedOperation) -> None:
    is_signed = op.is_signed and not are_unsigned(builder, op.lhs, op.rhs)

    def divide(lhs: Number, rhs: Number) -> Number:
        # The remainder of a division by -1, as of one by the 1 in its place, is 0.
        divisor, is_zero, _ = safe_divisor(rhs, is_signed)
        return all_bits_if(is_zero, lhs.apply("srem" if is_signed else "urem", divisor))

    builder.map(op.result, widened(builder, op, divide))


def widened(
    builder: ThreadBuilder,
    op: tileaa.SignedOperation,
    divide: Callable[[Number, Number], Number],
) -> SSAValue:
    """A division, for which narrow numbers are extended."""
    lhs, rhs = (builder.number(builder.lookup(each)) for each in (op.lhs, op.rhs))
    element = element_of(lhs.type)
    if width_of(element) >= MIN_DIVISION_BITS:
        return divide(lhs, rhs).value
    word = "sext" if op.is_signed else "zext"
    return divide(lhs.cast(word, i8), rhs.cast(word, i8)).cast("trunc", element).value


def safe_divisor(divisor: Number, is_signed: bool) -> tuple[Number, Number | None, Number | None]:
    """
    A divisor with 1 in place of 0 and, if it is signed, of -1; where it was 0, and where it was
    replaced. Of a known number neither is asked.
    """
    known = known_number(divisor.value)
    if known is not None and known != 0 and not (is_signed and known == -1):
        return divisor, None, None
    is_zero = is_special = divisor.compare("eq", 0)
    if is_signed:
        is_special = (divisor + 1).compare("ule", 1)
    return is_special.select_number(1, divisor), is_zero, is_special


def all_bits_if(condition: Number | None, value: Number) -> Number:
    """-1 where a condition holds."""
    return value if condition is None else condition.select_number(-1, value)


def divide_unsigned(lhs: Number, rhs: Number, rounding: str) -> Number:
    """A quotient of unsigned numbers."""
    divisor, is_zero, _ = safe_divisor(rhs, is_signed=False)
    quotient = lhs.apply("udiv", divisor)
    if rounding == "positive_inf":
        quotient = step_if_inexact(lhs, divisor, quotient, 1, None)
    return all_bits_if(is_zero, quotient)


def divide_signed(lhs: Number, rhs: Number, rounding: str) -> Number:
    """A quotient of signed numbers."""
    divisor, is_zero, is_special = safe_divisor(rhs, is_signed=True)
    quotient = lhs.apply("sdiv", divisor)
    if rounding != "zero":
        up = rounding == "positive_inf"
        applies = (lhs ^ divisor).compare("sge" if up else "slt", 0)
        quotient = step_if_inexact(lhs, divisor, quotient, 1 if up else -1, applies)
    if is_special is not None:
        quotient = is_special.select(0 - lhs, quotient)
    return all_bits_if(is_zero, quotient)


def step_if_inexact(
    lhs: Number, rhs: Number, quotient: Number, step: int, applies: Number | None
) -> Number:
    """A quotient moved by a step where there is a rest, and a condition holds."""
    inexact = (quotient * rhs).compare("ne", lhs)
    if applies is not None:
        inexact = inexact & applies
    return inexact.select(quotient + step, quotient)


# Comparisons


@lowers(tileaa.CmpIOp)
def lower_cmpi(builder: ThreadBuilder, op: tileaa.CmpIOp) -> None:
    relation = RELATIONS[word(op.comparison_predicate, "equal")]
    if relation not in ("eq", "ne"):
        relation = f"{'s' if op.is_signed else 'u'}{relation}"
    operands = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, builder.compare(relation, *operands))


@lowers(tileaa.TruncIOp)
def lower_trunci(builder: ThreadBuilder, op: tileaa.TruncIOp) -> None:
    source = builder.lookup(op.source)
    builder.map(
        op.result, builder.cast("trunc", source, element_of(builder.converted_type(op.result)))
    )
