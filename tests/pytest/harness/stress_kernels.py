"""
Legal kernels with tiles that are much larger than anybody should use, as text of `cuda_tile`.

Each takes an array for every tile that it loads or stores, with dynamic sizes, loads its tiles,
does one thing and stores the result. `benchmarks/compile_limits.py` compiles them, and
`tests/pytest/compiler/test_code_size.py` counts the instructions that they become.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import ml_dtypes
import numpy as np

Shape = Sequence[int]
Build = Callable[["Builder"], None]


STRIDE = 16
"""Rows begin at multiples of so many elements, as kernels assume."""

DTYPES: Mapping[str, Any] = {
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}


@dataclass(frozen=True)
class Array:
    """An array that a kernel takes."""

    shape: tuple[int, ...]
    element: str
    kind: Literal["numbers", "offsets", "zeros"] = "numbers"
    """Small numbers, a permutation of the offsets of as many elements, or zeros."""

    @property
    def strides(self) -> list[int]:
        """Of all dimensions but the last, in elements."""
        *_, last = self.shape
        row = -(-last // STRIDE) * STRIDE
        return [prod((*self.shape[dim + 1 : -1], row)) for dim in range(len(self.shape) - 1)]

    def make(self, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        """Its elements in memory, padding included."""
        size = self.strides[0] * self.shape[0] if self.strides else self.shape[0]
        if self.kind == "zeros":
            return np.zeros(size, DTYPES[self.element])
        if self.kind == "offsets":
            assert size == prod(self.shape)
            return rng.permutation(size).astype(np.int32)
        low, high = (1, 3) if self.element == "f8E8M0FNU" else (-3, 4)
        return rng.integers(low, high, size).astype(DTYPES[self.element])


def tile(shape: Shape, element: str) -> str:
    """The type of a tile."""
    return f"tile<{'x'.join([*map(str, shape), element])}>"


@dataclass
class Builder:
    """A kernel that is written op by op."""

    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Array | int] = field(default_factory=list[Array | int])
    """What the parameters stand for."""
    count: int = 0

    def __post_init__(self) -> None:
        self.lines += ["%token = make_token : token", "%zero = constant <i32: 0> : tile<i32>"]

    def add(self, text: str) -> str:
        """Adds an op with one result, and returns its name."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def load(
        self, shape: Shape, element: str, kind: Literal["numbers", "offsets"] = "numbers"
    ) -> str:
        """A tile of an array of its own."""
        view, ty = self.view(Array(tuple(shape), element, kind), shape)
        value = f"%t{len(self.arguments)}"
        index = ", ".join(["%zero"] * len(shape))
        self.lines.append(
            f"{value}, {value}_token = load_view_tko weak {view}[{index}] token = %token : {ty}, "
            f"tile<i32> -> {tile(shape, element)}, token"
        )
        return value

    def store(self, value: str, shape: Shape, element: str) -> None:
        """Stores a tile to an array of its own."""
        if not shape:
            shape = (1,)
            value = self.add(f"reshape {value} : tile<{element}> -> {tile(shape, element)}")
        view, ty = self.view(Array(tuple(shape), element, "zeros"), shape)
        index = ", ".join(["%zero"] * len(shape))
        self.add(
            f"store_view_tko weak {value}, {view}[{index}] token = %token : "
            f"{tile(shape, element)}, {ty}, tile<i32> -> token"
        )

    def splat(self, value: str, shape: Shape, element: str) -> str:
        """A tile of equal elements."""
        ones = [1] * len(shape)
        flat = self.add(f"reshape {value} : tile<{element}> -> {tile(ones, element)}")
        return self.add(f"broadcast {flat} : {tile(ones, element)} -> {tile(shape, element)}")

    def pointers(
        self,
        element: str,
        offsets: str,
        shape: Shape,
        kind: Literal["numbers", "zeros"] = "numbers",
    ) -> str:
        """A tile of pointers into an array of its own, by offsets of i32."""
        base = f"%p{len(self.arguments)}"
        self.arguments.append(Array((prod(shape),), element, kind))
        self.parameters.append(f"{base}: tile<ptr<{element}>>")
        base = self.splat(base, shape, f"ptr<{element}>")
        ty = tile(shape, f"ptr<{element}>")
        return self.add(f"offset {base}, {offsets} : {ty}, {tile(shape, 'i32')} -> {ty}")

    def view(self, array: Array, part: Shape) -> tuple[str, str]:
        """An array of its own in tiles of some shape: the view and its type."""
        number, shape, element = len(self.arguments), array.shape, array.element
        pointer = f"%p{number}"
        self.arguments += [array, *shape, *array.strides]
        self.parameters.append(f"{pointer}: tile<ptr<{element}>>")
        rank = len(shape)
        sizes = [f"%s{number}_{dim}" for dim in range(rank)]
        strides = [f"%r{number}_{dim}" for dim in range(rank - 1)]
        self.parameters += [f"{name}: tile<i32>" for name in (*sizes, *strides)]
        aligned = self.add(f"assume div_by<16>, {pointer} : tile<ptr<{element}>>")
        strides = [self.add(f"assume div_by<16>, {name} : tile<i32>") for name in strides]
        dynamic = "x".join(["?"] * rank)
        shown = ",".join([*["?"] * (rank - 1), "1"])
        ty = f"tensor_view<{dynamic}x{element}, strides=[{shown}]>"
        view = self.add(
            f"make_tensor_view {aligned}, shape = [{', '.join(sizes)}], "
            f"strides = [{', '.join([*strides, '1'])}] : tile<i32> -> {ty}"
        )
        extents = "x".join(map(str, part))
        partition = f"partition_view<tile=({extents}), {ty}>"
        return self.add(f"make_partition_view {view} : {partition}"), partition

    def make_arguments(self, seed: int = 0) -> list[Any]:
        """Arrays and numbers to call it with."""
        rng = np.random.default_rng(seed)
        return [each if isinstance(each, int) else each.make(rng) for each in self.arguments]

    def text(self) -> str:
        """The program."""
        lines = "\n  ".join([*self.lines, "return"])
        return f"entry @k({', '.join(self.parameters)}) {{\n  {lines}\n}}\n"


