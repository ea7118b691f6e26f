"""
Conversion patterns: how each op of level 2 is lowered to the code of a thread.

A pattern is a function of a builder and an op. It sees the op and what its operands became, emits
ops, and says what the results became:

    @lowers("nv_tileaa.negf")
    def lower_negf(code: ThreadBuilder, op: NegFOp) -> None:
        code.set(op.result, code.emit(arith.NegfOp(code.value(op.operand))).result)

Ops are lowered in order, each by the pattern of its name. Scalar ops of other dialects without a
pattern are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFERS
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .kernel import KernelLowering
from .thread_builder import ThreadBuilder

UNIFORM: Final = frozenset({"arith.constant", "nv_tileaa.splat"})
"""Ops whose tiles may have any size, because a thread has one value for all elements."""

Lowering = Callable[[ThreadBuilder, Any], None]

LOWERINGS: dict[str, Lowering] = {}
"""By the name of the op."""


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers the lowering of some ops."""

    def register(lowering: Lowering) -> Lowering:
        for name in names:
            if name in LOWERINGS:
                raise ValueError(f"there are two lowerings of '{name}'")
            LOWERINGS[name] = lowering
        return lowering

    return register


def lower_block(code: ThreadBuilder, block: Block) -> None:
    """Lowers the ops of a block at the insertion point of a builder."""
    for op in block.ops:
        lower_op(code, op)


def lower_op(code: ThreadBuilder, op: Operation) -> None:
    """Lowers an op at the insertion point of the builder of another one."""
    _check_size(op, code.kernel)
    lowering = LOWERINGS.get(op.name)
    if lowering is not None:
        builder = code.for_op(op)
        lowering(builder, op)
        if BUFFERS.is_on(op) and not isinstance(op, AllocaOp):
            # Memory of `alloca` ops was assigned at the start of the kernel.
            builder.check_buffers()
    elif (
        op.regions
        or op.name.startswith(("nv_tileaa.", "nv_tileas."))
        or any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
    ):
        fail(op, f"'{op.name}' op cannot be lowered to threads")
    else:
        _copy(code.for_op(op), op)


def _check_size(op: Operation, kernel: KernelLowering) -> None:
    """Rejects tiles that would take ptxas many minutes, except splats."""
    threads, each = kernel.threads, kernel.target.limits.elements
    limit = each * threads
    for result in op.results:
        if not isinstance(ty := result.type, TensorType) or op.name in UNIFORM:
            continue
        if (elements := prod(ty.get_shape())) > limit:
            fail(
                op,
                f"'{op.name}' op has a tile of {elements} elements, but {threads} threads "
                f"can have {limit}, {each} each: use smaller tiles",
            )


def _copy(code: ThreadBuilder, op: Operation) -> None:
    """The same op, on vectors where scalars became vectors."""
    types = [result.type for result in op.results]
    if op.operands:
        types = [code.type(result) for result in op.results]
    copy = type(op).create(
        operands=[code.value(operand) for operand in op.operands],
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    code.emit(copy)
    for old, new in zip(op.results, copy.results, strict=True):
        code.set(old, new)
