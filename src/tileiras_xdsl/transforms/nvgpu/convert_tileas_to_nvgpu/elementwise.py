"""
Integer arithmetic, comparisons and selects, elementwise, for scalars and fragments alike.

What Tile IR leaves undefined does here what the hardware does, so that no later pass draws
conclusions from it: amounts of the width or more shift all bits out, a division by zero yields all
bits, the smallest number divided by -1 is itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import TensorType, VectorType, i1, i8, i32, i64
from xdsl.ir import Operation, SSAValue

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
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import width_of

from .constants import known_number, known_numbers, literal
from .lowering_registry import clone_op, lowers
from .thread_builder import ThreadBuilder, element_of, select_registers, with_element

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
BITWISE = {tileaa.AndIOp: arith.AndIOp, tileaa.OrIOp: arith.OrIOp, tileaa.XOrIOp: arith.XOrIOp}


@lowers(*WITH_OVERFLOW)
def lower_overflow(builder: ThreadBuilder, op: tileaa.OverflowOperation) -> None:
    flags = arith.IntegerOverflowAttr(OVERFLOW[word(op.overflow, "none")])
    lhs, rhs = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, builder.emit(WITH_OVERFLOW[type(op)](lhs, rhs, overflow=flags)))


@lowers(*BITWISE)
def lower_bitwise(builder: ThreadBuilder, op: tileaa.BinaryIntegerOperation) -> None:
    builder.map(
        op.result, builder.emit(BITWISE[type(op)](builder.lookup(op.lhs), builder.lookup(op.rhs)))
    )


@lowers(tileaa.NegIOp)
def lower_negi(builder: ThreadBuilder, op: tileaa.NegIOp) -> None:
    value = builder.lookup(op.source)
    # As a difference it always leaves the unsigned numbers, but as a negation it does not.
    is_signed = word(op.overflow, "none") in ("no_signed_wrap", "no_wrap")
    flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,) if is_signed else ())
    zero = literal(builder, 0, value.type)
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
        builder.map(op.result, literal(builder, 0, lhs.type))
        return
    if element_of(lhs.type) == i64:
        builder.map(op.result, multiply_high(builder, lhs, rhs))
        return
    builder.map(op.result, builder.emit(arith.MulUIExtendedOp(lhs, rhs)).results[1])


def multiply_high(builder: ThreadBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The high half of a multiplication of i64, from multiplications of 32-bit halves."""
    ty = lhs.type
    mask, half = literal(builder, 0xFFFFFFFF, ty), literal(builder, 32, ty)

    def low(value: SSAValue) -> SSAValue:
        return builder.emit(arith.AndIOp(value, mask)).result

    def high(value: SSAValue) -> SSAValue:
        return builder.emit(arith.ShRUIOp(value, half)).result

    def times(first: SSAValue, second: SSAValue) -> SSAValue:
        return builder.emit(arith.MuliOp(first, second)).result

    def plus(first: SSAValue, second: SSAValue) -> SSAValue:
        return builder.emit(arith.AddiOp(first, second)).result

    x_low, x_high, y_low, y_high = low(lhs), high(lhs), low(rhs), high(rhs)
    middle = plus(times(x_high, y_low), high(times(x_low, y_low)))
    carry = plus(low(middle), times(x_low, y_high))
    return plus(plus(times(x_high, y_high), high(middle)), high(carry))


# Shifts


@lowers(tileaa.ShLIOp)
def lower_shli(builder: ThreadBuilder, op: tileaa.OverflowOperation) -> None:
    value, amount = builder.lookup(op.lhs), builder.lookup(op.rhs)
    builder.map(op.result, shift(builder, arith.ShLIOp, value, amount))


@lowers(tileaa.ShRIOp)
def lower_shri(builder: ThreadBuilder, op: tileaa.SignedOperation) -> None:
    value, amount = builder.lookup(op.lhs), builder.lookup(op.rhs)
    if not op.is_signed:
        builder.map(op.result, shift(builder, arith.ShRUIOp, value, amount))
        return
    width = width_of(element_of(value.type))
    if width == 1:
        builder.map(op.result, value)
        return
    limit = literal(builder, width - 1, value.type)
    known = known_number(amount)
    if known is None or not 0 <= known < width:
        amount = builder.emit(arith.MinUIOp(low_half(builder, amount), limit)).result
    builder.map(op.result, builder.emit(arith.ShRSIOp(value, amount)))


