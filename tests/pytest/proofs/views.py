"""
Axis info of tiles of views, proven for all sizes, strides, indices and addresses that it allows.

A vector along a dimension is aligned, and in or out of bounds as a whole, wherever in the tile it
is; a tile that is said to be in bounds is. Alignment is a matter of the last bits, so it is proven
with these; bounds with all of them.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple, cast

from tileiras_xdsl.analysis import axis_info as rules
from tileiras_xdsl.analysis.axis_info import AxisInfo
from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo, ViewAxisInfo
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType

from ..harness.modules import parse_type
from .axis_rules import divides
from .smt import Term, Verdict, prove, z3

BITS = 72
"""More than sizes and indices have, so that nothing wraps around."""
LOW_BITS = 12
"""More than alignments have."""

ELEMENT_BYTES = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}
SHAPES = ((8, 16), (4, 64), (1, 8), (16, 4), (2, 32))


class ViewCase(NamedTuple):
    """What is known of a tile of a view."""

    tile: TileAxisInfo
    indices: tuple[AxisInfo, AxisInfo]
    steps: tuple[int, int]
    element: str


def draw_case(random: Random) -> ViewCase:
    """A tile of a view of two dimensions, the last of which is contiguous."""
    element = random.choice(tuple(ELEMENT_BYTES))
    shape = random.choice(SHAPES)
    steps = random.choice((shape, shape, (1, 1), (shape[0], 2)))
    text = (
        f"!nv_tileaa.tiled_view<{shape[0]}x{shape[1]}, !nv_tileaa.memref<?x?x{element}, "
        f"strides = [?, 1]>, steps = [{steps[0]}, {steps[1]}]>"
    )
    ty = cast("TiledViewType", parse_type(text))

    def scalar(*, least: int = 0) -> AxisInfo:
        divisor = random.choice((1, 1, 2, 4, 8, 16, 3, 12))
        low = random.choice((least, 0, 1, 64, 1000))
        low += -low % divisor
        high = random.choice((low, low + divisor, low + 100 * divisor, (1 << 31) - 1))
        return AxisInfo.scalar(low, max(low, high), divisor)

    indices = scalar(least=-3), scalar(least=-3)
    sizes, stride = (scalar(), scalar()), scalar()
    # Elements are aligned at least to their own size.
    alignment = ELEMENT_BYTES[element] * random.choice((1, 2, 3, 4, 8, 16))
    view = ViewAxisInfo(ty, sizes, (stride, AxisInfo.constant(1)), alignment)
    starts = tuple(
        rules.multiply(index, AxisInfo.constant(step), rules.INDEX_RANGE, may_wrap=False)
        for index, step in zip(indices, steps, strict=True)
    )
    return ViewCase(TileAxisInfo(view, starts, (False, False)), indices, steps, element)


def holds(info: AxisInfo, bits: Term) -> Term:
    return z3.And(bits >= info.low, bits <= info.high, divides(info.divisor, bits, signed=True))


def prove_view(case: ViewCase, timeout: float = 20.0) -> Verdict:
    """Whether vectors and bounds of a tile are as its axis info says."""
    tile, size = case.tile, ELEMENT_BYTES[case.element]
    width = tile.vector_width(1)
    rows, columns = tile.view.type.get_tile_shape()
    base = z3.BitVec("base", BITS)
    stride = z3.BitVec("stride", BITS)
    index = [z3.BitVec(f"index{dim}", BITS) for dim in (0, 1)]
    limit = [z3.BitVec(f"size{dim}", BITS) for dim in (0, 1)]
    assumptions = [
        *(holds(info, bits) for info, bits in zip(case.indices, index, strict=True)),
        *(holds(info, bits) for info, bits in zip(tile.view.sizes, limit, strict=True)),
        holds(tile.view.strides[0], stride),
        base >= 0,
        base < 1 << 62,
        divides(tile.view.alignment, base, signed=True),
    ]
    start = [bits * step for bits, step in zip(index, case.steps, strict=True)]
    claims: list[Term] = []
    for dim, extent in enumerate((rows, columns)):
        if tile.is_in_bounds(dim):
            claims.append(z3.And(start[dim] >= 0, start[dim] + extent <= limit[dim]))
    for column in range(0, columns, width):
        first = start[1] + column
        inside = [z3.And(at >= 0, at < limit[1]) for at in (first, first + width - 1)]
        claims.append(inside[0] == inside[1])

    def low(bits: Term) -> Term:
        return z3.Extract(LOW_BITS - 1, 0, bits)

    for row in (0, 1 % rows, rows - 1):
        for column in (0, width % columns, columns - width):
            place = (low(start[0]) + row) * low(stride) + low(start[1]) + column
            address = low(base) + place * size
            claims.append(address & (width * size - 1) == 0)
    return prove(z3.And(*claims), assumptions, timeout)
