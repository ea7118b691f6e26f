"""Constants, printing, assertions and hints of whole kernels."""

import cuda.tile as ct
from cuda.tile import assert_ as device_assert

from .registry import Const, array, corpus, scalar

INF = float("inf")
NAN = float("nan")


@corpus()
def empty_kernel():
    """Nothing at all."""


@corpus(array(ct.float32), array(ct.float64), array(ct.float16), array(ct.bfloat16))
def float_constants(single, double, half, brain):
    """Zeros, infinities, NaN, subnormals and extremes; even f64 literals pass through f32."""
    for value in ct.static_iter((0.0, -0.0, 0.1, -INF, NAN, 1e-40, 3e38)):
        ct.store(single, ct.bid(0), ct.full((8,), value, ct.float32))
    ct.store(double, ct.bid(0), ct.full((4,), -0.25, ct.float64))
    ct.store(double, ct.bid(0), ct.astile((0.1, 1e300, 1e-40, -INF), dtype=ct.float64))
    for value in ct.static_iter((0.1, 65504.0, 6e-8, NAN)):
        ct.store(half, ct.bid(0), ct.full((16,), value, ct.float16))
        ct.store(brain, ct.bid(0), ct.full((16,), value, ct.bfloat16))


@corpus(array(ct.float8_e4m3fn), array(ct.float8_e5m2), array(ct.float32))
def small_float_constants(e4m3, e5m2, out):
    """Constants of the 8-bit types and of tf32."""
    for value in ct.static_iter((-1.0, 0.1, 448.0)):
        ct.store(e4m3, ct.bid(0), ct.full((8,), value, ct.float8_e4m3fn))
        ct.store(e5m2, ct.bid(0), ct.full((8,), value, ct.float8_e5m2))
        ct.store(out, ct.bid(0), ct.full((8,), value, ct.tfloat32).astype(ct.float32))


@corpus(array(ct.float32), since="13.3", gpu_code="sm_100")
def fp4_and_e8m0_constants(out):
    """Constants and tables of the two smallest float types."""
    nibbles = ct.astile((0.0, 0.5, 1.0, -1.5, 2.0, -3.0, 4.0, 6.0), dtype=ct.float4_e2m1fn)
    powers = ct.astile((1.0, 2.0, 4.0, 0.5, 0.25, 8.0, 16.0, 0.125), dtype=ct.float8_e8m0fnu)
    splat = ct.full((8,), 2.0, ct.float8_e8m0fnu).astype(ct.float32)
    ct.store(out, ct.bid(0), nibbles.astype(ct.float32) * powers.astype(ct.float32) * splat)


@corpus(
    array(ct.int8),
    array(ct.int16),
    array(ct.int32),
    array(ct.int64),
    array(ct.uint64),
    array(ct.bool_),
)
def integer_constants(i8, i16, i32, i64, u64, flags):
    """Extremes of each integer type and both truth values."""
    for value in ct.static_iter((1, -128)):
        ct.store(i8, ct.bid(0), ct.full((4,), value, ct.int8))
        ct.store(i16, ct.bid(0), ct.full((4,), value * 256, ct.int16))
    for value in ct.static_iter((2147483647, -2147483648)):
        ct.store(i32, ct.bid(0), ct.full((4,), value, ct.int32))
        ct.store(i64, ct.bid(0), ct.full((4,), value * 4294967296, ct.int64))
    ct.store(u64, ct.bid(0), ct.full((2,), 18446744073709551615, ct.uint64))
    ct.store(flags, ct.bid(0), ct.full((8,), True, ct.bool_))
    ct.store(flags, ct.bid(0), ct.full((8,), False, ct.bool_))


TABLE = tuple(round(1000 * (i * 0.7391 - (i * i) % 13) / 7) / 1000 for i in range(64))
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
FLAGS = (
    True,
    False,
    False,
    True,
    True,
    True,
    False,
    True,
    False,
    True,
    False,
    False,
    True,
    False,
    True,
    True,
)


@corpus(
    array(ct.float32),
    array(ct.int64),
    array(ct.bool_),
    array(ct.float16, 2),
    array(ct.uint8),
    array(ct.float32),
)
def constant_tables(floats, longs, flags, matrix, bytes_, mixed):
    """Constants with different elements: vectors, matrices, bits and a table of 64 numbers."""
    ct.store(floats, ct.bid(0), ct.astile(TABLE, dtype=ct.float32))
    ct.store(longs, ct.bid(0), ct.astile(PRIMES, dtype=ct.int64))
    ct.store(flags, ct.bid(0), ct.astile(FLAGS, dtype=ct.bool_))
    ct.store(matrix, (ct.bid(0), 0), ct.astile(((1.0, 0.5), (-0.25, INF)), dtype=ct.float16))
    ct.store(bytes_, ct.bid(0), ct.astile((0, 255, 128, 1), dtype=ct.uint8))
    dynamic = ct.astile((1.0, ct.bid(0), 0.5, ct.bid(1)), dtype=ct.float32)
    ct.store(mixed, ct.bid(0), dynamic)


SQUARES = tuple(i * i % 251 - 125 for i in range(128))
STRIPES = tuple(i * i % 7 < 3 for i in range(128))


