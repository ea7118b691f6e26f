"""The output target `cuda-tile-public`."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from tileiras_xdsl.dialects.cuda_tile import ModuleOp as CudaTileModuleOp
from tileiras_xdsl.dialects.cuda_tile import PublicPrinter


@dataclass(frozen=True)
class CudaTilePublicTarget(Target):
    """
    Writes what NVIDIA's 13.4 disassembler writes.

    - module: print the `cuda_tile.module` around the contents (default: no);
    - debuginfo: print locations, as aliases defined at the end (default: no).

    Everything at top level must be a `cuda_tile.module`, and without `module` there may be
    only one.
    """

    name = "cuda-tile-public"

    module: bool = False
    debuginfo: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        ops = tuple(module.body.block.ops)
        for op in ops:
            if not isinstance(op, CudaTileModuleOp):
                raise DiagnosticException(
                    f"cannot print '{op.name}' in the public form: expected cuda_tile.module"
                )
        if len(ops) != 1 and not self.module:
            raise DiagnosticException(
                f"cannot print {len(ops)} modules in the public form without 'module=true'"
            )
        for op in ops:
            assert isinstance(op, CudaTileModuleOp)
            printer = PublicPrinter(
                stream=output, print_debuginfo=self.debuginfo, print_wrapper=self.module
            )
            printer.print_module(op)
