"""
The control flow of kernels: nested boxes of loops and branches, or a graph of blocks.

    gemm
      10 ops: assume ×3, make_memref, …
      for %x = 0 to %n step 1
        3 ops: load_view_tko ×2, mmaf
      2 ops: store_view_tko, return

Branches, and agents that work side by side, stand beside each other. Functions of several blocks,
as they are from `convert-scf-to-cf` on, become graphs in which jumps back are dashed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import cf, llvm
from xdsl.ir import Block, Operation, Region

from .graph import Edge, Graph, Node
from .picture import CHARACTER, LINE, MARGIN, Canvas, MarksOf, Picture, fit, no_marks, plural
from .words import (
    AGENTS,
    BRANCHES,
    HIDDEN,
    LOOPS,
    describe,
    functions,
    header,
    region_name,
    symbol,
    tally,
    title_of,
)

SHOWN_NAMES: Final = 4
PADDING: Final = 10.0
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
    y = MARGIN + 12.0
    canvas.text(MARGIN, y, title, "head")
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
        width = min(WIDEST_LABEL, len(self.label) * CHARACTER) + 2 * PADDING
        height = LINE + 8.0
        if self.columns:
            inner = 0.0
            tallest = 0.0
            for column in self.columns:
                for box in column:
                    box.measure()
                inner += max((box.width for box in column), default=40.0) + GAP
                tallest = max(tallest, sum(box.height + GAP for box in column))
            width = max(width, inner - GAP + 2 * PADDING)
            height += tallest + 2
        self.width, self.height = width, height

    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        """Draws it, and what is inside of it."""
        with canvas.group(self.tip, self.marks):
            canvas.rectangle(x, y, self.width, self.height, self.kind)
            label = fit(self.label, self.width - 2 * PADDING + 2)
            canvas.text(x + PADDING, y + LINE, label, "" if self.columns else "dim")
        left = x + PADDING
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
