"""
Dots: a block of the accumulator is in registers while all of `k` is added to it.

Both operands are in scratch memory, in the type that is computed with: the left one row by row, the
right one in panels as wide as the block, so that it is read in order. While one product is
computed, the lines of memory that the next iteration of the loop around it loads are prefetched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FloatTF32Type, IntegerType, f32, f64
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa import matmul, shape
from tileiras_xdsl.dialects.nv_tileaa.attributes import word
from tileiras_xdsl.targets.cpu import UNROLL

from .arithmetic import ELEMENTWISE, bytes_of, narrow, stored, wide_type, widen
from .emitter import Index, vector
from .tiles import LANES, Ahead, Tile

if TYPE_CHECKING:
    from .cpu_lower_tiles import KernelLowering

Start = Callable[[Sequence[Index], int], SSAValue]


@dataclass(eq=False)
class Panels:
    """The right operand of a dot in scratch memory: its rows, cut to panels of so many columns."""

    pointer: SSAValue
    width: int

    def place(self, lowering: KernelLowering, tile: Tile, index: Sequence[Index]) -> Index:
        """Where an element is."""
        e = lowering.e
        *outer, depth, column = index
        *_, k, n = tile.shape
        panel, rest = e.divide(column, self.width)
        start = e.add(
            e.mul(lowering.t.flat(tile.shape[:-2], outer), k * n), e.mul(panel, k * self.width)
        )
        return e.add(start, e.add(e.mul(depth, self.width), rest))


def block_of(value: SSAValue) -> Block | None:
    """Where a value is computed."""
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


def find_accumulator(lowering: KernelLowering, value: SSAValue) -> Tile | None:
    """
    The scratch memory that a dot may accumulate in: that of a tile that nothing needs but what
    leads to the dot, element by element.
    """
    while True:
        uses = list(value.uses)
        if len(uses) != 1 or uses[0].operation.parent is not block_of(value):
            return None
        found = lowering.values.get(value)
        if isinstance(found, Tile) and found.buffer is not None:
            inner = value.owner
            # A view shares the memory of its source, which others may need.
            is_op = isinstance(inner, Operation) and not lowering.is_shape(inner)
            return found if is_op or value in lowering.carried else None
        op = value.owner
        if not isinstance(op, Operation) or op.name not in ELEMENTWISE:
            return None
        if any(isinstance(each.owner, shape.SplatOp) for each in op.operands[:1]):
            return None
        value = op.operands[0]


def blocks(tile: Tile, bits: int, rows: int) -> tuple[int, int, int]:
    """Rows, vectors and lanes of the block of an accumulator that is in registers."""
    m, n = tile.shape[-2:]
    lanes = math.gcd(n, max(1, bits // 8 // bytes_of(tile.element)))
    most = 2 * rows
    rows = math.gcd(m, most // math.gcd(n // lanes, 2))
    return rows, math.gcd(n // lanes, most // rows), lanes


def microkernels(
    lowering: KernelLowering,
    a: Tile,
    b: Tile,
    target: Tile,
    start: Start,
    ahead: Sequence[Ahead] = (),
) -> None:
    """
    `target = start + a * b`, block by block. `a` and `target` are in scratch memory; `start` is
    read before `target` is written, element by element.
    """
    e, t = lowering.e, lowering.t
    *batch, m, k = a.shape
    n = b.shape[-1]
    rows, columns, lanes = blocks(target, lowering.options.vector_bits, lowering.options.rows)
    width = lanes * columns
    ty = vector(target.element, lanes)
    is_integer = isinstance(target.element, IntegerType)
    size = bytes_of(target.element)
    unroll = math.gcd(k, UNROLL)
    assert a.buffer is not None
    assert target.buffer is not None
    left, into = a.buffer, target.buffer
    right = pack(lowering, b, width)

    def block(outer: Sequence[Index], i: Index, j: Index) -> None:
        places = [
            (e.add(i, row), e.add(j, column * lanes))
            for row in range(rows)
            for column in range(columns)
        ]
        first = e.element_pointer(left, t.flat(a.shape, [*outer, i, 0]), target.element)
        panel = right.place(lowering, b, [*outer, 0, j])
        panel = e.element_pointer(right.pointer, panel, target.element)

        def step(at: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            sums = list(carried)
            for part in range(unroll):
                depth = e.add(at, part)
                line = e.mul(depth, width)
                vectors = [
                    e.load(
                        ty,
                        e.element_pointer(panel, e.add(line, column * lanes), target.element),
                        size,
                    )
                    for column in range(columns)
                ]
                for row in range(rows):
                    address = e.element_pointer(first, e.add(depth, row * k), target.element)
                    wide = e.splat(e.load(target.element, address, size), lanes)
                    for column, value in enumerate(vectors):
                        number = row * columns + column
                        if is_integer:
                            product = e.binary("mul", wide, value)
                            sums[number] = e.binary("add", sums[number], product)
                        else:
                            sums[number] = e.fma(wide, value, sums[number])
            return sums

        initial = [start([*outer, *place], lanes) for place in places]
        sums = e.loop(0, k, unroll, initial, step)
        for place, value in zip(places, sums, strict=True):
            t.write(value, into, t.flat(target.shape, [*outer, *place]), target.element)

    over_blocks(lowering, batch, (m, rows), (n, width), block, ahead)


def over_blocks(
    lowering: KernelLowering,
    batch: Sequence[int],
    rows: tuple[int, int],
    columns: tuple[int, int],
    block: Callable[[Sequence[Index], Index, Index], None],
    ahead: Sequence[Ahead],
) -> None:
    """Loops over blocks, panel by panel; each prefetches its share of what is needed next."""
    e, t = lowering.e, lowering.t
    (m, height), (n, width) = rows, columns
    in_panel, panels = m // height, n // width
    total = math.prod(batch) * in_panel * panels

    def prefetch(outer: Sequence[Index], i: Index, j: Index) -> None:
        number = e.mul(t.flat(batch, outer), in_panel * panels)
        number = e.add(number, e.mul(e.divide(j, width)[0], in_panel))
        number = e.add(number, e.divide(i, height)[0])
        for lines in ahead:
            share = -(-lines.count // total)
            for part in range(share):
                lines.prefetch(e, e.add(e.mul(number, share), part))

    def nest(outer: Sequence[Index], _: int) -> None:
        def over_columns(j: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def over_rows(i: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                prefetch(outer, i, j)
                block(outer, i, j)
                return ()

            return e.loop(0, m, height, (), over_rows)

        e.loop(0, n, width, (), over_columns)

    t.loops(batch, nest, lanes=1)


def pack(lowering: KernelLowering, tile: Tile, width: int) -> Panels:
    """The right operand of a dot in panels; one that is in scratch memory already is one panel."""
    t = lowering.t
    if tile.buffer is not None:
        return Panels(tile.buffer, tile.shape[-1])
    target = t.reserve(tile.shape, tile.element)
    assert target.buffer is not None
    panels = Panels(target.buffer, width)
    t.store(tile, target, min(LANES, width), lambda index: panels.place(lowering, tile, index))
    return panels


def lower_dot(lowering: KernelLowering, op: matmul.DotOp) -> None:
    """A dot in f32, f64 or integers; what is narrower is widened once."""
    e, t = lowering.e, lowering.t
    a, b, c = (lowering.tile(each) for each in op.operands[:3])
    is_rounded = word(op.input_precision, "ieee") == "tf32"
    element = c.element
    held = wide_type(element) if is_float(element) else stored(element)
    compute = f64 if held == f64 else f32 if is_float(element) else held

    def widened(tile: Tile, side: str) -> Tile:
        is_tf32 = is_rounded and tile.element == f32
        if tile.element == compute and not is_tf32:
            return tile
        if is_tf32:

            def convert(x: SSAValue) -> SSAValue:
                return narrow(e, x, FloatTF32Type())
        elif is_float(tile.element):
            source = tile.element

            def convert(x: SSAValue) -> SSAValue:
                return widen(e, x, source)
        else:
            kind = word(op.properties.get(f"signedness_{side}"), "signed")  # pyright: ignore[reportArgumentType]
            cast = "sext" if kind == "signed" else "zext"

            def convert(x: SSAValue) -> SSAValue:
                return e.cast(cast, x, compute)

        return t.tile(
            tile.shape, compute, lambda index, width: convert(tile.get(index, width)), tile
        )

    lhs, rhs = t.materialize(widened(a, "lhs")), widened(b, "rhs")
    place = find_accumulator(lowering, op.operands[2])
    if place is None or place.element != compute:
        place = t.reserve(c.shape, compute)

    def start(index: Sequence[Index], width: int) -> SSAValue:
        value = c.get(index if c.shape else (), width)
        return value if element == compute else widen(e, value, element)

    microkernels(lowering, lhs, rhs, place, start, (*a.ahead, *b.ahead))
    result = place
    if element != compute:
        result = t.tile(
            c.shape, element, lambda index, width: narrow(e, place.get(index, width), element)
        )
    lowering.give(op.results[0], result)


def lower_scaled_dot(lowering: KernelLowering, op: matmul.MmaFScaledOp) -> None:
    """A dot in f64, where products of scaled elements are exact, rounded once at the end."""
    e, t = lowering.e, lowering.t
    a, b, c, *scales = (lowering.tile(each) for each in op.operands)

    def wide(tile: Tile, index: Sequence[Index], width: int) -> SSAValue:
        return e.cast("fpext", widen(e, tile.get(index, width), tile.element), f64)

    def scaled(tile: Tile, scale: Tile, axis: int) -> Tile:
        share = tile.shape[axis] // scale.shape[axis]
        at = len(tile.shape) + axis

        def get(index: Sequence[Index], width: int) -> SSAValue:
            group = [*index[:at], e.divide(index[at], share)[0], *index[at + 1 :]]
            if axis == -1 and width > 1:
                places = [[*index[:at], e.add(index[at], lane)] for lane in range(width)]
                groups = [[*each[:at], e.divide(each[at], share)[0]] for each in places]
                by = e.from_lanes([wide(scale, each, 1) for each in groups])
            else:
                by = wide(scale, group, width)
            return e.binary("fmul", wide(tile, index, width), by)

        return t.tile(tile.shape, f64, get, tile, scale)

    lhs, rhs = t.materialize(scaled(a, scales[0], -1)), scaled(b, scales[1], -2)
    sums = t.reserve(c.shape, f64)
    microkernels(lowering, lhs, rhs, sums, lambda index, width: e.constant(0.0, vector(f64, width)))

    def get(index: Sequence[Index], width: int) -> SSAValue:
        total = e.binary("fadd", sums.get(index, width), wide(c, index, width))
        return narrow(e, total, c.element)

    lowering.give(op.result, t.tile(c.shape, c.element, get, c))
