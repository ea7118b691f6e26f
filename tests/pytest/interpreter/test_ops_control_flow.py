"""Branches, loops and ways out of them, CTAs: against the same in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

import tileiras_xdsl as tx

from .exact import to_signed
from .kernels import Case, Tile, check, floats, ints, lowered, on_tiles, parametrize


def if_cases() -> Iterator[Case]:
    body = """
    %r = if %c -> (tile<i32>) { yield %x : tile<i32> } else { yield %y : tile<i32> }
    %a, %b = if %c -> (tile<i32>, tile<f32>) {
      %s = addi %x, %x : tile<i32>
      %g = if %d -> (tile<f32>) { yield %f : tile<f32> } else {
        %h = negf %f : tile<f32>
        yield %h : tile<f32>
      }
      yield %s, %g : tile<i32>, tile<f32>
    } else {
      %z = constant <f32: 0.0> : tile<f32>
      yield %y, %z : tile<i32>, tile<f32>
    }
    """
    for first, second in product((0, 1), repeat=2):
        given = {
            "c": ints("i1", [first], ()),
            "d": ints("i1", [second], ()),
            "x": ints("i32", [3], ()),
            "y": ints("i32", [5], ()),
            "f": floats("f32", [1.5], ()),
        }
        inner = 0.0 if not first else 1.5 if second else -1.5
        wanted = {
            "r": ints("i32", [3 if first else 5], ()),
            "a": ints("i32", [6 if first else 5], ()),
            "b": floats("f32", [inner], ()),
        }
        yield on_tiles(f"if-{first}{second}", body, given, wanted)
    # Without results, and without an else.
    body = """
    if %c { %t0 = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token }
    if %c { } else { %t1 = store_ptr_tko weak %q, %one : tile<ptr<i32>>, tile<i32> -> token }
    """
    for condition in (0, 1):
        yield Case(
            f"if-effects-{condition}",
            "%one = constant <i32: 1> : tile<i32>\n" + body,
            {"c": ("i1", condition), "p": ints("i32", [0], ()), "q": ints("i32", [0], ())},
            {"p": ints("i32", [condition], ()), "q": ints("i32", [1 - condition], ())},
        )


LOOPS: list[tuple[str, int, int, int]] = [
    ("i32", 0, 10, 3),
    ("i32", -5, 5, 2),
    ("i32", 5, 5, 1),
    ("i32", 7, 3, 1),
    ("i64", 1 << 40, (1 << 40) + 5, 2),
    ("i8", 100, 127, 20),
    ("i8", -3, 3, 1),
    ("i16", 0, 1000, 300),
]


def for_cases() -> Iterator[Case]:
    """The sum of the counters and their number; as unsigned numbers, -3 is a large one."""
    for element, low, high, step in LOOPS:
        for unsigned in (False, True):
            width = int(element[1:])
            bounds = [bound % (1 << width) for bound in (low, high, step)]
            if not unsigned:
                bounds = [to_signed(bound, width) for bound in bounds]
            if len(range(*bounds)) > 200:
                continue
            counters = list(range(*bounds))
            given = {
                "lo": ints(element, [low], ()),
                "hi": ints(element, [high], ()),
                "step": ints(element, [step], ()),
            }
            body = f"""
            %zero = constant <{element}: 0> : tile<{element}>
            %none = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %sum, %n = for {"unsigned" * unsigned} %i in (%lo to %hi, step %step) : tile<{element}>
                iter_values(%s = %zero, %k = %none) -> (tile<{element}>, tile<i32>) {{
              %a = addi %s, %i : tile<{element}>
              %b = addi %k, %one : tile<i32>
              continue %a, %b : tile<{element}>, tile<i32>
            }}
            """
            wanted = {
                "sum": ints(element, [sum(counters)], ()),
                "n": ints("i32", [len(counters)], ()),
            }
            sign = "unsigned" if unsigned else "signed"
            yield on_tiles(f"for-{element}-{low}-{high}-{step}-{sign}", body, given, wanted)


def unsigned_loop_cases() -> Iterator[Case]:
    """Bounds beyond the signed range, and at the end of the unsigned one."""
    for element, low, high, step in (("i8", 120, 136, 4), ("i32", (1 << 31) - 2, (1 << 31) + 2, 1)):
        given = {
            "lo": ints(element, [low], ()),
            "hi": ints(element, [high], ()),
            "step": ints(element, [step], ()),
        }
        body = f"""
        %none = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %n = for unsigned %i in (%lo to %hi, step %step) : tile<{element}>
            iter_values(%k = %none) -> (tile<i32>) {{
          %b = addi %k, %one : tile<i32>
          continue %b : tile<i32>
        }}
        %m = for %i in (%lo to %hi, step %step) : tile<{element}>
            iter_values(%k = %none) -> (tile<i32>) {{
          %b = addi %k, %one : tile<i32>
          continue %b : tile<i32>
        }}
        """
        wanted = {"n": ints("i32", [4], ()), "m": ints("i32", [0], ())}
        yield on_tiles(f"for-beyond-{element}", body, given, wanted)


def carried_cases() -> Iterator[Case]:
    """Values are carried at once, also when they change places; early continues keep theirs."""
    body = """
    %lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: 5> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a, %b = for %i in (%lo to %hi, step %one) : tile<i32>
        iter_values(%p = %x, %q = %y) -> (tile<4xi32>, tile<4xi32>) {
      continue %q, %p : tile<4xi32>, tile<4xi32>
    }
    %odd = for %i in (%lo to %hi, step %one) : tile<i32>
        iter_values(%s = %lo) -> (tile<i32>) {
      %rest = andi %i, %one : tile<i32>
      %is = cmpi equal %rest, %lo, signed : tile<i32> -> tile<i1>
      if %is { continue %s : tile<i32> }
      %t = addi %s, %i : tile<i32>
      continue %t : tile<i32>
    }
    """
    x, y = ints("i32", [1, 2, 3, 4]), ints("i32", [5, 6, 7, 8])
    wanted = {"a": y, "b": x, "odd": ints("i32", [4], ())}
    yield on_tiles("for-carried", body, {"x": x, "y": y}, wanted)


def nested_cases() -> Iterator[Case]:
    body = """
    %lo = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%lo to %n, step %one) : tile<i32> iter_values(%s = %lo) -> (tile<i32>) {
      %t = for %j in (%lo to %i, step %one) : tile<i32> iter_values(%u = %s) -> (tile<i32>) {
        %m = muli %i, %j : tile<i32>
        %v = addi %u, %m : tile<i32>
        continue %v : tile<i32>
      }
      continue %t : tile<i32>
    }
    """
    total = sum(i * j for i in range(6) for j in range(i))
    given = {"n": ints("i32", [6], ())}
    yield on_tiles("for-nested", body, given, {"r": ints("i32", [total], ())})


def collatz(number: int) -> int:
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


def loop_cases() -> Iterator[Case]:
    """Steps of Collatz's sequence, with a break of other types than are carried."""
    body = """
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %zero = constant <i64: 0> : tile<i64>
    %more = constant <i64: 1> : tile<i64>
    %r = loop iter_values(%x = %n, %k = %zero) : tile<i32>, tile<i64> -> tile<i64> {
      %done = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
      if %done { break %k : tile<i64> }
      %next = addi %k, %more : tile<i64>
      %rest = andi %x, %one : tile<i32>
      %odd = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
      if %odd {
        %a = muli %x, %three : tile<i32>
        %b = addi %a, %one : tile<i32>
        continue %b, %next : tile<i32>, tile<i64>
      }
      %h = divi %x, %two signed : tile<i32>
      continue %h, %next : tile<i32>, tile<i64>
    }
    """
    for number in (1, 2, 7, 27):
        given = {"n": ints("i32", [number], ())}
        wanted = {"r": ints("i64", [collatz(number)], ())}
        yield on_tiles(f"loop-{number}", body, given, wanted)
    # A loop in a loop, a break through two branches, no values at all.
    body = """
    %one = constant <i32: 1> : tile<i32>
    loop {
      %old, %t = atomic_rmw_tko relaxed device %p, add, %one :
          tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %five = constant <i32: 5> : tile<i32>
      %c = cmpi greater_than_or_equal %old, %five, signed : tile<i32> -> tile<i1>
      if %c { if %c { break } }
      loop {
        %u, %v = atomic_rmw_tko relaxed device %q, add, %one :
            tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        break
      }
      continue
    }
    """
    arguments = {"p": ints("i32", [0], ()), "q": ints("i32", [0], ())}
    wanted = {"p": ints("i32", [6], ()), "q": ints("i32", [5], ())}
    yield Case("loop-nested", body, arguments, wanted)


