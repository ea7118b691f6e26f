"""The database of measurements, with several writers, and files that it cannot use."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tileiras_xdsl.driver.compiler.processes import LocalProcesses
from tileiras_xdsl.driver.tuning.result import Database, DatabaseWarning, Key, Stored

KEY = Key("program", "gpu", "compiler")


def test_measurements_are_found_by_program_gpu_and_compiler(tmp_path: Path):
    database = Database(tmp_path / "new" / "file")
    assert database.load(KEY) is None
    database.store(KEY, Stored(1.5, 30), "k", "{}")
    assert database.load(KEY) == Stored(1.5, 30)
    for other in (
        Key("other", "gpu", "compiler"),
        Key("program", "other", "compiler"),
        Key("program", "gpu", "other"),
    ):
        assert database.load(other) is None
    database.store(KEY, Stored(1.25, 10), "k", "{}")
    assert database.load(KEY) == Stored(1.25, 10)
    database.clear()
    assert database.load(KEY) is None


def test_it_is_in_the_folder_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path))
    Database().store(KEY, Stored(1.0, 1), "k", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["tuning.sqlite3"]


def test_threads_write_at_once(tmp_path: Path):
    path = tmp_path / "file"

    def write(number: int) -> None:
        for turn in range(10):
            key = Key(f"{number}-{turn}", "gpu", "compiler")
            Database(path).store(key, Stored(number, turn), "k", "{}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    for number in range(8):
        for turn in range(10):
            key = Key(f"{number}-{turn}", "gpu", "compiler")
            assert Database(path).load(key) == Stored(number, turn)


@pytest.mark.long
def test_processes_write_at_once(tmp_path: Path):
    database = Database(tmp_path / "file")
    with LocalProcesses(2) as executor:
        futures = [
            executor.submit(
                database.store, Key(str(number), "gpu", "compiler"), Stored(number, 1), "k", "{}"
            )
            for number in range(20)
        ]
        for future in futures:
            future.result()
    for number in range(20):
        assert database.load(Key(str(number), "gpu", "compiler")) == Stored(number, 1)


def test_files_that_are_no_database(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"something else entirely" * 100)
    with pytest.warns(DatabaseWarning, match="not kept"):
        assert Database(path).load(KEY) is None
    with pytest.warns(DatabaseWarning, match="not kept"):
        Database(path).store(KEY, Stored(1.0, 1), "k", "{}")
    assert path.read_bytes().startswith(b"something else")


def test_files_of_another_version_are_left_alone(tmp_path: Path):
    path = tmp_path / "file"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.warns(DatabaseWarning, match="version 7"):
        Database(path).store(KEY, Stored(1.0, 1), "k", "{}")


def test_folders_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.warns(DatabaseWarning):
        Database(tmp_path / "file" / "below").store(KEY, Stored(1.0, 1), "k", "{}")
