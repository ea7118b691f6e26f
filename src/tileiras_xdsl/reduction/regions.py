"""Replaces ops with regions by what is inside: one round of a loop, one branch of an `if`."""

from __future__ import annotations

from functools import partial

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.reduction.edits import Edit, Strategy, is_attached
from tileiras_xdsl.reduction.values import first_of_type, substitute
from tileiras_xdsl.xdsl_extras.walking import walk

LEAVING = (ct.BreakOp, ct.ContinueOp, ct.ReturnOp)


def _values_of_arguments(op: Operation, block: Block) -> list[SSAValue] | None:
    """What the arguments of a block are in the first round: initial values come last."""
    count = len(block.args)
    last = op.operands[len(op.operands) - count :]
    if len(last) == count and all(a.type == b.type for a, b in zip(last, block.args, strict=True)):
        return list(last)
    found: list[SSAValue] = []
    # What is carried comes last, and before it the induction variable, which starts at a bound.
    carried = list(op.operands[max(len(op.operands) - count + 1, 0) :])
    for number, argument in enumerate(block.args):
        value = first_of_type(op.operands, argument.type)
        if number > 0 and number - 1 < len(carried):
            carry = carried[number - 1]
            value = carry if carry.type == argument.type else value
        if value is None:
            value = substitute(argument, op, ("zero", "earlier"))
        if value is None:
            return None
        found.append(value)
    return found


def _inline(op: Operation, index: int, module: ModuleOp) -> None:
    if not is_attached(op, module):
        return
    region, outer = op.regions[index], op.parent
    block = region.first_block
    if outer is None or block is None or block.next_block is not None or block.last_op is None:
        return
    values = _values_of_arguments(op, block)
    if values is None:
        return
    for argument, value in zip(block.args, values, strict=True):
        argument.replace_all_uses_with(value)
    terminator = block.last_op
    leaves = isinstance(op, ct.IfOp) and isinstance(terminator, LEAVING)
    for inner in list(block.ops):
        inner.detach()
        if leaves or inner is not terminator:
            outer.insert_op_before(inner, op)
    if leaves:
        # What came after is never reached.
        rest: Operation | None = outer.last_op
        while rest is not None and rest is not terminator:
            before = rest.prev_op
            rest.detach()
            rest.erase()
            rest = before
        return
    count = len(op.results)
    yielded = terminator.operands[len(terminator.operands) - count :] if count else ()
    for number, result in enumerate(op.results):
        value = yielded[number] if len(yielded) == count else None
        if value is None or value.type != result.type:
            value = substitute(result, op, ("operand", "zero", "earlier"), op.operands)
        assert value is not None
        result.replace_all_uses_with(value)
    terminator.erase()
    op.detach()
    op.erase()


def find_inlined(module: ModuleOp) -> list[Edit]:
    """Each region of an op, in place of the op."""
    return [
        partial(_inline, op, index, module)
        for op in reversed(walk(module))
        if not op.has_trait(IsolatedFromAbove) and "sym_name" not in op.properties
        for index in range(len(op.regions))
        if op is not module
    ]


def find_else(module: ModuleOp) -> list[Edit]:
    """Second branches of an `if` without results."""

    def drop(op: Operation) -> None:
        if is_attached(op, module) and not op.results:
            for block in list(op.regions[1].blocks):
                op.regions[1].erase_block(block)

    return [
        partial(drop, op)
        for op in reversed(walk(module))
        if isinstance(op, ct.IfOp | scf.IfOp) and op.regions[1].blocks
    ]


INLINED = Strategy("regions", find_inlined)
ELSE = Strategy("else branches", find_else)
