"""Attacks on `canonicalize-tileaa`: steps of pointers, masks, atomics that change nothing, dots."""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("canonicalize-tileaa")
P = "tile<4xptr<i32>>"
FRAME = f"""
entry @k(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>, %w: tile<i64>) {{
  %t0 = make_token : token
  %i = iota : tile<4xi32>
  %zeros = constant <i32: 0> : tile<4xi32>
  %ones = constant <i32: 1> : tile<4xi32>
  %minus = constant <i32: -1> : tile<4xi32>
  %all = constant <i1: true> : tile<4xi1>
  %none = constant <i1: false> : tile<4xi1>
  %some = constant <i1: [true, false, true, false]> : tile<4xi1>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> {P}
  %x1 = reshape %x : tile<i32> -> tile<1xi32>
  %xs = broadcast %x1 : tile<1xi32> -> tile<4xi32>
  %y1 = reshape %y : tile<i32> -> tile<1xi32>
  %ys = broadcast %y1 : tile<1xi32> -> tile<4xi32>
  BODY
  return
}}"""


def step(result: str, base: str, offset: str, ty: str = "i32") -> str:
    return f"{result} = offset {base}, {offset} : {P}, tile<4x{ty}> -> {P}\n"


def put(
    pointer: str, value: str, mask: str | None = None, after: str = "%t0", token: str = "%t"
) -> str:
    masked, ty = ("", "") if mask is None else (f", {mask}", ", tile<4xi1>")
    return (
        f"{token} = store_ptr_tko weak {pointer}, {value}{masked} token = {after}"
        f" : {P}, tile<4xi32>{ty} -> token\n"
    )


def get(name: str, token: str, pointer: str, mask: str, other: str, after: str = "%t0") -> str:
    return (
        f"{name}, {token} = load_ptr_tko weak {pointer}, {mask}, {other} token = {after}"
        f" : {P}, tile<4xi1>, tile<4xi32> -> tile<4xi32>, token\n"
    )


def combine(mode: str, value: str, how: str = "relaxed device") -> str:
    return (
        f"%old, %t1 = atomic_rmw_tko {how} %q, {mode}, {value} token = %t0"
        f" : {P}, tile<4xi32> -> tile<4xi32>, token\n"
    )


Q = step("%q", "%ps", "%i")
OUT = "%four = constant <i32: 4> : tile<4xi32>\n" + step("%r", "%q", "%four")
BODIES = {
    # The sum of two steps does not fit in 32 bits, but each does.
    "two steps": step("%a", "%ps", "%xs")
    + step("%b", "%a", "%ys")
    + step("%c", "%b", "%i")
    + put("%c", "%i"),
    "steps of two widths": "%w1 = reshape %w : tile<i64> -> tile<1xi64>\n"
    "%ws = broadcast %w1 : tile<1xi64> -> tile<4xi64>\n"
    + step("%a", "%ps", "%xs")
    + step("%b", "%a", "%ws", "i64")
    + "%n = negi %xs : tile<4xi32>\n"
    + step("%c", "%b", "%n")
    + step("%d", "%c", "%i")
    + put("%d", "%i"),
    "all lanes": Q
    + put("%q", "%i", "%all")
    + OUT
    + get("%v", "%t1", "%q", "%all", "%minus", "%t")
    + put("%r", "%v", None, "%t1", "%u"),
    "no lanes": Q
    + put("%q", "%i", "%none")
    + OUT
    + get("%v", "%t1", "%q", "%none", "%minus", "%t")
    + put("%r", "%v", "%some", "%t1", "%u"),
    "some lanes": Q
    + put("%q", "%i", "%some")
    + OUT
    + get("%v", "%t1", "%q", "%some", "%minus", "%t")
    + put("%r", "%v", None, "%t1", "%u"),
    # A store without lanes is ordered all the same, by the tokens of others.
    "order through nothing": Q
    + put("%q", "%i")
    + put("%q", "%minus", "%none", "%t", "%a")
    + get("%v", "%t1", "%q", "%all", "%ones", "%a")
    + OUT
    + put("%r", "%v", None, "%t1", "%u"),
    **{
        f"{mode} of {value}": Q + combine(mode, value) + OUT + put("%r", "%old", None, "%t1")
        for mode, value in (
            ("add", "%zeros"),
            ("or", "%zeros"),
            ("and", "%minus"),
            ("and", "%zeros"),
            ("umin", "%minus"),
            ("umax", "%zeros"),
            ("max", "%zeros"),
            ("min", "%minus"),
            ("xor", "%minus"),
            ("xchg", "%zeros"),
        )
    },
    "acquired nothing": Q
    + combine("add", "%zeros", "acq_rel device")
    + OUT
    + put("%r", "%old", None, "%t1"),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str):
    far = 2**31 - 1
    numbers = [(4, 4, 0), (3, -3, 5)]
    if name == "steps of two widths":
        numbers.append((far, 0, 2))
    if name == "two steps":
        numbers = [(4, 4, 0), (far, -far, 0), (-far, far, 0)]
    inputs = [[np.arange(100, 132, dtype=np.int32), *each] for each in numbers]
    ATTACK.but(fires=None).run(FRAME.replace("BODY", BODIES[name]), inputs, check=["races"])


def test_fires():
    inputs = [[np.arange(100, 132, dtype=np.int32), 1, 2, 3]]
    after = ATTACK.run(FRAME.replace("BODY", BODIES["all lanes"]), inputs)
    assert not any("mask" in str(op) for op in after.walk() if op.name == "nv_tileaa.store")


DOT = """
entry @k(%p: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  %m = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : M
  %w = make_partition_view %m : V
  %x, %t1 = load_view_tko weak %w[%z, %z] : V, tile<i32> -> T, token
  %a = constant <f32: A> : T
  %b = constant <f32: B> : T
  %d = mmaf %a, %b, %x : T, T, T
  %t = store_view_tko weak %d, %w[%z, %z] token = %t1 : T, V, tile<i32> -> token
  return
}"""


@pytest.mark.parametrize(
    ("a", "b"),
    [("0.0", "3.0"), ("-0.0", "3.0"), ("2.0", "0.5"), ("2.0", "0.0"), ("1.0e20", "1.0e20")],
)
def test_dots(a: str, b: str):
    """Of constants, with accumulators that have signs, or are no numbers."""
    text = (
        DOT.replace("A>", f"{a}>")
        .replace("B>", f"{b}>")
        .replace("V", "partition_view<tile=(4x4), M>")
    )
    text = text.replace("M", "tensor_view<4x4xf32, strides=[4,1]>").replace(" T", " tile<4x4xf32>")
    numbers = np.linspace(-2, 2, 16, dtype=np.float32)
    special = numbers.copy()
    special[:4] = np.nan, np.inf, -np.inf, 0.0
    ATTACK.but(fires=None).run(text, [[numbers], [special]])
