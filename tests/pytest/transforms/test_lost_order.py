"""
Kernels in which order between warps, CTAs, grids and asynchronous copies was lost once, run as
threads while others act. `fuzz/test_ordered_kernels.py` has random ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl.interpreter.environment import (
    AwaitAcquire,
    Other,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)
from tileiras_xdsl.interpreter.run import run

from ..harness.cases import every
from .test_warpgroup_kernels import ABIS, Array, Gemm, View, as_arguments, count, kernel, lower

GEMM = Gemm("f16", 64, 32, 16)
TILE = GEMM.views[2].tile_type
FLAG = View("f", "i32", (1, 16))
SEEDS = range(2)

WAITS = {
    "grid": "%ready = gdc_wait_tko token=%begin -> token",
    "pointer": """
    %ready = loop iter_values(%t = %begin) : token -> token {
      %seen, %next = load_ptr_tko acquire device %pf token=%t : tile<ptr<i32>> -> tile<i32>, token
      %set = cmpi not_equal %seen, %zero, signed : tile<i32> -> tile<i1>
      if %set { break %next : token }
      continue %next : token
    }""",
    "add": """
    %ready = loop iter_values(%t = %begin) : token -> token {
      %seen, %next = atomic_rmw_tko acquire device %pf, add, %zero token=%t
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %set = cmpi not_equal %seen, %zero, signed : tile<i32> -> tile<i1>
      if %set { break %next : token }
      continue %next : token
    }""",
}
"""Ways to wait until what is read is there."""


def behind(text: str, *loads: str) -> str:
    """The same program with loads of some views behind the wait."""
    for name in loads:
        start = text.index(f"weak %v{name}[")
        end = text.index("]", start) + 1
        text = f"{text[:end]} token=%ready{text[end:]}"
    return text


def others_of(wait: str, flag: Array, written: Sequence[Array]) -> list[Other]:
    """Who writes some arrays: the grid before, or another CTA that then sets the flag."""
    if wait == "grid":
        return [PreviousGrid(written)]
    steps = [Write(array, ..., array.copy()) for array in written]
    for array in written:
        array[...] = 0
    return [OtherBlock([*steps, Release(flag, (0, 0), 1)])]


def with_abis(cases: Iterable[object]) -> list[Any]:
    """Cases with each ABI; one of them in turn is for every run."""
    return [
        pytest.param(case, abi, marks=pytest.mark.long if (number + place) % 2 else ())
        for number, case in enumerate(cases)
        for place, abi in enumerate(ABIS)
    ]


def check(
    abi: str,
    text: str,
    arrays: Sequence[Array],
    results: dict[int, Array],
    wait: str,
    *written: int,
) -> None:
    """Runs the threads of a kernel in several orders, against what must come out."""
    module = lower(text, abi, 3, 3)[3]
    for seed in SEEDS:
        copies = [array.copy() for array in arrays]
        others = others_of(wait, copies[-1], [copies[number] for number in written])
        run(module, grid=1, args=as_arguments(copies, 2), check=True, seed=seed, others=others)
        for number, expected in results.items():
            np.testing.assert_array_equal(copies[number], expected)


def matrices() -> list[Array]:
    """Factors, a place for their product, and flags."""
    return [*GEMM.arrays(64, 32, 32), np.zeros((1, 16), np.int32)]


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=2)
@pytest.mark.parametrize(("wait", "abi"), with_abis(WAITS))
def test_operands_behind_a_wait(wait: str, abi: str):
    """A producer warp that loads does so behind the wait, too."""
    arrays = matrices()
    body = f"""
    %begin = make_token : token
    {WAITS[wait]}
    {GEMM.zero}
    {GEMM.loop("%i", "%zero")}
    {GEMM.views[2].store("%sum", "%i", "%zero")}"""
    text = behind(kernel([*GEMM.views, FLAG], body), "a", "b")
    check(abi, text, arrays, {2: GEMM.product(arrays)}, wait, 0, 1)


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=2)
@pytest.mark.parametrize(("wait", "abi"), with_abis(WAITS))
def test_epilogue_loads_behind_a_wait(wait: str, abi: str):
    """They are not moved above the main loop."""
    more = View("d", "f32", (64, 32))
    arrays = matrices()
    arrays.insert(3, np.arange(64 * 32, dtype=np.float32).reshape(64, 32))
    body = f"""
    {GEMM.zero}
    {GEMM.loop("%i", "%zero")}
    %begin = make_token : token
    {WAITS[wait]}
    {more.load("%e", "%i", "%zero")}
    %all = addf %sum, %e : {TILE}
    {GEMM.views[2].store("%all", "%i", "%zero")}"""
    text = behind(kernel([*GEMM.views, more, FLAG], body), "d")
    check(abi, text, arrays, {2: GEMM.product(arrays[:3]) + arrays[3]}, wait, 3)


BOUNDS = View("d", "i32", (1, 16))
LOAD_BOUND = "%trips, %read = load_ptr_tko weak %pd : tile<ptr<i32>> -> tile<i32>, token"


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=2)
@pytest.mark.parametrize(("wait", "abi"), with_abis(WAITS))
def test_bounds_behind_a_wait(wait: str, abi: str):
    """All warps go round equally often."""
    arrays = matrices()
    arrays.insert(3, np.full((1, 16), 2, np.int32))
    body = f"""
    %begin = make_token : token
    {WAITS[wait]}
    {LOAD_BOUND.replace("%pd", "%pd token=%ready")}
    {GEMM.zero}
    {GEMM.loop("%i", "%zero").replace("to %n", "to %trips")}
    {GEMM.views[2].store("%sum", "%i", "%zero")}"""
    text = kernel([*GEMM.views, BOUNDS, FLAG], body)
    check(abi, text, arrays, {2: GEMM.product(arrays[:3])}, wait, 3)


@pytest.mark.part("kernels")
@pytest.mark.every(6, first=2)
@pytest.mark.parametrize(("trips", "abi"), with_abis([0, 1, 2]))
def test_bounds_that_are_overwritten(trips: int, abi: str):
    """What another warp would read for itself is not there any more when it does."""
    arrays = matrices()
    arrays.insert(3, np.full((1, 16), trips, np.int32))
    body = f"""
    {LOAD_BOUND}
    {GEMM.zero}
    {GEMM.loop("%i", "%zero").replace("to %n", "to %trips")}
    %more = addi %trips, %two : tile<i32>
    %written = store_ptr_tko weak %pd, %more token=%read : tile<ptr<i32>>, tile<i32> -> token
    {GEMM.views[2].store("%sum", "%i", "%zero")}"""
    expected = arrays[0][:, : 16 * trips].astype(np.float32) @ arrays[1][: 16 * trips]
    changed = arrays[3].copy()
    changed[0, 0] += 2
    text = kernel([*GEMM.views, BOUNDS, FLAG], body)
    check(abi, text, arrays, {2: expected, 3: changed}, "grid")


@pytest.mark.part("kernels")
@pytest.mark.parametrize("abi", every(2, ABIS))
def test_kernels_with_bounds_that_are_overwritten_are_not_persistent(abi: str):
    """All warps read a bound before they part: in a loop over tile blocks they could not."""
    bound = LOAD_BOUND.replace("%pd", "%place")
    body = f"""
    %place = offset %pd, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    {bound}
    {GEMM.zero}
    %some = cmpi greater_than %trips, %zero, signed : tile<i32> -> tile<i1>
    %all = if %some -> ({TILE}) {{
      {GEMM.loop("%i", "%zero")}
      yield %sum : {TILE}
    }} else {{
      yield %nothing : {TILE}
    }}
    %written = store_ptr_tko weak %place, %two token=%read : tile<ptr<i32>>, tile<i32> -> token
    {GEMM.views[2].store("%all", "%i", "%zero")}"""
    arrays = matrices()
    arrays.insert(3, np.full((1, 16), 1, np.int32))
    changed = arrays[3].copy()
    changed[0, 0] = 2
    text = kernel([*GEMM.views, BOUNDS, FLAG], body)
    check(abi, text, arrays, {2: GEMM.product(arrays[:3]), 3: changed}, "grid")


LARGE = Gemm("f16", 128, 128, 16)


def large_kernel(end: str) -> str:
    """A product that TMA stores, and an exchange that needs the memory it was stored from."""
    c = LARGE.views[2]
    body = f"""
    {LARGE.zero}
    {LARGE.loop("%i", "%zero")}
    {c.store("%sum", "%i", "%zero")}
    %turned = permute %sum [1, 0] : {c.tile_type} -> {c.tile_type}
    {end}"""
    return kernel([*LARGE.views, View("d", "f32", (128, 128)), FLAG], body)


def large_arrays() -> list[Array]:
    arrays = [*LARGE.arrays(128, 128, 32), np.zeros((128, 128), np.float32)]
    return [*arrays, np.zeros((1, 16), np.int32)]


@pytest.mark.part("kernels")
@pytest.mark.parametrize("abi", every(2, ABIS))
def test_a_load_behind_a_store_of_tma_tiles(abi: str):
    """Copies that have read shared memory have not yet written global memory."""
    c, d = LARGE.views[2], View("d", "f32", (128, 128))
    load = c.load("%again", "%i", "%zero").replace("]", "] token=%sum_stored", 1)
    end = f"""
    {load}
    %both = addf %again, %turned : {c.tile_type}
    {d.store("%both", "%i", "%zero")}"""
    arrays = large_arrays()
    product = LARGE.product(arrays[:3])
    check(abi, large_kernel(end), arrays, {2: product, 3: product + product.T}, "grid")


@pytest.mark.part("kernels")
def test_a_release_behind_a_store_of_tma_tiles():
    """Who acquires the flag reads the whole tile."""
    d = View("d", "f32", (128, 128))
    end = f"""
    {d.store("%turned", "%i", "%zero")}
    %set = atomic_rmw_tko release device %pf, add, %one token=%sum_stored
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""
    end = end.replace("%set =", "%old, %set =")
    for abi in ABIS:
        module = lower(large_kernel(end), abi, 3, 3)[3]
        assert count(module, "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile") > 0
        for seed in SEEDS:
            arrays, seen = large_arrays(), list[Array]()
            read = Read(arrays[2], ..., seen.append)
            others = [OtherBlock([AwaitAcquire(arrays[4], (0, 0), 1), read])]
            arguments = as_arguments(arrays, 2)
            run(module, grid=1, args=arguments, check=True, seed=seed, others=others)
            np.testing.assert_array_equal(seen[0], LARGE.product(arrays[:3]))


