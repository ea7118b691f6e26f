"""
Integers, comparisons and choices, lane by lane; the same code serves scalars and fragments.

What Tile IR leaves undefined does here what the hardware does, so that no later pass draws
conclusions from it: amounts from the width on shift all bits out, a division by zero yields all
bits, the smallest number divided by -1 is itself.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.base import RELATIONS, word
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import width_of

from .constants import known_number, literal
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .vectors import element_of, with_element

MIN_DIVISION_BITS = 8
"""Narrower numbers are divided as numbers of so many bits."""


@lowers(
    *("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori"),
    *("arith.minsi", "arith.minui", "arith.maxsi", "arith.maxui", "arith.cmpi", "arith.select"),
    *("arith.shli", "arith.shrui", "arith.shrsi", "arith.divsi", "arith.divui", "arith.remsi"),
    *("arith.remui", "arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"),
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.cmpf"),
    *("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"),
    *("math.absf", "math.absi", "math.ceil", "math.floor", "math.fma", "math.trunc"),
    *("math.round", "math.roundeven", "math.copysign"),
)
def lower_same(code: ThreadBuilder, op: Operation) -> None:
    """An op that means the same on what its operands became."""
    copy = type(op).create(
        operands=[code.value(operand) for operand in op.operands],
        result_types=[code.type(result) for result in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    code.set(op.results[0], code.emit(copy))


# Arithmetic

OVERFLOW = {
    "none": (),
    "no_signed_wrap": (arith.IntegerOverflowFlag.NSW,),
    "no_unsigned_wrap": (arith.IntegerOverflowFlag.NUW,),
    "no_wrap": (arith.IntegerOverflowFlag.NSW, arith.IntegerOverflowFlag.NUW),
}
WITH_OVERFLOW = {
    "nv_tileaa.addi": arith.AddiOp,
    "nv_tileaa.subi": arith.SubiOp,
    "nv_tileaa.muli": arith.MuliOp,
}
BITWISE: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "nv_tileaa.andi": arith.AndIOp,
    "nv_tileaa.ori": arith.OrIOp,
    "nv_tileaa.xori": arith.XOrIOp,
}


@lowers(*WITH_OVERFLOW)
def lower_overflow(code: ThreadBuilder, op: tileaa.OverflowOperation) -> None:
    flags = arith.IntegerOverflowAttr(OVERFLOW[word(op.overflow, "none")])
    lhs, rhs = code.value(op.lhs), code.value(op.rhs)
    code.set(op.result, code.emit(WITH_OVERFLOW[op.name](lhs, rhs, overflow=flags)))


@lowers(*BITWISE)
def lower_bitwise(code: ThreadBuilder, op: tileaa.BinaryIntegerOperation) -> None:
    code.set(op.result, code.emit(BITWISE[op.name](code.value(op.lhs), code.value(op.rhs))))


@lowers("nv_tileaa.negi")
def lower_negi(code: ThreadBuilder, op: tileaa.NegIOp) -> None:
    value = code.value(op.source)
    # As a difference it always leaves the unsigned numbers, but as a negation it does not.
    is_signed = word(op.overflow, "none") in ("no_signed_wrap", "no_wrap")
    flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,) if is_signed else ())
    zero = literal(code, 0, value.type)
    code.set(op.result, code.emit(arith.SubiOp(zero, value, overflow=flags)))


@lowers("nv_tileaa.absi")
def lower_absi(code: ThreadBuilder, op: tileaa.AbsIOp) -> None:
    value = code.value(op.source)
    if element_of(value.type) == i1:
        # -1 becomes 1, which has the same bit.
        code.set(op.result, value)
        return
    code.set(op.result, code.emit(math.AbsIOp(value)))


@lowers("nv_tileaa.mulhii")
def lower_mulhii(code: ThreadBuilder, op: tileaa.MulhiIOp) -> None:
    lhs, rhs = code.value(op.lhs), code.value(op.rhs)
    if element_of(lhs.type) == i1:
        code.set(op.result, literal(code, 0, lhs.type))
        return
    if element_of(lhs.type) == i64:
        code.set(op.result, multiply_high(code, lhs, rhs))
        return
    code.set(op.result, code.emit(arith.MulUIExtendedOp(lhs, rhs)).results[1])


def multiply_high(code: ThreadBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The high half of a multiplication of i64, from multiplications of 32-bit halves."""
    ty = lhs.type
    mask, half = literal(code, 0xFFFFFFFF, ty), literal(code, 32, ty)

    def low(value: SSAValue) -> SSAValue:
        return code.emit(arith.AndIOp(value, mask)).result

    def high(value: SSAValue) -> SSAValue:
        return code.emit(arith.ShRUIOp(value, half)).result

    def times(first: SSAValue, second: SSAValue) -> SSAValue:
        return code.emit(arith.MuliOp(first, second)).result

    def plus(first: SSAValue, second: SSAValue) -> SSAValue:
        return code.emit(arith.AddiOp(first, second)).result

    x_low, x_high, y_low, y_high = low(lhs), high(lhs), low(rhs), high(rhs)
    middle = plus(times(x_high, y_low), high(times(x_low, y_low)))
    carry = plus(low(middle), times(x_low, y_high))
    return plus(plus(times(x_high, y_high), high(middle)), high(carry))


