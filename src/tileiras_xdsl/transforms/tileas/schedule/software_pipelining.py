"""
Software pipelining: ops of pipeline stage 0 run one iteration ahead of those of stage 1.

Before:  %r = scf.for %i = %a to %b step %s iter_args(%o = %z) { stage0(%i); stage1 }
After:   %r = scf.if %a < %b {
           stage0(%a)                                           // prologue
           %l = scf.for %i = %a to %b - %s iter_args(%o = %z, …) {
             first of stage0(%i + %s); stage1; rest of stage0(%i + %s)
           }
           stage1                                               // drain
         } else { %z }

Where `%b - %s` might overflow, the loop ends at `%b - minui(%s, %b - %a)`. If `%b` is `%a + %s`,
there is one iteration at most, and no loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from typing_extensions import TypeVar
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.scalar_evolution import is_plus
from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AHEAD,
    STAGE,
    Stage,
    StageAttr,
    get_pipeline_id,
    get_stage,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of, last_of, ops_between

from ..kernel_model.slicing import carried_values_defined_by, is_pure, operands_of

OpT = TypeVar("OpT", bound=Operation)


def pipeline_loop_body(loop: scf.ForOp) -> None:
    """Pipelines a loop whose ops have pipeline stages."""
    if (found := find_pipelining(loop)) is not None:
        found.rewrite()


def find_pipelining(loop: scf.ForOp) -> SoftwarePipelining | None:
    """How a loop is pipelined whose ops have pipeline stages, which they lose."""
    body = loop.body.block
    ops = [*body.ops][:-1]
    stages = {op: stage for op in ops if (stage := get_stage(op)) is not None}
    if not stages:
        return None
    if (missing := next((op for op in ops if op not in stages), None)) is not None:
        fail(missing, f"'{STAGE.name}' is missing here, but other ops of the loop have it")
    return SoftwarePipelining(
        loop, [*copy_views(loop), *sorted(ops, key=lambda op: stages[op].order)]
    )


def copy_views(loop: scf.ForOp) -> list[Operation]:
    """
    Copies the ops of stage 0 that make views which stage 1 uses, too, for it: a loop cannot carry
    a view, whose tensor map is found by the ops that make it. Returns what was copied.
    """
    body = loop.body.block
    copies: list[Operation] = []
    for op in reversed([*body.ops]):
        stage = get_stage(op)
        if not isinstance(op, BlockTileOp | MakeMemrefOp) or stage is None or stage.stage == 1:
            continue
        users = [use for use in op.results[0].uses if _is_of_stage_1(body, use.operation)]
        if users:
            copy = op.clone()
            copy.location = op.location
            STAGE.set(copy, StageAttr(Stage(1, stage.order)))
            Rewriter.insert_op(copy, InsertPoint.after(op))
            for use in users:
                use.operation.operands[use.index] = copy.results[0]
            copies.insert(0, copy)
    return copies


def _is_of_stage_1(body: Block, op: Operation) -> bool:
    """Whether an op is of stage 1, or is in one that is."""
    around = body.find_ancestor_op_in_block(op)
    stage = None if around is None else get_stage(around)
    return stage is not None and stage.stage == 1


class SoftwarePipelining:
    """Rewrites one loop into prologue, steady-state loop and drain."""

    def __init__(self, loop: scf.ForOp, ops: Sequence[Operation]):
        self.loop = loop
        self.ops = ops
        body = loop.body.block
        self.yields = last_of(body).operands
        stages = {op: stage for op in ops if (stage := STAGE.drop(op)) is not None}
        stage_0 = {op for op in ops if stages[op].data.stage == 0}
        stage_1 = [op for op in ops if op not in stage_0]
        used_in_stage_1 = {operand for op in stage_1 for operand in operands_of(op)}
        arguments = list(body.args[1:])
        self.stage_0_args = self._find_stage_0_args(arguments, stage_0, stage_1)
        """Loop-carried values of stage 0, by index."""
        self.stage_1_args = [n for n in range(len(arguments)) if n not in self.stage_0_args]
        results = [result for op in ops if op in stage_0 for result in op.results]
        stage_0_values = [
            body.args[0],
            *(arguments[n] for n in self.stage_0_args),
            *results,
        ]
        stage_1_yields = {self.yields[index] for index in self.stage_1_args}
        self.crossing = [v for v in stage_0_values if v in used_in_stage_1 or v in stage_1_yields]
        """Values of stage 0 that stage 1 of the same iteration uses."""
        self._stage_0, self._stage_1 = stage_0, set(stage_1)

    def _find_stage_0_args(
        self,
        arguments: Sequence[SSAValue],
        stage_0: set[Operation],
        stage_1: Sequence[Operation],
    ) -> list[int]:
        """All that stage 0 uses and stage 1 does not define, and what no op uses."""
        used_in_stage_0 = {operand for op in stage_0 for operand in operands_of(op)}
        used_in_stage_1 = {operand for op in stage_1 for operand in operands_of(op)}
        decided = carried_values_defined_by(stage_1, arguments, self.yields)
        found = {
            index
            for index, argument in enumerate(arguments)
            if argument not in decided
            and (argument in used_in_stage_0 or argument not in used_in_stage_1)
        }

        def passed_on(index: int) -> Sequence[int]:
            value = self.yields[index]
            return [arguments.index(value)] if value in arguments else ()

        return sorted(reachable(found, passed_on))

    def rewrite(self) -> None:
        """Replaces the loop."""
        loop = self.loop
        test = CmpiOp(loop.lb, loop.ub, "slt")
        test.location = loop.location
        then = Block()
        results = self._emit_then(then)
        self._add(then, scf.YieldOp(*results))
        other = Block()
        self._add(other, scf.YieldOp(*loop.iter_args))
        types = [result.type for result in loop.results]
        branch = scf.IfOp(test.result, types, Region(then), Region(other))
        branch.location = loop.location
        Rewriter.insert_op(test, InsertPoint.before(loop))
        Rewriter.replace_op(loop, branch)

    def _add(self, block: Block, op: OpT) -> OpT:
        op.location = self.loop.location
        block.add_op(op)
        return op

    def _emit_then(self, block: Block) -> list[SSAValue]:
        state = self.emit_prologue(block, self.loop.iter_args)
        if not is_single(self.loop):
            state = self.emit_steady_loop(block, state)
        return self.emit_drain(block, state)

    def emit_prologue(self, block: Block, inits: Sequence[SSAValue]) -> list[SSAValue]:
        """
        Stage 0 of the first iteration, of a loop that begins with some values. Returns the state
        between iterations: carried values of stage 1 and of stage 0, and those that cross.
        """
        values = self.map_stage_0(inits)
        self._clone(block, self._stage_0, values)
        return [*(inits[index] for index in self.stage_1_args), *self.end_of_stage_0(values)]

    def map_stage_0(self, inits: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
        """What stage 0 of the first iteration begins with."""
        counter, *arguments = self.loop.body.block.args
        return {
            counter: self.loop.lb,
            **{arguments[index]: inits[index] for index in self.stage_0_args},
        }

    def end_of_stage_0(self, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """What stage 0 of an iteration carries on, and what crosses to stage 1."""
        crossing = [values.get(value, value) for value in self.crossing]
        return [*self._yielded(self.stage_0_args, values), *crossing]

    def emit_drain(self, block: Block, state: Sequence[SSAValue]) -> list[SSAValue]:
        """Stage 1 of the last iteration; returns the results of the loop."""
        values = self.map_stage_1(state)
        self._clone(block, self._stage_1, values)
        return self.end_of_stage_1(values, state)

    def map_stage_1(self, state: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
        """What stage 1 of an iteration begins with."""
        arguments = self.loop.body.block.args[1:]
        stage_1, _, crossed = self.split(state)
        values: dict[SSAValue, SSAValue] = dict(zip(self.crossing, crossed, strict=True))
        for index, value in zip(self.stage_1_args, stage_1, strict=True):
            values[arguments[index]] = value
        return values

    def end_of_stage_1(
        self, values: dict[SSAValue, SSAValue], state: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The results of the loop, after stage 1 of the last iteration."""
        _, stage_0, _ = self.split(state)
        return self.results_of([*self._yielded(self.stage_1_args, values), *stage_0])

    def results_of(self, ends: Sequence[SSAValue]) -> list[SSAValue]:
        """Results in the order of the loop, of those of stage 1 and stage 0."""
        indices = (*self.stage_1_args, *self.stage_0_args)
        return [value for _, value in sorted(zip(indices, ends, strict=True), key=lambda x: x[0])]

    @property
    def runs(self) -> list[tuple[int, list[Operation]]]:
        """The ops in the order of the steady state, in runs of one stage."""
        found: list[tuple[int, list[Operation]]] = []
        for op in self.ops:
            stage = 0 if op in self._stage_0 else 1
            if not found or found[-1][0] != stage:
                found.append((stage, []))
            found[-1][1].append(op)
        return found

    def emit_steady_loop(self, block: Block, inits: Sequence[SSAValue]) -> list[SSAValue]:
        """Stage 1 of all iterations but the last, each beside stage 0 of the next one."""
        loop, bound = self.loop, self._emit_bound(block)
        inner = Block(arg_types=[loop.lb.type, *(value.type for value in inits)])
        steady_loop = scf.ForOp(loop.lb, bound, loop.step, inits, Region(inner))
        steady_loop.attributes.update(loop.attributes)
        if integer_of(loop.step) != 1:
            # It ends a step early.
            NO_WRAP.set(steady_loop, UnitAttr())
        self._emit_body(inner)
        return [*self._add(block, steady_loop).results]

    def _emit_bound(self, block: Block) -> SSAValue:
        """The upper bound without the last iteration of a loop that has at least one."""
        loop, step = self.loop, self.loop.step
        if not _is_non_negative(loop.lb):
            # The iterations left, times the step, as an unsigned number.
            left = self._add(block, arith.SubiOp(loop.ub, loop.lb))
            step = self._add(block, arith.MinUIOp(step, left.result)).result
        return self._add(block, arith.SubiOp(loop.ub, step)).result

    def _emit_body(self, inner: Block) -> None:
        loop, body = self.loop, self.loop.body.block
        arguments = body.args[1:]
        stage_1_results, stage_0_results, crossed = self.split(inner.args[1:])
        ahead = self._add(inner, arith.AddiOp(inner.args[0], loop.step))
        following: dict[SSAValue, SSAValue] = {body.args[0]: ahead.result}
        for index, value in zip(self.stage_0_args, stage_0_results, strict=True):
            following[arguments[index]] = value
        current: dict[SSAValue, SSAValue] = dict(zip(self.crossing, crossed, strict=True))
        for index, value in zip(self.stage_1_args, stage_1_results, strict=True):
            current[arguments[index]] = value
        for op in self.ops:
            clone_op(inner, op, following if op in self._stage_0 else current)
        yields = self._yielded(self.stage_1_args, current)
        yields += self._yielded(self.stage_0_args, following)
        yields += [following.get(value, value) for value in self.crossing]
        self._add(inner, scf.YieldOp(*yields))

    def _yielded(self, indices: Sequence[int], values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """The clones of loop-carried values."""
        ends = (self.yields[index] for index in indices)
        return [values.get(end, end) for end in ends]

    def split(
        self, values: Sequence[SSAValue]
    ) -> tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]]:
        """The carried values of stage 1, those of stage 0, and those that cross between them."""
        first = len(self.stage_1_args)
        second = first + len(self.stage_0_args)
        return values[:first], values[first:second], values[second:]

    def _clone(
        self, block: Block, chosen: set[Operation], values: dict[SSAValue, SSAValue]
    ) -> None:
        for op in self.ops:
            if op in chosen:
                AHEAD.drop(clone_op(block, op, values))