def dot(m: int, n: int, k: int, element: str, accumulator: str = "f32") -> Build:
    """A dot of two tiles."""

    def build(kernel: Builder) -> None:
        a, b = kernel.load((m, k), element), kernel.load((k, n), element)
        is_integer = accumulator.startswith("i")
        zero = "0" if is_integer else "0.0"
        c = kernel.add(f"constant <{accumulator}: {zero}> : {tile((m, n), accumulator)}")
        name, signs = ("mmai", " signed signed") if is_integer else ("mmaf", "")
        types = ", ".join((tile((m, k), element), tile((k, n), element), tile((m, n), accumulator)))
        result = kernel.add(f"{name} {a}, {b}, {c}{signs} : {types}")
        kernel.store(result, (m, n), accumulator)

    return build


def matmul(m: int, n: int, k: int, total: int, element: str) -> Build:
    """A loop over K, whose accumulator is carried."""

    def build(kernel: Builder) -> None:
        arrays = [((m, total), (m, k)), ((total, n), (k, n))]
        views = [kernel.view(Array(shape, element), part) for shape, part in arrays]
        ty = tile((m, n), "f32")
        start = kernel.add(f"constant <f32: 0.0> : {ty}")
        end = kernel.add(f"constant <i32: {total // k}> : tile<i32>")
        one = kernel.add("constant <i32: 1> : tile<i32>")
        operands = [tile((m, k), element), tile((k, n), element)]
        loads = "".join(
            f"    %{name}, %{name}_token = load_view_tko weak {view}[{index}] token = %token : "
            f"{view_type}, tile<i32> -> {operand}, token\n"
            for name, (view, view_type), index, operand in zip(
                "ab", views, ("%zero, %i", "%i, %zero"), operands, strict=True
            )
        )
        result = kernel.add(
            f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {start}) -> "
            f"({ty}) {{\n{loads}"
            f"    %next = mmaf %a, %b, %acc : {operands[0]}, {operands[1]}, {ty}\n"
            f"    continue %next : {ty}\n  }}"
        )
        kernel.store(result, (m, n), "f32")

    return build


