"""`benchmarks/same_code.py`: the gate for changes that leave generated code alone."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks/same_code.py"


@pytest.fixture(scope="module")
def same_code() -> ModuleType:
    spec = importlib.util.spec_from_file_location("same_code", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_kernels_are_compared(same_code: ModuleType):
    cases = same_code.find_cases(["sm_90", "sm_100"], "", 1)
    kernels = {case.path for case in cases}
    assert {path.parent.name for path in kernels} == {"bytecode", "13.4"}
    assert len(cases) == 4 * len(kernels)
    # Two cases must not be kept in the same file.
    assert len({case.file for case in cases}) == len(cases)


@pytest.mark.part("processes")
def test_the_compiler_of_a_folder(same_code: ModuleType):
    """PTX for a kernel, the message for what cannot be compiled, and the process goes on."""
    [case] = same_code.find_cases(["sm_90"], "vector_add sm_90 device-maps", 1)[:1]
    compiler = same_code.Compiler(ROOT / "src", 1)
    bad = same_code.Case(case.path, "sm_12", case.abi)
    first, error, second = (compiler.compile(each) for each in (case, bad, case))
    compiler.close()
    assert ".target sm_90a" in first
    assert first == second
    assert error.startswith("error: ")
    assert "unsupported GPU target 'sm_12'" in error


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a\nb\nc", "a\nx\nc", "2 lines differ, 3 before, 3 now"),
        ("a\nb", "a\nb\nc", "1 lines differ, 2 before, 3 now"),
        ("a", "error: no\nmore", "now: error: no"),
        ("error: no", "a", "before: error: no"),
    ],
)
def test_differences(same_code: ModuleType, before: str, after: str, said: str):
    assert same_code.describe_difference(before, after) == said
