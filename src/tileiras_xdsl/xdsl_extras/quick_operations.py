"""
Ops that take less time than xDSL's, in any process: what xDSL asks about a class every time anew,
they ask once.

`QuickOperation` is what the ops of our dialects are derived from. `quick_ir` gives the same to all
ops of a process that does nothing but compile.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, cast

from typing_extensions import TypeVar
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
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    OptionalDef,
    VariadicDef,
)

from .quick_verification import verify_operation

OpT = TypeVar("OpT", bound=Operation)

# xDSL's modules for IR say nothing about who may look inside; this file does what they do.
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false


if TYPE_CHECKING:
    _ProtocolMeta = ABCMeta
else:
    _ProtocolMeta = type(Protocol)


class PlainMeta(_ProtocolMeta):
    """
    The metaclass of abstract classes that nobody registers subclasses with: `isinstance` and
    `issubclass` look at the bases. It is one of protocols, too, so that a class can be both.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


get_item: Final[Callable[[tuple[Any, ...], Any], Any]] = tuple[Any, ...].__getitem__


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
    """`Operation.__init__`."""
    values = SSAValues(operands)
    if values:
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
    else:
        self._operands = values
        self._operand_uses = ()
    self.results = SSAValues(
        [OpResult(result_type, self, index) for index, result_type in enumerate(result_types)]
    )
    self.properties = dict(properties) if properties else {}
    self.attributes = dict(attributes) if attributes else {}
    self.location = _unknown_location() if location is None else location
    if successors:
        self.successors = list(successors)
    else:
        self._successors = self._successor_uses = ()
    self.regions = ()
    for region in regions:
        self.add_region(region)
    self.__post_init__()


@cache
def _unknown_location() -> Any:
    from xdsl.dialects.builtin import UNKNOWN_LOC

    return UNKNOWN_LOC


@cache
def _defaults(
    op: type[IRDLOperation],
) -> tuple[Sequence[tuple[str, Attribute]], Sequence[tuple[str, Attribute]]]:
    """The properties and the attributes of an op that it has if they are not given."""
    definition = op.get_irdl_definition()
    properties, attributes = (
        tuple(
            (name, each.default_value)
            for name, each in definitions.items()
            if each.default_value is not None and not isinstance(each, OptionalDef)
        )
        for definitions in (definition.properties, definition.attributes)
    )
    return properties, attributes


def finish_operation(self: IRDLOperation) -> None:
    """`IRDLOperation.__post_init__`."""
    properties, attributes = _defaults(type(self))
    for name, value in properties:
        self.properties.setdefault(name, value)
    for name, value in attributes:
        self.attributes.setdefault(name, value)
    Operation.__post_init__(self)


_SINGLE, _OPTIONAL, _LIST = range(3)
"""How many values there are for what an op defines: one, at most one, or any number."""

_Counts = tuple[int, ...]
_Plan = tuple[_Counts, _Counts, _Counts, _Counts, tuple[tuple[str, bool, bool], ...]]
"""
Of an op: how many values there are for each operand, result, successor and region, and of each
segment attribute its name, whether it is a property, and whether it is about operands.
"""


@cache
def _plan(op: type[IRDLOperation]) -> _Plan | None:
    """None if an op has options other than segments of operands and results."""
    definition = op.get_irdl_definition()
    segments: list[tuple[str, bool, bool]] = []
    for option in definition.options:
        if isinstance(option, AttrSizedOperandSegments | AttrSizedResultSegments):
            is_of_operands = isinstance(option, AttrSizedOperandSegments)
            segments.append((option.attribute_name, option.as_property, is_of_operands))
        else:
            return None
    operands, results, successors, regions = (
        tuple(
            _OPTIONAL
            if isinstance(each, OptionalDef)
            else (_LIST if isinstance(each, VariadicDef) else _SINGLE)
            for _, each in definitions
        )
        for definitions in (
            *(definition.operands, definition.results),
            *(definition.successors, definition.regions),
        )
    )
    return operands, results, successors, regions, tuple(segments)


_SEQUENCES: Final = (list, tuple, OpOperands)
_NO_VALUES: Final[tuple[list[Any], list[int]]] = ([], [])
"""What nobody changes."""


def _flatten(
    arguments: Sequence[Any], counts: tuple[int, ...], kind: type
) -> tuple[list[Any], list[int]] | None:
    """
    The values that arguments consist of, and how many each is; none if there is something unusual
    about them. A value is of a kind, or an op that has one result.
    """
    if not counts and not arguments:
        return _NO_VALUES
    if len(arguments) != len(counts):
        return None
    flat: list[Any] = []
    sizes: list[int] = []
    for argument, count in zip(arguments, counts, strict=True):
        if isinstance(argument, kind):
            # One value is a list of one, too.
            flat.append(argument)
            sizes.append(1)
        elif count == _SINGLE:
            if (value := _only_result(argument, kind)) is None:
                return None
            flat.append(value)
            sizes.append(1)
        elif argument is None and count == _OPTIONAL:
            sizes.append(0)
        elif isinstance(argument, _SEQUENCES):
            values = cast("Sequence[Any]", argument)
            if count != _LIST and len(values) > 1:
                return None
            for each in values:
                value = each if isinstance(each, kind) else _only_result(each, kind)
                if value is None:
                    return None
                flat.append(value)
            sizes.append(len(values))
        else:
            return None
    return flat, sizes


