"""
Functions of xDSL that are replaced by ones with the same results that take less time.

Each says what it saves: the part of a warm compilation from bytecode to LLVM IR, measured as calls
times what one call takes less (GEMM, attention and layer norm for sm_90 together).

A compilation makes, visits and verifies some thousand ops, and much of that time goes to what xDSL
asks about classes and definitions every time anew. Each function below is written as a change to
xDSL's own, with the same name and arguments, and is one to send upstream (`docs/upstream.md`).
Where something is wrong, xDSL's function runs and says so, so that messages are the same.

`PATCHES` is all that is changed. The package `dialects` applies it when it is imported, so that
whoever has an op of ours, in a command, a server, a Python program, a test or `xdsl-opt`, runs the
same code. `plain_xdsl` is for tests that compare.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, i32
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    OpOperands,
    OpResult,
    OpTrait,
    Region,
    SSAValue,
    SSAValues,
    Use,
)
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    AttrSizedSegments,
    BaseAttr,
    BeforeVariadicSingleAccessor,
    EqIntConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptAttributeDef,
    OptionalDef,
    OptPropertyDef,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    VariadicDef,
    VarIRConstruct,
    VerificationContext,
    irdl_op_verify_arg_list,
    irdl_op_verify_regions,
)
from xdsl.irdl.declarative_assembly_format import FormatDirective, FormatProgram
from xdsl.utils.exceptions import VerifyException

# pyright: reportPrivateUsage=false

_item: Final[Callable[[tuple[Any, ...], int], Any]] = tuple[Any, ...].__getitem__


def init_operation(
    self: Operation,
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    attributes: Mapping[str, Attribute] | None = None,
    location: Any = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> None:
    """
    `Operation.__init__` that fills a new op. xDSL's goes through the setters of operands and
    successors, which first take away what was there. Saves 6 %.
    """
    values = SSAValues(operands)
    uses: list[Use] = []
    for index, value in enumerate(values):
        # This is `add_use`.
        first = value.first_use
        use = Use(self, index, None, first)
        if first is not None:
            first._prev_use = use
        value.first_use = use
        uses.append(use)
    self._operands = values
    self._operand_uses = tuple(uses)
    self.results = SSAValues(
        [OpResult(result_type, self, index) for index, result_type in enumerate(result_types)]
    )
    self.properties = dict(properties) if properties else {}
    self.attributes = dict(attributes) if attributes else {}
    self.location = UNKNOWN_LOC if location is None else location
    if successors:
        self.successors = successors
    else:
        self._successors = self._successor_uses = ()
    self.regions = ()
    for region in regions:
        self.add_region(region)
    self.__post_init__()


class _Arguments(NamedTuple):
    """
    How many values a list may have that is given for each operand, result, successor and region;
    none may be given where there is a single one.
    """

    operands: tuple[int, ...]
    results: tuple[int, ...]
    successors: tuple[int, ...]
    regions: tuple[int, ...]
    segments: tuple[tuple[str, bool, bool], ...]
    """Of a segment attribute: name, whether it is a property, whether it is about operands."""


@cache
def _arguments_of(op: type[IRDLOperation]) -> _Arguments | None:
    """None if an op has options other than segments of operands and results."""
    definition = op.get_irdl_definition()
    segments: list[tuple[str, bool, bool]] = []
    for option in definition.options:
        if not isinstance(option, AttrSizedOperandSegments | AttrSizedResultSegments):
            return None
        is_of_operands = isinstance(option, AttrSizedOperandSegments)
        segments.append((option.attribute_name, option.as_property, is_of_operands))
    return _Arguments(
        _limits(definition.operands),
        _limits(definition.results),
        _limits(definition.successors),
        _limits(definition.regions),
        tuple(segments),
    )


def _limits(defined: Sequence[tuple[str, object]]) -> tuple[int, ...]:
    return tuple(
        1 if isinstance(each, OptionalDef) else sys.maxsize if isinstance(each, VariadicDef) else 0
        for _, each in defined
    )


_finish_irdl_operation: Final = IRDLOperation.__post_init__


@cache
def _has_defaults(op: type[IRDLOperation]) -> bool:
    definition = op.get_irdl_definition()
    return any(
        not isinstance(each, OptionalDef) and each.default_value is not None
        for each in (*definition.properties.values(), *definition.attributes.values())
    )


def finish_irdl_operation(self: IRDLOperation) -> None:
    """
    `IRDLOperation.__post_init__` that asks once for each class whether anything has a default.
    Saves 2.4 %.
    """
    if _has_defaults(type(self)):
        _finish_irdl_operation(self)
    else:
        Operation.__post_init__(self)


_get_value: Final[Callable[..., SSAValue]] = SSAValue.get


def get_value(arg: SSAValue | Operation, *, type: Any = Attribute) -> SSAValue:  # noqa: A002
    """
    `SSAValue.get` that returns a value of any type at once; xDSL's imports a module and makes a
    generic type to cast to. Saves 2.9 %.
    """
    if type is Attribute and isinstance(arg, SSAValue):
        return arg
    return _get_value(arg, type=type)


_LISTS: Final = (list, tuple, OpOperands)


def _flatten(
    arguments: Sequence[Any], limits: tuple[int, ...], kind: type
) -> tuple[list[Any], list[int]] | None:
    """The values of arguments, and how many each is; none if an argument is unusual."""
    if len(arguments) != len(limits):
        return None
    flat: list[Any] = []
    sizes: list[int] = []
    for argument, limit in zip(arguments, limits, strict=True):
        if isinstance(argument, kind):
            flat.append(argument)
            sizes.append(1)
        elif limit and isinstance(argument, _LISTS):
            values = cast("Sequence[Any]", argument)
            if len(values) > limit or not all(isinstance(each, kind) for each in values):
                return None
            flat += values
            sizes.append(len(values))
        elif argument is None and limit == 1:
            sizes.append(0)
        elif kind is SSAValue and isinstance(argument, Operation) and len(argument.results) == 1:
            flat.append(_item(argument.results, 0))
            sizes.append(1)
        else:
            return None
    return flat, sizes


@lru_cache(maxsize=1024)
def _segment_sizes(*sizes: int) -> Attribute:
    return DenseArrayBase.from_list(i32, sizes)


_init_irdl_operation: Final = IRDLOperation.__init__


def init_irdl_operation(
    self: IRDLOperation,
    *,
    operands: Any = None,
    result_types: Any = None,
    properties: Mapping[str, Attribute | None] | None = None,
    attributes: Mapping[str, Attribute | None] | None = None,
    successors: Any = None,
    regions: Any = None,
) -> None:
    """`IRDLOperation.__init__` that asks once for each class what may be a list. Saves 4 %."""
    expected = _arguments_of(type(self))
    if expected is not None:
        values = _flatten(operands or (), expected.operands, SSAValue)
        types = _flatten(result_types or (), expected.results, Attribute)
        blocks = _flatten(successors or (), expected.successors, Block)
        bodies = _flatten(regions or (), expected.regions, Region)
        if values and types and blocks and bodies:
            own_properties, own_attributes = (
                {name: value for name, value in named.items() if value is not None} if named else {}
                for named in (properties, attributes)
            )
            for name, is_property, is_of_operands in expected.segments:
                sizes = values[1] if is_of_operands else types[1]
                named = own_properties if is_property else own_attributes
                named[name] = _segment_sizes(*sizes)
            Operation.__init__(
                self,
                operands=values[0],
                result_types=types[0],
                properties=own_properties,
                attributes=own_attributes,
                successors=blocks[0],
                regions=bodies[0],
            )
            return
    _init_irdl_operation(
        self,
        operands=operands,
        result_types=result_types,
        properties=properties,
        attributes=attributes,
        successors=successors,
        regions=regions,
    )


def walk(
    self: Operation, *, reverse: bool = False, region_first: bool = False
) -> Iterator[Operation]:
    """
    `Operation.walk` as one generator for each op with regions; xDSL's goes through three for every
    op. Saves 3.5 %.
    """
    if not region_first:
        yield self
    for region in reversed(self.regions) if reverse else self.regions:
        for block in reversed(region.blocks) if reverse else region.blocks:
            following = block.last_op if reverse else block.first_op
            while following is not None:
                op = following
                # Who has the op may erase it.
                following = op._prev_op if reverse else op._next_op
                if op.regions:
                    yield from walk(op, reverse=reverse, region_first=region_first)
                    continue
                yield op
                if op.regions and not region_first:
                    # They were added since.
                    inside = walk(op, reverse=reverse)
                    next(inside)
                    yield from inside
    if region_first:
        yield self


_get_accessed: Final[Callable[..., Any]] = BeforeVariadicSingleAccessor.__get__  # pyright: ignore
_OPERAND, _RESULT = VarIRConstruct.OPERAND, VarIRConstruct.RESULT


def get_single(self: BeforeVariadicSingleAccessor, obj: Operation, objtype: Any = None) -> Any:
    """
    `BaseAccessor.__get__` of what comes before all lists, without a view of all operands. Saves
    2.6 %.
    """
    construct = self.construct
    if construct is _OPERAND:
        return _item(obj._operands, self.idx)
    if construct is _RESULT:
        return _item(obj.results, self.idx)
    return _get_accessed(self, obj, objtype)


class _Check(NamedTuple):
    """A constraint, and the class of attributes for which it needs not be asked."""

    base: type[Attribute] | None
    verify: Callable[[Attribute, VerificationContext], None]


def _check(constraint: AttrConstraint) -> _Check:
    if type(constraint) is BaseAttr:
        return _Check(constraint.attr, constraint.verify)
    return _Check(Attribute if type(constraint) is AnyAttr else None, constraint.verify)


def _checks(
    defined: Sequence[tuple[str, OperandDef | ResultDef]], options: Sequence[object]
) -> tuple[_Check, ...] | None:
    """A constraint for each operand or result; none if some are lists."""
    found: list[_Check] = []
    for _, each in defined:
        match each.constr:
            case RangeLengthConstraint(RangeOf(inner), EqIntConstraint(1)) if not isinstance(
                each, VariadicDef
            ):
                found.append(_check(inner))
            case _:
                return None
    return None if any(isinstance(each, AttrSizedSegments) for each in options) else tuple(found)


class _VerificationPlan(NamedTuple):
    """What there is to verify of an op."""

    operands: tuple[_Check, ...] | None
    results: tuple[_Check, ...] | None
    properties: tuple[tuple[str, _Check, bool], ...]
    """With whether it may be missing."""
    attributes: tuple[tuple[str, _Check, bool], ...]
    traits: frozenset[OpTrait]
    """All of them; another set if one was added since."""
    verifying: tuple[OpTrait, ...]
    """Those that verify something."""


_PLAN: Final = "_verification_plan"


def _plan_of(definition: OpDef) -> _VerificationPlan:
    traits = definition.traits.traits
    known: _VerificationPlan | None = definition.__dict__.get(_PLAN)
    if known is not None and known.traits is traits:
        return known
    plan = definition.__dict__[_PLAN] = _VerificationPlan(
        _checks(definition.operands, definition.options),
        _checks(definition.results, definition.options),
        tuple(
            (name, _check(each.constr), isinstance(each, OptPropertyDef))
            for name, each in definition.properties.items()
        ),
        tuple(
            (name, _check(each.constr), isinstance(each, OptAttributeDef))
            for name, each in definition.attributes.items()
        ),
        traits,
        tuple(each for each in traits if type(each).verify is not OpTrait.verify),
    )
    return plan


_verify_op: Final = OpDef.verify


def verify_op(self: OpDef, op: Operation) -> None:
    """
    `OpDef.verify` that finds out once for each definition what there is to verify. Saves 3 %.
    """
    plan = _plan_of(self)
    context = VerificationContext()
    try:
        is_right = (
            _are_right(op._operands, plan.operands, context, op, self, _OPERAND)
            and _are_right(op.results, plan.results, context, op, self, _RESULT)
            and len(op._successors) == len(self.successors)
        )
        if is_right and (op.regions or self.regions):
            irdl_op_verify_regions(op, self, context)
        for named, checks in (
            (op.properties, plan.properties),
            (op.attributes, plan.attributes),
        ):
            for name, (base, verify), is_optional in checks:
                attribute = named.get(name)
                if attribute is None:
                    is_right &= is_optional
                elif base is None or not isinstance(attribute, base):
                    verify(attribute, context)
    except VerifyException:
        is_right = False
    if not is_right or not op.properties.keys() <= self.properties.keys():
        _verify_op(self, op)
        return
    for trait in plan.verifying:
        trait.verify(op)


def _are_right(
    values: SSAValues[Any],
    checks: tuple[_Check, ...] | None,
    context: VerificationContext,
    op: Operation,
    definition: OpDef,
    construct: Any,
) -> bool:
    if checks is None:
        irdl_op_verify_arg_list(op, definition, construct, context)
        return True
    if len(values) != len(checks):
        return False
    for value, (base, verify) in zip(values, checks, strict=True):
        if base is None or not isinstance(value._type, base):
            verify(value._type, context)
    return True


class LazyFormatProgram(FormatProgram):
    """
    What `FormatProgram.from_str` makes: a format that is parsed when it is first used. A process
    that reads bytecode and writes PTX uses none. Saves 0.2 s of its start.
    """

    def __init__(self, input: str, op_def: OpDef):  # noqa: A002
        # The base class is frozen, and has its statements from the start.
        self.__dict__["source"] = (input, op_def)

    @cached_property
    def stmts(self) -> tuple[FormatDirective, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        from xdsl.irdl.declarative_assembly_format_parser import FormatParser

        text, op_def = self.__dict__["source"]
        return FormatParser(text, op_def).parse_format().stmts


@dataclass(frozen=True)
class Patch:
    """An attribute of a class of xDSL, and what takes its place."""

    owner: type
    name: str
    value: Any

    @property
    def is_applied(self) -> bool:
        """Whether it is in force in this process."""
        return self.owner.__dict__.get(self.name) is self.value

    def __str__(self) -> str:
        return f"{self.owner.__module__}.{self.owner.__qualname__}.{self.name}"


PATCHES: Final = (
    Patch(Operation, "__init__", init_operation),
    Patch(IRDLOperation, "__init__", init_irdl_operation),
    Patch(IRDLOperation, "__post_init__", finish_irdl_operation),
    Patch(SSAValue, "get", staticmethod(get_value)),
    Patch(Operation, "walk", walk),
    Patch(OpDef, "verify", verify_op),
    Patch(BeforeVariadicSingleAccessor, "__get__", get_single),
    Patch(FormatProgram, "from_str", staticmethod(LazyFormatProgram)),
)

_ORIGINAL: Final = {patch: patch.owner.__dict__.get(patch.name) for patch in PATCHES}
"""What xDSL has in the place of each; none if the attribute is one of a base class."""


def apply_patches() -> None:
    """Replaces the functions, in the whole process."""
    for patch in PATCHES:
        type.__setattr__(patch.owner, patch.name, patch.value)


def patched_attributes() -> list[str]:
    """The full names of all attributes, of xDSL or of the standard library, that are replaced."""
    return [str(patch) for patch in PATCHES]


@contextmanager
def plain_xdsl() -> Generator[None]:
    """Runs xDSL's own functions, for tests that compare."""
    for patch, original in _ORIGINAL.items():
        if original is None:
            type.__delattr__(patch.owner, patch.name)
        else:
            type.__setattr__(patch.owner, patch.name, original)
    try:
        yield
    finally:
        apply_patches()
