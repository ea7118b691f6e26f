"""Ops of random programs of products as text; see `matmul_programs.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .draws import Draws

Array: TypeAlias = npt.NDArray[Any]

NARROW = ("f8E4M3FN", "f8E5M2", "tf32")
"""Floats that arithmetic does not take."""


@dataclass(frozen=True)
class Tile:
    """A value of a program: its name and type. Of a token the element is `token`."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        if self.element == "token":
            return "token"
        return f"tile<{'x'.join([*map(str, self.shape), self.element])}>"

    def __str__(self) -> str:
        return self.name


class Writer:
    """Writes ops, and collects parameters."""

    def __init__(self, draws: Draws, generator: np.random.Generator):
        self.draws = draws
        self.generator = generator
        self.parameters: list[str] = []
        self.arguments: list[Array | int | float] = []
        self.lines: list[str] = []
        self.signs: tuple[str, str] = ("signed", "signed")
        """How products of integers read their operands."""
        self.numbers = count()

    # Ops

    def name(self) -> str:
        return f"%v{next(self.numbers)}"

    def op(self, text: str, shape: Sequence[int], element: str) -> Tile:
        """An op with one result, whose text has everything but that."""
        result = Tile(self.name(), tuple(shape), element)
        self.lines.append(f"{result} = {text}")
        return result

    def like(self, mnemonic: str, *operands: Tile, rest: str = "") -> Tile:
        """An op whose operands and result have the same type."""
        names = ", ".join(map(str, operands))
        first = operands[0]
        return self.op(f"{mnemonic} {names}{rest} : {first.type}", first.shape, first.element)

    def parameter(self, ty: str, value: Array | float) -> str:
        name = f"%p{len(self.parameters)}"
        self.parameters.append(f"{name}: {ty}")
        self.arguments.append(value)
        return name

    def constant(self, value: float, shape: Sequence[int] = (), element: str = "i32") -> Tile:
        is_integer = element.startswith("i")
        literal = str(int(value)) if is_integer else f"{float(value):.6e}"
        if value == -np.inf:
            literal = {"f32": "0xFF800000", "f16": "0xFC00"}[element]
        ty = Tile("", tuple(shape), element).type
        return self.op(f"constant <{element}: {literal}> : {ty}", shape, element)

    def number(self, value: int) -> Tile:
        """An integer that the compiler knows, or one that it does not."""
        if self.draws.flag(50):
            return self.constant(value)
        return Tile(self.parameter("tile<i32>", value), (), "i32")

    def integers(self, mnemonic: str, a: Tile, b: Tile) -> Tile:
        signed = mnemonic in ("mini", "maxi", "remi", "divi")
        return self.like(mnemonic, a, b, rest=" signed" if signed else "")

    def shaped(self, tile: Tile, shape: Sequence[int]) -> Tile:
        """A tile of the same rank spread, or a scalar."""
        if tile.shape == tuple(shape):
            return tile
        if not tile.shape:
            tile = self.reshape(tile, [1] * len(shape))
        spread = Tile("", tuple(shape), tile.element)
        return self.op(f"broadcast {tile} : {tile.type} -> {spread.type}", shape, tile.element)

    def reshape(self, tile: Tile, shape: Sequence[int]) -> Tile:
        after = Tile("", tuple(shape), tile.element)
        return self.op(f"reshape {tile} : {tile.type} -> {after.type}", shape, tile.element)

    def transpose(self, tile: Tile) -> Tile:
        shape = tile.shape[::-1]
        after = Tile("", shape, tile.element)
        text = f"permute {tile} [1, 0] : {tile.type} -> {after.type}"
        return self.op(text, shape, tile.element)

    def iota(self, shape: Sequence[int], axis: int) -> Tile:
        """The number of an element along an axis."""
        flat = Tile("", (shape[axis],), "i32")
        numbers = self.op(f"iota : {flat.type}", flat.shape, "i32")
        ones = [size if each == axis else 1 for each, size in enumerate(shape)]
        return self.shaped(self.reshape(numbers, ones), shape)

    def positions(self, index: Tile, shape: Sequence[int], axis: int) -> Tile:
        """Where the elements of a tile of a matrix are along an axis."""
        start = self.integers("muli", index, self.constant(shape[axis]))
        return self.integers("addi", self.shaped(start, shape), self.iota(shape, axis))

    def compare(self, predicate: str, a: Tile, b: Tile) -> Tile:
        after = Tile("", a.shape, "i1")
        text = f"cmpi {predicate} {a}, {b}, signed : {a.type} -> {after.type}"
        return self.op(text, a.shape, "i1")

    def select(self, condition: Tile, a: Tile, b: Tile) -> Tile:
        text = f"select {condition}, {a}, {b} : {condition.type}, {a.type}"
        return self.op(text, a.shape, a.element)

    def cast(self, tile: Tile, element: str) -> Tile:
        """A tile of another element type."""
        if tile.element == element:
            return tile
        after = Tile("", tile.shape, element)
        if not tile.element.startswith("i"):
            text = f"ftof {tile} : {tile.type} -> {after.type}"
        elif element == "i8":
            text = f"trunci {tile} : {tile.type} -> {after.type}"
        elif element in NARROW:
            return self.cast(self.cast(tile, "f32"), element)
        else:
            text = f"itof {tile} signed : {tile.type} -> {after.type}"
        return self.op(text, tile.shape, element)

    def mma(self, a: Tile, b: Tile, c: Tile) -> Tile:
        types = ", ".join(each.type for each in (a, b, c))
        if c.element == "i32":
            text = f"mmai {a}, {b}, {c} {' '.join(self.signs)} : {types}"
        else:
            text = f"mmaf {a}, {b}, {c} : {types}"
        return self.op(text, c.shape, c.element)

    def reduce(self, tile: Tile, axis: int, kind: str) -> Tile:
        """Sums or largest elements along an axis, which is kept with the size 1."""
        is_integer = tile.element.startswith("i")
        combine = {"add": "addi" if is_integer else "addf", "max": "maxf"}[kind]
        identity = "0xFF800000" if kind == "max" else "0" if is_integer else "0.0"
        shape = [size for each, size in enumerate(tile.shape) if each != axis]
        scalar, result = f"tile<{tile.element}>", Tile(self.name(), tuple(shape), tile.element)
        a, b, c = (self.name() for _ in range(3))
        self.lines += [
            f"{result} = reduce {tile} dim={axis} identities=[{identity} : {tile.element}] : "
            f"{tile.type} -> {result.type} ({a}: {scalar}, {b}: {scalar}) {{",
            f"{c} = {combine} {a}, {b} : {scalar}",
            f"yield {c} : {scalar}",
            "}",
        ]
        return self.reshape(result, [1 if each == axis else n for each, n in enumerate(tile.shape)])

    # Control flow

    def end(self, mnemonic: str, values: Sequence[Tile]) -> None:
        if not values:
            self.lines.append(mnemonic)
            return
        names, types = (", ".join(map(str, part)) for part in (values, [v.type for v in values]))
        self.lines.append(f"{mnemonic} {names} : {types}")

    def results(self, values: Sequence[Tile]) -> tuple[str, list[Tile]]:
        """What an op defines: the text in front of it, and its results."""
        if not values:
            return "", []
        base = self.name()
        names = [base] if len(values) == 1 else [f"{base}#{n}" for n in range(len(values))]
        results = [Tile(n, v.shape, v.element) for n, v in zip(names, values, strict=True)]
        return f"{base} = " if len(values) == 1 else f"{base}:{len(values)} = ", results

    def counted(
        self,
        low: Tile,
        high: Tile,
        step: Tile,
        first: Sequence[Tile],
        body: Callable[[Tile, list[Tile]], Sequence[Tile]],
    ) -> list[Tile]:
        """A loop that counts: `for`, or `loop` with a `break`."""
        if self.draws.flag(25):
            return self.broken_off(low, high, step, first, body)
        left, results = self.results(first)
        inner = [Tile(self.name(), each.shape, each.element) for each in first]
        counter = Tile(self.name(), (), "i32")
        text = f"{left}for {counter} in ({low} to {high}, step {step}) : tile<i32>"
        if first:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(inner, first, strict=True))
            text += f" iter_values({pairs}) -> ({', '.join(each.type for each in first)})"
        self.lines.append(f"{text} {{")
        self.end("continue", body(counter, inner))
        self.lines.append("}")
        return results

    def broken_off(
        self,
        low: Tile,
        high: Tile,
        step: Tile,
        first: Sequence[Tile],
        body: Callable[[Tile, list[Tile]], Sequence[Tile]],
    ) -> list[Tile]:
        """The same by `loop` and `break`."""
        carried = [low, *first]
        left, results = self.results(first)
        counter, *inner = (Tile(self.name(), each.shape, each.element) for each in carried)
        pairs = zip([counter, *inner], carried, strict=True)
        types = ", ".join(each.type for each in carried)
        after = f" -> {', '.join(each.type for each in first)}" if first else ""
        names = ", ".join(f"{a} = {b}" for a, b in pairs)
        self.lines.append(f"{left}loop iter_values({names}) : {types}{after} {{")
        done = self.compare("greater_than_or_equal", counter, high)
        self.lines.append(f"if {done} {{")
        self.end("break", inner)
        self.lines.append("}")
        values = list(body(counter, inner))
        self.end("continue", [self.integers("addi", counter, step), *values])
        self.lines.append("}")
        return results

    def branch(
        self,
        condition: Tile,
        like: Sequence[Tile],
        then: Callable[[], Sequence[Tile]],
        otherwise: Callable[[], Sequence[Tile]],
    ) -> list[Tile]:
        """An `if` with results like some values."""
        left, results = self.results(like)
        self.lines.append(f"{left}if {condition} -> ({', '.join(t.type for t in like)}) {{")
        self.end("yield", then())
        self.lines.append("} else {")
        self.end("yield", otherwise())
        self.lines.append("}")
        return results

    # Pieces

    def moved(self, base: Tile, steps: Tile) -> Tile:
        text = f"offset {base}, {steps} : {base.type}, {steps.type} -> {base.type}"
        return self.op(text, base.shape, base.element)

    def gather(self, base: Tile, places: Tile) -> Tile:
        """Integers behind a pointer, at some places."""
        pointers = self.moved(self.shaped(base, places.shape), places)
        result = Tile(self.name(), places.shape, "i32")
        text = f"load_ptr_tko weak {pointers} : {pointers.type} -> {result.type}, token"
        self.lines.append(f"{result}, {self.name()} = {text}")
        return result

    def pattern(self, i: Tile, j: Tile, shape: tuple[int, int]) -> Tile:
        """Small integers that depend on coordinates."""
        rows, columns = (self.positions(n, shape, axis) for axis, n in enumerate((i, j)))
        three, five, seven = (self.constant(n, shape) for n in (3, 5, 7))
        sums = self.integers(
            "addi", self.integers("muli", rows, three), self.integers("muli", columns, five)
        )
        return self.integers("subi", self.like("andi", sums, seven), three)

    def worked(self, value: Tile, step: str) -> Tile:
        """One step of work, element by element."""
        if value.element.startswith("i"):
            other = self.constant(0 if step == "relu" else 1, value.shape, value.element)
            return self.integers("maxi" if step == "relu" else "addi", value, other)
        kept = value.element
        if kept in NARROW:
            value = self.cast(value, "f32")
        match step:
            case "relu":
                value = self.like("maxf", value, self.constant(0, value.shape, value.element))
            case "scale":
                value = self.like("mulf", value, self.constant(0.5, value.shape, value.element))
            case "shift":
                value = self.like("addf", value, self.constant(0.25, value.shape, value.element))
            case "gelu":
                wide = self.cast(value, "f32")
                inner = self.like("tanh", self.like("mulf", wide, self.splat(0.8, wide.shape)))
                half = self.like("mulf", wide, self.splat(0.5, wide.shape))
                value = self.like("fma", half, inner, half)
            case "silu":
                wide = self.cast(value, "f32")
                # Small enough for the exponential not to overflow.
                small = self.like("mulf", wide, self.constant(0.125, wide.shape, "f32"))
                power = self.like("exp", self.like("negf", small))
                bottom = self.like("addf", power, self.splat(1, wide.shape))
                value = self.like("divf", wide, bottom)
            case _:
                raise AssertionError(step)
        return self.cast(value, kept) if kept in NARROW else value

    def splat(self, value: float, shape: Sequence[int]) -> Tile:
        """A number of f32: a constant, or a parameter."""
        if self.draws.flag(80):
            return self.constant(value, shape, "f32")
        name = self.parameter("tile<f32>", float(np.float32(value)))
        return self.shaped(Tile(name, (), "f32"), shape)

    # Memory

    def access(self, hints: bool = True) -> str:
        """A token, and hints for an access, or not."""
        token = self.draws.choose((" token=%token", ""))
        hint = ""
        if hints and self.draws.flag(15):
            options = ("latency = 2", "latency = 8", "allow_tma = false", "allow_tma = true")
            hint = f" optimization_hints = <default = {{{self.draws.choose(options)}}}>"
        return token + hint
