"""
What the `cuda_tile` patterns ask about values, the small expressions they build, and folds of
integers.

Integer arithmetic is folded because of C++: nvcc computes the extents and strides of views from
constants that it does not fold, `cmpi equal 0, 0`, and products with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from xdsl.dialects.builtin import Float4E2M1FNType, IntegerType, LocationAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import Pure

from tileiras_xdsl.dialects.cuda_tile.control_flow import ForOp, FunctionLike
from tileiras_xdsl.dialects.cuda_tile.conversion import FToIOp
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Overflow,
    OverflowAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.integer import (
    AddIOp,
    AndIOp,
    CmpIOp,
    MulIOp,
    OrIOp,
    RemIOp,
    ShLIOp,
    ShRIOp,
    SubIOp,
    XOrIOp,
)
from tileiras_xdsl.dialects.cuda_tile.shape import BroadcastOp, ReshapeOp, SelectOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType, is_number
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


MAX_SLICE = 64
"""How many values are looked at to see that one cannot be poison."""


def is_never_poison(value: SSAValue) -> bool:
    """
    Whether a value is no poison, whatever its operands are: it is computed from parameters,
    constants and induction variables, without overflow flags, and without shifts and divisions by
    what might be too much. What is loaded, or carried by a loop, may be poison.
    """
    todo, seen = [value], {value}
    while todo:
        owner = (value := todo.pop()).owner
        if not isinstance(owner, Operation):
            parent = owner.parent_op()
            is_counter = isinstance(parent, ForOp) and value is owner.args[0]
            if not (is_counter or isinstance(parent, FunctionLike)):
                return False
        elif not is_defined_op(owner):
            return False
        else:
            new = [operand for operand in owner.operands if operand not in seen]
            todo += new
            seen.update(new)
            if len(seen) > MAX_SLICE:
                return False
    return True


def is_defined_op(op: Operation) -> bool:
    """Whether the results of an op are no poison if its operands are none."""
    if not op.has_trait(Pure) or op.regions or isinstance(op, FToIOp):
        return False
    if op.properties.get("overflow", OverflowAttr(Overflow.NONE)) != OverflowAttr(Overflow.NONE):
        return False
    if isinstance(op, ShLIOp | ShRIOp | RemIOp):
        known = get_splat_bits(op.rhs)
        if known is None or not isinstance(op.rhs.type, TileType):
            return False
        if isinstance(op, RemIOp):
            return known != 0
        return known < element_bit_width(op.rhs.type.element_type)
    return True


def build_and(
    rewriter: PatternRewriter, location: LocationAttr, first: SSAValue, second: SSAValue
) -> SSAValue:
    """
    Whether two scalar conditions hold, the second of which may be poison where the first does not
    hold: `andi` would be poison then, a `select` is not.
    """
    if is_never_poison(second):
        return build(rewriter, location, AndIOp(first, second))
    false = ConstantOp(DenseElementsAttr.from_values(TileType(i1), [0]))
    return build(rewriter, location, SelectOp(first, second, build(rewriter, location, false)))


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


COMBINE: Final[Mapping[type[Operation], Callable[[int, int], int]]] = {
    AddIOp: int.__add__,
    SubIOp: int.__sub__,
    MulIOp: int.__mul__,
    AndIOp: int.__and__,
    OrIOp: int.__or__,
    XOrIOp: int.__xor__,
}
COMPARE: Final[Mapping[ComparisonPredicate, Callable[[int, int], bool]]] = {
    ComparisonPredicate.EQUAL: eq,
    ComparisonPredicate.NOT_EQUAL: ne,
    ComparisonPredicate.LESS_THAN: lt,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: le,
    ComparisonPredicate.GREATER_THAN: gt,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: ge,
}
NEUTRAL: Final[Mapping[type[Operation], int]] = {
    AddIOp: 0,
    SubIOp: 0,
    MulIOp: 1,
    AndIOp: -1,
    OrIOp: 0,
    XOrIOp: 0,
}
"""The right operand that leaves the left one as it is."""
ABSORBING: Final[Mapping[type[Operation], int]] = {MulIOp: 0, AndIOp: 0, OrIOp: -1}
"""The operand that is the result, whatever the other one is."""


def fold_integer(op: Operation) -> Sequence[SSAValue | Attribute] | None:
    """
    A constant if all operands are constants with equal elements; an operand if the other one
    changes nothing, as in `addi x, 0`, or decides, as in `muli x, 0`. A sum or product that
    overflows against its flag is poison, so it may be what wraps around.
    """
    bits = [get_splat_bits(operand) for operand in op.operands]
    known = [each for each in bits if each is not None]
    if not known:
        return None
    if len(known) == len(bits):
        return _fold_constants(op, known)
    return _fold_identity(op, bits)


def _fold_constants(op: Operation, bits: Sequence[int]) -> Sequence[Attribute] | None:
    source, result = op.operands[0].type, op.results[0].type
    assert isinstance(source, TileType)
    assert isinstance(result, TileType)
    if not is_number(result.element_type):
        # There are no constants of 4 bits.
        return None
    width = element_bit_width(source.element_type)
    if op.properties.get("signedness") == SignednessAttr(Signedness.SIGNED):
        bits = [each - (1 << width) if each >> (width - 1) else each for each in bits]
    match op:
        case CmpIOp():
            assert isinstance(op.comparison_predicate, ComparisonPredicateAttr)
            value = int(COMPARE[op.comparison_predicate.data](*bits))
        case _ if (combine := COMBINE.get(type(op))) is not None:
            value = combine(*bits)
        case _:
            # `exti` or `trunci`.
            (value,) = bits
    return (DenseElementsAttr.from_values(result, [value]),)


def _fold_identity(op: Operation, bits: Sequence[int | None]) -> Sequence[SSAValue] | None:
    if type(op) not in NEUTRAL:
        return None
    lhs, rhs = op.operands
    assert isinstance(lhs.type, TileType)
    mask = (1 << element_bit_width(lhs.type.element_type)) - 1
    neutral, absorbing = NEUTRAL[type(op)] & mask, ABSORBING.get(type(op))
    absorbing = None if absorbing is None else absorbing & mask
    if bits[1] == neutral or (absorbing is not None and bits[0] == absorbing):
        return (lhs,)
    if (bits[0] == neutral and not isinstance(op, SubIOp)) or (
        absorbing is not None and bits[1] == absorbing
    ):
        return (rhs,)
    return None
