"""How often blocks of a control-flow graph run."""

from tileiras_xdsl.cost.threads import count_times, find_loops

# 0 → 1 → 2 ⇄ 3, 3 → 1, 1 → 4
NEST = [[1], [2, 4], [3], [2, 1], []]


def test_loops():
    assert find_loops(NEST) == {2: {3: {2, 3}}, 1: {3: {1, 2, 3}}}


def test_times_multiply():
    assert count_times(NEST, {3: 5.0}.get) == [1, 5, 25, 25, 1]


def test_trip_counts_of_exits():
    # The block that goes back says nothing, the one that leaves does.
    assert count_times([[1], [2, 3], [1], []], {1: 8.0}.get) == [1, 8, 8, 1]


def test_blocks_that_nothing_reaches():
    assert count_times([[2], [1], []], {1: 9.0}.get) == [1, 1, 1]
    assert count_times([], {0: 1.0}.get) == []
