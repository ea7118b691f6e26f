"""
Attributes of `nv_tileaa`: the predicates of `assume`, and the launch specification of a kernel.

Modes (rounding, signedness, memory order, …) are plain strings, checked by the ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import ParsePropInAttrDict, VerificationContext, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import BuiltOperation, Kind, Word
from tileiras_xdsl.dialects.cuda_tile.attributes import Bounded, DivBy, SameElements
from tileiras_xdsl.dialects.cuda_tile.types import is_float, is_power_of_two

from .types import MemRefType, PtrType

# What the operations of `nv_tileaa` share: sets of types, word attributes.


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
        if len({*map(get_encoding, types)}) > 1:
            raise VerifyException("all operands and results must have the same layout")


def word(attribute: StringAttr | None, default: str) -> str:
    """The word of an optional attribute."""
    return default if attribute is None else attribute.data


class PredicateAttribute(ABC):
    """A predicate that `assume` states of a value."""

    @property
    @abstractmethod
    def is_elementwise(self) -> bool:
        """Whether it says the same of every lane, whatever its position."""

    @abstractmethod
    def verify_value(self, ty: Attribute) -> None:
        """Raises if it cannot be stated of values of this type."""


@irdl_attr_definition
class DivByAttr(DivBy, PredicateAttribute):
    __doc__ = DivBy.__doc__

    name = "nv_tileaa.div_by"

    @property
    def is_elementwise(self) -> bool:
        return self.every is None

    def verify_value(self, ty: Attribute) -> None:
        this = f"'{self.name}'"
        element = get_element(ty)
        if not (isinstance(element, IntegerType | MemRefType) or is_pointer(element)):
            raise VerifyException(f"{this} is valid only for integers, pointers and memrefs")
        if not is_power_of_two(self.divisor):
            raise VerifyException(f"{this} divisor must be a power of 2")
        if (self.every is None) != (self.along is None):
            raise VerifyException(f"{this} 'every'/'along' must be used in combination")
        self.verify_run(get_shape(ty))


@irdl_attr_definition
class BoundedAttr(Bounded, PredicateAttribute):
    __doc__ = Bounded.__doc__

    name = "nv_tileaa.bounded"

    @property
    def is_elementwise(self) -> bool:
        return True

    def verify_value(self, ty: Attribute) -> None:
        element = get_element(ty)
        if not isinstance(element, IntegerType):
            raise VerifyException(f"'{self.name}' is valid only for integers")
        self.verify_bounds(element)


@irdl_attr_definition
class SameElementsAttr(SameElements, PredicateAttribute):
    __doc__ = SameElements.__doc__

    name = "nv_tileaa.same_elements"

    @property
    def is_elementwise(self) -> bool:
        return False

    def verify_value(self, ty: Attribute) -> None:
        element = get_element(ty)
        if not (isinstance(element, IntegerType) or is_pointer(element)):
            raise VerifyException(f"'{self.name}' is valid only for integers and pointers")
        self.verify_groups(get_shape(ty))


@irdl_attr_definition
class KernelSpecAttr(ParametrizedAttribute):
    """
    How a kernel is launched: `#nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 1>`. The compiler
    chooses fields that are absent.
    """

    name = "nv_tileaa.kernel_spec"

    num_ctas: IntAttr | NoneAttr
    """CTAs in a cluster."""
    occupancy: IntAttr | NoneAttr
    """CTAs per SM."""
    num_warps: IntAttr | NoneAttr
    """Warps in a CTA."""

    def __init__(
        self,
        num_ctas: int | None = None,
        occupancy: int | None = None,
        num_warps: int | None = None,
    ):
        super().__init__(*map(_optional, (num_ctas, occupancy, num_warps)))

    def verify(self) -> None:
        for name, value in self.get_fields().items():
            if value <= 0:
                raise VerifyException(f"{name} must be positive, but got {value}")

    def get_fields(self) -> dict[str, int]:
        """The fields that are there."""
        names = ("num_ctas", "occupancy", "num_warps")
        return {
            name: field.data
            for name, field in zip(names, self.parameters, strict=True)
            if isinstance(field, IntAttr)
        }

    def replaced(self, **fields: int | None) -> KernelSpecAttr:
        """The same with some fields changed, or gone if none."""
        return KernelSpecAttr(**{**self.get_fields(), **fields})

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        fields: dict[str, int | None] = dict.fromkeys(("num_ctas", "occupancy", "num_warps"))

        def parse_field() -> None:
            position = parser.pos
            key = parser.parse_identifier()
            if key not in fields:
                parser.raise_error(f"expected one of {', '.join(fields)}, got '{key}'", position)
            parser.parse_punctuation("=")
            if fields[key] is not None:
                parser.raise_error(f"'{key}' is given twice", position)
            fields[key] = parser.parse_integer(allow_boolean=False, allow_negative=False)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        return [_optional(field) for field in fields.values()]

    def print_parameters(self, printer: Printer) -> None:
        fields = (f"{name} = {value}" for name, value in self.get_fields().items())
        printer.print_string(f"<{', '.join(fields)}>")


def _optional(value: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if value is None else IntAttr(value)
