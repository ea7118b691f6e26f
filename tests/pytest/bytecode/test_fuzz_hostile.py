"""
Files made to hurt the reader: each ends in a `BytecodeError` that tells what and where, or in a
module, within a time and an amount of memory that its size allows.
"""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.frontend.bytecode import MAGIC, BytecodeError, read, write
from tileiras_xdsl.frontend.bytecode.debug import MAX_CALL_SITES
from tileiras_xdsl.frontend.bytecode.primitives import MAX_DEPTH
from tileiras_xdsl.frontend.bytecode.reader import (
    CONSTANT,
    DEBUG,
    FUNC,
    GLOBAL,
    PRODUCER,
    SECTION_NAMES,
    STRING,
    TYPE,
)
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack

from ..harness.modules import parse_unverified
from ..harness.passes import run_steps
from .fuzzing import (
    DEBUG_ATTRIBUTES,
    HEADER_BYTES,
    Damage,
    Span,
    assemble,
    covering_seeds,
    doubling_types,
    nested_loops,
    section_list,
    section_payload,
    table,
    table_items,
    trace,
    varint,
    with_debug_info,
    with_section,
)

HUGE = 1 << 60
RETURN = b"\x5c\x00\x00"
MEMORY_BASE = 1 << 18
MEMORY_FACTOR = 3000
"""Bytes of memory for each byte of the file: an op of five bytes is a few kilobytes in Python."""
SECONDS = 5.0

EXAMPLES = Path(__file__).parents[3] / "examples" / "cpp"


def kernel(version: str = "13.4") -> bytes:
    """The smallest file: `entry @k() { return }`."""
    return write(parse_unverified("cuda_tile.module @m { entry @k() { return } }"), version)


def example(version: str = "13.4") -> bytes:
    """A file with all the sections but that for debug information."""
    text = """
      cuda_tile.module @m attributes {producer = "p"} {
        global @g <f32: [1.0, 2.0]> : tile<2xf32>
        entry @k(%a: tile<i32>, %c: tile<i1>) optimization_hints=<sm_100 = {occupancy = 2}> {
          %0 = constant <i32: [1, 2]> : tile<2xi32>
          %1 = addi %a, %a : tile<i32>
          %2 = get_global @g : tile<ptr<f32>>
          %3 = reduce %0 dim=0 identities=[0 : i32] : tile<2xi32> -> tile<i32>
          (%x: tile<i32>, %y: tile<i32>) {
            %4 = addi %x, %y : tile<i32>
            yield %4 : tile<i32>
          }
          if %c { yield } else { yield }
          return
        }
      }
    """
    if version in ("13.1", "13.2"):
        text = text.replace('attributes {producer = "p"}', "")
    return write(parse_unverified(text), version)


def with_types(*items: bytes) -> bytes:
    """A file whose function has the first of these types as signature."""
    return with_section(kernel(), TYPE, table(items, 4))


def with_functions(*functions: bytes, types: tuple[bytes, ...] = (b"\x10\x00\x00",)) -> bytes:
    """A file of these functions."""
    payload = varint(len(functions)) + b"".join(functions)
    return with_section(with_types(*types), FUNC, payload)


def function(body: bytes) -> bytes:
    """A function called `k` without arguments."""
    return b"\x00\x00\x02\x00" + varint(len(body)) + body


def with_body(body: bytes) -> bytes:
    return with_functions(function(body))