SPIN = """
entry @kernel(%pf: tile<ptr<i32>>, %px: tile<ptr<f32>>, %py: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %begin = make_token : token
  %tf = make_tensor_view %pf, shape = [1], strides = [1] : tensor_view<1xi32, strides=[1]>
  %vf = make_partition_view %tf : partition_view<tile=(1), tensor_view<1xi32, strides=[1]>>
  %tx = make_tensor_view %px, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %vx = make_partition_view %tx : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %ty = make_tensor_view %py, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %vy = make_partition_view %ty : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
  %ready = loop iter_values(%t = %begin) : token -> token {
    %tile, %next = load_view_tko acquire device %vf[%zero] token=%t
        : partition_view<tile=(1), tensor_view<1xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %seen = reshape %tile : tile<1xi32> -> tile<i32>
    %set = cmpi not_equal %seen, %zero, signed : tile<i32> -> tile<i1>
    if %set { break %next : token }
    continue %next : token
  }
  %x, %read = load_view_tko weak %vx[%zero] token=%ready
      : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32>
      -> tile<256xf32>, token
  %done = store_view_tko weak %x, %vy[%zero] : tile<256xf32>,
      partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> token
  return
}"""


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(8))
def test_threads_agree_on_a_flag_in_a_tile(seed: int):
    """The flag is set between the reads of two warps, and all of them leave the loop together."""
    module = lower(SPIN, ABIS[0], 3, 3)[3]
    flag, x, y = np.zeros(1, np.int32), np.zeros(256, np.float32), np.zeros(256, np.float32)
    values = np.arange(256, dtype=np.float32)
    others = [OtherBlock([Write(x, ..., values), Release(flag, 0, 1)])]
    run(module, grid=1, args=[flag, x, y], check=True, seed=seed, others=others)
    np.testing.assert_array_equal(y, values)
