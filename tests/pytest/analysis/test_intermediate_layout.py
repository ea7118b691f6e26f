"""Intermediate layouts let conversions go through shared memory in rounds where they could not."""

from __future__ import annotations

import pytest

from tileiras_xdsl.analysis.layout_conversion import (
    ThroughShared,
    intermediate_layout,
    plan_conversion,
)
from tileiras_xdsl.analysis.matrix_layouts import coalesced

BITS = 32


@pytest.mark.parametrize(("rows", "columns", "warps"), [(512, 256, 16), (256, 256, 8)])
def test_both_ways_take_as_many_parts_as_asked_for(rows: int, columns: int, warps: int):
    source = coalesced((columns, rows), warps).permute((1, 0))
    target = coalesced((rows, columns), warps)
    size = rows * columns * BITS // 8
    whole = plan_conversion(source, target, BITS, max_bytes=size // 8)
    assert isinstance(whole, ThroughShared)
    assert whole.bytes == size, "it needs no intermediate layout"
    middle = intermediate_layout(source, target, 8)
    assert middle is not None
    assert middle.is_surjective
    assert (middle.threads, middle.registers) == (source.threads, source.registers)
    for way in ((source, middle), (middle, target)):
        plan = plan_conversion(*way, BITS, max_bytes=size // 8)
        assert isinstance(plan, ThroughShared)
        assert plan.bytes <= size // 8


def test_there_is_none_for_copies():
    layout = coalesced((16, 4), 4)
    assert intermediate_layout(layout, layout.permute((1, 0)).permute((1, 0)), 2) is None
