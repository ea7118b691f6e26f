"""
Random programs with every way out of branches and loops do the same before and after they
become structured. Two small evaluators run them, on scalars, and compare what they print.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnrealizedConversionCastOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import ComparisonPredicateAttr
from tileiras_xdsl.dialects.nv_tileaa import elementwise, memory
from tileiras_xdsl.frontend.load import parse_bytes
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from ..harness.cases import every
from ..harness.modules import context

PROGRAMS = 70
MAX_STEPS = 20_000


class Poison:
    """A value that must not matter."""


Value = int | Poison


# Random programs


@dataclass
class Writer:
    """Writes a random kernel of three integers."""

    rng: random.Random
    names: int = 0
    lines: list[str] = field(default_factory=list[str])

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def add(self, line: str) -> None:
        self.lines.append(line)

    def program(self) -> str:
        self.add("cuda_tile.module @m { entry @k(%a: tile<i32>, %b: tile<i32>, %c: tile<i32>) {")
        self.block(["%a", "%b", "%c"], 0, "entry", "return")
        self.add("} }")
        return "\n".join(self.lines)

    def pick(self, scope: Sequence[str], count: int) -> str:
        return ", ".join(self.rng.choice(scope) for _ in range(count))

    def types(self, count: int) -> str:
        return ", ".join(["tile<i32>"] * count)

    def values(self, word: str, scope: Sequence[str], count: int) -> str:
        return f"{word} {self.pick(scope, count)} : {self.types(count)}" if count else word

    def condition(self, scope: Sequence[str]) -> str:
        name = self.name()
        relation = self.rng.choice(["less_than", "equal", "not_equal"])
        self.add(f"{name} = cmpi {relation} {self.pick(scope, 2)}, signed : tile<i32> -> tile<i1>")
        return name

    def block(self, scope: list[str], depth: int, where: str, terminator: str) -> None:
        """
        Statements, then a terminator. `where` lists the ways out: `loop N M` (carried values
        and results), `for N`, `entry`; `closed` in a `for`, which no `return` may leave.
        """
        scope = list(scope)
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(scope, depth, where)
        self.add(self.exit(scope, where, terminator))

    def exit(self, scope: list[str], where: str, terminator: str) -> str:
        """The terminator, or another one that may stand there."""
        kind, *counts = where.split()
        options = [terminator]
        if not terminator.startswith("return"):
            if kind == "loop":
                options += [
                    self.values("continue", scope, int(counts[0])),
                    self.values("break", scope, int(counts[1])),
                ]
            if kind == "for":
                options.append(self.values("continue", scope, int(counts[0])))
            if "closed" not in counts:
                options.append("return")
        word, _, count = terminator.partition(" ")
        own = self.values(word, scope, int(count or 0))
        options[0] = own
        # The arms of an `if` are left early now and then.
        return own if word != "yield" or self.rng.random() < 0.6 else self.rng.choice(options)

    def statement(self, scope: list[str], depth: int, where: str) -> None:
        kinds = ["print", "add", "print"]
        if depth < 4:
            kinds += ["if", "if", "loop", "for", "unsigned"]
        match self.rng.choice(kinds):
            case "print":
                self.add(
                    f'print "{self.rng.randrange(1000)}: %d", {self.pick(scope, 1)} : tile<i32>'
                )
            case "add":
                name, one = self.name(), self.name()
                self.add(f"{one} = constant <i32: {self.rng.randrange(-2, 3)}> : tile<i32>")
                self.add(f"{name} = addi {self.pick(scope, 1)}, {one} : tile<i32>")
                scope.append(name)
            case "if":
                self.branch(scope, depth, where)
            case "loop":
                self.loop(scope, depth, where)
            case word:
                self.counted(scope, depth, word == "unsigned")

    def branch(self, scope: list[str], depth: int, where: str) -> None:
        condition = self.condition(scope)
        count = self.rng.randrange(3)
        results = [self.name() for _ in range(count)]
        left = f"{', '.join(results)} = " if results else ""
        right = f" -> ({self.types(count)})" if results else ""
        self.add(f"{left}if {condition}{right} {{")
        self.block(scope, depth + 1, where, f"yield {count}")
        if results or self.rng.random() < 0.5:
            self.add("} else {")
            self.block(scope, depth + 1, where, f"yield {count}")
        self.add("}")
        scope += results

    def loop(self, scope: list[str], depth: int, where: str) -> None:
        closed = " closed" if where.endswith("closed") else ""
        carried, results = self.rng.randrange(3), self.rng.randrange(3)
        fuel, zero = self.name(), self.name()
        names = [self.name() for _ in range(carried)]
        outputs = [self.name() for _ in range(results)]
        self.add(f"{zero} = constant <i32: 0> : tile<i32>")
        inits = ", ".join(f"{name} = {self.pick(scope, 1)}" for name in names)
        left = f"{', '.join(outputs)} = " if outputs else ""
        right = f" -> {self.types(results)}" if outputs else ""
        first = f"{fuel} = {zero}{', ' if inits else ''}{inits}"
        self.add(f"{left}loop iter_values({first}) : {self.types(carried + 1)}{right} {{")
        # Every loop ends after a few rounds, whatever else happens in it.
        inner = [*scope, fuel, *names]
        limit, one, done, more = (self.name() for _ in range(4))
        self.add(f"{limit} = constant <i32: {self.rng.randrange(1, 4)}> : tile<i32>")
        self.add(f"{one} = constant <i32: 1> : tile<i32>")
        self.add(
            f"{done} = cmpi greater_than_or_equal {fuel}, {limit}, signed : tile<i32> -> tile<i1>"
        )
        self.add(f"if {done} {{ {self.values('break', inner, results)} }}")
        self.add(f"{more} = addi {fuel}, {one} : tile<i32>")
        self.counted_body(inner, more, depth, f"loop {carried} {results}{closed}")
        self.add("}")
        scope += outputs

    def counted_body(self, scope: list[str], more: str, depth: int, where: str) -> None:
        """The rest of a loop's body: its `continue` passes the round on."""
        start = len(self.lines)
        self.block(scope, depth + 1, where, f"continue {where.split()[1]}")
        for index in range(start, len(self.lines)):
            self.lines[index] = self._with_round(index, start, more)

    def _with_round(self, index: int, start: int, more: str) -> str:
        """A line with the round added to a `continue` that belongs to this loop."""
        line = self.lines[index]
        if not line.startswith("continue") or self._inner_loop(start, index):
            return line
        values, _, types = line.removeprefix("continue").strip().partition(" : ")
        listed = ", ".join([more, *([values] if values else [])])
        return f"continue {listed} : {', '.join(['tile<i32>', *([types] if types else [])])}"

    def _inner_loop(self, start: int, index: int) -> bool:
        """Whether a line is inside a loop that begins behind `start`."""
        stack: list[bool] = []
        for line in self.lines[start:index]:
            if line.startswith("} else"):
                continue
            if line.startswith("}"):
                stack.pop()
            elif line.endswith("{"):
                stack.append("loop iter_values" in line or "for " in line)
        return any(stack)

    def counted(self, scope: list[str], depth: int, unsigned: bool) -> None:
        carried = self.rng.randrange(3)
        low, high, step, index = (self.name() for _ in range(4))
        # Signed bounds below zero are a loop that unsigned ones are not.
        first = self.rng.randrange(0, 3) if unsigned else self.rng.randrange(-2, 3)
        for name, value in ((low, first), (high, first + self.rng.randrange(-1, 4)), (step, 1)):
            self.add(f"{name} = constant <i32: {max(value, 0) if unsigned else value}> : tile<i32>")
        names = [self.name() for _ in range(carried)]
        outputs = [self.name() for _ in range(carried)]
        inits = ", ".join(f"{name} = {self.pick(scope, 1)}" for name in names)
        left = f"{', '.join(outputs)} = " if outputs else ""
        right = f" iter_values({inits}) -> ({self.types(carried)})" if carried else ""
        word = "for unsigned" if unsigned else "for"
        self.add(f"{left}{word} {index} in ({low} to {high}, step {step}) : tile<i32>{right} {{")
        self.block(
            [*scope, index, *names], depth + 1, f"for {carried} closed", f"continue {carried}"
        )
        self.add("}")
        scope += outputs


