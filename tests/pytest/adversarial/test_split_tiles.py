"""Attacks on `split-tiles`: products in which one tile is several operands, and work in place."""

import pytest

from ..harness.passes import applied
from ..harness.remarks import asked, told
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


def kinds(text: str) -> set[str]:
    """The kinds of remarks on what is split."""
    after = applied(asked(ATTACK.before(text)), ATTACK.make())
    return {each.kind for each in told(after, category="Tiles")}


@pytest.mark.parametrize("name", PRODUCTS)
def test_tiles_that_are_several_operands(name: str):
    text = kernel(PRODUCTS[name])
    ATTACK.run(text, arguments(2, 0))
    assert kinds(text)


@pytest.mark.parametrize("name", SPLIT)
def test_split(name: str):
    text = kernel(SPLIT[name])
    ATTACK.but(then=("nvgpu",)).run(text, arguments(1))
    assert "Passed" in kinds(text)


def test_indices_that_are_not_known():
    """Of tiles in the tensor, before it and behind it."""
    text = (
        f"%ones = constant <f32: 1.0> : {T}\n"
        + load("%x", "%t1")
        + dot("%d", "%x", "%ones")
        + store("%d", "%t2", "%w2").replace("[%z, %z]", "[%n, %n]")
    )
    ATTACK.run(kernel(text), arguments(0, 1, -1, 1 << 30))
    assert "Passed" in kinds(kernel(text))


@pytest.mark.long
@pytest.mark.parametrize("name", PRODUCTS)
def test_threads(name: str):
    ATTACK.but(then=("tileas", "nvgpu")).run(kernel(PRODUCTS[name]), arguments(3))
