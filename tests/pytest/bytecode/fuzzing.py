"""
Damaged bytecode for the reader, for `fuzz/input_fuzzing.py`.

There are two kinds. In the one, `STRUCTURED`, header and section table stay valid, and the lengths
inside of sections too where a mutation changes the size of something: such files get past the
container, so that it is the decoders that have to notice. In the other anything may happen to any
byte. Which field a byte belongs to is not known here a second time:
`trace` asks the reader itself, by watching it read the undamaged file.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.frontend.bytecode import (
    MAGIC,
    VERSIONS,
    BytecodeError,
    format_version,
    read,
    write,
)
from tileiras_xdsl.frontend.bytecode import reader as reader_module
from tileiras_xdsl.frontend.bytecode.primitives import ByteReader
from tileiras_xdsl.frontend.bytecode.reader import (
    ALIGNMENTS,
    CONSTANT,
    DEBUG,
    FUNC,
    STRING,
    TYPE,
    FunctionReader,
    ModuleReader,
)

from ..harness.modules import parse_unverified

CORPUS = Path(__file__).parents[2] / "corpus"
HEADER_BYTES = len(MAGIC) + 4

T = TypeVar("T")
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


# What there is to damage

RARE_FUNCTIONS = (
    """
    global @g <f32: [1.0, 2.0]> : tile<2xf32>
    entry @get_global() { %0 = get_global @g : tile<ptr<f32>>  return }
    """,
    "entry @mulhii(%a: tile<i32>) { %0 = mulhii %a, %a : tile<i32>  return }",
    """
    entry @ptr_to_int(%p: tile<ptr<f32>>) {
      %0 = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
      %1 = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i32>>
      return
    }
    """,
    """
    entry @get_tensor_shape(%t: tensor_view<?x64xf32, strides=[64,1]>) {
      %0:2 = get_tensor_shape %t : tensor_view<?x64xf32, strides=[64,1]> -> tile<i64>
      return
    }
    """,
    """
    entry @alloca() {
      %0 = alloca num_elem = 64, alignment = 128 global : tile<ptr<f32>>
      return
    }
    """,
    "entry @fence() { %0 = make_token : token  %1 = memory_fence_alias_tko %0  return }",
    """
    entry @hints(%p: tile<ptr<f32>>) optimization_hints=<sm_100 = {
      a = [1 : i32, "text", 2.5 : f32, f32, true], b = {c = 2.0 : f16, d = !cuda_tile.token}
    }> {
      %0, %1 = load_ptr_tko weak %p optimization_hints = <sm_100 = {latency = 5}>
        : tile<ptr<f32>> -> tile<f32>, token
      return
    }
    """,
    """
    entry @i4(%a: tile<i8>) { %0 = trunci %a : tile<i8> -> tile<i4>  return }
    """,
    """
    entry @same_elements(%a: tile<i32>) {
      %0 = assume same_elements<[]>, %a : tile<i32>
      %1 = reshape %0 : tile<i32> -> tile<1xi32>
      %2 = broadcast %1 : tile<1xi32> -> tile<4xi32>
      %3 = assume same_elements<[4]>, %2 : tile<4xi32>
      return
    }
    """,
    "entry @ptr_attr(%p: tile<ptr<f32, <none>>>) { return }",
)
"""What no kernel of the corpus has; a version takes those it can express."""


def _rare_files() -> Iterator[bytes]:
    for text in RARE_FUNCTIONS:
        module = parse_unverified(
            f'cuda_tile.module @m attributes {{producer = "fuzz"}} {{ {text} }}'
        )
        for version in VERSIONS:
            try:
                yield write(module, format_version(version))
            except BytecodeError:
                continue
    module = parse_unverified("cuda_tile.module @m { entry @k() { return } }")
    for version in VERSIONS:
        yield with_debug_info(write(module, format_version(version)))


DEBUG_ATTRIBUTES = (
    *(b"\x00", b"\x02\x00\x00", b"\x01\x02"),  # unknown, file, compile unit
    *(b"\x05\x02\x07\x00\x00\x03\x08", b"\x03\x04\x02\x09\x03"),  # subprogram, block
    *(b"\x04\x04\x00\x07\x01", b"\x04\x05\x00\x09\x05", b"\x06\x01\x07"),  # places, call
)
"""One debug attribute of every kind, each built from those before it."""


def with_debug_info(data: bytes, row: Sequence[int] = (6, 8)) -> bytes:
    """A file of the one function `k` with locations: its own, then those of its ops."""
    payload = bytearray(b"\x01\xcb\xcb\xcb\x00\x00\x00\x00")
    payload += varint(len(row))
    payload += b"\xcb" * (-len(payload) % 8)
    payload += b"".join(index.to_bytes(8, "little") for index in row)
    payload += b"\xcb" * (-len(payload) % 4)
    payload += table(DEBUG_ATTRIBUTES, 4)
    function = bytearray(section_payload(data, FUNC))
    function[4] = 1
    return with_section(with_section(data, FUNC, bytes(function)), DEBUG, bytes(payload))


@cache
def seeds() -> tuple[bytes, ...]:
    """The undamaged files: the corpus in all versions, and what it lacks."""
    paths = sorted(CORPUS.glob("bytecode*/*/*.tileirbc"))
    return (*(path.read_bytes() for path in paths), *_rare_files())


# Where the fields of a file are


@dataclass(frozen=True)
class Span:
    """Part of a file."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass
