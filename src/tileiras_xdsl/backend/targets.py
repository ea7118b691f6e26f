"""The output targets `llvm-ir`, `ptx` and `cubin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from tileiras_xdsl.backend.launch_record import RECORD_SUFFIX
from tileiras_xdsl.backend.target import NvptxTarget

if TYPE_CHECKING:
    from tileiras_xdsl.backend.compile import CompiledModule


@dataclass(frozen=True)
class DeviceTarget(Target):
    """
    What targets for the GPU share.

    - arch: the architecture, such as `sm_90`;
    - ptx_version: such as 90 for PTX 9.0 (default: one that has what the architecture has);
    - debug: whether instructions know their place in the source.
    """

    arch: str | int | float = "sm_90"
    ptx_version: int | None = None
    debug: bool = False

    def translate(self, module: ModuleOp) -> str:
        """The module as LLVM IR text."""
        from tileiras_xdsl.backend.translate import translate_module

        return translate_module(module, self.nvptx_target(), debug=self.debug)

    def nvptx_target(self) -> NvptxTarget:
        """The architecture."""
        return NvptxTarget.parse(self.arch, self.ptx_version)


@dataclass(frozen=True)
class LlvmIrTarget(DeviceTarget):
    """Writes a module of `llvm` and `nvvm` as LLVM IR text, before any pass of LLVM."""

    name = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(self.translate(module))


@dataclass(frozen=True)
class PtxTarget(DeviceTarget):
    """
    Writes a module of `llvm` and `nvvm` as PTX text.

    - opt: how much LLVM optimizes, 0 to 3.
    """

    name = "ptx"

    opt: int = 3

    def compile(self, module: ModuleOp) -> str:
        """The PTX of a module."""
        from tileiras_xdsl.backend.nvptx import compile_to_ptx

        return compile_to_ptx(self.translate(module), self.nvptx_target(), self.opt)

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(self.compile(module))


@dataclass(frozen=True)
class CubinTarget(PtxTarget):
    """
    Writes a module of `llvm` and `nvvm` as a cubin, by NVIDIA's ptxas.

    The output is binary: `tileiras-opt` writes it, plain `xdsl-opt` only knows text. Beside a file
    comes another one with the launch records of its kernels, `kernel.cubin.json`.
    """

    name = "cubin"

    def build(self, module: ModuleOp) -> CompiledModule:
        """The cubin of a module and its launch records."""
        from tileiras_xdsl.backend.compile import compile_module

        return compile_module(
            module, self.arch, ptx_version=self.ptx_version, opt=self.opt, debug=self.debug
        )

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        """The bytes of the cubin."""
        return self.build(module).cubin

    def emit_files(self, ctx: Context, module: ModuleOp) -> dict[str, bytes]:
        """The cubin, and the file beside it by what its name ends with in addition."""
        compiled = self.build(module)
        return {"": compiled.cubin, RECORD_SUFFIX: compiled.records_json().encode()}

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raise DiagnosticException(f"target '{self.name}' is binary, use tileiras-opt")
