"""Canonicalization patterns and folds refine what they replace, for all values of all widths."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.pattern_rewriter import RewritePattern

from .canonicalization import (
    BY_REQUIREMENT,
    context,
    find_patterns,
    find_rules,
    parse,
    steps_of,
)
from .planted import MUTATIONS, PATTERNS, Mutation
from .programs import Program, filecheck_programs, own_program, own_programs
from .rewrites import prove_steps
from .solver import needs_solver

QUICK_WIDTHS = ("i32",)


def check(programs: list[Program], timeout: float = 20.0) -> Counter[str]:
    """Proves all that the rules do to programs; how often each rule was proven."""
    proven = Counter[str]()
    for program, step in steps_of(programs, timeout=timeout):
        verdict = step.verdict
        if verdict is None or verdict.answer == "unknown":
            continue
        is_meant = step.rule in BY_REQUIREMENT
        assert verdict.answer == "proven" or is_meant, f"{program.name}: {step}\n{step.after}"
        proven[step.rule] += verdict.answer == "proven"
    return proven


@needs_solver
def test_every_rule_is_proven():
    """A rule without a program on which it does something, and is proven, is missing here."""
    proven = check(list(own_programs(QUICK_WIDTHS)))
    missing = [rule for rule in find_rules() if not proven[rule]]
    assert not missing, f"add programs for {missing} to programs.py"


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("width", ["i1", "i8", "i16", "i64"])
def test_every_width(width: str):
    """The same at the other widths."""
    check(list(own_programs((width,))))


@needs_solver
@pytest.mark.long
def test_filecheck_programs():
    """The programs of FileCheck tests, which have larger shapes and more of everything."""
    check(list(filecheck_programs()), timeout=5.0)


@pytest.mark.every(8)
@needs_solver
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.rule} {each.name}")
def test_a_wrong_part_is_found(mutation: Mutation, monkeypatch: pytest.MonkeyPatch):
    """Rules of ours with a part replaced by a wrong one."""
    monkeypatch.setattr(mutation.module, mutation.name, mutation.replacement)
    program = own_program(mutation.program, mutation.width)
    patterns = [pattern for name, pattern in find_patterns().items() if name == mutation.rule]
    steps = [step for _, step in steps_of([program], patterns)]
    answers = [step.verdict.answer for step in steps if step.verdict is not None]
    assert "refuted" in answers, steps


def name_of(case: object) -> str:
    return type(case).__name__ if isinstance(case, RewritePattern) else "program"


@needs_solver
@pytest.mark.parametrize(("pattern", "text"), PATTERNS, ids=name_of)
def test_a_wrong_pattern_is_found(pattern: RewritePattern, text: str):
    """Patterns that are wrong for some values."""
    (step, *_) = prove_steps(parse(Program("planted", "", text)), [pattern], context())
    assert step.verdict is not None
    assert step.verdict.answer == "refuted"
    assert step.verdict.counterexample
