"""A tile that several dots read is loaded in parts if there is no room for a second one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReleaseOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage, select_steps

from ..harness.cases import covering
from ..harness.modules import ops_of
from ..harness.passes import verified_steps
from ..harness.remarks import asked, messages
from .test_merge_loads import expected, text
from .test_warpgroup_kernels import ARCH, RANDOM, Array, as_arguments

SHARED_BYTES = 48000
"""Enough for a tile of 64x256 keys and one of queries, but not for a second one of keys."""
WIDTH = 256


def lower(source: str, to: ModuleStage, shared_bytes: int = SHARED_BYTES) -> ModuleOp:
    """Lowers a kernel to a stage, with little shared memory for operands of dots."""
    module, option = asked(load(source)), f"{{shared-bytes={shared_bytes}}}"
    steps = (
        replace(step, options=option) if step.name in ("merge-loads", "split-operands") else step
        for step in select_steps(3, to=to)
    )
    for _ in verified_steps(module, steps, ARCH, "host-maps"):
        pass
    return module


def arrays(width: int = WIDTH) -> list[Array]:
    q = RANDOM.integers(-2, 3, (16, width)).astype(np.float16)
    k, w = (RANDOM.integers(-2, 3, (192, width)).astype(np.float16) for _ in range(2))
    return [q, k, w, np.full((width, 16), np.nan, np.float32)]


def shapes(module: ModuleOp, kind: type[TiledLoadOp | DotOp]) -> list[tuple[int, ...]]:
    """The shapes of tiles in loops."""
    return [
        get_shape(op.results[0].type)
        for op in module.walk()
        if isinstance(op, kind) and isinstance(op.parent_op(), scf.ForOp)
    ]


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("stage", "shares"), covering(["tileaa", "tileas", "nvgpu"], [False, True])
)
def test_tensors_that_may_be_the_same(stage: ModuleStage, shares: bool):
    module = lower(text(width=WIDTH), stage)
    if stage == "tileaa":
        assert shapes(module, TiledLoadOp) == [(64, 64)] * 12
    q, k, w, o = arrays()
    if shares:
        w = k
    run(module, grid=(1,), args=as_arguments([q, k, w, o], 3), check=True)
    np.testing.assert_array_equal(o, expected(q, k, w))


@pytest.mark.part("kernels")
@pytest.mark.every(5, first=1)
@pytest.mark.parametrize("stage", ["tileaa", "tileas", "nvgpu", "nvvm"])
def test_a_tensor_that_is_read_twice(stage: ModuleStage):
    module = lower(text(same=True, width=WIDTH), stage)
    q, k, _, o = arrays()
    run(module, grid=(1,), args=as_arguments([q, k, o], 3), check=True)
    np.testing.assert_array_equal(o, expected(q, k, k))


def test_pieces():
    module = lower(text(same=True, width=WIDTH), "tileaa")
    assert shapes(module, TiledLoadOp) == [(64, 64)] * 4
    assert shapes(module, DotOp) == [(64, 16)] * 8
    chained = [
        op
        for op in module.walk()
        if isinstance(op, DotOp) and isinstance(op.accumulator.owner, DotOp)
    ]
    assert len(chained) == 3
    stores = [op for op in module.walk() if isinstance(op, TiledStoreOp)]
    assert len(stores) == 4
    assert len(ops_of(module, scf.ForOp)) == 1
    (said,) = messages(module, kind="Passed", category="Memory")
    assert "4 parts of 64x64" in said


def test_pieces_are_released_one_by_one():
    """The dots that add up parts are not waited for before the last of them is issued."""
    module = lower(text(same=True, width=WIDTH), "tileas")
    loop = next(
        op
        for op in module.walk()
        if isinstance(op, scf.ForOp)
        and any(isinstance(each, AsyncDotOp) for each in op.body.block.ops)
    )
    kinds = (AsyncDotOp, AsyncFutureWaitOp, ConsumerReleaseOp)
    order = [type(op) for op in loop.body.block.ops if isinstance(op, kinds)]
    dot, wait, release = kinds
    assert order == [dot] * 4 + [wait] * 4 + [dot] * 4 + [wait, release] * 4


@pytest.mark.parametrize("shared_bytes", [40000, 80000])
def test_tiles_that_stay_whole(shared_bytes: int):
    """Either a second tile fits, or not even one does."""
    module = lower(text(same=True, width=WIDTH), "tileaa", shared_bytes)
    assert shapes(module, TiledLoadOp) == [(64, WIDTH)]


def test_tiles_of_one_dot_stay_whole():
    """Of keys and values, one is loaded while the other is read."""
    module = lower(text(), "tileaa", 20000)
    assert shapes(module, TiledLoadOp) == [(64, 64)] * 2
