"""
Random programs for tensor cores of Blackwell: products, attention, and what is done to results.

They are the programs of `matmul_programs.py` with fewer of the oddities that keep dots from
`tcgen05`, and with more kinds of control flow and data flow around dots. Seeds take `KINDS` in
turn. A program says for which architecture it is compiled and with which ABI. Of one that is
*exact* all numbers are small and whole, or halves and quarters of these, so that sums do not depend
on their order, and results are the same to the bit at every level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from tileiras_xdsl import load
from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.interpreter.elements import memory_bytes, round_to

from .draws import Draws
from .matmul_parts import ELEMENTS, Builder, Limits
from .matmul_programs import (
    HEADER,
    MatmulProgram,
    Problem,
    attention,
    chain_of_two,
    conditional,
    dual,
    gemm,
    indented,
    persistent,
    shared_load,
    single,
    split,
    state,
    taps,
    two_loops,
    two_steps,
)
from .matmul_writer import Array, Tile

QUICK = Limits(
    rows=(64, 128),
    columns=(16, 32, 64),
    depths=(16, 32),
    rounds=(0, 1, 2, 3),
    accumulator=128 * 64,
    side=256,
    blocks=2,
    queries=(64, 128, 128),
    keys=(16, 32),
    widths=(32,),
    chunks=(64,),
)
"""For `make more`."""
LARGE = Limits(
    rows=(64, 128, 128, 256),
    columns=(16, 32, 64, 64, 128, 256),
    depths=(16, 32, 64, 64, 128),
    rounds=(0, 1, 2, 3, 5, 9),
    accumulator=128 * 256,
    side=512,
    blocks=4,
    queries=(64, 128, 128, 256),
    keys=(32, 64, 128),
    widths=(32, 64, 128),
    chunks=(64, 128),
)
ARCHITECTURES = ("sm_100a", "sm_100a", "sm_103a", "sm_100a", "sm_110a", "sm_100a", "sm_120a")
"""In turn; 7 and the number of kinds have no common divisor."""
PAIR = "num_cta_in_cga = 2"
HINTS = (PAIR, PAIR, PAIR, "num_cta_in_cga = 4", "occupancy = 1")
NARROW_FLOATS = ("f16", "f8E4M3FN", "f8E5M2")
"""Operands whose products f16 add up."""
FLOATS = ("f16", "bf16", "tf32", "f8E4M3FN", "f8E5M2")


@dataclass(frozen=True)
class TensorCoreProgram(MatmulProgram):
    """A program, and how it is compiled."""

    arch: str = "sm_100a"
    abi: Abi = "host-maps"
    is_exact: bool = False


class TensorCoreBuilder(Builder):
    """Draws programs whose dots tensor cores can do, for the most part."""

    KNOWN_STRIDES = 99

    def __init__(
        self, draws: Draws, generator: np.random.Generator, limits: Limits, *, is_exact: bool
    ):
        super().__init__(draws, generator, limits)
        self.is_plain = True
        self.is_exact = is_exact

    def oddity(self, percent: int) -> bool:
        return percent >= 25 and self.draws.flag(1)

    def accumulator_of(self, element: str) -> str:
        if element == "i8":
            return "i32"
        return "f16" if element == "f16" and self.draws.flag(4) else "f32"

    def numbers_of(self, element: str, size: int, scale: float) -> Array:
        if not self.is_exact or element.startswith("i"):
            return super().numbers_of(element, size, scale)
        return round_to(self.generator.integers(-3, 4, size).astype(np.float64), ELEMENTS[element])

    def worked(self, value: Tile, step: str) -> Tile:
        is_function = step in ("gelu", "silu")
        return super().worked(value, "relu" if is_function and self.is_exact else step)

    def add(self, a: Tile, b: Tile) -> Tile:
        return self.like("addi" if a.element.startswith("i") else "addf", a, b)

    def extract(self, tile: Tile, shape: tuple[int, int], at: tuple[int, int]) -> Tile:
        """A part of a tile, at a multiple of its shape."""
        places = ", ".join(str(self.constant(number)) for number in at)
        after = Tile("", shape, tile.element)
        text = f"extract {tile}[{places}] : {tile.type} -> {after.type}"
        return self.op(text, shape, tile.element)


TensorCoreKind: TypeAlias = Callable[[TensorCoreBuilder], None]


def few_rows(b: TensorCoreBuilder) -> None:
    """A product of few rows and many columns, which tensor cores do as its transpose."""
    b.is_plain = False
    columns = tuple(n for n in (64, 128) if n <= b.limits.side // 2)
    b.limits = replace(b.limits, rows=(8, 16, 32), columns=columns)
    gemm(b)


def rich_epilogue(b: TensorCoreBuilder) -> None:
    """A product of which much is made: functions of rows, parts, transposes, several types."""
    p = Problem.draw(b)
    draws, (rows, columns) = b.draws, p.sizes
    element = "i32" if p.accumulator == "i32" else "f32"
    kinds = ("turned", "rows", "columns", "halves", "narrow", "mean", "residual")
    if not b.is_exact and element == "f32":
        kinds = (*kinds, "softmax", "softmax")
    chosen = draws.shuffled(kinds)[: draws.integer(1, 3)]
    down, across = p.tiles
    batches = p.batches
    half = p.n // 2 if p.n >= 32 else p.n
    targets = {
        "turned": lambda: b.matrix(
            columns, rows, element, filled=False, pads=False, batches=batches
        ),
        "rows": lambda: b.matrix(rows, across, element, filled=False, pads=False, batches=batches),
        "columns": lambda: b.matrix(
            down, columns, element, filled=False, pads=False, batches=batches
        ),
        "halves": lambda: b.matrix(
            rows, across * half, element, filled=False, pads=False, batches=batches
        ),
        "narrow": lambda: b.matrix(
            rows,
            columns,
            "i8" if element == "i32" else draws.choose(("f16", "bf16", "f8E4M3FN")),
            filled=False,
            pads=False,
            batches=batches,
        ),
        "mean": lambda: b.matrix(rows, columns, element, filled=False, pads=False, batches=batches),
        "softmax": lambda: b.matrix(
            rows, columns, "f16", filled=False, pads=False, batches=batches
        ),
        "residual": lambda: b.matrix(rows, columns, element, batches=batches),
    }
    made = {name: targets[name]() for name in chosen}
    result = b.matrix(rows, columns, element, filled=False, pads=False, batches=batches)
    high = p.bound()
    i, j, batch = p.place()
    total = b.cast(p.sum_up(i, j, b.zero, high, p.start(), batch), element)
    for name, target in made.items():
        match name:
            case "residual":
                total = b.add(total, target.load(i, j, (p.m, p.n), batch))
            case "turned":
                target.store(b.transpose(total), j, i, batch)
            case "rows" | "columns":
                kind = "max" if element == "f32" and draws.flag(50) else "add"
                axis = 1 if name == "rows" else 0
                target.store(b.reduce(total, axis, kind), i, j, batch)
            case "halves":
                target.store(b.extract(total, (p.m, half), (0, p.n // half - 1)), i, j, batch)
            case "narrow":
                target.store(b.cast(b.worked(total, "relu"), target.element), i, j, batch)
            case "mean":
                sums = b.shaped(b.reduce(total, 1, "add"), (p.m, p.n))
                if element == "f32":
                    sums = b.like("mulf", sums, b.constant(1 / p.n, (p.m, p.n), "f32"))
                target.store(
                    b.like("subi" if element == "i32" else "subf", total, sums), i, j, batch
                )
            case _:
                small = b.like("mulf", total, b.constant(1 / 16, (p.m, p.n), "f32"))
                top = b.shaped(b.reduce(small, 1, "max"), (p.m, p.n))
                powers = b.like("exp", b.like("subf", small, top))
                sums = b.shaped(b.reduce(powers, 1, "add"), (p.m, p.n))
                target.store(b.cast(b.like("divf", powers, sums), "f16"), i, j, batch)
    result.store(total, i, j, batch)


def shared_accumulator(b: TensorCoreBuilder) -> None:
    """Products of two kinds of operands that add to one accumulator."""
    p = Problem.draw(b)
    allowed = NARROW_FLOATS if p.accumulator == "f16" else FLOATS
    others = [x for x in allowed if p.k * memory_bytes(ELEMENTS[x]) >= 32]
    other = "i8" if p.element == "i8" else b.draws.choose(others)
    left = b.operand(p.sizes[0], p.depth, other, batches=p.batches)
    right = b.operand(p.depth, p.sizes[1], other, batches=p.batches)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, is_first = p.bound(), b.draws.flag(50)
    i, j, batch = p.place()

    def more(at: Tile, total: Tile) -> Tile:
        x = left.tile(i, at, (p.m, p.k), batch)
        return b.mma(x, right.tile(at, j, (p.k, p.n), batch), total)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        total = more(at, values[0]) if is_first else values[0]
        total = p.step(i, j, at, total, batch)[2]
        return [total if is_first else more(at, total)]

    epilogue(b.counted(b.zero, high, b.one, [p.start()], body)[0], i, j, batch)


def computed_operands(b: TensorCoreBuilder) -> None:
    """Operands that are computed in each round: scaled by row, masked, or sums of two tiles."""
    p = Problem.draw(b)
    draws = b.draws
    which = draws.choose(("a", "a", "b", "ab"))
    work = draws.choose(("scale", "mask", "sum", "relu"))
    side = b.operand(p.sizes[0], p.depth, p.element, batches=p.batches, plain=True)
    factors = b.matrix(p.sizes[0], 1, "f32")
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()

    def changed(x: Tile, at: Tile, name: str) -> Tile:
        if name not in which:
            return x
        if p.element == "i8":
            return b.worked(x, "relu")
        wide = b.cast(x, "f32")
        if work == "mask":
            columns = b.positions(at, x.shape, 1)
            mask = b.compare("less_than", columns, b.constant(p.depth // 2, x.shape))
            wide = b.select(mask, wide, b.constant(0, x.shape, "f32"))
        elif work == "scale" and name == "a":
            wide = b.like("mulf", wide, b.shaped(factors.load(i, b.zero, (p.m, 1)), x.shape))
        elif work == "sum" and name == "a":
            wide = b.like("addf", wide, b.cast(side.tile(i, at, (p.m, p.k), batch), "f32"))
        else:
            wide = b.worked(wide, "relu")
        return b.cast(wide, p.element)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x = changed(p.a.tile(i, at, (p.m, p.k), batch), at, "a")
        y = changed(p.b.tile(at, j, (p.k, p.n), batch), at, "b")
        return [b.mma(x, y, values[0])]

    epilogue(b.counted(b.zero, high, b.one, [p.start()], body)[0], i, j, batch)


def carried_operand(b: TensorCoreBuilder) -> None:
    """A loop that loads an operand one round ahead."""
    p = Problem.draw(b, least=1)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, carries_b = p.bound(), b.draws.flag(50)
    i, j, batch = p.place()

    def ahead(at: Tile) -> Tile:
        return (
            p.b.tile(at, j, (p.k, p.n), batch) if carries_b else p.a.tile(i, at, (p.m, p.k), batch)
        )

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x = values[1] if not carries_b else p.a.tile(i, at, (p.m, p.k), batch)
        y = values[1] if carries_b else p.b.tile(at, j, (p.k, p.n), batch)
        total = b.mma(x, y, values[0])
        last = b.integers("subi", high, b.one)
        return [total, ahead(b.integers("mini", b.integers("addi", at, b.one), last))]

    first = [p.start(), ahead(b.zero)]
    epilogue(b.counted(b.zero, high, b.one, first, body)[0], i, j, batch)


def swapped(b: TensorCoreBuilder) -> None:
    """Two accumulators that change places in each round."""
    p = Problem.draw(b, accumulators=2)
    epilogues = [b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches) for _ in range(2)]
    high, adds_twice = p.bound(), b.draws.flag(50)
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x, y, total = p.step(i, j, at, values[0], batch)
        return [b.mma(x, y, values[1]) if adds_twice else values[1], total]

    for value, epilogue in zip(
        b.counted(b.zero, high, b.one, [p.start(), p.start()], body), epilogues, strict=True
    ):
        epilogue(value, i, j, batch)


def guarded(b: TensorCoreBuilder) -> None:
    """A loop that multiplies in some rounds only, or other things in others."""
    p = Problem.draw(b)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, flag, otherwise = p.bound(), b.number(b.draws.integer(0, 1)), b.draws.integer(0, 2)
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        parity = b.integers("remi", b.integers("addi", at, flag), b.constant(2))
        total = values[0]

        def other() -> list[Tile]:
            if otherwise == 0:
                return [total]
            if otherwise == 1:
                return [b.worked(total, "scale")]
            return [p.step(i, j, b.zero, total, batch)[2]]

        return b.branch(
            b.compare("equal", parity, b.zero),
            [total],
            lambda: [p.step(i, j, at, total, batch)[2]],
            other,
        )

    epilogue(b.counted(b.zero, high, b.one, [p.start()], body)[0], i, j, batch)


def repeated(b: TensorCoreBuilder) -> None:
    """A `loop` that breaks off."""
    p = Problem.draw(b)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()
    (total,) = b.broken_off(
        b.zero, high, b.one, [p.start()], lambda at, v: [p.step(i, j, at, v[0], batch)[2]]
    )
    epilogue(total, i, j, batch)


def read_each_round(b: TensorCoreBuilder) -> None:
    """An accumulator that each round adds to and looks at."""
    p = Problem.draw(b)
    element = "i32" if p.accumulator == "i32" else "f32"
    side = b.matrix(p.sizes[0], p.tiles[1], element, filled=False, pads=False, batches=p.batches)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, rescales = p.bound(), b.draws.flag(50)
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        total = p.step(i, j, at, values[0], batch)[2]
        more = b.add(values[1], b.reduce(b.cast(total, element), 1, "add"))
        return [b.worked(total, "scale") if rescales else total, more]

    first = [p.start(), b.zeros(p.m, 1, element)]
    total, more = b.counted(b.zero, high, b.one, first, body)
    side.store(more, i, j, batch)
    epilogue(total, i, j, batch)


def rescaled(b: TensorCoreBuilder) -> None:
    """An accumulator that each round scales, by row, and then adds to."""
    p = Problem.draw(b)
    element = "i32" if p.accumulator == "i32" else "f32"
    factors = b.matrix(p.sizes[0], max(p.trips, 1), element, pads=True)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high, by_row = p.bound(), b.draws.flag(60)
    i, j, batch = p.place()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        if element == "i32" or p.accumulator == "f16":
            total = b.worked(values[0], "relu")
        elif by_row:
            factor = b.shaped(factors.load(i, at, (p.m, 1)), (p.m, p.n))
            total = b.like("mulf", values[0], factor)
        else:
            total = b.worked(values[0], "scale")
        return [p.step(i, j, at, total, batch)[2]]

    epilogue(b.counted(b.zero, high, b.one, [p.start()], body)[0], i, j, batch)


def from_memory(b: TensorCoreBuilder) -> None:
    """A loop whose accumulator begins as something that was loaded, or computed."""
    p = Problem.draw(b)
    element = "i32" if p.accumulator == "i32" else "f32"
    before = b.matrix(*p.sizes, element, batches=p.batches)
    epilogue = b.epilogue((p.m, p.n), p.accumulator, p.sizes, p.batches)
    high = p.bound()
    i, j, batch = p.place()
    if b.draws.flag(70):
        first = before.load(i, j, (p.m, p.n), batch)
    else:
        first = b.cast(b.pattern(i, j, (p.m, p.n)), element)
    first = b.cast(first, p.accumulator)
    epilogue(p.sum_up(i, j, b.zero, high, first, batch), i, j, batch)


def accumulators(b: TensorCoreBuilder) -> None:
    """Several accumulators, to each of which a round adds some products, with work in between."""
    draws = b.draws
    element, m = draws.choose(("f16", "bf16", "f8E4M3FN")), draws.choose(b.limits.rows)
    k = max(draws.choose(b.limits.depths), 32)
    widths = [draws.choose(b.limits.columns) for _ in range(draws.integer(2, 5))]
    rounds = b.rounds(k)
    left = b.operand(m, max(rounds, 1) * k, element, plain=True)
    right = [b.operand(max(rounds, 1) * k, n, element, plain=True) for n in widths]
    results = [b.matrix(m, n, "f32", filled=False, pads=False) for n in widths]
    steps = [[draws.choose(("", "relu", "")) for _ in range(draws.integer(1, 3))] for _ in widths]
    high, is_apart = b.number(rounds), draws.flag(30)

    def add_to(number: int, at: Tile, total: Tile) -> Tile:
        for step in steps[number]:
            total = b.worked(total, step) if step else total
            x = left.tile(b.zero, at, (m, k))
            total = b.mma(x, right[number].tile(at, b.zero, (k, widths[number])), total)
        return total

    first = [b.zeros(m, n, "f32") for n in widths]
    if is_apart:
        sums = [
            b.counted(b.zero, high, b.one, [zero], lambda at, v, n=number: [add_to(n, at, v[0])])[0]
            for number, zero in enumerate(first)
        ]
    else:
        sums = b.counted(
            b.zero, high, b.one, first, lambda at, v: [add_to(n, at, x) for n, x in enumerate(v)]
        )
    for number in draws.shuffled(range(len(widths))):
        results[number].store(sums[number], b.zero, b.zero)


def gram(b: TensorCoreBuilder) -> None:
    """A matrix times its transpose: one tile is both operands."""
    draws = b.draws
    element = draws.choose(FLOATS)
    m = draws.choose(
        [size for size in b.limits.rows if size * size <= b.limits.accumulator] or [64]
    )
    k = draws.choose([size for size in b.limits.depths if size >= 32])
    rounds = b.rounds(k)
    heads = draws.integer(1, b.limits.blocks)
    rows, depth = b.cut(m, m), b.cut(max(rounds, 1) * k, k)
    x = b.operand(rows, depth, element, batches=heads, plain=True)
    epilogue = b.epilogue((m, m), "f32", (rows, rows), heads)
    high = b.number(rounds)
    _, _, head = b.block((1, 1), heads)

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        tile = x.tile(b.zero, at, (m, k), head)
        return [b.mma(tile, b.transpose(tile), values[0])]

    (total,) = b.counted(b.zero, high, b.one, [b.zeros(m, m, "f32")], body)
    epilogue(total, b.zero, b.zero, head)


def sequence(b: TensorCoreBuilder) -> None:
    """Two products one after the other, of other shapes; one is stored before the next begins."""
    p, q = Problem.draw(b), Problem.draw(b)
    p.batches = q.batches = 0
    epilogues = [b.epilogue((x.m, x.n), x.accumulator, x.sizes) for x in (p, q)]
    bounds = [x.bound() for x in (p, q)]
    is_late = b.draws.flag(50)
    i, j, _ = b.block((1, 1))
    first = p.sum_up(i, j, b.zero, bounds[0], p.start(), None)
    if not is_late:
        epilogues[0](first, i, j, None)
    epilogues[1](q.sum_up(i, j, b.zero, bounds[1], q.start(), None), i, j, None)
    if is_late:
        epilogues[0](first, i, j, None)


def backward(b: TensorCoreBuilder) -> None:
    """The gradients of attention: four or five products a round, some of computed operands."""
    draws = b.draws
    element = draws.choose(("f16", "bf16"))
    m = draws.choose([size for size in b.limits.queries if size <= 128])
    n = draws.choose(b.limits.keys)
    if draws.flag(50):
        n = max(n, 64)
    d = draws.choose([size for size in b.limits.widths if size <= 64])
    rounds = max(1, b.rounds(n, least=1))
    length = b.cut(rounds * n, n)
    heads = draws.integer(1, b.limits.blocks)
    rows = b.cut(m, m)
    q, grad = (b.operand(rows, d, element, batches=heads, plain=True) for _ in range(2))
    keys, values = (b.operand(length, d, element, batches=heads, plain=True) for _ in range(2))
    sums = b.matrix(rows, 1, "f32", batches=heads)
    result = b.matrix(rows, d, "f32", batches=heads, filled=False, pads=False)
    others = b.matrix(length, d, "f32", batches=heads, filled=False, pads=False)
    stores_others, causal = n >= 64 and draws.flag(70), draws.flag(40)
    high, limit = b.number(rounds), b.number(length)
    _, _, head = b.block((1, 1), heads)
    x, dy = (each.tile(b.zero, b.zero, (m, d), head) for each in (q, grad))
    delta = b.shaped(sums.load(b.zero, b.zero, (m, 1), head), (m, n))

    def body(at: Tile, carried: list[Tile]) -> list[Tile]:
        y, z = (each.tile(at, b.zero, (n, d), head) for each in (keys, values))
        scores = b.mma(x, b.transpose(y), b.zeros(m, n, "f32"))
        small = b.like("mulf", scores, b.constant(2.0**-6, (m, n), "f32"))
        power = b.like("exp2", small)
        columns = b.positions(at, (m, n), 1)
        mask = b.compare("less_than", columns, b.shaped(limit, (m, n)))
        if causal:
            down = b.positions(b.zero, (m, n), 0)
            mask = b.like("andi", mask, b.compare("less_than_or_equal", columns, down))
        weights = b.select(mask, power, b.zeros(m, n, "f32"))
        dp = b.mma(dy, b.transpose(z), b.zeros(m, n, "f32"))
        ds = b.like("mulf", weights, b.like("subf", dp, delta))
        ds = b.cast(b.like("mulf", ds, b.constant(2.0**-6, (m, n), "f32")), element)
        if stores_others:
            left = b.transpose(b.cast(weights, element) if draws.flag(50) else ds)
            others.store(b.mma(left, dy, b.zeros(n, d, "f32")), at, b.zero, head)
        return [b.mma(ds, y, carried[0])]

    (total,) = b.counted(b.zero, high, b.one, [b.zeros(m, d, "f32")], body)
    result.store(total, b.zero, b.zero, head)


@dataclass(frozen=True)
class ScaledFormat:
    """Elements, and scales of blocks of them."""

    element: str
    dtype: Any
    scale: str = "f8E8M0FNU"
    scale_dtype: Any = ml_dtypes.float8_e8m0fnu
    block: int = 32


FORMATS = (
    ScaledFormat("f8E4M3FN", ml_dtypes.float8_e4m3fn),
    ScaledFormat("f8E5M2", ml_dtypes.float8_e5m2),
    ScaledFormat("f4E2M1FN", ml_dtypes.float4_e2m1fn),
    ScaledFormat("f4E2M1FN", ml_dtypes.float4_e2m1fn, "f8E4M3FN", ml_dtypes.float8_e4m3fn, 16),
)


def scaled(b: TensorCoreBuilder) -> None:
    """Block-scaled products. Numbers are whole, and scales are powers of two: sums are exact."""
    draws, form = b.draws, b.draws.choose(FORMATS)
    m = draws.choose((64, 128, 128, 256) if b.limits.side > QUICK.side else (64, 128, 128, 128))
    n = draws.choose([size for size in b.limits.columns if m * size <= b.limits.accumulator])
    k = draws.choose((64, 128, 256) if b.limits.side > QUICK.side else (128,))
    if b.limits.accumulator > QUICK.accumulator and draws.flag(30):
        # Accumulators that one CTA has no registers for.
        m, n, k = *draws.choose(((256, 256), (256, 256), (128, 512), (512, 128))), 64
    rounds, groups = draws.choose(b.limits.rounds), k // form.block
    tiles = draws.integer(1, b.limits.blocks)
    length = max(rounds, 1)
    b.grid = (tiles, 1, 1)
    i = Tile("%block_x", (), "i32")
    is_turned = draws.flag(50)

    def stored(
        rows: int, columns: int, tile: tuple[int, int], kind: str, turned: bool
    ) -> ScaledView:
        return ScaledView(b, (rows, columns), tile, kind, turned)

    left = stored(tiles * m, length * k, (m, k), form.element, False)
    right = stored(length * k, n, (k, n), form.element, is_turned)
    scales_a = stored(tiles * m, length * groups, (m, groups), form.scale, False)
    scales_b = stored(length * groups, n, (groups, n), form.scale, is_turned)
    for view in (left, right):
        view.fill(b.generator.integers(-3, 4, view.stored).astype(form.dtype))
    for view in (scales_a, scales_b):
        powers = 2.0 ** b.generator.integers(-2, 3, view.stored)
        view.fill(powers.astype(form.scale_dtype))
    epilogue = b.epilogue((m, n), "f32", (tiles * m, n))
    high = b.number(rounds)
    views = (left, right, scales_a, scales_b)
    for view in views:
        view.define()

    def body(at: Tile, values: list[Tile]) -> list[Tile]:
        x, s = left.load(i, at), scales_a.load(i, at)
        y, t = right.load(at, b.zero), scales_b.load(at, b.zero)
        types = ", ".join(each.type for each in (x, y, values[0], s, t))
        text = f"mmaf_scaled {x}, {y}, {values[0]}, {s}, {t} : {types}"
        return [b.op(text, (m, n), "f32")]

    (total,) = b.counted(b.zero, high, b.one, [b.zeros(m, n, "f32")], body)
    epilogue(total, i, b.zero, None)


@dataclass
class ScaledView:
    """A matrix of known size of 8-bit or 4-bit elements, and the tiles that it is cut into."""

    builder: TensorCoreBuilder
    sizes: tuple[int, int]
    tile: tuple[int, int]
    element: str
    is_turned: bool
    base: str = ""
    name: str = ""
    type: str = ""

    @property
    def stored(self) -> tuple[int, int]:
        """The shape in memory."""
        rows, columns = self.sizes
        return (columns, rows) if self.is_turned else self.sizes

    def fill(self, array: Array) -> None:
        """Passes the numbers; elements of 4 bits are two to a byte."""
        if array.dtype == ml_dtypes.float4_e2m1fn:
            nibbles = array.view(np.uint8) & 15
            array = nibbles[..., ::2] | nibbles[..., 1::2] << 4
        self.base = self.builder.parameter(f"tile<ptr<{self.element}>>", array.reshape(-1))

    def define(self) -> None:
        b, (rows, columns) = self.builder, self.stored
        base = b.op(
            f"assume div_by<16>, {self.base} : tile<ptr<{self.element}>>",
            (),
            f"ptr<{self.element}>",
        )
        tensor = f"tensor_view<{rows}x{columns}x{self.element}, strides=[{columns},1]>"
        dims = ", dim_map=[1, 0]" if self.is_turned else ""
        self.type = f"partition_view<tile=({self.tile[0]}x{self.tile[1]}), {tensor}{dims}>"
        view, self.name = b.name(), b.name()
        b.lines += [
            f"{view} = make_tensor_view {base}, shape = [{rows}, {columns}], "
            f"strides = [{columns}, 1] : {tensor}",
            f"{self.name} = make_partition_view {view} : {self.type}",
        ]

    def load(self, i: Tile, j: Tile) -> Tile:
        b = self.builder
        result = Tile(b.name(), self.tile, self.element)
        b.lines.append(
            f"{result}, {b.name()} = load_view_tko weak {self.name}[{i}, {j}] : "
            f"{self.type}, tile<i32> -> {result.type}, token"
        )
        return result


KINDS: tuple[TensorCoreKind, ...] = (
    *(gemm, attention, persistent, rich_epilogue, dual, backward, few_rows, shared_accumulator),
    *(attention, computed_operands, chain_of_two, carried_operand, scaled, two_loops, guarded),
    *(attention, read_each_round, conditional, rescaled, gram, sequence, two_steps, from_memory),
    *(swapped, taps, repeated, shared_load, split, single, state, accumulators),
)
EXACT: frozenset[TensorCoreKind] = frozenset(
    (
        *(gemm, persistent, rich_epilogue, dual, few_rows, shared_accumulator, computed_operands),
        *(carried_operand, two_loops, guarded, conditional, gram, sequence, two_steps),
        *(from_memory, swapped, taps, repeated, split, single, scaled, accumulators),
    )
)
"""Kinds whose sums may be exact."""


def kind_of(seed: int) -> TensorCoreKind:
    """What a program of a seed is one of."""
    return KINDS[seed % len(KINDS)]


def random_tensor_core_program(seed: int, limits: Limits = QUICK) -> TensorCoreProgram:
    """A program that can be run, the same for the same seed."""
    draws = Draws.from_seed(f"tensor cores {seed}")
    kind = kind_of(seed)
    is_exact = kind is scaled or (kind in EXACT and draws.flag(40))
    hint = draws.choose(HINTS) if draws.flag(30) else ""
    abi: Abi = "host-maps" if hint or draws.flag(60) else "device-maps"
    if hint:
        limits = replace(limits, blocks=max(limits.blocks, 4))
    if hint == PAIR:
        # Tiles of which each CTA of a pair has 128 rows.
        limits = replace(limits, rows=(256, 256, 256, 128), queries=(256, 128), side=512)
    b = TensorCoreBuilder(draws, np.random.default_rng(seed), limits, is_exact=is_exact)
    b.lines += HEADER
    kind(b)
    b.lines.append("return")
    hints = f" optimization_hints=<default = {{{hint}}}>" if hint else ""
    opening = f"entry @kernel({', '.join(b.parameters)}){hints} {{"
    text = "\n".join(indented([opening, *b.lines, "}"]))
    return TensorCoreProgram(
        seed,
        load(text),
        b.grid,
        tuple(b.arguments),
        kind.__name__,
        text,
        ARCHITECTURES[seed % len(ARCHITECTURES)],
        abi,
        is_exact,
    )
