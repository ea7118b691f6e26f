"""Matrix products: of tiles, and as the code of threads, in every type and many shapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute

from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width, float_to_bits
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, make_pass

from ...harness.cases import every
from ...harness.modules import context, parse_type
from ...harness.passes import compile_threads
from .memory_kernels import Arguments, Kernel, module_of

Array = npt.NDArray[Any]

POINTER = "!llvm.ptr<1>"
NUMBERS = (-2.0, -1.0, 0.0, 1.0, 2.0, 4.0)
"""Their products and sums are exact in every type that has them."""
LAYOUT_PASSES = (
    "tileas-assign-dot-layouts",
    "tileas-assign-load-store-layouts",
    "tileas-remove-layout-conversions",
)


def element_type(name: str) -> Attribute:
    """A type, of its name."""
    return parse_type(name)


def stored_bits(element: Attribute) -> int:
    """Bits of an element in memory."""
    bits = element_bit_width(element)
    return 32 if bits == 19 else bits


def random_bytes(generator: np.random.Generator, name: str, count: int) -> Array:
    """Numbers in memory."""
    element = element_type(name)
    bits = stored_bits(element)
    if name == "i16":
        return generator.integers(-9, 10, count, np.int16).view(np.uint8)
    if isinstance(element, IntegerType):
        return generator.integers(0, 256, count * bits // 8, np.uint8)
    numbers = [abs(n) for n in NUMBERS if n] if "E8M0" in name else NUMBERS
    table = np.array([float_to_bits(number, element) for number in numbers], np.uint64)
    if bits == 32 and name == "tf32":
        table = np.array(NUMBERS, np.float32).view(np.uint32).astype(np.uint64)
    chosen = table[generator.integers(0, len(table), count)]
    if bits == 4:
        return (chosen[::2] | chosen[1::2] << 4).astype(np.uint8)
    return chosen.astype(np.dtype(f"u{bits // 8}")).view(np.uint8)


@dataclass(frozen=True)
class Case:
    """A product of tiles of some types and a shape."""

    a: str
    b: str
    c: str
    m: int
    n: int
    k: int
    warps: int = 4
    batch: int | None = None
    options: str = ""
    expected: str = ""
    """What the PTX must have."""
    arch: str = "sm_80"
    flag: bool | None = None

    @property
    def name(self) -> str:
        shape = f"{self.m}x{self.n}x{self.k}"
        batch = "" if self.batch is None else f"{self.batch}x"
        tail = self.options.replace(" ", "").replace('"', "").replace("=", "_").replace(",", "_")
        text = f"{self.a}_{self.b}_{self.c}_{batch}{shape}_{self.warps}{tail}_{self.arch}"
        return text + ("" if self.flag is None else f"_{int(self.flag)}")

    def shapes(self) -> list[tuple[int, ...]]:
        batch = () if self.batch is None else (self.batch,)
        return [(*batch, self.m, self.k), (*batch, self.k, self.n), (*batch, self.m, self.n)]

    def kernel(self) -> Kernel:
        lines = ["%zero = arith.constant 0 : i32"]
        rank = 2 if self.batch is None else 3
        zeros, indices = ", ".join(["%zero"] * rank), ", ".join(["i32"] * rank)
        types: list[str] = []
        views: list[str] = []
        names = [*zip("abcd", (self.a, self.b, self.c, self.c), (*self.shapes(), self.shapes()[2]))]
        for name, element, shape in names:
            extents = "x".join(map(str, shape))
            strides = ", ".join(str(prod(shape[dim + 1 :])) for dim in range(len(shape)))
            memref = f"!nv_tileaa.memref<{extents}x{element}, strides = [{strides}]>"
            view = f"!nv_tileaa.tiled_view<{extents}, {memref}>"
            sizes = ", ".join(map(str, shape))
            groups = ", ".join(f"[{dim}]" for dim in range(len(shape)))
            types.append(f"tensor<{extents}x{element}>")
            views.append(view)
            lines += [
                f"%m{name} = nv_tileaa.make_memref %p{name} : {POINTER} -> {memref}",
                f"%v{name} = nv_tileaa.block_tile %m{name} {{tileSizes = array<i64: {sizes}>, "
                f"dimGroups = [{groups}]}} : {memref} -> {view}",
            ]
            if name != "d":
                lines.append(
                    f"%{name} = nv_tileas.tiled_load %v{name}[{zeros}] {{}} : {view}, {indices} "
                    f"-> {types[-1]}"
                )
        flag, flag_type = "", ""
        if self.flag is not None:
            lines.append(f"%flag = arith.constant {str(self.flag).lower()}")
            flag, flag_type = ", %flag", ", i1"
        lines += [
            f"%d = nv_tileas.dot %a, %b, %c{flag} {{{self.options}}} : {', '.join(types[:3])}"
            f"{flag_type}",
            f"nv_tileas.tiled_store %d, %vd[{zeros}] {{}} : {types[2]}, {views[2]}, {indices}",
        ]
        parameters = ", ".join(f"%p{name}: {POINTER}" for name in "abcd")

        def arguments(generator: np.random.Generator) -> Arguments:
            return [random_bytes(generator, element, prod(shape)) for _, element, shape in names]

        name = re.sub(r"\W", "_", f"k_{self.name}")
        return Kernel(name, parameters, "\n".join(lines), arguments, warps=self.warps)


def lower(module: ModuleOp, arch: str) -> ModuleOp:
    """The code of a thread, by the passes of this family."""
    lowered = module.clone()
    for name in LAYOUT_PASSES:
        options = "{compute-capability={arch}}" if "dot" in name else ""
        make_pass(PipelinePass(name, "tileas", options=options), arch).apply(context(), lowered)
    lowered.verify()
    step = PipelinePass("convert-tileas-to-nvgpu", "nvgpu", options="{compute-capability={arch}}")
    make_pass(step, arch).apply(context(), lowered)
    lowered.verify()
    return lowered


MMA = [
    Case("f16", "f16", "f32", 64, 64, 32, expected="m16n8k16.row.col.f32.f16.f16.f32"),
    Case("f16", "f16", "f16", 32, 64, 16, expected="m16n8k16.row.col.f16.f16.f16.f16"),
    Case("bf16", "bf16", "f32", 16, 8, 16, expected="m16n8k16.row.col.f32.bf16.bf16.f32"),
    Case("f16", "f16", "f32", 16, 128, 32, warps=8),
    Case("f16", "f16", "f32", 128, 8, 16, warps=8),
    Case("f16", "f16", "f32", 32, 16, 16, batch=4),
    Case("f16", "f16", "f32", 32, 16, 16, batch=2, warps=8),
    Case("f16", "f16", "f32", 32, 16, 16, flag=True),
    Case("f16", "f16", "f32", 32, 16, 16, flag=False),
    Case("tf32", "tf32", "f32", 32, 32, 16, expected="m16n8k8.row.col.f32.tf32.tf32.f32"),
    Case("f32", "f32", "f32", 32, 32, 16, options='input_precision = "tf32"', expected="tf32.tf32"),
    Case("f64", "f64", "f64", 32, 16, 8, expected="m8n8k4.row.col.f64.f64.f64.f64"),
    Case("i8", "i8", "i32", 32, 32, 64, expected="m16n8k32.row.col.s32.s8.s8.s32"),
    *(
        Case(
            "i8", "i8", "i32", 16, 32, 32, options=f'signedness_lhs = "{x}", signedness_rhs = "{y}"'
        )
        for x, y in (("unsigned", "signed"), ("signed", "unsigned"), ("unsigned", "unsigned"))
    ),
    Case("f8E4M3FN", "f8E4M3FN", "f32", 32, 32, 32, expected="f32.f16.f16"),
    Case("f8E5M2", "f8E4M3FN", "f16", 32, 32, 32, expected="f16.f16.f16"),
    Case("f8E4M3FN", "f8E5M2", "f32", 32, 32, 64, arch="sm_90", expected="f32.e4m3.e5m2.f32"),
    Case("f4E2M1FN", "f8E4M3FN", "f32", 32, 32, 32, arch="sm_90", expected="f32.f16.f16"),
    Case("f16", "bf16", "f32", 32, 32, 32, expected="f32.tf32.tf32"),
]

SINGLE = [
    Case("f32", "f32", "f32", 32, 16, 64),
    Case("f32", "f32", "f32", 64, 64, 128, warps=8),
    Case("f32", "f32", "f32", 1, 1, 1),
    Case("f32", "f32", "f32", 1, 64, 2),
    Case("f32", "f32", "f32", 2, 1, 64, warps=1),
    Case("f32", "f32", "f32", 8, 4, 16, batch=4),
    Case("f16", "f16", "f32", 8, 8, 8),
    Case("f16", "f16", "f16", 16, 4, 16),
    Case("bf16", "bf16", "f32", 16, 8, 8),
    Case("f64", "f64", "f64", 4, 8, 2),
    Case("f64", "f64", "f64", 64, 4, 256),
    Case("i8", "i8", "i32", 8, 8, 8, options='signedness_lhs = "unsigned"'),
    Case("i8", "i8", "i32", 16, 16, 16),
    Case("f8E8M0FNU", "f8E8M0FNU", "f32", 16, 16, 16),
    Case("f8E4M3FN", "f8E4M3FN", "f32", 8, 4, 4),
    Case("f32", "f32", "f32", 8, 8, 8, options='input_precision = "tf32"', warps=1),
    Case("f32", "f32", "f32", 16, 16, 8, options='input_precision = "ieee"', flag=False),
    Case("i16", "i16", "i32", 4, 8, 4),
]


@pytest.mark.every(4)
@pytest.mark.parametrize("case", [*MMA, *SINGLE], ids=lambda case: case.name)
def test_threads_multiply_as_tiles(case: Case):
    kernel = case.kernel()
    module = module_of([kernel])
    expected = kernel.arguments(np.random.default_rng(0))
    run(module, grid=(1,), args=expected)
    found = kernel.arguments(np.random.default_rng(0))
    run(lower(module, case.arch), grid=(1,), args=found, check=["races"])
    for one, other in zip(expected, found, strict=True):
        assert isinstance(one, np.ndarray)
        assert isinstance(other, np.ndarray)
        assert one.tobytes() == other.tobytes()


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("part", every(2, range(2)))
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_matmuls_compile(arch: str, part: int, oracle_program: Callable[[str], Path]):
    """Every other product that both architectures have is compiled for each."""
    common = [case for case in (*MMA, *SINGLE) if case.arch == "sm_80"]
    chosen = common[2 * part + (arch != "sm_80") :: 4]
    chosen += [case for case in (*MMA, *SINGLE) if case.arch == arch != "sm_80"]
    cases = [replace(case, arch=arch) for case in chosen]
    lowered = lower(module_of([case.kernel() for case in cases]), arch)
    ptx = compile_threads(lowered, arch, opt=2)
    compiled = Ptxas(oracle_program("ptxas")).compile(ptx, NvptxTarget.parse(arch))
    assert compiled.cubin.startswith(b"\x7fELF")
    for case in cases:
        if case.expected and not (case.a.startswith("f8") and arch == "sm_90"):
            assert case.expected in ptx, case.name
