"""
What all `cuda_tile` operations share: sets of types with the phrases diagnostics use, and a
base class that reports faults with the public dialect's texts before xDSL's own check runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NoReturn, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, AttributeCovT, AttributeInvT, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    InferenceContext,
    OpDef,
    OperandDef,
    OptionalDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    RangeVarConstraint,
    ResultDef,
    VarConstraint,
    VariadicDef,
    VarIRConstruct,
    VerificationContext,
    irdl_op_definition,
    verify_variadic_size,
)
from xdsl.parser import Parser
from xdsl.traits import EffectInstance, IsTerminator, MemoryEffect, MemoryEffectKind, NoTerminator
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import BuiltOperation, Kind
from tileiras_xdsl.xdsl_extras.bare_types import BareTypeParser

from .types import (
    TOKEN,
    FloatNV8E5M3FNUType,
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
)


@dataclass(frozen=True)
class TypeSet(Kind):
    """
    A set of types with the phrase of `operand #0 must be <phrase>, but got '<type>'`.

    `CudaTileOperation.verify` checks it, so that the message can name the operand, and so
    that a wrong type found while parsing is reported at the op and not in the parser; the
    constraint itself accepts anything.
    """

    phrase: str
    contains: Callable[[Attribute], bool]
    only_type: Attribute | None = None
    """The type of a set that has just one, which a format need not show."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        pass

    def can_infer(self, var_constraint_names: AbstractSet[str]) -> bool:
        return self.only_type is not None

    def infer(self, context: InferenceContext) -> Attribute:
        return super().infer(context) if self.only_type is None else self.only_type


def _int_element(*widths: int) -> Callable[[Attribute], bool]:
    def matches(element: Attribute) -> bool:
        return isinstance(element, IntegerType) and element.width.data in widths

    return matches


def _element_of(*classes: type[Attribute]) -> Callable[[Attribute], bool]:
    return lambda element: isinstance(element, classes)


def _either(*tests: Callable[[Attribute], bool]) -> Callable[[Attribute], bool]:
    return lambda element: any(test(element) for test in tests)


def _tile_of(
    names: str, element: Callable[[Attribute], bool], *, prefix: str = "tile of"
) -> TypeSet:
    def contains(ty: Attribute) -> bool:
        return isinstance(ty, TileType) and element(ty.element_type)

    return TypeSet(f"{prefix} {names} values", contains)


def _scalar_of(names: str, element: Callable[[Attribute], bool]) -> TypeSet:
    def contains(ty: Attribute) -> bool:
        return isinstance(ty, TileType) and not ty.rank and element(ty.element_type)

    return TypeSet(f"0D tile of {names} values", contains)


_INT_NAMES = "i1 or i8 or i16 or i32 or i64"
_BASE_FLOAT_NAMES = "f16 or bf16 or f32 or f64"
_FLOAT_NAMES = (
    f"{_BASE_FLOAT_NAMES} or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU"
)
_is_int = _int_element(1, 8, 16, 32, 64)
_is_int_or_i4 = _int_element(1, 4, 8, 16, 32, 64)
_is_base_float = _element_of(Float16Type, BFloat16Type, Float32Type, Float64Type)
_is_any_float = _element_of(
    Float16Type,
    BFloat16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float4E2M1FNType,
    FloatNV8E5M3FNUType,
)

IntTile = _tile_of(_INT_NAMES, _is_int)
IntOrI4Tile = _tile_of(f"{_INT_NAMES} or i4", _is_int_or_i4)
BaseFloatTile = _tile_of(_BASE_FLOAT_NAMES, _is_base_float)
FloatTile = _tile_of(_FLOAT_NAMES, _is_any_float)
NumberTile = _tile_of(f"{_INT_NAMES} or {_FLOAT_NAMES}", _either(_is_int, _is_any_float))
NumberOrI4Tile = _tile_of(
    f"{_INT_NAMES} or {_FLOAT_NAMES} or i4", _either(_is_int_or_i4, _is_any_float)
)
PtrTile = _tile_of("Pointer type", _element_of(PtrType))
I1Tile = _tile_of("i1", _int_element(1))
I8Tile = _tile_of("i8", _int_element(8))
I64Tile = _tile_of("i64", _int_element(64))
ExponentTile = _tile_of("i1 or i8 or i16 or i32", _int_element(1, 8, 16, 32))
AnyTile = TypeSet("Tile type", lambda ty: isinstance(ty, TileType))

