"""Bytecode files built by hand, byte by byte and without the code under test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAGIC = b"\x7fTileIR\x00"
PAD = b"\xcb"

STRING, FUNC, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(1, 8)
ALIGNMENT = {STRING: 4, FUNC: 8, DEBUG: 8, CONSTANT: 8, TYPE: 4}

NO_ARGUMENTS = b"\x10\x00\x00"
"""The type `() -> ()`."""
RETURN = b"\x5c\x00\x00"


def varint(value: int) -> bytes:
    """Unsigned LEB128."""
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def svarint(value: int) -> bytes:
    """A 64-bit number, zigzag and LEB128."""
    return varint(((value << 1) ^ (value >> 63)) & (1 << 64) - 1)


def little_endian(size: int, *values: int) -> bytes:
    return b"".join((value % (1 << 8 * size)).to_bytes(size, "little") for value in values)


def vector(size: int, *values: int) -> bytes:
    """A count, then the values."""
    return varint(len(values)) + little_endian(size, *values)


def pad(data: bytes, alignment: int) -> bytes:
    return data + PAD * (-len(data) % alignment)


def table(items: Sequence[bytes], width: int) -> bytes:
    """A count, offsets, then the items."""
    if not items:
        return varint(0)
    offsets = [sum(map(len, items[:index])) for index in range(len(items))]
    return pad(varint(len(items)), width) + little_endian(width, *offsets) + b"".join(items)


def debug(rows: Sequence[int], indices: Sequence[int], attributes: Sequence[bytes]) -> bytes:
    """The payload of a debug section."""
    data = pad(varint(len(rows)), 4) + little_endian(4, *rows)
    data = pad(data + varint(len(indices)), 8) + little_endian(8, *indices)
    offsets = [sum(map(len, attributes[:index])) for index in range(len(attributes))]
    data = pad(data + varint(len(attributes)), 4) + little_endian(4, *offsets)
    return data + b"".join(attributes)


@dataclass(frozen=True)
class Section:
    """A section; without an alignment, its header says so."""

    number: int
    payload: bytes
    alignment: int | None = None

    def append_to(self, data: bytes) -> bytes:
        """A file that goes on with this section."""
        if self.alignment is None:
            return data + varint(self.number) + varint(len(self.payload)) + self.payload
        data += bytes([self.number | 0x80]) + varint(len(self.payload)) + varint(self.alignment)
        return pad(data, max(self.alignment, 1)) + self.payload


@dataclass(frozen=True)
class File:
    """The parts of a file with one function, unless `functions` gives their records."""

    version: tuple[int, int] = (13, 4)
    tag: int = 0
    strings: Sequence[bytes] = (b"k",)
    types: Sequence[bytes] = (NO_ARGUMENTS,)
    constants: Sequence[bytes] = ()
    body: bytes = RETURN
    signature: int = 0
    flags: int = 2
    location: int = 0
    hints: bytes = b""
    globals: bytes | None = None
    debug: bytes | None = None
    producer: int | None = None
    functions: bytes | None = None

    @property
    def function_payload(self) -> bytes:
        if self.functions is not None:
            return self.functions
        return (
            b"\x01\x00"
            + varint(self.signature)
            + bytes([self.flags])
            + varint(self.location)
            + self.hints
            + varint(len(self.body))
            + self.body
        )

    def sections(self) -> Iterator[Section]:
        """The sections in the order of NVIDIA's writer."""
        constants = [varint(len(item)) + item for item in self.constants]
        payloads = (
            (GLOBAL, self.globals),
            (FUNC, self.function_payload),
            (CONSTANT, table(constants, 8) if constants else None),
            (DEBUG, self.debug),
            (TYPE, table(self.types, 4)),
            (PRODUCER, None if self.producer is None else varint(self.producer)),
            (STRING, table(self.strings, 4)),
        )
        for number, payload in payloads:
            if payload is not None:
                yield Section(number, payload, ALIGNMENT.get(number))

    def assemble(self, sections: Sequence[Section] | None = None, end: bytes = b"\0") -> bytes:
        """The bytes, with other sections than its own if there are such."""
        data = MAGIC + bytes(self.version) + little_endian(2, self.tag)
        for section in self.sections() if sections is None else sections:
            data = section.append_to(data)
        return data + end
