"""
Types of `nv_tileaa`. Tiles are builtin tensors and scalars, pointers usually `!llvm.ptr<1>`.

- `!nv_tileaa.memref<?x64xf32, strides = [64, 1]>`: where a tensor lies in memory;
- `!nv_tileaa.tiled_view<8x64, memref<…>, dim_map = [1, 0], padding = zero>`: how it is cut;
- `!nv_tileaa.mem_token`: an edge of the memory order, without data;
- `!nv_tileaa.queue<f32, i32>`: a producer/consumer edge carrying these values;
- `!nv_tileaa.ptr<f32, 3>`: a pointer that knows its pointee; `!nv_tileaa.program_id`.

`ViewLayout` is how views cut tensors, at the levels of `cuda_tile` and of `nv_tileaa`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile.types import (
    DimsAttr,
    GatherScatterViewType,
    StridedViewType,
    TileViewType,
    is_float,
    is_i4,
    is_number,
    is_power_of_two,
    join_dims,
    parse_bracketed_dims,
    parse_shape,
)
from tileiras_xdsl.xdsl_extras.aliases import AliasedAttribute

GLOBAL_SPACE = 1
MAX_ELEMENTS = 16777216
MAX_ALIAS_SCOPE = 2**32 - 1
PADDINGS = {"zero": 0.0, "neg_zero": -0.0, "nan": nan, "pos_inf": inf, "neg_inf": -inf}
"""What special words pad with."""


def verify_padding(padding: str, element: Attribute) -> None:
    """Checks that elements can be padded so; all but zero are floats."""
    if padding not in PADDINGS:
        raise VerifyException(
            f"unsupported padding: {padding} (expected one of {', '.join(PADDINGS)})"
        )
    if padding != "zero" and not is_float(element):
        raise VerifyException(
            "special padding values require a floating-point element type "
            f"(padding {padding} cannot be used with '{element}')"
        )


def _parse_key(parser: AttrParser, expected: Sequence[str], seen: list[str]) -> str:
    """`key =`, one of those that are expected, once."""
    position = parser.pos
    key = parser.parse_identifier()
    if key not in expected:
        parser.raise_error(f"expected one of {', '.join(expected)}, but got '{key}'", position)
    if key in seen:
        parser.raise_error(f"'{key}' is given twice", position)
    seen.append(key)
    parser.parse_punctuation("=")
    return key


@irdl_attr_definition
class MemTokenType(ParametrizedAttribute, TypeAttribute):
    """A memory token: an edge of the memory order, without data."""

    name = "nv_tileaa.mem_token"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()


MEM_TOKEN = MemTokenType()


@irdl_attr_definition
class ProgramIdType(ParametrizedAttribute, TypeAttribute):
    """The index of a CTA in the grid."""

    name = "nv_tileaa.program_id"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()


class PointerType(ParametrizedAttribute, TypeAttribute):
    """A pointer with its pointee and its address space: `<f32, 3>`, or `<f32>` if it is global."""

    pointee: Attribute
    address_space: IntAttr

    SHOWS_GLOBAL: ClassVar[bool]
    """Whether the space is printed in any case."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pointee = parser.parse_type()
            space = GLOBAL_SPACE
            if parser.parse_optional_punctuation(",") is not None:
                space = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return [pointee, IntAttr(space)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.pointee)
            if self.SHOWS_GLOBAL or self.address_space.data != GLOBAL_SPACE:
                printer.print_string(f", {self.address_space.data}")


@irdl_attr_definition
class PtrType(PointerType):
    """A pointer with its pointee: `!nv_tileaa.ptr<f32, 1>`."""

    name = "nv_tileaa.ptr"

    SHOWS_GLOBAL = True

    def __init__(self, pointee: Attribute, address_space: int = GLOBAL_SPACE):
        super().__init__(pointee, IntAttr(address_space))


def _print_shape(printer: Printer, shape: Sequence[int | None]) -> None:
    printer.print_string("".join(f"{'?' if dim is None else dim}x" for dim in shape))


