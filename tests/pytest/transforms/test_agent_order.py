"""Consumer warps beside an MMA agent do nothing in memory that loads have to come before."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.interpreter.environment import AwaitAcquire, OtherBlock, Step, Write
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads

from .test_warpgroup_kernels import Gemm, View, as_arguments, count, kernel, lower, numbers

RELEASE = """
    %f{n} = make_partition_view %flags : partition_view<tile=(1), tensor_view<8xi32, strides=[1]>>
    %s{n} = store_view_tko release sys %one, %f{n}[{index}] token={token} : tile<1xi32>,
        partition_view<tile=(1), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
"""


def gemm(*, inside: bool) -> str:
    """
    A product that tells others of each tile of A that it has read, in the loop, or at the end: they
    may write to A then.
    """
    view = "partition_view<tile=({}), padding_value = zero, tensor_view<{}, strides=[{},1]>>"
    a, b = view.format("128x64", "128x128xf16", 128), view.format("64x128", "128x128xf16", 128)
    c = view.format("128x128", "128x128xf32", 128)
    whole_half, whole_float = (
        f"tensor_view<128x128x{element}, strides=[128,1]>" for element in ("f16", "f32")
    )
    loop_release = RELEASE.format(n=0, index="%i", token="%ta") if inside else ""
    out = "%s0" if inside else "%ta"
    last_release = "" if inside else RELEASE.format(n=1, index="%zero", token="%loop#1")
    return f"""
cuda_tile.module @kernels {{
  entry @gemm(%p0: tile<ptr<f16>>, %p1: tile<ptr<f16>>, %p2: tile<ptr<f32>>, %p3: tile<ptr<i32>>,
              %k: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %one = constant <i32: 1> : tile<1xi32>
    %acc = constant <f32: 0.0> : tile<128x128xf32>
    %token = make_token : token
    %q0 = assume div_by<16>, %p0 : tile<ptr<f16>>
    %q1 = assume div_by<16>, %p1 : tile<ptr<f16>>
    %q2 = assume div_by<16>, %p2 : tile<ptr<f32>>
    %v0 = make_tensor_view %q0, shape = [128, 128], strides = [128, 1] : {whole_half}
    %v1 = make_tensor_view %q1, shape = [128, 128], strides = [128, 1] : {whole_half}
    %v2 = make_tensor_view %q2, shape = [128, 128], strides = [128, 1] : {whole_float}
    %flags = make_tensor_view %p3, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
    %a = make_partition_view %v0 : {a}
    %b = make_partition_view %v1 : {b}
    %c = make_partition_view %v2 : {c}
    %loop:2 = for %i in (%zero to %k, step %step) : tile<i32>
        iter_values(%sum = %acc, %t = %token) -> (tile<128x128xf32>, token) {{
      %x, %ta = load_view_tko weak %a[%zero, %i] token=%token
          : {a}, tile<i32> -> tile<128x64xf16>, token
      %y, %tb = load_view_tko weak %b[%i, %zero] token=%token
          : {b}, tile<i32> -> tile<64x128xf16>, token
      {loop_release}
      %d = mmaf %x, %y, %sum : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      %j = join_tokens %t, {out} : token
      continue %d, %j : tile<128x128xf32>, token
    }}
    %w = store_view_tko weak %loop#0, %c[%zero, %zero] token=%token
        : tile<128x128xf32>, {c}, tile<i32> -> token
    {last_release}
    return
  }}
}}
"""


def has_agent(explored: Exploration) -> bool:
    return '"mma"' in explored["tileas"]._repr_html_().replace("&quot;", '"')  # pyright: ignore[reportPrivateUsage]


def writer(a: Any, flags: Any, *, inside: bool) -> OtherBlock:
    """Somebody who writes to A as soon as that was released."""
    steps: list[Step] = []
    for k in range(2):
        if inside or k == 0:
            steps.append(AwaitAcquire(flags, k, 1))
        steps.append(Write(a, (slice(0, 128), slice(64 * k, 64 * k + 64)), 31))
    return OtherBlock(steps)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("inside", [True, False])
def test_releases_stay_behind_loads(inside: bool):
    explored = tx.explore(gemm(inside=inside), gpu=100)
    assert explored.error is None
    assert has_agent(explored) is not inside
    rng = np.random.default_rng(0)
    for seed in range(3):
        a, b = (rng.integers(-2, 3, (128, 128)).astype(np.float16) for _ in range(2))
        c, flags = np.full((128, 128), np.nan, np.float32), np.zeros(8, np.int32)
        expected = a.astype(np.float32) @ b.astype(np.float32)
        explored.run(
            1,
            [a, b, c, flags, 2],
            step="nvgpu",
            others=[writer(a, flags, inside=inside)],
            seed=seed,
        )
        np.testing.assert_array_equal(c, expected)


@pytest.mark.part("kernels")
def test_a_release_that_overtakes_is_found(monkeypatch: pytest.MonkeyPatch):
    """What the check is for: without it, the model reports the race."""
    name = "tileiras_xdsl.transforms.tileas.tileas_materialize_schedule.find_unordered"
    monkeypatch.setattr(name, Mock(return_value=None))
    explored = tx.explore(gemm(inside=True), gpu=100)
    assert has_agent(explored)
    a, b = np.ones((128, 128), np.float16), np.ones((128, 128), np.float16)
    c, flags = np.zeros((128, 128), np.float32), np.zeros(8, np.int32)
    with pytest.raises(ExecutionError, match="race: another CTA"):
        explored.run(
            1, [a, b, c, flags, 2], step="nvgpu", others=[writer(a, flags, inside=True)], seed=0
        )


def test_stores_stay_behind_loads_for_later_dots():
    """The result of a dot says nothing of a load before it that only the next dot needs."""
    gemm = Gemm("f16", 128, 64, 64)
    (a, b, c), half = gemm.views, View("e", "f16", (128, 64), pads=False)
    text = kernel(
        [a, b, c, half],
        f"""
    {gemm.zero}
    {a.load("%x", "%i", "%zero")}
    {b.load("%y", "%zero", "%j")}
    {half.load("%z", "%i", "%zero")}
    {gemm.multiply("%d", "%x", "%y", "%nothing")}
    %h = ftof %d : {c.tile_type} -> {half.tile_type}
    %h_stored = store_view_tko weak %h, %ve[%i, %zero] token = %z_token
        : {half.tile_type}, {half.type}, tile<i32> -> token
    {gemm.multiply("%e", "%z", "%y", "%nothing")}
    {c.store("%e", "%i", "%j")}""",
    )
    x, y, total = gemm.arrays(128, 64, 64)
    old = numbers("f16", 128, 64)
    module = lower(text, "host-maps", 3, 3, "sm_100a")[3]
    assert count(module, "nvvm.tcgen05.mma") == 2
    expected = [gemm.product([old, y]), gemm.product([x, y])]
    run_threads(module, 1, as_arguments([x, y, total, old]), entry="kernel")
    np.testing.assert_array_equal(total, expected[0])
    np.testing.assert_array_equal(old, expected[1])
