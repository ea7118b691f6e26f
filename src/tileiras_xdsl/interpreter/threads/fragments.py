"""Fragments of matrices of a warp: `nvvm.fragment.mma`, `ldmatrix`, `stmatrix` and `cp_async`."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentCpAsyncOp, FragmentMmaOp

from .attributes import property_of
from .copies import begin_pieces
from .machine import Direct, Frame, InBlock, Program, binds
from .matrix import (
    accumulator_type,
    check_product,
    load_fragment,
    mma_tiles,
    store_fragment,
)
from .state import BlockState
from .values import Array, element_of, from_rows, to_rows


@binds("nvvm.fragment.mma")
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


@binds("nvvm.fragment.ldmatrix")
def bind_fragment_ldmatrix(op: Operation, program: Program) -> InBlock:
    """Reads matrices, so many for each address."""
    return load_fragment(op, property_of(op, "trans") is not None)


@binds("nvvm.fragment.stmatrix")
def bind_fragment_stmatrix(op: Operation, program: Program) -> InBlock:
    """Writes matrices, so many for each address."""
    return store_fragment(op, property_of(op, "trans") is not None)


@binds("nvvm.fragment.cp_async")
def bind_fragment_cp_async(op: FragmentCpAsyncOp, program: Program) -> Direct:
    """Begins to copy pieces; those that the mask leaves out are zeros."""
    size = op.bytes.value.data
    targets, sources = program.register(op.dst), program.register(op.src)
    masks = None if op.mask is None else program.register(op.mask)

    def step(frame: Frame) -> None:
        registers = frame.registers
        mask = None if masks is None else cast(Array, registers[masks])
        target, source = (cast(Array, registers[each]) for each in (targets, sources))
        begin_pieces(op, frame.block, target, source, mask, size)

    return Direct(step)
