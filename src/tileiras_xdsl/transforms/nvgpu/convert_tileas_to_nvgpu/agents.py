"""
Agents: warp specialization.

    nv_tileas.async.pipeline.agent_switch {num_warps = array<i32: 1, 8>, warp_id = …} {…} {…}

becomes a branch on the warp index. The agent of the first warps is the consumer, all of whose
threads work on tiles; of the producer only one thread runs.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nvvm import (
    ClusterArriveOp,
    ClusterWaitOp,
    RegisterAction,
    SetMaxRegisterOp,
)
from tileiras_xdsl.targets.machine import GROUP_WARPS, WARP_THREADS
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from . import tensor_maps
from .barriers import only_if
from .kernel import KernelLowering
from .patterns import lower_op, lowers
from .pipelines import init_barriers
from .thread_builder import ThreadBuilder
from .thread_index import get_thread, get_uniform_warp


@lowers("nv_tileas.async.pipeline.agent_switch")
def lower_agent_switch(code: ThreadBuilder, op: pl.AgentSwitchOp) -> None:
    if op.num_warps is None or op.warp_id is None or op.arguments or op.values:
        fail(op, "agents need warps, and can neither take nor yield values")
    warps = [int(number) for number in op.num_warps.get_values()]
    firsts = [int(number) for number in op.warp_id.get_values()]
    consumer_warps = code.kernel.warps
    if (0, consumer_warps) not in zip(firsts, warps, strict=True) or len(warps) > 2:
        fail(op, f"expects a consumer of {consumer_warps} warps, and at most one producer")
    consumer = firsts.index(0)
    init_barriers(code, max(1, consumer_warps // GROUP_WARPS))
    if code.kernel.cluster > 1:
        code.emit(ClusterArriveOp(aligned=True))
        code.emit(ClusterWaitOp(aligned=True))
    else:
        code.emit(BarrierOp())
    registers = [0] * len(warps)
    if op.max_regs is not None:
        registers = [int(number) for number in op.max_regs.get_values()]
    blocks: list[Block] = []
    for number, region in enumerate(op.agents):
        block = Block()
        blocks.append(block)
        with code.branch(block):
            if registers[number]:
                # Register reallocation: the producer gives up registers that the consumers take.
                is_consumer = number == consumer
                action = RegisterAction.INCREASE if is_consumer else RegisterAction.DECREASE
                code.emit(SetMaxRegisterOp(action, registers[number]))
            if number == consumer:
                tensor_maps.acquire_all(code, region)
                _lower_body(code, region)
            else:
                _lower_single(code, region, firsts[number])
            code.emit(scf.YieldOp())
    others = [Region(block) for number, block in enumerate(blocks) if number != consumer]
    condition = code.emit(
        CmpiOp(get_uniform_warp(code), code.constant(consumer_warps), "ult")
    ).result
    other = others[0] if others else None
    code.emit(scf.IfOp(condition, [], Region(blocks[consumer]), other))
    if code.kernel.cluster > 1:
        # No CTA may exit while others of the cluster can still arrive on its mbarriers. The arrival
        # is not `.aligned`, as producer and consumer warps get here at different times.
        code.emit(ClusterArriveOp())
        code.emit(ClusterWaitOp())


def _lower_body(code: ThreadBuilder, region: Region) -> None:
    for op in region.block.ops:
        if not isinstance(op, pl.PipelineYieldOp):
            lower_op(code, op)


def _lower_single(code: ThreadBuilder, region: Region, first: int) -> None:
    """The code of a producer: only the first thread of the agent runs it."""
    thread = code.constant(first * WARP_THREADS)
    condition = code.emit(CmpiOp(get_thread(code), thread, "eq")).result
    with only_if(code, condition):
        tensor_maps.acquire_all(code, region)
        _lower_body(code, region)


def count_threads(kernel: KernelLowering) -> int:
    """The threads of the CTA, with those of all agents."""
    warps = kernel.warps
    for op in kernel.ops:
        if isinstance(op, pl.AgentSwitchOp) and op.num_warps is not None:
            warps = sum(int(number) for number in op.num_warps.get_values())
    return warps * WARP_THREADS
