"""Results of reductions that are only stored have no copies in other threads."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shape import ReduceOp
from tileiras_xdsl.interpreter.run import run

from ..harness.passes import lower
from ..harness.running import assert_same_bits

ROWS, COLUMNS = 64, 128
TILE = f"tile<{ROWS}x{COLUMNS}xi32>"
LINE = f"tile<{COLUMNS}xi32>"
MATRIX = f"tensor_view<{2 * ROWS}x{COLUMNS}xi32, strides=[{COLUMNS},1]>"
MATRIX_VIEW = f"partition_view<tile=({ROWS}x{COLUMNS}), {MATRIX}>"
RESULT = f"tensor_view<{COLUMNS}xi32, strides=[1]>"
RESULT_VIEW = f"partition_view<tile=({COLUMNS}), {RESULT}>"

FRAME = f"""
entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>) {{
  %t = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %zeros = constant <i32: 0> : {LINE}
  %a1 = assume div_by<16>, %a : tile<ptr<i32>>
  %ta = make_tensor_view %a1, shape = [{2 * ROWS}, {COLUMNS}], strides = [{COLUMNS}, 1] : {MATRIX}
  %va = make_partition_view %ta : {MATRIX_VIEW}
  %tb = make_tensor_view %b, shape = [{COLUMNS}], strides = [1] : {RESULT}
  %vb = make_partition_view %tb : {RESULT_VIEW}
  %tc = make_tensor_view %c, shape = [{COLUMNS}], strides = [1] : {RESULT}
  %vc = make_partition_view %tc : {RESULT_VIEW}
  BODY
  return
}}
"""


def loaded(index: str) -> str:
    """A tile of the matrix."""
    return (
        f"%x, %tx = load_view_tko weak %va[{index}, %zero] token=%t"
        f" : {MATRIX_VIEW}, tile<i32> -> {TILE}, token\n"
    )


SUM = f"""
  %s = reduce %x dim=0 identities=[0 : i32] : {TILE} -> {LINE} (%p: tile<i32>, %q: tile<i32>) {{
    %pq = addi %p, %q : tile<i32>
    yield %pq : tile<i32>
  }}
"""


def stored(value: str, view: str = "%vb") -> str:
    """A line is stored."""
    token = f"%d{view[2:]}"
    return (
        f"{token} = store_view_tko weak {value}, {view}[%zero] token=%t"
        f" : {LINE}, {RESULT_VIEW}, tile<i32> -> token\n"
    )


IN_LOOP = f"""
  %r = for %i in (%zero to %two, step %one) : tile<i32> iter_values(%acc = %zeros) -> ({LINE}) {{
    {loaded("%i")}{SUM}
    %next = addi %acc, %s : {LINE}
    continue %next : {LINE}
  }}
  {stored("%r")}
"""
BROADCAST = f"""
  {loaded("%zero")}{SUM}
  %row = reshape %s : {LINE} -> tile<1x{COLUMNS}xi32>
  %rows = broadcast %row : tile<1x{COLUMNS}xi32> -> {TILE}
  %y = addi %x, %rows : {TILE}
  %done = store_view_tko weak %y, %va[%one, %zero] token=%t
      : {TILE}, {MATRIX_VIEW}, tile<i32> -> token
  {stored("%s")}
"""
TWO = f"""
  {loaded("%zero")}
  %y = negi %x : {TILE}
  %m, %n = reduce %x, %y dim=0 identities=[0 : i32, 0 : i32]
      : {TILE}, {TILE} -> {LINE}, {LINE}
      (%p: tile<i32>, %q: tile<i32>, %u: tile<i32>, %v: tile<i32>) {{
    %pq = addi %p, %q : tile<i32>
    %uv = maxi %u, %v signed : tile<i32>
    yield %pq, %uv : tile<i32>, tile<i32>
  }}
  {stored("%m")}{stored("%n", "%vc")}
"""


@pytest.mark.parametrize(
    ("body", "is_plain"),
    [
        (loaded("%zero") + SUM + stored("%s"), True),
        (IN_LOOP, True),
        (BROADCAST, False),
        (TWO, True),
    ],
    ids=["stored", "carried", "broadcast", "two"],
)
def test_reduced_layouts(body: str, is_plain: bool):
    module = load(FRAME.replace("BODY", body))
    tiles = lower(module, "tileas")
    (reduce,) = [op for op in tiles.walk() if isinstance(op, ReduceOp)]
    layouts = [layout_of(result.type) for result in reduce.results]
    assert all(layout is not None and (layout.registers == 1) == is_plain for layout in layouts)
    matrix = np.random.default_rng(5).integers(-99, 99, (2 * ROWS, COLUMNS)).astype(np.int32)
    results: list[list[np.ndarray]] = []
    for each in (module, tiles, lower(tiles, "nvgpu", after="tileas")):
        arguments = [matrix.copy(), np.zeros(COLUMNS, np.int32), np.zeros(COLUMNS, np.int32)]
        run(each, grid=1, args=arguments, check=True)
        results.append(arguments)
    for found in results[1:]:
        assert_same_bits(results[0], found)
    assert results[0][1].any()
