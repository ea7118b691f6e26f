"""
Attacks on `tileas-insert-profiling`: marks in loops that carry much, in branches and inner loops,
of all agents. Kernels compute what they did, and every level writes the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.profiling import EVENT_SHIFT, HEADER, ProfileLayout
from tileiras_xdsl.inspection.profiling.measure import get_layout
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from ..harness.cases import every
from ..harness.passes import applied, lower
from ..harness.running import run_printing
from .attacks import Outcome, bits_of, copies_of, make, outcome
from .dot_loops import NAMES as DOT_LOOPS
from .dot_loops import SMALL, programs
from .exchanges import NAMES, arguments_of, text_of

PASS = "tileas-insert-profiling"
Rows = dict[tuple[int, int], tuple[list[int], list[int]]]
"""The events and times of warps of CTAs."""


def layout_of(module: ModuleOp) -> ProfileLayout:
    (kernel,) = kernels(module)
    return get_layout(kernel)


def read(layout: ProfileLayout, words: np.ndarray[Any, Any]) -> Rows:
    """What is in a buffer; all that nobody should have written is zero."""
    rows = words.reshape(layout.ctas, layout.warps, layout.row)
    found: Rows = {}
    for cta, warp in np.ndindex(rows.shape[:2]):
        row = rows[cta, warp]
        if row[HEADER.index("begin")]:
            marks = int(row[HEADER.index("marks")])
            records = [int(word) for word in row[len(HEADER) :][:marks]]
            times = [word & ((1 << EVENT_SHIFT) - 1) for word in records]
            assert sorted(set(times)) == times, "time goes on"
            found[cta, warp] = [word >> EVENT_SHIFT for word in records], times
            assert all(found[cta, warp][0])
            row[: len(HEADER) + marks] = 0
        assert not row.any(), (cta, warp)
    return found


def record(
    module: ModuleOp, layout: ProfileLayout, arguments: Sequence[Any], grid: int = 1
) -> tuple[Outcome, Rows]:
    """What a kernel with marks leaves behind, and what it has written to the buffer."""
    copies = [*copies_of(arguments), np.zeros(layout.words, np.int64)]
    printed = run_printing(module, args=copies, grid=grid, check=True)
    arrays = tuple(bits_of(each) for each in copies[:-1] if hasattr(each, "dtype"))
    return Outcome(arrays, printed), read(layout, copies[-1])


def events_of(rows: Rows) -> dict[tuple[int, int], list[int]]:
    return {key: events for key, (events, _) in rows.items()}


def attack(text: str, arguments: Sequence[Any], arch: str, abi: str = "device-maps") -> Rows:
    """The rows, which have the same events at all levels."""
    expected = outcome(load(text), arguments, grid=1, check=True)
    before = lower(load(text), "tileas", arch=arch, abi=abi)
    after = applied(before, make(f"{PASS}{{ctas=2 records=200}}"))
    layout, found = layout_of(after), list[Rows]()
    for module in (after, lower(after, "nvgpu", after="tileas", arch=arch, abi=abi)):
        got, rows = record(module, layout, arguments)
        assert got == expected
        found.append(rows)
    assert events_of(found[0]) == events_of(found[1])
    assert {cta for cta, _ in found[0]} == {0}
    return found[0]


@pytest.mark.every(2)
@pytest.mark.parametrize("name", every(13, DOT_LOOPS))
@pytest.mark.parametrize("abi", every(2, ["device-maps", "host-maps"]))
def test_dots(name: str, abi: str):
    rows = attack(programs()[name], SMALL.arguments(4), "sm_90a", abi)
    assert len({tuple(events) for events in events_of(rows).values()}) >= 1


@pytest.mark.every(17, first=3)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_120a"])
@pytest.mark.parametrize("name", NAMES)
def test_exchanges(name: str, arch: str):
    attack(text_of(name), arguments_of(name), arch)


@pytest.fixture(scope="module")
def loop() -> tuple[ModuleOp, list[Any]]:
    """A kernel with agents, and arguments for four CTAs, each of which computes the same."""
    text = programs()[DOT_LOOPS[0]]
    return lower(load(text), "tileas", arch="sm_90a", opt=2), SMALL.arguments(4)


@pytest.mark.part("kernels")
def test_no_room(loop: tuple[ModuleOp, list[Any]]):
    """Marks that do not fit are counted, and rows next to them stay as they are."""
    module, arguments = loop
    whole = applied(module, make(f"{PASS}{{ctas=1 records=100}}"))
    short = applied(module, make(f"{PASS}{{ctas=1 records=3}}"))
    _, expected = record(whole, layout_of(whole), arguments)
    for each in (short, lower(short, "nvgpu", after="tileas", arch="sm_90a", opt=2)):
        copies = [*copies_of(arguments), np.zeros(layout_of(short).words, np.int64)]
        run_printing(each, args=copies, grid=1, check=True)
        rows = copies[-1].reshape(layout_of(short).warps, layout_of(short).row)
        for (_, warp), (events, _) in expected.items():
            assert rows[warp, HEADER.index("marks")] == len(events) > 3
            assert [int(word) >> EVENT_SHIFT for word in rows[warp, len(HEADER) :]] == events[:3]


@pytest.mark.parametrize(("every_", "expected"), [(1, [0, 1]), (2, [0, 1]), (3, [0, 1]), (4, [0])])
def test_some_ctas(loop: tuple[ModuleOp, list[Any]], every_: int, expected: list[int]):
    """Every so many CTAs of four, two at most."""
    module, arguments = loop
    after = applied(module, make(f"{PASS}{{ctas=2 every={every_} records=100}}"))
    copies = [*copies_of(arguments), np.zeros(layout_of(after).words, np.int64)]
    run_printing(after, args=copies, grid=(1, 1, 4))
    assert sorted({cta for cta, _ in read(layout_of(after), copies[-1])}) == expected


def test_twice(loop: tuple[ModuleOp, list[Any]]):
    after = applied(loop[0], make(PASS))
    with pytest.raises(PassFailedException, match="has marks already"):
        applied(after, make(PASS))