I1Scalar = _scalar_of("i1", _int_element(1))
I32Scalar = _scalar_of("i32", _int_element(32))
IntScalar = _scalar_of(_INT_NAMES, _is_int)
PtrScalar = _scalar_of("Pointer type", _element_of(PtrType))

MmaFOperandTile = _tile_of(
    f"{_BASE_FLOAT_NAMES} or tf32 or f8E4M3FN or f8E5M2",
    _element_of(
        Float16Type,
        BFloat16Type,
        Float32Type,
        Float64Type,
        FloatTF32Type,
        Float8E4M3FNType,
        Float8E5M2Type,
    ),
    prefix="mmaf operand tile type of",
)
MmaFAccTile = _tile_of(
    "f16 or f32 or f64",
    _element_of(Float16Type, Float32Type, Float64Type),
    prefix="mmaf acc/result tile type of",
)
ScaledOperandTile = _tile_of(
    "f8E4M3FN or f8E5M2 or f4E2M1FN",
    _element_of(Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType),
    prefix="mmaf_scaled operand tile type of",
)
ScaledScaleTile = _tile_of(
    "f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU",
    _element_of(Float8E4M3FNType, Float8E8M0FNUType, FloatNV8E5M3FNUType),
    prefix="mmaf_scaled scale tile type of",
)
ScaledResultTile = _tile_of(
    "f32", _element_of(Float32Type), prefix="mmaf_scaled result tile type of"
)
MmaIOperandTile = _tile_of("i8", _int_element(8), prefix="mmai operand tile type of")
MmaIAccTile = _tile_of("i32", _int_element(32), prefix="mmai acc tile type of")
MmaIResultTile = _tile_of("i32", _int_element(32), prefix="mmai result tile type of")

Token = TypeSet("cuda tile token type", lambda ty: isinstance(ty, TokenType), TOKEN)
TensorView = TypeSet("tensor view type", lambda ty: isinstance(ty, TensorViewType))
PartitionView = TypeSet("partition view type", lambda ty: isinstance(ty, PartitionViewType))
StridedView = TypeSet("strided view type", lambda ty: isinstance(ty, StridedViewType))
GatherScatterView = TypeSet(
    "gather/scatter view type", lambda ty: isinstance(ty, GatherScatterViewType)
)
TileView = TypeSet("TileView instance", lambda ty: isinstance(ty, TileViewType))
AnyType = TypeSet("any type", lambda ty: True)


@dataclass(frozen=True)
class AttributeKind(Kind[AttributeCovT]):
    """
    A kind of attribute with the phrase of `attribute 'a' failed to satisfy constraint: …`;
    checked, like `TypeSet`, by `CudaTileOperation.verify`.
    """

    phrase: str
    contains: Callable[[Attribute], bool]
    maker: Callable[[Any], Attribute] | None = None

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        pass

    def make(self, value: Any) -> Attribute:
        return super().make(value) if self.maker is None else self.maker(value)


def _integer_attr(
    phrase: str, width: int, minimum: int | None = None
) -> AttributeKind[IntegerAttr]:
    def matches(attribute: Attribute) -> bool:
        return (
            isinstance(attribute, IntegerAttr)
            and attribute.type == IntegerType(width)
            and (minimum is None or attribute.value.data >= minimum)
        )

    return AttributeKind(phrase, matches, lambda value: IntegerAttr(value, IntegerType(width)))


I32Attr = _integer_attr("32-bit signless integer attribute", 32)
NonNegativeI32Attr = _integer_attr(
    "32-bit signless integer attribute whose value is non-negative", 32, 0
)
I64Attr = _integer_attr("64-bit signless integer attribute", 64)
NonNegativeI64Attr = _integer_attr(
    "64-bit signless integer attribute whose minimum value is 0", 64, 0
)
BoolAttr = _integer_attr("bool attribute", 1)


def attribute_of(phrase: str, *classes: type[AttributeInvT]) -> AttributeKind[AttributeInvT]:
    """The attributes of these classes, described by `phrase`, made of plain values by the first."""
    return AttributeKind(
        phrase, _element_of(*classes), cast(Callable[[Any], Attribute], classes[0])
    )


StrAttr = attribute_of("string attribute", StringAttr)