@corpus(array(ct.int32), array(ct.int8, 2), array(ct.float16), array(ct.bool_), array(ct.int32))
def large_tables(words, square, halves, flags, constant):
    """Tables of more than 100 elements, which are printed as raw bytes, and one that is uniform."""
    ct.store(words, ct.bid(0), ct.astile(SQUARES, dtype=ct.int32))
    rows = tuple(SQUARES[i * 16 : i * 16 + 16] for i in ct.static_iter(range(8)))
    ct.store(square, (ct.bid(0), 0), ct.astile(rows, dtype=ct.int8))
    ct.store(halves, ct.bid(0), ct.astile(SQUARES, dtype=ct.float16))
    ct.store(flags, ct.bid(0), ct.astile(STRIPES, dtype=ct.bool_))
    ct.store(constant, ct.bid(0), ct.astile((7, 7, 7, 7), dtype=ct.int32))


@corpus(array(ct.float32), array(ct.int64), scalar(ct.int32), scalar(ct.float64), 8, debug=True)
def prints(x, y, count, ratio, tile: Const):
    """Formatted output of scalars and tiles; 13.1 guards it by a lock in a global."""
    t = ct.load(x, ct.bid(0), tile)
    ct.printf("block %d of %d, 100%%\n", ct.bid(0), ct.num_blocks(0))
    ct.printf("x = %8.3f y = %lld\n", t, ct.load(y, ct.bid(0), tile))
    print("count", count, "ratio", ratio, sep=": ")
    print(f'sum {ct.sum(t):.2f} "quoted"\tand {count:x}', end="")
    ct.store(x, ct.bid(0), t + 1.0)


@corpus(array(ct.int32), array(ct.int32), scalar(ct.int32), 16)
def assertions(x, out, limit, tile: Const):
    """Assertions on tiles and scalars, with and without a message."""
    t = ct.load(x, ct.bid(0), tile)
    device_assert(t >= 0, "negative index")
    device_assert(t < limit)
    device_assert(limit % 2 == 0, 'limit must be even: "2n"\nsee §1')
    ct.store(out, ct.bid(0), t)


@corpus(
    array(ct.float32),
    array(ct.float32),
    64,
    num_ctas=ct.ByTarget(sm_100=4, sm_120=1, default=2),
    occupancy=ct.ByTarget(sm_90=8, sm_100=2),
)
def hints_by_target(x, out, tile: Const):
    """Entry hints that differ by target."""
    ct.store(out, ct.bid(0), ct.load(x, ct.bid(0), tile))


@corpus(array(ct.float32), array(ct.float32), 64, num_worker_warps=8, occupancy=32, num_ctas=16)
def all_entry_hints(x, out, tile: Const):
    """Every entry hint; the number of warps is dropped below 13.3."""
    ct.store(out, ct.bid(0), ct.load(x, ct.bid(0), tile))


@corpus(array(ct.float32), array(ct.float32), 64, since="13.4")
def dependent_launch(x, out, tile: Const):
    """Wait for the kernel before this one, and let the next one start early."""
    ct.grid_dependency_control_wait()
    t = ct.load(x, ct.bid(0), tile)
    ct.grid_dependency_control_launch_dependents()
    ct.store(out, ct.bid(0), t * 2.0)


@corpus(
    array(ct.float32),
    array(ct.float32),
    32,
    mangled=True,
    more_signatures=[(array(ct.float16), array(ct.float32), 64)],
)
def several_entries(x, out, tile: Const):
    """One module with two entries that have mangled names."""
    ct.store(out, ct.bid(0), ct.load(x, ct.bid(0), tile) * 2.0 + 1.0)


@corpus(array(ct.int32), array(ct.int32), array(ct.float16), array(ct.int64))
def iotas(i32, i8, f16, i64):
    """Ranges of several types, with and without start and step."""
    ct.store(i32, ct.bid(0), ct.arange(128, dtype=ct.int32))
    ct.store(i8, ct.bid(0), ct.arange(16, dtype=ct.int8).astype(ct.int32))
    ct.store(f16, ct.bid(0), ct.arange(32, dtype=ct.float16, start=0.5, step=0.25))
    ct.store(i64, ct.bid(0), ct.arange(64, dtype=ct.int64, start=ct.bid(0), step=3))


@corpus(array(ct.int32, 3))
def grid_information(out):
    """All three coordinates of the block and of the grid."""
    linear = (ct.bid(2) * ct.num_blocks(1) + ct.bid(1)) * ct.num_blocks(0) + ct.bid(0)
    share = linear * 100 // (ct.num_blocks(0) * ct.num_blocks(1) * ct.num_blocks(2))
    ct.store(out, (ct.bid(0), ct.bid(1), ct.bid(2)), share)


@corpus(array(ct.float32, 2), array(ct.float32, 2), True, 0.01, 32)
def specialized(x, out, half: ct.Constant[bool], slope: ct.Constant[float], tile: Const):
    """Constants of several kinds that select code at export time."""
    t = ct.load(x, (ct.bid(0), 0), (tile, tile))
    if half:
        t = t.astype(ct.float16)
    if slope != 0.0:
        t = ct.where(t > 0.0, t, t * slope)
    else:
        t = ct.maximum(t, 0.0)
    ct.static_assert(t.shape == (tile, tile))
    ct.store(out, (ct.bid(0), 0), t.astype(out.dtype))
