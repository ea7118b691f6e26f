"""Kernels of level 2 that compute lane by lane: tiles in, tiles out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.interpreter.elements import bit_width, dtype_of
from tileiras_xdsl.interpreter.run import run

from ...harness.modules import parse_type
from .memory_kernels import Kernel, encoded, module_of, threads_of

Array = npt.NDArray[Any]
Values = Callable[[np.random.Generator, str, int], Array]

SIZE = 256
WARPS = 1
WIDE = blocked([SIZE], WARPS, vector=4)
SMALL = blocked([64], WARPS, vector=2)
LAYOUTS: Mapping[str, LinearLayout] = {
    "wide": WIDE,
    "plain": blocked([SIZE], WARPS),
    "copies": WIDE.replaced(register=(*WIDE.register[:1], 0, *WIDE.register[1:])),
    "lanes": WIDE.replaced(register=(*WIDE.register, WIDE.lane[0]), lane=(0, *WIDE.lane[1:])),
}
ELEMENTS = (
    *("i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32"),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"),
)
IN_BOUNDS = "{in_bounds = array<i1: true>}"


@cache
def element(name: str) -> Attribute:
    """A type by its name."""
    return parse_type(name)


@dataclass(frozen=True)
class Case:
    """
    Ops on tiles: `{0}`, `{1}` … are the operands, `[f32]` is the tile of a type, `{n}` makes
    names unique; the last line is the result.

        Case("nv_tileaa.addf {0}, {1} : [f32]", ("f32", "f32"), "f32")
    """

    text: str
    operands: Sequence[str]
    result: str
    ulps: float = 0
    """How far results may be off."""


# Values

INTERESTING = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan)


def any_values(rng: np.random.Generator, name: str, size: int) -> Array:
    """Any bits; of floats also many of moderate size, and those that are special."""
    dtype = dtype_of(element(name))
    width = bit_width(element(name))
    if width == 1:
        return rng.integers(0, 2, size).astype(np.bool_)
    bits = rng.integers(0, 2**64, size, dtype=np.uint64)
    values = np.array(bits.astype(f"u{dtype.itemsize}").view(dtype))
    if name[0] == "i":
        values[: size // 4] = rng.integers(-9, 10, size // 4).astype(dtype)
        edges = [2 ** (width - 1) - 1, -(2 ** (width - 1)), -1, 0]
        values[-4:] = np.array(edges).astype(dtype)
        return rng.permutation(values)
    with np.errstate(all="ignore"):
        moderate = rng.normal(size=size // 2) * 2.0 ** rng.integers(-12, 12, size // 2)
        values[: size // 2] = moderate.astype(dtype)
        values[-len(INTERESTING) :] = np.array(INTERESTING).astype(dtype)
    if name == "tf32":
        values = np.array(values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return rng.permutation(values)


def moderate_values(rng: np.random.Generator, name: str, size: int) -> Array:
    """Floats of moderate size."""
    if name[0] == "i":
        return any_values(rng, name, size)
    return (rng.normal(size=size) * 3).astype(dtype_of(element(name)))


# Kernels


def kernel_of(
    name: str, cases: Sequence[Case], layout: LinearLayout, values: Values = any_values
) -> Kernel:
    """
    A kernel that runs some cases. Each type has as many inputs as a case has operands of it; a
    result is stored for each case.
    """
    (size,) = layout.shape
    inputs = find_inputs(cases)
    lines = ["%zero = arith.constant 0 : i32"]
    parameters: list[str] = []
    for place, (kind, number) in inputs:
        pointer = f"%p{place}"
        parameters.append(f"{pointer}: !llvm.ptr<1>")
        lines += view(pointer, place, kind, size)
        lines.append(
            f"%{place} = nv_tileas.tiled_load %v{place}[%zero] {IN_BOUNDS} "
            f": {view_type(kind, size)}, i32 -> {tile_type(kind, layout)}"
        )
        assert place == place_of(kind, number)
    for number, case in enumerate(cases):
        lines += expand(case, number, layout)
        pointer = f"%q{number}"
        parameters.append(f"{pointer}: !llvm.ptr<1>")
        lines += view(pointer, f"q{number}", case.result, size)
        lines.append(
            f"nv_tileas.tiled_store %y{number}, %vq{number}[%zero] {IN_BOUNDS} "
            f": {tile_type(case.result, layout)}, {view_type(case.result, size)}, i32"
        )

    def arguments(rng: np.random.Generator) -> list[Array]:
        given = [values(rng, kind, size) for _, (kind, _) in inputs]
        return [*given, *(np.zeros(size, dtype_of(element(case.result))) for case in cases)]

    return Kernel(name, ", ".join(parameters), "\n".join(lines), arguments, warps=WARPS)


def find_inputs(cases: Sequence[Case]) -> list[tuple[str, tuple[str, int]]]:
    """The inputs that cases need: where they are, and which of a type."""
    counts: dict[str, int] = {}
    for case in cases:
        for kind in case.operands:
            counts[kind] = max(counts.get(kind, 0), case.operands.count(kind))
    return [
        (place_of(kind, number), (kind, number))
        for kind, count in counts.items()
        for number in range(count)
    ]


def place_of(kind: str, number: int) -> str:
    """The name of an input."""
    return f"{kind}_input{'abc'[number]}"


def expand(case: Case, number: int, layout: LinearLayout) -> list[str]:
    """The lines of a case."""
    text = case.text
    seen: dict[str, int] = {}
    for index, kind in enumerate(case.operands):
        nth = seen.get(kind, 0)
        seen[kind] = nth + 1
        text = text.replace(f"{{{index}}}", f"%{place_of(kind, nth)}")
    text = text.replace("{n}", str(number))
    for kind in ELEMENTS:
        text = text.replace(f"[{kind}]", tile_type(kind, layout))
    *before, last = text.split("\n")
    return [*before, f"%y{number} = {last}"]


def tile_type(kind: str, layout: LinearLayout) -> str:
    """The type of a tile."""
    (size,) = layout.shape
    return f"tensor<{size}x{kind}, {encoded(layout)}>"


def memref_type(kind: str, size: int) -> str:
    """The memory of a tile."""
    return f"!nv_tileaa.memref<{size}x{kind}, strides = [1]>"


def view_type(kind: str, size: int) -> str:
    """The view of a tile."""
    return f"!nv_tileaa.tiled_view<{size}, {memref_type(kind, size)}>"


def view(pointer: str, place: str, kind: str, size: int) -> list[str]:
    """A view of memory as one tile."""
    memref = memref_type(kind, size)
    return [
        f"%m{place} = nv_tileaa.make_memref {pointer} : !llvm.ptr<1> -> {memref}",
        f"%v{place} = nv_tileaa.block_tile %m{place} "
        f"{{tileSizes = array<i64: {size}>, dimGroups = [[0 : i64]]}} "
        f": {memref} -> {view_type(kind, size)}",
    ]


# Runs


def run_cases(
    cases: Sequence[Case],
    layout: LinearLayout,
    arch: str = "sm_80",
    values: Values = any_values,
    seed: int = 0,
) -> None:
    """Runs cases as tiles and as threads, and compares."""
    kernel = kernel_of("k", cases, layout, values)
    module = module_of([kernel])
    expected = run_module(module, kernel, seed)
    found = run_module(threads_of(module, arch), kernel, seed)
    inputs = {place: array for (place, _), array in zip(find_inputs(cases), expected, strict=False)}
    start = len(inputs)
    for number, case in enumerate(cases):
        assert_near(case, expected[start + number], found[start + number], inputs)


def run_module(module: ModuleOp, kernel: Kernel, seed: int) -> list[Array]:
    """What a kernel leaves in memory."""
    arguments = [np.asarray(each) for each in kernel.arguments(np.random.default_rng(seed))]
    run(module, grid=kernel.grid, args=arguments)
    return arguments


def assert_near(case: Case, expected: Array, found: Array, inputs: Mapping[str, Array]) -> None:
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
        values = ", ".join(str(inputs[place_of(kind, 0)][index]) for kind in case.operands)
        raise AssertionError(
            f"{case.text}: {int(wrong.sum())} wrong, first at {index}: ({values} …) gives "
            f"{found[index]}, not {expected[index]}"
        )
