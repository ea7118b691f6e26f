"""Every op of `cuda_tile` and `nv_tileaa` has a case."""

from __future__ import annotations

import re

import pytest
from xdsl.ir import Dialect, Operation

import tileiras_xdsl as tx
from tileiras_xdsl.dialects.cuda_tile import CudaTile
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa

from . import (
    test_ops_aggregate,
    test_ops_control_flow,
    test_ops_conversion,
    test_ops_float,
    test_ops_integer,
    test_ops_memory,
    test_ops_nv_tileaa,
    test_ops_print,
    test_ops_shape,
    test_ops_views,
)
from .kernels import Case, lowered

CASES: list[Case] = [
    *test_ops_aggregate.CASES,
    *test_ops_control_flow.CASES,
    *test_ops_conversion.CASES,
    *test_ops_float.CASES,
    *test_ops_integer.CASES,
    *test_ops_memory.CASES,
    *test_ops_print.CASES,
    *test_ops_shape.CASES,
    *test_ops_views.CASES,
]

NO_KERNELS = {"cuda_tile.testing$func"}
"""Functions that are no entries; no kernel can call them."""
LATER_STAGES = {
    "nv_tileaa.create_queue",
    "nv_tileaa.queue.yield",
    "nv_tileaa.queue.get",
    "nv_tileaa.queue.put",
    "nv_tileaa.mark_for_reuse",
    "nv_tileaa.pragma",
    "nv_tileaa.execute",
    "nv_tileaa.plugin",
}
"""Ops that passes on the way to `nv_tileas` put in."""


def names_of(dialect: Dialect) -> set[str]:
    return {op.name for op in dialect.operations}


def ops_in(operation: Operation) -> set[str]:
    return {op.name for op in operation.walk()}


def test_every_op_of_cuda_tile_has_a_case():
    """An op that is added to the dialect needs a case."""
    words = {
        word for case in CASES for word in re.findall(r"(?<![%@#!\w.$])[a-z][\w.]*", case.text)
    }
    missing = {name for name in names_of(CudaTile) if name.partition(".")[2] not in words}
    # The module is the only op whose name is written out.
    assert missing - {"cuda_tile.module"} == NO_KERNELS


def test_every_op_of_nv_tileaa_has_a_case():
    """One of `cuda_tile` that becomes it, or one at level 1."""
    found: set[str] = set()
    for case in test_ops_nv_tileaa.CASES:
        found |= set(re.findall(r"nv_tileaa\.[\w.]+", case.text))
    for case in _few_cases():
        found |= ops_in(lowered(tx.load(case.text)))
    assert names_of(NvTileaa) - found == LATER_STAGES


def _few_cases() -> list[Case]:
    """A case for each of its ops' names, so that not all have to be lowered."""
    chosen: list[Case] = []
    seen: set[str] = set()
    for case in CASES:
        words = set(re.findall(r"(?:= |^ *)([a-z]\w+)", case.text, re.M)) - seen
        # Stores to gathered tiles become an op of their own.
        if words or case.name == "store-gather-i32":
            seen |= words
            chosen.append(case)
    return chosen


@pytest.mark.parametrize("cases", [[*CASES], [*test_ops_nv_tileaa.CASES]])
def test_names_of_cases_differ(cases: list[Case]):
    """So that each can be run alone."""
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
