"""
Agents: warps that do different work.

    nv_tileas.async.pipeline.agent_switch {num_warps = array<i32: 1, 8>, warp_id = …} {…} {…}

becomes a branch on the number of the warp. The agent of the first warps is the one that works on
tiles, all its threads together; of any other only one thread runs.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.gpu import BarrierOp
from xdsl.ir import Block, Operation, Region

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nvvm import (
    ClusterArriveOp,
    ClusterWaitOp,
    RegisterAction,
    SetMaxRegisterOp,
)

from . import tensor_maps
from .pipelines import init_barriers
from .thread_code import ThreadCode, lowers

WARP_THREADS = 32
GROUP_WARPS = 4
ALL_WARPS = "nv_tileas.all_warps"
"""How many warps a kernel has with those of all agents, as an attribute."""


@lowers("nv_tileas.async.pipeline.agent_switch")
def lower_agent_switch(code: ThreadCode, op: pl.AgentSwitchOp) -> None:
    if op.num_warps is None or op.warp_id is None or op.arguments or op.values:
        code.fail(op, "agents need warps, and can neither take nor yield values")
    warps = [int(number) for number in op.num_warps.get_values()]
    firsts = [int(number) for number in op.warp_id.get_values()]
    if (0, code.warps) not in zip(firsts, warps, strict=True) or len(warps) > 2:
        code.fail(op, f"expects one agent of {code.warps} warps that works on tiles, and one more")
    main = firsts.index(0)
    code.function.attributes[ALL_WARPS] = IntegerAttr(sum(warps), i32)
    init_barriers(code, max(1, code.warps // GROUP_WARPS))
    if code.cluster > 1:
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
                is_main = number == main
                action = RegisterAction.INCREASE if is_main else RegisterAction.DECREASE
                code.emit(SetMaxRegisterOp(action, registers[number]))
            if number == main:
                tensor_maps.acquire_all(code, region)
                _lower_body(code, region)
            else:
                _lower_single(code, region, firsts[number])
            code.emit(scf.YieldOp())
    others = [Region(block) for number, block in enumerate(blocks) if number != main]
    condition = code.emit(CmpiOp(code.uniform_warp, code.constant(code.warps), "ult")).result
    other = others[0] if others else None
    code.emit(scf.IfOp(condition, [], Region(blocks[main]), other))
    if code.cluster > 1:
        # Others may still arrive on barriers of this block. Its warps come one by one.
        code.emit(ClusterArriveOp())
        code.emit(ClusterWaitOp())


def _lower_body(code: ThreadCode, region: Region) -> None:
    for op in region.block.ops:
        if not isinstance(op, pl.YieldOp):
            code.lower(op)


def _lower_single(code: ThreadCode, region: Region, first: int) -> None:
    """Code that only the first thread of an agent runs."""
    block = Block()
    with code.branch(block):
        tensor_maps.acquire_all(code, region)
        _lower_body(code, region)
        code.emit(scf.YieldOp())
    thread = code.constant(first * WARP_THREADS)
    condition = code.emit(CmpiOp(code.thread, thread, "eq")).result
    code.emit(scf.IfOp(condition, [], Region(block)))


def all_warps(function: Operation, warps: int) -> int:
    """The warps of a kernel with those of all agents."""
    attribute = function.attributes.pop(ALL_WARPS, None)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else warps
