"""What a value may be replaced by: a value at hand of the same type, or a zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.tokens import CreateMemTokenOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType

ZERO_MAKERS = (
    ct.ConstantOp,
    ct.MakeTokenOp,
    CreateMemTokenOp,
    arith.ConstantOp,
    llvm.ConstantOp,
    llvm.ZeroOp,
)


def enclosing(op: Operation) -> Iterator[Operation]:
    """The ops around an op, innermost first."""
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()


def make_zero(ty: Attribute, place: Operation) -> Operation | None:
    """An op that makes a zero, or an empty token; `None` for types that have none."""
    match ty:
        case ct.TileType() if ct.types.is_number(ty.element_type):
            return ct.ConstantOp(ct.DenseElementsAttr.from_bits(ty, [0]))
        case ct.TokenType():
            return ct.MakeTokenOp()
        case MemTokenType():
            return CreateMemTokenOp.create(result_types=[ty])
        case llvm.LLVMPointerType():
            return llvm.ZeroOp.create(result_types=[ty])
        case _ if any(isinstance(op, llvm.FuncOp) for op in enclosing(place)):
            is_number = isinstance(ty, IntegerType | AnyFloat | VectorType)
            return llvm.ZeroOp.create(result_types=[ty]) if is_number else None
        case _:
            return _zero_constant(ty)


def _zero_constant(ty: Attribute) -> Operation | None:
    if isinstance(ty, IntegerType | IndexType):
        return arith.ConstantOp(IntegerAttr(0, ty))
    if isinstance(ty, AnyFloat):
        return arith.ConstantOp(FloatAttr(0.0, ty))
    if isinstance(ty, TensorType | VectorType):
        return arith.ConstantOp.create(
            properties={"value": DenseIntOrFPElementsAttr.from_list(ty, [0])},  # pyright: ignore
            result_types=[ty],
        )
    return None


def is_zero_maker(op: Operation) -> bool:
    """Whether an op has no operands and makes one value, so that a zero would be no simpler."""
    return not op.operands and isinstance(op, ZERO_MAKERS)


def values_before(op: Operation) -> Iterator[SSAValue]:
    """The values that an op may use in place of its own, the outermost and earliest first."""
    chain = [op, *enclosing(op)]
    for inner in reversed(chain):
        block = inner.parent
        if block is None:
            continue
        yield from block.args
        before = block.first_op
        while before is not None and before is not inner:
            yield from before.results
            before = before.next_op


def first_of_type(
    values: Sequence[SSAValue] | Iterator[SSAValue], ty: Attribute
) -> SSAValue | None:
    """The first of some values that has a type."""
    return next((value for value in values if value.type == ty), None)


def substitute(
    value: SSAValue, place: Operation, order: Sequence[str], operands: Sequence[SSAValue] = ()
) -> SSAValue | None:
    """
    A value of the same type that can be used at `place`: of `order`, "operand" is one of the
    operands, "earlier" any value before, "zero" a new constant there.
    """
    ty = value.type
    for kind in order:
        found: SSAValue | None
        if kind == "operand":
            found = first_of_type(operands, ty)
        elif kind == "earlier":
            found = first_of_type(values_before(place), ty)
        else:
            op = make_zero(ty, place)
            found = None
            if op is not None:
                block = place.parent
                assert block is not None
                block.insert_op_before(op, place)
                found = op.results[0]
        if found is not None and found is not value:
            return found
    return None


def start_of(block: Block) -> Operation:
    """The first op of a block."""
    assert block.first_op is not None
    return block.first_op
