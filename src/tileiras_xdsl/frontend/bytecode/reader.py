"""
Reads Tile IR bytecode into the `cuda_tile` dialect.

The bytes are not trusted: whatever they are, the outcome is a module or a `BytecodeError`
that names the place, in memory proportional to the file.
"""

from __future__ import annotations

from itertools import repeat
from typing import NoReturn

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

import tileiras_xdsl.dialects.cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.directives import bool_array
from tileiras_xdsl.dialects.cuda_tile.elements import (
    DenseElementsAttr,
    element_bit_width,
    element_bytes,
)
from tileiras_xdsl.dialects.cuda_tile.enums import SymbolVisibility, SymbolVisibilityAttr
from tileiras_xdsl.dialects.cuda_tile.types import TOKEN, TileType, is_number

from .attributes import TypeDecoder, read_attribute, sign_extend
from .debug import DebugReader
from .encodings import HIGHEST_OPCODE, OpEncoding, by_opcode
from .fields import Record
from .primitives import (
    MAGIC,
    MAX_DEPTH,
    V13_1,
    V13_3,
    V13_4,
    VERSIONS,
    Budget,
    BytecodeError,
    ByteReader,
    Version,
    format_version,
)

MODULE_NAME = "kernels"
"""The name every decoded module gets."""

END, STRING, FUNC, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(8)
SECTION_NAMES = ("end", "String", "Func", "Debug", "Constant", "Type", "Global", "Producer")
ALIGNMENTS = {STRING: 4, FUNC: 8, DEBUG: 8, CONSTANT: 8, TYPE: 4}

PRIVATE_FLAG, ENTRY_FLAG, HINTS_FLAG = 1, 2, 4
VISIBILITY, PRIVATE = "sym_visibility", StringAttr("private")
"""The one discardable attribute that bytecode has, on entries."""


def read(data: bytes, *, verify: bool = True) -> ModuleOp:
    """
    The module in `data`, verified unless `verify` is false; `BytecodeError` for anything
    that is no valid Tile IR bytecode.
    """
    reader = ModuleReader(bytes(data))
    module = reader.read()
    if verify:
        reader.verify(module)
    return module


class OffsetTable:
    """A table of items found by index: strings, types or constants."""

    def __init__(self, reader: ByteReader, offset_bytes: int, what: str):
        self.reader = reader
        self.what = what
        count = reader.count(what)
        if count:
            reader.skip_padding(offset_bytes)
            if count * offset_bytes > reader.remaining:
                reader.fail(f"offsets of {count} {what} do not fit into the section")
        offsets = reader.numbers(count, offset_bytes)
        self.start = reader.position
        starts = [self.start + offset for offset in offsets]
        self.bounds = list(zip(starts, [*starts[1:], reader.end], strict=False))

    def item(self, index: int, user: ByteReader) -> ByteReader:
        """A reader of an item that `user` refers to; items that nobody uses may be anywhere."""
        if index >= len(self.bounds):
            user.fail(f"index {index} is out of range: there are {len(self.bounds)} {self.what}")
        start, end = self.bounds[index]
        if not start <= end <= self.reader.end:
            offset = start - self.start
            self.reader.fail(f"offset {offset} of {self.what} {index} is out of range")
        return self.reader.slice(start, end)