# Evaluators


class Leave(Exception):
    """A terminator that leaves its region."""

    def __init__(self, op: Operation, values: list[Value]):
        self.op, self.values = op, values


@dataclass
class Machine:
    """What both evaluators share: values, the output, and a limit of steps."""

    output: list[str] = field(default_factory=list[str])
    values: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    steps: int = 0

    def get(self, value: SSAValue) -> int:
        found = self.values[value]
        assert isinstance(found, int), "a poison value matters"
        return found

    def take(self, values: Sequence[SSAValue]) -> list[Value]:
        return [self.values[value] for value in values]

    def bind(self, names: Sequence[SSAValue], values: Sequence[Value]) -> None:
        self.values.update(zip(names, values, strict=True))

    def print(self, fmt: str, value: SSAValue) -> None:
        self.output.append(fmt.replace("%d", str(self.get(value))))

    def run(self, block: Block, step: Callable[[Operation], None]) -> Leave:
        """Runs a block up to its terminator."""
        for op in block.ops:
            self.steps += 1
            assert self.steps < MAX_STEPS, "the program does not end"
            try:
                step(op)
            except Leave as leave:
                return leave
        raise AssertionError("a block has no terminator")


def wrap(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def compare(relation: str, lhs: int, rhs: int) -> int:
    relations = {
        "equal": lhs == rhs,
        "not_equal": lhs != rhs,
        "less_than": lhs < rhs,
        "greater_than_or_equal": lhs >= rhs,
    }
    return int(relations[relation])


class TileMachine(Machine):
    """Runs `cuda_tile`."""

    def step(self, op: Operation) -> None:
        match op:
            case ct.ConstantOp():
                (value,) = op.elements.get_values()
                self.bind(op.results, [int(value)])
            case ct.AddIOp():
                self.bind(op.results, [wrap(self.get(op.lhs) + self.get(op.rhs))])
            case ct.CmpIOp():
                predicate = op.comparison_predicate
                assert isinstance(predicate, ComparisonPredicateAttr)
                relation = predicate.data.value
                self.bind(op.results, [compare(relation, self.get(op.lhs), self.get(op.rhs))])
            case ct.PrintOp():
                fmt = op.properties["str"]
                assert isinstance(fmt, StringAttr)
                self.print(fmt.data, op.operands[0])
            case ct.IfOp():
                self._branch(op)
            case ct.ForOp():
                self._count(op)
            case ct.LoopOp():
                self._loop(op)
            case _:
                raise Leave(op, self.take(op.operands))

    def _branch(self, op: ct.IfOp) -> None:
        region = op.then_region if self.get(op.condition) else op.else_region
        if not region.blocks:
            return
        leave = self.run(region.block, self.step)
        if not isinstance(leave.op, ct.YieldOp):
            raise leave
        self.bind(op.results, leave.values)

    def _count(self, op: ct.ForOp) -> None:
        carried = self.take(op.init_values)
        index, end, step = (self.get(v) for v in (op.lower_bound, op.upper_bound, op.step))
        while index < end:
            self.bind(op.body.block.args, [index, *carried])
            leave = self.run(op.body.block, self.step)
            assert isinstance(leave.op, ct.ContinueOp)
            carried, index = leave.values, index + step
        self.bind(op.results, carried)

    def _loop(self, op: ct.LoopOp) -> None:
        carried = self.take(op.init_values)
        while True:
            self.bind(op.body.block.args, carried)
            leave = self.run(op.body.block, self.step)
            if isinstance(leave.op, ct.ReturnOp):
                raise leave
            carried = leave.values
            if isinstance(leave.op, ct.BreakOp):
                self.bind(op.results, carried)
                return


class StructuredMachine(Machine):
    """Runs what `cuda_tile` becomes."""

    def step(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr)
                value = op.value.value.data
                is_bit = op.result.type == IntegerAttr.from_bool(True).type
                self.bind(op.results, [value & 1 if is_bit else value])
            case PoisonOp():
                self.bind(op.results, [Poison()])
            case elementwise.AddIOp() | arith.AddiOp():
                self.bind(op.results, [wrap(self.get(op.lhs) + self.get(op.rhs))])
            case elementwise.CmpIOp():
                assert op.comparison_predicate is not None
                relation = op.comparison_predicate.data
                self.bind(op.results, [compare(relation, self.get(op.lhs), self.get(op.rhs))])
            case arith.CmpiOp():
                assert op.predicate.value.data == 6  # ult
                lhs, rhs = (self.get(value) % 2**32 for value in (op.lhs, op.rhs))
                self.bind(op.results, [int(lhs < rhs)])
            case memory.PrintOp():
                self.print(op.str_.data, op.arguments[0])
            case scf.IfOp():
                region = op.true_region if self.get(op.cond) else op.false_region
                values = self.run(region.block, self.step).values if region.blocks else []
                self.bind(op.results, values)
            case scf.ForOp():
                self._count(op)
            case scf.WhileOp():
                self._loop(op)
            case scf.YieldOp() | scf.ConditionOp() | gpu.ReturnOp():
                raise Leave(op, self.take(op.operands))
            case _:
                raise AssertionError(f"'{op.name}' is not expected")

    def _count(self, op: scf.ForOp) -> None:
        carried = self.take(op.iter_args)
        index, end, step = (self.get(value) for value in (op.lb, op.ub, op.step))
        while index < end:
            self.bind(op.body.block.args, [index, *carried])
            carried, index = self.run(op.body.block, self.step).values, index + step
        self.bind(op.results, carried)

    def _loop(self, op: scf.WhileOp) -> None:
        carried = self.take(op.arguments)
        while True:
            self.bind(op.before_region.block.args, carried)
            keep_going, *values = self.run(op.before_region.block, self.step).values
            assert isinstance(keep_going, int), "a poison value matters"
            if not keep_going:
                self.bind(op.results, values)
                return
            self.bind(op.after_region.block.args, values)
            carried = self.run(op.after_region.block, self.step).values


def run_kernel(
    machine: TileMachine | StructuredMachine, module: ModuleOp, kernel: str
) -> list[str]:
    (function,) = (op for op in module.walk() if op.name == kernel)
    block = function.regions[0].block
    machine.bind(block.args, [3, -1, 0])
    machine.run(block, machine.step)
    return machine.output


@pytest.mark.parametrize("part", every(5, range(5)))
def test_random_programs_do_the_same(part: int):
    ctx = context()
    seen = set[str]()
    for seed in range(part, PROGRAMS, 5):
        text = Writer(random.Random(seed)).program()
        seen |= {word for word in ("break", "return", "unsigned", "else") if word in text}
        module = parse_bytes(ctx, text.encode(), f"program {seed}")
        module.verify()
        expected = run_kernel(TileMachine(), module, "cuda_tile.entry")
        ConvertCudaTileToTileaaPass(compute_capability="sm_90").apply(ctx, module)
        module.verify()
        verify_dominance(module)
        assert not any(isinstance(op, UnrealizedConversionCastOp) for op in module.walk())
        assert run_kernel(StructuredMachine(), module, "gpu.func") == expected, f"seed {seed}"
    assert seen == {"break", "return", "unsigned", "else"}
