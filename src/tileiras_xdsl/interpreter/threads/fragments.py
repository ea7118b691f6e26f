"""Whole fragments of matrices of a warp: `nvvm.fragment.mma`, `ldmatrix` and `cp_async`."""

from __future__ import annotations

from functools import cache

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import Instruction, mma_a, mma_accumulator, mma_b
from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentCpAsyncOp, FragmentMmaOp
from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.errors import ExecutionError

from . import accesses
from .accesses import GLOBAL, lanes_of
from .arithmetic import integer_of, property_of
from .copies import Copies
from .machine import Direct, Frame, InBlock, Program, binds
from .matrix import ELEMENTS, load_matrices
from .shadow import WARP
from .state import BlockState
from .values import Array, Integers, element_of, from_row_bytes, from_rows, shape_of, to_rows
from .warp import ALL_LANES, per_warp


@cache
def _numbers(layout: LinearLayout) -> Integers:
    """The numbers of the elements of each lane's registers."""
    return np.array(
        [
            [layout.element(register=register, lane=lane) for register in range(layout.registers)]
            for lane in range(WARP)
        ]
    )


def _layouts(op: FragmentMmaOp, bits: int) -> tuple[LinearLayout, LinearLayout, LinearLayout]:
    """Where the elements of A, B and C of one warp are."""
    m, n, k = op.shape.extents
    instruction = Instruction(m, n, k, bits)
    batch, along_m, along_n, along_k = op.get_tiles()
    rows, columns, depth = m * along_m, n * along_n, k * along_k
    a = mma_a((batch, rows, depth), 1, 1, bits, instruction=instruction)
    b = mma_b((batch, depth, columns), 1, 1, bits, instruction=instruction)
    c = mma_accumulator((batch, rows, columns), 1, 1, instruction=instruction)
    if a is None or b is None or c is None:
        raise ExecutionError("has operands that are too small")
    return a, b, c


@binds("nvvm.fragment.mma")
def bind_fragment_mma(op: FragmentMmaOp, program: Program) -> InBlock:
    """The product of a warp's tiles."""
    words = (op.type_a.data.value, op.type_b.data.value)
    elements = (ELEMENTS[words[0]], ELEMENTS[words[1]], element_of(op.c.type))
    types = (op.a.type, op.b.type, op.c.type)
    bits = 8 * to_rows(np.zeros((1, *shape_of(op.a.type)), np.float64), op.a.type).shape[1]
    layouts = _layouts(op, bits // shape_of(op.a.type)[0])

    def gather(block: BlockState, value: Array, which: int) -> Array:
        (count,) = shape_of(types[which])
        data = to_rows(block.full(value), types[which])
        fragment = per_warp(block, from_row_bytes(data, elements[which], (count,)))
        layout = layouts[which]
        matrix = np.zeros((len(fragment), layout.elements), fragment.dtype)
        matrix[:, _numbers(layout)] = fragment
        return matrix.reshape(-1, *layout.shape)

    def apply(block: BlockState, *values: Array) -> Array:
        block.check_lanes(ALL_LANES)
        if block.threads % WARP:
            raise ExecutionError(f"needs whole warps, but the block has {block.threads} threads")
        a, b, c = (gather(block, value, which) for which, value in enumerate(values))
        if isinstance(elements[0], IntegerType):
            signs = [word[0] == "s" for word in words]
            product = numerics.mmai(a, b, c, lhs_signed=signs[0], rhs_signed=signs[1])
        else:
            product = numerics.mmaf(*elements, a, b, c)
        flat = product.reshape(len(product), -1)
        return flat[:, _numbers(layouts[2])].reshape(block.threads, -1)

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
