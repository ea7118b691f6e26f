"""Results of reductions that are only stored have no copies in other threads."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shape import ReduceOp
from tileiras_xdsl.dialects.nvvm import ShflOp
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
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


MASK = "tile<128x64xi32>"
VECTOR = "tensor_view<128xi32, strides=[1]>"
VECTORS = f"partition_view<tile=(128), {VECTOR}>"
SUMS_OF_ROWS = f"""
entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {{
  %t = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %ta = make_tensor_view %a, shape = [128], strides = [1] : {VECTOR}
  %va = make_partition_view %ta : {VECTORS}
  %tb = make_tensor_view %b, shape = [128], strides = [1] : {VECTOR}
  %vb = make_partition_view %tb : {VECTORS}
  %x, %tx = load_view_tko weak %va[%zero] token=%t
      : {VECTORS}, tile<i32> -> tile<128xi32>, token
  %x0 = reshape %x : tile<128xi32> -> tile<128x1xi32>
  %x1 = broadcast %x0 : tile<128x1xi32> -> {MASK}
  %n = iota : tile<64xi32>
  %n0 = reshape %n : tile<64xi32> -> tile<1x64xi32>
  %n1 = broadcast %n0 : tile<1x64xi32> -> {MASK}
  %y = xori %x1, %n1 : {MASK}
  %s = reduce %y dim=1 identities=[0 : i32] : {MASK} -> tile<128xi32>
      (%p: tile<i32>, %q: tile<i32>) {{
    %pq = COMBINE
    yield %pq : tile<i32>
  }}
  %e = store_view_tko weak %s, %vb[%zero] token=%t
      : tile<128xi32>, {VECTORS}, tile<i32> -> token
  return
}}
"""


@pytest.mark.parametrize(
    ("combine", "ctas", "shuffled"),
    [
        ("addi %p, %q : tile<i32>", 2, 31),
        ("addi %p, %q : tile<i32>", 4, 160),
        ("ori %p, %p : tile<i32>", 2, 160),
    ],
    ids=["sum", "few registers", "first"],
)
def test_lanes_share_rows(combine: str, ctas: int, shuffled: int):
    """
    Of 32 rows, whose columns are in 32 lanes of two warps, a lane passes on 16, 8, 4, 2 and 1, if
    it makes no difference which of two elements comes first, and it has registers for the selects.
    """
    hint = f") optimization_hints=<sm_90 = {{occupancy = {ctas}}}> {{"
    text = SUMS_OF_ROWS.replace("COMBINE", combine).replace(") {", hint, 1)
    module = load(text)
    tiles = lower(module, "tileas")
    threads = lower(tiles, "nvgpu", after="tileas")
    x = np.random.default_rng(6).integers(-99, 99, 128).astype(np.int32)
    elements = x[:, None] ^ np.arange(64)
    expected = elements.sum(1) if "addi" in combine else elements[:, 0]
    for each in (module, tiles, threads):
        result = np.zeros(128, np.int32)
        run(each, grid=1, args=[x, result], check=True)
        assert (result == expected).all()
    moved = [op for op in threads.walk() if isinstance(op, ShflOp)]
    assert sum(count_lanes(op.results[0].type) for op in moved) == shuffled
