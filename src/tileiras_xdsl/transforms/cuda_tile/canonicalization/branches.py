"""What the passes over `cuda_tile.if` ask about branches, and the rewrites they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.dialects.cuda_tile.control_flow import IfOp, YieldOp


def get_yield(branch: Region) -> YieldOp | None:
    """The `yield` that ends a branch; `None` if there is no branch or it leaves otherwise."""
    block = branch.first_block
    return block.last_op if block is not None and isinstance(block.last_op, YieldOp) else None


def is_leaving(branch: Region) -> bool:
    """Whether a branch ends in `break`, `continue` or `return`: nothing after the op is run."""
    return bool(branch.blocks) and get_yield(branch) is None


def is_only_terminator(branch: Region) -> bool:
    """Whether a branch consists of its terminator."""
    block = branch.first_block
    return block is not None and block.first_op is block.last_op


def erase_from(op: Operation, rewriter: PatternRewriter) -> None:
    """Erases unreachable code: an op and all that follows it in its block."""
    doomed = [op]
    while (following := doomed[-1].next_op) is not None:
        doomed.append(following)
    # Last first, so that no op is erased before its users.
    for op in reversed(doomed):
        rewriter.erase(op)


def inline_branch(op: IfOp, branch: Region, rewriter: PatternRewriter) -> bool:
    """
    Replaces an `if` by one of its branches, which may be absent. If that branch leaves, the
    rest of the block is unreachable and erased. Returns whether the code after the op stays.
    """
    if not branch.blocks:
        rewriter.erase(op)
        return True
    block, terminator = branch.block, get_yield(branch)
    if terminator is None:
        rewriter.inline_block(block, InsertPoint.before(op))
        erase_from(op, rewriter)
        return False
    values = tuple(terminator.operands)
    rewriter.erase(terminator)
    rewriter.inline_block(block, InsertPoint.before(op))
    rewriter.replace(op, (), values)
    return True


def set_yielded(terminator: YieldOp, values: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Makes a `yield` give other values."""
    terminator.operands = values
    rewriter.notify_op_modified(terminator)


def build_if(
    op: IfOp,
    condition: SSAValue,
    results: Sequence[SSAValue],
    then_region: Region,
    else_region: Region,
    rewriter: PatternRewriter,
) -> IfOp:
    """
    Inserts an `if` in place of `op`, before it, with the contents of the given regions, and
    lets the uses of `results` use its results, in order.
    """
    new_op = IfOp(
        condition,
        [result.type for result in results],
        rewriter.move_region_contents_to_new_regions(then_region),
        rewriter.move_region_contents_to_new_regions(else_region),
    )
    new_op.location = op.location
    new_op.attributes = dict(op.attributes)
    rewriter.insert(new_op, InsertPoint.before(op))
    for result, new_result in zip(results, new_op.results, strict=True):
        new_result.name_hint = result.name_hint
        rewriter.replace_all_uses_with(result, new_result)
    return new_op


def replace_results(
    op: IfOp, replacements: Mapping[int, SSAValue], rewriter: PatternRewriter
) -> None:
    """
    Rebuilds an `if` without some of its results, for which the given values are used; both
    branches keep their code.
    """
    kept = [index for index in range(len(op.results)) if index not in replacements]
    for branch in op.regions:
        if (terminator := get_yield(branch)) is not None:
            set_yielded(terminator, [terminator.operands[index] for index in kept], rewriter)
    build_if(
        op,
        op.condition,
        [op.results[index] for index in kept],
        op.then_region,
        op.else_region,
        rewriter,
    )
    for index, value in replacements.items():
        rewriter.replace_all_uses_with(op.results[index], value)
    rewriter.erase(op)
