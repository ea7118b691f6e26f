"""Functions on a deep stack."""

import sys
import threading
from contextvars import ContextVar

import pytest

from tileiras_xdsl.xdsl_extras.deep_stack import RECURSION_LIMIT, call_with_deep_stack


def test_timeout():
    """The function goes on, and what the call changed is as before."""
    limit, release = sys.getrecursionlimit(), threading.Event()
    done = threading.Event()

    def wait() -> None:
        release.wait(60)
        done.set()

    with pytest.raises(TimeoutError):
        call_with_deep_stack(wait, 0.05)
    assert sys.getrecursionlimit() == limit
    assert not done.is_set()
    release.set()
    assert done.wait(60)


def test_in_time():
    assert call_with_deep_stack(lambda: 7, 60) == 7


def test_threads_share_the_limit():
    """It stays as long as a call needs it, and is as before when the last one has returned."""
    usual, both, first_is_done = sys.getrecursionlimit(), threading.Barrier(2), threading.Event()
    limits: list[int] = []

    def first() -> None:
        both.wait(60)

    def second() -> None:
        both.wait(60)
        first_is_done.wait(60)
        limits.append(sys.getrecursionlimit())

    other = threading.Thread(target=call_with_deep_stack, args=(second,))
    other.start()
    call_with_deep_stack(first)
    first_is_done.set()
    other.join(60)
    assert limits == [RECURSION_LIMIT]
    assert sys.getrecursionlimit() == usual


def test_calls_in_calls_have_one_stack():
    def inner() -> threading.Thread:
        return threading.current_thread()

    outer = call_with_deep_stack(lambda: (inner(), call_with_deep_stack(inner)))
    assert outer[0] is outer[1] is not threading.current_thread()


def test_context_variables_are_those_of_the_caller():
    variable: ContextVar[int] = ContextVar("variable", default=0)
    variable.set(7)
    assert call_with_deep_stack(variable.get) == 7
