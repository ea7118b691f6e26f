"""Atomics as reductions of TMA tiles, and as sums of vectors through pointers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import (
    IntegerType,
    ModuleOp,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute

import tileiras_xdsl
from tileiras_xdsl.analysis.axis_info import AxisInfo
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import coalesced, wgmma_accumulator
from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.compile import CompiledModule, compile_module
from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.dialects.nvgpu.types import get_host_maps, set_host_maps
from tileiras_xdsl.dialects.nvvm.base import ReductionKind
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.pipeline import ModuleStage, select_steps
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.memory import Runs
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import reduction_kind, tma_store_bytes

from ...backend.fake_driver import FakeDriver
from ...harness.cases import covering
from ...harness.passes import run_steps

Array = npt.NDArray[Any]
REDUCTION = "nvvm.cp.async.bulk.tensor.reduce"
UPDATE = "nvvm.fragment.atomicrmw"


def lowered(
    text: str, to: ModuleStage, after: ModuleStage | None = None, abi: Abi = "host-maps"
) -> ModuleOp:
    """A kernel for Hopper, further down."""
    module = tileiras_xdsl.load(text)
    run_steps(module, select_steps(3, after=after, to=to), "sm_90a", abi)
    return module


@pytest.mark.parametrize(
    ("mode", "element", "kind"),
    [
        *(("addf", element, ReductionKind.ADD) for element in (f16, bf16, f32)),
        *(("add", element, ReductionKind.ADD) for element in (i32, i64)),
        *(("umax", element, ReductionKind.MAX) for element in (i32, i64)),
        ("xor", i32, ReductionKind.XOR),
        ("max", i32, None),
        ("max", f16, None),
        ("addf", f64, None),
        ("add", i8, None),
    ],
)
def test_kinds(mode: str, element: Attribute, kind: ReductionKind | None):
    assert reduction_kind(mode, element) == kind


def update_kernel(
    shape: tuple[int, int],
    tensor: tuple[int, int],
    element: str,
    mode: str,
    layout: LinearLayout,
) -> str:
    """A kernel that combines this many tiles below each other of one tensor with another."""
    memref = f"!nv_tileaa.memref<{tensor[0]}x{tensor[1]}x{element}, strides = [{tensor[1]}, 1]>"
    view = f"!nv_tileaa.tiled_view<{shape[0]}x{shape[1]}, {memref}>"
    tile = f"tensor<{shape[0]}x{shape[1]}x{element}, {encode(layout)}>"
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
      %x = nv_tileas.tiled_load %from[%i, %j] : {view}, i32, i32 -> {tile}
      nv_tileas.tiled_atomic_rmw %to[%i, %j], %x {{atom = #nv_tileas.atom<tma_redg>,
        rmw_mode = "{mode}", mem_semantic = "relaxed", mem_scope = "gpu"}}
        : {view}, {tile}, i32, i32
    }}
    "gpu.return"() : () -> ()
  }}) {{sym_name = "update", nv_tileas.num_warps = {layout.warps} : i32}} : () -> ()
}}) : () -> ()
}}
"""


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("shape", "element", "dtype", "mode", "combine", "layout"),
    [
        ((64, 256), "f32", np.float32, "addf", np.add, wgmma_accumulator((64, 256))),
        ((64, 64), "f16", np.float16, "addf", np.add, wgmma_accumulator((64, 64))),
        ((64, 64), "i32", np.uint32, "umax", np.maximum, wgmma_accumulator((64, 64))),
        ((16, 8), "i32", np.int32, "xor", np.bitwise_xor, coalesced((16, 8), 8)),
        ((16, 16), "i64", np.int64, "add", np.add, coalesced((16, 16), 4)),
        ((16, 16), "i64", np.int64, "and", np.bitwise_and, coalesced((16, 16), 4)),
        ((16, 16), "i32", np.uint32, "umin", np.minimum, coalesced((16, 16), 4)),
    ],
)
def test_tma_tiles_are_combined(
    shape: tuple[int, int],
    element: str,
    dtype: npt.DTypeLike,
    mode: str,
    combine: Callable[[Array, Array], Array],
    layout: LinearLayout,
):
    """
    Two CTAs do it to two tiles below each other, the second of which is not quite inside. Some
    layouts have each element in several threads; it is combined once for each CTA.
    """
    outside = 16 // np.dtype(dtype).itemsize
    rows, columns = 2 * shape[0] - outside, 2 * shape[1] - outside
    module = lowered(
        update_kernel(shape, (rows, columns), element, mode, layout), "nvgpu", "tileas"
    )
    names = {op.name for op in module.walk()}
    assert REDUCTION in names
    assert UPDATE not in names
    source = (np.arange(rows * columns).reshape(rows, columns) % 61 + 1).astype(dtype)
    found = (source[::-1] % 7 + 60).astype(dtype)
    expected = found.copy()
    right = np.s_[:, shape[1] :]
    for _ in range(2):
        expected[right] = combine(expected[right], source[right])
    tileiras_xdsl.run(module, grid=(2, 1, 1), args=[source, found, 2, 1])
    assert (found == expected).all()