class Layout:
    """Where the reader found what in a file."""

    sections: dict[int, Span] = field(default_factory=dict[int, Span])
    fields: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    """Fields by what they are: `varint`, `count`, `type`, `string`, `value`, `offset`, …"""
    bodies: list[tuple[Span, Span]] = field(default_factory=list[tuple[Span, Span]])
    """Length and op records of each function."""
    ops: list[list[Span]] = field(default_factory=list[list[Span]])
    """The op records of each body, without those in regions."""

    def note(self, what: str, start: int, end: int) -> None:
        self.fields.setdefault(what, []).append(Span(start, end))


class _Watcher:
    """Follows the reader through one file. Its readers tell it what they read."""

    def __init__(self, data: bytes):
        self.data = data
        self.layout = Layout()
        self.depth = 0

    def readers(self) -> tuple[type[ByteReader], type[ModuleReader], type[FunctionReader]]:
        layout, watcher, data = self.layout, self, self.data

        class WatchedBytes(ByteReader):
            def varint(self) -> int:
                start = self.position
                value = super().varint()
                layout.note("varint", start, self.position)
                return value

            def byte(self) -> int:
                layout.note("byte", self.position, self.position + 1)
                return super().byte()

            def count(self, what: str, item_bytes: int = 1) -> int:
                start = self.position
                value = super().count(what, item_bytes)
                if self.data is data:
                    layout.note("count", start, self.position)
                return value

            def little_endian(self, size: int, *, signed: bool = False) -> int:
                start = self.position
                value = super().little_endian(size, signed=signed)
                layout.note("word", start, self.position)
                return value

            def slice(self, start: int, end: int) -> ByteReader:
                return WatchedBytes(self.data, start, end, self.section)

        class WatchedModule(ModuleReader):
            def string(self, reader: ByteReader) -> str:
                return watcher.watch("string", reader, super().string)

            def type(self, reader: ByteReader) -> Attribute:
                return watcher.watch("type", reader, super().type)

        class WatchedFunction(FunctionReader):
            def __init__(self, module: ModuleReader, reader: ByteReader, row: int | None):
                super().__init__(module, reader, row)
                length = layout.fields["varint"][-1]
                layout.bodies.append((length, Span(reader.start, reader.end)))
                layout.ops.append([])

            def value(self) -> SSAValue:
                get = super().value
                return watcher.watch("value", self.bytes, lambda _: get())

            def operation(self) -> Operation:
                start = self.bytes.position
                layout.note("opcode", start, start + 1)
                watcher.depth += 1
                op = super().operation()
                watcher.depth -= 1
                if not watcher.depth:
                    layout.ops[-1].append(Span(start, self.bytes.position))
                return op

        return WatchedBytes, WatchedModule, WatchedFunction

    def watch(self, what: str, reader: ByteReader, get: Callable[[ByteReader], T]) -> T:
        start = reader.position
        value = get(reader)
        self.layout.note(what, start, reader.position)
        return value


