"""
The fields of an op record, each able to read and to write itself.

An op's encoding is written in one line of `encodings.py`; `parse_layout` turns it into the
fields below:

| layout | field |
| --- | --- |
| `T` | type of one result; `#T` a count, then the types of all |
| `F{a, b}` | varint of flags: which optional attributes and operands are there |
| `e:name` | enumeration; `i32:name`, `i64:name` integer; `b:name` boolean byte |
| `s:name`, `@:name` | string; symbol reference |
| `c:name` | constant of the result's type |
| `[i32]:name`, `[i1]:name` | array |
| `h:name`, `A:name`, `[A]:name` | hints; tagged attribute; array of such |
| `v:name` | one operand; `#v:name` a count, then operands; `#v(a, b)` one count for all groups |
| `R1`, `R2` | that many regions |

`?` in front: there only if the flag of its name is set. `@13.2` at the end: there from that
version on.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue

from tileiras_xdsl.dialects.cuda_tile.attributes import AssumePredicate
from tileiras_xdsl.dialects.cuda_tile.base import CudaTileOperation
from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.enums import (
    AtomicMode,
    CodedEnum,
    CodedEnumAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    MemoryOrdering,
    MemoryScope,
    NamedInt,
    OverflowAttr,
    Rounding,
    RoundingAttr,
    SignednessAttr,
)
from tileiras_xdsl.dialects.cuda_tile.types import TileType

from .attributes import (
    read_attribute,
    read_attribute_list,
    read_bits,
    read_hints,
    sign_extend,
    write_attribute,
    write_attribute_list,
    write_dictionary,
)
from .primitives import V13_1, V13_4, BytecodeError, Version, format_version, parse_version

if TYPE_CHECKING:
    from .reader import FunctionReader
    from .writer import FunctionWriter

INT32_LIMITS = (-(1 << 31), (1 << 31) - 1)


@dataclass
class Record:
    """What has been read of an op so far."""

    result_types: list[Attribute] = field(default_factory=list[Attribute])
    flags: int = 0
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    operands: list[SSAValue] = field(default_factory=list[SSAValue])
    groups: dict[str, int] = field(default_factory=dict[str, int])
    """Number of operands of each group."""
    inbounds: list[bool] | None = None
    regions: list[Region] = field(default_factory=list[Region])


@dataclass(frozen=True)
class Field(ABC):
    """One field of an op record."""

    name: str = ""
    since: Version = V13_1
    flag: int | None = None
    """The bit that says whether the field is there."""

    @abstractmethod
    def read(self, reader: FunctionReader, record: Record) -> None:
        """Reads the field into `record`."""

    @abstractmethod
    def write(self, writer: FunctionWriter, op: Operation) -> None:
        """Writes the field of `op`."""

    def is_present(self, op: Operation) -> bool:
        """Whether an optional field is there."""
        return self.name in op.properties

    def check_absent(self, op: Operation, version: Version) -> None:
        """Refuses a value that a version without this field would lose."""
        assert isinstance(op, CudaTileOperation)
        value = op.properties.get(self.name)
        if value in (None, op.get_irdl_definition().properties[self.name].default_value):
            return
        raise BytecodeError(
            f"'{op.name}' op attribute '{self.name}' requires bytecode version "
            f"{format_version(self.since)}+, but targeting {format_version(version)}"
        )


@dataclass(frozen=True)
class ResultTypes(Field):
    """The types of the results, counted if the op has a variadic group."""

    count: int | None = None

    def read(self, reader: FunctionReader, record: Record) -> None:
        count = reader.bytes.count("results") if self.count is None else self.count
        record.result_types.extend(reader.type(reader.bytes) for _ in range(count))

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        if self.count is None:
            writer.bytes.varint(len(op.results))
        for result in op.results:
            writer.bytes.varint(writer.tables.type(result.type))


@dataclass(frozen=True)
class Flags(Field):
    """Which optional attributes and operands are there; unit attributes are only here."""

    names: tuple[str, ...] = ()
    units: tuple[tuple[int, str], ...] = ()

    def read(self, reader: FunctionReader, record: Record) -> None:
        record.flags = flags = reader.bytes.varint()
        for bit, name in self.units:
            if flags >> bit & 1:
                record.properties[name] = UnitAttr()

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        writer.bytes.varint(sum(1 << bit for bit, name in enumerate(self.names) if _has(op, name)))

    def check_absent(self, op: Operation, version: Version) -> None:
        for name in self.names:
            if _has(op, name):
                kind = "attribute" if name in op.properties else "operand"
                raise BytecodeError(
                    f"'{op.name}' op optional {kind} '{name}' is provided but requires "
                    f"bytecode version {format_version(self.since)}, targeting "
                    f"{format_version(version)}"
                )


def _has(op: Operation, name: str) -> bool:
    assert isinstance(op, CudaTileOperation)
    operands = {operand for operand, _ in op.get_irdl_definition().operands}
    return name in op.properties or (name in operands and getattr(op, name) is not None)


_ENUMS: dict[str, type[CodedEnumAttr[CodedEnum]]] = {
    "comparison_ordering": ComparisonOrderingAttr,
    "comparison_predicate": ComparisonPredicateAttr,
    "overflow": OverflowAttr,
    "rounding": RoundingAttr,
    "rounding_mode": RoundingAttr,
    "signedness": SignednessAttr,
    "signedness_lhs": SignednessAttr,
    "signedness_rhs": SignednessAttr,
}
_NAMED_INTS: dict[str, tuple[type[NamedInt], NamedInt]] = {
    "memory_ordering_semantics": (MemoryOrdering, MemoryOrdering.ACQ_REL),
    "memory_scope": (MemoryScope, MemoryScope.SYS),
    "mode": (AtomicMode, AtomicMode.XCHG),
}
"""Enumerations kept as `i32`, and the last of their values that bytecode has."""
_NEWER: dict[Attribute, Version] = {RoundingAttr(Rounding.NEAREST_AWAY): V13_4}
"""Values that came after their enumeration."""


@dataclass(frozen=True)
class Enumeration(Field):
    """A varint that selects one of `values`."""

    values: tuple[Attribute, ...] = ()
    newer: tuple[tuple[int, Version], ...] = ()
    """The values of later versions; reading takes them in every version."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        code = reader.bytes.varint()
        if code >= len(self.values):
            reader.bytes.fail(f"invalid integer value for enum type: {code}")
        record.properties[self.name] = self.values[code]

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        value = op.properties[self.name]
        if value not in self.values:
            raise BytecodeError(
                f"'{op.name}' op {self.name} '{_keyword(self.name, value)}' cannot be written as "
                "bytecode"
            )
        code = self.values.index(value)
        for newer, since in self.newer:
            if code == newer and writer.version < since:
                raise BytecodeError(
                    f"'{op.name}' op {self.name} '{_keyword(self.name, value)}' requires bytecode "
                    f"version {format_version(since)}+, targeting {format_version(writer.version)}"
                )
        writer.bytes.varint(code)


