"""Tensor views, tile views over them, and access to memory through views."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from operator import methodcaller
from typing import Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, NoneAttr, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure

from tileiras_xdsl.dialects.building import TypeOf

from .base import (
    AnyTile,
    AttributeKind,
    CudaTileOperation,
    GatherScatterView,
    I1Tile,
    I32Attr,
    I64Attr,
    IntScalar,
    IntTile,
    PartitionView,
    PtrScalar,
    StridedView,
    TensorView,
    TileView,
    Token,
    tile_op,
)
from .directives import ViewOperandType, array_values, bool_array, parse_sized_integer
from .enums import AtomicMode, MemoryOrdering, MemoryScope
from .memory import (
    HintsKind,
    TokenOrderedOperation,
    atomic_mode_error,
    build_access,
    i32_attr,
    named_value,
    parse_attributes,
    parse_mode,
    parse_optional_hints,
    parse_optional_token,
    parse_ordering,
    parse_scope,
    resolve_token,
    segments,
)
from .printing import is_public
from .shape import tile_type
from .types import (
    GatherScatterViewType,
    PtrType,
    TensorViewType,
    TileType,
    TileViewType,
    element_name,
    join_dims,
)

BoolArrayKind = AttributeKind[DenseArrayBase](
    "i1 dense array attribute",
    lambda attribute: (
        isinstance(attribute, DenseArrayBase) and attribute.elt_type == bool_array(()).elt_type
    ),
    bool_array,
)


def _tensor_view(value: SSAValue) -> TensorViewType:
    assert isinstance(value.type, TensorViewType)
    return value.type


def _tile_view(value: SSAValue) -> TileViewType:
    assert isinstance(value.type, TileViewType)
    return value.type


@tile_op
class MakeTensorViewOp(CudaTileOperation):
    """A tensor in memory; the sizes and strides its type leaves open are operands."""

    name = "cuda_tile.make_tensor_view"

    base = operand_def(PtrScalar)
    dynamic_shape = var_operand_def(IntScalar)
    dynamic_strides = var_operand_def(IntScalar)
    result = result_def(TensorView)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESERVED: ClassVar = ("operandSegmentSizes",)
    RESULT_HINTS: ClassVar = ("tview",)
    DEFAULT_HINT: ClassVar = "view"
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MakeTensorViewOp:
        base = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        position = parser.pos
        shape = _parse_sizes(parser, "shape")
        parser.parse_punctuation(",")
        strides = _parse_sizes(parser, "strides")
        attributes = parse_attributes(parser, cls.RESERVED)
        parser.parse_punctuation(":")
        types = [parser.parse_type()]
        while parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        if parser.parse_optional_punctuation("->") is not None:
            types.append(parser.parse_type())
        *given, result_type = types
        if not isinstance(result_type, TensorViewType):
            parser.raise_error(f"expected 'tensor_view' type, but got '{result_type}'", position)
        _check_sizes(parser, "shape", shape, result_type.shape.data, position)
        _check_sizes(parser, "stride", strides, result_type.strides.data, position)
        base_type, dynamic_type = _split_given_types(given, result_type)
        sizes = [
            parser.resolve_operand(size, dynamic_type)
            for size in shape
            if not isinstance(size, int)
        ]
        steps = [
            parser.resolve_operand(stride, dynamic_type)
            for stride in strides
            if not isinstance(stride, int)
        ]
        pointer = parser.resolve_operand(base, base_type)
        return cls.create(
            operands=[pointer, *sizes, *steps],
            result_types=[result_type],
            properties={"operandSegmentSizes": segments([pointer], sizes, steps)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        ty = _tensor_view(self.result)
        printer.print_string(" ")
        printer.print_operand(self.base)
        printer.print_string(", shape = ")
        _print_sizes(printer, ty.shape.data, self.dynamic_shape)
        printer.print_string(", strides = ")
        _print_sizes(printer, ty.strides.data, self.dynamic_strides)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        dynamic = [*self.dynamic_shape, *self.dynamic_strides][:1]
        shown = [value.type for value in dynamic]
        if not isinstance(_pointer(self.base).ptr_attr, NoneAttr):
            shown.insert(0, self.base.type)
        if shown:
            printer.print_list(shown, printer.print_attribute)
            printer.print_string(" -> ")
        printer.print_attribute(ty)

    def verify_op(self) -> None:
        ty, pointer = _tensor_view(self.result), _pointer(self.base)
        if pointer.pointee != ty.element_type:
            self.fail(
                f"expected pointer to '{element_name(ty.element_type)}' to build tensor_view of "
                f"this type, got '{element_name(pointer.pointee)}'"
            )
        for what, sizes, values in (
            ("shape", ty.shape.data, self.dynamic_shape),
            ("stride", ty.strides.data, self.dynamic_strides),
        ):
            expected = sum(size is None for size in sizes)
            if len(values) != expected:
                self.fail(f"expected {expected} dynamic {what} operands, got {len(values)}")
        self._verify_dynamic_types()
        if pointer.ptr_attr == ty.ptr_attr:
            return
        if isinstance(pointer.ptr_attr, NoneAttr):
            self.fail("pointer base without ptr_attr cannot produce tensor_view with ptr_attr")
        self.fail(f"tensor_view must preserve ptr_attr from base pointer ({pointer.ptr_attr})")

    def _verify_dynamic_types(self) -> None:
        expected: Attribute | None = None
        for what, values in (("shape", self.dynamic_shape), ("stride", self.dynamic_strides)):
            for index, value in enumerate(values):
                if expected is None:
                    expected = value.type
                if value.type != expected:
                    self.fail(
                        f"expected dynamic {what} index {index} to be of the same type as the "
                        f"other dynamic values ('{expected}'), got '{value.type}'"
                    )


def _pointer(value: SSAValue) -> PtrType:
    pointer = tile_type(value).element_type
    assert isinstance(pointer, PtrType)
    return pointer


def _split_given_types(
    given: Sequence[Attribute], result_type: TensorViewType
) -> tuple[Attribute, Attribute]:
    """
    The types of base and dynamic values. The base's is shown only if its pointer has an
    attribute; otherwise it follows from the tensor view.
    """
    base: Attribute = TileType(PtrType(result_type.element_type))
    dynamic: Attribute = TileType(i32)
    for ty in given:
        if isinstance(ty, TileType) and isinstance(ty.element_type, PtrType):
            base = ty
        else:
            dynamic = ty
    return base, dynamic


def _parse_sizes(parser: Parser, keyword: str) -> list[int | UnresolvedOperand]:
    """`shape = [4, %n]`."""
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")

    def parse_size() -> int | UnresolvedOperand:
        operand = parser.parse_optional_unresolved_operand()
        if operand is not None:
            return operand
        value = parser.parse_optional_integer(allow_boolean=False)
        if value is None:
            parser.raise_error("expected either integer or SSA value")
        return value

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_size)


def _check_sizes(
    parser: Parser,
    what: str,
    given: Sequence[int | UnresolvedOperand],
    expected: Sequence[int | None],
    position: int,
) -> None:
    if len(given) != len(expected):
        parser.raise_error(
            f"expected {what} declaration to contain {len(expected)} elements due to tensor_view "
            f"type, but {len(given)} were provided",
            position,
        )
    for index, (size, wanted) in enumerate(zip(given, expected, strict=True)):
        found = size if isinstance(size, int) else None
        if found != wanted:
            shown = ["dynamic" if value is None else str(value) for value in (wanted, found)]
            parser.raise_error(
                f"input {what} dimension {index} does not match tensor_view type "
                f"(expected {shown[0]}, got {shown[1]})",
                position,
            )


def _print_sizes(
    printer: Printer, sizes: Sequence[int | None], dynamic: Sequence[SSAValue]
) -> None:
    operands = iter(dynamic)

    def print_size(size: int | None) -> None:
        if size is not None:
            printer.print_string(str(size))
        else:
            printer.print_operand(next(operands))

    with printer.in_square_brackets():
        printer.print_list(sizes, print_size)


class MakeViewOperation(CudaTileOperation):
    """Makes a tile view; all its parameters are in the result type."""

    VIEW_NAME: ClassVar[str]
    tensor_view = operand_def(TensorView)

    DEFAULT_HINT: ClassVar = "view"
    traits = traits_def(Pure())
    custom_directives = (ViewOperandType,)
    assembly_format = (
        "$tensor_view attr-dict `:` custom<ViewOperandType>(type($tensor_view), type($result))"
    )

    def verify_op(self) -> None:
        given, expected = self.operands[0].type, _tile_view(self.results[0]).tensor_view
        if given != expected:
            self.fail(
                f"expected the type of the provided tensor_view value ('{given}') to be the same "
                f"as the view's tensor_view type ('{expected}')"
            )


@tile_op
class MakePartitionViewOp(MakeViewOperation):
    """Cuts a tensor into tiles that touch each other."""

    name = "cuda_tile.make_partition_view"

    result = result_def(PartitionView)
    VIEW_NAME: ClassVar = "partition_view"
    RESULT_HINTS: ClassVar = ("pview",)


@tile_op
class MakeStridedViewOp(MakeViewOperation):
    """Covers a tensor by tiles that start every few elements (13.3)."""

    name = "cuda_tile.make_strided_view"

    result = result_def(StridedView)
    VIEW_NAME: ClassVar = "strided_view"
    SINCE: ClassVar = "13.3"
    RESULT_HINTS: ClassVar = ("sview",)


@tile_op
class MakeGatherScatterViewOp(MakeViewOperation):
    """Takes arbitrary rows of a tensor as a tile (13.3)."""

    name = "cuda_tile.make_gather_scatter_view"

    result = result_def(GatherScatterView)
    VIEW_NAME: ClassVar = "gather_scatter_view"
    SINCE: ClassVar = "13.3"
    RESULT_HINTS: ClassVar = ("gsview",)


class ShapeQueryOperation(CudaTileOperation, ABC):
    """The sizes of a view, one result for each dimension: `op %v : T(v) -> T(one result)`."""

    traits = traits_def(NoMemoryEffect())

    @classmethod
    @abstractmethod
    def rank_of(cls, ty: Attribute) -> int | None:
        """How many results a view of this type has, `None` if it is no such view."""

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        src = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        ty = parser.parse_type()
        rank = cls.rank_of(ty)
        if rank is None:
            parser.raise_error(f"expected {cls.EXPECTED}, got '{ty}'", position)
        types: Sequence[Attribute] = ()
        if rank or parser._current_token.text == "->":  # pyright: ignore[reportPrivateUsage]
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(
            operands=[parser.resolve_operand(src, ty)],
            result_types=types * rank if len(types) == 1 else types,
            attributes=attributes,
        )

    EXPECTED: ClassVar[str] = ""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operands[0])
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        if types := list(self.result_types):
            printer.print_string(" -> ")
            printer.print_list(
                types[:1] if len(set(types)) == 1 else types, printer.print_attribute
            )

    def verify_count(self, rank: int, reason: str) -> None:
        if len(self.results) != rank:
            self.fail(f"expected {rank} results due to {reason}, but got {len(self.results)}")


@tile_op
class GetTensorShapeOp(ShapeQueryOperation):
    """The sizes of a tensor view."""

    name = "cuda_tile.get_tensor_shape"

    src = operand_def(TensorView)
    result = var_result_def(IntScalar)
    EXPECTED: ClassVar = "tensor_view"

    @classmethod
    def rank_of(cls, ty: Attribute) -> int | None:
        return ty.rank if isinstance(ty, TensorViewType) else None

    def verify_op(self) -> None:
        self.verify_count(_tensor_view(self.src).rank, "tensor rank")


@tile_op
class GetIndexSpaceShapeOp(ShapeQueryOperation):
    """How many tiles a view has along each of its dimensions."""

    name = "cuda_tile.get_index_space_shape"

    src = operand_def(TileView)
    result = var_result_def(IntScalar)
    EXPECTED: ClassVar = "tile view"

    @classmethod
    def rank_of(cls, ty: Attribute) -> int | None:
        return ty.rank if isinstance(ty, TileViewType) else None

    def verify_op(self) -> None:
        self.verify_count(_tile_view(self.src).rank, "view index space rank")


class ViewAccessOperation(TokenOrderedOperation):
    """Syntax and checks shared by the accesses through views."""

    RESERVED: ClassVar = (
        *TokenOrderedOperation.RESERVED,
        "addr_space",
        "align",
        "inbounds",
    )

    def public_gap(self) -> str | None:
        for name in ("addr_space", "align"):
            if name in self.properties:
                return f"'{name}'"
        return super().public_gap()

    def verify_tile_and_indices(
        self, view: TileViewType, tile: Attribute, indices: Sequence[SSAValue]
    ) -> None:
        if len(indices) != view.rank:
            self.fail(
                f"expected {view.rank} index operands (based on view type), got {len(indices)}"
            )
        if tile != view.get_tile_type():
            self.fail(
                f"expected tile type to be '{view.get_tile_type()}' (based on view type), "
                f"got '{tile}'"
            )
        self._verify_index_types(view, indices)

    def _verify_index_types(self, view: TileViewType, indices: Sequence[SSAValue]) -> None:
        if isinstance(view, GatherScatterViewType):
            self._verify_gather_indices(view, indices)
            return
        for value in indices:
            if tile_type(value).rank:
                self.fail(f"expected index type to be a scalar tile, got '{value.type}'")
        expected = indices[0].type
        for index, value in enumerate(indices):
            if value.type != expected:
                self.fail(
                    f"expected index type {index} to be the same as other index types "
                    f"('{expected}'), got '{value.type}'"
                )

    def _verify_gather_indices(
        self, view: GatherScatterViewType, indices: Sequence[SSAValue]
    ) -> None:
        sparse = view.sparse_dim
        rows = tile_type(indices[sparse])
        if rows.rank != 1:
            self.fail(
                f"expected index at sparse_dim position {sparse} to be a 1D tensor for "
                f"GatherScatterView, got rank {rows.rank}"
            )
        size = view.get_tile_shape()[sparse]
        if rows.get_shape()[0] != size:
            self.fail(
                f"expected gather/scatter index size ({rows.get_shape()[0]}) to match tile shape "
                f"at gather/scatter dimension {sparse} ({size})"
            )
        expected: Attribute | None = None
        for index, value in enumerate(indices):
            if index == sparse:
                continue
            if tile_type(value).rank:
                self.fail(f"expected index {index} to be a scalar tile for GatherScatterView")
            if expected is None:
                expected = value.type
            if value.type != expected:
                self.fail(
                    f"expected scalar index {index} to have the same type as other scalar "
                    f"indices ('{expected}'), got '{value.type}'"
                )

    def verify_inbounds(self, view: TileViewType) -> None:
        inbounds = self.properties.get("inbounds")
        if isinstance(inbounds, DenseArrayBase) and len(inbounds) != view.rank:
            self.fail(
                f"inbounds size ({len(inbounds)}) must match the number of index dimensions "
                f"({view.rank})"
            )

    def print_view(self, printer: Printer, view: SSAValue, indices: Sequence[SSAValue]) -> None:
        """`%view[%i, %j]`."""
        printer.print_operand(view)
        with printer.in_square_brackets():
            printer.print_list(indices, printer.print_operand)

    def print_view_token(self, printer: Printer, token: SSAValue | None) -> None:
        """` token=%t`; the public text has spaces here."""
        if token is not None and is_public(printer):
            printer.print_string(" token = ")
            printer.print_operand(token)
        else:
            self.print_token(printer, token)

    def print_extras(self, printer: Printer) -> None:
        """Address space, alignment, hints, inbounds and the trailing dictionary."""
        for name in ("addr_space", "align"):
            attribute = self.properties.get(name)
            if isinstance(attribute, IntegerAttr):
                printer.print_string(f" {name} = {attribute.value.data}")
        self.print_hints(printer)
        inbounds = self.get_inbounds()
        if any(inbounds) or (inbounds and not is_public(printer)):
            words = ", ".join("true" if inside else "false" for inside in inbounds)
            printer.print_string(f" inbounds = [{words}]")
        printer.print_op_attributes(self.attributes, print_keyword=is_public(printer))

    def get_inbounds(self) -> tuple[bool, ...]:
        """Which dimensions of the access are known to be inside the tensor."""
        inbounds = self.properties.get("inbounds")
        if not isinstance(inbounds, DenseArrayBase):
            return ()
        return tuple(bool(value) for value in array_values(inbounds))

    def print_index_types(self, printer: Printer, indices: Sequence[SSAValue]) -> None:
        """Index types; by default only if one is not `tile<i32>`."""
        types = [value.type for value in indices]
        if not types or (not is_public(printer) and set(types) == {TileType(i32)}):
            return
        printer.print_string(", ")
        printer.print_list(types[:1] if len(set(types)) == 1 else types, printer.print_attribute)


def _parse_view_ordering(parser: Parser) -> dict[str, Attribute]:
    word = parser._current_token.text  # pyright: ignore[reportPrivateUsage]
    properties = parse_ordering(
        parser,
        f'invalid memory_ordering_semantics attribute specification. Got "{word}" but expect one '
        "of: weak, relaxed, acquire, release, acq_rel",
    )
    word = parser._current_token.text  # pyright: ignore[reportPrivateUsage]
    if word.startswith("%"):
        return properties
    if properties["memory_ordering_semantics"] == i32_attr(MemoryOrdering.WEAK):
        parser.raise_error(
            "operation specifies weak memory ordering semantics, but then provides "
            f'"{word}" scope, expected no memory scope.'
        )
    return properties | parse_scope(
        parser,
        f'invalid memory_scope attribute specification. Got "{word}" but expect one of: tl_blk, '
        "device, sys",
    )


def _parse_indices(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )


def _parse_extras(parser: Parser) -> dict[str, Attribute]:
    """Address space, alignment, hints and inbounds."""
    properties: dict[str, Attribute] = {}
    for name in ("addr_space", "align"):
        if parser.parse_optional_keyword(name) is not None:
            parser.parse_punctuation("=")
            properties[name] = IntegerAttr(parse_sized_integer(parser, 64), i64)
    properties |= parse_optional_hints(parser)
    if parser.parse_optional_keyword("inbounds") is not None:
        parser.parse_punctuation("=")
        properties["inbounds"] = bool_array(
            parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
        )
    return properties


def _parse_view_attributes(parser: Parser, reserved: Sequence[str]) -> dict[str, Attribute]:
    """The trailing dictionary, with or without the keyword `attributes`."""
    parser.parse_optional_keyword("attributes")
    return parse_attributes(parser, reserved)


def _resolve_indices(
    parser: Parser, indices: Sequence[UnresolvedOperand], types: Sequence[Attribute], position: int
) -> list[SSAValue]:
    """Index values; no type means `tile<i32>`, one is the type of all."""
    if not types:
        types = (TileType(i32),)
    if len(types) == 1:
        types = tuple(types) * len(indices)
    if len(types) != len(indices):
        parser.raise_error(f"expected {len(indices)} index types, got {len(types)}", position)
    return [parser.resolve_operand(index, ty) for index, ty in zip(indices, types, strict=True)]


def _parse_types(parser: Parser) -> list[Attribute]:
    parser.parse_punctuation(":")
    return list(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type))


@tile_op
class LoadViewOp(ViewAccessOperation):
    """Loads one tile of a view; elements outside the tensor are the view's padding."""

    name = "cuda_tile.load_view_tko"

    view = operand_def(TileView)
    index = var_operand_def(IntTile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = opt_prop_def(I32Attr)
    optimization_hints = opt_prop_def(HintsKind)
    inbounds = opt_prop_def(BoolArrayKind)
    addr_space = opt_prop_def(I64Attr)
    align = opt_prop_def(I64Attr)
    tile = result_def(AnyTile)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESULT_HINTS: ClassVar = ("tile", "result_token")

    DEFAULTS: ClassVar = {
        "tile_type": TypeOf("view", methodcaller("get_tile_type")),
        "memory_ordering_semantics": MemoryOrdering.WEAK,
    }

    @classmethod
    def parse(cls, parser: Parser) -> LoadViewOp:
        properties = _parse_view_ordering(parser)
        view = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        token = parse_optional_token(parser)
        properties |= _parse_extras(parser)
        attributes = _parse_view_attributes(parser, cls.RESERVED)
        position = parser.pos
        view_type, *index_types = _parse_types(parser)
        parser.parse_punctuation("->")
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        groups = (
            [parser.resolve_operand(view, view_type)],
            _resolve_indices(parser, indices, index_types, position),
            resolve_token(parser, token),
        )
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        self.print_view(printer, self.view, self.index)
        self.print_view_token(printer, self.token)
        self.print_extras(printer)
        printer.print_string(" : ")
        printer.print_attribute(self.view.type)
        self.print_index_types(printer, self.index)
        printer.print_string(" -> ")
        printer.print_list(self.result_types, printer.print_attribute)

    def verify_op(self) -> None:
        view = _tile_view(self.view)
        self.verify_tile_and_indices(view, self.tile.type, self.index)
        self.verify_inbounds(view)
        self.verify_access("load", MemoryOrdering.ACQUIRE)


@tile_op
class StoreViewOp(ViewAccessOperation):
    """
    Stores one tile of a view; elements outside the tensor are dropped. The mask exists in the
    default text only, not in the public form and not in bytecode.
    """

    name = "cuda_tile.store_view_tko"

    tile = operand_def(AnyTile)
    view = operand_def(TileView)
    index = var_operand_def(IntTile)
    mask = opt_operand_def(I1Tile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = opt_prop_def(I32Attr)
    optimization_hints = opt_prop_def(HintsKind)
    inbounds = opt_prop_def(BoolArrayKind)
    addr_space = opt_prop_def(I64Attr)
    align = opt_prop_def(I64Attr)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    DEFAULTS: ClassVar = {"memory_ordering_semantics": MemoryOrdering.WEAK}

    def public_gap(self) -> str | None:
        return "a mask" if self.mask is not None else super().public_gap()

    @classmethod
    def create(cls, **kwargs: Any) -> StoreViewOp:
        """Accepts the public segments (no mask) as well as ours."""
        properties = kwargs.get("properties", {})
        sizes = properties.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase) and len(sizes) == 4:
            tile, view, index, token = array_values(sizes)
            kwargs["properties"] = {
                **properties,
                "operandSegmentSizes": DenseArrayBase.from_list(i32, [tile, view, index, 0, token]),
            }
        return super().create(**kwargs)

    @classmethod
    def parse(cls, parser: Parser) -> StoreViewOp:
        properties = _parse_view_ordering(parser)
        first = parser.parse_unresolved_operand()
        view_first = parser._current_token.text == "["  # pyright: ignore[reportPrivateUsage]
        mask: list[UnresolvedOperand] = []
        if view_first:
            view, indices = first, _parse_indices(parser)
            parser.parse_punctuation(",")
            tile = parser.parse_unresolved_operand()
            if parser.parse_optional_punctuation(",") is not None:
                mask.append(parser.parse_unresolved_operand())
        else:
            tile = first
            parser.parse_punctuation(",")
            view = parser.parse_unresolved_operand()
            indices = _parse_indices(parser)
        token = parse_optional_token(parser)
        properties |= _parse_extras(parser)
        attributes = _parse_view_attributes(parser, cls.RESERVED)
        position = parser.pos
        types = _parse_types(parser)
        if len(types) < 2 + len(mask):
            parser.raise_error("expected the types of the view and the tile", position)
        tile_type_, view_type = (types[1], types[0]) if view_first else (types[0], types[1])
        parser.parse_punctuation("->")
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        groups = (
            [parser.resolve_operand(tile, tile_type_)],
            [parser.resolve_operand(view, view_type)],
            _resolve_indices(parser, indices, types[2 + len(mask) :], position),
            [parser.resolve_operand(operand, types[2]) for operand in mask],
            resolve_token(parser, token),
        )
        return build_access(cls, groups, result_types, properties, attributes)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        shown: list[SSAValue] = [self.view, self.tile]
        if is_public(printer):
            shown.reverse()
            printer.print_operand(self.tile)
            printer.print_string(", ")
            self.print_view(printer, self.view, self.index)
        else:
            if self.mask is not None:
                shown.append(self.mask)
            self.print_view(printer, self.view, self.index)
            for value in shown[1:]:
                printer.print_string(", ")
                printer.print_operand(value)
        self.print_view_token(printer, self.token)
        self.print_extras(printer)
        printer.print_string(" : ")
        printer.print_list([value.type for value in shown], printer.print_attribute)
        self.print_index_types(printer, self.index)
        printer.print_string(" -> ")
        printer.print_list(self.result_types, printer.print_attribute)

    def verify_op(self) -> None:
        view = _tile_view(self.view)
        self.verify_tile_and_indices(view, self.tile.type, self.index)
        if self.mask is not None and tile_type(self.mask).shape != tile_type(self.tile).shape:
            self.fail("failed to verify that shape of 'tile' must match the shape of 'mask'")
        self.verify_inbounds(view)
        self.verify_access("store", MemoryOrdering.RELEASE)


@tile_op
class AtomicRedViewOp(ViewAccessOperation):
    """Combines a tile into one tile of a view, without the old value (13.3)."""

    name = "cuda_tile.atomic_red_view_tko"

    view = operand_def(TileView)
    index = var_operand_def(IntTile)
    value = operand_def(AnyTile)
    token = opt_operand_def(Token)
    memory_ordering_semantics = prop_def(I32Attr)
    memory_scope = prop_def(I32Attr)
    mode = prop_def(I32Attr)
    result_token = result_def(Token)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SINCE: ClassVar = "13.3"

    DEFAULTS: ClassVar = {
        "memory_ordering_semantics": MemoryOrdering.RELAXED,
        "memory_scope": MemoryScope.GPU,
    }

    @property
    def atomic_mode(self) -> AtomicMode | None:
        return named_value(self.mode, AtomicMode)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRedViewOp:
        word = parser._current_token.text  # pyright: ignore[reportPrivateUsage]
        properties = parse_ordering(
            parser,
            f"invalid memory_ordering_semantics: '{word}'; expected one of: weak, relaxed, "
            "acquire, release, acq_rel",
        )
        word = parser._current_token.text  # pyright: ignore[reportPrivateUsage]
        properties |= parse_scope(
            parser, f"invalid memory_scope: '{word}'; expected one of: tl_blk, device, sys"
        )
        view = parser.parse_unresolved_operand()
        indices = _parse_indices(parser)
        parser.parse_punctuation(",")
        properties |= cls._parse_mode(parser)
        parser.parse_punctuation(",")
        value = parser.parse_unresolved_operand()
        token = parse_optional_token(parser)
        attributes = _parse_view_attributes(parser, cls.RESERVED)
        position = parser.pos
        types = _parse_types(parser)
        if len(types) < 2:
            parser.raise_error("expected the types of the value and the view", position)
        parser.parse_punctuation("->")
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        groups = (
            [parser.resolve_operand(view, types[1])],
            _resolve_indices(parser, indices, types[2:], position),
            [parser.resolve_operand(value, types[0])],
            resolve_token(parser, token),
        )
        return build_access(cls, groups, result_types, properties, attributes)

    @staticmethod
    def _parse_mode(parser: Parser) -> dict[str, Attribute]:
        word = parser._current_token.text  # pyright: ignore[reportPrivateUsage]
        if word not in AtomicMode.keywords():
            parser.raise_error(
                f"unknown atomic RMW mode: '{word}'; expected one of: and, or, xor, add, addf, "
                "max, min, umax, umin"
            )
        return parse_mode(parser)

    def print(self, printer: Printer) -> None:
        self.print_ordering(printer)
        printer.print_string(" ")
        self.print_view(printer, self.view, self.index)
        mode = self.atomic_mode
        assert mode is not None
        printer.print_string(f", {mode.keyword}, ")
        printer.print_operand(self.value)
        self.print_view_token(printer, self.token)
        self.print_extras(printer)
        printer.print_string(" : ")
        printer.print_list([self.value.type, self.view.type], printer.print_attribute)
        self.print_index_types(printer, self.index)
        printer.print_string(" -> ")
        printer.print_list(self.result_types, printer.print_attribute)

    def verify_op(self) -> None:
        view, value = _tile_view(self.view), tile_type(self.value)
        if isinstance(view, GatherScatterViewType):
            self.fail("gather_scatter_view is not supported; use partition_view instead")
        if view.padding is not None:
            self.fail("views with padding_value are not supported for atomic reductions")
        element = view.tensor_view.element_type
        if element != value.element_type:
            self.fail(
                f"view element type ('{element_name(element)}') must match value element type "
                f"('{element_name(value.element_type)}')"
            )
        if view.get_tile_shape() != value.get_shape():
            self.fail(
                f"view tile shape {join_dims(view.get_tile_shape())} must match value shape "
                f"{join_dims(value.get_shape())} for element-wise atomic operations"
            )
        self._verify_mode(value.element_type)
        self.verify_named("memory_ordering_semantics", MemoryOrdering)
        if self.ordering is not MemoryOrdering.RELAXED:
            self.fail(
                "only 'relaxed' memory ordering is supported for view-based atomic reductions"
            )
        self.verify_named("memory_scope", MemoryScope)
        if self.scope is MemoryScope.SYS:
            self.fail(
                "memory scope 'sys' is not supported for view-based atomic reductions; use "
                "'tl_blk' or 'device' for TMA compatibility"
            )
        if len(self.index) != view.rank:
            self.fail(
                f"expected {view.rank} index operand(s) for view with tile rank {view.rank}, "
                f"got {len(self.index)}"
            )
        for index, operand in enumerate(self.index):
            if tile_type(operand).rank:
                self.fail(
                    f"index operand {index} must be a scalar tile (rank 0), got shape "
                    f"{join_dims(tile_type(operand).get_shape())}"
                )

    def _verify_mode(self, element: Attribute) -> None:
        self.verify_named("mode", AtomicMode)
        mode = self.atomic_mode
        assert mode is not None
        if mode in (AtomicMode.XCHG, AtomicMode.CMPXCHG):
            self.fail(f"atomic_red_view_tko op cannot use {mode.keyword} operation")
        error = atomic_mode_error(mode, element)
        if error is not None:
            self.fail(error)
