"""Editing a program on its way, and going on."""

import re
from dataclasses import fields
from inspect import signature
from typing import Any

import pytest
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.gpu import FuncOp

import tileiras_xdsl as tx
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas.decisions import get_schedule
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.inspection.exploration.edits import EditError, EditSchedule, as_layout
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..transforms.test_warpgroup_kernels import Attention

SCHEDULED = "tileas-generate-schedule"
LAID_OUT = "tileas-assign-load-store-layouts"


@pytest.fixture(scope="module")
def gemm() -> Exploration:
    return tx.explore(tx.examples["gemm"])


@pytest.fixture(scope="module")
def attention() -> Exploration:
    return tx.explore(tx.examples["attention"])


def stages(explored: Exploration) -> list[int]:
    found = find_all(explored["tileas"], CreatePipelineOp)
    return [op.num_stages.value.data for op in found]


def test_schedule(gemm: Exploration):
    edited = gemm.with_schedule(stages=3)
    assert (stages(gemm), stages(edited)) == ([5], [3])
    assert edited.error is None
    assert edited.diff("edit-schedule").added == 1
    assert edited.step("edit-schedule").stage == "tileas"
    # The picture of what was edited, cost, and the result.
    (picture,) = edited.pictures("edit-schedule")
    assert "loop of 3 stages" in picture.text
    found = tx.compare(gemm, edited)
    assert found.first is not None
    assert found.first.pair.name == "edit-schedule"
    rows = {name: (a, b) for name, a, b, _ in found.table.rows}
    assert rows["shared memory, bytes"][0] != rows["shared memory, bytes"][1]
    example = tx.examples["gemm"]
    args = example.make_args()
    edited.run(example.grid, args, step="tileas")
    example.check(args)


def test_edits_of_edits(gemm: Exploration):
    edited = gemm.with_schedule(stages=3).edit("edit-schedule", stages=2)
    assert [step.name for step in edited.steps].count("edit-schedule") == 2
    assert stages(edited) == [2]


def test_agents(gemm: Exploration):
    edited = gemm.with_schedule(producer_warps=4, registers=(40, 232))
    assert edited.error is None
    assert "num_warps = array<i32: 4, 8>" in edited.step("tileas").text


def test_turns():
    """Each number alone makes a schedule that verifies."""
    # Two CTAs on an SM would not take turns.
    wide = tx.explore(Attention("f16", 128, 64, 64).text()).with_plan(occupancy=1)

    (function,) = find_all(wide[SCHEDULED], FuncOp)
    chosen = get_schedule(function)
    assert chosen is not None
    assert (chosen.ping_pong, chosen.exclusive) == (2, 1)
    options: dict[str, Any]
    for options, expected in (
        ({"exclusive": False}, (2, None)),
        ({"ping_pong": 0}, (None, None)),
    ):
        edited = wide.with_schedule(**options)
        assert edited.error is None
        (function,) = find_all(edited["edit-schedule"], FuncOp)
        found = get_schedule(function)
        assert found is not None
        assert (found.ping_pong, found.exclusive) == expected
    with pytest.raises(CompileError, match="has exclusive = 1 with ping_pong only"):
        wide.with_schedule(ping_pong=0, exclusive=True)


def test_all_options_of_schedules():
    """What `edit` takes, `with_schedule` takes as well."""
    given = {*signature(Exploration.with_schedule).parameters} - {"self"}
    assert given == {each.name for each in fields(EditSchedule)}


def test_order(attention: Exploration):
    step = attention.step(SCHEDULED)
    ops = {
        line + 1: ops[0]
        for line, ops in step.snapshot.listing.ops.items()
        if "nv_tileas.stage" in ops[0].attributes
    }
    names: dict[str, int] = {}
    for line, op in ops.items():
        names.setdefault(op.name, line)
    wrong = [names["nv_tileas.reduce"], names["nv_tileaa.mulf"]]
    with pytest.raises(CompileError, match=r"'nv_tile.*' op cannot come after an op that uses its"):
        attention.with_schedule(order=wrong)
    with pytest.raises(CompileError, match=r"'nv_tileas.reduce' op is in 'order' twice"):
        attention.with_schedule(order=[wrong[0], wrong[0]])
    plain = attention.with_schedule(pipelined=False)
    assert plain.error is None
    assert len(plain.search("async.dot", "tileas")) < len(attention.search("async.dot", "tileas"))


