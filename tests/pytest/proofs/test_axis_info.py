"""Transfer functions of axis info are sound, for all values of operands with that axis info."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.builtin import i32

from tileiras_xdsl.analysis import axis_info as rules
from tileiras_xdsl.analysis.axis_info import AxisInfo

from .axis_rules import (
    TEMPLATES,
    TRIVIAL,
    WIDTHS,
    Case,
    cases_of,
    exhaust_rule,
    find_rules,
    prove_rule,
    small_cases,
)
from .solver import needs_solver


def check(name: str, width: str, seeds: range, timeout: float) -> int:
    """Proves the rule of an op for axis info at random; how often it was proven."""
    proven = 0
    for case in cases_of(name, width):
        for seed in seeds:
            verdict = prove_rule(case, None, seed, timeout)
            assert verdict.answer != "refuted", verdict.counterexample
            proven += verdict.answer == "proven"
    return proven


def test_every_rule_has_a_case():
    """A rule that is neither here nor so simple that it says what it means is missing."""
    assert set(find_rules()) == {*TEMPLATES, *TRIVIAL}


@needs_solver
def test_every_rule():
    for name in TEMPLATES:
        assert check(name, "i8", range(1), 20.0), name


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TEMPLATES)
def test_rule_at_random(name: str, width: str):
    check(name, width, range(1, 6), 3.0)


SMALL_CASES = tuple(small_cases())


@needs_solver
@pytest.mark.every(66, first=41)
@pytest.mark.parametrize("case", SMALL_CASES, ids=lambda case: case.text.partition(" :")[0])
def test_every_small_range(case: Case):
    """All ranges and divisors of scalars of three bits, and all their values."""
    verdict = exhaust_rule(case)
    assert verdict.answer == "proven", verdict.counterexample


def test_shift_to_the_sign_bit():
    """1 << 31 is negative."""
    bounds = rules.integer_range_of(i32)
    one, amount = AxisInfo.constant(1), AxisInfo.constant(31)
    found = rules.shift_left(one, amount, bounds)
    assert found.low <= -(1 << 31) <= found.high


# Planted


def no_wrap(info: AxisInfo, *_: Any, **__: Any) -> AxisInfo:
    return info


def any_run(predicate: str, first: AxisInfo, second: AxisInfo, dim: int) -> int:
    return first.contiguity[dim]


def runs_of(first: AxisInfo, second: AxisInfo, multiple: int) -> list[int]:
    return [rules.power_of_two(multiple)] * len(first.contiguity)


def with_zero(info: AxisInfo) -> tuple[int, int]:
    return max(info.low, 1), max(info.high, 1)


def all_disjoint(first: AxisInfo, second: AxisInfo) -> bool:
    return first.low >= 0


PLANTED: tuple[tuple[str, Callable[..., Any], str], ...] = (
    ("wrap", no_wrap, "nv_tileaa.addi"),
    ("common_divisor", max, "nv_tileaa.subi"),
    ("_compared_run", any_run, "nv_tileaa.cmpi"),
    ("_aligned_runs", runs_of, "nv_tileaa.divi"),
    ("_nonzero", with_zero, "arith.divsi"),
    ("_disjoint", all_disjoint, "nv_tileaa.ori"),
)


@pytest.mark.every(5)
@needs_solver
@pytest.mark.parametrize(("name", "wrong", "op"), PLANTED, ids=lambda each: str(each)[:20])
def test_a_wrong_rule_is_found(
    name: str, wrong: Callable[..., Any], op: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rules, name, wrong)
    cases = [case for case in SMALL_CASES if case.name == op][:1]
    answers = [exhaust_rule(case).answer for case in cases]
    seeds = iter(range(60))
    while "refuted" not in answers and (seed := next(seeds, None)) is not None:
        answers += [prove_rule(case, None, seed, 5.0).answer for case in cases_of(op, "i8")]
    assert "refuted" in answers
