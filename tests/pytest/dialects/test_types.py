"""
The types of `cuda_tile` as Python objects.

Their text is tested in `tests/filecheck/dialects/cuda_tile/types*.mlir`. Here the order of the
checks is compared with an independent reading of the documents, on shapes with many faults.
"""

from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    Signedness,
    VectorType,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    f80,
    i1,
    i8,
    i16,
    i32,
    i64,
    tf32,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile import CudaTile
from tileiras_xdsl.dialects.cuda_tile.enums import PaddingValue, PtrAttr
from tileiras_xdsl.dialects.cuda_tile.types import (
    MAX_TILE_ELEMENTS,
    DimsAttr,
    FloatNV8E5M3FNUType,
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    StringType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    element_name,
    fnv8E5M3FNU,
    is_float,
    is_i4,
    is_integer,
    is_number,
    is_power_of_two,
)

FLOATS = (f16, bf16, f32, tf32, f64, f8E4M3FN, f8E5M2, f8E8M0FNU, f4E2M1FN, fnv8E5M3FNU)
INTEGERS = (i1, i8, i16, i32, i64)
i4 = IntegerType(4)
OTHERS = (
    i4,
    IntegerType(7),
    IntegerType(128),
    IntegerType(32, Signedness.SIGNED),
    IntegerType(8, Signedness.UNSIGNED),
    IndexType(),
    f80,
    VectorType(f32, [4]),
    TokenType(),
    StringType(),
    PtrType(f32),
    TileType(f32),
)
VECTOR = TensorViewType(f32, (None,), (1,))
MATRIX = TensorViewType(f32, (64, 64), (64, 1))


def parse_type(text: str) -> Attribute:
    context = Context()
    context.load_dialect(CudaTile)
    return Parser(context, text).parse_type()


# Element types


@pytest.mark.parametrize("element", FLOATS)
def test_floats_are_numbers(element: Attribute):
    assert is_float(element)
    assert is_number(element)
    assert not is_integer(element)


@pytest.mark.parametrize("element", INTEGERS)
def test_integers_are_numbers(element: Attribute):
    assert is_integer(element)
    assert is_number(element)
    assert not is_float(element)
    assert not is_i4(element)


@pytest.mark.parametrize("element", OTHERS)
def test_nothing_else_is_a_number(element: Attribute):
    assert not is_number(element)
    assert not is_integer(element)
    assert not is_float(element)
    assert is_i4(element) == (element == i4)


@pytest.mark.parametrize("element", [*FLOATS, *INTEGERS])
def test_numbers_are_elements_and_pointees(element: Attribute):
    assert TileType(element, (2,)).get_element_type() == element
    assert PtrType(element).pointee == element
    assert TensorViewType(element, (4,), (1,)).element_type == element


@pytest.mark.parametrize("element", OTHERS)
def test_others_are_not(element: Attribute):
    with pytest.raises(VerifyException, match="failed to verify 'pointeeType': f16 or bf16"):
        PtrType(element)
    with pytest.raises(VerifyException, match="failed to verify 'elementType': f16 or bf16"):
        TensorViewType(element, (4,), (1,))
    if isinstance(element, PtrType) or element == i4:
        TileType(element)
    else:
        with pytest.raises(VerifyException, match=r"failed to verify 'elementType': .* or i4"):
            TileType(element)


def test_element_names():
    assert [element_name(element) for element in FLOATS] == [
        "f16",
        "bf16",
        "f32",
        "tf32",
        "f64",
        "f8E4M3FN",
        "f8E5M2",
        "f8E8M0FNU",
        "f4E2M1FN",
        "fnv8E5M3FNU",
    ]
    assert [element_name(element) for element in INTEGERS] == ["i1", "i8", "i16", "i32", "i64"]


def test_scale_type_of_nvidia():
    """Five exponent bits with bias 15, three mantissa bits, no sign, no infinity."""
    values = fnv8E5M3FNU.unpack(bytes(range(256)), 256)
    assert fnv8E5M3FNU.bitwidth == 8
    assert values[0] == 0.0
    assert values[1] == 2.0**-17
    assert values[15 << 3] == 1.0
    assert values[0xFE] == 2.0**16 * 1.75
    assert all(left < right for left, right in pairwise(values[:0xFF]))
    assert values[0xFF] != values[0xFF]
    assert FloatNV8E5M3FNUType() == fnv8E5M3FNU


# Values and equality


