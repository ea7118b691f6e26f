"""
Discardable attributes that dialects declare.

In MLIR a dialect declares the discardable attributes that it owns (`discardableAttrs`) and verifies
them on whatever op has one (`verifyOperationAttribute`). xDSL 0.74 has neither, so what passes
leave for each other is declared here:

    PIPE = DiscardableAttribute(
        "nv_tileas.pipe", PipeAttr, "The pipeline whose multi-stage buffer a load fills.",
        carriers=(TiledLoadOp,), written_by=("tileas-generate-schedule",), read_by=(…),
        why_not=_why_no_pipe,
    )
    PIPE.set(load, PipeAttr(0))

Ops of the project verify what is declared of theirs; `verify_discardable_attributes` verifies all
ops, of other dialects, too. Who gets an attribute that is not of its type fails at the op.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic

from typing_extensions import TypeIs, TypeVar
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.xdsl_extras.walking import walk

AttributeT = TypeVar("AttributeT", bound=Attribute)
CarrierT = TypeVar("CarrierT", bound=Operation, default=Operation)

DECLARED: Final[dict[str, DiscardableAttribute[Attribute]]] = {}
"""All that dialects have declared, by name."""


@dataclass(frozen=True, eq=False)
class DiscardableAttribute(Generic[AttributeT, CarrierT]):
    """
    An attribute that ops may have beside those of their definition. Its type has the ops that may
    have it: who sets it on an op that is not known to be one of them fails the type checker. Who
    chooses among ops asks for `can_be_on`.
    """

    name: str
    type: type[AttributeT]
    summary: str
    """What it says, in a sentence."""
    carriers: tuple[type[CarrierT], ...] = ()
    """The ops that may have it; any, if there are none."""
    written_by: tuple[str, ...] = ()
    """The passes that set it."""
    read_by: tuple[str, ...] = ()
    """The passes that ask for it."""
    why_not: Callable[[Operation, AttributeT], str | None] | None = None
    """What it contradicts at an op, as the rest of a sentence that begins with the attribute."""

    def __post_init__(self) -> None:
        DECLARED[self.name] = self  # pyright: ignore[reportArgumentType]

    def get(self, op: Operation) -> AttributeT | None:
        """What an op has, if anything; fails at the op if that is of another type."""
        attribute = op.attributes.get(self.name)
        if attribute is None or isinstance(attribute, self.type):
            return attribute
        text = self._wrong_type(attribute)
        op.emit_error(text, VerifyException(text))

    def can_be_on(self, op: Operation) -> TypeIs[CarrierT]:
        """Whether an op is one of those that may have it."""
        return not self.carriers or isinstance(op, self.carriers)

    def set(self, op: CarrierT, attribute: AttributeT) -> None:
        """Gives it to an op."""
        op.attributes[self.name] = attribute

    def drop(self, op: Operation) -> AttributeT | None:
        """Takes it from an op, if that has it."""
        attribute = self.get(op)
        if attribute is not None:
            del op.attributes[self.name]
        return attribute

    def is_on(self, op: Operation) -> bool:
        """Whether an op has it."""
        return self.name in op.attributes

    def verify(self, op: Operation, attribute: Attribute) -> None:
        """Raises if an op may not have it, or not with this value."""
        if not isinstance(attribute, self.type):
            raise VerifyException(self._wrong_type(attribute))
        if not self.can_be_on(op):
            raise VerifyException(f"'{self.name}' cannot be an attribute of '{op.name}'")
        if self.why_not is not None and (reason := self.why_not(op, attribute)) is not None:
            raise VerifyException(f"'{self.name}' {reason}")

    def _wrong_type(self, attribute: Attribute) -> str:
        return f"'{self.name}' has to be {_describe(self.type)}, but is {attribute}"


def _describe(ty: type[Attribute]) -> str:
    """A type as one would write it: `#nv_tileas.pipe<…>`, or by its name if it is builtin."""
    return ty.name if "." not in ty.name else f"#{ty.name}<…>"


def verify_attributes_of(op: Operation) -> None:
    """Raises if an op has a declared attribute that it may not have."""
    for name, attribute in op.attributes.items():
        if (declared := DECLARED.get(name)) is not None:
            declared.verify(op, attribute)


def verify_discardable_attributes(root: Operation) -> None:
    """Fails at the first op in an op that has a declared attribute that it may not have."""
    for op in walk(root):
        if op.attributes:
            try:
                verify_attributes_of(op)
            except VerifyException as error:
                op.emit_error(f"Operation does not verify: {error}", error)
