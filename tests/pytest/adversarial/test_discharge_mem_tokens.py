"""
Attacks on `discharge-mem-tokens`: order around loops and branches, through joins, and of threads
that hold other elements. What is not ordered any more is a race of threads, or another result.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.gpu import BarrierOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("discharge-mem-tokens", then=("nvgpu",))
T, P = "tile<64xi32>", "tile<64xptr<i32>>"
FRAME = f"""
entry @k(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {{
  %t0 = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %i = iota : {T}
  %last = constant <i32: 63> : {T}
  %ones = constant <i32: 1> : {T}
  %back = subi %last, %i : {T}
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> {P}
  %o1 = reshape %o : tile<ptr<i32>> -> tile<1xptr<i32>>
  %os = broadcast %o1 : tile<1xptr<i32>> -> {P}
  %up = offset %ps, %i : {P}, {T} -> {P}
  %down = offset %ps, %back : {P}, {T} -> {P}
  %out = offset %os, %i : {P}, {T} -> {P}
  %c = cmpi less_than %n, %m, signed : tile<i32> -> tile<i1>
  BODY
  return
}}"""


def put(token: str, pointer: str, value: str, after: str) -> str:
    return f"{token} = store_ptr_tko weak {pointer}, {value} token = {after} : {P}, {T} -> token\n"


def get(name: str, token: str, pointer: str, after: str) -> str:
    return f"{name}, {token} = load_ptr_tko weak {pointer} token = {after} : {P} -> {T}, token\n"


def loop(body: str, results: str = "%r", carried: str = "%u = %t0", types: str = "token") -> str:
    return (
        f"{results} = for %k in (%zero to %n, step %one) : tile<i32> "
        f"iter_values({carried}) -> ({types}) {{\n{body}\n}}\n"
    )


BODIES = {
    "write, read": put("%a", "%up", "%i", "%t0")
    + get("%x", "%b", "%down", "%a")
    + put("%z", "%out", "%x", "%b"),
    "read, write": get("%x", "%a", "%down", "%t0")
    + put("%b", "%up", "%x", "%a")
    + get("%y", "%d", "%up", "%b")
    + put("%z", "%out", "%y", "%d"),
    "write, write": put("%a", "%up", "%i", "%t0")
    + put("%b", "%down", "%i", "%a")
    + get("%x", "%d", "%up", "%b")
    + put("%z", "%out", "%x", "%d"),
    # The order goes through a loop that may have no iteration, or through its earlier ones.
    "through a loop": put("%a", "%up", "%i", "%t0")
    + loop('%v = print_tko "x" token = %u -> token\ncontinue %v : token', carried="%u = %a")
    + get("%x", "%b", "%down", "%r")
    + put("%z", "%out", "%x", "%b"),
    "around a loop": loop(
        get("%x", "%a", "%down", "%u")
        + f"%y = addi %x, %ones : {T}\n"
        + put("%b", "%up", "%y", "%a")
        + "continue %b : token"
    )
    + get("%f", "%g", "%down", "%r")
    + put("%z", "%out", "%f", "%g"),
    "through a join in a loop": loop(
        put("%b", "%up", "%i", "%v")
        + "%j = join_tokens %u, %b : token\n"
        + get("%x", "%a", "%down", "%j")
        + put("%d", "%out", "%x", "%w")
        + "continue %b, %a, %d : token, token, token",
        "%r, %s, %q",
        "%u = %t0, %v = %t0, %w = %t0",
        "token, token, token",
    ),
    "in a branch": put("%a", "%up", "%i", "%t0")
    + f"%x, %b = if %c -> ({T}, token) {{\n"
    + get("%y", "%d", "%down", "%a")
    + f"yield %y, %d : {T}, token\n}} else {{ yield %i, %a : {T}, token }}\n"
    + put("%e", "%down", "%i", "%b")
    + get("%f", "%g", "%up", "%e")
    + put("%z", "%out", "%f", "%g"),
    "out of a branch": "%b = if %c -> (token) {\n"
    + put("%a", "%up", "%i", "%t0")
    + "yield %a : token\n} else {\n"
    + put("%a", "%down", "%i", "%t0")
    + "yield %a : token\n}\n"
    + get("%x", "%d", "%down", "%b")
    + put("%z", "%out", "%x", "%d"),
    "joined": put("%a", "%up", "%i", "%t0")
    + '%b = print_tko "x" token = %t0 -> token\n%d = join_tokens %b, %a, %t0 : token\n'
    + get("%x", "%e", "%down", "%d")
    + put("%z", "%out", "%x", "%e"),
    # One thread stores a scalar, all of them read it.
    "scalar": put("%a", "%up", "%i", "%t0")
    + "%b = store_ptr_tko weak %p, %n token = %a : tile<ptr<i32>>, tile<i32> -> token\n"
    + "%s, %d = load_ptr_tko weak %p token = %b : tile<ptr<i32>> -> tile<i32>, token\n"
    + f"%s1 = reshape %s : tile<i32> -> tile<1xi32>\n%ss = broadcast %s1 : tile<1xi32> -> {T}\n"
    + put("%z", "%out", "%ss", "%d"),
    "nested": loop(
        "%r2 = for %l in (%zero to %m, step %one) : tile<i32> iter_values(%u2 = %u) -> (token) {\n"
        + get("%x", "%a", "%down", "%u2")
        + put("%b", "%up", "%x", "%a")
        + "continue %b : token\n}\n"
        + get("%y", "%d", "%down", "%r2")
        + f"%y1 = addi %y, %i : {T}\n"
        + put("%e", "%up", "%y1", "%d")
        + "continue %e : token"
    )
    + get("%f", "%g", "%up", "%r")
    + put("%z", "%out", "%f", "%g"),
}


@pytest.mark.parametrize("name", BODIES)
def test_order(name: str):
    inputs = [
        [np.arange(64, dtype=np.int32)[::-1].copy(), np.zeros(64, np.int32), n, m]
        for n, m in ((2, 1), (0, 1))
    ]
    after = ATTACK.run(FRAME.replace("BODY", BODIES[name]), inputs)
    assert ops_of(after, BarrierOp)


def test_no_barriers_where_no_token_orders():
    """Each thread has its own elements, of two arrays."""
    body = get("%x", "%a", "%up", "%t0") + put("%z", "%out", "%x", "%t0")
    inputs = [[np.arange(64, dtype=np.int32), np.zeros(64, np.int32), 1, 1]]
    after = ATTACK.run(FRAME.replace("BODY", body), inputs)
    assert not ops_of(after, BarrierOp)


@pytest.mark.parametrize("shift", [0, 1, 32])
def test_parameters_that_are_one_array(shift: int):
    """Two parameters may point into one array: what tokens order stays in order."""
    body = put("%a", "%up", "%i", "%t0") + get("%x", "%b", "%out", "%a")
    body += f"%y = addi %x, %ones : {T}\n" + put("%z", "%down", "%y", "%b")
    memory = np.arange(128, dtype=np.int32)
    text = FRAME.replace("BODY", body).replace(
        "%out = offset %os, %i",
        "%shift1 = reshape %m : tile<i32> -> tile<1xi32>\n"
        f"%shift = broadcast %shift1 : tile<1xi32> -> {T}\n%j = addi %i, %shift : {T}\n"
        "%out = offset %os, %j",
    )
    ATTACK.run(text, [[memory, memory, 1, shift]])