def test_order_of_loads(attention: Exploration):
    # The loads of the software-pipelined loop, of which the first one reads the next iteration's.
    loads = [hit for hit in attention.search("tiled_load", SCHEDULED) if "hoistable" in hit.text]
    keys, values = loads[-2:]
    edited = attention.with_schedule(order=[values, keys])
    assert edited.error is None

    def views(explored: Exploration) -> list[str]:
        """What the producer loads in an iteration."""
        texts = [hit.text for hit in explored.search("tiled_load", "tileas")]
        return [text.partition("[")[0].split()[-1] for text in texts if "hoistable" in text]

    before, after = views(attention), views(edited)
    assert sorted(before) == sorted(after)
    assert before != after
    # A line that continues the one before is of the same op.
    assert views(attention.with_schedule(order=[values.line + 1, keys.line])) == after


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": [2, 2]}, "the schedule has 1 pipeline, but 'stages' has 2 numbers"),
        ({"stages": 0}, "'gpu.func' op @gemm: 'nv_tileas.schedule' needs a list of positive"),
        ({"order": [1]}, "there is no op on line 1"),
        ({"pipelined": False}, "no loop is software-pipelined, so 'pipelined' has nothing"),
        ({"mma_warps": 1}, "only kernels with 'tcgen05.mma' have an MMA agent"),
        ({"entry": "other", "stages": 2}, "error: no kernel @other has a schedule"),
    ],
)
def test_wrong_schedules(gemm: Exploration, options: dict[str, Any], message: str):
    with pytest.raises(CompileError, match=re.escape(message)):
        gemm.with_schedule(**options)


def test_what_goes_wrong_later(gemm: Exploration):
    edited = gemm.with_schedule(stages=40)
    assert "bytes of shared memory, but sm_90a has" in str(edited.error)
    assert "use at most 6 buffer stages, or smaller tiles" in str(edited.error)
    assert edited.steps[-1].name == "tileas-materialize-convert-layout"


def test_wrong_edits(gemm: Exploration):
    with pytest.raises(EditError, match="an edit has no option 'stagse', did you mean 'stages'"):
        gemm.edit(SCHEDULED, stagse=3)
    wrong: dict[str, Any] = {"stagse": 3}
    with pytest.raises(TypeError, match=r"there is no 'stagse' .did you mean 'stages'"):
        gemm.with_schedule(**wrong)
    with pytest.raises(EditError, match=r"stages cannot be '3', expected such as stages=3 or"):
        gemm.edit(SCHEDULED, stages="3")
    with pytest.raises(EditError, match=r"registers cannot be 240, expected such as registers="):
        gemm.edit(SCHEDULED, registers=240)
    with pytest.raises(EditError, match="not several of them"):
        gemm.edit(SCHEDULED, "text", stages=3)
    with pytest.raises(EditError, match="say what to edit after tileas-generate-schedule: a"):
        gemm.edit(SCHEDULED)
    with pytest.raises(EditError, match="layouts are by alias or line"):
        gemm.edit(SCHEDULED, layouts=["#mma0"])


def test_text(gemm: Exploration):
    text = gemm.step(SCHEDULED).text
    same = gemm.replace(SCHEDULED, text)
    assert not same.diff("edit-text")
    edited = gemm.replace(SCHEDULED, text.replace("stages = [5]", "stages = [2]"))
    assert stages(edited) == [2]
    # Ops are still known by where they came from.
    (mma,) = edited.search("wgmma.mma_async", "nvvm")
    assert "cuda_tile.mmaf" in str(edited.origins(mma))
    with pytest.raises(CompileError, match=r"<edited>:\d+:\d+: error: .*nv_tileas.dott"):
        gemm.replace(SCHEDULED, text.replace("nv_tileas.dot ", "nv_tileas.dott "))
    with pytest.raises(CompileError, match="the text is of the stage nvgpu, not of tileas"):
        gemm.replace(SCHEDULED, gemm.step("nvgpu").text)


def test_functions(gemm: Exploration):
    def shorten(module: object) -> None:
        for op in find_all(module, CreatePipelineOp):  # pyright: ignore[reportArgumentType]
            op.properties["numStages"] = IntegerAttr(4, i32)

    edited = gemm.edit("tileas-materialize-schedule", shorten)
    assert stages(edited) == [4]
    assert edited.step("edit-ops").changed


def test_layouts():
    softmax = tx.explore(tx.examples["softmax"])
    columns = [1 << bit for bit in range(12)]
    bases = {
        "register": [*([0, each] for each in columns[:3]), *([1 << bit, 0] for bit in range(2))],
        "lane": [[0, each] for each in columns[3:8]],
        "warp": [[0, each] for each in columns[8:]],
    }
    text = f"#nv_tileas.layout<{', '.join(f'{name} = {rows}' for name, rows in bases.items())}>"
    edited = softmax.edit(LAID_OUT, layouts={"#blocked0": text})
    assert edited.error is None
    assert edited.diff("edit-layouts")
    assert any("4x4096" in each.title for each in edited.pictures("edit-layouts"))
    layout = as_layout(text).get_layout((4, 4096))
    assert isinstance(layout, LinearLayout)
    assert as_layout(layout) == as_layout(text)
    with pytest.raises(CompileError, match=r"no layout '#other' \(there are #blocked0"):
        softmax.edit(LAID_OUT, layouts={"#other": text})
    with pytest.raises(CompileError, match="the layout has no place for some elements"):
        softmax.edit(LAID_OUT, layouts={"#blocked0": text.replace("[0, 2]", "[0, 1]")})
    (line, *_) = (hit.line for hit in softmax.search("tiled_load", LAID_OUT))
    with pytest.raises(CompileError, match="is no layout"):
        softmax.edit(LAID_OUT, layouts={line: "#nv_tileas.layout<register"})
