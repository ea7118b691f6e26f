"""
A loop whose early ops run one iteration ahead.

Before:  %r = scf.for %i = %a to %b step %s iter_args(%o = %z) { early(%i); late }
After:   %r = scf.if %a < %b {
           early(%a)
           %l = scf.for %i = %a to %b - %s iter_args(%o = %z, …) {
             first of early(%i + %s); late; rest of early(%i + %s)
           }
           late
         } else { %z }

Where `%b - %s` might be less than the least integer, the loop ends at `%b - minui(%s, %b - %a)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import TypeVar
from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, get_stage
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.structure import integer_of, last_of

from ..kernel_model.slicing import decided_by

OpT = TypeVar("OpT", bound=Operation)


def pipeline_loop_body(loop: scf.ForOp) -> None:
    """Writes a loop anew if its ops have stages."""
    body = loop.body.block
    ops = [op for op in body.ops if op is not body.last_op]
    stages = {op: stage for op in ops if (stage := get_stage(op)) is not None}
    if not stages:
        return
    if (missing := next((op for op in ops if op not in stages), None)) is not None:
        fail(missing, f"'{STAGE.name}' is missing here, but other ops of the loop have it")
    SoftwarePipelining(loop, sorted(ops, key=lambda op: stages[op].order)).write()


class SoftwarePipelining:
    """A loop that is being written anew."""

    def __init__(self, loop: scf.ForOp, ops: Sequence[Operation]):
        self.loop = loop
        self.ops = ops
        body = loop.body.block
        self.yields = last_of(body).operands
        stages = {op: stage for op in ops if (stage := STAGE.drop(op)) is not None}
        early = {op for op in ops if stages[op].data.stage == 0}
        late = [op for op in ops if op not in early]
        used_in_last_stage = {operand for op in late for operand in op.operands}
        arguments = list(body.args[1:])
        self.early_args = self._find_early_args(arguments, early, late)
        """What early ops carry, by number."""
        self.last_stage_args = [n for n in range(len(arguments)) if n not in self.early_args]
        results = [result for op in ops if op in early for result in op.results]
        early_values = [body.args[0], *(arguments[n] for n in self.early_args), *results]
        last_stage_yields = {self.yields[number] for number in self.last_stage_args}
        self.crossing = [
            v for v in early_values if v in used_in_last_stage or v in last_stage_yields
        ]
        """What late ops take from early ones of the same iteration."""
        self._early, self._late = early, set(late)

    def _find_early_args(
        self, arguments: Sequence[SSAValue], early: set[Operation], late: Sequence[Operation]
    ) -> list[int]:
        """All that early ops use and late ones do not decide, and what no op uses."""
        used_early = {operand for op in early for operand in op.operands}
        used_in_last_stage = {operand for op in late for operand in op.operands}
        decided = decided_by(late, arguments, self.yields)
        found = {
            number
            for number, argument in enumerate(arguments)
            if argument not in decided
            and (argument in used_early or argument not in used_in_last_stage)
        }

        def passed_on(number: int) -> Sequence[int]:
            value = self.yields[number]
            return [arguments.index(value)] if value in arguments else ()

        return sorted(reachable(found, passed_on))

    def write(self) -> None:
        """Replaces the loop."""
        loop = self.loop
        test = CmpiOp(loop.lb, loop.ub, "slt")
        test.location = loop.location
        then = Block()
        results = self._write_then(then)
        self._add(then, scf.YieldOp(*results))
        other = Block()
        self._add(other, scf.YieldOp(*loop.iter_args))
        types = [result.type for result in loop.results]
        branch = scf.IfOp(test.result, types, Region(then), Region(other))
        branch.location = loop.location
        Rewriter.insert_op([test, branch], InsertPoint.before(loop))
        for old, new in zip(loop.results, branch.results, strict=True):
            old.replace_all_uses_with(new)
            new.name_hint = old.name_hint
        Rewriter.erase_op(loop)

    def _add(self, block: Block, op: OpT) -> OpT:
        op.location = self.loop.location
        block.add_op(op)
        return op

    def _write_then(self, block: Block) -> list[SSAValue]:
        loop, body = self.loop, self.loop.body.block
        arguments = body.args[1:]
        # The first iteration of early ops.
        values: dict[SSAValue, SSAValue] = {body.args[0]: loop.lb}
        for number in self.early_args:
            values[arguments[number]] = loop.iter_args[number]
        self._clone(block, self._early, values)
        next_early = self._yielded(self.early_args, values)
        crossing = [values.get(value, value) for value in self.crossing]
        carried = [loop.iter_args[number] for number in self.last_stage_args]
        bound = self._write_bound(block)
        inits = [*carried, *next_early, *crossing]
        inner = Block(arg_types=[loop.lb.type, *(value.type for value in inits)])
        rotated = scf.ForOp(loop.lb, bound, loop.step, inits, Region(inner))
        rotated.attributes.update(loop.attributes)
        self._write_body(inner)
        self._add(block, rotated)
        # The last iteration of late ops.
        late, early, crossed = self._split(rotated.results)
        values = dict(zip(self.crossing, crossed, strict=True))
        for number, value in zip(self.last_stage_args, late, strict=True):
            values[arguments[number]] = value
        self._clone(block, self._late, values)
        results: list[SSAValue] = list(loop.iter_args)
        ends = (*self._yielded(self.last_stage_args, values), *early)
        for number, value in zip((*self.last_stage_args, *self.early_args), ends, strict=True):
            results[number] = value
        return results

    def _write_bound(self, block: Block) -> SSAValue:
        """Where all but the last iteration end, given that there is one."""
        loop, step = self.loop, self.loop.step
        if not _is_natural(loop.lb):
            # What is left from the first iteration on, as an unsigned number.
            left = self._add(block, arith.SubiOp(loop.ub, loop.lb))
            step = self._add(block, arith.MinUIOp(step, left.result)).result
        return self._add(block, arith.SubiOp(loop.ub, step)).result

    def _write_body(self, inner: Block) -> None:
        loop, body = self.loop, self.loop.body.block
        arguments = body.args[1:]
        late, early, crossed = self._split(inner.args[1:])
        ahead = self._add(inner, arith.AddiOp(inner.args[0], loop.step))
        following: dict[SSAValue, SSAValue] = {body.args[0]: ahead.result}
        for number, value in zip(self.early_args, early, strict=True):
            following[arguments[number]] = value
        current: dict[SSAValue, SSAValue] = dict(zip(self.crossing, crossed, strict=True))
        for number, value in zip(self.last_stage_args, late, strict=True):
            current[arguments[number]] = value
        for op in self.ops:
            self._clone_op(inner, op, following if op in self._early else current)
        yields = self._yielded(self.last_stage_args, current)
        yields += self._yielded(self.early_args, following)
        yields += [following.get(value, value) for value in self.crossing]
        self._add(inner, scf.YieldOp(*yields))

    def _yielded(self, numbers: Sequence[int], values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """What the loop carries on, where ops became others."""
        ends = (self.yields[number] for number in numbers)
        return [values.get(end, end) for end in ends]

    def _split(
        self, values: Sequence[SSAValue]
    ) -> tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]]:
        """What late ops carry, what early ops do, and what crosses from early to late."""
        first = len(self.last_stage_args)
        second = first + len(self.early_args)
        return values[:first], values[first:second], values[second:]

    def _clone(
        self, block: Block, chosen: set[Operation], values: dict[SSAValue, SSAValue]
    ) -> None:
        for op in self.ops:
            if op in chosen:
                self._clone_op(block, op, values)

    @staticmethod
    def _clone_op(block: Block, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        clone = op.clone(values)
        clone.location = op.location
        block.add_op(clone)
        for old, new in zip(op.results, clone.results, strict=True):
            new.name_hint = old.name_hint


def _is_natural(value: SSAValue) -> bool:
    """Whether a number is known not to be negative."""
    number = integer_of(value)
    return number is not None and number >= 0
