"""
Ops and attributes whose IRDL definition is made when they are first used.

xDSL makes the definition of an op, with its constraints and accessors, when the class is decorated.
For the dialects of a compilation that is a quarter of what their import takes, and a kernel uses
one op in five.

An op is used when one is made, since all ways to do so ask for the definition, or when the class is
asked for its traits, verifier, parser or printer. Until then these are placeholders. Attributes ask
for their definition when one is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import get_annotations
from typing import Any, Final

import xdsl.irdl
import xdsl.irdl.attributes as irdl_attributes  # noqa: TID251
from typing_extensions import TypeVar
from xdsl.ir import ParametrizedAttribute, TypedAttribute
from xdsl.irdl import IRDLOperation, ParamAttrDef
from xdsl.utils.exceptions import PyRDLAttrDefinitionError
from xdsl.utils.runtime_final import runtime_final

AttributeT = TypeVar("AttributeT", bound=ParametrizedAttribute)
OpT = TypeVar("OpT", bound=IRDLOperation)
Finish = Callable[[type[Any]], None]
"""What changes the class of an op that has just been defined."""

_define: Final = xdsl.irdl.irdl_op_definition
_PENDING: Final = "__pending_definition__"


class PendingDefinition:
    """A definition that is yet to be made, and what the class had in the place of placeholders."""

    def __init__(self, op_class: type[IRDLOperation], finish: Finish | None):
        self.op_class = op_class
        self.finish = finish
        names = ["get_irdl_definition", "traits", "verify_"]
        if op_class.assembly_format is not None:
            names += ["parse", "print"]
        elif finish is not None:
            names.append("parse")
        self.placeholders = {name: Placeholder(self, name) for name in names}
        self.own = {name: op_class.__dict__[name] for name in names if name in op_class.__dict__}
        self._install()

    def _install(self) -> None:
        for name, placeholder in self.placeholders.items():
            setattr(self.op_class, name, placeholder)
        setattr(self.op_class, _PENDING, self)

    def make(self) -> None:
        """Defines the op as its decorator would have, after those that it is derived from."""
        op_class = self.op_class
        if op_class.__dict__.get(_PENDING) is not self:
            return
        for base in op_class.__mro__[1:]:
            if (pending := base.__dict__.get(_PENDING)) is not None:
                pending.make()
        delattr(op_class, _PENDING)
        # What was put into the place of a placeholder since would have replaced the definition's.
        replaced: dict[str, Any] = {}
        for name, placeholder in self.placeholders.items():
            if op_class.__dict__[name] is not placeholder:
                replaced[name] = op_class.__dict__[name]
            if name in self.own:
                setattr(op_class, name, self.own[name])
            else:
                delattr(op_class, name)
        try:
            _define(op_class)
            if self.finish is not None:
                self.finish(op_class)
        except BaseException:
            # An op that cannot be defined cannot be used the second time either.
            self._install()
            raise
        for name, value in replaced.items():
            setattr(op_class, name, value)


class Placeholder:
    """Stands for an attribute of a class until it is asked for."""

    __slots__ = ("_name", "_pending")

    def __init__(self, pending: PendingDefinition, name: str):
        self._pending = pending
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        self._pending.make()
        # Not that of the owner, which may have asked by `super()`.
        value = self._pending.op_class.__dict__[self._name]
        bind = getattr(value, "__get__", None)
        return value if bind is None else bind(instance, owner)


def define_when_used(op_class: type[OpT], finish: Finish | None = None) -> type[OpT]:
    """`irdl_op_definition` and `finish`, but what is wrong is found when the op is first used."""
    PendingDefinition(op_class, finish)
    return op_class


def define_op(op_class: type[OpT], finish: Finish) -> type[OpT]:
    """`irdl_op_definition` and then `finish`, for decorators that change what it makes."""
    if xdsl.irdl.irdl_op_definition is define_when_used:
        return define_when_used(op_class, finish)
    _define(op_class)
    finish(op_class)
    return op_class


def define_attribute_when_used(attribute_class: type[AttributeT]) -> type[AttributeT]:
    """`irdl_param_attr_definition`, but what is wrong is found when the attribute is first used."""
    made: list[ParamAttrDef] = []

    def get_irdl_definition(_: type[ParametrizedAttribute]) -> ParamAttrDef:
        if not made:
            made.append(ParamAttrDef.from_pyrdl(attribute_class))
        return made[0]

    attribute_class.get_irdl_definition = classmethod(get_irdl_definition)  # pyright: ignore[reportAttributeAccessIssue]
    if issubclass(attribute_class, TypedAttribute):

        def get_type_index(cls: type[ParametrizedAttribute]) -> int:
            names = [name for name, _ in cls.get_irdl_definition().parameters]
            if "type" not in names:
                raise PyRDLAttrDefinitionError(
                    f"TypedAttribute {attribute_class.__name__} should have a 'type' parameter."
                )
            return names.index("type")

        attribute_class.get_type_index = classmethod(get_type_index)  # pyright: ignore[reportAttributeAccessIssue]
    return runtime_final(dataclass(frozen=True, init=False)(attribute_class))


@cache
def get_annotations_once(cls: type[Any], *, eval_str: bool = False) -> dict[str, Any]:
    """`inspect.get_annotations`: the definition of an attribute asks all bases of the class."""
    return get_annotations(cls, eval_str=eval_str)


def use_lazy_definitions() -> None:
    """
    Makes the definitions of all ops and attributes that are decorated from now on lazy, in the
    whole process. For commands that end soon: a process that lives longer uses most of them some
    day, and a test of a dialect wants to know what is wrong with its definitions.
    """
    xdsl.irdl.irdl_op_definition = define_when_used
    irdl_attributes.irdl_param_attr_definition = define_attribute_when_used
    irdl_attributes.get_annotations = get_annotations_once  # pyright: ignore[reportPrivateImportUsage]
