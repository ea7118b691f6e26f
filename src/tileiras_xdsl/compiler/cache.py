"""
Results of compilations on disk, found by what went into them.

The key is a hash of the program, the options, and all that takes part: the files of this package,
the versions of Python and llvmlite, ptxas and libdevice. Files are written at once or not at all,
and one that does not fit its own hash counts as missing.

    TILEIRAS_XDSL_CACHE=0      neither reads nor writes
    TILEIRAS_XDSL_CACHE_DIR    where the files are (default: tileiras-xdsl in the user's cache)
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from .code_files import ENABLE_VARIABLE, FOLDER_VARIABLE, cache_folder, is_enabled

__all__ = [
    "ENABLE_VARIABLE",
    "FOLDER_VARIABLE",
    "CacheEntry",
    "clear",
    "find_version",
    "fingerprint",
    "folder",
    "is_enabled",
    "load",
    "make_key",
    "store",
]

LIMIT: Final = 512 * 1024 * 1024
"""Bytes; the files that were used least recently go first."""

ABANDONED: Final = 3600.0
"""Seconds after which a file that is being written belongs to a process that was killed."""

_PACKAGE: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class CacheEntry:
    """The cached result of a compilation."""

    cubin: bytes
    ptx: str
    records: str
    """The launch records as JSON."""
    warnings: tuple[str, ...] = ()
    remarks: str = ""
    """As JSON."""


def folder() -> Path:
    """Where the files are; they need not be there yet."""
    return Path(cache_folder())


@cache
def fingerprint() -> str:
    """A hash of all that compiles: changes when any file of this package does."""
    digest = _sha256()
    for path in _find_sources(_PACKAGE):
        _add_file(digest, path, os.path.relpath(path, _PACKAGE))
    return digest.hexdigest()


def _find_sources(package: Path) -> Sequence[Path]:
    """The modules of a package; the zip file that it is in, if it is in one."""
    if package.is_dir():
        return sorted(package.rglob("*.py"))
    return [next(path for path in package.parents if path.is_file())]


def _sha256(data: bytes = b"") -> Any:
    """`hashlib.sha256` of Python itself: to load OpenSSL takes longer than what is hashed here."""
    from importlib import import_module

    for name in ("_sha2", "_sha256"):
        try:
            return import_module(name).sha256(data)
        except ImportError:
            continue
    return import_module("hashlib").sha256(data)


def make_key(program: bytes, options: Mapping[str, Any], tools: Sequence[Path]) -> str:
    """The key of a compilation with these options by these programs and libraries."""
    digest = _sha256(fingerprint().encode())
    versions = [sys.version, *map(find_version, ("llvmlite", "xdsl"))]
    digest.update(json.dumps(versions).encode())
    digest.update(json.dumps(options, sort_keys=True).encode())
    for path in tools:
        _add_file(digest, path, str(path))
    digest.update(program)
    return digest.hexdigest()


def find_version(name: str) -> str:
    """The version of a distribution; without metadata, a hash of the modules of its package."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    try:
        return version(name)
    except PackageNotFoundError:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        digest = _sha256()
        for path in _find_sources(Path(spec.origin).parent):
            _add_file(digest, path, str(path))
        return digest.hexdigest()


def _add_file(digest: Any, path: Path, name: str) -> None:
    status = path.stat()
    digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())


def load(key: str) -> CacheEntry | None:
    """What was stored under a key, if anything."""
    path = _path(key)
    try:
        data = path.read_bytes()
        digest, content = data[:32], data[32:]
        if _sha256(content).digest() != digest:
            return None
        head, _, cubin = content.partition(b"\n")
        ptx, records, warnings, remarks = json.loads(head)
        entry = CacheEntry(cubin, ptx, records, tuple(warnings), remarks)
    except OSError:
        return None
    # Another process may have removed the file since; what was read is right all the same.
    with suppress(OSError):
        os.utime(path)
    return entry


def store(key: str, entry: CacheEntry) -> None:
    """Keeps a result; a disk that cannot be written to is not the program's fault."""
    texts = (entry.ptx, entry.records, entry.warnings, entry.remarks)
    content = json.dumps(texts).encode() + b"\n" + entry.cubin
    path = _path(key)
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(_sha256(content).digest() + content)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        _make_room()
    except OSError:
        return


def clear() -> None:
    """Removes all files."""
    for path, _ in _files():
        path.unlink(missing_ok=True)


def _path(key: str) -> Path:
    return folder() / key[:2] / f"{key[2:]}.kernel"


def _files(pattern: str = "??/*.kernel") -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder().glob(pattern):
        try:
            yield path, path.stat()
        except FileNotFoundError:
            continue


def _make_room() -> None:
    """Keeps the folder within its limit; any number of processes may do so at once."""
    for path, status in _files("??/.*.kernel.*"):
        if status.st_mtime < time.time() - ABANDONED:
            path.unlink(missing_ok=True)
    files = sorted(_files(), key=lambda file: file[1].st_mtime_ns)
    total = sum(status.st_size for _, status in files)
    for path, status in files:
        if total <= LIMIT:
            return
        path.unlink(missing_ok=True)
        total -= status.st_size
