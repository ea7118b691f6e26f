"""Attacks on `simplify-loops`: values that change places, wrap around, or are used behind loops."""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("simplify-loops")


def kernel(types: str, carried: str, body: str, ty: str = "i8") -> str:
    """A loop that carries `%a`, `%b` and `%c`; its results are stored."""
    return f"""
entry @k(%out: tile<ptr<{ty}>>, %lb: tile<{ty}>, %ub: tile<{ty}>, %x: tile<{ty}>, %y: tile<{ty}>) {{
  %zero = constant <{ty}: 0> : tile<{ty}>
  %one = constant <{ty}: 1> : tile<{ty}>
  %two = constant <{ty}: 2> : tile<{ty}>
  %three = constant <{ty}: 3> : tile<{ty}>
  %r, %s, %t = for %i in (%lb to %ub, step %one) : tile<{ty}>
      iter_values({carried}) -> ({types}) {{
    {body}
  }}
  %p1 = offset %out, %one : tile<ptr<{ty}>>, tile<{ty}> -> tile<ptr<{ty}>>
  %p2 = offset %out, %two : tile<ptr<{ty}>>, tile<{ty}> -> tile<ptr<{ty}>>
  %t0 = store_ptr_tko weak %out, %r : tile<ptr<{ty}>>, tile<{ty}> -> token
  %t1 = store_ptr_tko weak %p1, %s : tile<ptr<{ty}>>, tile<{ty}> -> token
  %t2 = store_ptr_tko weak %p2, %t : tile<ptr<{ty}>>, tile<{ty}> -> token
  return
}}"""


START = "%a = %x, %b = %y, %c = %zero"
BODIES = {
    "one stays": ("%d = addi %a, %c : T", "%a, %b, %d"),
    "one begins anew": ("%d = addi %a, %c : T", "%x, %b, %d"),
    "two change places": ("%d = subi %c, %a : T", "%b, %a, %d"),
    "three change places": ("%d = addi %c, %one : T", "%b, %d, %a"),
    "counters": (
        "%d = addi %a, %one : T\n %e = subi %b, %three : T\n %f = addi %c, %i : T",
        "%d, %e, %f",
    ),
    "a counter of a counter": (
        "%d = addi %a, %two : T\n %e = addi %b, %d : T\n %f = muli %c, %three : T\n"
        "%g = addi %f, %a : T",
        "%d, %e, %g",
    ),
    "a counter in a branch": (
        """%is = cmpi less_than %i, %x, signed : T -> tile<i1>
      %d = if %is -> (T) {
        %e = addi %a, %three : T
        yield %e : T
      } else {
        %e = addi %a, %three : T
        yield %e : T
      }
      %f = if %is -> (T) { yield %d : T } else { yield %b : T }""",
        "%d, %f, %i",
    ),
    "dead together": ("%d = addi %b, %one : T\n %e = addi %a, %d : T", "%e, %d, %c"),
    "the counter itself": ("", "%i, %a, %b"),
}


def text(name: str, ty: str = "i8") -> str:
    body, ends = BODIES[name]
    tile = f"tile<{ty}>"
    body += f"\n    continue {ends} : T, T, T"
    return kernel(f"{tile}, {tile}, {tile}", START, body.replace("T", tile), ty)


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str):
    fires = (
        None if name in ("two change places", "three change places", "the counter itself") else True
    )
    numbers = [
        (0, 4, 5, 7),
        (3, 3, 5, 7),
        (4, 1, 5, 7),
        (-128, -125, 127, -128),
        (124, 127, 126, 1),
        (-3, 2, -128, 127),
    ]
    ATTACK.but(fires=None if name in ("dead together",) else fires).run(
        text(name), [[np.zeros(3, np.int8), *each] for each in numbers]
    )


@pytest.mark.every(3)
@pytest.mark.parametrize("name", BODIES)
def test_wide(name: str):
    most = 2**63 - 1
    numbers = [(most - 3, most, most, -most - 1), (-most - 1, -most + 2, 1, 2), (5, 2, 3, 4)]
    ATTACK.but(fires=None).run(
        text(name, "i64"), [[np.zeros(3, np.int64), *each] for each in numbers]
    )


def test_results_that_are_not_used():
    """Only the effects of the loop are left, which need one of the values."""
    unused = text("a counter of a counter")
    start, end = unused.index("  %p1"), unused.index("  return")
    body = 'print_tko "%i ", %b : tile<i8> -> token\n    continue'
    unused = (unused[:start] + unused[end:]).replace("continue", body)
    ATTACK.run(unused, [[np.zeros(3, np.int8), 0, 4, 5, 7], [np.zeros(3, np.int8), 4, 0, 5, 7]])


MULTIPLES = """%na = muli %narrow, %three : T
  %first = divi %na, %three signed rounding<negative_inf> : T
  %nb = addi %narrow, %two : T
  %nc = muli %nb, %three : T
  %upper = divi %nc, %three signed rounding<positive_inf> : T"""
BOUNDS = {
    "one iteration": ("%lb", "%lower = addi %lb, %one : T\n  %upper = addi %lower, %zero : T"),
    "of multiples": ("%first", MULTIPLES),
    "that may wrap": ("%first", MULTIPLES.replace("%narrow", "%lb")),
    "clamped": (
        "%first",
        """%first = maxi %narrow, %zero signed : T
  %nd = addi %first, %three : T
  %upper = mini %nd, %ub signed : T""",
    ),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name: str):
    """Trip counts that are constant, or would be if nothing wrapped around."""
    lower, lines = BOUNDS[name]
    narrow = "%narrow = assume bounded<-3, 9>, %lb : T\n  " if "narrow" in lines else ""
    program = text("counters").replace("(%lb to %ub,", f"({lower} to %upper,")
    before = f"{narrow}{lines}\n  %r, %s, %t = for".replace("T", "tile<i8>")
    program = program.replace("%r, %s, %t = for", before)
    lows = [-3, 0, 2, 9] if narrow else [-128, -43, -3, 0, 41, 42, 43, 85, 126, 127]
    arguments = [[np.zeros(3, np.int8), low, 11, 5, 7] for low in lows]
    ATTACK.but(fires=None).run(program, arguments)
