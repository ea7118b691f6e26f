"""Attacks on `split-tiles`: products in which one tile is several operands, and work in place."""

import pytest

from tileiras_xdsl.dialects.nv_tileaa.decisions import SPLIT_TILES, UNSPLIT_TILES

from .attacks import Attack
from .square_products import PRODUCTS, T, arguments, dot, kernel, load, store

ATTACK = Attack("split-tiles{accumulator-elements=64}", fires=None)
SPLIT = {
    "rows": load("%x", "%t1")
    + load("%y", "%t2", "%w2")
    + dot("%d", "%x", "%y")
    + store("%d", "%t3", after="%t1"),
    "in place of the second": load("%x", "%t1")
    + load("%y", "%t2", "%w2")
    + dot("%d", "%x", "%y")
    + store("%d", "%t3", "%w2", "%t2"),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_tiles_that_are_several_operands(name: str):
    after = ATTACK.run(kernel(PRODUCTS[name]), arguments(2, 0))
    assert any(SPLIT_TILES.is_on(op) or UNSPLIT_TILES.is_on(op) for op in after.walk())


@pytest.mark.parametrize("name", SPLIT)
def test_split(name: str):
    after = ATTACK.but(then=("nvgpu",)).run(kernel(SPLIT[name]), arguments(1))
    assert any(SPLIT_TILES.is_on(op) for op in after.walk())


def test_indices_that_are_not_known():
    """Of tiles in the tensor, before it and behind it."""
    text = (
        f"%ones = constant <f32: 1.0> : {T}\n"
        + load("%x", "%t1")
        + dot("%d", "%x", "%ones")
        + store("%d", "%t2", "%w2").replace("[%z, %z]", "[%n, %n]")
    )
    after = ATTACK.run(kernel(text), arguments(0, 1, -1, 1 << 30))
    assert any(SPLIT_TILES.is_on(op) for op in after.walk())


@pytest.mark.long
@pytest.mark.parametrize("name", PRODUCTS)
def test_threads(name: str):
    ATTACK.but(then=("tileas", "nvgpu")).run(kernel(PRODUCTS[name]), arguments(3))
