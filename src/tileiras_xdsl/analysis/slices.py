"""
Backward and forward slices.

`backward_slice` is MLIR's `getBackwardSlice` with its filter. `reachable` is a lazy graph traversal
for passes that look for one op only, or follow more than operands; `operands_first` is one in
post-order. `passed_values` and `sources_of` follow values through loops and branches, as MLIR's
`RegionBranchOpInterface` does. `reaching` is a union over all paths of a graph.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)

from typing_extensions import TypeVar
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of

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
    is_inside: Callable[[Operation], bool] | None = None,
    uses: Callable[[Operation], Iterable[SSAValue]] = lambda op: op.operands,
) -> set[Operation]:
    """The ops that values depend on, by what ops use, as far back as ops are inside."""

    def makers(values: Iterable[SSAValue]) -> Iterator[Operation]:
        for value in values:
            op = value.owner
            if isinstance(op, Operation) and (is_inside is None or is_inside(op)):
                yield op

    return set(reachable(makers(values), lambda op: makers(uses(op))))


# A transitive union over a graph with cycles, in time linear in its edges:
#
#     reaching([(a, b), (b, a), (b, c)], {a: 0b1})   ->   {a: 0b1, b: 0b1, c: 0b1}
#
# Sets are integers with one bit for each member. Nodes that reach each other have the same set, so
# strongly connected components are found first (Tarjan); each is the union of its predecessors.


def reaching(edges: Iterable[tuple[NodeT, NodeT]], seeds: Mapping[NodeT, int]) -> dict[NodeT, int]:
    """For each node, the union of the seeds of all nodes that a path leads to it from."""
    sources: dict[NodeT, list[NodeT]] = {node: [] for node in seeds}
    for source, target in edges:
        sources.setdefault(source, [])
        sources.setdefault(target, []).append(source)
    found: dict[NodeT, int] = {}
    for component in _components(sources):
        bits = 0
        for node in component:
            bits |= seeds.get(node, 0)
            for source in sources[node]:
                bits |= found.get(source, 0)
        found.update(dict.fromkeys(component, bits))
    return found


def _components(sources: Mapping[NodeT, list[NodeT]]) -> Iterator[list[NodeT]]:
    """The strongly connected components, each after all that lead to it."""
    number: dict[NodeT, int] = {}
    lowest: dict[NodeT, int] = {}
    done: set[NodeT] = set()
    open_nodes: list[NodeT] = []
    for root in sources:
        if root in number:
            continue
        path: list[tuple[NodeT, Iterator[NodeT]]] = []
        entered: NodeT | None = root
        while True:
            if entered is not None:
                number[entered] = lowest[entered] = len(number)
                open_nodes.append(entered)
                path.append((entered, iter(sources[entered])))
                entered = None
            node, rest = path[-1]
            for source in rest:
                if source not in number:
                    entered = source
                    break
                if source not in done:
                    lowest[node] = min(lowest[node], number[source])
            if entered is not None:
                continue
            path.pop()
            if lowest[node] == number[node]:
                # Looked for from the end, in as many steps as nodes come after it.
                begin = len(open_nodes) - 1
                while open_nodes[begin] is not node:
                    begin -= 1
                component = open_nodes[begin:]
                del open_nodes[begin:]
                done.update(component)
                yield component
            if not path:
                break
            around = path[-1][0]
            lowest[around] = min(lowest[around], lowest[node])
