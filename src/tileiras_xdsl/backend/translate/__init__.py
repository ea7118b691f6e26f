"""
Modules of `llvm` and `nvvm` as LLVM IR text.

The text is a function of the module and the options: names are numbers, in the order of the walk.

Modules:

    atomics: Atomic ops of `llvm`
    bits: Integers that are 0 or 1 whatever happens, such as the parity of the phase of an mbarrier
    bridge_ops: Ops that the conversion to `llvm` and `nvvm` may leave
    constant_sums: Sums with a constant: what an address or a descriptor is made of
    constants: Constants as LLVM IR writes them
    debug_info: Line tables: which place in a source file an instruction came from
    functions: `exp` and `log` of `float` written out
    llvm_ops: Ops of `llvm`: arithmetic, casts, vectors, aggregates, calls, control flow, intrinsics
    memory: Ops of `llvm` that make addresses, load and store
    module_writer: Walks a module and writes it as LLVM IR
    nvvm_barriers: Ops of `nvvm`: barriers and fences
    nvvm_copies: Ops of `nvvm`: asynchronous copies
    nvvm_fragments: Ops of `nvvm` that access fragments: one instruction for each piece
    nvvm_math: Ops of `nvvm`: approximations, rounded arithmetic, packed conversions
    nvvm_matrix: Ops of `nvvm`: `mma.sync` and WGMMA, and MMAs of whole fragments
    nvvm_ops: Ops of `nvvm`: special registers, and what lanes of a warp do together
    nvvm_tcgen05: Ops of `nvvm`: tensor memory, `tcgen05.mma`, cluster launch control
    types: Types of LLVM IR, and how values are held in registers
    writer: Writes the text of one function: names, registers, calls, inline assembly
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend.target import NvptxTarget

from .module_writer import LlvmModuleWriter


def translate_module(module: ModuleOp, target: NvptxTarget, *, debug: bool = False) -> str:
    """
    The LLVM IR of a module, and of the modules for the GPU in it. What has no translation, or what
    the architecture does not have, is a `DiagnosticException` that names the op.
    """
    return LlvmModuleWriter(target, debug=debug).write(module)
