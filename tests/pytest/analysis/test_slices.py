"""What leads to values, as far as one asks."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice, operands_of, reachable

from ..harness.modules import parse_unverified

PROGRAM = """
func.func @f(%n: i32) {
  %a = arith.addi %n, %n : i32
  %b = arith.muli %a, %a : i32
  %c = arith.subi %b, %a : i32
  %other = arith.addi %n, %n : i32
  func.return
}
"""


def values() -> dict[str, SSAValue]:
    module = parse_unverified(PROGRAM)
    found = [result for op in module.walk() for result in op.results]
    return {str(value.name_hint): value for value in found}


def names(ops: set[Operation]) -> set[str]:
    return {str(result.name_hint) for op in ops for result in op.results}


def test_all_that_leads_to_a_value():
    assert names(backward_slice([values()["c"]])) == {"a", "b", "c"}


def test_a_slice_ends_where_ops_are_outside():
    found = values()
    stop = found["a"].owner
    assert names(backward_slice([found["c"]], lambda op: op is not stop)) == {"b", "c"}
    assert backward_slice([found["c"]], lambda op: False) == set()


def test_arguments_have_no_operands():
    (argument, _) = operands_of(values()["a"])
    assert operands_of(argument) == ()
    assert backward_slice([argument]) == set()


def test_each_node_is_given_once():
    edges = {1: (2, 3, 3), 2: (4,), 3: (4, 1), 4: ()}
    assert sorted(reachable([1, 1], lambda node: edges[node])) == [1, 2, 3, 4]


def test_nothing_is_asked_of_nodes_that_nobody_takes():
    asked: list[int] = []

    def following(node: int) -> list[int]:
        asked.append(node)
        return [node + 1]

    assert any(node == 3 for node in reachable([0], following))
    assert asked == [0, 1, 2]


def test_a_limit_of_nodes_that_are_known():
    assert list(reachable([0], lambda node: [node + 1], 3)) == [0, 1]
    assert list(reachable([0], lambda node: [node + 1], 1)) == []
