"""Makes tiles smaller and elements plainer, in all types of a module at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    TensorType,
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
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.rewriter import Rewriter

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.reduction.edits import Edit, Strategy
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
    return [partial(change_types, module, halve(group)) for group in groups if group]


def find_elements(module: ModuleOp) -> list[Edit]:
    """All elements of one type become those of a plainer one."""

    def replaced(old: Attribute, new: Attribute) -> Change:
        return lambda attribute: new if attribute == old else attribute

    used = {_element_of(value.type) for value in values_of(module)}
    return [
        partial(change_types, module, replaced(old, new)) for old, new in PLAINER if old in used
    ]


def _element_of(ty: Attribute) -> Attribute:
    match ty:
        case ct.TileType() | TensorType() | VectorType():
            element: Attribute = ty.element_type
            return element.pointee if isinstance(element, ct.PtrType) else element
        case _:
            return ty


SHAPES = Strategy("shapes", find_shapes)
ELEMENTS = Strategy("element types", find_elements)