def tf32_dot(m: int, n: int, k: int) -> Build:
    """A dot of two f32 tiles that are rounded to tf32."""

    def build(kernel: Builder) -> None:
        operands: list[str] = []
        for shape in ((m, k), (k, n)):
            value = kernel.load(shape, "f32")
            wide, narrow = tile(shape, "f32"), tile(shape, "tf32")
            operands.append(kernel.add(f"ftof {value} : {wide} -> {narrow}"))
        c = kernel.add(f"constant <f32: 0.0> : {tile((m, n), 'f32')}")
        types = ", ".join((tile((m, k), "tf32"), tile((k, n), "tf32"), tile((m, n), "f32")))
        result = kernel.add(f"mmaf {operands[0]}, {operands[1]}, {c} : {types}")
        kernel.store(result, (m, n), "f32")

    return build


def scaled_dot(m: int, n: int, k: int, element: str, scale: str, group: int) -> Build:
    """A dot whose operands have a scale for each group along K."""

    def build(kernel: Builder) -> None:
        a, b = kernel.load((m, k), element), kernel.load((k, n), element)
        x, y = kernel.load((m, k // group), scale), kernel.load((k // group, n), scale)
        c = kernel.add(f"constant <f32: 0.0> : {tile((m, n), 'f32')}")
        types = ", ".join(
            (
                tile((m, k), element),
                tile((k, n), element),
                tile((m, n), "f32"),
                tile((m, k // group), scale),
                tile((k // group, n), scale),
            )
        )
        result = kernel.add(f"mmaf_scaled {a}, {b}, {c}, {x}, {y} : {types}")
        kernel.store(result, (m, n), "f32")

    return build


def _aggregate(name: str, shape: Shape, axis: int, element: str, options: str = "") -> Build:
    is_integer = element.startswith("i")
    zero = f"{'0' if is_integer else '0.0'} : {element}"
    add = "addi" if is_integer else "addf"
    left = [size for dim, size in enumerate(shape) if dim != axis] if name == "reduce" else shape

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        result = kernel.add(
            f"{name} {value} dim={axis}{options} identities=[{zero}] : {tile(shape, element)} -> "
            f"{tile(left, element)} (%x: tile<{element}>, %y: tile<{element}>) {{\n"
            f"    %z = {add} %x, %y : tile<{element}>\n    yield %z : tile<{element}>\n  }}"
        )
        kernel.store(result, left, element)

    return build


def scan(shape: Shape, axis: int, element: str, *, reverse: bool = False) -> Build:
    """A running sum."""
    return _aggregate("scan", shape, axis, element, f" reverse={str(reverse).lower()}")


def reduction(shape: Shape, axis: int, element: str) -> Build:
    """A sum."""
    return _aggregate("reduce", shape, axis, element)


def arg_reduction(shape: Shape, axis: int) -> Build:
    """The largest element and its first position."""
    left = [size for dim, size in enumerate(shape) if dim != axis]

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, "f32")
        positions = kernel.add(f"iota : tile<{shape[axis]}xi32>")
        line = [size if dim == axis else 1 for dim, size in enumerate(shape)]
        positions = kernel.add(
            f"reshape {positions} : tile<{shape[axis]}xi32> -> {tile(line, 'i32')}"
        )
        positions = kernel.add(
            f"broadcast {positions} : {tile(line, 'i32')} -> {tile(shape, 'i32')}"
        )
        kernel.lines.append(
            f"%m, %at = reduce {value}, {positions} dim={axis} "
            f"identities=[0xFF800000 : f32, 0 : i32] : {tile(shape, 'f32')}, {tile(shape, 'i32')} "
            f"-> {tile(left, 'f32')}, {tile(left, 'i32')} "
            "(%x: tile<f32>, %y: tile<f32>, %i: tile<i32>, %j: tile<i32>) {\n"
            "    %more = cmpf greater_than ordered %x, %y : tile<f32> -> tile<i1>\n"
            "    %same = cmpf equal ordered %x, %y : tile<f32> -> tile<i1>\n"
            "    %first = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>\n"
            "    %tie = andi %same, %first : tile<i1>\n"
            "    %g = ori %more, %tie : tile<i1>\n"
            "    %v = select %g, %x, %y : tile<i1>, tile<f32>\n"
            "    %w = select %g, %i, %j : tile<i1>, tile<i32>\n"
            "    yield %v, %w : tile<f32>, tile<i32>\n  }"
        )
        kernel.store("%m", left, "f32")
        kernel.store("%at", left, "i32")

    return build


def permutation(shape: Shape, order: Shape, element: str) -> Build:
    """A transposition."""
    permuted = [shape[dim] for dim in order]

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        listed = ", ".join(map(str, order))
        types = f"{tile(shape, element)} -> {tile(permuted, element)}"
        kernel.store(kernel.add(f"permute {value} [{listed}] : {types}"), permuted, element)

    return build


def softmax(shape: Shape) -> Build:
    """Rows minus their maximum, to exp, divided by their sum."""
    rows, full = tile(shape[:1], "f32"), tile(shape, "f32")

    def build(kernel: Builder) -> None:
        def fold(value: str, name: str, identity: str) -> str:
            folded = kernel.add(
                f"reduce {value} dim=1 identities=[{identity} : f32] : {full} -> {rows} "
                "(%x: tile<f32>, %y: tile<f32>) {\n"
                f"    %z = {name} %x, %y : tile<f32>\n    yield %z : tile<f32>\n  }}"
            )
            column = tile((shape[0], 1), "f32")
            folded = kernel.add(f"reshape {folded} : {rows} -> {column}")
            return kernel.add(f"broadcast {folded} : {column} -> {full}")

        value = kernel.load(shape, "f32")
        shifted = kernel.add(f"subf {value}, {fold(value, 'maxf', '0xFF800000')} : {full}")
        powers = kernel.add(f"exp {shifted} : {full}")
        result = kernel.add(f"divf {powers}, {fold(powers, 'addf', '0.0')} : {full}")
        kernel.store(result, shape, "f32")

    return build


def elementwise(shape: Shape, element: str, ops: Sequence[str], inputs: int = 1) -> Build:
    """A chain of ops, each of the last result (and the next input, if it takes two)."""

    def build(kernel: Builder) -> None:
        values = [kernel.load(shape, element) for _ in range(inputs)]
        value = values[0]
        for number, name in enumerate(ops):
            other = values[(number + 1) % inputs]
            binary = name.rstrip("if") in ("add", "sub", "mul", "div", "rem", "pow", "max", "min")
            binary = binary or name in ("xori", "andi", "ori", "pow", "fmod", "divi", "remi")
            text = f"{name} {value}, {other}" if binary else f"{name} {value}"
            signed = " signed" if name in ("divi", "remi") else ""
            value = kernel.add(f"{text}{signed} : {tile(shape, element)}")
        kernel.store(value, shape, element)

    return build


def gather(shape: Shape, element: str) -> Build:
    """A tile through pointers, and back through others."""

    def build(kernel: Builder) -> None:
        offsets = kernel.load(shape, "i32", "offsets")
        source = kernel.pointers(element, offsets, shape)
        pointer = tile(shape, f"ptr<{element}>")
        kernel.lines.append(
            f"%got, %got_token = load_ptr_tko weak {source} token=%token : {pointer} -> "
            f"{tile(shape, element)}, token"
        )
        target = kernel.pointers(element, offsets, shape, "zeros")
        kernel.add(
            f"store_ptr_tko weak {target}, %got token=%token : {pointer}, {tile(shape, element)} "
            "-> token"
        )

    return build


def atomics(shape: Shape, element: str, mode: str) -> Build:
    """Atomic updates whose old values are stored."""

    def build(kernel: Builder) -> None:
        offsets = kernel.load(shape, "i32", "offsets")
        value = kernel.load(shape, element)
        target = kernel.pointers(element, offsets, shape)
        kernel.lines.append(
            f"%old, %old_token = atomic_rmw_tko relaxed device {target}, {mode}, {value} "
            f"token=%token : {tile(shape, f'ptr<{element}>')}, {tile(shape, element)} -> "
            f"{tile(shape, element)}, token"
        )
        kernel.store("%old", shape, element)

    return build


def concatenation(shape: Shape, dim: int, element: str) -> Build:
    """Two tiles joined."""
    joined = [2 * size if each == dim else size for each, size in enumerate(shape)]

    def build(kernel: Builder) -> None:
        a, b = kernel.load(shape, element), kernel.load(shape, element)
        part = tile(shape, element)
        value = kernel.add(f"cat {a}, {b} dim = {dim} : {part}, {part} -> {tile(joined, element)}")
        kernel.store(value, joined, element)

    return build


def extraction(shape: Shape, part: Shape, element: str) -> Build:
    """The part of a tile that an argument selects."""

    def build(kernel: Builder) -> None:
        kernel.parameters.append("%at: tile<i32>")
        kernel.arguments.append(1)
        value = kernel.load(shape, element)
        index = ", ".join(["%at"] * len(shape))
        types = f"{tile(shape, element)} -> {tile(part, element)}"
        kernel.store(kernel.add(f"extract {value}[{index}] : {types}"), part, element)

    return build


def printing(shape: Shape, element: str) -> Build:
    """All elements of a tile, printed."""

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        form = "%d" if element.startswith("i") else "%f"
        kernel.add(f'print_tko "{form}", {value} token=%token : {tile(shape, element)} -> token')

    return build


def selection(shape: Shape) -> Build:
    """Comparisons of tiles, logic on i1, and a choice."""

    def build(kernel: Builder) -> None:
        a, b = kernel.load(shape, "i32"), kernel.load(shape, "i32")
        flags = tile(shape, "i1")
        full = tile(shape, "i32")
        less = kernel.add(f"cmpi less_than {a}, {b}, signed : {full} -> {flags}")
        same = kernel.add(f"cmpi equal {a}, {b}, signed : {full} -> {flags}")
        either = kernel.add(f"ori {less}, {same} : {flags}")
        kernel.store(kernel.add(f"select {either}, {a}, {b} : {flags}, {full}"), shape, "i32")

    return build


def symmetric(shape: Shape, element: str) -> Build:
    """A tile and its transpose, added: no dimension of one goes with one of the other."""
    full = tile(shape, element)

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        other = kernel.add(f"permute {value} [1, 0] : {full} -> {full}")
        kernel.store(kernel.add(f"addi {value}, {other} : {full}"), shape, element)

    return build


def symmetric_rows(size: int, element: str, count: int) -> Build:
    """A loop over tiles, each of which is added to its transpose."""
    full = tile((size, size), element)

    def build(kernel: Builder) -> None:
        array = (count * size, size)
        source, source_type = kernel.view(Array(array, element), (size, size))
        target, target_type = kernel.view(Array(array, element, "zeros"), (size, size))
        one = kernel.add("constant <i32: 1> : tile<i32>")
        # Nobody knows how often the loop runs: it is not unrolled.
        kernel.lines.append("%block, %block_y, %block_z = get_tile_block_id : tile<i32>")
        least = kernel.add(f"constant <i32: {count}> : tile<i32>")
        end = kernel.add(f"maxi %block, {least} signed : tile<i32>")
        kernel.lines.append(
            f"for %i in (%zero to {end}, step {one}) : tile<i32> {{\n"
            f"    %x, %x_token = load_view_tko weak {source}[%i, %zero] token = %token : "
            f"{source_type}, tile<i32> -> {full}, token\n"
            f"    %other = permute %x [1, 0] : {full} -> {full}\n"
            f"    %sum = subi %x, %other : {full}\n"
            f"    %twice = muli %x, %other : {full}\n"
            f"    %all = addi %sum, %twice : {full}\n"
            f"    %done = store_view_tko weak %all, {target}[%i, %zero] token = %token : {full}, "
            f"{target_type}, tile<i32> -> token\n    continue\n  }}"
        )

    return build


def transposed_in_place(size: int) -> Build:
    """A store behind the load of what it overwrites, by a token."""
    full = tile((size, size), "f32")

    def build(kernel: Builder) -> None:
        view, ty = kernel.view(Array((size, size), "f32"), (size, size))
        kernel.lines.append(
            f"%x, %x_token = load_view_tko weak {view}[%zero, %zero] token = %token : {ty}, "
            f"tile<i32> -> {full}, token"
        )
        other = kernel.add(f"permute %x [1, 0] : {full} -> {full}")
        kernel.add(
            f"store_view_tko weak {other}, {view}[%zero, %zero] token = %x_token : {full}, {ty}, "
            "tile<i32> -> token"
        )

    return build


def shared_atomics(shape: Shape, element: str, mode: str) -> Build:
    """Atomic updates whose old values are stored twice, and then the new ones behind them."""
    full = tile(shape, element)

    def build(kernel: Builder) -> None:
        offsets = kernel.load(shape, "i32", "offsets")
        value = kernel.load(shape, element)
        target = kernel.pointers(element, offsets, shape)
        pointers = tile(shape, f"ptr<{element}>")
        kernel.lines.append(
            f"%old, %old_token = atomic_rmw_tko relaxed device {target}, {mode}, {value} "
            f"token=%token : {pointers}, {full} -> {full}, token"
        )
        kernel.lines.append(
            f"%new, %new_token = load_ptr_tko weak {target} token=%old_token : {pointers} -> "
            f"{full}, token"
        )
        kernel.store("%old", shape, element)
        kernel.store(kernel.add(f"subi %new, %old : {full}"), shape, element)

    return build


def carried(shape: Shape, element: str, count: int) -> Build:
    """A loop that carries a tile, and stores it in each iteration."""
    full = tile(shape, element)

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        view, ty = kernel.view(Array((count * shape[0], *shape[1:]), element, "zeros"), shape)
        one = kernel.add("constant <i32: 1> : tile<i32>")
        end = kernel.add(f"constant <i32: {count}> : tile<i32>")
        result = kernel.add(
            f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%x = {value}) -> "
            f"({full}) {{\n    %other = permute %x [1, 0] : {full} -> {full}\n"
            f"    %next = subi %x, %other : {full}\n"
            f"    %done = store_view_tko weak %x, {view}[%i, %zero] token = %token : {full}, {ty}, "
            f"tile<i32> -> token\n    continue %next : {full}\n  }}"
        )
        kernel.store(result, shape, element)

    return build


def repeated(shape: Shape, element: str, limit: int) -> Build:
    """A loop that goes on until the sum of a tile is not small any more."""
    full = tile(shape, element)
    scalar = f"tile<{element}>"

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        small = kernel.add(f"constant <{element}: {limit}> : {scalar}")
        line = tile((prod(shape),), element)
        result = kernel.add(
            f"loop iter_values(%x = {value}) : {full} -> {full} {{\n"
            f"    %flat = reshape %x : {full} -> {line}\n"
            f"    %sum = reduce %flat dim=0 identities=[0 : {element}] : {line} -> {scalar} "
            f"(%l: {scalar}, %r: {scalar}) {{\n      %s = maxi %l, %r signed : {scalar}\n"
            f"      yield %s : {scalar}\n    }}\n"
            f"    %large = cmpi greater_than %sum, {small}, signed : {scalar} -> tile<i1>\n"
            f"    if %large {{\n      break %x : {full}\n    }}\n"
            f"    %other = permute %x [1, 0] : {full} -> {full}\n"
            f"    %twice = addi %x, %x : {full}\n"
            f"    %next = subi %twice, %other : {full}\n"
            f"    continue %next : {full}\n  }}"
        )
        kernel.store(result, shape, element)

    return build


def chosen(shape: Shape, element: str) -> Build:
    """One of two tiles, by an argument, with something done for one of them."""
    full = tile(shape, element)

    def build(kernel: Builder) -> None:
        kernel.parameters.append("%flag: tile<i32>")
        kernel.arguments.append(1)
        a, b = kernel.load(shape, element), kernel.load(shape, element)
        is_set = kernel.add("cmpi greater_than %flag, %zero, signed : tile<i32> -> tile<i1>")
        result = kernel.add(
            f"if {is_set} -> ({full}) {{\n    %sum = addi {a}, {b} : {full}\n"
            f"    yield %sum : {full}\n  }} else {{\n    yield {a} : {full}\n  }}"
        )
        kernel.store(result, shape, element)

    return build


def reshaped(shape: Shape, new: Shape, element: str) -> Build:
    """A tile in another, square shape, and its transpose, subtracted."""
    full = tile(new, element)

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        value = kernel.add(f"reshape {value} : {tile(shape, element)} -> {full}")
        other = kernel.add(f"permute {value} [1, 0] : {full} -> {full}")
        kernel.store(kernel.add(f"subi {value}, {other} : {full}"), new, element)

    return build


KERNELS: Mapping[str, Build] = {
    "dot_f32_256x256x256": dot(256, 256, 256, "f32"),
    "dot_f32_128x128x128": dot(128, 128, 128, "f32"),
    "dot_f32_64x64x1024": dot(64, 64, 1024, "f32"),
    "dot_f64_128x128x128": dot(128, 128, 128, "f64", "f64"),
    "dot_tf32_256x256x256": tf32_dot(256, 256, 256),
    "dot_f16_64x64x4096": dot(64, 64, 4096, "f16"),
    "dot_f16_128x128x1024": dot(128, 128, 1024, "f16"),
    "dot_f16_256x256x64": dot(256, 256, 64, "f16"),
    "dot_f16_256x256x256": dot(256, 256, 256, "f16"),
    "dot_f16_512x512x64": dot(512, 512, 64, "f16"),
    "matmul_f16_256x256x64": matmul(256, 256, 64, 256, "f16"),
    "matmul_f16_512x256x64": matmul(512, 256, 64, 256, "f16"),
    "matmul_f16_1024x1024x64": matmul(1024, 1024, 64, 256, "f16"),
    "matmul_f32_256x512x256": matmul(256, 512, 256, 1024, "f32"),
    "dot_i8_256x256x256": dot(256, 256, 256, "i8", "i32"),
    "dot_i8_64x64x4096": dot(64, 64, 4096, "i8", "i32"),
    "dot_mxfp8_128x128x128": scaled_dot(128, 128, 128, "f8E4M3FN", "f8E8M0FNU", 32),
    "dot_mxfp8_256x256x128": scaled_dot(256, 256, 128, "f8E4M3FN", "f8E8M0FNU", 32),
    "scan_64x4096_last": scan((64, 4096), 1, "f32"),
    "scan_64x4096_first": scan((64, 4096), 0, "f32"),
    "scan_4096x64_first": scan((4096, 64), 0, "f32"),
    "scan_reverse_i64_64x4096": scan((64, 4096), 1, "i64", reverse=True),
    "scan_262144": scan((262144,), 0, "f32"),
    "scan_1048576_i64": scan((1048576,), 0, "i64"),
    "sum_64x4096_last": reduction((64, 4096), 1, "f32"),
    "sum_64x4096_first": reduction((64, 4096), 0, "f32"),
    "sum_1048576": reduction((1048576,), 0, "f32"),
    "sum_512x2048_i8": reduction((512, 2048), 1, "i8"),
    "argmax_64x4096": arg_reduction((64, 4096), 1),
    "softmax_64x4096": softmax((64, 4096)),
    "transpose_256x256_f32": permutation((256, 256), (1, 0), "f32"),
    "transpose_1024x1024_i8": permutation((1024, 1024), (1, 0), "i8"),
    "permute_64x64x64_f16": permutation((64, 64, 64), (2, 0, 1), "f16"),
    "exp_256x256_f32": elementwise((256, 256), "f32", ("exp",)),
    "pow_256x256_f32": elementwise((256, 256), "f32", ("pow", "sin", "tanh"), 2),
    "sin_64x4096_f64": elementwise((64, 4096), "f64", ("sin", "exp"), 2),
    "divide_256x1024_i64": elementwise((256, 1024), "i64", ("divi", "remi"), 2),
    "add_1024x1024_f32": elementwise((1024, 1024), "f32", ("addf",), 2),
    "add_2048x2048_i8": elementwise((2048, 2048), "i8", ("addi",), 2),
    "add_4096x4096_f32": elementwise((4096, 4096), "f32", ("addf",), 2),
    "gather_256x256_f32": gather((256, 256), "f32"),
    "gather_256x1024_f16": gather((256, 1024), "f16"),
    "atomics_256x256_f32": atomics((256, 256), "f32", "addf"),
    "atomics_64x4096_i32": atomics((64, 4096), "i32", "add"),
    "cat_256x512_f32": concatenation((256, 512), 1, "f32"),
    "cat_524288_i8": concatenation((524288,), 0, "i8"),
    "extract_256x1024_f32": extraction((256, 1024), (64, 256), "f32"),
    "extract_1024x1024_f64": extraction((1024, 1024), (64, 64), "f64"),
    "print_256x256_f32": printing((256, 256), "f32"),
    "print_64x4096_i32": printing((64, 4096), "i32"),
    "select_512x512": selection((512, 512)),
    "symmetric_1024x1024_i32": symmetric((1024, 1024), "i32"),
    "transpose_in_place_1024": transposed_in_place(1024),
    "atomics_twice_256x1024_i32": shared_atomics((256, 1024), "i32", "add"),
    "carried_512x512_i32": carried((512, 512), "i32", 4),
    "repeated_512x512_i32": repeated((512, 512), "i32", 1000),
    "chosen_1024x1024_i32": chosen((1024, 1024), "i32"),
    "reshape_256x1024_i32": reshaped((256, 1024), (512, 512), "i32"),
}


def make(name: str) -> Builder:
    """A kernel by its name."""
    builder = Builder()
    KERNELS[name](builder)
    return builder
