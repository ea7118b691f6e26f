"""Accesses to memory: as tiles, as threads, and as PTX that ptxas accepts."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.transforms.convert_tileas_to_nvgpu.views import index_layout

from .memory_kernels import Kernel, check, compile_all, encoded, layouts_of

# Views

POINTER = "!llvm.ptr<1>"
ELEMENTS = {
    "f32": np.uint32,
    "f16": np.uint16,
    "bf16": np.uint16,
    "f64": np.uint64,
    "i8": np.uint8,
    "i16": np.uint16,
    "i64": np.uint64,
    "i1": np.uint8,
    "tf32": np.uint32,
    "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8,
}


def noise(generator: np.random.Generator, dtype: type, *shape: int) -> np.ndarray:
    """Any bits."""
    data = generator.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8)
    return data.view(dtype)[..., 0].copy()


class View:
    """A two-dimensional tensor and a view of it, as MLIR."""

    def __init__(
        self, name: str, element: str, sizes: str, strides: str, tile: str, more: str = ""
    ):
        self.name = name
        self.memref = f"!nv_tileaa.memref<{sizes}x{element}, strides = [{strides}]>"
        self.type = f"!nv_tileaa.tiled_view<{tile}, {self.memref}{more}>"
        self.tile = tile
        found = re.search(r"dim_map = \[(.*?)\]", more)
        rank = len(tile.split("x"))
        self.dims = found.group(1).split(", ") if found else [str(dim) for dim in range(rank)]

    def make(self, pointer: str, operands: str = "") -> str:
        """The ops that make the view."""
        tile = ", ".join(self.tile.split("x"))
        groups = ", ".join(f"[{dim}]" for dim in self.dims)
        return (
            f"%{self.name}_m = nv_tileaa.make_memref {pointer} {operands} : {POINTER} -> "
            f"{self.memref}\n"
            f"%{self.name} = nv_tileaa.block_tile %{self.name}_m "
            f"{{tileSizes = array<i64: {tile}>, dimGroups = [{groups}]}} : {self.memref} -> "
            f"{self.type}\n"
        )


def copy_kernel(
    name: str,
    element: str,
    layout: LinearLayout,
    *,
    vector: int = 1,
    dim: int = 1,
    more: str = "",
    load: str = "",
    store: str = "",
    index: str = "%b",
    rows: int = 37,
    columns: int = 40,
    **options: object,
) -> Kernel:
    """Copies tiles of 8 x 16 of a tensor whose sizes and first stride are dynamic."""
    tensor = f"tensor<8x16x{element}, {encoded(layout)}>"
    source = View("v", element, "?x?", "?, 1", "8x16", more)
    target = View("w", element, "?x?", "?, 1", "8x16", more.replace(", padding = nan", ""))
    sizes = "sizes(%n, %c : i64, i32) strides(%s : i64)"
    pieces = f"nv_tileas.vector = {vector} : i64, nv_tileas.vector_dim = {dim} : i64"
    body = (
        f"%bi = gpu.block_id x\n%b = arith.index_cast %bi : index to i32\n"
        f"%bj = gpu.block_id y\n%d = arith.index_cast %bj : index to i32\n"
        f"%one = arith.constant 1 : i32\n%e = arith.subi %b, %one : i32\n"
        f"{source.make('%x', sizes)}{target.make('%y', sizes)}"
        f"%t = nv_tileas.tiled_load %v[{index}, %d] {{{pieces}{load}}} : {source.type}, i32, i32 "
        f"-> {tensor}\n"
        f"nv_tileas.tiled_store %t, %w[%b, %d] {{{pieces}{store}}} : {tensor}, {target.type}, "
        "i32, i32"
    )
    dtype = ELEMENTS[element]

    def arguments(generator: np.random.Generator):
        shape = (rows + 8, columns + 24)
        return [noise(generator, dtype, *shape), noise(generator, dtype, *shape), rows, columns, 64]

    parameters = f"%x: {POINTER}, %y: {POINTER}, %n: i64, %c: i32, %s: i64"
    return Kernel(name, parameters, body, arguments, grid=(5, 3), **options)  # pyright: ignore[reportArgumentType]


LAYOUTS = layouts_of((8, 16))
VIEW_KERNELS = [
    *(copy_kernel(f"layout_{name}", "f32", layout) for name, layout in LAYOUTS.items()),
    *(copy_kernel(f"element_{element}", element, LAYOUTS["plain"]) for element in ELEMENTS),
    *(
        copy_kernel(f"wide_{element}_{name}", element, LAYOUTS[name], vector=8)
        for element in ("f16", "f64", "i1", "tf32", "f8E4M3FN")
        for name in ("vectors", "warps")
    ),
    *(
        copy_kernel(
            f"padding_{element}_{word}", element, LAYOUTS["copies"], more=f", padding = {word}"
        )
        for element, word in (
            *(("f32", "nan"), ("f16", "neg_inf"), ("bf16", "nan"), ("f8E4M3FN", "nan")),
            *(("f64", "pos_inf"), ("tf32", "nan"), ("f8E5M2", "neg_zero"), ("f32", "neg_zero")),
        )
    ),
    copy_kernel("padding_of_op", "f32", LAYOUTS["plain"], load=', padding_value = "pos_inf"'),
    copy_kernel("negative", "f32", LAYOUTS["vectors"], index="%e", vector=4),
    copy_kernel("steps", "f16", LAYOUTS["transposed"], more=", steps = [3, 5]", index="%e"),
    copy_kernel(
        "dim_map", "f32", LAYOUTS["transposed"], more=", dim_map = [1, 0]", dim=0, vector=2
    ),
    copy_kernel(
        "ordered",
        "f32",
        LAYOUTS["plain"],
        load=', mem_semantic = "acquire", mem_scope = "gpu"',
        store=', mem_semantic = "release", mem_scope = "sys"',
        expected=["ld.acquire.gpu.global.b32", "st.release.sys.global.b32", "bar.sync"],
    ),
    copy_kernel(
        "of_block",
        "i8",
        LAYOUTS["plain"],
        load=', mem_semantic = "relaxed", mem_scope = "tl_blk"',
        store=", volatile",
        expected=["ld.relaxed.cta.global.b8", "st.volatile.global.b8"],
    ),
    copy_kernel(
        "in_bounds",
        "f32",
        LAYOUTS["vectors"],
        vector=4,
        load=", in_bounds = array<i1: true, true>",
        store=", in_bounds = array<i1: true, true>",
        rows=40,
        columns=48,
        expected=["ld.global.v4.b32", "st.global.v4.b32"],
    ),
]


@pytest.mark.parametrize("kernel", VIEW_KERNELS, ids=lambda kernel: kernel.name)
def test_tiles_of_views(kernel: Kernel):
    check(kernel)


ALL = [*VIEW_KERNELS]


@pytest.mark.oracle
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_kernels_reach_a_cubin(arch: str, oracle_program: Callable[[str], Path]):
    kernels = [kernel for kernel in ALL if kernel.only in ("", arch)]
    ptx = compile_all(kernels, arch, Ptxas(oracle_program("ptxas")))
    parts = dict(re.findall(r"\.entry (\w+)\((.*?)\n}", ptx, re.DOTALL))
    for kernel in kernels:
        for expected in kernel.expected:
            assert expected in parts[kernel.name], f"{kernel.name} on {arch} has no {expected}"
