"""Random programs of products, as agents of tiles, compute what they must."""

from __future__ import annotations

from typing import Any

import pytest

from tileiras_xdsl import run
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

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
