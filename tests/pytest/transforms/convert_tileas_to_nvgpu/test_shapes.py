"""Changes of shape, by what they store: the same as at level 0, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from .tile_kernels import Kernel, tile

LEVELS = (0, 2, 3)
ELEMENTS = ("i1", "i8", "i16", "f16", "i32", "f64")


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", LEVELS)
def test_permute_and_reshape(opt: int):
    kernel = Kernel()
    for number, (shape, order) in enumerate(
        [
            *(((8, 16), order) for order in permutations(range(2))),
            *(((2, 8, 4), order) for order in permutations(range(3))),
            *(
                ((64, 128), (1, 0)),
                ((1, 2, 1, 4), (3, 2, 1, 0)),
                ((2, 2, 4, 2, 8), (4, 0, 3, 1, 2)),
            ),
        ]
    ):
        element = ELEMENTS[number % len(ELEMENTS)]
        value = kernel.values(shape, element)
        turned = [shape[dim] for dim in order]
        value = kernel.add(
            f"permute {value} {list(order)} : {tile(shape, element)} -> {tile(turned, element)}"
        )
        flat = [turned[0] * turned[1], *turned[2:]]
        value = kernel.add(f"reshape {value} : {tile(turned, element)} -> {tile(flat, element)}")
        kernel.store(value, flat, element)
    kernel.check(opt)


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", LEVELS)
def test_broadcast_and_cat(opt: int):
    """Small tiles are replicated: several threads hold the same elements."""
    kernel = Kernel()
    cases: list[tuple[Sequence[int], Sequence[int]]] = [
        ((1,), (4,)),
        ((1, 16), (8, 16)),
        ((8, 1), (8, 16)),
        ((1, 1), (128, 64)),
        ((2, 1, 4), (2, 8, 4)),
        ((1, 4, 1, 2, 1), (2, 4, 2, 2, 4)),
    ]
    for number, (shape, wide) in enumerate(cases):
        element = ELEMENTS[number % len(ELEMENTS)]
        small = kernel.values(shape, element)
        large = kernel.add(f"broadcast {small} : {tile(shape, element)} -> {tile(wide, element)}")
        kernel.store(large, wide, element)
        other = kernel.values(wide, element)
        for dim in range(len(wide)):
            twice = [size * 2 if each == dim else size for each, size in enumerate(wide)]
            both = f"{tile(wide, element)}, {tile(wide, element)}"
            cat = kernel.add(f"cat {large}, {other} dim = {dim} : {both} -> {tile(twice, element)}")
            kernel.store(cat, twice, element)
    kernel.check(opt)


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", LEVELS)
def test_slices_at_places_known_at_run_time(opt: int):
    kernel = Kernel()
    cases: list[tuple[Sequence[int], Sequence[int], Sequence[int]]] = [
        ((8,), (2,), (3,)),
        ((4, 8), (2, 8), (1, 0)),
        ((16, 32), (4, 2), (3, 11)),
        ((2, 4, 8), (1, 1, 4), (1, 3, 1)),
        ((64, 64), (1, 64), (37, 0)),
        ((2, 2, 2, 2, 2), (1, 2, 1, 2, 1), (1, 0, 1, 0, 0)),
    ]
    for number, (shape, part, place) in enumerate(cases):
        element = ELEMENTS[number % len(ELEMENTS)]
        whole, types = kernel.values(shape, element), (tile(shape, element), tile(part, element))
        indices = ", ".join(kernel.values((), "i32", np.array([index])) for index in place)
        slice_ = kernel.add(f"extract {whole}[{indices}] : {types[0]} -> {types[1]}")
        kernel.store(slice_, part, element)
        fresh = kernel.values(part, element)
        changed = kernel.add(f"insert {fresh}, {whole}[{indices}] : {types[1]}, {types[0]}")
        kernel.store(changed, shape, element)
    kernel.check(opt)


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", LEVELS)
def test_slices_at_known_places(opt: int):
    """Threads have both elements of a pair, and all rows of some columns."""
    kernel = Kernel()
    cases: list[tuple[Sequence[int], Sequence[int], Sequence[int]]] = [
        ((32, 32, 2), (32, 32, 1), (0, 0, 1)),
        ((4, 1024), (1, 1024), (2, 0)),
        ((8, 512), (4, 256), (1, 0)),
        ((16, 32), (4, 2), (3, 11)),
    ]
    for number, (shape, part, place) in enumerate(cases):
        element = ELEMENTS[number % len(ELEMENTS)]
        whole, types = kernel.values(shape, element), (tile(shape, element), tile(part, element))
        indices = ", ".join(kernel.add(f"constant <i32: {index}> : tile<i32>") for index in place)
        slice_ = kernel.add(f"extract {whole}[{indices}] : {types[0]} -> {types[1]}")
        kernel.store(slice_, part, element)
    kernel.check(opt)


@pytest.mark.every(2)
@pytest.mark.parametrize("opt", LEVELS)
def test_ranges(opt: int):
    kernel = Kernel()
    for element, size in (("i8", 16), ("i8", 128), ("i16", 4096), ("i32", 1), ("i64", 512)):
        kernel.store(kernel.add(f"iota : {tile([size], element)}"), [size], element)
    kernel.check(opt)


@pytest.mark.every(4)
@pytest.mark.parametrize("opt", LEVELS)
def test_the_same_bits_in_other_elements(opt: int):
    kernel = Kernel()
    for size in (16, 256, 2048):
        data = np.random.default_rng(size).integers(-128, 128, size)
        for element, bits in (
            ("f4E2M1FN", 4),
            ("i16", 16),
            ("f32", 32),
            ("i64", 64),
        ):
            bytes_, count = tile([size], "i8"), size * 8 // bits
            value = kernel.values([size], "i8", data)
            value = kernel.add(f"unpack {value} : {bytes_} -> {tile([count], element)}")
            # Two parts change their places in between, so that elements have to be where they
            # belong.
            halves = tile([2, count // 2], element)
            value = kernel.add(f"reshape {value} : {tile([count], element)} -> {halves}")
            turned = tile([count // 2, 2], element)
            value = kernel.add(f"permute {value} [1, 0] : {halves} -> {turned}")
            value = kernel.add(f"reshape {value} : {turned} -> {tile([count], element)}")
            value = kernel.add(f"pack {value} : {tile([count], element)} -> {bytes_}")
            kernel.store(value, [size], "i8")
    kernel.check(opt)