def test_types_with_equal_parameters_are_equal():
    def make() -> tuple[Attribute, ...]:
        tensor = TensorViewType(f32, (None, 64), (64, 1))
        return (
            PtrType(f32),
            PtrType(f32, PtrAttr.NONE),
            TileType(f32, (4, 8)),
            tensor,
            TensorViewType(f32, (None, 64), (64, 1), PtrAttr.NONE),
            PartitionViewType((8, 4), tensor),
            PartitionViewType((8, 4), tensor, (1, 0)),
            PartitionViewType((8, 4), tensor, padding=PaddingValue.NAN),
            StridedViewType((8, 4), (8, 4), tensor),
            StridedViewType((8, 4), (8, 2), tensor),
            GatherScatterViewType((8, 4), tensor, 0),
            GatherScatterViewType((8, 4), tensor, 1),
            GatherScatterViewType((8, 8), tensor, 1),
            TokenType(),
            StringType(),
        )

    first, second = make(), make()
    assert first == second
    assert len(set(first + second)) == len(first)
    for left, right in product(first, second):
        assert (left == right) == (first.index(left) == second.index(right))


def test_a_dynamic_size_equals_no_number():
    dynamic = TensorViewType(f32, (None,), (1,))
    for number in (1, 2**63 - 1):
        assert TensorViewType(f32, (number,), (1,)) != dynamic


def test_lists_and_tuples_make_the_same_type():
    assert TileType(f32, [4, 8]) == TileType(f32, (4, 8))
    assert PartitionViewType([8], VECTOR) == PartitionViewType((8,), VECTOR, (0,))


def test_tiles_are_shaped():
    tile = TileType(i8, (4, 8))
    assert tile.get_shape() == (4, 8)
    assert tile.get_num_dims() == tile.rank == 2
    assert tile.element_count() == 32
    assert tile.with_shape((32,)) == TileType(i8, (32,))
    assert tile.with_element(f32) == TileType(f32, (4, 8))
    scalar = TileType(i8)
    assert scalar.get_shape() == ()
    assert scalar.element_count() == 1


def test_views_know_their_tiles():
    tensor = TensorViewType(f16, (None, 64), (64, 1))
    views: tuple[TileViewType, ...] = (
        PartitionViewType((8, 4), tensor, (1, 0), PaddingValue.NAN),
        StridedViewType((8, 4), (3, 5), tensor, (1, 0), PaddingValue.NAN),
        GatherScatterViewType((8, 4), tensor, 1, PaddingValue.NAN),
    )
    for view in views:
        assert view.rank == 2
        assert view.get_tile_shape() == (8, 4)
        assert view.get_tile_type() == TileType(f16, (8, 4))
        assert view.padding is PaddingValue.NAN
    assert [view.get_dim_map() for view in views] == [(1, 0), (1, 0), (0, 1)]
    assert isinstance(views[1], StridedViewType)
    assert views[1].get_traversal_strides() == (3, 5)
    assert isinstance(views[2], GatherScatterViewType)
    assert views[2].sparse_dim == 1
    assert PartitionViewType((8, 4), tensor).padding is None
    assert PartitionViewType((8, 4), tensor).get_dim_map() == (0, 1)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("padding", PaddingValue)
def test_floats_take_every_padding(element: Attribute, padding: PaddingValue):
    view = PartitionViewType((8,), TensorViewType(element, (64,), (1,)), padding=padding)
    assert view.padding is padding


@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("padding", PaddingValue)
def test_integers_take_zero_only(element: Attribute, padding: PaddingValue):
    tensor = TensorViewType(element, (64,), (1,))
    if padding is PaddingValue.ZERO:
        PartitionViewType((8,), tensor, padding=padding)
        return
    with pytest.raises(VerifyException, match=r"^special padding values require a floating-point"):
        PartitionViewType((8,), tensor, padding=padding)


def test_powers_of_two():
    assert [number for number in range(-8, 20) if is_power_of_two(number)] == [1, 2, 4, 8, 16]


def test_dimensions_print_and_parse():
    """They are parameters of types only, but every attribute has a text."""
    dims = DimsAttr((4, None, -1))
    assert str(dims) == "#cuda_tile.dims<[4, ?, -1]>"
    context = Context()
    context.load_dialect(CudaTile)
    assert DimsAttr.parse_parameter(Parser(context, "<[4, ?, -1]>")) == dims.data


# Order of the checks, after the documents


def tile_fault(shape: Sequence[int]) -> str | None:
    elements = 1
    for dim in shape:
        if dim <= 0:
            return "tile dimensions must be positive"
        if bin(dim).count("1") != 1:
            return "tile dimensions must be powers of two"
        if elements * dim > 16 * 1024 * 1024:
            return "tile would exceed the maximum element count"
        elements *= dim
    return None


def tensor_fault(shape: Sequence[int | None], strides: Sequence[int | None]) -> str | None:
    if len(shape) != len(strides):
        return "tensor_view shape and stride must have the same rank"
    for dim in shape:
        if dim is not None and dim <= 0:
            return "static tensor_view dimensions must be positive"
    for step in strides:
        if step is not None and step <= 0:
            return "static tensor_view strides must be positive"
    return None


