"""
Backward slices of an op: the values it depends on, and the loops and branches around it.

Producer warps can run a slice of scalar code as well. It may contain loads that need not be ordered
after anything of the kernel, and whose memory nothing changes: the other warps repeat them, at
another time. If something may change it, all warps load together, before they specialize
(`unspecialized_code`). Waits for other grids that a load comes after belong to its slice, for each
thread waits for itself. A slice with an op that has other effects cannot be repeated, nor can one
with a tensor, unless threads of producer warps hold tiles as well, those of addresses: these are
computed element by element from numbers and from tiles that may be loaded again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import BlockIdOp, FuncOp, GridDimOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.analysis.memory_order import (
    grid_waits_before,
    is_invariant,
    may_be_hoisted_across,
    what_holds,
)
from tileiras_xdsl.dialects.memory_order import effects_of, is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of, walk

from .layout_rules import has_tensors, is_cheap, is_tensor

QUERIES = (BlockIdOp, GridDimOp)
"""Ops with the same result in all threads of a CTA."""


def is_pure(op: Operation) -> bool:
    """Whether an op has no effects, and the same results wherever it is."""
    return _is_pure(type(op))


@cache
def _is_pure(op_class: type[Operation]) -> bool:
    return op_class.has_trait(NoMemoryEffect) or issubclass(op_class, QUERIES)


def operands_of(op: Operation) -> Sequence[SSAValue]:
    """The operands of an op, and the values that its regions capture."""
    if not op.regions:
        return op.operands
    captured = (
        value
        for each in walk(op)
        for value in each.operands
        if each is not op and not op.is_ancestor(value.owner)
    )
    return tuple(dict.fromkeys((*op.operands, *captured)))


def scalar_code(block: Block, excluded: tuple[type[Operation], ...] = ()) -> set[Operation]:
    """
    The ops of a block, except those of some classes, that compute scalars from scalars without
    effects, and depend on none of the other ops of the block.
    """
    found: set[Operation] = set()
    for op in block.ops:
        if op.regions or not is_pure(op) or op is block.last_op or isinstance(op, excluded):
            continue
        if has_tensors(op):
            continue
        if all(not isinstance(v.owner, Operation) or v.owner in found for v in op.operands):
            found.add(op)
    return found


def unspecialized_code(block: Block) -> set[Operation]:
    """
    What all warps of a kernel run before they specialize, of the block of its body: scalar code
    without effects, and loads of scalars that need not be ordered after anything, but whose
    memory may be changed later. Warps specialize after a barrier, so all of them have read by
    then. Waits for other grids that such a load needs come along, if nothing with effects stands
    before them.
    """
    found = scalar_code(block)
    for op in block.ops:
        if op in found or op is block.last_op or op.regions or has_tensors(op):
            continue
        if not all(not isinstance(v.owner, Operation) or v.owner in found for v in op.operands):
            continue
        if is_pure(op):
            found.add(op)
        elif is_plain_load(op) and may_be_hoisted_across(op) and not is_invariant(op):
            waits = grid_waits_before(op)
            if all(_may_come_first(wait, block, found) for wait in waits):
                found.update((op, *waits))
    return found


def _may_come_first(op: Operation, block: Block, found: Collection[Operation]) -> bool:
    """Whether only ops that were found, or have no effects, stand before an op of a block."""
    if op.parent_block() is not block:
        return False
    before = op.prev_op
    while before is not None:
        if before not in found and effects_of(before):
            return False
        before = before.prev_op
    return True


def takes_any_layout(op: Operation) -> bool:
    """Whether an op without effects makes a tile of others without moving data between threads."""
    if op.regions or not is_pure(op) or len(op.results) != 1:
        return False
    return is_cheap(op) or isinstance(op, BroadcastOp | ConvertLayoutOp)


def is_tile_load(op: Operation) -> TypeGuard[LoadOp | TiledLoadOp | GatherLoadOp]:
    """Whether an op is a weak load of a tile by threads."""
    return isinstance(op, LoadOp | TiledLoadOp | GatherLoadOp) and is_plain_load(op)


class NotScalar(Exception):
    """A slice contains more than scalar code."""


Parts = Sequence[Operation | SSAValue]
"""Ops, and values that need their slices."""


@dataclass(eq=False)
class Slice:
    """
    The backward slice of some ops of a kernel, these ops included; with `tiles`, tensors may be in
    it that no op moves between threads.
    """

    tiles: bool = field(default=False, kw_only=True)
    ops: set[Operation] = field(default_factory=set[Operation], init=False)
    values: set[SSAValue] = field(default_factory=set[SSAValue], init=False)
    _shared: set[Operation] | None = field(default=None, init=False)

    def add(self, op: Operation) -> None:
        """
        Adds an op with the slice of its operands, and its waits; `NotScalar` if that is not scalar
        code.
        """
        self._add_all(self._parts_of(op))

    def reach(self, op: Operation) -> None:
        """Adds an op with the loops and branches that control it."""
        self._add_all([op])

    def need(self, value: SSAValue) -> None:
        """Adds a value with its slice; `NotScalar` if that is not scalar code."""
        self._add_all([value])

    def _add_all(self, parts: Parts) -> None:
        """Adds ops with what controls them, and values with their slices, depth first."""
        pending = [*reversed(parts)]
        while pending:
            part = pending.pop()
            more = self._reach(part) if isinstance(part, Operation) else self._need(part)
            pending += reversed(more)

    def _parts_of(self, op: Operation) -> Parts:
        return (op, *op.operands, *(grid_waits_before(op) if is_plain_load(op) else ()))

    def _reach(self, op: Operation) -> Parts:
        """Adds an op; the rest is what controls it."""
        if op in self.ops or isinstance(op, FuncOp):
            return ()
        self.ops.add(op)
        parent = op.parent_op()
        around = () if parent is None else (parent,)
        match op:
            case scf.ForOp():
                return (*around, op.lb, op.ub, op.step)
            case scf.IfOp():
                return (*around, op.cond)
            case scf.WhileOp():
                return (*around, condition_of(op).condition)
            case _:
                return around

    def _need(self, value: SSAValue) -> Parts:
        """Adds a value; the rest is its slice."""
        if value in self.values:
            return ()
        if isinstance(value.type, TensorType):
            return self._need_tile(value)
        self.values.add(value)
        if isinstance(value, BlockArgument):
            return _sources_of_argument(value)
        op = value.owner
        assert isinstance(op, Operation)
        if op.regions:
            return _sources_of_result(op, op.results.index(value))
        is_load = is_plain_load(op)
        if not is_load and not is_pure(op):
            raise NotScalar(f"needs '{op.name}'")
        if self.tiles and any(map(is_tensor, op.operands)):
            raise NotScalar(f"needs '{op.name}', whose threads hold a tile")
        if is_load:
            if op in self._shared_with(op):
                return ()
            _check_load(op)
        return self._parts_of(op)

    def _need_tile(self, value: SSAValue) -> Parts:
        """Adds a tile, if threads of other warps can hold it in other layouts."""
        op = value.owner
        if not self.tiles:
            raise NotScalar(f"needs '{value.type}'")
        if not isinstance(op, Operation):
            raise NotScalar("needs a tile that a loop carries")
        if is_tile_load(op):
            _check_load(op)
        elif not takes_any_layout(op):
            raise NotScalar(f"needs '{op.name}'")
        self.values.add(value)
        return self._parts_of(op)

    def _shared_with(self, op: Operation) -> set[Operation]:
        """What all warps run before they specialize, if an op may be in that."""
        block = op.parent_block()
        if block is None or not isinstance(block.parent_op(), FuncOp):
            return set()
        if self._shared is None:
            self._shared = unspecialized_code(block)
        return self._shared


def _sources_of_result(op: Operation, index: int) -> Parts:
    """What a result of a loop or a branch comes from."""
    match op:
        case scf.ForOp():
            return op, op.body.block.args[index + 1]
        case scf.WhileOp():
            return op, op.after_region.block.args[index]
        case scf.IfOp():
            return op, *(last_of(region.block).operands[index] for region in op.regions)
        case _:
            raise NotScalar(f"needs '{op.name}'")


def _sources_of_argument(value: BlockArgument) -> Parts:
    """What an argument of a loop or of the kernel comes from."""
    block, index = value.owner, value.index
    match block.parent_op():
        case scf.ForOp() as op if index == 0:
            return (op,)
        case scf.ForOp() as op:
            return (
                op,
                op.iter_args[index - 1],
                op.results[index - 1],
                last_of(block).operands[index - 1],
            )
        case scf.WhileOp() as op if block is op.before_region.block:
            return op, op.arguments[index], last_of(op.after_region.block).operands[index]
        case scf.WhileOp() as op:
            return op, op.results[index], condition_of(op).args[index]
        case FuncOp():
            return ()
        case _:
            raise NotScalar("needs an argument of a region")


def _check_load(op: Operation) -> None:
    """Raises unless warps that repeat a load read what all others read."""
    if (holder := what_holds(op)) is not None:
        raise NotScalar(f"needs '{op.name}', and '{holder.name}' may have to be done before that")
    if not is_invariant(op):
        raise NotScalar(f"needs '{op.name}' of memory that may change while the kernel runs")


def carried_values_defined_by(
    ops: Collection[Operation], arguments: Sequence[SSAValue], yields: Sequence[SSAValue]
) -> set[SSAValue]:
    """The loop-carried values that some ops of its body define, in any iteration before."""
    found: set[SSAValue] = set()
    while True:
        more = {
            argument
            for argument, value in zip(arguments, yields, strict=True)
            if value.owner in ops or value in found
        }
        if more <= found:
            return found
        found |= more
