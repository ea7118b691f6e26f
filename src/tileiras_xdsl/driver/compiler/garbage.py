"""Keeps the garbage collector away from compilations."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager


class _Pauses:
    """How many threads want no collection at the moment."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.was_enabled = False


_PAUSES = _Pauses()


@contextmanager
def paused_collection() -> Generator[None]:
    """
    Pauses the collector, and resumes it when the last thread is done. A compilation makes objects
    fast enough to have the collector go through all that was ever imported, several times, and
    there is little to be found before its end.
    """
    with _PAUSES.lock:
        if _PAUSES.count == 0:
            _PAUSES.was_enabled = gc.isenabled()
            gc.disable()
        _PAUSES.count += 1
    try:
        yield
    finally:
        with _PAUSES.lock:
            _PAUSES.count -= 1
            if _PAUSES.count == 0 and _PAUSES.was_enabled:
                gc.enable()
