"""
Agents: warp specialization.

    nv_tileas.async.pipeline.agent_switch {num_warps = array<i32: 1, 8>, warp_id = …} {…} {…}

becomes a branch on the warp index. The agent of the first warps is the consumer, all of whose
threads work on tiles; of the producer one thread runs, unless its threads copy tiles, and of an MMA
agent one warp.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.decisions import DRAINED
from tileiras_xdsl.dialects.nvvm import (
    ClusterArriveOp,
    ClusterWaitOp,
    CpAsyncWaitAllOp,
    RegisterAction,
    SetMaxRegisterOp,
)
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.transforms.common.kernel_spec import get_occupancy
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .barriers import only_if
from .lowering_registry import lower_op, lowers
from .pipelines import find_names, init_barriers
from .tcgen05 import (
    allocate_tensor_memory,
    find_tensor_memory,
    free_tensor_memory,
    get_columns,
    is_leader,
)
from .thread_builder import ThreadBuilder
from .thread_index import get_thread, get_uniform_warp


@lowers("nv_tileas.async.pipeline.agent_switch")
def lower_agent_switch(builder: ThreadBuilder, op: pl.AgentSwitchOp) -> None:
    if op.num_warps is None or op.warp_id is None or op.arguments or op.values:
        fail(op, "agents need warps, and can neither take nor yield values")
    warps = [int(each) for each in op.num_warps.get_values()]
    firsts = [int(each) for each in op.warp_id.get_values()]
    consumer_warps = builder.kernel.consumer_warps
    names = find_names(op)
    if (0, consumer_warps) not in zip(firsts, warps, strict=True) or len(warps) != len(names):
        fail(op, f"expects a consumer of {consumer_warps} warps, and at most one producer")
    consumer = firsts.index(0)
    init_barriers(builder, consumer_warps)
    is_pair = builder.kernel.pair_ctas > 1
    is_shared = is_pair or builder.kernel.multicast_ctas > 1
    if is_pair:
        # Both CTAs allocate together.
        builder.emit(ClusterArriveOp(aligned=True))
        builder.emit(ClusterWaitOp(aligned=True))
    allocate_tensor_memory(builder, op)
    if is_shared and not is_pair:
        builder.emit(ClusterArriveOp(aligned=True))
        builder.emit(ClusterWaitOp(aligned=True))
    else:
        builder.emit(BarrierOp())
    registers = [0] * len(warps)
    if op.max_regs is not None:
        registers = [int(each) for each in op.max_regs.get_values()]
        _check_registers(builder, op, warps, registers)
    block, other = Block(), Block()
    with builder.at_end_of(block):
        if registers[consumer]:
            builder.emit(SetMaxRegisterOp(RegisterAction.INCREASE, registers[consumer]))
        find_tensor_memory(builder, op)
        _lower_body(builder, op.agents[consumer])
        free_tensor_memory(builder)
        builder.emit(scf.YieldOp())
    others = [index for index in range(len(warps)) if index != consumer]
    with builder.at_end_of(other):
        if others and registers[others[0]]:
            # Register reallocation: a warpgroup gives up registers that the consumers take.
            builder.emit(SetMaxRegisterOp(RegisterAction.DECREASE, registers[others[0]]))
        for index in others:
            if names[index] == "mma":
                _lower_mma_agent(builder, op, op.agents[index], firsts[index])
            else:
                _lower_producer(builder, op.agents[index], firsts[index])
        builder.emit(scf.YieldOp())
    condition = builder.emit(
        CmpiOp(get_uniform_warp(builder), builder.constant(consumer_warps), "ult")
    ).result
    branch = scf.IfOp(condition, [], Region(block), Region(other) if others else None)
    builder.emit(branch)
    is_drained = DRAINED.is_on(op) and get_columns(builder) is None
    if is_shared and not is_drained:
        # No CTA may exit while others of the cluster can still arrive on its mbarriers, or MMAs of
        # theirs use its tensor memory. The arrival is not `.aligned`, as producer and consumer
        # warps get here at different times.
        builder.emit(ClusterArriveOp())
        builder.emit(ClusterWaitOp())


def _check_registers(
    builder: ThreadBuilder, op: pl.AgentSwitchOp, warps: Sequence[int], registers: Sequence[int]
) -> None:
    """Warps that ask for more registers than their CTA was launched with would wait for ever."""
    occupancy = get_occupancy(builder.kernel.function)
    have = builder.kernel.target.registers.cap(sum(warps) * occupancy) * sum(warps)
    needed = sum(count * each for count, each in zip(warps, registers, strict=True))
    if needed > have:
        fail(
            op,
            f"agents take {WARP_THREADS * needed} registers, but a CTA of {sum(warps)} warps is "
            f"launched with {WARP_THREADS * have}",
        )


def _lower_body(builder: ThreadBuilder, region: Region) -> None:
    for op in region.block.ops:
        if not isinstance(op, pl.PipelineYieldOp):
            lower_op(builder, op)


def _lower_producer(builder: ThreadBuilder, region: Region, first: int) -> None:
    """
    The code of a producer: only the first thread of the agent runs it, or all threads if they copy
    tiles, which are done when they end.
    """
    if builder.kernel.copying_threads:
        _lower_body(builder, region)
        builder.emit(CpAsyncWaitAllOp())
        return
    thread = builder.constant(first * WARP_THREADS)
    condition = builder.emit(CmpiOp(get_thread(builder), thread, "eq")).result
    with only_if(builder, condition):
        _lower_body(builder, region)


def _lower_mma_agent(
    builder: ThreadBuilder, op: pl.AgentSwitchOp, region: Region, first: int
) -> None:
    """
    The code of the MMA agent: its first warp runs it, of which one thread issues MMAs; that of one
    CTA of a pair.
    """
    warp = builder.constant(first)
    condition = builder.emit(CmpiOp(get_uniform_warp(builder), warp, "eq")).result
    if builder.kernel.pair_ctas > 1:
        condition = builder.emit(arith.AndIOp(condition, is_leader(builder))).result
    with only_if(builder, condition):
        builder.kernel.is_mma_agent = True
        find_tensor_memory(builder, op)
        _lower_body(builder, region)
        builder.kernel.is_mma_agent = False
