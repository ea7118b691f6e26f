"""Self-contained attributes: a tag, then a payload that needs nothing else to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any, ClassVar, Protocol, TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
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
from xdsl.ir import Attribute, TypeAttribute

from tileiras_xdsl.dialects.cuda_tile.attributes import (
    BoundedAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
)
from tileiras_xdsl.dialects.cuda_tile.elements import (
    bits_to_float,
    element_bit_width,
    float_to_bits,
)
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
    is_float,
)

from .primitives import (
    V13_1,
    V13_2,
    V13_3,
    V13_4,
    ByteReader,
    ByteWriter,
    UnrepresentableError,
    Version,
    format_version,
)

# Types: a tag, then a payload that refers to other types of the table by index.

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


@dataclass(frozen=True)
class TypeDecoder:
    """Reads one item of the type table; `lookup` gives the other items."""

    version: Version
    lookup: Callable[[ByteReader], Attribute]

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
        position = reader.position
        tensor_view = self.lookup(reader)
        if not isinstance(tensor_view, TensorViewType):
            reader.fail(f"expected a tensor_view type, got '{tensor_view}'", position)
        if tag == GATHER_SCATTER_VIEW:
            last = DimsAttr((reader.varint(),))
        else:
            last = _static_dims(reader, "dim_map entries")
        if self.version < V13_3:
            flags = int(reader.byte() != 0)
        padding = PaddingValueAttr(_enum(reader, PaddingValue)) if flags & 1 else NoneAttr()
        return _VIEWS[tag].new([shape, tensor_view, padding, *strides, last])

    def _read_function(self, reader: ByteReader) -> Attribute:
        inputs = [*map(self.lookup, repeat(reader, reader.count("inputs")))]
        outputs = [*map(self.lookup, repeat(reader, reader.count("results")))]
        return FunctionType.from_lists(inputs, outputs)

    _DECODERS: ClassVar[Mapping[int, Callable[[Any, ByteReader], Attribute]]] = {
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


INTEGER, FLOAT, BOOL, TYPE, STRING, ARRAY, DENSE, DIV_BY, SAME_ELEMENTS = range(1, 10)
DICTIONARY, OPTIMIZATION_HINTS, BOUNDED = range(10, 13)


class TableReader(Protocol):
    """The tables attributes refer to, when reading."""

    def string(self, reader: ByteReader) -> str: ...
    def type(self, reader: ByteReader) -> Attribute: ...


class TableWriter(Protocol):
    """The tables attributes refer to, when writing."""

    def string(self, text: str) -> int: ...
    def type(self, ty: Attribute) -> int: ...


def sign_extend(value: int, width: int) -> int:
    """The signed number with these low bits."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def read_bits(reader: ByteReader, width: int, *, as_float: bool = False) -> int:
    """Reads the bits of a number of this width."""
    position = reader.position
    if not as_float:
        bits = reader.varint()
    else:
        bits = reader.byte() if width <= 8 else reader.signed_varint() & (1 << 64) - 1
    if bits >> width:
        reader.fail(f"value {bits} does not fit in {width} bits", position)
    return bits


def read_attribute(reader: ByteReader, tables: TableReader) -> Attribute:
    """Reads a tagged attribute."""
    position = reader.position
    tag = reader.varint()
    decoder = _DECODERS.get(tag)
    if tag == DENSE:
        # The format has such a tag, but NVIDIA's reader takes it nowhere.
        reader.fail("unknown DenseElementsAttr based Attr", position)
    if decoder is None:
        reader.fail(f"unsupported AttributeTag {tag} for self-contained attribute", position)
    reader.enter("attributes")
    attribute = decoder(reader, tables)
    reader.leave()
    return attribute


def _read_integer(reader: ByteReader, tables: TableReader) -> Attribute:
    position = reader.position
    ty = tables.type(reader)
    if not isinstance(ty, IntegerType):
        reader.fail(f"expected an integer type, got '{ty}'", position)
    width = ty.width.data
    if width == 1:
        return BoolAttr.from_bool(bool(reader.byte()))
    return IntegerAttr(sign_extend(read_bits(reader, width), width), ty)


def _read_float(reader: ByteReader, tables: TableReader) -> Attribute:
    position = reader.position
    ty = tables.type(reader)
    if not is_float(ty):
        reader.fail(f"expected a floating-point type, got '{ty}'", position)
    if ty == fnv8E5M3FNU:
        reader.fail(f"an attribute cannot be a number of type '{ty}' in xDSL", position)
    width = element_bit_width(ty)
    bits = read_bits(reader, width, as_float=True)
    value = bits_to_float(bits, ty)
    return FloatAttr(value, ty)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]


def read_attribute_list(reader: ByteReader, tables: TableReader) -> list[Attribute]:
    """Reads a count, then that many tagged attributes."""
    return [read_attribute(reader, tables) for _ in range(reader.count("attributes"))]


