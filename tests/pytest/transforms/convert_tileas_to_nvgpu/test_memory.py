"""Accesses to memory: as tiles, as threads, and as PTX that ptxas accepts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load
from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.analysis.matrix_layouts import coordinate_layout
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import grid
from tileiras_xdsl.interpreter.threads.state import CtaThreads
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import misc

from ...harness.passes import lower
from .memory_kernels import (
    Array,
    Kernel,
    check,
    compile_all,
    encoded,
    layouts_of,
    module_of,
    threads_of,
)

# Views

POINTER = "!llvm.ptr<1>"
ELEMENTS = {
    "f32": np.uint32,
    "f16": np.uint16,
    "bf16": np.uint16,
    "f64": np.uint64,
    "i8": np.uint8,
    "i16": np.uint16,
    "i32": np.uint32,
    "i64": np.uint64,
    "i1": np.uint8,
    "tf32": np.uint32,
    "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8,
    "f4E2M1FN": np.uint8,
}


WHOLE = [element for element in ELEMENTS if element != "f4E2M1FN"]
"""Those that do not share bytes."""


def noise(generator: np.random.Generator, dtype: type[Any], *shape: int) -> Array:
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
    pieces = f"nv_tileas.vector = #nv_tileas.vector<width = {vector}, dim = {dim}>"
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
    *(
        copy_kernel(f"halves_{name}_{vector}", "f4E2M1FN", LAYOUTS[name], vector=vector)
        for name in ("plain", "vectors", "copies")
        for vector in (1, 4)
    ),
    copy_kernel("padded_halves", "f4E2M1FN", LAYOUTS["vectors"], more=", padding = neg_zero"),
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


@pytest.mark.every(4)
@pytest.mark.parametrize("kernel", VIEW_KERNELS, ids=lambda kernel: kernel.name)
def test_tiles_of_views(kernel: Kernel):
    check(kernel)


def masked_kernel(name: str, layout: LinearLayout, vector: int, mask: LinearLayout) -> Kernel:
    """Stores a tile where a mask, which was loaded too, is true."""
    tensor, masks = f"tensor<8x16xf32, {encoded(layout)}>", f"tensor<8x16xi1, {encoded(mask)}>"
    view = View("v", "f32", "8x16", "16, 1", "8x16")
    target = View("w", "f32", "8x16", "16, 1", "8x16")
    bits = View("m", "i1", "8x16", "16, 1", "8x16")
    pieces = f"nv_tileas.vector = #nv_tileas.vector<width = {vector}, dim = 1>"
    body = (
        f"%zero = arith.constant 0 : i32\n{view.make('%x')}{target.make('%y')}{bits.make('%z')}"
        f"%t = nv_tileas.tiled_load %v[%zero, %zero] {{{pieces}}} : {view.type}, i32, i32 -> "
        f"{tensor}\n"
        f"%k = nv_tileas.tiled_load %m[%zero, %zero] {{{pieces}}} : {bits.type}, i32, i32 -> "
        f"{masks}\n"
        f"nv_tileas.tiled_store %t, %w[%zero, %zero] mask(%k : {masks}) {{{pieces}}} : {tensor}, "
        f"{target.type}, i32, i32"
    )

    def arguments(generator: np.random.Generator):
        arrays = [noise(generator, np.uint32, 8, 16) for _ in range(2)]
        return [*arrays, generator.integers(0, 2, (8, 16)).astype(np.uint8)]

    return Kernel(name, f"%x: {POINTER}, %y: {POINTER}, %z: {POINTER}", body, arguments)


@pytest.mark.parametrize("name", LAYOUTS)
def test_masked_stores(name: str):
    check(masked_kernel("masked", LAYOUTS[name], 4, LAYOUTS[name]))


def test_masks_have_the_layout_of_the_tile():
    kernel = masked_kernel("masked", LAYOUTS["plain"], 1, LAYOUTS["vectors"])
    with pytest.raises(DiagnosticException, match="expects a mask in the layout of the tile"):
        threads_of(module_of([kernel]))


# Gather and scatter


def sparse_kernel(name: str, layout: LinearLayout, dim: int, vector: int, index: str) -> Kernel:
    """Gathers rows or columns of a tensor, and scatters them to others."""
    shape = (8, 16)
    rows = coordinate_layout(layout, dim)
    coordinates = f"tensor<{shape[dim]}x{index}, {encoded(rows)}>"
    tensor = f"tensor<8x16xf16, {encoded(layout)}>"
    view = View("v", "f16", "?x?", "64, 1", "8x16", f", steps = [1, 1], sparse_dim = {dim}")
    target = View("w", "f16", "?x?", "64, 1", "8x16", f", steps = [1, 1], sparse_dim = {dim}")
    lists = View("l", index, "?", "1", str(shape[dim]))
    sizes = "sizes(%n, %c : i32, i32)"
    places = "%r, %o" if dim == 0 else "%o, %r"
    types = f"{coordinates}, i32" if dim == 0 else f"i32, {coordinates}"
    pieces = f"nv_tileas.vector = #nv_tileas.vector<width = {vector}, dim = {1 - dim}>"
    body = (
        f"{view.make('%x', sizes)}{target.make('%y', sizes)}{lists.make('%z', 'sizes(%n : i32)')}"
        "%bi = gpu.block_id x\n%b = arith.index_cast %bi : index to i32\n"
        f"%r = nv_tileas.tiled_load %l[%b] {{}} : {lists.type}, i32 -> {coordinates}\n"
        f"%t = nv_tileas.gather_load %v[{places}] {{{pieces}}} : {view.type}, {types} -> {tensor}\n"
        f"nv_tileas.scatter_store %t, %w[{places}] {{{pieces}}} : {tensor}, {target.type}, {types}"
    )

    def arguments(generator: np.random.Generator):
        numbers = np.arange(-10, 54)
        generator.shuffle(numbers)
        return [
            noise(generator, np.uint16, 48, 64),
            noise(generator, np.uint16, 48, 64),
            numbers.astype(np.dtype(index.replace("i", "int"))),
            40,
            44,
            8,
        ]

    parameters = f"%x: {POINTER}, %y: {POINTER}, %z: {POINTER}, %n: i32, %c: i32, %o: i32"
    return Kernel(name, parameters, body, arguments)


SPARSE_KERNELS = [
    *(sparse_kernel(f"rows_{name}", LAYOUTS[name], 0, 1, "i32") for name in LAYOUTS),
    *(sparse_kernel(f"columns_{name}", LAYOUTS[name], 1, 1, "i64") for name in LAYOUTS),
    sparse_kernel("rows_wide", LAYOUTS["vectors"], 0, 4, "i32"),
]


def test_coordinates_have_the_layout_of_the_tile():
    kernel = sparse_kernel("rows", LAYOUTS["plain"], 0, 1, "i32")
    rows = encoded(coordinate_layout(LAYOUTS["plain"], 0))
    body = kernel.body.replace(rows, encoded(blocked((8,), 4)))
    with pytest.raises(DiagnosticException, match="expects coordinates in the layout"):
        threads_of(module_of([replace(kernel, body=body)]))


@pytest.mark.parametrize("kernel", SPARSE_KERNELS, ids=lambda kernel: kernel.name)
def test_gather_and_scatter(kernel: Kernel):
    check(kernel)


# Pointers


def tensor_of(element: str, layout: LinearLayout) -> str:
    """The type of a tile in a layout."""
    shape = "".join(f"{size}x" for size in layout.shape)
    return f"tensor<{shape}{element}, {encoded(layout)}>"


class Vectors:
    """Ops that load vectors of one block, and make pointers of offsets."""

    def __init__(self, layout: LinearLayout):
        self.layout = layout
        self.lines: list[str] = []

    def load(self, name: str, pointer: str, element: str) -> None:
        """A tile from memory."""
        view = View(f"v_{name}", element, str(self.layout.elements), "1", str(self.layout.elements))
        self.lines.append(
            view.make(pointer)
            + f"%{name} = nv_tileas.tiled_load %v_{name}[%zero] {{}} : {view.type}, i32 -> "
            f"{tensor_of(element, self.layout)}"
        )

    def store(self, value: str, pointer: str, element: str) -> None:
        """A tile to memory."""
        name = value[1:]
        view = View(f"s_{name}", element, str(self.layout.elements), "1", str(self.layout.elements))
        self.lines.append(
            view.make(pointer) + f"nv_tileas.tiled_store {value}, %s_{name}[%zero] {{}} : "
            f"{tensor_of(element, self.layout)}, {view.type}, i32"
        )

    def pointers(self, name: str, base: str, offsets: str, offset: str, element: str) -> None:
        """A pointer to an element for each offset."""
        ty = tensor_of(POINTER, self.layout)
        self.lines.append(
            f"%{name}_b = nv_tileaa.splat {base} : {POINTER} to {ty}\n"
            f"%{name} = nv_tileaa.addptr %{name}_b, {offsets} {{elem_type = {element}}} : {ty}, "
            f"{tensor_of(offset, self.layout)}"
        )

    def text(self) -> str:
        return "\n".join(["%zero = arith.constant 0 : i32", *self.lines])


FLAT = layouts_of((256,)) | {"few": blocked((16,), 4)}
FOUR_POINTERS = f"%x: {POINTER}, %y: {POINTER}, %o: {POINTER}, %m: {POINTER}"


def pointer_kernel(
    name: str,
    element: str,
    layout: LinearLayout,
    *,
    vector: int = 1,
    load: str = "",
    store: str = "",
    masked: bool = True,
    **options: object,
) -> Kernel:
    """Moves elements through pointers, from places and to places that are a permutation."""
    vectors = Vectors(layout)
    vectors.load("p", "%o", "i32")
    vectors.pointers("q", "%x", "%p", "i32", element)
    vectors.pointers("r", "%y", "%p", "i32", element)
    count = layout.elements
    types = [tensor_of(each, layout) for each in (POINTER, element, "i1")]
    mask, other = "", ""
    if masked:
        vectors.load("k", "%m", "i1")
        vectors.load("e", "%x", element)
        mask = f"mask(%k : {types[2]})"
        other = f"other(%e : {types[1]})"
    pieces = f"nv_tileas.vector = #nv_tileas.vector<width = {vector}, dim = 0>"
    vectors.lines += [
        f"%t = nv_tileas.load %q {mask} {other} {{{pieces}{load}}} : {types[0]} -> {types[1]}",
        f"nv_tileas.store %r, %t {mask} {{{pieces}{store}}} : {types[0]}, {types[1]}",
    ]
    dtype = ELEMENTS[element]

    def arguments(generator: np.random.Generator):
        order = generator.permutation(count // vector)[:, None] * vector + np.arange(vector)
        mask = np.repeat(generator.integers(0, 2, count // vector), vector)
        return [
            noise(generator, dtype, count),
            noise(generator, dtype, count),
            order.reshape(-1).astype(np.int32),
            mask.astype(np.uint8),
        ]

    return Kernel(name, FOUR_POINTERS, vectors.text(), arguments, **options)  # pyright: ignore[reportArgumentType]


def scalar_kernel(name: str, element: str, load: str = "", store: str = "", **options: object):
    """Copies scalars, with and without masks."""
    lines = [
        f"%k = nv_tileas.load %m {{}} : {POINTER} -> i1",
        f"%e = nv_tileas.load %o {{}} : {POINTER} -> {element}",
        f"%a = nv_tileas.load %x {{{load}}} : {POINTER} -> {element}",
        f"%b = nv_tileas.load %x mask(%k : i1) other(%e : {element}) {{{load}}} : {POINTER} -> "
        f"{element}",
        "%one = arith.constant 1 : i32",
        f"%y1 = nv_tileaa.addptr %y, %one {{elem_type = {element}}} : {POINTER}, i32",
        f"%y2 = nv_tileaa.addptr %y1, %one {{elem_type = {element}}} : {POINTER}, i32",
        f"nv_tileas.store %y, %a {{{store}}} : {POINTER}, {element}",
        f"nv_tileas.store %y1, %b {{{store}}} : {POINTER}, {element}",
        f"nv_tileas.store %y2, %b mask(%k : i1) {{{store}}} : {POINTER}, {element}",
    ]

    def arguments(generator: np.random.Generator):
        arrays = [noise(generator, ELEMENTS[element], 4) for _ in range(3)]
        return [*arrays, generator.integers(0, 2, 1).astype(np.uint8)]

    return Kernel(name, FOUR_POINTERS, "\n".join(lines), arguments, **options)  # pyright: ignore[reportArgumentType]


POINTER_KERNELS = [
    *(pointer_kernel(f"through_{name}", "f32", layout) for name, layout in FLAT.items()),
    *(pointer_kernel(f"through_{element}", element, FLAT["warps"]) for element in WHOLE),
    *(
        pointer_kernel(f"through_pieces_{element}", element, FLAT["vectors"], vector=4)
        for element in ("f32", "f16", "i1", "f8E5M2", "f64")
    ),
    pointer_kernel("unmasked", "f32", FLAT["vectors"], vector=4, masked=False),
    pointer_kernel(
        "acquire",
        "i64",
        FLAT["plain"],
        masked=False,
        load=', mem_semantic = "acquire", mem_scope = "sys"',
        store=', mem_semantic = "release", mem_scope = "tl_blk"',
        expected=["ld.acquire.sys.global.b64", "st.release.cta.global.b64"],
    ),
    *(scalar_kernel(f"scalar_{element}", element) for element in ELEMENTS),
    scalar_kernel(
        "scalar_ordered",
        "i64",
        'mem_semantic = "acquire", mem_scope = "gpu"',
        'mem_semantic = "release", mem_scope = "gpu"',
        expected=["ld.acquire.gpu.global.b64", "st.release.gpu.global.b64", "bar.sync"],
    ),
    scalar_kernel(
        "scalar_volatile", "f32", "volatile", "volatile", expected=["ld.volatile.global.b32"]
    ),
]


@pytest.mark.every(4)
@pytest.mark.parametrize("kernel", POINTER_KERNELS, ids=lambda kernel: kernel.name)
def test_pointers(kernel: Kernel):
    check(kernel)


# Atomics

INTEGERS = ("i32", "i64")
MODES = {
    **dict.fromkeys(("and", "or", "xor", "add", "addu", "max", "min", "umax", "umin"), INTEGERS),
    "xchg": ("i32", "f32", "f64"),
}
FLOAT_MODES = {
    "addf": ("f32", "f64", "f16", "bf16"),
    "max": ("f32", "f64", "f16", "bf16"),
    "min": ("f32", "f16"),
}
NUMBERS = {"f32": np.float32, "f64": np.float64, "f16": np.float16}


def numbers(generator: np.random.Generator, element: str, count: int) -> Array:
    """Numbers whose sums are exact, as arrays of any type of their size."""
    values = generator.integers(-8, 8, count)
    if element.startswith("i"):
        return noise(generator, ELEMENTS.get(element, np.uint32), count)
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(NUMBERS[element])


def update_kernel(
    name: str,
    mode: str,
    element: str,
    layout: LinearLayout,
    *,
    order: str = 'mem_semantic = "relaxed", mem_scope = "gpu"',
    places: int | None = None,
    **options: object,
) -> Kernel:
    """
    Changes elements through pointers, masked, and stores what was there; or, with fewer places
    than elements, changes them several times.
    """
    vectors = Vectors(layout)
    vectors.load("p", "%o", "i32")
    vectors.load("k", "%m", "i1")
    vectors.load("a", "%y", element)
    vectors.pointers("q", "%x", "%p", "i32", element)
    types = [tensor_of(each, layout) for each in (POINTER, element, "i1")]
    if mode == "cas":
        vectors.lines.append(
            f"%n = arith.constant {layout.elements} : i32\n"
            f"%z = nv_tileaa.addptr %y, %n {{elem_type = {element}}} : {POINTER}, i32"
        )
        vectors.load("c", "%z", element)
        vectors.lines.append(
            f"%old = nv_tileaa.atomic_cas %q, %a, %c mask(%k : {types[2]}) {{{order}}} : "
            f"{types[0]} -> {types[1]}"
        )
    else:
        vectors.lines.append(
            f"%old = nv_tileaa.atomic_rmw %q, %a mask(%k : {types[2]}) "
            f'{{rmw_mode = "{mode}", {order}}} : {types[0]}, {types[1]} -> {types[1]}'
        )
    if places is None:
        vectors.store("%old", "%y", element)
    count = layout.elements

    def arguments(generator: np.random.Generator):
        targets = generator.permutation(count) if places is None else None
        if targets is None:
            targets = generator.integers(0, places, count)
        memory = numbers(generator, element, count)
        values = numbers(generator, element, 2 * count)
        if mode == "cas":
            values[:count:2] = memory[targets][::2]
        return [
            memory,
            values,
            targets.astype(np.int32),
            generator.integers(0, 2, count).astype(np.uint8),
        ]

    return Kernel(name, FOUR_POINTERS, vectors.text(), arguments, **options)  # pyright: ignore[reportArgumentType]


def scalar_update_kernel(name: str, mode: str, element: str, order: str, **options: object):
    """Changes a scalar, and stores what was there."""
    update = f'nv_tileaa.atomic_rmw %x, %v mask(%k : i1) {{rmw_mode = "{mode}", {order}}} : '
    update += f"{POINTER}, {element} -> {element}"
    if mode == "cas":
        update = f"nv_tileaa.atomic_cas %x, %v, %v {{{order}}} : {POINTER} -> {element}"
    lines = [
        f"%k = nv_tileas.load %m {{}} : {POINTER} -> i1",
        f"%v = nv_tileas.load %o {{}} : {POINTER} -> {element}",
        f"%old = {update}",
        f"nv_tileas.store %y, %old {{}} : {POINTER}, {element}",
    ]

    def arguments(generator: np.random.Generator):
        arrays = [numbers(generator, element, 4) for _ in range(3)]
        return [*arrays, generator.integers(0, 2, 1).astype(np.uint8)]

    return Kernel(name, FOUR_POINTERS, "\n".join(lines), arguments, grid=(3,), **options)  # pyright: ignore[reportArgumentType]


def tile_update_kernel(
    name: str,
    mode: str,
    element: str,
    layout: LinearLayout,
    vector: int = 1,
    expected: Sequence[str] = (),
) -> Kernel:
    """Changes tiles of a view that overlap."""
    tensor = tensor_of(element, layout)
    source = View("v", element, "24x16", "16, 1", "8x16")
    target = View("w", element, "?x?", "64, 1", "8x16", ", steps = [4, 16]")
    body = (
        "%zero = arith.constant 0 : i32\n"
        "%bi = gpu.block_id x\n%b = arith.index_cast %bi : index to i32\n"
        f"{source.make('%y')}{target.make('%x', 'sizes(%n, %c : i32, i32)')}"
        f"%t = nv_tileas.tiled_load %v[%b, %zero] {{}} : {source.type}, i32, i32 -> {tensor}\n"
        f'nv_tileas.tiled_atomic_rmw %w[%b, %zero], %t {{rmw_mode = "{mode}", '
        f"nv_tileas.vector = #nv_tileas.vector<width = {vector}, dim = 1>, "
        f'mem_semantic = "relaxed", mem_scope = "gpu"}} : {target.type}, {tensor}, i32, i32'
    )

    def arguments(generator: np.random.Generator):
        return [
            numbers(generator, element, 32 * 64),
            numbers(generator, element, 24 * 16),
            13,
            12,
        ]

    parameters = f"%x: {POINTER}, %y: {POINTER}, %n: i32, %c: i32"
    return Kernel(name, parameters, body, arguments, grid=(3,), expected=expected)


ORDERS = (
    ("acquire", "sys", "atom.acquire.sys"),
    ("release", "gpu", "atom.release.gpu"),
    ("acq_rel", "tl_blk", "atom.acq_rel.cta"),
    ("seq_cst", "gpu", "fence.sc.gpu"),
)
ATOMIC_KERNELS = [
    *(
        update_kernel(f"update_{mode}_{element}", mode, element, FLAT["vectors"])
        for mode, elements in MODES.items()
        for element in elements
    ),
    *(
        update_kernel(f"update_float_{mode}_{element}", mode, element, FLAT["transposed"])
        for mode, elements in FLOAT_MODES.items()
        for element in elements
    ),
    *(
        update_kernel(f"update_{name}", "add", "i32", layout, expected=["atom.relaxed.gpu"])
        for name, layout in FLAT.items()
    ),
    update_kernel("histogram", "add", "i32", FLAT["warps"], places=7, expected=["red.relaxed.gpu"]),
    update_kernel("sum", "addf", "f16", FLAT["copies"], places=7, expected=["red.relaxed.gpu"]),
    update_kernel("largest", "max", "f32", FLAT["few"], places=3, expected=["cas.b32"]),
    *(update_kernel(f"exchange_{name}", "cas", "i64", FLAT[name]) for name in ("plain", "few")),
    update_kernel("exchange_float", "cas", "f32", FLAT["warps"], expected=["cas.b32"]),
    *(
        update_kernel(
            f"order_{semantic}",
            "add",
            "i32",
            FLAT["plain"],
            order=f'mem_semantic = "{semantic}", mem_scope = "{scope}"',
            expected=[expected],
        )
        for semantic, scope, expected in ORDERS
    ),
    *(
        scalar_update_kernel(
            f"scalar_{mode}_{semantic}",
            mode,
            "i32",
            f'mem_semantic = "{semantic}", mem_scope = "{scope}"',
            expected=[expected],
        )
        for mode in ("add", "cas")
        for semantic, scope, expected in ORDERS
    ),
    scalar_update_kernel("scalar_max", "max", "f64", 'mem_semantic = "relaxed", mem_scope = "sys"'),
    *(tile_update_kernel(f"tile_{name}", "add", "i32", LAYOUTS[name]) for name in LAYOUTS),
    tile_update_kernel("tile_addf", "addf", "f16", LAYOUTS["vectors"]),
    tile_update_kernel(
        "tile_v4", "addf", "f32", LAYOUTS["vectors"], 4, ["red.relaxed.gpu.global.add.v4.f32"]
    ),
    tile_update_kernel(
        "tile_v2", "addf", "f16", LAYOUTS["warps"], 4, ["red.relaxed.gpu.global.add.noftz.v2.f16x2"]
    ),
    tile_update_kernel(
        "tile_x2",
        "addf",
        "bf16",
        LAYOUTS["vectors"],
        2,
        ["red.relaxed.gpu.global.add.noftz.bf16x2"],
    ),
    tile_update_kernel("tile_min", "min", "f32", LAYOUTS["vectors"]),
]


@pytest.mark.every(5)
@pytest.mark.parametrize("kernel", ATOMIC_KERNELS, ids=lambda kernel: kernel.name)
def test_atomics(kernel: Kernel):
    check(kernel, arch="sm_90" if "x2" in kernel.name or "v" in kernel.name else "sm_80")


# Everything else

GLOBALS = (
    "nv_tileaa.global @table {value = dense<[1, 2, 4, 8]> : tensor<4xi32>, "
    "alignment = 64 : i64, constant}\n"
    "nv_tileaa.global @counter {value = dense<0> : tensor<1xi32>}\n"
    "nv_tileaa.global @halves {value = dense<[1, 2, 3, 4]> : tensor<4xi4>}\n"
)
ORDER = 'mem_semantic = "relaxed", mem_scope = "gpu"'


def one_pointer(name: str, body: str, count: int = 512, **options: object) -> Kernel:
    """A kernel that takes an array of i32."""

    def arguments(generator: np.random.Generator):
        return [generator.integers(-99, 99, count).astype(np.int32)]

    return Kernel(name, f"%x: {POINTER}", body, arguments, **options)  # pyright: ignore[reportArgumentType]


def block_memory(name: str, flags: str, alignment: int = 16, **options: object) -> Kernel:
    """Turns a vector round by way of memory of the block."""
    vectors = Vectors(FLAT["vectors"])
    vectors.load("a", "%x", "i32")
    offsets = tensor_of("i32", vectors.layout)
    vectors.lines += [
        "%many = arith.constant 256 : i32",
        f"%p = nv_tileaa.addptr %x, %many {{elem_type = i32}} : {POINTER}, i32",
        f"%m = nv_tileaa.alloca {{num_elem = 256 : i64, alignment = {alignment} : i64, "
        f"elem_type = i32{flags}}} : {POINTER}",
    ]
    vectors.load("r", "%p", "i32")
    vectors.pointers("q", "%m", "%r", "i32", "i32")
    pointers = tensor_of(POINTER, vectors.layout)
    order = 'mem_semantic = "{}", mem_scope = "tl_blk"'
    vectors.lines += [
        f"nv_tileas.store %q, %a {{{order.format('release')}}} : {pointers}, {offsets}",
        f"%z = nv_tileas.load %q {{{order.format('acquire')}}} : {pointers} -> {offsets}",
    ]
    vectors.store("%z", "%x", "i32")

    def arguments(generator: np.random.Generator):
        return [np.concatenate([generator.permutation(256), generator.permutation(256)])]

    return Kernel(
        name,
        f"%x: {POINTER}",
        vectors.text(),
        lambda generator: [each.astype(np.int32) for each in arguments(generator)],
        **options,  # pyright: ignore[reportArgumentType]
    )


OTHER_KERNELS = [
    one_pointer(
        "variables",
        f"%t = nv_tileaa.get_global @table : {POINTER}\n"
        f"%c = nv_tileaa.get_global @counter : {POINTER}\n"
        f"%h = nv_tileaa.get_global @halves : {POINTER}\n"
        "%two = arith.constant 2 : i32\n"
        f"%u = nv_tileaa.addptr %t, %two {{elem_type = i32}} : {POINTER}, i32\n"
        f"%v = nv_tileas.load %u {{}} : {POINTER} -> i32\n"
        f'%o = nv_tileaa.atomic_rmw %c, %v {{rmw_mode = "add", {ORDER}}} : {POINTER}, i32 -> i32\n'
        f"%w = nv_tileas.load %h {{}} : {POINTER} -> i16\n"
        f"nv_tileas.store %x, %o {{}} : {POINTER}, i32\n"
        f"nv_tileas.store %u2, %w {{}} : {POINTER}, i16".replace(
            "nv_tileas.store %u2",
            f"%u2 = nv_tileaa.addptr %x, %two {{elem_type = i32}} : {POINTER}, i32\n"
            "nv_tileas.store %u2",
        ),
        grid=(3,),
        globals=GLOBALS,
    ),
    block_memory("block_memory", "", alignment=256, expected=["shared"]),
    one_pointer(
        "shapes",
        "%n = arith.constant 100 : i32\n%one = arith.constant 1 : i32\n"
        + View("v", "i32", "?x7", "?, 1", "4x2", ", dim_map = [1, 0], steps = [3, 8]").make(
            "%x", "sizes(%n : i32) strides(%n : i32)"
        )
        + "%a, %b = nv_tileaa.get_tensor_shape %v_m : !nv_tileaa.memref<?x7xi32, "
        "strides = [?, 1]> -> i32, i64\n"
        "%c, %d = nv_tileaa.get_index_space_shape %v : !nv_tileaa.tiled_view<4x2, "
        "!nv_tileaa.memref<?x7xi32, strides = [?, 1]>, dim_map = [1, 0], steps = [3, 8]> "
        "-> i32, i32\n"
        f"%p = nv_tileaa.addptr %x, %one {{elem_type = i32}} : {POINTER}, i32\n"
        f"%q = nv_tileaa.addptr %p, %one {{elem_type = i32}} : {POINTER}, i32\n"
        f"%i = nv_tileaa.ptr_to_int %q : {POINTER} to i64\n"
        f"%r = nv_tileaa.int_to_ptr %i : i64 to {POINTER}\n"
        f"nv_tileas.store %x, %a {{}} : {POINTER}, i32\n"
        f"nv_tileas.store %p, %c {{}} : {POINTER}, i32\n"
        f"nv_tileas.store %r, %d {{}} : {POINTER}, i32",
    ),
    one_pointer(
        "fences",
        "nv_tileaa.memory_fence_alias_tko\nnv_tileaa.gdc_wait_tko\n"
        "nv_tileaa.gdc_launch_dependents_tko",
        expected=["fence.proxy.alias", "griddepcontrol.wait"],
    ),
]


@pytest.mark.parametrize("kernel", OTHER_KERNELS, ids=lambda kernel: kernel.name)
def test_everything_else(kernel: Kernel):
    check(kernel)


PRINTS = [
    (
        "scalars",
        f"%a = nv_tileas.load %x {{}} : {POINTER} -> i64\n"
        f"%b = nv_tileas.load %x {{}} : {POINTER} -> i8\n"
        f"%c = nv_tileas.load %x {{}} : {POINTER} -> i1\n"
        "%d = arith.constant 1.5 : f32\n"
        'nv_tileaa.print "%5d|%x|%hhd%%|%d %f %+.2e %d %f\\0A", %a, %a, %b, %c, %d, %d, %d, %b : '
        "i64, i64, i8, i1, f32, f32, f32, i8",
    ),
    ("tile", 'nv_tileaa.print "%d and %x;\\0A", %a, %a : TILE, TILE'),
    ("no_values", 'nv_tileaa.print "here\\0A"'),
]


@pytest.mark.parametrize("name", ["few", "vectors"])
@pytest.mark.parametrize("text", [text for _, text in PRINTS], ids=[name for name, _ in PRINTS])
def test_print(name: str, text: str, capsys: pytest.CaptureFixture[str]):
    body = text
    if "TILE" in text:
        vectors = Vectors(FLAT[name])
        vectors.load("a", "%x", "i32")
        vectors.lines.append(text.replace("TILE", tensor_of("i32", FLAT[name])))
        body = vectors.text()
    kernel = one_pointer("print", body, grid=(2,))
    module = module_of([kernel])
    printed: list[str] = []
    for each in (module, threads_of(module)):
        run(each, grid=kernel.grid, args=kernel.arguments(np.random.default_rng(0)))
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") == 2


@pytest.mark.parametrize("name", ["few", "warps"])
def test_assert(name: str):
    vectors = Vectors(FLAT[name])
    vectors.load("a", "%x", "i1")
    condition = tensor_of("i1", FLAT[name])
    vectors.lines.append(f'nv_tileaa.assert %a, "all of them" : {condition}')
    module = threads_of(module_of([one_pointer("assert", vectors.text())]))
    good = np.ones(256, np.uint8)
    run(module, grid=1, args=[good])
    good[13] = 0
    with pytest.raises(ExecutionError, match="all of them"):
        run(module, grid=1, args=[good])


def pieces_of_heap() -> Kernel:
    """Moves two vectors to memory on the heap and back, in parts of different alignments."""
    vectors = Vectors(FLAT["vectors"])
    values, pointers = (tensor_of(each, vectors.layout) for each in ("i32", POINTER))
    vectors.lines += [
        "%many = arith.constant 256 : i32",
        f"%y = nv_tileaa.addptr %x, %many {{elem_type = i32}} : {POINTER}, i32",
    ]
    vectors.load("a", "%x", "i32")
    vectors.load("b", "%y", "i32")
    for name, count, alignment in (("m", 3, 4), ("n", 256, 128), ("o", 256, 16)):
        vectors.lines.append(
            f"%{name} = nv_tileaa.alloca {{num_elem = {count} : i64, "
            f"alignment = {alignment} : i64, elem_type = i32, global}} : {POINTER}"
        )
    vectors.pointers("p", "%n", "%a", "i32", "i32")
    vectors.pointers("q", "%o", "%a", "i32", "i32")
    order = 'mem_semantic = "{}", mem_scope = "tl_blk"'
    release, acquire = map(order.format, ("release", "acquire"))
    vectors.lines += [
        f"nv_tileas.store %p, %a {{{release}}} : {pointers}, {values}",
        f"nv_tileas.store %q, %b {{{release}}} : {pointers}, {values}",
        f"%c = nv_tileas.load %p {{{acquire}}} : {pointers} -> {values}",
        f"%d = nv_tileas.load %q {{{acquire}}} : {pointers} -> {values}",
    ]
    vectors.store("%c", "%x", "i32")
    vectors.store("%d", "%y", "i32")
    numbers = np.arange(512, dtype=np.int32)
    return Kernel("pieces", f"%x: {POINTER}", vectors.text(), lambda _: [numbers.copy()])


def run_with_heap(monkeypatch: pytest.MonkeyPatch, full: int) -> tuple[Array, list[int]]:
    """Runs two CTAs with a heap that has nothing for them so often; what was asked of it."""
    asked: list[int] = []
    malloc = grid._malloc  # pyright: ignore[reportPrivateUsage]

    def play(cta: CtaThreads, size: Array) -> Array:
        (wanted,) = cta.full(size)[cta.active_mask()]
        asked.append(int(wanted))
        return malloc(cta, size) if len(asked) > full else np.zeros(cta.threads, np.int64)

    monkeypatch.setattr(grid, "_malloc", play)
    data = np.arange(512, dtype=np.int32)
    run(threads_of(module_of([pieces_of_heap()])), grid=2, args=[data], check=["races"])
    return data, asked


@pytest.mark.parametrize("full", [0, 1, 3])
def test_a_heap_that_is_full_for_a_while(monkeypatch: pytest.MonkeyPatch, full: int):
    """A CTA asks for all its memory at once, and again if there is none."""
    monkeypatch.setattr(misc, "HEAP_RETRIES", 3)
    data, asked = run_with_heap(monkeypatch, full)
    np.testing.assert_array_equal(data, np.arange(512))
    assert len(asked) == full + 2
    # 12 bytes up to a multiple of 128, two vectors, and as much as aligns them.
    assert set(asked) == {128 + 2 * 1024 + 128}


def test_a_heap_that_stays_full(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(misc, "HEAP_RETRIES", 3)
    with pytest.raises(ExecutionError, match="the heap of the device has no 2304 bytes left"):
        run_with_heap(monkeypatch, 100)


def test_the_address_on_the_heap_is_read_before_what_follows_writes_there():
    """The address goes through scratch memory, and so does what the kernel exchanges first."""
    everywhere = FLAT["few"]
    vectors = Vectors(everywhere.replaced(lane=[1, 2, 0, 0, 0], warp=[4, 8]))
    parts, whole = (tensor_of("i32", each) for each in (vectors.layout, everywhere))
    vectors.load("a", "%x", "i32")
    for name in "mn":
        vectors.lines.append(
            f"%{name} = nv_tileaa.alloca {{num_elem = 256 : i64, alignment = 16 : i64, "
            f"elem_type = i32, global}} : {POINTER}"
        )
    vectors.lines += [
        f"%b = nv_tileas.convert_layout %a : {parts} -> {whole}",
        f"%c = nv_tileas.convert_layout %b : {whole} -> {parts}",
    ]
    vectors.store("%c", "%x", "i32")
    numbers = np.arange(16, dtype=np.int32)
    kernel = Kernel("exchange", f"%x: {POINTER}", vectors.text(), lambda _: [numbers])
    data = numbers.copy()
    run(threads_of(module_of([kernel])), grid=1, args=[data], check=["races"])
    np.testing.assert_array_equal(data, numbers)


COMPILED_ONLY = [
    block_memory(
        "heap",
        ", global",
        alignment=64,
        expected=["malloc", "nanosleep", "free", "__assertfail"],
    ),
    one_pointer("prints", PRINTS[0][1], expected=["vprintf"]),
]

ALL = [
    *VIEW_KERNELS,
    *SPARSE_KERNELS,
    *POINTER_KERNELS,
    *ATOMIC_KERNELS,
    *OTHER_KERNELS,
    *COMPILED_ONLY,
]


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.oracle
@pytest.mark.parametrize(
    ("arch", "first"),
    [
        ("sm_90", 1),
        ("sm_80", 3),
        *(pytest.param("sm_90", first, marks=pytest.mark.long) for first in (5, 9)),
        *(pytest.param("sm_80", first, marks=pytest.mark.long) for first in (7, 11)),
    ],
)
def test_kernels_reach_a_cubin(arch: str, first: int, oracle_program: Callable[[str], Path]):
    chosen = ALL[first::12]
    kernels = [each for each in ALL if each in chosen or (each.expected and arch == "sm_90")]
    ptx = compile_all(kernels, arch, Ptxas(oracle_program("ptxas")))
    parts = dict(re.findall(r"\.entry (\w+)\((.*?)\n}", ptx, re.DOTALL))
    for kernel in kernels if arch == "sm_90" else ():
        for expected in kernel.expected:
            assert expected in parts[kernel.name], f"{kernel.name} on {arch} has no {expected}"


def test_no_rows_are_scattered_to_a_tensor_of_a_negative_size():
    view = "gather_scatter_view<tile=(4), tensor_view<?xi32, strides=[1]>, sparse_dim=0>"
    module = load(f"""
    entry @k(%out: tile<ptr<i32>>, %n: tile<i32>) {{
      %rows = iota : tile<4xi32>
      %tensor = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32>
        -> tensor_view<?xi32, strides=[1]>
      %view = make_gather_scatter_view %tensor : {view}
      %t = store_view_tko weak %rows, %view[%rows] : tile<4xi32>, {view}, tile<4xi32> -> token
      return
    }}""")
    lowered = lower(module, "nvgpu")
    for size in (-4, 3):
        out = np.full(4, 9, np.int32)
        run(lowered, grid=1, args=[out, size])
        assert out.tolist() == [*range(max(size, 0)), *[9] * (4 - max(size, 0))]
