"""
Results of compilations on disk, found by what went into them.

The key is a hash of the program, the options, and all that takes part: the files of this package,
the versions of Python and llvmlite, ptxas and libdevice. Files are written at once or not at all,
and one that does not fit its own hash counts as missing. So does one that another user may have
written: folders and files have to belong to the user, and nobody else may write to them.

    TILEIRAS_XDSL_CACHE=0      neither reads nor writes
    TILEIRAS_XDSL_CACHE_DIR    where the files are (default: tileiras-xdsl in the user's cache)
    TILEIRAS_XDSL_CACHE_LIMIT  the most they may take, such as 2G (default: what `set_limit` wrote
                               into a file there, else 512M)
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

ENABLE_VARIABLE: Final = "TILEIRAS_XDSL_CACHE"
FOLDER_VARIABLE: Final = "TILEIRAS_XDSL_CACHE_DIR"

_OFF: Final = ("0", "off", "false", "no")
_OTHERS_MAY_WRITE: Final = 0o022

LIMIT_VARIABLE: Final = "TILEIRAS_XDSL_CACHE_LIMIT"
DEFAULT_LIMIT: Final = "512M"
_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}

ABANDONED: Final = 3600.0
"""Seconds after which a file that is being written belongs to a process that was killed."""

_PACKAGE: Final = Path(__file__).parents[2]


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


def is_enabled() -> bool:
    """Whether the environment wants a cache."""
    return os.environ.get(ENABLE_VARIABLE, "").lower() not in _OFF


def folder() -> Path:
    """Where the files are; they need not be there yet."""
    if given := os.environ.get(FOLDER_VARIABLE):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "tileiras-xdsl")


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


def load(key: str, faults: list[str] | None = None) -> CacheEntry | None:
    """
    What was stored under a key, if anything. A file that somebody else may have written is not
    used; `faults` gets the reason.
    """
    path = _path(key)
    try:
        with open(_open_private(path), "rb") as stream:
            data = stream.read()
        digest, content = data[:32], data[32:]
        if _sha256(key.encode() + content).digest() != digest:
            return None
        head, _, cubin = content.partition(b"\n")
        ptx, records, warnings, remarks = json.loads(head)
        entry = CacheEntry(cubin, ptx, records, tuple(warnings), remarks)
    except PermissionError as error:
        if faults is not None:
            faults.append(f"the cache is not used: {error.args[-1]}")
        return None
    except OSError:
        return None
    # Another process may have removed the file since; what was read is right all the same.
    with suppress(OSError):
        os.utime(path)
    return entry


def _open_private(path: Path) -> int:
    """
    The descriptor of a file; `PermissionError` if it, or a folder of the cache, is not of this user
    or may be written by others. A link is no file of the cache.
    """
    for each in (folder(), path.parent):
        _check_private(str(each), os.stat(each))
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _check_private(str(path), os.fstat(file))
    except PermissionError:
        os.close(file)
        raise
    return file


def _check_private(name: str, status: os.stat_result) -> None:
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid():
        raise PermissionError(f"'{name}' belongs to another user")
    if status.st_mode & _OTHERS_MAY_WRITE:
        raise PermissionError(f"others may write to '{name}'")


def _make_private(path: Path) -> None:
    """Makes a folder that only this user may write to, or makes it so."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    if hasattr(os, "geteuid") and status.st_uid == os.geteuid():
        if status.st_mode & _OTHERS_MAY_WRITE:
            path.chmod(status.st_mode & 0o7777 & ~_OTHERS_MAY_WRITE)
        return
    _check_private(str(path), status)


def store(key: str, entry: CacheEntry) -> None:
    """Keeps a result; a disk that cannot be written to is not the program's fault."""
    texts = (entry.ptx, entry.records, entry.warnings, entry.remarks)
    content = json.dumps(texts).encode() + b"\n" + entry.cubin
    # With the key: a file under the name of another is of no use.
    digest = _sha256(key.encode() + content).digest()
    path = _path(key)
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        for each in (folder(), path.parent):
            _make_private(each)
        try:
            with open(os.open(temporary, flags, 0o600), "wb") as stream:
                stream.write(digest + content)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        _make_room()
    except OSError:
        return


def clear() -> int:
    """Removes all results; returns how many there were."""
    number = 0
    for path, _ in _files():
        path.unlink(missing_ok=True)
        number += 1
    for path, _ in _files("??/.*.kernel.*"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        for path in folder().glob("??"):
            path.rmdir()
    return number


def describe() -> str:
    """Where the cache is, how much is in it, and how much may be."""
    sizes = [status.st_size for _, status in _files()]
    state = "" if is_enabled() else f", which is off: {ENABLE_VARIABLE} says so"
    return "\n".join(
        (
            f"folder  {folder()}{state}",
            f"files   {len(sizes)}",
            f"size    {sum(sizes) / 2**20:.1f} MiB",
            f"limit   {limit() / 2**20:.1f} MiB",
        )
    )


def limit() -> int:
    """Bytes; where there are more, the files that were used least recently go."""
    with suppress(OSError, ValueError):
        return parse_size(os.environ.get(LIMIT_VARIABLE) or _limit_file().read_text())
    return parse_size(DEFAULT_LIMIT)


def set_limit(size: str) -> None:
    """Keeps a limit for all commands of this user, and removes what is over it."""
    parse_size(size)
    _make_private(folder())
    file = _limit_file()
    file.touch()
    file.chmod(0o600)
    file.write_text(f"{size}\n")
    _make_room()


def parse_size(text: str) -> int:
    """Bytes, from a text such as `2G`; `ValueError` if it is none."""
    number, unit = text.strip().rstrip("KMGTkmgt"), text.strip().lstrip("0123456789").upper()
    if not number.isdecimal() or unit not in _UNITS:
        raise ValueError(f"'{text}' is no size: write 800M or 2G")
    return int(number) << _UNITS[unit]


def _limit_file() -> Path:
    return folder() / "limit"


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
    most = limit()
    for path, status in files:
        if total <= most:
            return
        path.unlink(missing_ok=True)
        total -= status.st_size
