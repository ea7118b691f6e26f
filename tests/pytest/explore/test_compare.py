"""Two programs side by side."""

import re
from functools import cache

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.compare import Comparison, compare
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError
from tileiras_xdsl.inspection.exploration.resources import join_cells

VECTOR = "tensor_view<?xf32, strides=[1]>"
VIEW = f"partition_view<tile=(128), {VECTOR}>"


def program(body: str) -> str:
    return f"""
cuda_tile.module @m {{
  entry @kernel(%a: tile<ptr<f32>>, %n: tile<i32>) {{
    %vector = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> {VECTOR}
    %tiles = make_partition_view %vector : {VIEW}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %t = load_view_tko weak %tiles[%i] : {VIEW}, tile<i32> -> tile<128xf32>, token
    {body}
    %s = store_view_tko weak %y, %tiles[%i] token = %t : tile<128xf32>, {VIEW}, tile<i32> -> token
    return
  }}
}}
"""


SQUARE = program("%y = mulf %x, %x : tile<128xf32>")
TWICE = program("%y = addf %x, %x : tile<128xf32>")
# The negation is not used.
DEAD = program("%z = negf %x : tile<128xf32>\n%y = mulf %x, %x : tile<128xf32>")


@cache
def explored(text: str, gpu: str = "sm_90", opt: int = 3) -> Exploration:
    return tx.explore(text, gpu=gpu, opt=opt)


@pytest.fixture(scope="module")
def ops() -> Comparison:
    return compare(explored(SQUARE), explored(TWICE))


def test_the_same():
    found = compare(SQUARE, explored(SQUARE))
    assert found.first is None
    assert all(pair.is_same and pair.status == "same" for pair in found.pairs)
    assert "the same after every pass" in str(found)
    assert not found.diff("ptx")
    assert [row[1] for row in found.table.rows] == [row[2] for row in found.table.rows]


def test_what_differs_first(ops: Comparison):
    assert ops.first is not None
    assert ops.first.pair.name == "read"
    assert re.search(r"A .*mulf.*\n +B .*addf", str(ops.first))
    assert {pair.status for pair in ops.pairs} == {"-1 +1"}
    assert not ops.is_same_program


def test_passes_can_make_programs_the_same():
    found = compare(explored(DEAD), explored(SQUARE))
    statuses = {pair.name: pair.status for pair in found.pairs if pair.stage == "cuda-tile"}
    assert statuses["read"] == "-1 +0"
    assert statuses["canonicalize"] == "same"
    assert not found.diff("tileas")


def test_diff(ops: Comparison):
    found = ops.diff("tileaa")
    assert found.summary == "unroll-loops: 1 lines only in A, 1 only in B"
    assert any("mulf" in row.text for row in found.rows if row.kind == "gone")
    assert any("addf" in row.text for row in found.rows if row.kind == "new")
    assert ops.diff("ptx").removed
    with pytest.raises(ExplorationError, match="A: there is no 'lcim', did you mean 'licm'"):
        ops.diff("lcim")


def test_levels_are_aligned():
    found = compare(explored(SQUARE, opt=0), explored(SQUARE))
    assert found.is_same_program
    only = [pair.name for pair in found.pairs if pair.status == "B only"]
    assert "licm" in only
    assert not [pair for pair in found.pairs if pair.status == "A only"]
    both = [(pair.stage, pair.name) for pair in found.pairs if pair.b is not None]
    assert both == [(step.stage, step.name) for step in found.b.steps]
    # Passes that run for one of them and change nothing are no difference.
    assert found.first is not None
    assert found.first.pair.b is not None
    assert found.first.pair.b.changed


def test_architectures_and_results_of_compile():
    a = tx.compile(SQUARE, gpu="sm_80")
    found = compare(a, explored(SQUARE, gpu="sm_100"))
    assert "for sm_80" in found.titles[0]
    assert "for sm_100" in found.titles[1]
    # That the target is another one is no news.
    assert "target" in {pair.status for pair in found.pairs if pair.stage == "tileaa"}
    assert found.first is not None
    assert found.first.pair.status != "target"
    changed = [row.text for row in found.first.rows if row.kind in ("gone", "new")]
    assert changed
    assert not any("compute_capability" in text for text in changed)


def test_cost(ops: Comparison):
    rows = {name.strip(): (a, b) for name, a, b, _ in ops.table.rows}
    assert rows["kernel"] == ("kernel", "kernel")
    assert rows["threads"][0] == rows["threads"][1]
    assert {"registers", "spilled bytes", "CTAs per SM", "estimated clocks per CTA"} <= set(rows)
    assert "static estimate, not measured" in str(ops)
    resources = explored(SQUARE).resources()
    assert resources[0].instructions["floats"] >= 1
    assert str(resources[0].registers) == rows["registers"][0]


def test_cost_of_a_launch():
    import numpy as np

    data = np.zeros(128 * 4096, np.float32)
    (found,) = explored(SQUARE).resources(grid=4096, args=[data, data.size])
    assert found.estimate is not None
    assert found.estimate.waves == 4096 / (132 * 32)
    assert found.estimate.milliseconds > 0


def test_options_that_change_nothing(ops: Comparison):
    with pytest.raises(ExplorationError, match="compiled already, so gpu would change none"):
        compare(ops.a, ops.b, gpu="sm_100")


def test_programs_that_stop_short():
    broken = program('%y = mulf %x, %x : tile<128xf32>\nassert %n, "n" : tile<i32>')
    with pytest.raises(Exception, match="assert"):
        compare(SQUARE, broken)


def test_notebooks(ops: Comparison):
    shown = ops._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<table>" in shown
    assert "at the end of tileas" in shown
    assert "<script" not in shown


def test_rows_of_tables_keep_the_order_of_both():
    rows = join_cells([{"a": "1", "c": "2"}, {"a": "3", "b": "4", "c": "5", "d": "6"}])
    assert rows == [("a", "1", "3"), ("b", "–", "4"), ("c", "2", "5"), ("d", "–", "6")]
