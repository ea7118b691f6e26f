"""
Scalars that only the epilogue of a tile needs, computed while the last WGMMAs are in flight.

Before:  %i = nv_tileaa.divi %tile_block, %columns : i32
         %f = scf.for … { … nv_tileas.async.dot … }
         %d = nv_tileas.async.future_wait %f
         nv_tileas.tiled_store %d, %view[%i, %j]
After:   %f = scf.for … { … nv_tileas.async.dot … }
         %i = nv_tileaa.divi %tile_block, %columns : i32
         %d = nv_tileas.async.future_wait %f
         nv_tileas.tiled_store %d, %view[%i, %j]

In front of the loop they would delay the first WGMMA of a tile, behind the wait that of the
next tile; between the two, the tensor cores are busy. A load of a few elements, such as a row of
bias, is moved along with the divisions that say where it is: these take longer than it does.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.nv_tileaa.decisions import INDEPENDENT
from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivIOp, RemIOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.types import AsyncType

from ..kernel_model.registers import type_registers
from ..kernel_model.slicing import is_pure

MOST_LOADED_REGISTERS: Final = 8
"""Of a load that is moved: the latency of more would not pass while the last WGMMAs run."""


def compute_scalars_late(block: Block) -> None:
    """Moves what is only needed behind loops that leave WGMMAs in flight to the end of the loop."""
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                compute_scalars_late(inner)
        if isinstance(op, scf.ForOp) and any(isinstance(x.type, AsyncType) for x in op.results):
            _move_behind(op)


def _move_behind(loop: scf.ForOp) -> None:
    """
    Moves scalar code in front of a loop, of its block, behind it if nothing needs it before, and
    small loads with it.
    """
    block = loop.parent_block()
    assert block is not None
    moved: set[Operation] = set()

    def is_late(op: Operation, others: Container[Operation] = ()) -> bool:
        return all(
            user in moved or user in others or loop.is_before_in_block(user)
            for user in _users_in(block, op)
        )

    before = loop.prev_op
    while before is not None:
        op, before = before, before.prev_op
        if not is_late(op):
            continue
        if not _is_scalar(op):
            needed = {op, *backward_slice(op.operands, lambda each: each.parent_block() is block)}
            if not _is_small_load(op) or not any(
                isinstance(each, DivIOp | RemIOp) and is_late(each, needed) for each in needed
            ):
                continue
        op.detach()
        block.insert_op_after(op, loop)
        moved.add(op)


def _is_scalar(op: Operation) -> bool:
    """Whether an op computes integers that something uses, and has no effects."""
    results = op.results
    return (
        bool(results)
        and not op.regions
        and is_pure(op)
        and all(isinstance(each.type, IntegerType | IndexType) for each in results)
        and any(each.first_use is not None for each in results)
    )


def _is_small_load(op: Operation) -> bool:
    """Whether an op loads a few elements, which nothing changes."""
    return (
        isinstance(op, TiledLoadOp)
        and op.atom is None
        and INDEPENDENT.is_on(op)
        and type_registers(op.result.type) <= MOST_LOADED_REGISTERS
    )


def _users_in(block: Block, op: Operation) -> set[Operation]:
    """The ops of a block that use results of one of its ops, or have users in them."""
    found = {
        block.find_ancestor_op_in_block(use.operation)
        for result in op.results
        for use in result.uses
    }
    return {user for user in found if user is not None}