def return_cases() -> Iterator[Case]:
    """CTAs leave early, from a branch and from a loop in a branch."""
    body = """
    %x, %y, %z = get_tile_block_id : tile<i32>
    %p = offset %r, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %t0 = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
    %is = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
    if %is { return }
    %other = cmpi equal %x, %two, signed : tile<i32> -> tile<i1>
    if %other {
      loop iter_values(%i = %one) : tile<i32> {
        %t1 = store_ptr_tko weak %p, %i token=%t0 : tile<ptr<i32>>, tile<i32> -> token
        %j = addi %i, %i : tile<i32>
        %big = constant <i32: 100> : tile<i32>
        %c = cmpi greater_than %j, %big, signed : tile<i32> -> tile<i1>
        if %c { return }
        continue %j : tile<i32>
      }
    }
    %three = constant <i32: 3> : tile<i32>
    %t2 = store_ptr_tko weak %p, %three token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    """
    arguments = {"r": ints("i32", [0] * 4)}
    yield Case("return", body, arguments, {"r": ints("i32", [3, 1, 64, 3])}, grid=4)


def grid_cases() -> Iterator[Case]:
    """Each CTA writes its place, and the size of the grid."""
    for grid in (1, 5, (3,), (2, 3), (2, 3, 4), (1, 1, 5), (1, 7, 1)):
        sizes = (*((grid,) if isinstance(grid, int) else grid), 1, 1)[:3]
        count = sizes[0] * sizes[1] * sizes[2]
        body = """
        %x, %y, %z = get_tile_block_id : tile<i32>
        %a, %b, %c = get_num_tile_blocks : tile<i32>
        %m0 = muli %z, %b : tile<i32>
        %m1 = addi %m0, %y : tile<i32>
        %m2 = muli %m1, %a : tile<i32>
        %n = addi %m2, %x : tile<i32>
        %six = constant <i32: 6> : tile<i32>
        %at = muli %n, %six : tile<i32>
        """
        for slot, value in enumerate(("x", "y", "z", "a", "b", "c")):
            body += f"""
            %k{slot} = constant <i32: {slot}> : tile<i32>
            %o{slot} = addi %at, %k{slot} : tile<i32>
            %p{slot} = offset %r, %o{slot} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %t{slot} = store_ptr_tko weak %p{slot}, %{value} : tile<ptr<i32>>, tile<i32> -> token
            """
        places = product(*(range(size) for size in reversed(sizes)))
        wanted = [number for z, y, x in places for number in (x, y, z, *sizes)]
        yield Case(
            f"grid-{grid}",
            body,
            {"r": ints("i32", [-1] * (6 * count))},
            {"r": ints("i32", wanted)},
            grid,
        )


