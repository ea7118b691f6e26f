"""
Programmatic dependent launch: a kernel starts while the one ahead of it on the stream ends.

Before:  gpu.func @k(…) kernel {
           … scalar code …
           %pipe = nv_tileas.async.pipeline.create_pipeline …
           nv_tileas.async.pipeline.agent_switch {
             scf.for %n = %id to %total step %ctas {             // a tile block
               %row, %column = …                                 // scalar code
               scf.for %k … { … tiles are loaded … }
             }
           } {
             … tiles are multiplied and stored …
           }
           gpu.return
After:   gpu.func @k(…) kernel attributes {nvgpu.programmatic} {
           … scalar code …
           %pipe = nv_tileas.async.pipeline.create_pipeline …
           nv_tileas.async.pipeline.agent_switch {
             scf.for %n = %id to %total step %ctas {
               %row, %column = …
               scf.if %n == %id {
                 nv_tileaa.gdc_wait_tko                          // the kernel before has ended
               }
               scf.for %k … { … tiles are loaded … }
             }
           } {
             nv_tileaa.gdc_wait_tko
             nv_tileaa.gdc_launch_dependents_tko                 // the next kernel may start
             … tiles are multiplied and stored …
           }
           nv_tileaa.gdc_wait_tko
           gpu.return

Between two kernels the GPU takes about a microsecond to launch the next one, whose CTAs then read
parameters, fetch tensor maps, initialize barriers and compute coordinates: as long again until the
first tile is loaded. Nothing of that needs what another kernel writes.

All threads wait, on every path: a kernel must not end before the one ahead of it, because what
follows on the stream waits for this one only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.gpu import GridDimOp
from tileiras_xdsl.dialects.memory_order import Effect, effects_of, own_effects
from tileiras_xdsl.dialects.nv_tileaa.decisions import PRIVATIZED
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, GdcLaunchDependentsOp, GdcWaitOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    ProducerAcquireOp,
    find_resident_ctas,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import is_on_heap
from tileiras_xdsl.dialects.nvgpu.types import (
    GRID_PARAMETERS,
    PROGRAMMATIC,
    get_cluster_ctas,
    get_persistent_ctas,
)
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk


@dataclass(frozen=True)
class TileasOverlapLaunchesPass(ModulePass):
    """
    Lets kernels start before those ahead of them on the stream have ended, and wait for these
    before they access memory. The launcher has to allow it (`LaunchRecord.programmatic`), and does
    where it knows what is ahead (`backend/driver.py`). So the ABI is `host-maps`: kernels that
    anybody launches stay as they are. So do programs that wait for other grids or launch them
    (`gdc_wait_tko`, `gdc_launch_dependents_tko`), and kernels that would lose by it. A
    remark says why.

    The next kernel may start as soon as all CTAs of this one have waited. If it could start before
    that, what it accesses before its own wait might still be written by kernels before this one,
    which is no concern of a program that waits for the kernel ahead of it by itself.
    If a persistent kernel has more tile blocks than CTAs, the next one may start when CTAs end:
    CTAs that get SMs as these become free are placed so that neighbours are further apart, and read
    less from the cache at the same time.

    It may not start before tensor memory is allocated either: an SM may have more CTAs than it has
    columns for, of which some wait until others free theirs. CTAs of the next kernel would take
    these columns, and hold them while they wait for this one: a deadlock.

    - enable: whether it does anything.
    - abi: how the kernel will be launched.
    """

    name = "tileas-overlap-launches"

    enable: bool = True
    abi: str = HOST_MAPS_ABI

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.enable or self.abi != HOST_MAPS_ABI:
            return
        for function in kernels(op):
            if PROGRAMMATIC.is_on(function):
                continue
            if (reason := why_serial(function)) is not None:
                text = "starts when the kernel ahead of it has ended"
                remark(function, "Missed", "Resources", text, reason=reason)
                continue
            insert_waits(function.body.block)
            insert_launch(function)
            PROGRAMMATIC.set(function, UnitAttr())
            text = "programmatic dependent launch: may start while the kernel ahead of it ends"
            remark(function, "Passed", "Resources", text)


def insert_waits(block: Block) -> None:
    """
    Waits before the first access of a block, or of each agent in it; in the first iteration if it
    is a producer's loop over tile blocks, which computes coordinates before it accesses anything.
    """
    for op in block.ops:
        if not may_access(op):
            continue
        if isinstance(op, AgentSwitchOp):
            for agent in op.agents:
                insert_waits(agent.block)
        elif isinstance(op, scf.ForOp) and loads_tiles(op) and not has_accesses(op):
            insert_wait_in(op)
        else:
            Rewriter.insert_op(make_wait(), InsertPoint.before(op))
            return
    if not is_agent(block):
        Rewriter.insert_op(make_wait(), InsertPoint.before(last_of(block)))


def may_access(op: Operation) -> bool:
    """Whether an op may access memory of the program, or does more than wait for buffer stages."""
    return any(own_effects(each) and not isinstance(each, ProducerAcquireOp) for each in walk(op))


def make_wait() -> GdcWaitOp:
    """A wait, in order with accesses by its place, as tokens are discharged."""
    return GdcWaitOp.build(operands=[[]], result_types=[[]])


def is_agent(block: Block) -> bool:
    """Whether only some threads of a CTA execute a block."""
    return isinstance(block.parent_op(), AgentSwitchOp)


def loads_tiles(loop: scf.ForOp) -> bool:
    """Whether a loop is a producer's."""
    return bool(find_all(loop, ProducerAcquireOp))


