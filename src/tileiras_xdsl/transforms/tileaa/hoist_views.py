"""
Defines tensors at the start of a kernel.

Before:  scf.if %has_rows {
           %rows = nv_tileaa.muli %blocks, %c128
           %m = nv_tileaa.make_memref %p, %rows … : !nv_tileaa.memref<?x2048xbf16, …>
           scf.for %k … { %w = nv_tileaa.tiled_load … }
         }
After:   %rows = nv_tileaa.muli %blocks, %c128
         %m = nv_tileaa.make_memref %p, %rows … : !nv_tileaa.memref<?x2048xbf16, …>
         scf.if %has_rows {
           scf.for %k … { %w = nv_tileaa.tiled_load … }
         }

Compilers of C++ define a tensor where it is used. Its tensor map would be built there, each time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free, is_speculatable

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivIOp, RemIOp
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import find_all


@dataclass(frozen=True)
class HoistViewsPass(ModulePass):
    """
    Moves definitions of tensors out of loops and branches to the body of a kernel, with the scalars
    that they are computed of: a launcher makes the tensor map of such a tensor, or the kernel once.
    What depends on the iteration of a loop or on memory, divides, or is only assumed there, stays,
    and so does a tensor that is computed of it.
    """

    name = "hoist-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            body = function.body.block
            for memref in find_all(function, MakeMemrefOp):
                if memref.parent is not body:
                    hoist_into(body, memref)


def hoist_into(body: Block, memref: MakeMemrefOp) -> None:
    """Moves a tensor to the body of its kernel, if what it is computed of can come along."""
    around = body.find_ancestor_op_in_block(memref)
    assert around is not None
    moved = (memref, *backward_slice(memref.operands, around.is_ancestor))
    if all(map(may_move, moved)) and all(
        isinstance(value.owner, Operation) or value.owner is body
        for each in moved
        for value in each.operands
    ):
        for each in [each for each in around.walk() if each in moved]:
            each.detach()
            Rewriter.insert_op(each, InsertPoint.before(around))


def may_move(op: Operation) -> bool:
    """Whether an op has the same results wherever it is. What is assumed may hold only there."""
    if op.regions or isinstance(op, AssumeOp | DivIOp | RemIOp):
        return False
    return is_side_effect_free(op) and is_speculatable(op)