class ModuleReader:
    """Locates the sections, then decodes them in the order they depend on each other."""

    def __init__(self, data: bytes, *, is_newer: bool = False):
        self.data = data
        self.is_newer = is_newer
        """Whether flags that are not known mean that there is something else."""
        self.budget = Budget(len(data))
        self.version = self._read_version()
        self.sections = self._locate_sections()
        self.strings = OffsetTable(self._section(STRING), 4, "strings")
        self.types = OffsetTable(self._optional_section(TYPE), 4, "types")
        self.constants = OffsetTable(self._optional_section(CONSTANT), 8, "constants")
        self.type_decoder = TypeDecoder(self.version, self._component_type)
        self.encodings = by_opcode(self.version)
        self._strings: dict[int, str] = {}
        self._types: dict[int, Attribute] = {}
        """The types that are not charged for."""
        self._large_types: dict[int, Attribute] = {}
        self._type_sizes: dict[int, int] = {}
        self._pending_types: dict[int, int] = {}
        """Sizes so far of the types that are being decoded."""
        self._constants: dict[tuple[int, TileType], DenseElementsAttr] = {}
        debug = self.sections.get(DEBUG)
        self.debug = None if debug is None else DebugReader(debug, self.string, self.budget)
        self._places: list[tuple[Operation, int, str]] = []

    def _read_version(self) -> Version:
        data = self.data
        reader = ByteReader(data, 0, len(data), "header")
        if data.startswith(b"ML\xefR"):
            reader.fail("this is MLIR bytecode, not Tile IR bytecode")
        if not data.startswith(MAGIC):
            reader.fail("not Tile IR bytecode: wrong magic number")
        reader.raw(len(MAGIC))
        major, minor, tag = reader.byte(), reader.byte(), reader.little_endian(2)
        if (major, minor) not in VERSIONS:
            reader.fail(
                f"unsupported Tile version {major}.{minor}.{tag}, this reader supports versions "
                f"[{format_version(VERSIONS[0])} - {format_version(VERSIONS[-1])}]"
                f"{self._find_news((major, minor))}",
                len(MAGIC),
            )
        return major, minor

    def _find_news(self, version: Version) -> str:
        """
        What a newer version has in this file that the newest that is known has not. The file is not
        read as if it were of that version, even if there is nothing: clients find out by programs
        without any ops which version to write.
        """
        newest = VERSIONS[-1]
        if version[0] != newest[0] or version < newest:
            return ""
        start = len(MAGIC)
        data = self.data[:start] + bytes(newest) + self.data[start + 2 :]
        try:
            ModuleReader(data, is_newer=True).read()
        except BytecodeError as error:
            return f"; what is not known in {format_version(newest)}: {error}"
        return ""

    def _locate_sections(self) -> dict[int, ByteReader]:
        reader = ByteReader(self.data, 0, len(self.data), "header")
        reader.raw(len(MAGIC) + 4)
        sections: dict[int, ByteReader] = {}
        while True:
            position = reader.position
            byte = reader.byte()
            section, aligned = byte & 0x7F, bool(byte & 0x80)
            if section == END:
                if aligned or reader.remaining:
                    reader.fail("the end marker must be the last byte", position)
                return sections
            if section >= len(SECTION_NAMES):
                reader.fail(f"unknown section ID: {section}", position)
            length = reader.varint()
            alignment = self._section_alignment(reader, section, aligned=aligned)
            reader.skip_padding(alignment)
            start = reader.position
            reader.raw(length)
            sections[section] = ByteReader(
                self.data, start, reader.position, SECTION_NAMES[section]
            )

    def _section_alignment(self, reader: ByteReader, section: int, *, aligned: bool) -> int:
        required = ALIGNMENTS.get(section, 1)
        wanted = f"section {section} must have alignment that is a multiple of {required} bytes"
        if not aligned:
            if required > 1:
                reader.fail(f"{wanted}, but has no alignment flag set")
            return 1
        position = reader.position
        alignment = reader.varint()
        if alignment == 0 or alignment & (alignment - 1):
            reader.fail(f"invalid alignment value: {alignment}", position)
        if alignment % required:
            reader.fail(f"{wanted}, but has alignment of {alignment}", position)
        return alignment

    def _section(self, section: int) -> ByteReader:
        if section not in self.sections:
            name = {STRING: "string", FUNC: "function"}[section]
            end = len(self.data) - 1
            raise BytecodeError(f"{name} section is mandatory", offset=end, section="header")
        return self.sections[section]

    def _optional_section(self, section: int) -> ByteReader:
        """A section, or one with no items in place of it."""
        return self.sections.get(section) or ByteReader(b"\0", 0, 1, SECTION_NAMES[section])

    def string(self, reader: ByteReader) -> str:
        """The string whose index comes next in `reader`."""
        position = reader.position
        index = reader.varint()
        text = self._strings.get(index)
        if text is None:
            item = self.strings.item(index, reader)
            try:
                self._strings[index] = text = item.raw(item.remaining).decode()
            except UnicodeDecodeError:
                reader.fail(f"string {index} is not UTF-8", position)
        self.budget.charge(len(text), reader)
        return text

    def type(self, reader: ByteReader) -> Attribute:
        """The type whose index comes next in `reader`."""
        position = reader.position
        index = reader.varint()
        known = self._types.get(index)
        return self._type_at(index, reader, position) if known is None else known

    def _component_type(self, reader: ByteReader) -> Attribute:
        """The same as part of the type that is being decoded, whose size it adds to."""
        position = reader.position
        index = reader.varint()
        ty = self._type_at(index, reader, position)
        outer = next(reversed(self._pending_types))
        self._pending_types[outer] += self._type_sizes[index]
        return ty

    def _type_at(self, index: int, reader: ByteReader, position: int) -> Attribute:
        known = self._types.get(index) or self._large_types.get(index)
        if known is None:
            known = self._decode_type(index, reader, position)
        self.budget.charge(self._type_sizes[index], reader)
        return known

    def _decode_type(self, index: int, reader: ByteReader, position: int) -> Attribute:
        item = self.types.item(index, reader)
        if index in self._pending_types:
            reader.fail(f"type {index} refers to itself", position)
        if len(self._pending_types) > MAX_DEPTH:
            reader.fail("types are nested too deeply", position)
        self._pending_types[index] = item.remaining
        try:
            ty = self.type_decoder.read(item)
        except VerifyException as error:
            item.fail(str(error), item.start)
        self._type_sizes[index] = size = self._pending_types.pop(index)
        (self._types if size <= Budget.FREE else self._large_types)[index] = ty
        return ty

    def constant(self, reader: ByteReader, ty: TileType) -> DenseElementsAttr:
        """The constant whose index comes next in `reader`, as elements of `type`."""
        index = reader.varint()
        key = (index, ty)
        if key not in self._constants:
            item = self.constants.item(index, reader)
            data = item.raw(item.count("bytes"))
            self._constants[key] = _dense(item, ty, data)
        constant = self._constants[key]
        self.budget.charge(len(constant.data.data), reader)
        return constant

    def read(self) -> ModuleOp:
        """Decodes everything."""
        reader = self.sections.get(PRODUCER)
        producer = None if reader is None else self.string(reader)
        globals_, functions = self._optional_section(GLOBAL), self._section(FUNC)
        ops = [self._read_global(globals_) for _ in range(globals_.count("globals", 4))]
        ops += [self._read_function(functions) for _ in range(functions.count("functions", 5))]
        return ModuleOp([ct.ModuleOp(MODULE_NAME, ops, producer)])

    def verify(self, module: ModuleOp) -> None:
        """Verifies what was read; a fault is told with the function or global it is in."""
        try:
            module.verify()
        except (VerifyException, RecursionError) as error:
            offset, section = self._place_of_fault()
            raise BytecodeError(
                f"verification failed for deserialized cuda_tile::ModuleOp: {error}",
                offset=offset,
                section=section,
            ) from error

    def _place_of_fault(self) -> tuple[int, str]:
        for op, offset, section in self._places:
            try:
                op.verify()
            except (VerifyException, RecursionError):
                return offset, section
        return self._section(FUNC).start, SECTION_NAMES[FUNC]

    def _symbol_name(self, reader: ByteReader, what: str) -> str:
        position = reader.position
        name = self.string(reader)
        if not name:
            index = reader.slice(position, reader.end).varint()
            reader.fail(f"{what} at index {index} is empty", position)
        return name

    def _read_global(self, reader: ByteReader) -> Operation:
        start = reader.position
        name = self._symbol_name(reader, "global symbol name")
        position = reader.position
        ty = self.type(reader)
        if not isinstance(ty, TileType):
            reader.fail(f"expected a tile type for a global, got '{ty}'", position)
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "value": self.constant(reader, ty),
            "alignment": IntegerAttr(sign_extend(reader.varint(), 64), i64),
        }
        if self.version >= V13_3:
            position = reader.position
            code = reader.varint()
            if code >= len(SymbolVisibility):
                reader.fail(f"invalid integer value for enum type: {code}", position)
            properties["symbol_visibility"] = SymbolVisibilityAttr(SymbolVisibility.from_code(code))
            if reader.varint():
                properties["constant"] = UnitAttr()
        op = ct.GlobalOp.create(properties=properties)
        self._places.append((op, start, reader.section))
        return op

    def _read_function(self, reader: ByteReader) -> Operation:
        first = reader.position
        name = self._symbol_name(reader, "function name")
        position = reader.position
        ty = self.type(reader)
        if not isinstance(ty, FunctionType):
            reader.fail(f"expected a function type, got '{ty}'", position)
        position = reader.position
        flags = reader.byte()
        if self.version >= V13_4 and flags & ~(PRIVATE_FLAG | ENTRY_FLAG | HINTS_FLAG):
            reader.fail(f"function entry has unrecognized flag bits ({flags & ~7:#x});", position)
        if not flags & ENTRY_FLAG:
            reader.fail(f"un-expected non-entry function '{name}'", position)
        location_field = reader.varint()
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "function_type": ty}
        if flags & HINTS_FLAG:
            position = reader.position
            hints = read_attribute(reader, self)
            if not isinstance(hints, OptimizationHintsAttr):
                reader.fail("expected optimization hints", position)
            properties["optimization_hints"] = hints
        length = reader.varint()
        start = reader.position
        reader.raw(length)
        body_reader = FunctionReader(
            self, reader.slice(start, reader.position), self._row(name, location_field, reader)
        )
        self.budget.charge(Budget.ARGUMENT * len(ty.inputs), reader)
        location = body_reader.next_location()
        try:
            body = body_reader.function_body(ty)
        except RecursionError:
            body_reader.bytes.fail("regions are nested too deeply")
        attributes: dict[str, Attribute] = {VISIBILITY: PRIVATE} if flags & PRIVATE_FLAG else {}
        entry = ct.EntryOp.create(properties=properties, attributes=attributes, regions=[body])
        entry.location = location  # pyright: ignore[reportAttributeAccessIssue]
        self._places.append((entry, first, reader.section))
        return entry

    def _row(self, name: str, location_field: int, reader: ByteReader) -> int | None:
        """Where the locations of a function start in the debug section's indices."""
        if location_field == 0:
            return None
        if self.debug is None or location_field > len(self.debug.rows):
            reader.fail(f"failed to read function location for '{name}'")
        return self.debug.rows[location_field - 1]


