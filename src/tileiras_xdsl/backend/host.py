"""LLVM IR for the CPU of this machine: assembly, object code, functions that can be called."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import count
from typing import Any, Final

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.targets.cpu import CPUS, CpuTarget

_numbers = count()


@cache
def _binding() -> Any:
    binding: Any = import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


@cache
def pause_address() -> int:
    """The address of a function that lets other threads run."""
    library: Any = ctypes.CDLL("kernel32" if sys.platform == "win32" else None)
    function = library.SwitchToThread if sys.platform == "win32" else library.sched_yield
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


@cache
def host() -> CpuTarget:
    """The CPU of this machine."""
    binding = _binding()
    try:
        features: dict[str, bool] = dict(binding.get_host_cpu_features())
    except RuntimeError:
        # LLVM cannot tell on all systems.
        features = {}
    name: str = binding.get_host_cpu_name()
    return CpuTarget.of(binding.get_process_triple(), name, features)


def version() -> str:
    """What object code depends on beside the CPU: llvmlite and its LLVM."""
    llvmlite: Any = import_module("llvmlite")
    numbers = ".".join(map(str, _binding().llvm_version_info))
    return f"{llvmlite.__version__}, LLVM {numbers}"


def _machine(target: CpuTarget) -> Any:
    binding = _binding()
    if target in CPUS.values():
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    try:
        found = binding.Target.from_triple(target.triple)
    except RuntimeError as error:
        raise BackendError(f"LLVM has no code for {target.triple}: {error}") from None
    return found.create_target_machine(
        cpu=target.name, features=target.features, opt=3, reloc="pic", codemodel="small", jit=True
    )


def emit_relocatable(source: str) -> bytes:
    """
    Object code of LLVM IR text for any CPU with the instruction set of this one, and for any place
    in memory: on x86-64 its parts may be far from each other.
    """
    binding = _binding()
    triple: str = binding.get_process_triple()
    module = binding.parse_assembly(source, binding.create_context())
    module.verify()
    model = "large" if triple.startswith("x86_64") else "default"
    target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel=model)
    code: bytes = machine.emit_object(module)
    module.close()
    return code


@cache
def data_layout(target: CpuTarget) -> str:
    """How LLVM lays out data for a target."""
    return str(_machine(target).target_data)


def optimize(source: str, target: CpuTarget) -> tuple[str, bytes]:
    """Optimized LLVM IR, and its object code."""
    binding = _binding()
    machine = _machine(target)
    context = binding.create_context()
    try:
        module = binding.parse_assembly(source, context)
        module.verify()
    except RuntimeError as error:
        raise BackendError(f"LLVM IR is invalid: {error}") from None
    options = binding.create_pipeline_tuning_options(speed_level=3)
    # Loops are over vectors already, and unrolled where that makes them faster.
    for name in ("loop_vectorization", "slp_vectorization", "loop_interleaving", "loop_unrolling"):
        setattr(options, name, False)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    result = str(module), machine.emit_object(module)
    module.close()
    return result


def assembly(optimized: str, target: CpuTarget) -> str:
    """The assembly of optimized LLVM IR."""
    binding = _binding()
    context = binding.create_context()
    module = binding.parse_assembly(optimized, context)
    result = _machine(target).emit_assembly(module)
    module.close()
    return result


KERNEL_TYPE: Final = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, *(ctypes.c_int64,) * 5, ctypes.c_void_p
)
"""Arguments, the first CTA, the one after the last, the sizes of the grid, scratch memory."""


class Linked:
    """Object code in this process; it stays as long as this object."""

    def __init__(self, code: bytes, name: str):
        binding = _binding()
        self._compiler = _compiler()
        library = binding.JITLibraryBuilder()
        library.add_object_img(code).add_current_process().export_symbol(name)
        try:
            self._tracker = library.link(self._compiler, f"kernel{next(_numbers)}")
        except RuntimeError as error:
            raise BackendError(f"object code cannot be linked: {error}") from None
        self.function: Callable[..., None] = KERNEL_TYPE(self._tracker[name])
        """A call drops the interpreter's lock."""


@cache
def _compiler() -> Any:
    return _binding().create_lljit_compiler(_machine(host()))
