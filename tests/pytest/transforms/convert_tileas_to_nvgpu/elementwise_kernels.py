"""Kernels of level 2 that compute lane by lane: tiles in, tiles out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.parser import Parser

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.interpreter.elements import bit_width, dtype_of, is_packed
from tileiras_xdsl.interpreter.run import run

from .memory_kernels import Kernel, encoded, lower, parse

Array = npt.NDArray[Any]
Values = Callable[[np.random.Generator, str], Array]
SIZE = 256
WARPS = 1
WIDE = blocked([SIZE], WARPS, vector=4)
LAYOUTS: Mapping[str, LinearLayout] = {
    "wide": WIDE,
    "plain": blocked([SIZE], WARPS),
    "copies": WIDE.replaced(register=(*WIDE.register[:1], 0, *WIDE.register[1:])),
    "lanes": WIDE.replaced(register=(*WIDE.register, WIDE.lane[0]), lane=(0, *WIDE.lane[1:])),
}


def element(name: str) -> Attribute:
    """A type by its name."""
    return Parser(make_context(), name).parse_type()


@dataclass(frozen=True)
class Case:
    """
    An op on tiles: `{0}`, `{1}` … are the operands, `[f32]` is a tile or scalar of a type.

        Case("nv_tileaa.addf {0}, {1} : [f32]", ("f32", "f32"), "f32")
    """

    text: str
    operands: Sequence[str]
    result: str
    ulps: float = 0
    """How far results may be off."""
    values: Values | None = field(default=None)
    """What it is run with, if not with anything."""
    size: int = SIZE

    def body(self, number: int, layout: LinearLayout) -> str:
        """The case in a kernel."""

        def tile(name: str) -> str:
            return f"tensor<{self.size}x{name}, {encoded(layout)}>"

        lines: list[str] = []
        for index, name in enumerate(self.operands):
            pointer, place = f"%p{number}_{index}", f"{number}_{index}"
            lines += view(pointer, place, name, self.size)
            lines.append(
                f"%x{place} = nv_tileas.tiled_load %v{place}[%zero] {IN_BOUNDS} "
                f": {view_type(name, self.size)}, i32 -> {tile(name)}"
            )
        place = f"{number}_r"
        *before, last = self.text.split("\n")
        steps = [*before, f"%y{number} = {last}"]
        for step in steps:
            for index in range(len(self.operands)):
                step = step.replace(f"{{{index}}}", f"%x{number}_{index}")
            step = step.replace("{n}", str(number))
            for name in ELEMENTS:
                step = step.replace(f"[{name}]", tile(name))
            lines.append(step)
        lines += view(f"%p{place}", place, self.result, self.size)
        lines.append(
            f"nv_tileas.tiled_store %y{number}, %v{place}[%zero] {IN_BOUNDS} "
            f": {tile(self.result)}, {view_type(self.result, self.size)}, i32"
        )
        return "\n".join(lines)

    def parameters(self, number: int) -> list[str]:
        """The parameters of the kernel for the case."""
        names = [*(str(index) for index in range(len(self.operands))), "r"]
        return [f"%p{number}_{name}: !llvm.ptr<1>" for name in names]

    def arguments(self, rng: np.random.Generator) -> list[Array]:
        """Arrays for the parameters."""
        make = self.values or any_values
        inputs = [make(rng, name)[: self.size] for name in self.operands]
        return [*inputs, np.zeros(self.size, dtype_of(element(self.result)))]


IN_BOUNDS = "{in_bounds = array<i1: true>}"
ELEMENTS = (
    *("i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32"),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"),
)


def memref_type(name: str, size: int) -> str:
    """The memory of a tile."""
    return f"!nv_tileaa.memref<{size}x{name}, strides = [1]>"


def view_type(name: str, size: int) -> str:
    """The view of a tile."""
    return f"!nv_tileaa.tiled_view<{size}, {memref_type(name, size)}>"


def view(pointer: str, place: str, name: str, size: int) -> list[str]:
    """A view of memory as one tile."""
    memref = memref_type(name, size)
    return [
        f"%m{place} = nv_tileaa.make_memref {pointer} : !llvm.ptr<1> -> {memref}",
        f"%v{place} = nv_tileaa.block_tile %m{place} "
        f"{{tileSizes = array<i64: {size}>, dimGroups = [[0 : i64]]}} "
        f": {memref} -> {view_type(name, size)}",
    ]


def kernel_of(name: str, cases: Sequence[Case], layout: LinearLayout) -> Kernel:
    """A kernel that runs some cases."""
    parameters = [part for number, case in enumerate(cases) for part in case.parameters(number)]
    body = "%zero = arith.constant 0 : i32\n" + "\n".join(
        case.body(number, layout) for number, case in enumerate(cases)
    )

    def arguments(rng: np.random.Generator) -> list[Array]:
        return [array for case in cases for array in case.arguments(rng)]

    return Kernel(name, ", ".join(parameters), body, arguments, warps=WARPS)


INTERESTING = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan)


def any_values(rng: np.random.Generator, name: str) -> Array:
    """Any bits; of floats also many of moderate size, and those that are special."""
    type = element(name)
    dtype = dtype_of(type)
    width = bit_width(type)
    if width == 1:
        return rng.integers(0, 2, SIZE).astype(np.bool_)
    if is_packed(type):
        return rng.integers(0, 16, SIZE).astype(np.uint8).view(dtype)
    bits = rng.integers(0, 2**64, SIZE, dtype=np.uint64)
    size = dtype.itemsize
    values = np.array(bits.astype(f"u{size}").view(dtype))
    if name[0] == "i":
        values[: SIZE // 4] = rng.integers(-9, 10, SIZE // 4).astype(dtype)
        edges = [2 ** (width - 1) - 1, -(2 ** (width - 1)), -1, 0]
        values[-4:] = np.array(edges).astype(dtype)
        return rng.permutation(values)
    with np.errstate(all="ignore"):
        moderate = rng.normal(size=SIZE // 2) * 2.0 ** rng.integers(-12, 12, SIZE // 2)
        values[: SIZE // 2] = moderate.astype(dtype)
        values[-len(INTERESTING) :] = np.array(INTERESTING).astype(dtype)
    return rng.permutation(values)


def moderate_values(rng: np.random.Generator, name: str) -> Array:
    """Floats of moderate size."""
    with np.errstate(all="ignore"):
        return (rng.normal(size=SIZE) * 3).astype(dtype_of(element(name)))


def run_cases(cases: Sequence[Case], layout: LinearLayout, arch: str, seed: int = 0) -> None:
    """Runs cases as tiles and as threads, and compares."""
    kernel = kernel_of("k", cases, layout)
    module = parse([kernel])
    expected = run_module(module, kernel, seed)
    found = run_module(lower(module, arch), kernel, seed)
    place = 0
    for case in cases:
        place += len(case.operands)
        assert_near(
            case, expected[place], found[place], expected[place - len(case.operands) : place]
        )
        place += 1


def run_module(module: ModuleOp, kernel: Kernel, seed: int) -> list[Array]:
    """What a kernel leaves in memory."""
    arguments = [np.asarray(each) for each in kernel.arguments(np.random.default_rng(seed))]
    run(module, grid=kernel.grid, args=arguments)
    return arguments


def assert_near(case: Case, expected: Array, found: Array, inputs: Sequence[Array]) -> None:
    """Compares results: NaNs with NaNs, others within the bound of the case."""
    wrong = expected.view(f"u{expected.itemsize}") != found.view(f"u{found.itemsize}")
    if case.result[0] != "i":
        with np.errstate(all="ignore"):
            wide = [array.astype(np.float64) for array in (expected, found)]
            wrong &= ~(np.isnan(wide[0]) & np.isnan(wide[1]))
            if case.ulps:
                unit = np.abs(np.spacing(expected).astype(np.float64))
                wrong &= ~(np.abs(wide[0] - wide[1]) <= case.ulps * unit)
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        values = ", ".join(str(array[index]) for array in inputs)
        raise AssertionError(
            f"{case.text}: {int(wrong.sum())} wrong, first at {index}: ({values}) gives "
            f"{found[index]}, not {expected[index]}"
        )
