"""
What the modules of a dialect define, so that no list of it has to be kept by hand, and ops and
attributes that differ little.
"""

from __future__ import annotations

from types import ModuleType, new_class
from typing import Any, ClassVar, Final, cast

from typing_extensions import TypeVar
from xdsl.ir import Attribute, Data, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from .diagnosed import diagnosed_op

OpT = TypeVar("OpT", bound=IRDLOperation)
EnumT = TypeVar("EnumT", bound=StrEnum, covariant=True)

_ATTRIBUTES: Final = frozenset[type]((Data, ParametrizedAttribute))
"""`issubclass` of an abstract class would ask all its subclasses before it denies."""


def operations_in(*modules: ModuleType) -> tuple[type[IRDLOperation], ...]:
    """The ops that modules define, in their order; a base class has no name of its own."""
    return tuple(
        value
        for value in _classes_in(modules)
        if "name" in vars(value) and IRDLOperation in value.__mro__
    )


def attributes_in(*modules: ModuleType) -> tuple[type[Attribute], ...]:
    """The attributes and types that modules define, in their order, without base classes."""
    return tuple(
        value
        for value in _classes_in(modules)
        if "name" in vars(value) and not _ATTRIBUTES.isdisjoint(value.__mro__)
    )


def _classes_in(modules: tuple[ModuleType, ...]) -> list[type]:
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


def derive(
    base: type[OpT], class_name: str, name: str, doc: str | None, **constants: object
) -> type[OpT]:
    """
    A class of ops that differs from others by its name, and class constants, only; a decorator
    makes it an op.
    """
    members: dict[str, object] = {
        "name": name,
        **constants,
        "__annotations__": dict.fromkeys(constants, ClassVar),
        "__doc__": doc,
        "__module__": base.__module__,
    }
    return cast(type[OpT], type(class_name, (base,), members))


def define(
    base: type[OpT], class_name: str, name: str, doc: str | None, **constants: object
) -> type[OpT]:
    """An op that differs from others by its name, and class constants, only."""
    return diagnosed_op(derive(base, class_name, name, doc, **constants))


class EnumAttr(Data[EnumT]):
    """A word of an enumeration: `#nvvm.mem_scope<cta>`."""

    enum_type: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


class SpacedEnumAttr(EnumAttr[EnumT], SpacedOpaqueSyntaxAttribute):
    """The same, as MLIR writes attributes without a format: `#nvvm<shfl_kind bfly>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_identifier_or_string_literal(self.data.value)


def derive_enum_attribute(base: Any, name: str, enum_type: type[StrEnum], text: str) -> Any:
    """The attribute of an enumeration, in the module of which it is defined; `text`: an example."""
    members: dict[str, object] = {
        "name": name,
        "enum_type": enum_type,
        "__doc__": f"{enum_type.__doc__} `{text}`",
        "__module__": enum_type.__module__,
    }
    bases = (base[enum_type],)
    made = new_class(
        f"{enum_type.__name__}Attr", bases, exec_body=lambda body: body.update(members)
    )
    return irdl_attr_definition(made)


def enum_attribute(name: str, enum_type: type[EnumT]) -> type[EnumAttr[EnumT]]:
    """The attribute `#dialect.name<word>` of an enumeration, whose name ends in `Attr`."""
    text = f"#{name}<{next(iter(enum_type)).value}>"
    return derive_enum_attribute(EnumAttr, name, enum_type, text)


def spaced_enum_attribute(name: str, enum_type: type[EnumT]) -> type[SpacedEnumAttr[EnumT]]:
    """The attribute `#dialect<name word>` of an enumeration, whose name ends in `Attr`."""
    dialect, _, word = name.partition(".")
    text = f"#{dialect}<{word} {next(iter(enum_type)).value}>"
    return derive_enum_attribute(SpacedEnumAttr, name, enum_type, text)