@pytest.mark.every(6, first=5)
@pytest.mark.parametrize("abi", get_args(Abi))
@pytest.mark.parametrize(
    ("element", "mode", "number"), [("i32", "umax", 2), ("i32", "umin", 2), ("i64", "add", 4)]
)
def test_maps_of_integers_are_unsigned(
    element: str, mode: str, number: int, abi: Abi, monkeypatch: pytest.MonkeyPatch
):
    """The instruction does not say whether integers have a sign, and s64 cannot be added."""
    layout = coalesced((16, 16), 4)
    text = update_kernel((16, 16), (32, 32), element, mode, layout)
    compiled = compile_module(lowered(text, "nvvm", "tileas", abi), "sm_90a")
    if abi == "device-maps":
        (found,) = set(re.findall(r"replace\.tile\.elemtype\S+\s+\S+ (\d+);", compiled.ptx))
        assert int(found) == number
        return
    fake = FakeDriver(compiled.record())
    monkeypatch.setattr(cuda, "get_driver", lambda: fake)
    cuda.Device.get.cache_clear()
    cuda.load(b"cubin", compiled.record()).launch(1, [0x1000, 0x2000, 2, 1])
    cuda.Device.get.cache_clear()
    assert {each.data_type for each in fake.maps} == {number}


@pytest.mark.parametrize("abi", get_args(Abi))
def test_the_sign_bit_counts(abi: Abi):
    text = update_kernel((16, 16), (32, 32), "i32", "umax", coalesced((16, 16), 4))
    module = lowered(text, "nvgpu", "tileas", abi)
    source = np.full((32, 32), 0x80000001, np.uint32)
    found = np.full((32, 32), 7, np.uint32)
    tileiras_xdsl.run(module, grid=1, args=[source, found, 2, 1])
    assert (found[:, 16:] == 0x80000001).all()


def run_with_map(element: IntegerType, mode: str) -> npt.NDArray[np.int64]:
    """What a kernel does whose launcher takes the elements of its map for others."""
    width = np.dtype(f"i{element.bitwidth // 8}")
    text = update_kernel((16, 16), (32, 32), f"i{element.bitwidth}", mode, coalesced((16, 16), 4))
    module = lowered(text, "nvgpu", "tileas")
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    set_host_maps(
        function, [replace(tensor_map, element=element) for tensor_map in get_host_maps(function)]
    )
    source, found = np.full((32, 32), -5, width), np.full((32, 32), 7, width)
    tileiras_xdsl.run(module, grid=1, args=[source, found, 2, 1])
    return found[:, 16:].astype(np.int64)


def test_a_map_of_the_wrong_sign_is_seen():
    """A launcher that encodes INT32 for `umax` compares with a sign, on the CPU as on the GPU."""
    assert (run_with_map(IntegerType(32, Signedness.UNSIGNED), "umax") == -5).all()
    assert (run_with_map(IntegerType(32, Signedness.SIGNED), "umax") == 7).all()
    with pytest.raises(ExecutionError, match="reduces by 'add' with a tensor map of s64"):
        run_with_map(IntegerType(64, Signedness.SIGNED), "add")


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize(
    ("element", "mode"), [("f32", "addf"), ("f16", "addf"), ("bf16", "addf"), ("i32", "umax")]
)
def test_ptxas_takes_it(element: str, mode: str):
    layout = wgmma_accumulator((64, 128))
    assert layout is not None
    text = update_kernel((64, 128), (1024, 1024), element, mode, layout)
    compiled = compile_module(lowered(text, "nvvm", "tileas"), "sm_90a")
    word = "add" if mode == "addf" else "max"
    assert f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{word}.tile" in compiled.ptx


def test_reserved_bytes():
    layout = wgmma_accumulator((64, 128))
    assert layout is not None
    text = update_kernel((64, 128), (1024, 1024), "f32", "addf", layout)
    assert tma_store_bytes(tileiras_xdsl.load(text)) == (32 + 1) * 1024


# Pointers of runs


