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

LOWEST_CODEGEN_LEVEL: Final = 1
"""At 0 the code generator doubles the PTX, and ptxas has to repair wgmma pipelines (C7519)."""

TENSOR_MEMORY_CODE: Final = "tcgen05.mma"
"""
In kernels that multiply in tensor memory. Agents of these have short loops around instructions that
LLVM does not look into: most of LLVM's passes, which take longer than all else that LLVM does,
change nothing that ptxas would not change as well, unless threads compute much.
"""

WARPGROUP_CODE: Final = "wgmma.mma_async"
"""
In kernels whose warpgroups multiply, for which the same holds. On an H200 the short pipeline gives
them 0.995 to 1.03 of the speed, most where loops are short (2048x8192x1024, by turns in one run).
"""

THREAD_LOADS: Final = ("nvvm.cp.async.c", "ld.global.v")
"""
In kernels whose threads load tiles by themselves. Their loops compute addresses, which all passes
of LLVM move out of them: with few passes a grouped GEMM has 0.85 to 0.93 of its speed.
"""

SMALL_FLOATS: Final = (".e4m3.", ".e5m2.")
"""
In kernels whose warpgroups multiply 8-bit floats, and whose threads add up products. With few
passes a GEMM in tiles of 128x128, whose warps exchange no registers, has 0.97 of its speed.
"""

MOST_SHORT_LINES: Final = 3200
"""
Threads compute little in functions for tensor memory with no more lines. GEMMs have 1300 to 2200,
those of which pieces are stored 3100, those with a GELU 7000, attention 4300 and more.
"""

MOST_EXCHANGING_LINES: Final = 6000
"""
The same for warpgroups that exchange registers. Attention has 2200 to 3700 lines, causal attention
in two loops up to 5730, a GEMM with a GELU 5720. Causal attention takes 0.87 to 0.9 of the time to
compile with few passes, and has 0.984 to 1.018 of its speed, with maps of the host 1.005 on average
and with those of the device 0.993; GEMMs have 1.000. Attention of sequences of different lengths
has 8030 lines, and spills more.
"""

MOST_PLAIN_LINES: Final = 3100
"""
The same for warpgroups that exchange no registers. GEMMs that compute one tile block at a time have
800 to 3080; those that compute two at once have 3100 to 3500, and in f16 1.003 to 1.022 of the
speed with all passes (i8 0.996).
"""

MOST_SCARCE_LINES: Final = 2000
"""
The same for tensor memory if warps exchange registers (`setmaxnreg`). There registers are scarce,
and each that LLVM saves counts: with few passes ptxas spills in epilogues of residuals.
"""

REGISTER_EXCHANGE: Final = "setmaxnreg"
"""In kernels whose warps exchange registers."""

LOWEST_SHORT_LEVEL: Final = 2
"""Below, LLVM is told what to do."""

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


def optimize(
    compilation: NvptxCompilation,
    level: int = 3,
    *,
    ftz: bool | None = None,
    thorough: bool = False,
) -> bool:
    """
    Links what the module needs of libdevice, then runs LLVM's pipeline of O0 to O3, or instead of
    that of O2 and O3 a short one, if that suffices and none that is `thorough` is wanted; returns
    whether it was the short one. After the pipeline of O0, equal values are still merged: the code
    generator compares all pairs of equal addresses of a block.

    `ftz` chooses the paths of libdevice that flush subnormal numbers, or those that do not; without
    it the module flag `nvvm-reflect-ftz` does, if there is one.
    """
    _check_level(level)
    machine = llvm.create_target_machine(compilation.target, max(level, LOWEST_CODEGEN_LEVEL))
    module = compilation.module
    link_libdevice(module, compilation.session, machine, ftz=ftz)
    is_short = not thorough and level >= LOWEST_SHORT_LEVEL and _needs_little(compilation)
    if is_short:
        llvm.run_short_pipeline(module, machine)
    else:
        llvm.run_default_pipeline(module, machine, level)
    if level == 0:
        llvm.merge_equal_values(module, machine)
    return is_short


def _needs_little(compilation: NvptxCompilation) -> bool:
    """Whether the short pipeline suffices, which inlines no functions."""
    source = compilation.source
    if TENSOR_MEMORY_CODE in source:
        most = MOST_SCARCE_LINES if REGISTER_EXCHANGE in source else MOST_SHORT_LINES
    elif WARPGROUP_CODE in source and not _threads_need_more(source):
        most = MOST_EXCHANGING_LINES if REGISTER_EXCHANGE in source else MOST_PLAIN_LINES
    else:
        return False
    if source.count("\n") > most:
        return False
    defined = sum(not function.is_declaration for function in compilation.module.functions)
    return defined == source.count("define ptx_kernel ")


def _threads_need_more(source: str) -> bool:
    """Whether loops around WGMMAs have work for threads that few passes leave slow."""
    if any(code in source for code in THREAD_LOADS):
        return True
    return REGISTER_EXCHANGE not in source and any(code in source for code in SMALL_FLOATS)


def emit(compilation: NvptxCompilation, level: int = 3) -> str:
    """The PTX of a module."""
    _check_level(level)
    machine = llvm.create_target_machine(compilation.target, max(level, LOWEST_CODEGEN_LEVEL))
    check_before_emission(compilation.module, compilation.source, compilation.target)
    ptx = machine.emit_assembly(compilation.module)
    return ptx if compilation.target.machine.tcgen05 is None else raise_register_counts(ptx)


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
