"""Bounds of loops that passes make of others are right, for all values."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis import counted_loops
from tileiras_xdsl.dialects.cuda_tile.integer import AddIOp
from tileiras_xdsl.transforms.cuda_tile import loop_split
from tileiras_xdsl.transforms.tileaa import simplify_loops

from .loops import (
    SMALL,
    WIDTHS,
    SplitCase,
    derived_cases,
    prove_derived,
    prove_split,
    prove_uplift,
    split_cases,
    while_cases,
)
from .solver import needs_solver


@needs_solver
@pytest.mark.parametrize("width", [SMALL, *WIDTHS])
@pytest.mark.every(6, first=1)
def test_split(width: str):
    """Each value of the induction variable is in the loop that has its branch, and once."""
    for case in split_cases((width,)):
        if case.step in ("1", "?"):
            verdict = prove_split(case)
            assert verdict.answer == "proven", f"{case}: {verdict}"


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
def test_every_split(width: str):
    for case in split_cases((width,)):
        verdict = prove_split(case)
        assert verdict.answer != "refuted", f"{case}: {verdict}"


def check_uplifts(count: int, seed: int) -> int:
    """Proves loops at random; how many of them became `scf.for`."""
    uplifted = 0
    for case in while_cases(count, seed):
        verdict = prove_uplift(case, 5.0)
        if verdict is not None:
            assert verdict.answer != "refuted", f"{case}: {verdict}\n{case.text}"
            uplifted += 1
    return uplifted


@needs_solver
def test_uplift():
    """A loop that is uplifted runs in lockstep with the old one."""
    assert check_uplifts(60, 1) > 5


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 22))
def test_many_uplifts(seed: int):
    assert check_uplifts(150, seed)


@needs_solver
def test_derived_induction_variables():
    count = 0
    for case in list(derived_cases())[::5]:
        verdict = prove_derived(case)
        if verdict is not None:
            assert verdict.answer != "refuted", f"{case}: {verdict}"
            count += 1
    assert count > 20


# Planted


def wrong_point(split: loop_split.Split) -> SSAValue:
    """The successor of the bound, even if there is none."""
    if split.predicate not in loop_split.EXCLUSIVE:
        return split.bound
    return split.build(AddIOp(split.bound, split.loop.step))


@needs_solver
def test_a_wrong_split_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop_split.Split, "build_split_point", wrong_point)
    case = SplitCase("i32", "less_than_or_equal", "signed", False, "1", "?")
    assert prove_split(case).answer == "refuted"


@needs_solver
def test_a_loop_that_wraps_around_is_found(monkeypatch: pytest.MonkeyPatch):
    """The check that the induction variable does not pass the largest integer."""

    def is_endless(count: counted_loops.CountedLoop) -> bool:
        return True

    monkeypatch.setattr(counted_loops, "_is_endless", is_endless)
    verdicts = (prove_uplift(case, 5.0) for case in while_cases(400, 3, ("i8",)))
    assert any(verdict is not None and verdict.answer == "refuted" for verdict in verdicts)


@needs_solver
def test_a_wrong_induction_variable_is_found(monkeypatch: pytest.MonkeyPatch):
    def build_base(
        self: simplify_loops.DerivedInduction, point: simplify_loops.InsertPoint
    ) -> SSAValue:
        return self.loop.iter_args[self.number]

    monkeypatch.setattr(simplify_loops.DerivedInduction, "build_base", build_base)
    verdicts = (prove_derived(case) for case in derived_cases(("i32",)))
    assert any(verdict is not None and verdict.answer == "refuted" for verdict in verdicts)
