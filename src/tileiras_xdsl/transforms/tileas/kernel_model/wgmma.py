"""Products by warpgroups (`wgmma`): which ops these are, and how exact their sums have to be."""

from __future__ import annotations

from xdsl.ir import Operation

from tileiras_xdsl.analysis.mma_instructions import (
    SMALL_FLOATS,
    MmaInstruction,
    choose_mma_instruction,
)
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.walking import find_all

ATOM = "mma.sm90"
"""The instruction of products by warpgroups."""
WARP_ATOM = "mma.sm80"
"""That of products by warps."""


PROMOTION_K = 128
"""
How many terms of floats of 8 bits may be summed up before the sum is added to one of all bits.
Tensor cores align what they add to the largest and keep about 14 bits.
"""


EXACT_COLUMNS = 128
"""How many columns are summed up at a time then, for there are two sums of each."""


def needs_accumulator_promotion(op: DotOp | AsyncDotOp) -> bool:
    """Whether a product of floats of 8 bits has to be as exact as its sums are."""
    return op.fast_acc is None and str(get_element(op.a.type)) in SMALL_FLOATS


def is_wgmma(op: Operation) -> bool:
    """Whether an op is a product by warpgroups."""
    return isinstance(op, DotOp) and op.atom is not None and op.atom.data == ATOM


def find_wgmma_dots(root: Operation) -> list[DotOp]:
    """The products by warpgroups in an op."""
    return [op for op in find_all(root, DotOp) if is_wgmma(op)]


def get_wgmma(op: DotOp | AsyncDotOp, target: Target) -> MmaInstruction | None:
    """The instruction for a product; none if it is made of single operations."""
    precision = op.input_precision
    return choose_mma_instruction(
        get_element(op.a.type),
        get_element(op.b.type),
        get_element(op.get_types()[2]),
        target,
        rounds=precision is not None and precision.data == "tf32",
        signed=(op.is_signed("lhs"), op.is_signed("rhs")),
    )
