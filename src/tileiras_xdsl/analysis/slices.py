"""
Slices of programs: what leads to a value, and what a value leads to, as far as one asks.

`backward_slice` is `getBackwardSlice` of MLIR with its filter. Those who look for one thing only,
or follow more than operands, take values from `reachable` one by one, and stop when they know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator

from typing_extensions import TypeVar
from xdsl.ir import Operation, SSAValue

NodeT = TypeVar("NodeT", bound=Hashable)


def reachable(
    starts: Iterable[NodeT],
    following: Callable[[NodeT], Iterable[NodeT]],
    limit: int | None = None,
) -> Iterator[NodeT]:
    """
    All that one comes to from some nodes, these included, each once. What follows a node is asked
    for after the node was given; nothing more follows once as many nodes as the limit are known.
    """
    pending = list(dict.fromkeys(starts))
    seen = set(pending)
    while pending and (limit is None or len(seen) < limit):
        node = pending.pop()
        yield node
        fresh = [each for each in dict.fromkeys(following(node)) if each not in seen]
        seen.update(fresh)
        pending.extend(fresh)


def operands_of(value: SSAValue) -> Collection[SSAValue]:
    """What the op that makes a value uses; nothing if it is an argument of a block."""
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def backward_slice(
    values: Iterable[SSAValue], is_inside: Callable[[Operation], bool] = lambda op: True
) -> set[Operation]:
    """The ops that values are computed by, as far back as ops are inside."""

    def makers(values: Iterable[SSAValue]) -> Iterator[Operation]:
        for value in values:
            if isinstance(value.owner, Operation) and is_inside(value.owner):
                yield value.owner

    return set(reachable(makers(values), lambda op: makers(op.operands)))
