"""Operations on the shape of tiles."""

import cuda.tile as ct

from .registry import Const, array, corpus, scalar


@corpus(array(ct.float32, 2), array(ct.float32, 3), array(ct.float32))
def reshapes(x, cube, flat):
    """Split and merge dimensions, also with an inferred one."""
    t = ct.load(x, (ct.bid(0), 0), (16, 32))
    ct.store(cube, (ct.bid(0), 0, 0), ct.reshape(t, (4, 8, -1)))
    ct.store(flat, ct.bid(0), t.reshape((-1,)))


@corpus(array(ct.int16, 4), array(ct.int16, 4), array(ct.int16, 4))
def permutations(x, rotated, swapped):
    """Cyclic and pairwise permutations of four dimensions."""
    index = (ct.bid(0), 0, 0, 0)
    t = ct.load(x, index, (2, 4, 8, 16))
    ct.store(rotated, index, ct.permute(t, (1, 2, 3, 0)))
    ct.store(swapped, index, ct.transpose(t, 1, -1))


@corpus(array(ct.float32, 2), array(ct.float32, 2), 32, 64)
def transpose_2d(x, out, rows: Const, columns: Const):
    """Transpose a matrix tile by tile."""
    t = ct.load(x, (ct.bid(0), ct.bid(1)), (rows, columns))
    ct.store(out, (ct.bid(1), ct.bid(0)), t.transpose())


@corpus(array(ct.float32), array(ct.float32), array(ct.float32, 3), scalar(ct.float32))
def broadcasts(x, y, out, bias):
    """Ones are stretched, missing dimensions are added, scalars go everywhere."""
    a = ct.load(x, 0, 8)
    b = ct.load(y, 0, 16)
    grid = a[:, None] * b[None, :] + bias
    stretched = ct.broadcast_to(ct.expand_dims(a, 1), (4, 8, 16))
    ct.store(out, (ct.bid(0), 0, 0), grid + stretched)


@corpus(array(ct.float32, 2), array(ct.float32, 2), array(ct.float32, 2))
def concatenations(x, y, out):
    """Join tiles along either axis, and again."""
    a = ct.load(x, (ct.bid(0), 0), (8, 16))
    b = ct.load(y, (ct.bid(0), 0), (8, 16))
    wide = ct.cat((a, b), 1)
    ct.store(out, (ct.bid(0), 0), ct.cat((wide, wide * 2.0), axis=-2))


@corpus(array(ct.float32, 2), array(ct.float32, 2), array(ct.float32), scalar(ct.int32))
def extractions(x, quarters, single, which):
    """Subtiles at fixed and dynamic positions, down to single elements."""
    t = ct.load(x, (ct.bid(0), 0), (16, 16))
    corner = ct.extract(t, (1, 0), (8, 8)) - t.extract((0, 1), (8, 8))
    chosen = ct.extract(t, (which, which), (4, 4))
    ct.store(quarters, (ct.bid(0), 0), corner)
    value = ct.extract(chosen, (3, which), (1, 1)).item() + ct.extract(t, (5, 9), ())
    ct.store(single, ct.bid(0), value)


@corpus(array(ct.float32, 2), array(ct.float32, 2), scalar(ct.int32), since="13.4")
def insertions(x, out, which):
    """Replace subtiles and single elements."""
    t = ct.load(x, (ct.bid(0), 0), (16, 16))
    t = ct.insert(t, (1, which), ct.zeros((8, 4), ct.float32))
    t = t.insert((which, 3), ct.astile(1.0, dtype=ct.float32))
    ct.store(out, (ct.bid(0), 0), t)
