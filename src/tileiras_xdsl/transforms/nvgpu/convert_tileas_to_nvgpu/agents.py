"""
Agents: warp specialization.

    nv_tileas.async.pipeline.agent_switch {num_warps = array<i32: 1, 8>, warp_id = …} {…} {…}

becomes a branch on the warp index. The agent of the first warps is the consumer, all of whose
threads work on tiles; of the producer one thread runs, unless its threads copy tiles, and of an MMA
agent one warp.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.gpu import BarrierOp, ReturnOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas import shared_memory
from tileiras_xdsl.dialects.nv_tileas.atoms import is_copied
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    DRAINED,
    EARLY_RETURN,
    MULTICAST,
    PAIR_BARRIER,
    names_of_agents,
)
from tileiras_xdsl.dialects.nv_tileas.ping_pong import SchedBarrierOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ResidentCtasOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import WaitCopiesOp
from tileiras_xdsl.dialects.nvgpu.types import NO_WRAP, ends_before_wrapping
from tileiras_xdsl.dialects.nvvm import (
    ClusterArriveOp,
    ClusterWaitOp,
    CpAsyncWaitAllOp,
    PMEventOp,
    RegisterAction,
    SetMaxRegisterOp,
    read_register,
)
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import last_of, walk

from . import tensor_maps
from .barriers import only_if, sync_threads, wait_for_copies
from .lowering_registry import lower_block, lower_op, lowers
from .pipelines import init_barriers
from .tcgen05 import (
    allocate_tensor_memory,
    find_tensor_memory,
    free_tensor_memory,
    is_leader,
    sync_pair,
)
from .thread_builder import Agent, ThreadBuilder
from .thread_index import get_thread, get_uniform_warp


@lowers(pl.AgentSwitchOp)
def lower_agent_switch(builder: ThreadBuilder, op: pl.AgentSwitchOp) -> None:
    if op.num_warps is None or op.warp_id is None or op.arguments or op.values:
        fail(op, "agents need warps, and can neither take nor yield values")
    warps = [int(each) for each in op.num_warps.get_values()]
    firsts = [int(each) for each in op.warp_id.get_values()]
    consumer_warps = builder.kernel.consumer_warps
    names = names_of_agents(op)
    if (0, consumer_warps) not in zip(firsts, warps, strict=True) or len(warps) != len(names):
        fail(op, f"expects a consumer of {consumer_warps} warps, and at most one producer")
    consumer = firsts.index(0)
    init_barriers(builder, op)
    is_pair = builder.kernel.pair_ctas > 1
    is_shared = is_pair or any(map(MULTICAST.is_on, walk(op)))
    if is_pair:
        # Both CTAs allocate together.
        builder.emit(ClusterArriveOp(aligned=True))
        builder.emit(ClusterWaitOp(aligned=True))
    columns = builder.kernel.columns
    if columns is not None:
        allocate_tensor_memory(builder, op, columns)
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
        if columns is None:
            _lower_body(builder, op.agents[consumer], Agent("consumer"))
        else:
            address = find_tensor_memory(builder, op)
            agent = Agent("consumer", issues_mmas="mma" not in names, tensor_memory=address)
            _lower_body(builder, op.agents[consumer], agent)
            free_tensor_memory(builder, address, columns)
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
                _lower_producer(builder, op.agents[index], firsts[index], warps[index])
        builder.emit(scf.YieldOp())
    condition = builder.compare("ult", get_uniform_warp(builder), consumer_warps)
    branch = scf.IfOp(condition, [], Region(block), Region(other) if others else None)
    builder.emit(branch)
    is_drained = DRAINED.is_on(op) and columns is None
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
    have = builder.kernel.launched_registers * sum(warps)
    needed = sum(count * each for count, each in zip(warps, registers, strict=True))
    if needed > have:
        fail(
            op,
            f"agents take {WARP_THREADS * needed} registers, but a CTA of {sum(warps)} warps is "
            f"launched with {WARP_THREADS * have}",
        )


def _lower_body(builder: ThreadBuilder, region: Region, agent: Agent) -> None:
    builder = builder.for_agent(agent)
    for op in region.block.ops:
        if not isinstance(op, pl.PipelineYieldOp):
            lower_op(builder, op)


def _lower_producer(builder: ThreadBuilder, region: Region, first: int, warps: int) -> None:
    """
    The code of a producer: only the first thread of the agent runs it, or all threads if they copy
    tiles, which are done when they end.
    """
    if any(map(is_copied, walk(region))):
        _lower_body(builder, region, Agent("producer", copying_threads=WARP_THREADS * warps))
        builder.emit(CpAsyncWaitAllOp())
        return
    thread = builder.constant(first * WARP_THREADS)
    condition = builder.compare("eq", get_thread(builder), thread)
    with only_if(builder, condition):
        _lower_body(builder, region, Agent("producer"))


def _lower_mma_agent(
    builder: ThreadBuilder, op: pl.AgentSwitchOp, region: Region, first: int
) -> None:
    """
    The code of the MMA agent: its first warp runs it, of which one thread issues MMAs; that of one
    CTA of a pair.
    """
    warp = builder.constant(first)
    condition = builder.compare("eq", get_uniform_warp(builder), warp)
    if builder.kernel.pair_ctas > 1:
        condition = builder.binary("and", condition, is_leader(builder))
    with only_if(builder, condition):
        address = find_tensor_memory(builder, op)
        _lower_body(builder, region, Agent("mma", issues_mmas=True, tensor_memory=address))


# CTAs without work return before they set anything up: tensor maps, mbarriers, memory.
#
# Before:  scf.for %n = %first to %end step %step { … } {nv_tileas.early_return}
# After:   %has_work = arith.cmpi slt, %first, %end
#          scf.if %has_work {
#            … the whole kernel …
#          }


@lowers(ResidentCtasOp)
def lower_resident_ctas(builder: ThreadBuilder, op: ResidentCtasOp) -> None:
    count = builder.emit(read_register("nsmid")).result
    if (per_sm := op.ctas_per_sm.value.data) > 1:
        count = builder.binary("mul", count, per_sm)
    builder.map(op.result, count)


Converted = Mapping[SSAValue, tuple[SSAValue, ...]]
"""Values of a kernel, and what they were converted to."""


@contextmanager
def unless_idle(builder: ThreadBuilder, ops: Sequence[Operation]) -> Generator[Converted]:
    """
    Appends the code of a kernel, up to its return, to what only CTAs with work do; gives the values
    that were converted before, to find out whether there is any. `ops` are those of the kernel.
    """
    kernel = builder.kernel
    loops = [op for op in ops if isinstance(op, scf.ForOp) and EARLY_RETURN.is_on(op)]
    if not loops:
        yield {}
        return
    loop = loops[0]  # Producer and consumer have a copy each, with the same bounds.
    for each in loops:
        EARLY_RETURN.drop(each)
    needed = backward_slice([loop.lb, loop.ub])
    known: dict[SSAValue, tuple[SSAValue, ...]] = {}
    for op in kernel.function.body.block.ops:
        if op in needed:
            lower_op(builder, op)
            known.update((result, builder.lookup_all(result)) for result in op.results)
    first, end = builder.lookup(loop.lb), builder.lookup(loop.ub)
    has_work = builder.compare("slt", first, end)
    block = Block()
    with builder.at_end_of(block):
        yield known
        block.erase_op(last_of(block))
        builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(has_work, [], Region(block)))
    builder.emit(ReturnOp([]))


def lower_others(builder: ThreadBuilder, block: Block, known: Converted) -> None:
    """Lowers the ops of a block but for those whose results were converted before."""
    for op in block.ops:
        if op.results and all(result in known for result in op.results):
            # Tensor maps may have been made of copies since.
            for result in op.results:
                builder.map(result, *known[result])
        else:
            lower_op(builder, op)


# Structured control flow, cloned with converted types (1:N); and waits.


def flatten_values(builder: ThreadBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """The converted values of some values, one after the other."""
    return [part for value in values for part in builder.lookup_all(value)]


def map_all(builder: ThreadBuilder, olds: Sequence[SSAValue], news: Sequence[SSAValue]) -> None:
    """Maps some values, given the converted values of all of them."""
    start = 0
    for old in olds:
        count = len(builder.converted_types(old))
        builder.map(old, *news[start : start + count])
        start += count


def lower_region(
    builder: ThreadBuilder, region: Region, arguments: Sequence[BlockArgument]
) -> Region:
    """The region of a loop or branch, with arguments of converted types."""
    types = [ty for argument in arguments for ty in builder.converted_types(argument)]
    block = Block(arg_types=types)
    map_all(builder, arguments, block.args)
    with builder.at_end_of(block):
        lower_block(builder, region.block)
    return Region(block)


@lowers(scf.ForOp)
def lower_for(builder: ThreadBuilder, op: scf.ForOp) -> None:
    bounds = [builder.lookup(each) for each in (op.lb, op.ub, op.step)]
    inits = flatten_values(builder, op.iter_args)
    with tensor_maps.up_to_date_in(builder, op):
        body = lower_region(builder, op.body, op.body.block.args)
    loop = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, body)
    loop.attributes.update(op.attributes)
    end, step = (builder.kernel.model.axis_info[bound] for bound in (op.ub, op.step))
    if step.high != 1 and ends_before_wrapping(op.ub.type, end.high, step.high):
        NO_WRAP.set(loop, UnitAttr())
    builder.emit(loop)
    map_all(builder, op.results, loop.results)


@lowers(scf.WhileOp)
def lower_while(builder: ThreadBuilder, op: scf.WhileOp) -> None:
    inits = flatten_values(builder, op.arguments)
    before = lower_region(builder, op.before_region, op.before_region.block.args)
    after = lower_region(builder, op.after_region, op.after_region.block.args)
    types = [ty for result in op.results for ty in builder.converted_types(result)]
    loop = builder.emit(WhileOp(inits, types, before, after))
    map_all(builder, op.results, loop.results)


@lowers(scf.IfOp)
def lower_if(builder: ThreadBuilder, op: scf.IfOp) -> None:
    condition = builder.lookup(op.cond)
    regions = [
        lower_region(builder, region, ()) if region.blocks else Region()
        for region in (op.true_region, op.false_region)
    ]
    types = [ty for result in op.results for ty in builder.converted_types(result)]
    branch = builder.emit(scf.IfOp(condition, types, regions[0], regions[1]))
    map_all(builder, op.results, branch.results)


@lowers(scf.YieldOp)
def lower_yield(builder: ThreadBuilder, op: scf.YieldOp) -> None:
    builder.emit(scf.YieldOp(*flatten_values(builder, op.arguments)))


@lowers(scf.ConditionOp)
def lower_condition(builder: ThreadBuilder, op: scf.ConditionOp) -> None:
    builder.emit(scf.ConditionOp(builder.lookup(op.condition), *flatten_values(builder, op.args)))


# Waits


@lowers(BarrierOp, shared_memory.BarrierOp)
def lower_barrier(builder: ThreadBuilder, op: BarrierOp | shared_memory.BarrierOp) -> None:
    if PAIR_BARRIER.is_on(op):
        sync_pair(builder, op)
    else:
        sync_threads(builder)


@lowers(WaitCopiesOp)
def lower_wait_copies(builder: ThreadBuilder, op: WaitCopiesOp) -> None:
    wait_for_copies(builder, written=op.written is not None)


@lowers(shared_memory.FenceProxyOp)
def lower_fence_proxy(builder: ThreadBuilder, op: shared_memory.FenceProxyOp) -> None:
    if op.shared is not None:
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    else:
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC))


# The order of instructions.
#
#     nv_tileas.sched_barrier                nvvm.pmevent 1
#
# ptxas orders instructions as it sees fit, and has no directive against that. It moves none across
# an event of a performance monitor, which does nothing unless a profiler counts it. LLVM may
# move what is computed from registers only.


@lowers(SchedBarrierOp)
def lower_sched_barrier(builder: ThreadBuilder, op: SchedBarrierOp) -> None:
    builder.emit(PMEventOp())
