"""The rules of canonicalization, found by introspection, and their proofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder

from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.frontend.text import TextParser
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from .programs import Program
from .rewrites import Step, prove_steps

OURS = "tileiras_xdsl."

DEFINED = ("CollapseNested",)
"""Rules that rely on parameters of functions being no poison."""

BY_REQUIREMENT = {
    "FoldZeroDot": "floats: required even where the other operand has infinities or NaNs",
}
"""Rules that are meant to change results."""


def operations() -> Iterator[type[Operation]]:
    """Every op of our dialects."""
    for factory in TILEIRAS_UNIVERSE.all_dialects.values():
        yield from factory().operations


@cache
def find_patterns() -> dict[str, RewritePattern]:
    """Every canonicalization pattern of ours, in the order of the ops, by the names of classes."""
    found: dict[str, RewritePattern] = {}
    for op in operations():
        for trait in op.get_traits_of_type(HasCanonicalizationPatternsTrait):
            for pattern in trait.get_patterns(op):
                if type(pattern).__module__.startswith(OURS):
                    found.setdefault(type(pattern).__name__, pattern)
    return found


def find_folds() -> list[str]:
    """Every op of ours that folds; the driver does not fold constants."""
    return [
        f"fold {op.name}"
        for op in operations()
        if op.get_traits_of_type(HasFolder)
        and not op.get_traits_of_type(ConstantLike)
        and op.__module__.startswith(OURS)
    ]


def find_rules() -> list[str]:
    """Every rule of canonicalization."""
    return sorted([*find_patterns(), *find_folds()])


@cache
def context() -> Context:
    ctx = make_context()
    ctx.allow_unregistered = True
    return ctx


def parse(program: Program) -> ModuleOp:
    return TextParser(context(), program.text, program.name).parse_module()


def steps_of(
    programs: Iterable[Program],
    patterns: Sequence[RewritePattern] | None = None,
    timeout: float = 20.0,
) -> Iterator[tuple[Program, Step]]:
    """All that the rules do to programs, with what the solver says of it."""
    rules = tuple(find_patterns().values()) if patterns is None else patterns
    for program in programs:
        for step in prove_steps(parse(program), rules, context(), timeout, DEFINED):
            yield program, step
