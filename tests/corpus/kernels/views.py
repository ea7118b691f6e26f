"""Arrays, views, layouts and hints."""

from typing import Annotated

import cuda.tile as ct

from .registry import Const, array, array_list, corpus, scalar, strided

Pad = ct.PaddingMode
StaticShape = Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0, 1))]
StaticLayout = Annotated[
    ct.Array, ct.ArrayAnnotation(static_shape_dims=(1,), static_stride_dims=(0, 1))
]


@corpus(array(ct.float32, 2), array(ct.float32, 2), 16)
def padding_modes(x, out, tile: Const):
    """Every padding mode on the same array."""
    shape = (tile, tile)
    last = (ct.num_tiles(x, 0, shape) - 1, ct.num_tiles(x, 1, shape) - 1)
    total = ct.load(x, last, shape, padding_mode=Pad.ZERO)
    total = total + ct.load(x, last, shape, padding_mode=Pad.NEG_ZERO)
    total = ct.maximum(total, ct.load(x, last, shape, padding_mode=Pad.NEG_INF))
    total = ct.minimum(total, ct.load(x, last, shape, padding_mode=Pad.POS_INF))
    total = total + ct.load(x, last, shape, padding_mode=Pad.NAN)
    ct.store(out, last, total + ct.load(x, last, shape, padding_mode=Pad.UNDETERMINED))


@corpus(array(ct.int32, 2), array(ct.int32, 2))
def integer_padding(x, out):
    """Zero padding of integers, and none."""
    t = ct.load(x, (ct.bid(0), 0), (4, 32), padding_mode=Pad.ZERO)
    ct.store(out, (ct.bid(0), 0), t + ct.load(x, (ct.bid(0), 1), (4, 32)))


@corpus(array(ct.float16, 3), array(ct.float16, 3))
def dimension_orders(x, out):
    """Tile dimensions in another order than those of the array, loading and storing."""
    t = ct.load(x, (ct.bid(0), ct.bid(1), 0), (8, 4, 2), order="F")
    u = ct.load(x, (ct.bid(0), 0, ct.bid(1)), (8, 4, 2), order=(1, 2, 0))
    ct.store(out, (ct.bid(0), ct.bid(1), 0), t + u, order=(2, 0, 1))
    steps = ct.num_tiles(x, 0, (8, 4, 2), order="F")
    ct.store(out, (steps, 0, 0), t)


@corpus(array(ct.float32, 2), array(ct.float32, 2), 32, 32)
def tiled_views(x, out, rows: Const, columns: Const):
    """Views made once and used in loops."""
    source = x.tiled_view((rows, columns), padding_mode=Pad.ZERO)
    target = out.tiled_view((rows, columns))
    for i in range(ct.bid(0), source.num_tiles(0), ct.num_blocks(0)):
        for j in range(source.num_tiles(1)):
            target.store((i, j), ct.abs(source.load((i, j))))


@corpus(array(ct.float32), array(ct.float32), 64, 16, since="13.3")
def overlapping_windows(x, out, window: Const, step: Const):
    """Sliding windows that overlap: the mean of each."""
    windows = x.tiled_view(window, padding_mode=Pad.ZERO, traversal_steps=step)
    for i in range(ct.bid(0), windows.num_tiles(0), ct.num_blocks(0)):
        ct.scatter(out, i, ct.sum(windows.load(i)) / window)


@corpus(array(ct.uint8, 2), array(ct.uint8, 2), since="13.3")
def skipping_view(x, out):
    """A view with gaps along one axis and overlap along the other, loaded and stored."""
    source = x.tiled_view((4, 8), traversal_steps=(6, 4))
    target = out.tiled_view((4, 8), traversal_steps=(4, 16))
    target.store((ct.bid(0), ct.bid(1)), source.load((ct.bid(1), ct.bid(0)), latency=1))


@corpus(array(ct.float32), array(ct.float32), 128, since="13.4")
def unchecked_views(x, out, tile: Const):
    """Loads and stores that promise to stay inside."""
    t = ct.load(x, ct.bid(0), tile, check_bounds=False)
    view = out.tiled_view(tile)
    view.store(ct.bid(0), t * view.load(ct.bid(0), check_bounds=False), check_bounds=False)


@corpus(array(ct.float32, 2), array(ct.float32, 2), 64)
def access_hints(x, out, tile: Const):
    """Latency and TMA hints alone and together."""
    index = (ct.bid(0), ct.bid(1))
    t = ct.load(x, index, (tile, tile), latency=1)
    t += ct.load(x, index, (tile, tile), allow_tma=False)
    t += ct.load(x, index, (tile, tile), latency=10, allow_tma=True)
    ct.store(out, index, t, latency=7, allow_tma=False)
    ct.store(out, (ct.bid(1), ct.bid(0)), t, allow_tma=True)


@corpus(array(ct.float32, 3), array(ct.float32, 2), scalar(ct.int32), scalar(ct.int32), 16)
def array_slices(x, out, start, stop, tile: Const):
    """Subarrays with fixed and dynamic bounds, and a slice of a slice."""
    part = x.slice(1, start, stop)
    inner = part.slice(axis=-1, start=8, stop=40)
    t = ct.load(inner, (ct.bid(0), 0, 0), (1, tile, tile), padding_mode=Pad.ZERO)
    ct.store(out.slice(0, 1, out.shape[0]), (ct.bid(0), 0), ct.reshape(t, (tile, tile)))


