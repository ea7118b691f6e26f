"""Attacks on `merge-loads`: tokens that only one load has, other tiles, stores in between."""

import pytest

from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp

from ..harness.modules import ops_of
from .attacks import Attack
from .square_products import M, T, V, arguments, dot, kernel, load, loop, store

ATTACK = Attack("merge-loads")
FLIPPED = V.replace(M, f"{M}, dim_map=[1, 0]")
"""The same tiles with their dimensions the other way round; equal loads are gone by `cse`."""
MAKE = f"%w3 = make_partition_view %m : {FLIPPED}\n"


def load_flipped(tile: str, token: str, after: str = "%t0") -> str:
    return load(tile, token, "%w3", after).replace(V, FLIPPED)


BOTH = MAKE + load("%x", "%t1") + load_flipped("%y", "%t2")
MERGED = {
    "twice": (BOTH + dot("%d", "%x", "%y") + store("%d", "%t3", "%w2"), 1),
    # Only the token of the second one is used, or only that of the first.
    "second token": (BOTH + dot("%d", "%x", "%y") + store("%d", "%t3", "%w2", "%t2"), 1),
    "first token": (
        BOTH
        + dot("%d", "%x", "%y")
        + "%t3 = join_tokens %t1, %t2 : token\n"
        + store("%d", "%t4", after="%t3"),
        1,
    ),
    "in a loop": (
        MAKE
        + loop(
            "%s",
            "%a = %zero, %u = %t0",
            f"{T}, token",
            load("%x", "%t1", after="%u")
            + load_flipped("%y", "%t2", "%u")
            + dot("%d", "%x", "%y", "%a")
            + "%t3 = join_tokens %t1, %t2 : token\n"
            + store("%d", "%t4", after="%t3")
            + f"continue %d, %t4 : {T}, token",
        ).replace("%s =", "%s, %last ="),
        1,
    ),
}
APART = {
    "store between": MAKE
    + load("%x", "%t1")
    + store("%zero", "%t3", after="%t1")
    + load_flipped("%y", "%t2", "%t3")
    + dot("%d", "%x", "%y")
    + store("%d", "%t4", "%w2"),
    "another tensor": load("%x", "%t1")
    + load("%y", "%t2", "%w2")
    + dot("%d", "%x", "%y")
    + store("%d", "%t3", after="%t1"),
    "another token": MAKE
    + load("%x", "%t1")
    + load_flipped("%y", "%t2", "%t1")
    + dot("%d", "%x", "%y")
    + store("%d", "%t3", "%w2"),
}


@pytest.mark.parametrize("name", MERGED)
def test_merged(name: str):
    body, count = MERGED[name]
    after = ATTACK.run(kernel(body), arguments(2, 0))
    assert len(ops_of(after, TiledLoadOp)) == count


@pytest.mark.parametrize("name", APART)
def test_apart(name: str):
    ATTACK.but(fires=False).run(kernel(APART[name]), arguments(1))


PADDED = V.replace("(16x16), ", "(16x16), padding_value = zero, ")
PLACES = {
    "another row": (PADDED, "%z, %z", "%one, %z"),
    "another column": (PADDED, "%z, %n", "%z, %one"),
    # The first index of the one is the second one of the other.
    "another dimension": (PADDED.replace(M, f"{M}, dim_map=[1, 0]"), "%z, %one", "%z, %one"),
}


@pytest.mark.parametrize("name", PLACES)
def test_other_tiles_of_one_tensor(name: str):
    """Those outside of it are zeros."""
    view, first, second = PLACES[name]
    body = f"%wa = make_partition_view %m : {PADDED}\n%wb = make_partition_view %m : {view}\n"
    body += load("%x", "%t1", "%wa").replace(V, PADDED).replace("[%z, %z]", f"[{first}]")
    body += load("%y", "%t2", "%wb").replace(V, view).replace("[%z, %z]", f"[{second}]")
    body += dot("%d", "%x", "%y") + f"%e = addf %d, %y : {T}\n" + store("%e", "%t3", "%w2")
    ATTACK.but(fires=False).run(kernel(body), arguments(1, 0))


def test_versions():
    """Two tensors of a loop that may be the same, and are, or are not."""
    body = loop(
        "%s",
        "%a = %zero",
        T,
        load("%x", "%t1")
        + load("%y", "%t2", "%w3")
        + dot("%d", "%x", "%y", "%a")
        + f"continue %d : {T}",
    )
    text = kernel("BODY").replace("%n: tile<i32>", "%n: tile<i32>, %o: tile<ptr<f32>>")
    make = f"%m3 = make_tensor_view %o, shape = [16, 16], strides = [16, 1] : {M}\n"
    make += f"%w3 = make_partition_view %m3 : {V}\n"
    text = text.replace("BODY", make + body + store("%s", "%t3", "%w2"))
    inputs = [[*each, other] for each in arguments(2, 0) for other in (each[0], each[1].copy())]
    attack = ATTACK.but(spec="merge-loads{shared-bytes=1500}", is_idempotent=False)
    after = attack.run(text, inputs)
    assert len(ops_of(after, TiledLoadOp)) == 3
