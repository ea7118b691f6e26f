"""`reduce`, `scan` and the matrix products of `cuda_tile`, against loops over Python numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from .exact import to_signed
from .kernels import (
    BASE_FLOATS,
    INTEGERS,
    Case,
    Tile,
    check,
    floats,
    ints,
    numbers,
    on_tiles,
    parametrize,
    raw,
    value_of,
    width_of,
)

Row = tuple[float, ...]


@dataclass(frozen=True)
class Body:
    """How two elements of each operand become one."""

    name: str
    elements: tuple[str, ...]
    identities: tuple[str, ...]
    text: str
    """Of `%a0`, `%b0`, `%a1`, …, up to the yield."""
    results: tuple[str, ...]
    reference: Callable[[Row, Row], Row]


def simple(element: str, op: str, identity: str, function: Callable[[float, float], float]) -> Body:
    """A body of one op."""
    return Body(
        f"{op.split()[0]}-{element}",
        (element,),
        (f"{identity} : {element}" if element not in ("i1", "i64") else identity,),
        f"%r0 = {op.split()[0]} %a0, %b0 {' '.join(op.split()[1:])} : tile<{element}>",
        ("%r0",),
        lambda x, y: (function(x[0], y[0]),),
    )


def bodies() -> Iterator[Body]:
    for element in INTEGERS:
        zero = "false" if element == "i1" else "0"
        yield simple(element, "addi", zero, lambda x, y: x + y)
        yield simple(element, "xori", zero, lambda x, y: int(x) ^ int(y))
    for element in BASE_FLOATS:
        yield simple(element, "addf", "0.0", lambda x, y: x + y)
        yield simple(element, "maxf", "-1000.0", max)
    yield Body(
        # The first of the pair: associative, and not commutative.
        "first",
        ("i32",),
        ("0 : i32",),
        "%r0 = addi %a0, %zero : tile<i32>",
        ("%r0",),
        lambda x, y: x,
    )
    yield Body(
        # Maps x -> m·x + c, one after the other.
        "affine",
        ("i32", "i32"),
        ("1 : i32", "0 : i32"),
        "%m = muli %a0, %b0 : tile<i32>\n"
        "%p = muli %b0, %a1 : tile<i32>\n"
        "%c = addi %p, %b1 : tile<i32>",
        ("%m", "%c"),
        lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]),
    )
    yield Body(
        # The largest element and its number; of equal ones the first.
        "argmax",
        ("f32", "i32"),
        ("0xFF800000 : f32", "0 : i32"),
        "%more = cmpf greater_than_or_equal ordered %a0, %b0 : tile<f32> -> tile<i1>\n"
        "%v = select %more, %a0, %b0 : tile<i1>, tile<f32>\n"
        "%n = select %more, %a1, %b1 : tile<i1>, tile<i32>",
        ("%v", "%n"),
        lambda x, y: x if x[0] >= y[0] else y,
    )
    yield Body(
        "with-branches",
        ("i32",),
        ("-2147483648 : i32",),
        "%more = cmpi greater_than %a0, %b0, signed : tile<i32> -> tile<i1>\n"
        "%r0 = if %more -> (tile<i32>) { yield %a0 : tile<i32> } else { yield %b0 : tile<i32> }",
        ("%r0",),
        lambda x, y: (max(x[0], y[0]),),
    )
    yield Body(
        "with-constant-tile",
        ("i32",),
        ("0 : i32",),
        "%pair = constant <i32: [0, 0]> : tile<2xi32>\n"
        "%i = constant <i32: 1> : tile<i32>\n"
        "%e = extract %pair[%i] : tile<2xi32> -> tile<1xi32>\n"
        "%z = reshape %e : tile<1xi32> -> tile<i32>\n"
        "%s = addi %a0, %z : tile<i32>\n"
        "%r0 = addi %s, %b0 : tile<i32>",
        ("%r0",),
        lambda x, y: (x[0] + y[0],),
    )


BODIES = list(bodies())
SHAPES: dict[int, tuple[int, ...]] = {1: (8,), 2: (4, 8), 3: (2, 4, 2), 4: (2, 2, 4, 2)}


def values_for(body: Body, count: int) -> list[Tile]:
    """Small numbers for each operand; of `argmax` with equal ones, and their places."""
    generator = random.Random(body.name)
    tiles: list[Tile] = []
    for element in body.elements:
        low, high = (0, 1) if element == "i1" else (-3, 4)
        drawn = [generator.randint(low, high) for _ in range(count)]
        if body.name == "argmax" and element == "i32":
            drawn = list(range(count))
        tiles.append(numbers(element, drawn))
    return tiles


def as_rows(tiles: Sequence[Tile]) -> list[Row]:
    """The values of all operands, element by element."""
    columns: list[list[float]] = []
    for tile in tiles:
        width = width_of(tile.element)
        if tile.element in INTEGERS:
            columns.append([to_signed(bits or 0, width) for bits in tile.bits])
        else:
            columns.append([value_of(bits or 0, tile.element) for bits in tile.bits])
    return list(zip(*columns, strict=True))


def lines_along(shape: Sequence[int], dim: int) -> Iterator[list[int]]:
    """The numbers of the elements of each line along a dimension."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    others = [range(size) if axis != dim else range(1) for axis, size in enumerate(shape)]
    for place in product(*others):
        start = sum(index * stride for index, stride in zip(place, strides, strict=True))
        yield [start + number * strides[dim] for number in range(shape[dim])]