def _dense(reader: ByteReader, ty: TileType, data: bytes) -> DenseElementsAttr:
    """Elements from the bytes of a constant: all of them, or the one of a splat."""
    element = ty.element_type
    if not is_number(element):
        reader.fail(f"expect Cuda Tile integer or float type but got: '{ty}'", reader.start)
    count = ty.element_count()
    if element_bit_width(element) == 1:
        return _dense_i1(reader, ty, data, count)
    size = element_bytes(element)
    if len(data) not in (size, size * count):
        reader.fail("failed to validate buffer size and format", reader.start)
    spare = 8 * size - element_bit_width(element)
    if spare:
        top = 0xFF >> spare % 8
        masked = bytearray(data)
        for last in range(size - 1, len(data), size):
            masked[last] &= top
        data = bytes(masked)
    return DenseElementsAttr.from_bytes(ty, data)


_UNPACKED_BITS = [bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256)]
"""The bits of every byte, lowest first, as bytes."""


def _dense_i1(reader: ByteReader, ty: TileType, data: bytes, count: int) -> DenseElementsAttr:
    if len(data) == (count + 7) // 8:
        unpacked = b"".join(map(_UNPACKED_BITS.__getitem__, data))
        return DenseElementsAttr.from_bytes(ty, unpacked[:count])
    if len(data) == 1:
        return DenseElementsAttr.from_bits(ty, [data[0] & 1])
    reader.fail(
        f"i1 dense attribute payload size {len(data)} is not a recognized encoding for {count} "
        "elements",
        reader.start,
    )