def test_runs():
    """Registers are so far behind one of the same run, unless lanes change the same bits."""
    layout = wgmma_accumulator((64, 32))
    assert layout is not None
    types = {"p": "!llvm.ptr<1>", "x": "f32"}
    tensors = {name: f"tensor<64x32x{each}, {encode(layout)}>" for name, each in types.items()}
    updates = "\n".join(f"""%{name} = "test.op"() : () -> {ty}""" for name, ty in tensors.items())
    update = (
        f'{updates}\n%old = nv_tileaa.atomic_rmw %p, %x {{rmw_mode = "addf", '
        f'mem_semantic = "relaxed", mem_scope = "gpu"}} : {tensors["p"]}, {tensors["x"]} '
        f"-> {tensors['x']}"
    )
    ops = list(tileiras_xdsl.load(update).walk())
    op = ops[-1]
    assert isinstance(op, AtomicRMWOp)
    fact = AxisInfo.top(op.pointer.type)
    nothing = Runs.of(op, layout, fact)
    assert list(nothing.starts) == list(range(16))
    assert not any(nothing.distances)
    known = Runs.of(op, layout, fact._replace(contiguity=(1, 16), step=4))
    assert list(known.starts) == [0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10]
    assert list(known.distances) == [0, 1, 0, 1, 8, 9, 8, 9] * 2
    wider = Runs.of(op, layout, fact._replace(contiguity=(1, 16), step=8))
    assert not any(wider.distances)


# Products whose parts are added


def _view(name: str, element: str, tile: str, padding: str = "padding_value = zero, ") -> str:
    """A view of an argument, whose sizes and stride are arguments."""
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    assumed = "".join(
        f"%{name}_{each}_low = assume bounded<0, ?>, %{name}_{each} : tile<i32>\n"
        f"%{name}_{each}_known = assume div_by<16>, %{name}_{each}_low : tile<i32>\n"
        for each in ("rows", "columns", "stride")
    )
    return (
        f"%{name}_base = assume div_by<16>, %{name} : tile<ptr<{element}>>\n{assumed}"
        f"%{name}_tensor = make_tensor_view %{name}_base, "
        f"shape = [%{name}_rows_known, %{name}_columns_known], "
        f"strides = [%{name}_stride_known, 1] : tile<i32> -> {tensor}\n"
        f"%{name}_view = make_partition_view %{name}_tensor : "
        f"partition_view<tile=({tile}), {padding}{tensor}>\n"
    )


def _parameters(name: str, element: str) -> str:
    sizes = ", ".join(f"%{name}_{each}: tile<i32>" for each in ("rows", "columns", "stride"))
    return f"%{name}: tile<ptr<{element}>>, {sizes}"


def _update_by_pointers(m: int, n: int) -> str:
    """Adds a tile to elements that pointers and a mask name, as `ct.atomic_add` does."""
    spread = "".join(
        f"""
%{name}_start = muli %{index}, %{name}_size : tile<i32>
%{name}_one = reshape %{name}_start : tile<i32> -> tile<1x1xi32>
%{name}_starts = broadcast %{name}_one : tile<1x1xi32> -> tile<{shape}xi32>
%{name}_range = iota : tile<{size}xi32>
%{name}_numbers = reshape %{name}_range : tile<{size}xi32> -> tile<{shape}xi32>
%{name}_places = addi %{name}_starts, %{name}_numbers : tile<{shape}xi32>
%{name}_all = broadcast %{name}_places : tile<{shape}xi32> -> tile<{m}x{n}xi32>
%{name}_limit = reshape %c_{name}_known : tile<i32> -> tile<1x1xi32>
%{name}_limits = broadcast %{name}_limit : tile<1x1xi32> -> tile<{m}x{n}xi32>
%{name}_inside = cmpi less_than %{name}_all, %{name}_limits, signed
  : tile<{m}x{n}xi32> -> tile<{m}x{n}xi1>"""
        for name, index, size, shape in (
            ("rows", "row", m, f"{m}x1"),
            ("columns", "column", n, f"1x{n}"),
        )
    )
    return f"""
%rows_size = constant <i32: {m}> : tile<i32>
%columns_size = constant <i32: {n}> : tile<i32>{spread}
%stride_one = reshape %c_stride_known : tile<i32> -> tile<1x1xi32>
%strides = broadcast %stride_one : tile<1x1xi32> -> tile<{m}x{n}xi32>
%lines = muli %rows_all, %strides : tile<{m}x{n}xi32>
%offsets = addi %lines, %columns_all : tile<{m}x{n}xi32>
%inside = andi %rows_inside, %columns_inside : tile<{m}x{n}xi1>
%base_one = reshape %c_base : tile<ptr<f32>> -> tile<1x1xptr<f32>>
%bases = broadcast %base_one : tile<1x1xptr<f32>> -> tile<{m}x{n}xptr<f32>>
%pointers = offset %bases, %offsets : tile<{m}x{n}xptr<f32>>, tile<{m}x{n}xi32>
  -> tile<{m}x{n}xptr<f32>>
%old, %t = atomic_rmw_tko relaxed device %pointers, addf, %sum, %inside
  : tile<{m}x{n}xptr<f32>>, tile<{m}x{n}xf32>, tile<{m}x{n}xi1> -> tile<{m}x{n}xf32>, token"""


