"""
The lowering of integer ops, proven from `cuda_tile` down to `nvgpu` and `nvvm`.

A kernel stores what one op computes of its parameters. The compiler lowers it, with all that it
simplifies on the way, and what a thread then stores has to be the same for all parameters. What
Tile IR leaves undefined (division by zero, shifts by too much, overflow against a flag) may become
anything but undefined behaviour of LLVM where Tile IR has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.pipeline import ModuleStage

from ..harness.modules import parse
from ..harness.passes import lower
from .machine import (
    EVALUATORS,
    Lane,
    Machine,
    State,
    Tile,
    Unsupported,
    constant,
    unknown,
)
from .rewrites import MODULES
from .smt import Term, Verdict, exhaust, prove, z3

WIDTHS = ("i8", "i16", "i32", "i64")
STAGES: tuple[ModuleStage, ...] = ("nvgpu", "nvvm")
EVALUATED = MODULES

THREAD = ("gpu.thread_id", "nvvm.read.ptx.sreg.tid.x")
STORES = ("cuda_tile.store_ptr_tko", "nvvm.fragment.store")

OVERFLOWS = ("", " overflow<no_signed_wrap>", " overflow<no_unsigned_wrap>", " overflow<no_wrap>")
SIGNS = (" signed", " unsigned")
ROUNDINGS = ("", " rounding<negative_inf>", " rounding<positive_inf>")
PREDICATES = (
    *("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than"),
    "greater_than_or_equal",
)


class Case(NamedTuple):
    """An op of two parameters, or of one and a constant."""

    rule: str
    width: str
    op: str
    """With T for the type and W for the type of the result."""
    result: str
    divisor: int | None = None

    @property
    def text(self) -> str:
        b = (
            ""
            if self.divisor is None
            else f"    %c = constant <{self.width}: {self.divisor}> : T\n"
        )
        op = self.op if self.divisor is None else self.op.replace("%b", "%c")
        body = f"{b}    %r = {op}\n"
        body = body.replace("T", f"tile<{self.width}>").replace("W", f"tile<{self.result}>")
        return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{self.result}>>, %a: tile<{self.width}>, %b: tile<{self.width}>) {{
{body}    %t = store_ptr_tko weak %p, %r : tile<ptr<{self.result}>>, tile<{self.result}> -> token
    return
  }}
}}"""


def cases(widths: Sequence[str] = WIDTHS) -> Iterator[Case]:
    """Every integer op, with every mode."""
    for width in widths:
        for name, flag in product(("addi", "subi", "muli", "shli"), OVERFLOWS):
            yield Case(name, width, f"{name} %a, %b{flag} : T", width)
        for name in ("andi", "ori", "xori", "mulhii"):
            yield Case(name, width, f"{name} %a, %b : T", width)
        for name, sign in product(("maxi", "mini", "remi", "shri"), SIGNS):
            yield Case(name, width, f"{name} %a, %b{sign} : T", width)
        for sign, mode in product(SIGNS, ROUNDINGS):
            if (sign, mode) != (SIGNS[1], ROUNDINGS[1]):
                yield Case("divi", width, f"divi %a, %b{sign}{mode} : T", width)
        yield Case("absi", width, "absi %a : T", width)
        for flag in (OVERFLOWS[0], OVERFLOWS[1], OVERFLOWS[3]):
            yield Case("negi", width, f"negi %a{flag} : T", width)
        for predicate, sign in product(PREDICATES, SIGNS):
            # Its i1 chooses one of the operands.
            compare = f"cmpi {predicate} %a, %b,{sign} : T -> tile<i1>"
            op = f"{compare}\n    %r = select %q, %a, %b : tile<i1>, T"
            yield Case("cmpi", width, op, width)
        bits = int(width[1:])
        for target in WIDTHS:
            if int(target[1:]) > bits:
                for sign in SIGNS:
                    yield Case("exti", width, f"exti %a{sign} : T -> W", target)
            elif int(target[1:]) < bits:
                yield Case("trunci", width, "trunci %a : T -> W", target)


