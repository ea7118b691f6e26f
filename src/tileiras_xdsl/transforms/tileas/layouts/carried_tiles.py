"""
Accumulators that loops carry in the shape in which dots need them.

Before:  %r = scf.for … iter_args(%t = %zero) -> (tensor<1x128x256xf32>) {
           %c = nv_tileas.view %t : tensor<1x128x256xf32> -> tensor<128x256xf32>
           %d = nv_tileas.dot %a, %b, %c : …
           %next = nv_tileas.view %d : tensor<128x256xf32> -> tensor<1x128x256xf32>
           scf.yield %next
         }
After:   %first = nv_tileas.view %zero : tensor<1x128x256xf32> -> tensor<128x256xf32>
         %last = scf.for … iter_args(%c = %first) -> (tensor<128x256xf32>) {
           %d = nv_tileas.dot %a, %b, %c : …
           scf.yield %d
         }
         %r = nv_tileas.view %last : tensor<128x256xf32> -> tensor<1x128x256xf32>

The dot then yields what the next one adds to, so it can stay in flight from one iteration to the
next, and the loop has no tiles but the accumulator.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.shape import ViewOp
from tileiras_xdsl.xdsl_extras.structure import last_of


def carry_accumulators(function: FuncOp) -> None:
    """Moves reshapes of accumulators out of the loops that carry these."""
    # Inner loops first: the reshape behind one is then at the end of the loop around it.
    for op in tuple(function.walk(region_first=True)):
        if isinstance(op, scf.ForOp):
            for number in range(len(op.results)):
                _move_reshapes_out(op, number)


def _move_reshapes_out(loop: scf.ForOp, number: int) -> None:
    """Carries a value in the shape of the dot that computes it, if the body uses no other."""
    argument, end = loop.body.block.args[1 + number], last_of(loop.body.block)
    back = end.operands[number].owner
    if not isinstance(back, ViewOp) or back.parent_block() is not loop.body.block:
        return
    views = [use.operation for use in argument.uses]
    if not views or not isinstance(back.source.owner, DotOp | scf.ForOp):
        return
    shape = back.source.type
    if not all(isinstance(view, ViewOp) and view.result.type == shape for view in views):
        return
    first = _reshape(views[0], loop.iter_args[number], InsertPoint.before(loop))
    for view in views:
        view.results[0].replace_all_uses_with(argument)
        Rewriter.erase_op(view)
    end.operands[number] = back.source
    loop.operands[3 + number] = first
    Rewriter.replace_value_with_new_type(argument, shape)
    last = Rewriter.replace_value_with_new_type(loop.results[number], shape)
    behind = _reshape(back, last, InsertPoint.after(loop))
    last.replace_uses_with_if(behind, lambda use: use.operation is not behind.owner)
    if back.result.first_use is None:
        Rewriter.erase_op(back)


def _reshape(view: Operation, tile: SSAValue, point: InsertPoint) -> SSAValue:
    """Another tile in the shape that an op has; one of equal elements is made in that shape."""
    shape, owner = view.results[0].type, tile.owner
    new = SplatOp(owner.source, shape) if isinstance(owner, SplatOp) else ViewOp(tile, shape)
    new.location = view.location
    Rewriter.insert_op(new, point)
    return new.result
