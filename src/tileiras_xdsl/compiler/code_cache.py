"""
The compiled methods of dataclasses on disk.

`dataclass` writes the source of `__init__`, `__eq__` and the like and has Python compile it, for
every class in every process: no `.pyc` file has them. The classes of a compilation are some
hundreds, and their methods a quarter of what its imports take. Here the code of all of them is one
file, found by the source itself, so nothing in it can be out of date.

The file is code that will run, as a `.pyc` file is: one that belongs to somebody else, or in a
folder that others can write to, is not read. It is beside what `cache` keeps, goes by the same
variables, and is not written where Python may not write bytecode. One that is damaged counts as
missing.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import marshal
import os
import sys
import zlib
from builtins import exec as run_code
from types import CodeType
from typing import Any, Final

from . import cache

LIMIT: Final = 10_000
"""Entries; a file with more is written anew, with what was used last."""

_CHECKSUM_BYTES: Final = 4
_OTHERS_MAY_WRITE: Final = 0o022


class CodeCache:
    """Code by its source, with what was used in this process told from what was only loaded."""

    def __init__(self, known: dict[str, CodeType]):
        self.known = known
        self.used: dict[str, CodeType] = {}
        self.is_complete = True
        """Whether all that was used was known before."""

    def run(self, source: str, variables: dict[str, Any], local_variables: dict[str, Any]) -> None:
        """What `exec` does with a source."""
        code = self.known.get(source)
        if code is None:
            # The `__future__` imports of this file are none of the source's.
            code = compile(source, "<string>", "exec", dont_inherit=True)
            self.is_complete = False
        self.used[source] = code
        run_code(code, variables, local_variables)

    def all(self) -> dict[str, CodeType]:
        """What to keep on disk."""
        merged = {**self.known, **self.used}
        return merged if len(merged) <= LIMIT else self.used


def file_name() -> str:
    """Differs for interpreters that compile the same source to other code."""
    magic = importlib.util.MAGIC_NUMBER.hex()
    tag = sys.implementation.cache_tag
    return f"dataclasses.{tag}-{magic}-{sys.flags.optimize}"


def load() -> dict[str, CodeType]:
    """What was stored; nothing if there is no file that can be trusted."""
    try:
        folder = _open_folder()
        try:
            file = os.open(file_name(), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        finally:
            os.close(folder)
        with open(file, "rb") as stream:
            if not _is_private(os.fstat(file)):
                return {}
            data = stream.read()
    except OSError:
        return {}
    checksum, content = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    if zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little") != checksum:
        return {}
    return marshal.loads(content)


def store(codes: dict[str, CodeType]) -> None:
    """Replaces what was stored; a disk that cannot be written to is not the program's fault."""
    import secrets

    content = marshal.dumps(codes)
    temporary = f".{file_name()}.{secrets.token_hex(4)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        (parent := _folder()).parent.mkdir(parents=True, exist_ok=True)
        parent.mkdir(mode=0o700, exist_ok=True)
        folder = _open_folder()
        try:
            with open(os.open(temporary, flags, 0o600, dir_fd=folder), "wb") as stream:
                try:
                    stream.write(zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little"))
                    stream.write(content)
                    stream.flush()
                    os.rename(temporary, file_name(), src_dir_fd=folder, dst_dir_fd=folder)
                except OSError:
                    os.unlink(temporary, dir_fd=folder)
                    raise
        finally:
            os.close(folder)
    except OSError:
        return


def _folder() -> Any:
    return cache.folder() / "code"


def _open_folder() -> int:
    """The folder of the file; an error if it is a link, or others may write there."""
    folder = os.open(_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not _is_private(os.fstat(folder)):
        os.close(folder)
        raise PermissionError
    return folder


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_MAY_WRITE


_IN_USE: list[CodeCache] = []


def use_code_cache() -> None:
    """Makes dataclasses of this process take their code from the cache, where there is one."""
    if _IN_USE or not (cache.is_enabled() and sys.platform == "linux"):
        return
    if os.getuid() != os.geteuid():
        # Who runs a command with the rights of another user must not choose its code.
        return
    _IN_USE.append(CodeCache(load()))
    # A name of the module comes before the one of Python that `dataclasses` means.
    dataclasses.__dict__["exec"] = _IN_USE[0].run


def save_code_cache() -> None:
    """Keeps what this process had to compile."""
    if _IN_USE and not (_IN_USE[0].is_complete or sys.dont_write_bytecode):
        store(_IN_USE[0].all())
        _IN_USE[0].is_complete = True
