"""Structured control flow, cloned with converted types (1:N); and waits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas import shared_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import PAIR_BARRIER
from tileiras_xdsl.dialects.nv_tileas.shared_memory import WaitCopiesOp
from tileiras_xdsl.dialects.nvgpu.loops import NO_WRAP, ends_before_wrapping

from . import rebuilt_maps
from .barriers import sync_threads, wait_for_copies
from .lowering_registry import lower_block, lowers
from .tcgen05 import sync_pair
from .thread_builder import ThreadBuilder


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


@lowers("scf.for")
def lower_for(builder: ThreadBuilder, op: scf.ForOp) -> None:
    bounds = [builder.lookup(bound) for bound in (op.lb, op.ub, op.step)]
    inits = flatten_values(builder, op.iter_args)
    with rebuilt_maps.up_to_date_in(builder, op):
        body = lower_region(builder, op.body, op.body.block.args)
    loop = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, body)
    loop.attributes.update(op.attributes)
    end, step = (builder.kernel.axis_info[bound] for bound in (op.ub, op.step))
    if step.high != 1 and ends_before_wrapping(op.ub.type, end.high, step.high):
        NO_WRAP.set(loop, UnitAttr())
    builder.emit(loop)
    map_all(builder, op.results, loop.results)


@lowers("scf.while")
def lower_while(builder: ThreadBuilder, op: scf.WhileOp) -> None:
    inits = flatten_values(builder, op.arguments)
    before = lower_region(builder, op.before_region, op.before_region.block.args)
    after = lower_region(builder, op.after_region, op.after_region.block.args)
    types = [ty for result in op.results for ty in builder.converted_types(result)]
    loop = builder.emit(scf.WhileOp(inits, types, before, after))
    map_all(builder, op.results, loop.results)


@lowers("scf.if")
def lower_if(builder: ThreadBuilder, op: scf.IfOp) -> None:
    condition = builder.lookup(op.cond)
    regions = [
        lower_region(builder, region, ()) if region.blocks else Region()
        for region in (op.true_region, op.false_region)
    ]
    types = [ty for result in op.results for ty in builder.converted_types(result)]
    branch = builder.emit(scf.IfOp(condition, types, regions[0], regions[1]))
    map_all(builder, op.results, branch.results)


@lowers("scf.yield")
def lower_yield(builder: ThreadBuilder, op: scf.YieldOp) -> None:
    builder.emit(scf.YieldOp(*flatten_values(builder, op.arguments)))


@lowers("scf.condition")
def lower_condition(builder: ThreadBuilder, op: scf.ConditionOp) -> None:
    builder.emit(scf.ConditionOp(builder.lookup(op.condition), *flatten_values(builder, op.args)))


# Waits


@lowers("gpu.barrier", "nv_tileas.barrier")
def lower_barrier(builder: ThreadBuilder, op: Operation) -> None:
    if PAIR_BARRIER.is_on(op):
        sync_pair(builder, op)
    else:
        sync_threads(builder)


@lowers("nv_tileas.wait_copies")
def lower_wait_copies(builder: ThreadBuilder, op: WaitCopiesOp) -> None:
    wait_for_copies(builder, written=op.written is not None)


@lowers("nv_tileas.fence_proxy")
def lower_fence_proxy(builder: ThreadBuilder, op: shared_memory.FenceProxyOp) -> None:
    if op.shared is not None:
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC_SHARED, nvvm.SharedSpace.CTA))
    else:
        builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ASYNC))
