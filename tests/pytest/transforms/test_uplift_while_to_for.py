"""
Loops compute the same after those that count have become `scf.for`. Their counters are small
integers, so that they meet the ends of their types and wrap around. `proofs/test_loops.py` proves
random ones, for all numbers.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileaa.uplift_while_to_for import UpliftWhileToForPass

from ..harness.modules import context

BITS = 8
MAX_ITERATIONS = 1 << BITS
"""A loop that has seen all counters does not end."""
LEAST, MOST = -(1 << BITS - 1), (1 << BITS - 1) - 1
FACTOR = 31
"""What the sum is multiplied by in each iteration, so that it depends on their order."""

PREDICATES = {
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
    "not_equal": operator.ne,
    "equal": operator.eq,
}


def wrap(number: int, bits: int) -> int:
    """A signed integer of some bits."""
    return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


@dataclass(frozen=True)
class Number:
    """A number that is known to be between two others; a constant if they are equal."""

    name: str
    low: int
    high: int

    @property
    def text(self) -> str:
        if self.low == self.high:
            return f"%{self.name} = arith.constant {self.low} : i8"
        bounds = f"#nv_tileaa.bounded<{self.low}, {self.high}>"
        return f"%{self.name} = nv_tileaa.assume %{self.name}0 {{predicate = {bounds}}} : i8"


@dataclass(frozen=True)
class Loop:
    """A loop that goes on for as long as a comparison of its counter is, or is not, true."""

    shape: str
    """`if`: two arms; `do`: the work is behind the condition; `last`: it is before the test."""
    start: Number
    bound: Number
    step: Number
    predicate: str
    is_signed: bool
    is_down: bool
    negated: bool
    swapped: bool
    in_branch: bool
    """Whether the step is made in both arms of an `scf.if`."""

    def stays(self, counter: int, bound: int) -> bool:
        """Whether the loop goes on."""
        if not self.is_signed:
            counter, bound = (number % (1 << BITS) for number in (counter, bound))
        return PREDICATES[self.predicate](counter, bound)

    def expected(self, start: int, bound: int, step: int) -> tuple[int, int] | None:
        """The counter and the sum behind the loop; `None` if it never ends."""
        counter, total = start, 0
        for _ in range(MAX_ITERATIONS):
            if self.shape != "last" and not self.stays(counter, bound):
                return counter, total
            total = wrap(total * FACTOR + counter, 32)
            counter = wrap(counter - step if self.is_down else counter + step, BITS)
            if self.shape == "last" and not self.stays(counter, bound):
                return counter, total
        return None

    def work(self, counter: str, total: str) -> str:
        """Computes %next and %sum of a counter and a sum."""
        name = "subi" if self.is_down else "addi"
        step = f"%next = nv_tileaa.{name} {counter}, %step : i8"
        if self.in_branch:
            step = f"""
            %parity = arith.cmpi sgt, {total}, %factor : i32
            %next = scf.if %parity -> (i8) {{
              %one = arith.{name} {counter}, %step : i8
              scf.yield %one : i8
            }} else {{
              %other = nv_tileaa.{name} {counter}, %step : i8
              scf.yield %other : i8
            }}"""
        return f"""
            %wide = arith.extsi {counter} : i8 to i32
            %product = nv_tileaa.muli {total}, %factor : i32
            %sum = nv_tileaa.addi %product, %wide : i32
            {step}"""

    def test(self, counter: str) -> str:
        """Computes %test, which is true where the loop goes on, unless it is negated."""
        first, second = counter, "%bound"
        name = self.predicate
        if self.swapped:
            first, second = second, first
            exchange = {"less": "greater", "greater": "less"}
            head, _, tail = name.partition("_")
            name = f"{exchange.get(head, head)}_{tail}".rstrip("_")
        word = "signed" if self.is_signed else "unsigned"
        compare = (
            f"nv_tileaa.cmpi {first}, {second} "
            f'{{comparison_predicate = "{name}", signedness = "{word}"}} : i8 -> i1'
        )
        if not self.negated:
            return f"%test = {compare}"
        return f"""
            %holds = {compare}
            %not = arith.constant true
            %test = arith.xori %holds, %not : i1"""

    def arms(self, stay: str, leave: str) -> str:
        arms = [stay, leave]
        if self.negated:
            arms.reverse()
        return f"{{ {arms[0]} }} else {{ {arms[1]} }}"

    def loop(self) -> str:
        """Computes %r0, the counter behind the loop, and %r1, the sum."""
        if self.shape == "do":
            # The flag of the condition cannot be exchanged, so a negation is undone.
            undo = "%go = arith.xori %test, %not : i1" if self.negated else ""
            flag = "%go" if self.negated else "%test"
            return f"""
            %r0, %r1 = scf.while (%i = %start, %x = %zero) : (i8, i32) -> (i8, i32) {{
              {self.test("%i")}
              {undo}
              scf.condition({flag}) %i, %x : i8, i32
            }} do {{
            ^bb0(%j: i8, %y: i32):
              {self.work("%j", "%y")}
              scf.yield %next, %sum : i8, i32
            }}"""
        types = "i1, i8, i32, i8, i32"
        constants = """
              %flag{0} = arith.constant {0}
              %p{0} = ub.poison : i8
              %q{0} = ub.poison : i32"""
        stay, leave = (constants.format(word) for word in ("true", "false"))
        first = last = ""
        if self.shape == "if":
            first = "%doubled = nv_tileaa.addi %x, %x : i32"
            stay += self.work("%i", "%x")
            # A sum that is halved again, so that code of both regions is needed behind the loop.
            leave += "%half = nv_tileaa.subi %doubled, %x : i32"
            counter, left = "%i", "%i, %half"
        else:
            last = self.work("%i", "%x")
            counter, left = "%next", "%next, %sum"
        stay += f"\nscf.yield %flagtrue, %next, %sum, %ptrue, %qtrue : {types}\n"
        leave += f"\nscf.yield %flagfalse, %pfalse, %qfalse, {left} : {types}\n"
        return f"""
            %u0, %u1, %r0, %r1 = scf.while (%i = %start, %x = %zero)
                : (i8, i32) -> (i8, i32, i8, i32) {{
              {first}{last}
              {self.test(counter)}
              %flag, %a, %b, %c, %d = scf.if %test -> ({types}) {self.arms(stay, leave)}
              scf.condition(%flag) %a, %b, %c, %d : i8, i32, i8, i32
            }} do {{
            ^bb0(%j: i8, %y: i32, %k: i8, %z: i32):
              scf.yield %j, %y : i8, i32
            }}"""

    def module(self) -> ModuleOp:
        return load(f"""
        "gpu.module"() <{{sym_name = "m"}}> ({{
          "gpu.func"() <{{function_type = (!llvm.ptr<1>, i8, i8, i8) -> (), kernel}}> ({{
          ^bb0(%out: !llvm.ptr<1>, %start0: i8, %bound0: i8, %step0: i8):
            {self.start.text}
            {self.bound.text}
            {self.step.text}
            %zero = arith.constant 0 : i32
            %factor = arith.constant {FACTOR} : i32
            {self.loop()}
            %one64 = arith.constant 1 : i64
            %w0 = arith.extsi %r0 : i8 to i32
            %second = nv_tileaa.addptr %out, %one64 {{elem_type = i32}} : !llvm.ptr<1>, i64
            %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
            %t1 = nv_tileaa.store %out, %w0 token(%t0)
                : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
            %t2 = nv_tileaa.store %second, %r1 token(%t0)
                : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
            "gpu.return"() : () -> ()
          }}) {{sym_name = "k"}} : () -> ()
        }}) : () -> ()
        """)


def is_counted(module: ModuleOp) -> bool:
    return not any(isinstance(op, scf.WhileOp) for op in module.walk())


def uplift(module: ModuleOp) -> None:
    UpliftWhileToForPass().apply(context(), module)
    module.verify()


def results(module: ModuleOp, numbers: tuple[int, int, int]) -> tuple[int, int]:
    out = np.zeros(2, np.int32)
    run(module, grid=1, args=[out, *numbers])
    return int(out[0]), int(out[1])


FORMS = ("", "negated", "swapped", "in_branch")
"""What is different in the text of a loop, and makes no difference."""


def make_loop(
    shape: str,
    start: tuple[int, int],
    predicate: str,
    bound: tuple[int, int],
    step: int,
    is_signed: bool = True,
) -> Loop:
    """A loop between ranges of starts and bounds, down if the step is negative."""
    return Loop(
        shape,
        Number("start", *start),
        Number("bound", *bound),
        Number("step", abs(step), abs(step)),
        predicate,
        is_signed,
        is_down=step < 0,
        negated=False,
        swapped=False,
        in_branch=False,
    )


@pytest.mark.parametrize(
    "loop",
    [
        # One number beyond its bound.
        make_loop("if", (5, 5), "less_than", (4, 4), 1),
        make_loop("if", (4, 4), "greater_than", (5, 5), -1),
        make_loop("if", (6, 6), "less_than_or_equal", (4, 4), 1),
        # As far as the type goes.
        make_loop("if", (0, 9), "less_than", (0, MOST), 1),
        make_loop("if", (0, 9), "less_than", (0, MOST - 6), 7),
        make_loop("if", (0, 9), "less_than_or_equal", (0, MOST - 7), 7),
        make_loop("last", (MOST - 7, MOST - 7), "less_than", (0, 0), 7),
        make_loop("last", (LEAST + 7, LEAST + 7), "greater_than", (-90, -90), -7),
        make_loop("if", (-9, -9), "greater_than", (LEAST + 6, LEAST + 6), -7),
        make_loop("if", (0, 9), "greater_than", (6, 6), -7, is_signed=False),
        make_loop("if", (0, MOST - 6), "greater_than", (0, 0), -7),
        # If these wrap around, they never end.
        make_loop("if", (0, 9), "less_than", (0, MOST), 8),
        make_loop("do", (0, 9), "less_than_or_equal", (0, MOST - 1), 16),
        # Numbers that meet.
        make_loop("if", (4, 5), "not_equal", (5, 9), 1),
        make_loop("if", (6, 6), "not_equal", (90, 90), 6),
        make_loop("last", (0, 3), "not_equal", (4, 9), 1),
        make_loop("last", (9, 12), "not_equal", (5, 8), -1),
    ],
)
@pytest.mark.every(3)
@pytest.mark.parametrize("form", FORMS)
def test_loops_that_count(loop: Loop, form: str):
    loop = replace(loop, **dict.fromkeys([form] if form else [], True))
    module = loop.module()
    uplift(module)
    assert is_counted(module)
    step = loop.step.low
    for start in (loop.start.low, loop.start.high):
        for bound in (loop.bound.low, loop.bound.high):
            expected = loop.expected(start, bound, step)
            if expected is not None:
                assert results(module, (start, bound, step)) == expected


@pytest.mark.parametrize(
    "loop",
    [
        # The same, one number further.
        make_loop("if", (0, 9), "less_than", (0, MOST - 5), 7),
        make_loop("if", (0, 9), "less_than_or_equal", (0, MOST - 6), 7),
        make_loop("if", (0, 9), "less_than_or_equal", (0, MOST), 1),
        make_loop("last", (MOST - 6, MOST - 6), "less_than", (0, 0), 7),
        make_loop("last", (LEAST + 6, LEAST + 6), "greater_than", (-90, -90), -7),
        make_loop("if", (-9, -9), "greater_than", (LEAST + 5, LEAST + 5), -7),
        make_loop("if", (0, 9), "greater_than", (5, 5), -7, is_signed=False),
        make_loop("if", (-1, 9), "less_than", (0, 20), 1, is_signed=False),
        make_loop("if", (-1, 9), "greater_than", (0, 20), -1, is_signed=False),
        make_loop("if", (4, 6), "not_equal", (5, 9), 1),
        make_loop("if", (6, 6), "not_equal", (91, 91), 6),
        make_loop("if", (7, 7), "not_equal", (90, 90), 6),
        make_loop("last", (0, 4), "not_equal", (4, 9), 1),
        make_loop("last", (8, 12), "not_equal", (5, 8), -1),
        # In the wrong direction.
        make_loop("if", (0, 9), "greater_than", (0, 20), 1),
        make_loop("if", (0, 9), "less_than", (0, 20), -1),
        make_loop("if", (0, 9), "equal", (0, 20), 1),
        # Too far for a difference.
        make_loop("if", (0, 9), "greater_than", (LEAST + 8, 0), -1),
        make_loop("if", (0, MOST - 5), "greater_than", (0, 0), -7),
        # If these wrap around, they end all the same.
        make_loop("last", (0, MOST), "less_than", (0, MOST), 8),
        make_loop("if", (0, 9), "less_than", (0, MOST), 8, is_signed=False),
    ],
)
@pytest.mark.every(3)
@pytest.mark.parametrize("form", FORMS)
def test_loops_that_may_not_count(loop: Loop, form: str):
    loop = replace(loop, **dict.fromkeys([form] if form else [], True))
    module = loop.module()
    uplift(module)
    assert not is_counted(module)