# Shifts


@lowers("nv_tileaa.shli")
def lower_shli(code: ThreadBuilder, op: tileaa.ShLIOp) -> None:
    value, amount = code.value(op.lhs), code.value(op.rhs)
    code.set(op.result, shift(code, arith.ShLIOp, value, amount))


@lowers("nv_tileaa.shri")
def lower_shri(code: ThreadBuilder, op: tileaa.ShRIOp) -> None:
    value, amount = code.value(op.lhs), code.value(op.rhs)
    if not op.is_signed:
        code.set(op.result, shift(code, arith.ShRUIOp, value, amount))
        return
    width = width_of(element_of(value.type))
    if width == 1:
        code.set(op.result, value)
        return
    limit = literal(code, width - 1, value.type)
    known = known_number(amount)
    if known is None or not 0 <= known < width:
        amount = code.emit(arith.MinUIOp(low_half(code, amount), limit)).result
    code.set(op.result, code.emit(arith.ShRSIOp(value, amount)))


def shift(
    code: ThreadBuilder,
    op: Callable[[SSAValue, SSAValue], Operation],
    value: SSAValue,
    amount: SSAValue,
) -> SSAValue:
    """A shift that fills with zeros."""
    ty = value.type
    width = width_of(element_of(ty))
    if width == 1:
        flipped = code.emit(arith.XOrIOp(amount, literal(code, 1, ty))).result
        return code.emit(arith.AndIOp(value, flipped)).result
    known = known_number(amount)
    if known is not None and 0 <= known < width:
        return code.emit(op(value, amount)).results[0]
    amount = low_half(code, amount)
    # What is shifted too far is not even chosen, but would be poison without a mask.
    masked = code.emit(arith.AndIOp(amount, literal(code, width - 1, ty))).result
    shifted = code.emit(op(value, masked)).results[0]
    fits = code.emit(CmpiOp(amount, literal(code, width, ty), "ult")).result
    return code.emit(SelectOp(fits, shifted, literal(code, 0, ty))).result


def low_half(code: ThreadBuilder, amount: SSAValue) -> SSAValue:
    """The 32 bits of an amount that count."""
    if element_of(amount.type) != i64:
        return amount
    return code.emit(arith.AndIOp(amount, literal(code, 0xFFFFFFFF, amount.type))).result


# Division


