"""
Dispatches each op of a kernel at the level of `nv_tileas`, where ops of `nv_tileaa` and scalar
dialects remain, to the function that lowers it to the code of a thread.

A lowering is a function of a builder and an op, registered for op classes. It looks up the
converted operands, emits ops, and maps the results to converted values:

    @lowers(AssumeOp)
    def lower_assume(builder: ThreadBuilder, op: AssumeOp) -> None:
        builder.map(op.result, *builder.lookup_all(op.value))

These are no `ConversionPattern`s: one value becomes several, and the ops of a block are lowered
once, in their order, some of them together. Scalar ops of other dialects without a lowering are
cloned.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

from typing_extensions import TypeVar
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFERS
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .thread_builder import KernelLowering, ThreadBuilder

UNBOUNDED: Final = (ConstantOp, SplatOp)
"""Ops whose tiles may have any size: they compute nothing, and users of a tile are checked."""

OpT = TypeVar("OpT", bound=Operation)
Lowering = Callable[[ThreadBuilder, OpT], None]

LOWERINGS: dict[str, Lowering[Any]] = {}
"""By the name that the op has in its class: some of ours extend one of xDSL."""


def lowers(*classes: type[OpT]) -> Callable[[Lowering[OpT]], Lowering[OpT]]:
    """Registers the lowering of the ops of some classes."""

    def register(lowering: Lowering[OpT]) -> Lowering[OpT]:
        for each in classes:
            if each.name in LOWERINGS:
                raise ValueError(f"there are two lowerings of '{each.name}'")
            LOWERINGS[each.name] = lowering
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
        clone_op(builder.for_op(op), op)


def _check_size(op: Operation, kernel: KernelLowering) -> None:
    """Rejects tiles that would take ptxas many minutes, except those of constants and splats."""
    threads, each = kernel.consumer_threads, kernel.target.limits.elements
    limit = each * threads
    for result in op.results:
        if not isinstance(ty := result.type, TensorType) or isinstance(op, UNBOUNDED):
            continue
        if (elements := prod(ty.get_shape())) > limit:
            fail(
                op,
                f"'{op.name}' op has a tile of {elements} elements, but {threads} threads "
                f"can have {limit}, {each} each: use smaller tiles",
            )


def clone_op(builder: ThreadBuilder, op: Operation) -> None:
    """Lowers an op to the same one, on vectors where its operands were converted to vectors."""
    types = [result.type for result in op.results]
    if op.operands:
        types = [builder.converted_type(result) for result in op.results]
    copy = type(op).create(
        operands=[builder.lookup(each) for each in op.operands],
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    builder.emit(copy)
    for old, new in zip(op.results, copy.results, strict=True):
        builder.map(old, new)
