"""
Ops that must not be overtaken, paired with ops that passes might move: after every pass the program
of a pair does what it did, and ops of level 1 declare the effects that they have.

`benchmarks/order_pairs.py` runs all pairs; here are some of each kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.enums import MemoryOrdering, MemoryScope
from tileiras_xdsl.pipeline import make_pass, select_steps

from ..harness.modules import context
from ..harness.passes import lower
from ..harness.running import run_copies
from ..strategies.order_gemms import LARGE, GemmPair, all_gemm_pairs
from ..strategies.order_kinds import TEMPLATES, WITHOUT_ORDER, all_kinds, effects_of_dialect
from ..strategies.order_pairs import PLACES, STORIES, all_pairs, write_pair
from .effect_lies import LIES, Lie, after, before, product
from .order_pair_runs import ARCH, AnyPair, Report, examine_pair, judge

PARTS = 75
"""Of the pairs that are chosen here, each is in one part."""
CHOSEN, CHOSEN_GEMMS = 1500, 150
"""One part of them is in `make more`."""


@cache
def chosen() -> Sequence[AnyPair]:
    """Some of all pairs, those of each part mixed."""
    random = Random(0)
    pairs = random.sample(list(all_pairs()), CHOSEN)
    products = random.sample(list(all_gemm_pairs()), CHOSEN_GEMMS)
    return [*pairs, *products]


# Which pairs there are


def test_all_ops_with_effects_are_paired() -> None:
    """A new op needs a template, or a reason why it has none."""
    assert effects_of_dialect() == TEMPLATES.keys() | WITHOUT_ORDER.keys()
    assert not TEMPLATES.keys() & WITHOUT_ORDER.keys()


def test_all_orderings_and_scopes_are_paired() -> None:
    kinds = all_kinds()
    assert {kind.order for kind in kinds} - {""} == set(MemoryOrdering.keywords())
    assert {kind.scope for kind in kinds} - {""} == set(MemoryScope.keywords())
    assert {kind.op for kind in kinds} == TEMPLATES.keys()
    for semantics in ("acquire", "release", "acq_rel"):
        found = {kind.scope for kind in kinds if kind.order == semantics}
        assert found == set(MemoryScope.keywords())


def test_all_places_and_stories_are_paired() -> None:
    pairs = list(all_pairs())
    assert {pair.place for pair in pairs} == set(PLACES)
    assert {pair.story for pair in pairs} == set(STORIES)
    assert len(pairs) == len(set(pairs)) > 15_000
    products = list(all_gemm_pairs())
    assert len(products) == len(set(products)) > 2000


# What becomes of them


@pytest.mark.every(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_pairs_keep_their_order(part: int) -> None:
    reports = [examine_pair(pair) for pair in chosen()[part::PARTS]]
    wrong = [str(report) for report in reports if report.is_wrong]
    assert not wrong, "\n".join(wrong)
    # Nothing is learned from programs that race as they are written.
    assert sum(report.verdict == "ordered" for report in reports) >= len(reports) // 5


@pytest.mark.parametrize(
    ("pair", "verdict"),
    [
        (after("load_ptr_tko tile weak", "load_ptr_tko scalar acquire gpu", "awaited"), "ordered"),
        (after("load_ptr_tko tile weak", "load_ptr_tko scalar acquire sys", "awaited"), "ordered"),
        # The scope has no other CTA in it, or nothing is acquired.
        (
            after("load_ptr_tko tile weak", "load_ptr_tko scalar acquire tl_blk", "awaited"),
            "undefined",
        ),
        (
            after("load_ptr_tko tile weak", "load_ptr_tko scalar relaxed gpu", "awaited"),
            "undefined",
        ),
        (
            before("store_ptr_tko tile weak", "store_ptr_tko scalar release gpu", "published"),
            "ordered",
        ),
        (after("load_ptr_tko scalar weak", "gdc_wait_tko", "previous grid"), "ordered"),
        (after("load_ptr_tko scalar weak", "assert", "same memory"), "free"),
        (after("store_ptr_tko scalar weak", "assert", "same memory"), "ordered"),
        (after("print_tko", "print_tko", "same memory"), "ordered"),
        (after("print_tko", "store_ptr_tko scalar weak", "same memory"), "free"),
        (after("load_ptr_tko scalar weak", "load_ptr_tko tile weak", "same memory"), "free"),
        (after("load_ptr_tko scalar weak", "store_ptr_tko tile weak", "same memory"), "ordered"),
        (after("load_ptr_tko scalar weak", "store_ptr_tko tile weak", "apart", "loop"), "free"),
    ],
    ids=str,
)
def test_the_interpreter_decides(pair: AnyPair, verdict: str) -> None:
    assert judge(pair)[0] == verdict


# What passes are told


@pytest.mark.every(27, first=19)
@pytest.mark.parametrize("lie", LIES, ids=str)
def test_lies_about_effects_are_found(lie: Lie) -> None:
    with lie.told():
        told = examine_pair(lie.pair)
    assert told.findings, f"{told.pair} does not show it"
    assert not examine_pair(lie.pair).is_wrong


# Passes do move what may move


@pytest.mark.every(5, first=4)
@pytest.mark.parametrize(
    ("pair", "passes"),
    [
        (
            after("load_ptr_tko scalar weak", "load_ptr_tko tile weak", "apart", "twice"),
            {("cse", "merged")},
        ),
        (
            product("operand", "ahead", "load_ptr_tko scalar acquire gpu", "apart"),
            {("tileas-materialize-schedule", "reordered")},
        ),
        (
            product("addend", "behind", "load_ptr_tko scalar relaxed gpu", "apart"),
            {("tileas-prepare-for-scheduling", "reordered")},
        ),
        (
            product("operand", "inside", "store_ptr_tko scalar weak", "apart"),
            {
                ("tileas-dynamic-persistent", "into loop"),
                ("tileas-materialize-schedule", "reordered"),
            },
        ),
        (
            replace(product("operand", "inside", "print_tko", "apart"), arch="sm_80"),
            {("tileas-unspecialized-pipeline", "reordered")},
        ),
    ],
    ids=str,
)
def test_passes_move_what_may_move(pair: AnyPair, passes: set[tuple[str, str]]) -> None:
    report = examine_pair(pair)
    assert not report.is_wrong, report
    assert report.verdict == "free"
    assert passes <= set(report.moved), report.moved


@pytest.mark.long
@pytest.mark.parametrize(
    "pair",
    [
        product("operand", "ahead", "print_tko", "apart"),
        product("operand", "ahead", "atomic_rmw_tko scalar acq_rel gpu", "same memory"),
        product(
            "result", "behind", "store_ptr_tko scalar release gpu", "published", is_after=False
        ),
    ],
    ids=str,
)
def test_large_tiles_are_split(pair: GemmPair) -> None:
    report = examine_pair(replace(pair, size=LARGE))
    assert not report.is_wrong, report
    assert "split-tiles" in report.changed


@pytest.mark.long
def test_same_loads_are_not_moved_where_they_must_not_be() -> None:
    """The same programs with a token in between."""
    pairs = (
        product("operand", "ahead", "load_ptr_tko scalar acquire gpu", "awaited"),
        product("addend", "behind", "load_ptr_tko scalar acquire gpu", "awaited"),
        after("load_ptr_tko scalar weak", "store_ptr_tko tile weak", "same memory", "twice"),
    )
    for report in map(examine_pair, pairs):
        assert report.verdict == "ordered", report
        assert not report.is_wrong, report
        movements = {how for _, how in report.moved}
        assert not movements & {"reordered", "merged"}, report.moved


def test_loops_are_split_between_the_halves() -> None:
    pair = after("load_ptr_tko scalar weak", "store_ptr_tko scalar weak", "same memory", "halves")
    module = load(write_pair(pair).text)
    assert count_loops(module) == 1
    for step in select_steps(3, arch=ARCH, to="cuda-tile"):
        make_pass(step, ARCH).apply(context(), module)
    assert count_loops(module) == 2


def count_loops(module: ModuleOp) -> int:
    return sum(isinstance(op, ct.ForOp) for op in module.walk())


def test_reports_say_what_is_wrong() -> None:
    pair = after("print", "print", "same memory")
    report = Report(pair, "ordered", findings=["after cse: printed: '1', not '2'"])
    assert str(report) == "print after print: same memory, straight: ordered; " + report.findings[0]


def test_allocations_are_not_merged() -> None:
    """Two of the same size are two; they have no order that a pair could show."""
    text = """
    entry @k(%out: tile<ptr<i32>>) {
      %one = constant <i32: 1> : tile<i32>
      %two = constant <i32: 2> : tile<i32>
      %m = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
      %n = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
      %t = store_ptr_tko weak %m, %one : tile<ptr<i32>>, tile<i32> -> token
      %u = store_ptr_tko weak %n, %two : tile<ptr<i32>>, tile<i32> -> token
      %v, %w = load_ptr_tko weak %m token=%t : tile<ptr<i32>> -> tile<i32>, token
      %s = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
      return
    }
    """
    module = load(text)
    (expected,) = run_copies(module, [np.zeros(1, np.int32)])
    (found,) = run_copies(lower(module), [np.zeros(1, np.int32)])
    assert expected[0] == found[0] == 1
