"""
Random programs of products, as agents of tiles, compute what they must; schedules that users wrote
are checked.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load, run
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

from ..strategies.hopper_kernels import gemm
from ..strategies.product_bounds import expected_results
from ..strategies.products import SMALL, random_product

CONTEXT = make_context()
ARCH = "sm_90a"
ABIS = ("device-maps", "host-maps")
PASS = "tileas-materialize-schedule"
SEEDS = 42
PARTS = 3


@pytest.mark.parametrize("part", range(PARTS))
def test_agents_compute_what_they_must(part: int):
    agents = 0
    for seed in range(part, SEEDS, PARTS):
        program = random_product(seed, SMALL)
        module = program.module.clone()
        for step in select_steps(to="tileas"):
            make_pass(step, ARCH, ABIS[seed % 2]).apply(CONTEXT, module)
            if step.name == PASS:
                break
        module.verify()
        agents += any(op.name == "nv_tileas.async.pipeline.agent_switch" for op in module.walk())
        arguments: list[Any] = program.arguments()
        run(module, grid=program.grid, args=arguments)
        results = expected_results(program.module, program.grid, program.arguments())
        for number, found in results.items():
            assert not found.wrong_in(arguments[number]).any(), f"seed {seed}, argument {number}"
    assert agents


STAGES, WARPS = "stages = [3 : i32]", "producer_warps = 1 : i32"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (STAGES, "stages = []", "has no number of stages for pipe 0"),
        (STAGES, 'stages = ["3"]', "needs integers as stages"),
        (STAGES, "stages = [40 : i32]", r"needs \d+ bytes of shared memory, but sm_90a has 232448"),
        (WARPS, "producer_warps = 0 : i32", "needs producer_warps, a positive integer"),
        (WARPS, "registers = [24 : i32, 240 : i32]", "needs producer_warps, a positive integer"),
        (STAGES, f"{STAGES}, registers = [24 : i32]", "registers of a producer and of a consumer"),
    ],
)
def test_schedules_of_users(old: str, new: str, message: str):
    names = [step.name for step in select_steps(to="nvgpu")]
    module = load(gemm())
    apply(module, 0, names.index(PASS))
    text = str(module)
    assert old in text
    edited = load(text.replace(old, new))
    with pytest.raises(DiagnosticException, match=message):
        apply(edited, names.index(PASS), len(names))


def apply(module: ModuleOp, first: int, end: int) -> None:
    """Passes of the pipeline, by their numbers."""
    for step in select_steps(to="nvgpu")[first:end]:
        make_pass(step, ARCH, "host-maps").apply(CONTEXT, module)
