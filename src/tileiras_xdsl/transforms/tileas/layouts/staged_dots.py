"""Marks the dots by `mma.sync` whose operands TMA loads (see `kernel_model/staged_mma.py`)."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGED
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.staged_mma import has_dots, is_mma_sync, why_not_staged


def mark_staged_dots(function: FuncOp, target: Target) -> str | None:
    """
    Marks the dots of a kernel in loops whose tiles TMA loads. Returns why it does not load them, if
    there are such loops.
    """
    if target.mma_pipelining is None:
        return None
    dots = [op for op in find_all(function, DotOp) if is_mma_sync(op) and has_dots(op.parent_op())]
    reason = why_not_staged(function, target, analyze(function)) if dots else None
    if reason is None:
        for op in dots:
            STAGED.set(op, UnitAttr())
    return reason
