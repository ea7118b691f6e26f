"""What the modules of a dialect define, so that no list of it has to be kept by hand."""

from __future__ import annotations

from types import ModuleType

from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import IRDLOperation


def operations_in(*modules: ModuleType) -> tuple[type[IRDLOperation], ...]:
    """The ops that modules define, in their order; a base class has no name of its own."""
    return tuple(
        value
        for value in _classes_in(modules)
        if issubclass(value, IRDLOperation) and "name" in vars(value)
    )


def attributes_in(*modules: ModuleType) -> tuple[type[Attribute], ...]:
    """The attributes and types that modules define, in their order, without base classes."""
    return tuple(
        value
        for value in _classes_in(modules)
        if issubclass(value, Data | ParametrizedAttribute) and "name" in vars(value)
    )


def _classes_in(modules: tuple[ModuleType, ...]) -> list[type]:
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]