@irdl_attr_definition
class MemRefType(ParametrizedAttribute, TypeAttribute, AliasedAttribute):
    """
    A strided tensor in memory: `!nv_tileaa.memref<?x64xf32, strides = [64, 1]>`. Sizes and
    strides may be dynamic (`?`). `space` (1, global memory, if it is not there) and
    `alias_scope` (0) tell objects apart.
    """

    name = "nv_tileaa.memref"

    element_type: Attribute
    shape: DimsAttr
    strides: DimsAttr
    address_space: IntAttr
    alias_scope: IntAttr

    def __init__(
        self,
        element_type: Attribute,
        shape: Sequence[int | None],
        strides: Sequence[int | None],
        address_space: int = GLOBAL_SPACE,
        alias_scope: int = 0,
    ):
        super().__init__(
            element_type,
            DimsAttr(tuple(shape)),
            DimsAttr(tuple(strides)),
            IntAttr(address_space),
            IntAttr(alias_scope),
        )

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    def verify(self) -> None:
        if not (is_number(self.element_type) or is_i4(self.element_type)):
            raise VerifyException(
                f"expected elements that are numbers, but got '{self.element_type}'"
            )
        if len(self.strides.data) != self.rank:
            raise VerifyException(f"expected {self.rank} strides, but got {len(self.strides.data)}")
        for what, dims in (("sizes", self.shape.data), ("strides", self.strides.data)):
            if any(dim is not None and dim <= 0 for dim in dims):
                raise VerifyException(f"expected positive {what}, but got [{join_dims(dims)}]")
        if not 0 <= self.alias_scope.data <= MAX_ALIAS_SCOPE:
            raise VerifyException(f"alias_scope {self.alias_scope.data} does not fit 32 bits")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        space, scope = GLOBAL_SPACE, 0
        with parser.in_angle_brackets():
            shape = parse_shape(parser, trailing_x=True)
            element = parser.parse_type()
            parser.parse_punctuation(",")
            parser.parse_keyword("strides")
            parser.parse_punctuation("=")
            strides = tuple(parse_bracketed_dims(parser))
            seen: list[str] = []
            while parser.parse_optional_punctuation(",") is not None:
                key = _parse_key(parser, ("space", "alias_scope"), seen)
                number = parser.parse_integer(allow_boolean=False, allow_negative=False)
                if key == "space":
                    space = number
                else:
                    scope = number
        return [element, DimsAttr(shape), DimsAttr(strides), IntAttr(space), IntAttr(scope)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_shape(printer, self.shape.data)
            printer.print_attribute(self.element_type)
            printer.print_string(f", strides = [{join_dims(self.strides.data)}]")
            if self.address_space.data != GLOBAL_SPACE:
                printer.print_string(f", space = {self.address_space.data}")
            if self.alias_scope.data:
                printer.print_string(f", alias_scope = {self.alias_scope.data}")


@irdl_attr_definition
class TiledViewType(ParametrizedAttribute, TypeAttribute, AliasedAttribute):
    """
    A tensor seen as a grid of tiles:

        !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<…>, dim_map = [1, 0], padding = zero>

    Dimension i of a tile runs along dimension `dim_map[i]` of the tensor; tiles touch each
    other unless `steps` says every how many elements one begins (1 where indices count
    elements). Elements outside the tensor read as `padding`. With `sparse_dim` the tile takes
    any rows along that dimension of the tensor, given by a tensor of indices.
    """

    name = "nv_tileaa.tiled_view"

    tile_shape: DimsAttr
    memref: MemRefType
    dim_map: DimsAttr
    steps: DimsAttr
    padding: StringAttr | NoneAttr
    sparse_dim: IntAttr | NoneAttr

    KEYS: ClassVar = ("dim_map", "steps", "padding", "sparse_dim")

    def __init__(
        self,
        tile_shape: Sequence[int],
        memref: MemRefType,
        dim_map: Sequence[int] | None = None,
        steps: Sequence[int] | None = None,
        padding: str | None = None,
        sparse_dim: int | None = None,
    ):
        super().__init__(
            DimsAttr(tuple(tile_shape)),
            memref,
            DimsAttr(tuple(range(len(tile_shape)) if dim_map is None else dim_map)),
            DimsAttr(tuple(tile_shape if steps is None else steps)),
            NoneAttr() if padding is None else StringAttr(padding),
            NoneAttr() if sparse_dim is None else IntAttr(sparse_dim),
        )

    @property
    def rank(self) -> int:
        return len(self.tile_shape.data)

    @property
    def element_type(self) -> Attribute:
        return self.memref.element_type

    def get_tile_shape(self) -> tuple[int, ...]:
        return self.tile_shape.data  # pyright: ignore[reportReturnType]

    def get_dim_map(self) -> tuple[int, ...]:
        return self.dim_map.data  # pyright: ignore[reportReturnType]

    def get_steps(self) -> tuple[int, ...]:
        """Every how many elements a tile begins."""
        return self.steps.data  # pyright: ignore[reportReturnType]

    def get_padding(self) -> str | None:
        return None if isinstance(self.padding, NoneAttr) else self.padding.data

    def get_sparse_dim(self) -> int | None:
        return None if isinstance(self.sparse_dim, NoneAttr) else self.sparse_dim.data

    def verify(self) -> None:
        shape = self.get_tile_shape()
        listed = join_dims(self.tile_shape.data)
        if not shape:
            raise VerifyException("expected a tile of rank 1 or more")
        if any(dim is None or dim <= 0 for dim in self.tile_shape.data):
            raise VerifyException(f"all dimensions must be positive constants, got {listed}")
        if not all(map(is_power_of_two, shape)):
            raise VerifyException(f"all dimensions must be powers of two, got {listed}")
        count = 1
        for dim in shape:
            count *= dim
        if count > MAX_ELEMENTS:
            raise VerifyException(f"tile would exceed the maximum of {MAX_ELEMENTS} elements")
        rank = self.rank
        if self.memref.rank != rank:
            raise VerifyException(
                f"a tile of rank {rank} cannot be cut from a memref of rank {self.memref.rank}"
            )
        if None in self.dim_map.data or sorted(self.get_dim_map()) != list(range(rank)):
            raise VerifyException(
                f"dim_map must be a permutation of the {rank} dimensions, "
                f"but got [{join_dims(self.dim_map.data)}]"
            )
        if len(self.steps.data) != rank or any(
            step is None or step <= 0 for step in self.steps.data
        ):
            raise VerifyException(
                f"expected {rank} positive steps, but got [{join_dims(self.steps.data)}]"
            )
        if (padding := self.get_padding()) is not None:
            verify_padding(padding, self.element_type)
        if (sparse := self.get_sparse_dim()) is not None and not 0 <= sparse < rank:
            raise VerifyException(f"sparse_dim must be less than {rank}, but got {sparse}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            tile_shape = parse_shape(parser, trailing_x=False)
            if parser.lexer.input.content[position : parser.pos].rstrip().endswith("x"):
                parser.raise_error("expected a dimension after 'x'")
            parser.parse_punctuation(",")
            position = parser.pos
            memref = parser.parse_type()
            if not isinstance(memref, MemRefType):
                parser.raise_error(f"expected an nv_tileaa.memref, but got '{memref}'", position)
            dim_map: Attribute = DimsAttr(tuple(range(len(tile_shape))))
            steps: Attribute = DimsAttr(tile_shape)
            padding: Attribute = NoneAttr()
            sparse_dim: Attribute = NoneAttr()
            seen: list[str] = []
            while parser.parse_optional_punctuation(",") is not None:
                match _parse_key(parser, cls.KEYS, seen):
                    case "dim_map":
                        dim_map = DimsAttr(tuple(parse_bracketed_dims(parser)))
                    case "steps":
                        steps = DimsAttr(tuple(parse_bracketed_dims(parser)))
                    case "padding":
                        padding = StringAttr(parser.parse_identifier())
                    case _:
                        sparse_dim = IntAttr(parser.parse_integer(allow_boolean=False))
        return [DimsAttr(tile_shape), memref, dim_map, steps, padding, sparse_dim]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(str(dim) for dim in self.tile_shape.data) + ", ")
            printer.print_attribute(self.memref)
            if self.get_dim_map() != tuple(range(self.rank)):
                printer.print_string(f", dim_map = [{join_dims(self.dim_map.data)}]")
            if self.steps != self.tile_shape:
                printer.print_string(f", steps = [{join_dims(self.steps.data)}]")
            if (padding := self.get_padding()) is not None:
                printer.print_string(f", padding = {padding}")
            if (sparse_dim := self.get_sparse_dim()) is not None:
                printer.print_string(f", sparse_dim = {sparse_dim}")


@irdl_attr_definition
class QueueType(ParametrizedAttribute, TypeAttribute):
    """
    A producer/consumer edge: `!nv_tileaa.queue<f32, i32>` carries these values,
    `!nv_tileaa.queue` any; `isolated` comes first if the ends share nothing else.
    """

    name = "nv_tileaa.queue"

    element_types: ArrayAttr[Attribute]
    isolated: UnitAttr | NoneAttr

    def __init__(self, element_types: Sequence[Attribute] = (), *, isolated: bool = False):
        super().__init__(ArrayAttr(element_types), UnitAttr() if isolated else NoneAttr())

    @property
    def is_isolated(self) -> bool:
        return isinstance(self.isolated, UnitAttr)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        isolated: Attribute = NoneAttr()
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("<") is not None:
            more = True
            if parser.parse_optional_keyword("isolated") is not None:
                isolated = UnitAttr()
                more = parser.parse_optional_punctuation(",") is not None
            if more:
                types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(">")
        return [ArrayAttr(types), isolated]

    def print_parameters(self, printer: Printer) -> None:
        if not self.element_types.data and not self.is_isolated:
            return
        with printer.in_angle_brackets():
            if self.is_isolated:
                printer.print_string("isolated, " if self.element_types.data else "isolated")
            printer.print_list(self.element_types.data, printer.print_attribute)


@dataclass(frozen=True)
class ViewLayout:
    """How a view cuts a tensor; the same for the view types of both levels."""

    tile_shape: tuple[int, ...]
    dim_map: tuple[int, ...]
    steps: tuple[int, ...]
    padding: str | None
    sparse_dim: int | None
    element: Attribute

    @staticmethod
    def of(ty: Attribute) -> ViewLayout:
        """The layout of a view type."""
        if isinstance(ty, TiledViewType):
            return ViewLayout(
                ty.get_tile_shape(),
                ty.get_dim_map(),
                ty.get_steps(),
                ty.get_padding(),
                ty.get_sparse_dim(),
                ty.element_type,
            )
        assert isinstance(ty, TileViewType)
        steps, sparse_dim = ty.get_tile_shape(), None
        if isinstance(ty, StridedViewType):
            steps = ty.get_traversal_strides()
        elif isinstance(ty, GatherScatterViewType):
            # Where rows are given one by one, the other indices count elements too.
            steps, sparse_dim = (1,) * ty.rank, ty.sparse_dim
        return ViewLayout(
            ty.get_tile_shape(),
            ty.get_dim_map(),
            steps,
            None if ty.padding is None else ty.padding.value,
            sparse_dim,
            ty.tensor_view.element_type,
        )
