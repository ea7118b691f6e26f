"""Loads whose tiles reach an op by reshapes and ops on single elements only."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp

from ..kernel_model.layout_rules import is_cheap, is_root, is_tensor, operand_layout


def find_load(
    value: SSAValue, layout: LinearLayout
) -> tuple[TiledLoadOp | None, LinearLayout | None]:
    """
    The load that a value is made of, by ops on single elements and reshapes, and the layout of it
    that gives the value some layout.
    """
    while isinstance(op := value.owner, Operation) and value.has_one_use():
        if isinstance(op, TiledLoadOp):
            return (op, layout) if is_plain_load(op) and op.atom is None else (None, None)
        tiles = [operand for operand in op.operands if is_tensor(operand)]
        if not is_cheap(op) or len(tiles) != 1:
            break
        (value,) = tiles
        wanted = operand_layout(op, value, layout)
        if wanted is None:
            break
        layout = wanted
    return None, None


def find_loads(value: SSAValue, layout: LinearLayout) -> dict[TiledLoadOp, LinearLayout] | None:
    """
    All loads that a value is made of, with nothing but ops on single elements, reshapes, broadcasts
    and constants, and the layouts of them that give the value some layout; None if there is more
    to it, or if that takes a load in two layouts.
    """
    found: dict[TiledLoadOp, LinearLayout] = {}
    seen = {(value, layout)}
    pending = [(value, layout)]
    while pending:
        value, layout = pending.pop()
        op = value.owner
        if isinstance(op, TiledLoadOp):
            if not is_plain_load(op) or op.atom is not None:
                return None
            if found.setdefault(op, layout) != layout:
                return None
            continue
        if not isinstance(op, Operation):
            return None
        if is_root(op):
            continue
        if not is_cheap(op) and not isinstance(op, BroadcastOp):
            return None
        for operand in filter(is_tensor, op.operands):
            wanted = operand_layout(op, operand, layout)
            if wanted is None:
                return None
            if (operand, wanted) not in seen:
                seen.add((operand, wanted))
                pending.append((operand, wanted))
    return found