def measured(data: bytes) -> BytecodeError | None:
    """
    How reading ends: in a `BytecodeError` with a place, or well. It has to be fast, and to
    take memory in proportion to the file.
    """
    start = time.process_time()
    error = outcome(data)
    assert time.process_time() - start < SECONDS
    tracemalloc.start()
    try:
        outcome(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEMORY_BASE + MEMORY_FACTOR * len(data)
    return error


def outcome(data: bytes) -> BytecodeError | None:
    error = raised(data)
    if error is not None:
        assert error.offset is not None
        assert 0 <= error.offset <= len(data)
        assert error.section in ("header", *SECTION_NAMES)
        assert f"{error.section} section at byte {error.offset:#x}: " in str(error)
    return error


def raised(data: bytes) -> BytecodeError | None:
    try:
        read(data)
    except BytecodeError as error:
        return error
    return None


# Header and section table


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not Tile IR bytecode"),
        (b"\x7fTileIR", "not Tile IR bytecode"),
        (b"cuda_tile.module @m {}", "not Tile IR bytecode"),
        (b"ML\xefR\x0dMLIR21\x00", "this is MLIR bytecode, not Tile IR bytecode"),
        (MAGIC, "unexpected end of data"),
        (MAGIC + b"\x0d\x04", "2 bytes do not fit into the remaining 0"),
        (MAGIC + b"\x0d\x04\x00\x00", "unexpected end of data"),
        (MAGIC + b"\x0d\x04\x00\x00\x00", "string section is mandatory"),
    ],
)
def test_no_file(data: bytes, message: str):
    error = measured(data)
    assert error is not None
    assert error.message.startswith(message)
    assert error.section == "header"


@pytest.mark.parametrize("version", [(13, 0), (13, 5), (12, 4), (14, 1), (0, 0), (250, 1)])
def test_unknown_version(version: tuple[int, int]):
    error = measured(MAGIC + bytes(version) + kernel()[len(MAGIC) + 2 :])
    assert error is not None
    assert error.offset == len(MAGIC)
    assert error.message == (
        f"unsupported Tile version {version[0]}.{version[1]}.0, this reader supports versions "
        "[13.1 - 13.4]"
    )


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (b"\x08\x00\x00", "unknown section ID: 8"),
        (b"\x7f\x00\x00", "unknown section ID: 127"),
        (b"\x80", "the end marker must be the last byte"),
        (b"\x00\x00", "the end marker must be the last byte"),
        (b"\x07" + varint(HUGE) + b"\x00", f"{HUGE} bytes do not fit into the remaining 1"),
        (b"\x07" + varint((1 << 64) - 1), f"{(1 << 64) - 1} bytes do not fit into"),
        (b"\x81\x00\x03", "invalid alignment value: 3"),
        (b"\x81\x00\x00", "invalid alignment value: 0"),
        (b"\x81\x00\x02", "section 1 must have alignment that is a multiple of 4 bytes, but has"),
        (b"\x01\x00", "section 1 must have alignment that is a multiple of 4 bytes, but has no"),
        (b"\x81\x00" + varint(1 << 63), f"{(1 << 63) - 24} bytes do not fit into the remaining 0"),
        (b"\x07" + b"\x80" * 10 + b"\x00", "varint is longer than 10 bytes"),
    ],
)
def test_section_table(sections: bytes, message: str):
    error = measured(kernel()[:HEADER_BYTES] + sections)
    assert error is not None
    assert message in error.message
    assert error.section == "header"


@pytest.mark.parametrize(("section", "name"), [(STRING, "string"), (FUNC, "function")])
def test_mandatory_section(section: int, name: str):
    data = kernel()
    sections = [item for item in section_list(data) if item[0] != section]
    error = measured(assemble(data[:HEADER_BYTES], sections))
    assert error is not None
    assert error.message == f"{name} section is mandatory"


@pytest.mark.parametrize("section", [STRING, FUNC, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER])
def test_empty_section(section: int):
    data = with_section(example(), section, b"")
    error = measured(data)
    assert error is not None
    assert error.section == SECTION_NAMES[section]
    assert error.message == "unexpected end of data"


# Damage in general


@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3", "13.4"])
def test_every_truncation(version: str):
    data = with_debug_info(kernel(version))
    for length in range(len(data)):
        assert outcome(data[:length]) is not None


@pytest.mark.every(3)
@pytest.mark.parametrize("first", range(3))
def test_every_flipped_bit(first: int):
    data = example()
    ends: set[bool] = set()
    for index, byte in enumerate(data):
        for bit in range((index + first) % 3, 8, 3):
            flipped = bytes([byte ^ 1 << bit])
            ends.add(outcome(data[:index] + flipped + data[index + 1 :]) is None)
    assert ends == {False, True}


