"""
Uplifts counted `scf.while` loops to `scf.for`.

Before:  %r:4 = scf.while (%i = %c0, %x = %init) : (i32, f32) -> (i32, f32, i32, f32) {
           %c = nv_tileaa.cmpi %i, %n {comparison_predicate = "less_than"} : i32 -> i1
           %s:5 = scf.if %c -> (i1, i32, f32, i32, f32) {
             %y = …
             %next = nv_tileaa.addi %i, %c1 : i32
             scf.yield %true, %next, %y, %poison, %poison
           } else {
             scf.yield %false, %poison, %poison, %i, %x
           }
           scf.condition(%s#0) %s#1, %s#2, %s#3, %s#4
         } do { … scf.yield %next, %y }
After:   %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> (f32) : i32 {
           %y = …
           scf.yield %y : f32
         }
         %last = arith.maxsi %c0, %n : i32                       // if it is used

The loop may be top-tested, with or without an `scf.if` around the body, or bottom-tested; then it
runs at least once. The step of the induction variable may be negative: from %from down by %s it is
`%from - %k`, where %k goes up from zero by %s. The header of a top-tested loop must be free of side
effects, as it is duplicated. The exit code is placed after the loop.

Integers wrap around, but the induction variable of `scf.for` does not. So integer ranges or
overflow flags have to prove that it does not pass the largest integer, or that a loop with `!=`
hits its bound. Infinite loops are undefined behaviour: if the step is a power of two, a loop with
`<` that wraps around is one, so it need not be proven that it does not.

Before:  %r = scf.while (%x = %init) : (f32) -> (f32) {
           %y = …
           scf.condition(%false) %y : f32
         } do { … }
After:   %y = …                                                  // %r is %y
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator, is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.counted_loops import CountedLoop, find_counted_loop
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, SubIOp
from tileiras_xdsl.xdsl_extras.walking import (
    condition_of,
    find_all,
    integer_of,
    last_of,
    ops_between,
    walk,
)

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class UpliftWhileToForPass(ModulePass):
    """
    Uplifts every `scf.while` that is provably a counted loop to `scf.for`, and inlines those that
    never run again, as functions that return in the middle leave them. Hoists loop-invariant ops
    out of the headers of all others.
    """

    name = "uplift-while-to-for"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in find_all(op, scf.WhileOp, inner_first=True):
            if integer_of(condition_of(loop).condition) == 0:
                inline_header(loop)
                continue
            hoist_invariants(loop)
            function = get_function(loop)
            # Uplifting a loop invalidates the analysis.
            if (count := find_counted_loop(loop, analyze(function))) is not None:
                Uplift(count).apply()


def get_function(op: Operation) -> Operation:
    """The function around an op."""
    parent = op.parent_op()
    while parent is not None and not parent.has_trait(IsolatedFromAbove):
        parent = parent.parent_op()
    assert parent is not None
    return parent


def inline_header(loop: scf.WhileOp) -> None:
    """Replaces a loop that ends after its first header by that header."""
    header, condition = loop.before_region.block, condition_of(loop)
    for argument, value in zip(header.args, loop.arguments, strict=True):
        argument.replace_all_uses_with(value)
    for result, value in zip(loop.results, condition.args, strict=True):
        result.replace_all_uses_with(value)
    for op in tuple(header.ops):
        if op is not condition:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))
    Rewriter.erase_op(loop)


def hoist_invariants(loop: scf.WhileOp) -> None:
    """
    Hoists loop-invariant ops without side effects out of a loop's header. This is no speculation:
    the header runs at least once.
    """
    for op in tuple(loop.before_region.block.ops):
        if op.has_trait(IsTerminator) or not is_side_effect_free(op):
            continue
        if all(is_outside(value, loop, op) for each in walk(op) for value in each.operands):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))


def is_outside(value: SSAValue, loop: Operation, op: Operation) -> bool:
    """Whether a value comes from outside a loop, or from inside an op in it."""
    return not loop.is_ancestor(value.owner) or op.is_ancestor(value.owner)


class Uplift:
    """Replaces a counted `scf.while` by an `scf.for`."""

    def __init__(self, count: CountedLoop):
        self.count = count
        self.structure = count.structure
        self.loop = count.structure.loop
        self.builder = Builder(InsertPoint.before(self.loop))

    def apply(self) -> None:
        """Builds the `scf.for` and the exit code in place of the loop."""
        count, loop = self.count, self.loop
        step = self.build_step()
        lower, upper = self.build_bounds()
        # The final value is a bound if the step is one; else the variable stays loop-carried.
        is_obvious = count.step.constant == 1
        carried = [
            slot for slot in range(len(loop.arguments)) if slot != count.slot or not is_obvious
        ]
        inits = [loop.arguments[slot] for slot in carried]
        body = Block(arg_types=[lower.type, *(init.type for init in inits)])
        new = self.insert(scf.ForOp(lower, upper, step, inits, body))
        new.attributes.update(loop.attributes)
        last: dict[int, SSAValue] = dict(zip(carried, new.results, strict=True))
        if is_obvious:
            last[count.slot] = self.build_last(lower, upper)
        results = self.build_exit(last)
        self.fill_body(body, carried)
        for old, result in zip(loop.results, results, strict=True):
            old.replace_all_uses_with(result)
        behind = ops_between(new, loop)
        Rewriter.erase_op(loop)
        erase_dead(behind)
        erase_dead(body.ops)

    def insert(self, op: OpT) -> OpT:
        """Inserts an op in front of the old loop."""
        op.location = self.loop.location
        return self.builder.insert(op)

    def constant(self, value: int) -> SSAValue:
        ty = self.count.bound.type
        assert isinstance(ty, IntegerType)
        return self.insert(arith.ConstantOp(IntegerAttr(value, ty))).result

    def build_step(self) -> SSAValue:
        """The magnitude of the step, outside the loop."""
        step = self.count.step
        if step.amount is not None:
            return step.amount
        assert step.constant is not None
        return self.constant(step.constant)

    def build_bounds(self) -> tuple[SSAValue, SSAValue]:
        """The lower and upper bound of the new loop."""
        count = self.count
        if count.step.is_down:
            lower = self.constant(0)
            upper = count.initial
            if integer_of(count.bound) != 0:
                upper = self.insert(SubIOp(upper, count.bound)).result
        else:
            lower, upper = count.initial, count.bound
        if count.predicate in ("le", "ge"):
            upper = self.build_successor(upper)
        if count.is_bottom_tested and count.min_distance < 1:
            upper = self.insert(arith.MaxSIOp(upper, self.build_successor(lower))).result
        return lower, upper

    def build_successor(self, value: SSAValue) -> SSAValue:
        """The next integer."""
        number = integer_of(value)
        if number is not None:
            return self.constant(number + 1)
        return self.insert(AddIOp(value, self.constant(1))).result

    def build_last(self, lower: SSAValue, upper: SSAValue) -> SSAValue:
        """The final value of the old induction variable, if its step is one."""
        count = self.count
        if not count.is_bottom_tested and count.min_distance < 0:
            upper = self.insert(arith.MaxSIOp(lower, upper)).result
        if not count.step.is_down:
            return upper
        return self.insert(SubIOp(count.initial, upper)).result

    def build_exit(self, last: dict[int, SSAValue]) -> list[SSAValue]:
        """
        Computes the results of the old loop after the new one, from the final loop-carried values.
        """
        count, structure = self.count, self.structure
        sources = (
            structure.following if count.is_bottom_tested else self.loop.before_region.block.args
        )
        values = {source: last[slot] for slot, source in enumerate(sources)}
        for op in (*(() if count.is_bottom_tested else structure.header_ops), *structure.exit_ops):
            self.builder.insert(op.clone(value_mapper=values))
        return [values.get(value, value) for value in structure.results]

    def fill_body(self, body: Block, carried: Sequence[int]) -> None:
        """Moves header and body into the new loop."""
        count, loop, structure = self.count, self.loop, self.structure
        counter: SSAValue = body.args[0]
        if count.step.is_down:
            position = SubIOp(count.initial, counter)
            position.location = loop.location
            body.add_op(position)
            counter = position.result
        arguments: dict[int, SSAValue] = {
            slot: body.args[1 + number] for number, slot in enumerate(carried)
        }
        arguments[count.slot] = counter

        end = scf.YieldOp(*(structure.following[slot] for slot in carried))
        end.location = last_of(loop.after_region.block).location
        for argument in loop.after_region.block.args:
            argument.replace_all_uses_with(structure.resolve(argument))
        for op in (*structure.header_ops, *structure.body_ops):
            op.detach()
            body.add_op(op)
        body.add_op(end)
        for slot, argument in enumerate(loop.before_region.block.args):
            new = arguments[slot]
            new.name_hint = new.name_hint or argument.name_hint
            argument.replace_all_uses_with(new)


def erase_dead(ops: Iterable[Operation]) -> None:
    """Erases the dead ops of a list."""
    for op in reversed(tuple(ops)):
        if is_trivially_dead(op):
            Rewriter.erase_op(op)
