"""
The rules of the format, one file each: what is accepted and how it reads, what is rejected and
why. Where NVIDIA's disassembler is there, it has to agree.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.frontend.bytecode import BytecodeError, read, write
from tileiras_xdsl.frontend.bytecode.fields import LayoutError, parse_layout
from tileiras_xdsl.frontend.bytecode.primitives import ByteReader, ByteWriter
from tileiras_xdsl.frontend.bytecode.reader import ModuleReader

from ..harness.modules import print_public
from .files import (
    CONSTANT,
    DEBUG,
    FUNC,
    GLOBAL,
    MAGIC,
    NO_ARGUMENTS,
    PRODUCER,
    RETURN,
    STRING,
    TYPE,
    File,
    Section,
    debug,
    little_endian,
    svarint,
    table,
    varint,
    vector,
)
from .support import Disassembler, assert_same

# Primitives


def byte_reader(data: bytes | bytearray) -> ByteReader:
    return ByteReader(bytes(data), 0, len(data), "test")


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (1, "01"),
        (0x7F, "7F"),
        (0x80, "80 01"),
        (300, "AC 02"),
        (1 << 32, "80 80 80 80 10"),
        ((1 << 63), "80 80 80 80 80 80 80 80 80 01"),
        ((1 << 64) - 1, "FF FF FF FF FF FF FF FF FF 01"),
    ],
)
def test_varint(value: int, data: str):
    writer = ByteWriter()
    writer.varint(value)
    assert writer.data == bytes.fromhex(data)
    assert byte_reader(writer.data).varint() == value


@pytest.mark.parametrize("data", ["80 00", "80 80 80 00", "80 80 80 80 80 80 80 80 80 00"])
def test_over_long_varints_are_numbers(data: str):
    assert byte_reader(bytes.fromhex(data)).varint() == 0


def test_varint_drops_bits_above_the_64th():
    assert byte_reader(bytes.fromhex("FF FF FF FF FF FF FF FF FF 7F")).varint() == (1 << 64) - 1


def test_varint_has_ten_bytes_at_most():
    with pytest.raises(BytecodeError, match="varint is longer than 10 bytes"):
        byte_reader(b"\x80" * 10 + b"\x00").varint()


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff\xff"])
def test_truncated_varint(data: bytes):
    with pytest.raises(BytecodeError, match="unexpected end of data") as info:
        byte_reader(data).varint()
    assert info.value.offset == len(data)
    assert info.value.section == "test"


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (-1, "01"),
        (1, "02"),
        (-64, "7F"),
        (64, "80 01"),
        ((1 << 63) - 1, "FE FF FF FF FF FF FF FF FF 01"),
        (-(1 << 63), "FF FF FF FF FF FF FF FF FF 01"),
    ],
)
def test_signed_varint(value: int, data: str):
    writer = ByteWriter()
    writer.signed_varint(value)
    assert writer.data == bytes.fromhex(data)
    assert byte_reader(writer.data).signed_varint() == value


def test_signed_varint_of_a_bit_pattern_stays_in_64_bits():
    """Zigzag of the unsigned number would have 65 bits, of which readers drop one."""
    pattern = 0xFFF0_0000_0000_0000
    writer = ByteWriter()
    writer.signed_varint(pattern - (1 << 64))
    assert byte_reader(writer.data).signed_varint() % (1 << 64) == pattern

    assert byte_reader(varint(pattern << 1)).signed_varint() == pattern % (1 << 63)


def test_little_endian():
    writer = ByteWriter()
    writer.little_endian(-2, 4)
    writer.little_endian_list([1, -1], 8)
    assert writer.data == bytes.fromhex("FE FF FF FF 02 01 00 00 00 00 00 00 00") + b"\xff" * 8
    reader = byte_reader(writer.data)
    assert reader.little_endian(4, signed=True) == -2
    assert reader.little_endian_list(8, "numbers") == [1, -1]
    assert reader.remaining == 0


def test_padding():
    writer = ByteWriter()
    writer.byte(1)
    writer.pad(4)
    writer.pad(4)
    assert writer.data == b"\x01\xcb\xcb\xcb"
    reader = byte_reader(b"\x01\x00\xff\x02\x03")
    reader.byte()
    reader.skip_padding(4)
    assert reader.byte() == 3
    with pytest.raises(BytecodeError, match="3 bytes do not fit into the remaining 0"):
        reader.skip_padding(4)


def test_padding_is_relative_to_the_start_of_the_range():
    reader = ByteReader(b"\x00\x00\x00\x01\xcb\xcb\xcb\x02", 3, 8, "test")
    reader.byte()
    reader.skip_padding(4)
    assert reader.byte() == 2


@pytest.mark.parametrize("count", [3, 1 << 60, (1 << 64) - 1])
def test_counts_are_checked_before_anything_is_made(count: int):
    with pytest.raises(BytecodeError, match=f"{count} things do not fit into the remaining 2"):
        byte_reader(varint(count) + b"\0\0").count("things")


# Files

SCALARS = {
    "i1": 0, "i8": 1, "i16": 2, "i32": 3, "i64": 4, "f16": 5, "bf16": 6, "f32": 7, "tf32": 8,
    "f64": 9, "f8E4M3FN": 10, "f8E5M2": 11, "token": 17, "f8E8M0FNU": 18, "f4E2M1FN": 19,
    "i4": 22, "fnv8E5M3FNU": 130,
}  # fmt: skip
DYNAMIC = -(1 << 63)

EMPTY = File()
EMPTY_TEXT = "entry @k() {\n  return\n}\n"


def scalar(name: str) -> bytes:
    return varint(SCALARS[name])


def tile(element: int, *shape: int) -> bytes:
    """A tile type; its element is given by index."""
    return b"\x0d" + varint(element) + vector(8, *shape)


def function(*inputs: int) -> bytes:
    return b"\x10" + vector_of(*map(varint, inputs)) + b"\x00"


def vector_of(*items: bytes) -> bytes:
    return varint(len(items)) + b"".join(items)


def with_constant(element: str, data: bytes, *shape: int) -> File:
    """A kernel with one constant."""
    return File(
        types=(NO_ARGUMENTS, scalar(element), tile(1, *shape)),
        constants=(data,),
        body=b"\x10\x02\x00" + RETURN,
        version=(13, 4),
    )


def with_argument(*types: bytes, version: tuple[int, int] = (13, 4)) -> File:
    """A kernel with an argument of the last type."""
    return File(version=version, types=(*types, function(len(types) - 1)), signature=len(types))


def with_body(body: bytes, version: tuple[int, int] = (13, 4), **parts: object) -> File:
    """
    A kernel with arguments 0: tile<i1>, 1: tile<i32>, 2: tile<f32>, of the types 1, 3, 5;
    type 6 is the token, 7 is i64.
    """
    types = (
        scalar("i1"), tile(0), scalar("i32"), tile(2), scalar("f32"), tile(4), scalar("token"),
        scalar("i64"), function(1, 3, 5),
    )  # fmt: skip
    file = File(version=version, types=types, signature=8, body=body + RETURN)
    return replace(file, **parts)


def with_hint(value: bytes, strings: tuple[bytes, ...] = (), **parts: object) -> File:
    """A kernel with a hint; its types are 0: () -> (), 1: i32, 2: i1, 3: tile<i32>, 4: f32."""
    hints = b"\x0b\x01\x01" + b"\x0a\x01\x02" + value
    types = (NO_ARGUMENTS, scalar("i32"), scalar("i1"), tile(1), scalar("f32"))
    file = File(flags=6, hints=hints, strings=(b"k", b"sm_90", b"x", *strings), types=types)
    return replace(file, **parts)


@dataclass(frozen=True)
class Case:
    """A file, and either the text it has or a part of the message it is rejected with."""

    name: str
    data: bytes
    text: str | None = None
    error: str | None = None
    nvidia: str | None = None
    """The words of NVIDIA's tool where ours are others."""