def test_every_byte_missing_or_twice():
    data = example()
    for index in range(len(data)):
        outcome(data[:index] + data[index + 1 :])
        outcome(data[:index] + data[index : index + 1] + data[index:])


# Counts and lengths


def test_every_count():
    """Each count of a file that has all sections, and of some that have rare fields."""
    for data in (example(), *covering_seeds()[::40]):
        for span, huge in zip(
            trace(data).fields["count"], cycle((HUGE, (1 << 64) - 1, 1 << 31)), strict=False
        ):
            error = outcome(Damage.of(data).put(span, varint(huge)))
            assert error is not None
            assert "fit into" in error.message


def test_counts_cost_nothing():
    data = example()
    for span in trace(data).fields["count"]:
        assert measured(Damage.of(data).put(span, varint(HUGE))) is not None


def test_body_length():
    data = example()
    ((length, body),) = trace(data).bodies
    for size in (HUGE, body.size + 100):
        error = measured(Damage.of(data).put(length, varint(size)))
        assert error is not None
        assert error.section == "Func"
        assert error.message.startswith(f"{size} bytes do not fit into the remaining")
    error = measured(Damage.of(data).put(length, varint(body.size - 1)))
    assert error is not None
    assert error.message == "unexpected end of data"


@pytest.mark.parametrize("section", [STRING, TYPE, CONSTANT])
@pytest.mark.parametrize("offset", [1 << 20, (1 << 32) - 1])
def test_offsets(section: int, offset: int):
    data = example()
    payload = bytearray(section_payload(data, section))
    word = 8 if section == CONSTANT else 4
    payload[word : 2 * word] = offset.to_bytes(word, "little")
    error = measured(with_section(data, section, bytes(payload)))
    assert error is not None
    assert error.section == SECTION_NAMES[section]
    assert "is out of range" in error.message


# Indices


def test_every_index_out_of_range():
    """Each type, string and value number of a file."""
    for file, indices in (
        (example(), (100, HUGE, (1 << 64) - 1)),
        (with_debug_info(kernel()), (100,)),
    ):
        fields = trace(file).fields
        for kind in ("type", "string", "value"):
            for span in fields.get(kind, ()):
                for index in indices:
                    error = outcome(Damage.of(file).put(span, varint(index)))
                    assert error is not None
                    assert "out of range" in error.message or "not defined" in error.message


def test_constant_out_of_range():
    data = example()
    (item,) = {table_items(section_payload(data, TYPE), 4).index(b"\x03")}
    assert item >= 0
    payload = section_payload(data, CONSTANT)
    error = measured(with_section(data, CONSTANT, table(table_items(payload, 8)[:1], 8)))
    assert error is not None
    assert error.message == "index 1 is out of range: there are 1 constants"


@pytest.mark.parametrize("row", [(100, 0), (HUGE, 0), (6,), (6, 9), (2, 0), (4, 0), (8, 0)])
def test_debug_indices(row: tuple[int, ...]):
    error = measured(with_debug_info(kernel(), row))
    assert error is not None
    assert error.section in ("Debug", "Func")


@pytest.mark.parametrize("row", [2, 100, HUGE])
def test_debug_row(row: int):
    data = with_debug_info(kernel())
    payload = section_payload(data, FUNC)
    error = measured(with_section(data, FUNC, payload[:4] + varint(row) + payload[5:]))
    assert error is not None
    assert error.message == "failed to read function location for 'k'"


