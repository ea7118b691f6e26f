"""
Verification of ops by their IRDL definition that asks once what there is to verify.

What is wrong is said by xDSL's verification, so messages are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from struct import unpack
from typing import Any, Final, TypeAlias

import xdsl.irdl.operations as irdl_operations  # noqa: TID251
from xdsl.ir import Attribute, ErasedSSAValue, Operation, OpTrait, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    AttrSizedSegments,
    BaseAttr,
    EqIntConstraint,
    IRDLOption,
    OpDef,
    OptAttributeDef,
    OptionalDef,
    OptPropertyDef,
    RangeLengthConstraint,
    RangeOf,
    VariadicDef,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

# xDSL's modules for IR say nothing about who may look inside; this file does what they do.
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false


@lru_cache(maxsize=1024)
def unpack_sizes(data: bytes) -> tuple[int, ...]:
    """Numbers of 32 bits."""
    return unpack(f"<{len(data) // 4}i", data)


Check = Callable[[Attribute, VerificationContext], None]
NO_VARIABLES: Final = VerificationContext()


_Quick: TypeAlias = tuple[type[Attribute] | None, Check]
"""The class that an attribute needs to have, if that is all there is to it; else what checks it."""


def _quick(constraint: AttrConstraint) -> _Quick:
    if type(constraint) is BaseAttr:
        return constraint.attr, constraint.verify
    return Attribute if type(constraint) is AnyAttr else None, constraint.verify


@dataclass(frozen=True)
class _Segment:
    """What there is to verify of an operand or a result, or of a list of them."""

    single: _Quick | None
    """Of each value, if that is all."""
    verify: Callable[[Sequence[Attribute], VerificationContext], None]
    """Of all values."""
    least: int
    most: int


@dataclass(frozen=True)
class _ValuesPlan:
    """What there is to verify of all operands, or of all results."""

    singles: tuple[_Quick, ...] | None
    """Of each of them, if there is one value for each segment."""
    segments: tuple[_Segment, ...]
    sizes: AttrSizedSegments | None
    """Where their sizes are; if nowhere, at most one of them has to be computed."""
    variables: frozenset[str]

    def segment_sizes(self, op: Operation, count: int) -> Sequence[int] | None:
        """Of as many values as there are, if they are what they have to be."""
        from xdsl.dialects.builtin import DenseArrayBase, i32

        if self.sizes is None:
            rest = count - len(self.segments) + 1
            sizes = [1 if each.most == 1 == each.least else rest for each in self.segments]
        else:
            attribute: Any = self.sizes.container(op).get(self.sizes.attribute_name)
            if not isinstance(attribute, DenseArrayBase) or attribute.elt_type != i32:
                return None
            sizes = unpack_sizes(attribute.data.data)
        if len(sizes) != len(self.segments) or sum(sizes) != count:
            return None
        pairs = zip(sizes, self.segments, strict=True)
        return sizes if all(each.least <= size <= each.most for size, each in pairs) else None

    def is_right(
        self, op: Operation, values: Sequence[SSAValue], context: VerificationContext
    ) -> bool:
        """Whether nothing is wrong; else it may say so, too."""
        if self.singles is not None:
            if len(values) != len(self.singles):
                return False
            for value, (base, check) in zip(values, self.singles, strict=True):
                if base is None or not isinstance(value._type, base):
                    check(value._type, context)
            return True
        sizes = self.segment_sizes(op, len(values))
        if sizes is None:
            return False
        start = 0
        for size, each in zip(sizes, self.segments, strict=True):
            if each.single is None:
                each.verify([value._type for value in values[start : start + size]], context)
            else:
                base, check = each.single
                for value in values[start : start + size]:
                    if base is None or not isinstance(value._type, base):
                        check(value._type, context)
            start += size
        return True


def _values_plan(
    defined: Sequence[tuple[str, irdl_operations.OperandDef | irdl_operations.ResultDef]],
    options: Sequence[IRDLOption],
    kind: type[AttrSizedSegments],
) -> _ValuesPlan | None:
    segments: list[_Segment] = []
    for _, each in defined:
        is_list = isinstance(each, VariadicDef)
        match each.constr:
            case RangeLengthConstraint(RangeOf(inner), EqIntConstraint(1)) if not is_list:
                single = _quick(inner)
            case RangeOf(inner) if is_list and type(each.constr) is RangeOf:
                single = _quick(inner)
            case _:
                single = None
        most = 1 if not is_list or isinstance(each, OptionalDef) else sys.maxsize
        segments.append(_Segment(single, each.constr.verify, 0 if is_list else 1, most))
    sizes = next((option for option in options if isinstance(option, kind)), None)
    lists = sum(each.least == 0 for each in segments)
    if sizes is None and lists > 1:
        return None
    singles = [each.single for each in segments if each.single is not None]
    is_simple = sizes is None and not lists and len(singles) == len(segments)
    variables = frozenset[str]().union(*(each.constr.variables() for _, each in defined))
    return _ValuesPlan(tuple(singles) if is_simple else None, tuple(segments), sizes, variables)


@dataclass(frozen=True)
class _VerificationPlan:
    """What there is to verify of an op."""

    definition: OpDef
    """So that it keeps its identity."""
    operands: _ValuesPlan
    results: _ValuesPlan
    successors: int
    properties: tuple[tuple[str, type[Attribute] | None, Check, bool], ...]
    """With whether it may be missing."""
    attributes: tuple[tuple[str, type[Attribute] | None, Check, bool], ...]
    has_variables: bool


_PLANS: Final[dict[int, _VerificationPlan | None]] = {}
"""By the identity of a definition."""
_VERIFYING_TRAITS: Final[dict[int, tuple[frozenset[OpTrait], tuple[OpTrait, ...]]]] = {}
"""The same: the traits of the op then, and those of them that verify something."""


def _verification_plan(definition: OpDef) -> _VerificationPlan | None:
    options = definition.options
    operands = _values_plan(definition.operands, options, AttrSizedOperandSegments)
    results = _values_plan(definition.results, options, AttrSizedResultSegments)
    if operands is None or results is None:
        return None
    for _, each in definition.successors:
        if isinstance(each, VariadicDef):
            return None
    known = (AttrSizedOperandSegments, AttrSizedResultSegments)
    if any(isinstance(each, AttrSizedSegments) and not isinstance(each, known) for each in options):
        return None
    named = (*definition.properties.values(), *definition.attributes.values())
    return _VerificationPlan(
        definition,
        operands,
        results,
        len(definition.successors),
        tuple(
            (name, *_quick(each.constr), isinstance(each, OptPropertyDef))
            for name, each in definition.properties.items()
        ),
        tuple(
            (name, *_quick(each.constr), isinstance(each, OptAttributeDef))
            for name, each in definition.attributes.items()
        ),
        bool(definition.regions)
        or bool(operands.variables | results.variables)
        or any(each.constr.variables() for each in named),
    )


_verify_definition: Final = OpDef.verify


def verify_op(self: OpDef, op: Operation) -> None:
    """`OpDef.verify`, which says what is wrong if something is."""
    try:
        plan = _PLANS[id(self)]
    except KeyError:
        plan = _PLANS[id(self)] = _verification_plan(self)
    if plan is None or not _is_right(op, plan):
        _verify_definition(self, op)
        return
    traits = self.traits.traits
    known = _VERIFYING_TRAITS.get(id(self))
    if known is None or known[0] is not traits:
        verifying = tuple(each for each in traits if type(each).verify is not OpTrait.verify)
        known = _VERIFYING_TRAITS[id(self)] = (traits, verifying)
    for trait in known[1]:
        trait.verify(op)


def _is_right(op: Operation, plan: _VerificationPlan) -> bool:
    """Whether nothing is wrong with an op but for what its traits say."""
    if len(op._successors) != plan.successors:
        return False
    definition, properties, attributes = plan.definition, op.properties, op.attributes
    context = VerificationContext() if plan.has_variables else NO_VARIABLES
    try:
        if not plan.operands.is_right(op, op._operands, context):
            return False
        if not plan.results.is_right(op, op.results, context):
            return False
        if op.regions or definition.regions:
            irdl_operations.irdl_op_verify_regions(op, definition, context)
        for named, checks in ((properties, plan.properties), (attributes, plan.attributes)):
            for name, base, check, is_optional in checks:
                attribute = named.get(name)
                if attribute is None:
                    if not is_optional:
                        return False
                elif base is None or not isinstance(attribute, base):
                    check(attribute, context)
    except VerifyException:
        return False
    return properties.keys() <= definition.properties.keys()


_verify_placed: Final = Operation.verify


def verify_operation(self: Operation, verify_nested_ops: bool = True) -> None:
    """`Operation.verify`."""
    block = self.parent
    if self._successors or (block is not None and block._last_op is self):
        _verify_placed(self, verify_nested_ops)
        return
    for operand in self._operands:
        if isinstance(operand, ErasedSSAValue):
            raise ValueError("Erased SSA value is used by the operation")
    if verify_nested_ops:
        for region in self.regions:
            region.verify()
    try:
        self.verify_()
    except VerifyException as error:
        self.emit_error(f"Operation does not verify: {error}", error)


def use_quick_verification(definition: OpDef) -> None:
    """Makes the verification of ops of a definition quick."""
    definition.verify = partial(verify_op, definition)
