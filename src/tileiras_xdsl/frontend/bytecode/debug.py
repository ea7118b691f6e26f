"""The debug section: locations of functions and ops, and the scopes they lie in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, IntAttr, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from tileiras_xdsl.dialects.cuda_tile.debug_info import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DILocAttr,
    DISubprogramAttr,
)

from .primitives import MAX_DEPTH, Budget, BytecodeError, ByteReader, ByteWriter

Location: TypeAlias = UnknownLoc | DILocAttr | CallSiteLoc
"""The locations bytecode has."""

AttrT = TypeVar("AttrT", bound=Attribute)

UNKNOWN, COMPILE_UNIT, FILE, LEXICAL_BLOCK, LOC, SUBPROGRAM, CALL_SITE = range(7)
LAYOUTS: dict[int, tuple[type[ParametrizedAttribute], tuple[type[Attribute] | None, ...]]] = {
    COMPILE_UNIT: (DICompileUnitAttr, (DIFileAttr,)),
    FILE: (DIFileAttr, (StringAttr, StringAttr)),
    LEXICAL_BLOCK: (DILexicalBlockAttr, (DILocalScopeAttr, DIFileAttr, IntAttr, IntAttr)),
    SUBPROGRAM: (
        DISubprogramAttr,
        (DIFileAttr, IntAttr, StringAttr, StringAttr, DICompileUnitAttr, IntAttr),
    ),
    CALL_SITE: (CallSiteLoc, (None, None)),
}
"""Attributes by tag, and what their parameters are in order: strings, numbers, or others by index;
none for any location. The attribute of `LOC` has its parameters elsewhere."""
TAGS: dict[type[Attribute], int] = {kind: tag for tag, (kind, _) in LAYOUTS.items()}

MAX_CALL_SITES = 1000
"""
How many calls inside of each other a location may have. Python compares and hashes locations by
recursion, one call for each.
"""


class DebugReader:
    """The decoded debug section; attributes are decoded when first asked for."""

    def __init__(self, reader: ByteReader, string: Callable[[ByteReader], str], budget: Budget):
        self._reader = reader
        self._string = string
        self._budget = budget
        rows = reader.count("functions with debug info", 4)
        reader.skip_padding(4)
        self.rows = reader.numbers(rows, 4)
        """Positions in the index array where the locations of functions start."""
        indices = reader.count("debug indices", 8)
        reader.skip_padding(8)
        self._indices_start = reader.position
        self._index_count = indices
        reader.raw(8 * indices)
        count = reader.count("debug attributes", 4)
        reader.skip_padding(4)
        offsets = reader.numbers(count, 4)
        self._items = [reader.position + offset for offset in offsets]
        self._ends = [*self._items[1:], reader.end]
        self._decoded: dict[int, Attribute] = {}
        self._sizes: dict[int, int] = {}
        self._pending: dict[int, int] = {}
        """Sizes so far of the attributes that are being decoded."""

    def location(self, position: int) -> Location:
        """The location at a position of the index array."""
        reader = self._reader
        if position >= self._index_count:
            reader.fail("failed to read operation location.")
        at = reader.slice(self._indices_start + 8 * position, reader.end)
        return self._checked_location(at.little_endian(8), at)

    def _attribute(self, index: int, reader: ByteReader) -> Attribute:
        """Debug attribute `index - 1`; 0 is the unknown location."""
        if index == 0:
            return UnknownLoc()
        number = index - 1
        if number not in self._decoded:
            for callee in self._calls_inside(number, reader):
                self._decode(callee, reader)
            self._decode(number, reader)
            # With all the calls in it, of which each would count those in it again.
            self._budget.charge(self._sizes[number], reader)
        if self._pending:
            self._pending[next(reversed(self._pending))] += self._sizes[number]
        return self._decoded[number]

    def _calls_inside(self, number: int, reader: ByteReader) -> Iterator[int]:
        """
        The call sites in a call site that are not decoded, each after those in it: when they are
        decoded in this order, there is no recursion, however long the chain of calls is.
        """
        path = {number: iter(self._call_site(number))}
        while path:
            last = next(reversed(path))
            inner = next((i for i in path[last] if i not in self._decoded), None)
            if inner is None:
                del path[last]
                if path:
                    yield last
            elif inner in path:
                reader.fail(f"debug attribute {inner} refers to itself")
            elif len(path) > MAX_CALL_SITES:
                reader.fail(f"call sites are nested too deeply (more than {MAX_CALL_SITES})")
            else:
                path[inner] = iter(self._call_site(inner))

    def _call_site(self, number: int) -> list[int]:
        """The attributes that a call site refers to; none if it is no call site."""
        if number >= len(self._items) or number in self._pending:
            return []
        start, end = self._items[number], self._ends[number]
        if not start <= end <= self._reader.end:
            return []
        item = self._reader.slice(start, end)
        if item.varint() != CALL_SITE:
            return []
        return [index - 1 for index in (item.varint(), item.varint()) if index]

    def _decode(self, number: int, reader: ByteReader) -> None:
        if number >= len(self._items):
            reader.fail(f"debug attribute {number} is out of range")
        if number in self._pending:
            reader.fail(f"debug attribute {number} refers to itself")
        if len(self._pending) > MAX_DEPTH:
            reader.fail("debug attributes are nested too deeply")
        start, end = self._items[number], self._ends[number]
        if not start <= end <= self._reader.end:
            reader.fail(f"debug attribute {number} lies outside the section")
        item = self._reader.slice(start, end)
        self._pending[number] = 0
        attribute = self._read(item)
        self._sizes[number] = self._pending.pop(number) + item.position - start
        self._decoded[number] = attribute

    def _read(self, reader: ByteReader) -> Attribute:
        tag = reader.varint()
        if tag == LOC:
            scope = self._typed(reader, DILocalScopeAttr)
            # A file without a name is called `-`, as everywhere in MLIR.
            name = StringAttr(self._string(reader) or "-")
            source = FileLineColLoc(name, IntAttr(reader.varint()), IntAttr(reader.varint()))
            return DILocAttr(source, scope)
        if tag not in LAYOUTS:
            return UnknownLoc()
        kind, fields = LAYOUTS[tag]
        return kind.new([self._field(reader, field) for field in fields])

    def _field(self, reader: ByteReader, kind: type[Attribute] | None) -> Attribute:
        if kind is None:
            return self._checked_location(reader.varint(), reader)
        if kind is IntAttr:
            return IntAttr(reader.varint())
        return StringAttr(self._string(reader)) if kind is StringAttr else self._typed(reader, kind)

    def _checked_location(self, index: int, reader: ByteReader) -> Location:
        location = self._attribute(index, reader)
        if not isinstance(location, Location):
            reader.fail(f"expected a location, got {location}", reader.start)
        return location

    def _typed(self, reader: ByteReader, kind: type[AttrT]) -> AttrT:
        position = reader.position
        attribute = self._attribute(reader.varint(), reader)
        if not isinstance(attribute, kind):
            reader.fail(f"expected {kind.__name__}, got {attribute}", position)
        return attribute


class DebugWriter:
    """Collects the locations of functions; writes the section."""

    def __init__(self, string: Callable[[str], int]):
        self._string = string
        self._rows: list[int] = []
        self._indices: list[int] = []
        self._attributes: dict[Attribute, int] = {}
        self._items: list[bytes] = []

    def add_function(self, function: Operation) -> int:
        """The location field of a function: 0, or 1 and its row."""
        ops = list(function.walk())
        if all(_is_unknown(op.location) for op in ops):
            return 0
        self._rows.append(len(self._indices))
        self._indices.extend(self._index(op.location, op) for op in ops)
        return len(self._rows)

    def write(self) -> bytes | None:
        """The payload, if there is anything to record."""
        if not self._rows:
            return None
        writer = ByteWriter()
        writer.varint(len(self._rows))
        writer.pad(4)
        for row in self._rows:
            writer.little_endian(row, 4)
        writer.varint(len(self._indices))
        writer.pad(8)
        for index in self._indices:
            writer.little_endian(index, 8)
        writer.varint(len(self._items))
        writer.pad(4)
        offset = 0
        for item in self._items:
            writer.little_endian(offset, 4)
            offset += len(item)
        writer.data += b"".join(self._items)
        return bytes(writer.data)

    def _index(self, attribute: Attribute, op: Operation | None = None) -> int:
        if _is_unknown(attribute):
            return 0
        if attribute not in self._attributes:
            item = self._encode(attribute, op)
            self._items.append(item)
            self._attributes[attribute] = len(self._items)
        return self._attributes[attribute]

    def _encode(self, attribute: Attribute, op: Operation | None) -> bytes:
        if isinstance(attribute, DILocAttr):
            tag, values = LOC, (attribute.scope, *attribute.source.parameters)
        elif isinstance(attribute, ParametrizedAttribute) and type(attribute) in TAGS:
            tag, values = TAGS[type(attribute)], attribute.parameters
        else:
            where = "" if op is None else f"'{op.name}' op "
            raise BytecodeError(
                f"{where}unsupported location, got {type(attribute).__name__}, expected "
                "DILocAttr or CallSiteLoc"
            )
        writer = ByteWriter()
        for field in (tag, *[self._field(value, op) for value in values]):
            writer.varint(field)
        return bytes(writer.data)

    def _field(self, value: Attribute, op: Operation | None) -> int:
        if isinstance(value, IntAttr):
            return value.data
        return self._string(value.data) if isinstance(value, StringAttr) else self._index(value, op)


def _is_unknown(location: Attribute) -> bool:
    """Plain file locations are not kept in bytecode."""
    return isinstance(location, UnknownLoc | FileLineColLoc)
