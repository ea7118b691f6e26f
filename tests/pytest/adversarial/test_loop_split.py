"""Attacks on `loop-split`: bounds at the ends of types, loops in loops, what a branch leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.dialects.cuda_tile.control_flow import ForOp

from ..harness.modules import ops_of
from .attacks import Attack

ATTACK = Attack("loop-split", is_idempotent=False, prepare=False)
"""Halves may be split again, by another comparison. Canonicalization would leave few branches."""

PREDICATES = (
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)


def kernel(body: str, ty: str = "i8", parameters: str = "") -> str:
    """A kernel that counts what it does in `%sum`, which depends on the order of iterations."""
    return f"""
cuda_tile.module @m {{
  entry @k(%out: tile<ptr<i64>>, %lb: tile<{ty}>, %ub: tile<{ty}>, %v: tile<{ty}>{parameters}) {{
    %zero = constant <i64: 0> : tile<i64>
    %three = constant <i64: 3> : tile<i64>
    %five = constant <i64: 5> : tile<i64>
    %one = constant <{ty}: 1> : tile<{ty}>
    {body}
    %t = store_ptr_tko weak %out, %r : tile<ptr<i64>>, tile<i64> -> token
    return
  }}
}}"""


def comparing(
    predicate: str,
    sign: str = "signed",
    *,
    ty: str = "i8",
    step: int = 1,
    loop_sign: str | None = None,
    swapped: bool = False,
) -> str:
    """A loop with a branch for either result of a comparison."""
    sides = "%v, %i" if swapped else "%i, %v"
    unsigned = "unsigned " if (loop_sign or sign) == "unsigned" else ""
    widen = f"exti %i {sign} : tile<{ty}> -> tile<i64>"
    if ty == "i64":
        widen = "addi %i, %zero : tile<i64>"
    return kernel(
        f"""
    %step = constant <{ty}: {step}> : tile<{ty}>
    %r = for {unsigned}%i in (%lb to %ub, step %step) : tile<{ty}>
        iter_values(%s = %zero) -> (tile<i64>) {{
      %w = {widen}
      %c = cmpi {predicate} {sides}, {sign} : tile<{ty}> -> tile<i1>
      %m = muli %s, %three : tile<i64>
      %x = if %c -> (tile<i64>) {{
        %a = addi %m, %w : tile<i64>
        yield %a : tile<i64>
      }} else {{
        %b = subi %m, %w : tile<i64>
        yield %b : tile<i64>
      }}
      continue %x : tile<i64>
    }}""",
        ty,
    )


def edges(least: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Bounds of short loops at the ends of a type and around zero, and numbers around them."""
    for lower in (least, least + 3, -1 if least else 1, most - 4, most):
        for length in (-2, 0, 3):
            upper = min(max(lower + length, least), most)
            for number in (least, lower - 1, lower, lower + 1, upper - 1, upper, upper + 1, most):
                if least <= number <= most:
                    yield lower, upper, number


def arguments(least: int, most: int, *more: object) -> list[list[object]]:
    return [
        [np.full(1, -77, np.int64), *numbers, *more]
        for numbers in dict.fromkeys(edges(least, most))
    ]


@pytest.mark.every(11)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_ends_of_signed_types(predicate: str, swapped: bool):
    ATTACK.run(comparing(predicate, swapped=swapped), arguments(-128, 127))


@pytest.mark.every(11, first=1)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_ends_of_unsigned_types(predicate: str, swapped: bool):
    ATTACK.run(comparing(predicate, "unsigned", swapped=swapped), unsigned_arguments())


def unsigned_arguments() -> list[list[object]]:
    """The same bits as signed numbers, which is how arguments of i8 are given."""
    return [
        [np.full(1, -77, np.int64), *((number + 128) % 256 - 128 for number in numbers)]
        for numbers in dict.fromkeys(edges(0, 255))
    ]


