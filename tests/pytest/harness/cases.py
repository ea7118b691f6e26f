"""Cases of a test of which only some are for every run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def every(number: int, cases: Iterable[object]) -> list[Any]:
    """Cases of which every so many is for every run; `--long` takes the others, too."""
    return [
        case if index % number == 0 else pytest.param(case, marks=pytest.mark.long)
        for index, case in enumerate(cases)
    ]


def covering(*choices: Sequence[object]) -> list[Any]:
    """
    All combinations of choices, of which few are for every run: each choice occurs in one of them.
    `--long` takes the others, too.
    """
    longest = max(map(len, choices))
    kept = {tuple(number % len(each) for each in choices) for number in range(longest)}
    return [
        pytest.param(
            *(each[number] for each, number in zip(choices, numbers, strict=True)),
            marks=() if numbers in kept else pytest.mark.long,
        )
        for numbers in product(*(range(len(each)) for each in choices))
    ]
