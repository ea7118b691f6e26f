"""Fragments of matrices of a warp: `nvvm.fragment.mma`, `ldmatrix`, `stmatrix` and `cp_async`."""

from __future__ import annotations

from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentCpAsyncOp, FragmentMmaOp
from tileiras_xdsl.interpreter.attributes import flag, integer, operand_type, result_type
from tileiras_xdsl.interpreter.machine import THREADS, InBlock, Program, slots
from tileiras_xdsl.interpreter.types import element_of
from tileiras_xdsl.interpreter.values import Array, from_rows, to_rows

from .accesses import GLOBAL, How
from .copies import begin_pieces
from .matrix import (
    accumulator_type,
    check_product,
    load_pieces,
    mma_tiles,
    store_pieces,
)
from .state import BlockState


@THREADS.binds("nvvm.fragment.mma")
def bind_fragment_mma(op: FragmentMmaOp, program: Program) -> InBlock:
    """The product of a warp's tiles."""
    types = (
        accumulator_type(element_of(op.c.type)),
        op.type_a.data.value,
        op.type_b.data.value,
    )
    a_type, b_type, c_type = op.a.type, op.b.type, op.c.type
    shape, tiles = op.shape.extents, op.get_tiles()
    check_product(shape, types)

    def apply(block: BlockState, a: Array, b: Array, c: Array) -> Array:
        operands = (to_rows(a, a_type), to_rows(b, b_type), to_rows(c, c_type))
        return from_rows(mma_tiles(block, shape, tiles, types, operands), c_type)

    return InBlock(apply)


@THREADS.runs(
    "nvvm.fragment.ldmatrix", num=integer("num"), type=result_type, transposed=flag("trans")
)
def run_fragment_ldmatrix(
    block: BlockState,
    addresses: Array,
    *,
    op: Operation,
    num: int,
    type: Attribute,
    transposed: bool,
) -> Array:
    """Reads matrices, so many for each address."""
    return from_rows(load_pieces(op, block, addresses, num, transposed), type)


@THREADS.runs(
    "nvvm.fragment.stmatrix", num=integer("num"), type=operand_type(0), transposed=flag("trans")
)
def run_fragment_stmatrix(
    block: BlockState,
    value: Array,
    addresses: Array,
    *,
    op: Operation,
    num: int,
    type: Attribute,
    transposed: bool,
) -> None:
    """Writes matrices, so many for each address."""
    store_pieces(op, block, addresses, to_rows(block.full(value), type), transposed)


@THREADS.binds("nvvm.fragment.cp_async")
def bind_fragment_cp_async(op: FragmentCpAsyncOp, program: Program) -> InBlock:
    """Begins to copy pieces; those that the mask leaves out are zeros."""
    size, how = op.bytes.value.data, How(op, GLOBAL)

    def apply(block: BlockState, target: Array, source: Array, mask: Array | None) -> None:
        begin_pieces(how, block, target, source, mask, size)

    return InBlock(apply, slots(op, "dst src mask"))
