"""Plans: what rules propose, how the model ranks it, and that passes follow."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.dialects.nv_tileas.plan import Plan, get_plan
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError
from tileiras_xdsl.plan import rules
from tileiras_xdsl.plan.candidates import PlannedKernel, find_rules, propose, read_plan
from tileiras_xdsl.plan.ranking import (
    RankedPlan,
    _judge,  # pyright: ignore[reportPrivateUsage]
    why_not_followed,
)
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.expected_code import expect_code

CHOSEN = Plan(warps=8, occupancy=1, stages=4, persistent=1, ping_pong=0, cluster=1)
KERNEL = PlannedKernel(
    CHOSEN, target_of(ComputeCapability.parse("sm_90a")), has_wgmma=True, host_maps=True
)


def plan_of(exploration: Exploration) -> Plan:
    """What passes made of the only kernel of a program."""
    module = exploration["tileas"]
    (function,) = kernels(module)
    return read_plan(function, get_target(module))


@pytest.fixture(scope="module")
def gemm() -> Exploration:
    return tx.explore(tx.examples["gemm"], gpu="H200")


@pytest.fixture(scope="module")
def softmax() -> Exploration:
    return tx.explore(tx.examples["softmax"], gpu="H200")


# Rules


def test_rules_are_the_files_of_the_folder():
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}
    assert set(find_rules()) == files


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "width",
            [
                replace(CHOSEN, warps=4, occupancy=None, stages=None),
                replace(CHOSEN, warps=16, occupancy=None, stages=None),
            ],
        ),
        ("residency", [replace(CHOSEN, occupancy=2, stages=None)]),
        ("buffering", [replace(CHOSEN, stages=stages) for stages in (3, 5, 2)]),
        ("persistence", [replace(CHOSEN, persistent=0)]),
        ("ping_pong", [replace(CHOSEN, ping_pong=1)]),
        ("clusters", [replace(CHOSEN, cluster=2, stages=None)]),
        ("splitting", []),
    ],
)
def test_what_a_rule_proposes(rule: str, expected: list[Plan]):
    assert list(find_rules()[rule](KERNEL)) == expected


@pytest.mark.parametrize(
    ("rule", "field", "chosen", "expected"),
    [
        ("width", "warps", None, [2]),
        ("residency", "occupancy", None, [2]),
        ("residency", "occupancy", 6, [3, 12]),
        ("buffering", "stages", None, []),
        ("buffering", "stages", 2, [3, 2]),
        ("persistence", "persistent", None, [1]),
        ("ping_pong", "ping_pong", None, [1]),
        ("ping_pong", "ping_pong", 1, [0]),
        ("clusters", "cluster", None, [2]),
        ("clusters", "cluster", 2, [1]),
    ],
)
def test_what_a_rule_makes_of_a_number(
    rule: str, field: str, chosen: int | None, expected: list[int]
):
    fields: dict[str, Any] = {field: chosen}
    kernel = replace(KERNEL, chosen=replace(CHOSEN, **fields))
    assert [getattr(plan, field) for plan in find_rules()[rule](kernel)] == expected


def test_rules_about_wgmma_leave_other_kernels_alone():
    simple = replace(KERNEL, has_wgmma=False)
    rules = {"width", "residency", "buffering", "splitting"}
    assert {each.rule for each in propose(simple)} == rules


@pytest.mark.parametrize(("warps", "expected"), [(16, [(8, 2)]), (1, []), (None, [])])
def test_as_many_threads_in_twice_the_ctas(warps: int | None, expected: list[tuple[int, int]]):
    chosen = replace(CHOSEN, warps=warps, occupancy=1)
    found = find_rules()["splitting"](replace(KERNEL, chosen=chosen, has_wgmma=False))
    assert [(each.warps, each.occupancy) for each in found] == expected


def test_a_plan_is_proposed_once_and_never_the_chosen_one():
    def same(kernel: PlannedKernel) -> Iterator[Plan]:
        yield kernel.chosen
        yield replace(kernel.chosen, stages=3)

    found = propose(KERNEL, [same])
    plans = [each.plan for each in found]
    assert CHOSEN not in plans
    assert len(plans) == len(set(plans))
    assert next(each.rule for each in found if each.plan.stages == 3) == "buffering"


# The table


@pytest.mark.part("explorer")
def test_the_table_has_the_chosen_plan_and_why_others_lose(gemm: Exploration):
    example = tx.examples["gemm"]
    found = gemm.plans(example.grid, example.make_args())
    assert found.chosen.plan == plan_of(gemm)
    assert [each.is_chosen for each in found].count(True) == 1
    priced = [each for each in found if each.cost is not None]
    assert len(priced) >= 6
    assert [each.cost for each in priced] == sorted(each.cost or 0 for each in priced)
    assert found.best is priced[0]
    assert all(each.why for each in found if not each.is_chosen)
    text = str(found)
    assert "chosen" in text
    assert "becomes ping_pong=0 (in no loop threads work on the results of its WGMMAs)" in text
    assert "<td" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.part("explorer")
def test_the_best_plan_costs_what_was_predicted(softmax: Exploration):
    example = tx.examples["softmax"]
    args = example.make_args()
    found = softmax.plans(example.grid, args)
    for row in (found.best, found.chosen):
        planned = softmax.with_plan(row.plan)
        (made,) = planned.predict(example.grid, args)
        assert row.microseconds == pytest.approx(made.prediction.microseconds, rel=0.1)


def test_a_rule_of_a_user(softmax: Exploration):
    def four_warps(kernel: PlannedKernel) -> Iterator[Plan]:
        yield Plan(warps=4, stages=3)

    found = softmax.plans(rules=[four_warps])
    (mine,) = [each for each in found if each.rule == "four_warps"]
    assert mine.plan.warps == 4
    assert mine.plan.stages == 3
    assert mine.why


RULE_FILE = """
from dataclasses import replace


