"""
Our own corpus: every op, type and attribute at every version that has it, also what no front
end emits (tests/corpus/ops).

The files hold programs separated by `// -----`. A comment line `// before 13.3: message` says
how the program is refused by older versions, with `{version}` for the one asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, IRNode, Operation
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.frontend.bytecode import BytecodeError, read, write
from tileiras_xdsl.frontend.bytecode.attributes import (
    FUNCTION,
    GATHER_SCATTER_VIEW,
    PARTITION_VIEW,
    PTR,
    SCALARS,
    STRIDED_VIEW,
    TENSOR_VIEW,
    TILE,
)
from tileiras_xdsl.frontend.bytecode.encodings import ENCODINGS, by_class, by_opcode
from tileiras_xdsl.frontend.bytecode.fields import Enumeration, Field, Flags
from tileiras_xdsl.frontend.bytecode.primitives import LATEST, V13_3, parse_version
from tileiras_xdsl.frontend.bytecode.primitives import VERSIONS as VERSION_NUMBERS
from tileiras_xdsl.frontend.bytecode.reader import ModuleReader

from ..harness.modules import print_public
from .support import (
    CORPUS,
    VERSIONS,
    Disassembler,
    assert_same,
    load_text,
)

BEFORE = re.compile(r"^// before (\S+): (.+)$", re.MULTILINE)


@cache
def shared_module(text: str) -> ModuleOp:
    """The module of a text; who changes it puts it back."""
    return load_text(text)


@dataclass(frozen=True)
class Program:
    """One program of the corpus."""

    name: str
    text: str

    @property
    def module(self) -> ModuleOp:
        return shared_module(self.text)

    def expected(self, version: str) -> ModuleOp:
        """What comes back from bytecode: old versions drop the producer."""
        module = self.module
        if parse_version(version) >= V13_3:
            return module
        (kernels,) = module.body.block.ops
        if "producer" not in kernels.properties:
            return module
        module = module.clone()
        (kernels,) = module.body.block.ops
        del kernels.properties["producer"]
        return module

    def refusal(self, version: str) -> str | None:
        """The message of a version that cannot express the program."""
        for before, message in BEFORE.findall(self.text):
            if parse_version(version) < parse_version(before):
                return message.replace("{version}", version)
        return None


def read_programs() -> Iterator[Program]:
    for path in sorted((CORPUS / "ops").glob("*.mlir")):
        for index, text in enumerate(path.read_text().split("// -----\n")):
            names = re.findall(r"^(?:entry|global) .*?@(\w+)", text, re.MULTILINE)
            yield Program(f"{path.stem}-{index}-{names[0] if names else 'module'}", text)


PROGRAMS = tuple(read_programs())
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[item.name for item in PROGRAMS])


# Each program


@pytest.mark.every(4)
@every_program
def test_versions_that_cannot_express_it_refuse_it(program: Program):
    module = program.module
    for version in VERSIONS:
        expected = program.refusal(version)
        if expected is None:
            write(module, version)
            continue
        with pytest.raises(BytecodeError) as info:
            write(module, version)
        assert str(info.value) == expected
    assert program.refusal(VERSIONS[-1]) is None


def written(program: Program) -> Iterator[tuple[str, bytes]]:
    """The bytecode of a program at the versions that can express it."""
    for version in VERSIONS:
        if program.refusal(version) is None:
            yield version, write(program.module, version)


@pytest.mark.every(8)
@every_program
def test_reads_back(program: Program):
    for version, data in written(program):
        expected = program.expected(version)
        module = read(data)
        assert_same(module, expected)
        assert print_public(module, debuginfo=True) == print_public(expected, debuginfo=True)
        assert write(module, version) == data


@pytest.mark.every(8, first=1)
@every_program
def test_nvidia_disassembles_it_to_our_text(program: Program, disassemble: Disassembler):
    for version, data in written(program):
        assert disassemble.text(data) == print_public(program.expected(version))


@pytest.mark.parametrize(
    "program",
    [item for item in PROGRAMS if item.name.startswith("debug")],
    ids=lambda item: item.name,
)
def test_nvidia_prints_the_locations(program: Program, disassemble: Disassembler):
    for version, data in written(program):
        text = disassemble.text(data, "--print-debug-info")
        assert text == print_public(program.expected(version), debuginfo=True)


# All of them


@cache
def ops_of(version: str) -> tuple[Operation, ...]:
    """All ops of the programs that a version can express."""
    return tuple(
        op
        for program in PROGRAMS
        if program.refusal(version) is None
        for op in program.module.walk()
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_every_opcode_is_there(version: str):
    """At every version, every opcode it has; the table itself has the numbers of the format."""
    encodings = by_class(parse_version(version))
    seen = {encodings[type(op)].opcode for op in ops_of(version) if type(op) in encodings}
    assert seen == set(by_opcode(parse_version(version)))


def test_opcodes_are_unique():
    """105 ops, but for `module`, `entry` and `global`, which are no records."""
    assert len(ENCODINGS) == 102
    for index in (0, 1):
        assert max(Counter(entry[index] for entry in ENCODINGS).values()) == 1
    counts = [len(by_opcode(version)) + 3 for version in VERSION_NUMBERS]
    assert counts == [92, 93, 100, 105]


def enumerations_of(op: Operation) -> Iterator[Enumeration]:
    encoding = by_class(LATEST).get(type(op))
    if encoding is not None:
        yield from (item for item in encoding.fields if isinstance(item, Enumeration))


def flag_names(item: Field) -> tuple[str, ...]:
    return item.names if isinstance(item, Flags) else ()


def accepts(op: Operation, name: str, value: Attribute) -> bool:
    """Whether the op verifies with another value of a property."""
    old = op.properties[name]
    op.properties[name] = value
    try:
        op.verify()
    except VerifyException:
        return False
    finally:
        op.properties[name] = old
    return True


def raise_cause(_: Diagnostic, __: IRNode, cause: Exception) -> NoReturn:
    """Instead of a diagnostic, which would have the text of the whole module."""
    raise cause


def test_every_value_of_every_enumeration_is_there(monkeypatch: pytest.MonkeyPatch):
    """Of those that the verifier accepts on some op of the corpus."""
    monkeypatch.setattr(Diagnostic, "raise_exception", raise_cause)
    # Ops without regions that have the same types and properties are the same to a verifier.
    ops = {
        op
        if op.regions
        else (
            op.name,
            *(tuple(part) for part in (op.operand_types, op.result_types, op.properties.items())),
        ): op
        for op in ops_of(VERSIONS[-1])
    }
    fields = [
        (op, item)
        for op in ops.values()
        for item in enumerations_of(op)
        if item.name in op.properties
    ]
    seen = {(op.name, item.name, op.properties[item.name]) for op, item in fields}
    missing = {
        (op.name, item.name, value)
        for op, item in fields
        for value in item.values
        if (op.name, item.name, value) not in seen and accepts(op, item.name, value)
    }
    assert missing == set()


def has(op: Operation, name: str) -> bool:
    """Whether an optional attribute or operand is there."""
    return name in op.properties or getattr(op, name, None) is not None


def test_every_flag_is_there_and_missing():
    names: dict[type[Operation], set[str]] = {
        op_class: {name for item in encoding.fields for name in flag_names(item)}
        for op_class, encoding in by_class(LATEST).items()
    }
    seen = {
        (op.name, name, has(op, name))
        for op in ops_of(VERSIONS[-1])
        for name in names.get(type(op), ())
    }
    assert seen == {
        (op_class.name, name, is_there)
        for op_class, flags in names.items()
        for name in flags
        for is_there in (True, False)
    }


def type_tags(data: bytes) -> set[int]:
    """The tags in the type section of a file."""
    table = ModuleReader(data).types
    return {table.reader.slice(start, end).varint() for start, end in table.bounds}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_is_there(version: str):
    number = parse_version(version)
    tags: set[int] = set()
    for program in PROGRAMS:
        if program.refusal(version) is None:
            tags |= type_tags(write(program.module, version))
    assert tags == {
        *(tag for tag, (_, since, _) in SCALARS.items() if since <= number),
        *(PTR, TILE, TENSOR_VIEW, PARTITION_VIEW, FUNCTION),
        *((STRIDED_VIEW, GATHER_SCATTER_VIEW) if number >= V13_3 else ()),
    }
