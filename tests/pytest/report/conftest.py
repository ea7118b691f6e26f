"""
A browser for the tests of reports.

Where there is none the tests are skipped, but with the environment variable CI set that is a
failure: nothing may pass there because it did not run.
"""

from collections.abc import Iterator

import pytest

from ..conftest import is_ci
from .chromium import Chromium, find_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    path = find_chromium()
    if path is None:
        message = "there is no Chromium"
        if is_ci():
            pytest.fail(message)
        pytest.skip(message)
    with Chromium(path) as browser:
        yield browser