@pytest.mark.every(5)
@pytest.mark.parametrize("ty", ["i16", "i32", "i64"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_ends_of_wide_types(predicate: str, ty: str):
    most = (1 << int(ty[1:]) - 1) - 1
    ATTACK.run(comparing(predicate, ty=ty), arguments(-most - 1, most)[::3])


@pytest.mark.part("kernels")
@pytest.mark.every(22)
@pytest.mark.parametrize("step", [2, 3, 7])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_steps(predicate: str, step: int):
    """Of loops whose counter does not pass the end of its type in the last step."""
    fine = [
        [out, lower, upper, number]
        for out, lower, upper, number in arguments(-128, 127)
        if upper <= lower or lower + -(-(upper - lower) // step) * step <= 127  # pyright: ignore
    ]
    assert len(fine) > 20
    ATTACK.run(comparing(predicate, step=step), fine)


@pytest.mark.parametrize(
    "text",
    [
        comparing("equal"),
        comparing("not_equal"),
        comparing("less_than", loop_sign="unsigned"),
        comparing("less_than", "unsigned", loop_sign="signed"),
    ],
)
def test_other_comparisons_stay(text: str):
    sparse = [each for each in arguments(-128, 127)[::5] if abs(int(str(each[2]))) < 100]
    ATTACK.but(fires=False).run(text, sparse[:6])


PRINT = 'print_tko "{}" -> token'
CONTINUE = "continue %s : tile<i64>"
BODIES = {
    # The value of the comparison has other uses than the branch.
    "used as a value": """
      %e = exti %c unsigned : tile<i1> -> tile<i64>
      %a = addi %s, %e : tile<i64>
      if %c { print_tko "then" -> token } else { print_tko "else" -> token }
      continue %a : tile<i64>""",
    # Two branches on one comparison, one of them in the other.
    "twice": """
      %a = if %c -> (tile<i64>) {
        %n = if %c -> (tile<i64>) { yield %three : tile<i64> } else { yield %five : tile<i64> }
        yield %n : tile<i64>
      } else {
        yield %s : tile<i64>
      }
      %b = if %c -> (tile<i64>) { yield %a : tile<i64> } else { yield %five : tile<i64> }
      %d = addi %a, %b : tile<i64>
      continue %d : tile<i64>""",
    # One branch goes on with the next iteration.
    "continue": f"""
      if %c {{
        print_tko "skip" -> token
        {CONTINUE}
      }}
      %a = addi %s, %five : tile<i64>
      print_tko "work" -> token
      continue %a : tile<i64>""",
    "continue in both": f"""
      if %c {{
        {CONTINUE}
      }} else {{
        %a = addi %s, %five : tile<i64>
        continue %a : tile<i64>
      }}
      print_tko "never" -> token
      {CONTINUE}""",
    # Of two branches the first leaves, so the second is gone in one half.
    "continue, then a branch": f"""
      if %c {{ {CONTINUE} }}
      if %c {{ print_tko "never" -> token }} else {{ print_tko "rest" -> token }}
      %a = addi %s, %five : tile<i64>
      continue %a : tile<i64>""",
    # The comparison is in a branch itself.
    "inside": """
      %odd = andi %i, %one : tile<i8>
      %is = cmpi equal %odd, %one, signed : tile<i8> -> tile<i1>
      if %is {
        %d = cmpi less_than_or_equal %i, %v, signed : tile<i8> -> tile<i1>
        if %d { print_tko "small" -> token } else { print_tko "large" -> token }
      }
      %a = addi %s, %three : tile<i64>
      continue %a : tile<i64>""",
    # Values that are carried change places.
    "swap": """
      %p, %q = if %c -> (tile<i64>, tile<i64>) {
        yield %s, %five : tile<i64>, tile<i64>
      } else {
        yield %five, %s : tile<i64>, tile<i64>
      }
      %m = muli %p, %three : tile<i64>
      %a = subi %m, %q : tile<i64>
      continue %a : tile<i64>""",
    # The other branch of an inner loop over the same range.
    "loop in a branch": """
      %a = if %c -> (tile<i64>) {
        %n = for %j in (%i to %v, step %one) : tile<i8> iter_values(%u = %s) -> (tile<i64>) {
          %d = cmpi greater_than %j, %i, signed : tile<i8> -> tile<i1>
          %w = if %d -> (tile<i64>) {
            %m = muli %u, %three : tile<i64>
            yield %m : tile<i64>
          } else {
            %m = addi %u, %five : tile<i64>
            yield %m : tile<i64>
          }
          continue %w : tile<i64>
        }
        yield %n : tile<i64>
      } else {
        yield %s : tile<i64>
      }
      continue %a : tile<i64>""",
    # The inner loop's branch is decided by the outer counter, and both are split.
    "nested loops": """
      %a = for %j in (%lb to %ub, step %one) : tile<i8> iter_values(%u = %s) -> (tile<i64>) {
        %d = cmpi less_than %i, %j, signed : tile<i8> -> tile<i1>
        %m = muli %u, %three : tile<i64>
        %w = if %d -> (tile<i64>) {
          %n = addi %m, %five : tile<i64>
          yield %n : tile<i64>
        } else {
          yield %m : tile<i64>
        }
        continue %w : tile<i64>
      }
      if %c { print_tko "before" -> token } else { print_tko "after" -> token }
      continue %a : tile<i64>""",
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str):
    text = kernel(f"""
    %r = for %i in (%lb to %ub, step %one) : tile<i8> iter_values(%s = %zero) -> (tile<i64>) {{
      %c = cmpi less_than %i, %v, signed : tile<i8> -> tile<i1>
      {BODIES[name]}
    }}""")
    numbers = [(0, 4, 2), (0, 4, -1), (0, 4, 9), (3, 3, 3), (124, 127, 126), (-128, -125, -126)]
    after = ATTACK.run(text, [[np.zeros(1, np.int64), *each] for each in numbers])
    assert len(ops_of(after, ForOp)) > 1


def loops(module: ModuleOp) -> int:
    return len(ops_of(module, ForOp))


def test_a_bound_that_the_loop_computes_stays():
    body = """
    %r = for %i in (%lb to %ub, step %one) : tile<i8> iter_values(%s = %zero) -> (tile<i64>) {
      %w = trunci %s : tile<i64> -> tile<i8>
      %c = cmpi less_than %i, %w, signed : tile<i8> -> tile<i1>
      %a = if %c -> (tile<i64>) { yield %three : tile<i64> } else { yield %five : tile<i64> }
      continue %a : tile<i64>
    }"""
    numbers = [[np.zeros(1, np.int64), *each] for each in product((0, 2), (1, 7), (0,))]
    ATTACK.but(fires=False).run(kernel(body), numbers)


def test_memory_that_decides_the_bound():
    """The bound is loaded before the loop, which then overwrites it."""
    text = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %nine = constant <i32: 9> : tile<i32>
    %t0 = make_token : token
    %v, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token
    %r, %t = for %i in (%zero to %nine, step %one) : tile<i32>
        iter_values(%s = %zero, %u = %t1) -> (tile<i32>, token) {
      %c = cmpi greater_than_or_equal %v, %i, signed : tile<i32> -> tile<i1>
      %x, %t2 = if %c -> (tile<i32>, token) {
        %o, %t3 = load_ptr_tko weak %p token=%u : tile<ptr<i32>> -> tile<i32>, token
        yield %o, %t3 : tile<i32>, token
      } else {
        %t3 = store_ptr_tko weak %p, %i token=%u : tile<ptr<i32>>, tile<i32> -> token
        yield %i, %t3 : tile<i32>, token
      }
      %y = addi %s, %x : tile<i32>
      %t4 = store_ptr_tko weak %p, %y token=%t2 : tile<ptr<i32>>, tile<i32> -> token
      continue %y, %t4 : tile<i32>, token
    }
    return
  }
}"""
    inputs = [[np.array([each], np.int32)] for each in (-3, 0, 4, 8, 9)]
    after = ATTACK.but(then=("tileaa", "nvgpu")).run(text, inputs)
    assert loops(after) == 2
