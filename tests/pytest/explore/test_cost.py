"""Clocks and bytes of ops, from tiles to PTX."""

import re

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.cost.threads import find_producer_blocks
from tileiras_xdsl.inspection.exploration.cost import CostError, Costs
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError

STAGES = ("tileas", "nvgpu", "nvvm", "ptx")


IN_PAIRS = {"after:tileas-dynamic-persistent": "tileas-coarsen-thread-blocks"}
"""Most of the kernel is there twice, in branches of which one is taken."""


@pytest.fixture(
    scope="module",
    params=[("gemm", "sm_90", None), ("gemm", "sm_90", IN_PAIRS), ("matmul", "sm_80", None)],
    ids=["gemm", "gemm in pairs", "matmul"],
)
def explored(request: pytest.FixtureRequest) -> Exploration:
    name, gpu, insert = request.param
    return tx.explore(tx.examples[name], gpu=gpu, insert=insert)


@pytest.fixture(scope="module")
def costs(explored: Exploration) -> dict[str, Costs]:
    return {stage: explored.cost(step=stage) for stage in STAGES}


def total(costs: Costs, unit: str) -> float:
    return sum(cost.total for cost in costs.costs if cost is not None and cost.unit == unit)


def test_products_cost_the_same_at_every_level(costs: dict[str, Costs]):
    wanted = total(costs["tileas"], "tensor cores")
    assert wanted > 0
    for stage in STAGES:
        assert total(costs[stage], "tensor cores") == pytest.approx(wanted)


def test_what_is_loaded_is_the_same_at_every_level(explored: Exploration, costs: dict[str, Costs]):
    """But for what a store takes beside shared memory, and what tensor maps take."""
    wanted = total(costs["nvgpu"], "L2")
    for stage in STAGES[1:]:
        assert total(costs[stage], "L2") == pytest.approx(wanted, rel=0.01)
    assert total(costs["tileas"], "L2") == pytest.approx(wanted, rel=0.05)


def test_queries(explored: Exploration, costs: dict[str, Costs]):
    found = costs["tileas"]
    (hit, *_) = explored.search("dot ", "tileas")
    cost = found[hit.line]
    assert cost is not None
    assert (cost.unit, cost.times > 1) == ("tensor cores", True)
    assert found.of(hit) == cost
    dot = next(op for op in explored["tileas"].walk() if op.name.endswith(".dot"))
    of_op = found.of(dot)
    assert of_op is not None
    assert of_op.clocks >= cost.clocks
    lines = [line for line, _ in found.heaviest]
    assert hit.line in lines[:4]
    works = [cost.total > 0 for _, cost in found.heaviest]
    assert works == sorted(works, reverse=True), "waiting is no work"
    with pytest.raises(CostError, match="lines, not 0"):
        found[0]
    assert "static estimate, not measured" in str(found)
    assert len(found.annotated.splitlines()) == len(found.lines) + 1
    assert "<table>" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_the_producer_is_one_warp(costs: dict[str, Costs]):
    """It loads by TMA while eight others multiply; without one, all eight load."""
    is_load = re.compile(r"tma\.async\.load|shared(\.|::)cluster\.global")
    for stage in STAGES[1:]:
        found = costs[stage]
        alu = {n: cost.clocks for n, cost in enumerate(found.costs) if cost and cost.unit == "ALU"}
        places = [n for n, line in enumerate(found.lines) if is_load.search(line)]
        near = {alu[n] for place in places for n in range(place - 6, place + 7) if n in alu}
        assert near == ({0.5} if places else set()), stage
        assert min(alu.values()) == (0.5 if places else 4), stage
        assert 4 in alu.values(), stage


def test_blocks_of_the_producer():
    graph = [[1, 2], [1, 3], [4], [], [2, 3]]
    assert find_producer_blocks(graph, {4}, {1}) == {2, 4}
    assert find_producer_blocks(graph, {4}, set()) == set(), "nobody else"
    assert find_producer_blocks(graph, {1}, {1}) == set(), "all load and multiply"
    assert find_producer_blocks([[1], [2], [0]], {1}, {2}) == set(), "in turns"


def test_loads_have_bytes(explored: Exploration):
    (hit, *_) = explored.search("tiled_load", "tileas-assign-dot-layouts")
    cost = explored.cost(step="tileas-assign-dot-layouts").of(hit)
    assert cost is not None
    assert cost.bytes == 128 * 64 * 2
    assert cost.unit == "L2"


def test_a_launch_has_its_trip_counts():
    gemm = tx.examples["gemm"]
    explored = tx.explore(gemm)
    found = explored.cost(gemm.grid, gemm.make_args())
    ((_, k), _), *_ = gemm.shapes
    dots = [cost for cost in found.costs if cost is not None and cost.unit == "tensor cores"]
    assert [cost.times for cost in dots] == [k // 64]


def test_predictions_beside_measurements():
    gemm = tx.examples["gemm"]
    explored, args = tx.explore(gemm, gpu="sm_90"), gemm.make_args()
    (found,) = explored.predict(gemm.grid, args)
    time = found.prediction.microseconds
    assert 1 < time < 100
    assert "measured, µs" not in str(explored.predict(gemm.grid, args))
    text = str(explored.predict(gemm.grid, args, measured=2 * time))
    assert re.search(r"prediction is off by +-50%", text)
    assert re.search(r"bound by +\w+", text)
    assert re.search(r"L2 +[\d.]+ µs, \d+%", text)
    profile = tx.profile(gemm.path, gemm.grid, args, gpu="sm_90", on="model", abi="host-maps")
    assert re.search(r"predicted [\d.]+ µs, bound by \w+", str(profile))
    resources = str(explored.resources(gemm.grid, args))
    assert f"{time / 1e3:.4g}" in resources
    with pytest.raises(ExplorationError, match="not calibrated for sm_80"):
        tx.explore(gemm, gpu="sm_80").predict(gemm.grid, args)


def test_stages_without_cost(explored: Exploration):
    with pytest.raises(CostError, match="ops of the stage tileaa have no cost"):
        explored.cost(step="tileaa")


def test_roofline(explored: Exploration):
    (picture,) = explored.roofline()
    assert picture.kind == "roofline"
    assert "tensor cores" in picture.text
    assert "static estimate, not measured" in picture.text
    assert "FLOP/byte" in picture.text
    assert re.search(r"\d% of the roof$", picture.text)
    data = np.zeros((4096, 4096), np.float16)
    args = [value for _ in range(3) for value in (data, 4096, 4096, 4096, 1)]
    (launched,) = explored.roofline((32, 32), args)
    assert "bytes of global memory" in launched.text


def test_kernels_without_operations():
    from tileiras_xdsl.inspection.visual import roofline

    explored = tx.explore(tx.examples["vector_add"])
    (found,) = explored.resources()
    assert found.estimate is not None
    assert found.estimate.flops > 0
    from dataclasses import replace

    nothing = replace(found.estimate, operations=0.0, multiply_adds=0.0)
    assert "no operations on floats" in roofline(nothing).text
