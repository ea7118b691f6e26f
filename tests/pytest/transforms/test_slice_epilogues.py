"""
Epilogues in slices: what threads store of accumulators in tensor memory, by columns, is what they
stored as a whole.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TensorMemoryLoadOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps

from ..harness.modules import context
from .test_warpgroup_kernels import Attention, Gemm, View, as_arguments, check, kernel

ARCH = "sm_100a"


def slices(module: ModuleOp) -> list[TensorMemoryLoadOp]:
    """The loads of columns of an accumulator."""
    return [
        op for op in module.walk() if isinstance(op, TensorMemoryLoadOp) and op.column is not None
    ]


def lower_to_tileas(text: str) -> ModuleOp:
    module = load(text)
    for step in select_steps(to="tileas"):
        make_pass(step, ARCH).apply(context(), module)
    return module


def partial(gemm: Gemm) -> str:
    """A product of which `%m` columns are stored, so that rows may not end with 16 bytes."""
    return gemm.text().replace("shape = [%rc, %sc]", "shape = [%rc, %m]")


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize(
    ("gemm", "columns", "trips"),
    [
        (Gemm("f16", 128, 128, 16), 125, 2),
        (Gemm("f16", 64, 256, 16), 250, 1),
        (Gemm("f16", 256, 128, 16), 96, 1),
        (Gemm("f16", 128, 256, 16), 254, 0),
    ],
    ids=["128x128", "64x256", "256x128", "128x256"],
)
def test_stores(gemm: Gemm, columns: int, trips: int):
    """Threads store where TMA cannot. Without a trip, zeros are read that other threads wrote."""
    arrays = gemm.arrays(gemm.m, gemm.n, 16 * max(1, trips))
    expected = gemm.product(arrays, 16 * trips)
    # `check` fills the matrix with sevens.
    expected[:, columns:] = 7
    check(partial(gemm), arrays, expected, n=trips, m=columns, levels=(3,), arch=ARCH)
    found = slices(lower_to_tileas(partial(gemm)))
    assert [op.column for op in found] == [IntegerAttr(n, i32) for n in (0, gemm.n // 2)]


def updates(gemm: Gemm) -> str:
    """A kernel that adds twice a product to a matrix, by atomics on pointers."""
    shape = f"{gemm.m}x{gemm.n}"
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%j")}
    %twice = addf %sum, %sum rounding<nearest_even> : tile<{shape}xf32>
    %down = iota : tile<{gemm.m}xi32>
    %along = iota : tile<{gemm.n}xi32>
    %down2 = reshape %down : tile<{gemm.m}xi32> -> tile<{gemm.m}x1xi32>
    %along2 = reshape %along : tile<{gemm.n}xi32> -> tile<1x{gemm.n}xi32>
    %rows = broadcast %down2 : tile<{gemm.m}x1xi32> -> tile<{shape}xi32>
    %columns = broadcast %along2 : tile<1x{gemm.n}xi32> -> tile<{shape}xi32>
    %stride = reshape %cc : tile<i32> -> tile<1x1xi32>
    %strides = broadcast %stride : tile<1x1xi32> -> tile<{shape}xi32>
    %before = muli %rows, %strides : tile<{shape}xi32>
    %offset = addi %before, %columns : tile<{shape}xi32>
    %inside = cmpi less_than %columns, %strides, signed : tile<{shape}xi32> -> tile<{shape}xi1>
    %base = reshape %pc : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %bases = broadcast %base : tile<1x1xptr<f32>> -> tile<{shape}xptr<f32>>
    %pointers = offset %bases, %offset
        : tile<{shape}xptr<f32>>, tile<{shape}xi32> -> tile<{shape}xptr<f32>>
    %old, %token = atomic_rmw_tko relaxed device %pointers, addf, %twice, %inside
        : tile<{shape}xptr<f32>>, tile<{shape}xf32>, tile<{shape}xi1>
        -> tile<{shape}xf32>, token"""
    return kernel(gemm.views, body)


@pytest.mark.part("kernels")
def test_atomics_of_pointers():
    gemm = Gemm("f16", 128, 128, 16, "b")
    arrays = gemm.arrays(128, 120, 16)
    expected = 7 + 2 * gemm.product(arrays)
    check(updates(gemm), arrays, expected, n=1, levels=(3,), arch=ARCH)
    assert len(slices(lower_to_tileas(updates(gemm)))) == 2