@dataclass(frozen=True)
class OrderedEffects(MemoryEffect):
    """
    Effects ordered by tokens, or not known at all: the op is never removed, moved or merged
    because its results are unused, as that could change the order that tokens make visible.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {
            EffectInstance(MemoryEffectKind.READ),
            EffectInstance(MemoryEffectKind.WRITE),
        }


@dataclass(frozen=True)
class TypeGroup:
    """Values that must agree in a property of their types, listed as diagnostics list them."""

    names: tuple[str, ...]
    relation: str
    """The end of `failed to verify that all of {a, b} …`."""
    key: Callable[[Attribute], object]


def _shape(ty: Attribute) -> object:
    return ty.shape if isinstance(ty, TileType) else None


def _rank(ty: Attribute) -> object:
    return ty.rank if isinstance(ty, TileType) else None


def _element(ty: Attribute) -> object:
    return ty.element_type if isinstance(ty, TileType) else None


def same_type(*names: str) -> TypeGroup:
    """All of the named values have one type."""
    return TypeGroup(names, "have same type", lambda ty: ty)


def same_shape(*names: str) -> TypeGroup:
    """All of the named values have one shape."""
    return TypeGroup(names, "have same shape", _shape)


def same_rank(*names: str) -> TypeGroup:
    """All of the named values have one rank."""
    return TypeGroup(names, "have same rank", _rank)


def same_element(*names: str) -> TypeGroup:
    """All of the named values have one element type."""
    return TypeGroup(names, "have the same element type", _element)


class CudaTileOperation(BuiltOperation):
    """
    Base of the dialect's operations.

    Verification goes as in MLIR: counts, `verify_structure`, attributes, types of operands and
    results, `TYPE_GROUPS`, presence of regions, `verify_op`, then the nested ops and the traits,
    then `verify_regions_`.
    """

    TYPE_GROUPS: ClassVar[tuple[TypeGroup, ...]] = ()
    """
    Values that must agree, beside those of one type variable: these have the same type. Here
    they are listed only if diagnostics list them in another order.
    """
    GROUP_NAMES: ClassVar[Mapping[str, str]] = {}
    """Public names of values that are called otherwise in Python."""
    REGION_NAMES: ClassVar[tuple[str | None, ...]] = ()
    """Public names of the regions; `None` for one that may be empty."""
    SINCE: ClassVar[str] = "13.1"
    """First bytecode version that has the op."""
    RESULT_HINTS: ClassVar[tuple[str, ...]] = ()
    """Names of the results in the public text, where they are fixed."""
    DEFAULT_HINT: ClassVar[str | None] = None
    """Name of the first result in the default text, if the input gave none."""
    PUBLIC_NAME: ClassVar[str | None] = None
    """Mnemonic in the public text, where it differs."""
    RESERVED: ClassVar[tuple[str, ...]] = ()
    """Names that the structured syntax shows and the trailing dictionary may not hold."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.DEFAULT_HINT is not None and self.results:
            self.results[0].name_hint = self.DEFAULT_HINT

    def fail(self, message: str) -> NoReturn:
        """Raises the op's verification error with the usual prefix."""
        raise VerifyException(f"'{self.name}' op {message}")

    def verify_structure(self) -> None:
        """Checks that regions have at most one block, and that this is not empty."""
        for index, region in enumerate(self.regions):
            block = region.first_block
            if block is None:
                continue
            if block.next_block is not None:
                self.fail(f"expects region #{index} to have 0 or 1 blocks")
            if block.first_op is None and not self.has_trait(NoTerminator):
                self.fail("expects a non-empty block")

    def _verify_presence(self) -> None:
        for index, (name, region) in enumerate(zip(self.REGION_NAMES, self.regions, strict=True)):
            if name is not None and region.first_block is None:
                self.fail(
                    f"region #{index} ('{name}') failed to verify constraint: region with 1 blocks"
                )

    def verify_op(self) -> None:
        """Relations that types, attributes and `TYPE_GROUPS` cannot say."""

    def verify_regions_(self) -> None:
        """Checks of the op's regions, run after the nested ops are known to be valid."""

    def public_names(self) -> Sequence[str | None]:
        """Name hints of the results in the public text; missing ones are numbered."""
        return self.RESULT_HINTS

    def public_gap(self) -> str | None:
        """What the public text has no words for, if this op has any such thing."""
        return None

    def verify(self, verify_nested_ops: bool = True) -> None:
        try:
            self._verify_invariants()
        except VerifyException as error:
            self.emit_error(f"Operation does not verify: {error}", error)
        super().verify(verify_nested_ops)
        try:
            self.verify_regions_()
        except VerifyException as error:
            self.emit_error(f"Operation does not verify: {error}", error)

    def _verify_invariants(self) -> None:
        plan = _check_plan(type(self))
        plan.verify_counts(self)
        if self.regions:
            self.verify_structure()
        plan.verify_attributes(self)
        types = plan.types_of(self)
        plan.verify_types(self, types)
        plan.verify_groups(self, types)
        if self.regions:
            self._verify_presence()
        self.verify_op()
        if self.next_op is None and not self.has_trait(IsTerminator):
            parent = self.parent_op()
            if parent is not None and not parent.has_trait(NoTerminator):
                raise VerifyException(f"block with no terminator, has '{self.name}' op")