def constant_divisions(widths: Sequence[str] = WIDTHS) -> Iterator[Case]:
    """Divisions, remainders and shifts by constants of every kind."""
    for width in widths:
        half = 1 << (int(width[1:]) - 1)
        numbers = (1, -1, 2, -2, 3, 7, 10, 64, -8, half - 1, -half, 0)
        for number, (name, sign) in product(numbers, product(("divi", "remi"), SIGNS)):
            yield Case(f"{name} by a constant", width, f"{name} %a, %b{sign} : T", width, number)
        for mode, number in product(ROUNDINGS[1:], (2, 3, -3, 16, -half)):
            op = f"divi %a, %b signed{mode} : T"
            yield Case("divi by a constant", width, op, width, number)
        for number in (0, 1, int(width[1:]) - 1, int(width[1:]), -1):
            for op in ("shli %a, %b : T", "shri %a, %b signed : T", "shri %a, %b unsigned : T"):
                yield Case("shifts by a constant", width, op, width, number)


def fix(case: Case) -> str:
    """The text of a case; the result of a comparison has another name than what it chooses."""
    text = case.text
    return text.replace("%r = cmpi", "%q = cmpi") if case.rule == "cmpi" else text


# What is stored


class Stored(NamedTuple):
    """What a kernel has stored in the end."""

    value: Lane
    is_stored: Term
    undefined: Term


def find_body(module: ModuleOp) -> Block:
    """The body of the kernel."""
    names = ("cuda_tile.entry", "gpu.func", "llvm.func")
    return next(op for op in module.walk() if op.name in names).regions[0].block


def run_kernel(module: ModuleOp) -> Stored:
    """What the first thread stores."""
    block = find_body(module)
    known: dict[SSAValue, Tile] = {
        each: unknown(each.type, f"p{each.index}", may_be_poison=False) for each in block.args
    }
    machine = Machine(State.start(), known)
    for op in block.ops:
        if op.name in THREAD:
            width = 32 if op.name.startswith("nvvm") else 64
            known[op.results[0]] = Tile((), (constant(0, width),))
        elif op.name in STORES:
            return stored_by(op, machine)
        elif op.name in EVALUATORS:
            machine.run_op(op)
        else:
            raise Unsupported(op.name)
    raise Unsupported("a kernel that stores nothing")


def stored_by(op: Operation, machine: Machine) -> Stored:
    """What an op stores at the first parameter."""
    operands = [machine.get(value) for value in op.operands if value in machine.values]
    if op.name == "cuda_tile.store_ptr_tko":
        return Stored(operands[1].scalar, z3.BoolVal(True), machine.state.undefined)
    value, pointer, *rest = operands
    where = pointer.lanes[0]
    is_stored = where.bits == z3.BitVec("p0[0]", 64)
    bad = z3.Or(machine.state.undefined, where.poison)
    if rest:
        mask = rest[0].lanes[0]
        is_stored = z3.And(is_stored, mask.bits == 1)
        bad = z3.Or(bad, mask.poison)
    return Stored(value.lanes[0], is_stored, bad)


def is_exhausted(case: Case) -> bool:
    """Whether all values are tried."""
    return case.width == "i8" and any(part in case.op for part in ("div", "rem", "mul"))


def prove_lowering(case: Case, stage: ModuleStage, timeout: float = 20.0) -> Verdict:
    """Whether a kernel stores the same after lowering."""
    module = parse(fix(case))
    before = run_kernel(module)
    after = run_kernel(lower(module.clone(), stage, opt=3))
    claim = z3.Implies(
        z3.Not(before.undefined),
        z3.And(
            z3.Not(after.undefined),
            after.is_stored,
            z3.Or(
                before.value.poison,
                z3.And(z3.Not(after.value.poison), before.value.bits == after.value.bits),
            ),
        ),
    )
    if is_exhausted(case):
        # Addresses do not matter here.
        claim = z3.substitute(claim, (z3.BitVec("p0[0]", 64), z3.BitVecVal(0, 64)))
        return exhaust(z3.simplify(claim))
    return prove(claim, (), timeout)
