"""
Software pipelining across two loops, such as those of causal attention: the blocks of keys that all
queries see, then the one that a mask hides part of.

Before:  %r = scf.for %i = %a to %b … iter_args(%o = %z) { stage0(%i); stage1 }
         %s = scf.for %j = %c to %c + 1 … iter_args(%o = %r) { stage0'(%j); stage1' }
After:   %q = scf.if %a < %b {
           stage0(%a)                                           // prologue
           scf.for %i = %a to %b - 1 … { first of stage0(%i + 1); stage1; rest of stage0(%i + 1) }
           scf.if %c < %c + 1 {
             first of stage0'(%c); stage1; rest of stage0'(%c)  // between the loops
           } else { stage1 }
         } else { scf.if %c < %c + 1 { stage0'(%c) } }
         %s = scf.if %c < %c + 1 { stage1' } else { %q }        // drain

So the tensor cores do not wait for threads between the loops. It takes one more copy of stage 0 of
the second loop: where that has more than one iteration, and so a steady state of its own, loops
stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from typing_extensions import TypeVar
from xdsl.dialects import scf
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.xdsl_extras.structure import ops_between
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.slicing import is_pure
from ..kernel_model.wgmma import is_wgmma
from .software_pipelining import SoftwarePipelining, clone_op, find_pipelining, is_single

OpT = TypeVar("OpT", bound=Operation)


def pipeline_loops(function: Operation) -> None:
    """Pipelines all loops whose ops have pipeline stages, two after each other together."""
    done = set[Operation]()
    for loop in find_all(function, scf.ForOp):
        if loop in done:
            continue
        second = find_second(loop)
        found = find_pipelining(loop)
        if found is None:
            continue
        other = None if second is None else find_pipelining(second)
        if second is None or other is None:
            found.rewrite()
            continue
        done.add(second)
        joined = JoinedLoops(found, other)
        if joined.is_possible():
            joined.rewrite()
        else:
            found.rewrite()
            other.rewrite()


def find_second(first: scf.ForOp) -> scf.ForOp | None:
    """The loop of one iteration that goes on with all that a loop of WGMMAs carries."""
    users = {use.operation for result in first.results for use in result.uses}
    if len(users) != 1:
        return None
    (second,) = users
    if not isinstance(second, scf.ForOp) or second.parent_block() is not first.parent_block():
        return None
    is_same = tuple(second.iter_args) == tuple(first.results) and is_single(second)
    dots = [*find_all(first, DotOp), *find_all(second, DotOp)]
    has_stages = all(any(map(STAGE.is_on, each.body.block.ops)) for each in (first, second))
    if not is_same or not has_stages or not all(map(is_wgmma, dots)):
        return None
    return second if all(map(is_pure, ops_between(first, second))) else None


class JoinedLoops:
    """Two loops, of which the second one has one iteration at most."""

    def __init__(self, first: SoftwarePipelining, second: SoftwarePipelining):
        self.first = first
        self.second = second

    def is_possible(self) -> bool:
        """
        Whether the same values are of stage 0 in both: else the second loop has to wait. Nor may
        loads that come between the loops fill stages of one pipeline, of which one would wait until
        the other one's is released.
        """
        late = {get_pipeline_id(op) for stage, ops in self.first.runs if stage for op in ops}
        early = {get_pipeline_id(op) for stage, ops in self.second.runs if not stage for op in ops}
        is_same = self.first.stage_0_args == self.second.stage_0_args
        return is_same and not (late & early) - {None}

    def rewrite(self) -> None:
        """Replaces both loops."""
        first, second = self.first.loop, self.second.loop
        for op in ops_between(first, second):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(first))
        enters, goes_on = (CmpiOp(loop.lb, loop.ub, "slt") for loop in (first, second))
        then, other, last, none = Block(), Block(), Block(), Block()
        state = self._emit_first(then, goes_on.result)
        self._add(then, scf.YieldOp(*state))
        types = [value.type for value in state]
        self._add(other, scf.YieldOp(*self._emit_second(other, goes_on.result, types)))
        between = scf.IfOp(enters.result, types, Region(then), Region(other))
        self._add(last, scf.YieldOp(*self.second.emit_drain(last, between.results)))
        self._add(none, scf.YieldOp(*self.second.results_of(self._carried(between.results))))
        results = [result.type for result in second.results]
        end = scf.IfOp(goes_on.result, results, Region(last), Region(none))
        for op in (enters, goes_on, between, end):
            op.location = second.location
        Rewriter.insert_op([enters, goes_on, between, end], InsertPoint.before(first))
        for old, new in zip(second.results, end.results, strict=True):
            old.replace_all_uses_with(new)
            new.name_hint = old.name_hint
        Rewriter.erase_op(second)
        Rewriter.erase_op(first)

    def _carried(self, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The loop-carried values of a state between iterations, without those that cross."""
        return state[: len(self.second.loop.results)]

    def _emit_first(self, block: Block, goes_on: SSAValue) -> Sequence[SSAValue]:
        """The first loop, and between the loops; returns the state before the drain."""
        loop = self.first.loop
        state = self.first.emit_prologue(block, loop.iter_args)
        if not is_single(loop):
            state = self.first.emit_steady_loop(block, state)
        then, other = Block(), Block()
        both = self._emit_between(then, state)
        types = [value.type for value in both]
        self._add(then, scf.YieldOp(*both))
        results = self.first.emit_drain(other, state)
        self._add(other, scf.YieldOp(*self._without_second(other, results, types)))
        return self._add(block, scf.IfOp(goes_on, types, Region(then), Region(other))).results

    def _emit_second(
        self, block: Block, goes_on: SSAValue, types: Sequence[Attribute]
    ) -> Sequence[SSAValue]:
        """The prologue of the second loop, if there is no iteration of the first one."""
        inits = self.first.loop.iter_args
        then, other = Block(), Block()
        self._add(then, scf.YieldOp(*self.second.emit_prologue(then, inits)))
        self._add(other, scf.YieldOp(*self._without_second(other, inits, types)))
        return self._add(block, scf.IfOp(goes_on, types, Region(then), Region(other))).results

    def _without_second(
        self, block: Block, results: Sequence[SSAValue], types: Sequence[Attribute]
    ) -> list[SSAValue]:
        """The state of a second loop without iterations: nothing uses what would cross."""
        indices = (*self.second.stage_1_args, *self.second.stage_0_args)
        carried = [results[index] for index in indices]
        crossing = [self._add(block, PoisonOp(ty)).result for ty in types[len(carried) :]]
        return [*carried, *crossing]

    def _emit_between(self, block: Block, state: Sequence[SSAValue]) -> list[SSAValue]:
        """Stage 1 of the last iteration of the first loop beside stage 0 of the second loop."""
        first, second = self.first, self.second
        _, stage_0, _ = first.split(state)
        ends = dict(zip(first.stage_0_args, stage_0, strict=True))
        inits = [ends.get(index, value) for index, value in enumerate(second.loop.iter_args)]
        current, following = first.map_stage_1(state), second.map_stage_0(inits)
        of_first = [ops for stage, ops in first.runs if stage == 1]
        of_second = [ops for stage, ops in second.runs if stage == 0]
        for early, late in zip_longest(of_second, of_first, fillvalue=list[Operation]()):
            for op in early:
                clone_op(block, op, following)
            for op in late:
                clone_op(block, op, current)
        results = first.end_of_stage_1(current, state)
        carried = [results[index] for index in second.stage_1_args]
        return [*carried, *second.end_of_stage_0(following)]

    def _add(self, block: Block, op: OpT) -> OpT:
        op.location = self.second.loop.location
        block.add_op(op)
        return op
