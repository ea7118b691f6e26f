"""Matrices, operands and epilogues of random programs of products; see `matmul_programs.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatTF32Type,
    bf16,
    f16,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute

from tileiras_xdsl.interpreter.elements import dtype_of, memory_bytes, round_to

from .draws import Draws
from .matmul_writer import Array, Tile, Writer

ELEMENTS: dict[str, Attribute] = {
    "f16": f16,
    "bf16": bf16,
    "tf32": FloatTF32Type(),
    "f32": f32,
    "f8E4M3FN": Float8E4M3FNType(),
    "f8E5M2": Float8E5M2Type(),
    "i8": i8,
    "i32": i32,
}
OPERANDS = ("f16", "bf16", "tf32", "f8E4M3FN", "f8E5M2", "i8")
SOURCES: dict[str, tuple[str, ...]] = {
    "f16": ("f32", "bf16", "i8", "f8E4M3FN"),
    "bf16": ("f32", "f16", "i8"),
    "tf32": ("f16", "bf16"),
    "f8E4M3FN": ("f32", "f16"),
    "f8E5M2": ("f32", "f16"),
    "i8": ("i8",),
    "f32": ("f16",),
}
"""What else an operand may be converted from."""
STYLES = ("view", "view", "mapped", "permuted", "pointers")
GUARD = 64
"""Elements behind a tensor that do not belong to it."""
LARGEST_SIDE = 512
MOST_BLOCKS = 8
OPERAND_BYTES = 48 << 10
"""Of both operands of a product: some stages of them have to fit into shared memory."""


@dataclass(frozen=True)
class Limits:
    """How large tiles and problems are."""

    rows: tuple[int, ...] = (16, 32, 64, 64, 64, 128, 128, 128, 128, 256)
    columns: tuple[int, ...] = (16, 32, 64, 64, 128, 128, 128, 256)
    depths: tuple[int, ...] = (16, 32, 32, 64, 64, 64, 128)
    rounds: tuple[int, ...] = (0, 1, 2, 3, 4, 6, 9)
    accumulator: int = 128 * 256
    side: int = LARGEST_SIDE
    blocks: int = MOST_BLOCKS
    queries: tuple[int, ...] = (32, 64, 64, 128, 128, 128)
    """Rows of attention."""
    keys: tuple[int, ...] = (32, 64, 64, 128)
    widths: tuple[int, ...] = (32, 64, 64, 128, 128)
    chunks: tuple[int, ...] = (32, 64, 64, 128)
    """Sides of matrices that loops carry."""


SMALL = Limits(
    rows=(16, 64),
    columns=(16, 32),
    depths=(16, 32),
    rounds=(0, 1, 2, 3),
    accumulator=64 * 32,
    side=128,
    blocks=2,
    queries=(16, 64),
    keys=(16, 32),
    widths=(32,),
    chunks=(16, 32, 64),
)
"""For threads on the CPU."""


@dataclass
class Matrix:
    """
    A tensor of matrices in memory, one for each batch. Its style says how tiles of it are
    accessed: by a view, by one of the transposed tensor (with a map of its dimensions, or with
    a permutation of tiles), or by pointers.
    """

    writer: Writer
    base: Tile
    element: str
    sizes: tuple[int, int]
    strides: tuple[int, int]
    batch_stride: int
    style: str
    view: tuple[str, str] = ("", "")
    """The tensor view and its type."""
    pads: bool = True
    """Whether loads of tiles that reach over the end get zeros."""
    rows: Tile | None = None
    """Pointer to the numbers of the rows in memory, where they are not in order."""

    @property
    def is_turned(self) -> bool:
        return self.style in ("mapped", "permuted")

    @property
    def has_batches(self) -> bool:
        return self.batch_stride > 0

    def partition(self, shape: tuple[int, int]) -> tuple[str, str]:
        """A view of tiles of this shape, and its type."""
        dims = list(shape[::-1]) if self.style == "permuted" else list(shape)
        if self.has_batches:
            dims = [1, *dims]
        padding = "padding_value = zero, " if self.pads else ""
        dim_map = ", dim_map=[1, 0]" if self.style == "mapped" else ""
        if self.style == "mapped" and self.has_batches:
            dim_map = ", dim_map=[0, 2, 1]"
        tile = "x".join(map(str, dims))
        ty = f"partition_view<tile=({tile}), {padding}{self.view[1]}{dim_map}>"
        name = self.writer.name()
        self.writer.lines.append(f"{name} = make_partition_view {self.view[0]} : {ty}")
        return name, ty

    def indices(self, i: Tile, j: Tile, batch: Tile | None) -> str:
        pair = [j, i] if self.style == "permuted" else [i, j]
        if self.has_batches:
            pair = [batch or self.writer.constant(0), *pair]
        return ", ".join(map(str, pair))

    def pointers(
        self, i: Tile, j: Tile, shape: tuple[int, int], batch: Tile | None
    ) -> tuple[Tile, Tile]:
        """Pointers to the elements of a tile, and which of them exist."""
        w = self.writer
        positions = [w.positions(index, shape, axis) for axis, index in enumerate((i, j))]
        inside: list[Tile] = []
        for position, size in zip(positions, self.sizes, strict=True):
            limit = w.shaped(w.number(size), shape)
            inside.append(w.compare("less_than", position, limit))
        mask = w.like("andi", *inside)
        if self.rows is not None:
            zero = w.constant(0, shape)
            safe = w.select(inside[0], positions[0], zero)
            positions[0] = w.gather(self.rows, safe)
        steps = [w.shaped(w.number(stride), shape) for stride in self.strides]
        offsets = w.integers(
            "addi",
            *(w.integers("muli", p, s) for p, s in zip(positions, steps, strict=True)),
        )
        base = self.base
        if self.has_batches:
            far = w.integers("muli", batch or w.constant(0), w.constant(self.batch_stride))
            base = w.moved(base, far)
        return w.moved(w.shaped(base, shape), offsets), mask

    def load(self, i: Tile, j: Tile, shape: tuple[int, int], batch: Tile | None = None) -> Tile:
        """A tile of a matrix."""
        w = self.writer
        result = Tile(w.name(), shape, self.element)
        if self.style == "pointers":
            pointers, mask = self.pointers(i, j, shape, batch)
            zeros = w.constant(0, shape, self.element)
            w.lines.append(
                f"{result}, {w.name()} = load_ptr_tko weak {pointers}, {mask}, {zeros}"
                f"{w.access()} : {pointers.type}, {mask.type}, {zeros.type} -> "
                f"{result.type}, token"
            )
            return result
        dims = shape[::-1] if self.style == "permuted" else shape
        held = Tile(result.name, (1, *dims) if self.has_batches else dims, self.element)
        view, ty = self.partition(shape)
        w.lines.append(
            f"{held}, {w.name()} = load_view_tko weak {view}[{self.indices(i, j, batch)}]"
            f"{w.access()} : {ty}, tile<i32> -> {held.type}, token"
        )
        found = w.reshape(held, dims) if self.has_batches else held
        return w.transpose(found) if self.style == "permuted" else found

    def store(
        self, value: Tile, i: Tile, j: Tile, batch: Tile | None = None, *, adds: bool = False
    ) -> None:
        """Stores a tile, or adds to what is there."""
        w = self.writer
        rows, columns = value.shape
        if self.style == "pointers":
            pointers, mask = self.pointers(i, j, (rows, columns), batch)
            if adds:
                mode = "add" if value.element == "i32" else "addf"
                w.lines.append(
                    f"{w.name()}, {w.name()} = atomic_rmw_tko relaxed device {pointers}, {mode}, "
                    f"{value}, {mask} : {pointers.type}, {value.type}, {mask.type} -> "
                    f"{value.type}, token"
                )
                return
            w.lines.append(
                f"{w.name()} = store_ptr_tko weak {pointers}, {value}, {mask}{w.access()} : "
                f"{pointers.type}, {value.type}, {mask.type} -> token"
            )
            return
        if self.style == "permuted":
            value = w.transpose(value)
        if self.has_batches:
            value = w.reshape(value, (1, *value.shape))
        view, ty = self.partition((rows, columns))
        w.lines.append(
            f"{w.name()} = store_view_tko weak {value}, {view}[{self.indices(i, j, batch)}]"
            f"{w.access()} : {value.type}, {ty}, tile<i32> -> token"
        )


@dataclass
class MmaOperand:
    """A matrix that products multiply with, and what is done to its tiles before."""

    writer: Writer
    element: str
    matrix: Matrix | None
    """Where it is in memory; an operand without is a constant, or computed from coordinates."""
    work: tuple[str, ...] = ()
    constant: float | None = None

    def tile(self, i: Tile, j: Tile, shape: tuple[int, int], batch: Tile | None = None) -> Tile:
        w = self.writer
        if self.constant is not None:
            return w.constant(self.constant, shape, self.element)
        if self.matrix is None:
            value = w.pattern(i, j, shape)
        else:
            value = self.matrix.load(i, j, shape, batch)
        for step in self.work:
            value = w.worked(value, step)
        return w.cast(value, self.element)


class Builder(Writer):
    """Draws the parts of a program."""

    KNOWN_STRIDES = 95
    """In so many of a hundred cases a stride of 1 is known, as in practice: accesses are wide."""

    def __init__(self, draws: Draws, generator: np.random.Generator, limits: Limits):
        super().__init__(draws, generator)
        self.limits = limits
        self.grid = (1, 1, 1)
        self.is_plain = draws.flag(75)
        """Whether most of what is drawn is as in programs that care about speed."""

    def oddity(self, percent: int) -> bool:
        """Whether to do something that makes code slow."""
        return self.draws.flag(max(percent // 8, 2) if self.is_plain else percent)

    # Memory

    def numbers_of(self, element: str, size: int, scale: float) -> Array:
        if element in ("i8", "i32"):
            return self.generator.integers(-16, 17, size).astype(dtype_of(ELEMENTS[element]))
        return round_to(self.generator.standard_normal(size) * scale, ELEMENTS[element])

    def nothing(self, element: str, size: int) -> Array:
        """Memory that nobody should read."""
        dtype = dtype_of(ELEMENTS[element])
        if element in ("i8", "i32"):
            return np.full(size, 113, dtype)
        return np.full(size, np.nan, dtype)

    def sized(self, value: int) -> tuple[str, str]:
        """A size or stride as an operand, and in the type."""
        if self.draws.flag(25):
            return str(value), str(value)
        name = self.parameter("tile<i32>", value)
        if not self.oddity(50):
            name = str(self.op(f"assume bounded<0, ?>, {name} : tile<i32>", (), "i32"))
        power = next(n for n in (16, 8, 4, 2, 1) if value % n == 0)
        if power > 1 and not self.oddity(50):
            name = str(self.op(f"assume div_by<{power}>, {name} : tile<i32>", (), "i32"))
        return name, "?"

    def matrix(
        self,
        rows: int,
        columns: int,
        element: str,
        *,
        batches: int = 0,
        filled: bool = True,
        styles: Sequence[str] = STYLES,
        pads: bool = True,
        scale: float = 1.0,
    ) -> Matrix:
        """A new array, and a view of it."""
        draws = self.draws
        style = draws.choose(styles)
        if style == "pointers" and "view" in styles and not self.oddity(100):
            style = "view"
        by_rows = draws.flag(50)
        length = columns if by_rows else rows
        size = memory_bytes(ELEMENTS[element])
        if self.oddity(40):
            extra = draws.choose((0, 0, 0, 16 // size, 64 // size, 1, 3))
        else:
            # The next multiple of 16 bytes.
            extra = -length % max(16 // size, 1) + draws.choose((0, 0, 16 // size))
        pitch = length + extra
        strides = (pitch, 1) if by_rows else (1, pitch)
        reach = pitch * ((rows if by_rows else columns) - 1) + length
        batch_stride = reach + -reach % max(16 // size, 1) if batches else 0
        start = draws.choose((16 // size, 1, 3)) if self.oddity(40) else 0
        total = start + max(batches - 1, 0) * batch_stride + reach + GUARD
        memory = self.nothing(element, total)
        inside = self.places(rows, columns, strides, batches, batch_stride, start)
        if filled:
            memory[inside] = self.numbers_of(element, inside.size, scale).reshape(inside.shape)
        base = Tile(self.parameter(f"tile<ptr<{element}>>", memory), (), f"ptr<{element}>")
        if not self.oddity(35):
            base = self.op(f"assume div_by<16>, {base} : {base.type}", (), base.element)
        if start:
            base = self.moved(base, self.number(start))
        found = Matrix(
            self, base, element, (rows, columns), strides, batch_stride, style, pads=pads
        )
        if style != "pointers":
            self.make_view(found, batches)
        return found

    @staticmethod
    def places(
        rows: int,
        columns: int,
        strides: tuple[int, int],
        batches: int,
        batch_stride: int,
        start: int,
    ) -> Array:
        """Where the elements of all matrices are."""
        first = np.arange(max(batches, 1))[:, None, None] * batch_stride + start
        down = np.arange(rows)[:, None] * strides[0]
        return first + down + np.arange(columns) * strides[1]

    def make_view(self, matrix: Matrix, batches: int) -> None:
        """The tensor view of a matrix."""
        sizes, strides = list(matrix.sizes), list(matrix.strides)
        if matrix.is_turned:
            sizes, strides = sizes[::-1], strides[::-1]
        if batches:
            sizes, strides = [batches, *sizes], [matrix.batch_stride, *strides]
        shape = [self.sized(size) for size in sizes]
        steps = [
            ("1", "1")
            if stride == 1 and self.draws.flag(self.KNOWN_STRIDES)
            else self.sized(stride)
            for stride in strides
        ]
        dims = "x".join(ty for _, ty in shape)
        ty = f"tensor_view<{dims}x{matrix.element}, strides=[{','.join(ty for _, ty in steps)}]>"
        is_dynamic = any(ty == "?" for _, ty in (*shape, *steps))
        name = self.name()
        self.lines.append(
            f"{name} = make_tensor_view {matrix.base}, "
            f"shape = [{', '.join(value for value, _ in shape)}], "
            f"strides = [{', '.join(value for value, _ in steps)}] : "
            f"{'tile<i32> -> ' if is_dynamic else ''}{ty}"
        )
        matrix.view = (name, ty)

    def operand(
        self, rows: int, columns: int, element: str, *, batches: int = 0, plain: bool = False
    ) -> MmaOperand:
        """An operand of products, of numbers that give sums of everyday size."""
        draws = self.draws
        if not plain and self.oddity(8):
            constant = 2.0 if draws.flag(25) else None
            return MmaOperand(self, element, None, constant=constant)
        source = element
        if element == "tf32" and draws.flag(80):
            source = "f32"
        elif not plain and self.oddity(25):
            source = draws.choose(SOURCES[element])
        work: tuple[str, ...] = ()
        if not plain and self.oddity(30):
            work = (draws.choose(("relu", "scale", "shift")),)
        matrix = self.matrix(rows, columns, source, batches=batches)
        if matrix.style == "pointers" and draws.flag(50):
            self.shuffle_rows(matrix)
        return MmaOperand(self, element, matrix, work)

    def shuffle_rows(self, matrix: Matrix) -> None:
        """Makes the rows of a matrix stand in another order, which an array says."""
        order = self.generator.permutation(matrix.sizes[0]).astype(np.int32)
        matrix.rows = Tile(self.parameter("tile<ptr<i32>>", order), (), "ptr<i32>")

    # Shapes

    def accumulator_of(self, element: str) -> str:
        if element == "i8":
            return "i32"
        if element in ("f16", "f8E4M3FN", "f8E5M2") and self.draws.flag(12):
            return "f16"
        return "f32"

    def tile_shape(self, element: str, accumulators: int = 1) -> tuple[int, int, int]:
        """Rows, columns and depth of a product."""
        draws, limits = self.draws, self.limits
        size = max(memory_bytes(ELEMENTS[element]), 2)
        while True:
            m, n, k = (draws.choose(x) for x in (limits.rows, limits.columns, limits.depths))
            if self.is_plain:
                m = max(m, 64)
            if element in ("f8E4M3FN", "f8E5M2", "i8"):
                k = max(k, 32)
            fits = accumulators * m * n <= limits.accumulator
            if fits and (m + n) * k * size <= OPERAND_BYTES:
                return m, n, k

    def extent(self, tile: int, most: int) -> tuple[int, int]:
        """How many tiles there are along a side, and of how many elements they are."""
        tiles = self.draws.integer(1, max(1, min(most, self.limits.side // tile)))
        return tiles, self.cut(tiles * tile, tile)

    def cut(self, size: int, tile: int) -> int:
        """A size whose last tile may be a part."""
        match self.draws.integer(0, 4):
            case 0:
                return size - self.draws.integer(0, tile - 1)
            case 1:
                return size - self.draws.integer(0, (tile - 1) // 8) * 8
            case _:
                return size

    def rounds(self, depth: int, *, least: int = 0) -> int:
        """How often a loop runs."""
        most = max(1, self.limits.side // depth)
        chosen = [n for n in self.limits.rounds if least <= n <= most]
        return self.draws.choose(chosen or [least])

    def block(self, tiles: tuple[int, int], batches: int = 1) -> tuple[Tile, Tile, Tile]:
        """The tile of a result that a CTA computes: its row, column and batch."""
        x, y, z = (Tile(f"%block_{axis}", (), "i32") for axis in "xyz")
        match self.draws.integer(0, 2):
            case 0:
                self.grid = (*tiles, batches)
                return x, y, z
            case 1:
                self.grid = (tiles[1], tiles[0], batches)
                return y, x, z
            case _:
                self.grid = (prod(tiles), batches, 1)
                across = self.number(tiles[1])
                return self.integers("divi", x, across), self.integers("remi", x, across), y

    def last(self, operand: MmaOperand, rounds: int, size: int, depth: int) -> Tile:
        """The number of rounds of a loop over a dimension of this size."""
        if rounds and self.draws.flag(40):
            total = self.number(size)
            text = f"divi {total}, {self.constant(depth)} signed rounding<positive_inf> : tile<i32>"
            return self.op(text, (), "i32")
        return self.number(rounds)

    # Epilogues

    def dequantized(self, value: Tile) -> Tile:
        """Sums of products of integers as floats of everyday size."""
        scale = 2.0**-8 if self.signs == ("signed", "signed") else 2.0**-14
        return self.like("mulf", self.cast(value, "f32"), self.splat(scale, value.shape))

    def epilogue(
        self, shape: tuple[int, ...], element: str, sizes: tuple[int, int], batches: int = 0
    ) -> Callable[[Tile, Tile, Tile, Tile | None], None]:
        """Draws what is done to a result of this shape; arrays for it are made here."""
        draws = self.draws
        rows, columns = shape[0], shape[1]
        steps: list[Callable[[Tile, Tile, Tile, Tile | None], Tile]] = []
        if element == "i32" and draws.flag(60):
            steps.append(lambda value, i, j, b: self.dequantized(value))
            element = "f32"
        plain = "i32" if element == "i32" else element

        def combine(value: Tile, other: Tile) -> Tile:
            other = self.cast(other, value.element)
            other = self.shaped(other, value.shape)
            return self.like("addi" if value.element == "i32" else "addf", value, other)

        if draws.flag(25):
            bias = self.matrix(1, sizes[1], plain, styles=("view", "pointers"))
            steps.append(
                lambda value, i, j, b: combine(value, bias.load(self.zero, j, (1, columns)))
            )
        if draws.flag(12):
            side = self.matrix(sizes[0], 1, plain, styles=("view", "pointers"))
            steps.append(lambda value, i, j, b: combine(value, side.load(i, self.zero, (rows, 1))))
        if draws.flag(20):
            kept = draws.choose(("f16", "bf16", "f32")) if element != "i32" else "i32"
            residual = self.matrix(*sizes, kept, batches=batches)
            steps.append(
                lambda value, i, j, b: combine(value, residual.load(i, j, (rows, columns), b))
            )
        if draws.flag(35):
            options = ("relu", "shift") if element == "i32" else ("relu", "scale", "gelu", "silu")
            step = draws.choose(options)
            steps.append(lambda value, i, j, b: self.worked(value, step))
            if step in ("gelu", "silu"):
                element = "f32"
        final = element
        if element != "i32":
            final = draws.choose(("f16", "f16", "bf16", "f32", "f32", "f8E4M3FN", "f8E5M2"))
        target = self.matrix(*sizes, final, batches=batches, filled=False, pads=False)
        second = third = None
        if draws.flag(10):
            second = self.matrix(*sizes, element, batches=batches, filled=False, pads=False)
        axis = draws.integer(0, 1)
        if draws.flag(10) and element != "i32" and not batches:
            # Sums of the rows or columns of tiles, as many in a row or column as there are tiles.
            down, across = (-(-size // tile) for size, tile in zip(sizes, shape, strict=True))
            lengths = (down, sizes[1]) if axis == 0 else (sizes[0], across)
            third = self.matrix(*lengths, element, filled=False, pads=False)
        kind = draws.choose(("add", "max")) if element == "f32" else "add"

        def apply(value: Tile, i: Tile, j: Tile, b: Tile | None) -> None:
            for step in steps:
                value = step(value, i, j, b)
            target.store(self.cast(value, final), i, j, b)
            value = self.cast(value, element)
            if second is not None:
                second.store(value, i, j, b)
            if third is not None:
                third.store(self.reduce(value, axis, kind), i, j)

        return apply

    @property
    def zero(self) -> Tile:
        return Tile("%zero", (), "i32")

    @property
    def one(self) -> Tile:
        return Tile("%one", (), "i32")

    def zeros(self, m: int, n: int, element: str) -> Tile:
        return self.constant(0, (m, n), element)