def _keyword(name: str, value: Attribute) -> str:
    if isinstance(value, CodedEnumAttr):
        return str(value.data)
    assert isinstance(value, IntegerAttr)
    names, _ = _NAMED_INTS[name]
    return names(value.value.data).keyword


def _enumeration(name: str, since: Version, flag: int | None) -> Enumeration:
    if name in _ENUMS:
        attribute = _ENUMS[name]
        values: tuple[Attribute, ...] = tuple(attribute(member) for member in attribute.enum_type)
    else:
        names, last = _NAMED_INTS[name]
        values = tuple(IntegerAttr(value.value, i32) for value in names if value <= last)
    newer = tuple((code, _NEWER[value]) for code, value in enumerate(values) if value in _NEWER)
    return Enumeration(name, since, flag, values, newer)


@dataclass(frozen=True)
class Integer(Field):
    """A varint with the zero-extended bits of an integer attribute."""

    width: int = 32

    def read(self, reader: FunctionReader, record: Record) -> None:
        value = sign_extend(read_bits(reader.bytes, self.width), self.width)
        record.properties[self.name] = IntegerAttr(value, IntegerType(self.width))

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        attribute = op.properties[self.name]
        assert isinstance(attribute, IntegerAttr)
        writer.bytes.varint(attribute.value.data & ((1 << self.width) - 1))


