"""
Our verifier and NVIDIA's say the same about random modules, most of them invalid.

The run here is a short one of `differential.py`, always with the same modules.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..harness.cases import every
from .differential import cases, judge
from .verdicts import Agreement, Oracle, Verdict, compare


@pytest.mark.part("sweeps")
@pytest.mark.oracle
@pytest.mark.parametrize("count", every(2, [100, 400]))
def test_random_modules(count: int, oracle_program: Callable[[str], Path], tmp_path: Path):
    oracle = Oracle(oracle_program("tileirdisasm"), tmp_path)
    outcomes = judge(oracle, list(cases(seed=1, count=count)))
    assert [str(outcome) for outcome in outcomes if outcome.agreement is not Agreement.SAME] == []
    accepted = sum(outcome.theirs.accepted for outcome in outcomes)
    assert count // 10 < accepted < count // 2


def test_cases_are_reproducible():
    first, second = (list(cases(seed=2, count=20)) for _ in range(2))
    assert first == second


REJECTED = Verdict(accepted=False, message="'cuda_tile.addi' op is wrong (so it is)")
ACCEPTED = Verdict(accepted=True)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (ACCEPTED, ACCEPTED, Agreement.SAME),
        (ACCEPTED, REJECTED, Agreement.LAXER),
        (REJECTED, ACCEPTED, Agreement.STRICTER),
        (REJECTED, Verdict(accepted=False, message="so it is"), Agreement.SAME),
        (REJECTED, Verdict(accepted=False, message="'cuda_tile.addi' op so it is"), Agreement.SAME),
        (REJECTED, Verdict(accepted=False, message="'cuda_tile.subi' op so it is"), Agreement.TEXT),
        (REJECTED, Verdict(accepted=False, message="something else"), Agreement.TEXT),
        (ACCEPTED, Verdict(accepted=False, crashed=True), Agreement.CRASH),
    ],
)
def test_compare(ours: Verdict, theirs: Verdict, expected: Agreement):
    assert compare(ours, theirs) is expected