def propose(kernel):
    \"\"\"Each warp for itself.\"\"\"
    yield replace(kernel.chosen, warps=1, occupancy=None, stages=None)
"""


def test_a_file_of_the_folder_is_a_rule(
    softmax: Exploration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Nothing else is changed: it is among the candidates, and loses or wins with a reason."""
    (tmp_path / "alone.py").write_text(RULE_FILE)
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    find_rules.cache_clear()
    example = tx.examples["softmax"]
    try:
        found = softmax.plans(example.grid, example.make_args())
    finally:
        find_rules.cache_clear()
        sys.modules.pop(f"{rules.__name__}.alone", None)
    (mine,) = [each for each in found if each.rule == "alone"]
    assert mine.plan.warps == 1
    assert mine.cost is not None
    assert mine.limit
    assert re.fullmatch(r"\d+% slower, limited by .+|predicted (\d+% faster|as fast)", mine.why)
    assert (found.best is mine) == (mine.cost < (found.chosen.cost or 0))


def no_yield(kernel: PlannedKernel) -> None:
    replace(kernel.chosen, warps=4)


def a_number(kernel: PlannedKernel) -> Iterator[int]:
    yield 4


def six_warps(kernel: PlannedKernel) -> Iterator[Plan]:
    yield Plan(warps=6)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (no_yield, "the rule 'no_yield' has to yield plans, but it returned None"),
        (a_number, "the rule 'a_number' has to yield plans, but it yielded 4"),
        (six_warps, "the rule 'six_warps' yielded a plan that needs a power of two for warps"),
    ],
)
def test_rules_that_yield_no_plans(softmax: Exploration, rule: Any, message: str):
    with pytest.raises(ExplorationError, match=message):
        softmax.plans(rules=[rule])


@pytest.mark.part("explorer")
@pytest.mark.parametrize(
    ("fields", "spills"),
    [
        ({"warps": 4, "occupancy": 3}, False),
        ({"warps": 4, "occupancy": 16}, True),
        ({"warps": 2, "occupancy": 16}, True),
        ({"warps": 1, "occupancy": 8}, True),
    ],
)
def test_registers_are_expected_before_ptxas_runs(
    softmax: Exploration, oracle_program: Any, fields: dict[str, Any], *, spills: bool
):
    oracle_program("ptxas")
    planned = softmax.with_plan(**fields)
    module = planned["tileas"]
    (function,) = kernels(module)
    expected = expect_code(function, get_target(module))
    (found,) = planned.resources()
    assert expected.ctas == found.occupancy.ctas
    assert bool(expected.spills.stored) == bool(found.spills) == spills


