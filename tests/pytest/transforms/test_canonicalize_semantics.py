"""
Random programs mean the same before and after the passes over `cuda_tile`, and when their control
flow has become structured.

A generator writes small programs over scalars: nested branches with all terminators, loops,
prints and assertions. The interpreter runs them on a few arguments: what was printed, in order,
and the assertion that failed are what can be observed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import product
from random import Random

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp, UnrealizedConversionCastOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tileiras_xdsl.dialects.cuda_tile.enums import ComparisonPredicate
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import (
    IF_PATTERNS,
    SELECT_PATTERNS,
    SelectOfConstants,
)
from tileiras_xdsl.transforms.cuda_tile.loop_split import LoopSplitPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)

from ..harness.modules import context, parse
from ..harness.passes import applied


def observe(module: ModuleOp, arguments: Sequence[int]) -> tuple[str, str]:
    """What a run of a kernel prints, and the message of the assertion that failed, if one did."""
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            run(module, grid=1, args=arguments)
    except ExecutionError as error:
        if (failed := re.search(r"\ba\d+\b", str(error))) is None:
            raise
        return printed.getvalue(), failed[0]
    return printed.getvalue(), ""


def replace_poison(module: ModuleOp, bits: int) -> ModuleOp:
    """Puts some number, and tokens as they are, in the place of values that must not matter."""
    for op in [op for op in module.walk() if isinstance(op, PoisonOp)]:
        ty = op.result.type
        if isinstance(ty, IntegerType):
            Rewriter.replace_op(op, arith.ConstantOp.from_int_and_width(bits, ty))
    return module


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
"""What is printed at the end."""


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
            "entry @f(%p: tile<i1>, %q: tile<i1>, %x: tile<i32>, %y: tile<i32>) {",
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
        if name == "return":
            for value, ty in zip(values, RETURNED, strict=True):
                self.write_print_of(value, ty, scope)
            values = []
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
STRUCTURE = ConvertCudaTileToTileaaPass(compute_capability="sm_90")
ARGUMENTS = [(p, q, (2 - 3 * p) % 2**32, 3 * q) for p, q in product((0, 1), repeat=2)]
PROGRAMS_PER_SEED = 6


def check(text: str) -> None:
    """Runs a program as it is, and behind all passes, with a number in the place of poison."""
    module = parse(text)
    results = {name: applied(module, *passes) for name, passes in PIPELINES.items()}
    results["structured"] = replace_poison(applied(module, STRUCTURE), 1)
    assert not any(
        isinstance(op, UnrealizedConversionCastOp) for op in results["structured"].walk()
    )
    for arguments in ARGUMENTS:
        expected = observe(module, arguments)
        for name, result in results.items():
            found = observe(result, arguments)
            assert found == expected, f"{name} breaks, on {arguments},\n{text}\n{result}"


@pytest.mark.every(8, first=5)
@pytest.mark.parametrize("seed", range(24))
def test_programs_keep_their_meaning(seed: int):
    random = Random(seed)
    for _ in range(PROGRAMS_PER_SEED):
        check(Generator(random).write_module())


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
        CanonicalizePass().apply(context(), parse(Generator(random).write_module()))
    assert {type(pattern).__name__ for pattern in patterns} == {
        name for name, count in counts.items() if count
    }
