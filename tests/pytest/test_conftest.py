"""The rule that an oracle test may be skipped, but not where CI is set."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TESTS = """
import pytest

def test_module(oracle_module):
    oracle_module("no_such.package")

def test_program(oracle_program):
    oracle_program("no_such_program")

@pytest.mark.oracle
def test_marked():
    pytest.skip("for a reason of its own")

def test_other():
    pytest.skip("needs no oracle")

def test_module_that_is_there(oracle_module):
    assert oracle_module("os.path").sep
"""


@pytest.mark.parametrize(
    ("ci", "summary", "code"),
    [
        ("", "1 passed, 4 skipped", 0),
        ("false", "1 passed, 4 skipped", 0),
        ("true", "3 failed, 1 passed, 1 skipped", 1),
    ],
)
def test_oracle_tests_are_skipped_but_fail_in_ci(
    ci: str, summary: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    oracle: needs an oracle\n")
    monkeypatch.setenv("CI", ci)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert summary in result.stdout
    assert result.returncode == code


def test_oracles_are_there(
    oracle_module: Callable[[str], ModuleType], oracle_program: Callable[[str], Path]
):
    assert oracle_module("cuda.tile").__name__ == "cuda.tile"
    for program in ("ptxas", "tileiras", "tileirdisasm"):
        subprocess.run([oracle_program(program), "--version"], check=True, capture_output=True)
