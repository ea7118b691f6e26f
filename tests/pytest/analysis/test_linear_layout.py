"""Layouts as linear maps, against enumeration."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileiras_xdsl.analysis.linear_layout import (
    BitMap,
    LinearLayout,
    Solver,
    blocked,
    contiguous_registers,
    extend,
    flatten,
    intersection,
    is_permutation_of_registers,
    rank,
    reduced,
    stays_in_warp,
    unflatten,
    wavefronts,
    xor_all,
)

SHAPES = [(), (1,), (64,), (4, 8), (2, 4, 16)]
VECTORS = st.lists(st.integers(0, 63), max_size=8)
RANDOMS = st.integers(0, (1 << 32) - 1).map(Random)
"""By seeds: numbers that come one by one from Hypothesis take longer than what they are for."""


def span(vectors: list[int]) -> set[int]:
    return {xor_all(vectors, index) for index in range(1 << len(vectors))}


def draw_layout(random: Random, shape: tuple[int, ...], warps: int = 4) -> LinearLayout:
    """A layout with a place for every element, and maybe several."""
    base = blocked(shape, warps, vector=random.choice([1, 2, 4]))
    bases = [*base.register, *base.lane, *base.warp, *[0] * random.randint(0, 2)]
    random.shuffle(bases)
    threads = len(base.lane) + len(base.warp)
    return LinearLayout.distributed(
        shape, bases[threads:], bases[: len(base.lane)], bases[len(base.lane) : threads]
    )


def all_places(layout: LinearLayout) -> list[dict[str, int]]:
    ranges = [range(1 << len(bases)) for _, bases in layout.inputs]
    names = [name for name, _ in layout.inputs]
    return [dict(zip(names, values)) for values in product(*ranges)]


def elements(layout: LinearLayout, **fixed: int) -> set[int]:
    return {
        layout.element(**place)
        for place in all_places(layout)
        if all(place[name] == value for name, value in fixed.items())
    }


@pytest.mark.part("kernels")
@given(VECTORS, VECTORS)
@settings(max_examples=50)
def test_spans(left: list[int], right: list[int]):
    assert len(span(left)) == 1 << rank(left)
    assert span(intersection(left, right)) == span(left) & span(right)
    assert span(reduced(left)) == span(left)
    assert len(reduced(left)) == rank(left)
    added = extend(left, right)
    assert set(added) <= set(right)
    assert span([*left, *added]) == span([*left, *right])
    assert rank(left) + len(added) == rank([*left, *right])


@given(VECTORS, st.integers(0, 63))
def test_solver(vectors: list[int], number: int):
    solver = Solver(vectors)
    solution = solver.solve(number)
    assert (solution is not None) == (number in span(vectors))
    if solution is not None:
        assert xor_all(vectors, solution) == number
    assert len(solver.kernel) == len(vectors) - rank(vectors)
    assert all(xor_all(vectors, used) == 0 for used in solver.kernel)
    assert rank(solver.kernel) == len(solver.kernel)


@pytest.mark.parametrize("shape", SHAPES)
@given(random=RANDOMS)
@settings(max_examples=10, deadline=None)
def test_places(shape: tuple[int, ...], random: Random):
    layout = draw_layout(random, shape)
    inverse = layout.inverse()
    for number in range(layout.elements):
        place = layout.place(number)
        assert layout.unpack(inverse.apply(number)) == place
        assert layout.element(**place) == number
        assert not any(place[name] & layout.free_bits(name) for name in place)


@given(random=RANDOMS)
@settings(max_examples=20, deadline=None)
def test_owners_hold_each_element_once(random: Random):
    layout = draw_layout(random, (8, 4))
    owned = Counter(
        layout.element(**place)
        for place in all_places(layout)
        if all(not value & ~layout.owners(name) for name, value in place.items())
    )
    assert owned == Counter(range(32))


def test_permutations():
    there, back = BitMap.permutation((4, 8), (1, 0)), BitMap.permutation((8, 4), (1, 0))
    assert [back.apply(there.apply(number)) for number in range(32)] == list(range(32))


@pytest.mark.part("kernels")
@given(random=RANDOMS)
@settings(max_examples=20, deadline=None)
def test_products(random: Random):
    inner, outer = draw_layout(random, (4, 8), 2), draw_layout(random, (8, 2), 2)
    layout = inner.tile(outer)
    assert layout.shape == (32, 16)
    for place in random.sample(all_places(layout), 32):
        inside = {name: value % (1 << len(inner.bases(name))) for name, value in place.items()}
        outside = {name: value >> len(inner.bases(name)) for name, value in place.items()}
        expected = [
            a + b * size
            for a, b, size in zip(
                inner.coordinates(inner.element(**inside)),
                outer.coordinates(outer.element(**outside)),
                inner.shape,
            )
        ]
        assert layout.element(**place) == flatten(expected, layout.shape)


@given(random=RANDOMS)
@settings(max_examples=20, deadline=None)
def test_relations(random: Random):
    source = draw_layout(random, (8, 32), 2)
    bases = [*source.register, *source.lane]
    random.shuffle(bases)
    count = len(source.register)
    same_warp = source.replaced(register=bases[:count], lane=bases[count:])
    others = [
        draw_layout(random, (8, 32), 2),
        same_warp,
        source.replaced(register=source.register[::-1]),
    ]
    for target in others:
        in_warps = all(
            elements(target, warp=warp) <= elements(source, warp=warp)
            for warp in range(source.warps)
        )
        assert stays_in_warp(source, target) == in_warps
        indices = [
            {
                index
                for index in range(source.registers)
                if all(
                    source.element(register=index, lane=lane, warp=warp)
                    == target.element(register=register, lane=lane, warp=warp)
                    for lane in range(32)
                    for warp in range(source.warps)
                )
            }
            for register in range(target.registers)
        ]
        assert is_permutation_of_registers(source, target) == all(indices)


@given(random=RANDOMS, vector=st.sampled_from([1, 2, 4, 8]))
@settings(max_examples=30, deadline=None)
def test_contiguous_registers(random: Random, vector: int):
    layout = blocked((16, 64), 4, vector=vector, order=random.choice([(0, 1), (1, 0)]))
    if random.random() < 0.5:
        lane = list(layout.lane)
        lane[0] ^= random.choice([1, 2, 4, 64, 128])
        layout = layout.replaced(lane=lane)
    for order in ((1, 0), (0, 1)):
        width = contiguous_registers(layout, order)

        def is_run(count: int, axis: int = order[0]) -> bool:
            for place in all_places(layout):
                start = dict(place, register=place["register"] & -count)
                first = list(layout.coordinates(layout.element(**start)))
                if first[axis] % count:
                    return False
                first[axis] += place["register"] % count
                if flatten(first, layout.shape) != layout.element(**place):
                    return False
            return True

        assert is_run(width)
        assert 2 * width > layout.registers or not is_run(2 * width)


def test_contiguous_registers_of_scalars():
    assert contiguous_registers(blocked((), 4)) == 1
    assert contiguous_registers(blocked((1, 1), 4)) == 1


@pytest.mark.parametrize(
    ("stride", "width", "expected"),
    [
        (4, 4, 1),
        (0, 4, 1),  # all lanes get the same word
        (8, 4, 2),
        (128, 4, 32),
        (132, 4, 1),
        (1, 1, 1),
        (2, 2, 1),
        (64, 2, 16),
        (8, 8, 2),
        (16, 16, 4),
        (128, 16, 32),
        (144, 16, 4),
        (32, 16, 8),
    ],
)
def test_wavefronts(stride: int, width: int, expected: int):
    assert wavefronts([lane * stride for lane in range(32)], width) == expected


@given(st.lists(st.integers(0, 255), min_size=32, max_size=32), st.sampled_from([1, 2, 4, 8, 16]))
def test_wavefronts_by_enumeration(starts: list[int], width: int):
    offsets = [start * width for start in starts]
    total = 0
    for phase in range(max(1, width // 4)):
        size = 32 // max(1, width // 4)
        per_bank = [set[int]() for _ in range(32)]
        for offset in offsets[phase * size : (phase + 1) * size]:
            for byte in range(offset, offset + width):
                per_bank[byte // 4 % 32].add(byte // 128)
        total += max(len(rows) for rows in per_bank)
    assert wavefronts(offsets, width) == total


@given(random=RANDOMS)
@settings(max_examples=20, deadline=None)
def test_changes_of_shape(random: Random):
    shape = (4, 2, 16)
    layout = draw_layout(random, shape)
    turned = layout.permute((2, 0, 1))
    sliced = layout.slice(1)
    cropped = layout.restricted((4, 1, 4))
    for place in random.sample(all_places(layout), 32):
        position = unflatten(layout.element(**place), shape)
        expected = (position[2], position[0], position[1])
        assert turned.coordinates(turned.element(**place)) == expected
    for lane, warp in product(range(32), range(4)):
        held = {layout.coordinates(each) for each in elements_of_thread(layout, lane, warp)}
        assert elements_of_thread(sliced, lane, warp) == {
            flatten((a, c), (4, 16)) for a, _, c in held
        }
        assert elements_of_thread(cropped, lane, warp) == {
            flatten((a, 0, c % 4), (4, 1, 4)) for a, _, c in held
        }


def elements_of_thread(layout: LinearLayout, lane: int, warp: int) -> set[int]:
    return {
        layout.element(register=register, lane=lane, warp=warp)
        for register in range(layout.registers)
    }
