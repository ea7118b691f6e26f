"""Where kernels print to: standard output, or what the thread that runs them says."""

from __future__ import annotations

import sys
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
