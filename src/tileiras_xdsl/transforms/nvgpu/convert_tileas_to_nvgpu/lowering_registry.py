"""
Dispatches each op of a kernel at the level of `nv_tileas`, where ops of `nv_tileaa` and scalar
dialects remain, to the function that lowers it to the code of a thread.

A lowering is a function of a builder and an op, registered by the name of the op. It looks up the
converted operands, emits ops, and maps the results to converted values:

    @lowers("nv_tileaa.negf")
    def lower_negf(builder: ThreadBuilder, op: NegFOp) -> None:
        builder.map(op.result, builder.emit(arith.NegfOp(builder.lookup(op.operand))).result)

There is no pattern driver: the ops of a block are lowered once, in their order. Scalar ops of other
dialects without a lowering are cloned.
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

UNBOUNDED: Final = frozenset({"arith.constant", "nv_tileaa.splat"})
"""Ops whose tiles may have any size: they compute nothing, and users of a tile are checked."""

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


def lower_block(builder: ThreadBuilder, block: Block) -> None:
    """Lowers the ops of a block at the insertion point of a builder."""
    for op in block.ops:
        lower_op(builder, op)


def lower_op(builder: ThreadBuilder, op: Operation) -> None:
    """Lowers an op at the insertion point of the builder of another one."""
    _check_size(op, builder.kernel)
    lowering = LOWERINGS.get(op.name)
    if lowering is not None:
        op_builder = builder.for_op(op)
        lowering(op_builder, op)
        if BUFFERS.is_on(op) and not isinstance(op, AllocaOp):
            # Memory of `alloca` ops was assigned at the start of the kernel.
            op_builder.check_buffers()
    elif (
        op.regions
        or op.name.startswith(("nv_tileaa.", "nv_tileas."))
        or any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
    ):
        fail(op, f"'{op.name}' op cannot be lowered to threads")
    else:
        _clone(builder.for_op(op), op)


def _check_size(op: Operation, kernel: KernelLowering) -> None:
    """Rejects tiles that would take ptxas many minutes, except those of constants and splats."""
    threads, each = kernel.consumer_threads, kernel.target.limits.elements
    limit = each * threads
    for result in op.results:
        if not isinstance(ty := result.type, TensorType) or op.name in UNBOUNDED:
            continue
        if (elements := prod(ty.get_shape())) > limit:
            fail(
                op,
                f"'{op.name}' op has a tile of {elements} elements, but {threads} threads "
                f"can have {limit}, {each} each: use smaller tiles",
            )


def _clone(builder: ThreadBuilder, op: Operation) -> None:
    """The same op, on vectors where its operands were converted to vectors."""
    types = [result.type for result in op.results]
    if op.operands:
        types = [builder.converted_type(result) for result in op.results]
    clone = type(op).create(
        operands=[builder.lookup(operand) for operand in op.operands],
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    builder.emit(clone)
    for old, new in zip(op.results, clone.results, strict=True):
        builder.map(old, new)
