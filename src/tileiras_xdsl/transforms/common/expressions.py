"""
Arithmetic on values as one writes it: each operator appends an op.

    odd = (bits >> spare) & 1
    rounded = bits + (odd + ((1 << spare - 1) - 1))
    result = is_nan.select(bits | QUIET, rounded)

A plain number is a constant of the type of the other operand. What appends the ops, to threads or
to loops of a CPU, says which ones these are.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType
from xdsl.ir import Attribute, SSAValue


class Arithmetic(Protocol):
    """What appends the ops: instructions, comparisons and conversions by their names in LLVM."""

    def literal(self, number: float, ty: Attribute) -> SSAValue:
        """A number, or a vector of equal ones."""
        ...

    def binary(self, word: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """An instruction of two operands of one type: `add`, `lshr`, `fmul`."""
        ...

    def cast(self, word: str, x: SSAValue, element: Attribute) -> SSAValue:
        """A conversion to another element: `zext`, `bitcast`, `fptrunc`."""
        ...

    def compare(self, word: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """A comparison of integers or floats: `ult`, `oeq`."""
        ...

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """One of two values."""
        ...


class Number:
    """A value, scalar or vector, in an expression."""

    __slots__ = ("emitter", "value")

    def __init__(self, emitter: Arithmetic, value: SSAValue):
        self.emitter = emitter
        self.value = value

    @property
    def type(self) -> Attribute:
        return self.value.type

    def like(self, other: Operand) -> Number:
        """An operand beside this one: a plain number gets its type."""
        if isinstance(other, Number):
            return other
        if isinstance(other, SSAValue):
            return Number(self.emitter, other)
        return Number(self.emitter, self.emitter.literal(other, self.type))

    def apply(self, word: str, other: Operand) -> Number:
        """An instruction of this and another operand."""
        value = self.emitter.binary(word, self.value, self.like(other).value)
        return Number(self.emitter, value)

    def _arithmetic(self, word: str, other: Operand) -> Number:
        ty = self.type
        element = ty.get_element_type() if isinstance(ty, VectorType | TensorType) else ty
        return self.apply(f"f{word}" if isinstance(element, AnyFloat) else word, other)

    def __add__(self, other: Operand) -> Number:
        return self._arithmetic("add", other)

    def __sub__(self, other: Operand) -> Number:
        return self._arithmetic("sub", other)

    def __rsub__(self, other: Operand) -> Number:
        return self.like(other) - self

    def __mul__(self, other: Operand) -> Number:
        return self._arithmetic("mul", other)

    def __and__(self, other: Operand) -> Number:
        return self.apply("and", other)

    def __or__(self, other: Operand) -> Number:
        return self.apply("or", other)

    def __xor__(self, other: Operand) -> Number:
        return self.apply("xor", other)

    def __lshift__(self, other: Operand) -> Number:
        return self.apply("shl", other)

    def __rshift__(self, other: Operand) -> Number:
        """Fills with zeros; `ashr` fills with the sign."""
        return self.apply("lshr", other)

    def cast(self, word: str, element: Attribute) -> Number:
        """The number as one of another element."""
        return Number(self.emitter, self.emitter.cast(word, self.value, element))

    def bits(self, element: Attribute) -> Number:
        """The same bits as another element."""
        return self.cast("bitcast", element)

    def compare(self, word: str, other: Operand) -> Number:
        """Where a comparison holds."""
        value = self.emitter.compare(word, self.value, self.like(other).value)
        return Number(self.emitter, value)

    def select(self, x: Number | SSAValue, y: Operand) -> Number:
        """One value where this is true, another where not."""
        then = self.like(x)
        value = self.emitter.select(self.value, then.value, then.like(y).value)
        return Number(self.emitter, value)

    def select_number(self, number: float, y: Number | SSAValue) -> Number:
        """The same of a plain number and a value."""
        other = self.like(y)
        return self.select(other.like(number), other)


Operand: TypeAlias = "Number | SSAValue | float"


def multiply_high(x: Number, y: Number) -> Number:
    """The high half of a multiplication of i64, from multiplications of 32-bit halves."""
    mask, half = x.like(0xFFFFFFFF), x.like(32)
    x_low, x_high, y_low, y_high = x & mask, x >> half, y & mask, y >> half
    middle = x_high * y_low + (x_low * y_low >> half)
    carry = (middle & mask) + x_low * y_high
    return x_high * y_high + (middle >> half) + (carry >> half)
