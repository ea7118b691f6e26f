"""
Types of the `cuda_tile` dialect.

Every fault of a type is reported with a text of our own first and the public dialect's text
after it in parentheses: whoever greps for the message of NVIDIA's tools finds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    ContainerType,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    FloatSemantics,
    FloatTF32Type,
    IntegerType,
    NoneAttr,
    ReducedPrecisionFloatType,
    ShapedType,
)
from xdsl.dialects.builtin import Signedness as IntegerSignedness
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileiras_xdsl.xdsl_extras.bare_types import parse_optional_bare_type

from .enums import PaddingValue, PaddingValueAttr, PtrAttr, PtrAttrAttr
from .printing import PREFIX, bare_type, print_nested_type

MAX_TILE_ELEMENTS = 16 * 1024 * 1024
"""Largest number of elements of a tile."""

_INT64_MAX = 2**63 - 1
_INT32_MAX = 2**31 - 1


@irdl_attr_definition
class FloatNV8E5M3FNUType(ParametrizedAttribute, ReducedPrecisionFloatType, TypeAttribute):
    """
    NVIDIA's unsigned 8-bit scale type (13.4): five exponent bits, three mantissa bits, no
    sign, `0xFF` is NaN.
    """

    name = "cuda_tile.fnv8E5M3FNU"
    SEMANTICS: ClassVar = FloatSemantics(
        exponent_bits=5,
        mantissa_bits=3,
        exponent_bias=15,
        nonfinite=FloatNonfiniteBehavior.NAN_ONLY,
        nan_encoding=FloatNanEncoding.ALL_ONES,
        has_sign=False,
    )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"!{self.name}")


fnv8E5M3FNU = FloatNV8E5M3FNUType()

FloatElement: TypeAlias = (
    Float16Type
    | BFloat16Type
    | Float32Type
    | FloatTF32Type
    | Float64Type
    | Float8E4M3FNType
    | Float8E5M2Type
    | Float8E8M0FNUType
    | Float4E2M1FNType
    | FloatNV8E5M3FNUType
)
"""The floating-point element types."""

_FLOAT_ELEMENTS = (
    Float16Type,
    BFloat16Type,
    Float32Type,
    FloatTF32Type,
    Float64Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float4E2M1FNType,
    FloatNV8E5M3FNUType,
)
_INT_WIDTHS = (1, 8, 16, 32, 64)


def element_name(element: Attribute) -> str:
    """The name of an element type as text inside a tile or dense literal: `f32`, `i1`."""
    if isinstance(element, IntegerType) and element.signedness.data == IntegerSignedness.SIGNLESS:
        return f"i{element.width.data}"
    if isinstance(element, _FLOAT_ELEMENTS):
        return element.name.removeprefix("cuda_tile.")
    return str(element)


NUMBER_PHRASE = " or ".join(
    [element_name(definition()) for definition in _FLOAT_ELEMENTS]
    + [f"i{width}" for width in _INT_WIDTHS]
)


def is_float(element: Attribute) -> bool:
    """Whether this is a floating-point element type."""
    return isinstance(element, _FLOAT_ELEMENTS)


def is_integer(element: Attribute) -> bool:
    """Whether this is one of the integer element types i1, i8, i16, i32, i64 (not i4)."""
    return (
        isinstance(element, IntegerType)
        and element.width.data in _INT_WIDTHS
        and element.signedness.data == IntegerSignedness.SIGNLESS
    )


def is_i4(element: Attribute) -> bool:
    """Whether this is `i4`, which only a few ops take."""
    return (
        isinstance(element, IntegerType)
        and element.width.data == 4
        and element.signedness.data == IntegerSignedness.SIGNLESS
    )


def is_number(element: Attribute) -> bool:
    """Whether this is a numeric scalar: the pointees and the elements of tensors."""
    return is_integer(element) or is_float(element)


def join_dims(dims: Sequence[int | None]) -> str:
    """Dimensions as diagnostics list them: `4, ?, 2`."""
    return ", ".join("?" if dim is None else str(dim) for dim in dims)


def is_power_of_two(value: int) -> bool:
    """Whether `value` is a positive power of two."""
    return value > 0 and value & (value - 1) == 0


@irdl_attr_definition
class DimsAttr(Data[tuple[int | None, ...]]):
    """
    The dimensions of a type; `None` is a dynamic one, so that no number can be mistaken
    for it. Only a parameter of the types below.
    """

    name = "cuda_tile.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int | None, ...]:
        with parser.in_angle_brackets():
            return tuple(parse_bracketed_dims(parser))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets(), printer.in_square_brackets():
            printer.print_string(join_dims(self.data))


def _parse_dim(parser: AttrParser) -> int | None:
    """A dimension, stride or map entry: a 64-bit integer or `?`."""
    if parser.parse_optional_punctuation("?") is not None:
        return None
    position = parser.pos
    negative = parser.parse_optional_punctuation("-") is not None
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is not MLIRTokenKind.INTEGER_LIT:
        parser.raise_error("expected either 64-bit integer or question mark")
    value = parser.parse_shape_dimension(allow_dynamic=False)
    if value > _INT64_MAX + negative:
        parser.raise_error("expected either 64-bit integer or question mark", position)
    return -value if negative else value


def parse_bracketed_dims(parser: AttrParser) -> list[int | None]:
    """`[4, ?]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_dim(parser))


def _parse_static_list(parser: AttrParser) -> tuple[int, ...]:
    """`[4, 3]`, 32-bit integers."""

    def parse_integer() -> int:
        position = parser.pos
        value = parser.parse_integer(allow_boolean=False)
        if not -_INT32_MAX - 1 <= value <= _INT32_MAX:
            parser.raise_error("integer value too large", position)
        return value

    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_integer))


_SHAPE_START = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION, MLIRTokenKind.MINUS)


def parse_shape(parser: AttrParser, *, trailing_x: bool) -> tuple[int | None, ...]:
    """
    `4x?x8`; with `trailing_x` each dimension is followed by an `x`, as in front of an
    element type.
    """
    dims: list[int | None] = []
    while (
        parser._current_token.kind in _SHAPE_START  # pyright: ignore[reportPrivateUsage]
    ):
        dims.append(_parse_dim(parser))
        if trailing_x:
            parser.parse_shape_delimiter()
        elif parser._parse_optional_shape_delimiter() is None:  # pyright: ignore[reportPrivateUsage]
            break
    return tuple(dims)


def parse_cuda_tile_type(parser: AttrParser) -> TypeAttribute:
    """A type in the parameters of another: bare, prefixed or builtin."""
    if (bare := parse_optional_bare_type(parser, BARE_TYPES)) is not None:
        return bare
    if (parsed := parser.parse_optional_type()) is not None:
        return parsed
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    parser.raise_error(f"unknown type: {token.text}")


def _print_element(printer: Printer, dims: Sequence[int | None], element: Attribute) -> None:
    """`4x?xf32`; elements print bare in either mode: `tile<4xptr<f32>>`."""
    shape = "".join("?x" if dim is None else f"{dim}x" for dim in dims)
    if isinstance(element, PtrType):
        printer.print_string(f"{shape}ptr")
        element.print_parameters(printer)
    else:
        printer.print_string(shape + element_name(element))


@irdl_attr_definition
class PtrType(ParametrizedAttribute, TypeAttribute):
    """
    A typed pointer to global memory, `ptr<f32>`; since 13.4 with an optional attribute of
    the memory, `ptr<f32, <none>>`.
    """

    name = "cuda_tile.ptr"

    pointee: Attribute
    ptr_attr: PtrAttrAttr | NoneAttr

    def __init__(self, pointee: Attribute, ptr_attr: PtrAttr | None = None):
        super().__init__(pointee, NoneAttr() if ptr_attr is None else PtrAttrAttr(ptr_attr))

    def verify(self) -> None:
        if not is_number(self.pointee):
            raise VerifyException(
                f"failed to verify 'pointeeType': {NUMBER_PHRASE}, got '{self.pointee}'"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pointee = parse_cuda_tile_type(parser)
            ptr_attr: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(",") is not None:
                ptr_attr = _parse_ptr_attr(parser, "expected a ptr_attr")
        return [pointee, ptr_attr]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_element(printer, (), self.pointee)
            if isinstance(self.ptr_attr, PtrAttrAttr):
                printer.print_string(", ")
                self.ptr_attr.print_parameter(printer)


def _parse_ptr_attr(parser: AttrParser, message: str) -> PtrAttrAttr:
    """`<none>` or `#cuda_tile.ptr_attr<none>`; `message` is for anything else."""
    position = parser.pos
    if parser._current_token.kind is MLIRTokenKind.LESS:  # pyright: ignore[reportPrivateUsage]
        return PtrAttrAttr(PtrAttrAttr.parse_parameter(parser))
    attribute = parser.parse_optional_attribute()
    if not isinstance(attribute, PtrAttrAttr):
        parser.raise_error(message, position)
    return attribute