def partition_fault(
    tile: Sequence[int],
    rank: int,
    dim_map: Sequence[int],
    padding: PaddingValue | None,
    *,
    is_float: bool,
) -> str | None:
    if not tile:
        return "partition tiles must have rank"
    if len(tile) != rank:
        return "partition tile rank must match tensor rank"
    if len(dim_map) != len(tile):
        return "dim_map must cover every tile dimension"
    used: set[int] = set()
    for dim, target in zip(tile, dim_map, strict=True):
        if dim <= 0:
            return "partition tile dimensions must be positive"
        if bin(dim).count("1") != 1:
            return "partition tile dimensions must be powers of two"
        if target not in range(rank):
            return "dim_map target must be inside the tensor rank"
        if target in used:
            return "dim_map must not map two tile dimensions to one tensor dimension"
        used.add(target)
    if padding not in (None, PaddingValue.ZERO) and not is_float:
        return "special padding values require a floating-point element type"
    return tile_fault(tile)


def fault(error: VerifyException | None) -> str | None:
    """The documented part of a message, which the public one follows in parentheses."""
    if error is None:
        return None
    documented, separator, public = str(error).partition(" (")
    assert separator
    assert public.endswith(")")
    return documented


EXTENTS = st.sampled_from(
    (-(2**63), -8, -1, 0, 1, 2, 3, 4, 12, 1024, 4096, 8192, 2**24, 2**24 + 1, 2**25, 2**32, 2**62)
)
SIZES = st.sampled_from((None, None, -(2**63), -5, 0, 1, 7, 64, 1000003, 2**63 - 1))


@given(st.lists(EXTENTS, max_size=4))
def test_tile_faults_are_found_in_order(shape: list[int]):
    error = None
    try:
        TileType(f32, shape)
    except VerifyException as raised:
        error = raised
    assert fault(error) == tile_fault(shape)


@given(st.lists(SIZES, max_size=3), st.lists(SIZES, max_size=3))
def test_tensor_view_faults_are_found_in_order(shape: list[int | None], strides: list[int | None]):
    error = None
    try:
        TensorViewType(f32, shape, strides)
    except VerifyException as raised:
        error = raised
    assert fault(error) == tensor_fault(shape, strides)


@given(
    st.lists(EXTENTS, max_size=3),
    st.integers(0, 3),
    st.lists(st.integers(-1, 3), max_size=3) | st.none(),
    st.sampled_from((None, *PaddingValue)),
    st.sampled_from((i32, f32)),
)
def test_partition_view_faults_are_found_in_order(
    tile: list[int],
    rank: int,
    dim_map: list[int] | None,
    padding: PaddingValue | None,
    element: Attribute,
):
    tensor = TensorViewType(element, (64,) * rank, (1,) * rank)
    error = None
    try:
        PartitionViewType(tile, tensor, dim_map, padding)
    except VerifyException as raised:
        error = raised
    expected = partition_fault(
        tile,
        rank,
        range(len(tile)) if dim_map is None else dim_map,
        padding,
        is_float=element == f32,
    )
    assert fault(error) == expected


@pytest.mark.parametrize(
    ("shape", "fits"),
    [
        ((MAX_TILE_ELEMENTS,), True),
        ((2 * MAX_TILE_ELEMENTS,), False),
        ((4096, 4096), True),
        ((4096, 4096, 2), False),
        ((1,) * 100, True),
        ((2,) * 24, True),
        ((2,) * 25, False),
    ],
)
def test_size_of_tiles(shape: tuple[int, ...], fits: bool):
    assert (tile_fault(shape) is None) == fits
    if fits:
        assert TileType(i8, shape).rank == len(shape)
    else:
        with pytest.raises(VerifyException, match=r"^tile would exceed the maximum element count"):
            TileType(i8, shape)


# Text


@pytest.mark.parametrize(
    "ty",
    [
        PtrType(f32),
        PtrType(fnv8E5M3FNU, PtrAttr.NONE),
        TileType(PtrType(i8, PtrAttr.NONE), (4, 8)),
        TileType(fnv8E5M3FNU, (2,)),
        TensorViewType(f32),
        TensorViewType(f32, (None, 4), (None, 1), PtrAttr.NONE),
        PartitionViewType((4, 2), MATRIX, (1, 0), PaddingValue.NEG_ZERO),
        StridedViewType((4, 2), (1, 3), MATRIX, (1, 0), PaddingValue.POS_INF),
        GatherScatterViewType((4, 2), MATRIX, 1, PaddingValue.ZERO),
        TokenType(),
        StringType(),
        fnv8E5M3FNU,
    ],
)
def test_types_parse_as_they_print(ty: Attribute):
    assert parse_type(str(ty)) == ty