def _read_optional(reader: ByteReader) -> tuple[int | None, int | None]:
    """A varint that says which of two values are there, then those."""
    flags = reader.varint()
    first = reader.signed_varint() if flags & 1 else None
    return first, reader.signed_varint() if flags & 2 else None


def _read_dictionary(reader: ByteReader, tables: TableReader) -> Attribute:
    entries: dict[str, Attribute] = {}
    for _ in range(reader.count("dictionary entries", 2)):
        position = reader.position
        key = tables.string(reader)
        if not key:
            reader.fail("empty dictionary key", position)
        if key in entries:
            reader.fail(f"duplicate dictionary key '{key}'", position)
        entries[key] = read_attribute(reader, tables)
    return DictionaryAttr(entries)


def read_hints(reader: ByteReader, tables: TableReader) -> Attribute:
    """Reads optimization hints without their tag."""
    position = reader.position
    dictionary = _read_dictionary(reader, tables)
    assert isinstance(dictionary, DictionaryAttr)
    for arch, entry in dictionary.data.items():
        if not isinstance(entry, DictionaryAttr):
            reader.fail(
                "expected dictionary attribute for optimization_hints entry "
                f"`{arch}` got value={entry}",
                position,
            )
    return OptimizationHintsAttr(dictionary)


_DECODERS: dict[int, Callable[[ByteReader, TableReader], Attribute]] = {
    INTEGER: _read_integer,
    FLOAT: _read_float,
    BOOL: lambda reader, _: BoolAttr.from_bool(bool(reader.byte())),
    TYPE: lambda reader, tables: tables.type(reader),
    STRING: lambda reader, tables: StringAttr(tables.string(reader)),
    ARRAY: lambda reader, tables: ArrayAttr(read_attribute_list(reader, tables)),
    DIV_BY: lambda reader, _: DivByAttr((reader.varint(), *_read_optional(reader))),
    SAME_ELEMENTS: lambda reader, _: SameElementsAttr(
        tuple(reader.little_endian_list(8, "values"))
    ),
    DICTIONARY: _read_dictionary,
    OPTIMIZATION_HINTS: read_hints,
    BOUNDED: lambda reader, _: BoundedAttr(_read_optional(reader)),
}


def write_attribute(writer: ByteWriter, tables: TableWriter, attribute: Attribute) -> None:
    """Writes an attribute with its tag."""
    match attribute:
        case IntegerAttr(type=IntegerType() as ty):
            width = ty.width.data
            writer.varint(INTEGER)
            writer.varint(tables.type(ty))
            bits = attribute.value.data & ((1 << width) - 1)
            writer.byte(bits) if width == 1 else writer.varint(bits)
        case FloatAttr():
            writer.varint(FLOAT)
            writer.varint(tables.type(attribute.type))
            bits = float_to_bits(attribute.value.data, attribute.type)
            width = element_bit_width(attribute.type)
            writer.byte(bits) if width <= 8 else writer.signed_varint(sign_extend(bits, 64))
        case StringAttr():
            writer.varint(STRING)
            writer.varint(tables.string(attribute.data))
        case ArrayAttr():
            writer.varint(ARRAY)
            write_attribute_list(writer, tables, list(attribute.data))
        case DivByAttr():
            writer.varint(DIV_BY)
            writer.varint(attribute.divisor)
            _write_optional(writer, attribute.every, attribute.along)
        case SameElementsAttr():
            writer.varint(SAME_ELEMENTS)
            writer.little_endian_list(attribute.data, 8)
        case DictionaryAttr():
            writer.varint(DICTIONARY)
            write_dictionary(writer, tables, attribute)
        case OptimizationHintsAttr():
            writer.varint(OPTIMIZATION_HINTS)
            write_dictionary(writer, tables, attribute.value)
        case BoundedAttr():
            writer.varint(BOUNDED)
            _write_optional(writer, attribute.lower, attribute.upper)
        case TypeAttribute():
            writer.varint(TYPE)
            writer.varint(tables.type(attribute))
        case _:
            raise UnrepresentableError(f"attribute {attribute} cannot be written as bytecode")


def _write_optional(writer: ByteWriter, *values: int | None) -> None:
    """A byte that says which values are there, then those."""
    writer.byte(sum(1 << bit for bit, value in enumerate(values) if value is not None))
    for value in values:
        if value is not None:
            writer.signed_varint(value)


def write_attribute_list(
    writer: ByteWriter, tables: TableWriter, attributes: list[Attribute]
) -> None:
    """Writes a count, then the attributes with their tags."""
    writer.varint(len(attributes))
    for attribute in attributes:
        write_attribute(writer, tables, attribute)


def write_dictionary(writer: ByteWriter, tables: TableWriter, dictionary: DictionaryAttr) -> None:
    """Writes the entries of a dictionary, sorted by key."""
    writer.varint(len(dictionary.data))
    for key, value in sorted(dictionary.data.items()):
        writer.varint(tables.string(key))
        write_attribute(writer, tables, value)
