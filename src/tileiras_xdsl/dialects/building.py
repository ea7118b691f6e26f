"""What constructors of ops take, and make of it."""

from __future__ import annotations

from abc import ABC, ABCMeta
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from keyword import iskeyword
from operator import itemgetter
from types import MappingProxyType, ModuleType, new_class
from typing import Any, ClassVar, Final, Self, TypeAlias, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    ArrayAttr,
    ArrayOfConstraint,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.ir import (
    Attribute,
    AttributeCovT,
    Block,
    Data,
    Operation,
    ParametrizedAttribute,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)
from xdsl.irdl import (
    AllOf,
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    IntConstraint,
    IRDLOperation,
    OperandDef,
    OperandOrResultDef,
    OptionalDef,
    OptPropertyDef,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    RangeVarConstraint,
    ResultDef,
    VarConstraint,
    VariadicDef,
    VerificationContext,
    irdl_attr_definition,
    irdl_op_definition,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.xdsl_extras.discardable_attributes import verify_attributes_of

# Constraints on attributes and types, for diagnostics that say what was expected.


class Kind(AttrConstraint[AttributeCovT], ABC):
    """A constraint without type variables."""

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> Self:
        return self

    def make(self, value: Any) -> Attribute:
        """The attribute that a plain value stands for."""
        raise TypeError(f"needs an attribute, but got {value!r}")


@dataclass(frozen=True)
class Word(Kind[StringAttr]):
    """A string attribute that is one of some words."""

    what: str
    words: tuple[str, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, StringAttr) or attr.data not in self.words:
            raise VerifyException(
                f"unsupported {self.what}: {attr} (expected one of {', '.join(self.words)})"
            )

    def make(self, value: Any) -> Attribute:
        return StringAttr(value)


# Ops whose errors name what is wrong.

OpT = TypeVar("OpT", bound=IRDLOperation)


def diagnosed_op(op_class: type[OpT]) -> type[OpT]:
    """
    `irdl_op_definition` with better reports of what xDSL finds: wrong types while it parses a
    format are parse errors that name the op, and an attribute that is wrong or missing is named,
    too. Discardable attributes that dialects declare are verified.
    """
    op_class = irdl_op_definition(op_class)
    parse = op_class.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]
    verify = op_class.verify_

    @classmethod
    def parse_and_name_op(cls: type[OpT], parser: Parser) -> OpT:
        position = parser.pos
        try:
            return parse(cls, parser)
        except VerifyException as error:
            parser.raise_error(f"'{cls.name}' op {error}", position)

    def verify_and_name_property(self: OpT) -> None:
        try:
            verify(self)
        except VerifyException:
            _verify_properties(self)
            raise
        if self.attributes:
            verify_attributes_of(self)

    op_class.parse = parse_and_name_op  # pyright: ignore[reportAttributeAccessIssue]
    op_class.verify_ = verify_and_name_property  # pyright: ignore[reportAttributeAccessIssue]
    return op_class


def _verify_properties(op: IRDLOperation) -> None:
    """Raises if it is a property that is wrong with an op."""
    for name, definition in op.get_irdl_definition().properties.items():
        attribute = op.properties.get(name)
        if attribute is None:
            if isinstance(definition, OptPropertyDef):
                continue
            raise VerifyException(f"requires attribute '{name}'")
        try:
            definition.constr.verify(attribute, VerificationContext())
        except VerifyException as error:
            text = str(error)
            raise VerifyException(
                text if name in text else f"wrong attribute '{name}': {text}"
            ) from error


# What the modules of a dialect define, so that no list of it has to be kept by hand, and ops and
# attributes that differ little.

EnumT = TypeVar("EnumT", bound=StrEnum, covariant=True)

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
    base: type[OpT],
    class_name: str,
    name: str,
    doc: str | None,
    also: tuple[type, ...] = (),
    **constants: object,
) -> type[OpT]:
    """
    A class of ops that differs from others by its name, and class constants, only; a decorator
    makes it an op. It may have further bases.
    """
    members: dict[str, object] = {
        "name": name,
        **constants,
        "__annotations__": dict.fromkeys(constants, ClassVar),
        "__doc__": doc,
        "__module__": base.__module__,
    }
    return cast(type[OpT], type(class_name, (base, *also), members))