@corpus(
    array(ct.float32, 2, shape=(256, 128), strides=(128, 1)),
    array(ct.float32, 2, shape=(None, 64), strides=(64, 1)),
)
def static_arrays(x: StaticShape, out: StaticLayout):
    """Shapes and strides known when the kernel is exported."""
    width = x.shape[1] // 2
    for i in range(x.shape[0] // 16):
        t = ct.load(x, (i, ct.bid(0)), (16, width))
        ct.store(out, (i, 0), t * x.shape[0])


@corpus(strided(ct.float32, 2), strided(ct.float32, 2), 16)
def arbitrary_strides(x, out, tile: Const):
    """No stride is known."""
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(x, index, (tile, tile)) * 2.0)


@corpus(
    array(ct.float16, 2, shape_divisible_by=(8, 16), stride_divisible_by=(8, 1), align=128),
    array(ct.float16, 2, shape_divisible_by=8, stride_divisible_by=(64, 1), align=32),
    32,
)
def known_divisibility(x, out, tile: Const):
    """Sizes, strides and addresses with known factors."""
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(x, index, (tile, tile)))


@corpus(
    array(ct.float32, 2, index_dtype=ct.int64), array(ct.float32, 2, index_dtype=ct.int64), 32, 32
)
def large_arrays(x: ct.IndexedWithInt64, out: ct.IndexedWithInt64, rows: Const, columns: Const):
    """Sizes and strides of 64 bits."""
    for i in range(ct.bid(0), ct.num_tiles(x, 0, (rows, columns)), ct.num_blocks(0)):
        ct.store(out, (i, 0), ct.load(x, (i, 0), (rows, columns)))
    last = x.shape[0] * x.strides[0] - 1
    out.get_raw_memory().store_offset(last, 1.0)


@corpus(array(ct.float32, 0), array(ct.float32, 1), array(ct.float32, 5))
def many_ranks(point, line, block):
    """Arrays of rank zero, one and five."""
    t = ct.gather(point, ())
    u = ct.load(line, ct.bid(0), ())
    v = ct.load(block, (ct.bid(0), 0, ct.bid(1), 0, 0), (1, 2, 1, 4, 8))
    ct.store(block, (0, 0, 0, 0, 0), v * t)
    ct.store(line, ct.bid(0), u + t)
    ct.scatter(point, (), u)


@corpus(array_list(array(ct.float32, 2)), array(ct.float32, 2), 16)
def sum_of_list(inputs, out, tile: Const):
    """A list of arrays of dynamic length."""
    total = ct.zeros((tile, tile), ct.float32)
    for i in range(len(inputs)):
        total += ct.load(inputs[i], (ct.bid(0), ct.bid(1)), (tile, tile), padding_mode=Pad.ZERO)
    ct.store(out, (ct.bid(0), ct.bid(1)), total)


@corpus(array(ct.float32), array(ct.float32, 2), scalar(ct.int32), 8)
def reinterpreted_pointer(x, out, pitch, tile: Const):
    """A matrix made out of a vector's pointer with a shape of its own."""
    matrix = ct.Array.from_foreign(x.foreign_pointer, (64, pitch), (pitch, 1))
    ct.store(out, (0, 0), ct.load(matrix, (ct.bid(0), 0), (tile, tile)))


@corpus(
    array(ct.float32, alias_groups=("a",)),
    array(ct.float32, alias_groups=("a", "b")),
    array(ct.float32, alias_groups=("b",)),
    array(ct.float32, overlapping=True),
    64,
)
def aliased_arrays(x, y, z, w, tile: Const):
    """Arrays that may overlap: memory operations are chained by tokens."""
    i = ct.bid(0)
    ct.store(y, i, ct.load(x, i, tile) + 1.0)
    ct.store(x, i, ct.load(y, i, tile) + 2.0)
    ct.store(z, i, ct.load(y, i, tile) + ct.load(x, i, tile))
    ct.store(w, i, ct.load(z, i, tile))
    ct.store(w, i + 1, ct.load(w, i, tile))


@corpus((array(ct.float32), array(ct.float32), scalar(ct.float32)), (32, 2))
def tuple_parameters(arguments, sizes: ct.Constant[tuple[int, int]]):
    """Tuples of arrays, scalars and constants."""
    x, out, factor = arguments
    ct.store(out, ct.bid(0), ct.load(x, ct.bid(0), sizes[0]) * factor * sizes[1])


@corpus(array(ct.float32), array(ct.float32), scalar(ct.int32), 32)
def promised_divisibility(x, out, offset, tile: Const):
    """A promise about a scalar made inside of the kernel."""
    aligned = ct.assume_divisible_by(offset, 16)
    shifted = x.slice(0, aligned, x.shape[0])
    ct.store(out, ct.bid(0), ct.load(shifted, ct.bid(0), tile))
