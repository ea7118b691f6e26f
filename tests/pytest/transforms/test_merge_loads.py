"""A tile that is read twice is loaded once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage, select_steps

from ..harness.cases import covering
from ..harness.passes import verified_steps
from .test_warpgroup_kernels import ARCH, RANDOM, Array, View, as_arguments, kernel

SHARED_BYTES = 12000
"""Enough for one tile of keys and one of queries, but not for values as well."""


def views(*, same: bool, rows: int = 64, width: int = 64) -> tuple[View, ...]:
    """Queries, keys, values that may be the keys, and results."""
    keys = View("k", "f16", (rows, width))
    return (
        View("q", "f16", (width, 16), transposed=True),
        keys,
        keys if same else View("w", "f16", (width, rows), transposed=True),
        View("o", "f32", (width, 16), pads=False),
    )


def text(*, same: bool = False, rows: int = 64, width: int = 64) -> str:
    """Products of keys and queries are operands B of products with the values."""
    q, k, w, o = views(same=same, rows=rows, width=width)
    scores, weights = f"tile<{rows}x16xf32>", f"tile<{rows}x16xf16>"
    values = f"tile<{width}x{rows}xf16>"
    if same:
        value = f"""{k.load("%again", "%t", "%zero")}
      %value = permute %again [1, 0] : {k.tile_type} -> {values}"""
    else:
        value = w.load("%value", "%zero", "%t")
    return kernel(
        (q, k, o) if same else (q, k, w, o),
        f"""
    %none = constant <f32: 0.0> : {scores}
    %nothing = constant <f32: 0.0> : {o.tile_type}
    {q.load("%query", "%zero", "%zero")}
    %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({o.tile_type}) {{
      {k.load("%key", "%t", "%zero")}
      %score = mmaf %key, %query, %none : {k.tile_type}, {q.tile_type}, {scores}
      %h = ftof %score : {scores} -> {weights}
      {value}
      %next = mmaf %value, %h, %s : {values}, {weights}, {o.tile_type}
      continue %next : {o.tile_type}
    }}
    {o.store("%sum", "%zero", "%zero")}""",
    )


def lower(source: str, to: ModuleStage, shared_bytes: int = SHARED_BYTES) -> ModuleOp:
    """Lowers a kernel to a stage, with little shared memory for operands of dots."""
    module, option = load(source), f"{{shared-bytes={shared_bytes}}}"
    steps = (
        replace(step, options=option) if step.name == "merge-loads" else step
        for step in select_steps(3, to=to)
    )
    for _ in verified_steps(module, steps, ARCH, "host-maps"):
        pass
    return module


def loads_by_version(module: ModuleOp) -> list[int]:
    """How many tiles each version of the loop loads."""
    return [
        sum(isinstance(each, TiledLoadOp) for each in region.walk())
        for op in module.walk()
        if isinstance(op, scf.IfOp)
        for region in op.regions
    ]


def arrays() -> list[Array]:
    q = RANDOM.integers(-2, 3, (16, 64)).astype(np.float16)
    k, w = (RANDOM.integers(-2, 3, (192, 64)).astype(np.float16) for _ in range(2))
    return [q, k, w, np.zeros((64, 16), np.float32)]


def expected(q: Array, k: Array, w: Array) -> Array:
    q, k, w = (each.astype(np.float64) for each in (q, k, w))
    return w.T @ (k @ q.T)


@pytest.mark.part("kernels")
@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("stage", "shares"), covering(["tileaa", "tileas", "nvgpu"], [True, False])
)
def test_tensors_that_may_be_the_same(stage: ModuleStage, shares: bool):
    module = lower(text(), stage)
    if stage == "tileaa":
        assert loads_by_version(module) == [1, 2]
    q, k, w, o = arrays()
    if shares:
        w = k
    run(module, grid=(1,), args=as_arguments([q, k, w, o], 3), check=True)
    np.testing.assert_array_equal(o, expected(q, k, w))


def test_tensors_at_one_address_that_have_other_sizes():
    """The last tile of values is padded, that of keys is not."""
    module = lower(text(), "tileaa")
    q, k, _, o = arrays()
    arguments = as_arguments([q, k, k, o], 3)
    arguments[7] = 130
    run(module, grid=(1,), args=arguments)
    values = k.copy()
    values[130:] = 0
    np.testing.assert_array_equal(o, expected(q, k, values))


@pytest.mark.parametrize("shared_bytes", [10000, 20000])
def test_there_is_one_version_where_that_fits_or_none_does(shared_bytes: int):
    assert not loads_by_version(lower(text(), "tileaa", shared_bytes))


@pytest.mark.part("kernels")
def test_tiles_that_fit_only_once():
    """Of 128 KiB each: one version has no other dots than WGMMAs."""
    module = lower(text(rows=128, width=512), "tileas", 200 * 1024)
    first, second = (
        {op.name for op in region.walk()}
        for branch in module.walk()
        if isinstance(branch, scf.IfOp) and any(isinstance(op, AsyncDotOp) for op in branch.walk())
        for region in branch.regions
    )
    assert "nv_tileas.dot" not in first
    assert "nv_tileas.dot" in second


def test_loops_that_follow_each_other_share_their_buffers():
    """Operands of one loop fit, those of both together would not."""
    source = text()
    start, end = source.index("    %sum = for"), source.index("    %sum_stored")
    loop = source[start:end]
    for name in ("%sum", "%key", "%score", "%value", "%next", "%h ", "%h,"):
        loop = loop.replace(name, f"{name[:2]}x{name[2:]}")
    second = source[start:].replace("%s = %nothing", "%s = %sxum")
    module = lower(source[:start] + loop + second, "tileaa", 20000)
    assert not loads_by_version(module)
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == 2
    assert loads_by_version(lower(source[:start] + loop + second, "tileaa")) == [1, 2, 1, 2]
