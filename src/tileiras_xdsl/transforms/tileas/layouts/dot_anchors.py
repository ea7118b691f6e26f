"""
The layouts of dots by `mma.sync` and by FMAs.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.layout = …,
        nv_tileas.layout_a = …, nv_tileas.layout_b = …} : …

A dot by FMAs (atom `fma`) is an anchor for its result only, and takes operands in any layout.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FloatTF32Type, TensorType, f16, f32
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.mma_instructions import (
    choose_grid,
    mma_layouts,
    scale_layouts,
    vector_layout,
)
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    LAYOUT_A,
    LAYOUT_B,
    LAYOUT_SCALE_A,
    LAYOUT_SCALE_B,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.machine import BYTE_BITS
from tileiras_xdsl.targets.target import Target

from ..kernel_model.dot_chains import feeds_dot
from ..kernel_model.layout_rules import set_anchor_layout
from ..kernel_model.packed_operands import is_unpacked, pack_operands
from ..kernel_model.wgmma import MMA_SYNC_ATOM, get_mma_instruction, get_scaled_instruction


class DotAnchors:
    """Selects the instructions and layouts of the dots of a kernel."""

    def __init__(self, target: Target, warps: int):
        self._target = target
        self._warps = warps

    def assign(self, op: Operation) -> None:
        """
        Puts instruction and layouts of a dot without an instruction into its attributes, and
        converts its operands.
        """
        if isinstance(op, ScaledDotOp) and op.atom is None:
            self._assign_scaled(op)
        if not isinstance(op, DotOp) or op.atom is not None:
            return
        shape, k = get_shape(op.result.type), get_shape(op.a.type)[-1]
        mma = get_mma_instruction(op, self._target)
        layouts = None
        if mma is not None:
            grid = choose_grid(shape, self._warps, mma.instruction, rows_only=feeds_dot(op))
            layouts = mma_layouts(shape, k, grid, mma.instruction)
        if mma is None or layouts is None:
            self._assign_fma(op)
            return
        if mma.operand_type is not None:
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
        op.properties["atom"] = AtomAttr(MMA_SYNC_ATOM)
        set_anchor_layout(op, LAYOUT, layouts.accumulator)
        set_anchor_layout(op, LAYOUT_A, layouts.a)
        set_anchor_layout(op, LAYOUT_B, layouts.b)

    def _assign_scaled(self, op: ScaledDotOp) -> None:
        """A block-scaled dot, which only an instruction can do."""
        instruction = get_scaled_instruction(op, self._target).instruction
        if instruction.element_bits < BYTE_BITS and is_unpacked(op):
            pack_operands(op)
            instruction = instruction.of_bytes()
        shape, k = get_shape(op.result.type), get_shape(op.a.type)[-1]
        grid = choose_grid(shape, self._warps, instruction)
        layouts = mma_layouts(shape, k, grid, instruction)
        assert layouts is not None
        groups = get_shape(op.scale_a.type)[-1]
        scale_a, scale_b = scale_layouts(shape, groups, grid, instruction)
        op.properties["atom"] = AtomAttr(MMA_SYNC_ATOM)
        set_anchor_layout(op, LAYOUT, layouts.accumulator)
        set_anchor_layout(op, LAYOUT_A, layouts.a)
        set_anchor_layout(op, LAYOUT_B, layouts.b)
        set_anchor_layout(op, LAYOUT_SCALE_A, scale_a)
        set_anchor_layout(op, LAYOUT_SCALE_B, scale_b)

    def _assign_fma(self, op: DotOp) -> None:
        rounds = op.input_precision is not None and op.input_precision.data == "tf32"
        wide = f16 if get_element(op.result.type) == f16 else f32
        for number in (0, 1):
            element = get_element(op.operands[number].type)
            if rounds and element == f32:
                convert_operand(op, number, FloatTF32Type())
            if is_float(element) and element_bit_width(element) <= 8:
                convert_operand(op, number, wide)
        op.properties["atom"] = AtomAttr("fma")
        set_anchor_layout(op, LAYOUT, vector_layout(get_shape(op.result.type), self._warps))


def convert_operand(op: DotOp, number: int, element: Attribute) -> None:
    """Converts an operand to another type, which has all its values unless it may be rounded."""
    value = op.operands[number]
    if get_element(value.type) == element:
        return
    conversion = FpToFpOp(value, TensorType(element, get_shape(value.type)))
    conversion.location = op.location
    Rewriter.insert_op(conversion, InsertPoint.before(op))
    op.operands[number] = conversion.result
