"""The garbage collector pauses while programs are compiled."""

import gc

import pytest

from tileiras_xdsl.driver.compiler.compilation import paused_collection


def test_resumes_after_the_last_pause():
    assert gc.isenabled()
    with paused_collection():
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_resumes_after_an_error():
    with pytest.raises(ValueError, match="wrong"), paused_collection():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_leaves_it_off_if_it_was():
    gc.disable()
    try:
        with paused_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
