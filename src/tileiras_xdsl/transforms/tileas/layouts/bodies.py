"""
Tiles in the bodies of reductions and scans.

A body works on single elements, and each thread runs it for its own. A tile in it that depends on
none of them is loop-invariant: it is hoisted, and computed by all threads together.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk


def hoist_tiles(function: Operation) -> None:
    """Hoists tiles out of bodies, with their backward slices."""
    for op in walk(function):
        # A nested one may have been hoisted out of its parent already, which changes nothing.
        if isinstance(op, AggregateOperation) and any(map(_has_tile, op.body.walk())):
            _hoist(op, op.body.block)
            for each in op.body.walk():
                if _has_tile(each):
                    fail(
                        each,
                        f"'{each.name}' op has a tile that depends on the elements of "
                        f"'{op.name}', which cannot be lowered to threads",
                    )


def _hoist(outer: AggregateOperation, block: Block) -> None:
    for op in tuple(block.ops):
        if not op.has_trait(IsTerminator) and not _depends(op, outer):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(outer))
            continue
        for region in op.regions:
            for nested in region.blocks:
                _hoist(outer, nested)


def _depends(op: Operation, outer: AggregateOperation) -> bool:
    """Whether an op depends on values that another op defines inside."""
    return any(
        outer.is_ancestor(operand.owner) and not op.is_ancestor(operand.owner)
        for each in walk(op)
        for operand in each.operands
    )


def _has_tile(op: Operation) -> bool:
    return any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
