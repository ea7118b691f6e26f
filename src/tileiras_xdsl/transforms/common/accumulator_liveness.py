"""
Which accumulators of a kernel are live together.

    %s = nv_tileas.dot %q, %k, %zero            live up to the dot that has %p as operand A
    %p = softmax %s
    %o = nv_tileas.dot %p, %v, %acc             a loop carries it: live at both

The registers of an accumulator are taken until its result, or what is computed of it element by
element, is used for the last time. A dot that adds to it takes its registers over; one whose
operand B it becomes reads it from shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue, Use

from tileiras_xdsl.dialects.nv_tileaa.attributes import Elementwise, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    ExpandDimsOperation,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.walking import find_around, walk

Dot = DotOperation | MmaFScaledOp
DotT = TypeVar("DotT", bound=Dot)

RESHAPES = (ViewOperation, ExpandDimsOperation, PermuteOp, ConvertLayoutOp, AssumeOp)
B_INDEX = 1
ACCUMULATOR_INDEX = 2


def group_by_loop(dots: Sequence[DotT]) -> dict[Operation | None, list[DotT]]:
    """Dots by the loop that they are in."""
    loops: dict[Operation | None, list[DotT]] = {}
    for op in dots:
        loops.setdefault(find_around(op, scf.ForOp, scf.WhileOp), []).append(op)
    return loops


def find_live_together(dots: Sequence[DotT]) -> list[list[DotT]]:
    """For each of some dots, those of them whose accumulators are live while it is done."""
    if len(dots) < 2:
        return [[dot] for dot in dots]
    live: dict[Operation, dict[DotT, set[SSAValue]]] = {dot: {dot: set()} for dot in dots}
    for dot in dots:
        for other, value in _live_at(dot):
            if other is not dot and other in live:
                live[other].setdefault(dot, set()).add(value)
    return [_distinct(each) for each in live.values()]


def _distinct(live: dict[DotT, set[SSAValue]]) -> list[DotT]:
    """Dots without those whose registers are those of others, as a loop carries both."""
    found: list[DotT] = []
    known: set[SSAValue] = set()
    for dot, values in live.items():
        if known.isdisjoint(values):
            found.append(dot)
        known |= values
    return found


def _live_at(dot: Dot) -> Iterator[tuple[Dot, SSAValue]]:
    """
    The dots that are done while the accumulator of a dot is live, from its end on, and the value
    that it is then.
    """
    seen: set[SSAValue] = set()
    values: list[SSAValue] = [dot.results[0]]
    while values:
        value = values.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in _register_uses(value):
            yield from ((other, value) for other in _dots_between(value, use))
            values += _taken_by(use)


def _register_uses(value: SSAValue) -> Iterator[Use]:
    """The uses of a value in registers: after the first dot whose operand B it is, no other is."""
    written: set[Block | None] = set()
    for use in sorted(value.uses, key=lambda use: use.operation is not _first_b_user(value)):
        if isinstance(use.operation, Dot) and use.index == B_INDEX:
            if use.operation.parent_block() in written:
                continue
            written.add(use.operation.parent_block())
        yield use


def _first_b_user(value: SSAValue) -> Operation | None:
    users = [
        use.operation
        for use in value.uses
        if isinstance(use.operation, Dot) and use.index == B_INDEX
    ]
    block = users[0].parent_block() if users else None
    return None if block is None else next(op for op in block.ops if op in users)


def _taken_by(use: Use) -> Sequence[SSAValue]:
    """The values that take the registers of a value over where it is used."""
    user = use.operation
    if isinstance(user, scf.YieldOp):
        parent = user.parent_op()
        if isinstance(parent, scf.WhileOp):
            return (parent.before_region.block.args[use.index],)
        if isinstance(parent, scf.ForOp):
            return parent.body.block.args[use.index + 1], parent.results[use.index]
        return () if parent is None else (parent.results[use.index],)
    if isinstance(user, scf.ConditionOp) and use.index > 0:
        parent = user.parent_op()
        assert isinstance(parent, scf.WhileOp)
        return parent.after_region.block.args[use.index - 1], parent.results[use.index - 1]
    if isinstance(user, scf.ForOp) and use.index > 2:
        return (user.body.block.args[use.index - 2],)
    if isinstance(user, scf.WhileOp):
        return (user.before_region.block.args[use.index],)
    is_tile = bool(user.results) and isinstance(user.results[0].type, TensorType)
    if is_tile and _passes_on(user):
        return (user.results[0],)
    return ()


def _passes_on(op: Operation) -> bool:
    """Whether elements of a tile are computed of the same elements of others, or reshaped."""
    if isinstance(op, RESHAPES) or op.has_trait(Elementwise, value_if_unregistered=False):
        return True
    return op.dialect_name() in ("arith", "math") and bool(op.operands) and not op.regions


def _dots_between(value: SSAValue, use: Use) -> Iterator[Dot]:
    """The dots from the definition of a value to a use of it."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
    assert block is not None
    op = block.first_op if isinstance(value.owner, Block) else value.owner.next_op
    user = use.operation
    while op is not None and op is not user:
        inner = walk(op)
        yield from (each for each in inner if isinstance(each, Dot) and each is not user)
        if user in inner:
            return
        op = op.next_op
    if isinstance(user, Dot) and use.index not in (B_INDEX, ACCUMULATOR_INDEX):
        yield user


def live_shapes(dots: Sequence[Dot]) -> list[list[Sequence[int]]]:
    """The shapes of the accumulators that are live together, for each of some dots."""
    found = find_live_together(dots)
    return [[get_shape(each.results[0].type) for each in live] for live in found]
