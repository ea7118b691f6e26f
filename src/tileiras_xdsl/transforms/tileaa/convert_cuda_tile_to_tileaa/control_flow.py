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

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)
from tileiras_xdsl.xdsl_extras.structure import integer_of

from .exits import (
    EXITS,
    ArmFrame,
    ExitFrame,
    ExitKind,
    LoopFrame,
    SingleExitFrame,
    SplitFrame,
    get_exits,
    get_if_exits,
    materialize,
)
from .one_to_one import carry_attributes


class ControlFlow:
    """How each block that is being converted ends."""

    def __init__(self) -> None:
        self._frames: dict[Block, ExitFrame] = {}

    def set_frame(self, block: Block, frame: ExitFrame) -> None:
        self._frames[block] = frame

    def frame_of(self, op: Operation) -> ExitFrame:
        """The frame of the block an op is in."""
        block = op.parent_block()
        frame = None if block is None else self._frames.get(block)
        if frame is None:
            raise ConversionError("is not in a function")
        return frame

    def take_rest(self, op: Operation, rewriter: ConversionRewriter) -> Region:
        """What is after an op, as an arm of an `if` at the end of its block."""
        rest = Block()
        frame = ArmFrame(self.frame_of(op))
        rewriter.move_rest(op, rest)
        self.set_frame(rest, frame)
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

    def __init__(self, flow: ControlFlow):
        self.flow = flow

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        frame = self.flow.frame_of(op)
        frame.end(rewriter, frame.slots(EXITS[type(op)], rewriter.values(op.operands)))
        rewriter.replace(op)


class IfPattern(ConversionPattern[ct.IfOp]):
    """`if` → `scf.if`."""

    def __init__(self, flow: ControlFlow):
        self.flow = flow

    def convert(self, op: ct.IfOp, rewriter: ConversionRewriter) -> None:
        if get_if_exits(op) == {ExitKind.YIELD}:
            types = rewriter.converter.convert_all(op.result_types)
            new = self._convert_arms(op, SingleExitFrame(types, ExitKind.YIELD), rewriter)
            rewriter.replace(op, new.results)
            return
        outer = self.flow.frame_of(op)
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
        types = rewriter.converter.convert_all(op.result_types)
        new = self._convert_arms(op, SplitFrame(outer, types), rewriter)
        falls_through, *values = new.results
        kept, results = values[: len(outer.types)], values[len(outer.types) :]
        rest, skip = self.flow.take_rest(op, rewriter), Region(Block([scf.YieldOp(*kept)]))
        tail = rewriter.insert(scf.IfOp(falls_through, outer.types, rest, skip))
        outer.end(rewriter, tail.results)
        rewriter.replace(op, results)

    def _convert_arms(
        self, op: ct.IfOp, frame: ExitFrame, rewriter: ConversionRewriter
    ) -> scf.IfOp:
        then, otherwise = map(rewriter.move_region, (op.then_region, op.else_region))
        for block in (*then.blocks, *otherwise.blocks):
            self.flow.set_frame(block, frame)
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

    def __init__(self, flow: ControlFlow):
        self.flow = flow

    def convert(self, op: ct.ForOp, rewriter: ConversionRewriter) -> None:
        lower, upper, step = rewriter.values((op.lower_bound, op.upper_bound, op.step))
        carried = rewriter.values(op.init_values)
        types = [value.type for value in carried]
        body = rewriter.move_region(op.body)
        if op.unsigned_cmp is None:
            self.flow.set_frame(body.block, SingleExitFrame(types, ExitKind.CONTINUE))
            new = scf.ForOp(lower, upper, step, carried, body)
            carry_attributes(op, new)
            rewriter.replace(op, new)
            return
        loop = self._make_while(lower, upper, step, carried, body)
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
    ) -> scf.WhileOp:
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

        self.flow.set_frame(body.block, SingleExitFrame(types[1:], ExitKind.CONTINUE, make_yield))
        return scf.WhileOp([lower, *carried], types, Region(check), body)


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

    def __init__(self, flow: ControlFlow):
        self.flow = flow

    def convert(self, op: ct.LoopOp, rewriter: ConversionRewriter) -> None:
        carried = rewriter.values(op.init_values)
        types = [value.type for value in carried]
        results = rewriter.converter.convert_all(op.result_types)
        may_return = ExitKind.RETURN in get_exits(op.body.block)
        returned = self.flow.return_types(op) if may_return else None
        frame = LoopFrame(types, results, returned)
        body = rewriter.move_region(op.body)
        self.flow.set_frame(body.block, frame)
        after = Block(arg_types=frame.types[1:])
        after.add_op(scf.YieldOp(*after.args[: len(types)]))
        loop = scf.WhileOp(carried, frame.types[1:], body, Region(after))
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
        outer = self.flow.frame_of(op)
        kept = [materialize(slot, rewriter) for slot in outer.slots(ExitKind.RETURN, values)]
        rest, leave = self.flow.take_rest(op, rewriter), Region(Block([scf.YieldOp(*kept)]))
        tail = rewriter.insert(scf.IfOp(returned, outer.types, leave, rest))
        outer.end(rewriter, tail.results)


def populate_control_flow(patterns: PatternSet, flow: ControlFlow) -> None:
    """Adds the patterns of branches, loops and their terminators."""
    patterns.add(ct.IfOp, IfPattern(flow))
    patterns.add(ct.ForOp, ForPattern(flow))
    patterns.add(ct.LoopOp, LoopPattern(flow))
    for op_class in EXITS:
        patterns.add(op_class, ExitPattern(flow))
