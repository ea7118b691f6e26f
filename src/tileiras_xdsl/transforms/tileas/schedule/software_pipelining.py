"""
Software pipelining: ops of pipeline stage 0 run one iteration ahead of those of stage 1.

Before:  %r = scf.for %i = %a to %b step %s iter_args(%o = %z) { stage0(%i); stage1 }
After:   %r = scf.if %a < %b {
           stage0(%a)                                           // prologue
           %l = scf.for %i = %a to %b - %s iter_args(%o = %z, …) {
             first of stage0(%i + %s); stage1; rest of stage0(%i + %s)
           }
           stage1                                               // epilogue
         } else { %z }

Where `%b - %s` might overflow, the loop ends at `%b - minui(%s, %b - %a)`.
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

from ..kernel_model.slicing import carried_values_defined_by

OpT = TypeVar("OpT", bound=Operation)


def pipeline_loop_body(loop: scf.ForOp) -> None:
    """Pipelines a loop whose ops have pipeline stages."""
    body = loop.body.block
    ops = [op for op in body.ops if op is not body.last_op]
    stages = {op: stage for op in ops if (stage := get_stage(op)) is not None}
    if not stages:
        return
    if (missing := next((op for op in ops if op not in stages), None)) is not None:
        fail(missing, f"'{STAGE.name}' is missing here, but other ops of the loop have it")
    SoftwarePipelining(loop, sorted(ops, key=lambda op: stages[op].order)).write()


class SoftwarePipelining:
    """Rewrites one loop into prologue, loop and epilogue."""

    def __init__(self, loop: scf.ForOp, ops: Sequence[Operation]):
        self.loop = loop
        self.ops = ops
        body = loop.body.block
        self.yields = last_of(body).operands
        stages = {op: stage for op in ops if (stage := STAGE.drop(op)) is not None}
        first_stage = {op for op in ops if stages[op].data.stage == 0}
        last_stage = [op for op in ops if op not in first_stage]
        used_in_last_stage = {operand for op in last_stage for operand in op.operands}
        arguments = list(body.args[1:])
        self.first_stage_args = self._find_first_stage_args(arguments, first_stage, last_stage)
        """Loop-carried values of stage 0, by number."""
        self.last_stage_args = [n for n in range(len(arguments)) if n not in self.first_stage_args]
        results = [result for op in ops if op in first_stage for result in op.results]
        first_stage_values = [
            body.args[0],
            *(arguments[n] for n in self.first_stage_args),
            *results,
        ]
        last_stage_yields = {self.yields[number] for number in self.last_stage_args}
        self.crossing = [
            v for v in first_stage_values if v in used_in_last_stage or v in last_stage_yields
        ]
        """Values of stage 0 that stage 1 of the same iteration uses."""
        self._first_stage, self._last_stage = first_stage, set(last_stage)

    def _find_first_stage_args(
        self,
        arguments: Sequence[SSAValue],
        first_stage: set[Operation],
        last_stage: Sequence[Operation],
    ) -> list[int]:
        """All that stage 0 uses and stage 1 does not define, and what no op uses."""
        used_in_first_stage = {operand for op in first_stage for operand in op.operands}
        used_in_last_stage = {operand for op in last_stage for operand in op.operands}
        decided = carried_values_defined_by(last_stage, arguments, self.yields)
        found = {
            number
            for number, argument in enumerate(arguments)
            if argument not in decided
            and (argument in used_in_first_stage or argument not in used_in_last_stage)
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
        # Prologue: stage 0 of the first iteration.
        values: dict[SSAValue, SSAValue] = {body.args[0]: loop.lb}
        for number in self.first_stage_args:
            values[arguments[number]] = loop.iter_args[number]
        self._clone(block, self._first_stage, values)
        next_args = self._yielded(self.first_stage_args, values)
        crossing = [values.get(value, value) for value in self.crossing]
        carried = [loop.iter_args[number] for number in self.last_stage_args]
        bound = self._write_bound(block)
        inits = [*carried, *next_args, *crossing]
        inner = Block(arg_types=[loop.lb.type, *(value.type for value in inits)])
        kernel = scf.ForOp(loop.lb, bound, loop.step, inits, Region(inner))
        kernel.attributes.update(loop.attributes)
        self._write_body(inner)
        self._add(block, kernel)
        # Epilogue: stage 1 of the last iteration.
        last_args, first_args, crossed = self._split(kernel.results)
        values = dict(zip(self.crossing, crossed, strict=True))
        for number, value in zip(self.last_stage_args, last_args, strict=True):
            values[arguments[number]] = value
        self._clone(block, self._last_stage, values)
        results: list[SSAValue] = list(loop.iter_args)
        ends = (*self._yielded(self.last_stage_args, values), *first_args)
        numbers = (*self.last_stage_args, *self.first_stage_args)
        for number, value in zip(numbers, ends, strict=True):
            results[number] = value
        return results

    def _write_bound(self, block: Block) -> SSAValue:
        """The upper bound without the last iteration, given that there is one."""
        loop, step = self.loop, self.loop.step
        if not _is_non_negative(loop.lb):
            # The iterations left, times the step, as an unsigned number.
            left = self._add(block, arith.SubiOp(loop.ub, loop.lb))
            step = self._add(block, arith.MinUIOp(step, left.result)).result
        return self._add(block, arith.SubiOp(loop.ub, step)).result

    def _write_body(self, inner: Block) -> None:
        loop, body = self.loop, self.loop.body.block
        arguments = body.args[1:]
        last_args, first_args, crossed = self._split(inner.args[1:])
        ahead = self._add(inner, arith.AddiOp(inner.args[0], loop.step))
        following: dict[SSAValue, SSAValue] = {body.args[0]: ahead.result}
        for number, value in zip(self.first_stage_args, first_args, strict=True):
            following[arguments[number]] = value
        current: dict[SSAValue, SSAValue] = dict(zip(self.crossing, crossed, strict=True))
        for number, value in zip(self.last_stage_args, last_args, strict=True):
            current[arguments[number]] = value
        for op in self.ops:
            self._clone_op(inner, op, following if op in self._first_stage else current)
        yields = self._yielded(self.last_stage_args, current)
        yields += self._yielded(self.first_stage_args, following)
        yields += [following.get(value, value) for value in self.crossing]
        self._add(inner, scf.YieldOp(*yields))

    def _yielded(self, numbers: Sequence[int], values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """The clones of loop-carried values."""
        ends = (self.yields[number] for number in numbers)
        return [values.get(end, end) for end in ends]

    def _split(
        self, values: Sequence[SSAValue]
    ) -> tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]]:
        """The carried values of stage 1, those of stage 0, and those that cross between them."""
        first = len(self.last_stage_args)
        second = first + len(self.first_stage_args)
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


def _is_non_negative(value: SSAValue) -> bool:
    """Whether a number is known not to be negative."""
    number = integer_of(value)
    return number is not None and number >= 0