@cache
def trace(data: bytes) -> Layout:
    """Where the fields of a valid file are."""
    watcher = _Watcher(data)
    byte_reader, module_reader, function_reader = watcher.readers()
    with (
        patch.object(reader_module, "ByteReader", byte_reader),
        patch.object(reader_module, "FunctionReader", function_reader),
    ):
        reader = module_reader(data)
        reader.read()
    for section, span in reader.sections.items():
        watcher.layout.sections[section] = Span(span.start, span.end)
    return watcher.layout


# Taking files apart and putting them together


def varint(value: int, size: int = 1) -> bytes:
    """The bytes of a number, at least `size` of them."""
    data = bytearray()
    while value >= 0x80 or len(data) + 1 < size:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def varint_at(data: bytes, position: int) -> tuple[int, int]:
    """A number and the position behind it."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def section_list(data: bytes) -> list[tuple[int, bytes]]:
    """The sections of a valid file in order."""
    found: list[tuple[int, bytes]] = []
    position = HEADER_BYTES
    while data[position]:
        section = data[position]
        length, position = varint_at(data, position + 1)
        if section & 0x80:
            alignment, position = varint_at(data, position)
            position += -position % alignment
        found.append((section & 0x7F, data[position : position + length]))
        position += length
    return found


def assemble(header: bytes, sections: Sequence[tuple[int, bytes]]) -> bytes:
    """A file of these sections."""
    file = bytearray(header)
    for section, payload in sections:
        alignment = ALIGNMENTS.get(section, 1)
        file.append(section | (0x80 if alignment > 1 else 0))
        file += varint(len(payload))
        if alignment > 1:
            file += varint(alignment)
            file += b"\xcb" * (-len(file) % alignment)
        file += payload
    file.append(0)
    return bytes(file)


def with_section(data: bytes, section: int, payload: bytes) -> bytes:
    """A valid file with the payload of one section replaced; added if it is missing."""
    sections = [item for item in section_list(data) if item[0] != section]
    return assemble(data[:HEADER_BYTES], [*sections, (section, payload)])


def section_payload(data: bytes, section: int) -> bytes:
    """The payload of a section of a valid file."""
    return dict(section_list(data))[section]


def table_items(payload: bytes, word: int) -> list[bytes]:
    """The items of an offset table."""
    count, position = varint_at(payload, 0)
    if not count:
        return []
    position += -position % word
    offsets = [
        int.from_bytes(payload[start : start + word], "little")
        for start in range(position, position + word * count, word)
    ]
    position += word * count
    ends = [*offsets[1:], len(payload) - position]
    return [
        payload[position + start : position + end] for start, end in zip(offsets, ends, strict=True)
    ]


def table(items: Sequence[bytes], word: int) -> bytes:
    """An offset table of these items."""
    payload = bytearray(varint(len(items)))
    payload += b"\xcb" * (-len(payload) % word)
    offset = 0
    for item in items:
        payload += offset.to_bytes(word, "little")
        offset += len(item)
    return bytes(payload) + b"".join(items)


TABLE_WORDS = {STRING: 4, TYPE: 4, CONSTANT: 8}


# Damage that keeps the container valid

HOSTILE_NUMBERS = (
    *(0, 1, 2, 3, 7, 8, 64, 126, 127, 128, 129, 255, 256, 16384, 1 << 24, 1 << 31, 1 << 32),
    *((1 << 31) - 1, (1 << 32) - 1, 1 << 60, 1 << 62, 1 << 63, (1 << 63) - 1, (1 << 64) - 1),
)


class Damage:
    """Mutations of one valid file, each a method without arguments that gives a new one."""

    def __init__(self, data: bytes, rng: random.Random, others: Sequence[bytes]):
        self.data = data
        self.rng = rng
        self.others = others
        self.layout = trace(data)

    @staticmethod
    def of(data: bytes) -> Damage:
        """For mutations that leave nothing to chance."""
        return Damage(data, random.Random(0), ())

    def pick(self, *kinds: str) -> Span:
        """A field of one of these kinds."""
        fields = self.layout.fields
        return self.rng.choice(
            [span for kind in kinds for span in fields.get(kind, ())] or fields["varint"]
        )

    def number(self, below: int) -> int:
        """A number, mostly one that is plausible where indices are below `below`."""
        rng = self.rng
        if rng.random() < 0.6:
            return rng.randrange(max(1, below + 2))
        return rng.choice(HOSTILE_NUMBERS)

    def put(self, span: Span, new: bytes) -> bytes:
        """The file with a field replaced, the lengths around it corrected."""
        if len(new) == span.size:
            return self.data[: span.start] + new + self.data[span.end :]
        for section, around in self.layout.sections.items():
            if around.start <= span.start and span.end <= around.end:
                return with_section(self.data, section, self._resized(section, around, span, new))
        return self.data[: span.start] + new + self.data[span.end :]

    def _resized(self, section: int, around: Span, span: Span, new: bytes) -> bytes:
        data, start = self.data, around.start
        if section == FUNC:
            for length, body in self.layout.bodies:
                if body.start <= span.start and span.end <= body.end:
                    records = data[body.start : span.start] + new + data[span.end : body.end]
                    before = data[start : length.start]
                    return before + varint(len(records)) + records + data[body.end : around.end]
        if section in TABLE_WORDS:
            word = TABLE_WORDS[section]
            items = table_items(data[start : around.end], word)
            position = around.end - sum(map(len, items))
            for index, item in enumerate(items):
                if position <= span.start and span.end <= position + len(item):
                    cut, rest = span.start - position, span.end - position
                    items[index] = item[:cut] + new + item[rest:]
                    return table(items, word)
                position += len(item)
        return data[start : span.start] + new + data[span.end : around.end]

    # Fields

    def flip_in_section(self) -> bytes:
        """A few bits of one section."""
        spans = [span for span in self.layout.sections.values() if span.size]
        span = self.rng.choice(spans)
        data = bytearray(self.data)
        for _ in range(self.rng.choice((1, 1, 2, 5))):
            data[self.rng.randrange(span.start, span.end)] ^= 1 << self.rng.randrange(8)
        return bytes(data)

    def replace_byte(self) -> bytes:
        """Another byte in one section."""
        span = self.rng.choice([span for span in self.layout.sections.values() if span.size])
        position = self.rng.randrange(span.start, span.end)
        new = bytes([self.rng.choice((0, 1, 0x7F, 0x80, 0xFF, self.rng.randrange(256)))])
        return self.data[:position] + new + self.data[position + 1 :]

    def replace_varint(self) -> bytes:
        """Another number of the same length."""
        span = self.pick("varint", "count", "type", "string", "value", "opcode")
        value = self.number(1 << 7 * span.size) % (1 << 7 * span.size)
        return self.put(span, varint(value, span.size))

    def replace_number(self) -> bytes:
        """Another number of any length."""
        return self.put(self.pick("varint"), varint(self.number(128)))

    def replace_index(self) -> bytes:
        """Another type, string or value."""
        return self.put(self.pick("type", "string", "value"), varint(self.number(60)))

    def replace_opcode(self) -> bytes:
        """Another op with the same record."""
        opcode = self.rng.choice((*range(0x80), 0x3000, 0x4002, 1 << 40))
        return self.put(self.pick("opcode"), varint(opcode))

    def replace_count(self) -> bytes:
        """Another number of items."""
        span = self.pick("count")
        value, _ = varint_at(self.data, span.start)
        new = self.rng.choice((max(0, value - 1), value + 1, 0, self.number(20)))
        return self.put(span, varint(new))

    def replace_word(self) -> bytes:
        """Another offset, dimension or index of fixed size."""
        span = self.pick("word")
        value = self.number(300)
        return self.put(span, (value & (1 << 8 * span.size) - 1).to_bytes(span.size, "little"))

    def swap_fields(self) -> bytes:
        """Two fields of the same kind change places."""
        kind = self.rng.choice(("type", "value", "opcode", "count", "string", "varint", "word"))
        first, second = self.pick(kind), self.pick(kind)
        one, two = (self.data[span.start : span.end] for span in (first, second))
        if len(one) != len(two):
            return self.put(first, two)
        data = bytearray(self.data)
        data[first.start : first.end], data[second.start : second.end] = two, one
        return bytes(data)

    # Op records

    def _body(self) -> tuple[Span, list[Span]] | None:
        bodies = zip(self.layout.bodies, self.layout.ops, strict=True)
        choices = [(body, ops) for (_, body), ops in bodies if ops]
        return self.rng.choice(choices) if choices else None

    def _with_records(self, change: Callable[[list[bytes]], None]) -> bytes:
        chosen = self._body()
        if chosen is None:
            return self.flip_in_section()
        body, ops = chosen
        records = [self.data[op.start : op.end] for op in ops]
        change(records)
        return self.put(body, b"".join(records))

    def duplicate_record(self) -> bytes:
        """An op twice."""

        def change(records: list[bytes]) -> None:
            records.insert(self.rng.randrange(len(records) + 1), self.rng.choice(records))

        return self._with_records(change)

    def delete_record(self) -> bytes:
        """An op less."""
        return self._with_records(lambda records: records.remove(self.rng.choice(records)))

    def shuffle_records(self) -> bytes:
        """Two ops in each other's place."""

        def change(records: list[bytes]) -> None:
            first, second = (self.rng.randrange(len(records)) for _ in range(2))
            records[first], records[second] = records[second], records[first]

        return self._with_records(change)

    def foreign_record(self) -> bytes:
        """An op of another file."""
        other = self.rng.choice(self.others)
        ops = [op for ops in trace(other).ops for op in ops]
        if not ops:
            return self.delete_record()
        op = self.rng.choice(ops)

        def change(records: list[bytes]) -> None:
            records.insert(self.rng.randrange(len(records)), other[op.start : op.end])

        return self._with_records(change)

    def nest_regions(self) -> bytes:
        """Loops in loops."""
        depth = self.rng.choice((2, 10, 50, 150, 1000))
        return self._with_records(lambda records: records.insert(0, nested_loops(depth)))

    # Tables

    def _with_items(self, section: int, change: Callable[[list[bytes]], None]) -> bytes:
        span = self.layout.sections.get(section)
        if span is None:
            return self.replace_number()
        word = TABLE_WORDS[section]
        items = table_items(self.data[span.start : span.end], word)
        if not items:
            return self.replace_number()
        change(items)
        return with_section(self.data, section, table(items, word))

    def replace_item(self) -> bytes:
        """An item that is missing, empty, shuffled, or from another file."""
        section = self.rng.choice(tuple(TABLE_WORDS))
        other = dict(section_list(self.rng.choice(self.others))).get(section)
        foreign = table_items(other, TABLE_WORDS[section]) if other else []

        def change(items: list[bytes]) -> None:
            index = self.rng.randrange(len(items))
            match self.rng.randrange(4):
                case 0:
                    del items[index]
                case 1:
                    items[index] = b""
                case 2:
                    self.rng.shuffle(items)
                case _:
                    items[index] = self.rng.choice(foreign or items)

        return self._with_items(section, change)

    def type_cycle(self) -> bytes:
        """Types that refer to themselves, to each other, or to many others."""

        def change(items: list[bytes]) -> None:
            functions = [number for number, item in enumerate(items) if item[:1] == b"\x10"]
            index = self.rng.choice((*functions, self.rng.randrange(len(items))))
            other = self.rng.randrange(len(items))
            match self.rng.randrange(4):
                case 0:
                    items[index] = b"\x10\x01" + varint(index) + b"\x00"
                case 1:
                    items[index] = b"\x10\x01" + varint(other) + b"\x00"
                    items[other] = b"\x0d" + varint(index) + b"\x00"
                case 2:
                    items[index] = b"\x0c" + self.rng.choice((b"", b"\x00")) + varint(index)
                case _:
                    items += doubling_types(len(items), self.rng.choice((3, 40)))
                    items[index] = b"\x10\x01" + varint(len(items) - 1) + b"\x00"

        return self._with_items(TYPE, change)

    def huge_shape(self) -> bytes:
        """A tile with too many elements, too many dimensions, or almost so."""
        dims = self.rng.choice(
            (
                *([1 << 24], [1 << 25], [1 << 62], [1 << 32, 1 << 32], [(1 << 64) - 1], [0]),
                *([1 << 12, 1 << 12], [1] * 300, [2] * 24, [2] * 25, [1 << 63]),
            )
        )

        def change(items: list[bytes]) -> None:
            tiles = [number for number, item in enumerate(items) if item[:1] == b"\x0d"]
            if tiles:
                index = self.rng.choice(tiles)
                _, end = varint_at(items[index], 1)
                shape = b"".join(dim.to_bytes(8, "little") for dim in dims)
                items[index] = items[index][:end] + varint(len(dims)) + shape

        return self._with_items(TYPE, change)

    # Sections

    def replace_section(self) -> bytes:
        """A section that is missing, empty, repeated, cut, or from another file."""
        sections = section_list(self.data)
        index = self.rng.randrange(len(sections))
        section, payload = sections[index]
        match self.rng.randrange(5):
            case 0:
                del sections[index]
            case 1:
                sections[index] = section, b""
            case 2:
                sections.append(self.rng.choice(sections))
            case 3:
                sections[index] = section, payload[: self.rng.randrange(len(payload) + 1)]
            case _:
                other = dict(section_list(self.rng.choice(self.others)))
                sections[index] = section, other.get(section, payload)
        return assemble(self.data[:HEADER_BYTES], sections)

    def other_version(self) -> bytes:
        """The same bytes in another version."""
        major, minor = self.rng.choice(VERSIONS)
        return self.data[: len(MAGIC)] + bytes((major, minor)) + self.data[len(MAGIC) + 2 :]


