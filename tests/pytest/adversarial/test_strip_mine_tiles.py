"""Attacks on `strip-mine-tiles`: what is needed in pieces and as a whole, tokens, constants."""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack
from .square_products import (
    PRODUCTS,
    SWAPPED,
    TRANSPOSED,
    T,
    X,
    arguments,
    kernel,
    load,
    loop,
    reduced,
    scanned,
    store,
)

ATTACK = Attack("strip-mine-tiles{tile-bytes=256}", is_idempotent=False)
"""A tile has four times as many bytes, so it is cut, or kept in memory."""

LESS = f"%d = subf %x, %s : {T}\n"
ELEMENTS = {
    # In place, by what is computed of the whole tile, or of one piece.
    "less the sums of columns": X + reduced("%s", "%x", 0) + LESS + store("%d", "%t2", after="%t1"),
    "less the sums of rows": X + reduced("%s", "%x", 1) + LESS + store("%d", "%t2", after="%t1"),
    "less both": X
    + reduced("%s", "%x", 0)
    + reduced("%u", "%x", 1)
    + LESS
    + f"%e = mulf %d, %u : {T}\n"
    + store("%e", "%t2", after="%t1"),
    "symmetric": X + TRANSPOSED + f"%d = addf %x, %y : {T}\n" + store("%d", "%t2", after="%t1"),
    # No token orders the store, but others are ordered behind it.
    "without a token": X
    + f"%d = addf %x, %x : {T}\n"
    + store("%d", "%t2", "%w2")
    + load("%y", "%t3", "%w2", "%t2")
    + f"%e = permute %y [1, 0] : {T} -> {T}\n"
    + store("%e", "%t4", "%w2", "%t3"),
    "scans both ways": X
    + scanned("%d", "%x", 0, reverse=True)
    + scanned("%e", "%d", 0, reverse=False)
    + scanned("%f", "%e", 1, reverse=True)
    + store("%f", "%t2", after="%t1"),
    "scan of a scan": X
    + scanned("%d", "%x", 1, reverse=True)
    + scanned("%e", "%d", 1, reverse=True)
    + store("%e", "%t2", after="%t1"),
    "swapped": X
    + SWAPPED.replace("mmaf %x, %x, %a", "fma %x, %x, %a").replace(f"{T}, {T}, {T}", T)
    + f"%e = subf %s, %u : {T}\n"
    + store("%e", "%t2", "%w2"),
    # What the second tile that a loop carries begins with is needed when the loop is there.
    "carried side by side": X
    + f"%five = constant <f32: 5.0> : {T}\n"
    + loop(
        "%s, %u",
        "%a = %x, %b = %five",
        f"{T}, {T}",
        f"%d = addf %a, %x : {T}\n%e = addf %b, %a : {T}\ncontinue %d, %e : {T}, {T}",
    )
    + f"%f = subf %s, %u : {T}\n"
    + store("%f", "%t2", "%w2"),
    # What it is computed from is needed behind the loop, too, and found there.
    "carried side by side, of one tile": X
    + f"%h = addf %x, %x : {T}\n%g = mulf %h, %h : {T}\n"
    + loop(
        "%s, %u",
        "%a = %x, %b = %g",
        f"{T}, {T}",
        f"%d = addf %a, %x : {T}\n%e = addf %b, %b : {T}\ncontinue %d, %e : {T}, {T}",
    )
    + f"%f = subf %s, %h : {T}\n%k = mulf %f, %u : {T}\n"
    + store("%k", "%t2", "%w2"),
    "carried through memory": loop(
        "%s",
        "%u = %t0",
        "token",
        load("%x", "%t1", "%w", "%u")
        + TRANSPOSED
        + store("%y", "%v", "%w", "%t1")
        + "continue %v : token",
    ),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements(name: str):
    ATTACK.run(kernel(ELEMENTS[name]), arguments(3, 0))


@pytest.mark.every(22)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str):
    ATTACK.run(kernel(PRODUCTS[name]), arguments(2, 0))


def test_a_row_in_pieces_and_as_a_whole():
    ATTACK.run(kernel(PRODUCTS["of a row"]), arguments(1))


@pytest.mark.long
@pytest.mark.parametrize("name", [*PRODUCTS, *ELEMENTS])
def test_threads(name: str):
    ATTACK.but(then=("tileas", "nvgpu")).run(kernel((PRODUCTS | ELEMENTS)[name]), arguments(3))


ATOMIC = """
entry @k(%p: tile<ptr<i32>>) {
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %i = iota : tile<64xi32>
  %v = constant <i32: VALUES> : tile<64xi32>
  %q = offset %ps, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %w = ptr_to_ptr %q : tile<64xptr<i32>> -> tile<64xptr<i8>>
  %four = constant <i32: 4> : tile<64xi32>
  %u = offset %w, %four : tile<64xptr<i8>>, tile<64xi32> -> tile<64xptr<i8>>
  %r = ptr_to_ptr %u : tile<64xptr<i8>> -> tile<64xptr<i32>>
  %old, %t = atomic_rmw_tko relaxed device %r, add, %v : tile<64xptr<i32>>, tile<64xi32>
      -> tile<64xi32>, token
  return
}"""


@pytest.mark.every(2)
@pytest.mark.parametrize("values", ["7", f"[{', '.join(map(str, range(64)))}]"])
def test_atomics_and_constants(values: str):
    """Old values that nobody uses, and constants of equal elements with all their bytes."""
    text = ATOMIC.replace("VALUES", values)
    ATTACK.but(spec="strip-mine-tiles{tile-bytes=64}", fires=None, then=("nvgpu",)).run(
        text, [[np.arange(100, dtype=np.int32)]]
    )
