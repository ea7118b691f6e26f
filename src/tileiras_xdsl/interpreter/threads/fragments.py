"""Fragments of matrices of a warp: `nvvm.fragment.mma`, `ldmatrix`, `stmatrix` and `cp_async`."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentCpAsyncOp, FragmentMmaOp

from . import accesses
from .accesses import GLOBAL, lanes_of
from .attributes import integer_of, property_of
from .copies import Copies
from .machine import Direct, Frame, InBlock, Program, binds
from .matrix import (
    accumulator_type,
    check_product,
    load_matrices,
    mma_tiles,
    store_matrices,
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
    num, type = integer_of(op, "num"), op.results[0].type
    transposed = property_of(op, "trans") is not None

    def apply(block: BlockState, addresses: Array) -> Array:
        parts = [
            load_matrices(op, block, addresses[:, index], num, transposed)
            for index in range(addresses.shape[1])
        ]
        return from_rows(np.concatenate(parts, axis=1), type)

    return InBlock(apply)


@binds("nvvm.fragment.stmatrix")
def bind_fragment_stmatrix(op: Operation, program: Program) -> InBlock:
    """Writes matrices, so many for each address."""
    num, type = integer_of(op, "num"), op.operands[0].type
    transposed = property_of(op, "trans") is not None

    def apply(block: BlockState, value: Array, addresses: Array) -> tuple[()]:
        rows, targets = to_rows(block.full(value), type), block.full(addresses)
        for index in range(targets.shape[1]):
            part = rows[:, 4 * num * index : 4 * num * (index + 1)]
            store_matrices(op, block, targets[:, index], part, transposed)
        return ()

    return InBlock(apply)


@binds("nvvm.fragment.cp_async")
def bind_fragment_cp_async(op: FragmentCpAsyncOp, program: Program) -> Direct:
    """Begins to copy pieces; those that the mask leaves out are zeros."""
    size = op.bytes.value.data
    targets, sources = program.register(op.dst), program.register(op.src)
    masks = None if op.mask is None else program.register(op.mask)

    def step(frame: Frame) -> None:
        block = frame.block
        target, source = (block.full(frame.registers[each]) for each in (targets, sources))
        mask = None if masks is None else block.full(frame.registers[masks])
        for index in range(target.shape[1]):
            wanted = None if mask is None else mask[:, index]
            lanes = lanes_of(block, source[:, index], wanted)
            data = accesses.load(op, block, GLOBAL, lanes, size)
            Copies.of(block).begin(op, block, target[:, index], data)

    return Direct(step)
