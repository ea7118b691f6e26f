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
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.builtin import FloatTF32Type, IntegerType, f32, f64, i8, i32
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa import matmul, shape
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, word
from tileiras_xdsl.targets.cpu import UNROLL

from .arithmetic import ELEMENTWISE, bytes_of, narrow, stored, wide_type, widen
from .emitter import Index, vector
from .tiles import LANES, Ahead, Tile

if TYPE_CHECKING:
    from .cpu_lower_tiles import KernelLowering

Start = Callable[[Sequence[Index], int], SSAValue]
Multiply = Callable[[SSAValue, SSAValue, SSAValue], SSAValue]
"""Of two vectors and a sum that their product is added to."""
QUAD: Final = 4
"""Bytes that an instruction for dots of bytes multiplies for each sum."""


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
    right: Panels,
    target: Tile,
    start: Start,
    multiply: Multiply,
    ahead: Sequence[Ahead] = (),
) -> None:
    """
    `target = start + a * b`, block by block. `a` and `target` are in scratch memory, and `b` is in
    panels there; `start` is read before `target` is written, element by element.
    """
    e, t = lowering.e, lowering.t
    *batch, m, k = a.shape
    n = b.shape[-1]
    rows, columns, lanes = blocks(target, lowering.options.vector_bits, lowering.options.rows)
    width = lanes * columns
    ty = vector(target.element, lanes)
    size = bytes_of(target.element)
    unroll = math.gcd(k, UNROLL)
    assert a.buffer is not None
    assert target.buffer is not None
    left, into = a.buffer, target.buffer

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
                        sums[number] = multiply(wide, value, sums[number])
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


def pack(lowering: KernelLowering, tile: Tile, target: Tile) -> Panels:
    """
    The right operand of a dot in panels for an accumulator; one that is in scratch memory already
    is one panel.
    """
    t, options = lowering.t, lowering.options
    _, columns, lanes = blocks(target, options.vector_bits, options.rows)
    width = lanes * columns
    if tile.buffer is not None:
        return Panels(tile.buffer, tile.shape[-1])
    held = t.reserve(tile.shape, tile.element)
    assert held.buffer is not None
    panels = Panels(held.buffer, width)
    t.store(tile, held, min(LANES, width), lambda index: panels.place(lowering, tile, index))
    return panels