def has_accesses(loop: scf.ForOp) -> bool:
    """Whether there are accesses among the ops of a loop itself, and not only in loops in it."""
    return any(map(own_effects, loop.body.block.ops))


def insert_wait_in(loop: scf.ForOp) -> None:
    """A wait before the first access of a loop, in its first iteration."""
    for first in find_first_accesses(loop.body.block):
        is_first = CmpiOp(loop.body.block.args[0], loop.lb, "eq")
        branch = scf.IfOp(is_first.result, [], Region(Block([make_wait(), scf.YieldOp()])))
        Rewriter.insert_op([is_first, branch], InsertPoint.before(first))


def find_first_accesses(block: Block) -> list[Operation]:
    """The first op of a block with accesses; of one that branches, those of its regions."""
    first = next((op for op in block.ops if effects_of(op)), None)
    if first is None:
        return [last_of(block)]
    if not isinstance(first, scf.IfOp) or not all(region.blocks for region in first.regions):
        return [first]
    return [op for region in first.regions for op in find_first_accesses(region.block)]


def why_serial(function: FuncOp) -> str | None:
    """
    Why a kernel starts when the one ahead of it has ended; None if it starts before that.

    If most CTAs return at once, because others do their work, each of them would have to wait
    first. CTAs that wait would hold memory of the heap that the kernel ahead has to have freed for
    them.
    """
    effects = effects_of(function)
    if not effects:
        return "it does nothing with memory"
    if effects & (Effect.GRID_WAIT | Effect.GRID_LAUNCH):
        return "the program waits for other kernels, or launches them"
    allocas = find_all(function, AllocaOp)
    if any(map(is_on_heap, allocas)):
        return "it allocates memory on the heap of the device when it starts"
    if any(map(PRIVATIZED.is_on, allocas)) or find_resident_ctas(function) is not None:
        return "most CTAs of a large grid return at once"
    return None


def insert_launch(function: FuncOp) -> None:
    """Lets the next kernel start as soon as all CTAs have waited, where that pays."""
    if (point := find_launch(function)) is None:
        return
    launch = GdcLaunchDependentsOp.build(operands=[[]], result_types=[[]])
    if not get_persistent_ctas(function):
        Rewriter.insert_op(launch, point)
        return
    if get_cluster_ctas(function) > 1 and get_target(function).warpgroups is None:
        # Of pairs of CTAs that multiply together nobody knows whether it pays.
        return
    x, y, z = function.body.block.args[-GRID_PARAMETERS:]
    plane = arith.MuliOp(x, y)
    total = arith.MuliOp(plane.result, z)
    size = GridDimOp(DimensionAttr(DimensionEnum.X))
    ctas = IndexCastOp(size.result, i32)
    is_one_wave = CmpiOp(total.result, ctas.result, "sle")
    branch = scf.IfOp(is_one_wave.result, [], Region(Block([launch, scf.YieldOp()])))
    Rewriter.insert_op([plane, total, size, ctas, is_one_wave, branch], point)


def find_launch(function: FuncOp) -> InsertPoint | None:
    """
    Behind the first wait; of agents behind that of the consumer, which all CTAs have, while only
    one of a pair has an MMA agent. Before agents begin, tensor memory is allocated. Nowhere if
    consumers wait for nothing.
    """
    switch = next(iter(find_all(function, AgentSwitchOp)), None)
    if switch is None:
        return InsertPoint.after(find_all(function, GdcWaitOp)[0])
    first_warps = () if switch.warp_id is None else switch.warp_id.get_values()
    for warp, agent in zip(first_warps, switch.agents, strict=False):
        if warp == 0:
            if waits := find_all(agent, GdcWaitOp):
                return InsertPoint.after(waits[0])
            before = takewhile(lambda op: op is not switch, function.body.block.ops)
            if any(isinstance(op, GdcWaitOp) for op in before):
                return InsertPoint.at_start(agent.block)
    return None
