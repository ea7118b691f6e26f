"""Small tiles that are broadcast are loaded as they are needed, without shared memory."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.interpreter.run import run

from ..harness.passes import lower, lower_through
from ..harness.running import assert_same_bits

ROWS, COLUMNS = 64, 128
TILE = f"tile<{ROWS}x{COLUMNS}xf32>"
MATRIX = f"tensor_view<{2 * ROWS}x{2 * COLUMNS}xf32, strides=[{2 * COLUMNS},1]>"
SHAPE = f"shape = [{2 * ROWS}, {2 * COLUMNS}], strides = [{2 * COLUMNS}, 1]"
MATRIX_VIEW = f"partition_view<tile=({ROWS}x{COLUMNS}), {MATRIX}>"


def kernel(size: int, shape: str, order: str = "weak", *, is_used: bool = False) -> str:
    """Adds a line of numbers to each row, or to each column, of a tile."""
    line = f"tensor_view<{2 * size}xf16, strides=[1]>"
    view = f"partition_view<tile=({size}), {line}>"
    index = "%j" if size == COLUMNS else "%i"
    store = (
        f"%vl = make_partition_view %tb : {view}\n"
        f"%u = store_view_tko weak %n, %vl[{index}] token=%tl : tile<{size}xf16>, {view}, "
        "tile<i32> -> token"
    )
    return f"""
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f16>>) {{
  %t = make_token : token
  %i, %j, %k = get_tile_block_id : tile<i32>
  %a1 = assume div_by<16>, %a : tile<ptr<f32>>
  %b1 = assume div_by<16>, %b : tile<ptr<f16>>
  %ta = make_tensor_view %a1, {SHAPE} : {MATRIX}
  %tb = make_tensor_view %b1, shape = [{2 * size}], strides = [1] : {line}
  %va = make_partition_view %ta : {MATRIX_VIEW}
  %vb = make_partition_view %tb : {view}
  %x, %tx = load_view_tko weak %va[%i, %j] token=%t : {MATRIX_VIEW}, tile<i32> -> {TILE}, token
  %y, %tl = load_view_tko {order} %vb[{index}] token=%t
      : {view}, tile<i32> -> tile<{size}xf16>, token
  %n = negf %y : tile<{size}xf16>
  %w = ftof %n : tile<{size}xf16> -> tile<{size}xf32>
  %r = reshape %w : tile<{size}xf32> -> tile<{shape}xf32>
  %c = broadcast %r : tile<{shape}xf32> -> {TILE}
  %s = addf %x, %c : {TILE}
  %e = store_view_tko weak %s, %va[%i, %j] token=%tx : {TILE}, {MATRIX_VIEW}, tile<i32> -> token
  {store if is_used else ""}
  return
}}
"""


def has_conversions(text: str) -> bool:
    """Whether a kernel converts layouts."""
    return any(isinstance(op, ConvertLayoutOp) for op in lower(load(text), "tileas").walk())


def check(text: str, size: int, grid: tuple[int, int] = (2, 2)) -> None:
    """Compares all levels."""
    module = load(text)
    generator = np.random.default_rng(3)
    matrix = generator.integers(-99, 99, (2 * ROWS, 2 * COLUMNS)).astype(np.float32)
    line = generator.integers(-99, 99, 2 * size).astype(np.float16)
    results: list[list[np.ndarray]] = []
    for each in (module, *lower_through(module, "tileas", "nvgpu").values()):
        arguments = [matrix.copy(), line.copy()]
        run(each, grid=grid, args=arguments, check=True)
        results.append(arguments)
    for found in results[1:]:
        assert_same_bits(results[0], found)
    assert (results[0][0] != matrix).any()


@pytest.mark.parametrize(
    ("size", "shape", "is_direct"),
    [(COLUMNS, f"1x{COLUMNS}", True), (ROWS, f"{ROWS}x1", False)],
    ids=["row", "column"],
)
def test_broadcast(size: int, shape: str, is_direct: bool):
    """A thread has eight elements of a row in one vector; it would load eight rows one by one."""
    text = kernel(size, shape)
    assert has_conversions(text) != is_direct
    check(text, size)


def test_strong_loads_are_done_once():
    """Copies could differ if another CTA stores meanwhile."""
    text = kernel(COLUMNS, f"1x{COLUMNS}", "relaxed device")
    assert has_conversions(text)
    check(text, COLUMNS)


def test_other_uses():
    """What is used in another way as well is loaded once for each, before a store to its place."""
    text = kernel(COLUMNS, f"1x{COLUMNS}", is_used=True)
    assert not has_conversions(text)
    check(text, COLUMNS, (1, 2))


def test_scalars_beside():
    """So is what is computed with a tile that is made of a scalar."""
    text = kernel(COLUMNS, f"1x{COLUMNS}", is_used=True).replace(
        f"%n = negf %y : tile<{COLUMNS}xf16>",
        f"%two = constant <f16: 2.0> : tile<{COLUMNS}xf16>\n"
        f"  %n = mulf %y, %two : tile<{COLUMNS}xf16>",
    )
    assert not has_conversions(text)
    check(text, COLUMNS, (1, 2))


def test_loops():
    """What a loop loads may be copied to shared memory ahead of time, each element once."""
    text = kernel(COLUMNS, f"1x{COLUMNS}")
    start, end = text.index("  %x, %tx"), text.index("  return")
    bounds = "%zero = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n"
    loop = "for %l in (%zero to %one, step %one) : tile<i32> {\n"
    text = f"{text[:start]}  {bounds}  {loop}{text[start:end]}  }}\n{text[end:]}"
    assert has_conversions(text.replace("(%zero to %one", "(%zero to %i"))
    check(text, COLUMNS)
