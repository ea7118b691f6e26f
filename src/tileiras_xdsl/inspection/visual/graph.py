"""
Graphs in layers: nodes that may hold other nodes, and edges that point down.

Nodes come in the order of the program. Each is put one layer below the lowest of those that lead
to it; an edge that passes a layer gets a place there, so that it crosses no node. Edges to
earlier nodes are drawn at the right, dashed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from xdsl.dialects import cf, llvm
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from tileiras_xdsl.xdsl_extras.walking import last_of

from .picture import (
    AGENTS,
    BRANCHES,
    CHARACTER,
    HIDDEN,
    LINE,
    LOOPS,
    MARGIN,
    TERMINATORS,
    Canvas,
    MarksOf,
    Picture,
    describe,
    fit,
    functions,
    header,
    no_marks,
    plural,
    region_name,
    short_name,
    symbol,
    tally,
    title_of,
    value_name,
)

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


# The order of accesses that tokens ask for, as a graph.
#
#     store_view_tko %vc
#     └ load_view_tko %va, after store_view_tko
#
# An access comes after those whose token it takes; two that no path joins may happen in any order.
# Tokens that a loop carries are dashed: they order an access after those of the iteration before.


MOST_NODES: Final = 150
LEGEND: Final = (("loads", "c h0"), ("stores", "c h3"), ("atomics", "c h2"), ("other", "box"))


def is_token(ty: Attribute) -> bool:
    """Whether values of a type say only that something has been done."""
    return ty.name.endswith("token")


def token_graph(module: Operation, *, marks_of: MarksOf = no_marks) -> Picture:
    """The tokens of all kernels of a module, or of a function."""
    title = title_of("Memory order", module)
    canvas = Canvas()
    canvas.text(MARGIN, MARGIN + 12, title, "head")
    builder = _Builder(marks_of)
    nodes: list[Node] = []
    for function in functions(module):
        children = builder.nodes_of(function)
        if children:
            nodes.append(Node((header(function),), header(function), "frame", (), children))
    edges = builder.edges()
    top = MARGIN + 12.0 + LINE
    if not nodes:
        canvas.text(MARGIN, top + LINE, "no op takes or gives a token", "dim")
        return canvas.finish(title, "tokens", f"{title}\nno op takes or gives a token")
    x = float(MARGIN)
    for name, kind in LEGEND:
        canvas.rectangle(x, top - 6, 14, 12, kind)
        canvas.text(x + 20, top + 4, name, "dim")
        x += 90
    canvas.text(x, top + 4, "dashed: from the iteration before", "dim")
    graph = Graph(nodes, edges)
    _, bottom = graph.place(MARGIN, top + LINE)
    graph.draw(canvas)
    if builder.hidden:
        note = f"{plural(builder.hidden, 'op')} more with tokens not shown"
        canvas.text(MARGIN, bottom + LINE + 4, note, "dim")
    return canvas.finish(title, "tokens", _text(title, nodes, edges, builder.hidden))


@dataclass
class _Builder:
    """Makes nodes of ops, and follows tokens from their uses to where they come from."""

    marks_of: MarksOf
    leaves: dict[Operation, Node] = field(default_factory=dict[Operation, Node])
    hidden: int = 0

    def nodes_of(self, op: Operation) -> list[Node]:
        """The nodes in the regions of an op."""
        parts = [
            [node for block in region.blocks for each in block.ops for node in self._nodes(each)]
            for region in op.regions
        ]
        if sum(map(bool, parts)) < 2:
            return [node for part in parts for node in part]
        return [
            Node((name,), name, "frame", (), part)
            for index, part in enumerate(parts)
            if part
            for name in (region_name(op, index),)
        ]

    def _nodes(self, op: Operation) -> Iterator[Node]:
        marks = self.marks_of(op)
        if op.name in TERMINATORS:
            return
        if op.regions and (children := self.nodes_of(op)):
            kind = "shade" if op.name in LOOPS else "frame"
            yield Node((header(op),), describe(op), kind, marks, children)
        elif not op.regions or op.name not in LOOPS:
            if any(is_token(value.type) for value in (*op.operands, *op.results)):
                if len(self.leaves) >= MOST_NODES:
                    self.hidden += 1
                    return
                node = Node(_label(op), describe(op), _kind(op), marks)
                self.leaves[op] = node
                yield node

    def edges(self) -> list[Edge]:
        """What comes after what."""
        found: dict[tuple[Node, Node, bool], Edge] = {}
        for op, node in self.leaves.items():
            for operand in op.operands:
                if is_token(operand.type):
                    for source, is_back in self._sources(operand, False, set()):
                        key = source, node, is_back
                        found.setdefault(key, Edge(source, node, is_back=is_back))
        return list(found.values())

    def _sources(
        self, value: SSAValue, is_back: bool, seen: set[tuple[SSAValue, bool]]
    ) -> Iterator[tuple[Node, bool]]:
        """The nodes that a token comes from, and whether from the iteration before."""
        if (value, is_back) in seen:
            return
        seen.add((value, is_back))
        if isinstance(value, OpResult) and value.op in self.leaves:
            yield self.leaves[value.op], is_back
            return
        for each, leads_back in _origins(value):
            yield from self._sources(each, is_back or leads_back, seen)


def _origins(value: SSAValue) -> Iterator[tuple[SSAValue, bool]]:
    """What a result of a loop or branch, or an argument of its block, may be."""
    if isinstance(value, OpResult):
        op, index = value.op, value.index
        leaving = "cuda_tile.break" if op.name == "cuda_tile.loop" else None
        for end in _ends(op):
            if leaving is None or end.name == leaving:
                operands = _carried(end)
                if len(operands) == len(op.results) and _leaves(op, end):
                    yield operands[index], False
        if op.name in ("cuda_tile.for", "scf.for"):
            yield op.operands[3 + index], False
        return
    assert isinstance(value, BlockArgument)
    op, index = value.owner.parent_op(), value.index
    if op is None or op.name not in LOOPS:
        return
    is_counted = op.name in ("cuda_tile.for", "scf.for")
    if op.name == "scf.while" and value.owner.parent_region() is op.regions[1]:
        yield _carried(last_of(op.regions[0].blocks[0]))[index], False
        return
    if is_counted and index == 0:
        return
    at = index - is_counted
    yield op.operands[at + 3 * is_counted], False
    for end in _ends(op):
        if end.name not in ("cuda_tile.break", "scf.condition"):
            yield _carried(end)[at], True


def _carried(end: Operation) -> Sequence[SSAValue]:
    """The values that a terminator hands on."""
    return end.operands[1:] if end.name == "scf.condition" else end.operands


def _leaves(op: Operation, end: Operation) -> bool:
    """Whether results of an op are what a terminator in it hands on."""
    return op.name != "scf.while" or end.name == "scf.condition"


def _ends(op: Operation) -> Iterator[Operation]:
    """The terminators that hand on values to an op: its own, and those in branches of it."""
    for region in op.regions:
        for block in region.blocks:
            yield from _block_ends(op, block)


def _block_ends(op: Operation, block: Block) -> Iterator[Operation]:
    last = block.last_op
    is_loop = op.name in ("cuda_tile.for", "cuda_tile.loop")
    if last is not None and last.name in TERMINATORS:
        if is_loop or last.name not in ("cuda_tile.break", "cuda_tile.continue"):
            yield last
    if not is_loop:
        return
    for each in block.ops:
        if each.name == "cuda_tile.if":
            for region in each.regions:
                for inner in region.blocks:
                    for end in _block_ends(op, inner):
                        if end.name in ("cuda_tile.break", "cuda_tile.continue"):
                            yield end


def _kind(op: Operation) -> str:
    name = short_name(op)
    for word, kind in (("load", "c h0"), ("store", "c h3"), ("atomic", "c h2")):
        if word in name:
            return kind
    return "box"


def _label(op: Operation) -> tuple[str, ...]:
    """The name of an op, and of what it accesses."""
    named = [value for value in op.operands if value.name_hint and not is_token(value.type)]
    places = [
        value for value in named if any(word in str(value.type) for word in ("view", "ptr", "mem"))
    ]
    shown = [value_name(value) for value in (*op.results[:1], *places[:1]) if value.name_hint]
    return (short_name(op), " ← ".join(shown)) if shown else (short_name(op),)


def _text(title: str, nodes: Sequence[Node], edges: Sequence[Edge], hidden: int) -> str:
    lines = [title]
    numbers: dict[Node, int] = {}

    def number(node: Node) -> None:
        if not node.children:
            numbers[node] = len(numbers) + 1
        for child in node.children:
            number(child)

    for node in nodes:
        number(node)

    def write(node: Node, depth: int) -> None:
        indent = "  " * depth
        if node.children:
            lines.append(f"{indent}{node.lines[0]}:")
            for child in node.children:
                write(child, depth + 1)
            return
        before = [
            f"{numbers[edge.source]}{' of the iteration before' if edge.is_back else ''}"
            for edge in edges
            if edge.target is node
        ]
        after = f", after {', '.join(before)}" if before else ""
        lines.append(f"{indent}{numbers[node]} {' '.join(node.lines)}{after}")

    for node in nodes:
        write(node, 0)
    if hidden:
        lines.append(f"{plural(hidden, 'op')} more with tokens not shown")
    return "\n".join(lines)


# The control flow of kernels: nested boxes of loops and branches, or a graph of blocks.
#
#     gemm
#       10 ops: assume ×3, make_memref, …
#       for %x = 0 to %n step 1
#         3 ops: load_view_tko ×2, mmaf
#       2 ops: store_view_tko, return
#
# Branches, and agents that work side by side, stand beside each other. Functions of several blocks,
# as they are from `convert-scf-while-to-cf` on, become graphs in which jumps back are dashed.


SHOWN_NAMES: Final = 4
BOX_PADDING: Final = 10.0
GAP: Final = 8.0
WIDEST_LABEL: Final = 420.0
MOST_BLOCKS: Final = 120
MOST_BOXES: Final = 150
"""Loops and branches that are shown; others are counted among the ops around them."""
STRUCTURED: Final = LOOPS | BRANCHES | AGENTS
"""Ops whose regions are shown; those of others, such as reductions, are parts of them."""


def control_flow(module: Operation, *, marks_of: MarksOf = no_marks) -> Picture:
    """The control flow of all kernels of a module, or of a function."""
    title = title_of("Control flow", module)
    canvas = Canvas()
    y = canvas.head(title)
    texts = [title]
    y += LINE
    for function in functions(module):
        region = function.regions[0]
        if len(region.blocks) == 1:
            y = _draw_boxes(canvas, function, marks_of, y, texts)
        else:
            y = _draw_blocks(canvas, function, region, marks_of, y, texts)
        y += 2 * GAP
    return canvas.finish(title, "control-flow", "\n".join(texts))


# Structured


@dataclass(eq=False)
class Box:
    """Ops in a row without control flow, or something with regions beside each other."""

    label: str
    tip: str
    kind: str
    marks: Sequence[int]
    columns: list[list[Box]] = field(default_factory=list[list["Box"]])
    width: float = 0
    height: float = 0

    def measure(self) -> None:
        """Finds sizes, of what is inside first."""
        width = min(WIDEST_LABEL, len(self.label) * CHARACTER) + 2 * BOX_PADDING
        height = LINE + 8.0
        if self.columns:
            inner = 0.0
            tallest = 0.0
            for column in self.columns:
                for box in column:
                    box.measure()
                inner += max((box.width for box in column), default=40.0) + GAP
                tallest = max(tallest, sum(box.height + GAP for box in column))
            width = max(width, inner - GAP + 2 * BOX_PADDING)
            height += tallest + 2
        self.width, self.height = width, height

    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        """Draws it, and what is inside of it."""
        with canvas.group(self.tip, self.marks):
            canvas.rectangle(x, y, self.width, self.height, self.kind)
            label = fit(self.label, self.width - 2 * BOX_PADDING + 2)
            canvas.text(x + BOX_PADDING, y + LINE, label, "" if self.columns else "dim")
        left = x + BOX_PADDING
        for column in self.columns:
            top = y + LINE + 8
            for box in column:
                box.draw(canvas, left, top)
                top += box.height + GAP
            left += max((box.width for box in column), default=40.0) + GAP

    def lines(self, depth: int) -> Iterator[str]:
        """The text form."""
        yield f"{'  ' * depth}{self.label}"
        for column in self.columns:
            for box in column:
                yield from box.lines(depth + 1)


def _draw_boxes(
    canvas: Canvas, function: Operation, marks_of: MarksOf, y: float, texts: list[str]
) -> float:
    outer = Box(symbol(function), describe(function), "frame", ())
    structured = [op for op in function.walk() if op.name in STRUCTURED]
    # Outer ones come first, so that what is shown is in something that is shown.
    structured.sort(key=_depth)
    shown = frozenset(structured[:MOST_BOXES])
    outer.columns = [_boxes(function.regions[0], shown, marks_of)]
    outer.measure()
    outer.draw(canvas, MARGIN, y)
    texts += outer.lines(0)
    return y + outer.height


def _depth(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else 1 + _depth(parent)


def _boxes(region: Region, shown: frozenset[Operation], marks_of: MarksOf) -> list[Box]:
    """The boxes of a region, in the order of the program."""
    boxes: list[Box] = []
    straight: list[Operation] = []

    def flush() -> None:
        if straight:
            label = f"{plural(len(straight), 'op')}: {tally(straight, SHOWN_NAMES)}"
            marks = sorted({mark for op in straight for mark in marks_of(op)})
            boxes.append(Box(label, tally(straight, len(straight)), "box", marks))
            straight.clear()

    for block in region.blocks:
        for op in block.ops:
            if op not in shown:
                if op.name not in HIDDEN:
                    straight.append(op)
                continue
            flush()
            kind = "shade" if op.name in LOOPS else "frame"
            box = Box(header(op), describe(op), kind, marks_of(op))
            parts = [(i, part) for i, part in enumerate(op.regions) if part.blocks]
            if len(parts) == 1:
                box.columns = [_boxes(parts[0][1], shown, marks_of)]
            else:
                for index, part in parts:
                    name = region_name(op, index)
                    inner = Box(name, name, "frame", (), [_boxes(part, shown, marks_of)])
                    box.columns.append([inner])
            boxes.append(box)
    flush()
    return boxes


# Blocks


def _draw_blocks(
    canvas: Canvas,
    function: Operation,
    region: Region,
    marks_of: MarksOf,
    y: float,
    texts: list[str],
) -> float:
    blocks = list(region.blocks)
    names = {block: f"^bb{index}" for index, block in enumerate(blocks)}
    nodes = {block: _node(block, names[block], marks_of) for block in blocks[:MOST_BLOCKS]}
    edges: list[Edge] = []
    texts.append(symbol(function))
    for block, node in nodes.items():
        targets = list(_successors(block))
        edges += [Edge(node, nodes[target], label) for target, label in targets if target in nodes]
        leads = ", ".join(f"{names[target]} {label}".rstrip() for target, label in targets)
        texts.append(f"  {node.lines[0]} {node.lines[1]}{f' → {leads}' if leads else ''}")
    outer = Node((symbol(function),), describe(function), "frame", (), list(nodes.values()))
    graph = Graph([outer], edges)
    _, bottom = graph.place(MARGIN, y)
    graph.draw(canvas)
    if len(blocks) > MOST_BLOCKS:
        note = f"{plural(len(blocks) - MOST_BLOCKS, 'more block')} not shown"
        canvas.text(MARGIN, bottom + LINE, note, "dim")
        texts.append(f"  {note}")
        bottom += LINE
    return bottom


def _node(block: Block, name: str, marks_of: MarksOf) -> Node:
    ops = list(block.ops)
    marks = sorted({mark for op in ops for mark in marks_of(op)})
    shown = [op for op in ops if not op.name.endswith((".constant", ".addressof"))]
    label = fit(tally(shown, 3), 200)
    return Node((f"{name}: {plural(len(ops), 'op')}", label), tally(ops, len(ops)), "box", marks)


def _successors(block: Block) -> Iterator[tuple[Block, str]]:
    """Where a block goes on, and when."""
    last = block.last_op
    if last is None:
        return
    is_condition = isinstance(last, cf.ConditionalBranchOp | llvm.CondBrOp)
    for index, target in enumerate(last.successors):
        yield target, ("T", "F")[index] if is_condition else ""
