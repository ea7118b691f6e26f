"""Two loops that are software-pipelined together compute what they did before."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import PingPongArriveOp, PingPongWaitOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileas.schedule.software_pipelining import (
    FusedLoops,
    find_pipelining,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance
from tileiras_xdsl.xdsl_extras.walking import find_all

from .test_ping_pong import LEVELS, arrays_of, causal, execute, lower, softmax
from .test_software_pipelining import Writer, assign_random_stages, find_loop, results
from .test_warpgroup_kernels import Attention, View, as_arguments, kernel

# Any loops


def two_loops(seed: int) -> ModuleOp:
    """A random loop behind which the same loop does one more iteration, from a number `%b` on."""
    module = Writer(random.Random(seed)).module()
    first = find_loop(module)
    step = arith.ConstantOp(IntegerAttr(1, i32))
    function = first.parent_block()
    assert function is not None
    lower_bound = function.args[2]
    upper = arith.AddiOp(lower_bound, step.result)
    second = first.clone()
    Rewriter.insert_op([step, upper, second], InsertPoint.after(first))
    for old, new in zip(first.results, second.results, strict=True):
        old.replace_all_uses_with(new)
    second.operands = [lower_bound, upper.result, step.result, *first.results]
    return module


def loops_of(module: ModuleOp) -> list[scf.ForOp]:
    return [op for op in module.walk() if isinstance(op, scf.ForOp)]


def copy_stages(first: scf.ForOp, second: scf.ForOp) -> None:
    for one, other in zip(first.body.block.ops, second.body.block.ops, strict=True):
        other.attributes.update(one.attributes)


@pytest.mark.part("kernels")
@pytest.mark.every(3)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_loops_compute_the_same(first: int):
    fused = 0
    for seed in range(first, first + 20):
        rng = random.Random(seed)
        module = two_loops(seed)
        changed = module.clone()
        one, other = loops_of(changed)
        assign_random_stages(one, rng)
        copy_stages(one, other)
        pipelined = [find_pipelining(loop) for loop in (one, other)]
        assert pipelined[0] is not None
        assert pipelined[1] is not None
        both = FusedLoops(pipelined[0], pipelined[1])
        if not both.is_possible():
            continue
        fused += 1
        both.rewrite()
        changed.verify()
        for trips in (0, 1, 2, 5):
            low, step = rng.randint(-5, 5), rng.randint(1, 3)
            bound = low + trips * step - (rng.randrange(step) if trips else 0)
            for last in (rng.randint(-9, 9), (1 << 31) - 1):
                arguments = [rng.randint(-9, 9), last, low, bound, step]
                assert results(changed, arguments) == results(module, arguments), f"seed {seed}"
    assert fused > 10


# Attention


CAUSAL = causal(128)
"""Of keys and queries in blocks of 128: one block of keys is masked for each block of queries."""


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("level", "abi", "ping_pong", "seed"),
    [
        (LEVELS[0], "host-maps", True, None),
        (LEVELS[1], "device-maps", True, 1),
        (LEVELS[2], "host-maps", True, 2),
        (LEVELS[2], "host-maps", False, None),
        ("nvvm", "host-maps", True, None),
    ],
)
def test_attention(level: str, abi: str, ping_pong: bool, seed: int | None):
    """The first tile block has no block of keys that is not masked."""
    arrays = arrays_of(384, 384)
    found = execute(lower(CAUSAL, abi, ping_pong)[level], arrays, seed=seed)
    np.testing.assert_allclose(found, softmax(arrays, np.tri(384)), atol=2e-3)


def dots_by_block(module: ModuleOp) -> list[int]:
    """How many WGMMAs each block has that has some."""
    blocks = [op.parent_block() for op in find_all(module, AsyncDotOp)]
    return sorted(blocks.count(block) for block in {*blocks})


@pytest.mark.part("kernels")
def test_order_between_loops():
    """S of the masked block is issued with the last product of the loop before."""
    module = lower(CAUSAL)[LEVELS[0]]
    # Prologue, drain, prologue of the second loop, its drain; the steady state, and between loops.
    assert dots_by_block(module) == [1, 1, 1, 1, 2, 2]
    assert len(find_all(module, PingPongWaitOp)) == len(find_all(module, PingPongArriveOp)) == 6
    # For each agent, the loop over tile blocks and the steady state of the first loop.
    assert len(find_all(module, scf.ForOp)) == 4


@pytest.mark.part("kernels")
def test_loops_that_stay_apart():
    """The second loop has a steady state of its own if two blocks are masked."""
    module = lower(causal())[LEVELS[0]]
    # Each has prologue and drain in a block, and the steady state.
    assert dots_by_block(module) == [2, 2, 2, 2]
    assert len(find_all(module, scf.ForOp)) == 6


@pytest.mark.part("kernels")
def test_arms_of_branches():
    """What is instead of a value between the loops is not used where there is no second loop."""
    modules = lower(CAUSAL)
    for level in LEVELS[:2]:
        verify_dominance(modules[level])


def crossed() -> str:
    """Two loops, of which the second one has keys and values in the layouts of the other ones."""
    attention = Attention("f16", 64, 64, 64)
    text, (q, k, w, o) = attention.text(), attention.views
    others = View("x", "f16", (64, 64)), View("y", "f16", (64, 64), transposed=True)
    start, end = text.index("%top, %all, %sum = for"), text.index("%alls_column")
    loop = text[start:end]
    first = loop.replace("(%zero to %n,", "(%zero to %i,")
    first = first.replace("%top, %all, %sum", "%top1, %all1, %sum1")
    second = loop.replace("(%zero to %n,", "(%i to %next,")
    second = second.replace(
        "%m0 = %low, %l0 = %none, %o0 = %nothing", "%m0 = %top1, %l0 = %all1, %o0 = %sum1"
    )
    second = second.replace(
        k.load("%key", "%zero", "%t"), others[0].load("%key", "%zero", "%t")
    ).replace(w.load("%value", "%t", "%zero"), others[1].load("%value", "%t", "%zero"))
    next_one = "%next = addi %i, %one : tile<i32>\n    "
    before = text[text.index("%low = constant") : start]
    body = before + next_one + first + second + text[end : text.rindex("return")]
    return kernel((q, k, w, *others, o), body)


@pytest.mark.part("kernels")
def test_pipelines_of_the_other_stage():
    """Loops stay apart whose loads between them would fill stages of one pipeline."""
    module = lower(crossed())[LEVELS[0]]
    assert dots_by_block(module) == [2, 2, 2]
    random = np.random.default_rng(4)
    q, k, w, x, y = ((random.standard_normal((128, 64)) / 4).astype(np.float16) for _ in range(5))
    expected = np.zeros((128, 64))
    for block in range(2):
        rows = slice(64 * block, 64 * (block + 1))
        keys = np.concatenate([k[: 64 * block], x[rows]])
        values = np.concatenate([w[: 64 * block], y[rows]])
        expected[rows] = softmax([q[rows], keys, values])
    arrays = [q, k, w, np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)]
    out = np.full((128, 64), 7, np.float32)
    run(module, grid=(2,), args=as_arguments([*arrays, out]), check=True, sm_count=1)
    np.testing.assert_allclose(out, expected, atol=2e-3)
