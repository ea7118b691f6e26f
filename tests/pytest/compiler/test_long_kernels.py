"""
Passes take time in proportion to the number of ops, and need no deeper stack for more of them.

Work is counted in calls of Python functions. The kernels are longer than the stack is deep. What is
compiled in process has as much room as what a command compiles.
"""

from __future__ import annotations

import cProfile
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.compiled import compile
from tileiras_xdsl.driver.compiler.options import Abi, Options
from tileiras_xdsl.driver.tools import tileiras_xdsl
from tileiras_xdsl.frontend.load import Program

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


def nested_text(depth: int) -> str:
    """A kernel with conditionals in each other."""
    nested = "    if %flag {\n" * depth + '    print_tko "x" -> token\n' + "    }\n" * depth
    return (
        "cuda_tile.module @m {\n  entry @k() {\n    %flag = constant <i1: 1> : tile<i1>\n"
        f"{nested}    return\n  }}\n}}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda: make("floats", 400).text(), id="ops"),
        pytest.param(lambda: make("floats", 10_000).text(), id="many ops", marks=pytest.mark.long),
        pytest.param(lambda: nested_text(150), id="regions"),
    ],
)
def test_the_command_gives_the_same_code(text: Callable[[], str], tmp_path: Path):
    source, output = tmp_path / "in.mlir", tmp_path / "out.ptx"
    source.write_text(text())
    arguments = [str(source), "--gpu-name=sm_90", "--emit=ptx", "-o", str(output)]
    assert tileiras_xdsl.main(arguments) == 0
    assert compile(source.read_text(), "sm_90").ptx == output.read_text()