STRUCTURED: tuple[Callable[[Damage], bytes], ...] = (
    Damage.flip_in_section,
    Damage.replace_byte,
    Damage.replace_varint,
    Damage.replace_number,
    Damage.replace_index,
    Damage.replace_opcode,
    Damage.replace_count,
    Damage.replace_word,
    Damage.swap_fields,
    Damage.duplicate_record,
    Damage.delete_record,
    Damage.shuffle_records,
    Damage.foreign_record,
    Damage.nest_regions,
    Damage.replace_item,
    Damage.type_cycle,
    Damage.huge_shape,
    Damage.replace_section,
    Damage.other_version,
)


def nested_loops(depth: int) -> bytes:
    """The record of that many loops, each the first op of the one around it."""
    leave = bytes((0x0A, 0, 0))
    around = bytes((0x41, 0, 0, 1, 1, 0, 2))
    return around * (depth - 1) + bytes((0x41, 0, 0, 1, 1, 0, 1)) + leave * depth


def doubling_types(first: int, count: int) -> list[bytes]:
    """Function types that each take the one before twice, the first of them at `first`."""
    items = [b"\x10\x00\x00"]
    items += [b"\x10\x02" + varint(first + i) * 2 + b"\x00" for i in range(count)]
    return items


# Damage that keeps nothing


