"""The output targets `llvm-ir`, `ptx` and `cubin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from tileiras_xdsl.backend.target import NvptxTarget


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

    The output is binary: `tileiras-opt` writes it, plain `xdsl-opt` only knows text.
    """

    name = "cubin"

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        """The bytes of the cubin."""
        from tileiras_xdsl.backend.ptxas import Ptxas

        options = ("-lineinfo",) if self.debug else ()
        ptx = self.compile(module)
        return Ptxas.find().compile(ptx, self.nvptx_target(), options=options).cubin

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raise DiagnosticException(f"target '{self.name}' is binary, use tileiras-opt")
