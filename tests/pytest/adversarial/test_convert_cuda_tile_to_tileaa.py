"""Attacks on `convert-cuda-tile-to-tileaa`: ways out of loops, numbers at the ends of types."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("convert-cuda-tile-to-tileaa", is_idempotent=False, opt=0)


def exits(outer: str, inner: str, ends: str) -> str:
    """Loops in loops, one of which is left in some way where the counters are equal to `%x`."""
    return f"""
entry @k(%p: tile<ptr<i32>>, %x: tile<i32>, %n: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %r = {outer} {{
    %s = {inner} {{
      {ends}
    }}
    print_tko "outer %i", %s : tile<i32> -> token
    OUTER
    continue %s : tile<i32>
  }}
  %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}}"""


FOR = "for %{0} in (%zero to %n, step %one) : tile<i32> iter_values(%{1} = %{2}) -> (tile<i32>)"
LOOP = "loop iter_values(%{1} = %{2}) : tile<i32> -> tile<i32>"
TEST = """
      %m = addi %b, %one : tile<i32>
      %c = cmpi equal %m, %x, signed : tile<i32> -> tile<i1>
"""
WAYS = {
    "break": "break %m : tile<i32>",
    "continue": "%q = addi %m, %one : tile<i32>\ncontinue %q : tile<i32>",
    "return": 'print_tko "left" -> token\nreturn',
    "yield": 'print_tko "stays" -> token',
}
AFTER = """
      %d = cmpi greater_than %m, %n, signed : tile<i32> -> tile<i1>
      if %d {{ {way} }}
      print_tko "inner %i", %m : tile<i32> -> token
      continue %m : tile<i32>
"""


LEAVE = """
    %c2 = cmpi greater_than_or_equal %s, %n, signed : tile<i32> -> tile<i1>
    if %c2 { break %s : tile<i32> }
"""


@pytest.mark.parametrize(
    ("way", "is_for"),
    [*((way, False) for way in WAYS), ("continue", True), ("yield", True)],
)
def test_ways_out(way: str, is_for: bool):
    """A `for` is left by `continue` only."""
    inner = (FOR if is_for else LOOP).format("j", "b", "a")
    last = 'print_tko "far" -> token' if is_for else "break %m : tile<i32>"
    ends = f"{TEST} if %c {{ {WAYS[way]} }}" + AFTER.format(way=last)
    outer = (LOOP if way == "return" else FOR).format("i", "a", "zero")
    text = exits(outer, inner, ends).replace("OUTER", LEAVE if way == "return" else "")
    inputs = [[np.full(1, 9, np.int32), x, n] for x, n in product((0, 2, 4, 99), (0, 1, 3))]
    ATTACK.but(then=("nvgpu",) if way == "return" else ()).run(text, inputs)


DIVISIONS = ["", " rounding<negative_inf>", " rounding<positive_inf>"]


@pytest.mark.every(2)
@pytest.mark.parametrize("rounding", DIVISIONS)
def test_divisions(rounding: str):
    """All quotients of i8 but those that are not defined, as tiles."""
    text = f"""
entry @k(%p: tile<ptr<i8>>, %q: tile<ptr<i8>>, %r: tile<ptr<i8>>) {{
  %i = iota : tile<256xi32>
  %p1 = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
  %ps = broadcast %p1 : tile<1xptr<i8>> -> tile<256xptr<i8>>
  %q1 = reshape %q : tile<ptr<i8>> -> tile<1xptr<i8>>
  %qs = broadcast %q1 : tile<1xptr<i8>> -> tile<256xptr<i8>>
  %r1 = reshape %r : tile<ptr<i8>> -> tile<1xptr<i8>>
  %rs = broadcast %r1 : tile<1xptr<i8>> -> tile<256xptr<i8>>
  %pp = offset %ps, %i : tile<256xptr<i8>>, tile<256xi32> -> tile<256xptr<i8>>
  %qq = offset %qs, %i : tile<256xptr<i8>>, tile<256xi32> -> tile<256xptr<i8>>
  %rr = offset %rs, %i : tile<256xptr<i8>>, tile<256xi32> -> tile<256xptr<i8>>
  %x, %t1 = load_ptr_tko weak %pp : tile<256xptr<i8>> -> tile<256xi8>, token
  %y, %t2 = load_ptr_tko weak %qq : tile<256xptr<i8>> -> tile<256xi8>, token
  %d = divi %x, %y signed{rounding} : tile<256xi8>
  %e = divi %x, %y unsigned : tile<256xi8>
  %f = xori %d, %e : tile<256xi8>
  %t = store_ptr_tko weak %rr, %f : tile<256xptr<i8>>, tile<256xi8> -> token
  return
}}"""
    pairs = np.array([(x, y) for x in range(-128, 128) for y in range(-128, 128)], np.int8)
    fine = pairs[(pairs[:, 1] != 0) & ~((pairs[:, 0] == -128) & (pairs[:, 1] == -1))]
    chosen = fine[np.random.default_rng(3).permutation(len(fine))][: 256 * 8].reshape(8, 256, 2)
    inputs = [[part[:, 0].copy(), part[:, 1].copy(), np.zeros(256, np.int8)] for part in chosen]
    edges = np.array([*product((-128, -127, -1, 1, 127), (-128, -127, -2, 1, 2, 127))], np.int8)
    padded = np.resize(edges, (256, 2))
    inputs.append([padded[:, 0].copy(), padded[:, 1].copy(), np.zeros(256, np.int8)])
    ATTACK.but(then=("nvgpu",) if not rounding else ()).run(text, inputs)
