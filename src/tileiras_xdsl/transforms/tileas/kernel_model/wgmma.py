"""
MMAs that read operands from shared memory, WGMMA and `tcgen05`: which dots use them, and when their
accumulators have to be promoted.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from tileiras_xdsl.analysis.mma_instructions import (
    SMALL_FLOATS,
    MmaInstruction,
    ScaledInstruction,
    choose_mma_instruction,
    choose_scaled_instruction,
)
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all

WGMMA_ATOM = "mma.sm90"
"""The atom of WGMMA."""
TCGEN05_ATOM = "mma.sm100"
"""The atom of `tcgen05`."""
MMA_SYNC_ATOM = "mma.sm80"
"""The atom of `mma.sync`."""


PROMOTION_K = 128
"""
K of an FP8 dot after which partial sums are promoted to an f32 accumulator: tensor cores align
addends to the largest and keep about 14 bits.
"""


PROMOTED_COLUMNS = 128
"""N of such a dot at a time, for there are partial sums beside the accumulators."""


def needs_accumulator_promotion(op: DotOp | AsyncDotOp) -> bool:
    """Whether the partial sums of an FP8 dot have to be promoted to f32."""
    if is_tcgen05(op):
        return False
    return op.fast_acc is None and str(get_element(op.a.type)) in SMALL_FLOATS


def is_wgmma(op: Operation) -> bool:
    """Whether an op is a WGMMA."""
    return isinstance(op, DotOp | AsyncDotOp) and op.atom is not None and op.atom.data == WGMMA_ATOM


def is_tcgen05(op: Operation) -> bool:
    """Whether an op is an MMA by `tcgen05`."""
    return isinstance(op, DotOp) and op.atom is not None and op.atom.data == TCGEN05_ATOM


def is_async_mma(op: Operation) -> bool:
    """Whether an op is an MMA that reads operands from shared memory while threads go on."""
    return is_wgmma(op) or is_tcgen05(op)


def find_async_mmas(root: Operation) -> list[DotOp]:
    """The MMAs in an op that read operands from shared memory."""
    return [op for op in find_all(root, DotOp) if is_async_mma(op)]


def get_mma_instruction(op: DotOp | AsyncDotOp, target: Target) -> MmaInstruction | None:
    """The MMA instruction of a dot; None if FMAs do it."""
    precision = op.input_precision
    return choose_mma_instruction(
        get_element(op.a.type),
        get_element(op.b.type),
        get_element(op.get_types()[2]),
        target,
        rounds=precision is not None and precision.data == "tf32",
        signed=(op.is_signed("lhs"), op.is_signed("rhs")),
    )


def get_scaled_instruction(op: ScaledDotOp, target: Target) -> ScaledInstruction:
    """The instruction of a block-scaled dot; fails if the target has none."""
    sizes = (*get_shape(op.result.type)[-2:], op.k)
    a, b = op.elements
    elements = a, get_element(op.scale_a.type)
    found = choose_scaled_instruction(*elements, op.get_block(), sizes, target)
    others = b, get_element(op.scale_b.type)
    if found is None or elements != others or get_element(op.result.type) != f32:
        fail(
            op,
            f"{target} has no mma.sync with block_scale for '{op.a.type}', '{op.b.type}', "
            f"'{op.scale_a.type}' and '{op.scale_b.type}'",
        )
    return found
