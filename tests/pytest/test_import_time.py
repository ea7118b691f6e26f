"""
The plugin costs the tools of xDSL nothing: they import it at every start.

Times are those of our own modules, so xDSL's are not in them, and the best of several runs.
"""

import re

import pytest

from .harness.commands import python

LIMIT_MS = 20
RUNS = 5
PACKAGE = "tileiras_xdsl"


def imported_by(statement: str) -> set[str]:
    return set(python("-c", f"{statement}\nimport sys\nprint(*sys.modules)").out.split())


def own_import_times(module: str) -> dict[str, float]:
    """The modules of the package that the import of one imports, with milliseconds for each."""
    pattern = rf"import time:\s*(\d+) \|\s*\d+ \|\s*({PACKAGE}\S*)"
    matches = re.findall(pattern, python("-X", "importtime", "-c", f"import {module}").err)
    return {name: int(microseconds) / 1000 for microseconds, name in matches}


def test_package_imports_nothing():
    assert imported_by(f"import {PACKAGE}") - imported_by("") == {PACKAGE}


def test_universe_imports_nothing_but_that_of_xdsl():
    extra = imported_by(f"import {PACKAGE}.universe") - imported_by("import xdsl.universe")
    assert extra == {PACKAGE, f"{PACKAGE}.universe"}


@pytest.mark.part("processes")
def test_xdsl_opt_imports_nothing_more():
    tool = "from xdsl.xdsl_opt_main import xDSLOptMain"
    start = "try: xDSLOptMain(args=['--version'])\nexcept SystemExit: pass"
    extra = {name for name in imported_by(f"{tool}\n{start}") if name.startswith(PACKAGE)}
    assert extra == {PACKAGE, f"{PACKAGE}.universe"}


@pytest.mark.every(2)
@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.universe"])
def test_import_time(module: str):
    times = [own_import_times(module) for _ in range(RUNS)]
    assert all(module in run for run in times)
    assert min(sum(run.values()) for run in times) < LIMIT_MS


def test_version_needs_no_metadata():
    statement = f"import {PACKAGE}"
    assert "importlib.metadata" not in imported_by(statement) - imported_by("")
    assert python("-c", f"{statement}; print({PACKAGE}.__version__)").out == "0.2.0\n"


def test_package_has_no_other_attributes():
    result = python("-c", f"import {PACKAGE}; print(hasattr({PACKAGE}, 'nonsense'))")
    assert result.out == "False\n"