def aggregate_text(
    op: str, body: Body, dim: int, words: str, given: Sequence[str], results: Sequence[str]
) -> str:
    """`reduce` or `scan` with a body."""
    operands = ", ".join(f"%x{number}" for number in range(len(given)))
    outputs = ", ".join(f"%{op}{number}" for number in range(len(given)))
    arguments = ", ".join(
        f"%{side}{number}: tile<{element}>"
        for number, element in enumerate(body.elements)
        for side in "ab"
    )
    types = ", ".join(f"tile<{element}>" for element in body.elements)
    return (
        f"%zero = constant <i32: 0> : tile<i32>\n"
        f"{outputs} = {op} {operands} dim={dim} {words} identities=[{', '.join(body.identities)}] "
        f": {', '.join(given)} -> {', '.join(results)}\n({arguments}) {{\n{body.text}\n"
        f"yield {', '.join(body.results)} : {types}\n}}"
    )


def folded(body: Body, rows: Sequence[Row]) -> Row:
    total = rows[0]
    for row in rows[1:]:
        total = body.reference(total, row)
    return total


def reduce_cases() -> Iterator[Case]:
    for body, rank, dim in chosen_forms():
        shape = SHAPES[rank]
        tiles = values_for(body, len(list(product(*map(range, shape)))))
        rows = as_rows(tiles)
        rest = (*shape[:dim], *shape[dim + 1 :])
        totals = [folded(body, [rows[n] for n in line]) for line in lines_along(shape, dim)]
        given = {f"x{n}": raw(t.element, t.bits, shape) for n, t in enumerate(tiles)}
        wanted = {
            f"reduce{n}": numbers(element, column, rest)
            for n, (element, column) in enumerate(
                zip(body.elements, zip(*totals, strict=True), strict=True)
            )
        }
        types = [tile.type for tile in given.values()]
        text = aggregate_text("reduce", body, dim, "", types, [t.type for t in wanted.values()])
        yield on_tiles(f"reduce-{body.name}-rank{rank}-dim{dim}", text, given, wanted)


def chosen_forms() -> Iterator[tuple[Body, int, int]]:
    """Each body with some rank and dimension; one body with all."""
    forms = [(rank, dim) for rank in SHAPES for dim in range(rank)]
    for number, body in enumerate(BODIES):
        if body.name == "affine":
            yield from ((body, rank, dim) for rank, dim in forms)
        else:
            yield (body, *forms[number % len(forms)])


