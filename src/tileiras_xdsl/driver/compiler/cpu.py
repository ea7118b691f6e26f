"""
`tileiras_xdsl.compile(kernel, "cpu")`: programs compiled by LLVM for the CPU of this machine.

    kernel = tx.compile(program, "cpu")
    kernel.launch(grid, [array, …])

The pipeline is `CPU_PIPELINE` of `pipeline`, then LLVM. Threads take ranges of CTAs; each has
scratch memory of its own.
"""

from __future__ import annotations

import json
import os
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp
from xdsl.dialects.llvm import FuncOp, LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.backend import host
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.translate import translate_module_for_host
from tileiras_xdsl.frontend.load import Program, make_context
from tileiras_xdsl.pipeline import cpu_steps
from tileiras_xdsl.targets.cpu import CpuTarget
from tileiras_xdsl.xdsl_extras.dominance import verify_module

from . import cache as disk
from .pass_plan import pass_from_spec

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source

FRONT_END_GPU: Final = "sm_90"
"""What kernels of cuTile are exported for; their code is the same for all GPUs."""
ALIGNMENT: Final = 64
CHUNKS_PER_THREAD: Final = 8
"""Ranges of CTAs, so that a thread that is done early takes more; a call costs microseconds."""
FLOATS: Final[dict[str, Any]] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
POINTER: Final = "ptr"

Grid = int | Sequence[int]


def lower_for_cpu(
    program: Program, target: CpuTarget | None = None, stage: str = "llvm"
) -> ModuleOp:
    """The module of a program after the passes that lead to `tileaa`, `cpu` or `llvm`."""
    target = target or host.host()
    context = make_context()
    module = program.load_verified()
    for step in cpu_steps(stage):
        spec = step.options.format(bits=target.vector_bits, rows=target.rows)
        pass_from_spec(f"{step.name}{spec}").apply(context, module)
    verify_module(module)
    return module


def kind_of(ty: Attribute) -> str:
    """What an argument is: `ptr`, or the name of a scalar type."""
    return POINTER if isinstance(ty, LLVMPointerType) else str(ty)


@dataclass(frozen=True)
class CpuKernel:
    """A kernel of a program."""

    name: str
    scratch: int
    """Bytes of scratch memory for each thread."""
    kinds: tuple[str, ...]
    """Its parameters."""

    @staticmethod
    def of(function: FuncOp) -> CpuKernel:
        """From the function that `cpu-lower-tiles` makes."""
        scratch, parameters = (
            function.attributes[f"cpu.{name}"] for name in ("scratch_bytes", "parameters")
        )
        assert isinstance(scratch, IntegerAttr)
        assert isinstance(parameters, ArrayAttr)
        kinds = tuple(map(kind_of, parameters))
        return CpuKernel(function.sym_name.data, scratch.value.data, kinds)


