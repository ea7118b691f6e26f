"""Reductions and scans along every kind of axis: registers, lanes, warps and mixtures."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from ...harness.running import run_both

SHAPES = [
    *((4,), (64,), (1024,), (4096,), (8, 16), (128, 32), (2, 4, 8)),
    *((16, 16, 16), (1, 4096), (4096, 1), (256, 64)),
]
CASES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]

ADD = "%s = addf %p, %q : tile<f32>\nyield %s : tile<f32>"
MAXIMUM = """
    %larger = cmpf greater_than ordered %p, %q : tile<f32> -> tile<i1>
    %s = select %larger, %p, %q : tile<i1>, tile<f32>
    yield %s : tile<f32>
"""


def kernel(shape: tuple[int, ...], axis: int, op: str, options: str, body: str) -> str:
    """A reduction or scan of the tile that an array holds."""
    kept = [size for dim, size in enumerate(shape) if dim != axis or op == "scan"]
    count, result = prod(shape), prod(kept)
    tile = "x".join(map(str, shape)) + "xf32"
    reduced = "x".join(map(str, [*kept, "f32"]))

    def view(size: int) -> str:
        return f"partition_view<tile=({size}), tensor_view<{size}xf32, strides=[1]>>"

    return f"""
    entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {{
      %t0 = make_token : token
      %z = constant <i32: 0> : tile<i32>
      %va = make_tensor_view %a, shape = [{count}], strides = [1]
          : tensor_view<{count}xf32, strides=[1]>
      %pa = make_partition_view %va : {view(count)}
      %flat, %t1 = load_view_tko weak %pa[%z] token=%t0
          : {view(count)}, tile<i32> -> tile<{count}xf32>, token
      %x = reshape %flat : tile<{count}xf32> -> tile<{tile}>
      %r = {op} %x dim={axis} {options} identities=[0.0 : f32] : tile<{tile}> -> tile<{reduced}>
          (%p: tile<f32>, %q: tile<f32>) {{
        {body}
      }}
      %y = reshape %r : tile<{reduced}> -> tile<{result}xf32>
      %vb = make_tensor_view %b, shape = [{result}], strides = [1]
          : tensor_view<{result}xf32, strides=[1]>
      %pb = make_partition_view %vb : {view(result)}
      %t2 = store_view_tko weak %y, %pb[%z] token=%t1
          : tile<{result}xf32>, {view(result)}, tile<i32> -> token
      return
    }}
    """


def check(shape: tuple[int, ...], axis: int, op: str, options: str = "", body: str = ADD) -> None:
    """Small integers, so that no order of additions rounds."""
    numbers = np.random.default_rng(axis).integers(0, 8, prod(shape)).astype(np.float32)
    size = prod(shape) if op == "scan" else prod(shape) // shape[axis]
    expected, found = run_both(
        kernel(shape, axis, op, options, body), [numbers, np.zeros(size, np.float32)]
    )
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.every(3)
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_reduce(shape: tuple[int, ...], axis: int):
    check(shape, axis, "reduce")


@pytest.mark.parametrize(("shape", "axis"), [((64,), 0), ((8, 16), 0), ((16, 16, 16), 1)])
def test_bodies_of_several_ops(shape: tuple[int, ...], axis: int):
    check(shape, axis, "reduce", body=MAXIMUM)


EXTREMA = [((64,), 0), ((4096,), 0), ((128, 32), 1), ((32, 128), 0), ((16, 16, 16), 1)]


@pytest.mark.every(4)
@pytest.mark.parametrize("op", ["maxf", "minf", "maxf propagate_nan"])
@pytest.mark.parametrize(("shape", "axis"), EXTREMA)
def test_extrema_of_three(shape: tuple[int, ...], axis: int, op: str):
    """Where an instruction takes three numbers, registers are folded in chains."""
    name, *flags = op.split()
    body = f"%s = {name} %p, %q {' '.join(flags)} : tile<f32>\nyield %s : tile<f32>"
    rng = np.random.default_rng(axis)
    numbers = rng.standard_normal(prod(shape)).astype(np.float32)
    numbers[rng.integers(0, numbers.size, 3)] = [np.nan, np.inf, -np.inf]
    size = prod(shape) // shape[axis]
    expected, found = run_both(
        kernel(shape, axis, "reduce", "", body),
        [numbers, np.zeros(size, np.float32)],
        arch="sm_100",
    )
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.every(7)
@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_scan(shape: tuple[int, ...], axis: int, reverse: str):
    check(shape, axis, "scan", f"reverse={reverse}")
