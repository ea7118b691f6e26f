"""Attacks on `scalarize-loads`: indices at the ends of types, sizes of zero, order, padding."""

from __future__ import annotations

import numpy as np
import pytest

from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("scalarize-loads")
STRIDES = "tensor_view<?x?xi32, strides=[?,?]>"


def kernel(body: str, ty: str = "i32", *, view: str = "", padding: str = "zero") -> str:
    """A kernel that has a tile `%x` of 2 by 4 and stores `%e`, one of its elements."""
    view = view or f"partition_view<tile=(2x4), padding_value = {padding}, {STRIDES}>"
    return f"""
entry @k(%a: tile<ptr<i32>>, %r: tile<ptr<i32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>,
         %i: tile<{ty}>, %j: tile<{ty}>, %u: tile<i32>, %v: tile<i32>) {{
  %t0 = make_token : token
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %tensor = make_tensor_view %a, shape = [%m, %n], strides = [%s, %one] : tile<i32> -> {STRIDES}
  %view = make_partition_view %tensor : {view}
  {body.replace("VIEW", view).replace("TYPE", ty)}
  %last = store_ptr_tko weak %r, %e : tile<ptr<i32>>, tile<i32> -> token
  return
}}"""


LOAD = """
  %x, %t1 = load_view_tko weak %view[%i, %j] token = %t0 : VIEW, tile<TYPE> -> tile<2x4xi32>, token
"""
ELEMENT = """
  %p = extract %x[%u, %v] : tile<2x4xi32> -> tile<1x1xi32>
  %e = reshape %p : tile<1x1xi32> -> tile<i32>
"""


def arguments(*numbers: tuple[int, ...]) -> list[list[object]]:
    """A tensor of some rows and columns, the indices of a tile, and of an element in it."""
    memory = np.arange(1, 65, dtype=np.int32)
    return [[memory, np.full(1, -7, np.int32), *each] for each in numbers]