def scan_cases() -> Iterator[Case]:
    for body, rank, dim in chosen_forms():
        for reverse in (False, True):
            shape = SHAPES[rank]
            tiles = values_for(body, len(list(product(*map(range, shape)))))
            rows = as_rows(tiles)
            results: list[Row] = list(rows)
            for line in lines_along(shape, dim):
                ordered = line[::-1] if reverse else line
                for position, number in enumerate(ordered):
                    results[number] = folded(body, [rows[n] for n in ordered[: position + 1]])
            given = {f"x{n}": raw(t.element, t.bits, shape) for n, t in enumerate(tiles)}
            wanted = {
                f"scan{n}": numbers(element, column, shape)
                for n, (element, column) in enumerate(
                    zip(body.elements, zip(*results, strict=True), strict=True)
                )
            }
            types = [tile.type for tile in given.values()]
            words = f"reverse={str(reverse).lower()}"
            text = aggregate_text("scan", body, dim, words, types, types)
            name = f"scan-{body.name}-rank{rank}-dim{dim}-{'down' if reverse else 'up'}"
            yield on_tiles(name, text, given, wanted)


# Matrix products


def matrices(
    generator: random.Random, element: str, shape: Sequence[int], values: Sequence[float]
) -> Tile:
    """A tile of values drawn from some."""
    count = 1
    for size in shape:
        count *= size
    return numbers(element, [generator.choice(values) for _ in range(count)], shape)


def multiplied(
    x: Sequence[float], y: Sequence[float], acc: Sequence[float], sizes: Sequence[int]
) -> list[float]:
    """`x @ y + acc` for flat matrices, batch by batch."""
    batch, m, n, k = sizes
    return [
        acc[(b * m + i) * n + j]
        + sum(x[(b * m + i) * k + p] * y[(b * k + p) * n + j] for p in range(k))
        for b in range(batch)
        for i in range(m)
        for j in range(n)
    ]


