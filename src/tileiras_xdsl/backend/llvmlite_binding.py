"""
The part of llvmlite that the back end uses, with types.

llvmlite has none of its own. It is imported, and its targets are set up, when first asked for:
that takes a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from tileiras_xdsl.backend.target import TRIPLE, NvptxTarget

ANY_TARGET = NvptxTarget.parse("sm_80")
"""For work that does not depend on the target."""


class LLVMContext(Protocol):
    """Owns modules and their types."""

    def close(self) -> None: ...


class LLVMFunction(Protocol):
    """A function of a module; printing it gives its IR."""

    name: str
    is_declaration: bool
    linkage: str
    global_value_type: object


class LLVMModule(Protocol):
    """A module; printing it gives its IR."""

    triple: str
    data_layout: str

    @property
    def functions(self) -> Iterable[LLVMFunction]: ...

    def verify(self) -> None: ...
    def as_bitcode(self) -> bytes: ...
    def link_in(self, other: LLVMModule, /) -> None: ...
    def close(self) -> None: ...


class LLVMTargetMachine(Protocol):
    """Generates code for one target."""

    target_data: object

    def emit_assembly(self, module: LLVMModule, /) -> str: ...


@cache
def _binding() -> Any:
    binding: Any = import_module("llvmlite.binding")
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


class LLVMSession:
    """
    A context and the modules in it, which `close` disposes of.

    The garbage collector may dispose of a context before its modules, for instance those that a
    traceback holds, and LLVM does not survive that. Here the order is right.
    """

    def __init__(self):
        self._context: LLVMContext = _binding().create_context()
        self._modules: list[LLVMModule] = []

    def parse_assembly(self, text: str) -> LLVMModule:
        """`RuntimeError` for what is no LLVM IR."""
        return self._add(_binding().parse_assembly(text, self._context))

    def parse_bitcode(self, data: bytes) -> LLVMModule:
        """`RuntimeError` for what is no bitcode."""
        return self._add(_binding().parse_bitcode(data, self._context))

    def close(self) -> None:
        for module in self._modules:
            module.close()
        self._context.close()

    def _add(self, module: LLVMModule) -> LLVMModule:
        self._modules.append(module)
        return module


def create_target_machine(target: NvptxTarget, opt: int) -> LLVMTargetMachine:
    """`opt` is that of the code generator, not of the passes before it."""
    return (
        _binding()
        .Target.from_triple(TRIPLE)
        .create_target_machine(cpu=target.machine.llvm_name, features=target.features, opt=opt)
    )


def run_default_pipeline(module: LLVMModule, machine: LLVMTargetMachine, level: int) -> None:
    """LLVM's passes of O0 to O3, but for the vectorizers, which do not suit a GPU."""
    binding = _binding()
    options = binding.create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = False
    options.loop_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def run_short_pipeline(module: LLVMModule, machine: LLVMTargetMachine) -> None:
    """
    What the code generator and ptxas do not do by themselves: functions of libdevice are inlined,
    variables become registers, and what is computed is simplified, also along branches. The code
    generator finds common subexpressions and reduces the strength of addresses, ptxas moves code
    out of loops and rotates these.

    LLVM's own pipeline of O0 comes first: it inlines, and it is the only one that lets the target
    answer `__nvvm_reflect`, by which libdevice chooses how to treat subnormal numbers.
    """
    run_default_pipeline(module, machine, 0)
    passes = ("sroa", "simplify_cfg", "sccp", "instruction_combine", "new_gvn", "simplify_cfg")
    _run_passes(module, machine, *passes)


def merge_equal_values(module: LLVMModule, machine: LLVMTargetMachine) -> None:
    """Global value numbering: what is computed several times is computed once."""
    _run_passes(module, machine, "new_gvn")


def remove_unused(module: LLVMModule, machine: LLVMTargetMachine) -> None:
    """Removes internal functions and globals without use, and declarations without use."""
    _run_passes(module, machine, "global_dead_code_eliminate", "strip_dead_prototype")


def _run_passes(module: LLVMModule, machine: LLVMTargetMachine, *names: str) -> None:
    binding = _binding()
    builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options())
    passes = binding.create_new_module_pass_manager()
    for name in names:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
