"""Output that appears at once or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping


def write_file(path: str, data: bytes, companions: Mapping[str, bytes] | None = None) -> None:
    """
    Writes `data` to `path` at once: whoever looks sees the old file or the whole new one.
    Companions are files beside it, by what is put after its name; all are written or none.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        # A device or a pipe cannot be replaced and has nothing beside it, a directory is refused
        # here.
        with open(path, "wb") as stream:
            stream.write(data)
        return

    # The main file last: where it is new, those beside it are.
    files = {f"{path}{suffix}": content for suffix, content in (companions or {}).items()}
    files[path] = data
    new = [target for target in files if not os.path.exists(target)]
    temporaries: dict[str, str] = {}
    target = path
    try:
        for target, content in files.items():
            temporaries[target] = _write_temporary(target, content)
        for target, temporary in temporaries.items():
            os.replace(temporary, target)
    except OSError as error:
        for leftover in (*temporaries.values(), *new):
            if os.path.exists(leftover):
                os.remove(leftover)
        raise OSError(error.errno, error.strerror, target) from error


def _write_temporary(path: str, data: bytes) -> str:
    """Writes a file that is to replace the one at `path`; returns its name."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    directory, name = os.path.split(path)
    temporary = os.path.join(directory, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
        if os.path.exists(path):
            shutil.copymode(path, temporary)
    except OSError:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
    return temporary