def _read_symbol(reader: FunctionReader, _: Record) -> Attribute:
    name = reader.string(reader.bytes)
    if not name:
        reader.bytes.fail("empty symbol reference is invalid")
    return SymbolRefAttr(name)


def _read_constant(reader: FunctionReader, record: Record) -> Attribute:
    """An index into the constant table; the result's type tells how to read it."""
    (ty,) = record.result_types
    if not isinstance(ty, TileType):
        reader.bytes.fail(f"expect Cuda Tile integer or float type but got: '{ty}'")
    return reader.constant(reader.bytes, ty)


def _read_i32_array(reader: FunctionReader, _: Record) -> Attribute:
    """A count, then 32-bit integers."""
    values = reader.bytes.little_endian_list(4, "array elements")
    for value in values:
        if value in INT32_LIMITS:
            reader.bytes.fail(f"array contains unsupported value {value}")
    return DenseArrayBase.from_list(i32, values)


def _read_predicate(reader: FunctionReader, _: Record) -> Attribute:
    """A tagged attribute that is the predicate of `assume`."""
    attribute = read_attribute(reader.bytes, reader)
    if not isinstance(attribute, AssumePredicate):
        reader.bytes.fail(f"expected an assume predicate, got {attribute}")
    return attribute


@dataclass(frozen=True)
class Codec:
    """How an attribute of an op is read and written."""

    read: Callable[[FunctionReader, Record], Attribute]
    write: Callable[[FunctionWriter, Any], None]


CODECS: dict[str, Codec] = {
    "b": Codec(
        lambda reader, _: BoolAttr.from_bool(bool(reader.bytes.byte())),
        lambda writer, value: writer.bytes.byte(value.value.data & 1),
    ),
    "s": Codec(
        lambda reader, _: StringAttr(reader.string(reader.bytes)),
        lambda writer, value: writer.bytes.varint(writer.tables.string(value.data)),
    ),
    "@": Codec(
        _read_symbol,
        lambda writer, value: writer.bytes.varint(writer.tables.string(value.string_value())),
    ),
    "c": Codec(
        _read_constant,
        lambda writer, value: writer.bytes.varint(writer.tables.constant(value)),
    ),
    "[i32]": Codec(
        _read_i32_array,
        lambda writer, value: writer.bytes.little_endian_list(array_values(value), 4),
    ),
    "h": Codec(
        lambda reader, _: read_hints(reader.bytes, reader),
        lambda writer, value: write_dictionary(writer.bytes, writer.tables, value.value),
    ),
    "A": Codec(
        _read_predicate,
        lambda writer, value: write_attribute(writer.bytes, writer.tables, value),
    ),
}
"""By the kind of the field, see the module's documentation."""


@dataclass(frozen=True)
class Property(Field):
    """An attribute of the op."""

    codec: Codec = CODECS["s"]

    def read(self, reader: FunctionReader, record: Record) -> None:
        record.properties[self.name] = self.codec.read(reader, record)

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        self.codec.write(writer, op.properties[self.name])


class InBounds(Field):
    """A count, then a byte for each index; absent in the IR if none is set."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        count = reader.bytes.count("array elements")
        record.inbounds = [bool(reader.bytes.byte()) for _ in range(count)]

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        attribute = op.properties.get(self.name)
        if isinstance(attribute, DenseArrayBase):
            values = array_values(attribute)
        else:
            values = (0,) * len(getattr(op, "index"))
        writer.bytes.varint(len(values))
        for value in values:
            writer.bytes.byte(value & 1)

    def check_absent(self, op: Operation, version: Version) -> None:
        attribute = op.properties.get(self.name)
        if isinstance(attribute, DenseArrayBase) and any(array_values(attribute)):
            super().check_absent(op, version)


class Attributes(Field):
    """A count, then tagged attributes."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        record.properties[self.name] = ArrayAttr(read_attribute_list(reader.bytes, reader))

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        attribute = op.properties.get(self.name)
        if not isinstance(attribute, ArrayAttr):
            raise BytecodeError(f"'{op.name}' op without {self.name} cannot be written as bytecode")
        write_attribute_list(writer.bytes, writer.tables, list(attribute.data))