@pytest.mark.part("explorer")
def test_without_a_launch_there_are_clocks(softmax: Exploration):
    found = softmax.plans()
    assert all(each.clocks for each in found if not each.why.startswith(("becomes", "refused")))


def test_without_a_launch_the_passes_know_best():
    """Clocks of a persistent CTA are those of many tiles."""
    plans = tx.explore(tx.examples["gemm"], gpu="H200").plans()
    assert plans.best.rule == ""
    assert min(row.cost for row in plans if row.cost) < (plans.best.cost or 0)
    assert not any("faster" in row.why for row in plans)


def test_kernels_are_named_where_there_are_several(tmp_path: Path):
    one = (
        "entry @NAME(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>>) {\n"
        "  %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n"
        "  %s = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token\n"
        "  return\n}\n"
    ).replace("!cuda_tile.", "")
    path = tmp_path / "two.mlir"
    path.write_text(
        f"cuda_tile.module @m {{ {one.replace('NAME', 'a')} {one.replace('NAME', 'b')} }}"
    )
    s = tx.explore(path, gpu="H200")
    with pytest.raises(ExplorationError, match="plans are those of one kernel: name one of a, b"):
        s.plans()
    assert s.plans(entry="b").chosen.plan.warps


# Passes follow


@pytest.mark.parametrize(
    "fields",
    [
        {"warps": 4},
        {"stages": 2},
        {"stages": 3, "occupancy": 2},
        {"persistent": 0},
        {"warps": 16},
    ],
    ids=str,
)
def test_gemm_follows(gemm: Exploration, fields: dict[str, int]):
    became = plan_of(gemm.with_plan(Plan(), entry=None, **fields)).get_fields()
    if fields.get("occupancy") == 2:
        # Three stages of each do not fit into the shared memory of an SM.
        fields = {"occupancy": 2}
    assert {name: became[name] for name in fields} == fields


@pytest.mark.parametrize("fields", [{"warps": 4}, {"warps": 16}, {"stages": 3}], ids=str)
def test_softmax_follows(softmax: Exploration, fields: dict[str, int]):
    became = plan_of(softmax.with_plan(Plan(), entry=None, **fields)).get_fields()
    assert {name: became[name] for name in fields} == fields


def test_stages_that_do_not_fit(softmax: Exploration):
    planned = softmax.with_plan(stages=4)
    assert plan_of(planned).stages == 3
    (reason,) = [each.reason for each in planned.remarks if each.name == "Stages" and each.reason]
    assert reason == "no more fit into shared memory"


def test_a_plan_may_ask_for_ctas_whose_threads_spill(softmax: Exploration):
    planned = softmax.with_plan(occupancy=8)
    assert plan_of(planned).occupancy == 8
    (resources,) = planned.resources()
    assert resources.spills


def test_the_plan_of_one_cta_per_sm_says_so():
    """Asked for again, it is followed: there are no registers for as many CTAs as threads."""
    text = """
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %k = constant <i32: 0> : tile<i32>
    %m = make_tensor_view %p, shape = [32768], strides = [1] : tensor_view<32768xf32, strides=[1]>
    %v = make_partition_view %m
        : partition_view<tile=(32768), tensor_view<32768xf32, strides=[1]>>
    %x, %t = load_view_tko weak %v[%k]
        : partition_view<tile=(32768), tensor_view<32768xf32, strides=[1]>>, tile<i32>
        -> tile<32768xf32>, token
    %s = reduce %x dim=0 identities=[0.0 : f32] : tile<32768xf32> -> tile<f32>
      (%a: tile<f32>, %b: tile<f32>) {
        %c = addf %a, %b : tile<f32>
        yield %c : tile<f32>
      }
    %r = reshape %s : tile<f32> -> tile<1xf32>
    %w = broadcast %r : tile<1xf32> -> tile<32768xf32>
    %y = subf %x, %w : tile<32768xf32>
    %u = store_view_tko weak %y, %v[%k]
        : tile<32768xf32>, partition_view<tile=(32768), tensor_view<32768xf32, strides=[1]>>,
          tile<i32> -> token
    return
  }
}
"""
    explored = tx.explore(text, gpu="H200")
    chosen = plan_of(explored)
    assert chosen.occupancy == 1
    assert plan_of(explored.with_plan(chosen)) == chosen