def accepted(name: str, file: File | bytes, text: str) -> Case:
    return Case(name, file if isinstance(file, bytes) else file.assemble(), text)


def rejected(name: str, file: File | bytes, error: str, nvidia: str | None = None) -> Case:
    data = file if isinstance(file, bytes) else file.assemble()
    return Case(name, data, error=error, nvidia=nvidia)


def header_cases() -> Iterator[Case]:
    sections = list(EMPTY.sections())
    yield accepted("minimal", EMPTY, EMPTY_TEXT)
    for minor in range(1, 5):
        yield accepted(f"version_13.{minor}", replace(EMPTY, version=(13, minor)), EMPTY_TEXT)
    for version in ((13, 0), (13, 5), (12, 1), (14, 1), (250, 0)):
        major, minor = version
        yield rejected(
            f"version_{major}.{minor}",
            replace(EMPTY, version=version, tag=7),
            f"unsupported Tile version {major}.{minor}.7, this reader supports versions "
            "[13.1 - 13.4]",
        )
    yield accepted("preview_tag", replace(EMPTY, tag=1), EMPTY_TEXT)
    yield rejected("empty_file", b"", "not Tile IR bytecode: wrong magic number", "")
    yield rejected("wrong_magic", b"\x7fTileIR\x01" + EMPTY.assemble()[8:], "wrong magic", "")
    yield rejected("mlir_bytecode", b"ML\xefR\x06MLIR\0", "this is MLIR bytecode", "")
    yield rejected("only_magic", MAGIC, "unexpected end of data", "")
    yield rejected("no_end", EMPTY.assemble(end=b""), "unexpected end of data", "")
    yield rejected("bytes_after_end", EMPTY.assemble(end=b"\0\0"), "end marker", "")
    yield rejected("aligned_end", EMPTY.assemble(end=b"\x80"), "end marker", "")
    yield rejected("aligned_end_4", EMPTY.assemble(end=b"\x80\x00\x04"), "end marker", "")
    yield rejected(
        "section_8", EMPTY.assemble([*sections, Section(8, b"")]), "unknown section ID: 8"
    )
    yield rejected(
        "section_127", EMPTY.assemble([*sections, Section(127, b"", 8)]), "unknown section ID: 127"
    )