def added(gemm: Gemm) -> str:
    """A kernel that adds a product to a matrix: it loads tiles, and overwrites them."""
    c = gemm.views[2]
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%j")}
    {c.load("%old", "%i", "%j")}
    %new = addf %sum, %old rounding<nearest_even> : {c.tile_type}
    {c.store("%new", "%i", "%j")}"""
    return kernel(gemm.views, body)


@pytest.mark.part("kernels")
def test_tiles_that_are_overwritten():
    """Nothing is stored before all slices of what is overwritten are loaded."""
    gemm = Gemm("f16", 128, 128, 16)
    arrays = gemm.arrays(128, 128, 16)
    check(added(gemm), arrays, 7 + gemm.product(arrays), n=1, levels=(3,), arch=ARCH)
    module = lower_to_tileas(added(gemm))
    assert len(slices(module)) == 2
    accesses = [
        op.name
        for op in module.walk()
        if op.name in ("nv_tileas.tiled_load", "nv_tileas.tiled_store")
        and "tiled_view<128x64" in str(op.operands[op.name.endswith("store")].type)
    ]
    assert accesses == ["nv_tileas.tiled_load"] * 2 + ["nv_tileas.tiled_store"] * 2


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("dim", [0, 1])
def test_concatenated_tiles(dim: int):
    """A slice of columns is not made of slices of tiles that are beside each other."""
    gemm = Gemm("f16", 128, 128, 16)
    shape = (256, 128) if dim == 0 else (128, 256)
    c, tile = View("c", "f32", shape), "tile<128x128xf32>"
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%j")}
    %twice = addf %sum, %sum rounding<nearest_even> : {tile}
    %both = cat %sum, %twice dim = {dim} : {tile}, {tile} -> {c.tile_type}
    {c.store("%both", "%i", "%j")}"""
    text = kernel((*gemm.views[:2], c), body).replace("shape = [%rc, %sc]", "shape = [%rc, %m]")
    arrays = gemm.arrays(128, 128, 16)
    product = gemm.product(arrays)
    arrays = [*arrays[:2], np.zeros(shape, np.float32)]
    columns = shape[1] - 3
    expected = np.concatenate([product, 2 * product], dim)
    expected[:, columns:] = 7
    check(text, arrays, expected, n=1, m=columns, levels=(3,), arch=ARCH)
    assert bool(slices(lower_to_tileas(text))) == (dim == 0)


@pytest.mark.part("kernels")
def test_attention():
    """Sums are divided slice by slice."""
    attention = Attention("f16", 128, 32, 128)
    random = np.random.default_rng(7)
    q, k, v = (random.standard_normal((rows, 128)).astype(np.float16) for rows in (128, 64, 64))
    q /= 4
    weights = np.exp2(q.astype(np.float64) @ k.astype(np.float64).T)
    expected = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    arrays = [q, k, v, np.zeros((128, 128), np.float32)]
    check(attention.text(), arrays, expected, n=2, levels=(3,), tolerance=0.01, arch=ARCH)
    assert len(slices(lower_to_tileas(attention.text()))) == 2


@pytest.mark.parametrize("result", ["f16", "f32"])
def test_plain_stores(result: str):
    """TMA stores slices of what nothing is computed of, too, from smaller buffers."""
    gemm = Gemm("f16", 128, 256, 64)
    c = View("c", result, (128, 256))
    narrow = f"%out = ftof %sum rounding<nearest_even> : tile<128x256xf32> -> {c.tile_type}"
    body = f"""
    {gemm.zero}
    {gemm.loop("%i", "%j")}
    {narrow if result == "f16" else ""}
    {c.store("%out" if result == "f16" else "%sum", "%i", "%j")}"""
    text = kernel((*gemm.views[:2], c), body)
    assert len(slices(lower_to_tileas(text))) == 2
    if result == "f16":
        arrays = gemm.arrays(128, 256, 64)
        expected = gemm.product(arrays).astype(np.float16)
        arrays = [*arrays[:2], np.zeros((128, 256), np.float16)]
        check(text, arrays, expected, n=1, levels=(3,), arch=ARCH)


def test_a_wrong_column_is_found():
    gemm = Gemm("f16", 128, 128, 16)
    arrays = gemm.arrays(128, 128, 16)
    module = load(partial(gemm))
    for step in select_steps(to="nvgpu"):
        make_pass(step, ARCH).apply(context(), module)
        if step.name == "tileas-allocate-tensor-memory":
            slices(module)[1].properties["column"] = IntegerAttr(0, i32)
    run(module, grid=1, args=as_arguments(arrays, 1, 128), check=True)
    product = gemm.product(arrays)
    assert np.array_equal(arrays[-1][:, :64], product[:, :64])
    assert not np.array_equal(arrays[-1], product)