def clone_op(block: Block, op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    """Adds a clone of an op, of the clones of its operands, to a block."""
    clone = op.clone(values)
    clone.location = op.location
    block.add_op(clone)
    for old, new in zip(op.results, clone.results, strict=True):
        new.name_hint = old.name_hint
    return clone


def is_single(loop: scf.ForOp) -> bool:
    """Whether the upper bound is the lower one plus the step, which wraps around or not."""
    step = integer_of(loop.step)
    return step is not None and is_plus(loop.ub, loop.lb, step)


def _is_non_negative(value: SSAValue) -> bool:
    """Whether an integer is known not to be negative."""
    constant = integer_of(value)
    return constant is not None and constant >= 0


# Software pipelining across two loops, such as those of causal attention: the blocks of keys that
# all queries see, then the one that a mask hides part of.
#
# Before:  %r = scf.for %i = %a to %b … iter_args(%o = %z) { stage0(%i); stage1 }
#       %s = scf.for %j = %c to %c + 1 … iter_args(%o = %r) { stage0'(%j); stage1' }
# After:   %q = scf.if %a < %b {
#         stage0(%a)                                           // prologue
#         scf.for %i = %a to %b - 1 … { first of stage0(%i + 1); stage1; rest of stage0(%i + 1) }
#         scf.if %c < %c + 1 {
#           first of stage0'(%c); stage1; rest of stage0'(%c)  // between the loops
#         } else { stage1 }
#       } else { scf.if %c < %c + 1 { stage0'(%c) } }
#       %s = scf.if %c < %c + 1 { stage1' } else { %q }        // drain
#
# So the tensor cores do not wait for threads between the loops. It takes one more copy of stage 0
# of the second loop: where that has more than one iteration, and so a steady state of its own,
# loops stay apart.


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
        fused = FusedLoops(found, other)
        if fused.is_possible():
            fused.rewrite()
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


class FusedLoops:
    """Two loops that run as one, of which the second one has one iteration at most."""

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
