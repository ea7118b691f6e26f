"""The order in which a producer fills pipelines, of which one has a single stage."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    CreatePipelineOp,
    ProducerAcquireOp,
)
from tileiras_xdsl.interpreter.environment import PreviousGrid
from tileiras_xdsl.interpreter.run import run

from .test_warpgroup_kernels import View, as_arguments, kernel, lower, numbers

LARGE, SMALL = View("k", "f16", (128, 512)), View("e", "f16", (128, 64))
QUERIES = View("q", "f16", (512, 16), transposed=True), View("r", "f16", (64, 16), transposed=True)
RESULT = View("o", "f32", (128, 16), pads=False)
VIEWS = LARGE, SMALL, *QUERIES, RESULT


def text() -> str:
    """Sums of products of large tiles and of small ones, in this order."""
    q, r = QUERIES
    total = RESULT.tile_type
    return kernel(
        VIEWS,
        f"""
    %nothing = constant <f32: 0.0> : {total}
    {q.load("%x", "%zero", "%zero")}
    {r.load("%y", "%zero", "%zero")}
    %sum = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %nothing) -> ({total}) {{
      {LARGE.load("%a", "%t", "%zero")}
      %c = mmaf %a, %x, %s : {LARGE.tile_type}, {q.tile_type}, {total}
      {SMALL.load("%b", "%t", "%zero")}
      %d = mmaf %b, %y, %c : {SMALL.tile_type}, {r.tile_type}, {total}
      continue %d : {total}
    }}
    {RESULT.store("%sum", "%zero", "%zero")}""",
    )


@pytest.mark.part("kernels")
def test_loads_that_can_run_ahead_come_first():
    """The producer waits for the one stage of the large buffer after it has filled the other."""
    modules = lower(text(), "host-maps", 3, 3)
    (switch,) = (op for op in modules[2].walk() if isinstance(op, AgentSwitchOp))
    created = (op for op in modules[2].walk() if isinstance(op, CreatePipelineOp))
    stages: dict[SSAValue, int] = {op.result: op.get_num_stages() for op in created}
    # That of dots is in the one over tile blocks.
    _, loop = (op for op in switch.agents[0].walk() if isinstance(op, scf.ForOp))
    order = [stages[op.pipeline] for op in loop.body.block.ops if isinstance(op, ProducerAcquireOp)]
    assert order[0] > order[1] == 1
    k, e, q, r = (numbers("f16", *shape) for shape in ((256, 512), (256, 64), (16, 512), (16, 64)))
    result = np.zeros((128, 16), np.float32)
    run(modules[3], grid=(1,), args=as_arguments([k, e, q, r, result], 2), check=True)
    wide = [each.astype(np.float64) for each in (k, e, q, r)]
    products = wide[0] @ wide[2].T + wide[1] @ wide[3].T
    np.testing.assert_array_equal(result, products[:128] + products[128:])


@pytest.mark.part("kernels")
def test_a_wait_for_other_grids_stays_before_loads():
    """The large tile is loaded before the wait, the small one needs what it waits for."""
    small = SMALL.load("%b", "%t", "%zero")
    waiting = small.replace("%zero] ", "%zero] token=%waited ")
    assert waiting != small
    waits = text().replace(small, f"%waited = gdc_wait_tko -> token\n{waiting}")
    modules = lower(waits, "host-maps", 3, 3)
    k, e, q, r = (numbers("f16", *shape) for shape in ((256, 512), (256, 64), (16, 512), (16, 64)))
    result = np.zeros((128, 16), np.float32)
    arguments = as_arguments([k, e, q, r, result], 2)
    run(modules[3], grid=(1,), args=arguments, check=True, others=[PreviousGrid([e])])
    wide = [each.astype(np.float64) for each in (k, e, q, r)]
    products = wide[0] @ wide[2].T + wide[1] @ wide[3].T
    np.testing.assert_array_equal(result, products[:128] + products[128:])
