"""Attacks on `uplift-while-to-for`: loops that end in other ways, bounds that change, two tests."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("uplift-while-to-for")


def kernel(body: str) -> str:
    """A kernel that stores `%r` and `%l`, given `%a`, `%b` and memory at `%p`."""
    return f"""
entry @k(%p: tile<ptr<i32>>, %out: tile<ptr<i32>>, %a: tile<i32>, %b: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %t0 = make_token : token
  {body}
  %q = offset %out, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %s0 = store_ptr_tko weak %out, %r : tile<ptr<i32>>, tile<i32> -> token
  %s1 = store_ptr_tko weak %q, %l : tile<ptr<i32>>, tile<i32> -> token
  return
}}"""


def loop(body: str, carried: str = "%i = %a, %x = %zero") -> str:
    return f"""
  %l, %r = loop iter_values({carried}) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {{
    {body}
  }}"""


MORE = """
    %m = muli %x, %three : tile<i32>
    %y = addi %m, %i : tile<i32>
    %j = addi %i, %one : tile<i32>
    continue %j, %y : tile<i32>, tile<i32>"""
STOP = "break %i, %x : tile<i32>, tile<i32>"


def until(compare: str, then: str = STOP) -> str:
    return f"%c = cmpi {compare} : tile<i32> -> tile<i1>\n    if %c {{\n {then}\n }}"


COUNTED = {
    "up": until("greater_than_or_equal %i, %b, signed") + MORE,
    "down": until("less_than_or_equal %i, %b, signed")
    + MORE.replace("addi %i, %one", "subi %i, %one"),
    "by minus one": until("less_than %i, %b, signed")
    + "%minus = constant <i32: -1> : tile<i32>"
    + MORE.replace("addi %i, %one", "addi %i, %minus"),
    # What is carried changes places with the counter's copy.
    "other results": until(
        "greater_than_or_equal %i, %b, signed", "break %x, %i : tile<i32>, tile<i32>"
    )
    + MORE,
    # The end computes with the values of the last iteration.
    "computed at the end": until(
        "greater_than_or_equal %i, %b, signed",
        "%e = muli %x, %i : tile<i32>\n %f = subi %e, %b : tile<i32>\n"
        "break %f, %e : tile<i32>, tile<i32>",
    )
    + MORE,
    "a store at the end": until(
        "greater_than_or_equal %i, %b, signed",
        "%e = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token\n" + STOP,
    )
    + MORE,
    "only once": MORE.replace("continue %j, %y", "break %y, %j"),
    "a store only once": "%e = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token\n"
    + STOP,
}
"""Of which the pass leaves no `scf.while`, with the ranges that are assumed."""

OTHERS = {
    # Two ways out, of which the first is no comparison with the counter.
    "two ends": until("greater_than %x, %b, signed")
    + until("greater_than_or_equal %i, %b, signed").replace("%c", "%c2")
    + MORE,
    # The bound changes in the loop.
    "bound in memory": "%n, %tn = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token\n"
    + until("greater_than_or_equal %i, %n, signed")
    + MORE,
    "bound that moves": until("greater_than_or_equal %i, %x, signed")
    + MORE.replace("addi %m, %i", "subi %b, %i"),
    # The step is not the same in each iteration.
    "step of two kinds": until("greater_than_or_equal %i, %b, signed")
    + """
    %odd = andi %i, %one : tile<i32>
    %is = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
    %y = addi %x, %one : tile<i32>
    if %is {
      %k = addi %i, %two : tile<i32>
      continue %k, %y : tile<i32>, tile<i32>
    }
    %j = addi %i, %one : tile<i32>
    continue %j, %y : tile<i32>, tile<i32>""",
    # The counter is compared before it is stepped twice.
    "stepped twice": until("greater_than_or_equal %i, %b, signed")
    + MORE.replace(
        "%j = addi %i, %one : tile<i32>",
        "%k = addi %i, %one : tile<i32>\n%j = muli %k, %two : tile<i32>",
    ),
    "without a sign": until("greater_than_or_equal %i, %b, unsigned") + MORE,
    "not equal": until("equal %i, %b, signed") + MORE,
}
"""Which have to do the same, counted or not."""

NUMBERS = ((0, 5), (5, 5), (6, 5), (-4, 2), (3, -2))


def arguments(*numbers: tuple[int, int]) -> list[list[object]]:
    return [[np.array([4, 0], np.int32), np.zeros(2, np.int32), *each] for each in numbers]


def assume(body: str) -> str:
    """Bounds for which the counter stays in its type."""
    return "".join(
        f"%{name}0 = assume bounded<-1000, 1000>, %{name} : tile<i32>\n" for name in "ab"
    ) + body.replace("%a", "%a0").replace("%b", "%b0")


@pytest.mark.parametrize("name", COUNTED)
def test_counted(name: str):
    text = kernel(assume(loop(COUNTED[name])))
    after = ATTACK.but(then=("nvgpu",) if name == "down" else ()).run(text, arguments(*NUMBERS))
    assert not ops_of(after, scf.WhileOp)


@pytest.mark.parametrize("name", OTHERS)
def test_others(name: str):
    numbers = [
        (a, b) for a, b in NUMBERS if name not in ("not equal", "stepped twice") or 0 <= a <= b
    ]
    if name == "without a sign":
        numbers = [(0, 5), (5, 5), (-4, 2), (-3, -1)]
    ATTACK.but(fires=None).run(kernel(loop(OTHERS[name])), arguments(*numbers))


def test_ends_of_the_type():
    """Without assumptions, by steps of one, up to the largest number."""
    most = 2**31 - 1
    text = kernel(loop(COUNTED["up"]))
    numbers = [(most - 3, most), (most, most), (-most - 1, -most + 2), (most, -most - 1)]
    ATTACK.but(fires=None).run(text, arguments(*numbers))


STEPS = """
  %k = assume bounded<1, ?>, %a : tile<i32>
  %n = assume bounded<0, ?>, %b : tile<i32>
  %r, %l = for unsigned %i in (%FROM to %n, step STEP) : tile<i32>
      iter_values(%x = %zero, %j = %zero) -> (tile<i32>, tile<i32>) {
    %m = muli %x, %three : tile<i32>
    %y = addi %m, %i : tile<i32>
    continue %y, %i : tile<i32>, tile<i32>
  }"""


@pytest.mark.parametrize("step", ["%two", "%three", "%k"])
def test_steps_without_a_sign(step: str):
    """Also where the step after the last leads beyond the largest number."""
    most = 2**31 - 1
    first = "%k" if step == "%k" else "%one"
    text = kernel(STEPS.replace("%FROM", first).replace("STEP", step))
    numbers = [(1, 7), (3, 9), (1, 0), (most - 1, most), (most, most), (most // 2, most)]
    after = ATTACK.run(text, arguments(*[(a, b if step == "%k" else b % 50) for a, b in numbers]))
    assert not ops_of(after, scf.WhileOp)


NESTED = loop(
    until("greater_than_or_equal %i, %b, signed")
    + """
    %l2, %y = loop iter_values(%k = %zero, %u = %x) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
      %d = cmpi greater_than %k, %i, signed : tile<i32> -> tile<i1>
      if %d { break %k, %u : tile<i32>, tile<i32> }
      %v = muli %u, %three : tile<i32>
      %w = addi %v, %k : tile<i32>
      %h = addi %k, %one : tile<i32>
      continue %h, %w : tile<i32>, tile<i32>
    }
    %j = addi %i, %one : tile<i32>
    %z = addi %y, %l2 : tile<i32>
    continue %j, %z : tile<i32>, tile<i32>"""
)


def test_nested():
    ATTACK.run(kernel(assume(NESTED)), arguments((0, 4), (2, 2), (-1, 2)))


def test_an_early_return():
    body = loop(
        until("greater_than_or_equal %i, %b, signed")
        + """
    %is = cmpi greater_than %x, %three, signed : tile<i32> -> tile<i1>
    if %is {
      %e = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
      return
    }"""
        + MORE
    )
    ATTACK.but(fires=None).run(kernel(body), arguments(*NUMBERS))
