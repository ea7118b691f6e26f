"""
Lowers the tiles of a CTA to the code of a thread.

Before:  %y = nv_tileaa.addf %x, %x : tensor<256xf32, #layout>
         nv_tileas.tiled_store %y, %view[%i] : …
After:   %y = arith.addf %x, %x : vector<4xf32>
         %p = llvm.getelementptr %base[%offsets] : … -> vector<1x!llvm.ptr<1>>
         nvvm.fragment.store %y, %p {alignment = 16 : i64} : vector<4xf32>, …

What is one instruction is an op of `nvvm`. Not all ops of `nvgpu` and `nvvm` here are upstream's:
`nvvm.fragment.*` (accesses and MMAs on all registers of a thread at once) and
`nvgpu.tma.encode.descriptor`, among others, are defined by this project. `convert-nvgpu-to-nvvm`
and the translation to LLVM IR lower them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatTF32Type,
    FunctionType,
    ModuleOp,
    StringAttr,
    i8,
    i32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.gpu import ModuleOp as GpuModuleOp
from xdsl.dialects.llvm import GlobalOp, LinkageAttr, LLVMArrayType
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileas.decisions import (
    NUM_WARPS,
    PAIR,
    READS_SLICES,
    REMATERIALIZED,
    TENSOR_MEMORY,
    WARPGROUP_STORE,
)
from tileiras_xdsl.dialects.nv_tileas.profiling import PROFILE
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BUFFER_ALIGNMENT,
    BUFFERS,
    SHARED_MEMORY,
    get_shared_memory,
)
from tileiras_xdsl.dialects.nvgpu.types import set_dynamic_shared
from tileiras_xdsl.dialects.nvvm import SHARED_SPACE
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.abi import ABIS, DEVICE_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import (
    allocate,
    verify_shared_memory,
    verify_waits,
)
from tileiras_xdsl.transforms.tileas.tileas_insert_barriers import insert_barriers
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    fail,
    replace_contents,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from . import (
    agents,
    aggregates,
    async_copies,
    barriers,
    constants,
    dot,
    elementwise,
    exchange,
    floats,
    memory,
    misc,
    pipelines,
    printing,
    shapes,
    tcgen05,
    tensor_maps,
    tma_stores,
    views,
    wgmma,
)
from .float_formats import clear_spare_bits
from .thread_builder import KernelLowering, KernelSymbols, ThreadBuilder

LOWERING_MODULES = (
    *(aggregates, agents, async_copies, barriers, constants, dot, elementwise, exchange, floats),
    *(memory, misc, pipelines, printing, shapes, tcgen05, tma_stores, views, wgmma),
)
"""Importing a module registers its lowerings; naming them here keeps the imports in use."""


@dataclass(frozen=True)
class ConvertTileasToNvgpuPass(ModulePass):
    """
    Lowers every kernel from tiles of a CTA to the code of one thread. All tensors must have
    layouts. For a kernel without shared memory allocation it runs
    `tileas-allocate-shared-memory` and `tileas-insert-barriers`; in others overlapping buffers and
    missing barriers are errors. On failure the module is unchanged.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - abi: who makes the tensor maps of a kernel; with `device-maps` the kernel when it starts,
      with `host-maps` the launcher, which passes them after the other arguments, with
      `driver-maps` the driver, which writes them there.
    """

    name = "convert-tileas-to-nvgpu"

    compute_capability: str | int | float | None = None
    abi: str = "device-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        if self.abi not in ABIS:
            fail(op, f"there is no ABI '{self.abi}' (expected {' or '.join(ABIS)})")
        lowered = working_copy(op)
        for container in find_all(lowered, GpuModuleOp):
            convert_module(container, target, self.abi)
        replace_contents(op, lowered)


def convert_module(module: GpuModuleOp, target: Target, abi: str = DEVICE_MAPS_ABI) -> None:
    """
    Converts the kernels of a module, which share one symbol of shared memory. If one of them needs
    more than static shared memory may have, it is dynamic for all of them.
    """
    misc.convert_globals(module)
    symbols = KernelSymbols(module)
    sizes: dict[FuncOp, int] = {}
    for function in [op for op in module.body.ops if isinstance(op, FuncOp)]:
        is_allocated = get_shared_memory(function) is not None
        if not is_allocated:
            allocate(function, target, abi)
            insert_barriers(function, target)
        sizes[function] = convert_function(function, target, abi, symbols, verify=is_allocated)
    needed = max(sizes.values(), default=0)
    if needed > target.shared.static:
        for function, size in sizes.items():
            set_dynamic_shared(function, size)
        _add_shared_memory(module, 0, symbols.shared)
    elif needed:
        _add_shared_memory(module, needed, symbols.shared)


def convert_function(
    function: FuncOp,
    target: Target,
    abi: str = DEVICE_MAPS_ABI,
    symbols: KernelSymbols | None = None,
    *,
    verify: bool = False,
) -> int:
    """
    Converts a kernel, and returns how many bytes of shared memory it needs. `verify` checks
    allocations and barriers that come from the input.
    """
    kernel = KernelLowering(function, target, symbols or KernelSymbols(function.parent_op()))
    if verify:
        verify_shared_memory(function)
        verify_waits(kernel.model)
    builder = ThreadBuilder(kernel, function, kernel.block)
    for argument in function.body.block.args:
        if len(builder.converted_types(argument)) != 1:
            fail(function, f"a kernel cannot have a parameter of type '{argument.type}'")
        new = kernel.add_argument(builder.converted_type(argument))
        new.name_hint = argument.name_hint
    ops = walk(function)
    misc.use_generic_pointers(ops)
    for argument, new in zip(function.body.block.args, kernel.block.args, strict=True):
        value = misc.cast_pointer(builder, new, builder.converted_type(argument))
        if isinstance(argument.type, FloatTF32Type):
            value = clear_spare_bits(builder, value)
        builder.map(argument, value)
    with agents.unless_idle(builder, ops) as known:
        misc.allocate_all(builder, ops)
        kernel.maps = tensor_maps.make_maps(builder, ops, abi)
        agents.lower_others(builder, function.body.block, known)
    for each in kernel.delayed_arrivals:
        each.place()
    threads = kernel.warps * WARP_THREADS
    function.function_type = FunctionType.from_lists(list(kernel.block.arg_types), [])
    function.detach_region(function.body)
    function.add_region(Region(kernel.block))
    NUM_WARPS.drop(function)
    function.attributes["gpu.known_block_size"] = DenseArrayBase.from_list(i32, [threads, 1, 1])
    SHARED_MEMORY.drop(function)
    TENSOR_MEMORY.drop(function)
    PAIR.drop(function)
    WARPGROUP_STORE.drop(function)
    REMATERIALIZED.drop(function)
    READS_SLICES.drop(function)
    PROFILE.drop(function)
    BUFFERS.drop(function)
    return kernel.memory.size


def _add_shared_memory(module: GpuModuleOp, size: int, name: str) -> None:
    """Adds the symbol of static shared memory, or of dynamic shared memory if the size is 0."""
    memory = GlobalOp(
        LLVMArrayType(size, i8),
        StringAttr(name),
        LinkageAttr("internal" if size else "external"),
        addr_space=SHARED_SPACE,
        alignment=BUFFER_ALIGNMENT,
    )
    memory.location = module.location
    block: Block = module.body.block
    Rewriter.insert_op(memory, InsertPoint.at_start(block))
