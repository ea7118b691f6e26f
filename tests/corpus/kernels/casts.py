"""Conversions between element types."""

import cuda.tile as ct
from cuda.tile import RoundingMode as Round

from .registry import FLOATS, SIGNED, UNSIGNED, Const, array, corpus, corpus_for

FP8 = (ct.float8_e4m3fn, ct.float8_e5m2)


@corpus(array(ct.float16), *[array(t) for t in FLOATS], 64)
def half_to_floats(x, half, brain, single, double, tile: Const):
    """f16 to all other float types, and from them back to f16."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    b = t.astype(ct.bfloat16)
    s = t.astype(ct.float32)
    d = t.astype(ct.float64)
    ct.store(brain, block, b)
    ct.store(single, block, s)
    ct.store(double, block, d)
    ct.store(half, block, b.astype(ct.float16) + s.astype(ct.float16) + d.astype(ct.float16))


@corpus(array(ct.float32), *[array(t) for t in (*SIGNED, *UNSIGNED)], 64)
def float_to_integers(x, i8, i16, i32, i64, u8, u16, u32, u64, tile: Const):
    """f32 to every integer type."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    ct.store(i8, block, t.astype(ct.int8))
    ct.store(i16, block, t.astype(ct.int16))
    ct.store(i32, block, t.astype(ct.int32))
    ct.store(i64, block, t.astype(ct.int64))
    ct.store(u8, block, t.astype(ct.uint8))
    ct.store(u16, block, t.astype(ct.uint16))
    ct.store(u32, block, t.astype(ct.uint32))
    ct.store(u64, block, t.astype(ct.uint64))


@corpus(*[array(t) for t in (*SIGNED, *UNSIGNED)], array(ct.float32), 64)
def integers_to_float(i8, i16, i32, i64, u8, u16, u32, u64, out, tile: Const):
    """Every integer type to f32, summed up."""
    block = ct.bid(0)
    total = ct.load(i8, block, tile).astype(ct.float32)
    total += ct.load(i16, block, tile).astype(ct.float32)
    total += ct.load(i32, block, tile).astype(ct.float32)
    total += ct.load(i64, block, tile).astype(ct.float32)
    total += ct.load(u8, block, tile).astype(ct.float32)
    total += ct.load(u16, block, tile).astype(ct.float32)
    total += ct.load(u32, block, tile).astype(ct.float32)
    total += ct.load(u64, block, tile).astype(ct.float32)
    ct.store(out, block, total)


@corpus(array(ct.int32), array(ct.float16), array(ct.bool_), array(ct.float32), 128)
def bool_conversions(x, y, mask, out, tile: Const):
    """Numbers to bool and bool to numbers."""
    block = ct.bid(0)
    nonzero = ct.load(x, block, tile).astype(ct.bool_)
    truthy = ct.load(y, block, tile) != 0
    kept = ct.load(mask, block, tile)
    count = nonzero.astype(ct.int8) + truthy.astype(ct.int8)
    ct.store(out, block, count.astype(ct.float32) + kept.astype(ct.float32))


