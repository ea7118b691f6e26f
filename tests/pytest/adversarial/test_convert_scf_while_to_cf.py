"""
Attacks on `convert-scf-while-to-cf`: loops that end at the last numbers of their type, and whose
next number would wrap around; loops in loops; steps that are known, bounded, or neither.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects import scf

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP

from ..harness.modules import ops_of
from ..harness.passes import lower
from .attacks import Attack, outcome

ATTACK = Attack("convert-scf-while-to-cf{all=true}", arch="sm_80", is_idempotent=False)
LIMITS = {"i8": (-128, 127), "i16": (-(1 << 15), (1 << 15) - 1), "i32": (-(1 << 31), (1 << 31) - 1)}


def counting(ty: str, kind: str = "", *, step: str = "%s", inner: bool = False) -> str:
    """A kernel that stores how many iterations a loop has, and the sum of its numbers."""
    body = f"%e = addi %d, %k : tile<{ty}>\ncontinue %c1, %e : tile<i32>, tile<{ty}>"
    loop = f"""for {kind}%k in (%a to %b, step {step}) : tile<{ty}>
        iter_values(%c = %count, %d = %sum) -> (tile<i32>, tile<{ty}>) {{
      %c1 = addi %c, %one : tile<i32>
      {body}
    }}"""
    if inner:
        loop = f"""for %l in (%zero to %two, step %one) : tile<i32>
        iter_values(%count = %zero, %sum = %nothing) -> (tile<i32>, tile<{ty}>) {{
      %x, %y = {loop}
      continue %x, %y : tile<i32>, tile<{ty}>
    }}"""
    else:
        loop = loop.replace("%count", "%zero").replace("%sum", "%nothing")
    bound = f"%most = assume bounded<1, 100>, %s : tile<{ty}>" if step == "%most" else ""
    return f"""
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<{ty}>>, %a: tile<{ty}>, %b: tile<{ty}>,
      %s: tile<{ty}>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %nothing = constant <{ty}: 0> : tile<{ty}>
    %three = constant <{ty}: 3> : tile<{ty}>
    {bound}
    %n, %t = {loop}
    %t0 = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    %t1 = store_ptr_tko weak %q, %t : tile<ptr<{ty}>>, tile<{ty}> -> token
    return
  }}
}}"""


def arguments(ty: str, *, most: int | None = None) -> list[list[object]]:
    """Bounds at both ends of a type, and steps that lead beyond it or not."""
    least, last = LIMITS[ty]
    bounds = [(last - 1, last), (last - 7, last), (0, last), (least, last), (least, least + 5)]
    bounds += [(last, last), (last, least), (-3, 4)]
    steps = [1, 3, 5, last // 2 + 3, last] if most is None else [1, most]
    return [
        [np.full(1, -7, np.int32), np.full(1, -7, f"int{ty[1:]}"), *pair, step]
        for pair, step in product(bounds, steps)
        if (pair[1] - pair[0]) // step < 300
    ]


def unsigned(given: list[list[object]], ty: str) -> list[list[object]]:
    """The same for unsigned numbers: moved by half of what the type has, with the same bits."""
    least, _ = LIMITS[ty]
    return [[*each[:2], *(int(n) ^ least for n in each[2:4]), each[4]] for each in given]  # pyright: ignore


@pytest.mark.every(11, first=1)
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("ty", LIMITS)
def test_ends_of_types(ty: str, inner: bool):
    ATTACK.run(counting(ty, inner=inner), arguments(ty))


@pytest.mark.every(3)
@pytest.mark.parametrize("ty", LIMITS)
def test_unsigned_ends_of_types(ty: str):
    """From the beginning: `for unsigned` is a `while` from `nv_tileaa` on."""
    text = counting(ty, "unsigned ")
    source, lowered = load(text), lower(load(text), "nvvm", arch="sm_80")
    for given in unsigned(arguments(ty), ty):
        assert outcome(lowered, given, grid=1) == outcome(source, given, grid=1), given


@pytest.mark.parametrize(("step", "known"), [("%s", False), ("%three", False), ("%most", False)])
def test_unknown_ends(step: str, known: bool):
    """A known step, or one with a bound, is not enough if the end is not known."""
    attack = ATTACK.but(opt=3)
    text = counting("i32", step=step)
    (loop,) = ops_of(attack.before(text), scf.ForOp)
    assert NO_WRAP.is_on(loop) == known
    attack.run(text, arguments("i32", most=100))


def test_known_ends():
    """Both are known: xDSL's loop, with a branch less."""
    text = counting("i32", step="%most").replace("for %k in (%a to %b", "for %k in (%a to %end")
    text = text.replace("%n, %t =", "%end = assume bounded<?, 1000>, %b : tile<i32>\n%n, %t =")
    attack = ATTACK.but(opt=3)
    (loop,) = ops_of(attack.before(text), scf.ForOp)
    assert NO_WRAP.is_on(loop)
    cells = [np.full(1, -7, np.int32), np.full(1, -7, np.int32)]
    attack.run(text, [[*cells, -7, 1000, 100], [*cells, 999, 1000, 7], [*cells, 5, 5, 1]])
