"""What counts as a change of a listing, as a move, and as a part of a line."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.diff import (
    Diff,
    DiffRow,
    Lines,
    _compare,  # pyright: ignore[reportPrivateUsage]
    _fold,  # pyright: ignore[reportPrivateUsage]
    differing_parts,
    line_key,
    match_lines,
    number_names,
)
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.inspection.exploration.steps import PassStep, Snapshot


def rows(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """The rows of a diff of lines, which came from the ops that their first letters say."""
    sides = [Lines(each, [(ord(line[0]),) for line in each]) for each in (before, after)]
    return [(row.kind, row.text) for row in _compare(*sides)]


def test_numbers_of_values_are_no_change():
    assert line_key("  %1:2 = a %x#1 ^bb3 : i32") == line_key("%y7:3 = a %2 ^4 : i32")
    assert line_key("%1 = a : i32") != line_key("%1 = a : i64")
    before = ["%0 = a", "%1 = b", "%2 = c %1", "%3 = d %2"]
    assert rows(before, ["%0 = a", "%1 = c %0", "%2 = d %1"]) == [
        ("same", "%0 = a"),
        ("gone", "%1 = b"),
        ("same", "%1 = c %0"),
        ("same", "%2 = d %1"),
    ]


def test_moves():
    assert rows(["for", "iv", "load", "mul", "end"], ["load", "for", "iv", "mul", "end"]) == [
        ("to", "load"),
        ("same", "for"),
        ("same", "iv"),
        ("from", "load"),
        ("same", "mul"),
        ("same", "end"),
    ]


def test_what_a_line_became_follows_it():
    assert rows(["a", "x one", "y", "b"], ["a", "x two", "z", "w", "b"]) == [
        ("same", "a"),
        ("gone", "x one"),
        ("new", "x two"),
        ("gone", "y"),
        ("new", "z"),
        ("new", "w"),
        ("same", "b"),
    ]


def test_ops_of_the_same_name_are_paired():
    before = Lines(["%0 = a.for", "end"], [(1,), ()])
    after = Lines(["%1 = a.make", "%2 = b.for {x}", "end"], [(1,), (1,), ()])
    assert [(row.kind, row.text) for row in _compare(before, after)] == [
        ("new", "%1 = a.make"),
        ("gone", "%0 = a.for"),
        ("new", "%2 = b.for {x}"),
        ("same", "end"),
    ]


def test_parts_of_lines():
    parts = list(differing_parts("%0 = dot {a = 1, b = 2} : f16", "%0 = dot {a = 1} : f32"))
    assert ["%0 = dot {a = 1, b = 2} : f16"[i:j] for i, j in parts] == [", b = 2", "f16"]
    # Neither names of values nor indentation differ, and unlike lines are not marked all over.
    assert list(differing_parts("  %1 = dot %2 : f16", "%7 = dot %x : f16")) == []
    assert list(differing_parts("%1 = scf.for %2", "%1 = nv_tileas.async.dot %3")) == []
    row = DiffRow("gone", "a <b> c", ((2, 5),))
    assert row.mark("[", "]") == "a [<b>] c"


def test_long_runs_are_folded():
    shown = list(_fold([DiffRow("same", str(n)) for n in range(20)] + [DiffRow("new", "x")]))
    assert [row.text for row in shown] == ["17 lines", "17", "18", "19", "x"]


@pytest.mark.parametrize("seed", range(40))
def test_rows_have_all_lines(seed: int):
    """Of any two listings: what stayed and went is the first, what stayed and came the second."""
    rng = random.Random(seed)
    words = "abcdef"[: rng.randint(1, 6)]
    before = [rng.choice(words) for _ in range(rng.randint(0, 30))]
    after = [word for word in before if rng.random() < 0.7]
    for _ in range(rng.randint(0, 6)):
        after.insert(rng.randint(0, len(after)), rng.choice(words + "xyz"))
    if rng.random() < 0.5:
        rng.shuffle(after)
    found = rows(before, after)
    assert [text for kind, text in found if kind in ("same", "gone", "from")] == before
    assert [text for kind, text in found if kind in ("same", "new", "to")] == after
    assert sum(kind == "to" for kind, _ in found) == sum(kind == "from" for kind, _ in found)
    pairs = match_lines(*(Lines(each, [()] * len(each)) for each in (before, after)))
    assert pairs == sorted(set(pairs))


@cache
def attention() -> Exploration:
    return tx.explore(tx.examples["attention"].path)


def test_passes_show_what_they_change():
    found = attention().diff("tileas-insert-barriers")
    assert (found.added, found.removed) == (2, 0)
    assert len(found.lines) < 20
    for step in attention().steps:
        diff = Diff(attention().steps[max(0, step.index - 1)], step)
        assert bool(diff) <= step.changed
        kept = [row.text for row in diff.rows if row.kind in ("same", "new", "to")]
        assert kept == list(step.lines)


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch):
    diff = attention().diff("tileas-assign-dot-layouts")
    assert "\x1b" not in repr(diff)
    assert "\x1b[7m" in diff.coloured()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert repr(diff) == diff.coloured()
    assert '<b style="background' in diff._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_provenance_is_short():
    place = attention().search("cuda_tile.mmaf", "read")[0]
    found = attention().where(place)
    text = str(found)
    assert len(text.splitlines()) <= 25
    assert "in nvvm: 2 nvvm.wgmma.mma_async" in text
    assert len(found.full.splitlines()) > 100
    assert found.became["nvvm"].by_weight()[0].op is not None
    assert found.became["nvvm"].by_weight()[0].weight == 9
    assert "<details><summary>in nvgpu: 2 nvvm.wgmma.mma_async" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


# Operands


def test_other_operands_are_a_change():
    before = ["%0 = a", "%1 = b", "%2 = sub %0, %1", "%3 = c %2"]
    swapped = ["%7 = a", "%8 = b", "%9 = sub %8, %7", "%4 = c %9"]
    assert rows(before, ["%7 = a", "%8 = b", "%9 = sub %7, %8", "%4 = c %9"]) == [
        ("same", "%7 = a"),
        ("same", "%8 = b"),
        ("same", "%9 = sub %7, %8"),
        ("same", "%4 = c %9"),
    ]
    assert rows(before, swapped) == [
        ("same", "%7 = a"),
        ("same", "%8 = b"),
        ("gone", "%2 = sub %0, %1"),
        ("new", "%9 = sub %8, %7"),
        ("same", "%4 = c %9"),
    ]
    sides = [Lines(each, [()] * len(each)) for each in (before, swapped)]
    parts = [[row.text[i:j] for i, j in row.parts] for row in _compare(*sides) if row.parts]
    assert parts == [["%0", "%1"], ["%8", "%7"]]


def test_other_results_of_an_op_and_other_blocks_are_changes():
    before = ["%0:2 = a", "b %0#0", "br ^bb1", "br ^bb2"]
    assert [kind for kind, _ in rows(before, ["%3:2 = a", "b %3#0", "br ^bb4", "br ^bb7"])] == [
        "same"
    ] * 4
    assert ("new", "b %3#1") in rows(before, ["%3:2 = a", "b %3#1", "br ^bb1", "br ^bb2"])
    assert ("new", "br ^bb1") in rows(before, ["%0:2 = a", "b %0#0", "br ^bb1", "br ^bb1"])


def test_a_line_that_moves_and_uses_other_values():
    before = ["%0 = a", "%1 = b", "x %0, %1", "q %0, %1", "r"]
    after = ["%0 = a", "%1 = b", "q %0, %1", "r", "x %1, %0"]
    sides = [Lines(each, [(ord(line[0]),) for line in each]) for each in (before, after)]
    found = list(_compare(*sides))
    assert [row.kind for row in found] == ["same", "same", "from", "same", "same", "to"]
    assert [row.text[i:j] for row in found for i, j in row.parts] == ["%0", "%1", "%1", "%0"]


def test_each_function_has_names_of_its_own():
    before = ["func.func @a(%0) {", "use %0", "}", "func.func @b(%0) {", "use %0", "}"]
    after = ["func.func @a(%0) {", "use %0", "}", "func.func @b(%1) {", "use %1", "}"]
    assert number_names(before) == number_names(after)
    assert {kind for kind, _ in rows(before, after)} == {"same"}


def test_special_registers_have_no_numbers():
    assert number_names(["mov %r1, %tid.x;"]) == number_names(["mov %r7, %tid.x;"])
    assert rows(["mov %r1, %tid.x;"], ["mov %r1, %ctaid.x;"])[0][0] == "gone"


class SwapSubtraction(ModulePass):
    """Subtracts the other way round."""

    name = "swap-subtraction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.walk():
            if each.name.endswith("subf"):
                each.operands = each.operands[::-1]


def test_a_pass_that_swaps_operands():
    softmax = tx.explore(tx.examples["softmax"].path)
    swapped = softmax.with_pass(SwapSubtraction(), "after:licm")
    found = swapped.diff("swap-subtraction")
    assert (found.added, found.removed) == (1, 1)
    assert found.summary == "swap-subtraction: 1 line added, 1 removed"
    compared = tx.compare(softmax, swapped)
    assert compared.first is not None
    assert {pair.status for pair in compared.pairs if pair.name == "licm"} == {"same"}
    assert compared.diff("ptx")


def test_a_change_that_no_line_shows():
    # What looks like the name of a value is compared as one.
    before, after = (
        PassStep(0, name, "tileaa", 0.0, 0, Snapshot(ModuleOp([], {"text": StringAttr(name)})))
        for name in ("%a", "%b")
    )
    assert Diff(before, before).summary == "%a changed nothing"
    assert Diff(before, after).summary == "%b changed the module, but no line of its text"
