"""
When tiles are loaded and products run, on Hopper.

Before:  scf.for %k … {
           %a = nv_tileas.tiled_load %v[%i, %k]
           %b = nv_tileas.tiled_load %w[%k, %j]
           %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>}
         }
After:   %a = nv_tileas.tiled_load %v[%i, %k] {nv_tileas.pipe = 0 : i32}
         %b = nv_tileas.tiled_load %w[%k, %j] {nv_tileas.pipe = 0 : i32}
         …, and the kernel has
         {nv_tileas.schedule = {stages = [4 : i32], producer_warps = 1 : i32}}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileiras_xdsl.analysis.facts import analyze
from tileiras_xdsl.analysis.layout_conversion import ThroughShared, plan_conversion
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import LoadOp, StoreOp, TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nvgpu.persistence import get_persistent_blocks, set_persistent_blocks
from tileiras_xdsl.targets.machine import GROUP_WARPS
from tileiras_xdsl.targets.warpgroups import Ring, StageClocks, Warpgroups
from tileiras_xdsl.transforms.common.access_hints import get_hint
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import KERNEL_SPEC, get_warps, kernels
from tileiras_xdsl.transforms.common.remarks import REMARK
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .kernel_model.group_stores import mark_group_stores
from .kernel_model.layout_rules import is_elementwise, is_root, memory_bits
from .kernel_model.registers import is_staged, needed_registers
from .kernel_model.thread_types import register_type, width_of
from .kernel_model.tma_loads import is_change
from .kernel_model.tma_stores import tma_store_bytes
from .kernel_model.warpgroup_mma import is_warpgroup_product
from .schedule.pipes import (
    Pipe,
    find_loop,
    find_staged_loads,
    group_loads,
    number_pipes,
    share_pipes,
    staged_bytes,
)
from .schedule.schedule import Schedule
from .schedule.stages import assign_stages

RESERVED_BYTES = 1024
"""For barriers and maps."""
SCRATCH_BYTES = 1024
"""For exchanges between threads that need little."""
MOST_SAVING = 2
"""How far a kernel goes to save shared memory."""
LARGE_SCRATCH_BYTES = 16 * 1024
"""For those that may need much: reductions, scans and the like."""


@dataclass(frozen=True)
class TileasGenerateSchedulePass(ModulePass):
    """
    Decides for kernels with products by warpgroups which loads go through rings of stages, how
    many stages these have (see `targets.warpgroups`), who fills them, and which ops of a loop run
    an iteration ahead. A hint `occupancy` that cannot be met is lowered, with a remark.
    Kernels without such products stay as they are.
    """

    name = "tileas-generate-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            generate(function)


def generate(function: FuncOp) -> None:
    """Writes the schedule of a kernel into attributes."""
    products = [op for op in function.walk() if is_warpgroup_product(op)]
    if not products:
        return
    model = get_warpgroups(products[0])
    needs = find_needs(function, model)
    for saving in range(1, MOST_SAVING + 1):
        if model.choose_stages(needs.rings, needs.reserved) is None:
            needs = find_needs(function, model, saving)
    blocks, reason = choose_blocks(needs, model)
    depths = model.choose_stages(needs.rings, needs.reserved, blocks)
    if depths is None:
        total = needs.reserved + sum(ring.bytes for ring in needs.rings)
        fail(
            products[0],
            f"'{products[0].name}' op needs {total} bytes of shared memory, "
            f"but a block has {model.shared.opt_in}: use smaller tiles",
        )
    if reason is not None:
        function.attributes[REMARK] = StringAttr(reason)
    set_blocks(function, blocks)
    for loop in [op for op in function.walk() if isinstance(op, scf.ForOp)]:
        assign_stages(loop)
    groups = needs.warps // GROUP_WARPS
    exchanges = model.exchanges_registers(groups, needs.registers, blocks)
    schedule = Schedule(
        depths.stages,
        GROUP_WARPS if exchanges else 1,
        (model.small_registers, model.large_registers) if exchanges else None,
    )
    schedule.attach(function)


@dataclass(frozen=True)
class Needs:
    """What a kernel asks for."""

    rings: Sequence[Ring]
    reserved: int
    """Bytes of shared memory beside rings."""
    registers: int
    """Of a thread, for tiles."""
    warps: int
    """Those that work on tiles."""
    blocks: int
    """Of a multiprocessor: what the hint `occupancy` says."""


def find_needs(function: FuncOp, model: Warpgroups, saving: int = 0) -> Needs:
    """
    What a kernel asks for, of shared memory less the more it has to save; its loads are given the
    numbers of their pipes.
    """
    groups = group_loads(find_staged_loads(function, analyze(function)))
    pipes = share_pipes(groups)
    number_pipes(pipes)
    rings = [make_ring(pipe, groups, model) for pipe in pipes]
    reserved = RESERVED_BYTES + scratch_bytes(function, saving)
    spec = function.attributes.get(KERNEL_SPEC)
    hints = spec.get_fields() if isinstance(spec, KernelSpecAttr) else {}
    registers, warps = needed_registers(function), get_warps(function)
    return Needs(rings, reserved, registers, warps, hints.get("occupancy", 1))


def make_ring(pipe: Pipe, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups) -> Ring:
    """The ring of a pipe, given all groups of loads; the loop with least to do says how deep."""
    size = staged_bytes(pipe[0])
    loops = [loop for group in pipe if (loop := find_loop(group[0])) is not None]
    if not loops:
        return Ring(size, None)
    hints = [hint for group in pipe for load in group if (hint := get_hint(load, "latency"))]
    clocks = max((loop_clocks(loop, groups, model) for loop in loops), key=model.needed_stages)
    return Ring(size, clocks, max(hints, default=None))


def loop_clocks(
    loop: Operation, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups
) -> StageClocks:
    """How long an iteration of a loop takes; one with loops inside takes long."""
    products = [op for op in loop.walk() if isinstance(op, DotOp)]
    tiles = sum(staged_bytes(group) for group in groups if find_loop(group[0]) is loop)
    work = [(multiply_adds(op), memory_bits(get_element(op.a.type))) for op in products]
    if any(find_loop(op) is not loop for op in products):
        return model.nesting_clocks
    return model.stage_clocks(work, tiles)


def multiply_adds(op: DotOp) -> int:
    """How many multiplications a product has."""
    return prod(get_shape(op.result.type)) * get_shape(op.a.type)[-1]


def choose_blocks(needs: Needs, model: Warpgroups) -> tuple[int, str | None]:
    """How many blocks share a multiprocessor, and why these are fewer than a hint says."""
    first = None
    for blocks in range(needs.blocks, 1, -1):
        reason = model.why_not_blocks(
            blocks, needs.warps + 1, needs.registers, needs.rings, needs.reserved
        )
        if reason is None:
            return blocks, first
        first = first or f"hint occupancy = {needs.blocks} is not met: {reason}"
    return 1, first


def set_blocks(function: FuncOp, blocks: int) -> None:
    """Says how many blocks share a multiprocessor, if a hint asked for some or they stay."""
    spec = function.attributes.get(KERNEL_SPEC)
    if isinstance(spec, KernelSpecAttr) and "occupancy" in spec.get_fields():
        function.attributes[KERNEL_SPEC] = spec.replaced(occupancy=blocks)
    if get_persistent_blocks(function):
        set_persistent_blocks(function, blocks)


def scratch_bytes(function: FuncOp, saving: int = 0) -> int:
    """
    What the kernel needs of shared memory beside tiles that are loaded. It can do without buffers
    of stores, and store tiles in small parts.
    """
    limits = get_target(function).limits
    conversions = [
        conversion_bytes(op, limits.scratch_goal)
        for op in function.walk()
        if isinstance(op, ConvertLayoutOp) and not is_staged(op.operands[0])
    ]
    buffers = mark_group_stores(function, 0 if saving else limits.store_buffers)
    least = SCRATCH_BYTES if all(map(exchanges_little, function.walk())) else LARGE_SCRATCH_BYTES
    stores = tma_store_bytes(function)
    if saving > 1:
        stores = min(stores, LARGE_SCRATCH_BYTES)
    return buffers + max([least, stores, *conversions])


def exchanges_little(op: Operation) -> bool:
    """Whether an op needs no scratch memory beside what is asked for in other ways."""
    return (
        is_change(op)
        or is_elementwise(op)
        or is_root(op)
        or not any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
        or isinstance(op, BroadcastOp | TiledLoadOp | TiledStoreOp | LoadOp | StoreOp)
        or isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp | scf.YieldOp | scf.ConditionOp)
        or is_warpgroup_product(op)
    )


def conversion_bytes(op: ConvertLayoutOp, goal: int) -> int:
    """The scratch memory that a conversion between layouts needs."""
    source, target = layout_of(op.operands[0].type), layout_of(op.results[0].type)
    assert source is not None
    assert target is not None
    bits = max(8, width_of(register_type(get_element(op.results[0].type))))
    plan = plan_conversion(source, target, bits, ldmatrix=True, stmatrix=True, max_bytes=goal)
    return plan.bytes if isinstance(plan, ThroughShared) else 0
