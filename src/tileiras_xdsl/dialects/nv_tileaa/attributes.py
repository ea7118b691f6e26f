"""
Attributes of `nv_tileaa`: the predicates of `assume`, and the launch specification of a kernel.

Modes (rounding, signedness, memory order, …) are plain strings, checked by the ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile.predicates import Bounded, DivBy, SameElements
from tileiras_xdsl.dialects.cuda_tile.types import is_power_of_two

from .base import get_element, get_shape, is_pointer
from .types import MemRefType


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
        super().__init__(*(_optional(field) for field in (num_ctas, occupancy, num_warps)))

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
