"""
Room for deeply nested input.

xDSL parses, verifies and prints by recursion, eight Python calls or so per nested region. Python's
own limit of 1000 calls is too low for that, and a higher one alone lets deep input overflow the C
stack, which ends the process. So the limit is raised together with the stack, and input that is
deeper still ends in a `RecursionError`.
"""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

RECURSION_LIMIT = 20_000
STACK_BYTES = 256 * 1024 * 1024
"""Over 10 KiB of C stack for each Python call; it is reserved, not used."""


def call_with_deep_stack(function: Callable[[], T], timeout: float | None = None) -> T:
    """
    Returns what `function` returns, or raises what it raises, on a deep stack; `TimeoutError` if
    that takes more seconds than `timeout`, in which case the function goes on to its end unseen.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    old_limit = sys.getrecursionlimit()
    old_stack_bytes = threading.stack_size(STACK_BYTES)
    try:
        sys.setrecursionlimit(max(old_limit, RECURSION_LIMIT))
        # A daemon, so that an interrupt of the main thread ends the process.
        thread = threading.Thread(target=body, name="deep-stack", daemon=True)
        thread.start()
        thread.join(timeout)
        if thread.is_alive():
            raise TimeoutError
    finally:
        threading.stack_size(old_stack_bytes)
        sys.setrecursionlimit(old_limit)

    if errors:
        raise errors[0]
    return results[0]
