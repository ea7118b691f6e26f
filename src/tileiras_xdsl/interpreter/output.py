"""
What runs show: where kernels print to, standard output or what the thread that runs them says, and
a bar that shows how far a long run is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Write: TypeAlias = Callable[[str], object]

_WRITE: ContextVar[Write | None] = ContextVar("_WRITE", default=None)


def get_writer() -> Write:
    """What prints text of the kernels that this thread runs."""
    return _WRITE.get() or sys.stdout.write


@contextmanager
def printing_to(write: Write) -> Generator[None]:
    """Kernels that this thread runs within it print by a function."""
    token = _WRITE.set(write)
    try:
        yield
    finally:
        _WRITE.reset(token)


WIDTH = 40
DELAY = 1.0
"""Seconds after which it appears, unless it was asked for."""
INTERVAL = 0.1


class ProgressBar:
    """
    Counts CTAs. Asked for or not, or by default on a terminal: then it appears when a run
    takes long.
    """

    def __init__(self, total: int, wanted: bool | None):
        self.total, self.done = total, 0
        self.enabled = sys.stderr.isatty() if wanted is None else wanted
        self._start = time.monotonic()
        self._next = self._start + (0.0 if wanted else DELAY)
        self._shown = False

    def advance(self, count: int = 1) -> None:
        """Some CTAs have been run."""
        self.done += count
        if self.enabled and (now := time.monotonic()) >= self._next:
            self._next = now + INTERVAL
            self._show(now)

    def finish(self) -> None:
        """Takes the bar away from a terminal, or ends its line."""
        if self._shown:
            self._show(time.monotonic())
            sys.stderr.write("\r\x1b[K" if sys.stderr.isatty() else "\n")
            sys.stderr.flush()

    def _show(self, now: float) -> None:
        self._shown = True
        filled = WIDTH * self.done // self.total
        left = (now - self._start) * (self.total - self.done) / max(self.done, 1)
        sys.stderr.write(
            f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {self.done}/{self.total} CTAs, "
            f"{left:.0f} s left "
        )
        sys.stderr.flush()