def _named_types(op: Operation, name: str) -> tuple[Attribute, ...]:
    value = cast("SSAValue | Sequence[SSAValue] | None", getattr(op, name))
    if value is None:
        return ()
    if isinstance(value, SSAValue):
        return (value.type,)
    return tuple(item.type for item in value)


SEGMENT_SIZES = ("operandSegmentSizes", "resultSegmentSizes")


@dataclass(frozen=True)
class _Role:
    """One operand or result of an op class, or one group of them."""

    name: str
    kind: str
    types: TypeSet | None
    is_variadic: bool


@dataclass(frozen=True)
class _CheckPlan:
    """
    What `_verify_invariants` looks at, computed once for each op class. The types of an op
    are a list with an entry for each role: a type, or the types of a variadic one.
    """

    definition: OpDef
    operands: tuple[_Role, ...]
    results: tuple[_Role, ...]
    operand_range: tuple[int, int | None]
    """Least and largest number of operands."""
    result_range: tuple[int, int | None]
    is_fixed: bool
    """No operand or result is optional or variadic."""
    attributes: tuple[tuple[str, AttrConstraint, bool], ...]
    groups: tuple[tuple[TypeGroup, tuple[int, ...]], ...]

    def verify_counts(self, op: CudaTileOperation) -> None:
        regions = len(self.definition.regions)
        self._verify_count(op, "region", (regions, regions), len(op.regions))
        self._verify_count(op, "result", self.result_range, len(op.results))
        self._verify_count(op, "operand", self.operand_range, len(op.operands))
        if not self.is_fixed:
            verify_variadic_size(op, self.definition, VarIRConstruct.OPERAND)
            verify_variadic_size(op, self.definition, VarIRConstruct.RESULT)

    @staticmethod
    def _verify_count(
        op: CudaTileOperation, kind: str, allowed: tuple[int, int | None], found: int
    ) -> None:
        least, most = allowed
        if least <= found and (most is None or found <= most):
            return
        if most is None:
            op.fail(f"expected {least} or more {kind}s, but found {found}")
        if least < most:
            op.fail(f"{kind} group starting at #{least} requires 0 or 1 element, but found {found}")
        if least == 0:
            op.fail(f"requires zero {kind}s")
        if least == 1:
            op.fail(f"requires {'a single' if kind == 'operand' else 'one'} {kind}")
        op.fail(f"expected {least} {kind}s" + (f", but found {found}" * (kind == "operand")))

    def types_of(self, op: CudaTileOperation) -> list[tuple[Attribute, ...]]:
        if self.is_fixed:
            return [(value.type,) for value in (*op.operands, *op.results)]
        return [_named_types(op, role.name) for role in (*self.operands, *self.results)]

    def verify_types(self, op: CudaTileOperation, types: list[tuple[Attribute, ...]]) -> None:
        roles = (*self.operands, *self.results)
        for position, (role, found) in enumerate(zip(roles, types, strict=True)):
            if role.types is None:
                continue
            for offset, ty in enumerate(found):
                if not role.types.contains(ty):
                    start = 0 if role.kind == "operand" else len(self.operands)
                    index = sum(map(len, types[start:position])) + offset
                    self._fail_type(op, role, index, ty)

    @staticmethod
    def _fail_type(op: CudaTileOperation, role: _Role, index: int, ty: Attribute) -> NoReturn:
        assert role.types is not None
        phrase = f"variadic of {role.types.phrase}" if role.is_variadic else role.types.phrase
        op.fail(f"{role.kind} #{index} must be {phrase}, but got '{ty}'")

    def verify_groups(self, op: CudaTileOperation, types: list[tuple[Attribute, ...]]) -> None:
        for group, positions in self.groups:
            first, *rest = (tuple(map(group.key, types[position])) for position in positions)
            for other in rest:
                if other != first:
                    names = ", ".join(op.GROUP_NAMES.get(name, name) for name in group.names)
                    op.fail(f"failed to verify that all of {{{names}}} {group.relation}")

    def verify_attributes(self, op: CudaTileOperation) -> None:
        for name, constraint, optional in self.attributes:
            attribute = op.properties.get(name)
            if attribute is None:
                if not optional:
                    op.fail(f"requires attribute '{name}'")
                continue
            if isinstance(constraint, AttributeKind):
                if constraint.contains(attribute):
                    continue
                op.fail(f"attribute '{name}' failed to satisfy constraint: {constraint.phrase}")
            try:
                constraint.verify(attribute, VerificationContext())
            except VerifyException as error:
                op.fail(f"attribute '{name}' failed to satisfy constraint: {error}")
        for name in op.properties:
            if name not in self.definition.properties and name not in SEGMENT_SIZES:
                op.fail(f"has no property '{name}'")
        for name in op.attributes:
            if name in self.definition.properties:
                op.fail(f"attribute '{name}' is already given as a property")
            if name in op.RESERVED:
                op.fail(f"attribute '{name}' is already given by the structured syntax")