def section_cases() -> Iterator[Case]:
    sections = list(replace(EMPTY, strings=(b"k", b"p"), producer=1).sections())
    text = f"// Producer: p\n{EMPTY_TEXT}"
    yield accepted("reversed_sections", EMPTY.assemble(sections[::-1]), text)
    rotated = [*sections[1:], sections[0]]
    yield accepted("rotated_sections", EMPTY.assemble(rotated), text)
    yield accepted(
        "large_alignment",
        EMPTY.assemble([replace(item, alignment=64) for item in sections]),
        text,
    )
    for missing, what in ((STRING, "string"), (FUNC, "function")):
        left = [item for item in sections if item.number != missing]
        yield rejected(f"no_{what}_section", EMPTY.assemble(left), f"{what} section is mandatory")
    other = replace(EMPTY, strings=(b"other",))
    yield accepted(
        "repeated_section_replaces",
        EMPTY.assemble([*EMPTY.sections(), *other.sections()]),
        "entry @other() {\n  return\n}\n",
    )
    for minor in range(1, 5):
        file = replace(EMPTY, version=(13, minor), strings=(b"k", b"p"), producer=1)
        yield accepted(f"producer_13.{minor}", file, text)
    whole = list(
        replace(EMPTY, constants=(b"\0",), debug=debug((), (), (b"\0",)), globals=b"\0").sections()
    )
    yield accepted("all_sections", EMPTY.assemble(whole), EMPTY_TEXT)
    for number, alignment in ((STRING, 4), (FUNC, 8), (DEBUG, 8), (CONSTANT, 8), (TYPE, 4)):
        need = f"section {number} must have alignment that is a multiple of {alignment} bytes"
        for actual in (None, 1, 2, alignment // 2, 3, 12, 0):
            changed = [
                replace(item, alignment=actual) if item.number == number else item for item in whole
            ]
            if actual is None:
                message = f"{need}, but has no alignment flag set"
            elif actual in (3, 12, 0):
                message = f"invalid alignment value: {actual}"
            else:
                message = f"{need}, but has alignment of {actual}"
            yield rejected(f"section_{number}_alignment_{actual}", EMPTY.assemble(changed), message)
    for number in (GLOBAL, PRODUCER):
        changed = [
            replace(item, alignment=16) if item.number == number else item
            for item in replace(EMPTY, globals=b"\0", producer=0).sections()
        ]
        yield accepted(
            f"section_{number}_alignment_16",
            EMPTY.assemble(changed),
            f"// Producer: k\n{EMPTY_TEXT}",
        )
    yield rejected(
        "section_too_long",
        MAGIC + bytes([13, 4, 0, 0, 0x81, 0x7F, 4, 0xCB, 0xCB, 0xCB]),
        "127 bytes do not fit",
        "",
    )
    yield rejected(
        "section_of_2_to_the_60",
        MAGIC + bytes([13, 4, 0, 0, 7]) + varint(1 << 60),
        "do not fit",
        "",
    )


def table_cases() -> Iterator[Case]:
    def with_table(number: int, data: bytes) -> bytes:
        sections = [
            replace(item, payload=data) if item.number == number else item
            for item in EMPTY.sections()
        ]
        return EMPTY.assemble(sections)

    name = b"k"
    yield rejected("no_strings", with_table(STRING, b"\0"), "index 0 is out of range", "")
    yield rejected(
        "string_offsets", with_table(STRING, b"\x02\xcb\xcb\xcb\0\0\0\0"), "do not fit", ""
    )
    yield rejected("string_count", with_table(STRING, varint(1 << 60)), "do not fit", "")
    yield rejected(
        "string_offset",
        with_table(STRING, b"\x01\xcb\xcb\xcb" + little_endian(4, 9) + name),
        "offset 9 of strings 0 is out of range",
        "",
    )
    yield rejected(
        "decreasing_offsets",
        with_table(STRING, b"\x02\xcb\xcb\xcb" + little_endian(4, 1, 0) + name),
        "out of range",
        "",
    )
    yield accepted(
        "unused_offsets",
        with_table(STRING, b"\x03\xcb\xcb\xcb" + little_endian(4, 0, 1, 99) + name),
        EMPTY_TEXT,
    )
    yield accepted(
        "any_padding",
        with_table(STRING, b"\x01\x00\xff\x01" + little_endian(4, 0) + name),
        EMPTY_TEXT,
    )
    yield accepted(
        "long_count",
        with_table(STRING, b"\x81\x80\x00\xcb" + little_endian(4, 0) + name),
        EMPTY_TEXT,
    )
    yield accepted("empty_table_with_rest", with_table(TYPE, table((NO_ARGUMENTS,), 4)), EMPTY_TEXT)
    yield rejected(
        "name_index", replace(EMPTY, functions=b"\x01\x07\x00\x02\x00\x00"), "index 7", ""
    )
    yield rejected("type_index", replace(EMPTY, signature=5), "index 5 is out of range", "")
    yield rejected(
        "constant_index",
        replace(with_constant("i8", b"\x05"), body=b"\x10\x02\x01" + RETURN),
        "index 1 is out of range",
        "",
    )


def type_cases() -> Iterator[Case]:
    for name in SCALARS:
        if name in ("token", "f4E2M1FN"):
            continue
        file = with_argument(scalar(name), tile(0))
        yield accepted(f"tile_{name}", file, f"entry @k(%arg0: tile<{name}>) {{\n  return\n}}\n")
    token = with_argument(scalar("token"))
    yield accepted("token", token, "entry @k(%arg0: token) {\n  return\n}\n")
    for name, type_name, since, older in (
        ("f8E8M0FNU", "Float8E8M0FNU", "13.2", 1),
        ("f4E2M1FN", "Float4E2M1FN", "13.3", 1),
        ("i4", "Int4", "13.3", 2),
        ("fnv8E5M3FNU", "FloatNV8E5M3FNU", "13.4", 3),
    ):
        yield rejected(
            f"{name}_in_13.{older}",
            with_argument(scalar(name), tile(0, 2), version=(13, older)),
            f"type '{type_name}' requires bytecode version {since}+, file version is 13.{older}",
        )
    for tag in (23, 24, 129, 131):
        yield rejected(f"tag_{tag}", with_argument(varint(tag)), f"unknown type tag: {tag}")
    view = b"\x0e\x00\x00" + vector(8, DYNAMIC, 64) + vector(8, 64, 1)
    for tag, name, rest in (
        (20, "GatherScatterViewType", b"\x00" + vector(4, 8, 8) + b"\x01\x00"),
        (21, "StridedViewType", b"\x00" + vector(4, 8, 8) * 2 + b"\x01" + vector(4, 0, 1)),
    ):
        old_view = b"\x0e\x00" + vector(8, DYNAMIC, 64) + vector(8, 64, 1)
        yield rejected(
            f"{name}_in_13.2",
            with_argument(scalar("f32"), old_view, varint(tag) + rest, version=(13, 2)),
            f"type '{name}' requires bytecode version 13.3+, file version is 13.2",
        )
    # Components may come later, and what follows a type in its item does not matter.
    forward = File(types=(function(1), tile(2), scalar("i32")))
    yield accepted("forward_types", forward, "entry @k(%arg0: tile<i32>) {\n  return\n}\n")
    trailing = File(types=(NO_ARGUMENTS + b"\x01\x02\x03",))
    yield accepted("bytes_after_a_type", trailing, EMPTY_TEXT)
    yield rejected("type_of_itself", File(types=(function(0),)), "type 0 refers to itself", "")
    cycle = File(types=(function(1), b"\x0c\x00\x02", tile(1)))
    yield rejected("types_in_a_circle", cycle, "refers to itself", "")
    yield rejected("truncated_type", File(types=(b"\x10\x00",)), "unexpected end of data", "")
    yield rejected("type_without_bytes", File(types=(b"",)), "unexpected end of data", "")
    yield rejected(
        "hostile_rank",
        with_argument(scalar("i32"), b"\x0d\x00" + varint(1 << 60)),
        "dimensions do not fit",
        "",
    )
    yield rejected(
        "dimension_3",
        with_argument(scalar("i32"), tile(0, 3)),
        "all dimensions must be powers of two, got 3",
    )
    yield rejected(
        "padding_5",
        with_argument(
            scalar("f32"), view, b"\x0f\x01" + vector(4, 8, 4) + b"\x01" + vector(4, 0, 1) + b"\x05"
        ),
        "invalid integer value for enum type: 5",
        "",
    )
    yield rejected(
        "view_of_a_scalar",
        with_argument(scalar("f32"), b"\x0f\x00" + vector(4, 8) + b"\x00" + vector(4, 0)),
        "expected a tensor_view type",
        "",
    )
    yield rejected(
        "ptr_attr_1",
        with_argument(scalar("f32"), b"\x0c\x01\x00\x01", tile(1)),
        "invalid integer",
        "",
    )


def view_type_cases() -> Iterator[Case]:
    """The padding of a partition view is told by a byte before 13.3, then by flags."""

    def partition(*payload: bytes, minor: int) -> File:
        flags = b"\x00" if minor >= 4 else b""
        view = b"\x0e" + flags + b"\x00" + vector(8, 64) + vector(8, 1)
        return with_argument(scalar("f32"), view, b"\x0f" + b"".join(payload), version=(13, minor))

    def text(padding: str) -> str:
        view = "tensor_view<64xf32, strides=[1]>"
        return f"entry @k(%arg0: partition_view<tile=(8), {padding}{view}>) {{\n  return\n}}\n"

    fields = vector(4, 8) + b"\x01" + vector(4, 0)
    nan = "padding_value = nan, "
    for minor in (1, 2):
        yield accepted(f"no_padding_13.{minor}", partition(fields, b"\x00", minor=minor), text(""))
        for present in (b"\x01", b"\x02", b"\xfe"):
            yield accepted(
                f"padding_13.{minor}_{present.hex()}",
                partition(fields, present, b"\x02", minor=minor),
                text(nan),
            )
    for minor in (3, 4):
        yield accepted(f"no_padding_13.{minor}", partition(b"\x00", fields, minor=minor), text(""))
        yield accepted(
            f"padding_13.{minor}", partition(b"\x01", fields, b"\x02", minor=minor), text(nan)
        )
        yield accepted(
            f"unknown_flags_13.{minor}", partition(b"\x02", fields, minor=minor), text("")
        )


def constant_cases() -> Iterator[Case]:
    def text(literal: str, ty: str) -> str:
        return f"= constant <{literal}> : {ty}"

    packed = with_constant("i1", b"\x05", 8)
    yield accepted(
        "i1_packed",
        packed,
        text("i1: [true, false, true, false, false, false, false, false]", "tile<8xi1>"),
    )
    yield accepted(
        "i1_surplus_bits", with_constant("i1", b"\xfd", 2), text("i1: [true, false]", "tile<2xi1>")
    )
    yield accepted("i1_scalar_surplus", with_constant("i1", b"\xfe"), text("i1: false", "tile<i1>"))
    yield accepted(
        "i1_splat_true", with_constant("i1", b"\x01", 16), text("i1: true", "tile<16xi1>")
    )
    yield accepted("i1_splat_ff", with_constant("i1", b"\xff", 16), text("i1: true", "tile<16xi1>"))
    yield accepted(
        "i1_splat_false", with_constant("i1", b"\xfe", 16), text("i1: false", "tile<16xi1>")
    )
    yield accepted(
        "i1_two_bytes",
        with_constant("i1", b"\xff\x7f", 16),
        text(f"i1: [{'true, ' * 15}false]", "tile<16xi1>"),
    )
    for size in (0, 3):
        yield rejected(
            f"i1_payload_{size}",
            with_constant("i1", b"\x01" * size, 16),
            f"i1 dense attribute payload size {size} is not a recognized encoding for 16 elements",
        )
    for element, size in (
        ("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("f16", 2), ("bf16", 2), ("tf32", 3),
        ("f32", 4), ("f64", 8), ("f8E4M3FN", 1), ("f8E5M2", 1), ("f8E8M0FNU", 1), ("f4E2M1FN", 1),
    ):  # fmt: skip
        zero = "0" if element.startswith("i") else "0.000000e+00"
        literal = "5.877470e-39" if element == "f8E8M0FNU" else zero
        for count in (1, 4):
            yield accepted(
                f"{element}_{count}_of_4",
                with_constant(element, bytes(size * count), 4),
                text(f"{element}: {literal}", f"tile<4x{element}>"),
            )
        for wrong in (0, size + 1, 4 * size + 1):
            if wrong != 4 * size:
                yield rejected(
                    f"{element}_payload_{wrong}",
                    with_constant(element, bytes(wrong), 4),
                    "failed to validate buffer size and format",
                )
    yield accepted(
        "tf32_elements",
        with_constant("tf32", bytes.fromhex("00FC01 00FC03 00FC05 000000"), 4),
        text("tf32: [1.000000e+00, 0x3FC00, -1.000000e+00, 0.000000e+00]", "tile<4xtf32>"),
    )
    yield accepted(
        "f4_elements",
        with_constant("f4E2M1FN", bytes([1, 2, 7, 9]), 4),
        text(
            "f4E2M1FN: [5.000000e-01, 1.000000e+00, 6.000000e+00, -5.000000e-01]",
            "tile<4xf4E2M1FN>",
        ),
    )
    no_number = "expect Cuda Tile integer or float type but got: "
    for name, ty, words in (
        ("i4", tile(1), "result #0 must be tile of "),
        ("token", b"\x11", no_number),
        ("function", NO_ARGUMENTS, no_number),
    ):
        file = replace(with_constant("i8", b"\x05"), types=(NO_ARGUMENTS, scalar("i4"), ty))
        yield rejected(f"constant_of_{name}", file, no_number, words)
    shared = File(
        types=(NO_ARGUMENTS, scalar("i32"), tile(1), scalar("f32"), tile(3)),
        constants=(bytes.fromhex("0000803F"),),
        body=b"\x10\x02\x00\x10\x04\x00" + RETURN,
    )
    yield accepted(
        "one_item_two_types",
        shared,
        "  %cst_1065353216_i32 = constant <i32: 1065353216> : tile<i32>\n"
        "  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>\n",
    )


def function_cases() -> Iterator[Case]:
    for minor in (1, 4):
        private = replace(EMPTY, flags=3, version=(13, minor))
        yield accepted(
            f"private_in_13.{minor}",
            private,
            'entry @k() {\n  return\n} {sym_visibility = "private"}\n',
        )
    nameless = replace(EMPTY, strings=(b"",))
    yield rejected("empty_name", nameless, "function name at index 0 is empty")
    for flags in (0, 1):
        yield rejected(
            f"flags_{flags}", replace(EMPTY, flags=flags), "un-expected non-entry function 'k'"
        )
    for bit in (8, 0x80):
        yield rejected(
            f"flags_{bit}_in_13.4",
            replace(EMPTY, flags=2 | bit),
            f"function entry has unrecognized flag bits ({bit:#x});",
        )
        for minor in (1, 2, 3):
            file = replace(EMPTY, flags=2 | bit, version=(13, minor))
            yield accepted(f"flags_{bit}_in_13.{minor}", file, EMPTY_TEXT)
    padded = replace(EMPTY, functions=EMPTY.function_payload + b"\xcb\x00\xff")
    yield accepted("bytes_after_the_functions", padded, EMPTY_TEXT)
    yield accepted("no_functions", replace(EMPTY, functions=b"\0", globals=None), "")
    yield rejected("function_count", replace(EMPTY, functions=varint(1 << 60)), "do not fit", "")
    yield rejected(
        "body_too_long", replace(EMPTY, functions=b"\x01\x00\x00\x02\x00\x7f"), "do not fit", ""
    )
    yield rejected("empty_body", replace(EMPTY, body=b""), "", "")
    yield rejected("body_ends_in_an_op", replace(EMPTY, body=b"\x5c\x00"), "unexpected end", "")
    yield rejected(
        "signature_is_no_function",
        File(types=(scalar("i32"),)),
        "expected a function type",
        "",
    )
    yield rejected(
        "entry_hints_are_a_string",
        replace(EMPTY, flags=6, hints=b"\x05\x00"),
        "expected optimization hints",
        "",
    )
    two = EMPTY.function_payload[1:]
    both = replace(EMPTY, strings=(b"k", b"l"), functions=b"\x02" + two + b"\x01" + two[1:])
    yield accepted("two_functions", both, EMPTY_TEXT + EMPTY_TEXT.replace("@k", "@l"))
    yield rejected(
        "same_name", replace(EMPTY, functions=b"\x02" + two + two), "edefinition of symbol"
    )


def op_cases() -> Iterator[Case]:
    for minor, opcode in ((1, 0x6E), (2, 0x6F), (3, 0x76), (4, 0x7B), (4, 0x3000), (4, 0x4002)):
        yield rejected(
            f"opcode_{opcode:#x}_in_13.{minor}",
            with_body(varint(opcode), (13, minor)),
            f"unsupported opcode {opcode} for bytecode version 13.{minor}",
        )
    for opcode in (0x19, 0x24, 0x34, 0x39):
        yield rejected(
            f"opcode_{opcode:#x}",
            with_body(varint(opcode)),
            f"unknown or unimplemented opcode: {opcode}",
        )
    for opcode, name in ((0x16, "entry"), (0x31, "global"), (0x4B, "module")):
        yield rejected(f"opcode_of_{name}", with_body(varint(opcode)), "opcode: ", "")
    yield accepted(
        "addi", with_body(b"\x03\x03\x01\x01\x01"), "addi %arg1, %arg1 overflow<no_signed_wrap> :"
    )
    yield rejected(
        "overflow_4", with_body(b"\x03\x03\x04\x01\x01"), "invalid integer value for enum type: 4"
    )
    yield accepted(
        "unknown_flag_bits",
        with_body(b"\x18\x05" + varint(0xFE) + b"\x02"),
        "exp2 %arg2 : tile<f32>",
    )
    yield accepted(
        "flag_bit_0",
        with_body(b"\x18\x05" + varint(0xFF) + b"\x02"),
        "exp2 %arg2 flush_to_zero : tile<f32>",
    )
    yield rejected("value_3", with_body(b"\x03\x03\x00\x01\x03"), "value 3 is not defined here", "")
    yield rejected(
        "value_huge", with_body(b"\x03\x03\x00\x01" + varint(1 << 63)), "not defined", ""
    )
    # Values of a region end with it: value 3 is the constant of the branch, then the addition.
    branch = b"\x32\x00\x00\x02" + b"\x01\x00\x02" + b"\x01\x03\x01" + b"\x6d\x00\x00" + b"\x00"
    yield accepted(
        "absent_else",
        with_body(branch + b"\x03\x03\x00\x01\x01" + b"\x01\x03\x03"),
        "  if %arg0 {\n    %2 = absi %arg1 : tile<i32>\n  }\n"
        "  %0 = addi %arg1, %arg1 : tile<i32>\n  %1 = absi %0 : tile<i32>\n",
    )
    yield rejected("value_of_a_region", with_body(branch + b"\x01\x03\x03"), "not defined here", "")
    yield rejected(
        "one_region", with_body(b"\x32\x00\x00\x01" + branch[4:-1]), "regions, got 1", ""
    )
    structure = "invalid block structure: block is expected to have a terminator operation, but"
    yield rejected(
        "empty_block", with_body(b"\x32\x00\x00\x02\x01\x00\x00\x00"), f"{structure} it is empty"
    )
    yield rejected(
        "no_terminator",
        with_body(b"\x32\x00\x00\x02\x01\x00\x01\x01\x03\x01\x00"),
        f"{structure} the last operation 'cuda_tile.absi' is not a terminator.",
    )
    yield rejected(
        "two_blocks",
        with_body(b"\x32\x00\x00\x02\x02" + b"\x00\x01\x6d\x00\x00" * 2 + b"\x00"),
        "",
        "",
    )
    yield rejected("blocks", with_body(b"\x32\x00\x00\x02" + varint(1 << 60)), "do not fit", "")
    yield rejected(
        "operations", with_body(b"\x32\x00\x00\x02\x01\x00" + varint(1 << 60)), "do not fit", ""
    )
    yield rejected(
        "invalid_program",
        with_body(b"\x03\x05\x00\x01\x01"),
        "verification failed for deserialized cuda_tile::ModuleOp",
    )
    yield rejected(
        "use_in_its_own_operands", with_body(b"\x01\x03\x03"), "value 3 is not defined here", ""
    )
    for code, extra in ((0x7FFFFFFF, 1), (-0x80000000, 0)):
        yield rejected(
            f"permutation_{extra}",
            with_body(b"\x53\x03" + vector(4, code, 0) + b"\x01"),
            f"array contains unsupported value {code}",
        )
    yield rejected(
        "empty_symbol",
        with_body(b"\x2c\x03\x01", strings=(b"k", b"")),
        "empty symbol reference is invalid",
    )
    # Enumerations are not checked against the version.
    yield accepted(
        "nearest_away_in_13.1",
        File(
            version=(13, 1),
            types=(scalar("f32"), tile(0), scalar("tf32"), tile(2), function(1)),
            signature=4,
            body=b"\x2a\x03\x07\x00" + RETURN,
        ),
        "ftof %arg0 rounding<nearest_away> : tile<f32> -> tile<tf32>",
    )


def with_reduction(dim: bytes, identities: bytes, element: str = "f32") -> File:
    """A kernel that reduces a constant."""
    body = b"\x10\x02\x00" + b"\x58\x01\x03" + dim + identities + b"\x01\x00"
    body += b"\x01\x01\x02\x03\x03\x01\x6d\x00\x01\x01" + RETURN
    types = (NO_ARGUMENTS, scalar(element), tile(1, 4), tile(1))
    return File(types=types, constants=(bytes(8 if element == "f64" else 4),), body=body)


def reduction_cases() -> Iterator[Case]:
    zero = b"\x01\x02\x01\x00"
    yield accepted("sum", with_reduction(b"\x00", zero), "identities=[0.000000e+00 : f32]")
    yield rejected(
        "dim_of_33_bits",
        with_reduction(varint(1 << 32), zero),
        "value 4294967296 does not fit in 32 bits",
    )
    yield rejected(
        "negative_dim",
        with_reduction(varint((1 << 32) - 1), zero),
        "attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose "
        "value is non-negative",
    )
    infinity = 0xFFF0_0000_0000_0000
    yield accepted(
        "identity_of_64_bits",
        with_reduction(b"\x00", b"\x01\x02\x01" + svarint(infinity - (1 << 64)), "f64"),
        "identities=[0xFFF0000000000000 : f64]",
    )
    # What an encoder makes of it that computes with unbounded integers: the sign is lost.
    yield accepted(
        "identity_of_65_bits",
        with_reduction(b"\x00", b"\x01\x02\x01" + varint(infinity << 1), "f64"),
        "identities=[0x7FF0000000000000 : f64]",
    )


def older_version_cases() -> Iterator[Case]:
    """Fields that came later have defaults."""
    yield accepted(
        "for_in_13.1",
        with_body(b"\x29\x00\x03\x01\x01\x01\x01\x01\x01\x03\x01\x11\x00\x00", (13, 1)),
        "  for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {\n  }\n",
    )
    yield accepted(
        "unsigned_for_in_13.2",
        with_body(b"\x29\x00\x01\x03\x01\x01\x01\x01\x01\x01\x03\x01\x11\x00\x00", (13, 2)),
        "  for unsigned %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {\n  }\n",
    )
    yield accepted("negi_in_13.1", with_body(b"\x50\x03\x01", (13, 1)), "= negi %arg1 : tile<i32>")
    yield accepted(
        "negi_in_13.2",
        with_body(b"\x50\x03\x01\x01", (13, 2)),
        "negi %arg1 overflow<no_signed_wrap>",
    )
    yield accepted("tanh_in_13.1", with_body(b"\x6a\x05\x02", (13, 1)), "= tanh %arg2  : tile<f32>")
    yield accepted(
        "tanh_in_13.2", with_body(b"\x6a\x05\x04\x02", (13, 2)), "= tanh %arg2 rounding<approx> :"
    )
    yield accepted("exp_in_13.2", with_body(b"\x17\x05\x02", (13, 2)), "= exp %arg2  : tile<f32>")
    yield accepted(
        "exp_in_13.3", with_body(b"\x17\x05\x04\x02", (13, 3)), "= exp %arg2 rounding<approx> :"
    )
    yield accepted(
        "ftoi_in_13.3",
        with_body(b"\x2b\x03\x01\x06\x02", (13, 3)),
        "= ftoi %arg2 signed  : tile<f32>",
    )
    yield accepted(
        "ftoi_in_13.4",
        with_body(b"\x2b\x03\x01\x01\x06\x02", (13, 4)),
        "= ftoi %arg2 signed  saturating :",
    )
    yield accepted(
        "fpowf_in_13.1", with_body(b"\x54\x05\x02\x02", (13, 1)), "= fpowf %arg2, %arg2 : tile<f32>"
    )
    # `print` had no token, so the next value is number 3.
    yield accepted(
        "print_in_13.1",
        with_body(b"\x55\x00\x00\x00\x01\x03\x01\x01\x03\x03", (13, 1)),
        '  %0 = print_tko "k" -> token\n'
        "  %1 = absi %arg1 : tile<i32>\n  %2 = absi %1 : tile<i32>\n",
    )
    for minor, results, expected in ((1, b"\x01\x06", 0), (2, b"\x00", 1), (4, b"\x02\x06\x06", 1)):
        yield rejected(
            f"results_of_print_in_13.{minor}",
            with_body(b"\x55" + results + b"\x00" * (2 if minor == 1 else 3), (13, minor)),
            f"result count mismatch for PrintTkoOp: expected {expected} compatible results but got "
            f"{results[0]}",
        )
    yield accepted(
        "print_in_13.2",
        with_body(b"\x55\x01\x06\x00\x00\x00\x55\x01\x06\x01\x00\x00\x03", (13, 2)),
        '  %0 = print_tko "k" -> token\n  %1 = print_tko "k" token=%0 -> token\n',
    )


def debug_cases() -> Iterator[Case]:
    file, unit = b"\x02\x01\x02", b"\x01\x01"
    subprogram = b"\x05\x01\x03\x00\x00\x02\x03"
    location = b"\x04\x03\x03\x07\x05"
    attributes = (file, unit, subprogram, location)
    strings = (b"k", b"a.py", b"/t", b"/t/a.py", b"")
    base = File(strings=strings, location=1)
    yield accepted(
        "locations",
        replace(base, debug=debug((0,), (4, 4), attributes)),
        '#loc = loc("/t/a.py":7:5)\n',
    )
    yield accepted(
        "unknown_index", replace(base, debug=debug((0,), (4, 0), attributes)), "loc(#loc1)"
    )
    yield accepted(
        "row_in_the_middle",
        replace(base, debug=debug((0, 2), (0, 0, 4, 4), attributes), location=2),
        '#loc = loc("/t/a.py":7:5)\n',
    )
    yield accepted(
        "location_0",
        replace(base, debug=debug((0,), (4, 4), attributes), location=0),
        "return loc(#loc)",
    )
    yield accepted(
        "unknown_tag", replace(base, debug=debug((0,), (1, 1), (b"\x63",))), "loc(unknown)"
    )
    yield accepted("tag_0", replace(base, debug=debug((0,), (1, 1), (b"\x00",))), "loc(unknown)")
    yield accepted(
        "file_without_a_name",
        replace(base, debug=debug((0,), (4, 4), (*attributes[:3], b"\x04\x03\x04\x07\x05"))),
        '#loc = loc("-":7:5)\n',
    )
    message = "failed to read function location for 'k'"
    yield rejected("no_debug_section", base, message)
    yield rejected(
        "no_such_row", replace(base, debug=debug((0,), (4, 4), attributes), location=2), message
    )
    yield rejected(
        "row_too_short",
        replace(base, debug=debug((0,), (4,), attributes)),
        "failed to read operation location.",
    )
    yield rejected(
        "row_outside", replace(base, debug=debug((9,), (4,), attributes)), "failed to read", ""
    )
    yield rejected(
        "attribute_outside",
        replace(base, debug=debug((0,), (5, 5), attributes)),
        "out of range",
        "",
    )
    yield rejected(
        "scope_of_itself",
        replace(base, debug=debug((0,), (1, 1), (b"\x04\x01\x03\x07\x05",))),
        "refers to itself",
        "",
    )
    yield rejected(
        "scope_is_a_file",
        replace(base, debug=debug((0,), (4, 4), (*attributes[:3], b"\x04\x01\x03\x07\x05"))),
        "expected DILocalScopeAttr",
        "",
    )
    yield rejected(
        "location_is_a_file",
        replace(base, debug=debug((0,), (1, 1), attributes)),
        "expected a location",
        "",
    )
    outside = debug((0,), (1, 1), attributes).replace(
        little_endian(4, 0, 3, 5), little_endian(4, 99, 3, 5)
    )
    yield rejected("offset_outside", replace(base, debug=outside), "lies outside the section", "")
    overlapping = debug((0,), (1, 1), attributes).replace(
        little_endian(4, 0, 3, 5), little_endian(4, 0, 1, 5)
    )
    yield rejected("item_too_short", replace(base, debug=overlapping), "unexpected end of data", "")
    yield rejected("debug_counts", replace(base, debug=varint(1 << 60)), "do not fit", "")


def attribute_cases() -> Iterator[Case]:
    def text(value: str) -> str:
        return f"entry @k() optimization_hints=<sm_90 = {{x = {value}}}> {{\n  return\n}}\n"

    yield accepted("integer", with_hint(b"\x01\x01\x05"), text("5"))
    yield accepted("negative", with_hint(b"\x01\x01" + varint(0xFFFFFFFF)), text("-1"))
    yield accepted("boolean_as_integer", with_hint(b"\x01\x02\x01"), text("true"))
    yield accepted("boolean", with_hint(b"\x03\x01"), text("true"))
    yield accepted("false", with_hint(b"\x03\x00"), text("false"))
    yield accepted("string", with_hint(b"\x05\x03", (b'"\n',)), text(r'"\22\0A"'))
    yield accepted("type", with_hint(b"\x04\x04"), text("f32"))
    yield accepted("array", with_hint(b"\x06\x02\x01\x01\x05\x03\x00"), text("[5 : i32, false]"))
    yield accepted("dictionary", with_hint(b"\x0a\x01\x00\x01\x01\x05"), text("{k = 5 : i32}"))
    yield accepted(
        "div_by", with_hint(b"\x08\x10\x03\x08\x00"), text("#cuda_tile.div_by<16, every 4 along 0>")
    )
    yield accepted(
        "same_elements",
        with_hint(b"\x09" + vector(8, 1, -2)),
        text("#cuda_tile.same_elements<[1, -2]>"),
    )
    yield accepted("bounded", with_hint(b"\x0c\x01\x01"), text("#cuda_tile.bounded<-1, ?>"))
    yield accepted(
        "predicate_flags_are_a_varint",
        with_hint(b"\x06\x02\x08\x10\x84\x00\x0c\x82\x00\x01"),
        text("[#cuda_tile.div_by<16>, #cuda_tile.bounded<?, -1>]"),
    )
    yield accepted("any_byte_is_true", with_hint(b"\x01\x02\x02"), text("true"))
    for value in (1 << 32, (1 << 64) - 1):
        yield rejected(
            f"integer_{value}",
            with_hint(b"\x01\x01" + varint(value)),
            f"value {value} does not fit in 32 bits",
        )
    yield rejected(
        "float_of_33_bits",
        with_hint(b"\x02\x04" + svarint(0x1_3FC0_0000)),
        "value 5364514816 does not fit in 32 bits",
    )
    for name, value in (("hint", b""), ("array", b"\x06\x01")):
        yield rejected(
            f"dense_in_a_{name}",
            with_hint(value + b"\x07\x03\x00", constants=(b"\x05\0\0\0",)),
            "unknown DenseElementsAttr based Attr",
        )
    for tag in (0, 13, 99):
        yield rejected(
            f"tag_{tag}",
            with_hint(varint(tag)),
            f"unsupported AttributeTag {tag} for self-contained attribute",
        )
    yield rejected("integer_of_f32", with_hint(b"\x01\x04\x05"), "expected an integer type", "")
    yield rejected("float_of_i32", with_hint(b"\x02\x01\x05"), "expected a floating-point type", "")
    yield rejected(
        "empty_key", with_hint(b"\x0a\x01\x03\x01\x01\x05", (b"",)), "empty dictionary key", ""
    )
    twice = b"\x0a\x02" + b"\x00\x01\x01\x05" * 2
    yield rejected("duplicate_key", with_hint(twice), "duplicate dictionary key", "")
    yield rejected("elements", with_hint(b"\x06" + varint(1 << 60)), "do not fit", "")
    yield rejected(
        "hint_is_a_number",
        replace(with_hint(b""), hints=b"\x0b\x01\x01\x01\x01\x05"),
        "expected dictionary attribute for optimization_hints entry `sm_90`",
        "",
    )
    yield rejected(
        "predicate_is_a_string",
        with_body(b"\x06\x03\x05\x00\x01"),
        "expected an assume predicate",
        "",
    )


def global_cases() -> Iterator[Case]:
    base = File(
        strings=(b"k", b"g"),
        types=(NO_ARGUMENTS, scalar("i8"), tile(1, 2)),
        constants=(b"\x01\x02",),
        globals=b"\x01\x01\x02\x00\x10\x01\x01",
    )
    yield accepted(
        "global",
        base,
        "global private  constant @g alignment = 16 <i8: [1, 2]> : tile<2xi8>\n" + EMPTY_TEXT,
    )
    yield accepted(
        "public_global",
        replace(base, globals=b"\x01\x01\x02\x00\x00\x00\x00"),
        "global  @g <i8: [1, 2]> : tile<2xi8>\n" + EMPTY_TEXT,
    )
    yield accepted(
        "global_in_13.2",
        replace(base, globals=b"\x01\x01\x02\x00\x08", version=(13, 2)),
        "global  @g alignment = 8 <i8: [1, 2]> : tile<2xi8>\n" + EMPTY_TEXT,
    )
    yield rejected(
        "visibility_2",
        replace(base, globals=b"\x01\x01\x02\x00\x10\x02\x01"),
        "invalid integer value",
        "",
    )
    yield rejected(
        "global_is_no_tile",
        replace(base, globals=b"\x01\x01\x01\x00\x10\x00\x00"),
        "expected a tile type",
        "",
    )
    yield rejected(
        "global_without_a_name",
        replace(base, strings=(b"k", b"")),
        "global symbol name at index 1 is empty",
    )
    yield rejected("global_counts", replace(base, globals=varint(1 << 60)), "do not fit", "")
    yield rejected(
        "rank_0_global",
        replace(base, types=(NO_ARGUMENTS, scalar("i8"), tile(1)), constants=(b"\x01",)),
        "type must have rank 1",
    )


CASES = tuple(
    replace(case, name=f"{group.__name__.removesuffix('_cases')}-{case.name}")
    for group in (
        header_cases,
        section_cases,
        table_cases,
        type_cases,
        view_type_cases,
        constant_cases,
        function_cases,
        op_cases,
        reduction_cases,
        older_version_cases,
        debug_cases,
        attribute_cases,
        global_cases,
    )
    for case in group()
)
NOT_WRITTEN = ("op-nearest_away_in_13.1", "section-producer_13.1", "section-producer_13.2")
"""Reading takes what came with a later version, writing does not."""

every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@every_case
def test_rule(case: Case):
    if case.error is not None:
        with pytest.raises(BytecodeError) as info:
            read(case.data)
        assert case.error in str(info.value)
        return
    assert case.text is not None
    module = read(case.data)
    assert case.text in print_public(module, debuginfo=case.name.startswith("debug"))
    version = f"{case.data[8]}.{case.data[9]}"
    if case.name not in NOT_WRITTEN:
        assert_same(read(write(module, version)), module)


@pytest.mark.every(3)
@every_case
def test_nvidia_has_the_same_rule(case: Case, disassemble: Disassembler):
    is_debug = case.name.startswith("debug")
    result = disassemble(case.data, *(("--print-debug-info",) if is_debug else ()))
    if case.error is not None:
        assert result.code != 0
        assert (case.error if case.nvidia is None else case.nvidia) in result.diagnostics
        return
    assert result.code == 0, result.diagnostics
    assert result.text.strip() == print_public(read(case.data), debuginfo=is_debug).strip()


# The examples of the format's description

EXAMPLE_13_3 = """
7F 54 69 6C 65 49 52 00  0D 03 00 00
82 18 08 CB
01 00 02 02 00 0B
10 01 00
03 01 01 00 01
5C 00 00
CB CB CB CB CB CB CB
84 15 08 CB CB CB CB CB
01 CB CB CB CB CB CB CB  00 00 00 00 00 00 00 00  04 05 00 00 00
85 18 04
03 CB CB CB  00 00 00 00 01 00 00 00 04 00 00 00
03
0D 00 00
10 01 01 00
07 01 01
81 15 04 CB CB
02 CB CB CB  00 00 00 00 01 00 00 00  6B 64 65 6D 6F 20 31 2E 30
00
"""
EXAMPLE_13_3_TEXT = """\
// Producer: demo 1.0
entry @k(%arg0: tile<i32>) {
  %cst_5_i32 = constant <i32: 5> : tile<i32>
  %0 = addi %arg0, %cst_5_i32 overflow<no_signed_wrap> : tile<i32>
  return
}
"""


def test_a_complete_file():
    """Every byte of it: it is read, and written from its text."""
    data = bytes.fromhex(EXAMPLE_13_3)
    assert len(data) == 126
    module = read(data)
    assert print_public(module) == EXAMPLE_13_3_TEXT
    assert write(module, "13.3") == data
    assert write(load(EXAMPLE_13_3_TEXT), "13.3") == data


def test_nvidia_reads_the_complete_file(disassemble: Disassembler):
    assert disassemble.text(bytes.fromhex(EXAMPLE_13_3)) == EXAMPLE_13_3_TEXT


EXAMPLE_13_4_TEXT = """\
global private  constant @g alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32> loc(#loc)
entry @k(%arg0: tile<i1>) {
  %0 = get_global @g : tile<ptr<f32>> loc(#loc4)
  if %arg0 {
    %result, %result_token = load_ptr_tko relaxed device %0 : tile<ptr<f32>> -> tile<f32>, token loc(#loc4)
  } loc(#loc4)
  return loc(#loc)
} loc(#loc3)
#di_file = #cuda_tile.di_file<"a.py" in "/t">
#loc = loc(unknown)
#loc1 = loc("/t/a.py":7:5)
#loc2 = loc("/t/a.py":9:1)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3, name = "k", linkageName = "k", compileUnit = #di_compile_unit, scopeLine = 3>
#loc3 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc4 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
"""  # noqa: E501
EXAMPLE_13_4 = File(
    strings=(b"k", b"g", b"a.py", b"/t", b"/t/a.py"),
    types=(
        b"\x07",
        b"\x0d\x00\x00",
        b"\x0d\x00\x01" + little_endian(8, 2),
        b"\x0c\x00\x00",
        b"\x0d\x03\x00",
        b"\x11",
        b"\x00",
        b"\x0d\x06\x00",
        b"\x10\x01\x07\x00",
    ),
    constants=(bytes.fromhex("0000803F 00000040"),),
    globals=bytes.fromhex("01 01 02 00 10 01 01"),
    functions=bytes.fromhex(
        "01 00 08 02 01 182C 04 01  32 00 00 0201 00 02  3D 01 05 01 01 01 01  6D 00 0000  5C 00 00"
    ),
    debug=debug(
        (0,),
        (4, 5, 5, 5, 0, 0),
        [
            bytes.fromhex(item)
            for item in (
                "02 02 03",
                "01 01",
                "05 01 03 00 00 02 03",
                "04 03 04 07 05",
                "04 03 04 09 01",
            )
        ],
    ),
)


def test_a_file_with_a_global_a_region_and_locations():
    module = read(EXAMPLE_13_4.assemble())
    assert print_public(module, debuginfo=True) == EXAMPLE_13_4_TEXT
    assert_same(read(write(module)), module)


def test_nvidia_reads_that_file(disassemble: Disassembler):
    data = EXAMPLE_13_4.assemble()
    assert disassemble.text(data, "--print-debug-info") == EXAMPLE_13_4_TEXT


@pytest.mark.parametrize(
    ("section", "payload"),
    [
        (GLOBAL, "01 00 01 00 10 01 01"),
        (
            FUNC,
            "01 01 04 02 01 18 2C 06 00 32 00 00 02 01 00 02 3D 07 08 01 01 01 01 6D 00 00 00"
            "5C 00 00 CB CB",
        ),
        (CONSTANT, "01 CBCBCBCBCBCBCB 0000000000000000 08 0000803F 00000040"),
        (
            DEBUG,
            "01 CBCBCB 00000000 06 CBCBCBCBCBCBCB 0400000000000000 0500000000000000"
            "0500000000000000 0500000000000000 0000000000000000 0000000000000000"
            "05 CBCBCB 00000000 03000000 05000000 0C000000 11000000"
            "02 02 03  01 01  05 01 03 01 01 02 03  04 03 04 07 05  04 03 04 09 01",
        ),
        (
            TYPE,
            "09 CBCBCB 00000000 01000000 0C000000 0D000000 10000000 14000000 17000000 1A000000"
            "1D000000  07  0D 00 01 0200000000000000  00  0D 02 00  10 01 03 00  0C 00 00"
            "0D 05 00  0D 00 00  11",
        ),
        (
            STRING,
            "05 CBCBCB 00000000 01000000 02000000 06000000 08000000" + b"gka.py/t/t/a.py".hex(),
        ),
    ],
)
def test_its_sections_are_written(section: int, payload: str):
    """Tables are in the order of first use, globals before functions."""
    data = write(read(EXAMPLE_13_4.assemble()))
    range_ = ModuleReader(data).sections[section]
    assert data[range_.start : range_.end].hex(" ") == bytes.fromhex(payload).hex(" ")


# Types


@pytest.mark.parametrize(
    ("version", "ty", "items"),
    [
        ("13.3", "tile<ptr<f32>>", ["07", "0C 00", "0D 01 00"]),
        ("13.4", "tile<ptr<f32>>", ["07", "0C 00 00", "0D 01 00"]),
        ("13.4", "tile<ptr<f32, <none>>>", ["07", "0C 01 00 00", "0D 01 00"]),
        (
            "13.3",
            "tensor_view<?x64xf32, strides=[64,?]>",
            [
                "07",
                "0E 00 02 0000000000000080 4000000000000000 02 4000000000000000 0000000000000080",
            ],
        ),
        ("13.4", "tensor_view<f32>", ["07", "0E 00 00 00 00"]),
        (
            "13.4",
            "tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>",
            ["07", "0E 01 00 01 0400000000000000 01 0100000000000000 00"],
        ),
        (
            "13.2",
            "partition_view<tile=(8), tensor_view<4xi8, strides=[1]>>",
            [
                "01",
                "0E 00 01 0400000000000000 01 0100000000000000",
                "0F 01 08000000 01 01 00000000 00",
            ],
        ),
        (
            "13.2",
            "partition_view<tile=(8), padding_value = zero, tensor_view<4xi8, strides=[1]>>",
            [
                "01",
                "0E 00 01 0400000000000000 01 0100000000000000",
                "0F 01 08000000 01 01 00000000 01 00",
            ],
        ),
        (
            "13.3",
            "partition_view<tile=(8), padding_value = zero, tensor_view<4xi8, strides=[1]>>",
            [
                "01",
                "0E 00 01 0400000000000000 01 0100000000000000",
                "0F 01 01 08000000 01 01 00000000 00",
            ],
        ),
        (
            "13.4",
            "partition_view<tile=(8x4), tensor_view<4x4xi8, strides=[4,1]>, dim_map=[1, 0]>",
            [
                "01",
                "0E 00 00 02 0400000000000000 0400000000000000 02 04000000000000000100000000000000",
                "0F 00 02 08000000 04000000 01 02 01000000 00000000",
            ],
        ),
        (
            "13.3",
            "gather_scatter_view<tile=(8), padding_value = nan, tensor_view<4xf16, strides=[1]>,"
            " sparse_dim=0>",
            [
                "05",
                "0E 00 01 0400000000000000 01 0100000000000000",
                "14 01 01 08000000 01 00 02",
            ],
        ),
        (
            "13.3",
            "strided_view<tile=(8), traversal_strides=[3], padding_value = neg_inf,"
            " tensor_view<4xf16, strides=[1]>>",
            [
                "05",
                "0E 00 01 0400000000000000 01 0100000000000000",
                "15 01 01 08000000 01 03000000 01 01 00000000 04",
            ],
        ),
        ("13.4", "tile<fnv8E5M3FNU>", ["82 01", "0D 00 00"]),
        ("13.4", "token", ["11"]),
    ],
)
def test_types_are_written(version: str, ty: str, items: list[str]):
    """The items of a type and its components, which come before it."""
    data = write(load(f"entry @k(%a: {ty}) {{\n  return\n}}"), version)
    table = ModuleReader(data).types
    written = [data[start:end].hex(" ") for start, end in table.bounds]
    *components, function_type = written
    assert components == [bytes.fromhex(item).hex(" ") for item in items]
    assert function_type == f"10 01 {len(components) - 1:02x} 00"


def test_equal_items_are_written_once():
    data = write(
        load(
            "entry @k(%a: tile<f32>, %b: tile<f32>, %c: tile<i1>) {\n"
            "  %0 = constant <f32: 1.0> : tile<f32>\n"
            "  %1 = constant <i32: 1065353216> : tile<i32>\n"
            '  assert %c, "k" : tile<i1>\n'
            "  return\n}"
        )
    )
    reader = ModuleReader(data)
    assert len(reader.constants.bounds) == 1
    assert len(reader.strings.bounds) == 1
    assert len(reader.types.bounds) == 7


def test_attributes_of_type_fnv8e5m3fnu():
    """xDSL has no numbers of this type, so NVIDIA's tools read more than we do."""
    file = with_reduction(b"\x00", b"\x01\x02\x01\x7c", "fnv8E5M3FNU")
    with pytest.raises(BytecodeError, match="cannot be a number of type"):
        read(file.assemble())


@pytest.mark.parametrize("name", [b"\xff", b"\xc3", b"k\xed\xa0\x80"])
def test_strings_are_utf_8(name: bytes):
    """NVIDIA's tools take any bytes."""
    with pytest.raises(BytecodeError, match="string 0 is not UTF-8"):
        read(replace(EMPTY, strings=(name,)).assemble())


# The table of encodings


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("T ! v:source", "cannot read ' ! v:source'"),
        ("T v:source !", "cannot read ' !'"),
        ("T x:source", "unknown field kind 'x'"),
    ],
)
def test_malformed_layouts(layout: str, message: str):
    with pytest.raises(LayoutError) as info:
        parse_layout(layout)
    assert message in str(info.value)
