"""
Random kernels in which order matters keep it at every stage: nothing races, no barrier diverges,
and results are those of the tile program, whatever other CTAs do meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tileiras_xdsl.pipeline import ModuleStage

from ..strategies.ordered_kernels import random_ordered_kernel
from ..strategies.ordered_themes import THEMES
from .ordered_runs import SOURCE, Finding, difference, examine

KERNELS = {
    "given_away": 5,
    "awaited_operands": 3,
    "handed_over": 3,
    "awaited_bounds": 3,
    "overwritten_bounds": 2,
    "overwritten_operands": 2,
}
"""How many there are of themes whose first kernels have no producer; `make fuzz` takes hundreds."""
FEW_KERNELS = 2
"""How many there are of the others in long runs; else one."""
ORDERS = {"coherent": 6}
"""In how many orders warps and others act, where few show what is wrong; else in one."""
MOST_REFUSALS = 1
"""Of the kernels of a theme: a GPU may have too little shared memory."""
WITHOUT_PRODUCERS = ("diverging", "coherent", "tickets")
"""Themes that are not about warp specialization."""
STAGES: tuple[ModuleStage, ...] = ("tileas", "nvgpu")
ALL_STAGES: tuple[ModuleStage, ...] = ("tileaa", *STAGES, "nvvm")


@pytest.mark.every(11)
@pytest.mark.parametrize(
    ("theme", "first_stages", "few"),
    [
        *((theme, STAGES if number % 4 else ALL_STAGES, 1) for number, theme in enumerate(THEMES)),
        *(pytest.param(theme, ALL_STAGES, FEW_KERNELS, marks=pytest.mark.long) for theme in THEMES),
    ],
)
def test_kernels_keep_their_order(
    theme: str, first_stages: Sequence[ModuleStage], few: int
) -> None:
    wrong: list[str] = []
    refused: list[str] = []
    specialized = 0
    for seed in range(KERNELS.get(theme, few)):
        # What comes before and after costs as much again, and seldom shows more.
        stages = first_stages if seed == 0 else STAGES
        orders = range(seed, seed + ORDERS.get(theme, 1))
        report = examine(random_ordered_kernel(seed, theme), stages, orders)
        specialized += report.has_producer
        if report.findings:
            wrong.append(str(report))
        if report.refusal is not None:
            refused.append(str(report))
            assert re.search(r"\w+ \w+", report.refusal), report
    assert not wrong, "\n".join(wrong)
    assert len(refused) <= MOST_REFUSALS, "\n".join(refused)
    # Nothing goes wrong where nothing is done by other warps.
    assert specialized or theme in WITHOUT_PRODUCERS


def test_same_seed_same_kernel() -> None:
    for seed in range(len(THEMES)):
        first, second = random_ordered_kernel(seed), random_ordered_kernel(seed)
        assert first.text == second.text
        assert first.configuration == second.configuration
        pairs = zip(first.values, second.values, strict=True)
        assert all(np.array_equal(a, b) for a, b in pairs)


def test_themes_take_turns() -> None:
    assert [random_ordered_kernel(seed).theme for seed in range(len(THEMES))] == list(THEMES)


@pytest.mark.parametrize("theme", ["rewritten", "awaited_operands", "published"])
def test_kernels_without_tokens_are_noticed(theme: str) -> None:
    """The order of a kernel is by its tokens: without them it races in the tile program."""
    noticed: list[Finding] = []
    for seed in range(4):
        kernel = random_ordered_kernel(seed, theme)
        text = re.sub(r" token=%\w+", "", kernel.text)
        noticed += examine(replace(kernel, text=text), stages=()).findings
    assert noticed
    assert {finding.stage for finding in noticed} == {SOURCE}


def test_other_numbers_are_noticed() -> None:
    kernel = random_ordered_kernel(0, "rewritten")
    values = list(kernel.values)
    place = next(n for n, v in enumerate(values) if isinstance(v, np.ndarray))
    expected = {"x": np.asarray(values[place], np.float32)}
    found = {"x": expected["x"].copy()}
    assert difference(expected, found) is None
    found["x"][0, 1] += 1
    what = difference(expected, found)
    assert what is not None
    assert what.startswith("x differs in 1 of")
    assert difference(expected, {}) == "there is no x"
