"""Loops and branches whose results are tiles, scalars and pointers."""

from __future__ import annotations

import numpy as np
import pytest

from .tile_kernels import Kernel

LEVELS = (0, 2, 3)
TILE = "tile<16x32xf32>"


def count(kernel: Kernel, number: int) -> str:
    """A scalar that is known at run time only."""
    return kernel.values((), "i32", np.array([number]))


@pytest.mark.every(2)
@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_for(opt: int, rounds: int):
    """The tile changes its layout in each round, and what is carried beside it is exchanged."""
    kernel = Kernel()
    x, y = kernel.values((16, 32), "f32"), kernel.values((16, 32), "f32")
    n, one = count(kernel, rounds), count(kernel, 1)
    results = kernel.add_all(
        f"""for %i in (%zero to {n}, step {one}) : tile<i32>
            iter_values(%a = {x}, %b = {y}, %k = {one}) -> ({TILE}, {TILE}, tile<i32>) {{
          %turned = permute %a [1, 0] : {TILE} -> tile<32x16xf32>
          %flat = reshape %turned : tile<32x16xf32> -> {TILE}
          %sum = addf %flat, %b : {TILE}
          %next = addi %k, %i : tile<i32>
          continue %b, %sum, %next : {TILE}, {TILE}, tile<i32>
        }}""",
        3,
    )
    kernel.store(results[0], (16, 32), "f32")
    kernel.store(results[1], (16, 32), "f32")
    kernel.store(results[2], (), "i32")
    kernel.check(opt)


@pytest.mark.parametrize("opt", LEVELS)
@pytest.mark.parametrize("condition", [False, True])
def test_if(opt: int, condition: bool):
    """Arms in different layouts, one of which exchanges elements through shared memory."""
    kernel = Kernel()
    x, c = kernel.values((16, 32), "f32"), kernel.values((), "i1", np.array([condition]))
    row = count(kernel, 3)
    results = kernel.add_all(
        f"""if {c} -> ({TILE}, tile<i32>) {{
          %turned = permute {x} [1, 0] : {TILE} -> tile<32x16xf32>
          %part = extract %turned[{row}, %zero] : tile<32x16xf32> -> tile<1x16xf32>
          %column = reshape %part : tile<1x16xf32> -> tile<16x1xf32>
          %wide = broadcast %column : tile<16x1xf32> -> {TILE}
          yield %wide, {row} : {TILE}, tile<i32>
        }} else {{
          %sum = addf {x}, {x} : {TILE}
          yield %sum, %zero : {TILE}, tile<i32>
        }}""",
        2,
    )
    kernel.store(results[0], (16, 32), "f32")
    kernel.store(results[1], (), "i32")
    kernel.check(opt)


@pytest.mark.parametrize("opt", LEVELS)
def test_loops_that_end_by_themselves(opt: int):
    """A reduction over all warps decides when to stop, so that all threads have to agree."""
    kernel = Kernel()
    x = kernel.values((16, 32), "f32")
    results = kernel.add_all(
        f"""loop iter_values(%a = {x}, %k = %zero) : {TILE}, tile<i32> -> {TILE}, tile<i32> {{
          %flat = reshape %a : {TILE} -> tile<512xf32>
          %largest = reduce %flat dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32>
              (%p: tile<f32>, %q: tile<f32>) {{
            %m = maxf %p, %q : tile<f32>
            yield %m : tile<f32>
          }}
          %limit = constant <f32: 1000.0> : tile<f32>
          %done = cmpf greater_than ordered %largest, %limit : tile<f32> -> tile<i1>
          if %done {{
            break %a, %k : {TILE}, tile<i32>
          }}
          %sum = addf %a, %a : {TILE}
          %one = constant <i32: 1> : tile<i32>
          %next = addi %k, %one : tile<i32>
          continue %sum, %next : {TILE}, tile<i32>
        }}""",
        2,
    )
    kernel.store(results[0], (16, 32), "f32")
    kernel.store(results[1], (), "i32")
    found = kernel.check(opt)
    assert found[-1] > 0


@pytest.mark.parametrize("opt", LEVELS)
def test_pointers_that_move(opt: int):
    """A loop that carries a pointer and a tile of pointers."""
    kernel = Kernel()
    kernel.values((256,), "f32")
    n, one = count(kernel, 4), count(kernel, 1)
    (total, _, _) = kernel.add_all(
        f"""for %i in (%zero to {n}, step {one}) : tile<i32>
            iter_values(%a = {kernel.values((64,), "f32")}, %p = %p0, %q = {pointers(kernel)})
            -> (tile<64xf32>, tile<ptr<f32>>, tile<64xptr<f32>>) {{
          %x, %t0 = load_ptr_tko weak %q token=%token : tile<64xptr<f32>> -> tile<64xf32>, token
          %y, %t1 = load_ptr_tko weak %p token=%token : tile<ptr<f32>> -> tile<f32>, token
          %y1 = reshape %y : tile<f32> -> tile<1xf32>
          %y2 = broadcast %y1 : tile<1xf32> -> tile<64xf32>
          %s0 = addf %a, %x : tile<64xf32>
          %s1 = addf %s0, %y2 : tile<64xf32>
          %step = constant <i32: 64> : tile<i32>
          %steps = constant <i32: 64> : tile<64xi32>
          %p_next = offset %p, %step : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
          %q_next = offset %q, %steps : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
          continue %s1, %p_next, %q_next : tile<64xf32>, tile<ptr<f32>>, tile<64xptr<f32>>
        }}""",
        3,
    )
    kernel.store(total, (64,), "f32")
    kernel.check(opt)


def pointers(kernel: Kernel) -> str:
    """Pointers to the first elements of the first array."""
    base = kernel.add("reshape %p0 : tile<ptr<f32>> -> tile<1xptr<f32>>")
    many = kernel.add(f"broadcast {base} : tile<1xptr<f32>> -> tile<64xptr<f32>>")
    numbers = kernel.add("iota : tile<64xi32>")
    return kernel.add(
        f"offset {many}, {numbers} : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>"
    )
