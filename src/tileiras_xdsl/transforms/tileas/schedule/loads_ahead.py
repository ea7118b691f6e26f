"""
Loads by consumer warps, some iterations ahead of their use: what is loaded is in registers until
then.

Before:  %r = scf.for %i = %a to %b step %s iter_args(%o = %z) {
           %x = tiled_load %v[%i] {nv_tileas.ahead = #nv_tileas.ahead<2>}; use(%x)
         }
After:   %r = scf.if %a < %b {
           %x0 = tiled_load %v[%a]
           %x1 = tiled_load %v[%s < %b - %a ? %a + %s : %a]
           %l = scf.for %i = %a to %b step %s iter_args(%o = %z, %x = %x0, %y = %x1) {
             %n = tiled_load %v[2 * %s < %b - %i ? %i + 2 * %s : %i]
             use(%x); yield …, %y, %n
           }
         } else { %z }

The same tiles are loaded as before: instead of those of an iteration that there is not, those of
this one once more, which nothing uses. With a branch instead, threads would wait in it for what
they have loaded, to copy it to the registers of the next iteration. The loop is not peeled, so that
an MMA agent has one copy of its MMAs.

Threads that issue WGMMAs load behind these, while tensor cores multiply. Before them, ptxas would
put the copies, and so the wait for the loads, in front of the WGMMAs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from typing_extensions import TypeVar
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.decisions import AHEAD, AheadAttr
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.structure import integer_of, last_of

from ..kernel_model.slicing import is_pure
from ..kernel_model.wgmma import is_wgmma
from .software_pipelining import clone_op

OpT = TypeVar("OpT", bound=Operation)

LoadAhead = LoadOp | TiledLoadOp | GatherLoadOp

TOGETHER: Final = (DotOp, AggregateOperation, ConvertLayoutOp)
"""Ops that threads do together, maybe by waiting for each other."""


def mark_loads_ahead(loop: scf.ForOp, loads: Sequence[LoadAhead], distance: int) -> bool:
    """
    Marks loads of a loop that are done so many iterations ahead; whether they can be. What they
    depend on is computed again: it has no effects, is no work of tensor cores or of several threads
    together, and nothing of it is carried by the loop. Sums of the step must not overflow.
    """
    body, step, ty = loop.body.block, integer_of(loop.step), loop.lb.type
    if step is None or not isinstance(ty, IntegerType):
        return False
    if not 0 < step * distance < 1 << (ty.width.data - 1):
        return False
    slices = _slice(loop, loads)
    if not all(op in loads or (is_pure(op) and not isinstance(op, TOGETHER)) for op in slices):
        return False
    if any(value in body.args[1:] for op in slices for value in op.operands):
        return False
    for load in loads:
        AHEAD.set(load, AheadAttr(distance))
    return True


def _slice(loop: scf.ForOp, loads: Sequence[Operation]) -> list[Operation]:
    """Loads, and what they depend on in the body of a loop, in its order."""
    body = loop.body.block
    operands = [value for load in loads for value in load.operands]
    needed = backward_slice(operands, lambda op: op.parent_block() is body)
    return [op for op in body.ops if op in needed or op in loads]


def load_ahead(loop: scf.ForOp) -> None:
    """Rewrites a loop that has loads which are done ahead."""
    loads = [op for op in loop.body.block.ops if AHEAD.is_on(op)]
    if loads:
        LoadsAhead(loop, loads).rewrite()


class LoadsAhead:
    """Rewrites one loop."""

    def __init__(self, loop: scf.ForOp, loads: Sequence[Operation]):
        self.loop = loop
        self.loads = loads
        distances = [attribute for load in loads if (attribute := AHEAD.drop(load)) is not None]
        self.distance = max(each.data for each in distances)
        self.slice = _slice(loop, loads)

    def rewrite(self) -> None:
        """Replaces the loop."""
        loop = self.loop
        test = CmpiOp(loop.lb, loop.ub, "slt")
        then, other = Block(), Block()
        self._add(then, scf.YieldOp(*self._emit_then(then)))
        self._add(other, scf.YieldOp(*loop.iter_args))
        types = [result.type for result in loop.results]
        branch = scf.IfOp(test.result, types, Region(then), Region(other))
        test.location = branch.location = loop.location
        Rewriter.insert_op([test, branch], InsertPoint.before(loop))
        for old, new in zip(loop.results, branch.results, strict=True):
            old.replace_all_uses_with(new)
            new.name_hint = old.name_hint
        Rewriter.erase_op(loop)

    def _emit_then(self, block: Block) -> Sequence[SSAValue]:
        loop = self.loop
        tiles: list[Sequence[SSAValue]] = [self._load(block, loop.lb)]
        for number in range(1, self.distance):
            tiles.append(self._load_later(block, loop.lb, number))
        body, carried = loop.body.block, [value for each in tiles for value in each]
        inits = [*loop.iter_args, *carried]
        inner = Block(arg_types=[loop.lb.type, *(value.type for value in inits)])
        new = scf.ForOp(loop.lb, loop.ub, loop.step, inits, Region(inner))
        new.attributes.update(loop.attributes)
        arguments = inner.args[1 + len(loop.iter_args) :]
        count = len(self.loads)
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, inner.args))
        for load, tile in zip(self.loads, arguments[:count], strict=True):
            values[load.results[0]] = tile
            tile.name_hint = load.results[0].name_hint
        dots = [op for op in body.ops if isinstance(op, DotOp) and is_wgmma(op)]
        following: Sequence[SSAValue] = ()
        if not dots:
            following = self._load_later(inner, inner.args[0], self.distance)
        for op in body.ops:
            if op not in self.loads and op is not body.last_op:
                clone_op(inner, op, values)
            if dots and op is dots[-1]:
                following = self._load_later(inner, inner.args[0], self.distance)
        yields = [values.get(value, value) for value in last_of(body).operands]
        self._add(inner, scf.YieldOp(*yields, *arguments[count:], *following))
        self._add(block, new)
        return new.results[: len(loop.results)]

    def _load_later(self, block: Block, index: SSAValue, number: int) -> Sequence[SSAValue]:
        """
        The tiles of some iterations after one, or if there is no such iteration, of that one. As
        unsigned numbers, what is left of the range is right for any bounds.
        """
        step, ty = integer_of(self.loop.step), index.type
        assert step is not None
        assert isinstance(ty, IntegerType)
        constant = arith.ConstantOp(IntegerAttr(number * step, ty))
        distance = self._add(block, constant).result
        left = self._add(block, arith.SubiOp(self.loop.ub, index)).result
        test = self._add(block, CmpiOp(distance, left, "ult")).result
        later = self._add(block, arith.AddiOp(index, distance)).result
        return self._load(block, self._add(block, SelectOp(test, later, index)).result)

    def _load(self, block: Block, index: SSAValue) -> list[SSAValue]:
        """The tiles of an iteration."""
        values: dict[SSAValue, SSAValue] = {self.loop.body.block.args[0]: index}
        for op in self.slice:
            clone_op(block, op, values)
        return [values[load.results[0]] for load in self.loads]

    def _add(self, block: Block, op: OpT) -> OpT:
        op.location = self.loop.location
        block.add_op(op)
        return op
