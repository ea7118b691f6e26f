# pyright: basic
"""
Random kernels of Triton that compute addresses, as TTIR, and what they do as NumPy.

`random_pointer_program(seed)` loads tiles of two dimensions through pointers, adds them up, and
stores the sum. Indices are ranges, moved by sums of scalars that may be negative, multiplied by
strides or taken modulo a size; masks are bounds of them, with a size that may be negative, too;
loops begin anywhere and move pointers on. Arrays reach in both directions from where pointers
begin. Some programs load and store through one argument again and again.

A program runs on three arrays and the numbers of `SCALARS`. All values are small integers, so sums
are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from random import Random
from textwrap import indent
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.triton.kernels import convert

ROWS, COLUMNS = 8, 16
MIDDLE = 1 << 15
"""The element of an array that its pointer begins at."""
SCALARS = {
    "k": (-9, 9),
    "low": (-3, 3),
    "n": (-4, 40),
    "m": (-4, 40),
    "s": (0, 40),
    "t": (COLUMNS, 40),
}
"""Arguments that are numbers, and what they may be; strides are not negative."""
ARRAYS: tuple[str, ...] = ("a", "b", "o")

Environment = dict[str, Any]
Evaluation = Callable[[Environment], Any]


@dataclass(frozen=True)
class Value:
    """A name in the text, its type, and what it is."""

    name: str
    type: str
    of: Evaluation


@dataclass
class PointerProgram:
    """A kernel, its grid, its numbers, and what it does to the arrays."""

    seed: int
    text: str
    grid: int
    numbers: dict[str, int]
    steps: list[Evaluation]
    shares: bool
    """Whether loads and stores go through one array."""

    def arrays(self) -> list[np.ndarray]:
        """Arguments, before it runs."""
        rng = np.random.default_rng(self.seed)
        made = [rng.integers(-50, 50, 2 * MIDDLE).astype(np.float32) for _ in ARRAYS]
        return [made[0]] * len(made) if self.shares else made

    @cached_property
    def module(self) -> ModuleOp:
        """The kernel as public Tile IR."""
        return convert(self.text)

    @property
    def has_views(self) -> bool:
        """Whether some load is one of a view."""
        return any(isinstance(op, ct.LoadViewOp) for op in self.module.walk())

    def is_right(self, run: Callable[[ModuleOp, int, list[Any]], object]) -> bool:
        """Whether a run does what it should."""
        arrays = self.arrays()
        run(self.module, self.grid, [*arrays, *self.numbers.values()])
        return all(map(np.array_equal, arrays, self.expected()))

    def expected(self) -> list[np.ndarray]:
        """The arrays, after it ran."""
        arrays = self.arrays()
        for pid in range(self.grid):
            env: Environment = {
                **self.numbers,
                "pid": pid,
                **dict(zip(ARRAYS, arrays, strict=True)),
            }
            for step in self.steps:
                step(env)
        return arrays


@dataclass
class Builder:
    """Writes a program."""

    rng: Random
    lines: list[str] = field(default_factory=list)
    steps: list[Evaluation] = field(default_factory=list)
    named: dict[str, Value] = field(default_factory=dict)
    """Scalars by their names."""
    count: int = 0

    def emit(self, text: str, ty: str, of: Evaluation) -> Value:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return Value(name, ty, of)

    def flip(self, probability: float = 0.5) -> bool:
        return self.rng.random() < probability

    # Scalars

    def constant(self, number: int) -> Value:
        return self.emit(f"arith.constant {number} : i32", "i32", lambda env: number)

    def binary(self, word: str, left: Value, right: Value) -> Value:
        compute = {
            "addi": lambda x, y: x + y,
            "subi": lambda x, y: x - y,
            "muli": lambda x, y: x * y,
            "remsi": np.fmod,
        }[word]
        text = f"arith.{word} {left.name}, {right.name} : {left.type}"
        return self.emit(text, left.type, lambda env: compute(left.of(env), right.of(env)))

    def leaf(self) -> Value:
        """A scalar that indices may be moved by."""
        return self.named[self.rng.choice([each for each in self.named if each not in "mst"])]

    def scalar(self, depth: int = 2) -> Value:
        """A sum of multiples of scalars."""
        kind = self.rng.randrange(5 if depth else 2)
        if kind == 0:
            return self.leaf()
        if kind == 1:
            return self.constant(self.rng.randint(-9, 9))
        if kind == 2:
            factor = self.constant(self.rng.choice((ROWS, COLUMNS, 3, -2)))
            return self.binary("muli", self.leaf(), factor)
        word = self.rng.choice(("addi", "addi", "subi"))
        return self.binary(word, self.scalar(depth - 1), self.scalar(depth - 1))

    # Tiles

    def splat(self, value: Value, shape: str) -> Value:
        ty = f"tensor<{shape}x{value.type}>"
        return self.emit(f"tt.splat {value.name} : {value.type} -> {ty}", ty, value.of)

    def index(self, axis: int, start: Value | None = None) -> Value:
        """The indices along a dimension, in two dimensions."""
        extent = (ROWS, COLUMNS)[axis]
        first = self.rng.choice((0, 0, 0, 3))
        ty = f"tensor<{extent}xi32>"
        shown = f"{{end = {first + extent} : i32, start = {first} : i32}}"
        numbers = np.arange(first, first + extent)
        index = self.emit(f"tt.make_range {shown} : {ty}", ty, lambda env: numbers)
        if start is None and self.flip(0.8):
            start = self.scalar()
        if start is not None:
            index = self.binary("addi", self.splat(start, str(extent)), index)
        shape = (f"{extent}x1", f"1x{extent}")[axis]
        wide = f"tensor<{shape}xi32>"
        text = f"tt.expand_dims {index.name} {{axis = {1 - axis} : i32}} : {ty} -> {wide}"
        before = index
        return self.emit(text, wide, lambda env: np.expand_dims(before.of(env), 1 - axis))

    def scaled(self, index: Value, stride: Value | int) -> Value:
        if stride == 1:
            return index
        value = self.constant(stride) if isinstance(stride, int) else stride
        shape = index.type[len("tensor<") : -len("xi32>")]
        return self.binary("muli", index, self.splat(value, shape))

    def whole(self, value: Value, element: str = "i32") -> Value:
        ty = f"tensor<{ROWS}x{COLUMNS}x{element}>"
        text = f"tt.broadcast {value.name} : {value.type} -> {ty}"
        return self.emit(text, ty, lambda env: np.broadcast_to(value.of(env), (ROWS, COLUMNS)))

    def pointers(self, array: str, rows: Value, columns: Value, move: Value | None) -> Value:
        """Pointers as numbers of elements."""
        ptr = "!tt.ptr<f32>"
        middle = self.constant(MIDDLE)
        base = self.emit(f"tt.addptr %{array}, {middle.name} : {ptr}, i32", ptr, lambda env: MIDDLE)
        if move is not None:
            base = self.moved(base, move)
        terms = [self.whole(rows), self.whole(columns)]
        if self.flip():
            terms = [self.binary("addi", *terms)]
        found = self.splat(base, f"{ROWS}x{COLUMNS}")
        for term in terms:
            found = self.moved(found, term)
        return found

    def moved(self, pointer: Value, by: Value) -> Value:
        text = f"tt.addptr {pointer.name}, {by.name} : {pointer.type}, {by.type}"
        return self.emit(text, pointer.type, lambda env: pointer.of(env) + by.of(env))

    def bound(self, index: Value) -> Value:
        """That indices are less than a size."""
        shape = index.type[len("tensor<") : -len("xi32>")]
        limit = self.named[self.rng.choice("nm")] if self.flip(0.7) else self.scalar()
        wide = self.splat(limit, shape)
        word, compute = self.rng.choice((("slt", np.less), ("sle", np.less_equal)))
        first, second = index, wide
        if self.flip(0.3):
            word, first, second = f"sg{word[2]}", wide, index
        ty = f"tensor<{shape}xi1>"
        text = f"arith.cmpi {word}, {first.name}, {second.name} : {index.type}"
        found = self.emit(text, ty, lambda env: compute(index.of(env), wide.of(env)))
        return self.whole(found, "i1")

    def mask(self, rows: Value, columns: Value) -> Value | None:
        bounds = [self.bound(each) for each in (rows, columns) if self.flip()]
        if len(bounds) == 2:
            ty = bounds[0].type
            text = f"arith.andi {bounds[0].name}, {bounds[1].name} : {ty}"
            left, right = bounds
            return self.emit(text, ty, lambda env: left.of(env) & right.of(env))
        return bounds[0] if bounds else None

    def place(self, array: str) -> tuple[Value, Value | None]:
        """Pointers to a tile for a load, and a mask."""
        rows, columns = self.index(0), self.index(1)
        strides: list[Value | int] = [self.named[self.rng.choice("st")], 1]
        if self.flip(0.3):
            strides[0] = self.rng.choice((24, 7, 0))
        if self.flip(0.2):
            strides.reverse()
        mask = self.mask(rows, columns) if self.flip(0.8) else None
        if mask is None and self.flip(0.3):
            size = self.constant(self.rng.randint(1, 30))
            rows = self.binary("remsi", rows, self.splat(size, f"{ROWS}x1"))
        move = self.scalar() if self.flip(0.3) else None
        offsets = self.scaled(rows, strides[0]), self.scaled(columns, strides[1])
        return self.pointers(array, *offsets, move), mask

    def load(self, array: str, pointers: Value, mask: Value | None) -> Value:
        masked = ""
        if mask is not None:
            zero = self.zero()
            masked = f", {mask.name}, {zero.name}"
        ty = f"tensor<{ROWS}x{COLUMNS}xf32>"
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = tt.load {pointers.name}{masked} : {pointers.type}")

        def run(env: Environment) -> None:
            found = env[array][pointers.of(env)]
            env[name] = found if mask is None else np.where(mask.of(env), found, 0)

        self.steps.append(run)
        return Value(name, ty, lambda env: env[name])

    def zero(self) -> Value:
        ty = f"tensor<{ROWS}x{COLUMNS}xf32>"
        zeros = np.zeros((ROWS, COLUMNS), np.float32)
        return self.emit(f"arith.constant dense<0.0> : {ty}", ty, lambda env: zeros)

    def store(self, value: Value) -> None:
        """Each program stores rows of its own."""
        start = self.binary("muli", self.named["pid"], self.constant(2 * ROWS))
        if self.flip(0.3):
            start = self.binary("addi", start, self.named["k"])
        rows, columns = self.index(0, start), self.index(1, self.constant(0))
        mask = self.mask(rows, columns)
        pointers = self.pointers("o", self.scaled(rows, self.named["t"]), columns, None)
        masked = "" if mask is None else f", {mask.name}"
        self.lines.append(f"tt.store {pointers.name}, {value.name}{masked} : {pointers.type}")

        def run(env: Environment) -> None:
            where = np.full((ROWS, COLUMNS), True) if mask is None else mask.of(env)
            env["o"][pointers.of(env)[where]] = value.of(env)[where]

        self.steps.append(run)

    def add(self, left: Value, right: Value) -> Value:
        """The sum, which the model makes where the text has it."""
        text = f"arith.addf {left.name}, {right.name} : {left.type}"
        made = self.emit(text, left.type, lambda env: env[made.name])
        self.steps.append(lambda env: env.update({made.name: left.of(env) + right.of(env)}))
        return made

    # Programs

    def sum_up(self, total: Value, arrays: list[str]) -> Value:
        """The sum of tiles of arrays."""
        for array in arrays:
            total = self.add(total, self.load(array, *self.place(array)))
        return total

    def loop(self, start: Value, arrays: list[str], stores: bool) -> Value:
        """The same, again and again; pointers that are made before the loop are moved on in it."""
        lower = self.rng.choice((self.constant(0), self.constant(-2), self.named["low"]))
        upper, step = self.constant(self.rng.randint(1, 4)), self.rng.choice((1, 1, 2))
        by = self.constant(step)
        carried = [(each, *self.place(each), self.moves()) for each in arrays if self.flip()]
        # Inside, what changes is looked up by its name.
        arguments = [Value("%sum", start.type, lambda env: env["%sum"])]
        for number, (_, pointers, _, _) in enumerate(carried):
            name = f"%p{number}"
            arguments.append(Value(name, pointers.type, lambda env, name=name: env[name]))
        starts = [start, *(pointers for _, pointers, _, _ in carried)]
        outer = self.lines, self.steps, self.named
        self.lines, self.steps = [], []
        self.named = {**self.named, "iv": Value("%iv", "i32", lambda env: env["iv"])}
        total = arguments[0]
        for pointers, (array, _, mask, _) in zip(arguments[1:], carried, strict=True):
            total = self.add(total, self.load(array, pointers, mask))
        total = self.sum_up(total, arrays[len(carried) :])
        if stores:
            self.store(total)
        yielded = [total]
        for pointers, (_, _, _, by_how_much) in zip(arguments[1:], carried, strict=True):
            yielded.append(self.moved(pointers, self.splat(by_how_much, f"{ROWS}x{COLUMNS}")))
        names, types = (", ".join(getattr(each, at) for each in yielded) for at in ("name", "type"))
        inits = ", ".join(f"{a.name} = {b.name}" for a, b in zip(arguments, starts, strict=True))
        inner, body = "\n".join([*self.lines, f"scf.yield {names} : {types}"]), self.steps
        self.lines, self.steps, self.named = outer
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(
            f"{name}:{len(yielded)} = scf.for %iv = {lower.name} to {upper.name} step {by.name} "
            f"iter_args({inits}) -> ({types}) : i32 {{\n{indent(inner, '  ')}\n}}"
        )

        def run(env: Environment) -> None:
            env |= {each.name: init.of(env) for each, init in zip(arguments, starts, strict=True)}
            for env["iv"] in range(lower.of(env), upper.of(env), step):
                for each in body:
                    each(env)
                following = [each.of(env) for each in yielded]
                env |= {each.name: new for each, new in zip(arguments, following, strict=True)}
            env[name] = env["%sum"]

        self.steps.append(run)
        return Value(f"{name}#0", start.type, lambda env: env[name])

    def moves(self) -> Value:
        """By how much pointers are moved on: a constant, or some rows."""
        if self.flip():
            return self.constant(self.rng.choice((ROWS, COLUMNS, 3, -4)))
        return self.binary("muli", self.named["s"], self.constant(self.rng.choice((ROWS, 1))))


@cache
def random_pointer_program(seed: int) -> PointerProgram:
    """A program; the same for the same seed."""
    rng = Random(seed)
    shares = rng.random() < 0.3
    build = Builder(rng)
    for name in SCALARS:
        build.named[name] = Value(f"%{name}", "i32", lambda env, name=name: env[name])
    build.named["pid"] = build.emit("tt.get_program_id x : i32", "i32", lambda env: env["pid"])
    total = build.zero()
    for _ in range(rng.randint(1, 3) if shares else 1):
        arrays = rng.choices(ARRAYS if shares else ARRAYS[:2], k=rng.randint(1, 2))
        if rng.random() < 0.5:
            total = build.loop(total, arrays, shares and rng.random() < 0.5)
        else:
            total = build.sum_up(total, arrays)
        if shares:
            build.store(total)
    if not shares:
        build.store(total)
    arguments = [f"%{name}: !tt.ptr<f32>" for name in ARRAYS] + [
        f"%{name}: i32" for name in SCALARS
    ]
    body = indent("\n".join([*build.lines, "tt.return"]), "  ")
    text = f"tt.func public @k({', '.join(arguments)}) {{\n{body}\n}}\n"
    numbers = {name: rng.randint(*limits) for name, limits in SCALARS.items()}
    return PointerProgram(
        seed, text, 1 if shares else rng.randint(1, 3), numbers, build.steps, shares
    )
