"""What `tileiras_xdsl.explore` gives: steps, modules, diffs, places, and runs."""

import json
import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError, explore
from tileiras_xdsl.inspection.exploration.provenance import get_marks
from tileiras_xdsl.interpreter.run import entries_of
from tileiras_xdsl.pipeline import MODULE_STAGES, select_steps
from tileiras_xdsl.xdsl_extras.aliases import print_ir, wrap

VECTOR = "tensor_view<?xf32, strides=[1]>"
VIEW = f"partition_view<tile=(64), {VECTOR}>"

# Two products that are equal, of which `cse` keeps one; one op that nothing uses.
PROGRAM = f"""
cuda_tile.module @m {{
  entry @scale(%a: tile<ptr<f32>>, %n: tile<i32>) {{
    %vector = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> {VECTOR}
    %tiles = make_partition_view %vector : {VIEW}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %t = load_view_tko weak %tiles[%i] : {VIEW}, tile<i32> -> tile<64xf32>, token
    %dead = negf %x : tile<64xf32>
    %y = mulf %x, %x : tile<64xf32>
    %again = mulf %x, %x : tile<64xf32>
    %z = addf %y, %again : tile<64xf32>
    %s = store_view_tko weak %z, %tiles[%i] token = %t : tile<64xf32>, {VIEW}, tile<i32> -> token
    return
  }}
}}
"""

# There must be an agent that works on tiles.
FAILING = """
"gpu.module"() <{sym_name = "m"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "nv_tileas.async.pipeline.agent_switch"() <{
      num_warps = array<i32: 4>, warp_id = array<i32: 4>
    }> ({
      nv_tileas.async.pipeline.yield
    }) : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "no_first_warp", nv_tileas.num_warps = 4 : i32} : () -> ()
}) : () -> ()
"""


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(PROGRAM)


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def test_the_package_is_the_function():
    import tileiras_xdsl.inspection.exploration.exploration as module

    result: Any = tx.explore(PROGRAM, opt=0)
    assert isinstance(result, module.Exploration)


def test_every_pass_is_a_step(explored: Exploration):
    names = [step.name for step in select_steps(arch="sm_90a")]
    assert [step.name for step in explored.steps] == ["read", *names]
    assert explored.stages == MODULE_STAGES
    assert explored.error is None
    assert all(step.time > 0 for step in explored.steps)


def test_steps_that_changed_nothing(explored: Exploration):
    verified = explored.step("verify-cuda-tile-input")
    assert not verified.changed
    assert verified.same_as == 0
    assert verified.text == explored.step("read").text
    merged = explored.step(("cse", "cuda-tile"))
    assert merged.changed
    assert merged.same_as == merged.index
    assert merged.ops == explored.steps[merged.index - 1].ops - 1


def test_modules_are_copies(explored: Exploration):
    module = explored["tileaa"]
    for op in list(module.ops):
        op.detach()
    assert explored["tileaa"].ops.first is not None
    explored["tileas"].verify()


def test_modules_by_pass(explored: Exploration):
    before = explored.after("canonicalize")
    assert [op.name for op in before.walk()].count("cuda_tile.mulf") == 2
    after = explored.after("cse", "cuda-tile")
    assert [op.name for op in after.walk()].count("cuda_tile.mulf") == 1


def test_what_is_not_there(explored: Exploration):
    with pytest.raises(
        ExplorationError, match=r"2 passes 'cse', say which: \('cse', 'cuda-tile'\)"
    ):
        explored.after("cse")
    with pytest.raises(KeyError, match="there is no 'nonsense' among the stages cuda-tile, tileaa"):
        explored["nonsense"]
    with pytest.raises(ExplorationError, match="there is no 'cse of nvgpu'"):
        explored.after("cse", "nvgpu")
    with pytest.raises(ExplorationError, match="there is no step 1000"):
        explored.step(1000)
    nothing: Any = None
    with pytest.raises(ExplorationError, match=r"a step is a stage, a pass, .*, not None"):
        explored.step(nothing)
    with pytest.raises(ExplorationError, match=r"say an op, a line such as .*, not None"):
        explored.where(nothing)
    with pytest.raises(ExplorationError, match=r"read has \d+ lines, not 1000"):
        explored.where(("read", 1000))


def test_texts_are_those_of_other_tools(explored: Exploration):
    for step in explored.steps:
        assert step.text == wrap(print_ir(step.module, short=True))


def test_diff(explored: Exploration):
    diff = explored.diff("cse", "cuda-tile")
    assert diff
    assert re.search(r"^-.*%again = cuda_tile\.mulf", str(diff), re.MULTILINE)
    assert (diff.removed, diff.added, diff.moved) == (1, 0, 0)
    html = diff._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "1 removed" in html
    assert "-&gt; !tile_64xf32" in html
    assert "->" not in html
    nothing = explored.diff("loop-split")
    assert not nothing
    assert str(nothing) == "loop-split changed nothing"


def test_search(explored: Exploration):
    hits = explored.search("MULF", ("cse", "cuda-tile"))
    assert len(hits) == 1
    assert hits[0].op is not None
    assert hits[0].op.name == "cuda_tile.mulf"
    assert "mulf" in str(hits)
    assert {hit.step.stage for hit in explored.search(re.compile(r"\bfmul\b|mulf"))} == {
        "cuda-tile",
        "tileaa",
        "tileas",
        "nvgpu",
        "nvvm",
    }
    assert repr(explored.search("nonsense")) == "nowhere"


