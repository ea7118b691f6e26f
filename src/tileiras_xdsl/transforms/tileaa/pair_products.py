"""
Products that a pair of CTAs can do together, each with half of the rows of A and the columns of B.

    %d = nv_tileaa.dot %a, %b, %c : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>

The CTAs of a cluster do 128 rows each. Both need all of B, so if a pair multiplies, each loads half
of it (`tileas-pair-ctas`). Of a block-scaled product each has the scales of its rows of A, and all
of those of B. What is decided there needs more than can be seen of tiles here.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOp, PermuteOp, ViewOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.targets.tcgen05_schedule import (
    INSTRUCTION_ROWS,
    MOST_COLUMNS,
    PAIR_COLUMN_STEP,
)


def why_no_pair_product(
    dots: Sequence[DotOp | MmaFScaledOp], rows: Sequence[int | None]
) -> str | None:
    """
    Why a pair of CTAs cannot do dots of which each has so many rows; None if it can. A dot that is
    not split along its rows has None.
    """
    for op, left in zip(dots, rows, strict=True):
        shape = get_shape(op.result.type)
        if len(shape) != 2:
            return f"an accumulator has {len(shape)} dimensions"
        if left != INSTRUCTION_ROWS:
            each = "its rows are not split" if left is None else f"each CTA would have {left} rows"
            return f"MMAs of a pair have {INSTRUCTION_ROWS} rows of each CTA, but {each}"
        if shape[1] > MOST_COLUMNS or shape[1] % PAIR_COLUMN_STEP:
            return (
                f"MMAs of a pair have a multiple of {PAIR_COLUMN_STEP} columns up to "
                f"{MOST_COLUMNS}, but there are {shape[1]}"
            )
        for name, value in zip("AB", op.operands[:2], strict=True):
            if not is_loaded(value):
                return f"operand {name} is not loaded"
    return None


def is_loaded(value: SSAValue) -> bool:
    """Whether a tile is loaded, and only reshaped after that, or unpacked from its bytes."""
    while isinstance(op := value.owner, Operation):
        if isinstance(op, TiledLoadOp):
            return True
        if not isinstance(op, ViewOp | ExpandDimsOp | PermuteOp | UnpackOp):
            return False
        value = op.operands[0]
    return False
