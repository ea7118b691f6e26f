"""
Whether tiles of dots fit in tensor memory, found out by a trial.

Accumulators that are live together may fit by their number, and yet take more columns when they are
put into tensor memory: of two dots in a row that add to one accumulator, with work in between, each
has a place of its own. If there are columns for all places of a kernel, nothing needs to be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.targets.tcgen05_schedule import accumulator_columns
from tileiras_xdsl.xdsl_extras.walking import walk

from ..kernel_model.scaled_tcgen05 import scale_columns
from ..kernel_model.tcgen05_selection import operand_columns
from ..kernel_model.tensor_memory_assignment import TensorMemoryAssignment
from ..kernel_model.tensor_memory_webs import needed_columns

Assign = Callable[[DotOp], None]
"""Assigns `tcgen05` to a dot."""
Repair = Callable[[list[DotOp]], list[DotOp]]
"""Those of some dots that may stay when others do not."""


def drop_overflowing(
    function: FuncOp, dots: Sequence[DotOp], columns: int, assign: Assign, repair: Repair
) -> list[DotOp]:
    """Those of some dots of a kernel whose tiles fit in so many columns of tensor memory."""
    kept = list(dots)
    while kept and _most_columns(kept) > columns and _try(function, kept, assign) > columns:
        # The largest accumulator is given up first.
        kept.remove(max(kept, key=lambda op: accumulator_columns(get_shape(op.result.type))))
        kept = repair(kept)
    return kept


def _most_columns(dots: Sequence[DotOp]) -> int:
    """Columns if no two tiles share any."""
    total = sum(accumulator_columns(get_shape(op.result.type)) + operand_columns(op) for op in dots)
    return total + sum(sum(scale_columns(op)) for op in dots if isinstance(op, ScaledDotOp))


def _try(function: FuncOp, dots: Sequence[DotOp], assign: Assign) -> int:
    """The columns that a kernel would need, with `tcgen05` for some of its dots."""
    copy = function.clone()
    chosen = set(dots)
    copies = [
        new
        for old, new in zip(walk(function), walk(copy), strict=True)
        if old in chosen and isinstance(new, DotOp)
    ]
    for op in copies:
        assign(op)
    TensorMemoryAssignment(copy).run(copies)
    return needed_columns(copy)