def shift(
    builder: ThreadBuilder,
    op: Callable[[SSAValue, SSAValue], Operation],
    value: SSAValue,
    amount: SSAValue,
) -> SSAValue:
    """A shift that fills with zeros."""
    ty = value.type
    width = width_of(element_of(ty))
    if width == 1:
        flipped = builder.emit(arith.XOrIOp(amount, literal(builder, 1, ty))).result
        return builder.emit(arith.AndIOp(value, flipped)).result
    known = known_numbers(amount)
    if known is None and (number := known_number(amount)) is not None:
        known = [number]
    if known is not None and 0 <= min(known) and max(known) < width:
        if width < WORD_BITS and len(known) * width % WORD_BITS == 0:
            return shift_in_words(builder, op, value, known)
        return builder.emit(op(value, amount)).results[0]
    amount = low_half(builder, amount)
    # What is shifted too far is not even chosen, but would be poison without a mask.
    masked = builder.emit(arith.AndIOp(amount, literal(builder, width - 1, ty))).result
    shifted = builder.emit(op(value, masked)).results[0]
    fits = builder.emit(CmpiOp(amount, literal(builder, width, ty), "ult")).result
    return builder.emit(SelectOp(fits, shifted, literal(builder, 0, ty))).result


def shift_in_words(
    builder: ThreadBuilder,
    op: Callable[[SSAValue, SSAValue], Operation],
    value: SSAValue,
    amounts: Sequence[int],
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
    whole = builder.emit(vector.BitcastOp(value, words)).result
    parts: list[SSAValue] = []
    for amount in sorted({*amounts}):
        kept = (1 << width) - 1
        kept = kept >> amount if op is arith.ShRUIOp else kept << amount & kept
        masks = [
            sum(
                kept << width * lane
                for lane, each in enumerate(amounts[first : first + lanes])
                if each == amount
            )
            for first in range(0, len(amounts), lanes)
        ]
        moved = whole
        if amount:
            moved = builder.emit(op(whole, literal(builder, amount, words))).results[0]
        parts.append(builder.emit(arith.AndIOp(moved, builder.constant_vector(masks))).result)
    result = parts[0]
    for part in parts[1:]:
        result = builder.emit(arith.OrIOp(result, part)).result
    return builder.emit(vector.BitcastOp(result, ty)).result


def low_half(builder: ThreadBuilder, amount: SSAValue) -> SSAValue:
    """The 32 bits of an amount that count."""
    if element_of(amount.type) != i64:
        return amount
    return builder.emit(arith.AndIOp(amount, literal(builder, 0xFFFFFFFF, amount.type))).result


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

    def divide(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if is_signed:
            return divide_signed(builder, lhs, rhs, rounding)
        return divide_unsigned(builder, lhs, rhs, rounding)

    builder.map(op.result, widened(builder, op, divide))


@lowers(tileaa.RemIOp)
def lower_remi(builder: ThreadBuilder, op: tileaa.SignedOperation) -> None:
    is_signed = op.is_signed and not are_unsigned(builder, op.lhs, op.rhs)

    def divide(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        # The remainder of a division by -1, as of one by the 1 in its place, is 0.
        divisor, is_zero, _ = safe_divisor(builder, rhs, is_signed)
        rest_op = arith.RemSIOp if is_signed else arith.RemUIOp
        return all_bits_if(builder, is_zero, builder.emit(rest_op(lhs, divisor)).result)

    builder.map(op.result, widened(builder, op, divide))


def widened(
    builder: ThreadBuilder,
    op: tileaa.SignedOperation,
    divide: Callable[[SSAValue, SSAValue], SSAValue],
) -> SSAValue:
    """A division, for which narrow numbers are extended."""
    lhs, rhs = builder.lookup(op.lhs), builder.lookup(op.rhs)
    ty = lhs.type
    if width_of(element_of(ty)) >= MIN_DIVISION_BITS:
        return divide(lhs, rhs)
    wide = with_element(ty, i8)
    extend = ExtSIOp if op.is_signed else ExtUIOp
    lhs, rhs = (builder.emit(extend(value, wide)).result for value in (lhs, rhs))
    return builder.emit(TruncIOp(divide(lhs, rhs), ty)).result


def safe_divisor(
    builder: ThreadBuilder, divisor: SSAValue, is_signed: bool
) -> tuple[SSAValue, SSAValue | None, SSAValue | None]:
    """
    A divisor with 1 in place of 0 and, if it is signed, of -1; where it was 0, and where it was
    replaced. Of a known number neither is asked.
    """
    ty = divisor.type
    known = known_number(divisor)
    if known is not None and known != 0 and not (is_signed and known == -1):
        return divisor, None, None
    zero, one = literal(builder, 0, ty), literal(builder, 1, ty)
    is_zero = builder.emit(CmpiOp(divisor, zero, "eq")).result
    is_special = is_zero
    if is_signed:
        next_one = builder.emit(arith.AddiOp(divisor, one)).result
        is_special = builder.emit(CmpiOp(next_one, one, "ule")).result
    return builder.emit(SelectOp(is_special, one, divisor)).result, is_zero, is_special


def all_bits_if(builder: ThreadBuilder, condition: SSAValue | None, value: SSAValue) -> SSAValue:
    """-1 where a condition holds."""
    if condition is None:
        return value
    return builder.emit(SelectOp(condition, literal(builder, -1, value.type), value)).result


def divide_unsigned(
    builder: ThreadBuilder, lhs: SSAValue, rhs: SSAValue, rounding: str
) -> SSAValue:
    """A quotient of unsigned numbers."""
    divisor, is_zero, _ = safe_divisor(builder, rhs, is_signed=False)
    quotient = builder.emit(arith.DivUIOp(lhs, divisor)).result
    if rounding == "positive_inf":
        quotient = step_if_inexact(builder, lhs, divisor, quotient, 1, None)
    return all_bits_if(builder, is_zero, quotient)


def divide_signed(builder: ThreadBuilder, lhs: SSAValue, rhs: SSAValue, rounding: str) -> SSAValue:
    """A quotient of signed numbers."""
    ty = lhs.type
    zero = literal(builder, 0, ty)
    divisor, is_zero, is_special = safe_divisor(builder, rhs, is_signed=True)
    quotient = builder.emit(arith.DivSIOp(lhs, divisor)).result
    if rounding != "zero":
        signs = builder.emit(arith.XOrIOp(lhs, divisor)).result
        up = rounding == "positive_inf"
        applies = builder.emit(CmpiOp(signs, zero, "sge" if up else "slt")).result
        quotient = step_if_inexact(builder, lhs, divisor, quotient, 1 if up else -1, applies)
    if is_special is not None:
        negated = builder.emit(arith.SubiOp(zero, lhs)).result
        quotient = builder.emit(SelectOp(is_special, negated, quotient)).result
    return all_bits_if(builder, is_zero, quotient)


def step_if_inexact(
    builder: ThreadBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    quotient: SSAValue,
    step: int,
    applies: SSAValue | None,
) -> SSAValue:
    """A quotient moved by a step where there is a rest, and a condition holds."""
    product = builder.emit(arith.MuliOp(quotient, rhs)).result
    inexact = builder.emit(CmpiOp(product, lhs, "ne")).result
    if applies is not None:
        inexact = builder.emit(arith.AndIOp(inexact, applies)).result
    moved = builder.emit(arith.AddiOp(quotient, literal(builder, step, quotient.type))).result
    return builder.emit(SelectOp(inexact, moved, quotient)).result


# Comparisons


@lowers(tileaa.CmpIOp)
def lower_cmpi(builder: ThreadBuilder, op: tileaa.CmpIOp) -> None:
    relation = RELATIONS[word(op.comparison_predicate, "equal")]
    if relation not in ("eq", "ne"):
        relation = f"{'s' if op.is_signed else 'u'}{relation}"
    builder.map(
        op.result, builder.emit(CmpiOp(builder.lookup(op.lhs), builder.lookup(op.rhs), relation))
    )


@lowers(tileaa.TruncIOp)
def lower_trunci(builder: ThreadBuilder, op: tileaa.TruncIOp) -> None:
    builder.map(
        op.result,
        builder.emit(TruncIOp(builder.lookup(op.source), builder.converted_type(op.result))),
    )
