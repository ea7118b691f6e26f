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

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileiras_xdsl.analysis.facts import analyze
from tileiras_xdsl.analysis.layout_conversion import ThroughShared, plan_conversion
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.targets import hopper
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .convert_tileaa_to_tileas.kernel_spec import get_warps
from .convert_tileas_to_nvgpu.thread_code import SCRATCH_GOAL
from .convert_tileas_to_nvgpu.tma_stores import tma_store_bytes
from .tileas_layouts.apply import kernels
from .tileas_schedule.pipes import find_staged_loads, group_loads, number_pipes, staged_bytes
from .tileas_schedule.registers import is_staged, is_warpgroup_product, needed_registers
from .tileas_schedule.schedule import Schedule
from .tileas_schedule.stages import assign_stages

RESERVED_BYTES = 2 * 1024
"""For barriers and maps."""
SCRATCH_BYTES = 16 * 1024
"""For exchanges between threads, where nothing says how much they need."""


@dataclass(frozen=True)
class TileasGenerateSchedulePass(ModulePass):
    """
    Decides for kernels with products by warpgroups which loads go through rings of stages, how
    many stages these have, who fills them, and which ops of a loop run an iteration ahead.
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
    groups = group_loads(find_staged_loads(function, analyze(function)))
    number_pipes(groups)
    is_ring = [is_in_loop(group[0]) for group in groups]
    sizes = [staged_bytes(group) for group in groups]
    single = sum(size for size, ring in zip(sizes, is_ring) if not ring)
    ring = sum(size for size, ring in zip(sizes, is_ring) if ring)
    reserved = RESERVED_BYTES + scratch_bytes(function)
    stages = hopper.choose_stages(single, ring, reserved)
    if stages is None:
        fail(
            products[0],
            f"'{products[0].name}' op needs {single + ring + reserved} bytes of shared memory, "
            f"but sm_90a has {hopper.SHARED_BYTES}: use smaller tiles",
        )
    for loop in [op for op in function.walk() if isinstance(op, scf.ForOp)]:
        assign_stages(loop)
    warps = get_warps(function)
    exchanges = hopper.exchanges_registers(
        warps // hopper.WARPS_IN_GROUP, needed_registers(function)
    )
    schedule = Schedule(
        [stages if ring else 1 for ring in is_ring],
        hopper.WARPS_IN_GROUP if exchanges else 1,
        (hopper.SMALL_REGISTERS, hopper.LARGE_REGISTERS) if exchanges else None,
    )
    schedule.attach(function)


def is_in_loop(op: Operation) -> bool:
    """Whether an op can run more than once."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ForOp | scf.WhileOp):
            return True
        parent = parent.parent_op()
    return False


def scratch_bytes(function: FuncOp) -> int:
    """What the kernel needs of shared memory beside tiles that are loaded."""
    conversions = [
        conversion_bytes(op)
        for op in function.walk()
        if isinstance(op, ConvertLayoutOp) and not is_staged(op.operands[0])
    ]
    return max([SCRATCH_BYTES, tma_store_bytes(function), *conversions])


def conversion_bytes(op: ConvertLayoutOp) -> int:
    """The scratch memory that a conversion between layouts needs."""
    source, target = layout_of(op.operands[0].type), layout_of(op.results[0].type)
    assert source is not None
    assert target is not None
    bits = max(8, element_bit_width(get_element(op.results[0].type)))
    plan = plan_conversion(
        source, target, bits, ldmatrix=True, stmatrix=True, max_bytes=SCRATCH_GOAL
    )
    return plan.bytes if isinstance(plan, ThroughShared) else 0
