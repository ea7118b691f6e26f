"""Attacks on `guard-masks`: masks that wrap around, empty loops, several comparisons in a mask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest

from tileiras_xdsl.dialects.cuda_tile.control_flow import IfOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("guard-masks", prepare=False)

LEAST, MOST = -(1 << 31), (1 << 31) - 1
PREDICATES = ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")


def kernel(mask: str, *, step: int = 1, inverted: bool = False, before: str = "") -> str:
    """
    A loop that computes a tile, replaces what a mask `%m` hides, and takes it into a sum that
    depends on the order of iterations.
    """
    values = "%none, %x" if inverted else "%x, %none"
    return f"""
cuda_tile.module @m {{
  entry @k(%out: tile<ptr<i32>>, %lb: tile<i32>, %ub: tile<i32>, %a: tile<i32>, %b: tile<i32>) {{
    %step = constant <i32: {step}> : tile<i32>
    %none = constant <i32: -7> : tile<4x4xi32>
    %three = constant <i32: 3> : tile<4x4xi32>
    %zero = constant <i32: 0> : tile<4x4xi32>
    %left = constant <i8: 1> : tile<4x8xi8>
    %right = constant <i8: 2> : tile<8x4xi8>
    %iota = iota : tile<4xi32>
    %r1 = reshape %iota : tile<4xi32> -> tile<4x1xi32>
    %rows = broadcast %r1 : tile<4x1xi32> -> tile<4x4xi32>
    %c1 = reshape %iota : tile<4xi32> -> tile<1x4xi32>
    %columns = broadcast %c1 : tile<1x4xi32> -> tile<4x4xi32>
    {spread("%a", "%as")}
    {spread("%b", "%bs")}
    {before}
    %r = for %i in (%lb to %ub, step %step) : tile<i32>
        iter_values(%s = %zero) -> (tile<4x4xi32>) {{
      {spread("%i", "%is")}
      %p = mmai %left, %right, %is signed signed : tile<4x8xi8>, tile<8x4xi8>, tile<4x4xi32>
      %x = addi %p, %rows : tile<4x4xi32>
      {mask}
      %y = select %m, {values} : tile<4x4xi1>, tile<4x4xi32>
      %t = muli %s, %three : tile<4x4xi32>
      %n = addi %t, %y : tile<4x4xi32>
      continue %n : tile<4x4xi32>
    }}
    %q1 = reshape %out : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %q = broadcast %q1 : tile<1x1xptr<i32>> -> tile<4x4xptr<i32>>
    %four = constant <i32: 4> : tile<4x4xi32>
    %o1 = muli %rows, %four : tile<4x4xi32>
    %o = addi %o1, %columns : tile<4x4xi32>
    %ptrs = offset %q, %o : tile<4x4xptr<i32>>, tile<4x4xi32> -> tile<4x4xptr<i32>>
    %done = store_ptr_tko weak %ptrs, %r : tile<4x4xptr<i32>>, tile<4x4xi32> -> token
    return
  }}
}}"""


def spread(scalar: str, tile: str) -> str:
    """A tile full of a scalar."""
    return (
        f"{tile}1 = reshape {scalar} : tile<i32> -> tile<1x1xi32>\n"
        f"{tile} = broadcast {tile}1 : tile<1x1xi32> -> tile<4x4xi32>"
    )


def times(name: str, value: str, factor: int) -> str:
    return (
        f"{name}f = constant <i32: {factor}> : tile<4x4xi32>\n"
        f"{name} = muli {value}, {name}f : tile<4x4xi32>"
    )


def compare(predicate: str, lhs: str, rhs: str, name: str = "%m", sign: str = "signed") -> str:
    return f"{name} = cmpi {predicate} {lhs}, {rhs}, {sign} : tile<4x4xi32> -> tile<4x4xi1>"


CAUSAL = f"""{times("%j", "%is", 4)}
%k = addi %j, %columns : tile<4x4xi32>
%l = addi %as, %rows : tile<4x4xi32>
"""
"""Columns `%k` of a block for each iteration, and rows `%l` from `%a` on."""


def arguments(numbers: Sequence[tuple[int, int, int, int]]) -> list[list[object]]:
    return [[np.full((4, 4), -77, np.int32), *each] for each in numbers]


USUAL = [
    *[(0, 4, a, 0) for a in (-9, -1, 0, 1, 3, 4, 5, 8, 13, 99, MOST, MOST - 2, LEAST)],
    *[(2, 5, a, 7) for a in (0, 7, 8, 11, 12, 16)],
    *[(-3, 2, a, 0) for a in (-13, -8, -4, 0, 4)],
    *[(3, 3, 4, 0), (5, -5, 4, 0), (LEAST, LEAST, 0, 0), (MOST, LEAST, 0, 0)],
    # Columns wrap around in some iterations.
    *[(536870910, 536870914, a, 0) for a in (0, MOST, MOST - 3, LEAST)],
    *[(-536870914, -536870910, a, 0) for a in (0, LEAST, LEAST + 5, MOST)],
    *[(MOST - 3, MOST, a, 0) for a in (0, MOST, LEAST)],
    *[(LEAST, LEAST + 3, a, 0) for a in (0, MOST, LEAST)],
]


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_blocks_of_columns(predicate: str, inverted: bool):
    text = kernel(CAUSAL + compare(predicate, "%l", "%k"), inverted=inverted)
    after = ATTACK.run(text, arguments(USUAL[PREDICATES.index(predicate) :: 4]))
    (branch,) = ops_of(after, IfOp)
    assert len(branch.then_region.block.ops) == 1, "the branch without the mask"


@pytest.mark.long
@pytest.mark.parametrize("predicate", PREDICATES)
def test_blocks_of_columns_everywhere(predicate: str):
    for inverted in (False, True):
        text = kernel(CAUSAL + compare(predicate, "%l", "%k"), inverted=inverted)
        ATTACK.run(text, arguments(USUAL))


def test_loops_are_split():
    """By the pass that follows."""
    text = kernel(CAUSAL + compare("greater_than_or_equal", "%l", "%k"))
    numbers = arguments([(0, 4, 9, 0), (0, 4, 2, 0)])
    ATTACK.but(then=("cuda-tile", "tileaa")).run(text, numbers)


COMBINED = {
    "both bounds": """
      %m1 = cmpi greater_than_or_equal %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m2 = cmpi less_than %k, %bs, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m = andi %m1, %m2 : tile<4x4xi1>""",
    "a window": """
      %w = addi %k, %bs : tile<4x4xi32>
      %m1 = cmpi greater_than_or_equal %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m2 = cmpi less_than %l, %w, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m = andi %m1, %m2 : tile<4x4xi1>""",
    "rows as well": """
      %m1 = cmpi greater_than_or_equal %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m2 = cmpi less_than %l, %bs, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m = andi %m1, %m2 : tile<4x4xi1>""",
    "negated": """
      %true = constant <i1: true> : tile<4x4xi1>
      %m1 = cmpi less_than %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m2 = cmpi greater_than_or_equal %k, %bs, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m3 = ori %m1, %m2 : tile<4x4xi1>
      %m = xori %m3, %true : tile<4x4xi1>""",
    "always and": """
      %true = constant <i1: true> : tile<4x4xi1>
      %m1 = cmpi greater_than_or_equal %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m = andi %true, %m1 : tile<4x4xi1>""",
    "backwards": """
      %n1 = negi %k : tile<4x4xi32>
      %m = cmpi less_than %n1, %bs, signed : tile<4x4xi32> -> tile<4x4xi1>""",
}


@pytest.mark.parametrize("name", COMBINED)
def test_combined_masks(name: str):
    numbers = [(lb, ub, a, b) for lb, ub, a, _ in USUAL[::3] for b in (-9, 0, 6, 13, MOST)]
    ATTACK.run(kernel(CAUSAL + COMBINED[name]), arguments(numbers[::7]))


def test_steps():
    text = kernel(CAUSAL + compare("greater_than_or_equal", "%l", "%k"), step=3)
    ATTACK.run(text, arguments([(0, 10, a, 0) for a in (0, 3, 11, 12, 13, 27, 50)]))


LEFT_ALONE = {
    "equality": CAUSAL + compare("equal", "%l", "%k"),
    "unsigned": CAUSAL + compare("greater_than_or_equal", "%l", "%k", sign="unsigned"),
    "either": CAUSAL
    + """
      %m1 = cmpi greater_than_or_equal %l, %k, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m2 = cmpi less_than %k, %bs, signed : tile<4x4xi32> -> tile<4x4xi1>
      %m = ori %m1, %m2 : tile<4x4xi1>""",
    "invariant": compare("less_than", "%rows", "%bs"),
    "square": "%j = muli %is, %is : tile<4x4xi32>\n" + compare("less_than", "%j", "%bs"),
    "a large factor": times("%j", "%is", 1 << 21) + "\n" + compare("less_than", "%j", "%bs"),
    "no wrap": "%j = addi %is, %rows overflow<no_signed_wrap> : tile<4x4xi32>\n"
    + compare("less_than", "%j", "%bs"),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_other_masks_stay(name: str):
    after = ATTACK.but(fires=False).run(kernel(LEFT_ALONE[name]), arguments([(0, 3, 4, 5)]))
    assert not ops_of(after, IfOp)


def expressions(random: Random) -> Iterator[str]:
    """Lines that compute a random linear tile, and its name in the end."""
    terms: list[str] = []
    factors = (0, 1, 1, 2, 4, -1, -4, 3, 1 << 18)
    for number, value in enumerate(random.sample(["%is", "%rows", "%columns", "%as", "%bs"], 3)):
        name = f"%e{random.getrandbits(40)}{number}"
        yield times(name, value, random.choice(factors))
        terms.append(name)
    constant = random.choice((0, 1, -5, 100, MOST - 20, LEAST + 9))
    total = f"%e{random.getrandbits(40)}"
    yield f"{total} = constant <i32: {constant}> : tile<4x4xi32>"
    for term in terms:
        op = random.choice(("addi", "subi"))
        yield f"{total}x = {op} {total}, {term} : tile<4x4xi32>"
        total += "x"
    yield total


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(3))
def test_random_masks(seed: int):
    attack_randomly(seed, programs=2, runs=6)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 7))
def test_more_random_masks(seed: int):
    attack_randomly(seed, programs=8, runs=12)


def attack_randomly(seed: int, *, programs: int, runs: int) -> None:
    random = Random(seed)
    for _ in range(programs):
        *lines, lhs = expressions(random)
        *more, rhs = expressions(random)
        mask = "\n".join((*lines, *more, compare(random.choice(PREDICATES), lhs, rhs)))
        numbers: list[tuple[int, int, int, int]] = []
        for _ in range(runs):
            lower = random.choice((0, 1, -4, 1 << 13, MOST - 4, LEAST, (1 << 29) - 2))
            upper = min(MOST, lower + random.randrange(0, 6))
            a, b = (
                random.choice((0, 5, -9, 40, MOST, LEAST, MOST - 30, LEAST + 30)) for _ in range(2)
            )
            numbers.append((lower, upper, a, b))
        text = kernel(mask, inverted=random.random() < 0.3)
        ATTACK.but(fires=None).run(text, arguments(numbers))
