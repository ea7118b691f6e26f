"""
Damaged bytecode ends in a module or in a `BytecodeError`, quickly and in little memory.

The run here is a short one of `benchmarks/fuzz_bytecode.py`, always with the same mutants.
"""

from __future__ import annotations

from functools import cache

import pytest

from .fuzzing import STRUCTURED, Fuzzer, Report, run

COUNT = 800
SECONDS = 3.0
"""Far more than any mutant takes, also on a busy machine."""
MEMORY_FACTOR = 2000


@cache
def fuzz() -> Report:
    return run(Fuzzer(seed=20).mutants(COUNT), measure_every=40)


@pytest.fixture
def report() -> Report:
    """One run for all tests: other modules may come between them."""
    return fuzz()


def describe(outcomes: list[tuple[str, bytes, BaseException]]) -> list[str]:
    return [f"{kind}: {type(error).__name__}: {error}" for kind, _, error in outcomes]


@pytest.mark.xdist_group("fuzz_bytecode")
class TestShortRun:
    def test_nothing_else_is_raised(self, report: Report):
        assert describe(report.failures) == []
        assert report.modules + report.errors == COUNT
        assert report.modules > COUNT // 50

    def test_errors_tell_the_place(self, report: Report):
        assert describe([*report.unplaced]) == []

    def test_every_decoder_is_reached(self, report: Report):
        assert report.coverage.missing() == {}

    def test_no_mutant_is_slow(self, report: Report):
        seconds, kind, _ = report.slowest
        assert seconds < SECONDS, kind

    def test_memory_is_proportional(self, report: Report):
        ratio, kind, _ = report.largest
        assert ratio < MEMORY_FACTOR, kind


def test_mutants_are_reproducible():
    first, second = (list(Fuzzer(seed=1).mutants(40)) for _ in range(2))
    assert first == second
    assert first != list(Fuzzer(seed=2).mutants(40))
    assert {kind for kind, _ in first} == {
        "anything",
        *(mutate.__name__ for mutate in STRUCTURED),
    }
