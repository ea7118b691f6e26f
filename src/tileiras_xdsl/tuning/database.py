"""
Measurements on disk, in an SQLite file in the folder of the cache.

A measurement is found again by the program with its launch, the GPU with its driver, and the
compiler. Any number of processes may read and write at once: each access is a transaction of its
own, for which others wait. A database that cannot be used is a warning, and tuning goes on without.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tileiras_xdsl.compiler import cache

FILE: Final = "tuning.sqlite3"
VERSION: Final = 1
"""Of the schema; files of another version are left alone."""
PATIENCE: Final = 30.0
"""Seconds to wait for other processes."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS measurements (
    program TEXT NOT NULL,
    gpu TEXT NOT NULL,
    compiler TEXT NOT NULL,
    milliseconds REAL NOT NULL,
    samples INTEGER NOT NULL,
    kernel TEXT NOT NULL,
    config TEXT NOT NULL,
    measured TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (program, gpu, compiler)
)
"""


class DatabaseWarning(UserWarning):
    """A database of measurements that cannot be used."""


@dataclass(frozen=True)
class Key:
    """What a measurement is found by."""

    program: str
    """A hash of the program, its options, and its launch."""
    gpu: str
    """Its name and driver, and how it was measured."""
    compiler: str
    """A hash of what compiles."""


@dataclass(frozen=True)
class Stored:
    """A measurement."""

    milliseconds: float
    samples: int


class Database:
    """A file of measurements."""

    def __init__(self, path: Path | None = None):
        self.path = cache.folder() / FILE if path is None else path

    def load(self, key: Key) -> Stored | None:
        """What was measured, if anything was."""
        if not self.path.exists():
            return None
        try:
            with self._open() as connection:
                row = connection.execute(
                    "SELECT milliseconds, samples FROM measurements "
                    "WHERE program = ? AND gpu = ? AND compiler = ?",
                    (key.program, key.gpu, key.compiler),
                ).fetchone()
        except (sqlite3.Error, OSError) as error:
            self._warn(error)
            return None
        return None if row is None else Stored(*row)

    def store(self, key: Key, stored: Stored, kernel: str, config: str) -> None:
        """Keeps a measurement, in place of an earlier one."""
        values = (key.program, key.gpu, key.compiler, stored.milliseconds, stored.samples)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as connection:
                connection.execute(
                    "INSERT OR REPLACE INTO measurements "
                    "(program, gpu, compiler, milliseconds, samples, kernel, config) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*values, kernel, config),
                )
        except (sqlite3.Error, OSError) as error:
            self._warn(error)

    def clear(self) -> None:
        """Removes all measurements."""
        if self.path.exists():
            with self._open() as connection:
                connection.execute("DELETE FROM measurements")

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        """A transaction, which nobody else writes during."""
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        with closing(connection):
            connection.execute("BEGIN IMMEDIATE")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise sqlite3.DatabaseError(f"it has version {version}, not {VERSION}")
            if version == 0:
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {VERSION}")
            yield connection
            connection.execute("COMMIT")

    def _warn(self, error: Exception) -> None:
        text = f"measurements are not kept in '{self.path}': {error}"
        warnings.warn(text, DatabaseWarning, stacklevel=3)
