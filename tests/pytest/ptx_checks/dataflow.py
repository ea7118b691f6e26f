"""Data flow over the blocks of a function, to a fixed point; and post-dominators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from heapq import heappop, heappush
from typing import TypeVar

from .program import Block, Function, Instruction

State = TypeVar("State")


def forward(
    function: Function,
    entry: State,
    transfer: Callable[[State, int], State],
    join: Callable[[State, State], State],
) -> dict[int, State]:
    """
    What holds before each block that can be reached. `transfer` says what holds behind a block;
    it and `join` make new states, and repeated joins reach an end.
    """
    states = {0: entry}
    pending = [0]
    while pending:
        # Blocks are printed in an order in which most come behind those that lead to them.
        number = heappop(pending)
        state = transfer(states[number], number)
        for successor in function.blocks[number].successors:
            before = states.get(successor)
            after = state if before is None else join(before, state)
            if before is None or after != before:
                states[successor] = after
                if successor not in pending:
                    heappush(pending, successor)
    return states


def forward_steps(
    function: Function,
    entry: State,
    step: Callable[[State, Instruction], State],
    join: Callable[[State, State], State],
) -> Iterator[tuple[Instruction, State]]:
    """What holds before each instruction that can be reached, by what a single one changes."""

    def transfer(state: State, number: int) -> State:
        return reduce(step, function.blocks[number].instructions, state)

    for number, state in sorted(forward(function, entry, transfer, join).items(), key=_first):
        for instruction in function.blocks[number].instructions:
            yield instruction, state
            state = step(state, instruction)


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def post_dominators(blocks: Sequence[Block]) -> list[int | None]:
    """
    The block through which every path from a block to the end goes first; `None` if there is none,
    as for paths that end in different places, or never.
    """
    end = len(blocks)
    successors = [[*block.successors, *([end] if block.leaves else [])] for block in blocks]
    predecessors: list[list[int]] = [[] for _ in range(end + 1)]
    for number, each in enumerate(successors):
        for successor in each:
            predecessors[successor].append(number)
    order = _from_the_end(end, predecessors)
    place = {number: index for index, number in enumerate(order)}
    nearest: dict[int, int] = {end: end}
    changes = True
    while changes:
        changes = False
        for number in order[1:]:
            known = [each for each in successors[number] if each in nearest]
            found = known[0]
            for other in known[1:]:
                found = _meet(found, other, nearest, place)
            if nearest.get(number) != found:
                nearest[number] = found
                changes = True
    return [None if nearest.get(number, end) == end else nearest[number] for number in range(end)]


def _meet(a: int, b: int, nearest: dict[int, int], place: dict[int, int]) -> int:
    while a != b:
        if place[a] < place[b]:
            b = nearest[b]
        else:
            a = nearest[a]
    return a


def _from_the_end(end: int, predecessors: Sequence[Sequence[int]]) -> list[int]:
    """Blocks from which the end can be reached, in reverse postorder of the reversed graph."""
    order, seen = list[int](), {end}
    stack = [(end, iter(predecessors[end]))]
    while stack:
        number, others = stack[-1]
        other = next(others, None)
        if other is None:
            order.append(number)
            stack.pop()
        elif other not in seen:
            seen.add(other)
            stack.append((other, iter(predecessors[other])))
    return order[::-1]
