"""Random types of the `cuda_tile` dialect, and how elements are made of bits."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    IntegerType,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
    tf32,
)
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile import (
    FloatNV8E5M3FNUType,
    GatherScatterViewType,
    PaddingValue,
    PartitionViewType,
    PtrAttr,
    PtrType,
    StridedViewType,
    StringType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
)

from .draws import Draws

i4 = IntegerType(4)
fnv8E5M3FNU = FloatNV8E5M3FNUType()

INTEGERS: tuple[Attribute, ...] = (i1, i8, i16, i32, i64)
BASE_FLOATS: tuple[Attribute, ...] = (f16, bf16, f32, f64)
FLOATS: tuple[Attribute, ...] = (
    *BASE_FLOATS,
    tf32,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f4E2M1FN,
    fnv8E5M3FNU,
)
NUMBERS: tuple[Attribute, ...] = (*INTEGERS, *FLOATS)

BITS: dict[Attribute, int] = {
    i1: 1,
    i4: 4,
    i8: 8,
    i16: 16,
    i32: 32,
    i64: 64,
    f16: 16,
    bf16: 16,
    f32: 32,
    f64: 64,
    tf32: 19,
    f8E4M3FN: 8,
    f8E5M2: 8,
    f8E8M0FNU: 8,
    f4E2M1FN: 4,
    fnv8E5M3FNU: 8,
}
"""Width of each element type."""

MANTISSA_BITS: dict[Attribute, int] = {
    f16: 10,
    bf16: 7,
    f32: 23,
    f64: 52,
    tf32: 10,
    f8E4M3FN: 3,
    f8E5M2: 2,
    f8E8M0FNU: 0,
    f4E2M1FN: 1,
    fnv8E5M3FNU: 3,
}

DIMS = (1, 2, 4, 8, 16)
LARGE_SHAPES = ((4096, 4096), (16, 1024, 1024), (16777216,), (2,) * 24)
"""The largest tiles there are."""


def fits(element: Attribute, shape: Sequence[int]) -> bool:
    """Whether there are tiles of this shape; those of 4-bit floats need an even dimension."""
    return not isinstance(element, Float4E2M1FNType) or any(dim % 2 == 0 for dim in shape)


def element_patterns(element: Attribute) -> tuple[int, ...]:
    """Bit patterns worth trying: limits, zeros, denormals, infinities, NaNs with payloads."""
    width = BITS[element]
    top = 1 << (width - 1)
    patterns = {0, 1, top, top - 1, (1 << width) - 1, (1 << width) // 3, 5 % (1 << width)}
    if element in MANTISSA_BITS:
        mantissa = MANTISSA_BITS[element]
        exponent = (top - 1) >> mantissa << mantissa
        fraction = (1 << mantissa) - 1
        one = exponent >> 1 & exponent
        patterns |= {exponent, exponent | 1 & fraction, exponent | fraction, fraction, one}
        patterns |= {top | pattern for pattern in patterns}
    return tuple(sorted(patterns))


def element_bits(draws: Draws, element: Attribute) -> int:
    """The bit pattern of an element: of a small number, a special one, or any."""
    match draws.integer(0, 2):
        case 0:
            return draws.integer(0, min(7, (1 << BITS[element]) - 1))
        case 1:
            return draws.choose(element_patterns(element))
        case _:
            return draws.integer(0, (1 << BITS[element]) - 1)


def shapes(draws: Draws, *, min_rank: int = 0, max_rank: int = 3, limit: int = 256) -> list[int]:
    """The shape of a tile of at most `limit` elements."""
    shape: list[int] = []
    for _ in range(draws.integer(min_rank, max_rank)):
        allowed = limit // prod(shape)
        shape.append(draws.choose([dim for dim in DIMS if dim <= allowed]))
    return shape


def tile_types(
    draws: Draws,
    elements: Sequence[Attribute] = NUMBERS,
    *,
    min_rank: int = 0,
    max_rank: int = 3,
    limit: int = 256,
) -> TileType:
    """A tile of one of these element types."""
    element = draws.choose(elements)
    shape = shapes(draws, min_rank=min_rank, max_rank=max_rank, limit=limit)
    return TileType(element, shape if fits(element, shape) else (2, *shape[1:]))


def pointer_types(draws: Draws, pointees: Sequence[Attribute] = NUMBERS) -> PtrType:
    """A pointer, sometimes with an attribute."""
    return PtrType(draws.choose(pointees), draws.optional(PtrAttr.NONE, 20))


def pointer_tiles(draws: Draws, pointees: Sequence[Attribute] = NUMBERS) -> TileType:
    """A tile of pointers."""
    return TileType(pointer_types(draws, pointees), shapes(draws, limit=64))


def _sizes(draws: Draws, rank: int, options: Sequence[int]) -> list[int | None]:
    """Static sizes, small and as large as there are, and dynamic ones."""
    return [None if draws.flag(30) else draws.choose(options) for _ in range(rank)]


def tensor_views(
    draws: Draws,
    rank: int | None = None,
    elements: Sequence[Attribute] = NUMBERS,
) -> TensorViewType:
    """A tensor view, of any rank if none is given."""
    rank = draws.integer(0, 3) if rank is None else rank
    return TensorViewType(
        draws.choose(elements),
        _sizes(draws, rank, (1, 3, 64, 1000, 2**31, 2**63 - 1)),
        _sizes(draws, rank, (1, 2, 64, 2**32, 2**63 - 1)),
        draws.optional(PtrAttr.NONE, 15),
    )


def tile_views(
    draws: Draws,
    kinds: Sequence[type[TileViewType]] = (
        PartitionViewType,
        StridedViewType,
        GatherScatterViewType,
    ),
    elements: Sequence[Attribute] = NUMBERS,
    *,
    padded: bool = True,
) -> TileViewType:
    """A view of one of these kinds, with padding only if `padded`."""
    shape = shapes(draws, min_rank=1, limit=512)
    rank = len(shape)
    tensor = tensor_views(draws, rank, elements)
    if not fits(tensor.element_type, shape):
        shape[0] = 2
    padding = None
    if padded and draws.flag():
        is_float = tensor.element_type in FLOATS
        padding = draws.choose(tuple(PaddingValue) if is_float else (PaddingValue.ZERO,))
    dim_map = draws.shuffled(range(rank)) if draws.flag() else None
    kind = draws.choose(kinds)
    if kind is PartitionViewType:
        return PartitionViewType(shape, tensor, dim_map, padding)
    if kind is StridedViewType:
        steps = [draws.choose((1, 3, 8, 2**31 - 1)) for _ in shape]
        return StridedViewType(shape, steps, tensor, dim_map, padding)
    return GatherScatterViewType(shape, tensor, draws.integer(0, rank - 1), padding)


def any_types(draws: Draws) -> Attribute:
    """A type of the dialect, of whatever kind."""
    match draws.integer(0, 6):
        case 0:
            return tile_types(draws, (*NUMBERS, i4))
        case 1:
            return pointer_tiles(draws)
        case 2:
            return pointer_types(draws)
        case 3:
            return tensor_views(draws)
        case 4:
            return tile_views(draws)
        case 5:
            return StringType()
        case _:
            return TokenType()


def carried_types(draws: Draws) -> Attribute:
    """A type that may flow through control flow, which views may not."""
    match draws.integer(0, 3):
        case 0:
            return TokenType()
        case 1:
            return pointer_tiles(draws)
        case _:
            return tile_types(draws, (*NUMBERS, i4))
