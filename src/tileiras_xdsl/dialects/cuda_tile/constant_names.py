"""
Names of constants: `%true`, `%cst_42`, `%cst`, computed from the value whatever the input
called them (B-43…B-49).

xDSL's printer appends `_1`, `_2`, … to a repeated hint without looking whether the result is
in use, and its parser cuts such endings off. `%cst_1` could thus be the second unnamed float
or the integer 1. The hints handed out here are unique among the constants of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from .elements import DenseElementsAttr, is_nan_bits
from .types import element_name

UNNAMED = "cst"


def constant_name(value: DenseElementsAttr) -> str:
    """The five paths of the seed documents, in their order."""
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
        return _names_around(self.op).hint(self)

    @name_hint.setter
    def name_hint(self, name: str | None) -> None:
        pass

    @property
    def elements(self) -> DenseElementsAttr:
        value = self.op.properties["value"]
        assert isinstance(value, DenseElementsAttr)
        return value


class _ConstantNames:
    """The hints of all constants below one isolated op."""

    def __init__(self, root: Operation):
        constants, others = _collect(root)
        self.first = constants[0]
        self.asked_another = False
        # `others` values hinted `cst` print as `cst`, `cst_1`, …
        taken = {UNNAMED, *(f"cst_{n}" for n in range(1, others))} if others else set[str]()
        self._hints: dict[ConstantResult, str] = {}
        unnamed: list[ConstantResult] = []
        for constant in constants:
            name = constant_name(constant.elements)
            if name == UNNAMED:
                unnamed.append(constant)
            else:
                self._hints[constant] = (
                    public_constant_name(constant.elements) if name in taken else name
                )
        taken.update(self._hints.values())
        candidates = (UNNAMED if n == 0 else f"{UNNAMED}_{n}" for n in count())
        free = (name for name in candidates if name not in taken)
        self._hints.update(zip(unnamed, free, strict=False))

    def is_stale_for(self, constant: ConstantResult) -> bool:
        """
        Whether the kernel may have changed since. Printing asks for the first constant
        first, so asking for it after another one means that a new print begins.
        """
        return (
            constant not in self._hints
            or self.first.op.parent is None
            or (constant is self.first and self.asked_another)
        )

    def hint(self, constant: ConstantResult) -> str:
        self.asked_another = constant is not self.first
        return self._hints[constant]


def _collect(root: Operation) -> tuple[list[ConstantResult], int]:
    """The constants below `root`, and how many other values carry the hint `cst`."""
    constants: list[ConstantResult] = []
    others = 0

    def count_hints(values: Sequence[SSAValue]) -> int:
        return sum(value.name_hint == UNNAMED for value in values)

    for op in root.walk():
        if op.results and isinstance(result := op.results[0], ConstantResult):
            constants.append(result)
        else:
            others += count_hints(op.results)
        for region in op.regions:
            others += sum(count_hints(block.args) for block in region.blocks)
    return constants, others


_CACHE: WeakKeyDictionary[Operation, _ConstantNames] = WeakKeyDictionary()


def _names_around(op: Operation) -> _ConstantNames:
    root = op
    while (parent := root.parent_op()) is not None:
        root = parent
        if root.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            break
    names = _CACHE.get(root)
    (constant,) = op.results
    assert isinstance(constant, ConstantResult)
    if names is None or names.is_stale_for(constant):
        names = _CACHE[root] = _ConstantNames(root)
    return names
