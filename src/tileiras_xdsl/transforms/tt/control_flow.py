"""Rules for loops, branches and calls, and the bodies of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.memory_order import Effect

from .emitter import Converted, Descriptor, Emitter, Order, Results, flatten, rebuild, rule
from .memory import find_ordered


def run_ops(emitter: Emitter, block: Block) -> Operation:
    """Converts the ops of a block but the last, which is returned."""
    last = block.last_op
    assert last is not None
    for op in block.ops:
        if op is not last:
            emitter.run(op)
    emitter.current, emitter.location = last, last.location
    return last


@rule("scf.for")
def convert_for(emitter: Emitter, op: scf.ForOp) -> Results:
    """
    A loop. If there are writes in it, it carries a token. If there are reads alone, they depend on
    what was written before the loop, and it carries a token after which a write may follow.
    """
    outer, effect = emitter.order, find_ordered(op, emitter.read_only)
    bounds = tuple(emitter.scalar(bound) for bound in (op.lb, op.ub, op.step))
    before = emitter.convert(op.iter_args)
    inits = flatten(before)
    if effect:
        inits.append(emitter.everything())
    source = op.body.block
    block = Block(arg_types=[bounds[0].type, *(value.type for value in inits)])
    with emitter.inside(block):
        induction, *carried = source.args
        emitter.values[induction] = block.args[0]
        block.args[0].name_hint = induction.name_hint
        emitter.bind(carried, block.args[1:], before)
        if effect == Effect.WRITE:
            emitter.order = Order(block.args[-1])
        elif effect == Effect.READ:
            emitter.order = Order(outer.last, [block.args[-1]])
        end = run_ops(emitter, source)
        passed = flatten(emitter.convert(end.operands))
        if effect == Effect.WRITE:
            passed.append(emitter.everything())
        elif effect == Effect.READ:
            passed.append(emitter.join(emitter.order.reads))
        emitter.emit(ct.ContinueOp(*passed))
    emitter.current, emitter.location = op, op.location
    made = emitter.emit(ct.ForOp(bounds[0], bounds[1], bounds[2], inits, Region(block)))
    emitter.order = after(outer, made, effect)
    return rebuild(made.results, before)


def after(outer: Order, made: Operation, effect: Effect) -> Order:
    """The order behind an op whose last result is a token, unless it has no effect."""
    if effect == Effect.WRITE:
        return Order(made.results[-1])
    return Order(outer.last, [made.results[-1]]) if effect == Effect.READ else outer


@rule("scf.while")
def convert_while(emitter: Emitter, op: scf.WhileOp) -> Results:
    """
    scf.while (%a = %x) { … scf.condition(%c) %b } do { ^bb0(%d): … scf.yield %e }
    →
    cuda_tile.loop iter_values(%a = %x) { … if %c { } else { break %b } … continue %e }
    """
    effect = Effect.WRITE if find_ordered(op, emitter.read_only) else Effect.NONE
    before = emitter.convert(op.arguments)
    inits = flatten(before)
    if effect:
        inits.append(emitter.everything())
    outer = emitter.order
    block = Block(arg_types=[value.type for value in inits])
    with emitter.inside(block):
        emitter.bind(op.before_region.block.args, block.args, before)
        if effect:
            emitter.order = Order(block.args[-1])
        decided, *passed = run_ops(emitter, op.before_region.block).operands
        condition = emitter.value(decided)
        left = emitter.convert(passed)
        parts = flatten(left)
        if effect:
            parts.append(emitter.everything())
        leaves = Block([ct.BreakOp(*parts)])
        goes_on = any_of(emitter, condition)
        emitter.emit(ct.IfOp(goes_on, [], Region(Block([ct.YieldOp()])), Region(leaves)))
        emitter.bind(op.after_region.block.args, parts, left)
        following = flatten(emitter.convert(run_ops(emitter, op.after_region.block).operands))
        if emitter.lanes:
            pairs = zip(following, block.args, strict=True)
            following = [emitter.select(condition, new, old) for new, old in pairs]
        if effect:
            following.append(emitter.everything())
        emitter.emit(ct.ContinueOp(*following))
    emitter.current, emitter.location = op, op.location
    made = emitter.emit(ct.LoopOp(inits, [value.type for value in parts], Region(block)))
    emitter.order = after(outer, made, effect)
    return rebuild(made.results, left)


def any_of(emitter: Emitter, condition: SSAValue) -> SSAValue:
    """Whether a condition holds for any element."""
    ty = emitter.tile(condition)
    if not ty.rank:
        return condition
    flat = emitter.reshape(condition, (prod(ty.get_shape()),))
    body = Block(arg_types=[ty.with_shape(())] * 2)
    either = ct.OrIOp(*body.args)
    body.add_ops([either, ct.YieldOp(either)])
    return emitter.one(ct.ReduceOp([flat], 0, [BoolAttr.from_bool(False)], Region(body)))


Body = Callable[[], Sequence[Converted]]
"""Emits a branch; returns the values that it yields."""


def branch(
    emitter: Emitter, condition: SSAValue, bodies: Sequence[Body], effect: Effect
) -> list[Converted]:
    """
    The values of one of two branches. In a region that is run for each element, those of both are
    computed, and chosen from.
    """
    outer, regions = emitter.order, list[Region]()
    yielded: list[list[SSAValue]] = []
    like: Sequence[Converted] = ()
    paddings: set[tuple[bool, ...]] = set()
    current = emitter.current
    is_chosen = emitter.lanes is not None
    if is_chosen and effect:
        emitter.fail("has no conversion for accesses of some of the elements")
    for body in bodies:
        block = emitter.block if is_chosen else Block()
        with emitter.inside(block):
            emitter.order = Order(outer.last, list(outer.reads))
            like = body()
            paddings.add(tuple(each.pads_nan for each in like if isinstance(each, Descriptor)))
            yielded.append(flatten(like))
            if effect:
                yielded[-1].append(emitter.everything())
            if not is_chosen:
                emitter.emit(ct.YieldOp(*yielded[-1]))
                regions.append(Region(block))
    assert current is not None
    emitter.current, emitter.location = current, current.location
    if len(paddings) > 1:
        emitter.fail("has no conversion for tensor descriptors of different paddings")
    if is_chosen:
        pairs = zip(*yielded, strict=True)
        return rebuild([emitter.select(condition, *pair) for pair in pairs], like)
    made = emitter.emit(ct.IfOp(condition, [value.type for value in yielded[-1]], *regions))
    emitter.order = after(outer, made, effect)
    return rebuild(made.results, like)


@rule("scf.if")
def convert_if(emitter: Emitter, op: scf.IfOp) -> Results:
    """A branch."""

    def run(region: Region) -> Sequence[Converted]:
        if region.first_block is None:
            return ()
        return emitter.convert(run_ops(emitter, region.block).operands)

    effect = find_ordered(op, emitter.read_only)
    bodies = [lambda: run(op.true_region), lambda: run(op.false_region)]
    return branch(emitter, emitter.value(op.cond), bodies, effect)


# Functions


class FunctionBody:
    """Converts the blocks of a function, which must not form loops."""

    def __init__(self, emitter: Emitter, is_kernel: bool):
        self.emitter = emitter
        self.is_kernel = is_kernel
        self.active: list[Block] = []

    def run(self, block: Block, arguments: Sequence[Converted]) -> Sequence[Converted]:
        """
        Converts a block and those behind it; of a function that is called, returns what it
        returns. Where a kernel may end early, `if` and `return` stand.
        """
        emitter = self.emitter
        if block in self.active:
            emitter.fail("has no conversion for loops of blocks")
        emitter.values |= zip(block.args, arguments, strict=True)
        self.active.append(block)
        end = run_ops(emitter, block)
        match end:
            case tt.ReturnOp() | tt.MapElementwiseReturnOp():
                found = emitter.convert(end.operands)
                if self.is_kernel:
                    emitter.emit(ct.ReturnOp())
            case cf.BranchOp():
                found = self.run(end.successor, emitter.convert(end.arguments))
            case cf.ConditionalBranchOp():
                found = self._branch(end)
            case _:
                emitter.fail("has no conversion")
        self.active.pop()
        return found

    def _branch(self, end: cf.ConditionalBranchOp) -> Sequence[Converted]:
        emitter = self.emitter
        condition = emitter.value(end.cond)
        outer = emitter.order
        then = Block()
        if self.is_kernel:
            with emitter.inside(then):
                emitter.order = Order(outer.last, list(outer.reads))
                self.run(end.then_block, emitter.convert(end.then_arguments))
            emitter.current, emitter.location, emitter.order = end, end.location, outer
            emitter.emit(ct.IfOp(condition, [], Region(then)))
            return self.run(end.else_block, emitter.convert(end.else_arguments))
        bodies = [
            lambda: self.run(end.then_block, emitter.convert(end.then_arguments)),
            lambda: self.run(end.else_block, emitter.convert(end.else_arguments)),
        ]
        return branch(
            emitter, condition, bodies, Effect.WRITE if emitter.lanes is None else Effect.NONE
        )


@rule("tt.call")
def convert_call(emitter: Emitter, op: tt.CallOp) -> Results:
    """The body of the function, in place of the call."""
    name = op.callee.string_value()
    module = op.get_toplevel_object()
    callee = next(
        (each for each in module.walk() if isinstance(each, tt.FuncOp) and each.symbol == name),
        None,
    )
    if callee is None or not callee.body.blocks:
        emitter.fail(f"calls '{name}', which has no body")
    if callee.body.first_block in emitter.calls:
        emitter.fail(f"calls '{name}', which calls itself")
    assert callee.body.first_block is not None
    emitter.calls.append(callee.body.first_block)
    with emitter.inside(emitter.block):
        body = FunctionBody(emitter, is_kernel=False)
        found = body.run(callee.body.first_block, emitter.convert(op.arguments))
    emitter.calls.pop()
    emitter.current, emitter.location = op, op.location
    return found
