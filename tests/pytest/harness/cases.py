"""Cases of a test of which only some are for every run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def every(number: int, cases: Iterable[object]) -> list[Any]:
    """Cases of which every so many is for every run; `--long` takes the others, too."""
    return [
        case if index % number == 0 else pytest.param(case, marks=pytest.mark.long)
        for index, case in enumerate(cases)
    ]
