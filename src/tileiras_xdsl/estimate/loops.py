"""How often the blocks of a control-flow graph run, given the trip counts of its loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def find_loops(successors: Sequence[Sequence[int]]) -> dict[int, dict[int, set[int]]]:
    """
    The natural loops of a graph whose first block is its entry: for each header, the blocks that
    branch back to it, each with the blocks of its loop.
    """
    count = len(successors)
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    dominators = _find_dominators(successors, predecessors)
    loops: dict[int, dict[int, set[int]]] = {}
    for latch, targets in enumerate(successors):
        for header in targets:
            if dominators[latch] >> header & 1:
                body, todo = {header}, [latch]
                while todo:
                    block = todo.pop()
                    if block not in body:
                        body.add(block)
                        todo += predecessors[block]
                loops.setdefault(header, {})[latch] = body
    return loops


def _find_dominators(
    successors: Sequence[Sequence[int]], predecessors: Sequence[Sequence[int]]
) -> list[int]:
    """For each block, the set of those on all ways to it, as bits; none if nothing leads there."""
    count = len(successors)
    order, seen, stack = list[int](), {0}, [(0, iter(successors[0]))]
    while stack:
        block, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors[following])))
    everything = (1 << count) - 1
    found = [everything if block in seen else 0 for block in range(count)]
    found[0] = 1
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == 0:
                continue
            common = everything
            for each in predecessors[block]:
                if each in seen:
                    common &= found[each]
            common |= 1 << block
            if common != found[block]:
                found[block], changed = common, True
    return found


def count_times(
    successors: Sequence[Sequence[int]], trips_of: Callable[[int], float | None]
) -> list[float]:
    """
    How often each block runs. `trips_of` says how many iterations a loop has, by the blocks that
    branch back or, if that is not known of those, that leave it; none if it is not known.
    """
    times = [1.0] * len(successors)
    if not successors:
        return times
    for latches in find_loops(successors).values():
        body = set[int]().union(*latches.values())
        exits = [block for block in sorted(body) if not body.issuperset(successors[block])]
        for blocks in (latches, exits):
            known = [trips for trips in map(trips_of, blocks) if trips is not None]
            if known:
                for block in body:
                    times[block] *= max(known)
                break
    return times
