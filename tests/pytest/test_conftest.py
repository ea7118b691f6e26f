"""Oracle tests may be skipped, but not where CI is set; and which cases are for every run."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from .conftest import PARTS, is_for_another_run
from .harness.cases import covering

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


@pytest.mark.part("processes")
@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("ci", "summary", "code"),
    [
        ("", "1 passed, 4 skipped", 0),
        pytest.param("false", "1 passed, 4 skipped", 0, marks=pytest.mark.long),
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


FAILING = """
import pytest

@pytest.fixture
def broken_before():
    raise ValueError("set-up")

@pytest.fixture
def broken_after():
    yield
    raise ValueError("tear-down")

def test_before(broken_before):
    pass

def test_after(broken_after):
    pass

def test_itself():
    raise ValueError("body")

def test_skipped():
    pytest.skip()

def test_passes():
    pass
"""


@pytest.mark.part("processes")
def test_workers_report_what_fails(tmp_path: Path):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(FAILING)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "1"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in result.stdout
    for place in ("set-up", "tear-down", "body"):
        assert f"ValueError: {place}" in result.stdout


SAMPLED = """
import pytest

@pytest.mark.every(3, first=1)
@pytest.mark.parametrize("second", "xy")
@pytest.mark.parametrize("first", "abcd")
def test_sampled(first, second):
    pass

@pytest.mark.parametrize("case", "ab")
def test_all(case):
    pass
"""


@pytest.mark.part("processes")
@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), {"all[a]", "all[b]", "sampled[a-y]", "sampled[c-x]", "sampled[d-y]"}),
        (
            ("--long", "-m", "long"),
            {f"sampled[{case}]" for case in ("a-x", "b-x", "b-y", "c-y", "d-x")},
        ),
    ],
)
def test_some_cases_are_for_every_run(options: Sequence[str], expected: set[str], tmp_path: Path):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(SAMPLED)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    every: some\n    long: more\n")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True)
    assert set(re.findall(r"::test_(\S+)", result.stdout)) == expected


FILES = ("test_it.py", "docs/test_notebooks.py", "report/test_pages.py")


@dataclass
class FakeItem:
    """A test of a file, with a mark or none."""

    path: Path
    mark: str = ""

    def get_closest_marker(self, name: str) -> object:
        return SimpleNamespace(args=["kernels"]) if name == self.mark else None


@pytest.mark.parametrize(
    ("part", "long", "expected"),
    [
        (None, False, {"test_it.py"}),
        ("all", False, {*FILES[1:], *(f"{name} part" for name in FILES)}),
        ("browser", False, {"report/test_pages.py"}),
        ("browser", True, {"report/test_pages.py", "report/test_pages.py long"}),
        ("kernels", False, {f"{name} part" for name in FILES}),
        (None, True, {f"{name}{mark}" for name in FILES for mark in ("", " long", " part")}),
    ],
)
def test_parts_are_for_other_runs(part: str | None, long: bool, expected: set[str]):
    options = {"--part": part, "--long": long}
    config: Any = SimpleNamespace(getoption=options.get)
    kept: set[str] = set()
    for name in FILES:
        for mark in ("", "long", "part"):
            item: Any = FakeItem(Path(__file__).parent / name, mark)
            if not is_for_another_run(item, config):
                kept.add(f"{name} {mark}".strip())
    assert kept == expected


def test_parts_have_tests():
    folder = Path(__file__).parent
    for paths in PARTS.values():
        for path in paths:
            assert (folder / path).exists(), path


def test_each_choice_is_for_every_run():
    cases = covering("abcd", [1, 2], [True, False, None])
    assert len({case.values for case in cases}) == 4 * 2 * 3
    kept = [case.values for case in cases if not case.marks]
    assert len(kept) == 4
    assert [set(choices) for choices in zip(*kept, strict=True)] == [
        {"a", "b", "c", "d"},
        {1, 2},
        {True, False, None},
    ]


def test_oracles_are_there(
    oracle_module: Callable[[str], ModuleType], oracle_program: Callable[[str], Path]
):
    assert oracle_module("cuda.tile").__name__ == "cuda.tile"
    for program in ("ptxas", "tileiras", "tileirdisasm"):
        subprocess.run([oracle_program(program), "--version"], check=True, capture_output=True)