def _type_set(constraint: RangeConstraint | AttrConstraint) -> TypeSet | None:
    """The type set inside xDSL's length, range and variable constraints."""
    match constraint:
        case TypeSet():
            return constraint
        case VarConstraint() | RangeLengthConstraint() | RangeVarConstraint():
            return _type_set(constraint.constraint)
        case RangeOf():
            return _type_set(constraint.constr)
        case _:
            return None


def _count_range(values: Sequence[OperandDef | ResultDef]) -> tuple[int, int | None]:
    """The least number of values these definitions stand for, and the largest if there is one."""
    variable = [value for value in values if isinstance(value, VariadicDef)]
    least = len(values) - len(variable)
    if all(isinstance(value, OptionalDef) for value in variable):
        return least, len(values)
    return least, None


def _variable(constraint: RangeConstraint | AttrConstraint) -> str | None:
    """The type variable that stands for a value's type."""
    if isinstance(constraint, RangeOf):
        return _variable(constraint.constr)
    if isinstance(constraint, RangeLengthConstraint):
        return _variable(constraint.constraint)
    return constraint.name if isinstance(constraint, VarConstraint) else None


def _type_groups(op_class: type[CudaTileOperation], definition: OpDef) -> Iterator[TypeGroup]:
    """The values of one type variable, then what the op class says."""
    values: dict[str, list[str]] = {}
    for name, value in (*definition.operands, *definition.results):
        if (variable := _variable(value.constr)) is not None:
            values.setdefault(variable, []).append(name)
    listed = [set(group.names) for group in op_class.TYPE_GROUPS]
    for names in values.values():
        if len(names) > 1 and set(names) not in listed:
            yield same_type(*names)
    yield from op_class.TYPE_GROUPS


@cache
def _check_plan(op_class: type[CudaTileOperation]) -> _CheckPlan:
    definition = op_class.get_irdl_definition()

    def role(name: str, kind: str, value_def: OperandDef | ResultDef) -> _Role:
        types = _type_set(value_def.constr)
        is_variadic = isinstance(value_def, VariadicDef) and not isinstance(value_def, OptionalDef)
        return _Role(name, kind, types, is_variadic)

    operands = tuple(role(name, "operand", value) for name, value in definition.operands)
    results = tuple(role(name, "result", value) for name, value in definition.results)
    position = {role.name: index for index, role in enumerate((*operands, *results))}
    return _CheckPlan(
        definition,
        operands,
        results,
        _count_range([value for _, value in definition.operands]),
        _count_range([value for _, value in definition.results]),
        is_fixed=not any(
            isinstance(value, VariadicDef)
            for _, value in (*definition.operands, *definition.results)
        ),
        attributes=tuple(
            (name, prop.constr, isinstance(prop, OptionalDef))
            for name, prop in definition.properties.items()
        ),
        groups=tuple(
            (group, tuple(position[name] for name in group.names))
            for group in _type_groups(op_class, definition)
        ),
    )


OpT = TypeVar("OpT", bound=CudaTileOperation)


def tile_op(op_class: type[OpT]) -> type[OpT]:
    """
    `irdl_op_definition` for ops of this dialect: their formats parse with bare types, also
    in plain `xdsl-opt`, and of xDSL's own check only the traits are left to run, since the
    rest would repeat what `CudaTileOperation.verify` has found in order.
    """
    op_class = irdl_op_definition(op_class)
    definition = op_class.get_irdl_definition()
    parse = op_class.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]

    @classmethod
    def parse_with_bare_types(cls: type[OpT], parser: Parser) -> OpT:
        return parse(cls, BareTypeParser.view(parser))

    def verify_traits(self: CudaTileOperation) -> None:
        for trait in definition.traits:
            trait.verify(self)

    op_class.parse = parse_with_bare_types  # pyright: ignore[reportAttributeAccessIssue]
    op_class.verify_ = verify_traits
    return op_class