CASES = [
    *if_cases(),
    *for_cases(),
    *unsigned_loop_cases(),
    *carried_cases(),
    *nested_cases(),
    *loop_cases(),
    *return_cases(),
    *grid_cases(),
]


@parametrize(CASES)
def test_control_flow(case: Case):
    """Control goes where it must."""
    check(case)


SCALARS: Sequence[tuple[str, float, Tile]] = [
    ("i1", True, ints("i1", [1], ())),
    ("i8", -5, ints("i8", [-5], ())),
    ("i8", 250, ints("i8", [250], ())),
    ("i16", 40000, ints("i16", [40000], ())),
    ("i32", -(1 << 31), ints("i32", [-(1 << 31)], ())),
    ("i64", (1 << 64) - 1, ints("i64", [-1], ())),
    ("f16", 1.5, floats("f16", [1.5], ())),
    ("bf16", 1 + 2**-8, floats("bf16", [1.0], ())),
    ("tf32", 1 + 2**-12, floats("tf32", [1.0], ())),
    ("f32", 0.1, floats("f32", [0.1], ())),
    ("f64", 0.1, floats("f64", [0.1], ())),
    ("f8E4M3FN", 1.5, floats("f8E4M3FN", [1.5], ())),
    ("f8E5M2", -2, floats("f8E5M2", [-2.0], ())),
    ("f8E8M0FNU", 4.0, floats("f8E8M0FNU", [4.0], ())),
]


@pytest.mark.parametrize(("element", "value", "wanted"), SCALARS)
def test_scalar_argument(element: str, value: float, wanted: Tile):
    """Scalars of every type are given by value."""
    body = f"%t = store_ptr_tko weak %r, %x : tile<ptr<{element}>>, tile<{element}> -> token"
    blank = Tile(element, (), (0,) if wanted.bits != (0,) else (1,))
    check(Case("", body, {"x": (element, value), "r": blank}, {"r": wanted}))
    module = tx.load(Case("", body, {"x": (element, value), "r": blank}).text)
    for level in (0, 1):
        array = blank.to_memory()
        tx.run(
            lowered(module) if level else module,
            grid=1,
            args=[np.asarray(value), array],
            engine="interpreter",
        )
        wanted.compare(array, "%r")
