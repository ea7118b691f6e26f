"""Attacks on `split-operands`: tiles that several dots read, in place, and with themselves."""

import pytest

from ..harness.passes import applied
from ..harness.remarks import asked, told
from .attacks import Attack
from .square_products import PRODUCTS, TRANSPOSED, T, arguments, dot, kernel, load, loop, store

ATTACK = Attack("split-operands{shared-bytes=2500}", fires=None, is_idempotent=False)
"""Two tiles of 1024 bytes fit, three do not."""

KEYS = load("%x", "%t1", after="%u") + TRANSPOSED
SPLIT = {
    # As in latent attention: by keys, then by their transposition.
    "attention": KEYS + dot("%d", "%x", "%q0") + dot("%e", "%y", "%d", "%a"),
    "attention, changed": KEYS
    + dot("%d", "%x", "%q0")
    + f"%f = addf %d, %d : {T}\n"
    + dot("%e", "%y", "%f", "%a"),
    "added": KEYS + dot("%d", "%x", "%q0") + dot("%e", "%y", "%q0", "%d"),
    "square": KEYS + dot("%d", "%x", "%x") + dot("%e", "%y", "%d", "%a"),
    "both transposed": KEYS + dot("%d", "%x", "%y") + dot("%e", "%y", "%d", "%a"),
    "accumulator": KEYS + dot("%d", "%x", "%q0", "%x") + dot("%e", "%y", "%d", "%a"),
    "mixed": KEYS
    + dot("%d", "%x", "%q0")
    + f"%f = addf %d, %x : {T}\n"
    + dot("%e", "%y", "%f", "%a"),
}
STORES = {"elsewhere": "%w2", "in place": "%w"}


def body(name: str, view: str) -> str:
    """A loop that keeps sums, and in place writes them where it has read."""
    step = store("%e", "%v", "%w", "%t1") if view == "%w" else "%v = join_tokens %t1, %u : token\n"
    inside = SPLIT[name] + step + f"continue %e, %v : {T}, token"
    loops = loop("%s, %last", "%a = %zero, %u = %t0", f"{T}, token", inside)
    return load("%q0", "%tq", "%w2") + loops + store("%s", "%end", "%w2", "%tq")


@pytest.mark.parametrize("view", STORES)
@pytest.mark.parametrize("name", SPLIT)
def test_loops(name: str, view: str):
    ATTACK.run(kernel(body(name, STORES[view])), arguments(1 if view == "in place" else 2, 0))


def test_fires():
    text = kernel(body("attention", "%w2"))
    ATTACK.but(fires=True).run(text, arguments(2))
    assert told(applied(asked(ATTACK.before(text)), ATTACK.make()), category="Memory")


@pytest.mark.long
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str):
    ATTACK.run(kernel(PRODUCTS[name]), arguments(2, 0))
