"""What the ops of `tt` share: their base, and checks of shapes and elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects.builtin import BoolAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import ParsePropInAttrDict, operand_def, result_def, traits_def
from xdsl.traits import EffectInstance, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import BuiltOperation
from tileiras_xdsl.dialects.memory_order import Effect, MemoryOrder

from .types import element_of, shape_of

IN_DICT = ParsePropInAttrDict()
"""Properties that the format does not show stand in the dictionary of attributes."""


class ViewLike(OpTrait):
    """The result points into what the first operand points into."""


class UnknownUnlessPure(MemoryOrder):
    """Anything may happen in what an op calls, unless the op says that it is pure."""

    @classmethod
    def get_order(cls, op: Operation) -> Effect:
        is_pure = op.properties.get("pure") == BoolAttr.from_bool(True)
        return Effect.NONE if is_pure else Effect.UNKNOWN

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return super().get_effects(op) if cls.get_order(op) else set()


class TritonOperation(BuiltOperation):
    """An op of `tt`, with checks for its verifier."""

    irdl_options = (IN_DICT,)

    def fail(self, message: str) -> NoReturn:
        """Raises an error of the verifier."""
        raise VerifyException(f"'{self.name}' op {message}")

    def verify_shape(self, name: str, ty: Attribute, expected: Sequence[int]) -> None:
        """Checks the shape of a value."""
        if shape_of(ty) != tuple(expected):
            shape = "x".join(map(str, expected))
            kind = f"a tensor of shape {shape}" if expected else "a scalar"
            self.fail(f"expects {name} to be {kind}, but got '{ty}'")

    def verify_element(self, name: str, ty: Attribute, expected: Attribute) -> None:
        """Checks the elements of a value."""
        if element_of(ty) != expected:
            self.fail(f"expects elements of type '{expected}' of {name}, but got '{ty}'")

    def verify_type(self, name: str, ty: Attribute, expected: Attribute) -> None:
        """Checks the type of a value."""
        if ty != expected:
            self.fail(f"expects {name} of type '{expected}', but got '{ty}'")

    def tensor(self, name: str, value: SSAValue) -> TensorType:
        """The type of a value that has to be a tensor."""
        if not isinstance(value.type, TensorType):
            self.fail(f"expects {name} to be a tensor, but got '{value.type}'")
        return value.type

    def verify_axis(self, axis: int, rank: int) -> None:
        """Checks a dimension."""
        if not 0 <= axis < rank:
            self.fail(f"expects an axis below {rank}, but got {axis}")


class ConversionOperation(TritonOperation):
    """One value to another: `op %x : T -> U`."""

    src = operand_def()
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"
