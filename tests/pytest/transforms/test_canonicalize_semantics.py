"""
Random programs mean the same before and after the passes over `cuda_tile`.

A generator writes small programs over scalars: nested branches with all terminators, loops,
prints and assertions. An evaluator of its own runs them on a few arguments and records what can
be observed: the values returned, the assertion that failed, and what was printed, in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tileiras_xdsl.dialects import cuda_tile
from tileiras_xdsl.dialects.cuda_tile.control_flow import TerminatorOperation
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    Rounding,
    RoundingAttr,
    Signedness,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import (
    IF_PATTERNS,
    SELECT_PATTERNS,
    SelectOfConstants,
)
from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass

from ..harness.cases import every
from ..harness.modules import context, parse_unverified
from ..harness.passes import applied

# Evaluation

Value = int | str
"""The bits of a scalar, or what made a token."""


class AssertionFailed(Exception):
    """The program stopped at an `assert`."""


class OutOfFuel(Exception):
    """The program ran for too long."""


def width(value: SSAValue) -> int:
    assert isinstance(value.type, TileType)
    assert value.type.rank == 0
    return element_bit_width(value.type.element_type)


def to_number(bits: Value, width: int, signedness: object) -> int:
    assert isinstance(bits, int)
    is_negative = signedness == SignednessAttr(Signedness.SIGNED) and bits >> (width - 1)
    return bits - (1 << width) if is_negative else bits


COMPARE: dict[ComparisonPredicate, Callable[[int, int], bool]] = {
    ComparisonPredicate.EQUAL: lambda lhs, rhs: lhs == rhs,
    ComparisonPredicate.NOT_EQUAL: lambda lhs, rhs: lhs != rhs,
    ComparisonPredicate.LESS_THAN: lambda lhs, rhs: lhs < rhs,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: lambda lhs, rhs: lhs <= rhs,
    ComparisonPredicate.GREATER_THAN: lambda lhs, rhs: lhs > rhs,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: lambda lhs, rhs: lhs >= rhs,
}

BITWISE: dict[type[Operation], Callable[[int, int], int]] = {
    cuda_tile.AddIOp: lambda lhs, rhs: lhs + rhs,
    cuda_tile.SubIOp: lambda lhs, rhs: lhs - rhs,
    cuda_tile.MulIOp: lambda lhs, rhs: lhs * rhs,
    cuda_tile.AndIOp: lambda lhs, rhs: lhs & rhs,
    cuda_tile.OrIOp: lambda lhs, rhs: lhs | rhs,
    cuda_tile.XOrIOp: lambda lhs, rhs: lhs ^ rhs,
}


@dataclass
class Evaluator:
    """Runs one function once."""

    fuel: int
    values: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    trace: list[object] = field(default_factory=list[object])

    def run_block(
        self, block: Block, arguments: Sequence[Value]
    ) -> tuple[TerminatorOperation, list[Value]]:
        """Runs a block to a terminator: its own, or one that left a block inside."""
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            if self.fuel == 0:
                raise OutOfFuel
            self.fuel -= 1
            operands = [self.values[operand] for operand in op.operands]
            if isinstance(op, TerminatorOperation):
                return op, operands
            results = self.run_op(op, operands)
            if isinstance(results, tuple):
                return results
            self.values.update(zip(op.results, results, strict=True))
        raise AssertionError("block without terminator")

    def run_op(
        self, op: Operation, operands: list[Value]
    ) -> list[Value] | tuple[TerminatorOperation, list[Value]]:
        match op:
            case cuda_tile.IfOp():
                return self.run_if(op, operands)
            case cuda_tile.ForOp():
                return self.run_for(op, operands)
            case cuda_tile.LoopOp():
                return self.run_loop(op, operands)
            case cuda_tile.PrintTkoOp():
                assert isinstance(op.str, StringAttr)
                self.trace.append((op.str.data, *operands))
                return [op.str.data]
            case cuda_tile.AssertOp():
                if not operands[0]:
                    raise AssertionFailed(op.message)
                return []
            case _:
                return [self.run_pure_op(op, operands)]

    def run_if(
        self, op: cuda_tile.IfOp, operands: list[Value]
    ) -> list[Value] | tuple[TerminatorOperation, list[Value]]:
        region = op.then_region if operands[0] else op.else_region
        if not region.blocks:
            return []
        terminator, values = self.run_block(region.block, ())
        return values if isinstance(terminator, cuda_tile.YieldOp) else (terminator, values)

    def run_for(
        self, op: cuda_tile.ForOp, operands: list[Value]
    ) -> list[Value] | tuple[TerminatorOperation, list[Value]]:
        bits = width(op.induction_variable)
        signedness = SignednessAttr(
            Signedness.SIGNED if op.unsigned_cmp is None else Signedness.UNSIGNED
        )
        lower, upper, step = (to_number(value, bits, signedness) for value in operands[:3])
        assert step > 0
        carried = operands[3:]
        for number in range(lower, upper, step):
            terminator, carried = self.run_block(op.body.block, (number % (1 << bits), *carried))
            if not isinstance(terminator, cuda_tile.ContinueOp):
                return terminator, carried
        return carried

    def run_loop(
        self, op: cuda_tile.LoopOp, operands: list[Value]
    ) -> list[Value] | tuple[TerminatorOperation, list[Value]]:
        carried = operands
        while True:
            terminator, carried = self.run_block(op.body.block, carried)
            if isinstance(terminator, cuda_tile.BreakOp):
                return carried
            if not isinstance(terminator, cuda_tile.ContinueOp):
                return terminator, carried

    def run_pure_op(self, op: Operation, operands: list[Value]) -> Value:
        match op:
            case cuda_tile.ConstantOp():
                return op.elements.get_bits()[0]
            case cuda_tile.MakeTokenOp():
                return "token"
            case cuda_tile.AssumeOp() | cuda_tile.ExtIOp():
                return operands[0]
            case cuda_tile.SelectOp():
                return operands[1] if operands[0] else operands[2]
            case _:
                return self.run_binary_op(op, operands)

    def run_binary_op(self, op: Operation, operands: list[Value]) -> int:
        bits = width(op.operands[0])
        signedness = op.properties.get("signedness")
        lhs, rhs = (to_number(value, bits, signedness) for value in operands)
        match op:
            case cuda_tile.CmpIOp():
                assert isinstance(op.comparison_predicate, ComparisonPredicateAttr)
                return int(COMPARE[op.comparison_predicate.data](lhs, rhs))
            case cuda_tile.MinIOp():
                return min(lhs, rhs) % (1 << bits)
            case cuda_tile.MaxIOp():
                return max(lhs, rhs) % (1 << bits)
            case cuda_tile.DivIOp():
                assert op.rounding == RoundingAttr(Rounding.POSITIVE_INF)
                return -(-lhs // rhs) % (1 << bits)
            case _:
                return BITWISE[type(op)](lhs, rhs) % (1 << bits)


def observe(module: ModuleOp, arguments: Sequence[int], fuel: int) -> object:
    """What a run of the only function of a module shows to the outside."""
    (function,) = (op for op in module.walk() if isinstance(op, cuda_tile.TestingFuncOp))
    evaluator = Evaluator(fuel)
    try:
        terminator, values = evaluator.run_block(function.body.block, arguments)
        assert isinstance(terminator, cuda_tile.ReturnOp)
    except AssertionFailed as failure:
        return evaluator.trace, str(failure)
    return evaluator.trace, values


# Generation


@dataclass(frozen=True)
class Place:
    """Where a block is, for its terminator."""

    kind: str
    """The op around the block."""
    yields: tuple[str, ...] = ()
    """Types of the results of the `if` around it."""
    continues: tuple[str, ...] | None = None
    """Types that `continue` takes, where it is possible."""
    breaks: tuple[str, ...] | None = None
    """Types that `break` takes, where it is possible."""
    can_return: bool = True
    depth: int = 0


Scope = dict[str, list[str]]
"""The values that can be used, by type."""

RETURNED = ("i32", "i1")


@dataclass
class Generator:
    """Writes one random function."""

    random: Random
    budget: int = 10
    """How many more statements there may be."""
    lines: list[str] = field(default_factory=list[str])
    count: int = 0
    selected_by: dict[str, str] = field(default_factory=dict[str, str])
    """The conditions of the selects written so far."""
    negations: dict[str, str] = field(default_factory=dict[str, str])
    """Conditions and what was written as their negation, both ways."""

    def write_module(self) -> str:
        scope: Scope = {
            "i1": ["%true", "%false", "%p", "%q"],
            "i32": ["%zero", "%one", "%x", "%y"],
            "token": ["%token"],
        }
        self.lines += [
            "cuda_tile.module @m {",
            "testing$func @f(%p: tile<i1>, %q: tile<i1>, %x: tile<i32>, %y: tile<i32>)"
            " -> (tile<i32>, tile<i1>) {",
            "%true = constant <i1: true> : tile<i1>",
            "%false = constant <i1: false> : tile<i1>",
            "%zero = constant <i32: 0> : tile<i32>",
            "%one = constant <i32: 1> : tile<i32>",
            "%token = make_token : token",
        ]
        self.write_block(scope, Place("func"))
        return "\n".join([*self.lines, "}", "}"])

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self) -> int:
        self.count += 1
        return self.count

    def new_name(self, scope: Scope, ty: str) -> str:
        name = f"%v{self.number()}"
        scope[ty].append(name)
        return name

    def pick(self, scope: Scope, ty: str) -> str:
        """A value of a type, more often one of the last."""
        names = scope[ty]
        return self.random.choice(names[-3:] if self.chance(0.5) else names)

    def pick_condition(self, scope: Scope) -> str:
        """An i1, seldom a constant."""
        names = [name for name in scope["i1"] if name not in ("%true", "%false")]
        return self.pick(scope, "i1") if self.chance(0.1) else self.random.choice(names[-4:])

    def write(self, scope: Scope, ty: str, expression: str) -> str:
        name = self.new_name(scope, ty)
        self.lines.append(f"{name} = {expression}")
        return name

    def write_block(self, outer: Scope, place: Place) -> None:
        scope = {ty: list(names) for ty, names in outer.items()}
        simple = (
            self.write_constant,
            self.write_arithmetic,
            self.write_not,
            self.write_not,
            self.write_comparison,
            self.write_select,
            self.write_select,
            self.write_print,
            self.write_print,
            self.write_effect,
        )
        nested = (self.write_if, self.write_if, self.write_if, self.write_nested_if)
        loops = (self.write_for, self.write_for, self.write_loop)
        statements = self.random.choice((0, 1, 1, 2, 3)) + 3 * (place.kind == "func")
        for _ in range(statements):
            if self.budget <= 0:
                break
            self.budget -= 1
            kind = self.random.random() + place.depth * 0.1
            if kind < 0.45:
                self.random.choice(nested)(scope, place)
            elif kind < 0.6:
                self.random.choice(loops)(scope, place)
            else:
                self.random.choice(simple)(scope)
        self.write_terminator(scope, place)

    def write_constant(self, scope: Scope) -> None:
        if self.chance(0.5):
            value = self.random.choice(("true", "false"))
            self.write(scope, "i1", f"constant <i1: {value}> : tile<i1>")
        else:
            value = self.random.choice((0, 1, 2, -1))
            self.write(scope, "i32", f"constant <i32: {value}> : tile<i32>")

    def write_arithmetic(self, scope: Scope) -> None:
        ty = self.random.choice(("i1", "i32"))
        op = self.random.choice(("addi", "subi", "muli", "xori", "andi", "ori"))
        lhs, rhs = self.pick(scope, ty), self.pick(scope, ty)
        self.write(scope, ty, f"{op} {lhs}, {rhs} : tile<{ty}>")

    def write_not(self, scope: Scope) -> None:
        condition = self.pick_condition(scope)
        negation = self.write(scope, "i1", f"xori {condition}, %true : tile<i1>")
        self.negations.update({condition: negation, negation: condition})

    def write_comparison(self, scope: Scope) -> None:
        predicate = self.random.choice(list(ComparisonPredicate)).value
        signedness = self.random.choice(("signed", "signed", "unsigned"))
        operands = [self.pick(scope, "i32"), self.pick(scope, "i32")]
        compare = f"cmpi {predicate} {', '.join(operands)}, {signedness} : tile<i32> -> tile<i1>"
        condition = self.write(scope, "i1", compare)
        if self.chance(0.3):
            self.random.shuffle(operands)
            select = f"select {condition}, {', '.join(operands)} : tile<i1>, tile<i32>"
            self.write_prints([self.write(scope, "i32", select)], ["i32"], scope)

    def write_select(self, scope: Scope) -> None:
        ty = self.random.choice(("i1", "i32"))
        if self.chance(0.3):
            self.write_not(scope)
        condition = self.pick_condition(scope)
        operands = [self.pick(scope, ty), self.pick(scope, ty)]
        selects = [name for name in scope[ty] if name in self.selected_by]
        if self.chance(0.3):
            operands = ["%true", "%false"] if ty == "i1" else ["%one", "%zero"]
        elif selects and self.chance(0.5):
            operands[0] = self.random.choice(selects)
            condition = self.selected_by[operands[0]]
        self.random.shuffle(operands)
        expression = f"select {condition}, {', '.join(operands)} : tile<i1>, tile<{ty}>"
        name = self.write(scope, ty, expression)
        self.selected_by[name] = condition
        self.write_prints([name], [ty], scope)

    def write_print(self, scope: Scope) -> None:
        ty = self.random.choice(("i1", "i32"))
        self.write_print_of(self.pick(scope, ty), ty, scope)

    def write_print_of(self, value: str, ty: str, scope: Scope) -> None:
        operand = f"token={value}"
        if ty != "token":
            operand = f"token={self.pick(scope, 'token')} : tile<{ty}>"
            operand = f"{value} {operand}"
        conversion = "" if ty == "token" else "%i"
        expression = f'print_tko "{self.number()}{conversion}"'
        separator = " " if ty == "token" else ", "
        self.write(scope, "token", f"{expression}{separator}{operand} -> token")

    def write_prints(self, names: Iterable[str], types: Iterable[str], scope: Scope) -> None:
        """Makes the results of an op matter, often."""
        for name, ty in zip(names, types, strict=True):
            if self.chance(0.6):
                self.write_print_of(name, ty, scope)

    def write_effect(self, scope: Scope) -> None:
        if self.chance(0.3):
            condition = self.pick_condition(scope)
            self.lines.append(f'assert {condition}, "a{self.number()}" : tile<i1>')
        else:
            self.write(scope, "i32", f"assume div_by<1>, {self.pick(scope, 'i32')} : tile<i32>")

    def write_header(self, index: int, results: Sequence[str], header: str) -> None:
        """Writes the first line of an op whose body begins at a line."""
        self.lines.insert(index, f"{', '.join(results)} = {header}" if results else header)

    def write_if(self, scope: Scope, place: Place) -> None:
        self.write_if_on(self.pick_condition(scope), scope, place)

    def write_if_on(self, condition: str, scope: Scope, place: Place) -> None:
        count = self.random.choice((0, 0, 1, 1, 2))
        types = tuple(self.random.choices(("i1", "i32", "token"), (2, 4, 1), k=count))
        inner = replace(place, kind="if", yields=types, depth=place.depth + 1)
        index = len(self.lines)
        self.write_block(scope, inner)
        if types or self.chance(0.5):
            self.lines.append("} else {")
            self.write_block(scope, inner)
        self.lines.append("}")
        names = [self.new_name(scope, ty) for ty in types]
        arrow = f"-> ({tiles(types)}) " if types else ""
        self.write_header(index, names, f"if {condition} {arrow}{{")
        if self.chance(0.25):
            negation = self.negations.get(condition, condition)
            following = negation if negation in scope["i1"] else condition
            self.write_if_on(self.random.choice((condition, following)), scope, place)
        self.write_prints(names, types, scope)

    def write_nested_if(self, scope: Scope, place: Place) -> None:
        """An `if` in an `if`, the else branches of which often agree."""
        count = self.random.choice((0, 1, 2, 2))
        types = tuple(self.random.choices(("i1", "i32", "token"), k=count))
        inner = replace(place, kind="if", yields=types, depth=place.depth + 2)
        outer_condition, condition = self.pick_condition(scope), self.pick_condition(scope)
        others = [self.pick(scope, ty) for ty in types]
        index = len(self.lines)
        inner_scope = {ty: list(names) for ty, names in scope.items()}
        for write in (self.write_arithmetic, self.write_arithmetic, self.write_print):
            write(inner_scope)
        self.write_block(inner_scope, inner)
        if types:
            self.lines += ["} else {", f"yield {', '.join(others)} : {tiles(types)}"]
        self.lines.append("}")
        arrow = f"-> ({tiles(types)}) " if types else ""
        results = [f"%w{self.number()}" for _ in types]
        self.write_header(index, results, f"if {condition} {arrow}{{")
        if types:
            changed = self.random.randrange(len(types))
            if self.chance(0.4):
                results[changed] = self.pick(scope, types[changed])
            if self.chance(0.3):
                others[changed] = self.pick(scope, types[changed])
            self.lines += [
                f"yield {', '.join(results)} : {tiles(types)}",
                "} else {",
                f"yield {', '.join(others)} : {tiles(types)}",
            ]
        self.lines.append("}")
        names = [self.new_name(scope, ty) for ty in types]
        self.write_header(index, names, f"if {outer_condition} {arrow}{{")
        self.write_prints(names, types, scope)

    def write_carried(self, scope: Scope, inner: Scope, types: Iterable[str]) -> list[str]:
        """Pairs of carried and initial values; the carried ones are added to `inner`."""
        return [f"{self.new_name(inner, ty)} = {self.pick(scope, ty)}" for ty in types]

    def write_for(self, scope: Scope, place: Place) -> None:
        types = tuple(self.random.choices(("i1", "i32"), k=self.random.choice((0, 1, 2))))
        number = self.number()
        lower, upper, step = f"%lb{number}", f"%ub{number}", f"%step{number}"
        signedness = "signed" if self.chance(0.7) else "unsigned"
        least = -2 if signedness == "signed" else 0
        for name, low, high in ((lower, least, 3), (upper, least, 6), (step, 1, 3)):
            value = self.random.randint(low, high)
            self.lines.append(f"{name} = constant <i32: {value}> : tile<i32>")
        induction = f"%i{number}"
        inner = {ty: list(names) for ty, names in scope.items()}
        pairs = self.write_carried(scope, inner, types)
        inner["i32"].append(induction)
        index = len(self.lines)
        inside = Place("for", continues=types, can_return=False, depth=place.depth + 1)
        if self.chance(0.8):
            operands = [induction, self.pick(inner if self.chance(0.2) else scope, "i32")]
            self.random.shuffle(operands)
            predicate = self.random.choice(list(ComparisonPredicate)).value
            compared = self.random.choice((signedness, signedness, "signed", "unsigned"))
            compare = f"cmpi {predicate} {', '.join(operands)}, {compared}"
            condition = self.write(inner, "i1", f"{compare} : tile<i32> -> tile<i1>")
            if self.chance(0.8):
                self.write_if_on(condition, inner, inside)
        self.write_block(inner, inside)
        self.lines.append("}")
        names = [self.new_name(scope, ty) for ty in types]
        keyword = "unsigned " if signedness == "unsigned" else ""
        carried = f" iter_values({', '.join(pairs)}) -> ({tiles(types)})" if types else ""
        bounds = f"({lower} to {upper}, step {step}) : tile<i32>{carried}"
        self.write_header(index, names, f"for {keyword}{induction} in {bounds} {{")

    def write_loop(self, scope: Scope, place: Place) -> None:
        """A loop that is left after a few iterations, if not before."""
        results = tuple(self.random.choices(("i1", "i32"), k=2))
        number = self.number()
        counter, last, done, following = (
            f"%{name}{number}" for name in ("n", "last", "done", "next")
        )
        inner = {ty: list(names) for ty, names in scope.items()}
        pairs = [f"{counter} = %zero", *self.write_carried(scope, inner, ("i1",))]
        inner["i32"].append(counter)
        leave = ", ".join(self.pick(inner, ty) for ty in results)
        index = len(self.lines)
        self.lines += [
            f"{last} = constant <i32: {self.random.randint(0, 2)}> : tile<i32>",
            f"{done} = cmpi greater_than {counter}, {last}, signed : tile<i32> -> tile<i1>",
            f"if {done} {{",
            f"break {leave} : {tiles(results)}",
            "}",
            f"{following} = addi {counter}, %one : tile<i32>",
        ]
        # A type of its own: the loop may go on with nothing but the incremented counter.
        self.write_block(
            {**inner, "counter": [following]},
            Place("loop", (), ("counter", "i1"), results, place.can_return, place.depth + 1),
        )
        self.lines.append("}")
        names = [self.new_name(scope, ty) for ty in results]
        carried = f"iter_values({', '.join(pairs)}) : tile<i32>, tile<i1>"
        self.write_header(index, names, f"loop {carried} -> {tiles(results)} {{")

    def write_terminator(self, scope: Scope, place: Place) -> None:
        exits = {
            "continue": place.continues,
            "break": place.breaks,
            "return": RETURNED if place.can_return else None,
        }
        possible = [name for name, types in exits.items() if types is not None]
        match place.kind:
            case "func":
                name, types = "return", RETURNED
            case "for":
                name, types = "continue", place.continues
            case "loop":
                name = self.random.choice(("continue", "continue", *possible))
                types = exits[name]
            case _:
                name, types = "yield", place.yields
                if possible and self.chance(0.25):
                    name = self.random.choice(possible)
                    types = exits[name]
        values = [self.pick(scope, ty) for ty in types or ()]
        operands = f" {', '.join(values)} : {tiles(types or ())}" if values else ""
        self.lines.append(f"{name}{operands}")


def tiles(types: Iterable[str]) -> str:
    names = {"token": "token", "counter": "tile<i32>"}
    return ", ".join(names.get(ty, f"tile<{ty}>") for ty in types)


# Tests

PIPELINES: dict[str, tuple[ModulePass, ...]] = {
    "canonicalize": (CanonicalizePass(),),
    "cse": (CommonSubexpressionElimination(),),
    "loop-split": (LoopSplitPass(),),
    "all": (
        CanonicalizePass(),
        CommonSubexpressionElimination(),
        LoopSplitPass(),
        CanonicalizePass(),
    ),
}
ARGUMENTS = [(p, q, (2 - 3 * p) % 2**32, 3 * q) for p, q in product((0, 1), repeat=2)]
FUEL = 4000
PROGRAMS_PER_SEED = 12


def try_observe(module: ModuleOp, arguments: Sequence[int]) -> object:
    try:
        return observe(module, arguments, FUEL)
    except OutOfFuel:
        return None


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("seed", every(6, range(12)))
def test_programs_keep_their_meaning(seed: int):
    random = Random(seed)
    for _ in range(PROGRAMS_PER_SEED):
        text = Generator(random).write_module()
        module = parse_unverified(text)
        expected = {arguments: try_observe(module, arguments) for arguments in ARGUMENTS}
        for name, passes in PIPELINES.items():
            result = applied(module, *passes)
            for arguments, observation in expected.items():
                if observation is not None:
                    found = observe(result, arguments, 2 * FUEL)
                    assert found == observation, f"{name} breaks, on {arguments},\n{text}\n{result}"


def count_matches(pattern: RewritePattern, counts: Counter[str], monkeypatch: pytest.MonkeyPatch):
    """Counts how often a pattern of a class rewrites something."""
    pattern_class = type(pattern)
    original = pattern_class.match_and_rewrite

    def match_and_rewrite(self: RewritePattern, op: Operation, rewriter: PatternRewriter) -> None:
        original(self, op, rewriter)
        counts[pattern_class.__name__] += rewriter.has_done_action

    monkeypatch.setattr(pattern_class, "match_and_rewrite", match_and_rewrite)


@pytest.mark.long
def test_programs_reach_every_pattern(monkeypatch: pytest.MonkeyPatch):
    # Constants that are not splats need more than scalars.
    patterns = [p for p in (*IF_PATTERNS, *SELECT_PATTERNS) if not isinstance(p, SelectOfConstants)]
    counts = Counter[str]()
    for pattern in patterns:
        count_matches(pattern, counts, monkeypatch)
    random = Random(0)
    for _ in range(PROGRAMS_PER_SEED * 6):
        CanonicalizePass().apply(context(), parse_unverified(Generator(random).write_module()))
    assert {type(pattern).__name__ for pattern in patterns} == {
        name for name, count in counts.items() if count
    }


SPLIT_PROGRAM = """
cuda_tile.module @m {{
  testing$func @f(%lb: tile<i8>, %ub: tile<i8>, %step: tile<i8>, %v: tile<i8>) {{
    %one = constant <i8: 1> : tile<i8>
    for {unsigned} %i in (%lb to %ub, step {step}) : tile<i8> {{
      %c = cmpi {predicate} {operands}, {signedness} : tile<i8> -> tile<i1>
      if %c {{
        print_tko "then %i", %i : tile<i8> -> token
      }} else {{
        print_tko "else %i", %i : tile<i8> -> token
      }}
    }}
    return
  }}
}}
"""
SPLIT_PREDICATES = tuple(ComparisonPredicate)[2:]


@pytest.mark.every(7)
@pytest.mark.parametrize("step", ["%one", "%step"])
@pytest.mark.parametrize("operands", ["%i, %v", "%v, %i"])
@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("predicate", SPLIT_PREDICATES, ids=lambda predicate: predicate.value)
def test_loop_split_meets_every_bound(
    predicate: ComparisonPredicate, signedness: str, operands: str, step: str
):
    """Bounds and comparands at both ends of the numbers, empty loops, unaligned points."""
    text = SPLIT_PROGRAM.format(
        predicate=predicate.value,
        signedness=signedness,
        operands=operands,
        step=step,
        unsigned="unsigned" if signedness == "unsigned" else "",
    )
    module = parse_unverified(text)
    result = applied(module, LoopSplitPass())
    assert sum(isinstance(op, cuda_tile.ForOp) for op in result.walk()) == 2
    least = -128 if signedness == "signed" else 0
    largest = least + 255
    ends = [*range(least, least + 9), 3, 5, *range(largest - 8, largest + 1)]
    random = Random(0)
    for _ in range(40):
        lower, upper, bound = random.choices(ends, k=3)
        length = 1 if step == "%one" else random.choice((1, 2, 3, 7, 60, 100))
        # The limit of the pass: the induction variable does not overflow.
        if range(lower, upper, length) and range(lower, upper, length)[-1] + length > largest:
            continue
        arguments = [number % 256 for number in (lower, upper, length, bound)]
        expected = observe(module, arguments, FUEL)
        assert observe(result, arguments, FUEL) == expected, (lower, upper, length, bound)
