"""
How layouts of operands and results relate.

A value that is cheap to rematerialize (a constant, a range, a broadcast, arithmetic on such) is
flexible: it takes the layout of each user, once for each. All others have one layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatTF32Type, TensorType, i1
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.access_layouts import coalesced
from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, unflatten
from tileiras_xdsl.dialects.arith import Arith
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.base import Elementwise, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    BroadcastOp,
    ExpandDimsOperation,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas.layout import LayoutAttr, encode, layout_of, with_layout
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.discardable_attributes import CarrierT, DiscardableAttribute

ARITHMETIC = frozenset(
    (*arith.Arith.operations, *Arith.operations, *math.Math.operations),
)
"""Scalar ops, which tiles have elementwise."""


def is_tensor(value: SSAValue) -> bool:
    """Whether a value is distributed over threads."""
    return isinstance(value.type, TensorType)


def tensors(values: Sequence[SSAValue]) -> list[SSAValue]:
    """Those of some values that are distributed over threads."""
    return [value for value in values if is_tensor(value)]


def get_anchor_layout(
    op: Operation, attribute: DiscardableAttribute[LayoutAttr, Any], ty: Attribute
) -> LinearLayout | None:
    """The layout that an attribute gives an op as an anchor, for a value of a type."""
    layout = attribute.get(op)
    if layout is None or not isinstance(ty, TensorType):
        return None
    try:
        layout.verify_shape(ty.get_shape())
    except VerifyException as error:
        fail(op, f"'{attribute.name}': {error}")
    return layout.get_layout(ty.get_shape())


def set_anchor_layout(
    op: CarrierT, attribute: DiscardableAttribute[LayoutAttr, CarrierT], layout: LinearLayout
) -> None:
    """Makes an op an anchor: an attribute of it gives a layout in registers."""
    encoded = encode(layout)
    assert isinstance(encoded, LayoutAttr)
    attribute.set(op, encoded)


def memory_bits(element: Attribute) -> int:
    """The size of an element in memory, where an i1 is a byte and a tf32 is a word."""
    if isinstance(element, FloatTF32Type):
        return 32
    if isinstance(element, LLVMPointerType):
        return 64
    return 8 if element == i1 else element_bit_width(element)


def default_layout(ty: Attribute, warps: int) -> LinearLayout:
    """The layout of a value without an anchor."""
    return coalesced(get_shape(ty), warps)


def is_elementwise(op: Operation) -> bool:
    """Whether elements of the results depend on the same elements of the operands only."""
    if op.regions or not op.results:
        return False
    if op.has_trait(Elementwise) or isinstance(op, AddPtrOp | AssumeOp):
        return True
    return type(op) in ARITHMETIC and not isinstance(op, arith.ConstantOp)


def is_root(op: Operation) -> bool:
    """Whether an op makes a tensor of scalars only, in any layout."""
    return isinstance(op, arith.ConstantOp | SplatOp | MakeRangeOp | PoisonOp)


def is_cheap(op: Operation) -> bool:
    """Whether an op may be rematerialized in another layout, if its operands are flexible."""
    return is_root(op) or (
        op.has_trait(Pure)
        and (is_elementwise(op) or isinstance(op, ViewOperation | ExpandDimsOperation | PermuteOp))
    )


def operand_layout(op: Operation, operand: SSAValue, result: LinearLayout) -> LinearLayout | None:
    """
    The layout of an operand that gives an op a result in some layout without moving data between
    threads; None if the op moves data.
    """
    shape = get_shape(operand.type)
    match op:
        case ViewOperation() | ExpandDimsOperation():
            return result.reshape(shape)
        case PermuteOp():
            order = op.get_permutation()
            inverse = [order.index(dim) for dim in range(len(order))]
            return result.permute(inverse)
        case BroadcastOp():
            return result.restricted(shape)
        case _:
            return result if is_elementwise(op) else None


def result_layout(op: Operation, source: LinearLayout) -> LinearLayout | None:
    """The layout of a result, if it follows from the layout of the operand."""
    match op:
        case ViewOperation() | ExpandDimsOperation():
            return source.reshape(get_shape(op.results[0].type))
        case PermuteOp():
            return source.permute(op.get_permutation())
        case _:
            return source if is_elementwise(op) else None


def reshaped(op: Operation, value: SSAValue) -> Operation:
    """A reshape of a tile in another layout."""
    source, result = layout_of(value.type), op.results[0].type
    assert source is not None
    assert isinstance(result, TensorType)
    return type(op).create(
        operands=[value],
        result_types=[with_layout(result, result_layout(op, source))],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )


def cat_layout(tile: LinearLayout, dim: int) -> LinearLayout:
    """
    The layout of two tiles of one layout, concatenated along a dimension: twice
    the registers, those of the first tile before those of the second.
    """
    shape = list(tile.shape)
    shape[dim] *= 2

    def embed(linear_index: int) -> int:
        return flatten(unflatten(linear_index, tile.shape), shape)

    second = [0] * len(shape)
    second[dim] = tile.shape[dim]
    inputs = tuple((name, tuple(map(embed, bases))) for name, bases in tile.inputs)
    layout = LinearLayout(tuple(shape), inputs)
    return layout.replaced(register=(*layout.register, flatten(second, shape)))
