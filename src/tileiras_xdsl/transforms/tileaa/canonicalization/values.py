"""What the `nv_tileaa` patterns ask about values, and the small expressions they build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from struct import iter_unpack
from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileiras_xdsl.dialects.cuda_tile.elements import (
    bits_to_float,
    element_bit_width,
    float_to_bits,
)
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.transforms.common.rewriting import build


@dataclass(frozen=True)
class Constant:
    """The elements of a value known at compile time, as bit patterns of their type."""

    element: Attribute
    attribute: IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr

    def iter_bits(self) -> Iterator[int]:
        """The patterns, row-major; one of them for a scalar and a splat."""
        mask = (1 << element_bit_width(self.element)) - 1
        match self.attribute:
            case IntegerAttr(value=value):
                yield value.data & mask
            case FloatAttr(value=value):
                yield float_to_bits(value.data, self.element)
            case DenseIntOrFPElementsAttr(data=BytesAttr(data=data)):
                size = self.attribute.type.element_type.compile_time_size
                if data == data[:size] * (len(data) // size):
                    data = data[:size]
                for (item,) in iter_unpack(f"{size}s", data):
                    yield int.from_bytes(item, "little") & mask

    def iter_values(self, *, signed: bool = True) -> Iterator[int | float]:
        """The same as numbers; integers are read as signed or unsigned."""
        if not isinstance(self.element, IntegerType):
            for bits in self.iter_bits():
                yield bits_to_float(bits, self.element)
            return
        width = self.element.width.data
        for bits in self.iter_bits():
            yield bits - (1 << width) if signed and bits >> (width - 1) else bits

    @cached_property
    def distinct_bits(self) -> frozenset[int]:
        """The patterns that occur."""
        return frozenset(self.iter_bits())

    @property
    def is_zero(self) -> bool:
        """Whether all elements are zero, of either sign."""
        if isinstance(self.element, IntegerType):
            return self.distinct_bits == frozenset((0,))
        return all(bits_to_float(bits, self.element) == 0 for bits in self.distinct_bits)


def get_constant(value: SSAValue) -> Constant | None:
    """The elements of an `arith.constant` of numbers, or of an `nv_tileaa.splat` of one."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        owner = owner.source.owner
    if not isinstance(owner, ConstantOp):
        return None
    attribute = owner.value
    if not isinstance(attribute, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr):
        return None
    element = get_element(attribute.get_type())
    if not (isinstance(element, IntegerType) or is_float(element)):
        return None
    return Constant(element, attribute)


def is_full_of(value: SSAValue, bits: int) -> bool:
    """Whether a value is a constant all elements of which have this bit pattern."""
    constant = get_constant(value)
    return constant is not None and constant.distinct_bits == frozenset((bits,))


def are_equal_constants(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two values of one type are constants with the same bits in every element."""
    left, right = get_constant(lhs), get_constant(rhs)
    if left is None or right is None or lhs.type != rhs.type:
        return False
    return tuple(left.iter_bits()) == tuple(right.iter_bits())


def build_integer(
    rewriter: PatternRewriter, location: LocationAttr, value: int, ty: Attribute
) -> SSAValue:
    """A constant of an integer type, or of a tensor of it."""
    if isinstance(ty, TensorType):
        literal = DenseIntOrFPElementsAttr.from_list(cast("TensorType[IntegerType]", ty), [value])
    else:
        assert isinstance(ty, IntegerType)
        literal = IntegerAttr(value, ty)
    return build(rewriter, location, ConstantOp(literal))
