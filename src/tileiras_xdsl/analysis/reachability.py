"""
A transitive union over a graph with cycles, in time linear in its edges.

    reaching([(a, b), (b, a), (b, c)], {a: 0b1})   ->   {a: 0b1, b: 0b1, c: 0b1}

Sets are integers with one bit for each member. Nodes that reach each other have the same set, so
strongly connected components are found first (Tarjan); each is the union of its predecessors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reaching(edges: Iterable[tuple[Node, Node]], seeds: Mapping[Node, int]) -> dict[Node, int]:
    """For each node, the union of the seeds of all nodes that a path leads to it from."""
    sources: dict[Node, list[Node]] = {node: [] for node in seeds}
    for source, target in edges:
        sources.setdefault(source, [])
        sources.setdefault(target, []).append(source)
    found: dict[Node, int] = {}
    for component in _components(sources):
        bits = 0
        for node in component:
            bits |= seeds.get(node, 0)
            for source in sources[node]:
                bits |= found.get(source, 0)
        found.update(dict.fromkeys(component, bits))
    return found


def _components(sources: Mapping[Node, list[Node]]) -> Iterator[list[Node]]:
    """The strongly connected components, each after all that lead to it."""
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    done: set[Node] = set()
    open_nodes: list[Node] = []
    for root in sources:
        if root in number:
            continue
        path: list[tuple[Node, Iterator[Node]]] = []
        entered: Node | None = root
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
                begin = _index_from_end(open_nodes, node)
                component = open_nodes[begin:]
                del open_nodes[begin:]
                done.update(component)
                yield component
            if not path:
                break
            around = path[-1][0]
            lowest[around] = min(lowest[around], lowest[node])


def _index_from_end(nodes: list[Node], wanted: Node) -> int:
    """Where a node is, looked for from the end, in as many steps as nodes come after it."""
    index = len(nodes) - 1
    while nodes[index] is not wanted:
        index -= 1
    return index
