# pyright: basic
"""Accesses of Triton's kernels do to memory what NumPy says, in the order of the program."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tt.convert_tt_to_cuda_tile import ConvertTtToCudaTilePass

from ..harness.modules import parse
from ..harness.passes import applied

N = 32
INTS, FLOATS = f"tensor<{N}xi32>", f"tensor<{N}xf32>"
POINTERS, INT_POINTERS = f"tensor<{N}x!tt.ptr<f32>>", f"tensor<{N}x!tt.ptr<i32>>"
RANGE = f"%r = tt.make_range {{end = {N} : i32, start = 0 : i32}} : {INTS}\n"


def pointers(name: str, element: str, offsets: str = "r") -> str:
    """Pointers `%name_p` to elements of an argument."""
    ty = f"tensor<{N}x!tt.ptr<{element}>>"
    return (
        f"%{name}_s = tt.splat %{name} : !tt.ptr<{element}> -> {ty}\n"
        f"%{name}_p = tt.addptr %{name}_s, %{offsets} : {ty}, {INTS}\n"
    )


BELOW = f"%n_s = tt.splat %n : i32 -> {INTS}\n%m = arith.cmpi slt, %r, %n_s : {INTS}\n"
IDS = "%c1 = arith.constant 1 : i32\n%c0 = arith.constant 0 : i32\n%c4 = arith.constant 4 : i32\n"
MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin", "exch")
DESCRIPTOR = """%one = arith.constant 1 : i64
%ld = arith.extsi %w : i32 to i64
%d = tt.make_tensor_descriptor %a, [%h, %w], [%ld, %one]PAD : <f32>, <8x16xf32>
%e = tt.make_tensor_descriptor %b, [%h, %w], [%ld, %one] : <f32>, <8x16xf32>
"""

KERNELS = {
    "masked": (
        "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32",
        RANGE + BELOW + pointers("a", "f32") + pointers("b", "f32")
        + f"%o = arith.constant dense<7.0> : {FLOATS}\n"
        f"%x = tt.load %a_p, %m, %o : {POINTERS}\n%y = arith.addf %x, %x : {FLOATS}\n"
        f"tt.store %b_p, %y : {POINTERS}\ntt.store %a_p, %o, %m : {POINTERS}\n",
    ),
    # Each iteration reads what the one before has written next to it.
    "in_place": (
        "%a: !tt.ptr<f32>, %n: i32",
        RANGE + IDS + pointers("a", "f32")
        + f"%ones = arith.constant dense<1> : {INTS}\n"
        f"%q = tt.addptr %a_p, %ones : {POINTERS}, {INTS}\n"
        "scf.for %t = %c0 to %c4 step %c1 : i32 {\n"
        f"  %x = tt.load %q : {POINTERS}\n  %y = arith.addf %x, %x : {FLOATS}\n"
        f"  tt.store %a_p, %y : {POINTERS}\n}}\n",
    ),
    # Loads alone in a loop, of what is stored before and after it.
    "around": (
        "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32",
        RANGE + IDS + pointers("a", "f32") + pointers("b", "f32")
        + f"%two = arith.constant dense<2.0> : {FLOATS}\ntt.store %a_p, %two : {POINTERS}\n"
        f"%s = scf.for %t = %c0 to %c4 step %c1 iter_args(%z = %two) -> ({FLOATS}) : i32 {{\n"
        f"  %x = tt.load %a_p : {POINTERS}\n  %y = arith.addf %x, %z : {FLOATS}\n"
        f"  scf.yield %y : {FLOATS}\n}}\n"
        f"tt.store %a_p, %s : {POINTERS}\n%e = tt.load %a_p : {POINTERS}\n"
        f"tt.store %b_p, %e : {POINTERS}\n",
    ),
    **{
        f"rmw_{mode}": (
            "%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %c: !tt.ptr<i32>, %n: i32",
            RANGE + BELOW + pointers("a", "i32") + pointers("b", "i32") + pointers("c", "i32")
            + f"%x = tt.load %b_p : {INT_POINTERS}\n"
            f"%y = tt.atomic_rmw {mode}, relaxed, gpu, %a_p, %x, %m : "
            f"({INT_POINTERS}, {INTS}, tensor<{N}xi1>) -> {INTS}\n"
            f"tt.store %c_p, %y, %m : {INT_POINTERS}\n",
        )
        for mode in MODES
    },
    "cas": (
        "%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %c: !tt.ptr<i32>, %n: i32",
        RANGE + pointers("a", "i32") + pointers("b", "i32") + pointers("c", "i32")
        + f"%x = tt.load %b_p : {INT_POINTERS}\n"
        f"%y = tt.atomic_cas acq_rel, sys, %a_p, %x, %r : "
        f"({INT_POINTERS}, {INTS}, {INTS}) -> {INTS}\ntt.store %c_p, %y : {INT_POINTERS}\n",
    ),
    "view": (
        "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %h: i32, %w: i32, %i: i32, %j: i32",
        DESCRIPTOR.replace("PAD", " {padding = 2 : i32}")
        + "%x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>\n"
        "tt.descriptor_store %e[%i, %j], %x : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>\n"
        "%is = arith.cmpf uno, %x, %x : tensor<8x16xf32>\n"
        "%k = arith.extui %is : tensor<8x16xi1> to tensor<8x16xi32>\n"
        "%fl = arith.sitofp %k : tensor<8x16xi32> to tensor<8x16xf32>\n"
        "%c0 = arith.constant 0 : i32\n"
        "tt.descriptor_reduce add, %e[%c0, %c0], %fl : !tt.tensordesc<8x16xf32>, "
        "tensor<8x16xf32>\n",
    ),
    "rows": (
        "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: !tt.ptr<i32>, %h: i32, %w: i32, %j: i32",
        RANGE + pointers("n", "i32") + DESCRIPTOR.replace("PAD", "").replace("8x16", "1x16")
        + f"%x = tt.load %n_p : {INT_POINTERS}\n"
        f"%g = tt.descriptor_gather %d[%x, %j] : (!tt.tensordesc<1x16xf32>, {INTS}, i32) "
        f"-> tensor<{N}x16xf32>\n"
        f"tt.descriptor_scatter %e[%x, %j], %g : !tt.tensordesc<1x16xf32>, {INTS}, i32, "
        f"tensor<{N}x16xf32>\n",
    ),
    # A function that stores, and returns early.
    "called": (
        "%a: !tt.ptr<f32>, %n: i32",
        "%x = tt.call @absolute(%a, %n) : (!tt.ptr<f32>, i32) -> f32\n"
        "tt.store %a, %x : !tt.ptr<f32>\n",
    ),
}  # fmt: skip
FUNCTION = """tt.func private @absolute(%p: !tt.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %is = arith.cmpi slt, %n, %c0 : i32
  cf.cond_br %is, ^negative, ^rest
^negative:
  %x = tt.load %p : !tt.ptr<f32>
  tt.return %x : f32
^rest:
  %y = tt.load %p : !tt.ptr<f32>
  %z = arith.addf %y, %y : f32
  tt.store %p, %z : !tt.ptr<f32>
  %w = tt.load %p : !tt.ptr<f32>
  %v = arith.addf %w, %z : f32
  tt.return %v : f32
}
"""


@cache
def module() -> ModuleOp:
    text = "".join(
        f"tt.func public @{name}({arguments}) {{\n{body}tt.return\n}}\n"
        for name, (arguments, body) in KERNELS.items()
    )
    return applied(parse(text + FUNCTION), ConvertTtToCudaTilePass())


def launch(name: str, *arguments: Any) -> None:
    run(module(), 1, arguments, entry=name, check=True)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def test_masked_elements():
    a, b = random(N), np.zeros(N, np.float32)
    before, below = a.copy(), np.arange(N) < 21
    launch("masked", a, b, 21)
    np.testing.assert_array_equal(b, 2 * np.where(below, before, 7))
    np.testing.assert_array_equal(a, np.where(below, 7, before))


def test_order_of_loads_and_stores():
    a = random(N + 1)
    expected = a.copy()
    for _ in range(4):
        expected[:N] = 2 * expected[1:]
    launch("in_place", a, 0)
    np.testing.assert_array_equal(a, expected)
    a, b = random(N), random(N)
    launch("around", a, b, 0)
    np.testing.assert_array_equal((a, b), np.full((2, N), 10))


@pytest.mark.parametrize("mode", MODES)
def test_atomics(mode: str):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, (2, N), dtype=np.int32)
    c, before = np.zeros(N, np.int32), a.copy()
    launch(f"rmw_{mode}", a, b, c, 21)
    unsigned = before.view(np.uint32), b.view(np.uint32)
    expected = {
        "and": before & b,
        "or": before | b,
        "xor": before ^ b,
        "add": before + b,
        "max": np.maximum(before, b),
        "min": np.minimum(before, b),
        "umax": np.maximum(*unsigned).view(np.int32),
        "umin": np.minimum(*unsigned).view(np.int32),
        "exch": b,
    }[mode]
    below = np.arange(N) < 21
    np.testing.assert_array_equal(a, np.where(below, expected, before))
    np.testing.assert_array_equal(c, np.where(below, before, 0))


def test_compare_and_swap():
    a, b = np.arange(N, dtype=np.int32) % 5, np.arange(N, dtype=np.int32) % 3
    c, before = np.zeros(N, np.int32), a.copy()
    launch("cas", a, b, c, 0)
    np.testing.assert_array_equal(c, before)
    np.testing.assert_array_equal(a, np.where(before == b, np.arange(N), before))


@pytest.mark.parametrize("place", [(0, 0), (8, 16), (3, 5), (13, 33)])
def test_descriptors(place: tuple[int, int]):
    """At any offset; elements outside are NaN, and not stored."""
    height, width = 17, 40
    a, b = random(height, width), np.zeros((height, width), np.float32)
    launch("view", a, b, height, width, *place)
    i, j = place
    expected, block = np.zeros_like(b), np.full((8, 16), np.nan, np.float32)
    part = a[i : i + 8, j : j + 16]
    block[: part.shape[0], : part.shape[1]] = part
    expected[i : i + 8, j : j + 16] = part
    expected[:8, :16] += np.isnan(block)
    np.testing.assert_array_equal(b, expected)


def test_rows_of_descriptors():
    """Rows outside are not stored."""
    a, b = random(40, 20), np.zeros((40, 20), np.float32)
    rows = np.random.default_rng(0).permutation(45)[:N].astype(np.int32)
    launch("rows", a, b, rows, 40, 20, 10)
    expected = np.zeros_like(b)
    inside = rows[rows < 40]
    expected[inside, 10:] = a[inside, 10:]
    np.testing.assert_array_equal(b, expected)


@pytest.mark.parametrize(("number", "factor"), [(-1, 1), (1, 4)])
def test_calls(number: int, factor: int):
    a = random(1)
    before = a.copy()
    launch("called", a, number)
    np.testing.assert_array_equal(a, factor * before)
