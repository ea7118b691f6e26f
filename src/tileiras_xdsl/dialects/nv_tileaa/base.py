"""What the operations of `nv_tileaa` share: sets of types, word attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, NoneAttr, Signedness, StringAttr, TensorType, i1
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import ParsePropInAttrDict, VerificationContext
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import BuiltOperation
from tileiras_xdsl.dialects.constraints import Kind, Word
from tileiras_xdsl.dialects.cuda_tile.types import is_float

from .types import PtrType


def get_element(ty: Attribute) -> Attribute:
    """The element type of a tensor; a scalar is its own element."""
    return ty.get_element_type() if isinstance(ty, TensorType) else ty


def get_shape(ty: Attribute) -> tuple[int, ...]:
    """The shape of a tensor; a scalar has none."""
    return ty.get_shape() if isinstance(ty, TensorType) else ()


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """The type of this shape and layout with another element."""
    if isinstance(ty, TensorType):
        return TensorType(element, ty.get_shape(), ty.encoding)
    return element


def with_shape(ty: Attribute, shape: tuple[int, ...]) -> Attribute:
    """The type of this element with another shape; the scalar if it is empty."""
    element = get_element(ty)
    return TensorType(element, shape) if shape else element


def get_encoding(ty: Attribute) -> Attribute:
    """The layout of a tensor; `NoneAttr` if it has no layout, or is a scalar."""
    return ty.encoding if isinstance(ty, TensorType) else NoneAttr()


def is_pointer(element: Attribute) -> bool:
    """Whether an element is a pointer."""
    return isinstance(element, LLVMPointerType | PtrType)


def is_static(ty: Attribute) -> bool:
    """Whether a type is a scalar, or a tensor whose sizes are positive numbers."""
    return all(size > 0 for size in get_shape(ty))


@dataclass(frozen=True)
class TileLike(Kind):
    """A scalar, or a tensor of static shape, whose elements are of a kind."""

    phrase: str
    has_element: Callable[[Attribute], bool]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (self.has_element(get_element(attr)) and is_static(attr)):
            raise VerifyException(f"must be a scalar or tensor of {self.phrase}, but got '{attr}'")


def is_signless(element: Attribute) -> bool:
    """Whether an element is an integer; signedness is a matter of operations."""
    return isinstance(element, IntegerType) and element.signedness.data is Signedness.SIGNLESS


def is_number(element: Attribute) -> bool:
    """Whether an element is an integer or a float."""
    return is_signless(element) or is_float(element)


def _is_i1(element: Attribute) -> bool:
    return element == i1


def _is_element(element: Attribute) -> bool:
    return is_number(element) or is_pointer(element)


IntegerLike = TileLike("integers", is_signless)
FloatLike = TileLike("floats", is_float)
NumberLike = TileLike("numbers", is_number)
PointerLike = TileLike("pointers", is_pointer)
BoolLike = TileLike("i1", _is_i1)
ElementLike = TileLike("numbers or pointers", _is_element)


@dataclass(frozen=True)
class TensorConstraint(Kind):
    """A tensor with static shape, of numbers or pointers."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (
            isinstance(attr, TensorType)
            and is_static(attr)
            and _is_element(attr.get_element_type())
        ):
            raise VerifyException(
                f"must be a tensor of static shape of numbers or pointers, but got '{attr}'"
            )


@dataclass(frozen=True)
class TypeKind(Kind):
    """An attribute that is a type."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, TypeAttribute):
            raise VerifyException(f"expects a type, but got {attr}")


SIGNEDNESS = Word("signedness", ("signed", "unsigned"))
OVERFLOW = Word("overflow", ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"))
ROUNDING = Word(
    "rounding_mode",
    (
        "nearest_even",
        "zero",
        "negative_inf",
        "positive_inf",
        "approx",
        "full",
        "nearest_int_to_zero",
        "nearest_away",
    ),
)
RELATIONS = {
    "equal": "eq",
    "not_equal": "ne",
    "less_than": "lt",
    "less_than_or_equal": "le",
    "greater_than": "gt",
    "greater_than_or_equal": "ge",
}
"""The predicates of comparisons, and what `arith` and LLVM call them, signedness aside."""
PREDICATE = Word("comparison_predicate", tuple(RELATIONS))
ORDERING = Word("comparison_ordering", ("unordered", "ordered"))
MEM_SCOPE = Word("mem_scope", ("tl_blk", "cluster", "gpu", "sys"))
RMW_MODE = Word(
    "rmw_mode",
    (
        *("and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg"),
        "addu",
    ),
)
PADDING = Word("padding_value", ("zero", "neg_zero", "nan", "pos_inf", "neg_inf"))


class TileaaOperation(BuiltOperation):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class Elementwise(OpTrait):
    """
    Lane by lane: operands and results have one shape and one layout, and a lane of the result
    depends on the same lane of the operands only.
    """

    def verify(self, op: Operation) -> None:
        types = [value.type for value in (*op.operands, *op.results)]
        shapes = {(isinstance(ty, TensorType), get_shape(ty)) for ty in types}
        if len(shapes) > 1:
            raise VerifyException("all operands and results must have the same shape")
        if len({get_encoding(ty) for ty in types}) > 1:
            raise VerifyException("all operands and results must have the same layout")


def word(attribute: StringAttr | None, default: str) -> str:
    """The word of an optional attribute."""
    return default if attribute is None else attribute.data
