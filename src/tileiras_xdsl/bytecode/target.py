"""The output target `tileir-bytecode`."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from .versions import LATEST, format_version
from .writer import write


@dataclass(frozen=True)
class TileirBytecodeTarget(Target):
    """
    Writes the module as Tile IR bytecode.

    - version: the bytecode version (default: the newest).

    The output is binary: `tileiras-opt` writes it, plain `xdsl-opt` only knows text.
    """

    name = "tileir-bytecode"

    # xDSL reads `13.4` as a number, and `13` as another kind of number.
    version: str | float | int = format_version(LATEST)

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        """The bytes of the module."""
        return write(module, str(self.version))

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raise DiagnosticException(f"target '{self.name}' is binary, use tileiras-opt")
