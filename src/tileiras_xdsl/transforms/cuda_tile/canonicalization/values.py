"""What the `cuda_tile` patterns ask about values, and the small expressions they build."""

from __future__ import annotations

from xdsl.dialects.builtin import Float4E2M1FNType, IntegerType, LocationAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.integer import XOrIOp
from tileiras_xdsl.dialects.cuda_tile.shape import BroadcastOp, ReshapeOp, SelectOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.transforms.common.rewriting import build


def get_constant(value: SSAValue) -> DenseElementsAttr | None:
    """The elements of a value that `constant` produces."""
    return value.owner.elements if isinstance(value.owner, ConstantOp) else None


def get_splat_bits(value: SSAValue) -> int | None:
    """The bits all elements of an integer constant have in common, if they do."""
    elements = get_constant(value)
    if elements is None or not isinstance(elements.element_type, IntegerType):
        return None
    return elements.get_bits()[0] if elements.is_splat else None


def is_one(value: SSAValue) -> bool:
    """Whether the value is a constant integer tile full of ones (for i1: of `true`)."""
    return get_splat_bits(value) == 1


def is_zero(value: SSAValue) -> bool:
    """Whether the value is a constant integer tile full of zeros (for i1: of `false`)."""
    return get_splat_bits(value) == 0


def has_i1_elements(value: SSAValue) -> bool:
    """Whether the value is a tile of i1."""
    return isinstance(value.type, TileType) and value.type.element_type == i1


def is_true(value: SSAValue) -> bool:
    """Whether the value is a constant i1 tile full of `true`."""
    return has_i1_elements(value) and is_one(value)


def is_false(value: SSAValue) -> bool:
    """Whether the value is a constant i1 tile full of `false`."""
    return has_i1_elements(value) and is_zero(value)


def is_same(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two values are one, or constants with the same elements."""
    if lhs is rhs:
        return True
    elements = get_constant(lhs)
    return elements is not None and elements == get_constant(rhs)


def get_negated(value: SSAValue) -> SSAValue | None:
    """The `p` of a value `xori p, true`."""
    owner = value.owner
    return owner.lhs if isinstance(owner, XOrIOp) and is_true(owner.rhs) else None


def can_select(ty: Attribute) -> bool:
    """Whether `select` takes values of this type: tiles, but not of 4-bit floats."""
    return isinstance(ty, TileType) and not isinstance(ty.element_type, Float4E2M1FNType)


def build_not(rewriter: PatternRewriter, location: LocationAttr, value: SSAValue) -> SSAValue:
    """The negation of an i1 tile."""
    assert isinstance(value.type, TileType)
    true = ConstantOp(DenseElementsAttr.from_values(value.type, [1]))
    return build(rewriter, location, XOrIOp(value, build(rewriter, location, true)))


def build_select(
    rewriter: PatternRewriter,
    location: LocationAttr,
    condition: SSAValue,
    if_true: SSAValue,
    if_false: SSAValue,
) -> SSAValue:
    """The choice between two tiles by a scalar condition; no op if they are the same."""
    if is_same(if_true, if_false):
        return if_true
    assert isinstance(if_true.type, TileType)
    if rank := if_true.type.rank:
        ones = ReshapeOp(condition, TileType(i1, [1] * rank))
        mask = BroadcastOp(build(rewriter, location, ones), if_true.type.with_element(i1))
        condition = build(rewriter, location, mask)
    return build(rewriter, location, SelectOp(condition, if_true, if_false))
