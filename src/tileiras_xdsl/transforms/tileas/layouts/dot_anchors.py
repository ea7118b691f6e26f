"""
The layouts that matrix products ask for.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.layout = …,
        nv_tileas.layout_a = …, nv_tileas.layout_b = …} : …

A product of single operations (atom `fma`) asks for a layout of its result only, and takes its
factors in any.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FloatTF32Type, TensorType, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.products import (
    Product,
    choose_grid,
    choose_product,
    product_layouts,
    vector_layout,
)
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.target import Target

from ..kernel_model.layout_rules import LAYOUT, LAYOUT_A, LAYOUT_B

MAX_DISTANCE = 64
"""How many ops are looked at between two products."""


def get_product(op: DotOp | AsyncDotOp, target: Target) -> Product | None:
    """The instruction for a product; none if it is made of single operations."""
    precision = op.input_precision
    return choose_product(
        get_element(op.a.type),
        get_element(op.b.type),
        get_element(op.get_types()[2]),
        target,
        rounds=precision is not None and precision.data == "tf32",
        signed=(op.is_signed("lhs"), op.is_signed("rhs")),
    )


class DotAnchors:
    """Decides the instructions and layouts of the products of a kernel."""

    def __init__(self, target: Target, warps: int):
        self._target = target
        self._warps = warps

    def assign(self, op: Operation) -> None:
        """
        Puts what a product without an instruction asks for into its attributes, and converts its
        factors.
        """
        if not isinstance(op, DotOp) or op.atom is not None:
            return
        shape, depth = get_shape(op.result.type), get_shape(op.a.type)[-1]
        product = get_product(op, self._target)
        layouts = None
        if product is not None:
            grid = choose_grid(shape, self._warps, product.instruction, rows_only=feeds_product(op))
            layouts = product_layouts(shape, depth, grid, product.instruction)
        if product is None or layouts is None:
            self._assign_single(op)
            return
        if product.factor is not None:
            for number in (0, 1):
                convert_factor(op, number, product.factor)
        op.properties["atom"] = AtomAttr("mma.sm80")
        op.attributes[LAYOUT] = encode(layouts.accumulator)
        op.attributes[LAYOUT_A] = encode(layouts.a)
        op.attributes[LAYOUT_B] = encode(layouts.b)

    def _assign_single(self, op: DotOp) -> None:
        rounds = op.input_precision is not None and op.input_precision.data == "tf32"
        wide = f16 if get_element(op.result.type) == f16 else f32
        for number in (0, 1):
            element = get_element(op.operands[number].type)
            if rounds and element == f32:
                convert_factor(op, number, FloatTF32Type())
            if is_float(element) and element_bit_width(element) <= 8:
                convert_factor(op, number, wide)
        op.properties["atom"] = AtomAttr("fma")
        op.attributes[LAYOUT] = encode(vector_layout(get_shape(op.result.type), self._warps))


def convert_factor(op: DotOp, number: int, element: Attribute) -> None:
    """Converts a factor to another type, which has all its values unless it may be rounded."""
    value = op.operands[number]
    if get_element(value.type) == element:
        return
    conversion = FpToFpOp(value, TensorType(element, get_shape(value.type)))
    conversion.location = op.location
    Rewriter.insert_op(conversion, InsertPoint.before(op))
    op.operands[number] = conversion.result


def feeds_product(op: DotOp) -> bool:
    """Whether the result is a factor of another product, or the other way round."""
    return _reaches(op.result) or _comes_from_product(op.a)


def _reaches(value: SSAValue) -> bool:
    """Whether a value is used, directly or not, as the left factor of a product."""
    pending, seen = [value], {value}
    while pending and len(seen) < MAX_DISTANCE:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, DotOp):
                if use.index == 0:
                    return True
                continue
            fresh = [result for result in user.results if result not in seen]
            seen.update(fresh)
            pending.extend(fresh)
    return False


def _comes_from_product(value: SSAValue) -> bool:
    pending, seen = [value], {value}
    while pending and len(seen) < MAX_DISTANCE:
        owner = pending.pop().owner
        if not isinstance(owner, Operation) or owner.regions:
            continue
        if isinstance(owner, DotOp):
            return True
        fresh = [operand for operand in owner.operands if operand not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False
