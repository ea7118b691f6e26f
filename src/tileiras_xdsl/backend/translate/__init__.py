"""
Modules of `llvm` and `nvvm` as LLVM IR text.

The text is a function of the module and the options: names are numbers, in the order of the walk.

Modules:

    constants: Constants as LLVM IR writes them, and what is known of integers
    llvm_ops: Ops of `llvm`: arithmetic, casts, vectors, aggregates, calls, control flow, intrinsics
    memory: Ops of `llvm` that make addresses, load and store, also by atomics
    module_writer: Walks a module and writes it as LLVM IR, with line tables
    nvvm_fragments: Ops of `nvvm` that access fragments: one instruction for each piece
    nvvm_math: Ops of `nvvm`: approximations, rounded arithmetic, packed conversions
    nvvm_matrix: Ops of `nvvm`: `mma.sync` and WGMMA, and MMAs of whole fragments
    nvvm_ops: Ops of `nvvm`: special registers, what lanes of a warp do together, barriers, fences
    nvvm_tcgen05: Ops of `nvvm`: tensor memory, `tcgen05.mma`, cluster launch control
    types: Types of LLVM IR, and how values are held in registers
    writer: Writes the text of one function: names, registers, calls, inline assembly
"""

from __future__ import annotations

from .module_writer import translate_module, translate_module_for_host

__all__ = ["translate_module", "translate_module_for_host"]
