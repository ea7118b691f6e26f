"""
Random kernels as source of cuTile, with arguments and a way to compile them.

Values of arrays are chosen so that most arithmetic is exact: floats are small multiples of a power
of two, but for some programs with random ones; integers are all that their types have. Extents of
arrays seldom divide those of tiles. What cuTile does not define is avoided: division by zero,
shifts by more than the width, conversions of what does not fit, blocks that race.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from tileiras_xdsl.transforms.common.abi import ABIS, Abi

from . import cutile_types as types
from .cutile_types import Array, DType

GPUS = ("sm_80", "sm_90", "sm_90", "sm_100", "sm_120")
LEVELS = (0, 1, 2, 3, 3, 3)
FLOATS = (types.float16, types.bfloat16, types.float32, types.float32, types.float64)
INTEGERS = (
    *(types.int8, types.int16, types.int32, types.int32, types.int64),
    *(types.uint8, types.uint16, types.uint32, types.uint64),
)
ZERO = "padding_mode=ct.PaddingMode.ZERO"
LARGEST = 1000.0
"""What floats of programs stay below, so that no type overflows."""


@dataclass(frozen=True)
class CutileProgram:
    """A kernel with what it is called with."""

    seed: int
    family: str
    source: str
    grid: tuple[int, ...]
    values: tuple[Any, ...]
    """Arrays, and numbers that are no constants."""
    outputs: tuple[int, ...]
    gpu: str
    opt: int
    abi: Abi

    def arguments(self) -> list[Any]:
        return [value.copy() if isinstance(value, np.ndarray) else value for value in self.values]

    def __str__(self) -> str:
        arrays = ", ".join(
            f"{each.dtype}{list(each.shape)}" if isinstance(each, np.ndarray) else str(each)
            for each in self.values
        )
        how = f"--gpu-name={self.gpu} -O{self.opt} --abi={self.abi}"
        return f"# {self.family} {self.seed}, {how}, grid {self.grid}, {arrays}\n{self.source}"


@dataclass
class Variable:
    """A tile of the source."""

    name: str
    dtype: DType
    bound: float = 4.0
    """Of floats: the absolute value is not larger."""


@dataclass
class Writer:
    """Writes a kernel."""

    random: Random
    gpu: str
    is_wild: bool = False
    """Whether floats are random numbers instead of small multiples of a power of two."""
    names: list[str] = field(default_factory=list[str])
    values: list[Any] = field(default_factory=list[Any])
    outputs: list[int] = field(default_factory=list[int])
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def let(self, expression: str, dtype: DType, bound: float = 0.0) -> Variable:
        variable = Variable(self.fresh(), dtype, bound)
        self.line(f"{variable.name} = {expression}")
        return variable

    def numbers(self, shape: Sequence[int], dtype: DType) -> Array:
        """Values of an input."""
        source = np.random.default_rng(self.random.randrange(1 << 30))
        if dtype.kind == "b":
            return source.integers(0, 2, shape).astype(np.bool_)
        if dtype.is_integer:
            low, high = dtype.limits
            return source.integers(low, high, shape, np.dtype(dtype.storage).type, endpoint=True)
        if self.is_wild:
            return np.clip(source.standard_normal(shape), -4, 4).astype(dtype.storage)
        return (source.integers(-8, 9, shape) / 2.0).astype(dtype.storage)

    def array(self, value: Array, *, is_output: bool = False) -> str:
        """A parameter for an array."""
        name = f"a{len(self.names)}"
        if is_output:
            self.outputs.append(len(self.names))
        self.names.append(name)
        self.values.append(value)
        return name

    def input(self, shape: Sequence[int], dtype: DType) -> str:
        return self.array(self.numbers(shape, dtype))

    def output(self, shape: Sequence[int], dtype: DType) -> str:
        return self.array(np.full(shape, 77, dtype.storage), is_output=True)

    def number(self, value: float) -> str:
        name = f"n{len(self.names)}"
        self.names.append(name)
        self.values.append(value)
        return name

    def extent(self, tile: int, tiles: int) -> int:
        """An extent that takes so many tiles, and seldom fills the last one."""
        return tile * tiles - self.random.choice((0, 0, 1, self.random.randrange(tile)))

    def program(self, seed: int, family: str, grid: tuple[int, ...]) -> CutileProgram:
        head = f"import cuda.tile as ct\n\n\n@ct.kernel\ndef kernel({', '.join(self.names)}):\n"
        return CutileProgram(
            seed,
            family,
            head + "\n".join(self.lines) + "\n",
            grid,
            tuple(self.values),
            tuple(self.outputs),
            self.gpu,
            self.random.choice(LEVELS),
            self.random.choice(ABIS),
        )

    # Expressions.

    def cast(self, variable: Variable, dtype: DType) -> Variable:
        """A variable in another type, if that has all of its values."""
        if variable.dtype == dtype:
            return variable
        expression = f"{variable.name}.astype(ct.{dtype})"
        if variable.dtype.is_integer and dtype.is_float:
            # Integers have any value: a few bits of them do not overflow.
            expression = f"({variable.name} & 63).astype(ct.{dtype})"
        if variable.dtype.is_float and dtype.is_integer:
            limit = 100.0
            small = f"ct.minimum(ct.maximum({variable.name}, 0.0), {limit})"
            expression = f"{small}.astype(ct.{dtype})"
        return self.let(expression, dtype, 64.0 if variable.dtype.is_integer else variable.bound)

    def matched(self, a: Variable, b: Variable) -> tuple[Variable, Variable, DType]:
        """Two variables that cuTile takes together."""
        try:
            return a, b, types.promote(a.dtype, b.dtype)
        except TypeError:
            return a, self.cast(b, a.dtype), a.dtype

    def step(self, pool: list[Variable]) -> Variable:
        """A new variable from others of the same shape."""
        a, b = self.random.choice(pool), self.random.choice(pool)
        kind = self.random.random()
        if kind < 0.1:
            return self.cast(
                a, self.random.choice(FLOATS if self.random.random() < 0.5 else INTEGERS)
            )
        if kind < 0.2:
            return self.choice_of(*self.matched(a, b))
        if kind < 0.3:
            return self.compound(a, [each for each in pool if each.dtype == a.dtype])
        if kind < 0.6:
            left, right, dtype = self.matched(a, b)
            return self.binary(left, right, dtype)
        return self.float_step(a) if a.dtype.is_float else self.integer_step(a)

    def choice_of(self, a: Variable, b: Variable, dtype: DType) -> Variable:
        comparison = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        chosen = (f"{a.name} {comparison} {b.name}", a.name, b.name)
        if self.random.random() < 0.3:
            chosen = (chosen[0], chosen[2], self.random.choice(("1", "0", "3")))
        bound = max(a.bound, b.bound, 3.0)
        kept = b.dtype if chosen[2] in "103" else dtype
        return self.let(f"ct.where({', '.join(chosen)})", kept, bound)

    def binary(self, a: Variable, b: Variable, dtype: DType) -> Variable:
        names = a.name, b.name
        if dtype.is_float:
            bounds = [64.0 if each.dtype.is_integer else each.bound for each in (a, b)]
            a, b = (self.cast(each, dtype) if each.dtype.is_integer else each for each in (a, b))
            names = a.name, b.name
            operators = ["ct.minimum({}, {})", "ct.maximum({}, {})"]
            if sum(bounds) < LARGEST:
                operators += ["{} + {}", "{} - {}"]
            if bounds[0] * bounds[1] < LARGEST:
                operators += ["{} * {}", "{} * {}"]
            operators += ["{} / (ct.abs({}) + 1.0)"]
            bound = max(sum(bounds), bounds[0] * bounds[1])
            chosen = self.random.choice(operators)
            return self.let(chosen.format(*names), dtype, min(bound, LARGEST))
        operators = ["{} + {}", "{} - {}", "{} * {}", "ct.minimum({}, {})", "ct.maximum({}, {})"]
        if a.dtype == b.dtype:
            operators += ["{} & {}", "{} | {}", "{} ^ {}", "{} << ({} & 7)", "{} >> ({} & 7)"]
            operators += ["{} % (({} & 15) + 3)"]
            if dtype.kind == "i":
                # Of unsigned numbers, NVIDIA's verifier takes no quotient that is rounded down.
                operators += ["{} // (({} & 7) + 2)", "{} // (-2 - ({} & 7))"]
                operators += ["{} % (-3 - ({} & 7))"]
        return self.let(self.random.choice(operators).format(*names), dtype)

    def compound(self, a: Variable, pool: list[Variable]) -> Variable:
        """An expression of several ops on variables of one type, some of which are fused."""
        b, c = self.random.choice(pool), self.random.choice(pool)
        size = max(a.bound, b.bound, c.bound)
        forms = ["{0} * {1} + {2}", "{0} * {1} - {2}", "{2} - {0} * {1}", "({0} + {1}) * {2}"]
        forms += ["{0} * 2 - {1} * {2}", "({0} - {1}) * ({0} + {1})", "-({0} * {1}) - {2}"]
        if a.dtype.is_float and 4 * size * size > LARGEST:
            small = "ct.minimum(ct.maximum({}, -4.0), 4.0)"
            a, b, c = (self.let(small.format(each.name), a.dtype, 4.0) for each in (a, b, c))
            size = 4.0
        form = self.random.choice(forms)
        return self.let(form.format(a.name, b.name, c.name), a.dtype, 4 * size * size)

    def float_step(self, a: Variable) -> Variable:
        name, dtype, bound = a.name, a.dtype, a.bound
        number = self.random.choice(("2", "0.5", "-3", "1.25", "7"))
        choices: list[tuple[str, float]] = [
            (f"ct.abs({name})", bound),
            (f"-{name}", bound),
            (f"ct.floor({name})", bound + 1),
            (f"ct.ceil({name})", bound + 1),
            (f"ct.maximum({name}, {number})", bound + 7),
            (f"{name} + {number}", bound + 7),
            (f"{number} - {name}", bound + 7),
            (f"{name} / {number}", bound * 2),
            (f"ct.sqrt(ct.abs({name}))", bound + 1),
            (f"ct.rsqrt(ct.abs({name}) + 1.0)", 1.0),
            (f"ct.exp2(ct.minimum({name}, 3.0))", 8.0),
            (f"ct.exp(-ct.abs({name}))", 1.0),
            (f"ct.tanh({name})", 1.0),
            (f"ct.sin({name})", 1.0),
            (f"ct.cos({name})", 1.0),
            (f"ct.log2(ct.abs({name}) + 1.0)", bound + 1),
            (f"ct.log(ct.abs({name}) + 2.0)", bound + 1),
        ]
        if bound * 7 < LARGEST:
            choices += [(f"{name} * {number}", bound * 7)] * 4
        # Half of them are exact.
        is_exact = self.random.random() < 0.5
        expression, new = self.random.choice(choices[:8] + choices[17:] if is_exact else choices)
        return self.let(expression, dtype, min(new, LARGEST))

    def integer_step(self, a: Variable) -> Variable:
        name, number = a.name, self.random.choice(("1", "3", "5", "100"))
        choices = [f"{name} + {number}", f"{name} * {number}", f"{name} ^ {number}", f"~{name}"]
        choices += [f"{name} >> 3", f"{name} << 2", f"{name} % {number}"]
        choices += [f"{name} & {number}", f"ct.minimum({name}, {number})", f"{number} - {name}"]
        if a.dtype.kind == "i":
            choices += [f"-{name}", f"ct.abs({name})", f"{name} // {number}", f"{name} // -3"]
            choices += [f"{name} % -7"]
        return self.let(self.random.choice(choices), a.dtype)

    def dtype(self) -> DType:
        return self.random.choice(FLOATS if self.random.random() < 0.6 else INTEGERS)

    def padding(self, dtype: DType) -> str:
        modes = ("ZERO", "ZERO", "NEG_INF", "POS_INF", "NAN") if dtype.is_float else ("ZERO",)
        return f"padding_mode=ct.PaddingMode.{self.random.choice(modes)}"


def elementwise(writer: Writer) -> tuple[int, ...]:
    """Chains of ops on tiles, rows, columns and numbers."""
    random = writer.random
    rank = random.choice((1, 2, 2, 3))
    tile = tuple(
        random.choice({1: (32, 128, 256), 2: (4, 8, 16, 32), 3: (2, 4, 8)}[rank])
        for _ in range(rank)
    )
    tiles = tuple(random.randrange(1, 3) for _ in range(rank))
    shape = tuple(writer.extent(size, count) for size, count in zip(tile, tiles, strict=True))
    index = "(" + "".join(f"ct.bid({axis}), " for axis in range(rank)) + ")"
    pool: list[Variable] = []
    for _ in range(random.randrange(1, 4)):
        dtype = writer.dtype()
        name = writer.input(shape, dtype)
        padding = random.choice(("", f", {writer.padding(dtype)}"))
        pool.append(writer.let(f"ct.load({name}, {index}, {tile}{padding})", dtype, 4.0))
    if rank == 2 and random.random() < 0.5:
        axis, dtype = random.randrange(2), random.choice(FLOATS)
        name = writer.input((shape[axis],), dtype)
        side = (1, tile[1]) if axis else (tile[0], 1)
        edge = (
            f"ct.load({name}, (ct.bid({axis}),), ({tile[axis]},), padding_mode=ct.PaddingMode.ZERO)"
        )
        row = writer.let(f"{edge}.reshape({side})", dtype, 4.0)
        pool.append(writer.let(f"ct.broadcast_to({row.name}, {tile})", dtype, 4.0))
    if random.random() < 0.4:
        number = writer.number(random.choice((3, -2, 0.5, 1.25)))
        first = pool[0]
        if first.dtype == types.int32 or first.dtype == types.float32:
            is_float = isinstance(writer.values[-1], float)
            kind = types.float32 if is_float or first.dtype.is_float else types.int32
            expression = f"{first.name} + {number}"
            if is_float and first.dtype.is_integer:
                expression = f"({first.name} & 63) + {number}"
            pool.append(writer.let(expression, kind, 70.0))
    for _ in range(random.randrange(2, 9)):
        pool.append(writer.step(pool))
    for variable in {each.name: each for each in (pool[-1], random.choice(pool))}.values():
        dtype = variable.dtype
        if dtype.is_float and variable.bound < 400 and writer.gpu != "sm_80":
            dtype = random.choice((dtype, dtype, *EIGHT_BITS))
        name = writer.output(shape, dtype)
        writer.line(f"ct.store({name}, {index}, {variable.name}.astype(ct.{dtype}))")
    if pool[0].dtype in (types.float32, types.int32):
        # As it was loaded: of zeros that are computed, the sign is not defined.
        other = types.int32 if pool[0].dtype.is_float else types.uint32
        bits = writer.output(shape, other)
        writer.line(f"ct.store({bits}, {index}, ct.bitcast({pool[0].name}, ct.{other}))")
    return tiles


def reductions(writer: Writer) -> tuple[int, ...]:
    """Reductions of rows or columns by a loop over tiles, with what is carried."""
    random = writer.random
    rows, columns = random.choice((2, 4, 16, 32)), random.choice((8, 16, 64))
    steps = random.randrange(1, 4)
    height, width = writer.extent(rows, 2), writer.extent(columns, steps)
    dtype = writer.dtype()
    x = writer.input((height, width), dtype)
    source = (
        f"ct.load({x}, (ct.bid(0), step), ({rows}, {columns}), padding_mode=ct.PaddingMode.ZERO)"
    )
    kind = random.choice(("sum", "max", "min", "custom", "pair", "place", "both"))
    if kind == "place" or (kind == "pair" and not dtype.is_integer):
        place = random.choice(("argmax", "argmin"))
        out = writer.output((height, steps), types.int32)
        writer.line(f"for step in range(ct.num_tiles({x}, 1, ({rows}, {columns}))):")
        writer.depth += 1
        tile = writer.let(source, dtype)
        found = writer.let(f"ct.{place}({tile.name}, axis=1, keepdims=True)", types.int32)
        writer.line(f"ct.store({out}, (ct.bid(0), step), {found.name})")
        return (2,)
    if kind == "pair":
        out, other = (writer.output((height,), dtype) for _ in range(2))
        writer.line("step = 0")
        tile = writer.let(source, dtype)
        mixed = writer.let(f"{tile.name} ^ 21", dtype)
        combine = "lambda a, b, c, d: (a + c, b ^ d)"
        writer.line(f"p, q = ct.reduce(({tile.name}, {mixed.name}), 1, {combine}, (0, 0))")
        writer.line(f"ct.store({out}, (ct.bid(0),), p)")
        writer.line(f"ct.store({other}, (ct.bid(0),), q)")
        return (2,)
    out = writer.output((height,), dtype)
    functions = {
        "sum": ("ct.sum({}, axis=1)", "{} + {}", "0"),
        "max": ("ct.max({}, axis=1)", "ct.maximum({}, {})", "0"),
        "min": ("ct.min({}, axis=1)", "ct.minimum({}, {})", "0"),
        "both": ("ct.sum({}, axis=(1,)) + ct.max({}, axis=1)", "{} - {}", "1"),
        "custom": (
            ("ct.reduce({}, 1, lambda a, b: a ^ b, 0)", "{} ^ {}", "0")
            if dtype.is_integer
            else ("ct.reduce({}, 1, lambda a, b: a + b, 0.0)", "{} + {}", "0")
        ),
    }
    inner, outer, start = functions[kind]
    writer.line(f"total = ct.full(({rows},), {start}, ct.{dtype})")
    writer.line(f"for step in range(ct.num_tiles({x}, 1, ({rows}, {columns}))):")
    writer.depth += 1
    tile = writer.let(source, dtype, 4.0)
    for _ in range(random.randrange(2)):
        tile = writer.float_step(tile) if dtype.is_float else writer.integer_step(tile)
    part = writer.let(inner.format(*[tile.name] * inner.count("{}")), dtype)
    writer.line(f"total = {outer.format('total', part.name)}")
    writer.depth -= 1
    writer.line(f"ct.store({out}, (ct.bid(0),), total)")
    return (2,)


def elementwise_loops(writer: Writer) -> tuple[int, ...]:
    """A persistent loop over tiles, with rows that are normalized, slices and reductions of all."""
    random = writer.random
    rows, columns = random.choice((2, 4, 8)), random.choice((16, 64))
    count = random.randrange(2, 5)
    height = writer.extent(rows, count)
    dtype = random.choice((types.float16, types.float32, types.int32, types.int16))
    x, out = writer.input((height, columns), dtype), writer.output((height, columns), dtype)
    sums = writer.array(
        np.zeros(2, dtype.storage if dtype.bits == 32 else np.int32), is_output=True
    )
    shape = f"({rows}, {columns})"
    writer.line(f"for i in range(ct.bid(0), ct.num_tiles({x}, 0, {shape}), ct.num_blocks(0)):")
    writer.depth += 1
    tile = writer.let(f"ct.load({x}, (i, 0), {shape}, {ZERO})", dtype, 4.0)
    pool = [tile]
    center = f"{tile.name} - ct.max({tile.name}, axis=1, keepdims=True)"
    pool.append(writer.let(center, dtype, 8.0))
    if random.random() < 0.5:
        pool.append(writer.let(f"{tile.name} + ct.sum({tile.name}, axis=(0, 1))", dtype, LARGEST))
    for _ in range(random.randrange(1, 4)):
        pool.append(writer.compound(random.choice(pool), pool))
    writer.line(f"ct.store({out}, (i, 0), {pool[-1].name})")
    if dtype.bits == 32:
        order = "memory_order=ct.MemoryOrder.RELAXED"
        writer.line(f"ct.atomic_add({sums}, i % 2, ct.sum({tile.name}), {order})")
    return (random.randrange(1, count + 1),)


def scans(writer: Writer) -> tuple[int, ...]:
    """Running sums of rows, in tiles that carry their last column, and scans by other functions."""
    random = writer.random
    rows, columns = random.choice((2, 4, 8)), random.choice((8, 16, 64))
    dtype = writer.dtype()
    height, width = writer.extent(rows, 2), writer.extent(columns, 2)
    x, out = writer.input((height, width), dtype), writer.output((height, width), dtype)
    shape = f"({rows}, {columns})"
    source = f"ct.load({x}, (ct.bid(0), step), {shape}, padding_mode=ct.PaddingMode.ZERO)"
    functions = [
        "ct.cumsum({}, axis=1)",
        "ct.cumsum({}, axis=1, reverse=True)",
        "ct.cumsum({}, axis=0)",
    ]
    if dtype.is_integer:
        functions += ["ct.scan({}, 1, lambda a, b: a | b, 0)"]
        functions += ["ct.scan({}, 0, lambda a, b: a ^ b, 0, reverse=True)"]
    writer.line(f"carry = ct.zeros(({rows}, 1), ct.{dtype})")
    writer.line(f"for step in range(ct.num_tiles({x}, 1, {shape})):")
    writer.depth += 1
    tile = writer.let(source, dtype, 4.0)
    found = writer.let(random.choice(functions).format(tile.name), dtype)
    shifted = writer.let(f"{found.name} + carry", dtype)
    writer.line(f"ct.store({out}, (ct.bid(0), step), {shifted.name})")
    writer.line(f"carry = carry + ct.sum({tile.name}, axis=1, keepdims=True)")
    return (2,)


MATMUL_TILES = (
    (16, 16, 16),
    (32, 16, 32),
    (64, 32, 32),
    (64, 64, 32),
    (128, 64, 64),
    (64, 128, 16),
)
EIGHT_BITS = (types.float8_e4m3fn, types.float8_e5m2)
MATMUL_TYPES = (
    *[(types.float16, types.float32)] * 3,
    *[(types.bfloat16, types.float32)] * 2,
    (types.float16, types.float16),
    (types.int8, types.int32),
    (types.uint8, types.int32),
    *((each, types.float32) for each in EIGHT_BITS),
    (types.tfloat32, types.float32),
    (types.float32, types.float32),
    (types.float64, types.float64),
)


def matmuls(writer: Writer) -> tuple[int, ...]:
    """Products of matrices, by loops and unrolled, with epilogues."""
    random = writer.random
    m, n, k = random.choice(MATMUL_TILES)
    dtype, total_type = random.choice(MATMUL_TYPES)
    if dtype in EIGHT_BITS and writer.gpu == "sm_80":
        dtype = types.float16
    stored = types.float32 if dtype == types.tfloat32 else dtype
    unrolled = random.choice((1, 1, 2, 4))
    depth = unrolled * random.randrange(1, 4)
    tiles = (random.randrange(1, 3), random.randrange(1, 3))
    height, width = writer.extent(m, tiles[0]), writer.extent(n, tiles[1])
    inner = writer.extent(k, depth)
    left, right = random.random() < 0.3, random.random() < 0.3
    a = writer.input((inner, height) if left else (height, inner), stored)
    b = writer.input((width, inner) if right else (inner, width), stored)
    convert = ".astype(ct.tfloat32)" if dtype == types.tfloat32 else ""

    def operand(array: str, place: str, shape: str, turned: bool) -> str:
        """A tile of an array, or of one that is stored transposed."""
        order = ", order=(1, 0)" if turned else ""
        return f"ct.load({array}, {place}, {shape}{order}, {ZERO}){convert}"

    def dot(step: str) -> None:
        x = operand(a, f"(i, {step})", f"({m}, {k})", left)
        y = operand(b, f"({step}, j)", f"({k}, {n})", right)
        if right and random.random() < 0.3:
            y = f"ct.transpose({operand(b, f'(j, {step})', f'({n}, {k})', False)})"
        writer.line(f"total = ct.mma({x}, {y}, total)")

    writer.line("i, j = ct.bid(0), ct.bid(1)")
    writer.line(f"total = ct.zeros(({m}, {n}), ct.{total_type})")
    if depth == unrolled and random.random() < 0.5:
        for step in range(unrolled):
            dot(str(step))
    else:
        writer.line(f"for step in range({depth // unrolled}):")
        writer.depth += 1
        for part in range(unrolled):
            dot(f"step * {unrolled} + {part}" if unrolled > 1 else "step")
        writer.depth -= 1
    result = Variable("total", total_type, LARGEST)
    end = random.choice(("", "", "bias", "relu", "scale", "residual", "rows", "steps"))
    if end == "bias":
        bias = writer.input((width,), total_type)
        row = f"ct.load({bias}, (j,), ({n},), {ZERO}).reshape((1, {n}))"
        result = writer.let(f"{result.name} + {row}", total_type, LARGEST)
    elif end == "relu":
        result = writer.let(f"ct.maximum({result.name}, 0)", total_type, LARGEST)
    elif end == "scale":
        result = writer.let(f"{result.name} * {writer.number(2)}", total_type, LARGEST)
    elif end == "residual":
        other = writer.input((height, width), total_type)
        tile = f"ct.load({other}, (i, j), ({m}, {n}), {ZERO})"
        result = writer.let(f"{result.name} + {tile}", total_type, LARGEST)
    elif end == "rows":
        result = writer.let(
            f"{result.name} - ct.max({result.name}, axis=1, keepdims=True)", total_type, LARGEST
        )
    elif end == "steps":
        for _ in range(3):
            is_float = total_type.is_float
            result = writer.float_step(result) if is_float else writer.integer_step(result)
    target = total_type
    if total_type == types.float32 and random.random() < 0.5:
        target = random.choice((types.float16, types.bfloat16))
    out = writer.output((height, width), target)
    writer.line(f"ct.store({out}, (i, j), {result.name}.astype(ct.{target}))")
    return tiles


def batches(writer: Writer) -> tuple[int, ...]:
    """Products of batches of matrices, with a chain of two."""
    random = writer.random
    m, n, k = random.choice(((16, 16, 16), (32, 32, 16), (64, 32, 32), (64, 64, 64)))
    count, dtype = random.randrange(1, 4), random.choice((types.float16, types.bfloat16))
    height, inner = writer.extent(m, 2), writer.extent(k, random.randrange(1, 3))
    a, b = writer.input((count, height, inner), dtype), writer.input((count, inner, n), dtype)
    deep = random.random() < 0.5
    columns = random.choice((16, 32)) if deep else n
    out = writer.output((count, height, columns), types.float32)
    text = f"""
    i, batch = ct.bid(0), ct.bid(1)
    total = ct.zeros((1, {m}, {n}), ct.float32)
    for step in range(ct.num_tiles({a}, 2, (1, {m}, {k}))):
        x = ct.load({a}, (batch, i, step), (1, {m}, {k}), {ZERO})
        y = ct.load({b}, (batch, step, 0), (1, {k}, {n}), {ZERO})
        total = ct.mma(x, y, total)"""
    writer.lines += [line for line in text.splitlines() if line]
    if deep:
        other = writer.input((n, columns), dtype)
        clipped = "ct.minimum(ct.maximum(total, -16.0), 16.0)"
        writer.line(f"h = {clipped}.astype(ct.{dtype}).reshape(({m}, {n}))")
        writer.line(f"w = ct.load({other}, (0, 0), ({n}, {columns}))")
        writer.line(f"z = ct.mma(h, w, ct.zeros(({m}, {columns}), ct.float32))")
        writer.line(f"total = z.reshape((1, {m}, {columns}))")
    writer.line(f"ct.store({out}, (batch, i, 0), total)")
    return (2, count)


def gathers(writer: Writer) -> tuple[int, ...]:
    """Gathers and scatters by masks and indices, some of which are outside; atomics."""
    random = writer.random
    size, tile = random.randrange(20, 150), random.choice((16, 32, 64))
    dtype, blocks = writer.dtype(), random.randrange(1, 4)
    x = writer.input((size,), dtype)
    places = np.random.default_rng(random.randrange(1 << 30)).permutation(2 * blocks * tile)
    where = writer.array((places - blocks * tile // 2).astype(np.int32))
    index = f"ct.load({where}, (ct.bid(0),), ({tile},))"
    writer.line(f"place = {index}")
    mask = random.choice(("", ", mask=place % 3 != 0", ", mask=place < 40"))
    padding = random.choice(("", ", padding_value=5"))
    taken = writer.let(f"ct.gather({x}, place{mask}{padding})", dtype, 5.0)
    for _ in range(random.randrange(3)):
        taken = writer.float_step(taken) if dtype.is_float else writer.integer_step(taken)
    if random.random() < 0.5:
        out = writer.output((size,), dtype)
        writer.line(f"ct.scatter({out}, place, {taken.name}{random.choice(('', mask))})")
    else:
        out = writer.output((blocks * tile,), dtype)
        writer.line(f"ct.store({out}, (ct.bid(0),), {taken.name})")
    if random.random() < 0.4:
        kind = random.choice((types.int32, types.uint32, types.int64, types.uint64))
        counts = writer.array(np.zeros(random.choice((7, 64)), kind.storage), is_output=True)
        function = random.choice(("add", "max", "min", "xor", "or", "and"))
        update = f"(place & 63).astype(ct.{kind})"
        if random.random() < 0.3:
            update = f"ct.ones(({tile},), ct.{kind})"
        order = "memory_order=ct.MemoryOrder.RELAXED"
        writer.line(f"ct.atomic_{function}({counts}, place % 9 - 1, {update}, {order})")
    return (blocks,)


def indexings(writer: Writer) -> tuple[int, ...]:
    """Rows or columns that a tile names, loaded and stored, and gathers of two indices."""
    random = writer.random
    rows, columns = random.choice((4, 8, 16)), random.choice((8, 16, 32))
    dtype, blocks = writer.dtype(), 2
    height, width = random.randrange(rows, 3 * rows), writer.extent(columns, 2)
    x = writer.input((height, width), dtype)
    generator = np.random.default_rng(random.randrange(1 << 30))
    chosen = generator.permutation(2 * blocks * rows) % (height + 2)
    where = writer.array(chosen.astype(np.int32))
    writer.line(f"rows = ct.load({where}, (ct.bid(0),), ({rows},))")
    start = random.choice(("0", "ct.bid(1) * 4", f"ct.bid(1) * {columns}"))
    if random.random() < 0.5:
        mode = writer.padding(dtype)
        if random.random() < 0.7:
            indices, shape = f"(rows, ct.Slice({start}, {columns}))", (rows, columns)
        else:
            shape = (columns, rows)
            indices = f"(ct.Slice({start}, {columns}), rows)"
        tile = writer.let(f"ct.load_advanced_indexing({x}, {indices}, {mode})", dtype, 4.0)
    else:
        shape = (rows, columns)
        columns_index = f"ct.arange({columns}, dtype=ct.int32) + {start}"
        writer.line(f"columns = {columns_index}")
        mask = random.choice(("", ", mask=(rows % 2 == 0)[:, None]"))
        tile = writer.let(f"ct.gather({x}, (rows[:, None], columns[None, :]){mask})", dtype, 4.0)
    for _ in range(random.randrange(3)):
        tile = writer.float_step(tile) if dtype.is_float else writer.integer_step(tile)
    out = writer.output((shape[0] * blocks, shape[1] * 2), dtype)
    if random.random() < 0.4 and shape[0] == rows:
        # Rows of an output are written once.
        order = writer.array(generator.permutation(blocks * rows).astype(np.int32))
        writer.line(f"target = ct.load({order}, (ct.bid(0),), ({rows},))")
        window = f"(target, ct.Slice(ct.bid(1) * {columns}, {columns}))"
        writer.line(f"ct.store_advanced_indexing({out}, {window}, {tile.name})")
    else:
        writer.line(f"ct.store({out}, (ct.bid(0), ct.bid(1)), {tile.name})")
    return (blocks, 2)


def loops(writer: Writer) -> tuple[int, ...]:
    """Nested loops and conditions on numbers, with values that are carried and change places."""
    random = writer.random
    tile, blocks = random.choice((16, 32, 128)), 2
    dtype = writer.random.choice(
        (types.float32, types.float16, types.int32, types.uint8, types.int64)
    )
    width = writer.extent(tile, 3)
    x = writer.input((blocks, width), dtype)
    out, other = (writer.output((blocks, tile), dtype) for _ in range(2))
    count, start = writer.number(random.randrange(0, 4)), writer.number(random.randrange(0, 3))
    writer.line(f"p = ct.full((1, {tile}), {random.choice((0, 1, 2))}, ct.{dtype})")
    writer.line(f"q = ct.zeros((1, {tile}), ct.{dtype})")
    writer.line("k = 0")
    bounds = random.choice((f"{start}, 3", "3", f"{start}, {count} + 3, 2", f"{count}"))
    writer.line(f"for step in range({bounds}):")
    writer.depth += 1
    writer.line(f"t = ct.load({x}, (ct.bid(0), step % 3), (1, {tile}), {ZERO})")
    if dtype.is_float:
        writer.line("t = ct.minimum(ct.maximum(t, -1.0), 1.0)")
    bodies: list[list[str]] = [
        ["p, q = q + t, p"],
        ["if step % 2 == 0:", "    p = p + t", "else:", "    q = q - p"],
        ["for inner in range(step):", "    q = q + t", "    k = k + inner"],
        [f"if k > {count}:", "    p, q = q, p", "k = k + 2"],
        ["while k < step:", "    p = p + 1", "    k = k + 1"],
        [f"if step == {start} or k == 2:", "    for inner in range(2):", "        p = q + t"],
        ["q = ct.where(t > q, t, q)", "k = k + 1"],
        [f"p = p + ct.load({x}, (ct.bid(0), 0), (1, {tile}), {ZERO}) * 0 + t"],
    ]
    for body in random.sample(bodies, random.randrange(1, 4)):
        for text in body:
            writer.line(text)
    writer.depth -= 1
    if random.random() < 0.4:
        writer.line(f"if ct.bid(0) == {random.randrange(2)}:")
        writer.line("    p = p + k" if dtype != types.uint8 else "    p = p + 3")
    writer.line(f"ct.store({out}, (ct.bid(0), 0), p)")
    writer.line(f"ct.store({other}, (ct.bid(0), 0), q)")
    return (blocks,)


def attention(writer: Writer) -> tuple[int, ...]:
    """Online softmax between two products."""
    random = writer.random
    m, n, d = random.choice(((16, 16, 16), (32, 16, 32), (64, 32, 32), (64, 64, 64)))
    dtype = random.choice((types.float16, types.bfloat16))
    queries, keys = (
        writer.extent(m, random.randrange(1, 3)),
        writer.extent(n, random.randrange(1, 4)),
    )
    q, k, v = (writer.input((each, d), dtype) for each in (queries, keys, keys))
    out = writer.output((queries, d), dtype)
    causal = random.random() < 0.5
    text = f"""
    row = ct.bid(0)
    query = ct.load({q}, (row, 0), ({m}, {d}), {ZERO})
    largest = ct.full(({m}, 1), -1e30, ct.float32)
    weights = ct.zeros(({m}, 1), ct.float32)
    total = ct.zeros(({m}, {d}), ct.float32)
    i = row * {m} + ct.arange({m}, dtype=ct.int32).reshape(({m}, 1))
    for step in range(ct.num_tiles({k}, 0, ({n}, {d}))):
        key = ct.load({k}, (0, step), ({d}, {n}), order=(1, 0), {ZERO})
        scores = ct.mma(query, key, ct.zeros(({m}, {n}), ct.float32)) * 0.125
        j = step * {n} + ct.arange({n}, dtype=ct.int32).reshape((1, {n}))
        seen = j < {k}.shape[0]
        {"seen = seen & (i >= j)" if causal else "pass"}
        scores = ct.where(seen, scores, -1e30)
        new = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - new)
        shrink = ct.exp2(largest - new)
        weights = weights * shrink + ct.sum(p, axis=1, keepdims=True)
        value = ct.load({v}, (step, 0), ({n}, {d}), {ZERO})
        total = ct.mma(p.astype(ct.{dtype}), value, total * shrink)
        largest = new
    ct.store({out}, (row, 0), (total / weights).astype(ct.{dtype}))"""
    writer.lines += [line for line in text.splitlines() if line.strip() not in ("", "pass")]
    return (-(-queries // m),)


def shapes(writer: Writer) -> tuple[int, ...]:
    """Tiles that are permuted, cut, joined and reshaped."""
    random = writer.random
    dtype = writer.dtype()
    x = writer.input((writer.extent(16, 2), writer.extent(8, 2)), dtype)
    writer.line(
        f"x = ct.load({x}, (ct.bid(0), ct.bid(1)), (16, 8), padding_mode=ct.PaddingMode.ZERO)"
    )
    name, shape = "x", (16, 8)
    for _ in range(random.randrange(1, 5)):
        kind = random.choice(("transpose", "reshape", "permute", "extract", "cat", "expand"))
        new = writer.fresh()
        if kind == "transpose":
            writer.line(f"{new} = ct.transpose({name})")
            shape = shape[::-1]
        elif kind == "reshape":
            rows = random.choice([each for each in (2, 4, 8, 16, 32) if each <= np.prod(shape)])
            shape = (rows, int(np.prod(shape)) // rows)
            writer.line(f"{new} = {name}.reshape({shape})")
        elif kind == "permute":
            parts = (2, shape[0] // 2, shape[1])
            axes = random.choice(((2, 0, 1), (1, 2, 0), (0, 2, 1), (2, 1, 0)))
            moved = tuple(parts[axis] for axis in axes)
            shape = (moved[0], moved[1] * moved[2])
            writer.line(f"{new} = {name}.reshape({parts}).permute({axes}).reshape({shape})")
        elif kind == "extract" and min(shape) > 2:
            place = (random.randrange(2), random.randrange(2))
            shape = (shape[0] // 2, shape[1] // 2)
            writer.line(f"{new} = ct.extract({name}, {place}, {shape})")
        elif kind == "cat" and np.prod(shape) < 512:
            axis = random.randrange(2)
            writer.line(f"{new} = ct.cat(({name}, {name} + 1), {axis})")
            shape = (shape[0] * (2 - axis), shape[1] * (1 + axis))
        else:
            writer.line(f"{new} = {name} + {name}[:, None].reshape({shape})")
        name = new
    out = writer.output((2 * shape[0], 2 * shape[1]), dtype)
    writer.line(f"ct.store({out}, (ct.bid(0), ct.bid(1)), {name})")
    return (2, 2)


FAMILIES: dict[str, Callable[[Writer], tuple[int, ...]]] = {
    function.__name__: function
    for function in (
        *(elementwise, reductions, scans, matmuls, gathers, indexings),
        *(loops, attention, shapes, batches, elementwise_loops),
    )
}


def family_of(seed: int) -> str:
    """Families take turns."""
    return list(FAMILIES)[seed % len(FAMILIES)]


def random_cutile_program(seed: int) -> CutileProgram:
    """The program of a seed."""
    random = Random(seed)
    writer = Writer(random, random.choice(GPUS), random.random() < 0.2)
    family = family_of(seed)
    return writer.program(seed, family, FAMILIES[family](writer))
