"""
Ops that the conversion to `llvm` and `nvvm` may leave: `arith.constant` and `arith.index_cast` of
`index`, `vector.extract` and `vector.from_elements` of fragments.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, VectorType

from tileiras_xdsl.dialects import vector

from .constants import constant_registers, is_number
from .types import lanes_of, registers_of, scalar_bits, scalar_type
from .writer import Lane, LlvmFunctionWriter, fail, translates


@translates(arith.ConstantOp)
def _constant(writer: LlvmFunctionWriter, op: arith.ConstantOp) -> None:
    writer.set(op.result, *constant_registers(op.value, op.result.type))


@translates(arith.IndexCastOp)
def _index_cast(writer: LlvmFunctionWriter, op: arith.IndexCastOp) -> None:
    before, after = (scalar_bits(scalar_type(each.type)) for each in (op.input, op.result))
    if before == after:
        writer.set(op.result, *writer.registers(op.input))
        return
    word = "sext" if before < after else "trunc"
    writer.elementwise(
        op.result,
        [op.input],
        lambda types, texts, result: f"{word} {types[0]} {texts[0]} to {result}",
    )


@translates(vector.FromElementsOp)
def _from_elements(writer: LlvmFunctionWriter, op: vector.FromElementsOp) -> None:
    lanes = [writer.scalar(element) for element in op.elements]
    writer.set(op.dest, *writer.group(registers_of(op.dest.type), lanes))


@translates(vector.ExtractOp)
def _extract(writer: LlvmFunctionWriter, op: vector.ExtractOp) -> None:
    ty = op.vector.type
    assert isinstance(ty, VectorType)
    shape = ty.get_shape()
    dynamic = iter(op.dynamic_position)
    positions: list[int | None] = []
    names: list[str] = []
    for position in op.static_position.get_values():
        if position == DYNAMIC_INDEX:
            text = writer.scalar(next(dynamic))
            positions.append(int(text) if is_number(text) else None)
            names.append(text)
        else:
            positions.append(position)
            names.append(str(position))
    if None in positions:
        if len(positions) != 1 or len(shape) != 1:
            fail(op, "an element that is not known can be taken of a vector of rank 1 only")
        text = writer.define(f"extractelement {writer.typed(op.vector)}, i64 {names[0]}")
        writer.set(op.result, text)
        return
    start, count = 0, lanes_of(ty)
    for position, extent in zip(positions, shape, strict=False):
        count //= extent
        start += (position or 0) * count
    if not isinstance(op.result.type, VectorType):
        writer.set(op.result, writer.lane(op.vector, start))
        return
    lanes: list[Lane] = [(op.vector, start + lane) for lane in range(count)]
    writer.set(op.result, *writer.gather(op.result.type, lanes))
