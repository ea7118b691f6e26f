"""
The one door programs come in by: Tile IR bytecode or either text form, told apart by what the bytes
are and not by what the file is called; modules; and cuTile kernels.

Importing this imports neither dialects nor parsers: what the cache has compiled needs none.

Modules:

    cutile_kernels: cuTile kernels as programs: functions that `cuda.tile.kernel` decorates
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.xdsl_extras.public import CallerError

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.pipeline import PipelinePass

    from .cutile_kernels import Exported

    Source: TypeAlias = (
        "str | bytes | os.PathLike[str] | ModuleOp | Callable[..., object] | Program"
    )
    """What people may call a program, see `Program.of`."""

MAGIC: Final = b"\x7fTileIR\x00"
_MLIR_MAGIC: Final = b"ML\xefR"
STDIN_NAME: Final = "<stdin>"
_KERNELS: Final = {"triton": "tileiras_xdsl.triton.kernels"}
"""What exports the kernels of a package as programs; imported when one is given."""
_TTIR: Final = "tt.func"
"""A kernel of Triton, which is lowered to public Tile IR when it is read."""
_PYTHON: Final = re.compile(rb"^(?:import|from|def|class)\s+\w", re.MULTILINE)
"""A line of Python; none of Tile IR begins so."""


class InputError(CallerError, DiagnosticException):
    """Input that is no program, whatever is wrong with it."""


@dataclass(frozen=True)
class Program:
    """A program: bytecode or text, or a module."""

    name: str
    """What diagnostics call it."""
    data: bytes | None = field(default=None, repr=False)
    module: ModuleOp | None = field(default=None, repr=False)
    """In place of data; it is copied, and must not be changed as long as stages are asked for."""
    kernel: Exported | None = field(default=None, repr=False)
    """The kernel of cuTile or Triton that the data came from."""
    after: PipelinePass | None = None
    """Of a module that is between passes, the one that made it (default: the stage says it)."""

    @staticmethod
    def of(
        source: Source, arguments: Sequence[object] | None = None, gpu: str | None = None
    ) -> Program:
        """
        From bytecode as bytes, text as bytes or as a string with a line break or a brace in it,
        the path of a file with either, or a module; or from a kernel of cuTile or Triton, with
        arguments and the GPU that it is made for.
        """
        if isinstance(source, Program):
            return source
        if isinstance(source, bytes | bytearray | memoryview):
            return Program("<bytes>", bytes(source))
        if isinstance(source, str) and ("\n" in source or "{" in source):
            return Program("<text>", source.encode())
        if isinstance(source, str | os.PathLike):
            return Program(os.fspath(source), Path(source).read_bytes())
        if hasattr(source, "walk"):
            after = getattr(source, "after", None)
            return Program("<module>", module=cast("ModuleOp", source), after=after)
        if (exporter := _KERNELS.get(type(source).__module__.partition(".")[0])) is not None:
            export = import_module(exporter).export
        else:
            from .cutile_kernels import export, is_kernel

            if not is_kernel(source):
                raise InputError(
                    "a program is bytecode, text, a path, a module or a kernel of cuTile or "
                    f"Triton, not '{type(source).__name__}'"
                )
        exported = export(source, arguments, gpu)
        return Program(f"<{exported.name}>", exported.bytecode, kernel=exported)

    @staticmethod
    def read(path: str) -> Program:
        """From a file that a command line names, - for standard input."""
        if path == "-":
            return Program(STDIN_NAME, sys.stdin.buffer.read())
        try:
            return Program(path, Path(path).read_bytes())
        except OSError as error:
            if ".py:" in path:
                raise _say_it_is_python(path) from None
            raise InputError(f"unable to read input file '{path}': {error.strerror}") from None

    def load(self, ctx: Context, *, explain: bool = False) -> ModuleOp:
        """
        A module of its own for the caller, not yet verified. If asked to explain, it has the
        remarks on how kernels of Triton were lowered.
        """
        if self.data is not None:
            module = parse_bytes(ctx, self.data, self.name)
            if self.kernel is not None:
                self.kernel.name_parameters(module)
        else:
            assert self.module is not None
            module = self.module.clone()
        if any(op.name == _TTIR for op in module.body.ops):
            import_module(_KERNELS["triton"]).lower(ctx, module, explain=explain)
        return module

    def load_verified(self) -> ModuleOp:
        """The same, verified."""
        # Patches of xDSL come before its dialects.
        import_module("tileiras_xdsl.dialects")
        from tileiras_xdsl.xdsl_extras.dominance import verify_module

        module = self.load(make_context())
        verify_module(module)
        return module

    def check(self) -> None:
        """Refuses what is no program at first sight, in the words of `tileiras`."""
        if self.data is None:
            return
        self.check_file()
        if self.data.startswith(_MLIR_MAGIC):
            raise InputError("failed to parse IR bytecode (it looks like MLIR bytecode instead)")
        if not self.data.startswith(MAGIC):
            try:
                text = self.data.decode()
            except UnicodeDecodeError:
                text = "\0"
            if "\0" in text or MAGIC.startswith(self.data):
                raise InputError("input does not correspond to Tile IR bytecode")

    def check_file(self) -> None:
        """Refuses a file that is another than the one that was meant: an empty one, or Python."""
        if self.data is None:
            return
        if not self.data:
            raise InputError("input buffer is null: it is empty")
        if not self.data.startswith(MAGIC) and _PYTHON.search(self.data):
            raise _say_it_is_python(self.name)

    def flatten(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """What the parameters of a kernel are, given the arguments of its function."""
        return arguments if self.kernel is None else self.kernel.flatten(arguments)


def _say_it_is_python(path: str) -> InputError:
    """The error for kernels in Python, `k.py` or `k.py:kernel`, that are given as Tile IR."""
    kernel = path if ":" in path else f"{'FILE.py' if path[0] == '<' else path}:KERNEL"
    return InputError(
        f"'{path}' is Python, and Tile IR is expected: use 'tileiras-explore {kernel} --args …', "
        "or tileiras_xdsl.compile(KERNEL, …) in Python"
    )


def parse_bytes(
    ctx: Context, data: bytes, name: str, *, allow_implicit_module: bool = True
) -> ModuleOp:
    """
    The module in `data`, not yet verified. `ParseError` for text that is no program,
    `BytecodeError` for bytecode that is none.
    """
    if data.startswith((MAGIC, _MLIR_MAGIC)):
        from tileiras_xdsl.frontend.bytecode import read

        return read(data, verify=False)
    from tileiras_xdsl.frontend.text import TextParser

    return TextParser(ctx, data, name).parse_module(allow_implicit_module)


def print_bytes(module: ModuleOp) -> bytes:
    """What `parse_bytes` makes the same module of: generic text, as only that has all locations."""
    from io import StringIO

    from xdsl.printer import Printer

    output = StringIO()
    Printer(output, print_generic_format=True, print_debuginfo=True).print_op(module)
    return output.getvalue().encode()


def make_context() -> Context:
    """A context that knows the dialects of xDSL and of this package, loaded when used."""
    from xdsl.context import Context
    from xdsl.universe import XDSL_UNIVERSE

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    ctx = Context()
    for universe in (XDSL_UNIVERSE, TILEIRAS_UNIVERSE):
        for dialect, factory in universe.all_dialects.items():
            ctx.register_dialect(dialect, factory)
    return ctx


def load(source: Source) -> ModuleOp:
    """
    The verified module of a program: the path of a file, bytecode as bytes, or text (as a
    string with a line break or a bracket in it, or as bytes).

    Raises `BytecodeError` for malformed bytecode, `ParseError` for malformed text and
    `VerifyException` for an invalid program; `OSError` if a file cannot be read.
    """
    return Program.of(source).load_verified()