def _update_by_view(m: int, n: int) -> str:
    """Adds a tile to one of a view."""
    view = f"partition_view<tile=({m}x{n}), tensor_view<?x?xf32, strides=[?,1]>>"
    return f"""
%t = atomic_red_view_tko relaxed device %c_view[%row, %column], addf, %sum
  : tile<{m}x{n}xf32>, {view} -> token"""


@cache
def split_matmul(m: int, n: int, *, has_pointers: bool) -> str:
    """A product of matrices, of which each CTA computes and adds one part of 64 columns."""
    update = _update_by_pointers(m, n) if has_pointers else _update_by_view(m, n)
    tensor = "tensor_view<?x?xf16, strides=[?,1]>"
    return f"""
cuda_tile.module @m {{
entry @split({_parameters("a", "f16")}, {_parameters("b", "f16")}, {_parameters("c", "f32")}) {{
  {_view("a", "f16", f"{m}x64")}{_view("b", "f16", f"64x{n}")}
  {_view("c", "f32", f"{m}x{n}", "")}
  %row, %column, %part = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<{m}x{n}xf32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %first = muli %part, %two : tile<i32>
  %last = addi %first, %two : tile<i32>
  %sum = for %i in (%first to %last, step %one) : tile<i32> iter_values(%s = %zero)
      -> (tile<{m}x{n}xf32>) {{
    %x, %tx = load_view_tko weak %a_view[%row, %i]
      : partition_view<tile=({m}x64), padding_value = zero, {tensor}>, tile<i32>
      -> tile<{m}x64xf16>, token
    %y, %ty = load_view_tko weak %b_view[%i, %column]
      : partition_view<tile=(64x{n}), padding_value = zero, {tensor}>, tile<i32>
      -> tile<64x{n}xf16>, token
    %next = mmaf %x, %y, %s : tile<{m}x64xf16>, tile<64x{n}xf16>, tile<{m}x{n}xf32>
    continue %next : tile<{m}x{n}xf32>
  }}{update}
  return
}}
}}
"""


@cache
def compiled_matmul(m: int, n: int, *, has_pointers: bool) -> CompiledModule:
    return compile_module(lowered(split_matmul(m, n, has_pointers=has_pointers), "nvvm"), "sm_90a")


@pytest.mark.every(2)
@pytest.mark.parametrize(("n", "has_pointers"), covering([128, 256], [False, True]))
def test_nothing_is_spilled(n: int, has_pointers: bool):
    compiled = compiled_matmul(128, n, has_pointers=has_pointers)
    record = compiled.record()
    assert "wgmma.mma_async" in compiled.ptx
    assert (record.spill_stores, record.spill_loads) == (0, 0)


@pytest.mark.part("kernels")
def test_instructions():
    """Boxes where there is a view; else pairs that lie next to each other in sums of products."""
    by_view = compiled_matmul(128, 256, has_pointers=False).ptx
    assert by_view.count("cp.reduce.async.bulk.tensor.2d") == 8
    assert "red.relaxed" not in by_view
    by_pointers = compiled_matmul(128, 256, has_pointers=True).ptx
    assert by_pointers.count("red.relaxed.gpu.global.add.v2.f32") == 64
    assert by_pointers.count("red.relaxed") == 64


@pytest.mark.parametrize("has_pointers", [False, True])
def test_parts_are_added(has_pointers: bool):
    module = lowered(split_matmul(64, 64, has_pointers=has_pointers), "nvgpu")
    assert (REDUCTION if not has_pointers else UPDATE) in {op.name for op in module.walk()}
    rows, columns, depth = 48, 32, 256
    generator = np.random.default_rng(7)
    a = generator.integers(-3, 4, (rows, depth)).astype(np.float16)
    b = generator.integers(-3, 4, (depth, columns)).astype(np.float16)
    c = generator.integers(-3, 4, (rows, columns)).astype(np.float32)
    expected = c + a.astype(np.float32) @ b.astype(np.float32)
    given: list[Any] = []
    for array in (a, b, c):
        given.extend((array, *array.shape, array.shape[1]))
    tileiras_xdsl.run(module, grid=(1, 1, 2), args=given)
    assert (c == expected).all()
