"""
Patterns of control flow: `if`, `for` and `loop`, early exits included, become `scf`.

    if c { break %a }            %r:3 = scf.if %c { …, false, %a } else { rest; …, true, %b }
    rest                    →    scf.condition(%r#0) %r#1, %r#2
    continue %b

The ops after an `if` with an early exit in one arm move into the other arm; if both arms may fall
through, into an `scf.if` of their own on a flag. `return` inside a loop sets a flag that skips the
ops after the loop. No code but terminators is duplicated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)
from tileiras_xdsl.xdsl_extras.walking import integer_of

from .types import carry_attributes

# Early exits in structured control flow.
#
# A block of `cuda_tile` may be left in several ways: by `yield` to the op after its `if`, by
# `continue` and `break` to a loop around it, by `return`. A block of `scf` has one terminator,
# with a fixed list of values. An `ExitFrame` has that list, its values for each kind of exit
# (`ub.poison` where a value is not needed), and the terminator.
#
#     loop body            keep going?, carried values, results [, returned?]     scf.condition
#     arm of an if         the same as the block around the if                    scf.yield
#     arm with a rest      falls through?, the same, results of the if            scf.yield


class ExitKind(Enum):
    """A way to leave a block."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()


EXITS: dict[type[Operation], ExitKind] = {
    ct.YieldOp: ExitKind.YIELD,
    ct.ContinueOp: ExitKind.CONTINUE,
    ct.BreakOp: ExitKind.BREAK,
    ct.ReturnOp: ExitKind.RETURN,
}


def get_exits(block: Block) -> set[ExitKind]:
    """The ways in which control may leave a block."""
    exits = set[ExitKind]()
    for op in block.ops:
        if isinstance(op, ct.IfOp):
            inner = get_if_exits(op)
            exits |= inner - {ExitKind.YIELD}
            if ExitKind.YIELD not in inner:
                return exits
        elif isinstance(op, ct.LoopOp):
            exits |= get_exits(op.body.block) & {ExitKind.RETURN}
        elif (exit_kind := EXITS.get(type(op))) is not None:
            exits.add(exit_kind)
    return exits


def get_if_exits(op: ct.IfOp) -> set[ExitKind]:
    """The ways in which control may leave an `if`."""
    exits = get_exits(op.then_region.block)
    return exits | (get_exits(op.else_region.block) if op.has_else else {ExitKind.YIELD})


Slot = SSAValue | Attribute | bool
"""A value, a constant i1, or the type of a poison value."""


class ExitFrame(ABC):
    """The terminator of a block and its operands."""

    types: Sequence[Attribute]

    @abstractmethod
    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        """The operands of the terminator for a kind of exit with these values."""

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        """The op that ends the block."""
        return scf.YieldOp(*values)

    def end(self, rewriter: ConversionRewriter, slots: Sequence[Slot]) -> None:
        """Ends the block that is being converted."""
        values = [materialize(slot, rewriter) for slot in slots]
        rewriter.insert(self.terminator(values, rewriter))


def materialize(slot: Slot, rewriter: ConversionRewriter) -> SSAValue:
    """The value of a slot."""
    if isinstance(slot, bool):
        return rewriter.insert(arith.ConstantOp(IntegerAttr.from_bool(slot))).result
    if isinstance(slot, SSAValue):
        return slot
    return rewriter.insert(PoisonOp(slot)).result


def _unexpected(exit_kind: ExitKind) -> ConversionError:
    return ConversionError(f"leaves a region that cannot be left by {exit_kind.name.lower()}")


@dataclass
class SingleExitFrame(ExitFrame):
    """
    A block with one kind of exit: the body of a function, a reduction, a scan or a counted loop,
    and an arm of an `if` that only yields.
    """

    types: Sequence[Attribute]
    exit: ExitKind
    make_terminator: Callable[[Sequence[SSAValue], ConversionRewriter], Operation] | None = None
    """`scf.yield`, if there is none."""

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        if exit_kind is not self.exit:
            raise _unexpected(exit_kind)
        return list(values)

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        return (self.make_terminator or super().terminator)(values, rewriter)


