"""What a compilation can be told, and what programs can be given as."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.transforms.common.abi import ABIS, Abi

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.backend.target import NvptxTarget
    from tileiras_xdsl.cutile import Exported

OPTIMIZED_DEBUGGING: Final = (
    "optimized debugging is not supported, change optimization level to 0 or disable full debug "
    "info"
)

_MLIR_MAGIC: Final = b"ML\xefR"
_TILE_MAGIC: Final = b"\x7fTileIR\x00"


class OptionError(DiagnosticException):
    """An option that does not exist, or that does not go with the others."""


class InputError(DiagnosticException):
    """Input that is no program, whatever is wrong with it."""


@dataclass(frozen=True)
class Options:
    """What changes the code that is generated; everything here is part of the cache's key."""

    gpu: str
    """Such as `sm_90`; `sm_90a` means the same."""
    opt: int = DEFAULT_OPT_LEVEL
    lineinfo: bool = False
    """Whether instructions know their place in the source."""
    device_debug: bool = False
    """The same, for debuggers; needs `opt` 0."""
    abi: Abi = "device-maps"

    def __post_init__(self):
        if self.opt not in OPT_LEVELS:
            raise OptionError(f"invalid optimization level {self.opt} (expected 0 to 3)")
        if self.device_debug and self.opt != 0:
            raise OptionError(OPTIMIZED_DEBUGGING)
        if self.abi not in ABIS:
            known = " or ".join(ABIS)
            raise OptionError(f"there is no ABI '{self.abi}' (expected {known})")
        _ = self.target

    @property
    def ptxas_level(self) -> int:
        """How much ptxas is to optimize."""
        return 0 if self.opt == 0 else 3

    @property
    def target(self) -> NvptxTarget:
        """The architecture, as the back end has it."""
        from tileiras_xdsl.backend.errors import BackendError
        from tileiras_xdsl.backend.target import NvptxTarget
        from tileiras_xdsl.targets.target import expected_names

        try:
            return NvptxTarget.parse(self.gpu)
        except BackendError:
            name = re.fullmatch(r"sm_(\d+)[af]?", self.gpu)
            expected = expected_names(None if name is None else int(name[1]))
            raise OptionError(f"unsupported GPU target '{self.gpu}' {expected}") from None

    @property
    def arch(self) -> str:
        """The architecture as passes have it, `sm_90a`."""
        return self.target.cpu


@dataclass(frozen=True)
class Program:
    """A program that is to be compiled: bytecode or text, or a module."""

    name: str
    """What diagnostics call it."""
    data: bytes | None = field(default=None, repr=False)
    module: ModuleOp | None = field(default=None, repr=False)
    """In place of data; it is copied, and must not be changed as long as stages are asked for."""
    kernel: Exported | None = field(default=None, repr=False)
    """The kernel of cuTile that the data came from."""

    @staticmethod
    def of(
        program: str | bytes | os.PathLike[str] | ModuleOp | Callable[..., object],
        arguments: Sequence[object] | None = None,
        gpu: str | None = None,
    ) -> Program:
        """
        From bytecode as bytes, text as bytes or as a string with a line break or a brace in it,
        the path of a file with either, or a module; or from a kernel of cuTile, with arguments
        and the GPU that it is made for.
        """
        if isinstance(program, bytes | bytearray | memoryview):
            return Program("<bytes>", bytes(program))
        if isinstance(program, str) and ("\n" in program or "{" in program):
            return Program("<text>", program.encode())
        if isinstance(program, str | os.PathLike):
            return Program(os.fspath(program), Path(program).read_bytes())
        if hasattr(program, "walk"):
            return Program("<module>", module=cast("ModuleOp", program))
        from tileiras_xdsl.cutile import export, is_kernel

        if not is_kernel(program):
            raise OptionError(
                "a program is bytecode, text, a path, a module or a kernel of cuTile, "
                f"not '{type(program).__name__}'"
            )
        exported = export(program, arguments, gpu)
        return Program(f"<{exported.name}>", exported.bytecode, kernel=exported)

    def load(self, ctx: Context) -> ModuleOp:
        """A module of its own for the caller, not yet verified."""
        if self.data is None:
            assert self.module is not None
            return self.module.clone()
        if not self.data:
            raise InputError("input buffer is null")
        if self.data.startswith(_MLIR_MAGIC):
            raise InputError("failed to parse IR bytecode (it looks like MLIR bytecode instead)")
        if not self.data.startswith(_TILE_MAGIC):
            try:
                text = self.data.decode()
            except UnicodeDecodeError:
                text = "\0"
            if "\0" in text or _TILE_MAGIC.startswith(self.data):
                raise InputError("input does not correspond to Tile IR bytecode")
        from tileiras_xdsl.frontend import parse_bytes

        return parse_bytes(ctx, self.data, self.name)
