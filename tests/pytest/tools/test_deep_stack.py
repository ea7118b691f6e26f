"""Functions on a deep stack."""

import sys
import threading

import pytest

from tileiras_xdsl.tools.deep_stack import call_with_deep_stack


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
