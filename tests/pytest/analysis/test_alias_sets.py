"""Sets of accesses that may alias one are those that pairs of accesses, asked one by one, give."""

from __future__ import annotations

from random import Random

import pytest
from xdsl.dialects import scf
from xdsl.ir import Operation

from tileiras_xdsl.analysis.alias import Aliases, AliasSets, Intervals, crossed_by
from tileiras_xdsl.analysis.slices import reaching
from tileiras_xdsl.frontend.load import load

from ..harness.cases import every
from .test_alias import Accesses, Writer, trace_of


def loops_around(op: Operation) -> list[Operation]:
    """The loops around an op, innermost first."""
    found: list[Operation] = []
    while (parent := op.parent_op()) is not None:
        op = parent
        if isinstance(op, scf.ForOp):
            found.append(op)
    return found


def function_of(seed: int) -> Operation:
    module = load(Writer(Random(seed)).text())
    return next(op for op in module.walk() if op.name == "func.func")


@pytest.mark.part("kernels")
@pytest.mark.parametrize("start", every(2, [0, 45]))
def test_sets_are_those_of_pairs(start: int):
    apart = 0
    for seed in range(start, start + 45):
        function = function_of(seed)
        accesses = [op for op in function.walk() if isinstance(op, Accesses)]
        aliases = Aliases(function)
        sets = AliasSets(aliases, accesses)
        for second in accesses:
            for loop in (None, *loops_around(second)):
                numbers = [
                    number
                    for number, first in enumerate(accesses)
                    if loop is None or loop in loops_around(first)
                ]
                meeting = {
                    number
                    for number in numbers
                    if aliases.may_alias(accesses[number], second, crossed_by(loop))
                }
                for number in numbers:
                    found = sets.candidates(second, 1 << number, loop)
                    assert found == (1 << number if number in meeting else 0)
                among, expected = (sum(1 << n for n in some) for some in (numbers, meeting))
                found = sets.candidates(second, among, loop)
                assert found & expected == expected, f"program {seed}: {second}, {loop}"
                assert bool(found) == bool(expected), f"program {seed}: {second}, {loop}"
                apart += len(numbers) - len(meeting)
    assert apart > 25, "little is said to be apart"


@pytest.mark.part("kernels")
@pytest.mark.parametrize("start", every(2, [0, 30]))
def test_only_the_outermost_loop_around_both_matters(start: int):
    crossings = 0
    for seed in range(start, start + 30):
        function = function_of(seed)
        aliases = Aliases(function)
        trace = trace_of(function, Random(seed))
        for number, (first, _) in enumerate(trace):
            if isinstance(first, scf.ForOp):
                continue
            crossed: set[Operation] = set()
            for second, _ in trace[number + 1 : number + 40]:
                if isinstance(second, scf.ForOp):
                    crossed.add(second)
                    continue
                around = loops_around(first)
                common = [loop for loop in loops_around(second) if loop in around]
                outermost = next((loop for loop in reversed(common) if loop in crossed), None)
                crossings += len(crossed) > 1
                assert aliases.may_alias(first, second, frozenset(crossed)) == aliases.may_alias(
                    first, second, crossed_by(outermost)
                )
    assert crossings > 25


def test_intervals():
    random = Random(0)
    for _ in range(100):
        bounds = [sorted(random.choices(range(20), k=2)) for _ in range(12)]
        intervals = Intervals((number, low, high) for number, (low, high) in enumerate(bounds))
        low, high = sorted(random.choices(range(-2, 22), k=2))
        expected = sum(1 << n for n, (a, b) in enumerate(bounds) if b < low or high < a)
        assert intervals.apart(low, high) == expected


def test_reaching():
    random = Random(0)
    for _ in range(100):
        nodes = range(9)
        edges = [(random.choice(nodes), random.choice(nodes)) for _ in range(random.randrange(16))]
        seeds = {node: 1 << node for node in nodes if random.random() < 0.7}
        expected = {node: seeds.get(node, 0) for node in nodes}
        for _ in nodes:
            for source, target in edges:
                expected[target] |= expected[source]
        found = reaching(edges, seeds)
        assert all(found.get(node, 0) == expected[node] for node in nodes)
