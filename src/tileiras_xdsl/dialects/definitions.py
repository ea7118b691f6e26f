"""
What the modules of a dialect define, so that no list of it has to be kept by hand, and ops that
differ little.
"""

from __future__ import annotations

from types import ModuleType
from typing import ClassVar, Final, cast

from typing_extensions import TypeVar
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import IRDLOperation

from .diagnosed import diagnosed_op

OpT = TypeVar("OpT", bound=IRDLOperation)

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
