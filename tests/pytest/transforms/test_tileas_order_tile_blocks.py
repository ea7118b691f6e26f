"""Kernels whose longest tile blocks start first give what the others give, at every stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import DimensionEnum, FuncOp
from xdsl.ir import Operation

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.decisions import LONGEST_FIRST
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import MODULE_STAGES, make_pass, select_steps
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.tileas import tileas_order_tile_blocks
from tileiras_xdsl.transforms.tileas.kernel_model.block_pairs import BlockOrder, choose_order

from ..harness.cases import covering
from ..harness.modules import context
from .test_tileas_dynamic_persistent import (
    ATOMIC,
    COLUMNS,
    COUNTER,
    DEPTH,
    RESULT,
    SHAPE,
    compiled,
)
from .test_tileas_dynamic_persistent import product as large_product

PASS = "tileas-order-tile-blocks"
X, Y = DimensionEnum.X, DimensionEnum.Y
ROWS = 16


def product(before: str = "", end: str = "%steps#1", **others: str) -> str:
    """A product of tiles with few rows, for which there is no WGMMA: it is not persistent."""
    text = large_product(before=before, end=end, **others)
    text = text.replace("(64x64)", "(16x64)").replace("64x64xf16", "16x64xf16")
    return text.replace("64x32xf32", "16x32xf32").replace(
        f"(64x32), {RESULT}", f"(16x32), {RESULT}"
    )


GROWING = product(before="%end = addi %x, %one : tile<i32>", end="%end")
FALLING = product(before=f"{SHAPE}\n%end = subi %gx, %x : tile<i32>", end="%end")
ALONG_Y = product(before="%end = addi %y, %one : tile<i32>", end="%end")
"""This many tiles of the operands are multiplied."""


def before_pass(text: str) -> FuncOp:
    """A kernel as the pass finds it."""
    module = load(text)
    for step in select_steps():
        if step.name == PASS:
            break
        make_pass(step, "sm_90a", "device-maps").apply(context(), module)
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return kernel


def check(module: ModuleOp, grid: tuple[int, int], text: str) -> None:
    """Runs a kernel, and compares with partial products."""
    generator = np.random.default_rng(sum(grid))
    m, n, k = grid[0] * ROWS, grid[1] * COLUMNS, max(grid) * DEPTH
    a = generator.integers(-4, 5, (m, k)).astype(np.float16)
    b = generator.integers(-4, 5, (k, n)).astype(np.float16)
    result = np.full((m, n), np.nan, np.float32)
    run(module, grid=grid, args=[a, b, result, m, n, k])
    for x in range(grid[0]):
        for y in range(grid[1]):
            steps = {GROWING: x + 1, FALLING: grid[0] - x, ALONG_Y: y + 1}[text] * DEPTH
            rows = slice(x * ROWS, (x + 1) * ROWS)
            columns = slice(y * COLUMNS, (y + 1) * COLUMNS)
            exact = a[rows, :steps].astype(np.float32) @ b[:steps, columns].astype(np.float32)
            np.testing.assert_array_equal(result[rows, columns], exact)


def few_neighbours(op: Operation) -> Target:
    return replace(get_target(op), block_neighbours=2)


@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("stage", "text"), covering(MODULE_STAGES[2:4], [GROWING, FALLING, ALONG_Y])
)
def test_results(monkeypatch: pytest.MonkeyPatch, stage: Any, text: str):
    """Also if the last neighbours are fewer than the others."""
    monkeypatch.setattr(tileas_order_tile_blocks, "get_target", few_neighbours)
    module = compiled(text, stage, "device-maps")
    check(module, (2, 3), text)
    check(module, (3, 1), text)


def test_grids_that_cannot_be_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tileas_order_tile_blocks, "COUNTABLE", 3)
    check(compiled(GROWING), (2, 2), GROWING)
    check(compiled(GROWING), (3, 1), GROWING)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("text", "order"),
    [
        pytest.param(GROWING, BlockOrder(X, True, Y), id="later ones have more"),
        pytest.param(FALLING, BlockOrder(X, False, Y), id="later ones have less"),
        pytest.param(ALONG_Y, BlockOrder(Y, True, None), id="y"),
        pytest.param(product(first="%y"), BlockOrder(Y, False, None), id="they start that way"),
    ],
)
def test_orders(text: str, order: BlockOrder):
    assert choose_order(before_pass(text)) == order
    kernel = before_pass(text)
    module = kernel.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    tileas_order_tile_blocks.TileasOrderTileBlocksPass().apply(context(), module)
    assert LONGEST_FIRST.is_on(kernel) == order.is_change
    once = str(module)
    tileas_order_tile_blocks.TileasOrderTileBlocksPass().apply(context(), module)
    assert str(module) == once


BOTH = "%sum_of_both = addi %x, %y : tile<i32>"
DIFFERENCE = "%difference = subi %x, %y : tile<i32>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (product(), None),
        (large_product(end="%x"), None),
        (product(before=BOTH, end="%sum_of_both"), "it is not known"),
        (product(before=DIFFERENCE, end="%difference"), "it is not known"),
        (product(before=COUNTER, store=ATOMIC, end="%x"), "other tile blocks may wait"),
    ],
)
def test_kernels_that_are_left_alone(text: str, reason: str | None):
    found = choose_order(before_pass(text))
    if reason is None:
        assert found is None
    else:
        assert isinstance(found, str)
        assert reason in found