@lowers("nv_tileaa.divi")
def lower_divi(code: ThreadBuilder, op: tileaa.DivIOp) -> None:
    rounding = word(op.rounding, "zero")

    def divide(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if op.is_signed:
            return divide_signed(code, lhs, rhs, rounding)
        return divide_unsigned(code, lhs, rhs, rounding)

    code.set(op.result, widened(code, op, divide))


@lowers("nv_tileaa.remi")
def lower_remi(code: ThreadBuilder, op: tileaa.RemIOp) -> None:
    def divide(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        # The remainder of a division by -1, as of one by the 1 in its place, is 0.
        divisor, is_zero, _ = safe_divisor(code, rhs, op.is_signed)
        rest_op = arith.RemSIOp if op.is_signed else arith.RemUIOp
        return all_bits_if(code, is_zero, code.emit(rest_op(lhs, divisor)).result)

    code.set(op.result, widened(code, op, divide))


def widened(
    code: ThreadBuilder,
    op: tileaa.SignedOperation,
    divide: Callable[[SSAValue, SSAValue], SSAValue],
) -> SSAValue:
    """A division, for which narrow numbers are extended."""
    lhs, rhs = code.value(op.lhs), code.value(op.rhs)
    ty = lhs.type
    if width_of(element_of(ty)) >= MIN_DIVISION_BITS:
        return divide(lhs, rhs)
    wide = with_element(ty, i8)
    extend = ExtSIOp if op.is_signed else ExtUIOp
    lhs, rhs = (code.emit(extend(value, wide)).result for value in (lhs, rhs))
    return code.emit(TruncIOp(divide(lhs, rhs), ty)).result


def safe_divisor(
    code: ThreadBuilder, divisor: SSAValue, is_signed: bool
) -> tuple[SSAValue, SSAValue | None, SSAValue | None]:
    """
    A divisor with 1 in place of 0 and, if it is signed, of -1; where it was 0, and where it was
    replaced. Of a known number neither is asked.
    """
    ty = divisor.type
    known = known_number(divisor)
    if known is not None and known != 0 and not (is_signed and known == -1):
        return divisor, None, None
    zero, one = literal(code, 0, ty), literal(code, 1, ty)
    is_zero = code.emit(CmpiOp(divisor, zero, "eq")).result
    is_special = is_zero
    if is_signed:
        next_one = code.emit(arith.AddiOp(divisor, one)).result
        is_special = code.emit(CmpiOp(next_one, one, "ule")).result
    return code.emit(SelectOp(is_special, one, divisor)).result, is_zero, is_special


def all_bits_if(code: ThreadBuilder, condition: SSAValue | None, value: SSAValue) -> SSAValue:
    """-1 where a condition holds."""
    if condition is None:
        return value
    return code.emit(SelectOp(condition, literal(code, -1, value.type), value)).result


def divide_unsigned(code: ThreadBuilder, lhs: SSAValue, rhs: SSAValue, rounding: str) -> SSAValue:
    """A quotient of unsigned numbers."""
    divisor, is_zero, _ = safe_divisor(code, rhs, is_signed=False)
    quotient = code.emit(arith.DivUIOp(lhs, divisor)).result
    if rounding == "positive_inf":
        quotient = step_if_inexact(code, lhs, divisor, quotient, 1, None)
    return all_bits_if(code, is_zero, quotient)


def divide_signed(code: ThreadBuilder, lhs: SSAValue, rhs: SSAValue, rounding: str) -> SSAValue:
    """A quotient of signed numbers."""
    ty = lhs.type
    zero = literal(code, 0, ty)
    divisor, is_zero, is_special = safe_divisor(code, rhs, is_signed=True)
    quotient = code.emit(arith.DivSIOp(lhs, divisor)).result
    if rounding != "zero":
        signs = code.emit(arith.XOrIOp(lhs, divisor)).result
        up = rounding == "positive_inf"
        applies = code.emit(CmpiOp(signs, zero, "sge" if up else "slt")).result
        quotient = step_if_inexact(code, lhs, divisor, quotient, 1 if up else -1, applies)
    if is_special is not None:
        negated = code.emit(arith.SubiOp(zero, lhs)).result
        quotient = code.emit(SelectOp(is_special, negated, quotient)).result
    return all_bits_if(code, is_zero, quotient)


def step_if_inexact(
    code: ThreadBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    quotient: SSAValue,
    step: int,
    applies: SSAValue | None,
) -> SSAValue:
    """A quotient moved by a step where there is a rest, and a condition holds."""
    product = code.emit(arith.MuliOp(quotient, rhs)).result
    inexact = code.emit(CmpiOp(product, lhs, "ne")).result
    if applies is not None:
        inexact = code.emit(arith.AndIOp(inexact, applies)).result
    moved = code.emit(arith.AddiOp(quotient, literal(code, step, quotient.type))).result
    return code.emit(SelectOp(inexact, moved, quotient)).result


# Comparisons


@lowers("nv_tileaa.cmpi")
def lower_cmpi(code: ThreadBuilder, op: tileaa.CmpIOp) -> None:
    relation = RELATIONS[word(op.comparison_predicate, "equal")]
    if relation not in ("eq", "ne"):
        relation = f"{'s' if op.is_signed else 'u'}{relation}"
    code.set(op.result, code.emit(CmpiOp(code.value(op.lhs), code.value(op.rhs), relation)))


@lowers("nv_tileaa.trunci")
def lower_trunci(code: ThreadBuilder, op: tileaa.TruncIOp) -> None:
    code.set(op.result, code.emit(TruncIOp(code.value(op.source), code.type(op.result))))
