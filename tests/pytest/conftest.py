"""
Oracles: NVIDIA's own tools, which some tests compare with; which tests are for every run, and which
run on one worker.

A test asks for one by the fixtures `oracle_module` or `oracle_program`. Where the optional package
is not installed the test is skipped, but with the environment variable CI set that is a failure:
nothing may pass there because it did not run.
"""

import gc
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator
from functools import cache
from itertools import compress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from hypothesis import settings

# Matrices of tests are small. Threads that wait for their part of a product, on processors that
# others use as well, take twenty times as long as the product.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The conversions of IR that others make, as if they were installed, here and in other processes.
INTEROP = str(Path(__file__).parents[2] / "examples" / "interop")
sys.path.append(INTEROP)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), INTEROP)))

# Tests see what the compiler does, not what it did.
os.environ["TILEIRAS_XDSL_CACHE"] = "0"
# Commands run by themselves, but in the tests of the compile service.
os.environ["TILEIRAS_XDSL_SERVER"] = "0"

# What fails on purpose leaves no files behind, but in the tests of reproducers.
os.environ["TILEIRAS_XDSL_REPRODUCERS"] = "0"

# How long an example takes says more about what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

GARBAGE = 200_000
"""How many new objects the garbage collector waits for."""

GROUP = re.compile(r'mark\.xdist_group\("(\w+)"\)')
"""What files have in them whose tests run on one worker, with those of others of that name."""

PART_MARK = "mark.part("
"""What files have in them of which some tests are in a part."""

MODULE_SCOPE = 'scope="module"'
"""What files have in them whose tests run on one worker, one after the other."""

EARLY = (
    "pytest/service/",
    "test_wheel.py",
    "pytest/cutile/",
    "pytest/report/",
    "docs/test_notebooks",
)
"""Tests that wait, or come file by file: at the end one worker would have nothing else to do."""

PARTS = {
    "browser": ("report/",),
    "explorer": (
        *("explore/", "estimate/", "profiling/", "reduction/", "tuning/", "visual/"),
        *("tools/test_tileiras_explore.py", "tools/test_tileiras_reduce.py"),
    ),
    "docs": (),
    "kernels": (),
    "notebooks": ("docs/test_notebooks.py", "docs/test_site.py"),
    "proofs": ("proofs/",),
    "processes": (
        *("service/", "cutile/", "compiler/test_dask.py", "compiler/test_many.py", "gpu/"),
        *("tools/test_batch.py", "tools/test_one_op_a_line.py", "tools/test_without_metadata.py"),
        *("tools/test_tileiras_xdsl_cutile.py", "tools/test_tileiras_xdsl_hints.py"),
        "test_wheel.py",
    ),
    "sweeps": (
        "bytecode/test_fuzz_hostile.py",
        *("compiler/test_code_size.py", "compiler/test_long_kernels.py"),
        "fuzz/",
    ),
}
"""
Tests that `make test` leaves to `make more`, by what they have in common: they take long, and few
changes concern them. Folders and files below that of this file; a mark `part` puts single tests
into one. Those of "kernels" run whole kernels where cheaper tests of the same file stay, those of
"docs" the blocks of pages, those of "proofs" the solver.
"""

ORACLE_FIXTURES = ("oracle_module", "oracle_program")


