"""Attacks on `privatize-atomics`: bounds that are not there, or lie; masks, signs, grids."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tileiras_xdsl.dialects.nv_tileaa.decisions import PRIVATIZED
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("privatize-atomics{ctas=2}", fires=None, is_idempotent=False)
T, P, B = "tile<32xi32>", "tile<32xptr<i32>>", "tile<32xi1>"
FRAME = f"""
entry @k(%x: tile<ptr<i32>>, %c: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>) {{
  %b, %b1, %b2 = get_tile_block_id : tile<i32>
  %size = constant <i32: 32> : tile<i32>
  %first = muli %b, %size : tile<i32>
  %lanes = iota : {T}
  %zeros = constant <i32: 0> : {T}
  %ones = constant <i32: 1> : {T}
  %low = constant <i32: 7> : {T}
  SPLATS
  %at = addi %firsts, %lanes : {T}
  %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
  %xs = broadcast %x1 : tile<1xptr<i32>> -> {P}
  %xp = offset %xs, %at : {P}, {T} -> {P}
  %v, %t1 = load_ptr_tko weak %xp : {P} -> {T}, token
  %c1 = reshape %c : tile<ptr<i32>> -> tile<1xptr<i32>>
  %cs = broadcast %c1 : tile<1xptr<i32>> -> {P}
  BODY
  %q = offset %cs, %j : {P}, {T} -> {P}
  %old, %t2 = atomic_rmw_tko relaxed device %q, MODE, %w, %m : {P}, {T}, {B} -> {T}, token
  return
}}"""
SPLATS = "\n".join(
    f"%{name}_1 = reshape %{source} : tile<i32> -> tile<1xi32>\n"
    f"%{name} = broadcast %{name}_1 : tile<1xi32> -> {T}"
    for name, source in (("firsts", "first"), ("ns", "n"), ("ss", "s"))
)


def less(result: str, a: str, b: str, sign: str = "unsigned") -> str:
    return f"{result} = cmpi less_than {a}, {b}, {sign} : {T} -> {B}\n"


def same(result: str, value: str) -> str:
    return f"{result} = addi {value}, %zeros : {T}\n"


WEIGHT = same("%w", "%ones")
BODIES = {
    "mask": WEIGHT + same("%j", "%v") + less("%m", "%j", "%ns"),
    "mask of another value": WEIGHT + same("%j", "%v") + less("%m", "%at", "%ns"),
    "mask of one with a sign": WEIGHT
    + same("%j", "%v")
    + less("%m0", "%j", "%ns", "signed")
    + f"%m1 = cmpi greater_than_or_equal %j, %zeros, signed : {T} -> {B}\n"
    + f"%m = andi %m0, %m1 : {B}\n",
    "either of two masks": WEIGHT
    + same("%j", "%v")
    + less("%m0", "%j", "%ns")
    + less("%m1", "%j", "%ss")
    + f"%m = ori %m0, %m1 : {B}\n",
    "sum": WEIGHT
    + f"%k = andi %v, %low : {T}\n%j = addi %k, %ss : {T}\n"
    + less("%m", "%at", "%ns"),
    "product": WEIGHT
    + f"%k = andi %v, %low : {T}\n%l = muli %k, %ss : {T}\n%j = addi %l, %k : {T}\n"
    + less("%m", "%l", "%ns"),
    "product of a masked one": WEIGHT
    + less("%m", "%v", "%ns")
    + f"%l = muli %v, %ss : {T}\n%j = addi %l, %v : {T}\n",
    "narrow": WEIGHT
    + f"%k = trunci %v : {T} -> tile<32xi8>\n%j0 = exti %k unsigned : tile<32xi8> -> {T}\n"
    + same("%j", "%j0")
    + less("%m", "%j", "%ns"),
    "weights": f"%w = muli %v, %v : {T}\n" + same("%j", "%v") + less("%m", "%j", "%ns"),
}


def inputs(*sizes: tuple[int, int], blocks: int = 5) -> list[list[object]]:
    random = np.random.default_rng(1)
    values = random.integers(-3, 20, 32 * blocks).astype(np.int32)
    return [
        [values, random.integers(-(2**31), 2**31, 512).astype(np.int32), *each] for each in sizes
    ]


def text(name: str, mode: str = "add") -> str:
    return FRAME.replace("SPLATS", SPLATS).replace("BODY", BODIES[name]).replace("MODE", mode)


@pytest.mark.every(4)
@pytest.mark.parametrize("name", BODIES)
def test_bounds(name: str):
    sizes = [(8, 2), (0, 3), (1, 0), (16, 1)]
    if name in ("sum", "product"):
        sizes.append((5, 30))
    if name in ("mask of another value", "either of two masks"):
        # Indices below zero would be accesses before the array.
        sizes = [(0, 2)]
    ATTACK.run(text(name), inputs(*sizes), grid=5)


MODES = ("add", "or", "xor", "and", "max", "min", "umax", "umin")


@pytest.mark.every(4)
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str):
    after = ATTACK.but(fires=True).run(text("weights", mode), inputs((8, 1)), grid=5)
    assert any(PRIVATIZED.is_on(op) for op in ops_of(after, AllocaOp))


@pytest.mark.parametrize("grid", [1, (2, 2), (1, 1, 3)])
def test_grids(grid: object):
    """Tile blocks with another y or z do the same work once more."""
    ATTACK.run(text("mask"), inputs((8, 1)), grid=grid)


@pytest.mark.long
@pytest.mark.parametrize(("name", "ctas"), [*product(("mask", "product", "weights"), (1, 3, 64))])
def test_threads(name: str, ctas: int):
    attack = ATTACK.but(spec=f"privatize-atomics{{ctas={ctas}}}", then=("nvgpu",))
    attack.run(text(name), inputs((8, 2)), grid=5)
