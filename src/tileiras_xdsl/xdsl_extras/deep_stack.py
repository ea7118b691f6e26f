"""
Room for deeply nested input.

xDSL parses, verifies and prints by recursion, eight Python calls or so per nested region. Python's
own limit of 1000 calls is too low for that, and a higher one alone lets deep input overflow the C
stack, which ends the process. So the limit is raised together with the stack, and input that is
deeper still ends in a `RecursionError`. Commands and compilations in process have the same room.
"""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

RECURSION_LIMIT = 20_000
STACK_BYTES = 256 * 1024 * 1024
"""Over 10 KiB of C stack for each Python call; it is reserved, not used."""


class DeepThread(threading.Thread):
    """
    A thread with a deep stack. It is a daemon, so that an interrupt of the main thread ends the
    process.
    """

    def __init__(self, target: Callable[[], None]):
        super().__init__(target=target, name="deep-stack", daemon=True)

    def start(self) -> None:
        with _LOCK:
            usual = threading.stack_size(STACK_BYTES)
            try:
                super().start()
            finally:
                threading.stack_size(usual)


_LOCK = threading.Lock()
_found_limits: list[int] = []
"""What the limit was for each call that needs a higher one, the first of them first."""


@contextmanager
def _raised_limit() -> Generator[None]:
    """There is one limit for all threads: the last call puts back what the first one found."""
    with _LOCK:
        limit = sys.getrecursionlimit()
        _found_limits.append(limit)
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        with _LOCK:
            usual = _found_limits[0]
            _found_limits.pop()
            if not _found_limits:
                sys.setrecursionlimit(usual)


def call_with_deep_stack(function: Callable[[], T], timeout: float | None = None) -> T:
    """
    Returns what `function` returns, or raises what it raises, on a deep stack; `TimeoutError` if
    that takes more seconds than `timeout`, in which case the function goes on to its end unseen.
    """
    if timeout is None and isinstance(threading.current_thread(), DeepThread):
        return function()
    results: list[T] = []
    errors: list[BaseException] = []
    context = copy_context()

    def body() -> None:
        try:
            results.append(context.run(function))
        except BaseException as error:
            errors.append(error)

    with _raised_limit():
        thread = DeepThread(body)
        thread.start()
        thread.join(timeout)
        if thread.is_alive():
            raise TimeoutError
    if errors:
        raise errors[0]
    return results[0]