def define(
    base: type[OpT], class_name: str, name: str, doc: str | None, **constants: object
) -> type[OpT]:
    """An op that differs from others by its name, and class constants, only."""
    return diagnosed_op(derive(base, class_name, name, doc, (), **constants))


class EnumAttr(Data[EnumT]):
    """A word of an enumeration: `#nvvm.mem_scope<cta>`."""

    enum_type: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


class SpacedEnumAttr(EnumAttr[EnumT], SpacedOpaqueSyntaxAttribute):
    """The same, as MLIR writes attributes without a format: `#nvvm<shfl_kind bfly>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_identifier_or_string_literal(self.data.value)


def derive_enum_attribute(base: Any, name: str, enum_type: type[StrEnum], text: str) -> Any:
    """The attribute of an enumeration, in the module of which it is defined; `text`: an example."""
    members: dict[str, object] = {
        "name": name,
        "enum_type": enum_type,
        "__doc__": f"{enum_type.__doc__} `{text}`",
        "__module__": enum_type.__module__,
    }
    bases = (base[enum_type],)
    made = new_class(
        f"{enum_type.__name__}Attr", bases, exec_body=lambda body: body.update(members)
    )
    return irdl_attr_definition(made)


def enum_attribute(name: str, enum_type: type[EnumT]) -> type[EnumAttr[EnumT]]:
    """The attribute `#dialect.name<word>` of an enumeration, whose name ends in `Attr`."""
    text = f"#{name}<{next(iter(enum_type)).value}>"
    return derive_enum_attribute(EnumAttr, name, enum_type, text)


def spaced_enum_attribute(name: str, enum_type: type[EnumT]) -> type[SpacedEnumAttr[EnumT]]:
    """The attribute `#dialect<name word>` of an enumeration, whose name ends in `Attr`."""
    dialect, _, word = name.partition(".")
    text = f"#{dialect}<{word} {next(iter(enum_type)).value}>"
    return derive_enum_attribute(SpacedEnumAttr, name, enum_type, text)


Value: TypeAlias = SSAValue | Operation
"""A value, or the op that has it as its only result."""

Properties: TypeAlias = Mapping[str, Attribute | None]

Argument: TypeAlias = (
    Value
    | Attribute
    | Sequence[Value]
    | Sequence[Attribute]
    | Region
    | Sequence[Region]
    | Sequence[int | str]
    | str
    | int
    | None
)
"""
An operand, the type of a result, a region, or a property; a property may be the plain value of it.
"""


def value_type(value: Value) -> Attribute:
    """The type of a value."""
    return SSAValue.get(value).type


def init_plain(
    op: Operation,
    operands: Sequence[Value],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute] = MappingProxyType({}),
) -> None:
    """
    `IRDLOperation.__init__` of an op that has one value for each operand and result, in half of
    the time: that one asks of each whether it is a list. For ops of which kernels have many.
    """
    values = [SSAValue.get(each) for each in operands]
    Operation.__init__(op, operands=values, result_types=result_types, properties=properties)


@lru_cache(maxsize=256)
def vector_of(element: Attribute, count: int) -> VectorType:
    """
    The type of some elements in a row. Code of threads has few such types, and many of each; xDSL
    checks one that is made anew.
    """
    return VectorType(element, [count])


@lru_cache(maxsize=1024)
def dense_array(element: IntegerType, values: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    """An array of integers; code of threads has few of them in many places, as of types."""
    return DenseArrayBase.from_list(element, values)


def unit(flag: bool) -> UnitAttr | None:
    """A unit attribute, or none."""
    return UnitAttr() if flag else None


@dataclass(frozen=True)
class TypeOf:
    """
    The type of an operand, or what is made of it, as the type of a result; of operands that are a
    list, their types. For a property, what is made of its attribute.
    """

    source: str
    convert: Callable[[Any], Attribute | Sequence[Attribute] | None] | None = None


class OpMeta(ABCMeta):
    """
    The metaclass of our ops: `isinstance` looks at bases, as for any other class. That of abstract
    classes also asks for subclasses that were registered, which ops have none of, and passes ask
    that of every op several times.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


