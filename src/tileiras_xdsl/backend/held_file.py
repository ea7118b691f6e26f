"""
A file that is there before its contents: who opens it waits until it is filled.

Linux lets the owner of a file hold a lease on it (`F_SETLEASE`): a process that opens the file
waits until the lease is given up, for as long as `/proc/sys/fs/lease-break-time` says, 45 seconds
by default. So a program can be started, and load and set up what it needs, while its input is being
made.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from time import monotonic
from typing import Final

_BREAK_TIME: Final = Path("/proc/sys/fs/lease-break-time")
_MARGIN: Final = 5.0
"""Seconds; a file that is filled so shortly before the system would have let others in is late."""


class HeldFile:
    """A file that nobody else can open yet. Only for files that have just been made."""

    def __init__(self, file: int, until: float):
        self._file = file
        self._until = until
        """When others may have opened the file, as `monotonic` counts."""

    @staticmethod
    def make(path: Path) -> HeldFile | None:
        """A new file; none if the system cannot hold it, and then there is no file."""
        if sys.platform != "linux":
            return None
        import fcntl

        try:
            seconds = float(_BREAK_TIME.read_text())
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except (OSError, ValueError):
            return None
        try:
            # The system sends a signal when somebody waits: not the one that ends a process.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            os.close(file)
            path.unlink()
            return None
        return HeldFile(file, monotonic() + seconds - _MARGIN)

    def fill(self, data: bytes) -> bool:
        """
        Writes the contents and lets others in. False, and nothing is done, if that is late: others
        may have read an empty file.
        """
        import fcntl

        if monotonic() > self._until:
            return False
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]
        fcntl.fcntl(self._file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        self.close()
        return True

    def close(self) -> None:
        """Lets others in, whatever is in the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