def is_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def oracle_is_missing(name: str) -> NoReturn:
    message = f"{name} is not installed, see the extra `dev`"
    if is_ci():
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture
def oracle_module() -> Callable[[str], ModuleType]:
    """Imports a module of an optional package: `oracle_module("cuda.tile")`."""

    def get(name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ImportError:
            oracle_is_missing(name)

    return get


@pytest.fixture
def oracle_program() -> Callable[[str], Path]:
    """The path of a program of NVIDIA's wheels: `oracle_program("tileirdisasm")`."""

    def get(name: str) -> Path:
        spec = importlib.util.find_spec("nvidia")
        roots = () if spec is None else spec.submodule_search_locations or ()
        folders = (str(folder) for root in roots for folder in Path(root).glob("cu*/bin"))
        path = shutil.which(name, path=os.pathsep.join(folders))
        if path is None:
            oracle_is_missing(name)
        return Path(path)

    return get


@pytest.fixture
def corpus_text(oracle_program: Callable[[str], Path]) -> Callable[[Path], str]:
    """What NVIDIA's disassembler prints for a file of `tests/corpus`, with its locations."""

    def get(path: Path) -> str:
        folder = path.parents[1]
        kept = folder.with_name(folder.name.replace("bytecode", "text")) / path.parent.name
        if (kept := kept / f"{path.stem}.mlir").exists():
            return kept.read_bytes().decode()
        flags = ["--print-debug-info"] if folder.name == "bytecode_debug" else []
        command = [oracle_program("tileirdisasm"), *flags, path]
        return subprocess.run(command, check=True, capture_output=True).stdout.decode()

    return get


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run tests marked `long`, too")
    parser.addoption(
        "--part",
        choices=(*PARTS, "all"),
        help="run the tests of a part that is not for every run, and no others",
    )


@cache
def part_of_file(path: Path) -> str | None:
    """The part that all tests of a file belong to; none if there is none."""
    name = path.relative_to(Path(__file__).parent).as_posix()
    return next((part for part, paths in PARTS.items() if name.startswith(paths)), None)


def part_of(item: pytest.Item) -> str | None:
    """The part that a test belongs to; none if it is for every run."""
    mark = item.get_closest_marker("part")
    return part_of_file(item.path) if mark is None else mark.args[0]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Does not import a file of which no test is asked for: to import all takes ten seconds."""
    chosen = config.getoption("--part")
    if not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    part = part_of_file(collection_path)
    if chosen is None:
        has_some = part is None or config.getoption("--long")
    else:
        has_some = part is not None if chosen == "all" else part == chosen
        has_some = has_some or PART_MARK in collection_path.read_text(encoding="utf-8")
    return None if has_some else True


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """
    Has every other worker begin with the last file. What pytest makes of the assertions in a file
    is kept beside it, which takes as long as all the rest of the collection: workers that meet in
    the middle do so once for each file.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and report.result and is_odd_worker():
        report.result.reverse()
    return report


def is_odd_worker() -> bool:
    name = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return int(name.removeprefix("gw")) % 2 == 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Leaves out what takes long and seldom finds more than the rest; `make long` and `make more` run
    it. The order is the same for all workers.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.path)
    cases = Counter[str]()
    for item in items:
        sample = item.get_closest_marker("every")
        if sample is not None and item.get_closest_marker("long") is None:
            test = item.nodeid.partition("[")[0]
            if (cases[test] - sample.kwargs.get("first", 0)) % sample.args[0]:
                item.add_marker(pytest.mark.long)
            cases[test] += 1
    is_left_out = [is_for_another_run(item, config) for item in items]
    config.hook.pytest_deselected(items=list(compress(items, is_left_out)))
    items[:] = [item for item, left_out in zip(items, is_left_out, strict=True) if not left_out]
    items.sort(key=lambda item: not any(part in item.nodeid for part in EARLY))


def is_for_another_run(item: pytest.Item, config: pytest.Config) -> bool:
    """Whether the options leave out a test."""
    chosen, part = config.getoption("--part"), part_of(item)
    if chosen is not None and (part is None or chosen not in ("all", part)):
        return True
    if config.getoption("--long"):
        return False
    return item.get_closest_marker("long") is not None or (chosen is None and part is not None)


def pytest_collection_finish() -> None:
    """
    Keeps the garbage collector away from what lives as long as the tests do, and has it wait for
    more: IR is made of cycles and made fast, so a quarter of the time of a compilation would be
    collections that find little.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 10, 5)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With CI set, a test that needs an oracle fails if it is skipped, for whatever reason."""
    report = yield
    fixtures: list[str] = getattr(item, "fixturenames", [])
    needs_oracle = item.get_closest_marker("oracle") is not None or any(
        fixture in fixtures for fixture in ORACLE_FIXTURES
    )
    if report.skipped and needs_oracle and is_ci() and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} needs an oracle and was skipped: {report.longrepr}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """
    Has workers of pytest-xdist report what a test did, and not that it starts, was set up, was torn
    down and ends: nothing is printed of these unless `--durations` asks, and of ten thousand quick
    tests they are a third of the time.
    """
    if session.config.getoption("durations") is not None:
        return
    for plugin in session.config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            plugin.sendevent = of_interest(plugin.sendevent)


def of_interest(send: Callable[..., None]) -> Callable[..., None]:
    """Sends what changes the outcome or the time of a test, or is printed."""

    def send_event(name: str, **content: Any) -> None:
        if name in ("logstart", "logfinish"):
            return
        if name == "testreport":
            report = content["data"]
            if report["outcome"] == "passed" and report["when"] != "call":
                return
        send(name, **content)

    return send_event


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """
    Runs all cases of a test on the same worker, so that they share what is made once; all tests of
    files with a mark `xdist_group` of the same name; and those of a file with a fixture for the
    whole file, which ends where a test of another file comes between. pytest-xdist 3.8 does so with
    the mark itself, but not on pytest 9.2; and for each unit of work it goes through those that are
    done, so a unit for each case would cost more than many cases do.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    scheduler: Any = importlib.import_module("xdist.scheduler").LoadGroupScheduling(config, log)
    root = Path(__file__).parent
    units: dict[str, str] = {}
    for path in root.rglob("test_*.py"):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        if (group := GROUP.search(text)) is not None:
            units[name] = group[1]
        elif MODULE_SCOPE in text:
            units[name] = name

    def unit_of(nodeid: str) -> str:
        path, _, test = nodeid.partition("::")
        name = path.rpartition("tests/pytest/")[2]
        return units.get(name, f"{path}::{test.partition('[')[0]}")

    scheduler._split_scope = unit_of
    return scheduler