class BuiltOperation(IRDLOperation, metaclass=OpMeta):
    """
    An op with the constructor that its definition implies. Arguments are, in the order of the
    definition, the operands, then the types of the results, the regions, and the properties; by
    position or by name, where the type of a result `x` is called `x_type`. What is optional may be
    left out; a region that is left out is empty.

    A result whose type the definition fixes, or says to be that of an operand, has no argument.
    A property may be given as what it stands for: a word, a number, a truth value; instead of
    single properties, a dictionary of them can come last.
    """

    DEFAULTS: ClassVar[Mapping[str, Argument | TypeOf]] = {}
    """
    What arguments are that are left out, other than nothing. The type of a result that follows
    from that of an operand is no argument.
    """

    def __init__(
        self,
        *arguments: Argument | Properties,
        operands: Sequence[Value | Sequence[Value] | None] | None = None,
        result_types: Sequence[Attribute | Sequence[Attribute] | None] | None = None,
        properties: Properties | None = None,
        attributes: Properties | None = None,
        successors: Sequence[Block | Sequence[Block]] | None = None,
        regions: Sequence[Region | Sequence[Region]] | None = None,
        **named: Any,
    ):
        if operands is None and result_types is None:
            if arguments and isinstance(arguments[-1], dict):
                arguments, properties = arguments[:-1], cast(Properties, arguments[-1])
            signature = _signature_of(type(self))
            operands, result_types, bodies, single = signature.bind(arguments, named)
            properties = single if properties is None else {**single, **properties}
            regions = bodies if regions is None else regions
            given = (*operands, *result_types, *properties.values())
            if signature.is_plain and not attributes and not regions and None not in given:
                # Nothing is left for IRDL to flatten or count, which most of its time goes to.
                Operation.__init__(
                    self,
                    operands=[SSAValue.get(each) for each in cast(Sequence[Value], operands)],
                    result_types=cast(Sequence[Attribute], result_types),
                    properties=cast(Mapping[str, Attribute], properties),
                )
                return
        elif arguments or named:
            raise TypeError(f"'{self.name}' takes either arguments, or lists of them")
        # Where an op replaces one of xDSL, the next constructor is that one's.
        IRDLOperation.__init__(
            self,
            operands=operands,
            result_types=result_types,
            properties=properties,
            attributes=attributes,
            successors=successors,
            regions=regions,
        )


@dataclass(frozen=True)
class _Signature:
    """The arguments of an op's constructor."""

    op: str
    defaults: Mapping[str, Any]
    """What each argument is if it is left out, in their order."""
    operands: int
    """How many of them are operands, which are the first."""
    results: tuple[Callable[[Sequence[Any]], Any], ...]
    """The types of the results, from the arguments."""
    regions: slice
    """Which of them are regions."""
    properties: tuple[tuple[int, str, Callable[[Any], Attribute | None]], ...]
    """Which argument is which property, and how that is made of a plain value."""
    is_plain: bool
    """Whether there is one value for each operand and result, and no region nor successor."""

    def bind(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any], dict[str, Attribute | None]]:
        """The operands, types of results, regions and properties of arguments."""
        missing = len(self.defaults) - len(arguments)
        if missing or named:
            names = tuple(self.defaults)[len(arguments) :]
            if missing < 0 or not named.keys() <= set(names):
                raise TypeError(
                    f"'{self.op}' takes {', '.join(self.defaults) or 'nothing'}, but got "
                    f"{len(arguments)} by position, and {', '.join(named) or 'none'} by name"
                )
            arguments = [*arguments, *(named.get(name, self.defaults[name]) for name in names)]
        else:
            arguments = list(arguments)
        properties: dict[str, Attribute | None] = {}
        for index, name, make in self.properties:
            value = arguments[index]
            if value is not None and not isinstance(value, Attribute):
                arguments[index] = value = make(value)
            if value is not None:
                properties[name] = value
        results = [type_from(arguments) for type_from in self.results]
        bodies = [Region() if each is None else each for each in arguments[self.regions]]
        return arguments[: self.operands], results, bodies, properties


