"""
Modules of `llvm` and `nvvm` as LLVM IR text.

| file | has |
| --- | --- |
| `module_writer` | the walk: globals, functions, blocks; line tables |
| `writer` | a function that is being written: names, registers, calls; the table of all ops |
| `types` | types, and in which registers values are held |
| `constants` | constants, names and strings |
| `integers` | what is known of integers |
| `llvm_ops`, `memory` | ops of `llvm`, and the few of `arith` and `vector` that may be left |
| `nvvm_ops`, `nvvm_fragments`, `nvvm_matrix`, `nvvm_math`, `nvvm_tcgen05` | ops of `nvvm` |

The text is a function of the module and the options: names are numbers, in the order of the walk.
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
