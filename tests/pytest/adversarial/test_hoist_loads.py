"""
Attacks on `hoist-loads`: loads that must see a store, in loops and in place, loads of what was
loaded before, and late casts.
"""

import pytest

from .attacks import Attack
from .square_products import T, arguments, dot, kernel, load, loop, reduced, store

ATTACK = Attack("hoist-loads", then=("tileas", "nvgpu"))
NARROW = T.replace("f32", "f16")


def add(result: str, a: str, b: str) -> str:
    return f"{result} = addf {a}, {b} : {T}\n"


def rounded(result: str, tile: str) -> str:
    """A tile of f16, and the same again as f32."""
    return (
        f"{result}h = ftof {tile} : {T} -> {NARROW}\n{result} = ftof {result}h : {NARROW} -> {T}\n"
    )


LATE = load("%x", "%t1") + store("%x", "%t2", "%w2") + load("%y", "%t3")
MOVED = {
    "behind a store": LATE + add("%s", "%x", "%y") + store("%s", "%t4", "%w2", "%t2"),
    # The address is computed behind the store, too.
    "with its address": load("%x", "%t1")
    + store("%x", "%t2", "%w2")
    + "%i = addi %n, %one : tile<i32>\n%p1 = offset %p, %i : tile<ptr<f32>>, tile<i32> -> "
    "tile<ptr<f32>>\n%f = reshape %p1 : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%fs = broadcast %f : tile<1xptr<f32>> -> tile<16xptr<f32>>\n"
    "%y, %t3 = load_ptr_tko weak %fs : tile<16xptr<f32>> -> tile<16xf32>, token\n"
    "%y1 = reshape %y : tile<16xf32> -> tile<1x16xf32>\n"
    f"%y2 = broadcast %y1 : tile<1x16xf32> -> {T}\n"
    + add("%s", "%x", "%y2")
    + store("%s", "%t4", "%w2", "%t2"),
    "in a loop": loop(
        "%s, %last",
        "%a = %zero, %u = %t0",
        f"{T}, token",
        store("%a", "%t1", "%w2", "%u")
        + load("%x", "%t2")
        + add("%b", "%a", "%x")
        + f"continue %b, %t1 : {T}, token",
    )
    + store("%s", "%end", "%w2", "%last"),
    "above a sum": load("%x", "%t1")
    + reduced("%r", "%x", 1)
    + load("%y", "%t2", "%w2")
    + add("%s", "%r", "%y")
    + "%t3 = join_tokens %t1, %t2 : token\n"
    + store("%s", "%t4", "%w2", "%t3"),
    "read again": load("%x", "%t1")
    + reduced("%r", "%x", 1)
    + load("%y", "%t2", after="%t1")
    + add("%s", "%r", "%y")
    + store("%s", "%t4", after="%t2"),
    "widened late": load("%x", "%t1")
    + rounded("%v", "%x")
    + load("%y", "%t2", "%w2")
    + reduced("%r", "%y", 1)
    + add("%s", "%v", "%r")
    + "%t3 = join_tokens %t1, %t2 : token\n"
    + store("%s", "%t4", "%w2", "%t3"),
}
STAY = {
    "in place": load("%x", "%t1")
    + add("%d", "%x", "%x")
    + store("%d", "%t2", after="%t1")
    + load("%y", "%t3", after="%t2")
    + add("%s", "%d", "%y")
    + store("%s", "%t4", "%w2", "%t3"),
    "read again behind a sum and a store": load("%x", "%t1")
    + reduced("%r", "%x", 1)
    + store("%r", "%t2", after="%t1")
    + load("%y", "%t3", after="%t2")
    + add("%s", "%r", "%y")
    + store("%s", "%t4", "%w2", "%t3"),
    # Neither load is independent, and both have the same address.
    "read again behind stores": load("%x", "%t1")
    + add("%d", "%x", "%x")
    + store("%d", "%t2", after="%t1")
    + load("%y", "%t3", after="%t2")
    + add("%e", "%y", "%y")
    + store("%e", "%t4", after="%t3")
    + load("%u", "%t5", after="%t4")
    + store("%u", "%t6", "%w2", "%t5"),
    "of the last iteration": loop(
        "%s, %last",
        "%a = %zero, %u = %t0",
        f"{T}, token",
        load("%x", "%t1", after="%u")
        + add("%b", "%x", "%x")
        + store("%b", "%t2", after="%t1")
        + load("%y", "%t3", after="%t2")
        + add("%d", "%a", "%y")
        + f"continue %d, %t3 : {T}, token",
    )
    + store("%s", "%end", "%w2", "%last"),
    "a kernel with a dot": LATE + dot("%d", "%x", "%y") + store("%d", "%t4", "%w2", "%t2"),
    # Not all users of the wide tile are behind the sum.
    "widened early": load("%x", "%t1")
    + rounded("%v", "%x")
    + add("%d", "%v", "%v")
    + reduced("%r", "%d", 1)
    + add("%s", "%v", "%r")
    + store("%s", "%t4", "%w2", "%t1"),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved(name: str):
    ATTACK.run(kernel(MOVED[name]), arguments(1, 3))


@pytest.mark.parametrize("name", STAY)
def test_stay(name: str):
    ATTACK.but(fires=False).run(kernel(STAY[name]), arguments(1, 3))


IN_PLACE = [name for name in STAY if name not in ("a kernel with a dot", "widened early")]


@pytest.mark.parametrize("name", IN_PLACE)
def test_one_tensor(name: str):
    """Both tensors are one, and tokens order all accesses to it."""
    inputs = [[p, p, n] for p, _, n in arguments(2)]
    ATTACK.but(fires=False).run(kernel(STAY[name]), inputs)