def test_where_an_op_came_from(explored: Exploration):
    product = find(explored["nvvm"], "llvm.fmul")
    assert [place.text.split()[0] for place in explored.origins(product)] == ["%y", "%again"]
    found = explored.where(product)
    assert found.gone is None
    assert "cuda_tile.mulf" in str(found)
    assert ["nv_tileaa.mulf" in place.text for place in found.became["tileaa"]] == [True]
    # By a line, and by a place.
    place = explored.search("mulf", "tileas")[0]
    assert explored.where(place).marks == found.marks
    assert explored.where(("tileas", place.line)).marks == found.marks
    assert explored.where(found.marks[0]).origins[0] == found.origins[0]
    assert not explored.where(explored.steps[0].ops + 1).origins


def test_an_op_that_was_merged_lives_on_in_its_equal(explored: Exploration):
    again = explored.search("%again", "read")[0]
    became = explored.became(again, ("cse", "cuda-tile"))
    assert [place.text.split()[0] for place in became] == ["%y"]


def test_an_op_that_is_gone(explored: Exploration):
    found = explored.where(explored.search("%dead", "read")[0])
    assert found.gone is not None
    assert found.gone.name == "canonicalize"
    assert str(found).endswith("removed by canonicalize")
    assert not found.became["nvvm"]


def test_every_op_of_every_stage_came_from_somewhere(explored: Exploration):
    for step in explored.steps:
        assert all(map(get_marks, step.snapshot.module.walk())), step.name
    marks = {mark for op in explored["nvvm"].walk() for mark in get_marks(op)}
    first = {mark for op in explored["cuda-tile"].walk() for mark in get_marks(op)}
    assert marks <= first


@pytest.mark.parametrize("stage", [*MODULE_STAGES, "tileas-assign-load-store-layouts"])
def test_run(explored: Exploration, stage: str):
    a = np.arange(128, dtype=np.float32)
    explored.run(2, [a, 128], step=stage)
    np.testing.assert_array_equal(a, 2 * np.arange(128, dtype=np.float32) ** 2)


def test_run_needs_arguments(explored: Exploration):
    with pytest.raises(ExplorationError, match="say what it runs on"):
        explored.run(1, step="tileaa")


def test_table(explored: Exploration):
    table = str(explored)
    assert table.startswith("<text> for sm_90 at -O3\n")
    assert re.search(r"^tileaa +convert-cuda-tile-to-tileaa +\d+\.\d +\d+", table, re.MULTILINE)
    assert re.search(r"^ +loop-split +\d+\.\d +·$", table, re.MULTILINE)
    assert repr(explored) == table


def test_options():
    explored = explore(PROGRAM, gpu="sm_80", opt=0)
    assert "canonicalize" not in {step.name for step in explored.steps}
    assert str(explored).startswith("<text> for sm_80 at -O0\n")


def test_input_of_a_later_stage(explored: Exploration):
    later = explore(explored["tileas"])
    assert later.stages == ("tileas", "nvgpu", "nvvm")
    assert "scale" in entries_of(later["tileas"])
    with pytest.raises(ExplorationError, match="there is no 'tileaa'"):
        later["tileaa"]


def test_a_program_that_fails_on_its_way():
    explored = explore(FAILING)
    reason = "expects a consumer of 4 warps"
    assert reason in str(explored).splitlines()[-1]
    assert explored.stages == ("tileas",)
    with pytest.raises(ExplorationError, match=f"does not reach 'nvvm': .*{reason}"):
        explored["nvvm"]
    with pytest.raises(CompileError, match=reason):
        _ = explored.ptx
    data = explored.to_data()
    assert reason in data["error"]
    assert data["texts"] == []


def test_what_is_no_program():
    with pytest.raises(CompileError, match="error"):
        explore("cuda_tile.module @m {")


# Data


def test_data(explored: Exploration):
    data: dict[str, Any] = json.loads(json.dumps(explored.to_data()))
    assert data["title"] == "<text>"
    assert data["options"] == {"gpu": "sm_90", "opt": 3, "abi": "device-maps"}
    assert data["error"] is None
    strings: list[str] = data["strings"]
    assert len(set(strings)) == len(strings)
    for step, entry in zip(explored.steps, data["steps"], strict=True):
        assert (entry["name"], entry["stage"], entry["ops"]) == (step.name, step.stage, step.ops)
        if not step.changed:
            assert entry["same_as"] == step.same_as
            assert "lines" not in entry
            continue
        lines: list[int] = entry["lines"]
        assert "\n".join(strings[number] for number in lines) == step.text
        assert len(entry["marks"]) == len(lines)
    assert [text["name"] for text in data["texts"]][:2] == ["llvm", "ptx"]
    for picture in data["pictures"]:
        assert picture["svg"].startswith("<svg")
        assert 0 <= picture["step"] < len(explored.steps)
    assert {"layout", "control-flow"} <= {picture["kind"] for picture in data["pictures"]}


def test_data_without_texts_and_pictures(explored: Exploration):
    data = explored.to_data(texts=False, pictures=False)
    assert data["texts"] == data["pictures"] == []
