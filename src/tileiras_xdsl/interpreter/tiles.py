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
from tileiras_xdsl.dialects.nv_tileas.grid import ResidentCtasOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, FenceProxyOp, WaitCopiesOp

from .attributes import attribute, has_results, integer, property_of, word, word_of
from .cta_state import CtaState
from .elements import from_bits
from .machine import TILES, BoundProgram, Function, InCta
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
def run_tile_block_id(cta: CtaState) -> Value:
    """The index of the tile block."""
    return [np.asarray(index, np.int32) for index in cta.index]


@TILES.runs(ct.GetNumTileBlocksOp)
def run_num_tile_blocks(cta: CtaState) -> Value:
    """The sizes of the grid."""
    return [np.asarray(size, np.int32) for size in cta.grid]


@TILES.runs(gpu.BlockIdOp, dimension=word("dimension"))
def run_block_id(cta: CtaState, *, dimension: str) -> Array:
    """The index of the CTA along one dimension."""
    return np.asarray(cta.index["xyz".index(dimension)], np.int64)


@TILES.runs(gpu.GridDimOp, dimension=word("dimension"))
def run_grid_dim(cta: CtaState, *, dimension: str) -> Array:
    """The size of the grid along one dimension."""
    return np.asarray(cta.grid["xyz".index(dimension)], np.int64)


@TILES.runs(ResidentCtasOp, per_sm=integer("ctas_per_sm", 1))
def run_resident_ctas(cta: CtaState, *, per_sm: int) -> Array:
    """The CTAs that all SMs hold at once."""
    return np.asarray(cta.sm_count * per_sm, np.int32)


@TILES.runs(gpu.BarrierOp, BarrierOp)
def run_barrier(cta: CtaState) -> None:
    """A CTA barrier."""
    cta.check_turn("warpgroups wait for each other")
    cta.synchronize()


@TILES.runs(FenceProxyOp, WaitCopiesOp)
def run_nothing() -> None:
    """Bulk copies are done at once here; `barriers` knows which may not be."""


# Memory of the CTA, and what it says


def _symbol_of(op: Operation) -> str:
    name = property_of(op, "name")
    assert isinstance(name, SymbolRefAttr)
    return name.root_reference.data


@TILES.runs(ct.GetGlobalOp, memory.GetGlobalOp, symbol=_symbol_of)
def run_get_global(cta: CtaState, *, symbol: str) -> Array:
    """The address of a global variable."""
    return np.asarray(cta.globals[symbol], np.int64)


SIZES = {"count": integer("num_elem"), "alignment": integer("alignment")}


@TILES.runs(ct.AllocaOp, element=lambda op: pointee_of(op.results[0].type), **SIZES)
@TILES.runs(memory.AllocaOp, element=attribute("elem_type"), **SIZES)
def run_alloca(
    cta: CtaState, *, op: Operation, element: Attribute, count: int, alignment: int
) -> Array:
    """Memory of the CTA."""
    return cta.allocate(op, element, count, alignment)


@TILES.runs(ct.AssertOp, memory.AssertOp, message=word("message"))
def run_assert(cta: CtaState, condition: Value, *, op: Operation, message: str) -> None:
    """Stops the program unless a condition holds."""
    cta.verify(op, condition, message)


@TILES.binds(ct.PrintTkoOp, ct.PrintOp, memory.PrintOp)
def bind_print(op: ct.PrintTkoOp | ct.PrintOp | memory.PrintOp, program: BoundProgram) -> InCta:
    """Prints values."""
    text = word_of(op, "str")
    arguments = op.arguments if isinstance(op, memory.PrintOp) else op.args
    elements = [element_of(value.type) for value in arguments]
    token = None if isinstance(op, ct.PrintOp) else op.token

    def show(cta: CtaState, token: Token | None, *values: Value) -> Token | None:
        return cta.show(op, token, text, values, elements)

    return InCta(show, [token, *arguments], op.results[:1] or [None])


# Tokens


@TILES.runs(ct.MakeTokenOp, tokens.CreateMemTokenOp)
def run_make_token(cta: CtaState, *scope: Value) -> Token | None:
    """The token that comes after nothing."""
    return cta.join(())


@TILES.runs(ct.JoinTokensOp, ct.TokenJoinOp, tokens.JoinMemTokenOp)
def run_join(cta: CtaState, *joined: Token | None) -> Token | None:
    """The token after several others."""
    return cta.join(joined)


@TILES.runs(ct.GdcWaitOp, memory.GdcWaitOp, has_token=has_results)
def run_gdc_wait(cta: CtaState, *before: Token | None, has_token: bool) -> Token | None:
    """Waits for the grid that the launch depends on."""
    after = cta.wait_for_grids(before, has_token=has_token)
    return after if has_token else None


@TILES.binds(ct.MemoryFenceAliasOp, ct.GdcLaunchDependentsOp)
@TILES.binds(memory.MemoryFenceAliasOp, memory.GdcLaunchDependentsOp)
def bind_token_effect(op: Operation, program: BoundProgram) -> InCta:
    """What orders by its tokens only; a fence without any is a barrier."""
    if isinstance(op, memory.MemoryFenceAliasOp) and not op.results and not op.operands:
        return InCta(run_barrier)
    return InCta(run_join, results=op.results[:1] or [None])