@dataclass(eq=False)
class CompiledForCpu:
    """A program compiled for the CPU of this machine."""

    target: CpuTarget
    kernels: tuple[CpuKernel, ...]
    llvm: str = field(repr=False)
    """LLVM IR, optimized."""
    asm: str = field(repr=False)
    object: bytes = field(repr=False)
    """Object code."""

    def kernel(self, name: str | None = None) -> CpuKernel:
        """The kernel of a name, or the only one."""
        names = [each.name for each in self.kernels]
        if name is None and len(names) == 1:
            return self.kernels[0]
        if name not in names:
            raise BackendError(f"expected one of the kernels {', '.join(names)}, but got {name}")
        return self.kernels[names.index(name)]

    @cached_property
    def _linked(self) -> dict[str, host.Linked]:
        return {each.name: host.Linked(self.object, each.name) for each in self.kernels}

    def launch(
        self,
        grid: Grid,
        args: Sequence[Any],
        *,
        entry: str | None = None,
        threads: int | None = None,
    ) -> None:
        """
        Runs a kernel over a grid; arrays are changed in place. `threads` are as many as cores by
        default.
        """
        kernel = self.kernel(entry)
        sizes = (grid,) if isinstance(grid, int) else tuple(grid)
        sizes = (*sizes, *(1,) * (3 - len(sizes)))
        total = sizes[0] * sizes[1] * sizes[2]
        if total < 1:
            return
        packed, kept = pack_arguments(kernel, args)
        function = self._linked[kernel.name].function
        count = min(total, threads or len(os.sched_getaffinity(0)))
        chunk = -(-total // (count * (1 if count == 1 else CHUNKS_PER_THREAD)))
        ranges = iter(range(0, total, chunk))
        lock = threading.Lock()

        def work() -> None:
            scratch = np.empty(kernel.scratch + ALIGNMENT, np.uint8)
            address = -(-scratch.ctypes.data // ALIGNMENT) * ALIGNMENT
            while True:
                with lock:
                    first = next(ranges, None)
                if first is None:
                    return
                end = min(first + chunk, total)
                function(packed.ctypes.data, first, end, *sizes, address)

        helpers = [threading.Thread(target=work, daemon=True) for _ in range(count - 1)]
        for each in helpers:
            each.start()
        work()
        for each in helpers:
            each.join()
        del kept


def pack_arguments(kernel: CpuKernel, args: Sequence[Any]) -> tuple[np.ndarray[Any, Any], Any]:
    """The arguments as the function reads them, 8 bytes each, and what keeps arrays alive."""
    if len(args) != len(kernel.kinds):
        raise BackendError(
            f"kernel {kernel.name} takes {len(kernel.kinds)} arguments, but got {len(args)}"
        )
    packed = bytearray()
    kept: list[Any] = []
    value: Any
    for number, (kind, value) in enumerate(zip(kernel.kinds, args, strict=True)):
        if kind == POINTER:
            if not hasattr(value, "__array_interface__") and hasattr(value, "__dlpack__"):
                value = np.from_dlpack(value)
            if not hasattr(value, "__array_interface__") or isinstance(value, np.generic):
                raise BackendError(
                    f"argument {number} is a pointer and takes an array, but got "
                    f"{type(value).__name__}"
                )
            array = np.asarray(value)
            kept.append(array)
            packed += struct.pack("<Q", array.ctypes.data)
        elif kind in FLOATS:
            packed += np.asarray(value, FLOATS[kind]).tobytes().ljust(8, b"\0")
        else:
            packed += struct.pack("<Q", int(value) & (1 << 64) - 1)
    return np.frombuffer(bytes(packed) or bytes(8), np.uint8), kept


def compile_for_cpu(
    program: Source, args: Sequence[object] | None = None, *, cache: bool | None = None
) -> CompiledForCpu:
    """What `tileiras_xdsl.compile(program, "cpu")` returns."""
    source = Program.of(program, args, FRONT_END_GPU)
    target = host.host()
    key = None
    if source.data is not None and (disk.is_enabled() if cache is None else cache):
        options = [target.triple, target.name, target.features, host.version()]
        key = disk.make_key(source.data, {"cpu": options}, ())
        if (entry := disk.load(key)) is not None:
            kernels, llvm = json.loads(entry.records)
            listed = [CpuKernel(name, size, tuple(kinds)) for name, size, kinds in kernels]
            return CompiledForCpu(target, tuple(listed), llvm, entry.ptx, entry.cubin)
    module = lower_for_cpu(source, target)
    kernels = tuple(CpuKernel.of(each) for each in module.ops if isinstance(each, FuncOp))
    text = translate_module_for_host(module, target.triple, host.data_layout(target))
    llvm, asm, code = host.optimize(text, target)
    if key is not None:
        listed = [(each.name, each.scratch, each.kinds) for each in kernels]
        disk.store(key, disk.CacheEntry(code, asm, json.dumps((listed, llvm))))
    return CompiledForCpu(target, kernels, llvm, asm, code)