def mma_shapes(sizes: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Shapes of the operands; a batch of one is none."""
    batch, m, n, k = sizes
    lead = (batch,) if batch > 1 else ()
    return (*lead, m, k), (*lead, k, n), (*lead, m, n)


def values_of(tile: Tile) -> list[float]:
    return [row[0] for row in as_rows([tile])]


MMAF_TYPES = [
    *((operand, acc) for operand in ("f8E4M3FN", "f8E5M2", "f16") for acc in ("f16", "f32")),
    *((operand, "f32") for operand in ("bf16", "tf32", "f32")),
    ("f64", "f64"),
]


def mmaf_cases() -> Iterator[Case]:
    for operand, acc in MMAF_TYPES:
        for sizes in ((1, 4, 2, 8), (2, 2, 4, 4)):
            generator = random.Random(f"{operand}{acc}{sizes}")
            shapes = mma_shapes(sizes)
            # Sums of these are exact in all types.
            x, y = (matrices(generator, operand, s, (-2.0, -1.0, 0.5, 1.0)) for s in shapes[:2])
            z = matrices(generator, acc, shapes[2], (-4.0, 0.0, 0.25, 8.0))
            products = multiplied(values_of(x), values_of(y), values_of(z), sizes)
            given = {"x": x, "y": y, "z": z}
            result = floats(acc, products, shapes[2])
            wanted = {"r": result, "fast": result}
            types = f"{x.type}, {y.type}, {z.type}"
            body = f"%r = mmaf %x, %y, %z : {types}\n%fast = mmaf %x, %y, %z fast_acc : {types}"
            yield on_tiles(f"mmaf-{operand}-{acc}-{sizes[0]}", body, given, wanted)


def accumulation_cases() -> Iterator[Case]:
    """Products of narrow types are added in the wide type, and not rounded before."""
    x, y = floats("f16", [2.0**-8, 300.0], (1, 2)), floats("f16", [2.0**-8, 300.0], (2, 1))
    given = {"x": x, "y": y, "z": floats("f32", [0.0], (1, 1)), "w": floats("f16", [0.0], (1, 1))}
    wanted = {
        "wide": floats("f32", [90000.0 + 2.0**-16], (1, 1)),
        "narrow": floats("f16", [90000.0], (1, 1)),
    }
    body = (
        f"%wide = mmaf %x, %y, %z : {x.type}, {y.type}, tile<1x1xf32>\n"
        f"%narrow = mmaf %x, %y, %w : {x.type}, {y.type}, tile<1x1xf16>"
    )
    yield on_tiles("mmaf-accumulates", body, given, wanted)


def mmai_cases() -> Iterator[Case]:
    for sizes in ((1, 2, 4, 8), (2, 4, 2, 2), (1, 2, 2, 512)):
        generator = random.Random(str(sizes))
        shapes = mma_shapes(sizes)
        counts = [len(list(product(*map(range, shape)))) for shape in shapes]
        bits = [[generator.choice((0, 1, 127, 128, 200, 255)) for _ in range(c)] for c in counts]
        sums = [generator.choice((0, -5, 2**31 - 1, -(2**31))) for _ in range(counts[2])]
        given = {
            "x": ints("i8", bits[0], shapes[0]),
            "y": ints("i8", bits[1], shapes[1]),
            "z": ints("i32", sums, shapes[2]),
        }
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        types = ", ".join(tile.type for tile in given.values())
        for left, right in product(("signed", "unsigned"), repeat=2):
            x = [to_signed(b, 8) if left == "signed" else b for b in bits[0]]
            y = [to_signed(b, 8) if right == "signed" else b for b in bits[1]]
            results = [int(value) for value in multiplied(x, y, sums, sizes)]
            wanted[f"{left}_{right}"] = ints("i32", results, shapes[2])
            lines.append(f"%{left}_{right} = mmai %x, %y, %z {left} {right} : {types}")
        yield on_tiles(f"mmai-{sizes}", "\n".join(lines), given, wanted)


SCALED_TYPES = [
    ("f8E4M3FN", "f8E8M0FNU", 32),
    ("f8E5M2", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E8M0FNU", 16),
    ("f4E2M1FN", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E4M3FN", 16),
    ("f4E2M1FN", "fnv8E5M3FNU", 16),
    ("f4E2M1FN", "fnv8E5M3FNU", 32),
]


def mmaf_scaled_cases() -> Iterator[Case]:
    for operand, scale, run in SCALED_TYPES:
        for batch in (1, 2):
            m, n, k = 2, 4, 64
            generator = random.Random(f"{operand}{scale}{run}")
            lead = (batch,) if batch > 1 else ()
            x = matrices(generator, operand, (*lead, m, k), (-2.0, -1.0, 0.5, 1.0, 3.0))
            y = matrices(generator, operand, (*lead, k, n), (-2.0, -1.0, 0.5, 1.0, 3.0))
            z = matrices(generator, "f32", (*lead, m, n), (-4.0, 0.0, 0.25))
            runs = k // run
            a = matrices(generator, scale, (*lead, m, runs), (0.25, 0.5, 1.0, 2.0, 4.0))
            b = matrices(generator, scale, (*lead, runs, n), (0.25, 0.5, 1.0, 2.0, 4.0))
            factors, others = values_of(a), values_of(b)
            left = [v * factors[i // run] for i, v in enumerate(values_of(x))]
            right = [
                v * others[(i // n // k * runs + i // n % k // run) * n + i % n]
                for i, v in enumerate(values_of(y))
            ]
            results = multiplied(left, right, values_of(z), (batch, m, n, k))
            given = {"x": x, "y": y, "z": z, "a": a, "b": b}
            wanted = {"r": floats("f32", results, z.shape)}
            types = ", ".join(tile.type for tile in given.values())
            body = f"%r = mmaf_scaled %x, %y, %z, %a, %b : {types}"
            yield on_tiles(f"mmaf_scaled-{operand}-{scale}-{run}-{batch}", body, given, wanted)


CASES = [
    *reduce_cases(),
    *scan_cases(),
    *mmaf_cases(),
    *accumulation_cases(),
    *mmai_cases(),
    *mmaf_scaled_cases(),
]


@parametrize(CASES)
def test_aggregate(case: Case):
    """Reductions and scans keep the order of their elements; products are exact."""
    check(case)
