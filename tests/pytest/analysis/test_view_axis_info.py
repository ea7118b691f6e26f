"""
What is said of tiles is true: views of random sizes and strides, about which random true
assumptions are made, and all vectors of a tile are looked at one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

import pytest

from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo, analyze
from tileiras_xdsl.dialects.nv_tileaa import views
from tileiras_xdsl.frontend.load import load

ELEMENTS = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}


@dataclass
class Tile:
    """A tile of a view, in numbers."""

    element: str
    base: int
    sizes: list[int]
    strides: list[int]
    shape: list[int]
    steps: list[int]
    dim_map: list[int]
    indices: list[int]

    @staticmethod
    def random(random: Random) -> Tile:
        rank = random.randrange(1, 4)
        shape = [random.choice((1, 2, 4, 8)) for _ in range(rank)]
        dim_map = list(range(rank))
        random.shuffle(dim_map)
        strides = [random.choice((1, 8, 16, 24, 32)) for _ in range(rank)]
        strides[random.randrange(rank)] = 1
        return Tile(
            random.choice(list(ELEMENTS)),
            random.choice((0, 0, 0, 0, 1, 2, 8, 16)) + 64 * random.randrange(1, 50),
            [random.choice((3, 8, 12, 16, 16, 32, 40)) for _ in range(rank)],
            strides,
            shape,
            [random.choice((1, size, size, 2 * size)) for size in shape],
            dim_map,
            [random.choice((-1, 0, 0, 1, 2, 3)) for _ in range(rank)],
        )

    def text(self, random: Random) -> str:
        """The access, with some dimensions dynamic, and things that are assumed."""
        lines: list[str] = []
        parameters = ["%p: !llvm.ptr<1>"]

        def dynamic(name: str, number: int) -> str:
            parameters.append(f"%{name}: i32")
            return assumed(f"%{name}", number, "i32")

        def assumed(value: str, number: int, ty: str) -> str:
            assumptions: list[str] = []
            if random.random() < 0.7:
                divisor = 64
                while number % divisor:
                    divisor //= 2
                assumptions.append(f"div_by<{divisor}>")
            if ty == "i32" and random.random() < 0.7:
                low, high = number - random.randrange(3), number + random.randrange(3)
                assumptions.append(f"bounded<{low}, {high}>")
            for assumed in assumptions:
                name = f"%a{len(lines)}"
                lines.append(
                    f"{name} = nv_tileaa.assume {value} {{predicate = #nv_tileaa.{assumed}}} : {ty}"
                )
                value = name
            return value

        base = assumed("%p", self.base, "!llvm.ptr<1>")
        groups: list[tuple[list[str], list[str]]] = []
        for letter, numbers in (("n", self.sizes), ("s", self.strides)):
            dims: list[str] = []
            values: list[str] = []
            for dim, number in enumerate(numbers):
                if random.random() < (0.2 if number == 1 else 0.5):
                    dims.append("?")
                    values.append(dynamic(f"{letter}{dim}", number))
                else:
                    dims.append(str(number))
            groups.append((dims, values))
        (sizes, size_values), (strides, stride_values) = groups
        memref = (
            f"!nv_tileaa.memref<{'x'.join(sizes)}x{self.element}, strides = [{', '.join(strides)}]>"
        )
        tile = "x".join(map(str, self.shape))
        extra = ""
        if self.dim_map != sorted(self.dim_map):
            extra += f", dim_map = {self.dim_map}"
        if self.steps != self.shape:
            extra += f", steps = {self.steps}"
        view = f"!nv_tileaa.tiled_view<{tile}, {memref}{extra}>"
        indices = [dynamic(f"i{dim}", number) for dim, number in enumerate(self.indices)]

        def listed(word: str, values: list[str]) -> str:
            types = ", ".join(["i32"] * len(values))
            return f" {word}({', '.join(values)} : {types})" if values else ""

        lines.append(
            f"%m = nv_tileaa.make_memref {base}{listed('sizes', size_values)}"
            f"{listed('strides', stride_values)} : !llvm.ptr<1> -> {memref}"
        )
        groups_text = ", ".join(f"[{dim}]" for dim in self.dim_map)
        extents = ", ".join(map(str, self.shape))
        lines.append(
            f"%v = nv_tileaa.block_tile %m {{tileSizes = array<i64: {extents}>,"
            f" dimGroups = [{groups_text}]}} : {memref} -> {view}"
        )
        types = ", ".join(["i32"] * len(indices))
        lines.append(
            f"%x = nv_tileaa.tiled_load %v[{', '.join(indices)}] : {view}, {types} -> "
            f"tensor<{tile}x{self.element}>"
        )
        body = "\n".join(lines)
        return f"func.func @k({', '.join(parameters)}) {{\n{body}\nfunc.return\n}}"

    def address(self, place: tuple[int, ...]) -> int:
        offset = sum(
            (index * step + at) * self.strides[source]
            for index, step, at, source in zip(
                self.indices, self.steps, place, self.dim_map, strict=True
            )
        )
        return self.base + offset * ELEMENTS[self.element]

    def coordinate(self, dim: int, at: int) -> int:
        return self.indices[dim] * self.steps[dim] + at

    def is_inside(self, dim: int, at: int) -> bool:
        return 0 <= self.coordinate(dim, at) < self.sizes[self.dim_map[dim]]


def check_tile(tile: Tile, assumptions: TileAxisInfo) -> int:
    """Compares a tile with what is known of it; returns the widest vector."""
    rank = len(tile.shape)
    widest = 1
    assert tile.address((0,) * rank) % assumptions.alignment() == 0
    for dim in range(rank):
        inside = [tile.is_inside(dim, at) for at in range(tile.shape[dim])]
        assert all(inside) or not assumptions.is_in_bounds(dim)
        width = assumptions.vector_width(dim)
        widest = max(widest, width)
        size = ELEMENTS[tile.element]
        for place in product(*(range(extent) for extent in tile.shape)):
            if place[dim] % width:
                continue
            address = tile.address(place)
            assert width == 1 or address % (width * size) == 0
            for step in range(width):
                other = (*place[:dim], place[dim] + step, *place[dim + 1 :])
                assert tile.address(other) == address + step * size
                assert inside[other[dim]] == inside[place[dim]]
    return widest


@pytest.mark.every(5)
@pytest.mark.parametrize("chunk", range(4))
def test_vectors_of_tiles(chunk: int):
    widths: list[int] = []
    for seed in range(chunk * 60, chunk * 60 + 60):
        random = Random(seed)
        tile = Tile.random(random)
        module = load(tile.text(random))
        function = next(op for op in module.walk() if op.name == "func.func")
        (access,) = (op for op in module.walk() if isinstance(op, views.TiledLoadOp))
        assumptions = TileAxisInfo.of(access.view, access.indices, analyze(function))
        widths.append(check_tile(tile, assumptions))
    assert len(set(widths)) >= 3, "vectors are never wide"
