"""What there is to show of programs: it takes longer than a page, so all tests share it."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.sass import NVDISASM_VARIABLE
from tileiras_xdsl.inspection.exploration.exploration import Exploration

BYTECODE = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
PROGRAMS = {"gemm": "matmul_128x128x64", "attention": "attention_d64"}
"""Others are examples, whose debug information names files that are there."""


@cache
def exploration(name: str) -> Exploration:
    if name in PROGRAMS:
        return tx.explore(BYTECODE / f"{PROGRAMS[name]}.tileirbc")
    return tx.explore(tx.examples[name.removeprefix("example ")])


@cache
def explore(name: str) -> dict[str, Any]:
    """
    The same as data, which tests leave as it is. It is without machine code: tests of that bring
    their own, as not all machines have a disassembler, which takes longer than the compiler.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NVDISASM_VARIABLE, "none")
        return exploration(name).to_data()


@cache
def explore_text(name: str) -> dict[str, Any]:
    """
    The same without pictures. A browser takes longer for those beside an op that is chosen than for
    all the rest of the page.
    """
    return {**explore(name), "pictures": []}
