"""
Our diagnostics are NVIDIA's: every fault that bytecode can express, in the words of the 13.4
disassembler.

The cases are in `ops.txt` and `modules.mlir`, those of types in bytes below, since we cannot
make a type that is wrong. The text of a case has to be in what the disassembler says, and what
the disassembler says in what we say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.irdl import OptPropertyDef

from tileiras_xdsl.dialects.cuda_tile.enums import AtomicMode, MemoryOrdering, NamedInt
from tileiras_xdsl.frontend.bytecode import write
from tileiras_xdsl.frontend.bytecode.encodings import ENCODINGS
from tileiras_xdsl.frontend.bytecode.reader import FUNC, TYPE

from ..bytecode.fuzzing import table, varint, with_section
from ..harness.modules import parse_unverified
from .mutation import split_types
from .verdicts import Agreement, Oracle, compare, our_verdict

FOLDER = Path(__file__).parent
OPS = {op_class.name.removeprefix("cuda_tile."): op_class for _, op_class, _ in ENCODINGS}


@dataclass(frozen=True)
class Case:
    """Something wrong, and what the disassembler says about it."""

    name: str
    message: str
    source: str | bytes
    """A module as text, or the whole file."""

    def data(self) -> bytes:
        return (
            self.source if isinstance(self.source, bytes) else write(parse_unverified(self.source))
        )


# Single ops

TENSOR = "tensor_view<?x64xf32, strides=[64,1]>"
ABBREVIATIONS = {
    "$tensor": TENSOR,
    "$partition": f"partition_view<tile=(8x8), {TENSOR}>",
    "$strided": f"strided_view<tile=(8x8), traversal_strides=[4,4], {TENSOR}>",
    "$gather": f"gather_scatter_view<tile=(8x8), {TENSOR}, sparse_dim=0>",
}
ENUMERATIONS = {
    "overflow": "overflow",
    "signedness": "signedness",
    "signedness_lhs": "signedness",
    "signedness_rhs": "signedness",
    "rounding": "rounding",
    "rounding_mode": "rounding",
    "comparison_predicate": "comparison_predicate",
    "comparison_ordering": "comparison_ordering",
}
"""Attributes that `ops.txt` gives by a word, and what they are."""
SCOPES = {"tl_blk": 0, "device": 1, "sys": 2}
DEFAULTS = {
    "overflow": "none",
    "signedness": "signed",
    "signedness_lhs": "signed",
    "signedness_rhs": "signed",
    "rounding": "zero",
    "rounding_mode": "nearest_even",
    "comparison_predicate": "equal",
    "comparison_ordering": "ordered",
    "memory_ordering_semantics": "weak",
    "memory_scope": "device",
    "mode": "add",
    "message": '"message"',
    "dim": "0 : i64",
    "exp rounding_mode": "full",
    "tanh rounding_mode": "full",
    "ftoi rounding_mode": "nearest_int_to_zero",
    "atomic_cas_tko memory_ordering_semantics": "relaxed",
    "atomic_rmw_tko memory_ordering_semantics": "relaxed",
    "atomic_red_view_tko memory_ordering_semantics": "relaxed",
    "alloca num_elem": "4 : i64",
    "alloca alignment": "8 : i64",
}
"""What required attributes are if a case does not say it, of one op or of all."""


def op_cases() -> Iterator[Case]:
    lines = [
        line
        for line in (FOLDER / "ops.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    for line, message in zip(lines[::2], lines[1::2], strict=True):
        assert message.startswith("  ")
        match = re.fullmatch(r"([\w ]+)\((.*)\)(?: -> (.*?))?(?: \{(.*)\})?", line)
        assert match is not None, line
        names, operands, results, properties = match.groups(default="")
        for name in names.split():
            source = op_module(name, operands, results, properties)
            yield Case(f"{name}({operands}) -> {results}", message[2:], source)


def full_type(text: str) -> str:
    """A type as written in a case: a tile unless it has another name."""
    text = ABBREVIATIONS.get(text, text)
    return text if re.match(r"token|\w+_view<", text) else f"tile<{text}>"


def op_module(name: str, operands: str, results: str, properties: str) -> str:
    """The text of a module with one op in the generic form."""
    groups = [
        [full_type(part) for part in split_types(group) if part] for group in operands.split("|")
    ]
    types = [ty for group in groups for ty in group]
    result_types = [full_type(part) for part in split_types(results) if part]
    given = dict(split_property(part) for part in split_types(properties) if part)
    if len(groups) > 1:
        sizes = ", ".join(str(len(group)) for group in groups)
        given["operandSegmentSizes"] = f"array<i32: {sizes}>"
    for key, kind in OPS[name].get_irdl_definition().properties.items():
        default = DEFAULTS.get(f"{name} {key}", DEFAULTS.get(key))
        if default is not None and not isinstance(kind, OptPropertyDef):
            given.setdefault(key, default)
    attributes = ", ".join(
        f"{key} = {attribute_text(key, value)}" if value else key for key, value in given.items()
    )
    arguments = [f"%v{i}: {ty}" for i, ty in enumerate(types) if "view<" in ty]
    values = ", ".join(f"%v{index}" for index in range(len(types)))
    outputs = ", ".join(f"%r{index}" for index in range(len(result_types)))
    return f"""
      cuda_tile.module @m {{
        global @g <f32: 0.0> : tile<2xf32>
        entry @k({", ".join(arguments)}) {{
          {" ".join(definition(index, ty) for index, ty in enumerate(types))}
          {outputs}{" = " if outputs else ""}"cuda_tile.{name}"({values}) <{{{attributes}}}> :
            ({prefixed(types)}) -> ({prefixed(result_types)})
          return
        }}
      }}"""


def split_property(text: str) -> tuple[str, str]:
    key, _, value = text.partition(" = ")
    return key, value


def prefixed(types: Sequence[str]) -> str:
    return ", ".join(f"!cuda_tile.{ty}" for ty in types)


def definition(index: int, ty: str) -> str:
    """Ops that define the value of this number."""
    value = f"%v{index}"
    if ty == "token":
        return f"{value} = make_token : token"
    if "view<" in ty:
        return ""
    shape, element = re.fullmatch(r"tile<((?:\d+x)*)(.*)>", ty).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if element.startswith("ptr") or element == "i4":
        base = "i64" if element.startswith("ptr") else "i8"
        convert = "int_to_ptr" if base == "i64" else "trunci"
        return (
            f"{value}_ = constant <{base}: 0> : tile<{shape}{base}> "
            f"{value} = {convert} {value}_ : tile<{shape}{base}> -> {ty}"
        )
    zero = "false" if element == "i1" else "0" if element.startswith("i") else "0x0"
    return f"{value} = constant <{element}: {zero}> : {ty}"


def attribute_text(key: str, value: str) -> str:
    """An attribute in the generic form."""
    names: Mapping[str, type[NamedInt]] = {
        "memory_ordering_semantics": MemoryOrdering,
        "mode": AtomicMode,
    }
    if key in names:
        return f"{names[key].keywords()[value].value} : i32"
    if key == "memory_scope":
        return f"{SCOPES[value]} : i32"
    if key in ENUMERATIONS:
        return f"#cuda_tile.{ENUMERATIONS[key]}<{value}>"
    return value


# Whole modules

ARGUMENTS = f"%c: tile<i1>, %i: tile<i32>, %j: tile<i64>, %f: tile<f32>, %t: {TENSOR}"


def module_cases() -> Iterator[Case]:
    _, *parts = (FOLDER / "modules.mlir").read_text().split("// -----\n\n")
    for part in parts:
        comment, source = part.split("\n", 1)
        message = comment.removeprefix("// error: ")
        if "entry @" not in source:
            source = f"entry @k({ARGUMENTS}) {{ {source} return }}"
        yield Case(message, message, f"cuda_tile.module @m {{ {source} }}")


# Types

I4, I32, F32, F4, TOKEN = b"\x16", b"\x03", b"\x07", b"\x13", b"\x11"


def type_case(message: str, *items: bytes) -> Case:
    """An entry whose only argument has the first of these types; they count from 1."""
    data = write(parse_unverified("cuda_tile.module @m { entry @k() { return } }"))
    return Case(message, message, with_section(data, TYPE, table((b"\x10\x01\x01\x00", *items), 4)))


def dims(*values: int, size: int = 8) -> bytes:
    encoded = (value.to_bytes(size, "little", signed=value < 0) for value in values)
    return varint(len(values)) + b"".join(encoded)


def tile(message: str, element: bytes, *shape: int) -> Case:
    return type_case(message, b"\x0d\x02" + dims(*shape), element)


def tensor(message: str, element: bytes, shape: Sequence[int], strides: Sequence[int]) -> Case:
    return type_case(message, b"\x0e\x00\x02" + dims(*shape) + dims(*strides), element)


def view(message: str, tag: int, parameters: bytes, rank: int, flags: int = 0) -> Case:
    """A view of a tensor of this rank, which is type 2."""
    shape = b"\x0e\x00\x03" + dims(*[64] * rank) + dims(*[1] * rank)
    return type_case(message, bytes((tag, flags)) + parameters, shape, I32)


def partition(message: str, rank: int, tile: Sequence[int], tensor_map: Sequence[int]) -> Case:
    return view(message, 15, dims(*tile, size=4) + b"\x02" + dims(*tensor_map, size=4), rank)


def strided(message: str, tile: Sequence[int], steps: Sequence[int]) -> Case:
    sizes = dims(*tile, size=4) + dims(*steps, size=4)
    return view(message, 21, sizes + b"\x02" + dims(*range(len(tile)), size=4), 2)


def gather(message: str, tile: Sequence[int], dim: int) -> Case:
    return view(message, 20, dims(*tile, size=4) + b"\x02" + varint(dim), 2)


def type_cases() -> Iterator[Case]:
    number = (
        "f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or "
        "fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64"
    )
    yield type_case(f"failed to verify 'pointeeType': {number}", b"\x0c\x00\x02", TOKEN)
    yield type_case(f"failed to verify 'pointeeType': {number}", b"\x0c\x00\x02", I4)
    yield tile(f"failed to verify 'elementType': {number} or Pointer type or i4", TOKEN)
    yield tile("all dimensions must be positive constants, got 0, 2, 2", I32, 0, 2, 2)
    yield tile("all dimensions must be powers of two, got 3, 5, 9", I32, 3, 5, 9)
    yield tile("tile would exceed the maximum of 16777216 elements", I32, 1 << 25)
    yield tile("F4E2M1FN tiles must have an even number of elements", F4)
    yield tile("F4E2M1FN tiles must have an even number of elements", F4, 3)
    yield tensor(f"failed to verify 'elementType': {number}", TOKEN, [4], [1])
    ranks = "expected shape and stride to be of same rank but got shape of rank 2 and stride of"
    yield tensor(f"{ranks} rank 1", F32, [4, 4], [1])
    positive = "dimensions must have strictly positive constant"
    yield tensor(f"{positive} sizes but got [0]", F32, [0], [1])
    yield tensor(f"{positive} strides but got [0]", F32, [4], [0])
    yield partition("0-dimension tile shape is not supported", 1, [], [])
    ranks = "expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles"
    yield partition(f"{ranks} of rank 1", 2, [8], [0])
    exactly = "expected dim_map to map exactly all 1 dimensions of the tile, got 2 mappings"
    yield partition(exactly, 1, [8], [0, 1])
    sizes = "tile shape dimensions must have"
    yield partition(f"{sizes} positive length but got [-8]", 1, [-8], [0])
    yield partition(f"{sizes} power of two length but got [5]", 1, [5], [0])
    yield partition("target dimension must not be negative, got -1", 1, [8], [-1])
    outside = "dimension is outside of tensor view dimensions, expected strictly less than"
    yield partition(f"target {outside} 1, got 1", 1, [8], [1])
    twice = "target dimension 0 mapped at least twice (for tile dimensions 0 and 1)"
    yield partition(twice, 2, [8, 8], [0, 0])
    yield partition("tile would exceed the maximum of 16777216", 2, [1 << 13, 1 << 13], [0, 1])
    yield view(
        "padding_value nan can only be used with floating point element types, got 'i32'",
        *(15, dims(8, size=4) + b"\x02" + dims(0, size=4) + b"\x02", 1),
        flags=1,
    )
    yield strided("expected 2 traversal strides, got 1", [8, 8], [1])
    yield strided("traversal strides must be strictly positive but got [1, 0]", [8, 8], [1, 0])
    yield gather(f"gather {outside} 2, got 2", [8, 8], 2)
    yield gather(f"{sizes} power of two length but got [8, 5]", [8, 5], 0)


# What no text says


def function_case(message: str, record: bytes, *more_types: bytes) -> Case:
    """A function of which everything but its name is given."""
    data = write(parse_unverified("cuda_tile.module @m { entry @k() { return } }"))
    data = with_section(data, TYPE, table((b"\x10\x00\x00", *more_types), 4))
    return Case(message, message, with_section(data, FUNC, b"\x01\x00" + record))


def function_cases() -> Iterator[Case]:
    returns = b"\x5c\x00\x00"
    results = b"\x10\x00\x01\x02", b"\x0d\x03\x00", I32
    yield function_case("entry op must not return values", b"\x01\x02\x00\x03" + returns, *results)
    yield function_case("expects a non-empty block", b"\x00\x02\x00\x00")
    token = b"\x44\x01"
    yield function_case("block with no terminator, has ", b"\x00\x02\x00\x02" + token, TOKEN)
    hints = b"\x0b\x01\x00\x01\x01\x02"
    yield function_case(
        "expected dictionary attribute for optimization_hints entry `k` got value=2 : i32",
        b"\x00\x06\x00" + hints + b"\x03" + returns,
        I32,
    )


CASES = (*op_cases(), *module_cases(), *type_cases(), *function_cases())


def test_what_we_say():
    for case in CASES:
        assert case.message in our_verdict(case.data()).message, case.name


@pytest.mark.every(3)
@pytest.mark.oracle
@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case.name}" for i, case in enumerate(CASES)])
def test_text(case: Case, oracle_program: Callable[[str], Path], tmp_path: Path):
    data = case.data()
    theirs = Oracle(oracle_program("tileirdisasm"), tmp_path).verdict(data, "case")
    assert not theirs.crashed
    assert case.message in theirs.message
    ours = our_verdict(data)
    assert compare(ours, theirs) is Agreement.SAME, f"{ours.message}\n{theirs.message}"


def test_every_op_is_there():
    """No op is left out but those that can only be wrong in what they share with others."""
    lines = (FOLDER / "ops.txt").read_text() + (FOLDER / "modules.mlir").read_text()
    missing = {name for name in OPS if not re.search(rf"\b{re.escape(name)}\b", lines)}
    assert missing == set()
