"""Graphs of memory order and control flow: who comes after whom, and what is in what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.visual import control_flow, token_graph
from tileiras_xdsl.inspection.visual.graph import Edge, Graph, Node
from tileiras_xdsl.inspection.visual.picture import header, region_name

from .svg import SPACE, texts, tips, tree_of

IMAGES = Path(__file__).parents[3] / "docs" / "images"

LOOPS = """
cuda_tile.module @kernels {
  entry @loops(%p: tile<ptr<i32>>, %c: tile<i1>, %d: tile<i1>) {
    %one = constant <i32: 1> : tile<i32>
    %start = make_token : token
    %last = loop iter_values(%t = %start) : token -> token {
      %x, %t1 = atomic_rmw_tko relaxed device %p, add, %one token = %t
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      if %c {
        break %t1 : token
      }
      %t2 = if %d -> (token) {
        %y, %t3 = atomic_rmw_tko relaxed device %p, add, %one token = %t1
            : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        yield %t3 : token
      } else {
        yield %t1 : token
      }
      continue %t2 : token
    }
    %z, %t4 = atomic_rmw_tko relaxed device %p, add, %one token = %last
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
"""

WHILE = """
func.func @turns(%p: !llvm.ptr<1>, %c: i1) {
  %start = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %last = scf.while (%t = %start) : (!nv_tileaa.mem_token) -> !nv_tileaa.mem_token {
    %u = nv_tileaa.join_mem_token [%t, %t] : !nv_tileaa.mem_token
    scf.condition(%c) %u : !nv_tileaa.mem_token
  } do {
  ^bb0(%v: !nv_tileaa.mem_token):
    %w = nv_tileaa.join_mem_token [%v, %v] : !nv_tileaa.mem_token
    scf.yield %w : !nv_tileaa.mem_token
  }
  %end = nv_tileaa.join_mem_token [%last, %last] : !nv_tileaa.mem_token
  func.return
}
"""

BLOCKS = """
func.func @search(%n: i32, %found: i1) {
  cf.br ^bb1
^bb1:
  cf.cond_br %found, ^bb2, ^bb3
^bb2:
  cf.br ^bb1
^bb3:
  func.return
}
"""


def numbered(module: ModuleOp) -> dict[Operation, Sequence[int]]:
    """A mark for each op."""
    return {op: (number,) for number, op in enumerate(module.walk())}


def test_tokens_that_a_loop_carries():
    picture = token_graph(tx.load(IMAGES / "order.mlir"))
    assert str(picture).splitlines() == [
        "Memory order of fold_rows",
        "fold_rows:",
        "  1 make_token %start",
        "  for %row = 1 to %rows step 1:",
        "    2 load_view_tko %next ← %view",
        "    3 load_view_tko %total ← %view, after 1, 5 of the iteration before",
        "    4 join_tokens %both, after 2, 3",
        "    5 store_view_tko %t3 ← %view, after 4",
        "  6 atomic_rmw_tko %count ← %counter, after 5, 1",
    ]
    edges = [tip for tip in tips(picture) if " comes after " in tip]
    assert len(edges) == 7
    (back,) = [tip for tip in edges if tip.endswith("of the iteration before")]
    assert back.startswith("load_view_tko %total")
    backs = tree_of(picture).findall(f".//{SPACE}path[@class='back']")
    assert len(backs) == 1


def test_tokens_that_leave_loops_and_branches():
    assert str(token_graph(tx.load(LOOPS))).splitlines()[2:] == [
        "  1 make_token %start",
        "  loop:",
        "    2 atomic_rmw_tko %x ← %p, after 1, 3 of the iteration before, "
        "2 of the iteration before",
        "    if %d:",
        "      3 atomic_rmw_tko %y ← %p, after 2",
        "  4 atomic_rmw_tko %z ← %p, after 2",
    ]


def test_tokens_of_loops_with_a_condition():
    assert str(token_graph(tx.load(WHILE))).splitlines()[2:] == [
        "  1 create_mem_token %start",
        "  while:",
        "    condition:",
        "      2 join_mem_token %u, after 1, 3 of the iteration before",
        "    body:",
        "      3 join_mem_token %w, after 2",
        "  4 join_mem_token %end, after 2",
    ]


def test_a_module_without_tokens():
    picture = token_graph(tx.load(BLOCKS))
    assert str(picture) == "Memory order of search\nno op takes or gives a token"
    tree_of(picture)


def test_structured_control_flow():
    picture = control_flow(tx.load(LOOPS))
    assert str(picture).splitlines() == [
        "Control flow of loops",
        "loops",
        "  2 ops: constant, make_token",
        "  loop",
        "    1 op: atomic_rmw_tko",
        "    if %c",
        "      1 op: break",
        "    if %d",
        "      then",
        "        1 op: atomic_rmw_tko",
        "      else",
        "    1 op: continue",
        "  1 op: atomic_rmw_tko",
    ]
    assert {line.strip() for line in str(picture).splitlines()} == set(texts(picture))


def test_blocks():
    picture = control_flow(tx.load(BLOCKS))
    assert str(picture).splitlines() == [
        "Control flow of search",
        "search",
        "  ^bb0: 1 op br → ^bb1",
        "  ^bb1: 1 op cond_br → ^bb2 T, ^bb3 F",
        "  ^bb2: 1 op br → ^bb1",
        "  ^bb3: 1 op return",
    ]
    root = tree_of(picture)
    assert len(root.findall(f".//{SPACE}path[@class='edge']")) == 3
    assert len(root.findall(f".//{SPACE}path[@class='back']")) == 1


@pytest.mark.parametrize("draw", [token_graph, control_flow])
def test_marks(draw: type):
    module = tx.load(LOOPS)
    marks = numbered(module)
    picture = draw(module, marks_of=marks.__getitem__)
    parts = tree_of(picture).findall(f".//{SPACE}g[@data-marks]")
    found = {int(mark) for part in parts for mark in part.attrib["data-marks"].split()}
    assert sorted(found) == list(picture.marks)
    wanted = {marks[op][0] for op in module.walk() if op.name == "cuda_tile.atomic_rmw_tko"}
    assert wanted <= found
    assert draw(module).marks == ()


def test_many_ops_are_not_all_shown():
    joins = "\n".join(
        f"%t{i + 1} = nv_tileaa.join_mem_token [%t{i}, %t{i}] : !nv_tileaa.mem_token"
        for i in range(400)
    )
    module = tx.load(
        f"func.func @many() {{ %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token\n{joins}\n"
        "func.return }"
    )
    picture = token_graph(module)
    tree_of(picture)
    assert str(picture).splitlines()[-1] == "251 ops more with tokens not shown"


def test_many_branches_are_not_all_shown():
    branches = "scf.if %c { scf.if %c { } }\n" * 100
    picture = control_flow(tx.load(f"func.func @many(%c: i1) {{ {branches} func.return }}"))
    tree_of(picture)
    lines = [line.strip() for line in str(picture).splitlines()]
    assert lines.count("if %c") == 150
    assert lines.count("1 op: if") == 50


# Places


def make_graph(count: int, pairs: Sequence[tuple[int, int]]) -> Graph:
    nodes = [Node((f"node {index}",), "") for index in range(count)]
    return Graph(nodes, [Edge(nodes[first], nodes[last]) for first, last in pairs])


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)],
        [(0, 9), (1, 9), (2, 9), (3, 8), (8, 9)],
        [],
    ],
)
def test_nodes_are_apart_and_below_what_leads_to_them(pairs: Sequence[tuple[int, int]]):
    graph = make_graph(10, pairs)
    right, bottom = graph.place(0, 0)
    for node in graph.nodes:
        assert 0 <= node.x <= node.x + node.width <= right
        assert 0 <= node.y <= node.y + node.height <= bottom
        for other in graph.nodes:
            is_apart = (
                node.x + node.width <= other.x
                or other.x + other.width <= node.x
                or node.y + node.height <= other.y
                or other.y + other.height <= node.y
            )
            assert node is other or is_apart
    for edge in graph.edges:
        assert edge.source.y + edge.source.height < edge.target.y


def test_nodes_in_nodes():
    inner = [Node(("a",), ""), Node(("b",), "")]
    outer = Node(("outer",), "", children=inner)
    before, after = Node(("before",), ""), Node(("after",), "")
    edges = [Edge(before, inner[0]), Edge(inner[0], inner[1]), Edge(inner[1], after)]
    Graph([before, outer, after], [*edges, Edge(before, after)]).place(5, 7)
    for node in inner:
        assert outer.x < node.x < node.x + node.width < outer.x + outer.width
        assert outer.y < node.y < node.y + node.height < outer.y + outer.height
    assert before.y + before.height < outer.y
    assert outer.y + outer.height < after.y
    assert re.fullmatch(r"5(\.0)?", str(before.x))


def test_regions_of_a_switch():
    text = """
    func.func @f(%i: index) {
      scf.index_switch %i
      case 3 { scf.yield }
      case 7 { scf.yield }
      default { scf.yield }
      func.return
    }"""
    (op,) = (op for op in tx.load(text).walk() if op.name == "scf.index_switch")
    assert header(op) == "switch %i"
    names = [region_name(op, number) for number in range(len(op.regions))]
    assert names == ["default", "case 3", "case 7"]
