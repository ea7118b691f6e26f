"""Types: a tag, then a payload that refers to other types of the table by index."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from xdsl.dialects.builtin import (
    FunctionType,
    IntegerType,
    NoneAttr,
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

from tileiras_xdsl.dialects.cuda_tile.enums import (
    CodedEnum,
    PaddingValue,
    PaddingValueAttr,
    PtrAttr,
    PtrAttrAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import (
    TOKEN,
    DimsAttr,
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
    fnv8E5M3FNU,
)

from .errors import UnrepresentableError
from .primitives import ByteReader, ByteWriter
from .versions import V13_1, V13_2, V13_3, V13_4, Version, format_version

DYNAMIC = -(1 << 63)
"""A dynamic size or stride in the file."""

i4 = IntegerType(4)

EnumT = TypeVar("EnumT", bound=CodedEnum)

SCALARS: dict[int, tuple[Attribute, Version, str]] = {
    0: (i1, V13_1, "I1"),
    1: (i8, V13_1, "I8"),
    2: (i16, V13_1, "I16"),
    3: (i32, V13_1, "I32"),
    4: (i64, V13_1, "I64"),
    5: (f16, V13_1, "Float16"),
    6: (bf16, V13_1, "BFloat16"),
    7: (f32, V13_1, "Float32"),
    8: (tf32, V13_1, "TFloat32"),
    9: (f64, V13_1, "Float64"),
    10: (f8E4M3FN, V13_1, "Float8E4M3FN"),
    11: (f8E5M2, V13_1, "Float8E5M2"),
    17: (TOKEN, V13_1, "TokenType"),
    18: (f8E8M0FNU, V13_2, "Float8E8M0FNU"),
    19: (f4E2M1FN, V13_3, "Float4E2M1FN"),
    22: (i4, V13_3, "Int4"),
    130: (fnv8E5M3FNU, V13_4, "FloatNV8E5M3FNU"),
}
"""Types without a payload: tag, type, first version, name in diagnostics."""

PTR, TILE, TENSOR_VIEW, PARTITION_VIEW, FUNCTION = range(12, 17)
GATHER_SCATTER_VIEW, STRIDED_VIEW = 20, 21

_VIEWS: dict[int, type[PartitionViewType | GatherScatterViewType | StridedViewType]] = {
    PARTITION_VIEW: PartitionViewType,
    GATHER_SCATTER_VIEW: GatherScatterViewType,
    STRIDED_VIEW: StridedViewType,
}
_SCALAR_TAGS = {entry[0]: tag for tag, entry in SCALARS.items()}
_COMPOSITE_SINCE = {
    GATHER_SCATTER_VIEW: (V13_3, "GatherScatterViewType"),
    STRIDED_VIEW: (V13_3, "StridedViewType"),
}


def _require(version: Version, since: Version, name: str, what: str) -> str | None:
    if version >= since:
        return None
    return (
        f"type '{name}' requires bytecode version {format_version(since)}+, {what} "
        f"{format_version(version)}"
    )


class TypeDecoder:
    """Reads one item of the type table; `lookup` gives the other items."""

    def __init__(self, version: Version, lookup: Callable[[ByteReader], Attribute]):
        self.version = version
        self.lookup = lookup

    def read(self, reader: ByteReader) -> Attribute:
        position = reader.position
        tag = reader.varint()
        scalar = SCALARS.get(tag)
        since, name = scalar[1:] if scalar else _COMPOSITE_SINCE.get(tag, (V13_1, ""))
        error = _require(self.version, since, name, "file version is")
        if error is not None:
            reader.fail(error, position)
        if scalar is not None:
            return scalar[0]
        decoder = self._DECODERS.get(tag)
        if decoder is None:
            reader.fail(f"unknown type tag: {tag}", position)
        return decoder(self, reader)

    def _flags(self, reader: ByteReader, since: Version) -> int:
        return reader.varint() if self.version >= since else 0

    def _ptr_attr(self, reader: ByteReader, flags: int) -> Attribute:
        return PtrAttrAttr(_enum(reader, PtrAttr)) if flags & 1 else NoneAttr()

    def _padding(self, reader: ByteReader, flags: int) -> Attribute:
        return PaddingValueAttr(_enum(reader, PaddingValue)) if flags & 1 else NoneAttr()

    def _tensor_view(self, reader: ByteReader) -> TensorViewType:
        position = reader.position
        ty = self.lookup(reader)
        if not isinstance(ty, TensorViewType):
            reader.fail(f"expected a tensor_view type, got '{ty}'", position)
        return ty

    def _read_ptr(self, reader: ByteReader) -> Attribute:
        flags = self._flags(reader, V13_4)
        pointee = self.lookup(reader)
        return PtrType.new([pointee, self._ptr_attr(reader, flags)])

    def _read_tile(self, reader: ByteReader) -> Attribute:
        element = self.lookup(reader)
        return TileType(element, reader.little_endian_list(8, "dimensions"))

    def _read_tensor_view(self, reader: ByteReader) -> Attribute:
        flags = self._flags(reader, V13_4)
        element = self.lookup(reader)
        shape = _dims(reader, "dimensions")
        strides = _dims(reader, "strides")
        return TensorViewType.new([element, shape, strides, self._ptr_attr(reader, flags)])

    def _read_view(self, reader: ByteReader, tag: int) -> Attribute:
        flags = self._flags(reader, V13_3)
        shape = _static_dims(reader, "tile dimensions")
        strides = [_static_dims(reader, "traversal strides")] if tag == STRIDED_VIEW else []
        tensor_view = self._tensor_view(reader)
        if tag == GATHER_SCATTER_VIEW:
            last = DimsAttr((reader.varint(),))
        else:
            last = _static_dims(reader, "dim_map entries")
        if self.version < V13_3:
            flags = int(reader.byte() != 0)
        padding = self._padding(reader, flags)
        return _VIEWS[tag].new([shape, tensor_view, padding, *strides, last])

    def _read_function(self, reader: ByteReader) -> Attribute:
        inputs = [self.lookup(reader) for _ in range(reader.count("inputs"))]
        outputs = [self.lookup(reader) for _ in range(reader.count("results"))]
        return FunctionType.from_lists(inputs, outputs)

    _DECODERS: dict[int, Callable[[TypeDecoder, ByteReader], Attribute]] = {
        PTR: _read_ptr,
        TILE: _read_tile,
        TENSOR_VIEW: _read_tensor_view,
        FUNCTION: _read_function,
        PARTITION_VIEW: partial(_read_view, tag=PARTITION_VIEW),
        GATHER_SCATTER_VIEW: partial(_read_view, tag=GATHER_SCATTER_VIEW),
        STRIDED_VIEW: partial(_read_view, tag=STRIDED_VIEW),
    }


def _enum(reader: ByteReader, enum_type: type[EnumT]) -> EnumT:
    position = reader.position
    code = reader.varint()
    try:
        return enum_type.from_code(code)
    except ValueError:
        reader.fail(f"invalid integer value for enum type: {code}", position)


def _dims(reader: ByteReader, what: str) -> DimsAttr:
    """Sizes or strides, of which some may be dynamic."""
    values = reader.little_endian_list(8, what)
    return DimsAttr(tuple(None if value == DYNAMIC else value for value in values))


def _static_dims(reader: ByteReader, what: str) -> DimsAttr:
    return DimsAttr(tuple(reader.little_endian_list(4, what)))


class TypeEncoder:
    """Writes one item of the type table; `index` gives the other items."""

    def __init__(self, version: Version, index: Callable[[Attribute], int]):
        self.version = version
        self.index = index

    def write(self, writer: ByteWriter, ty: Attribute) -> None:
        tag = _SCALAR_TAGS.get(ty)
        if tag is not None:
            _, since, name = SCALARS[tag]
            self._check(since, name)
            writer.varint(tag)
            return
        match ty:
            case PtrType():
                self._write_ptr(writer, ty)
            case TileType():
                writer.varint(TILE)
                writer.varint(self.index(ty.element_type))
                writer.little_endian_list(ty.get_shape(), 8)
            case TensorViewType():
                self._write_tensor_view(writer, ty)
            case PartitionViewType() | StridedViewType() | GatherScatterViewType():
                self._write_view(writer, ty)
            case FunctionType():
                writer.varint(FUNCTION)
                for types in (ty.inputs.data, ty.outputs.data):
                    writer.varint(len(types))
                    for item in types:
                        writer.varint(self.index(item))
            case _:
                raise UnrepresentableError(f"type '{ty}' cannot be written as bytecode")

    def _check(self, since: Version, name: str) -> None:
        error = _require(self.version, since, name, "targeting")
        if error is not None:
            raise UnrepresentableError(error)

    def _write_ptr_flags(self, writer: ByteWriter, ptr_attr: Attribute) -> None:
        if self.version >= V13_4:
            writer.varint(int(isinstance(ptr_attr, PtrAttrAttr)))
        elif isinstance(ptr_attr, PtrAttrAttr):
            raise UnrepresentableError(
                "ptr_attr requires bytecode version 13.4+, targeting "
                f"{format_version(self.version)}"
            )

    def _write_ptr_attr(self, writer: ByteWriter, ptr_attr: Attribute) -> None:
        if isinstance(ptr_attr, PtrAttrAttr):
            writer.varint(ptr_attr.data.code)

    def _write_ptr(self, writer: ByteWriter, ty: PtrType) -> None:
        writer.varint(PTR)
        self._write_ptr_flags(writer, ty.ptr_attr)
        writer.varint(self.index(ty.pointee))
        self._write_ptr_attr(writer, ty.ptr_attr)

    def _write_tensor_view(self, writer: ByteWriter, ty: TensorViewType) -> None:
        writer.varint(TENSOR_VIEW)
        self._write_ptr_flags(writer, ty.ptr_attr)
        writer.varint(self.index(ty.element_type))
        for dims in (ty.shape.data, ty.strides.data):
            writer.little_endian_list([DYNAMIC if dim is None else dim for dim in dims], 8)
        self._write_ptr_attr(writer, ty.ptr_attr)

    def _write_view(
        self, writer: ByteWriter, ty: PartitionViewType | StridedViewType | GatherScatterViewType
    ) -> None:
        tag = next(tag for tag, view in _VIEWS.items() if isinstance(ty, view))
        if tag in _COMPOSITE_SINCE:
            self._check(*_COMPOSITE_SINCE[tag])
        has_padding = int(ty.padding is not None)
        writer.varint(tag)
        if self.version >= V13_3:
            writer.varint(has_padding)
        writer.little_endian_list(ty.get_tile_shape(), 4)
        if isinstance(ty, StridedViewType):
            writer.little_endian_list(ty.get_traversal_strides(), 4)
        writer.varint(self.index(ty.tensor_view))
        if isinstance(ty, GatherScatterViewType):
            writer.varint(ty.sparse_dim)
        else:
            writer.little_endian_list(ty.get_dim_map(), 4)
        if self.version < V13_3:
            writer.byte(has_padding)
        if ty.padding is not None:
            writer.varint(ty.padding.code)


def component_types(ty: Attribute) -> tuple[Attribute, ...]:
    """The types another refers to; writers place them before it."""
    match ty:
        case PtrType():
            return (ty.pointee,)
        case TileType() | TensorViewType():
            return (ty.element_type,)
        case PartitionViewType() | StridedViewType() | GatherScatterViewType():
            return (ty.tensor_view,)
        case FunctionType():
            return (*ty.inputs, *ty.outputs)
        case _:
            return ()
