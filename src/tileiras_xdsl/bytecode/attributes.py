"""Self-contained attributes: a tag, then a payload that needs nothing else to be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
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
from tileiras_xdsl.dialects.cuda_tile.types import fnv8E5M3FNU, is_float

from .errors import UnrepresentableError
from .primitives import ByteReader, ByteWriter

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
