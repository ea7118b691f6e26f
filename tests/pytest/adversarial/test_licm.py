"""Attacks on `licm`: what a loop without iterations must not do, and what changes in it."""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("licm")

FRAME = """
entry @k(%p: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t0 = make_token : token
  %r, %last = for %i in (%zero to %n, step %one) : tile<i32>
      iter_values(%a = %zero, %u = %t0) -> (tile<i32>, token) {
    BODY
  }
  %s = store_ptr_tko weak %out, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}"""
BODIES = {
    # Undefined where the loop has no iterations.
    "division": ("%d = divi %one, %x signed : tile<i32>\n%b = addi %a, %d : tile<i32>", "%u"),
    "assumption": (
        "%d = assume div_by<4>, %x : tile<i32>\n%e = muli %d, %d : tile<i32>\n"
        "%b = addi %a, %e : tile<i32>",
        "%u",
    ),
    "assertion": (
        "%c = cmpi not_equal %x, %zero, signed : tile<i32> -> tile<i1>\n"
        'assert %c, "x" : tile<i1>\n%b = addi %a, %x : tile<i32>',
        "%u",
    ),
    "division in a branch": (
        "%c = cmpi not_equal %x, %zero, signed : tile<i32> -> tile<i1>\n"
        "%d = if %c -> (tile<i32>) {\n%e = divi %n, %x signed : tile<i32>\nyield %e : tile<i32>\n}"
        " else { yield %n : tile<i32> }\n%b = addi %a, %d : tile<i32>",
        "%u",
    ),
    # Memory that the loop changes, by a token and at the same place.
    "load": (
        "%d, %t1 = load_ptr_tko weak %p token = %u : tile<ptr<i32>> -> tile<i32>, token\n"
        "%e = addi %d, %one : tile<i32>\n"
        "%t2 = store_ptr_tko weak %p, %e token = %t1 : tile<ptr<i32>>, tile<i32> -> token\n"
        "%b = addi %a, %d : tile<i32>",
        "%t2",
    ),
    "load without a use of its token": (
        "%d, %t1 = load_ptr_tko weak %p token = %u : tile<ptr<i32>> -> tile<i32>, token\n"
        "%t2 = store_ptr_tko weak %p, %i token = %t1 : tile<ptr<i32>>, tile<i32> -> token\n"
        "%f, %t3 = load_ptr_tko weak %p token = %t2 : tile<ptr<i32>> -> tile<i32>, token\n"
        "%b = addi %d, %f : tile<i32>",
        "%t3",
    ),
    "atomic": (
        "%d, %t1 = atomic_rmw_tko relaxed device %p, add, %one token = %u"
        " : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n%b = addi %a, %d : tile<i32>",
        "%t1",
    ),
    "print": (
        '%t1 = print_tko "x %i", %x : tile<i32> -> token\n%b = addi %a, %x : tile<i32>',
        "%u",
    ),
}


def text(name: str) -> str:
    body, token = BODIES[name]
    return FRAME.replace("BODY", f"{body}\ncontinue %b, {token} : tile<i32>, token")


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str):
    numbers = [(3, 4), (1, 4), (0, 4), (-2, 0), (0, 0), (0, 3)]
    inputs = [[np.full(1, 11, np.int32), np.zeros(1, np.int32), *each] for each in numbers]
    # Below `cuda_tile` a quotient by zero is poison, which is no error before it is used.
    checks = ["bounds", "races"]
    attack = ATTACK.but(fires=None, then=("nvgpu",) if name in ("division", "load") else ())
    attack.run(text(name), inputs, check=checks)


def test_fires():
    body = "%d = muli %x, %x : tile<i32>\n%b = addi %a, %d : tile<i32>\n"
    body += "continue %b, %u : tile<i32>, token"
    inputs = [[np.zeros(1, np.int32), np.zeros(1, np.int32), n, 4] for n in (0, 3)]
    ATTACK.run(FRAME.replace("BODY", body), inputs)