class FunctionReader:
    """Reads the op records of one function."""

    def __init__(self, module: ModuleReader, reader: ByteReader, row: int | None):
        self.module = module
        self.bytes = reader
        self.string = module.string
        self.type = module.type
        self.constant = module.constant
        self.values: list[SSAValue] = []
        self._row = row
        self._encodings = module.encodings
        self._highest_opcode = HIGHEST_OPCODE[module.version]

    def next_location(self) -> Attribute:
        """The location of the next op in order of op records."""
        if self._row is None:
            return UNKNOWN_LOC
        debug = self.module.debug
        assert debug is not None
        location = debug.location(self._row)
        self._row += 1
        return location

    def value(self) -> SSAValue:
        """The operand whose number comes next."""
        number = self.bytes.varint()
        if number >= len(self.values):
            self.bytes.fail(f"value {number} is not defined here")
        return self.values[number]

    def function_body(self, ty: FunctionType) -> Region:
        """The body: op records until its bytes are consumed."""
        block = Block(arg_types=ty.inputs.data)
        self.values.extend(block.args)
        while self.bytes.remaining:
            block.add_op(self.operation())
        return Region(block)

    def region(self) -> Region:
        self.bytes.enter("regions")
        region = Region([self._block() for _ in range(self.bytes.count("blocks"))])
        self.bytes.leave()
        return region

    def _block(self) -> Block:
        reader, values = self.bytes, self.values
        outer = len(values)
        argument_types = [*map(self.type, repeat(reader, reader.count("block arguments")))]
        block = Block(arg_types=argument_types)
        values.extend(block.args)
        for _ in range(reader.count("operations")):
            block.add_op(self.operation())
        del values[outer:]
        last = block.last_op
        problem = "invalid block structure: block is expected to have a terminator operation, but"
        if last is None:
            reader.fail(f"{problem} it is empty")
        if not last.has_trait(IsTerminator):
            reader.fail(f"{problem} the last operation '{last.name}' is not a terminator.")
        return block

    def operation(self) -> Operation:
        """The next op record."""
        reader = self.bytes
        position = reader.position
        opcode = reader.varint()
        encoding = self._encodings.get(opcode)
        if encoding is None:
            self._fail_opcode(opcode, position)
        location = self.next_location()
        record = Record()
        try:
            for item in encoding.fields:
                flag = item.flag
                if flag is None or record.flags >> flag & 1:
                    item.read(self, record)
        except BytecodeError as error:
            if self.module.is_newer and "' op" not in error.message:
                text = f"{error.message}, in '{encoding.op_class.name}' op"
                raise BytecodeError(text, offset=error.offset, section=error.section) from None
            raise
        if self.module.is_newer and (news := record.flags & ~encoding.known_flags):
            self.bytes.fail(f"'{encoding.op_class.name}' op has flags {news:#x}", position)
        return self._build(encoding, record, location)

    def _fail_opcode(self, opcode: int, position: int) -> NoReturn:
        if opcode > self._highest_opcode:
            self.bytes.fail(
                f"unsupported opcode {opcode} for bytecode version "
                f"{format_version(self.module.version)}",
                position,
            )
        self.bytes.fail(f"unknown or unimplemented opcode: {opcode}", position)

    def _build(self, encoding: OpEncoding, record: Record, location: Attribute) -> Operation:
        properties = record.properties
        if encoding.segments:
            groups = record.groups
            properties["operandSegmentSizes"] = DenseArrayBase.from_list(
                i32, [groups.get(name, 0) for name in encoding.segments]
            )
        inbounds = record.inbounds
        if inbounds is not None and (any(inbounds) or len(inbounds) != record.groups["index"]):
            properties["inbounds"] = bool_array(inbounds)
        result_types = record.result_types
        numbered = len(result_types)
        if encoding.op_class is ct.PrintTkoOp:
            expected = int(self.module.version > V13_1)
            if numbered != expected:
                self.bytes.fail(
                    f"result count mismatch for PrintTkoOp: expected {expected} compatible "
                    f"results but got {numbered}"
                )
            # The 13.1 `print` has no result; the one made here takes no value number.
            result_types = result_types or [TOKEN]
        op = encoding.op_class.create(
            operands=record.operands,
            result_types=result_types,
            properties=properties,
            location=location,  # pyright: ignore[reportArgumentType]
            regions=record.regions,
        )
        self.values.extend(op.results[:numbered])
        return op
