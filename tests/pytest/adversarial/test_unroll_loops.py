"""Attacks on `unroll-loops`: loops of all lengths, in place, in tiles that overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("unroll-loops", then=("tileas", "nvgpu"))
T, P = "tile<16xf32>", "tile<16xptr<f32>>"
ELEMENTS = 16 * 40


def kernel(body: str) -> str:
    """A kernel on two arrays, whose tiles of 16 elements are at `%pp` and `%qq`."""
    spread = "".join(
        f"%{each}1 = reshape %{each} : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
        f"%{each}{each} = broadcast %{each}1 : tile<1xptr<f32>> -> {P}\n"
        for each in "pq"
    )
    return f"""
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {{
  %z = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %many = constant <i32: 38> : tile<i32>
  %most = constant <i32: 2147483647> : tile<i32>
  %width = constant <i32: 16> : tile<i32>
  %iota = iota : tile<16xi32>
  %t0 = make_token : token
  %zero = constant <f32: 0.0> : {T}
  {spread}
  {body}
  return
}}"""


def pointers(name: str, array: str = "p", number: str = "%i", width: str = "%width") -> str:
    """The pointers to a tile of an array."""
    return f"""
  {name}0 = muli {number}, {width} : tile<i32>
  {name}1 = reshape {name}0 : tile<i32> -> tile<1xi32>
  {name}2 = broadcast {name}1 : tile<1xi32> -> tile<16xi32>
  {name}3 = addi {name}2, %iota : tile<16xi32>
  {name} = offset %{array}{array}, {name}3 : {P}, tile<16xi32> -> {P}
"""


def load(tile: str, token: str, at: str, after: str = "%t0") -> str:
    return f"{tile}, {token} = load_ptr_tko weak {at} token={after} : {P} -> {T}, token\n"


def store(tile: str, token: str, at: str, after: str = "%t0") -> str:
    return f"{token} = store_ptr_tko weak {at}, {tile} token={after} : {P}, {T} -> token\n"


def add(result: str, a: str, b: str) -> str:
    return f"{result} = addf {a}, {b} : {T}\n"


def loop(bounds: str, body: str, results: str = "%s, %last") -> str:
    """A loop that carries a sum and a token."""
    return f"""
  {results} = for %i in {bounds} : tile<i32> iter_values(%a = %zero, %u = %t0) -> ({T}, token) {{
    {body}
    continue %b, %v : {T}, token
  }}
"""


def summed(bounds: str, number: str = "%i") -> str:
    """A running sum, of which each step is stored, and the last one, too."""
    return (
        loop(
            bounds,
            pointers("%x", number=number)
            + load("%c", "%t1", "%x")
            + add("%b", "%a", "%c")
            + pointers("%y", "q", number)
            + store("%b", "%v", "%y", "%u"),
        )
        + pointers("%e", "q", "%z")
        + store("%s", "%t9", "%e", "%last")
    )


IN_PLACE = load("%c", "%t1", "%x", "%u") + add("%b", "%a", "%c") + store("%b", "%v", "%x", "%t1")
FROM_LAST = "%h = subi %i, %one : tile<i32>\n" + pointers("%y", "q", "%h")
MOVED = {
    "all iterations": summed("(%z to %seven, step %one)"),
    "an even number": summed("(%three to %eight, step %one)"),
    "several at a time": summed("(%z to %many, step %one)"),
    "in larger steps": summed("(%one to %many, step %three)"),
    "in a loop": loop(
        "(%z to %n, step %one)",
        loop(
            "(%z to %eight, step %one)",
            pointers("%x")
            + load("%c", "%t1", "%x")
            + add("%b", "%a", "%c")
            + "%v = join_tokens %u, %t1 : token\n",
            "%b, %v",
        )
        .replace("%i in", "%j in")
        .replace("muli %i", "muli %j")
        .replace("%a =", "%d =")
        .replace("%u =", "%w =")
        .replace("addf %a", "addf %d")
        .replace("%u, %t1", "%w, %t1"),
    )
    + pointers("%e", "q", "%z")
    + store("%s", "%t9", "%e", "%last"),
    "in place": pointers("%e", "q", "%z")
    + loop("(%z to %eight, step %one)", pointers("%x") + IN_PLACE)
    + store("%s", "%t9", "%e", "%last"),
    "by a third": pointers("%e", "q", "%z")
    + loop(
        "(%z to %eight, step %one)",
        pointers("%x") + load("%c", "%t1", "%x") + "%v = join_tokens %u, %t1 : token\n"
        f"%d = divf %c, %a : {T}\n" + add("%b", "%a", "%d"),
    )
    + store("%s", "%t9", "%e"),
}
STAY = {
    # The trip count is not known.
    "in the largest step": summed("(%n to %most, step %most)", "%one"),
    "of the last iteration": loop(
        "(%one to %eight, step %one)",
        FROM_LAST
        + load("%c", "%t1", "%y", "%u")
        + pointers("%x")
        + "%j = join_tokens %u, %t1 : token\n"
        + add("%b", "%c", "%c")
        + pointers("%w", "q")
        + store("%b", "%v", "%w", "%j"),
    ),
    # Half of a tile is half of the next one.
    "overlapping": loop("(%z to %eight, step %one)", pointers("%x", width="%eight") + IN_PLACE),
    # Offsets may wrap around.
    "in place, to the number": loop("(%z to %n, step %one)", pointers("%x") + IN_PLACE),
    "at one place": loop("(%z to %eight, step %one)", pointers("%x", number="%one") + IN_PLACE),
}


def arguments(*numbers: int, same: bool = False) -> list[list[Any]]:
    rng = np.random.default_rng(5)
    made: list[list[Any]] = []
    for number in numbers:
        first, second = rng.standard_normal((2, ELEMENTS)).astype(np.float32)
        made.append([first, first if same else second, number])
    return made


@pytest.mark.parametrize("name", MOVED)
def test_moved(name: str):
    ATTACK.run(kernel(MOVED[name]), arguments(0, 3))


@pytest.mark.parametrize("name", STAY)
def test_stay(name: str):
    numbers = (2147483640, 0) if "largest" in name else (0, 3, 8)
    ATTACK.but(fires=False).run(kernel(STAY[name]), arguments(*numbers))


@pytest.mark.parametrize("name", ["in place", "overlapping", "at one place"])
def test_one_array(name: str):
    """Both arrays are one, and tokens order all accesses to it."""
    text = {**MOVED, **STAY}[name]
    ATTACK.but(fires=None).run(kernel(text), arguments(3, same=True))
