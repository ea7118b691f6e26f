"""Rules for loops, branches and calls, and the bodies of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import cf, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt

from .emitter import Converted, Emitter, Order, Results, rule
from .memory import NO_EFFECT, READS, WRITES, effect_of


def run_ops(emitter: Emitter, block: Block) -> Operation:
    """Converts the ops of a block but the last, which is returned."""
    last = block.last_op
    assert last is not None
    for op in block.ops:
        if op is not last:
            emitter.run(op)
    emitter.current, emitter.location = last, last.location
    return last


def results_of(
    emitter: Emitter, op: Operation, made: Operation, like: Sequence[SSAValue]
) -> Sequence[Converted]:
    """What the results of an op have become, those of another, whose token may come last."""
    emitter.bind(op.results, made.results, like)
    return [emitter.values[result] for result in op.results]


@rule("scf.for")
def convert_for(emitter: Emitter, op: scf.ForOp) -> Results:
    """
    A loop. If there are writes in it, it carries a token. If there are reads alone, they depend on
    what was written before the loop, and it carries a token after which a write may follow.
    """
    outer, effect = emitter.order, effect_of(op, emitter.read_only)
    bounds = tuple(emitter.value(bound) for bound in (op.lb, op.ub, op.step))
    inits = emitter.flat(op.iter_args)
    if effect != NO_EFFECT:
        inits.append(emitter.everything())
    source = op.body.block
    block = Block(arg_types=[bounds[0].type, *(value.type for value in inits)])
    with emitter.inside(block):
        induction, *carried = source.args
        emitter.values[induction] = block.args[0]
        block.args[0].name_hint = induction.name_hint
        emitter.bind(carried, block.args[1:], op.iter_args)
        if effect == WRITES:
            emitter.order = Order(block.args[-1])
        elif effect == READS:
            emitter.order = Order(outer.last, [block.args[-1]])
        end = run_ops(emitter, source)
        passed = emitter.flat(end.operands)
        if effect == WRITES:
            passed.append(emitter.everything())
        elif effect == READS:
            passed.append(emitter.join(emitter.order.reads))
        emitter.emit(ct.ContinueOp(*passed))
    emitter.current, emitter.location = op, op.location
    made = emitter.emit(ct.ForOp(bounds[0], bounds[1], bounds[2], inits, Region(block)))
    emitter.order = after(outer, made, effect)
    return results_of(emitter, op, made, op.iter_args)


def after(outer: Order, made: Operation, effect: int) -> Order:
    """The order behind an op whose last result is a token, unless it has no effect."""
    if effect == WRITES:
        return Order(made.results[-1])
    return Order(outer.last, [made.results[-1]]) if effect == READS else outer


@rule("scf.while")
def convert_while(emitter: Emitter, op: scf.WhileOp) -> Results:
    """
    scf.while (%a = %x) { … scf.condition(%c) %b } do { ^bb0(%d): … scf.yield %e }
    →
    cuda_tile.loop iter_values(%a = %x) { … if %c { } else { break %b } … continue %e }
    """
    effect = effect_of(op, emitter.read_only)
    effect = NO_EFFECT if effect == NO_EFFECT else WRITES
    inits = emitter.flat(op.arguments)
    if effect:
        inits.append(emitter.everything())
    outer = emitter.order
    block = Block(arg_types=[value.type for value in inits])
    with emitter.inside(block):
        emitter.bind(op.before_region.block.args, block.args, op.arguments)
        if effect:
            emitter.order = Order(block.args[-1])
        condition = run_ops(emitter, op.before_region.block)
        decided, *passed = condition.operands
        left = emitter.flat(passed)
        if effect:
            left.append(emitter.everything())
        leaves = Block([ct.BreakOp(*left)])
        emitter.emit(
            ct.IfOp(emitter.value(decided), [], Region(Block([ct.YieldOp()])), Region(leaves))
        )
        emitter.bind(op.after_region.block.args, left, passed)
        end = run_ops(emitter, op.after_region.block)
        following = emitter.flat(end.operands)
        if effect:
            following.append(emitter.everything())
        emitter.emit(ct.ContinueOp(*following))
        models = {model: emitter.values[model] for model in passed}
    emitter.current, emitter.location = op, op.location
    made = emitter.emit(ct.LoopOp(inits, [value.type for value in left], Region(block)))
    emitter.order = after(outer, made, effect)
    emitter.values |= models
    return results_of(emitter, op, made, passed)


Body = Callable[[], Sequence[SSAValue]]
"""Emits a branch; returns the values that it yields, of the original IR."""


def branch(emitter: Emitter, condition: SSAValue, bodies: Sequence[Body], effect: int) -> ct.IfOp:
    """One of two branches, with a token behind its values if it has an effect."""
    outer, regions = emitter.order, list[Region]()
    types: list[SSAValue] = []
    current = emitter.current
    for body in bodies:
        block = Block()
        with emitter.inside(block):
            emitter.order = Order(outer.last, list(outer.reads))
            types = emitter.flat(body())
            if effect != NO_EFFECT:
                types.append(emitter.everything())
            emitter.emit(ct.YieldOp(*types))
        regions.append(Region(block))
    assert current is not None
    emitter.current, emitter.location = current, current.location
    made = emitter.emit(ct.IfOp(condition, [value.type for value in types], *regions))
    emitter.order = after(outer, made, effect)
    return made


@rule("scf.if")
def convert_if(emitter: Emitter, op: scf.IfOp) -> Results:
    """A branch."""
    yielded: list[SSAValue] = []

    def run(region: Region) -> Sequence[SSAValue]:
        if region.first_block is None:
            return ()
        end = run_ops(emitter, region.block)
        yielded[:] = end.operands
        if any(isinstance(value.type, tt.TensorDescType) for value in yielded):
            emitter.fail("has no conversion for tensor descriptors")
        return end.operands

    effect = effect_of(op, emitter.read_only)
    bodies = [lambda: run(op.true_region), lambda: run(op.false_region)]
    made = branch(emitter, emitter.value(op.cond), bodies, effect)
    return made.results[: len(op.results)]


# Functions


class FunctionBody:
    """Converts the blocks of a function, which must not form loops."""

    def __init__(self, emitter: Emitter, is_kernel: bool):
        self.emitter = emitter
        self.is_kernel = is_kernel
        self.active: list[Block] = []

    def run(self, block: Block, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """
        Converts a block and those behind it; of a function that is called, returns what it
        returns. Where a kernel may end early, `if` and `return` stand.
        """
        emitter = self.emitter
        if block in self.active:
            emitter.fail("has no conversion for loops of blocks")
        for argument, value in zip(block.args, arguments, strict=True):
            emitter.values[argument] = emitter.values[value]
        self.active.append(block)
        end = run_ops(emitter, block)
        match end:
            case tt.ReturnOp():
                found = tuple(end.operands)
                if self.is_kernel:
                    emitter.emit(ct.ReturnOp())
            case cf.BranchOp():
                found = self.run(end.successor, end.arguments)
            case cf.ConditionalBranchOp():
                found = self._branch(end)
            case _:
                emitter.fail("has no conversion")
        self.active.pop()
        return found

    def _branch(self, end: cf.ConditionalBranchOp) -> Sequence[SSAValue]:
        emitter = self.emitter
        condition = emitter.value(end.cond)
        outer = emitter.order
        then = Block()
        if self.is_kernel:
            with emitter.inside(then):
                emitter.order = Order(outer.last, list(outer.reads))
                self.run(end.then_block, end.then_arguments)
            emitter.current, emitter.location, emitter.order = end, end.location, outer
            emitter.emit(ct.IfOp(condition, [], Region(then)))
            return self.run(end.else_block, end.else_arguments)
        returned: list[SSAValue] = []

        def run(block: Block, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
            returned[:] = self.run(block, arguments)
            return returned

        bodies = [
            lambda: run(end.then_block, end.then_arguments),
            lambda: run(end.else_block, end.else_arguments),
        ]
        made = branch(emitter, condition, bodies, WRITES)
        for value, result in zip(returned, made.results, strict=False):
            emitter.values[value] = result
        return returned


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
        returned = body.run(callee.body.first_block, op.arguments)
        found = [emitter.values[value] for value in returned]
    emitter.calls.pop()
    emitter.current, emitter.location = op, op.location
    return found
