"""Attacks on `recover-views`: rows that begin anywhere, strides and sizes of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("recover-views", then=("tileas", "nvgpu"))
H, F, N, B = "tile<16x16xf16>", "tile<16x16xf32>", "tile<16x16xi64>", "tile<16x16xi1>"


def numbers(name: str, dim: int, start: str | None) -> str:
    """The numbers of rows or columns of a tile, from a start on."""
    shape = "1x16" if dim else "16x1"
    first = "%range = iota : tile<16xi32>\n" if name == "%r" else ""
    moved = "%range"
    if start is not None:
        first += f"""
  {name}0 = reshape {start} : tile<i32> -> tile<1xi32>
  {name}1 = broadcast {name}0 : tile<1xi32> -> tile<16xi32>
  {name}2 = addi {name}1, %range : tile<16xi32>
"""
        moved = f"{name}2"
    return f"""{first}
  {name}3 = reshape {moved} : tile<16xi32> -> tile<{shape}xi32>
  {name}4 = exti {name}3 signed : tile<{shape}xi32> -> tile<{shape}xi64>
  {name} = broadcast {name}4 : tile<{shape}xi64> -> {N}
"""


def splat(name: str, scalar: str) -> str:
    return f"""
  {name}0 = exti {scalar} signed : tile<i32> -> tile<i64>
  {name}1 = reshape {name}0 : tile<i64> -> tile<1x1xi64>
  {name} = broadcast {name}1 : tile<1x1xi64> -> {N}
"""


PARAMETERS = """
  %p1 = assume div_by<16>, %p : tile<ptr<f16>>
  %s1 = assume div_by<16>, %s : tile<i32>
  %s2 = assume bounded<0, ?>, %s1 : tile<i32>
  %m1 = assume bounded<0, ?>, %m : tile<i32>
  %k1 = assume bounded<0, ?>, %k : tile<i32>
"""
INSIDE = """
  %in_rows = cmpi less_than %r, %size_m, unsigned : tile<16x16xi64> -> tile<16x16xi1>
  %in_columns = cmpi less_than %c, %size_k, unsigned : tile<16x16xi64> -> tile<16x16xi1>
  %inside = andi %in_rows, %in_columns : tile<16x16xi1>
"""


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def kernel(
    *,
    parameters: str = PARAMETERS,
    row: str | None = "%i",
    column: str | None = "%j8",
    inside: str = INSIDE,
    padding: str = "0.0",
    transposed: bool = False,
    used: str = "%x",
) -> str:
    """The square of a tile of `%p`, m by k with rows every s elements, from (i, 8 j) on."""
    rows, columns = ("%c", "%r") if transposed else ("%r", "%c")
    return f"""
entry @k(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %m: tile<i32>, %k: tile<i32>, %s: tile<i32>,
         %i: tile<i32>, %j: tile<i32>) {{
  {parameters}
  %eight = constant <i32: 8> : tile<i32>
  %j8 = muli %j, %eight : tile<i32>
  {numbers("%r", 0, row)}{numbers("%c", 1, column)}
  {splat("%stride", "%s2")}{splat("%size_m", "%m1")}{splat("%size_k", "%k1")}
  {inside}
  %far = muli {rows}, %stride : {N}
  %offsets = addi %far, {columns} : {N}
  %base0 = reshape %p1 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %base = broadcast %base0 : tile<1x1xptr<f16>> -> tile<16x16xptr<f16>>
  %pointers = offset %base, %offsets : tile<16x16xptr<f16>>, {N} -> tile<16x16xptr<f16>>
  %padding = constant <f16: {padding}> : {H}
  %x, %t = load_ptr_tko weak %pointers, %inside, %padding
    : tile<16x16xptr<f16>>, {B}, {H} -> {H}, token
  %twice = addf %x, %x : {H}
  %zero = constant <f32: 0.0> : {F}
  %y = mmaf {used}, %x, %zero : {H}, {H}, {F}
  %w = make_tensor_view %q, shape = [16, 16], strides = [16, 1]
    : tensor_view<16x16xf32, strides=[16,1]>
  %v = make_partition_view %w : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
  %z = constant <i32: 0> : tile<i32>
  %end = store_view_tko weak %y, %v[%z, %z] : {F},
    partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}}"""


FARTHEST = 2**31 - 1
PLACES = [
    (40, 32, 48, 0, 0),
    (40, 32, 48, 30, 2),
    (40, 30, 32, -3, -1),
    (40, 32, 48, -20, 0),
    (17, 9, 16, 39, 1),
    (40, 32, 48, FARTHEST - 4, 0),
    (40, 32, 48, -FARTHEST - 1, 0),
    (0, 32, 48, 0, 0),
    (1, 32, 0, 0, 0),
]
"""Rows, columns, stride, first row, first column over 8."""


def arguments(*places: tuple[int, ...]) -> list[list[Any]]:
    random = np.random.default_rng(3)
    return [
        [
            random.integers(-2, 3, 40 * 48).astype(np.float16),
            np.full((16, 16), 9, np.float32),
            *place,
        ]
        for place in places
    ]


RECOVERED = {
    "rows": kernel(),
    "at the first column": kernel(column=None),
    "at the first row": kernel(row=None),
    "contiguous along rows": kernel(row="%j8", column="%i", transposed=True),
}
STAY = {
    "a column anywhere": kernel(column="%i"),
    "a stride of any number": kernel(
        parameters=PARAMETERS.replace("div_by<16>, %s", "div_by<2>, %s")
    ),
    "ones outside": kernel(padding="1.0"),
    "no bound of columns": kernel(
        inside=INSIDE.replace("%in_rows, %in_columns", "%in_rows, %in_rows")
    ),
    "signed": kernel(inside=changed(INSIDE, "unsigned", "signed")),
    "at most": kernel(inside=changed(INSIDE, "less_than", "less_than_or_equal")),
    "a size that may be negative": kernel(
        parameters=PARAMETERS.replace("bounded<0, ?>, %m", "bounded<-9, ?>, %m")
    ),
    "used elsewhere": kernel(used="%twice"),
}


@pytest.mark.parametrize("name", RECOVERED)
def test_recovered(name: str):
    ATTACK.run(RECOVERED[name], arguments(*PLACES))


@pytest.mark.parametrize("name", STAY)
def test_stay(name: str):
    ATTACK.but(fires=False).run(STAY[name], arguments((30, 24, 48, 0, 0), (30, 24, 48, 20, 1)))
