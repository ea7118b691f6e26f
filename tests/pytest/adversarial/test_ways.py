"""
All ways to compile a program against each other: optimization levels, architectures, ABIs and
numbers of warps. Threads of all of them leave the same bits behind.
"""

from __future__ import annotations

from typing import Any

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Abi, Options
from tileiras_xdsl.frontend.load import Program

from ..fuzz.wide_runs import Configuration
from ..harness.cases import covering
from . import dot_loops, exchanges
from .attacks import outcome

ARCHITECTURES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121")
LEVELS = (0, 1, 2, 3)
ABIS: tuple[Abi, ...] = ("device-maps", "host-maps")
WARPS = (None, 4, 8)
SHAPE = dot_loops.Shape(64, 16, 32)


def check(text: str, arguments: list[Any], configuration: Configuration) -> None:
    """Compiles a program in one way, and runs it as threads."""
    source = load(text)
    options = Options(configuration.gpu, configuration.opt, abi=configuration.abi)
    compilation = Compilation(Program.of(configuration.hinted(source)), options, isolate=False)
    expected = outcome(source, arguments, grid=1, check=True)
    assert outcome(compilation.lower("nvgpu"), arguments, grid=1, check=True) == expected
    assert outcome(compilation.lower("nvvm"), arguments, grid=1) == expected


@pytest.mark.parametrize(
    ("name", "gpu", "opt", "abi", "warps"),
    covering(exchanges.NAMES, ARCHITECTURES[:5], LEVELS, ABIS, WARPS)[::17],
)
def test_exchanges(name: str, gpu: str, opt: int, abi: Abi, warps: int | None):
    check(
        exchanges.text_of(name),
        exchanges.arguments_of(name),
        Configuration(gpu, opt, abi, warps),
    )


@pytest.mark.parametrize(
    ("name", "gpu", "opt", "abi", "warps"),
    covering(dot_loops.NAMES, ARCHITECTURES, LEVELS, ABIS, WARPS)[::29],
)
def test_loops_of_dots(name: str, gpu: str, opt: int, abi: Abi, warps: int | None):
    check(
        dot_loops.programs(SHAPE)[name],
        SHAPE.arguments(5),
        Configuration(gpu, opt, abi, warps),
    )
