"""What a module exercises, and what all modules together should."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, OptOperandDef, OptPropertyDef

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import (
    AtomicMode,
    ComparisonOrdering,
    ComparisonPredicate,
    CudaTile,
    MemoryOrdering,
    MemoryScope,
    Overflow,
    PaddingValue,
    Rounding,
    Signedness,
    SymbolVisibility,
)
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr, NamedInt
from tileiras_xdsl.dialects.cuda_tile.memory import named_value
from tileiras_xdsl.dialects.cuda_tile.types import element_name

from .types import BITS, FLOATS, MANTISSA_BITS, NUMBERS, i4

Feature: TypeAlias = tuple[str, ...]

NAMED: Mapping[str, type[NamedInt]] = {
    "memory_ordering_semantics": MemoryOrdering,
    "memory_scope": MemoryScope,
    "mode": AtomicMode,
}
"""The properties that are plain integers with names."""


# What is there


def features(module: Operation) -> Iterator[Feature]:
    """What `module` exercises."""
    for op in module.walk():
        yield "op", op.name
        yield from _property_features(op)
        yield from _operand_features(op)
        yield from _location_features(op.location)
        for attribute in op.attributes.values():
            yield from (("attribute", name) for name in _attribute_names(attribute))
        for result in op.results:
            yield from _type_features(result.type)
        parent = op.parent_op()
        if isinstance(op, ct.YieldOp | ct.BreakOp | ct.ContinueOp | ct.ReturnOp):
            assert parent is not None
            yield "end", parent.name, op.name, "with" if op.operands else "without"
        if isinstance(op, ct.ConstantOp | ct.GlobalOp):
            yield from _element_features(op.elements)


def _property_features(op: Operation) -> Iterator[Feature]:
    for name, attribute in op.properties.items():
        match attribute:
            case CodedEnumAttr():
                yield "property", op.name, name, str(attribute.data.value)
            case UnitAttr():
                yield "property", op.name, name, "set"
            case _ if name in NAMED:
                value = named_value(attribute, NAMED[name])
                assert value is not None
                yield "property", op.name, name, value.keyword
            case _:
                yield "property", op.name, name, "set"
    if isinstance(op, IRDLOperation):
        for name in type(op).get_irdl_definition().properties:
            if name not in op.properties:
                yield "property", op.name, name, "unset"
    if isinstance(op, ct.AssumeOp):
        yield "predicate", op.properties["predicate"].name


def _operand_features(op: Operation) -> Iterator[Feature]:
    if isinstance(op, IRDLOperation):
        for name, definition in type(op).get_irdl_definition().operands:
            if isinstance(definition, OptOperandDef):
                yield "operand", op.name, name, str(getattr(op, name) is not None)


def _location_features(location: Attribute) -> Iterator[Feature]:
    yield "location", location.name
    match location:
        case ArrayAttr():
            members: Iterable[Attribute] = location
            for member in members:
                yield from _location_features(member)
        case ParametrizedAttribute():
            for parameter in location.parameters:
                yield from _location_features(parameter)
        case _:
            pass


def _attribute_names(attribute: Attribute) -> Iterator[str]:
    yield attribute.name
    match attribute:
        case ArrayAttr():
            members: Iterable[Attribute] = attribute
            for member in members:
                yield from (f"array of {name}" for name in _attribute_names(member))
        case DictionaryAttr():
            for value in attribute.data.values():
                yield from (f"dictionary of {name}" for name in _attribute_names(value))
        case _:
            pass


def _type_features(ty: Attribute) -> Iterator[Feature]:
    yield "type", ty.name
    match ty:
        case ct.TileType():
            element = ty.element_type
            yield "tile", "ptr" if isinstance(element, ct.PtrType) else element_name(element)
            yield "rank", str(ty.rank)
        case ct.TensorViewType():
            for what, dims in (("shape", ty.shape.data), ("strides", ty.strides.data)):
                yield from ((what, "dynamic" if dim is None else "static") for dim in dims)
        case ct.TileViewType():
            yield "padding", ty.name, ty.padding.value if ty.padding else "none"
            yield "dim_map", ty.name, str(ty.get_dim_map() == tuple(range(ty.rank)))
        case _:
            pass


def _element_features(elements: ct.DenseElementsAttr) -> Iterator[Feature]:
    element = elements.element_type
    name = element_name(element)
    count = elements.type.element_count()
    yield "literal", name, "splat" if elements.is_splat else "list" if count <= 100 else "bytes"
    if element not in MANTISSA_BITS:
        return
    mantissa, width = MANTISSA_BITS[element], BITS[element]
    for bits in elements.get_bits():
        fraction = bits & ((1 << mantissa) - 1)
        exponent = (bits & ((1 << (width - 1)) - 1)) >> mantissa
        if exponent == (1 << (width - 1 - mantissa)) - 1:
            yield "value", name, "special with payload" if fraction else "special"
        elif exponent == 0:
            yield "value", name, "denormal" if fraction else "zero"


# What should be


def _properties(
    ops: Iterable[type[IRDLOperation]], name: str, values: Iterable[str]
) -> Iterator[Feature]:
    yield from (("property", op.name, name, value) for op, value in product(ops, tuple(values)))


def _keywords(names: type[NamedInt], *left_out: NamedInt) -> list[str]:
    return [value.keyword for value in names if value not in left_out]


_IEEE = (Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF)


def expected_features() -> set[Feature]:
    """What a few hundred modules must exercise."""
    return {
        *_expected_ops(),
        *_expected_enums(),
        *_expected_accesses(),
        *_expected_structure(),
        *_expected_data(),
    }


def _expected_ops() -> Iterator[Feature]:
    for op in CudaTile.operations:
        if op is ct.FPowFOp:
            # Another spelling of `pow`; there are no such ops.
            continue
        yield "op", op.name
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        for name, operand in definition.operands:
            if isinstance(operand, OptOperandDef):
                yield from (("operand", op.name, name, str(given)) for given in (True, False))
        for name, prop in definition.properties.items():
            if isinstance(prop, OptPropertyDef) and prop.default_value is None:
                yield "property", op.name, name, "unset"
                if name not in NAMED:
                    yield "property", op.name, name, "set"


def _expected_enums() -> Iterator[Feature]:
    overflowing = (ct.AddIOp, ct.SubIOp, ct.MulIOp, ct.ShLIOp, ct.TruncIOp)
    yield from _properties(overflowing, "overflow", Overflow)
    yield from _properties((ct.NegIOp,), "overflow", set(Overflow) - {Overflow.NO_UNSIGNED_WRAP})
    signed = (ct.MaxIOp, ct.MinIOp, ct.RemIOp, ct.ShRIOp, ct.DivIOp, ct.CmpIOp)
    yield from _properties((*signed, ct.ExtIOp, ct.FToIOp, ct.IToFOp), "signedness", Signedness)
    for side in ("lhs", "rhs"):
        yield from _properties((ct.MmaIOp,), f"signedness_{side}", Signedness)
    yield from _properties(
        (ct.DivIOp,), "rounding", (Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF)
    )
    rounded = (ct.AddFOp, ct.SubFOp, ct.MulFOp, ct.FmaOp, ct.DivFOp, ct.SqrtOp)
    yield from _properties(rounded, "rounding_mode", _IEEE)
    yield from _properties((ct.DivFOp,), "rounding_mode", (Rounding.APPROX, Rounding.FULL))
    yield from _properties((ct.SqrtOp,), "rounding_mode", (Rounding.APPROX,))
    approximable = (ct.ExpOp, ct.TanHOp)
    yield from _properties(approximable, "rounding_mode", (Rounding.APPROX, Rounding.FULL))
    yield from _properties((ct.FToFOp,), "rounding_mode", (*_IEEE, Rounding.NEAREST_AWAY))
    yield from _properties((ct.FToIOp,), "rounding_mode", (Rounding.NEAREST_INT_TO_ZERO,))
    yield from _properties((ct.IToFOp,), "rounding_mode", (Rounding.NEAREST_EVEN,))
    compared = (ct.CmpIOp, ct.CmpFOp)
    yield from _properties(compared, "comparison_predicate", ComparisonPredicate)
    yield from _properties((ct.CmpFOp,), "comparison_ordering", ComparisonOrdering)
    yield from _properties((ct.GlobalOp,), "symbol_visibility", SymbolVisibility)
    for predicate in (ct.DivByAttr, ct.SameElementsAttr, ct.BoundedAttr):
        yield "predicate", predicate.name


def _expected_accesses() -> Iterator[Feature]:
    loads, stores = (ct.LoadPtrOp, ct.LoadViewOp), (ct.StorePtrOp, ct.StoreViewOp)
    atomics = (ct.AtomicCASOp, ct.AtomicRMWOp)
    ordering = "memory_ordering_semantics"
    yield from _properties(loads, ordering, ("weak", "relaxed", "acquire"))
    yield from _properties(stores, ordering, ("weak", "relaxed", "release"))
    yield from _properties(atomics, ordering, _keywords(MemoryOrdering, MemoryOrdering.WEAK))
    yield from _properties((ct.AtomicRedViewOp,), ordering, ("relaxed",))
    scoped = (*loads, *stores, *atomics)
    yield from _properties(scoped, "memory_scope", _keywords(MemoryScope))
    scopes = _keywords(MemoryScope, MemoryScope.SYS)
    yield from _properties((ct.AtomicRedViewOp,), "memory_scope", scopes)
    modes = _keywords(AtomicMode, AtomicMode.CMPXCHG)
    yield from _properties((ct.AtomicRMWOp,), "mode", modes)
    modes.remove(AtomicMode.XCHG.keyword)
    yield from _properties((ct.AtomicRedViewOp,), "mode", modes)


def _expected_structure() -> Iterator[Feature]:
    ends: dict[type[Operation], tuple[type[Operation], ...]] = {
        ct.IfOp: (ct.YieldOp, ct.BreakOp, ct.ContinueOp),
        ct.ForOp: (ct.ContinueOp,),
        ct.LoopOp: (ct.ContinueOp, ct.BreakOp),
    }
    for parent, terminators in ends.items():
        for terminator, operands in product(terminators, ("with", "without")):
            yield "end", parent.name, terminator.name, operands
    for parent in (ct.EntryOp, ct.IfOp, ct.LoopOp):
        yield "end", parent.name, ct.ReturnOp.name, "without"
    for parent in (ct.ReduceOp, ct.ScanOp):
        yield "end", parent.name, ct.YieldOp.name, "with"
    yield "end", ct.TestingFuncOp.name, ct.ReturnOp.name, "with"
    locations = (UnknownLoc, FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc, ct.DILocAttr)
    scopes = (ct.DIFileAttr, ct.DICompileUnitAttr, ct.DISubprogramAttr, ct.DILexicalBlockAttr)
    yield from (("location", location.name) for location in (*locations, *scopes))


def _expected_data() -> Iterator[Feature]:
    yield from (("tile", name) for name in map(element_name, (*NUMBERS, i4)))
    yield "tile", "ptr"
    yield from (("rank", str(rank)) for rank in (0, 1, 2, 3, 24))
    yield from product(("shape", "strides"), ("dynamic", "static"))
    views = (ct.PartitionViewType, ct.StridedViewType, ct.GatherScatterViewType)
    paddings = ("none", *(padding.value for padding in PaddingValue))
    for view in views:
        yield from (("padding", view.name, padding) for padding in paddings)
    for view in views[:2]:
        yield from (("dim_map", view.name, identity) for identity in ("True", "False"))
    forms = ("splat", "list", "bytes")
    yield from (("literal", element_name(element), form) for element in NUMBERS for form in forms)
    for element in FLOATS:
        if MANTISSA_BITS[element]:
            kinds = ("special with payload", "special", "denormal", "zero")
            yield from (("value", element_name(element), kind) for kind in kinds)
    yield from (("attribute", attribute.name) for attribute in CudaTile.attributes)
    for name in ("string", "unit", "integer", "float", "array", "dictionary", "symbol_ref"):
        yield "attribute", name
        yield "attribute", f"dictionary of {name}"
