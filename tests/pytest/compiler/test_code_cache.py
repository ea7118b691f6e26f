"""Code of dataclasses on disk: the same code, and only one's own."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tileiras_xdsl.compiler import cache, code_cache
from tileiras_xdsl.compiler.code_cache import CodeCache, file_name, load, store

from ..harness.commands import python

SOURCE = "def f():\n return 3\n"
CODES = {SOURCE: compile(SOURCE, "<string>", "exec", dont_inherit=True)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file is."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


def test_stored_code_is_loaded(folder: Path):
    assert load() == {}
    store(CODES)
    assert load() == CODES
    assert [path.name for path in folder.iterdir()] == [file_name()]


def test_only_the_user_can_write(folder: Path):
    before = os.umask(0)
    try:
        store(CODES)
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / file_name()).stat().st_mode & 0o777 == 0o600


def test_a_file_that_others_can_write_is_not_read(folder: Path):
    store(CODES)
    for mode in (0o620, 0o602):
        (folder / file_name()).chmod(mode)
        assert load() == {}
    (folder / file_name()).chmod(0o644)
    assert load() == CODES


def test_a_folder_that_others_can_write_is_not_used(folder: Path):
    store(CODES)
    for mode in (0o720, 0o702):
        folder.chmod(mode)
        assert load() == {}
        store({})
    folder.chmod(0o755)
    assert load() == CODES


def test_what_belongs_to_others_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch):
    store(CODES)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert load() == {}


def test_links_are_not_followed(folder: Path, tmp_path: Path):
    store(CODES)
    file = folder / file_name()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert load() == {}
    store(CODES)
    assert load() == CODES
    assert not file.is_symlink()
    folder.rename(tmp_path / "folder")
    folder.symlink_to(tmp_path / "folder")
    assert load() == {}


def test_a_damaged_file_counts_as_missing(folder: Path):
    store(CODES)
    file = folder / file_name()
    data = file.read_bytes()
    for damaged in (b"", data[:3], data[:-1], data + b"\0", b"\0" * len(data), bytes(4)):
        file.write_bytes(damaged)
        assert load() == {}
    for position in range(len(data)):
        file.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        assert load() == {}


def test_a_disk_that_cannot_be_written_to_is_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "/proc/nowhere")
    store(CODES)
    assert load() == {}
    assert not folder.exists()


def test_a_write_that_fails_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise OSError

    store(CODES)
    monkeypatch.setattr(os, "rename", fail)
    store({})
    assert load() == CODES
    assert [path.name for path in folder.iterdir()] == [file_name()]


def test_writers_at_the_same_time(folder: Path):
    threads = [threading.Thread(target=store, args=(CODES,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load() == CODES
    assert [path.name for path in folder.iterdir()] == [file_name()]


def run(known: CodeCache, source: str) -> dict[str, object]:
    variables: dict[str, object] = {}
    known.run(source, variables, variables)
    return variables


def test_known_code_runs_instead_of_the_source():
    other = compile("number = 4", "<string>", "exec")
    known = CodeCache({"number = 3": other})
    assert run(known, "number = 3")["number"] == 4
    assert known.is_complete
    assert run(known, "number = 5")["number"] == 5
    assert not known.is_complete
    assert known.all().keys() == {"number = 3", "number = 5"}


def test_future_imports_of_the_cache_do_not_reach_the_source():
    annotated = run(CodeCache({}), "def f(x: 3): pass")["f"]
    assert annotated.__annotations__ == {"x": 3}


def test_too_many_sources_are_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(code_cache, "LIMIT", 2)
    known = CodeCache(dict.fromkeys(("a = 1", "b = 1"), CODES[SOURCE]))
    run(known, "a = 1")
    run(known, "c = 1")
    assert known.all().keys() == {"a = 1", "c = 1"}


CLASSES = """
import sys
from dataclasses import dataclass, field, fields
from tileiras_xdsl.compiler.code_cache import save_code_cache, use_code_cache
use_code_cache()
import dataclasses
compiled = []
def audit(event, arguments):
    if event == "compile" and arguments[1] == "<string>":
        compiled.append(arguments[0])
sys.addaudithook(audit)

@dataclass(order=True)
class Point:
    "A point."
    x: int
    y: int = 3
    tags: list[str] = field(default_factory=list)

@dataclass(frozen=True, slots=True)
class Frozen:
    "A frozen one."
    x: int

try:
    Frozen(1).x = 2
except Exception as error:
    print(repr(error))
print(Point(1), Point(1) == Point(1, 3), Point(1) < Point(2), hash(Frozen(4)), Frozen.__slots__)
print(Point.__init__.__annotations__, Point.__init__.__qualname__)
print([each.name for each in fields(Point)])
save_code_cache()
print(len(compiled), file=sys.stderr)
"""


def run_classes(environment: dict[str, str]) -> tuple[str, int]:
    """What the program prints, and how many sources were compiled for it."""
    # Dataclasses in the program itself are what it is about; a file that is missing is written.
    result = python("-c", CLASSES, environment={"PYTHONDONTWRITEBYTECODE": "", **environment})
    return result.out, int(result.err)


def test_dataclasses_are_the_same_and_are_not_compiled_again(folder: Path):
    off, compiled_without = run_classes({cache.ENABLE_VARIABLE: "0"})
    assert not folder.exists()
    first, compiled_first = run_classes({cache.ENABLE_VARIABLE: "1"})
    second, compiled_second = run_classes({cache.ENABLE_VARIABLE: "1"})
    assert off == first == second
    assert "FrozenInstanceError" in off
    assert compiled_without == compiled_first > 5
    assert compiled_second == 0


def test_nothing_is_written_where_python_may_not_write_bytecode(folder: Path):
    run_classes({cache.ENABLE_VARIABLE: "1", "PYTHONDONTWRITEBYTECODE": "1"})
    assert not folder.exists()
