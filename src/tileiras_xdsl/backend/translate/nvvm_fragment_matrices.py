"""Ops of `nvvm` on fragments of matrices: an instruction for each part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import nvvm

from .nvvm_matrix import ACCUMULATORS, SMALL_FLOATS, as_operands, as_outputs, list_of, restore
from .types import Register, pointer, registers_of
from .writer import NVVM, SM_89, SM_90, FunctionWriter, Table, fail, handles

FRAGMENT_MATRIX_OPS: Final[Table] = {}

SHARED: Final = pointer(3)
GLOBAL: Final = pointer(1)
HOPPER_SHAPES: Final = ((16, 8, 4), (16, 8, 8), (16, 8, 16))
"""Products of f64 that earlier architectures lack."""

Operand = tuple[str, str, str]


def _words(writer: FunctionWriter, value: SSAValue) -> list[Operand]:
    """The registers of a factor: doubles, or words of 32 bits."""
    return [
        ("d", register.type, text)
        if register.bits == 64
        else ("r", "i32", writer.cast(register, text, "i32"))
        for register, text in writer.typed_registers(value)
    ]


@handles(FRAGMENT_MATRIX_OPS, nvvm.FragmentMmaOp)
def _mma(writer: FunctionWriter, op: nvvm.FragmentMmaOp) -> None:
    m, n, k = op.shape.extents
    types = (op.type_a.data.value, op.type_b.data.value)
    held = registers_of(op.result.type)
    total = ACCUMULATORS.get(held[0].element)
    if total is None:
        fail(op, f"'{op.name}' has no sums in '{op.result.type}'")
    if set(types) & set(SMALL_FLOATS):
        writer.require(op, SM_89)
    if types[0] == "f64" and op.shape.extents in HOPPER_SHAPES:
        writer.require(op, SM_90)
    batches, rows, columns, steps = op.get_tiles()
    a, b = _words(writer, op.a), _words(writer, op.b)
    c = as_operands(writer, op, [op.c])
    size_a, size_b = len(a) // (batches * rows * steps), len(b) // (batches * columns * steps)
    size_c = len(c) // (batches * rows * columns)
    starts = [0, size_c, size_c + size_a, size_c + size_a + size_b]
    lists = ", ".join(
        list_of(start, size)
        for start, size in zip(starts, (size_c, size_a, size_b, size_c), strict=True)
    )
    template = (
        f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{total}.{types[0]}.{types[1]}.{total} {lists};"
    )
    outputs = as_outputs(held[:size_c])
    for batch in range(batches):
        for step in range(steps):
            for row in range(rows):
                at_a = ((batch * rows + row) * steps + step) * size_a
                for column in _snake(columns, row):
                    at_b = ((batch * columns + column) * steps + step) * size_b
                    at_c = ((batch * rows + row) * columns + column) * size_c
                    inputs = [
                        *a[at_a : at_a + size_a],
                        *b[at_b : at_b + size_b],
                        *c[at_c : at_c + size_c],
                    ]
                    texts = writer.assembly(
                        template, outputs, inputs, effects=False, converges=True
                    )
                    for index, text in enumerate(texts):
                        constraint, type, _ = c[at_c + index]
                        c[at_c + index] = constraint, type, text
    writer.set(op.result, *restore(writer, held, [text for _, _, text in c]))


def _snake(columns: int, row: int) -> Sequence[int]:
    """Forwards and backwards in turn, so that neighbouring instructions share a factor."""
    return range(columns - 1, -1, -1) if row % 2 else range(columns)


@handles(FRAGMENT_MATRIX_OPS, nvvm.FragmentLdMatrixOp)
def _ldmatrix(writer: FunctionWriter, op: nvvm.FragmentLdMatrixOp) -> None:
    num = op.num.value.data
    trans = "" if op.trans is None else ".trans"
    name = f"{NVVM}ldmatrix.sync.aligned.m8n8.x{num}{trans}.b16.p3"
    result = "i32" if num == 1 else f"{{ {', '.join(['i32'] * num)} }}"
    words: list[str] = []
    for address in writer.lanes(op.addresses):
        text = writer.call(name, result, [(SHARED, address)])
        if num == 1:
            words.append(text)
        else:
            words.extend(writer.define(f"extractvalue {result} {text}, {i}") for i in range(num))
    held: Sequence[Register] = registers_of(op.result.type)
    writer.set(
        op.result,
        *(writer.cast_back(word, each) for word, each in zip(words, held, strict=True)),
    )


@handles(FRAGMENT_MATRIX_OPS, nvvm.FragmentStMatrixOp)
def _stmatrix(writer: FunctionWriter, op: nvvm.FragmentStMatrixOp) -> None:
    writer.require(op, SM_90)
    num = op.num.value.data
    trans = "" if op.trans is None else ".trans"
    name = f"{NVVM}stmatrix.sync.aligned.m8n8.x{num}{trans}.b16.p3"
    words = [(type, text) for _, type, text in _words(writer, op.value)]
    for index, address in enumerate(writer.lanes(op.addresses)):
        part = words[index * num : (index + 1) * num]
        writer.call(name, "void", [(SHARED, address), *part])


@handles(FRAGMENT_MATRIX_OPS, nvvm.FragmentCpAsyncOp)
def _cp_async(writer: FunctionWriter, op: nvvm.FragmentCpAsyncOp) -> None:
    size = op.bytes.value.data
    modifier = "cg" if size == 16 else "ca"
    name = f"{NVVM}cp.async.{modifier}.shared.global.{size}"
    targets, sources = writer.lanes(op.dst), writer.lanes(op.src)
    masks = [None] * len(targets) if op.mask is None else writer.lanes(op.mask)
    sizes: dict[str, str] = {}
    for target, source, mask in zip(targets, sources, masks, strict=True):
        arguments = [(SHARED, target), (GLOBAL, source)]
        if mask is None:
            writer.call(name, "void", arguments)
            continue
        if mask not in sizes:
            sizes[mask] = writer.define(f"select i1 {mask}, i32 {size}, i32 0")
        writer.call(f"{name}.s", "void", [*arguments, ("i32", sizes[mask])])
