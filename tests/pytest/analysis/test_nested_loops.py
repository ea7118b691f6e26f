"""Walks through loops in loops do not multiply from level to level: visits are counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.ir import Block

from tileiras_xdsl.analysis.axis_info_analysis import Analysis, analyze
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.transforms.tileas.layouts.inference import Inference


def counters(depth: int) -> str:
    """Loops that count from zero each time, and use the counters of all loops around."""
    text = "".join(
        f"%r{n} = scf.for %i{n} = %c0 to %n step %c1 iter_args(%a{n} = %c0) -> (i32) : i32 {{\n"
        f"%s{n} = nv_tileaa.addi %a{n}, %s{n - 1} : i32\n"
        for n in range(1, depth + 1)
    )
    ends = "".join(f"scf.yield %s{n} : i32\n}}\n" for n in range(depth, 0, -1))
    return (
        "func.func @k(%n: i32) {\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
        f"{text.replace('%s0 ', '%c1 ')}{ends}func.return\n}}"
    )


def tiles(depth: int) -> str:
    """Loops that carry a tile whose layout is open until the innermost body."""
    ty = "tensor<128xf32>"
    inits = ["%x", *(f"%s{n}" for n in range(1, depth))]
    text = "".join(
        f"%r{n} = scf.for %i{n} = %c0 to %n step %c1 iter_args(%a{n} = {inits[n - 1]})"
        f" -> ({ty}) : i32 {{\n%s{n} = nv_tileaa.addf %a{n}, %x : {ty}\n"
        for n in range(1, depth + 1)
    )
    ends = "".join(
        f"scf.yield %{'s' if n == depth else 'r'}{n if n == depth else n + 1} : {ty}\n}}\n"
        for n in range(depth, 0, -1)
    )
    return (
        "func.func @k(%n: i32) {\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
        f"%x = arith.constant dense<1.0> : {ty}\n{text}{ends}func.return\n}}"
    )


def walk_axis_info(text: str) -> None:
    analyze(next(iter(load(text).body.block.ops)))


def walk_layouts(text: str) -> None:
    function = next(iter(load(text).body.block.ops))
    Inference(4, is_lazy=True).run(function.regions[0].block)


@pytest.mark.parametrize(
    ("owner", "name", "walk", "kernel"),
    [
        (Analysis, "visit_block", walk_axis_info, counters),
        (Inference, "run", walk_layouts, tiles),
    ],
)
def test_visits_do_not_multiply(
    owner: type,
    name: str,
    walk: Callable[[str], None],
    kernel: Callable[[int], str],
    monkeypatch: pytest.MonkeyPatch,
):
    original: Callable[[object, Block], None] = getattr(owner, name)
    visits = 0

    def counted(self: object, block: Block) -> None:
        nonlocal visits
        visits += 1
        original(self, block)

    monkeypatch.setattr(owner, name, counted)

    def count(depth: int) -> int:
        nonlocal visits
        visits = 0
        walk(kernel(depth))
        return visits

    # Twice as deep, four times the visits: each level is visited so often that it counts.
    assert count(24) <= 4.5 * count(12)
