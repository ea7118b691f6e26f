"""Loops that run one after the other fill the same pipelines."""

from __future__ import annotations

import pytest

from .test_warpgroup_kernels import Gemm, check, count, kernel, lower

GEMM = Gemm("f16", 64, 32, 16)
ZERO = f"%nothing = constant <f32: 0.0> : {GEMM.views[2].tile_type}"


def loops() -> str:
    """Adds up to a bound in one loop, and to another in a second one."""
    a, b, c = GEMM.views
    body = f"""
    {ZERO}
    %half = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%a", "%i", "%k")}
      {b.load("%b", "%k", "%j")}
      %d = mmaf %a, %b, %s : {a.tile_type}, {b.tile_type}, {c.tile_type}
      continue %d : {c.tile_type}
    }}
    %sum = for %k in (%n to %m, step %one) : tile<i32>
        iter_values(%s = %half) -> ({c.tile_type}) {{
      {a.load("%a", "%i", "%k")}
      {b.load("%b", "%k", "%j")}
      %d = mmaf %a, %b, %s : {a.tile_type}, {b.tile_type}, {c.tile_type}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    return kernel(GEMM.views, body)


@pytest.mark.every(8, first=7)
@pytest.mark.parametrize(("n", "m"), [(3, 7), (0, 5), (4, 4), (7, 9)])
@pytest.mark.parametrize("abi", ["device-maps", "host-maps"])
def test_results(n: int, m: int, abi: str):
    arrays = GEMM.arrays(64, 32, 16 * 9)
    expected = GEMM.product(arrays, 16 * m)
    check(loops(), arrays, expected, n=n, m=m, abi=abi)


def test_there_is_one_pipeline():
    module = lower(loops(), "device-maps", 3, 3)[2]
    assert count(module, "nv_tileas.async.pipeline.create_pipeline") == 1
    assert count(module, "nv_tileas.async.pipeline.producer_write") == 2


@pytest.mark.part("kernels")
def test_loops_inside_of_others_have_pipelines_of_their_own():
    """A tile of the outer loop waits as long as the inner loop runs."""
    a, b, c = GEMM.views
    body = f"""
    {ZERO}
    %sum = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%a", "%i", "%k")}
      {b.load("%b", "%k", "%j")}
      %inner = for %u in (%zero to %m, step %one) : tile<i32>
          iter_values(%t = %s) -> ({c.tile_type}) {{
        {a.load("%e", "%i", "%u")}
        {b.load("%f", "%u", "%j")}
        %g = mmaf %e, %f, %t : {a.tile_type}, {b.tile_type}, {c.tile_type}
        continue %g : {c.tile_type}
      }}
      %d = mmaf %a, %b, %inner : {a.tile_type}, {b.tile_type}, {c.tile_type}
      continue %d : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}"""
    text = kernel(GEMM.views, body)
    arrays = GEMM.arrays(64, 32, 16 * 2)
    expected = GEMM.product(arrays) + 2 * GEMM.product(arrays)
    module = lower(text, "device-maps", 3, 3)[2]
    assert count(module, "nv_tileas.async.pipeline.create_pipeline") == 2
    check(text, arrays, expected, n=2, m=2)
