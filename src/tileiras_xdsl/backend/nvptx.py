"""
LLVM IR text to PTX text, through LLVM's NVPTX back end.

Every compilation has an LLVM context of its own, so that nothing of an earlier one can change what
comes out: the same text, target and level give the same bytes.

LLVM ends the process where code generation fails. `guard` refuses what is known to do that; for the
rest, `worker.compile_to_ptx` does the same in a process of its own.
"""

from __future__ import annotations

import re
import weakref
from typing import Final

from tileiras_xdsl.backend import llvmlite_binding as llvm
from tileiras_xdsl.backend.errors import BackendError, excerpt
from tileiras_xdsl.backend.guard import check_before_emission, check_source, with_sufficient_version
from tileiras_xdsl.backend.libdevice import link_libdevice
from tileiras_xdsl.backend.target import TRIPLE, NvptxTarget
from tileiras_xdsl.targets.target import Target

LOWEST_CODEGEN_LEVEL: Final = 1
"""At 0 the code generator doubles the PTX, and ptxas has to repair wgmma pipelines (C7519)."""

LOWEST_SHORT_LEVEL: Final = 2
"""Below, LLVM is told what to do."""

_HIDDEN: Final = '"nvvm.hidden"'
_HIDING = re.compile(rf'^define [^@\n]*@"?([^"(\s]+)"?\(.*{_HIDDEN}.*$', re.MULTILINE)
_ENTRY_HEAD = re.compile(r"\.entry\s+([^\s(]+)\s*\([^)]*\)")
_PARSE_ERROR = re.compile(r"<string>:(\d+):(\d+): error: (.*)")
_BEFORE_SETMAXNREG = re.compile(
    r"((?:^\t(?:add|and|bfe|cvt|mad|max|min|mov|mul|neg|not|or|setp|shl|shr|sub|xor)\.\S+\s+%.*\n)+)"
    r"(^\tsetmaxnreg\.inc\..*\n)",
    re.M,
)
"""Instructions on registers, and a `setmaxnreg` behind them."""


class NvptxCompilation:
    """A module of LLVM IR on its way to PTX, made by `parse`."""

    def __init__(self, source: str, target: NvptxTarget):
        self.source = source
        self.target = target
        self.session = llvm.LLVMSession()
        # Nothing else may end the session, see there.
        weakref.finalize(self, self.session.close)
        self.module = self.session.parse_assembly(source)


def parse(source: str, target: NvptxTarget) -> NvptxCompilation:
    """
    The verified module of LLVM IR text, with the data layout of the target. Where no PTX version
    was asked for, the compilation has the default one, or a later one that the text needs.
    """
    target = with_sufficient_version(source, target)
    check_source(source, target)
    try:
        compilation = NvptxCompilation(source, target)
    except RuntimeError as error:
        raise BackendError(_parse_error(str(error), source)) from None
    except UnicodeEncodeError as error:
        raise BackendError(f"LLVM IR is not valid text: {error}") from None
    module = compilation.module
    module.triple = TRIPLE
    module.data_layout = str(llvm.create_target_machine(target, LOWEST_CODEGEN_LEVEL).target_data)
    _verify(module, source)
    return compilation


def optimize(compilation: NvptxCompilation, level: int = 3, *, ftz: bool | None = None) -> None:
    """
    Links what the module needs of libdevice, then runs LLVM's pipeline of O0 or O1, or a short one
    instead of those of O2 and O3: ptxas does again most of what these do. After the pipeline of O0,
    equal values are still merged: the code generator compares all pairs of equal addresses of a
    block.

    `ftz` chooses the paths of libdevice that flush subnormal numbers, or those that do not; without
    it the module flag `nvvm-reflect-ftz` does, if there is one.
    """
    _check_level(level)
    machine = llvm.create_target_machine(compilation.target, max(level, LOWEST_CODEGEN_LEVEL))
    module = compilation.module
    link_libdevice(module, compilation.session, machine, ftz=ftz)
    if level >= LOWEST_SHORT_LEVEL:
        llvm.run_short_pipeline(module, machine)
    else:
        llvm.run_default_pipeline(module, machine, level)
    if level == 0:
        llvm.merge_equal_values(module, machine)


