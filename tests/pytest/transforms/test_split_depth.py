"""Dots whose operands take much shared memory are split along K, and compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.passes import lower
from ..harness.remarks import asked, messages
from .test_warpgroup_kernels import Array, Gemm, View, as_arguments, check, kernel, numbers

DEEP = Gemm("f16", 64, 256, 128)


def bounded(text: str) -> str:
    """A kernel with a loop whose trip count is known not to be too large."""
    number = "%steps = assume bounded<0, 65536>, %n : tile<i32>"
    return text.replace("%one = constant", f"{number}\n    %one = constant").replace(
        "%zero to %n", "%zero to %steps"
    )


def depths(text: str, hints: str = "") -> list[int]:
    """K of the dots of a kernel, when its tiles have been split."""
    text = text.replace("%m: tile<i32>) {", f"%m: tile<i32>) {hints} {{")
    module = lower(load(text), "tileaa", arch="sm_90a")
    return [get_shape(op.a.type)[1] for op in find_all(module, DotOp)]


@pytest.mark.parametrize(
    ("gemm", "depth"),
    [
        (DEEP, 64),
        (Gemm("f16", 64, 256, 128, "ab"), 64),
        (Gemm("f8E4M3FN", 64, 256, 256, "b"), 128),
        (Gemm("f16", 64, 128, 128), 128),
        (Gemm("f16", 128, 256, 64), 64),
    ],
    ids=["f16", "transposed", "f8", "fits", "shallow"],
)
def test_what_is_split(gemm: Gemm, depth: int):
    assert depths(bounded(gemm.text())) == [depth]


def test_trip_counts_that_may_be_too_large():
    module = lower(asked(load(DEEP.text())), "tileaa", arch="sm_90a")
    assert len(find_all(module, DotOp)) == 1
    assert messages(module, kind="Missed", category="Tiles") == [
        "buffer stages of 64x128 and 128x256 leave too little shared memory for others: K is not "
        "split, the trip count of the loop may be too large for it"
    ]


def test_more_ctas_have_less_memory():
    hints = "optimization_hints=<sm_90 = {occupancy = 2}>"
    assert depths(bounded(Gemm("f16", 64, 128, 128).text()), hints) == [64]


def test_operands_that_are_concatenated_along_k():
    """A part of `cat` along its own dimension is not made of parts of both operands."""
    gemm = Gemm("f16", 128, 256, 128)
    a, b, c = View("a", "f16", (128, 64)), *gemm.views[1:]
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%x", "%i", "%k")}
      {b.load("%y", "%k", "%j")}
      %both = cat %x, %x dim = 1 : {a.tile_type}, {a.tile_type} -> tile<128x128xf16>
      {gemm.multiply("%d", "%both", "%y", "%s")}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    module = lower(load(bounded(kernel((a, b, c), body))), "tileaa", arch="sm_90a")
    x, y, found = (
        numbers("f16", 128, 64),
        numbers("f16", 128, 256),
        np.zeros((128, 256), np.float32),
    )
    run(module, grid=1, args=as_arguments([x, y, found], 1))
    left, right = x.astype(np.float32), y.astype(np.float32)
    np.testing.assert_array_equal(found, left @ (right[:64] + right[64:]))


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize(
    ("gemm", "trips"), [(DEEP, 0), (DEEP, 3), (Gemm("f16", 64, 256, 128, "ab"), 2)]
)
def test_partial_tiles(gemm: Gemm, trips: int):
    arrays = gemm.arrays(48, 208, 2 * gemm.k + 80)
    check(
        bounded(gemm.text()),
        arrays,
        gemm.product(arrays, gemm.k * trips),
        n=trips,
        abi="device-maps",
    )


def moved(gemm: Gemm) -> str:
    """A kernel that begins one step further along K, and uses the number of the step otherwise."""
    a, b, c = gemm.views
    body = f"""
    {gemm.zero}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      %l1 = addi %k, %one : tile<i32>
      {a.load("%x", "%k", "%l1")}
      {b.load("%y", "%l1", "%zero")}
      {gemm.multiply("%d", "%x", "%y", "%s")}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%zero", "%zero")}"""
    return bounded(kernel(gemm.views, body))


def test_other_indices():
    arrays = DEEP.arrays(2 * DEEP.m, DEEP.n, 3 * DEEP.k)
    a, b = (array.astype(np.float64) for array in arrays[:2])
    total: Array = np.zeros((2 * DEEP.m, DEEP.n))
    total[:] = 7
    steps = [slice(DEEP.k * k, DEEP.k * (k + 1)) for k in (1, 2)]
    total[: DEEP.m] = sum(
        a[DEEP.m * i : DEEP.m * (i + 1), step] @ b[step] for i, step in enumerate(steps)
    )
    assert depths(moved(DEEP)) == [64]
    check(moved(DEEP), arrays, total, n=2)


def test_level_1_and_its_remark():
    module = lower(asked(load(bounded(DEEP.text()))), "tileaa", arch="sm_90a")
    assert messages(module, kind="Passed", category="Tiles") == [
        "buffer stages of 64x128 and 128x256 leave too little shared memory for others: K is split "
        "into 2 parts"
    ]
    arrays = DEEP.arrays(DEEP.m, DEEP.n, 2 * DEEP.k)
    run(module, grid=1, args=as_arguments(arrays, 2), check=True)
    np.testing.assert_array_equal(arrays[-1], DEEP.product(arrays))