def lower_dot(lowering: KernelLowering, op: matmul.DotOp) -> None:
    """A dot in f32, f64 or integers; what is narrower is widened once."""
    e, t = lowering.e, lowering.t
    a, b, c = (lowering.tile(each) for each in op.operands[:3])
    is_rounded = word(op.input_precision, "ieee") == "tf32"
    element = c.element
    held = wide_type(element) if is_float(element) else stored(element)
    compute = f64 if held == f64 else f32 if is_float(element) else held

    def widened(tile: Tile, side: int) -> Tile:
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
            cast = "sext" if signs_of(op)[side] == "signed" else "zext"

            def convert(x: SSAValue) -> SSAValue:
                return e.cast(cast, x, compute)

        wide = t.tile(
            tile.shape, compute, lambda index, width: convert(tile.get(index, width)), tile
        )
        wide.across = tile.across
        return wide

    place = find_accumulator(lowering, op.operands[2])
    if place is None or place.element != compute:
        place = t.reserve(c.shape, compute)

    def start(index: Sequence[Index], width: int) -> SSAValue:
        value = c.get(index if c.shape else (), width)
        return value if element == compute else widen(e, value, element)

    def multiply(x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        if isinstance(compute, IntegerType):
            return e.binary("add", z, e.binary("mul", x, y))
        return e.fma(x, y, z)

    ahead = (*a.ahead, *b.ahead)
    if not has_byte_dots(lowering, op, place):
        lhs, rhs = t.materialize(widened(a, 0)), widened(b, 1)
        right = pack(lowering, rhs, place)
        microkernels(lowering, lhs, rhs, right, place, start, multiply, ahead)
    else:
        dot_bytes(lowering, a, b, place, start, signs_of(op), ahead)
    result = place
    if element != compute:
        result = t.tile(
            c.shape, element, lambda index, width: narrow(e, place.get(index, width), element)
        )
    lowering.give(op.results[0], result)


def signs_of(op: matmul.DotOp) -> list[str]:
    """`signed` or `unsigned`, for both operands."""
    found: list[Any] = [op.properties.get(f"signedness_{side}") for side in ("lhs", "rhs")]
    return [word(each, "signed") for each in found]


def has_byte_dots(lowering: KernelLowering, op: matmul.DotOp, target: Tile) -> bool:
    """Whether instructions that multiply signed bytes by unsigned ones do a dot."""
    k = get_shape(op.operands[0].type)[-1]
    signs = signs_of(op)
    return (
        lowering.options.byte_dots
        and all(get_element(each.type) == i8 for each in op.operands[:2])
        and blocks(target, lowering.options.vector_bits, lowering.options.rows)[2] == LANES
        and k % QUAD == 0
        and signs.count("unsigned") < 2
    )


def dot_bytes(
    lowering: KernelLowering,
    a: Tile,
    b: Tile,
    target: Tile,
    start: Start,
    signs: Sequence[str],
    ahead: Sequence[Ahead],
) -> None:
    """
    A dot of bytes, four at a time, by an instruction that takes unsigned and signed ones. Of two
    signed operands the left one is made unsigned by adding 128; what that adds to the sums of a
    column, 128 times the sum of the column of `b`, is subtracted at the start.
    """
    e, t = lowering.e, lowering.t
    is_moved = "unsigned" not in signs
    a, b = (each if each.across is None else t.materialize(each) for each in (a, b))
    *batch, m, k = a.shape
    n = b.shape[-1]

    def bytes_in_rows(index: Sequence[Index], width: int) -> SSAValue:
        value = a.get([*index[:-1], e.mul(index[-1], QUAD)], QUAD * width)
        if is_moved:
            value = e.binary("xor", value, e.constant(-128, value.type))
        return e.cast_whole(value, vector(i32, width))

    def bytes_in_columns(index: Sequence[Index], width: int) -> SSAValue:
        *outer, depth, column = index
        rows = [
            b.get([*outer, e.add(e.mul(depth, QUAD), part), column], width) for part in range(QUAD)
        ]
        if width == 1:
            return e.cast_whole(e.from_lanes(rows), i32)
        pairs = [e.shuffle(rows[at], rows[at + 1], range(2 * width)) for at in (0, 2)]
        lanes = [part * width + lane for lane in range(width) for part in range(QUAD)]
        return e.cast_whole(e.shuffle(pairs[0], pairs[1], lanes), vector(i32, width))

    lhs = t.materialize(t.tile((*batch, m, k // QUAD), i32, bytes_in_rows, a))
    rhs = t.tile((*batch, k // QUAD, n), i32, bytes_in_columns, b)
    right = pack(lowering, rhs, target)

    def multiply(x: SSAValue, y: SSAValue, z: SSAValue) -> SSAValue:
        first, second = (e.cast_whole(each, vector(i8, QUAD * LANES)) for each in (x, y))
        if signs[0] == "signed" and not is_moved:
            first, second = second, first
        return e.call("llvm.x86.avx512.vpdpbusd.512", z.type, z, first, second)

    moved = t.reserve((*batch, n), i32)

    def sum_column(index: Sequence[Index], width: int) -> None:
        *outer, column = index
        ty = vector(i32, width)
        added = e.constant(-2139062144, ty)  # 128 in each byte

        def step(depth: Index, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            place = right.place(lowering, rhs, [*outer, depth, column])
            return [multiply(added, t.read(right.pointer, place, i32, width), sums[0])]

        (total,) = e.loop(0, k // QUAD, 1, [e.constant(0, ty)], step)
        assert moved.buffer is not None
        t.write(total, moved.buffer, t.flat(moved.shape, index), i32)

    if is_moved:
        t.loops(moved.shape, sum_column)

    def start_moved(index: Sequence[Index], width: int) -> SSAValue:
        value = start(index, width)
        if not is_moved:
            return value
        return e.binary("sub", value, moved.get([*index[:-2], index[-1]], width))

    microkernels(lowering, lhs, rhs, right, target, start_moved, multiply, ahead)


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
    right = pack(lowering, rhs, sums)
    zero: Start = lambda index, width: e.constant(0.0, vector(f64, width))  # noqa: E731
    microkernels(lowering, lhs, rhs, right, sums, zero, e.fma)

    def get(index: Sequence[Index], width: int) -> SSAValue:
        total = e.binary("fadd", sums.get(index, width), wide(c, index, width))
        return narrow(e, total, c.element)

    lowering.give(op.result, t.tile(c.shape, c.element, get, c))
