"""Damaged input of every kind; `benchmarks/fuzz_inputs.py` tries it by the million."""

import random

import pytest

from ..bytecode.fuzzing import seeds
from .input_fuzzing import RECORD, TARGETS, Fuzzing

QUICK = {"bytecode": 200, "text": 30, "launch record": 150, "batch": 150, "reproducer": 150}
"""How many mutants there are of a target; the others take too long for `make more`."""


@pytest.mark.parametrize("name", QUICK)
def test_mutants(name: str):
    with Fuzzing(name, random.Random(f"test {name}"), quick_seeds(name)) as fuzzing:
        assert fuzzing.lines, "nothing was watched"
        for _ in range(QUICK[name]):
            fuzzing.step()
    assert not fuzzing.failures, next(iter(fuzzing.failures.values())).what


def quick_seeds(name: str) -> list[bytes]:
    if name == "bytecode":
        # To find those that cover all of the reader takes longer than to damage these.
        return [*sorted(seeds(), key=len)[::50]]
    return sorted(TARGETS[name].make_seeds(), key=len)[:3]


def test_new_lines_are_kept_and_failures_found(monkeypatch: pytest.MonkeyPatch):
    """What reaches a new line is damaged further, and what is raised there is a failure."""
    from tileiras_xdsl.backend import launch_record

    def plant(record: launch_record.LaunchRecord) -> None:
        if record != RECORD:
            raise ZeroDivisionError

    monkeypatch.setattr(launch_record, "_check_fields", plant)
    with Fuzzing("launch record", random.Random(0)) as fuzzing:
        known = len(fuzzing.corpus)
        for _ in range(3000):
            fuzzing.step()
            if len(fuzzing.corpus) > known and fuzzing.failures:
                break
    assert len(fuzzing.corpus) > known
    assert any("ZeroDivisionError" in failure.what for failure in fuzzing.failures.values())
