"""What the tests of the bytecode share."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import FileLineColLoc, ModuleOp, UnknownLoc
from xdsl.ir import Attribute

from tileiras_xdsl import load
from tileiras_xdsl.frontend import bytecode
from tileiras_xdsl.frontend.bytecode import format_version

CORPUS = Path(__file__).parents[2] / "corpus"
VERSIONS = tuple(map(format_version, bytecode.VERSIONS))


@dataclass(frozen=True)
class Disassembly:
    """What NVIDIA's disassembler made of some bytes."""

    code: int
    text: str
    diagnostics: str


@dataclass(frozen=True)
class Disassembler:
    """NVIDIA's disassembler."""

    program: Path
    folder: Path

    def __call__(self, data: bytes, *flags: str) -> Disassembly:
        path = self.folder / "kernel.tileirbc"
        path.write_bytes(data)
        result = subprocess.run([self.program, *flags, path], capture_output=True, check=False)
        diagnostics = result.stderr.decode(errors="replace")
        return Disassembly(result.returncode, result.stdout.decode(), diagnostics)

    def text(self, data: bytes, *flags: str) -> str:
        """The text of bytes that must be accepted."""
        result = self(data, *flags)
        assert result.code == 0, result.diagnostics
        return result.text


def drop_plain_locations(module: ModuleOp) -> ModuleOp:
    """The module without places in a text, which bytecode does not keep."""
    for op in module.walk():
        if isinstance(op.location, FileLineColLoc):
            op.location = UnknownLoc()
    return module


def locations(module: ModuleOp) -> Sequence[Attribute]:
    """The location of every op."""
    return [op.location for op in module.walk()]


def assert_same(module: ModuleOp, other: ModuleOp) -> None:
    """Structure and locations are equal."""
    assert module.is_structurally_equivalent(other)
    assert locations(module) == locations(other)


def load_text(text: str) -> ModuleOp:
    """The module of a text, without its places."""
    return drop_plain_locations(load(text))