@pytest.mark.parametrize(
    ("version", "opcode", "message"),
    [
        ("13.1", 0x19, "unknown or unimplemented opcode: 25"),
        ("13.4", 0x34, "unknown or unimplemented opcode: 52"),
        ("13.4", 0x16, "unknown or unimplemented opcode: 22"),
        ("13.1", 0x6E, "unsupported opcode 110 for bytecode version 13.1"),
        ("13.2", 0x6F, "unsupported opcode 111 for bytecode version 13.2"),
        ("13.3", 0x76, "unsupported opcode 118 for bytecode version 13.3"),
        ("13.4", 0x7B, "unsupported opcode 123 for bytecode version 13.4"),
        ("13.4", 0x3000, "unsupported opcode 12288 for bytecode version 13.4"),
        ("13.4", HUGE, f"unsupported opcode {HUGE} for bytecode version 13.4"),
    ],
)
def test_unknown_opcode(version: str, opcode: int, message: str):
    data = kernel(version)
    ((_, body),) = trace(data).bodies
    bad = Damage.of(data).put(Span(body.start, body.start + 1), varint(opcode))
    error = measured(bad)
    assert error is not None
    assert error.message == message
    assert error.section == "Func"
    assert bad[error.offset :].startswith(varint(opcode))


# Cycles, depth and growth


@pytest.mark.parametrize(
    "types",
    [
        (b"\x10\x01\x00\x00",),
        (b"\x0d\x00\x00",),
        (b"\x10\x01\x01\x00", b"\x10\x00\x01\x00"),
        (b"\x10\x01\x01\x00", b"\x0c\x00\x02", b"\x0d\x01\x00"),
    ],
)
def test_type_cycle(types: tuple[bytes, ...]):
    error = measured(with_types(*types))
    assert error is not None
    assert error.section == "Type"
    assert "refers to itself" in error.message


def test_debug_cycle():
    data = with_debug_info(kernel())
    payload = section_payload(data, DEBUG)
    call = DEBUG_ATTRIBUTES[-1]
    for callee, caller in ((8, 1), (1, 8), (8, 8)):
        new = bytes((call[0], callee, caller))
        error = measured(with_section(data, DEBUG, payload.removesuffix(call) + new))
        assert error is not None
        assert error.section == "Debug"
        assert error.message == "debug attribute 7 refers to itself"


@pytest.mark.parametrize("depth", [20, 40, 5000])
def test_doubling_types(depth: int):
    """Each type holds the one before it twice."""
    error = measured(
        with_types(b"\x10\x01" + varint(depth + 1) + b"\x00", *doubling_types(1, depth))
    )
    assert error is not None
    assert error.section == "Type"


def test_doubling_call_sites():
    """Each call site is called from, and calls, the one before it."""
    base = len(DEBUG_ATTRIBUTES)
    calls = [b"\x06" + varint(base + i) * 2 for i in range(60)]
    data = with_debug_info(kernel(), (0, base + len(calls)))
    payload = section_payload(data, DEBUG)
    start = len(payload) - len(table(DEBUG_ATTRIBUTES, 4))
    payload = payload[:start] + table((*DEBUG_ATTRIBUTES, *calls), 4)
    error = measured(with_section(data, DEBUG, payload))
    assert error is not None
    assert error.message == "the file expands to far more than its size"


def chain_of_calls(length: int, *, inner: bool = False) -> bytes:
    """A kernel with an op in so many calls, and one more; `inner` if callees are calls."""
    base = len(DEBUG_ATTRIBUTES)
    place = varint(7)
    calls = [
        b"\x06" + (varint(base + i) + place if inner else place + varint(base + i))
        for i in range(length)
    ]
    data = with_debug_info(kernel(), (6, base + length))
    payload = section_payload(data, DEBUG)
    start = len(payload) - len(table(DEBUG_ATTRIBUTES, 4))
    payload = payload[:start] + table((*DEBUG_ATTRIBUTES, *calls), 4)
    return with_section(data, DEBUG, payload)


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("length", [250, MAX_CALL_SITES - 1])
def test_chain_of_calls(length: int, inner: bool):
    """As deep as functions may call each other in the language that kernels are written in."""
    assert measured(chain_of_calls(length, inner=inner)) is None


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("length", [MAX_CALL_SITES, 5000])
def test_longer_chain_of_calls(length: int, inner: bool):
    error = measured(chain_of_calls(length, inner=inner))
    assert error is not None
    assert error.section == "Debug"
    assert error.message == f"call sites are nested too deeply (more than {MAX_CALL_SITES})"


