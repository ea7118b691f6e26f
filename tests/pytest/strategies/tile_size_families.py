"""
Programs whose results do not depend on how large their tiles are.

`random_family(seed)` is a problem with arguments; `program(sizes)` solves it with tiles of these
sizes. All numbers are integers, also where they are floats, so that sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from ..harness.running import Array


@dataclass(frozen=True)
class Variant:
    """A program, and the grid that covers the problem."""

    text: str
    grid: tuple[int, int, int]


@dataclass(frozen=True)
class Family:
    """A problem that tiles of many sizes solve."""

    name: str
    values: tuple[Any, ...]
    program: Callable[[Sequence[int]], Variant]
    choices: tuple[tuple[int, ...], ...]
    """The sizes of a tile, from which one is taken for each dimension."""

    def arguments(self) -> list[Any]:
        return [np.copy(value) if isinstance(value, np.ndarray) else value for value in self.values]

    def random_sizes(self, random: Random) -> tuple[int, ...]:
        return tuple(random.choice(sizes) for sizes in self.choices)


def view(
    name: str, element: str, tile: Sequence[int], *, aligned: bool, transposed: bool = False
) -> list[str]:
    """
    A matrix of sizes `%rows_name` and `%cols_name` by rows, and its tiles; rows of an aligned one
    begin at multiples of 16 elements, as TMA needs.
    """
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    shape = "x".join(map(str, tile))
    dim_map = ", dim_map=[1, 0]" if transposed else ""
    kind = f"partition_view<tile=({shape}), padding_value = zero, {tensor}{dim_map}>"
    base, stride = f"%{name}", f"%cols_{name}"
    facts: list[str] = []
    if aligned:
        base, stride = f"%p_{name}", f"%s_{name}"
        facts = [
            f"{base} = assume div_by<16>, %{name} : tile<ptr<{element}>>",
            f"{stride} = assume div_by<16>, %cols_{name} : tile<i32>",
        ]
    return [
        *facts,
        f"%t_{name} = make_tensor_view {base}, shape = [%rows_{name}, %cols_{name}], "
        f"strides = [{stride}, 1] : tile<i32> -> {tensor}",
        f"%v_{name} = make_partition_view %t_{name} : {kind}",
    ]


def view_type(element: str, tile: Sequence[int], *, transposed: bool = False) -> str:
    dim_map = ", dim_map=[1, 0]" if transposed else ""
    shape = "x".join(map(str, tile))
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    return f"partition_view<tile=({shape}), padding_value = zero, {tensor}{dim_map}>"


def module(matrices: Sequence[tuple[str, str]], body: Sequence[str]) -> str:
    """A kernel of matrices, each a pointer with its numbers of rows and columns."""
    parameters = ", ".join(
        f"%{name}: tile<ptr<{element}>>, %rows_{name}: tile<i32>, %cols_{name}: tile<i32>"
        for name, element in matrices
    )
    lines = "\n    ".join(body)
    return (
        f"cuda_tile.module @m {{\n  entry @kernel({parameters}) {{\n"
        "    %x, %y, %z = get_tile_block_id : tile<i32>\n"
        "    %zero = constant <i32: 0> : tile<i32>\n    %one = constant <i32: 1> : tile<i32>\n"
        f"    {lines}\n    return\n  }}\n}}\n"
    )


def load(result: str, name: str, element: str, tile: Sequence[int], indices: str) -> str:
    shape = "x".join(map(str, tile))
    return (
        f"%{result}, %k_{result} = load_view_tko weak %v_{name}[{indices}] : "
        f"{view_type(element, tile)}, tile<i32> -> tile<{shape}x{element}>, token"
    )


def store(
    value: str,
    name: str,
    element: str,
    tile: Sequence[int],
    indices: str,
    *,
    transposed: bool = False,
) -> str:
    shape = "x".join(map(str, tile))
    kind = view_type(element, tile, transposed=transposed)
    return (
        f"%done = store_view_tko weak %{value}, %v_{name}[{indices}] : tile<{shape}x{element}>, "
        f"{kind}, tile<i32> -> token"
    )


def matrix(generator: np.random.Generator, shape: tuple[int, int], dtype: Any) -> Array:
    return generator.integers(-3, 4, shape).astype(dtype)


def lengths(random: Random, *most: int) -> tuple[bool, list[int]]:
    """Sizes of a problem, and whether all are multiples of 16."""
    aligned = random.random() < 0.5
    if aligned:
        return True, [16 * random.randint(1, limit // 16) for limit in most]
    return False, [random.randint(1, limit) for limit in most]


def operands(*matrices: Array) -> tuple[Any, ...]:
    return tuple(part for each in matrices for part in (each, *each.shape))


def blocks(sizes: Sequence[int], tile: Sequence[int]) -> tuple[int, int, int]:
    counts = [-(-size // part) for size, part in zip(sizes, tile, strict=True)]
    x, y, z = [*counts, 1, 1, 1][:3]
    return x, y, z


TILES = (8, 16, 32, 64)


def elementwise(random: Random, generator: np.random.Generator, *, transposed: bool) -> Family:
    aligned, (rows, columns) = lengths(random, 70, 150)
    source = matrix(generator, (rows, columns), np.int32)
    target = np.full((columns, rows) if transposed else (rows, columns), -77, np.int32)
    chain = [random.choice(("addi", "muli", "xori", "subi")) for _ in range(random.randint(1, 4))]

    def program(tile: Sequence[int]) -> Variant:
        shape = "x".join(map(str, tile))
        body = [
            *view("a", "i32", tile, aligned=aligned),
            *view("o", "i32", tile, aligned=aligned, transposed=transposed),
        ]
        body.append(load("v0", "a", "i32", tile, "%x, %y"))
        for number, op in enumerate(chain):
            body.append(f"%v{number + 1} = {op} %v{number}, %v0 : tile<{shape}xi32>")
        body.append(store(f"v{len(chain)}", "o", "i32", tile, "%x, %y", transposed=transposed))
        return Variant(module((("a", "i32"), ("o", "i32")), body), blocks((rows, columns), tile))

    name = "transposed" if transposed else "elementwise"
    return Family(name, operands(source, target), program, (TILES, TILES))


def row_sums(random: Random, generator: np.random.Generator) -> Family:
    aligned, (rows, columns) = lengths(random, 70, 200)
    element, dtype, add = random.choice((("i32", np.int32, "addi"), ("f32", np.float32, "addf")))
    source = matrix(generator, (rows, columns), dtype)
    target = np.full((rows, 1), -77, dtype)

    def program(tile: Sequence[int]) -> Variant:
        height, width = tile
        zero = "0" if element == "i32" else "0.0"
        identity = f"{zero} : {element}"
        body = [
            *view("a", element, tile, aligned=aligned),
            *view("o", element, (height, 1), aligned=False),
            f"%width = constant <i32: {width}> : tile<i32>",
            f"%more = constant <i32: {width - 1}> : tile<i32>",
            "%up = addi %cols_a, %more : tile<i32>",
            "%count = divi %up, %width signed : tile<i32>",
            f"%start = constant <{element}: {zero}> : tile<{height}x{width}x{element}>",
            f"%all = for %i in (%zero to %count, step %one) : tile<i32> "
            f"iter_values(%acc = %start) -> (tile<{height}x{width}x{element}>) {{",
            "  " + load("part", "a", element, tile, "%x, %i"),
            f"  %next = {add} %acc, %part : tile<{height}x{width}x{element}>",
            f"  continue %next : tile<{height}x{width}x{element}>",
            "}",
            f"%sum = reduce %all dim=1 identities=[{identity}] : "
            f"tile<{height}x{width}x{element}> -> tile<{height}x{element}>",
            f"(%l: tile<{element}>, %r: tile<{element}>) {{",
            f"  %s = {add} %l, %r : tile<{element}>",
            f"  yield %s : tile<{element}>",
            "}",
            f"%column = reshape %sum : tile<{height}x{element}> -> tile<{height}x1x{element}>",
            store("column", "o", element, (height, 1), "%x, %zero"),
        ]
        return Variant(module((("a", element), ("o", element)), body), blocks((rows,), (height,)))

    return Family("row sums", operands(source, target), program, (TILES, TILES))


def product(random: Random, generator: np.random.Generator) -> Family:
    aligned, (rows, columns, depth) = lengths(random, 100, 100, 140)
    a = matrix(generator, (rows, depth), np.float16)
    b = matrix(generator, (depth, columns), np.float16)
    target = np.full((rows, columns), -77, np.float32)

    def program(tile: Sequence[int]) -> Variant:
        m, n, k = tile
        body = [
            *view("a", "f16", (m, k), aligned=aligned),
            *view("b", "f16", (k, n), aligned=aligned),
            *view("o", "f32", (m, n), aligned=aligned),
            f"%depth = constant <i32: {k}> : tile<i32>",
            f"%more = constant <i32: {k - 1}> : tile<i32>",
            "%up = addi %cols_a, %more : tile<i32>",
            "%count = divi %up, %depth signed : tile<i32>",
            f"%start = constant <f32: 0.0> : tile<{m}x{n}xf32>",
            "%all = for %i in (%zero to %count, step %one) : tile<i32> "
            f"iter_values(%acc = %start) -> (tile<{m}x{n}xf32>) {{",
            "  " + load("l", "a", "f16", (m, k), "%x, %i"),
            "  " + load("r", "b", "f16", (k, n), "%i, %y"),
            f"  %next = mmaf %l, %r, %acc : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, "
            f"tile<{m}x{n}xf32>",
            f"  continue %next : tile<{m}x{n}xf32>",
            "}",
            store("all", "o", "f32", (m, n), "%x, %y"),
        ]
        text = module((("a", "f16"), ("b", "f16"), ("o", "f32")), body)
        return Variant(text, blocks((rows, columns), (m, n)))

    sizes = ((16, 32, 64, 128), (16, 32, 64), (16, 32, 64))
    return Family("product", operands(a, b, target), program, sizes)


def random_family(seed: int) -> Family:
    """A problem, the same for the same seed."""
    random, generator = Random(f"family {seed}"), np.random.default_rng(seed)
    match random.randrange(4):
        case 0:
            return elementwise(random, generator, transposed=False)
        case 1:
            return elementwise(random, generator, transposed=True)
        case 2:
            return row_sums(random, generator)
        case _:
            return product(random, generator)
