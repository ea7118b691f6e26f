"""
Names of constants: `%true`, `%cst_42`, `%cst`, computed from the value whatever the input
called them.

xDSL's printer appends `_1`, `_2`, … to a repeated hint without looking whether the result is
in use, and its parser cuts such endings off. `%cst_1` could thus be the second unnamed float
or the integer 1. The hints handed out here are unique among the constants of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count, takewhile

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import ErasedSSAValue, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.xdsl_extras.dominance import has_graph_regions

from .elements import DenseElementsAttr, is_nan_bits
from .types import element_name

UNNAMED = "cst"


def constant_name(value: DenseElementsAttr) -> str:
    """`true`, `false` or `cst_i1` for bits, `cst_NaN`, `cst_` and the integer, or `cst`."""
    element = value.element_type
    if not isinstance(element, IntegerType):
        is_nan = value.is_splat and is_nan_bits(value.get_bits()[0], element)
        return "cst_NaN" if is_nan else UNNAMED
    splat = value.get_splat_value()
    if element.width.data == 1:
        return "cst_i1" if splat is None else "true" if splat else "false"
    return UNNAMED if splat is None else f"cst_{splat}"


def public_constant_name(value: DenseElementsAttr) -> str:
    """The name NVIDIA's tools give: with the element type, and with small float values."""
    name = constant_name(value)
    if name in ("true", "false", "cst_i1"):
        return name
    splat = value.get_splat_value()
    if isinstance(splat, float) and splat.is_integer() and 0 <= splat < 2**64:
        if math.copysign(1.0, splat) > 0:
            name = f"cst_{int(splat)}"
    return f"{name}_{element_name(value.element_type)}"


class ConstantResult(OpResult):
    """The result of a `constant`; its name hint is computed, and setting it does nothing."""

    @property
    def name_hint(self) -> str | None:
        scope = _scope_of(self.op)
        # The first constant of a kernel is printed before the others, whatever has happened to
        # the kernel since the last print; only in a graph region a use may come before it.
        if _is_first(self.op, scope) or (self._name is None and has_graph_regions(scope)):
            _name_constants(scope)
        return self._name or self.plain_name

    @name_hint.setter
    def name_hint(self, name: str | None) -> None:
        pass

    def replace_all_uses_with(self, value: SSAValue) -> None:
        if value is self or not isinstance(value, ConstantResult | ErasedSSAValue):
            super().replace_all_uses_with(value)
            return
        # These need no name, and to ask for one may take a look at the whole kernel.
        for use in tuple(self.uses):
            use.operation.operands[use.index] = value

    def settle_name(self, name: str) -> None:
        """Sets the hint to a name that no other value of the kernel is printed as."""
        self._name = name

    @property
    def elements(self) -> DenseElementsAttr | None:
        """The value of the constant; invalid IR may have none."""
        value = self.op.properties.get("value")
        return value if isinstance(value, DenseElementsAttr) else None

    @property
    def plain_name(self) -> str:
        """The name that the value alone gives, unique or not."""
        return UNNAMED if self.elements is None else constant_name(self.elements)


def _is_isolated(op: Operation) -> bool:
    return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _scope_of(op: Operation) -> Operation:
    """The innermost isolated op around `op`, within which the names of values are distinct."""
    scope = op
    while (parent := scope.parent_op()) is not None:
        scope = parent
        if _is_isolated(scope):
            break
    return scope


def _values(scope: Operation, *, nested_scopes: bool = False) -> Iterator[SSAValue]:
    """The values below `scope` in the order of their definitions."""
    for region in scope.regions:
        for block in region.blocks:
            yield from block.args
            for op in block.ops:
                yield from op.results
                if op.regions and (nested_scopes or not _is_isolated(op)):
                    yield from _values(op, nested_scopes=nested_scopes)


def _constants(scope: Operation) -> Iterator[ConstantResult]:
    return (value for value in _values(scope) if isinstance(value, ConstantResult))


def _is_first(op: Operation, scope: Operation) -> bool:
    """Whether no constant comes before `op` in its scope; looks at the nearest ops first."""
    while op is not scope and (block := op.parent) is not None:
        earlier = op.prev_op
        while earlier is not None:
            if _has_constants(earlier):
                return False
            earlier = earlier.prev_op
        if (parent := op.parent_op()) is None:
            break
        blocks = (other for region in parent.regions for other in region.blocks)
        for earlier_block in takewhile(lambda other: other is not block, blocks):
            if any(map(_has_constants, earlier_block.ops)):
                return False
        op = parent
    return True


def _has_constants(op: Operation) -> bool:
    """Whether `op` is a constant or has some in its regions."""
    if op.regions and not _is_isolated(op):
        return next(_constants(op), None) is not None
    return any(isinstance(result, ConstantResult) for result in op.results)


def _name_constants(scope: Operation) -> None:
    """Settles the hints of all constants of a kernel."""
    printed_elsewhere = {_numbered(number) for number in range(_count_others(scope))}
    unnamed: list[ConstantResult] = []
    taken = set(printed_elsewhere)
    for constant in _constants(scope):
        name, elements = constant.plain_name, constant.elements
        if name == UNNAMED or elements is None:
            unnamed.append(constant)
            continue
        if name in printed_elsewhere:
            name = public_constant_name(elements)
        constant.settle_name(name)
        taken.add(name)
    free = (name for name in map(_numbered, count()) if name not in taken)
    for constant, name in zip(unnamed, free, strict=False):
        constant.settle_name(name)


def _count_others(scope: Operation) -> int:
    """
    How many values share the hint `cst` with the constants of a scope: other values in it and
    below, and all in the scopes around, whose numbers xDSL continues.
    """
    others = sum(
        value.name_hint == UNNAMED
        for value in _values(scope, nested_scopes=True)
        if not isinstance(value, ConstantResult)
    )
    while scope.parent_op() is not None:
        scope = _scope_of(scope)
        others += sum(
            (value.plain_name if isinstance(value, ConstantResult) else value.name_hint) == UNNAMED
            for value in _values(scope)
        )
    return others


def _numbered(number: int) -> str:
    """What xDSL prints for a repeated hint `cst`: `cst`, `cst_1`, `cst_2`, …"""
    return UNNAMED if number == 0 else f"{UNNAMED}_{number}"
