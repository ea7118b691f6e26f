"""
Stores and atomics that follow themselves in the order of each warpgroup, without a barrier.

Before:  scf.for … {
           gpu.barrier {nv_tileaa.warpgroup_order}
           nv_tileas.tiled_store %x, %v[%i, %j] {nv_tileaa.warpgroup_order, nv_tileas.group_store}
         }
After:   %overlaps = %stride < %size
         scf.for … {
           scf.if %overlaps {
             gpu.barrier
           }
           nv_tileas.tiled_store %x, %v[%i, %j] {nv_tileaa.warpgroup_order, nv_tileas.group_store}
         }

Tokens order the tiles that a loop stores, or updates by relaxed atomics, and nobody knows whether
two of them are the same tile. If they are, each warpgroup changes the same part of it again, by a
bulk copy of the same thread, which waits until its last copy has written memory; no warpgroup waits
for another. If they are not, they have no address in common, unless elements of the tensor have,
which sizes and strides tell when the kernel runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.dialects.gpu import BarrierOp, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import memref_of
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.memory import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all

Extent = SSAValue | int
"""A size or a stride."""


def relax_warpgroup_order(function: FuncOp) -> None:
    """
    Puts barriers that are there only for accesses which follow themselves into a branch, or removes
    them, if warpgroups do all of these by bulk copies. Otherwise they stay as they are.
    """
    accesses = find_all(function, TiledStoreOp, TiledAtomicRMWOp)
    stores = [*filter(WARPGROUP_ORDER.is_on, accesses)]
    barriers = [*filter(WARPGROUP_ORDER.is_on, find_all(function, BarrierOp))]
    if not stores and not barriers:
        return
    tensors = dict.fromkeys(memref_of(op.view) for op in stores)
    made = [make for make in tensors if make is not None and _has_small_extents(make)]
    are_relaxed = (
        len(made) == len(tensors)
        and all(map(WARPGROUP_STORE.is_on, stores))
        and all(_comes_before(make, op) for make in made for op in barriers)
    )
    overlaps = _overlap_of_any(made) if are_relaxed and barriers else None
    for op in barriers:
        WARPGROUP_ORDER.drop(op)
        if overlaps is not None:
            block = Block()
            branch = scf.IfOp(overlaps, [], Region(block))
            branch.location = op.location
            if (stage := STAGE.drop(op)) is not None:
                STAGE.set(branch, stage)
            Rewriter.insert_op(branch, InsertPoint.before(op))
            op.detach()
            block.add_ops([op, scf.YieldOp()])
        elif are_relaxed:
            Rewriter.erase_op(op)
    for op in () if are_relaxed else stores:
        WARPGROUP_ORDER.drop(op)


def _extents(make: MakeMemrefOp) -> list[tuple[Extent, Extent]]:
    """The stride and size of each dimension, innermost first as far as strides are known."""
    ty = make.result.type
    sizes, strides = iter(make.sizes), iter(make.strides)
    dims = [
        (next(strides) if stride is None else stride, next(sizes) if size is None else size)
        for stride, size in zip(ty.strides.data, ty.shape.data, strict=True)
    ]
    known = [(stride, size) for stride, size in dims if isinstance(stride, int)]
    known.sort(key=lambda dim: dim[0])
    return [*known, *(dim for dim in reversed(dims) if not isinstance(dim[0], int))]


def _has_small_extents(make: MakeMemrefOp) -> bool:
    """Whether products of sizes and strides fit in an i64."""
    return isinstance(make.parent_op(), FuncOp) and all(
        extent < 2**31 if isinstance(extent, int) else extent.type == i32
        for dim in _extents(make)
        for extent in dim
    )


def _comes_before(make: Operation, op: Operation) -> bool:
    """Whether a tensor is there before the loop of the kernel's block that an op is in."""
    block = make.parent_block()
    assert block is not None
    return make.is_before_in_block(ancestor_in(block, op))


def _overlap_of_any(tensors: Sequence[MakeMemrefOp]) -> SSAValue | None:
    """
    Whether elements of a tensor may have an address in common: unless each dimension's stride is at
    least the stride of the one inside of it, as often as that has elements. `None` if it is known
    that none have.
    """
    result: SSAValue | None = None
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    def wide(extent: Extent) -> SSAValue:
        if isinstance(extent, int):
            return add(arith.ConstantOp(IntegerAttr(extent, i64)))
        return add(ExtSIOp(extent, i64))

    for make in tensors:
        reach: Extent = 1
        for stride, size in _extents(make):
            if not (isinstance(stride, int) and isinstance(reach, int) and stride >= reach):
                left, right = wide(stride), reach if isinstance(reach, SSAValue) else wide(reach)
                test = add(CmpiOp(left, right, "slt"))
                result = test if result is None else add(arith.OrIOp(result, test))
            if isinstance(stride, int) and isinstance(size, int):
                reach = stride * max(size, 1)
            else:
                least = add(arith.MaxSIOp(wide(size), wide(1)))
                reach = add(arith.MuliOp(wide(stride), least))
    last = max(tensors, key=_position)
    for op in ops if result is not None else ():
        op.location = last.location
    if result is not None:
        Rewriter.insert_op(ops, InsertPoint.after(last))
    return result


def _position(op: Operation) -> int:
    block = op.parent_block()
    assert block is not None
    return block.get_operation_index(op)
