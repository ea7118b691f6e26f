"""Integers, varints and padding: the letters the format is written in."""

from __future__ import annotations

from typing import NoReturn, TypeAlias

from xdsl.utils.exceptions import DiagnosticException

# The one error of the bytecode reader and writer.


class BytecodeError(DiagnosticException):
    """
    Bytes that are no Tile IR bytecode, or a module that a version cannot express.

    `offset` is the position in the file and `section` the name of the section it lies in,
    where there are such.
    """

    def __init__(self, message: str, *, offset: int | None = None, section: str | None = None):
        self.message = message
        self.offset = offset
        self.section = section
        place = "" if section is None else f"{section} section"
        if offset is not None:
            place = f"{place} at byte {offset:#x}" if place else f"byte {offset:#x}"
        super().__init__(f"{place}: {message}" if place else message)


class UnrepresentableError(BytecodeError):
    """A type, attribute or value that cannot be written, from code that does not know the op."""

    def named(self, op_name: str) -> BytecodeError:
        """The error with the name of the op."""
        return BytecodeError(f"'{op_name}' op {self.message}")


PAD = 0xCB
_MASK64 = (1 << 64) - 1
_MAX_VARINT_BYTES = 10
MAX_DEPTH = 100
"""Deepest nesting of regions, types and attributes; Python's stack sets a limit to it."""


class ByteReader:
    """
    A cursor over a range of the file. Reading past the end of the range, or a count that
    the rest of the range cannot hold, is a `BytecodeError`.
    """

    def __init__(self, data: bytes, start: int, end: int, section: str):
        self.data = data
        self.start = start
        self.position = start
        self.end = end
        self.section = section
        self._depth = 0

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        """Reports a fault at the current position, or at another."""
        offset = self.position if position is None else position
        raise BytecodeError(message, offset=offset, section=self.section)

    def enter(self, what: str) -> None:
        """Takes note that something starts that may hold more of its kind."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"{what} are nested too deeply")

    def leave(self) -> None:
        """The end of what `enter` started."""
        self._depth -= 1

    @property
    def remaining(self) -> int:
        return self.end - self.position

    def byte(self) -> int:
        position = self.position
        if position >= self.end:
            self.fail("unexpected end of data")
        self.position = position + 1
        return self.data[position]

    def varint(self) -> int:
        """An unsigned LEB128 number; bits above the 64th are dropped."""
        position = self.position
        if position < self.end:
            byte = self.data[position]
            if byte < 0x80:
                self.position = position + 1
                return byte
        return self._long_varint()

    def _long_varint(self) -> int:
        value = 0
        for index in range(_MAX_VARINT_BYTES):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return value & _MASK64
        self.fail(f"varint is longer than {_MAX_VARINT_BYTES} bytes")

    def signed_varint(self) -> int:
        """A zigzag-encoded 64-bit number."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def count(self, what: str, item_bytes: int = 1) -> int:
        """A number of items that each take at least `item_bytes`."""
        position = self.position
        count = self.varint()
        if count * item_bytes > self.remaining:
            self.fail(
                f"{count} {what} do not fit into the remaining {self.remaining} bytes", position
            )
        return count

    def little_endian(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.raw(size), "little", signed=signed)

    def little_endian_list(self, size: int, what: str) -> list[int]:
        """A count, then that many signed integers of `size` bytes."""
        return self.numbers(self.count(what, size), size, signed=True)

    def numbers(self, count: int, size: int, *, signed: bool = False) -> list[int]:
        """This many integers of `size` bytes."""
        return [self.little_endian(size, signed=signed) for _ in range(count)]

    def raw(self, size: int) -> bytes:
        if size > self.remaining:
            self.fail(f"{size} bytes do not fit into the remaining {self.remaining}")
        start = self.position
        self.position = start + size
        return self.data[start : self.position]

    def skip_padding(self, alignment: int) -> None:
        """Moves to the next multiple of `alignment` from the start of the range."""
        self.raw(-(self.position - self.start) % alignment)

    def slice(self, start: int, end: int) -> ByteReader:
        """A reader of part of this range."""
        return ByteReader(self.data, start, end, self.section)


class ByteWriter:
    """Collects the bytes of a payload."""

    def __init__(self) -> None:
        self.data = bytearray()

    def byte(self, value: int) -> None:
        self.data.append(value)

    def varint(self, value: int) -> None:
        while value >= 0x80:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def signed_varint(self, value: int) -> None:
        self.varint(((value << 1) ^ (value >> 63)) & _MASK64)

    def little_endian(self, value: int, size: int) -> None:
        self.data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def little_endian_list(self, values: list[int] | tuple[int, ...], size: int) -> None:
        self.varint(len(values))
        for value in values:
            self.little_endian(value, size)

    def pad(self, alignment: int) -> None:
        self.data += bytes([PAD]) * (-len(self.data) % alignment)


# How much may be made from a file.


class Budget:
    """
    Bounds what is made from a file to a multiple of its size. Most of it takes bytes of its
    own; what a few bytes refer to again and again, and what grows with every reference, is
    charged for here.
    """

    FREE = 64
    """Items of this size are not charged for: the reference is not that much smaller."""
    BASE = 1 << 20
    FACTOR = 256
    ARGUMENT = 128
    """The charge for an argument of a function, which only the signature lists."""

    def __init__(self, file_size: int):
        self._left = self.BASE + self.FACTOR * file_size

    def charge(self, size: int, reader: ByteReader) -> None:
        """Takes note of `size` bytes that `reader` refers to."""
        if size <= self.FREE:
            return
        self._left -= size
        if self._left < 0:
            reader.fail("the file expands to far more than its size")


# The bytecode versions this package reads and writes.

MAGIC = b"\x7fTileIR\x00"

Version: TypeAlias = tuple[int, int]

V13_1: Version = (13, 1)
V13_2: Version = (13, 2)
V13_3: Version = (13, 3)
V13_4: Version = (13, 4)

VERSIONS: tuple[Version, ...] = (V13_1, V13_2, V13_3, V13_4)
LATEST = VERSIONS[-1]


def format_version(version: Version) -> str:
    """`13.4`."""
    return f"{version[0]}.{version[1]}"


def parse_version(text: str) -> Version:
    """The version named by `text`; `BytecodeError` if it is not supported."""
    for version in VERSIONS:
        if text == format_version(version):
            return version
    supported = ", ".join(map(format_version, VERSIONS))
    raise BytecodeError(f"unsupported Tile version {text}, supported are {supported}")
