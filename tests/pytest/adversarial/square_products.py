"""Kernels on square tiles of 16 by 16 floats, which have operands in common and work in place."""

from __future__ import annotations

from typing import Any

import numpy as np

T = "tile<16x16xf32>"
M = "tensor_view<16x16xf32, strides=[16,1]>"
V = f"partition_view<tile=(16x16), {M}>"


def kernel(body: str) -> str:
    """A kernel on two tensors, views `%w` and `%w2`, and a number `%n`."""
    return f"""
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {{
  %z = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t0 = make_token : token
  %m = make_tensor_view %p, shape = [16, 16], strides = [16, 1] : {M}
  %w = make_partition_view %m : {V}
  %m2 = make_tensor_view %q, shape = [16, 16], strides = [16, 1] : {M}
  %w2 = make_partition_view %m2 : {V}
  %zero = constant <f32: 0.0> : {T}
  {body}
  return
}}"""


def load(tile: str, token: str, view: str = "%w", after: str = "%t0") -> str:
    what = f"{V}, tile<i32> -> {T}, token"
    return f"{tile}, {token} = load_view_tko weak {view}[%z, %z] token = {after} : {what}\n"


def store(tile: str, token: str, view: str = "%w", after: str | None = None) -> str:
    behind = "" if after is None else f"token = {after} "
    return (
        f"{token} = store_view_tko weak {tile}, {view}[%z, %z] {behind}"
        f": {T}, {V}, tile<i32> -> token\n"
    )


def dot(result: str, a: str, b: str, accumulator: str = "%zero") -> str:
    return f"{result} = mmaf {a}, {b}, {accumulator} : {T}, {T}, {T}\n"


def loop(results: str, carried: str, types: str, body: str) -> str:
    return f"""
  {results} = for %i in (%z to %n, step %one) : tile<i32> iter_values({carried}) -> ({types}) {{
    {body}
  }}
"""


def reduced(result: str, tile: str, dim: int, op: str = "addf") -> str:
    """A tile of which all along a dimension is what is reduced along it."""
    ones = "16x1" if dim else "1x16"
    identity = "0.0" if op == "addf" else "0xFF800000"
    return f"""
  {result}0 = reduce {tile} dim={dim} identities=[{identity} : f32] : {T} -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {{
      %c = {op} %a, %b : tile<f32>
      yield %c : tile<f32>
    }}
  {result}1 = reshape {result}0 : tile<16xf32> -> tile<{ones}xf32>
  {result} = broadcast {result}1 : tile<{ones}xf32> -> {T}
"""


def scanned(result: str, tile: str, dim: int, *, reverse: bool) -> str:
    return f"""
  {result} = scan {tile} dim={dim} reverse={str(reverse).lower()} identities=[0.0 : f32]
      : {T} -> {T} (%a: tile<f32>, %b: tile<f32>) {{
    %c = addf %a, %b : tile<f32>
    yield %c : tile<f32>
  }}
"""


X = load("%x", "%t1")
TRANSPOSED = f"%y = permute %x [1, 0] : {T} -> {T}\n"
SWAPPED = loop(
    "%s, %u",
    "%a = %x, %b = %zero",
    f"{T}, {T}",
    dot("%d", "%x", "%x", "%a") + f"continue %b, %d : {T}, {T}",
)
PRODUCTS = {
    # A tile is both operands, or the accumulator, too.
    "square": X + dot("%d", "%x", "%x") + store("%d", "%t2", "%w2"),
    "square in place": X + dot("%d", "%x", "%x") + store("%d", "%t2", after="%t1"),
    "three times": X + dot("%d", "%x", "%x", "%x") + store("%d", "%t2", "%w2"),
    "with itself added": X
    + dot("%d", "%x", "%x")
    + f"%e = addf %d, %x : {T}\n"
    + store("%e", "%t2", after="%t1"),
    # A constant is both operands.
    "constant": f"%ones = constant <f32: 1.0> : {T}\n"
    + X
    + dot("%d", "%ones", "%ones", "%x")
    + store("%d", "%t2", "%w2"),
    # By its own transposition, in place.
    "transposed in place": X + TRANSPOSED + dot("%d", "%x", "%y") + store("%d", "%t2", after="%t1"),
    "in a loop": loop(
        "%s",
        "%a = %zero",
        T,
        load("%x", "%t1") + dot("%d", "%x", "%x", "%a") + f"continue %d : {T}",
    )
    + store("%s", "%t2", "%w2"),
    "of what a loop carries": X
    + loop("%s", "%a = %x", T, dot("%d", "%a", "%x") + f"continue %d : {T}")
    + store("%s", "%t2", "%w2"),
    "of the loop's, on the right": X
    + loop("%s", "%a = %x", T, dot("%d", "%x", "%a") + f"continue %d : {T}")
    + store("%s", "%t2", "%w2"),
    "swapped": X + SWAPPED + f"%e = subf %s, %u : {T}\n" + store("%e", "%t2", "%w2"),
    "in place in a loop": loop(
        "%s",
        "%u = %t0",
        "token",
        load("%x", "%t1", "%w2", "%u")
        + load("%y", "%t2", "%w", "%u")
        + dot("%d", "%y", "%y", "%x")
        + "%j = join_tokens %t1, %t2 : token\n"
        + store("%d", "%v", "%w2", "%j")
        + "continue %v : token",
    ),
    # What is written is overwritten, in another order of elements, or read again.
    "stored twice": X
    + dot("%d", "%x", "%x")
    + store("%d", "%t2", "%w2", "%t0")
    + f"%e = permute %d [1, 0] : {T} -> {T}\n"
    + store("%e", "%t3", "%w2", "%t2"),
    "read back": X
    + dot("%d", "%x", "%x")
    + store("%d", "%t2", "%w2")
    + load("%y", "%t3", "%w2", "%t2")
    + dot("%e", "%y", "%x", "%d")
    + "%j = join_tokens %t1, %t3 : token\n"
    + store("%e", "%t4", "%w", "%j"),
    "rows": X + dot("%d", "%x", "%x") + reduced("%s", "%d", 1, "maxf") + store("%s", "%t2", "%w2"),
    "columns": X
    + dot("%d", "%x", "%x")
    + reduced("%s", "%d", 0, "maxf")
    + f"%e = subf %d, %s : {T}\n"
    + store("%e", "%t2", after="%t1"),
    # A row is cut for the first operand, and whole for the second one, along whose rows it is
    # broadcast.
    "of a row": X
    + reduced("%s", "%x", 0, "maxf")
    + dot("%d", "%s", "%s")
    + store("%d", "%t2", "%w2"),
    "scan": X
    + dot("%d", "%x", "%x")
    + scanned("%e", "%d", 0, reverse=True)
    + store("%e", "%t2", "%w2"),
    "branch": X
    + "%c = cmpi greater_than %n, %one, signed : tile<i32> -> tile<i1>\n"
    + f"%e = if %c -> ({T}) {{\n{dot('%d', '%x', '%x')} yield %d : {T}\n}}"
    + f" else {{ yield %x : {T} }}\n"
    + store("%e", "%t2", after="%t1"),
}
"""Kernels with products of tiles of which one is several operands."""


def arguments(*numbers: int) -> list[list[Any]]:
    """Small integers, so that all sums are exact."""
    random = np.random.default_rng(5)
    return [
        [*(random.integers(-2, 3, (16, 16)).astype(np.float32) for _ in range(2)), number]
        for number in numbers
    ]
