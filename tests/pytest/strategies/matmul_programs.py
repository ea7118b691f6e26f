"""
Random programs around matrix products: what `tests/gpu` runs by the hundred.

A program has one of the `FAMILIES` of control flow and products. Where its operands come from, how
they lie in memory, what is done to them and to the results, and how those are stored is drawn
for each. Memory around tensors holds no numbers, so that reading too much shows in the results.
`error_bounds.py` says what the results have to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.elements import memory_bytes

from .draws import Draws
from .matmul_parts import (
    ELEMENTS,
    OPERAND_BYTES,
    OPERANDS,
    SMALL,
    Builder,
    Limits,
    MmaOperand,
)
from .matmul_writer import Tile
from .program_builder import TileProgram

__all__ = ["SMALL", "Limits", "MatmulProgram", "random_matmul", "random_unrolled"]


@dataclass(frozen=True)
class MatmulProgram(TileProgram):
    """A program, what it is one of, and its text."""

    family: str = ""
    text: str = ""


# Families

Family: TypeAlias = Callable[[Builder], None]


@dataclass
class Problem:
    """The shapes and operands of a plain product, and the tile of it that a CTA computes."""

    builder: Builder
    element: str
    accumulator: str
    m: int
    n: int
    k: int
    sizes: tuple[int, int]
    tiles: tuple[int, int]
    depth: int
    trips: int
    batches: int
    a: MmaOperand
    b: MmaOperand

    @staticmethod
    def draw(
        b: Builder, *, least: int = 0, accumulators: int = 1, batched: bool = False
    ) -> Problem:
        draws = b.draws
        element = draws.choose((*OPERANDS, "f16", "bf16", "f16"))
        accumulator = b.accumulator_of(element)
        if element == "i8":
            signs = ("signed", "signed", "unsigned")
            b.signs = (draws.choose(signs), draws.choose(signs))
        m, n, k = b.tile_shape(element, accumulators)
        tiles_m, rows = b.extent(m, 3)
        tiles_n, columns = b.extent(n, max(1, b.limits.blocks // tiles_m))
        trips = b.rounds(k, least=least)
        if accumulator == "f16":
            trips = min(trips, max(1, 128 // k))
        depth = b.cut(max(trips, 1) * k, k)
        batches = 0
        if batched or draws.flag(15):
            batches = draws.integer(1, max(1, b.limits.blocks // (tiles_m * tiles_n)))
        left = b.operand(rows, depth, element, batches=batches)
        right = b.operand(depth, columns, element, batches=batches)
        return Problem(
            b,
            element,
            accumulator,
            m,
            n,
            k,
            (rows, columns),
            (tiles_m, tiles_n),
            depth,
            trips,
            batches,
            left,
            right,
        )

    def bound(self) -> Tile:
        return self.builder.last(self.a, self.trips, self.depth, self.k)

    def step(
        self, i: Tile, j: Tile, at: Tile, total: Tile, batch: Tile | None
    ) -> tuple[Tile, Tile, Tile]:
        """One product; its operands, and the sum."""
        b = self.builder
        x = self.a.tile(i, at, (self.m, self.k), batch)
        y = self.b.tile(at, j, (self.k, self.n), batch)
        return x, y, b.mma(x, y, total)

    def sum_up(
        self, i: Tile, j: Tile, low: Tile, high: Tile, first: Tile, batch: Tile | None
    ) -> Tile:
        """The loop over the depth."""
        return self.builder.counted(
            low,
            high,
            self.builder.one,
            [first],
            lambda at, v: [self.step(i, j, at, v[0], batch)[2]],
        )[0]

    def start(self) -> Tile:
        return self.builder.zeros(self.m, self.n, self.accumulator)

    def place(self) -> tuple[Tile, Tile, Tile | None]:
        i, j, batch = self.builder.block(self.tiles, max(self.batches, 1))
        return i, j, batch if self.batches else None


def gemm(b: Builder) -> None:
    """A loop over the depth of a product."""
    p = Problem.draw(b)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()
    total = p.sum_up(i, j, b.zero, high, p.start(), batch)
    epilogue(total, i, j, batch)


def batched(b: Builder) -> None:
    """One product for each batch."""
    p = Problem.draw(b, batched=True)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()
    epilogue(p.sum_up(i, j, b.zero, high, p.start(), batch), i, j, batch)


def single(b: Builder) -> None:
    """One product, outside of any loop, with an accumulator from memory or none."""
    p = Problem.draw(b, least=1)
    before = b.matrix(*p.sizes, p.accumulator) if b.draws.flag(40) else None
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    i, j, batch = p.place()
    first = before.load(i, j, (p.m, p.n)) if before is not None else p.start()
    epilogue(p.step(i, j, b.zero, first, batch)[2], i, j, batch)


def two_loops(b: Builder) -> None:
    """A loop over one part of the depth, and one over the rest, with work in between or not."""
    p = Problem.draw(b, least=1)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    middle, high = b.number(b.draws.integer(0, p.trips)), p.bound()
    i, j, batch = p.place()
    total = p.sum_up(i, j, b.zero, middle, p.start(), batch)
    if b.draws.flag(40):
        total = b.worked(total, b.draws.choose(("relu", "scale")))
    epilogue(p.sum_up(i, j, middle, high, total, batch), i, j, batch)


def two_steps(b: Builder) -> None:
    """A loop with two products in a row into the same accumulator."""
    p = Problem.draw(b, least=2)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    even = p.trips // 2 * 2
    high, two = b.number(even), b.constant(2)
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        first = p.step(i, j, at, values[0], batch)[2]
        return [p.step(i, j, b.integers("addi", at, b.one), first, batch)[2]]

    epilogue(b.counted(b.zero, high, two, [p.start()], body)[0], i, j, batch)


def dual(b: Builder) -> None:
    """Two products in a loop that share an operand."""
    p = Problem.draw(b, accumulators=2)
    other = b.operand(p.depth, p.sizes[1], p.element, batches=p.batches)
    gated = p.accumulator != "i32" and b.draws.flag(50)
    epilogues = [
        b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches) for _ in range(2 - gated)
    ]
    high = p.bound()
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x, _, left = p.step(i, j, at, values[0], batch)
        y = other.tile(at, j, (p.k, p.n), batch)
        return [left, b.mma(x, y, values[1])]

    left, right = b.counted(b.zero, high, b.one, [p.start(), p.start()], body)
    if gated:
        left = b.worked(left, b.draws.choose(("silu", "relu")))
        epilogues[0](
            b.cast(b.like("mulf", left, b.cast(right, left.element)), p.accumulator), i, j, batch
        )
        return
    for value, epilogue in zip((left, right), epilogues, strict=True):
        epilogue(value, i, j, batch)


def conditional(b: Builder) -> None:
    """A loop that only some CTAs run."""
    p = Problem.draw(b)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, flag = p.bound(), b.number(b.draws.integer(0, 1))
    has_other = b.draws.flag(50)
    i, j, batch = p.place()
    parity = b.integers("remi", b.integers("addi", i, flag), b.constant(2))
    condition = b.compare("equal", parity, b.zero)
    first = p.start()

    def otherwise() -> list[Tile]:
        return [p.step(i, j, b.zero, first, batch)[2] if has_other else first]

    (total,) = b.branch(
        condition, [first], lambda: [p.sum_up(i, j, b.zero, high, first, batch)], otherwise
    )
    epilogue(total, i, j, batch)


def persistent(b: Builder) -> None:
    """CTAs that compute several tiles, one after the other."""
    p = Problem.draw(b)
    p.batches = 0 if p.a.matrix is None or p.b.matrix is None else p.batches
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes)
    high, across = p.bound(), b.number(p.tiles[1])
    every = prod(p.tiles)
    blocks = b.draws.integer(1, every)
    b.grid = (blocks, 1, 1)
    step = Tile("%blocks_x", (), "i32") if b.draws.flag(60) else b.constant(blocks)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        i, j = b.integers("divi", at, across), b.integers("remi", at, across)
        epilogue(p.sum_up(i, j, b.zero, high, p.start(), None), i, j, None)
        return values

    b.counted(Tile("%block_x", (), "i32"), b.number(every), step, [], body)


def split(b: Builder) -> None:
    """The depth split among CTAs, which add up what they have."""
    p = Problem.draw(b, least=1)
    element = "i32" if p.accumulator == "i32" else "f32"
    parts = b.draws.integer(1, max(1, b.limits.blocks // prod(p.tiles)))
    target = b.matrix(*p.sizes, element, styles=("pointers",))
    high = p.bound()
    i, j, part = b.block(p.tiles, parts)
    step = b.number(parts)
    (total,) = b.counted(
        part, high, step, [p.start()], lambda at, v: [p.step(i, j, at, v[0], None)[2]]
    )
    target.store(b.cast(total, element), i, j, adds=True)


def taps(b: Builder) -> None:
    """A sum of several products, in two loops, one in the other."""
    p = Problem.draw(b, batched=True)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes)
    high, count = p.bound(), b.number(p.batches)
    i, j, _ = b.block(p.tiles)
    (total,) = b.counted(
        b.zero,
        count,
        b.one,
        [p.start()],
        lambda tap, v: [p.sum_up(i, j, b.zero, high, v[0], tap)],
    )
    epilogue(total, i, j, None)


def shared_load(b: Builder) -> None:
    """
    A tile that is an operand and is used element by element as well, at once or in the next
    iteration.
    """
    p = Problem.draw(b)
    element = "i32" if p.accumulator == "i32" else "f32"
    sums_rows = b.draws.flag(50)
    extent = (p.m, 1) if sums_rows else (p.m, p.k)
    columns = p.tiles[1] * extent[1]
    side = b.matrix(p.sizes[0], columns, element, filled=False, pads=False, batches=p.batches)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()
    is_carried = p.element in ("f16", "bf16", "i8") and b.draws.flag(50)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        tile, _, total = p.step(i, j, at, values[0], batch)
        x = values[2] if is_carried else tile
        if element == "i32":
            after = Tile("", x.shape, "i32")
            wide = b.op(f"exti {x} signed : {x.type} -> {after.type}", x.shape, "i32")
        else:
            wide = b.cast(x, "f32")
        if sums_rows:
            wide = b.reduce(wide, 1, "add")
        more = b.like("addi" if element == "i32" else "addf", values[1], wide)
        return [total, more, tile] if is_carried else [total, more]

    first = [p.start(), b.zeros(*extent, element)]
    if is_carried:
        first.append(b.zeros(p.m, p.k, p.element))
    total, more, *_ = b.counted(b.zero, high, b.one, first, body)
    side.store(more, i, j, batch)
    epilogue(total, i, j, batch)


def chain_of_two(b: Builder) -> None:
    """The result of a loop of dots is an operand in the next loop, which stores in each round."""
    draws = b.draws
    p = Problem.draw(b, least=1)
    element = p.element if p.element not in ("i8",) else "f16"
    width = draws.choose([n for n in b.limits.columns if p.m * n <= b.limits.accumulator // 2])
    tiles, columns = b.extent(width, 3)
    second = b.operand(p.n, columns, element)
    accumulator = b.accumulator_of(element)
    # Each column of tiles of the first product has a result of its own.
    epilogue = b.epilogue((p.m, width), accumulator, (p.sizes[0], columns), p.tiles[1])
    step = draws.choose(("relu", "scale"))
    high, last = p.bound(), b.number(tiles)
    i, j, _ = b.block(p.tiles)
    total = b.worked(p.sum_up(i, j, b.zero, high, p.start(), None), step)
    if total.element == "i32":
        total = b.dequantized(total)
    small = b.like("mulf", b.cast(total, "f32"), b.constant(0.125, total.shape, "f32"))
    left = b.cast(small, element)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        right = second.tile(b.zero, at, (p.n, width))
        epilogue(b.mma(left, right, b.zeros(p.m, width, accumulator)), i, at, j)
        return values

    b.counted(b.zero, last, b.one, [], body)


def state(b: Builder) -> None:
    """A matrix that a loop adds products to, and multiplies with in the same round."""
    draws = b.draws
    element = draws.choose(("f16", "bf16", "tf32"))
    chunk, d, e = (draws.choose(b.limits.chunks) for _ in range(3))
    rounds = max(1, b.rounds(chunk, least=1))
    length = b.cut(rounds * chunk, chunk)
    heads = draws.integer(1, min(3, b.limits.blocks))
    q, k, v = (
        b.operand(length, width, element, batches=heads, plain=draws.flag(80))
        for width in (d, d, e)
    )
    result = b.matrix(length, e, "f32", batches=heads, filled=False, pads=False)
    last = b.matrix(d, e, "f32", batches=heads, filled=False, pads=False)
    high = b.number(rounds)
    scale = 2.0**-6
    _, _, head = b.block((1, 1), heads)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x = q.tile(at, b.zero, (chunk, d), head)
        y = k.tile(at, b.zero, (chunk, d), head)
        z = v.tile(at, b.zero, (chunk, e), head)
        held = b.cast(b.like("mulf", values[0], b.constant(scale, (d, e), "f32")), element)
        result.store(b.mma(x, held, b.zeros(chunk, e, "f32")), at, b.zero, head)
        return [b.mma(b.transpose(y), z, values[0])]

    (total,) = b.counted(b.zero, high, b.one, [b.zeros(d, e, "f32")], body)
    last.store(total, b.zero, b.zero, head)


def attention(b: Builder) -> None:
    """Scores, a softmax on the fly or something simpler, and a product with the values."""
    draws = b.draws
    element = draws.choose(("f16", "f16", "bf16", "bf16", "tf32", "f8E4M3FN"))
    m = draws.choose(b.limits.queries)
    if b.is_plain:
        m = max(m, 64)
    n = draws.choose(b.limits.keys)
    d = draws.choose(b.limits.widths)
    e = d if draws.flag(80) else draws.choose((32, 64))
    while (m + n) * max(d, e) * max(memory_bytes(ELEMENTS[element]), 2) > OPERAND_BYTES:
        m, n = (m, n // 2) if n > 16 else (m // 2, n)
        d, e = min(d, 64), min(e, 64)
    kind = draws.choose(("online", "online", "online", "plain", "linear"))
    causal = draws.flag(40)
    tiles = draws.integer(1, max(1, min(3, b.limits.side // m, b.limits.blocks)))
    heads = draws.integer(1, max(1, b.limits.blocks // tiles))
    rows = b.cut(tiles * m, m)
    rounds = max(1, b.rounds(n, least=1))
    length = b.cut(rounds * n, n)
    q = b.operand(rows, d, element, batches=heads, plain=draws.flag(70))
    keys = b.operand(d, length, element, batches=heads, plain=draws.flag(70))
    values = b.operand(length, e, element, batches=heads, plain=draws.flag(70))
    epilogue = b.epilogue((m, e), "f32", (rows, e), heads)
    sums = None
    if kind == "online" and draws.flag(40):
        sums = b.matrix(rows, 1, "f32", batches=heads, filled=False, pads=False)
    exponential = draws.choose(("exp", "exp2"))
    scale = 2.0**-4 if kind == "online" else 2.0**-5
    high, limit = b.number(rounds), b.number(length)
    early, late = draws.flag(60), draws.flag(30)
    i, _, head = b.block((tiles, 1), heads)
    outside = q.tile(i, b.zero, (m, d), head) if early else None
    if causal and draws.flag(60):
        # No further than the last row of the tile.
        reach = b.integers("muli", b.integers("addi", i, b.one), b.constant(m))
        text = f"divi {reach}, {b.constant(n)} signed rounding<positive_inf> : tile<i32>"
        high = b.integers("mini", b.op(text, (), "i32"), high)
    worst = b.constant(-np.inf, (m, 1), "f32")
    nothing = b.zeros(m, 1, "f32")

    def scores(at: Tile) -> Tile:
        left = outside or q.tile(i, b.zero, (m, d), head)
        right = keys.tile(b.zero, at, (d, n), head)
        return b.mma(left, right, b.zeros(m, n, "f32"))

    def masked(at: Tile, value: Tile, other: float) -> Tile:
        columns = b.positions(at, (m, n), 1)
        mask = b.compare("less_than", columns, b.shaped(limit, (m, n)))
        if causal:
            down = b.positions(i, (m, n), 0)
            mask = b.like("andi", mask, b.compare("less_than_or_equal", columns, down))
        return b.select(mask, value, b.constant(other, (m, n), "f32"))

    def online(at: Tile, carried: list[Tile]) -> list[Tile]:
        total, top, bottom = carried
        s = b.like("mulf", scores(at), b.constant(scale, (m, n), "f32"))
        ahead = None if late else values.tile(at, b.zero, (n, e), head)
        s = masked(at, s, -np.inf)
        new = b.like("maxf", top, b.reduce(s, 1, "max"))
        weights = b.like(exponential, b.like("subf", s, b.shaped(new, (m, n))))
        alpha = b.like(exponential, b.like("subf", top, new))
        row = b.reduce(weights, 1, "add")
        bottom = b.like("fma", bottom, alpha, row)
        total = b.like("mulf", total, b.shaped(alpha, (m, e)))
        y = ahead or values.tile(at, b.zero, (n, e), head)
        return [b.mma(b.cast(weights, element), y, total), new, bottom]

    def plain(at: Tile, carried: list[Tile]) -> list[Tile]:
        s = b.like("mulf", scores(at), b.constant(scale, (m, n), "f32"))
        y = values.tile(at, b.zero, (n, e), head)
        if kind == "linear":
            weights = masked(at, s, 0.0)
            return [b.mma(b.cast(weights, element), y, carried[0])]
        weights = masked(at, b.like(exponential, s), 0.0)
        row = b.like("addf", carried[1], b.reduce(weights, 1, "add"))
        return [b.mma(b.cast(weights, element), y, carried[0]), row]

    start = b.zeros(m, e, "f32")
    if kind == "online":
        total, top, bottom = b.counted(b.zero, high, b.one, [start, worst, nothing], online)
        if sums is not None:
            sums.store(b.like("addf", top, b.like("log", bottom)), i, b.zero, head)
    elif kind == "plain":
        total, bottom = b.counted(b.zero, high, b.one, [start, nothing], plain)
    else:
        (total,), bottom = b.counted(b.zero, high, b.one, [start], plain), None
    if bottom is not None:
        total = b.like("divf", total, b.shaped(bottom, (m, e)))
    epilogue(total, i, b.zero, head)


@dataclass
class Steps:
    """Products that take the next tiles of two operands, one after the other."""

    a: MmaOperand
    b: MmaOperand
    n: int
    k: int
    total: int
    """The accumulator that they add to."""
    count: int
    """How many there are in a round."""


def unrolled(b: Builder) -> None:
    """
    Many products in a row, as in a loop over the depth that was unrolled by hand, as a whole or in
    rounds: of one shape, or of several; tiles are loaded where they are needed, or before. Some are
    in branches or loops of their own.
    """
    draws, limits = b.draws, b.limits
    element = draws.choose(("f16", "f16", "bf16", "tf32", "f8E4M3FN", "i8"))
    accumulator = "i32" if element == "i8" else "f32"
    m = max(draws.choose(limits.rows), 64 if b.is_plain else 0)
    columns = [draws.choose(limits.columns) for _ in range(draws.integer(1, 2))]
    rounds = draws.integer(0, 3) if draws.flag(50) else None
    kinds: list[Steps] = []
    for number in range(draws.integer(1, 3)):
        total = draws.integer(0, len(columns) - 1) if number >= len(columns) else number
        k = max(draws.choose(limits.depths), 32 if element in ("f8E4M3FN", "i8") else 0)
        count = draws.integer(1, 16 // (number + 1))
        depth = b.cut(count * max(rounds or 1, 1) * k, k)
        left = b.operand(m, depth, element, plain=draws.flag(70))
        right = b.operand(depth, columns[total], element, plain=draws.flag(90))
        kinds.append(Steps(left, right, columns[total], k, total, count))
    totals = sorted({kind.total for kind in kinds})
    epilogues = [b.epilogue((m, columns[n]), accumulator, (m, columns[n])) for n in totals]
    steps = [kind for kind in kinds for _ in range(kind.count)]
    if draws.flag(50):
        steps = draws.shuffled(steps)
    is_early, works, nests = draws.flag(30), draws.flag(20), draws.flag(30)
    # What is loaded in a branch is not there behind it.
    keeps_first = draws.flag(15) and (is_early or not nests)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        """The products of a round."""
        values = list(values)
        done = dict.fromkeys(map(id, kinds), 0)
        held: dict[int, Tile] = {}

        def load(kind: Steps) -> tuple[Tile, Tile]:
            start = b.integers("muli", at, b.constant(kind.count))
            place = b.integers("addi", start, b.constant(done[id(kind)]))
            done[id(kind)] += 1
            if not keeps_first or id(kind) not in held:
                held[id(kind)] = kind.a.tile(b.zero, place, (m, kind.k))
            return held[id(kind)], kind.b.tile(place, b.zero, (kind.k, kind.n))

        tiles = [load(kind) for kind in steps] if is_early else None
        for number, kind in enumerate(steps):
            before = values[kind.total]

            def step(total: Tile, number: int = number, kind: Steps = kind) -> Tile:
                x, y = load(kind) if tiles is None else tiles[number]
                return b.mma(x, y, total)

            inside = draws.choose(("branch", "loop", "", "")) if nests else ""
            if inside == "branch":
                parity = b.integers("remi", b.integers("addi", at, odd), b.constant(2))
                condition = b.compare("equal", parity, b.zero)
                (total,) = b.branch(condition, [before], lambda: [step(before)], lambda: [before])
            elif inside == "loop":
                (total,) = b.counted(
                    b.zero, b.constant(2), b.one, [before], lambda _, v: [step(v[0])]
                )
            else:
                total = step(before)
            values[kind.total] = total
            if works and number == len(steps) // 2:
                values[kind.total] = b.worked(values[kind.total], "relu")
        return values

    odd = b.number(draws.integer(0, 1))
    values = [b.zeros(m, n, accumulator) for n in columns]
    if rounds is None:
        values = body(b.zero, values)
    else:
        values = b.counted(b.zero, b.number(rounds), b.one, values, body)
    for total, epilogue in zip(totals, epilogues, strict=True):
        epilogue(values[total], b.zero, b.zero, None)


FAMILIES: tuple[Family, ...] = (
    gemm,
    attention,
    persistent,
    gemm,
    dual,
    attention,
    single,
    split,
    gemm,
    conditional,
    attention,
    two_loops,
    batched,
    shared_load,
    chain_of_two,
    gemm,
    taps,
    attention,
    two_steps,
    state,
)
"""Seeds take them in turn."""


HEADER = (
    "%token = make_token : token",
    "%zero = constant <i32: 0> : tile<i32>",
    "%one = constant <i32: 1> : tile<i32>",
    "%block_x, %block_y, %block_z = get_tile_block_id : tile<i32>",
    "%blocks_x, %blocks_y, %blocks_z = get_num_tile_blocks : tile<i32>",
)
"""How programs begin."""
HINTS = ("occupancy = 1", "occupancy = 2", "num_cta_in_cga = 2", "num_cta_in_cga = 1")


def random_matmul(seed: int, limits: Limits | None = None) -> MatmulProgram:
    """A program of products that can be run, the same for the same seed."""
    return _write(seed, Draws.from_seed(f"product {seed}"), FAMILIES[seed % len(FAMILIES)], limits)


def random_unrolled(seed: int, limits: Limits | None = None) -> MatmulProgram:
    """A program of many products in a row."""
    return _write(seed, Draws.from_seed(f"unrolled {seed}"), unrolled, limits)


def _write(seed: int, draws: Draws, family: Family, limits: Limits | None) -> MatmulProgram:
    """A program of a family."""
    builder = Builder(draws, np.random.default_rng(seed), limits or Limits())
    builder.lines += HEADER
    family(builder)
    builder.lines.append("return")
    hints = f" optimization_hints=<default = {{{draws.choose(HINTS)}}}>" if draws.flag(15) else ""
    opening = f"entry @kernel({', '.join(builder.parameters)}){hints} {{"
    lines = indented([opening, *builder.lines, "}"])
    text = "\n".join(lines)
    return MatmulProgram(
        seed, load(text), builder.grid, tuple(builder.arguments), family.__name__, text
    )


def indented(lines: Sequence[str]) -> list[str]:
    """Lines, with those in braces moved to the right."""
    depth, found = 0, list[str]()
    for line in lines:
        depth -= line.startswith("}")
        found.append("  " * depth + line)
        depth += line.endswith("{")
    return found
