"""
Graphs in layers: nodes that may hold other nodes, and edges that point down.

Nodes come in the order of the program. Each is put one layer below the lowest of those that lead
to it; an edge that passes a layer gets a place there, so that it crosses no node. Edges to
earlier nodes are drawn at the right, dashed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from .picture import CHARACTER, LINE, Canvas

GAP_X: Final = 20.0
GAP_Y: Final = 32.0
PADDING: Final = 12.0
BACK_ROOM: Final = 40.0
MOST_IN_LAYER: Final = 6


@dataclass(eq=False)
class Node:
    """A box with some lines of text, or around other nodes."""

    lines: Sequence[str]
    tip: str
    kind: str = "box"
    """The class of its stylesheet."""
    marks: Sequence[int] = ()
    children: Sequence[Node] = ()
    bends: list[Node] = field(default_factory=list["Node"], init=False)
    """Places between its children that edges pass."""
    x: float = field(default=0, init=False)
    """First from the corner of the node around it, then from that of the picture."""
    y: float = field(default=0, init=False)
    width: float = field(default=0, init=False)
    height: float = field(default=0, init=False)

    @property
    def is_bend(self) -> bool:
        """Whether it only keeps a place for an edge."""
        return not self.lines

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def move(self, x: float, y: float) -> None:
        """Moves it by the corner of the node around it, and so all that it holds."""
        self.x += x
        self.y += y
        for child in (*self.children, *self.bends):
            child.move(self.x, self.y)


@dataclass(frozen=True, eq=False)
class Edge:
    """An arrow; one that leads back belongs to a later turn of a loop."""

    source: Node
    target: Node
    label: str = ""
    is_back: bool = False


Point = tuple[float, float]


class Graph:
    """Nodes that get places and are drawn."""

    def __init__(self, nodes: Sequence[Node], edges: Sequence[Edge]):
        self.nodes = nodes
        self.edges = edges
        self._path: dict[Node, tuple[Node, ...]] = {}
        """For each node those that it is in, outermost first, and itself."""
        self._bends: dict[tuple[Node, Node], list[Node]] = {}
        """Where edges between two nodes pass the layers between them."""
        self._lifted: dict[tuple[Node, Node], tuple[Node, Node]] = {}
        for node in nodes:
            self._register(node, ())

    def _register(self, node: Node, outer: tuple[Node, ...]) -> None:
        self._path[node] = (*outer, node)
        for child in node.children:
            self._register(child, self._path[node])

    # Places

    def place(self, x: float, y: float) -> Point:
        """Finds places for all nodes, starting at a corner; returns the opposite corner."""
        bends, (width, height) = self._place_siblings(self.nodes)
        for node in (*self.nodes, *bends):
            node.move(x, y)
        return x + width, y + height

    def _place(self, node: Node) -> None:
        """Finds the size of a node, and places in it."""
        text = max((len(line) for line in node.lines), default=0) * CHARACTER + 2 * PADDING
        head = len(node.lines) * LINE + 8
        if not node.children:
            node.width, node.height = text, head
            return
        node.bends, (width, height) = self._place_siblings(node.children)
        for child in (*node.children, *node.bends):
            child.x += PADDING
            child.y += head + 6
        node.width = max(text, width + 2 * PADDING)
        node.height = head + 6 + height + PADDING

    def _place_siblings(self, siblings: Sequence[Node]) -> tuple[list[Node], Point]:
        """Puts nodes of one level into layers; returns bends and the size of all together."""
        for node in siblings:
            self._place(node)
        index = {node: number for number, node in enumerate(siblings)}
        pairs: dict[tuple[Node, Node], None] = {}
        has_back = False
        for edge in self.edges:
            pair = self._lift(edge, index)
            if pair is None:
                continue
            if edge.is_back or index[pair[0]] >= index[pair[1]]:
                has_back = True
            else:
                pairs[pair] = None
        layers = self._layers(siblings, list(pairs))
        above: dict[Node, list[Node]] = {}
        for source, target in pairs:
            above.setdefault(target, []).append(source)
        level = {node: number for number, layer in enumerate(layers) for node in layer}
        for source, target in pairs:
            chain: list[Node] = []
            for number in range(level[source] + 1, level[target]):
                bend = Node((), "")
                bend.width = 8
                above[bend] = [chain[-1] if chain else source]
                layers[number].append(bend)
                chain.append(bend)
            if chain:
                above[target] = [chain[-1] if n is source else n for n in above[target]]
            self._bends[source, target] = chain
        width, height = self._spread(layers, above)
        bends = [bend for pair in pairs for bend in self._bends[pair]]
        return bends, (width + (BACK_ROOM if has_back else 0), height)

    def _lift(self, edge: Edge, index: dict[Node, int]) -> tuple[Node, Node] | None:
        """The nodes of a level that an edge joins; `None` if it does not join two of them."""
        source = next((node for node in self._path[edge.source] if node in index), None)
        target = next((node for node in self._path[edge.target] if node in index), None)
        if source is None or target is None:
            return None
        if source is target and not (edge.source is edge.target and source is edge.source):
            return None
        self._lifted[edge.source, edge.target] = source, target
        return source, target

    @staticmethod
    def _layers(siblings: Sequence[Node], pairs: Sequence[tuple[Node, Node]]) -> list[list[Node]]:
        level = dict.fromkeys(siblings, 0)
        leading: dict[Node, list[Node]] = {}
        for source, target in pairs:
            leading.setdefault(target, []).append(source)
        for node in siblings:
            level[node] = max((level[each] + 1 for each in leading.get(node, ())), default=0)
        layers: list[list[Node]] = []
        for number in range(max(level.values(), default=-1) + 1):
            layer = [node for node in siblings if level[node] == number]
            for first in range(0, len(layer), MOST_IN_LAYER):
                layers.append(layer[first : first + MOST_IN_LAYER])
        return layers

    @staticmethod
    def _spread(layers: list[list[Node]], above: dict[Node, list[Node]]) -> Point:
        """Places layers below each other, and nodes below those that lead to them."""
        y = right = 0.0
        for layer in layers:

            def wanted(node: Node) -> float:
                sources = above.get(node, [])
                sources = [each for each in sources if not each.is_bend] or sources
                return sum(each.middle for each in sources) / len(sources) if sources else 0.0

            layer.sort(key=wanted)
            x, height = 0.0, max((node.height for node in layer), default=0)
            for node in layer:
                node.x = max(x, wanted(node) - node.width / 2) if above.get(node) else x
                node.y = y
                if node.is_bend:
                    node.height = height
                x = node.x + node.width + GAP_X
                right = max(right, node.x + node.width)
            y += height + GAP_Y
        return right, max(0.0, y - GAP_Y)

    # Drawing

    def draw(self, canvas: Canvas) -> None:
        """Draws boxes around nodes, then edges, then nodes."""
        for node in self.nodes:
            self._draw_outer(canvas, node)
        incoming: dict[Node, list[Edge]] = {}
        outgoing: dict[Node, list[Edge]] = {}
        for edge in self.edges:
            if not self._leads_back(edge):
                incoming.setdefault(edge.target, []).append(edge)
                outgoing.setdefault(edge.source, []).append(edge)
        for edges in incoming.values():
            edges.sort(key=self._comes_from)
        backs: dict[Node, int] = {}
        for edge in self.edges:
            if self._leads_back(edge):
                outer = self._path[edge.target][0]
                backs[outer] = backs.get(outer, -1) + 1
                self._draw_back(canvas, edge, backs[outer])
            else:
                start = _port(edge, outgoing[edge.source], edge.source)
                end = _port(edge, incoming[edge.target], edge.target)
                self._draw_edge(canvas, edge, start, end)
        for node in self.nodes:
            self._draw_inner(canvas, node)

    def _leads_back(self, edge: Edge) -> bool:
        return edge.is_back or edge.source.y + edge.source.height > edge.target.y

    def _comes_from(self, edge: Edge) -> float:
        """From how far at the right an edge reaches its target."""
        lifted = self._lifted.get((edge.source, edge.target))
        bends = self._bends.get(lifted, []) if lifted else []
        return bends[-1].middle if bends else edge.source.middle

    def _draw_outer(self, canvas: Canvas, node: Node) -> None:
        if node.children:
            _draw_node(canvas, node)
            for child in node.children:
                self._draw_outer(canvas, child)

    def _draw_inner(self, canvas: Canvas, node: Node) -> None:
        for child in node.children:
            self._draw_inner(canvas, child)
        if not node.children:
            _draw_node(canvas, node)

    def _draw_edge(self, canvas: Canvas, edge: Edge, start: float, end: float) -> None:
        points: list[Point] = [(start, edge.source.y + edge.source.height)]
        lifted = self._lifted.get((edge.source, edge.target))
        for bend in self._bends.get(lifted, ()) if lifted else ():
            points += [(bend.middle, bend.y), (bend.middle, bend.y + bend.height)]
        points.append((end, edge.target.y - 5))
        path = [points[0]]
        for (x0, y0), (x1, y1) in pairwise(points):
            half = (y1 - y0) / 2
            path += [(x0, y0 + half), (x1, y1 - half), (x1, y1)]
        with canvas.group(_edge_tip(edge)):
            canvas.curve("edge", *path)
            top = edge.target.y
            canvas.triangle("tip", (end, top), (end - 4, top - 7), (end + 4, top - 7))
        if edge.label:
            canvas.text(points[0][0] + 4, points[0][1] + 12, edge.label, "dim small")

    def _draw_back(self, canvas: Canvas, edge: Edge, number: int) -> None:
        source, target = edge.source, edge.target
        x0, x1 = source.x + source.width, target.x + target.width
        y0, y1 = source.y + source.height * 0.7, target.y + target.height * 0.3
        side = max(x0, x1) + BACK_ROOM * (0.55 + 0.1 * (number % 5))
        with canvas.group(_edge_tip(edge)):
            canvas.curve("back", (x0, y0), (side, y0), (side, y1), (x1 + 6, y1))
            canvas.triangle("backtip", (x1, y1), (x1 + 7, y1 - 4), (x1 + 7, y1 + 4))


def _edge_tip(edge: Edge) -> str:
    back = " of the iteration before" if edge.is_back else ""
    first, last = (" ".join(node.lines) or node.tip for node in (edge.source, edge.target))
    return f"{last} comes after {first}{back}" if not edge.label else f"{first} → {last}"


def _port(edge: Edge, edges: Sequence[Edge], node: Node) -> float:
    """Where at a node an edge begins or ends, so that edges are apart."""
    number = next(index for index, each in enumerate(edges) if each is edge)
    return node.x + node.width * (number + 1) / (len(edges) + 1)


def _draw_node(canvas: Canvas, node: Node) -> None:
    with canvas.group(node.tip, node.marks):
        canvas.rectangle(node.x, node.y, node.width, node.height, node.kind)
        for index, line in enumerate(node.lines):
            kind = "" if index == 0 else "dim"
            canvas.text(node.x + PADDING, node.y + 15 + LINE * index, line, kind)
