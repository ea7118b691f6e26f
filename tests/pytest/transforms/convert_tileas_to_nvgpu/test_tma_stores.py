"""Stores of TMA tiles: where elements go in shared memory, and code that ptxas takes."""

from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import bf16, f16, f32, i8, i32
from xdsl.ir import Attribute

import tileiras_xdsl
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.analysis.matrix_layouts import coalesced, wgmma_accumulator
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.backend.compile import compile_module
from tileiras_xdsl.dialects.arith import IndexCastOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.dialects.nvvm import ShflOp
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import StoreSubtiles, tma_store_bytes

from ...harness.passes import run_steps
from ...strategies.hopper_kernels import gemm

ROWS = 128 * 1024


def view_type(
    shape: tuple[int, ...], element: Attribute, dim_map: tuple[int, ...] | None = None
) -> TiledViewType:
    """A view of a tensor whose last dimension is the fastest."""
    strides = [None] * (len(shape) - 1) + [1]
    memref = MemRefType(element, [None] * len(shape), strides)
    return TiledViewType(shape, memref, dim_map)


def swizzled(address: int, swizzle: int) -> int:
    """Where the hardware has a byte of a TMA tile: parts of 16 bytes change places."""
    pieces = swizzle // 16
    return address ^ (address // 128 % pieces * 16 if pieces else 0)


def expected_places(tiling: TmaTiling) -> dict[tuple[int, ...], int]:
    """Of each element of a TMA tile, by dimension of the tensor, its byte behind the first."""
    found: dict[tuple[int, ...], int] = {}
    for number in range(prod(tiling.box)):
        position = unflatten(number, tiling.box)
        found[position] = swizzled(number * tiling.element_bytes, tiling.swizzle)
    return found


def check(ty: TiledViewType, layout: LinearLayout, limit: int) -> StoreSubtiles:
    """Checks that each element of a tile is written where the copy of its box reads it."""
    tiling = TmaTiling.of(ty)
    assert tiling is not None
    layout = layout.compressed()
    store = StoreSubtiles.of(tiling, layout, limit)
    assert store is not None
    assert store.bytes <= limit
    inside = expected_places(tiling)
    dims = ty.get_dim_map()
    seen: set[tuple[int, ...]] = set()
    for subtile in store.subtiles:
        written: dict[tuple[int, ...], int] = {}
        for warp, lane in product(range(layout.warps), range(32)):
            for at, register in enumerate(subtile.registers):
                number = layout.element(register=register, lane=lane, warp=warp)
                place = store.offsets.element(register=at, lane=lane, warp=warp)
                assert written.setdefault(layout.coordinates(number), place) == place
        for start, offset in subtile.tma_tiles:
            assert offset % 1024 == 0 or len(subtile.tma_tiles) == 1
            for position, byte in inside.items():
                of_tensor = [a + b for a, b in zip(start, position, strict=True)]
                of_tile = tuple(of_tensor[dims[dim]] for dim in range(ty.rank))
                assert written.pop(of_tile) * tiling.element_bytes == offset + byte
                assert of_tile not in seen
                seen.add(of_tile)
        assert not written
    assert len(seen) == prod(ty.get_tile_shape())
    return store


@pytest.mark.every(7)
@pytest.mark.parametrize("element", [f16, bf16, f32, i32, i8], ids=str)
@pytest.mark.parametrize("leading", range(4))
def test_accumulators(element: Attribute, leading: int):
    layout = wgmma_accumulator((64, 128))
    assert layout is not None
    shape = (*(1,) * leading, 64, 128)
    check(view_type(shape, element), layout.reshape(shape), ROWS)


@pytest.mark.parametrize("columns", [8, 16, 32, 64])
def test_short_lines(columns: int):
    shape = (64, columns)
    store = check(view_type(shape, f16), coalesced(shape, 4), ROWS)
    assert len(store.subtiles[0].tma_tiles) == 1


def test_one_dimension():
    check(view_type((64,), f16), coalesced((64,), 1), ROWS)


def test_permuted_tile():
    layout = wgmma_accumulator((64, 128))
    assert layout is not None
    check(view_type((64, 128), f16, (1, 0)), layout, ROWS)


def test_many_rows():
    shape = (512, 32)
    layout = wgmma_accumulator(shape, 2)
    assert layout is not None
    store = check(view_type(shape, f16), layout, ROWS)
    assert [start for start, _ in store.subtiles[0].tma_tiles] == [(0, 0), (256, 0)]


def test_parts():
    layout = wgmma_accumulator((128, 256), 2)
    assert layout is not None
    store = check(view_type((128, 256), f32), layout, 32 * 1024)
    assert [len(subtile.tma_tiles) for subtile in store.subtiles] == [2, 2, 2, 2]
    assert [len(subtile.registers) for subtile in store.subtiles] == [32, 32, 32, 32]


def test_parts_need_registers():
    """Two groups side by side: which half of the columns is a question of the warp."""
    layout = wgmma_accumulator((64, 256), 1, 2)
    tiling = TmaTiling.of(view_type((64, 256), f16))
    assert layout is not None
    assert tiling is not None
    assert StoreSubtiles.of(tiling, layout, 16 * 1024) is not None
    assert StoreSubtiles.of(tiling, layout, 8 * 1024) is None


def kernel(shape: tuple[int, ...], element: str, layout: LinearLayout) -> str:
    """A kernel that stores a tile, the elements of which are all the same."""
    rank = len(shape)
    strides = ", ".join([*["?"] * (rank - 1), "1"])
    memref = f"!nv_tileaa.memref<{'?x' * rank}{element}, strides = [{strides}]>"
    view = f"!nv_tileaa.tiled_view<{'x'.join(map(str, shape))}, {memref}>"
    tensor = f"tensor<{'x'.join(map(str, shape))}x{element}, {encode(layout)}>"
    types = ["i32"] * (3 * rank - 1)
    names = [f"%n{dim}" for dim in range(3 * rank - 1)]
    arguments = ", ".join(f"{name}: i32" for name in names)
    assumed = "\n".join(
        f"%s{dim} = nv_tileaa.assume {names[rank + dim]} "
        "{predicate = #nv_tileaa.div_by<16>} : i32"
        for dim in range(rank - 1)
    )
    given = f"sizes({', '.join(names[:rank])} : {', '.join(types[:rank])})"
    if rank > 1:
        listed = ", ".join(f"%s{dim}" for dim in range(rank - 1))
        given += f" strides({listed} : {', '.join(types[: rank - 1])})"
    groups = ", ".join(f"[{dim} : i64]" for dim in range(rank))
    number = "0" if element.startswith("i") else "0.0"
    return f"""
builtin.module attributes {{nv_tileaa.compute_capability = 90 : i32}} {{
"gpu.module"() <{{sym_name = "m"}}> ({{
  "gpu.func"() <{{function_type = (!llvm.ptr<1>, {", ".join(types)}) -> (), kernel}}> ({{
  ^entry(%p: !llvm.ptr<1>, {arguments}):
    %base = nv_tileaa.assume %p {{predicate = #nv_tileaa.div_by<16>}} : !llvm.ptr<1>
    {assumed}
    %c = nv_tileaa.make_memref %base {given} : !llvm.ptr<1> -> {memref}
    %v = nv_tileaa.block_tile %c {{tileSizes = array<i64: {", ".join(map(str, shape))}>,
      dimGroups = [{groups}]}} : {memref} -> {view}
    %x = arith.constant dense<{number}> : {tensor}
    nv_tileas.tiled_store %x, %v[{", ".join(names[2 * rank - 1 :])}]
      {{atom = #nv_tileas.atom<tma_store>}} : {tensor}, {view}, {", ".join(types[:rank])}
    "gpu.return"() : () -> ()
  }}) {{sym_name = "store", nv_tileas.num_warps = {layout.warps} : i32}} : () -> ()
}}) : () -> ()
}}
"""


@pytest.mark.every(8, first=7)
@pytest.mark.parametrize(
    ("element", "rank", "instruction"),
    [
        *(("f16", rank, "stmatrix.sync.aligned.m8n8.x4.shared.b16") for rank in range(2, 6)),
        ("bf16", 2, "stmatrix.sync.aligned.m8n8.x4.shared.b16"),
        ("f32", 2, "st.shared.v2"),
        ("i32", 3, "st.shared.v2"),
        ("i8", 2, "st.shared"),
    ],
)
def test_ptxas_takes_it(element: str, rank: int, instruction: str):
    shape = (*(1,) * (rank - 2), 64, 128)
    layout = wgmma_accumulator((64, 128))
    assert layout is not None
    module = tileiras_xdsl.load(kernel(shape, element, layout.reshape(shape)))
    run_steps(module, select_steps(3, after="tileas", to="nvvm"), "sm_90a", "host-maps")
    compiled = compile_module(module, "sm_90a")
    assert instruction in compiled.ptx
    assert f"cp.async.bulk.tensor.{rank}d.global.shared::cta" in compiled.ptx
    assert compiled.cubin


def copying_kernel(
    shape: tuple[int, int],
    tensor: tuple[int, int],
    strides: tuple[int, int],
    element: str,
    layout: LinearLayout,
    loaded: LinearLayout,
) -> str:
    """
    A kernel that copies this many tiles below each other from one tensor to another. They are
    loaded in one layout and stored in another.
    """
    memref = f"!nv_tileaa.memref<{tensor[0]}x{tensor[1]}x{element}, strides = {list(strides)}>"
    view = f"!nv_tileaa.tiled_view<{shape[0]}x{shape[1]}, {memref}>"
    tile, first = (
        f"tensor<{shape[0]}x{shape[1]}x{element}, {encode(each)}>" for each in (layout, loaded)
    )
    stored = "%y" if loaded == layout else "%x"
    convert = f"%x = nv_tileas.convert_layout %y : {first} -> {tile}" if stored == "%x" else ""
    cut = (
        f"{{tileSizes = array<i64: {shape[0]}, {shape[1]}>, dimGroups = [[0 : i64], [1 : i64]]}} : "
        f"{memref} -> {view}"
    )
    return f"""
builtin.module attributes {{nv_tileaa.compute_capability = 90 : i32}} {{
"gpu.module"() <{{sym_name = "m"}}> ({{
  "gpu.func"() <{{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32, i32) -> (), kernel}}> ({{
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %count: i32, %j: i32):
    %a = nv_tileaa.make_memref %p : !llvm.ptr<1> -> {memref}
    %from = nv_tileaa.block_tile %a {cut}
    %c = nv_tileaa.make_memref %q : !llvm.ptr<1> -> {memref}
    %to = nv_tileaa.block_tile %c {cut}
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %count step %one : i32 {{
      %y = nv_tileas.tiled_load %from[%i, %j] : {view}, i32, i32 -> {first}
      {convert}
      nv_tileas.tiled_store {stored}, %to[%i, %j] {{atom = #nv_tileas.atom<tma_store>}}
        : {tile}, {view}, i32, i32
    }}
    "gpu.return"() : () -> ()
  }}) {{sym_name = "copy", nv_tileas.num_warps = {layout.warps} : i32}} : () -> ()
}}) : () -> ()
}}
"""


@pytest.mark.every(24, first=22)
@pytest.mark.parametrize(
    ("shape", "element", "dtype", "layout", "op"),
    [
        ((128, 256), "f16", np.float16, wgmma_accumulator((128, 256), 2), "nvvm.fragment.stmatrix"),
        (
            (64, 256),
            "f16",
            np.float16,
            wgmma_accumulator((64, 256), 1, 2),
            "nvvm.fragment.stmatrix",
        ),
        ((64, 256), "f32", np.float32, wgmma_accumulator((64, 256)), "nvvm.fragment.store"),
        ((64, 128), "i8", np.int8, wgmma_accumulator((64, 128)), "nvvm.fragment.store"),
        ((64, 32), "f16", np.float16, coalesced((64, 32), 8), "nvvm.fragment.store"),
        ((16, 8), "f16", np.float16, coalesced((16, 8), 8), "nvvm.fragment.store"),
    ],
)
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("is_converted", [False, True])
def test_threads_store_what_they_loaded(
    shape: tuple[int, int],
    element: str,
    dtype: npt.DTypeLike,
    layout: LinearLayout,
    op: str,
    is_transposed: bool,
    is_converted: bool,
):
    """
    Two tiles below each other, the second of which is not quite inside. Conversions between layouts
    need scratch memory, as stores do.
    """
    outside = 16 // np.dtype(dtype).itemsize
    rows, columns = 2 * shape[0] - outside, 2 * shape[1] - outside
    strides = (1, rows) if is_transposed else (columns, 1)
    loaded = coalesced(shape, layout.warps, 2, 1) if is_converted else layout
    text = copying_kernel(shape, (rows, columns), strides, element, layout, loaded)
    module = tileiras_xdsl.load(text)
    run_steps(module, select_steps(3, after="tileas", to="nvgpu"), "sm_90a", "host-maps")
    names = {each.name for each in module.walk()}
    assert op in names
    assert "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile" in names
    numbers = np.arange(rows * columns).reshape(columns, rows) % 127 + 1
    source = np.ascontiguousarray(numbers if is_transposed else numbers.T).astype(dtype)
    found = np.zeros_like(source)
    tileiras_xdsl.run(module, grid=(1, 1, 1), args=[source, found, 2, 1])
    expected = np.zeros_like(source)
    inside = np.s_[shape[1] :] if is_transposed else np.s_[:, shape[1] :]
    expected[inside] = source[inside]
    assert (found == expected).all()


def test_reserved_bytes():
    for columns, expected in ((256, 64), (64, 32)):
        layout = wgmma_accumulator((128, columns))
        assert layout is not None
        module = tileiras_xdsl.load(kernel((128, columns), "f32", layout))
        assert tma_store_bytes(module) == (expected + 1) * 1024


@pytest.mark.parametrize(("columns", "is_full"), [(256, True), (128, False)])
def test_addresses_take_no_register_from_sums(columns: int, is_full: bool):
    """Where sums take all registers they may, what stores need is computed behind the loop."""
    module = tileiras_xdsl.load(gemm((128, columns, 64)))
    run_steps(module, select_steps(to="nvgpu"), "sm_90a", "device-maps")
    shuffles = [op for op in module.walk() if isinstance(op, ShflOp)]
    # The first one tells the compiler that all threads of a warp have the same number of it.
    sources = [op.operands[1].owner for op in shuffles[1:]]
    assert sources
    assert all(isinstance(source, IndexCastOp) == is_full for source in sources)