@pytest.mark.parametrize("length", [250, pytest.param(MAX_CALL_SITES - 1, marks=pytest.mark.long)])
def test_chain_of_calls_is_lowered(length: int):
    """By all passes, and by what writes LLVM's language and bytecode."""

    def lower() -> str:
        module = read(chain_of_calls(length))
        assert write(module)
        run_steps(module, select_steps(3, to="nvvm"), "sm_90")
        return translate_module(module, NvptxTarget.parse("sm_90"))

    assert "define" in call_with_deep_stack(lower)


def test_chain_of_types():
    for length in (MAX_DEPTH + 1, 5000):
        chain = [b"\x10\x01" + varint(index + 1) + b"\x00" for index in range(length)]
        error = measured(with_types(*chain, b"\x10\x00\x00"))
        assert error is not None
        assert error.message == "types are nested too deeply"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 1000, 20000])
def test_deep_regions(depth: int):
    error = measured(with_body(nested_loops(depth) + RETURN))
    assert error is not None
    assert error.section == "Func"
    assert error.message == "regions are nested too deeply"


def test_regions_that_are_not_too_deep():
    assert measured(with_body(nested_loops(MAX_DEPTH) + RETURN)) is None


def deep_call(depth: int, call: Callable[[], BytecodeError | None]) -> BytecodeError | None:
    return call() if depth == 0 else deep_call(depth - 1, call)


def test_deep_regions_on_a_full_stack():
    """Where the caller has used most of the stack, fewer regions are too many."""
    data = with_body(nested_loops(MAX_DEPTH) + RETURN)
    error = deep_call(500, lambda: outcome(data))
    assert error is not None
    assert error.section == "Func"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 20000])
@pytest.mark.parametrize("nested", [b"\x06\x01", b"\x0a\x01\x00"])
def test_deep_attributes(depth: int, nested: bytes):
    hints = b"\x0b\x01\x00\x0a\x01\x00" + nested * depth + b"\x03\x00"
    error = measured(with_functions(b"\x00\x00\x06\x00" + hints + b"\x03" + RETURN))
    assert error is not None
    assert error.message == "attributes are nested too deeply"


@pytest.mark.every(2)
@pytest.mark.parametrize("count", [500, 5000])
def test_functions_share_a_long_signature(count: int):
    """A function has all the arguments that its signature lists, which a byte refers to."""
    signature = b"\x10" + varint(count) + b"\x01" * count + b"\x00"
    data = with_functions(*[function(RETURN)] * count, types=(signature, b"\x0d\x02\x00", b"\x03"))
    error = measured(data)
    assert error is not None


@pytest.mark.every(2)
@pytest.mark.parametrize("count", [300, 20000])
def test_ops_share_a_long_shape(count: int):
    """Ops that are wrong are printed with their types."""
    ones = varint(count) + (1).to_bytes(8, "little") * count
    types = (b"\x10\x00\x00", b"\x0d\x02" + ones, b"\x03")
    error = measured(with_functions(function(b"\x3a\x01" * count + RETURN), types=types))
    assert error is not None


@pytest.mark.every(8, first=7)
@pytest.mark.parametrize("count", [200, 10000])
@pytest.mark.parametrize("text", [b"x", b"% d", b"%", b"%%"])
def test_ops_share_a_long_string(count: int, text: bytes):
    body = b"\x55\x01\x01\x00\x01\x00" * count + RETURN
    data = with_functions(function(body), types=(b"\x10\x00\x00", b"\x11"))
    strings = table((b"k", text * count), 4)
    error = measured(with_section(data, STRING, strings))
    assert error is not None or count == 200


