"""Pictures of layouts: every element is where the layout says."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked, flatten
from tileiras_xdsl.analysis.matrix_layouts import mma_a, swizzled, wgmma_accumulator
from tileiras_xdsl.dialects.nv_tileas.layout import encode
from tileiras_xdsl.inspection.visual import layout_picture, shared_picture

from .svg import texts, tips, tree_of

WGMMA = wgmma_accumulator((128, 64), 2)
FACTOR = mma_a((16, 16), 1, 2, 16)
assert WGMMA is not None
assert FACTOR is not None

WHOLE = [
    blocked((8, 4), 1),
    blocked((8, 16), 2, vector=2),
    blocked((4, 2, 8), 2, order=(0, 2, 1)),
    blocked((64,), 2, vector=4),
    blocked((16, 2), 4),
    blocked((4,), 4),
    blocked((), 1),
    FACTOR,
]
PARTS = [WGMMA, blocked((128, 256), 8, vector=8), blocked((4096,), 4), blocked((256, 2), 4)]

PLACE = r"warp (\d+), lane (\d+), registers? ([\d, ]+)"
ELEMENTS = re.compile(rf"^elements? \(([\d, ]*)\)(?: to \([\d, ]*\))?: {PLACE}(.*)$")


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each.strip()]


def check_cells(layout: LinearLayout) -> Counter[int]:
    """Compares tooltips with the layout, and returns how often each element occurs."""
    found: Counter[int] = Counter()
    for tip in tips(layout_picture(layout)):
        match = ELEMENTS.match(tip)
        if match is None:
            continue
        first = flatten(numbers(match[1]), layout.shape)
        warp, lane = int(match[2]), int(match[3])
        for index, register in enumerate(numbers(match[4])):
            assert layout.element(warp=warp, lane=lane, register=register) == first + index
            found[first + index] += 1
        for other in re.findall(PLACE, match[5]):
            place = dict(zip(("warp", "lane", "register"), map(int, other), strict=True))
            assert layout.element(**place) == first
            assert (warp, lane, numbers(match[4])[0]) != tuple(place.values())
    return found


@pytest.mark.parametrize("layout", WHOLE, ids=lambda layout: str(layout.shape))
def test_every_element_appears_once(layout: LinearLayout):
    assert check_cells(layout) == Counter(range(layout.elements))


@pytest.mark.parametrize("layout", PARTS, ids=lambda layout: str(layout.shape))
def test_parts_of_large_tiles(layout: LinearLayout):
    found = check_cells(layout)
    assert set(found.values()) == {1}
    assert 0 in found
    assert 32 <= len(found) < layout.elements


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_layout(data: st.DataObject):
    """Layouts whose bases are mixed, and that hold copies."""
    bits = data.draw(st.integers(0, 7))
    inputs = [data.draw(st.integers(0, (1 << bits) - 1)) for _ in range(4)]
    bases = data.draw(st.permutations([1 << bit for bit in range(bits)] + inputs))
    bases += [0] * max(0, 6 - len(bases))
    layout = LinearLayout.distributed((1 << bits,), bases[6:], bases[:5], bases[5:6])
    if bits:
        layout = layout.reshape((1 << bits // 2, 1 << (bits - bits // 2)))
    assert check_cells(layout) == Counter(range(layout.elements))


@pytest.mark.parametrize("layout", PARTS, ids=lambda layout: str(layout.shape))
def test_the_map_of_warps(layout: LinearLayout):
    warps: dict[int, set[int]] = {}
    for register in range(layout.registers):
        for warp in range(layout.warps):
            for lane in range(32):
                number = layout.element(register=register, lane=lane, warp=warp)
                warps.setdefault(number, set()).add(warp)
    columns = layout.shape[-1] if len(layout.shape) > 1 else 16
    seen = 0
    for tip in tips(layout_picture(layout)):
        match = re.match(r"^\(([\d, ]*)\) to \(([\d, ]*)\): warps? ([\d, ]+)$", tip)
        if match is None:
            continue
        first, last = (flatten(numbers(match[i]), layout.shape) for i in (1, 2))
        expected = {
            min(warps[row * columns + column])
            for row in range(first // columns, last // columns + 1)
            for column in range(first % columns, last % columns + 1)
        }
        assert set(numbers(match[3])) == expected
        seen += (last // columns - first // columns + 1) * (last % columns - first % columns + 1)
    assert seen == layout.elements


def test_copies_are_shown():
    picture = layout_picture(blocked((4,), 4))
    assert "r0 ×32" in texts(picture)
    assert "lanes that differ in bits 2, 3 and 4 of their number hold copies" in texts(picture)
    assert "warps that differ in bits 0 and 1 of their number hold copies" in str(picture)
    assert tips(picture)[0].endswith("; and 24 more")
    assert "×" not in " ".join(str(layout_picture(blocked((8, 4), 1))).splitlines()[1:])


def test_the_text_of_a_layout():
    lines = str(layout_picture(blocked((4, 16), 1, vector=2), "pairs")).splitlines()
    assert lines[:3] == [
        "pairs",
        "tile 4x16 in 1 warp × 32 lanes × 2 registers",
        "        0       1       2       3       4       5       6       7       8       9      10"
        "      11      12      13      14      15",
    ]
    assert lines[4].startswith("1   t8 r0   t8 r1   t9 r0   t9 r1  t10 r0  t10 r1")
    assert lines[-1] == "t5: lane 5; r3: its register 3; thick lines: warps"


def test_types_of_tensors():
    layout = blocked((8, 4), 1)
    ty = TensorType(f32, (8, 4), encode(layout))
    assert layout_picture(ty).svg == layout_picture(layout).svg
    shared = swizzled((8, 32), 1, 4)
    ty = TensorType(f32, (8, 32), encode(shared))
    assert shared_picture(ty).svg == shared_picture(shared, 4).svg


def test_what_is_no_layout():
    with pytest.raises(ValueError, match="has no layout"):
        layout_picture(TensorType(f32, (8, 4)))
    with pytest.raises(ValueError, match="shared_picture"):
        layout_picture(swizzled((8, 8), 1, 4))
    with pytest.raises(ValueError, match="no layout in shared memory"):
        shared_picture(blocked((8, 4), 1), 4)
    with pytest.raises(ValueError, match="bytes of an element"):
        shared_picture(swizzled((8, 8), 1, 4))


# Shared memory

SHARED = [
    (swizzled((64, 64), 1, 2), 2),
    (swizzled((16, 16), 1, 4), 4),
    (swizzled((16, 32), 0, 2), 2),
    (swizzled((64,), 0, 1), 1),
    (LinearLayout.shared((16, 32), [1 << bit for bit in range(9)]), 4),
    (LinearLayout.shared((4, 8), [8, 1, 16, 2, 4]), 2),
    (LinearLayout.shared((), []), 8),
]


@pytest.mark.parametrize(("layout", "size"), SHARED)
def test_elements_in_shared_memory(layout: LinearLayout, size: int):
    cell = re.compile(
        r"^bytes (\d+)–(\d+), banks? (\d+)(?:–(\d+))?: "
        r"elements? \(([\d, ]*)\)(?: to \(([\d, ]*)\))?$"
    )
    picture = shared_picture(layout, size)
    tree_of(picture)
    covered = 0
    for tip in tips(picture):
        match = cell.match(tip)
        assert match is not None, tip
        first, last = int(match[1]), int(match[2])
        assert first == covered
        covered = last + 1
        assert int(match[3]) == first % 128 // 4
        assert int(match[4] or match[3]) == last % 128 // 4
        ends = (match[5], match[6] if match[6] is not None else match[5])
        for offset, position in zip((first, last), ends, strict=True):
            expected = layout.element(offset=offset // size)
            assert flatten(numbers(position), layout.shape) == expected
    assert covered == min(2048, size << len(layout.offset))


def test_swizzles_can_be_told():
    swizzled_rows = str(shared_picture(swizzled((8, 64), 1, 2), 2)).splitlines()
    assert swizzled_rows[:4] == [
        "tile 8x64 of 2 bytes each, in shared memory",
        "bank    0        4        8        12       16       20       24       28",
        "0       0,0–7    0,8–15   0,16–23  0,24–31  0,32–39  0,40–47  0,48–55  0,56–63",
        "128     1,8–15   1,0–7    1,24–31  1,16–23  1,40–47  1,32–39  1,56–63  1,48–55",
    ]
    assert swizzled_rows[-2].endswith("swizzled by bits 7, 8, 9 of the address")
    assert swizzled_rows[-1] == ("8 cells of a column are read without bank conflicts")
    plain = LinearLayout.shared((8, 64), [1 << bit for bit in range(9)])
    rows = str(shared_picture(plain, 2)).splitlines()
    assert rows[-2].endswith("not swizzled")
    assert rows[-1] == "8 cells of a column take 8 wavefronts instead of 1: bank conflicts"
