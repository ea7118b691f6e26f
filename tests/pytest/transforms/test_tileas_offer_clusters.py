"""
Kernels whose launches choose whether CTAs are in clusters that multicast loads: both give the same,
and a launch chooses by what it knows.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend.launch_record import LaunchRecord, Quantity, TensorMapRecord
from tileiras_xdsl.dialects.nv_tileas.decisions import MAY_MULTICAST, NOT_CLUSTERED
from tileiras_xdsl.dialects.nvgpu.persistence import get_optional_ctas
from tileiras_xdsl.dialects.nvvm import (
    BulkTensorLoadOp,
    ClusterWaitOp,
    MBarrierArriveClusterOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.kernel_model.optional_clusters import (
    NothingMissed,
    find_common_loads,
)

from .test_tileas_dynamic_persistent import (
    DEPTH,
    FACTOR,
    IN_PLACE,
    PAIRS,
    TOO_LATE,
    Stages,
    at_stages,
    compiled,
    compiled_code,
    grid_of,
    matrices,
    product,
)

Shape = tuple[int, int, int]


@pytest.fixture(scope="module")
def stages() -> Stages:
    return at_stages(product(), "host-maps")


def multiply(module: ModuleOp, shape: Shape, sm_count: int = 100, *, clusters: bool = True) -> None:
    """Runs the program, and looks for races."""
    arguments, exact = matrices(*shape)
    grid = grid_of(*shape[:2])
    run_threads(module, "product", grid, arguments, sm_count=sm_count, clusters=clusters)
    np.testing.assert_array_equal(arguments[2], exact)


@pytest.mark.every(5)
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
@pytest.mark.parametrize(
    # Tile blocks of a cluster share operand B; those of the last one share A.
    "shape",
    [(130, 64, 136), (256, 32, 8), (200, 32, 72), (64, 128, 72)],
)
def test_results(stages: Stages, stage: str, shape: Shape, clusters: bool):
    multiply(stages[stage], shape, clusters=clusters)


@pytest.mark.every(3)
@pytest.mark.parametrize("trips", [0, 1, 2, 7, 10, 11])
def test_any_number_of_iterations(stages: Stages, trips: int):
    """Whether all buffer stages are filled, some, or none, and how often."""
    multiply(stages["nvgpu"], (128, 64, trips * DEPTH))


@pytest.mark.every(4)
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("sm_count", [2, 3, 6])
@pytest.mark.parametrize("shape", [(200, 64, 136), (130, 128, 64)])
def test_launches_in_several_waves(stages: Stages, shape: Shape, sm_count: int, clusters: bool):
    """Of 8 and 12 tile blocks: each CTA of a cluster does as many as the other one."""
    multiply(stages["nvgpu"], shape, sm_count, clusters=clusters)


# Whether the checks would find what may go wrong


def test_stages_are_released_in_both_ctas(stages: Stages):
    module = stages["nvgpu"].clone()
    for op in [op for op in module.walk() if isinstance(op, MBarrierArriveClusterOp)]:
        op.detach()
    multiply(module, (128, 64, 12 * DEPTH), clusters=False)
    with pytest.raises(ExecutionError, match="deadlock"):
        multiply(module, (128, 64, 12 * DEPTH))


def test_producers_wait_for_the_other_cta(stages: Stages):
    module = stages["nvgpu"].clone()
    tails = [
        op
        for op in module.walk()
        if isinstance(op, scf.ForOp)
        and any(isinstance(each, MBarrierTryWaitParitySharedOp) for each in op.walk())
        and not any(isinstance(each, BulkTensorLoadOp) for each in op.walk())
    ]
    tail = tails[-1]
    for value, start in zip(tail.results, tail.iter_args, strict=True):
        value.replace_all_uses_with(start)
    tail.detach()
    multiply(module, (128, 64, 72), clusters=False)
    with pytest.raises(ExecutionError, match=TOO_LATE):
        multiply(module, (128, 64, 72))


def test_ctas_of_a_cluster_meet_before_they_reach_each_other(stages: Stages):
    module = stages["nvgpu"].clone()
    (wait,) = (op for op in module.walk() if isinstance(op, ClusterWaitOp))
    branch = wait.parent_op()
    assert isinstance(branch, scf.IfOp)
    branch.detach()
    multiply(module, (128, 64, 72), clusters=False)
    with pytest.raises(ExecutionError):
        multiply(module, (128, 64, 72))


def test_barriers_count_the_ctas_that_are_there(stages: Stages):
    """One arrival for each is too few in a cluster."""
    module = stages["nvgpu"].clone()
    inits = [op for op in module.walk() if isinstance(op, MBarrierInitSharedOp)]
    one = inits[0].operands[1]
    for op in inits:
        op.operands[1] = one
    multiply(module, (128, 64, 72), clusters=False)
    with pytest.raises(ExecutionError):
        multiply(module, (128, 64, 12 * DEPTH))


def test_launches_that_cannot_choose(stages: Stages):
    with pytest.raises(ExecutionError, match="3 tile blocks are in no whole clusters"):
        multiply(stages["nvgpu"], (192, 32, 64))


def test_kernels_that_leave_no_choice():
    module = compiled(product(PAIRS), "nvgpu")
    arguments, _ = matrices(128, 64, 64)
    with pytest.raises(ExecutionError, match="does not leave it to launches"):
        run_threads(module, "product", (2, 2), arguments, sm_count=8, clusters=True)


# Which kernels


def test_one_operand_may_be_multicast(stages: Stages):
    """Tile blocks that follow each other are in the same column."""
    module = stages["tileas"]
    (kernel,) = kernels(module)
    assert get_optional_ctas(kernel) == 2
    loads = [op for op in stages["nvgpu"].walk() if isinstance(op, BulkTensorLoadOp)]
    # Without clusters; of CTAs that share operand B, and of others.
    assert [op.multicast_mask is not None for op in loads] == [False, False, False, True] + [
        False
    ] * 2
    assert not any(map(MAY_MULTICAST.is_on, module.walk()))


SHIFTED = (
    product()
    .replace("%tile_a, %token_a", "%j = addi %i, %y : tile<i32>\n        %tile_a, %token_a")
    .replace("[%x, %i]", "[%x, %j]")
    .replace("[%i, %y]", "[%j, %y]")
)
"""Coordinates along K depend on the tile block, as in a GEMM that is split along it."""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SHIFTED, "where tiles are in a tile block is computed in the main loop"),
        (product(store=IN_PLACE), "tiles are loaded outside of the main loop, too"),
        (product("optimization_hints=<sm_90 = {occupancy = 2}>"), "several CTAs share an SM"),
    ],
)
def test_reasons(text: str, reason: str):
    (kernel,) = kernels(compiled(text))
    found = NOT_CLUSTERED.get(kernel)
    assert found is not None
    assert found.data == reason
    assert get_optional_ctas(kernel) == 1


def test_nothing_is_missed_in_clusters():
    (kernel,) = kernels(compiled(product(PAIRS)))
    assert get_optional_ctas(kernel) == 1
    assert NOT_CLUSTERED.get(kernel) is None
    with pytest.raises(NothingMissed):
        find_common_loads(kernel)


# Launches


def test_record():
    result = compiled_code(product(), "host-maps")
    record = result.launch_record
    assert (record.cluster, record.optional_cluster) == ((1, 1, 1), 2)
    assert [each.multicast for each in record.tensor_maps].count(True) == 1
    assert "multicast::cluster" in result.ptx
    assert not re.search(r"\.(reqnctapercluster|explicitcluster)", result.ptx)
    assert LaunchRecord.from_json(record.to_json()) == record
    remark = "launches may be in clusters of 2 CTAs, which multicast what they have in common"
    assert any(remark in str(each) for each in result.remarks)


@pytest.mark.parametrize(
    ("grid", "stride", "base", "ctas"),
    [
        ((8, 16, 1), 520, 0, 2),
        ((8, 16, 1), 512, 0, 1),
        ((8, 16, 1), 512, 16, 2),
        # An odd number of tile blocks; several waves; one cluster.
        ((7, 3, 1), 520, 0, 1),
        ((8, 17, 1), 520, 0, 2),
        ((1, 1, 2), 520, 0, 2),
    ],
)
def test_choice(grid: tuple[int, int, int], stride: int, base: int, ctas: int):
    record = compiled_code(product(), "host-maps").launch_record
    numbers = [base] * 3 + [0, stride, 0]

    def argument(index: int) -> int:
        return numbers[index]

    assert record.clusters_of(grid, 132, argument) == ctas
    assert record.clusters_of(grid, 1, argument) == 1
    assert replace(record, optional_cluster=1).clusters_of(grid, 132, argument) == 1


def test_grids_of_clusters():
    """Whole clusters."""
    record = compiled_code(product(), "host-maps").launch_record
    assert record.launched_grid((3, 4, 1), 7) == (7, 1, 1)
    assert record.launched_grid((3, 4, 1), 7, 2) == (6, 1, 1)
    assert record.launched_grid((3, 4, 1), 100, 2) == (12, 1, 1)


def test_strides_that_are_known():
    sizes, strides = (Quantity(64), Quantity(64)), (Quantity(130),)
    maps = TensorMapRecord("f16", 0, sizes, strides, (64, 64), multicast=True)
    record = compiled_code(product(), "host-maps").launch_record
    record = replace(record, tensor_maps=(maps,))
    assert record.clusters_of((2, 1, 1), 132, lambda _: 0) == 2
    aligned = replace(maps, strides=(Quantity(256),))
    assert replace(record, tensor_maps=(aligned,)).clusters_of((2, 1, 1), 132, lambda _: 0) == 1


def test_rows_at_cache_lines_leave_no_choice():
    """What is known of strides at compile time: rows of 2 KiB, and others."""
    for stride, ctas in ((1024, 1), (1032, 2)):
        text = product().replace(FACTOR, FACTOR.replace("?,1", f"{stride},1"))
        for size in "kn":
            text = text.replace(f"strides = [%{size}, 1]", f"strides = [{stride}, 1]", 1)
        (kernel,) = kernels(compiled(text))
        assert get_optional_ctas(kernel) == ctas
