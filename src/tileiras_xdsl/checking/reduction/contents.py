"""Edits that make what is left simpler: types, constants, attributes and locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnknownLoc,
    VectorType,
    bf16,
    f8E4M3FN,
    f8E5M2,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef
from xdsl.rewriter import Rewriter

from tileiras_xdsl.checking.reduction.structure import Edit, Strategy
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.xdsl_extras.walking import walk

Change: TypeAlias = Callable[[Attribute], Attribute]

PLAINER: tuple[tuple[Attribute, Attribute], ...] = (
    (i64, i32),
    (i16, i32),
    (i8, i32),
    (f64, f32),
    (f16, f32),
    (bf16, f32),
    (f8E4M3FN, f16),
    (f8E5M2, f16),
)
"""Element types, and what they may become; a chain of them ends in `i32` or `f32`."""


def rank_of_type(ty: Attribute) -> int:
    """How far an element type is from a plain one."""
    return next((len(PLAINER) - n for n, (old, _) in enumerate(PLAINER) if old == ty), 0)


def values_of(module: ModuleOp) -> Iterator[SSAValue]:
    """All values of a module."""
    for op in walk(module):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def type_size(ty: Attribute) -> int:
    """How large a type is: elements, and how far from a plain one they are."""
    match ty:
        case ct.TileType() | TensorType() | VectorType():
            return prod(ty.get_shape()) * 16 + rank_of_type(ty.element_type)
        case ct.TileViewType():
            return prod(ty.get_tile_shape()) * 16 + rank_of_type(ty.tensor_view.element_type)
        case _:
            return rank_of_type(ty)


def map_attribute(attribute: Attribute, change: Change) -> Attribute:
    """An attribute with everything in it changed, from the inside out."""
    match attribute:
        case ct.DenseElementsAttr():
            ty = map_attribute(attribute.type, change)
            if ty == attribute.type:
                return attribute
            assert isinstance(ty, ct.TileType)
            return ct.DenseElementsAttr.from_values(ty, attribute.get_values()[:1])
        case ArrayAttr():
            members: tuple[Attribute, ...] = attribute.data
            return ArrayAttr([map_attribute(member, change) for member in members])
        case DictionaryAttr():
            return DictionaryAttr(
                {name: map_attribute(value, change) for name, value in attribute.data.items()}
            )
        case FunctionType():
            return FunctionType.from_lists(
                [map_attribute(ty, change) for ty in attribute.inputs],
                [map_attribute(ty, change) for ty in attribute.outputs],
            )
        case ParametrizedAttribute():
            old = attribute.parameters
            new = tuple(map_attribute(parameter, change) for parameter in old)
            return change(attribute if new == old else type(attribute).new(new))
        case _:
            return change(attribute)


def change_types(module: ModuleOp, change: Change) -> None:
    """Changes the types of all values, and in all attributes."""
    for value in list(values_of(module)):
        ty = map_attribute(value.type, change)
        if ty != value.type:
            Rewriter.replace_value_with_new_type(value, ty)
    for op in walk(module):
        for holder in (op.properties, op.attributes):
            for name, attribute in holder.items():
                holder[name] = map_attribute(attribute, change)


def halve(sizes: frozenset[int]) -> Change:
    """Halves the dimensions of tiles that have one of some sizes."""

    def new_dims(dims: tuple[int | None, ...]) -> ct.DimsAttr:
        return ct.DimsAttr(tuple(dim // 2 if dim in sizes and dim else dim for dim in dims))

    def change(attribute: Attribute) -> Attribute:
        match attribute:
            case ct.TileType() if attribute.shape.data:
                return ct.TileType.new([new_dims(attribute.shape.data), attribute.element_type])
            case ct.TileViewType():
                old = attribute.tile_shape
                parameters = [
                    new_dims(old.data) if parameter is old else parameter
                    for parameter in attribute.parameters
                ]
                return type(attribute).new(parameters)
            case TensorType() | VectorType():
                shape = [dim // 2 if dim in sizes else dim for dim in attribute.get_shape()]
                return type(attribute)(attribute.element_type, shape)
            case _:
                return attribute

    return change


def find_shapes(module: ModuleOp) -> list[Edit]:
    """All dimensions halved, and then those of one size."""
    sizes: set[int] = set()
    for value in values_of(module):
        match value.type:
            case ct.TileType() | TensorType() | VectorType():
                sizes.update(dim for dim in value.type.get_shape() if dim > 1)
            case ct.TileViewType():
                sizes.update(dim for dim in value.type.get_tile_shape() if dim > 1)
            case _:
                pass
    groups = [frozenset(sizes), *(frozenset({size}) for size in sorted(sizes, reverse=True))]
    # One at a time: several of them at once would halve what another has halved.
    return [Edit(change_types, module, halve(group)) for group in groups if group]


def find_elements(module: ModuleOp) -> list[Edit]:
    """All elements of one type become those of a plainer one."""

    def replaced(old: Attribute, new: Attribute) -> Change:
        return lambda attribute: new if attribute == old else attribute

    used = {_element_of(value.type) for value in values_of(module)}
    return [Edit(change_types, module, replaced(old, new)) for old, new in PLAINER if old in used]


def _element_of(ty: Attribute) -> Attribute:
    match ty:
        case ct.TileType() | TensorType() | VectorType():
            element: Attribute = ty.element_type
            return element.pointee if isinstance(element, ct.PtrType) else element
        case _:
            return ty


SHAPES = Strategy("shapes", find_shapes)
ELEMENTS = Strategy("element types", find_elements)


# Makes constants simpler: zero, one, the same element everywhere, half of a number.


def constant_bits(attribute: Attribute) -> int:
    """How much there is to say about a constant: bits of the elements that are not all equal."""
    match attribute:
        case ct.DenseElementsAttr():
            return sum(bits.bit_length() for bits in attribute.get_bits())
        case IntegerAttr():
            number = attribute.value.data
            return abs(number).bit_length() + (number < 0)
        case FloatAttr():
            return len(repr(attribute.value.data))
        case DenseIntOrFPElementsAttr():
            return 0 if set(attribute.data.data) == {0} else len(attribute.data.data)
        case _:
            return 0


def simpler_constants(attribute: Attribute) -> Iterator[Attribute]:
    """Constants of the same type with less to say, the simplest first."""
    match attribute:
        case ct.DenseElementsAttr():
            ty, bits = attribute.type, attribute.get_bits()
            yield ct.DenseElementsAttr.from_bits(ty, [0])
            if isinstance(ty.element_type, IntegerType):
                yield ct.DenseElementsAttr.from_bits(ty, [1])
                yield ct.DenseElementsAttr.from_bits(ty, [number >> 1 for number in bits])
            yield ct.DenseElementsAttr.from_bits(ty, bits[:1])
            if not isinstance(ty.element_type, IntegerType):
                yield ct.DenseElementsAttr.from_values(ty, [1.0])
        case IntegerAttr():
            ty, number = attribute.type, attribute.value.data
            for simpler in (0, 1, number // 2 if number > 0 else -(-number // 2)):
                yield IntegerAttr(simpler, ty)
        case FloatAttr():
            for simple in (0.0, 1.0):
                yield FloatAttr(simple, attribute.type)
        case DenseIntOrFPElementsAttr():
            yield DenseIntOrFPElementsAttr.new(
                [attribute.type, BytesAttr(bytes(len(attribute.data.data)))]
            )
        case _:
            return


def _set(op: Operation, name: str, value: Attribute) -> None:
    op.properties[name] = value


def find_constants(module: ModuleOp) -> list[Edit]:
    """Simpler values of constants and of global variables."""
    return [
        Edit(_set, op, name, value)
        for op in walk(module)
        if not op.operands and (op.results or "sym_name" in op.properties)
        for name, attribute in op.properties.items()
        for value in simpler_constants(attribute)
        if constant_bits(value) < constant_bits(attribute)
    ]


CONSTANTS = Strategy("constants", find_constants)


# Takes away attributes, hints and locations, and sets enums to their first cases.


KEPT = ("operandSegmentSizes", "resultSegmentSizes", "sym_name", "function_type")


def _optional(op: Operation) -> list[str]:
    """The properties that an op can do without."""
    if not isinstance(op, IRDLOperation):
        return []
    definitions = type(op).get_irdl_definition().properties
    return [
        name
        for name in op.properties
        if name not in KEPT and isinstance(definitions.get(name), OptPropertyDef)
    ]


def find_attributes(module: ModuleOp) -> list[Edit]:
    """Attributes and optional properties, one by one."""

    def drop(op: Operation, held: str, name: str) -> None:
        getattr(op, held).pop(name, None)

    edits: list[Edit] = []
    for op in walk(module):
        edits += [Edit(drop, op, "attributes", name) for name in op.attributes if name not in KEPT]
        edits += [Edit(drop, op, "properties", name) for name in _optional(op)]
    return edits


def _simpler(attribute: Attribute) -> list[Attribute]:
    """What an attribute may be set to; simpler ones first."""
    match attribute:
        case CodedEnumAttr():
            kind = type(attribute.data)
            cases = list(kind)
            return [type(attribute)(case) for case in cases[: cases.index(attribute.data)]]
        case ct.OptimizationHintsAttr():
            return _fewer_hints(attribute)
        case _:
            return []


def _fewer_hints(hints: ct.OptimizationHintsAttr) -> list[Attribute]:
    """Without one architecture, or one of its hints."""
    entries = hints.value.data
    fewer: list[dict[str, Attribute]] = []
    for arch, entry in entries.items():
        fewer.append({name: entries[name] for name in entries if name != arch})
        assert isinstance(entry, DictionaryAttr)
        for left_out in entry.data:
            kept = {key: value for key, value in entry.data.items() if key != left_out}
            fewer.append({**entries, arch: DictionaryAttr(kept)})
    return [ct.OptimizationHintsAttr(DictionaryAttr(one)) for one in fewer]


def attribute_size(attribute: Attribute) -> int:
    """How much there is to say about an enum or about hints."""
    match attribute:
        case CodedEnumAttr():
            return list(type(attribute.data)).index(attribute.data)
        case ct.OptimizationHintsAttr():
            entries = attribute.value.data.values()
            return sum(1 + len(one.data) for one in entries if isinstance(one, DictionaryAttr))
        case _:
            return 0


def find_simpler(module: ModuleOp) -> list[Edit]:
    """Enums set to an earlier case, and one hint less."""
    return [
        Edit(_set, op, name, value)
        for op in walk(module)
        for name, attribute in op.properties.items()
        for value in _simpler(attribute)
    ]


def find_locations(module: ModuleOp) -> list[Edit]:
    """All places in files at once."""

    def forget(module: Operation) -> None:
        for op in walk(module):
            op.location = UnknownLoc()

    known = any(not isinstance(op.location, UnknownLoc) for op in walk(module))
    return [Edit(forget, module)] if known else []


ATTRIBUTES = Strategy("attributes", find_attributes)
SIMPLER = Strategy("enums and hints", find_simpler)
LOCATIONS = Strategy("locations", find_locations)
