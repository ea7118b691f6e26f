"""The output targets `tileir-bytecode` and `cuda-tile-public`."""

from dataclasses import dataclass
from typing import IO, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from tileiras_xdsl.dialects.cuda_tile import CudaTileOperation, PublicPrinter
from tileiras_xdsl.dialects.cuda_tile import ModuleOp as CudaTileModuleOp

from .bytecode.primitives import LATEST, format_version
from .bytecode.writer import write


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


@dataclass(frozen=True)
class CudaTilePublicTarget(Target):
    """
    Writes what NVIDIA's 13.4 disassembler writes.

    - module: print the `cuda_tile.module` around the contents (default: no);
    - debuginfo: print locations, as aliases defined at the end (default: no).

    Everything at top level must be a `cuda_tile.module`, and without `module` there may be
    only one. What the public text has no words for is refused, never left out.
    """

    name = "cuda-tile-public"

    module: bool = False
    debuginfo: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        modules: list[CudaTileModuleOp] = []
        for op in module.body.block.ops:
            if not isinstance(op, CudaTileModuleOp):
                _refuse(op, f"'{_name(op)}'", ": expected cuda_tile.module")
            for inner in op.walk():
                if not isinstance(inner, CudaTileOperation):
                    _refuse(inner, f"'{_name(inner)}'", ": expected an op of cuda_tile")
                if (gap := inner.public_gap()) is not None:
                    _refuse(inner, f"{gap} of '{inner.name}'")
            modules.append(op)
        if len(modules) != 1 and not self.module:
            _refuse(module, f"{len(modules)} modules", " without 'module=true'")
        PublicPrinter(
            stream=output, print_debuginfo=self.debuginfo, print_wrapper=self.module
        ).print_module(*modules)


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _refuse(op: Operation, what: str, why: str = "") -> NoReturn:
    message = f"cannot print {what} in the public form{why}"
    op.emit_error(message, DiagnosticException(message))