def damage_anything(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A file to which anything may have happened."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        position = rng.randrange(len(result) + 1)
        size = rng.choice((1, 1, 2, 4, 8, 16, 64))
        match rng.randrange(9):
            case 0 | 1:
                for _ in range(size if result else 0):
                    result[rng.randrange(len(result))] ^= 1 << rng.randrange(8)
            case 2:
                del result[position:]
            case 3:
                start = rng.randrange(len(other))
                result[position : position + size] = other[start : start + size]
            case 4:
                result[position:] = other[rng.randrange(len(other)) :]
            case 5:
                result[position:position] = rng.randbytes(size)
            case 6:
                del result[position : position + size]
            case 7:
                result[position:position] = varint(rng.choice(HOSTILE_NUMBERS))
            case _:
                result[position : position + size] = rng.choice((b"\xff", b"\x80", b"\0")) * size
    return bytes(result)


# What is damaged first


def _parts(data: bytes) -> set[str]:
    """What a file has: ops, and kinds of types and attributes."""
    module = read(data, verify=False)
    names = {op.name for op in module.walk()}
    for op in module.walk():
        for value in (*op.attributes.values(), *op.properties.values(), *op.result_types):
            names.add(type(value).__name__)
            names.update(type(each).__name__ for each in vars(value).values())
    return names


@cache
def covering_seeds() -> tuple[bytes, ...]:
    """Small files that together have everything, each several times."""
    kept: list[bytes] = []
    times: Counter[str] = Counter()
    for data in sorted(seeds(), key=len):
        parts = _parts(data)
        if any(times[part] < 3 for part in parts):
            kept.append(data)
            times.update(parts)
    return tuple(kept)