@pytest.mark.parametrize("ty", ["i32", "i64"])
def test_tiles_outside_of_the_tensor(ty: str):
    most = 2 ** (int(ty[1:]) - 1) - 1
    places = [
        (5, 6, 8, i, j, u, v)
        for i, j in ((0, 0), (2, 1), (-1, 0), (0, -1), (most, 0), (0, most), (-most - 1, 1))
        for u, v in ((0, 0), (1, 3))
    ]
    # Twice a large index is a small one, if it wraps around.
    places += [(5, 6, 8, (most + 1) // 2, 0, 0, 0), (5, 6, 8, 0, (most + 1) // 4, 0, 0)]
    after = ATTACK.run(kernel(LOAD + ELEMENT, ty), arguments(*places))
    assert not ops_of(after, TiledLoadOp)


def test_tiles_that_begin_before_the_tensor_and_reach_into_it():
    """Tiles of four columns begin at every second one."""
    view = "strided_view<tile=(2x4), traversal_strides=[2,2], padding_value = zero, "
    text = kernel(LOAD + ELEMENT, "i64", view=f"{view}{STRIDES}>")
    places = [(5, 6, 8, 0, j, 1, v) for j in (-2, -1, 0, 1 << 62) for v in (0, 3)]
    after = ATTACK.run(text.replace("make_partition_view", "make_strided_view"), arguments(*places))
    assert not ops_of(after, TiledLoadOp)


def test_tensors_without_elements():
    places = [(0, 6, 8, 0, 0, 0, 0), (5, 0, 8, 0, 0, 1, 1), (0, 0, 0, 0, 0, 0, 0)]
    ATTACK.run(kernel(LOAD + ELEMENT), arguments(*places))


def test_rows_that_are_the_same():
    """With a stride of zero, or one that overlaps."""
    ATTACK.run(kernel(LOAD + ELEMENT), arguments((5, 6, 0, 1, 1, 1, 0), (5, 6, 3, 1, 1, 1, 1)))


@pytest.mark.parametrize("padding", ["neg_zero", "nan", "pos_inf", "neg_inf"])
def test_other_padding_stays(padding: str):
    text = kernel(LOAD + ELEMENT, padding=padding).replace(
        "i32>>, %r: tile<ptr<i32", "f32>>, %r: tile<ptr<f32"
    )
    for old, new in (("?x?xi32", "?x?xf32"), ("2x4xi32", "2x4xf32"), ("1x1xi32", "1x1xf32")):
        text = text.replace(old, new)
    text = text.replace("-> tile<i32>\n", "-> tile<f32>\n").replace(
        "tile<ptr<i32>>, tile<i32> -> token", "tile<ptr<f32>>, tile<f32> -> token"
    )
    memory = np.arange(1, 65, dtype=np.float32)
    inputs = [
        [memory, np.full(1, -7, np.float32), 5, 6, 8, *each]
        for each in ((0, 0, 0, 0), (9, 9, 1, 1))
    ]
    ATTACK.but(fires=False).run(text, inputs)


ORDERED = {
    # The element is extracted behind a store that overwrites it, but loaded before.
    "overwritten": LOAD
    + "%t2 = store_ptr_tko weak %a, %m token = %t1 : tile<ptr<i32>>, tile<i32> -> token\n"
    + ELEMENT,
    # In a loop that overwrites it.
    "overwritten in a loop": LOAD
    + """
  %e, %tl = for %k in (%zero to %n, step %one) : tile<i32>
      iter_values(%sum = %zero, %tk = %t1) -> (tile<i32>, token) {
    %p = extract %x[%u, %v] : tile<2x4xi32> -> tile<1x1xi32>
    %q = reshape %p : tile<1x1xi32> -> tile<i32>
    %f = addi %sum, %q : tile<i32>
    %t2 = store_ptr_tko weak %a, %k token = %tk : tile<ptr<i32>>, tile<i32> -> token
    continue %f, %t2 : tile<i32>, token
  }
""",
    # Written just before, by a token.
    "written": "%tw = store_ptr_tko weak %a, %m token = %t0 : tile<ptr<i32>>, tile<i32> -> token\n"
    + LOAD.replace("token = %t0", "token = %tw")
    + ELEMENT,
    # Several elements, the same one twice, and one in a branch that may not be taken.
    "several": LOAD
    + """
  %p = extract %x[%u, %v] : tile<2x4xi32> -> tile<1x1xi32>
  %p1 = reshape %p : tile<1x1xi32> -> tile<i32>
  %q = extract %x[%u, %v] : tile<2x4xi32> -> tile<1x1xi32>
  %q1 = reshape %q : tile<1x1xi32> -> tile<i32>
  %o = extract %x[%one, %zero] : tile<2x4xi32> -> tile<1x1xi32>
  %o1 = reshape %o : tile<1x1xi32> -> tile<i32>
  %s1 = addi %p1, %q1 : tile<i32>
  %c = cmpi less_than %s1, %n, signed : tile<i32> -> tile<i1>
  %e = if %c -> (tile<i32>) { yield %o1 : tile<i32> } else { yield %s1 : tile<i32> }
""",
}


@pytest.mark.parametrize("name", ORDERED)
def test_order(name: str):
    inputs = arguments((5, 6, 8, 0, 0, 0, 0), (5, 6, 8, 0, 0, 1, 1))
    ATTACK.but(then=("nvgpu",)).run(kernel(ORDERED[name]), inputs)


def test_the_element_of_an_iteration():
    """The counter goes up to the size, but may begin below zero, and the tile is one row."""
    view = f"partition_view<tile=(1x4), padding_value = zero, {STRIDES}>"
    body = """
  %e = for %k in (%i to %m, step %one) : tile<i32> iter_values(%sum = %zero) -> (tile<i32>) {
    %x, %t1 = load_view_tko weak %view[%k, %j] token = %t0 : VIEW, tile<i32> -> tile<1x4xi32>, token
    %p = extract %x[%zero, %v] : tile<1x4xi32> -> tile<1x1xi32>
    %q = reshape %p : tile<1x1xi32> -> tile<i32>
    %three = muli %sum, %n : tile<i32>
    %f = addi %three, %q : tile<i32>
    continue %f : tile<i32>
  }
"""
    inputs = arguments(*((3, 5, 8, i, j, 0, 2) for i in (-2, 0, 3, 4) for j in (0, 1)))
    ATTACK.run(kernel(body, view=view), inputs)
