"""
The order of accesses that tokens ask for, as a graph.

    store_view_tko %vc
    └ load_view_tko %va, after store_view_tko

An access comes after those whose token it takes; two that no path joins may happen in any order.
Tokens that a loop carries are dashed: they order an access after those of the iteration before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from tileiras_xdsl.xdsl_extras.structure import last_of

from .graph import Edge, Graph, Node
from .picture import LINE, MARGIN, Canvas, MarksOf, Picture, no_marks, plural
from .words import (
    LOOPS,
    TERMINATORS,
    describe,
    functions,
    header,
    region_name,
    short_name,
    title_of,
    value_name,
)

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