class LoopFrame(ExitFrame):
    """
    The body of a `loop`: whether to continue, the loop-carried values, the results; and, if there
    is a `return` inside, whether it was executed, with its values.
    """

    def __init__(
        self,
        carried: Sequence[Attribute],
        results: Sequence[Attribute],
        returned: Sequence[Attribute] | None,
    ):
        self.carried, self.results, self.returned = carried, results, returned
        after = () if returned is None else (i1, *returned)
        self.types = (i1, *carried, *results, *after)

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        after: list[Slot] = [] if self.returned is None else [False, *self.returned]
        match exit_kind:
            case ExitKind.CONTINUE:
                return [True, *values, *self.results, *after]
            case ExitKind.BREAK:
                return [False, *self.carried, *values, *after]
            case ExitKind.RETURN:
                return [False, *self.carried, *self.results, True, *values]
            case ExitKind.YIELD:
                raise _unexpected(exit_kind)

    def terminator(self, values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
        return scf.ConditionOp(values[0], *values[1:])


class ArmFrame(ExitFrame):
    """An arm of an `if` that is the last thing in its block: it ends as that block does."""

    def __init__(self, outer: ExitFrame):
        self.outer = outer
        self.types = outer.types

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        return self.outer.slots(exit_kind, values)


class SplitFrame(ExitFrame):
    """
    An arm of an `if` with a rest after it that only some paths reach: whether this one does,
    what the block ends with if not, and the results of the `if` for the rest.
    """

    def __init__(self, outer: ExitFrame, results: Sequence[Attribute]):
        self.outer, self.results = outer, results
        self.types = (i1, *outer.types, *results)

    def slots(self, exit_kind: ExitKind, values: Sequence[SSAValue]) -> list[Slot]:
        if exit_kind is ExitKind.YIELD:
            return [True, *self.outer.types, *values]
        return [False, *self.outer.slots(exit_kind, values), *self.results]


@dataclass
class ControlFlow:
    """How each block that is being converted ends."""

    frames: dict[Block, ExitFrame] = field(default_factory=dict[Block, ExitFrame])

    def frame_of(self, op: Operation) -> ExitFrame:
        """The frame of the block an op is in."""
        block = op.parent_block()
        frame = None if block is None else self.frames.get(block)
        if frame is None:
            raise ConversionError("is not in a function")
        return frame

    def take_rest(self, op: Operation, rewriter: ConversionRewriter) -> Region:
        """What is after an op, as an arm of an `if` at the end of its block."""
        rest = Block()
        frame = ArmFrame(self.frame_of(op))
        rewriter.move_rest(op, rest)
        self.frames[rest] = frame
        return rewriter.convert_region(Region(rest))

    def return_types(self, op: Operation) -> Sequence[Attribute]:
        """What a `return` inside an op returns."""
        frame = self.frame_of(op)
        while isinstance(frame, ArmFrame | SplitFrame):
            frame = frame.outer
        if isinstance(frame, LoopFrame):
            assert frame.returned is not None
            return frame.returned
        return frame.types


class ExitPattern(ConversionPattern[Operation]):
    """`yield`, `continue`, `break` and `return` end their block as its frame says."""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        frame = rewriter.state(ControlFlow).frame_of(op)
        frame.end(rewriter, frame.slots(EXITS[type(op)], rewriter.values(op.operands)))
        rewriter.replace(op)


class IfPattern(ConversionPattern[ct.IfOp]):
    """`if` → `scf.if`."""

    def convert(self, op: ct.IfOp, rewriter: ConversionRewriter) -> None:
        if get_if_exits(op) == {ExitKind.YIELD}:
            types = rewriter.types(op.result_types)
            new = self._convert_arms(op, SingleExitFrame(types, ExitKind.YIELD), rewriter)
            rewriter.replace(op, new.results)
            return
        outer = rewriter.state(ControlFlow).frame_of(op)
        if self._close(op, rewriter):
            new = self._convert_arms(op, ArmFrame(outer), rewriter)
            outer.end(rewriter, new.results)
            rewriter.replace(op, [None] * len(op.results))
            return
        self._split(op, outer, rewriter)

    def _close(self, op: ct.IfOp, rewriter: ConversionRewriter) -> bool:
        """
        Moves what is after the `if` into its arms, if that needs no copy of more than the
        terminator, so that nothing is after it.
        """
        if not op.has_else:
            end = ct.YieldOp()
            end.location = op.location
            op.else_region.add_block(Block([end]))
        arms = [region.block for region in (op.then_region, op.else_region)]
        falling = [arm for arm in arms if ExitKind.YIELD in get_exits(arm)]
        if not falling:
            rewriter.erase_rest(op)
            return True
        rest = op.next_op
        assert rest is not None
        if len(falling) == 1:
            (arm,) = falling
            end = _take_yield(arm)
            for result, value in zip(op.results, end, strict=True):
                result.replace_all_uses_with(value)
            rewriter.move_rest(op, arm)
            return True
        if type(rest) not in EXITS:
            return False
        for arm in falling:
            end = _take_yield(arm)
            arm.add_op(rest.clone(value_mapper=dict(zip(op.results, end, strict=True))))
        rewriter.erase_rest(op)
        return True

    def _split(self, op: ct.IfOp, outer: ExitFrame, rewriter: ConversionRewriter) -> None:
        """Both arms may come back, and there is something after the `if`."""
        types = rewriter.types(op.result_types)
        new = self._convert_arms(op, SplitFrame(outer, types), rewriter)
        falls_through, *values = new.results
        kept, results = values[: len(outer.types)], values[len(outer.types) :]
        rest = rewriter.state(ControlFlow).take_rest(op, rewriter)
        skip = Region(Block([scf.YieldOp(*kept)]))
        tail = rewriter.insert(scf.IfOp(falls_through, outer.types, rest, skip))
        outer.end(rewriter, tail.results)
        rewriter.replace(op, results)

    def _convert_arms(
        self, op: ct.IfOp, frame: ExitFrame, rewriter: ConversionRewriter
    ) -> scf.IfOp:
        then, otherwise = map(rewriter.move_region, (op.then_region, op.else_region))
        for block in (*then.blocks, *otherwise.blocks):
            rewriter.state(ControlFlow).frames[block] = frame
        new = scf.IfOp(rewriter.value(op.condition), frame.types, then, otherwise)
        carry_attributes(op, new)
        return rewriter.insert(new)


def _take_yield(block: Block) -> tuple[SSAValue, ...]:
    """Removes the `yield` at the end of a block; returns what it yielded."""
    last = block.last_op
    assert isinstance(last, ct.YieldOp)
    values = tuple(last.operands)
    last.detach()
    last.erase()
    return values


class ForPattern(ConversionPattern[ct.ForOp]):
    """
    `for` → `scf.for`; since that compares signed, `for unsigned` →

        %r:2 = scf.while (%i = %lower, %x = %init) {
          %c = arith.cmpi ult, %i, %upper : i32
          scf.condition(%c) %i, %x
        } do {
        ^bb0(%i: i32, %x: f32): …
          %left = arith.subi %upper, %i : i32
          %most = arith.minui %step, %left : i32
          %next = arith.addi %i, %most : i32
          scf.yield %next, %y
        }

    A step of 1 cannot wrap around, and is added as it is.
    """

    def convert(self, op: ct.ForOp, rewriter: ConversionRewriter) -> None:
        lower, upper, step = rewriter.values((op.lower_bound, op.upper_bound, op.step))
        carried = rewriter.values(op.init_values)
        types = [value.type for value in carried]
        body, flow = rewriter.move_region(op.body), rewriter.state(ControlFlow)
        if op.unsigned_cmp is None:
            flow.frames[body.block] = SingleExitFrame(types, ExitKind.CONTINUE)
            new = scf.ForOp(lower, upper, step, carried, body)
            carry_attributes(op, new)
            rewriter.replace(op, new)
            return
        loop, frame = self._make_while(lower, upper, step, carried, body)
        flow.frames[body.block] = frame
        carry_attributes(op, loop)
        rewriter.insert(loop)
        rewriter.replace(op, loop.results[1:])

    def _make_while(
        self,
        lower: SSAValue,
        upper: SSAValue,
        step: SSAValue,
        carried: Sequence[SSAValue],
        body: Region,
    ) -> tuple[scf.WhileOp, ExitFrame]:
        """The loop, and how its body ends."""
        types = [lower.type, *(value.type for value in carried)]
        check = Block(arg_types=types)
        is_below = arith.CmpiOp(check.args[0], upper, "ult")
        check.add_ops([is_below, scf.ConditionOp(is_below, *check.args)])

        def make_yield(values: Sequence[SSAValue], rewriter: ConversionRewriter) -> Operation:
            # The argument with the converted type stands after the old one until the end.
            counter, added = rewriter.value(body.block.args[0]), step
            if integer_of(step) != 1:
                left = rewriter.insert(arith.SubiOp(upper, counter))
                added = rewriter.insert(arith.MinUIOp(step, left)).result
            following = rewriter.insert(arith.AddiOp(counter, added))
            return scf.YieldOp(following, *values)

        frame = SingleExitFrame(types[1:], ExitKind.CONTINUE, make_yield)
        return WhileOp([lower, *carried], types, Region(check), body), frame


class LoopPattern(ConversionPattern[ct.LoopOp]):
    """
    `loop` → `scf.while`, all of it in the region before the condition:

        %r:2 = scf.while (%x = %init) : (f32) -> (f32, i32) {
          …
          scf.condition(%keep_going) %carried, %result
        } do {
        ^bb0(%x: f32, %result: i32):
          scf.yield %x
        }
    """

    def convert(self, op: ct.LoopOp, rewriter: ConversionRewriter) -> None:
        carried = rewriter.values(op.init_values)
        types = [value.type for value in carried]
        results = rewriter.types(op.result_types)
        may_return = ExitKind.RETURN in get_exits(op.body.block)
        flow = rewriter.state(ControlFlow)
        returned = flow.return_types(op) if may_return else None
        frame = LoopFrame(types, results, returned)
        body = rewriter.move_region(op.body)
        flow.frames[body.block] = frame
        after = Block(arg_types=frame.types[1:])
        after.add_op(scf.YieldOp(*after.args[: len(types)]))
        loop = WhileOp(carried, frame.types[1:], body, Region(after))
        carry_attributes(op, loop)
        rewriter.insert(loop)
        end = len(types) + len(results)
        if may_return:
            self._skip_rest(op, loop.results[end], loop.results[end + 1 :], rewriter)
        rewriter.replace(op, loop.results[len(types) : end])

    def _skip_rest(
        self,
        op: ct.LoopOp,
        returned: SSAValue,
        values: Sequence[SSAValue],
        rewriter: ConversionRewriter,
    ) -> None:
        """What is after the loop happens only if the loop has not returned."""
        flow = rewriter.state(ControlFlow)
        outer = flow.frame_of(op)
        kept = [materialize(slot, rewriter) for slot in outer.slots(ExitKind.RETURN, values)]
        rest, leave = flow.take_rest(op, rewriter), Region(Block([scf.YieldOp(*kept)]))
        tail = rewriter.insert(scf.IfOp(returned, outer.types, leave, rest))
        outer.end(rewriter, tail.results)


def populate_control_flow(patterns: PatternSet) -> None:
    """Adds the patterns of branches, loops and their terminators."""
    patterns.add(ct.IfOp, IfPattern())
    patterns.add(ct.ForOp, ForPattern())
    patterns.add(ct.LoopOp, LoopPattern())
    for op_class in EXITS:
        patterns.add(op_class, ExitPattern())