class Operand(Field):
    """One value number."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        record.operands.append(reader.value())
        record.groups[self.name] = 1

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        writer.value(getattr(op, self.name))

    def is_present(self, op: Operation) -> bool:
        return getattr(op, self.name) is not None


class OperandList(Field):
    """A count, then value numbers."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        count = reader.bytes.count("operands")
        record.operands.extend(reader.value() for _ in range(count))
        record.groups[self.name] = count

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        values: tuple[SSAValue, ...] = getattr(op, self.name)
        writer.bytes.varint(len(values))
        for value in values:
            writer.value(value)


class AllOperands(Field):
    """A count, then the value numbers of all operands."""

    def read(self, reader: FunctionReader, record: Record) -> None:
        count = reader.bytes.count("operands")
        record.operands.extend(reader.value() for _ in range(count))

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        writer.bytes.varint(len(op.operands))
        for value in op.operands:
            writer.value(value)


@dataclass(frozen=True)
class Regions(Field):
    """A fixed number of regions."""

    count: int = 1

    def read(self, reader: FunctionReader, record: Record) -> None:
        position = reader.bytes.position
        count = reader.bytes.varint()
        if count != self.count:
            reader.bytes.fail(f"expected {self.count} regions, got {count}", position)
        record.regions.extend(reader.region() for _ in range(count))

    def write(self, writer: FunctionWriter, op: Operation) -> None:
        writer.bytes.varint(len(op.regions))
        for region in op.regions:
            writer.region(region)


_SIMPLE: dict[str, type[Field]] = {
    "[i1]": InBounds,
    "[A]": Attributes,
    "v": Operand,
    "#v": OperandList,
}
_TOKEN = re.compile(
    r"(?P<types>#?T\b)|F(?P<flags_since>@[\d.]+)?\{(?P<flags>[^}]*)\}|#v\((?P<all>[^)]*)\)|"
    r"R(?P<regions>\d)|(?P<optional>\?)?(?P<kind>[^\s:]+):(?P<name>\w+)(?P<since>@[\d.]+)?"
)


class LayoutError(ValueError):
    """A malformed line in `encodings.py`."""


def parse_layout(layout: str) -> tuple[Field, ...]:
    """The fields of a layout, see the module's documentation."""
    fields: list[Field] = []
    flag_bits: dict[str, int] = {}
    position = 0
    optional: set[str] = set()
    result_types = 0
    for match in _TOKEN.finditer(layout):
        if layout[position : match.start()].strip():
            raise LayoutError(f"cannot read {layout[position:]!r}")
        position = match.end()
        if match["types"] == "T":
            result_types += 1
        elif match["types"]:
            fields.append(ResultTypes(count=None))
        elif match["flags"] is not None:
            names = tuple(name.strip() for name in match["flags"].split(","))
            flag_bits = {name: bit for bit, name in enumerate(names)}
            fields.append(Flags(since=_since(match["flags_since"]), names=names))
        elif match["all"] is not None:
            fields.append(AllOperands())
        elif match["regions"]:
            fields.append(Regions(count=int(match["regions"])))
        else:
            name, since = match["name"], _since(match["since"])
            flag = flag_bits[name] if match["optional"] else None
            if flag is not None:
                optional.add(name)
            fields.append(_field(match["kind"], name, since, flag))
    if layout[position:].strip():
        raise LayoutError(f"cannot read {layout[position:]!r}")
    if result_types:
        fields.insert(0, ResultTypes(count=result_types))
    return tuple(_with_units(item, optional) for item in fields)


def _with_units(item: Field, optional: set[str]) -> Field:
    """Flags that no field follows are unit attributes."""
    if not isinstance(item, Flags):
        return item
    units = tuple((bit, name) for bit, name in enumerate(item.names) if name not in optional)
    return Flags(since=item.since, names=item.names, units=units)


def _since(text: str | None) -> Version:
    return V13_1 if text is None else parse_version(text.removeprefix("@"))


def _field(kind: str, name: str, since: Version, flag: int | None) -> Field:
    if kind == "e":
        return _enumeration(name, since, flag)
    if kind in ("i32", "i64"):
        return Integer(name, since, flag, int(kind[1:]))
    if kind in CODECS:
        return Property(name, since, flag, CODECS[kind])
    if kind not in _SIMPLE:
        raise LayoutError(f"unknown field kind {kind!r}")
    return _SIMPLE[kind](name, since, flag)
