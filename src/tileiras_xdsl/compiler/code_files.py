"""
Files with code on disk, which only their user may have written.

Such a file is code that will run, as a `.pyc` file is: one that belongs to somebody else, or in a
folder that others can write to, is not read. They are in the folder `code` of the cache and go by
the same variables:

    TILEIRAS_XDSL_CACHE=0      neither reads nor writes
    TILEIRAS_XDSL_CACHE_DIR    where the cache is (default: tileiras-xdsl in the user's cache)

Imports nothing that Python does not have in memory: what is read here makes other imports short.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

ENABLE_VARIABLE: "Final" = "TILEIRAS_XDSL_CACHE"
FOLDER_VARIABLE: "Final" = "TILEIRAS_XDSL_CACHE_DIR"

_OFF: "Final" = ("0", "off", "false", "no")
OTHERS_MAY_WRITE: "Final" = 0o022


def is_enabled() -> bool:
    """Whether the environment wants a cache."""
    return os.environ.get(ENABLE_VARIABLE, "").lower() not in _OFF


def cache_folder() -> str:
    """Where the cache is; it need not be there yet."""
    if given := os.environ.get(FOLDER_VARIABLE):
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tileiras-xdsl")


def may_be_used() -> bool:
    """Whether this process may take code from files."""
    # Who runs a command with the rights of another user must not choose its code.
    return is_enabled() and sys.platform == "linux" and os.getuid() == os.geteuid()


def interpreter_tag() -> str:
    """Differs for interpreters that compile the same source to other code."""
    from _frozen_importlib_external import MAGIC_NUMBER

    return f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}-{sys.flags.optimize}"


def open_file(name: str) -> int:
    """The descriptor of a file; `OSError` if there is none that can be trusted."""
    folder = _open_folder()
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    if not _is_private(os.fstat(file)):
        os.close(file)
        raise PermissionError
    return file


def write_file(name: str, parts: "Iterable[bytes]") -> None:
    """Replaces a file at once; a disk that cannot be written to is not the program's fault."""
    temporary = f".{name}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        os.makedirs(cache_folder(), 0o700, exist_ok=True)
        try:
            os.mkdir(_code_folder(), 0o700)
        except FileExistsError:
            pass
        folder = _open_folder()
        try:
            with open(os.open(temporary, flags, 0o600, dir_fd=folder), "wb") as stream:
                try:
                    stream.writelines(parts)
                    stream.flush()
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                except OSError:
                    os.unlink(temporary, dir_fd=folder)
                    raise
            _remove_temporaries(folder)
        finally:
            os.close(folder)
    except OSError:
        return


ABANDONED_SECONDS: "Final" = 3600
"""A file that is that old, and still has the name of one being written, is written no more."""


def _remove_temporaries(folder: int) -> None:
    """Removes what writers left that were killed."""
    import time

    oldest = time.time() - ABANDONED_SECONDS
    for name in os.listdir(folder):
        if name.startswith(".") and os.stat(name, dir_fd=folder).st_mtime < oldest:
            os.unlink(name, dir_fd=folder)


_CHECKSUM_BYTES: "Final" = 4


def load_values(name: str) -> "dict[Any, Any]":
    """What `store_values` has stored; nothing if there is no file that can be trusted."""
    import marshal
    import zlib

    try:
        with open(open_file(name), "rb") as stream:
            data = stream.read()
    except OSError:
        return {}
    checksum, content = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    if zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little") != checksum:
        return {}
    try:
        # Zeros are the right checksum of nothing.
        return marshal.loads(content)
    except (EOFError, TypeError, ValueError):
        return {}


def store_values(name: str, values: "dict[Any, Any]") -> None:
    """Replaces a file by one with code, or other values that `marshal` can write."""
    import marshal
    import zlib

    content = marshal.dumps(values)
    checksum = zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little")
    write_file(name, (checksum, content))


def remove_files(prefix: str, count: int) -> None:
    """Removes files whose names begin alike but for some that were written last."""
    try:
        folder = _open_folder()
    except OSError:
        return
    try:
        names = [name for name in os.listdir(folder) if name.startswith(prefix)]
        stamped = [(os.stat(name, dir_fd=folder).st_mtime_ns, name) for name in names]
        for _, name in sorted(stamped, reverse=True)[count:]:
            os.unlink(name, dir_fd=folder)
    except OSError:
        # Another process has been faster.
        return
    finally:
        os.close(folder)


def _code_folder() -> str:
    return os.path.join(cache_folder(), "code")


def _open_folder() -> int:
    """The folder of the files; an error if it is a link, or others may write there."""
    folder = os.open(_code_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not _is_private(os.fstat(folder)):
        os.close(folder)
        raise PermissionError
    return folder


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & OTHERS_MAY_WRITE
