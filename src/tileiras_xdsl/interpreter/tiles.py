"""
What the ops of `cuda_tile` and `nv_tileaa`, and those of other dialects next to them, do, but for
arithmetic, shapes and accesses to memory.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.nv_tileaa import memory, tokens
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, FenceProxyOp, WaitCopiesOp

from .attributes import attribute, has_results, integer, property_of, word, word_of
from .blocks import BlockState
from .elements import from_bits
from .machine import TILES, BoundProgram, Function, InBlock
from .memory import Array
from .tokens import Token
from .types import element_of, pointee_of
from .values import Value


def elements_of(value: DenseElementsAttr) -> Array:
    """The array of a literal of `cuda_tile`."""
    bits = np.array(value.get_bits(), np.uint64)
    shape = value.type.get_shape()
    numbers = from_bits(bits, value.element_type)
    return np.broadcast_to(numbers[0], shape) if value.is_splat else numbers.reshape(shape)


@TILES.binds(ct.ConstantOp)
def bind_constant(op: ct.ConstantOp, program: BoundProgram) -> Function:
    """A literal."""
    array = elements_of(op.elements)
    return lambda: array


# The grid


@TILES.runs(ct.GetTileBlockIdOp)
def run_block_ids(block: BlockState) -> Value:
    """The index of the block."""
    return [np.asarray(index, np.int32) for index in block.index]


@TILES.runs(ct.GetNumTileBlocksOp)
def run_num_blocks(block: BlockState) -> Value:
    """The sizes of the grid."""
    return [np.asarray(size, np.int32) for size in block.grid]


@TILES.runs(gpu.BlockIdOp, dimension=word("dimension"))
def run_block_id(block: BlockState, *, dimension: str) -> Array:
    """The index of the block along one dimension."""
    return np.asarray(block.index["xyz".index(dimension)], np.int64)


@TILES.runs(gpu.GridDimOp, dimension=word("dimension"))
def run_grid_dim(block: BlockState, *, dimension: str) -> Array:
    """The size of the grid along one dimension."""
    return np.asarray(block.grid["xyz".index(dimension)], np.int64)


@TILES.runs(gpu.BarrierOp, BarrierOp)
def run_barrier(block: BlockState) -> None:
    """A CTA barrier."""
    block.synchronize()


@TILES.runs(FenceProxyOp, WaitCopiesOp)
def run_nothing() -> None:
    """Bulk copies are done at once here; `barriers` knows which may not be."""


# Memory of the block, and what it says


def _symbol_of(op: Operation) -> str:
    name = property_of(op, "name")
    assert isinstance(name, SymbolRefAttr)
    return name.root_reference.data


@TILES.runs(ct.GetGlobalOp, memory.GetGlobalOp, symbol=_symbol_of)
def run_get_global(block: BlockState, *, symbol: str) -> Array:
    """The address of a global variable."""
    return np.asarray(block.globals[symbol], np.int64)


SIZES = {"count": integer("num_elem"), "alignment": integer("alignment")}


@TILES.runs(ct.AllocaOp, element=lambda op: pointee_of(op.results[0].type), **SIZES)
@TILES.runs(memory.AllocaOp, element=attribute("elem_type"), **SIZES)
def run_alloca(
    block: BlockState, *, op: Operation, element: Attribute, count: int, alignment: int
) -> Array:
    """Memory of the block."""
    return block.allocate(op, element, count, alignment)


@TILES.runs(ct.AssertOp, memory.AssertOp, message=word("message"))
def run_assert(block: BlockState, condition: Value, *, op: Operation, message: str) -> None:
    """Stops the program unless a condition holds."""
    block.verify(op, condition, message)


@TILES.binds(ct.PrintTkoOp, ct.PrintOp, memory.PrintOp)
def bind_print(op: ct.PrintTkoOp | ct.PrintOp | memory.PrintOp, program: BoundProgram) -> InBlock:
    """Prints values."""
    text = word_of(op, "str")
    arguments = op.arguments if isinstance(op, memory.PrintOp) else op.args
    elements = [element_of(value.type) for value in arguments]
    token = None if isinstance(op, ct.PrintOp) else op.token

    def show(block: BlockState, token: Token | None, *values: Value) -> Token | None:
        return block.show(op, token, text, values, elements)

    return InBlock(show, [token, *arguments], op.results[:1] or [None])


# Tokens


@TILES.runs(ct.MakeTokenOp, tokens.CreateMemTokenOp)
def run_make_token(block: BlockState, *scope: Value) -> Token | None:
    """The token that comes after nothing."""
    return block.join(())


@TILES.runs(ct.JoinTokensOp, ct.TokenJoinOp, tokens.JoinMemTokenOp)
def run_join(block: BlockState, *joined: Token | None) -> Token | None:
    """The token after several others."""
    return block.join(joined)


@TILES.runs(ct.GdcWaitOp, memory.GdcWaitOp, has_token=has_results)
def run_gdc_wait(block: BlockState, *before: Token | None, has_token: bool) -> Token | None:
    """Waits for the grid that the launch depends on."""
    after = block.wait_for_grids(before, has_token=has_token)
    return after if has_token else None


@TILES.binds(ct.MemoryFenceAliasOp, ct.GdcLaunchDependentsOp)
@TILES.binds(memory.MemoryFenceAliasOp, memory.GdcLaunchDependentsOp)
def bind_token_effect(op: Operation, program: BoundProgram) -> InBlock:
    """What orders by its tokens only; a fence without any is a barrier."""
    if isinstance(op, memory.MemoryFenceAliasOp) and not op.results and not op.operands:
        return InBlock(run_barrier)
    return InBlock(run_join, results=op.results[:1] or [None])
