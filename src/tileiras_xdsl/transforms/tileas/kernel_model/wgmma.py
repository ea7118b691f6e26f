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
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.structure import integer_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from .zero_tiles import is_zero

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
    """
    Whether the partial sums of an FP8 dot have to be promoted to f32. Those of a dot that adds to
    nothing, and has no more than `PROMOTION_K` along K, are its result.
    """
    if is_tcgen05(op) or op.fast_acc is not None:
        return False
    if str(get_element(op.a.type)) not in SMALL_FLOATS:
        return False
    return get_shape(op.a.type)[-1] > PROMOTION_K or not overwrites_accumulator(op)


def overwrites_accumulator(op: DotOp | AsyncDotOp) -> bool:
    """Whether a dot is known to add to nothing: the accumulator is zero, or not read."""
    if op.accumulate is not None and integer_of(op.accumulate) == 0:
        return True
    return is_zero(op.accumulator)


def has_one_partial_sum(op: DotOp | AsyncDotOp) -> bool:
    """
    Whether the partial sums of an FP8 dot that are promoted are those of one dot that adds to
    nothing, and fit in registers beside the accumulators. Then threads go on until the sums are
    needed, and add them to the accumulators there.
    """
    if not is_wgmma(op) or not needs_accumulator_promotion(op):
        return False
    layout = layout_of(op.accumulator.type)
    return (
        get_shape(op.a.type)[-1] <= PROMOTION_K
        and always_reads_accumulator(op)
        and layout is not None
        and layout.registers <= PROMOTED_COLUMNS // 2
    )


def is_waited_for_in_parts(op: DotOp | AsyncDotOp) -> bool:
    """Whether threads wait for parts of an FP8 dot as they issue it, to promote partial sums."""
    return needs_accumulator_promotion(op) and not has_one_partial_sum(op)


def always_reads_accumulator(dot: DotOp | AsyncDotOp) -> bool:
    """Whether a dot is known to read its accumulator."""
    return dot.accumulate is None or integer_of(dot.accumulate) not in (None, 0)


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
