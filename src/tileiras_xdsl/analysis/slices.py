"""
Backward and forward slices.

`backward_slice` is MLIR's `getBackwardSlice` with its filter. `reachable` is a lazy graph traversal
for passes that look for one op only, or follow more than operands; `operands_first` is one in
post-order. `passed_values` and `sources_of` follow values through loops and branches, as MLIR's
`RegionBranchOpInterface` does.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Sequence,
)

from typing_extensions import TypeVar
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.xdsl_extras.structure import condition_of, last_of

NodeT = TypeVar("NodeT", bound=Hashable)


def reachable(
    starts: Iterable[NodeT],
    following: Callable[[NodeT], Iterable[NodeT]],
    limit: int | None = None,
) -> Iterator[NodeT]:
    """
    All nodes reachable from some, these included, each once. Successors of a node are computed
    after it was yielded, and no more once `limit` nodes were found.
    """
    pending = list(dict.fromkeys(starts))
    seen = set(pending)
    while pending and (limit is None or len(seen) < limit):
        node = pending.pop()
        yield node
        fresh = [each for each in dict.fromkeys(following(node)) if each not in seen]
        seen.update(fresh)
        pending.extend(fresh)


def operands_first(
    start: NodeT, following: Callable[[NodeT], Iterable[NodeT]], known: Container[NodeT] = ()
) -> list[NodeT]:
    """
    The nodes reachable from one by way of nodes that are not known, this included, each behind all
    that follow it. What is computed of each from what is known of these needs no recursion, which
    long chains of ops would be too deep for.
    """
    ordered: dict[NodeT, None] = {}
    seen: set[NodeT] = set()
    # The last one is next. A node is there once more, below those that follow it.
    pending = [start]
    while pending:
        node = pending.pop()
        if node in seen:
            ordered[node] = None
        elif node not in known:
            seen.add(node)
            pending.append(node)
            pending += [each for each in following(node) if each not in seen][::-1]
    return [*ordered]


def operands_of(value: SSAValue) -> Collection[SSAValue]:
    """The operands of a value's defining op; none for a block argument."""
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def passed_values(op: Operation) -> Iterator[tuple[Sequence[SSAValue], Sequence[SSAValue]]]:
    """
    What a loop or a branch passes on, with the arguments and results that it becomes, one for one.
    Other ops pass nothing on.
    """
    match op:
        case scf.ForOp():
            arguments = op.body.block.args[1:]
            for sources in (op.iter_args, last_of(op.body.block).operands):
                yield sources, arguments
                yield sources, op.results
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            for sources in (op.arguments, last_of(after).operands):
                yield sources, before.args
            for targets in (after.args, op.results):
                yield condition_of(op).args, targets
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            for region in op.regions:
                for block in region.blocks:
                    yield last_of(block).operands, op.results
        case _:
            return


def sources_of(value: SSAValue) -> list[SSAValue]:
    """What a loop or a branch passes on as an argument or a result; nothing for other values."""
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    return [
        source
        for sources, targets in (() if op is None else passed_values(op))
        for source, target in zip(sources, targets, strict=False)
        if target is value
    ]


def backward_slice(
    values: Iterable[SSAValue],
    is_inside: Callable[[Operation], bool] = lambda op: True,
    uses: Callable[[Operation], Iterable[SSAValue]] = lambda op: op.operands,
) -> set[Operation]:
    """The ops that values depend on, as far back as ops are inside, by what ops use."""

    def makers(values: Iterable[SSAValue]) -> Iterator[Operation]:
        for value in values:
            if isinstance(value.owner, Operation) and is_inside(value.owner):
                yield value.owner

    return set(reachable(makers(values), lambda op: makers(uses(op))))