def _only_result(argument: object, kind: type) -> SSAValue | None:
    if kind is SSAValue and isinstance(argument, Operation) and len(argument.results) == 1:
        return argument.results[0]
    return None


@lru_cache(maxsize=1024)
def _segments(*sizes: int) -> Attribute:
    from xdsl.dialects.builtin import DenseArrayBase, i32

    return DenseArrayBase.from_list(i32, sizes)


_init_by_definition: Final = IRDLOperation.__init__


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
    """`IRDLOperation.__init__`."""
    plan = _plan(type(self))
    if plan is not None:
        operand_counts, result_counts, successor_counts, region_counts, segments = plan
        values = _flatten(operands or (), operand_counts, SSAValue)
        types = _flatten(result_types or (), result_counts, Attribute)
        blocks = _flatten(successors or (), successor_counts, Block)
        bodies = _flatten(regions or (), region_counts, Region)
        if values and types and blocks and bodies:
            own_properties = _without_none(properties)
            own_attributes = _without_none(attributes)
            for name, is_property, is_of_operands in segments:
                sizes = values[1] if is_of_operands else types[1]
                (own_properties if is_property else own_attributes)[name] = _segments(*sizes)
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
    _init_by_definition(
        self,
        operands=operands,
        result_types=result_types,
        properties=properties,
        attributes=attributes,
        successors=successors,
        regions=regions,
    )


def _without_none(attributes: Mapping[str, Attribute | None] | None) -> dict[str, Attribute]:
    if not attributes:
        return {}
    return {name: value for name, value in attributes.items() if value is not None}


_FOUND_TRAITS: Final[
    dict[tuple[type[Operation], type], tuple[frozenset[OpTrait], list[OpTrait]]]
] = {}
"""
By class of ops and of traits: the traits of the former then, which are another set if some are
added, and those among them that are of the latter.
"""
_find_trait: Final[Callable[..., Any]] = Operation.get_trait.__func__  # pyright: ignore[reportFunctionMemberAccess]


def traits_of(cls: type[Operation], trait: type) -> list[OpTrait]:
    known = _FOUND_TRAITS.get((cls, trait))
    if known is not None and known[0] is cls.traits._traits:
        return known[1]
    found = [each for each in cls.traits if isinstance(each, trait)]
    _FOUND_TRAITS[cls, trait] = (cls.traits.traits, found)
    return found


def get_trait(cls: type[Operation], trait: Any) -> Any:
    """`Operation.get_trait`."""
    if not isinstance(trait, type):
        return _find_trait(cls, trait)
    found = traits_of(cls, trait)
    return found[0] if found else None


def has_trait(cls: type[Operation], trait: Any, *, value_if_unregistered: bool = True) -> bool:
    """`Operation.has_trait`."""
    if not isinstance(trait, type):
        return _find_trait(cls, trait) is not None
    return bool(traits_of(cls, trait))


def get_traits_of_type(cls: type[Operation], trait_type: type) -> list[OpTrait]:
    """`Operation.get_traits_of_type`."""
    return list(traits_of(cls, trait_type))


def create(
    op_class: type[OpT],
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    attributes: Mapping[str, Attribute] | None = None,
    location: Any = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> OpT:
    """`Operation.create`, also for ops of xDSL."""
    op = op_class.__new__(op_class)
    init_operation(
        op,
        operands=operands,
        result_types=result_types,
        properties=properties,
        attributes=attributes,
        location=location,
        successors=successors,
        regions=regions,
    )
    return op


def erase_replaced(op: Operation) -> None:
    """Erases an op that has a block; results that nothing uses need no value in their place."""
    op.detach()
    op.drop_all_references()
    for result in op.results:
        if result.first_use is not None:
            result.erase(safe_erase=False)


class QuickOperation(IRDLOperation, metaclass=PlainMeta):
    """
    An op whose class is looked for among bases only, whose operands, results and defaults are made
    at once, and which remembers what traits it has.
    """

    operands = Operation.operands.getter(OpOperands)  # pyright: ignore
    get_trait = classmethod(get_trait)  # pyright: ignore
    has_trait = classmethod(has_trait)  # pyright: ignore
    get_traits_of_type = classmethod(get_traits_of_type)  # pyright: ignore
    create = classmethod(create)  # pyright: ignore
    verify = verify_operation
    __post_init__ = finish_operation

    @classmethod
    def build(cls, **arguments: Any) -> Self:
        op = cls.__new__(cls)
        init_irdl_operation(op, **arguments)
        return op
