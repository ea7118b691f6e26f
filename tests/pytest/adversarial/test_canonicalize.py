"""Attacks on `canonicalize`: branches with effects, exits and tokens, selects of special values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("canonicalize")


def kernel(body: str) -> str:
    """A kernel that ends with a store of `%r`, given two conditions and numbers."""
    return f"""
entry @k(%p: tile<ptr<i32>>, %u: tile<i1>, %v: tile<i1>, %x: tile<i32>, %y: tile<i32>) {{
  %true = constant <i1: true> : tile<i1>
  %false = constant <i1: false> : tile<i1>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t0 = make_token : token
  {body}
  %end = store_ptr_tko weak %p, %r token = %t : tile<ptr<i32>>, tile<i32> -> token
  return
}}"""


def say(word: str) -> str:
    return f'print_tko "{word} " -> token\n'


def put(token: str, value: str, after: str = "%t0") -> str:
    types = "tile<ptr<i32>>, tile<i32> -> token"
    return f"{token} = store_ptr_tko weak %p, {value} token = {after} : {types}\n"


def get(name: str, token: str, after: str) -> str:
    types = "tile<ptr<i32>> -> tile<i32>, token"
    return f"{name}, {token} = load_ptr_tko weak %p token = {after} : {types}\n"


def choose(condition: str, then: str, otherwise: str, results: str = "%r, %t") -> str:
    return f"{results} = if {condition} -> (tile<i32>, token) {{ {then} }} else {{ {otherwise} }}\n"


YIELD = "yield {} : tile<i32>, token"
NOT = "%n = xori %u, %true : tile<i1>\n"
BODIES = {
    "negated": NOT
    + choose(
        "%n",
        say("a") + put("%a", "%x") + YIELD.format("%x, %a"),
        say("b") + YIELD.format("%y, %t0"),
    ),
    "adjacent": choose(
        "%u", say("a") + put("%a", "%x") + YIELD.format("%x, %a"), YIELD.format("%y, %t0"), "%q, %s"
    )
    + choose(
        "%u",
        get("%b", "%c", "%s") + YIELD.format("%b, %c"),
        say("c") + put("%d", "%q", "%s") + YIELD.format("%q, %d"),
    ),
    "adjacent, negated": NOT
    + choose("%u", say("a") + YIELD.format("%x, %t0"), YIELD.format("%y, %t0"), "%q, %s")
    + choose(
        "%n", say("b") + YIELD.format("%q, %s"), put("%d", "%q", "%s") + YIELD.format("%x, %d")
    ),
    "nested": f"""
  %r = if %u -> (tile<i32>) {{
    %a = if %v -> (tile<i32>) {{
      {say("both")}
      yield %x : tile<i32>
    }} else {{
      yield %y : tile<i32>
    }}
    yield %a : tile<i32>
  }} else {{
    yield %y : tile<i32>
  }}
  %t = join_tokens %t0, %t0 : token
""",
    "nested, results exchanged": f"""
  %r, %o = if %u -> (tile<i32>, tile<i32>) {{
    %a, %b = if %v -> (tile<i32>, tile<i32>) {{
      {say("both")}
      yield %x, %y : tile<i32>, tile<i32>
    }} else {{
      yield %y, %x : tile<i32>, tile<i32>
    }}
    yield %b, %a : tile<i32>, tile<i32>
  }} else {{
    yield %x, %y : tile<i32>, tile<i32>
  }}
  print_tko "%i", %o : tile<i32> -> token
  %t = join_tokens %t0, %t0 : token
""",
    "return": f"""
  if %u {{
    {say("left")}{put("%a", "%y")}
    return
  }} else {{
    {say("stays")}
  }}
  if %u {{ {say("never")} }}
  %r = select %u, %y, %x : tile<i1>, tile<i32>
  %t = join_tokens %t0, %t0 : token
""",
    "return in both": f"""
  if %u {{
    {put("%a", "%y")}
    return
  }} else {{
    if %v {{
      {put("%b", "%zero")}
      return
    }}
  }}
  %r = addi %x, %one : tile<i32>
  %t = join_tokens %t0, %t0 : token
""",
    "loop": f"""
  %r, %l = loop iter_values(%i = %zero, %s = %x) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {{
    %c = cmpi greater_than %i, %y, signed : tile<i32> -> tile<i1>
    if %c {{
      {say("end")}
      break %s, %i : tile<i32>, tile<i32>
    }} else {{
      %j = addi %i, %one : tile<i32>
      if %u {{
        continue %j, %j : tile<i32>, tile<i32>
      }} else {{
        {say("odd")}
        %k = muli %s, %j : tile<i32>
        continue %j, %k : tile<i32>, tile<i32>
      }}
    }}
    {say("never")}
    continue %i, %s : tile<i32>, tile<i32>
  }}
  %t = join_tokens %t0, %t0 : token
""",
    "constants": f"""
  if %true {{ {say("yes")} }} else {{ {say("no")} }}
  if %false {{ {say("no")} }}
  %a = if %false -> (tile<i32>) {{ yield %x : tile<i32> }} else {{ yield %y : tile<i32> }}
  %b = if %u -> (tile<i1>) {{ yield %true : tile<i1> }} else {{ yield %false : tile<i1> }}
  %c = if %u -> (tile<i1>) {{ yield %false : tile<i1> }} else {{ yield %true : tile<i1> }}
  %d = select %b, %one, %zero : tile<i1>, tile<i32>
  %e = select %c, %zero, %one : tile<i1>, tile<i32>
  %f = addi %d, %e : tile<i32>
  %r = addi %a, %f : tile<i32>
  %t = join_tokens %t0, %t0 : token
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_branches(name: str):
    inputs = [[np.full(1, 9, np.int32), u, v, 4, 2] for u, v in product((False, True), repeat=2)]
    ATTACK.but(opt=1).run(kernel(BODIES[name]), inputs)


def test_selects_of_special_values():
    """What compares equal is not the same: zeros of both signs, and NaNs."""
    text = """
entry @k(%p: tile<ptr<f32>>, %x: tile<f32>, %y: tile<f32>) {
  %one = constant <i32: 1> : tile<i32>
  %c = cmpf equal ordered %x, %y : tile<f32> -> tile<i1>
  %a = select %c, %x, %y : tile<i1>, tile<f32>
  %d = cmpf not_equal unordered %x, %y : tile<f32> -> tile<i1>
  %b = select %d, %x, %y : tile<i1>, tile<f32>
  %q = offset %p, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %t = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
  %s = store_ptr_tko weak %q, %b : tile<ptr<f32>>, tile<f32> -> token
  return
}"""
    numbers = (0.0, -0.0, float("nan"), float("inf"), 1.0)
    inputs = [[np.zeros(2, np.float32), *each] for each in product(numbers, repeat=2)]
    ATTACK.but(fires=None).run(text, inputs)