def emit(compilation: NvptxCompilation, level: int = 3) -> str:
    """The PTX of a module."""
    _check_level(level)
    machine = llvm.create_target_machine(compilation.target, max(level, LOWEST_CODEGEN_LEVEL))
    check_before_emission(compilation.module, compilation.source, compilation.target)
    ptx = name_target(machine.emit_assembly(compilation.module), compilation.target.machine)
    ptx = hide_parameters(ptx, compilation.source)
    return ptx if compilation.target.machine.tcgen05 is None else raise_register_counts(ptx)


def name_target(ptx: str, target: Target) -> str:
    """
    The first lines name an architecture that LLVM does not know.

    Before:  .version 8.8
             .target sm_103a
    After:   .version 9.4
             .target sm_107a
    """
    if target.relative is None:
        return ptx
    version = target.relative.ptx_version
    lines = f".version {version // 10}.{version % 10}\n.target {target.name}"
    return re.sub(rf"\.version .*\n\.target {target.llvm_name}", lines, ptx, count=1)


def hide_parameters(ptx: str, source: str) -> str:
    """
    The last parameters of kernels that LLVM IR marks are hidden from launches.

    Before:  .param .align 64 .b8 matmul_param_6[128]
    After:   .hidden .param .align 64 .b8 matmul_param_6[128]
    """
    if _HIDDEN not in source:
        return ptx
    counts = {match[1]: match[0].count(_HIDDEN) for match in _HIDING.finditer(source)}

    def hide(match: re.Match[str]) -> str:
        *parts, last = match[0].rsplit(".param", counts.get(match[1], 0))
        return "".join((*(f"{part}.hidden .param" for part in parts), last))

    return _ENTRY_HEAD.sub(hide, ptx)


def raise_register_counts(ptx: str) -> str:
    """
    Threads get more registers before what they compute from registers in the same block. LLVM puts
    such code in front of `setmaxnreg`, where ptxas spills a value that is needed until the end:
    attention with d = 64 for sm_100.
    """
    # It takes long to find that there is none.
    return _BEFORE_SETMAXNREG.sub(r"\2\1", ptx) if "setmaxnreg.inc." in ptx else ptx


def compile_to_ptx(
    source: str, target: NvptxTarget, level: int = 3, *, ftz: bool | None = None
) -> str:
    """The PTX of LLVM IR text; see `optimize` for the options."""
    _check_level(level)
    compilation = parse(source, target)
    optimize(compilation, level, ftz=ftz)
    return emit(compilation, level)


def optimized_ir(
    source: str, target: NvptxTarget, level: int = 3, *, ftz: bool | None = None
) -> str:
    """The LLVM IR that `compile_to_ptx` generates code for."""
    compilation = parse(source, target)
    optimize(compilation, level, ftz=ftz)
    return str(compilation.module)


def _check_level(level: int) -> None:
    if level not in range(4):
        raise BackendError(f"there is no optimization level {level} (expected 0 to 3)")


def _verify(module: llvm.LLVMModule, source: str) -> None:
    try:
        module.verify()
    except RuntimeError as error:
        raise BackendError(_verification_error(str(error), source)) from None


def _parse_error(message: str, source: str) -> str:
    """LLVM's message with the lines around the place it names."""
    if (match := _PARSE_ERROR.search(message)) is None:
        return f"LLVM IR does not parse: {message}"
    line, column, text = int(match[1]), int(match[2]), match[3]
    return f"LLVM IR does not parse, line {line}:{column}: {text}\n{excerpt(source, line)}"


def _verification_error(message: str, source: str) -> str:
    """LLVM's message, which quotes instructions, with the line of the first that the text has."""
    complaint, *quoted = message.strip().splitlines()
    lines = [line.strip() for line in source.splitlines()]
    for quote in quoted:
        if (instruction := quote.strip()) and lines.count(instruction) == 1:
            line = lines.index(instruction) + 1
            return f"LLVM IR is invalid, line {line}: {complaint}\n{excerpt(source, line)}"
    return "\n".join((f"LLVM IR is invalid: {complaint}", *quoted))