def test_constant_of_many_types():
    """The same bytes as elements of tiles that only differ in shape."""
    count = 1000
    size = 1 << 13
    shapes = [[1] * index + [size] for index in range(1, count // 8)]
    types = [
        b"\x0d\x01" + varint(len(dims)) + b"".join(dim.to_bytes(8, "little") for dim in dims)
        for dims in shapes
    ]
    body = b"".join(b"\x10" + varint(index + 2) + b"\x00" for index in range(len(types)))
    data = with_functions(function(body + RETURN), types=(b"\x10\x00\x00", b"\x01", *types))
    constants = table([varint(size) + bytes(range(256)) * (size // 256)], 8)
    measured(with_section(data, CONSTANT, constants))


@pytest.mark.parametrize("element", [0, 1, 3, 7, 8, 9])
def test_huge_splat(element: int):
    """A tile of 2^24 equal elements takes the memory of one."""
    types = (b"\x10\x00\x00", bytes([element]), b"\x0d\x01\x01" + (1 << 24).to_bytes(8, "little"))
    size = {0: 1, 1: 1, 3: 4, 7: 4, 8: 3, 9: 8}[element]
    data = with_functions(function(b"\x10\x02\x00" + RETURN), types=types)
    assert measured(with_section(data, CONSTANT, table([varint(size) + bytes(size)], 8))) is None
    error = measured(with_section(data, CONSTANT, table([b"\x02\x00\x00"], 8)))
    assert error is not None
    assert error.section == "Constant"


@pytest.mark.parametrize(
    "dims", [(1 << 25,), (1 << 62,), (1 << 32, 1 << 32), ((1 << 64) - 1,), (1 << 63,), (0,), (3,)]
)
def test_bad_shape(dims: tuple[int, ...]):
    shape = varint(len(dims)) + b"".join(dim.to_bytes(8, "little") for dim in dims)
    error = measured(with_types(b"\x10\x01\x01\x00", b"\x0d\x02" + shape, b"\x03"))
    assert error is not None
    assert error.section == "Type"


def test_mask_of_many_bits():
    """Bits take a byte each in the IR, no more."""
    count = 1 << 20
    types = (b"\x10\x00\x00", b"\x00", b"\x0d\x01\x01" + count.to_bytes(8, "little"))
    data = with_functions(function(b"\x10\x02\x00" + RETURN), types=types)
    bits = bytes(range(256)) * (count // 8 // 256)
    data = with_section(data, CONSTANT, table([varint(len(bits)) + bits], 8))
    tracemalloc.start()
    module = read(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 * len(data)
    assert module is not None


def test_globals_and_their_users():
    """Looking up names does not take longer for each of many."""
    count = 3000
    names = [b"k", *(b"g%d" % index for index in range(count))]
    types = (
        b"\x10\x00\x00",
        b"\x07",
        b"\x0d\x01\x01\x01" + bytes(7),
        b"\x0c\x00\x01",
        b"\x0d\x03\x00",
    )
    uses = b"".join(b"\x2c\x04" + varint(index + 1) for index in range(count))
    data = with_functions(function(uses + RETURN), types=types)
    entries = b"".join(varint(i + 1) + b"\x02\x00\x00\x00\x00" for i in range(count))
    data = with_section(data, STRING, table(names, 4))
    data = with_section(data, CONSTANT, table([b"\x04" + bytes(4)], 8))
    assert measured(with_section(data, GLOBAL, varint(count) + entries)) is None


NEWS = (
    r"Func section at .*: unsupported opcode 127 ",
    r"Type section at .*: unknown type tag: 127",
    r"Func section at .*: 'cuda_tile\.\w+' op has flags 0x",
    r"Func section at .*: .*, in 'cuda_tile\.\w+' op$",
)


def test_what_is_new_in_a_newer_version():
    """The message names what a later minor version has that no known version has."""
    data = bytearray((EXAMPLES / "vector_add.tilebc").read_bytes())
    data[len(MAGIC) + 1] += 1
    messages: list[str] = []
    for position in range(len(MAGIC) + 4, len(data)):
        changed = data[:position] + b"\x7f" + data[position + 1 :]
        with pytest.raises(BytecodeError) as caught:
            read(bytes(changed))
        assert caught.value.message.startswith("unsupported Tile version 13.5.0, this reader ")
        messages.append(caught.value.message.partition("; what is not known in 13.4: ")[2])
    for pattern in NEWS:
        assert any(re.match(pattern, message) for message in messages), pattern
    # Nothing is new if nothing was changed, and the file is refused all the same.
    with pytest.raises(BytecodeError, match=r"\[13\.1 - 13\.4\]$"):
        read(bytes(data))
