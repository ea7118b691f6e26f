"""
Passes take time in proportion to the number of ops, and need no deeper stack for more of them.

Work is counted in calls of Python functions. The kernels are longer than the stack is deep.
"""

from __future__ import annotations

import cProfile
import inspect
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.options import Abi, Options
from tileiras_xdsl.frontend import Program

from ..harness.cases import covering
from ..harness.long_kernels import KERNELS, make

COUNT = 180
"""About how many ops the shorter one of two kernels has."""

ROOM = 150
"""Frames that passes have, for what is no chain of ops."""

MOST = 2.3
"""By how much work may grow with twice as many ops."""

LEAST = 2000
"""Calls that a pass may make in any case: what it does once shows in little work."""


class CountingCompilation(Compilation):
    """Counts calls of Python functions in passes and in the translation."""

    counts: Counter[str]

    @contextmanager
    def _measure(self, name: str, stage: str = "") -> Generator[None]:
        profile = cProfile.Profile(subcalls=False, builtins=False)
        profile.enable()
        try:
            yield
        finally:
            profile.disable()
            if not name.startswith("import-"):
                self.counts[name] += sum(entry.callcount for entry in profile.getstats())


def count_calls(name: str, count: int, gpu: str, opt: int, abi: Abi) -> Counter[str]:
    """The calls in each pass for a kernel of about so many ops, with little room on the stack."""
    program = Program.of(make(name, count).text())
    compilation = CountingCompilation(program, Options(gpu, opt, abi=abi), explain=True)
    compilation.counts = Counter()
    compilation.read()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + ROOM)
    try:
        compilation.translate()
    finally:
        sys.setrecursionlimit(limit)
    return compilation.counts


@pytest.mark.every(6)
@pytest.mark.parametrize(
    ("name", "gpu", "opt", "abi"),
    covering(tuple(KERNELS), ("sm_90", "sm_80", "sm_100"), (3, 0), ("device-maps", "host-maps")),
)
def test_work_is_linear(name: str, gpu: str, opt: int, abi: Abi):
    # What is imported and cached once is no work of a pass.
    count_calls(name, 20, gpu, opt, abi)
    first, second = (count_calls(name, count, gpu, opt, abi) for count in (COUNT, 2 * COUNT))
    growth = {
        step: f"{first[step]} to {calls}"
        for step, calls in second.items()
        if calls > MOST * max(first[step], LEAST)
    }
    assert not growth