@cache
def _signature_of(op: type[BuiltOperation]) -> _Signature:
    definition = op.get_irdl_definition()
    defaults: dict[str, Any] = {}
    sources: dict[str, int] = {}
    for name, operand in definition.operands:
        if (variable := _type_variable(operand)) is not None:
            sources.setdefault(variable, len(defaults))
        defaults[name] = _nothing(operand)
    count = len(defaults)
    results: list[Callable[[Sequence[Any]], Any]] = []
    derived: dict[int, TypeOf] = {}
    for index, (name, result) in enumerate(definition.results):
        constraint, type_name = result.constr, f"{name}_type"
        default = op.DEFAULTS.get(type_name)
        if (variable := _type_variable(result)) in sources:
            results.append(_type_of(sources[variable]))
        elif isinstance(constraint, RangeLengthConstraint) and constraint.can_infer(
            set(), length_known=True
        ):
            results.append(_always(constraint.infer(VerificationContext(), length=1)[0]))
        elif isinstance(default, TypeOf):
            derived[index] = default
            results.append(_always(None))
        else:
            results.append(itemgetter(len(defaults)))
            defaults[type_name] = _nothing(result)
    first_region = len(defaults)
    for name, region in definition.regions:
        defaults[name] = () if isinstance(region, VariadicDef) else None
    regions = slice(first_region, len(defaults))
    properties: list[tuple[int, str, Callable[[Any], Attribute | None]]] = []
    for accessor, (name, kind) in definition.accessor_names.items():
        if kind == "property":
            properties.append((len(defaults), name, _maker(definition.properties[name].constr)))
            # An underscore at the end keeps an accessor apart from what an op has already.
            plain = accessor.rstrip("_")
            defaults[accessor if iskeyword(plain) else plain] = None
    for name, default in op.DEFAULTS.items():
        if not isinstance(default, TypeOf):
            defaults[name] = default
    for index, default in derived.items():
        source = list(defaults).index(default.source)
        results[index] = _type_of(source, default.convert, of_value=source < count)
    is_plain = not (definition.regions or definition.successors) and not any(
        isinstance(value, VariadicDef) for _, value in (*definition.operands, *definition.results)
    )
    return _Signature(
        op.name, defaults, count, tuple(results), regions, tuple(properties), is_plain
    )


def _type_variable(definition: OperandDef | ResultDef) -> str | None:
    """The variable that stands for the type of an operand or a result, or for those of a list."""
    match definition.constr:
        case RangeLengthConstraint(RangeOf(VarConstraint(variable, _)), _):
            return variable
        case RangeVarConstraint(variable, _) | RangeLengthConstraint(
            RangeVarConstraint(variable, _), _
        ):
            return variable
        case _:
            return None


def _nothing(definition: OperandOrResultDef) -> Argument:
    """What there is instead of operands or results that are left out."""
    is_list = isinstance(definition, VariadicDef) and not isinstance(definition, OptionalDef)
    return () if is_list else None


def _always(ty: Attribute | None) -> Callable[[Sequence[Any]], Attribute | None]:
    return lambda _: ty


def _type_of(
    index: int,
    convert: Callable[[Any], Attribute | Sequence[Attribute] | None] | None = None,
    *,
    of_value: bool = True,
) -> Callable[[Sequence[Any]], Attribute | Sequence[Attribute] | None]:
    if convert is None:
        return lambda arguments: _types(arguments[index])
    if of_value:
        return lambda arguments: convert(_types(arguments[index]))
    return lambda arguments: convert(arguments[index])


def _types(value: Value | Sequence[Value]) -> Attribute | Sequence[Attribute]:
    """The type of an operand, or those of a list of them."""
    if isinstance(value, SSAValue | Operation):
        return value_type(value)
    return [value_type(each) for each in value]


def _maker(constraint: AttrConstraint) -> Callable[[Any], Attribute | None]:
    """How a property is made of the plain value that it stands for."""
    match constraint:
        case BaseAttr(attr) if attr is UnitAttr:
            return unit
        case BaseAttr(attr) if issubclass(attr, Data | StringAttr):
            return cast(Callable[[Any], Attribute], attr)
        case ParamAttrConstraint(base, (EqAttrConstraint(IntegerType() as ty), _)) if (
            base is DenseArrayBase
        ):
            return lambda values: DenseArrayBase.from_list(ty, values)
        case ParamAttrConstraint(
            base,
            (
                _,
                EqAttrConstraint(IntegerType() as ty)
                | AllOf((_, EqAttrConstraint(IntegerType() as ty))),
            ),
        ) if base is IntegerAttr:
            return lambda value: IntegerAttr(value, ty)
        case ArrayOfConstraint(RangeOf(element)):
            make = cast(Callable[[Any], Attribute], _maker(element))
            return lambda values: ArrayAttr(map(make, values))
        case Kind():
            return constraint.make
        case _:
            return _refuse


def _refuse(value: object) -> Attribute:
    raise TypeError(f"needs an attribute, but got {value!r}")