@pytest.mark.parametrize(
    ("fields", "became"),
    [
        ({"persistent": 1}, "persistent=0"),
        ({"ping_pong": 1}, "ping_pong=0"),
        ({"cluster": 2}, "cluster=1"),
        ({"occupancy": 64}, "occupancy=8 (an SM holds 2048 threads and 32 CTAs, "),
        ({"stages": 4}, "stages=3 (no more fit into shared memory)"),
    ],
    ids=str,
)
def test_what_is_not_followed_is_a_remark(
    softmax: Exploration, fields: dict[str, int], became: str
):
    planned = softmax.with_plan(Plan(), entry=None, **fields)
    (found,) = planned.remarks.select("Missed", "Plan")
    assert found.message == f"plan {Plan(**fields)} is not followed"
    assert found.reason.startswith(f"becomes {became}")
    assert str(found) in str(planned)


def test_no_remark_on_what_is_followed(softmax: Exploration):
    assert not softmax.remarks.select(category="Plan")
    assert not softmax.with_plan(warps=4).remarks.select(category="Plan")


def test_a_pipeline_that_ends_early_has_not_decided():
    s = tx.explore(
        tx.examples["softmax"],
        gpu="H200",
        passes=[
            "convert-cuda-tile-to-tileaa",
            "verify-no-cuda-tile",
            "convert-tileaa-to-tileas",
        ],
    )
    assert not s.with_plan(persistent=1).remarks.select(category="Plan")


def test_a_plan_is_in_the_ir(softmax: Exploration):
    planned = softmax.with_plan(Plan(warps=4), stages=3)
    (function,) = kernels(planned.after("tileas-plan"))
    assert get_plan(function) == Plan(warps=4, stages=3)
    assert "#nv_tileas.kernel_plan<warps = 4, stages = 3>" in str(planned.after("tileas-plan"))


def test_what_is_no_plan(softmax: Exploration):
    for given in ("warps=4", softmax.plans()):
        with pytest.raises(ExplorationError, match="a plan is a row of the table of plans, a Plan"):
            softmax.with_plan(cast("Plan", given))


@pytest.mark.part("explorer")
def test_a_plan_is_compiled(softmax: Exploration):
    row = next(each for each in softmax.plans() if each.plan.warps == 4)
    assert softmax.with_plan(row).compile().launch_record.threads == (128, 1, 1)
    assert softmax.compile().launch_record.threads == (256, 1, 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"warp": 4}, "a plan has no 'warp', but warps, occupancy, stages, persistent"),
        ({"warps": 6}, "a plan needs a power of two for warps, but got 6"),
        ({"stages": 2.5}, "a plan has whole numbers, but got stages=2.5"),
        ({"stages": 0}, "a plan needs stages of at least 1, but got 0"),
        ({"ping_pong": 2}, "a plan has ping_pong of 0 or 1, but got 2"),
    ],
)
def test_wrong_plans(softmax: Exploration, fields: dict[str, Any], message: str):
    with pytest.raises(ExplorationError, match=message):
        softmax.with_plan(Plan(), entry=None, **fields)


# Words


@pytest.mark.parametrize(
    ("microseconds", "why"),
    [
        (2.004, "predicted as fast"),
        (1.996, "predicted as fast"),
        (2.02, "1% slower, limited by L2"),
        (1.9, "predicted 5% faster"),
    ],
)
def test_a_difference_of_no_percent_is_none(microseconds: float, why: str):
    chosen = RankedPlan(CHOSEN, "", 2.0, 100.0, "L2", "")
    row = replace(chosen, rule="width", microseconds=microseconds)
    assert _judge(row, chosen).why == why


def test_what_a_plan_became():
    assert why_not_followed(CHOSEN, CHOSEN, []) == ""
    asked = replace(CHOSEN, stages=9)
    assert why_not_followed(asked, CHOSEN, []) == "becomes stages=4"


def test_the_cost_of_a_row_is_its_time_or_its_clocks():
    row = RankedPlan(CHOSEN, "width", 2.0, 100.0, "L2", "")
    assert row.cost == 2.0
    assert replace(row, microseconds=None).cost == 100.0