@corpus_for(FP8, lambda t: (array(t), array(ct.float32), array(t), array(ct.float16), 128))
def fp8_conversions(x, wide, narrow, half, tile: Const):
    """fp8 from and to wider floats."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    ct.store(half, block, t.astype(ct.float16))
    both = ct.load(wide, block, tile) + t.astype(ct.bfloat16).astype(ct.float32)
    ct.store(narrow, block, both.astype(narrow.dtype))


@corpus(
    array(ct.float8_e8m0fnu),
    array(ct.float32),
    array(ct.float32),
    128,
    since="13.2",
    gpu_code="sm_100",
)
def apply_block_scale(scales, x, out, tile: Const):
    """Multiply by powers of two stored as their exponents."""
    block = ct.bid(0)
    scale = ct.load(scales, block, tile).astype(ct.float32)
    ct.store(out, block, ct.load(x, block, tile) * scale)


@corpus(
    array(ct.float32, 2),
    array(ct.float8_e4m3fn, 2),
    array(ct.float8_e8m0fnu, 2),
    since="13.3",
    gpu_code="sm_100",
)
def quantize_mxfp8(x, out, scales):
    """Quantize blocks of 32 to fp8 with a shared power-of-two scale, rounded up."""
    row, column = ct.bid(0), ct.bid(1)
    t = ct.load(x, (row, column), (16, 128))
    blocks = ct.reshape(t, (16, 4, 32))
    largest = ct.max(ct.abs(blocks), axis=2, keepdims=True)
    scale = (largest / 448.0).astype(ct.float8_e8m0fnu, rounding_mode=Round.RP)
    scaled = blocks / scale.astype(ct.float32)
    ct.store(out, (row, column), ct.reshape(scaled, (16, 128)).astype(ct.float8_e4m3fn))
    ct.store(scales, (row, column), ct.reshape(scale, (16, 4)))


@corpus(
    array(ct.float32),
    *[array(ct.float16)] * 2,
    *[array(ct.float32)] * 2,
    array(ct.float64),
    64,
    since="13.4",
)
def cast_rounding_modes(x, toward_zero, plain, back, up, double, tile: Const):
    """Float conversions with explicit rounding modes."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    wide = ct.load(double, block, tile)
    ct.store(toward_zero, block, t.astype(ct.float16, rounding_mode=Round.RZ))
    ct.store(plain, block, t.astype(ct.float16, rounding_mode=Round.RN))
    ct.store(back, block, wide.astype(ct.float32, rounding_mode=Round.RM))
    ct.store(
        up,
        block,
        wide.astype(ct.float32, rounding_mode=Round.RP)
        + t.astype(ct.tfloat32, rounding_mode=Round.RA).astype(ct.float32),
    )


@corpus(array(ct.uint8), array(ct.float32), 64, since="13.3", gpu_code="sm_100")
def unpack_fp4(packed, out, tile: Const):
    """Unpack two 4-bit floats from every byte."""
    block = ct.bid(0)
    values = ct.unpack_from_bytes(ct.load(packed, block, tile), ct.float4_e2m1fn)
    ct.store(out, block, values.astype(ct.float32))


@corpus(array(ct.float32), array(ct.uint8), array(ct.uint8), 128, since="13.3", gpu_code="sm_100")
def pack_tiles(x, nibbles, words, tile: Const):
    """Round to 4-bit floats and pack them; pack f32 words into bytes as well."""
    block = ct.bid(0)
    t = ct.load(x, block, tile)
    ct.store(nibbles, block, ct.pack_to_bytes(t.astype(ct.float4_e2m1fn)))
    ct.store(words, block, ct.pack_to_bytes(t))


@corpus(array(ct.uint8), array(ct.float16), 64, since="13.4", gpu_code="sm_107")
def e5m3_scales(raw, out, tile: Const):
    """Bytes reinterpreted as unsigned floats with five exponent and three mantissa bits."""
    block = ct.bid(0)
    scale = ct.bitcast(ct.load(raw, block, tile), ct.float8_e5m3fnu)
    again = scale.astype(ct.float32).astype(ct.float8_e5m3fnu)
    ct.store(out, block, again.astype(ct.float16))


@corpus(
    array(ct.float32),
    array(ct.int32),
    array(ct.float64),
    array(ct.uint64),
    array(ct.bfloat16),
    array(ct.int16),
    64,
)
def bitcasts(f32, i32, f64, u64, bf16, i16, tile: Const):
    """Reinterpret bits: sign flips, exponent fields and raw copies."""
    block = ct.bid(0)
    bits = ct.bitcast(ct.load(f32, block, tile), ct.int32)
    ct.store(i32, block, (bits >> 23) & 255)
    ct.store(f32, block, ct.bitcast(bits ^ ct.int32(-2147483648), ct.float32))
    ct.store(u64, block, ct.bitcast(ct.load(f64, block, tile), ct.uint64))
    ct.store(i16, block, ct.bitcast(ct.load(bf16, block, tile), ct.int16))
