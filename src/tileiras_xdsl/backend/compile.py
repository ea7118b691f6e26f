"""
A module of `llvm` and `nvvm` to a cubin and its launch records.

    compiled = compile_module(module, "sm_90")
    with cuda.load(compiled.cubin, compiled.record()) as kernel:
        kernel.launch(16, [x, n])
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.entries import make_records
from tileiras_xdsl.backend.host_code import make_host_code
from tileiras_xdsl.backend.launch_record import LaunchRecord, records_to_json, select_record
from tileiras_xdsl.backend.ptxas import Ptxas, PtxasError, PtxasMessage, source_location
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location


@dataclass(frozen=True)
class CompiledModule:
    """A cubin and what a launcher has to know about its kernels."""

    cubin: bytes = field(repr=False)
    records: tuple[LaunchRecord, ...]
    ptx: str = field(repr=False)
    messages: tuple[PtxasMessage, ...] = ()
    """What ptxas said: warnings, and remarks on slow code."""

    def record(self, entry: str | None = None) -> LaunchRecord:
        """The launch record of a kernel; without a name, of the only one."""
        return select_record(self.records, entry)

    def records_json(self) -> str:
        """What is written beside a cubin, see `records_to_json`."""
        return records_to_json(self.records)


def _make_ptx(module: ModuleOp, target: NvptxTarget, opt: int, *, debug: bool) -> str:
    return nvptx.compile_to_ptx(translate_module(module, target, debug=debug), target, opt)


def raise_with_op(
    error: PtxasError, module: ModuleOp, target: NvptxTarget, ptxas: Ptxas, opt: int = 3
) -> NoReturn:
    """
    Raises what ptxas said about the PTX of a module, with the op that the wrong line came from, or
    the kernel that it is about, if that can be found.
    """
    op = None if error.line is None else _find_op(module, target, ptxas, opt)
    if op is None:
        op = _named_function(error, module)
    if op is None:
        raise error
    place = first_file_location(op.location)
    origin = f"'{op.name}'"
    if place is not None:
        origin += f" at {place.filename.data}:{place.line.data}:{place.column.data}"
    explained = PtxasError(error.text, error.messages, error.line, origin)
    op.emit_error(str(explained), explained)


def _find_op(module: ModuleOp, target: NvptxTarget, ptxas: Ptxas, opt: int) -> Operation | None:
    """
    The op that the first wrong line of PTX came from. A copy of the module, whose ops are numbered
    in place of locations, is compiled once more with line tables.
    """
    copy = module.clone()
    for number, op in enumerate(copy.walk(), 1):
        op.location = FileLineColLoc(StringAttr("ops"), IntAttr(number), IntAttr(0))
    try:
        ptx = _make_ptx(copy, target, opt, debug=True)
    except DiagnosticException:
        return None
    try:
        ptxas.compile(ptx, target)
        return None
    except PtxasError as error:
        place = None if error.line is None else source_location(ptx, error.line)
    if place is None:
        return None
    wanted = int(place.split(":")[-2])
    return next((op for number, op in enumerate(module.walk(), 1) if number == wanted), None)


def _named_function(error: PtxasError, module: ModuleOp) -> Operation | None:
    """The function whose name is in the first error: ptxas says so of what has no line."""
    names = {name for message in error.messages for name in re.findall(r"'([^']+)'", message.text)}
    for op in module.walk():
        if isinstance(op, FuncOp) and op.sym_name.data in names:
            return op
    return None


def compile_module(
    module: ModuleOp,
    arch: CapabilityOption | ComputeCapability = "sm_90",
    *,
    ptx_version: int | None = None,
    opt: int = 3,
    debug: bool = False,
) -> CompiledModule:
    """
    The cubin of a module of `llvm` and `nvvm`, with a launch record for each kernel.

    - arch: such as `sm_90`;
    - ptx_version: such as 90 for PTX 9.0 (default: one that has what the architecture has);
    - opt: how much LLVM optimizes, 0 to 3;
    - debug: whether instructions know their place in the source.

    What is wrong with the module is a `DiagnosticException` that names the op; `MissingToolError`
    says that there is no ptxas or no libdevice.
    """
    target = NvptxTarget.parse(arch, ptx_version)
    ptxas = Ptxas.find()
    ptx = _make_ptx(module, target, opt, debug=debug)
    try:
        host_code = make_host_code(module, ptx, target.machine)
        options = ("-lineinfo",) if debug else ()
        result = ptxas.compile(ptx, target, options=options, host_code=host_code)
    except PtxasError as error:
        raise_with_op(error, module, target, ptxas, opt)
    records = make_records(module, ptx, target, result.functions, ptxas.version_of(result))
    return CompiledModule(result.cubin, records, ptx, result.messages)