def verify_tile_shape(shape: Sequence[int]) -> None:
    """The rules of tile shapes, left to right; only the first fault is reported."""
    elements = 1
    for dim in shape:
        if dim <= 0:
            raise VerifyException(
                "tile dimensions must be positive "
                f"(all dimensions must be positive constants, got {join_dims(shape)})"
            )
        if not is_power_of_two(dim):
            raise VerifyException(
                "tile dimensions must be powers of two "
                f"(all dimensions must be powers of two, got {join_dims(shape)})"
            )
        if elements > MAX_TILE_ELEMENTS // dim:
            raise VerifyException(
                "tile would exceed the maximum element count "
                f"(tile would exceed the maximum of {MAX_TILE_ELEMENTS} elements)"
            )
        elements *= dim


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """
    A value with a static shape of powers of two: `tile<4x8xf32>`, `tile<16xptr<i8>>`; of
    rank 0 (`tile<f32>`) it is a scalar.
    """

    name = "cuda_tile.tile"

    shape: DimsAttr
    element_type: Attribute

    def __init__(self, element_type: Attribute, shape: Sequence[int] = ()):
        super().__init__(DimsAttr(tuple(shape)), element_type)

    def verify(self) -> None:
        element = self.element_type
        if not (is_number(element) or isinstance(element, PtrType) or is_i4(element)):
            raise VerifyException(
                f"failed to verify 'elementType': {NUMBER_PHRASE} or Pointer type or i4, "
                f"got '{element}'"
            )
        shape = self.get_shape()
        if isinstance(element, Float4E2M1FNType) and all(dim % 2 for dim in shape):
            raise VerifyException("F4E2M1FN tiles must have an even number of elements")
        verify_tile_shape(shape)

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return self.shape.data  # pyright: ignore[reportReturnType]

    def get_element_type(self) -> Attribute:
        return self.element_type

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    def with_shape(self, shape: Sequence[int]) -> TileType:
        """A tile of the same elements and another shape."""
        return TileType(self.element_type, shape)

    def with_element(self, element_type: Attribute) -> TileType:
        """A tile of the same shape and other elements."""
        return TileType(element_type, self.get_shape())

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            shape = parse_shape(parser, trailing_x=True)
            if None in shape:
                parser.raise_error("expected static shape", position)
            return [DimsAttr(shape), parse_cuda_tile_type(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_element(printer, self.shape.data, self.element_type)


@irdl_attr_definition
class TensorViewType(ParametrizedAttribute, TypeAttribute):
    """
    A strided tensor in global memory: `tensor_view<?x64xf32, strides=[64,1]>`. Sizes and
    strides marked `?` are operands of `make_tensor_view`.
    """

    name = "cuda_tile.tensor_view"

    element_type: Attribute
    shape: DimsAttr
    strides: DimsAttr
    ptr_attr: PtrAttrAttr | NoneAttr

    def __init__(
        self,
        element_type: Attribute,
        shape: Sequence[int | None] = (),
        strides: Sequence[int | None] = (),
        ptr_attr: PtrAttr | None = None,
    ):
        super().__init__(
            element_type,
            DimsAttr(tuple(shape)),
            DimsAttr(tuple(strides)),
            NoneAttr() if ptr_attr is None else PtrAttrAttr(ptr_attr),
        )

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    def verify(self) -> None:
        shape, strides = self.shape.data, self.strides.data
        if not is_number(self.element_type):
            raise VerifyException(
                f"failed to verify 'elementType': {NUMBER_PHRASE}, got '{self.element_type}'"
            )
        if len(shape) != len(strides):
            raise VerifyException(
                "tensor_view shape and stride must have the same rank "
                "(expected shape and stride to be of same rank but got shape of rank "
                f"{len(shape)} and stride of rank {len(strides)})"
            )
        if any(dim is not None and dim <= 0 for dim in shape):
            raise VerifyException(
                "static tensor_view dimensions must be positive "
                "(dimensions must have strictly positive constant sizes but got "
                f"[{join_dims(shape)}])"
            )
        for stride in strides:
            if stride is not None and stride <= 0:
                # The public dialect words it differently in bytecode and in text.
                raise VerifyException(
                    "static tensor_view strides must be positive "
                    "(dimensions must have strictly positive constant strides but got "
                    f"[{join_dims(strides)}]; expected strictly positive integer, got {stride})"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape = parse_shape(parser, trailing_x=True)
            element = parse_cuda_tile_type(parser)
            strides: tuple[int | None, ...] = ()
            ptr_attr: Attribute = NoneAttr()
            if shape:
                if (
                    parser.parse_optional_punctuation(",") is None
                    or parser.parse_optional_keyword("strides") is None
                ):
                    parser.raise_error("expected 'strides'")
                parser.parse_punctuation("=")
                strides = tuple(parse_bracketed_dims(parser))
            if parser.parse_optional_punctuation(",") is not None:
                if not shape and parser.parse_optional_keyword("strides") is not None:
                    parser.raise_error("strides must not be provided for 0-d tiles")
                where = "strides" if shape else "element type in 0-d tensor_view"
                ptr_attr = _parse_ptr_attr(parser, f"unexpected token after {where}")
        return [element, DimsAttr(shape), DimsAttr(strides), ptr_attr]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_element(printer, self.shape.data, self.element_type)
            if self.shape.data:
                strides = ",".join("?" if s is None else str(s) for s in self.strides.data)
                printer.print_string(f", strides=[{strides}]")
            if isinstance(self.ptr_attr, PtrAttrAttr):
                printer.print_string(", ")
                printer.print_attribute(self.ptr_attr)


class TileViewType(ParametrizedAttribute, TypeAttribute, ABC):
    """A view that is loaded and stored one tile at a time."""

    if TYPE_CHECKING:
        # Declared by every subclass: a parameter of an undecorated base class would not take
        # part in comparing and hashing types.
        tile_shape: DimsAttr
        tensor_view: TensorViewType
        padding_value: PaddingValueAttr | NoneAttr

    def __str__(self) -> str:
        """As diagnostics show it: only the outermost type has the prefix of the dialect."""
        return f"!{PREFIX}{bare_type(self)}"

    @property
    def rank(self) -> int:
        """Rank of the tile, and number of indices of an access."""
        return len(self.tile_shape.data)

    def get_tile_shape(self) -> tuple[int, ...]:
        return self.tile_shape.data  # pyright: ignore[reportReturnType]

    def get_tile_type(self) -> TileType:
        """The type of the tiles that are loaded and stored."""
        return TileType(self.tensor_view.element_type, self.get_tile_shape())

    @property
    def padding(self) -> PaddingValue | None:
        if isinstance(self.padding_value, NoneAttr):
            return None
        return self.padding_value.data

    @abstractmethod
    def get_dim_map(self) -> tuple[int, ...]:
        """The tensor dimension each tile dimension runs along."""

    def _verify_rank(self) -> None:
        if not self.rank:
            raise VerifyException(
                "partition tiles must have rank (0-dimension tile shape is not supported)"
            )
        if self.rank != self.tensor_view.rank:
            raise VerifyException(
                "partition tile rank must match tensor rank "
                "(expected tensor_view rank and tile rank to match, got tensor_view of rank "
                f"{self.tensor_view.rank} and tiles of rank {self.rank})"
            )

    def _verify_tile_dim(self, dim: int) -> None:
        if dim <= 0:
            raise VerifyException(
                "partition tile dimensions must be positive "
                "(tile shape dimensions must have positive length but got "
                f"[{join_dims(self.tile_shape.data)}])"
            )
        if not is_power_of_two(dim):
            raise VerifyException(
                "partition tile dimensions must be powers of two "
                "(tile shape dimensions must have power of two length but got "
                f"[{join_dims(self.tile_shape.data)}])"
            )

    def _verify_dim_map(self) -> None:
        """
        The rules that partition and strided views share. Only the first fault is reported: rank,
        length of `dim_map`, then each tile dimension completely before the next.
        """
        self._verify_rank()
        dim_map = self.get_dim_map()
        if len(dim_map) != self.rank:
            raise VerifyException(
                "dim_map must cover every tile dimension "
                f"(expected dim_map to map exactly all {self.rank} dimensions of the tile, "
                f"got {len(dim_map)} mappings)"
            )
        seen: dict[int, int] = {}
        for index, (dim, target) in enumerate(zip(self.get_tile_shape(), dim_map, strict=True)):
            self._verify_tile_dim(dim)
            if not 0 <= target < self.tensor_view.rank:
                public = (
                    f"target dimension must not be negative, got {target}"
                    if target < 0
                    else "target dimension is outside of tensor view dimensions, expected "
                    f"strictly less than {self.tensor_view.rank}, got {target}"
                )
                raise VerifyException(f"dim_map target must be inside the tensor rank ({public})")
            if target in seen:
                raise VerifyException(
                    "dim_map must not map two tile dimensions to one tensor dimension "
                    f"(target dimension {target} mapped at least twice "
                    f"(for tile dimensions {seen[target]} and {index}))"
                )
            seen[target] = index

    def _verify_padding(self) -> None:
        element = self.tensor_view.element_type
        # Only floating-point types have the other values.
        if (padding := self.padding) in (None, PaddingValue.ZERO) or is_float(element):
            return
        raise VerifyException(
            "special padding values require a floating-point element type "
            f"(padding_value {padding.value} can only be used with floating point element "
            f"types, got '{element}')"
        )

    @staticmethod
    def _parse_tile_shape(parser: AttrParser) -> DimsAttr:
        parser.parse_keyword("tile")
        parser.parse_punctuation("=")
        with parser.in_parens():
            position = parser.pos
            shape = parse_shape(parser, trailing_x=False)
        for index, dim in enumerate(shape):
            if dim is None:
                parser.raise_error("expected static shape", position)
            if dim > _INT32_MAX:
                parser.raise_error(
                    f"tile dimension {index} exceeds i32 limitations (got {dim}, expected "
                    f"strictly positive and less than or equal to {_INT32_MAX})",
                    position,
                )
        return DimsAttr(shape)

    @staticmethod
    def _parse_padding_and_tensor(parser: AttrParser) -> tuple[Attribute, TensorViewType]:
        parser.parse_punctuation(",")
        padding: Attribute = NoneAttr()
        if parser.parse_optional_keyword("padding_value") is not None:
            parser.parse_punctuation("=")
            position = parser.pos
            word = parser.parse_identifier()
            if word not in PaddingValue.__members__.values():
                expected = ", ".join(PaddingValue)
                parser.raise_error(
                    "invalid padding_value attribute specification. "
                    f'Got "{word}" but expect one of: {expected}',
                    position,
                )
            padding = PaddingValueAttr(PaddingValue(word))
            parser.parse_punctuation(",")
        position = parser.pos
        tensor_view = parse_cuda_tile_type(parser)
        if not isinstance(tensor_view, TensorViewType):
            parser.raise_error(f"expected 'tensor_view' type, but got '{tensor_view}'", position)
        return padding, tensor_view

    def _print_tile_shape(self, printer: Printer) -> None:
        dims = "x".join(str(dim) for dim in self.tile_shape.data)
        printer.print_string(f"tile=({dims}), ")

    def _print_padding_and_tensor(self, printer: Printer) -> None:
        if (padding := self.padding) is not None:
            printer.print_string(f"padding_value = {padding.value}, ")
        print_nested_type(printer, self.tensor_view)

    def _print_dim_map(self, printer: Printer) -> None:
        dim_map = self.get_dim_map()
        if dim_map != tuple(range(self.rank)):
            printer.print_string(f", dim_map=[{join_dims(dim_map)}]")


def _parse_optional_dim_map(parser: AttrParser, rank: int) -> DimsAttr:
    """`, dim_map=[1, 0]`; the identity when absent."""
    if parser.parse_optional_punctuation(",") is None:
        return DimsAttr(tuple(range(rank)))
    parser.parse_keyword("dim_map")
    parser.parse_punctuation("=")
    return DimsAttr(_parse_static_list(parser))


@irdl_attr_definition
class PartitionViewType(TileViewType):
    """
    A tensor cut into tiles that touch each other:
    `partition_view<tile=(8x4), padding_value = nan, tensor_view<…>, dim_map=[1, 0]>`.

    Text of Tile IR 13.1 has `masked` in front of `tile` where accesses may leave the tensor, and
    does not say what is read there. Zeros are, as if there were `padding_value = zero`.
    """

    name = "cuda_tile.partition_view"

    tile_shape: DimsAttr
    tensor_view: TensorViewType
    padding_value: PaddingValueAttr | NoneAttr
    dim_map: DimsAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding: PaddingValue | None = None,
    ):
        super().__init__(
            DimsAttr(tuple(tile_shape)),
            tensor_view,
            NoneAttr() if padding is None else PaddingValueAttr(padding),
            DimsAttr(tuple(range(len(tile_shape)) if dim_map is None else dim_map)),
        )

    def get_dim_map(self) -> tuple[int, ...]:
        return self.dim_map.data  # pyright: ignore[reportReturnType]

    def verify(self) -> None:
        self._verify_dim_map()
        self._verify_padding()
        self.get_tile_type()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            is_masked = parser.parse_optional_keyword("masked") is not None
            tile_shape = cls._parse_tile_shape(parser)
            padding, tensor_view = cls._parse_padding_and_tensor(parser)
            dim_map = _parse_optional_dim_map(parser, len(tile_shape.data))
        if is_masked and isinstance(padding, NoneAttr):
            padding = PaddingValueAttr(PaddingValue.ZERO)
        return [tile_shape, tensor_view, padding, dim_map]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self._print_tile_shape(printer)
            self._print_padding_and_tensor(printer)
            self._print_dim_map(printer)


@irdl_attr_definition
class StridedViewType(TileViewType):
    """
    A tensor covered by tiles that start every `traversal_strides` elements (13.3):
    `strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<…>>`.
    """

    name = "cuda_tile.strided_view"

    tile_shape: DimsAttr
    tensor_view: TensorViewType
    padding_value: PaddingValueAttr | NoneAttr
    traversal_strides: DimsAttr
    dim_map: DimsAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        traversal_strides: Sequence[int],
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding: PaddingValue | None = None,
    ):
        super().__init__(
            DimsAttr(tuple(tile_shape)),
            tensor_view,
            NoneAttr() if padding is None else PaddingValueAttr(padding),
            DimsAttr(tuple(traversal_strides)),
            DimsAttr(tuple(range(len(tile_shape)) if dim_map is None else dim_map)),
        )

    def get_dim_map(self) -> tuple[int, ...]:
        return self.dim_map.data  # pyright: ignore[reportReturnType]

    def get_traversal_strides(self) -> tuple[int, ...]:
        return self.traversal_strides.data  # pyright: ignore[reportReturnType]

    def verify(self) -> None:
        self._verify_dim_map()
        self._verify_padding()
        self.get_tile_type()
        strides = self.get_traversal_strides()
        if len(strides) != self.rank:
            raise VerifyException(f"expected {self.rank} traversal strides, got {len(strides)}")
        if any(stride <= 0 for stride in strides):
            raise VerifyException(
                f"traversal strides must be strictly positive but got [{join_dims(strides)}]"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            tile_shape = cls._parse_tile_shape(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("traversal_strides")
            parser.parse_punctuation("=")
            strides = DimsAttr(_parse_static_list(parser))
            padding, tensor_view = cls._parse_padding_and_tensor(parser)
            dim_map = _parse_optional_dim_map(parser, len(tile_shape.data))
        return [tile_shape, tensor_view, padding, strides, dim_map]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self._print_tile_shape(printer)
            strides = ",".join(str(stride) for stride in self.traversal_strides.data)
            printer.print_string(f"traversal_strides=[{strides}], ")
            self._print_padding_and_tensor(printer)
            self._print_dim_map(printer)


@irdl_attr_definition
class GatherScatterViewType(TileViewType):
    """
    A tensor of which a tile takes arbitrary rows along `sparse_dim` (13.3):
    `gather_scatter_view<tile=(8x8), tensor_view<…>, sparse_dim=0>`.
    """

    name = "cuda_tile.gather_scatter_view"

    tile_shape: DimsAttr
    tensor_view: TensorViewType
    padding_value: PaddingValueAttr | NoneAttr
    sparse_dims: DimsAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        tensor_view: TensorViewType,
        sparse_dim: int,
        padding: PaddingValue | None = None,
    ):
        super().__init__(
            DimsAttr(tuple(tile_shape)),
            tensor_view,
            NoneAttr() if padding is None else PaddingValueAttr(padding),
            DimsAttr((sparse_dim,)),
        )

    @property
    def sparse_dim(self) -> int:
        (dim,) = self.sparse_dims.data
        assert dim is not None
        return dim

    def get_dim_map(self) -> tuple[int, ...]:
        return tuple(range(self.rank))

    def verify(self) -> None:
        self._verify_rank()
        for dim in self.get_tile_shape():
            self._verify_tile_dim(dim)
        if not 0 <= self.sparse_dim < self.tensor_view.rank:
            raise VerifyException(
                "gather dimension is outside of tensor view dimensions, expected strictly "
                f"less than {self.tensor_view.rank}, got {self.sparse_dim}"
            )
        self.get_tile_type()
        self._verify_padding()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            tile_shape = cls._parse_tile_shape(parser)
            padding, tensor_view = cls._parse_padding_and_tensor(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("sparse_dim")
            parser.parse_punctuation("=")
            sparse_dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return [tile_shape, tensor_view, padding, DimsAttr((sparse_dim,))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self._print_tile_shape(printer)
            self._print_padding_and_tensor(printer)
            printer.print_string(f", sparse_dim={self.sparse_dim}")


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """An edge of the memory order; it has no run-time value."""

    name = "cuda_tile.token"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """
    An opaque handle of NVIDIA's compiler. It round-trips; no op produces it, and an op that
    uses it has no lowering.
    """

    name = "cuda_tile.string"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()


BARE_TYPES: Mapping[str, type[TypeAttribute]] = {
    definition.name.split(".", 1)[1]: definition
    for definition in (
        PtrType,
        TileType,
        TensorViewType,
        PartitionViewType,
        StridedViewType,
        GatherScatterViewType,
        TokenType,
        StringType,
        FloatNV8E5M3FNUType,
    )
}
"""The types of the dialect by mnemonic, as they may be written inside it."""

TOKEN = TokenType()
