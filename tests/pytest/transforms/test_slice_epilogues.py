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
from .test_warpgroup_kernels import Gemm, View, as_arguments, check, kernel

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
