"""Loops and branches, the same ones, with what tiles became; and waits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileiras_xdsl.dialects.nv_tileas.shared_memory import WaitCopiesOp
from tileiras_xdsl.dialects.nvgpu import FenceProxyOp
from tileiras_xdsl.dialects.nvvm import ProxyKind

from .barriers import sync_threads, wait_for_copies
from .patterns import lower_block, lowers
from .thread_builder import ThreadBuilder


def flatten_values(code: ThreadBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """All that some values became."""
    return [part for value in values for part in code.parts(value)]


def set_all(code: ThreadBuilder, olds: Sequence[SSAValue], news: Sequence[SSAValue]) -> None:
    """Says what some values became, given all their parts."""
    start = 0
    for old in olds:
        count = len(code.types(old))
        code.set(old, *news[start : start + count])
        start += count


def lower_region(code: ThreadBuilder, region: Region, arguments: Sequence[BlockArgument]) -> Region:
    """The region of a loop or branch, with arguments for what its arguments become."""
    types = [ty for argument in arguments for ty in code.types(argument)]
    block = Block(arg_types=types)
    set_all(code, arguments, block.args)
    with code.branch(block):
        lower_block(code, region.block)
    return Region(block)


@lowers("scf.for")
def lower_for(code: ThreadBuilder, op: scf.ForOp) -> None:
    bounds = [code.value(bound) for bound in (op.lb, op.ub, op.step)]
    inits = flatten_values(code, op.iter_args)
    body = lower_region(code, op.body, op.body.block.args)
    loop = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, body)
    loop.attributes.update(op.attributes)
    code.emit(loop)
    set_all(code, op.results, loop.results)


@lowers("scf.while")
def lower_while(code: ThreadBuilder, op: scf.WhileOp) -> None:
    inits = flatten_values(code, op.arguments)
    before = lower_region(code, op.before_region, op.before_region.block.args)
    after = lower_region(code, op.after_region, op.after_region.block.args)
    types = [ty for result in op.results for ty in code.types(result)]
    loop = code.emit(scf.WhileOp(inits, types, before, after))
    set_all(code, op.results, loop.results)


@lowers("scf.if")
def lower_if(code: ThreadBuilder, op: scf.IfOp) -> None:
    condition = code.value(op.cond)
    regions = [
        lower_region(code, region, ()) if region.blocks else Region()
        for region in (op.true_region, op.false_region)
    ]
    types = [ty for result in op.results for ty in code.types(result)]
    branch = code.emit(scf.IfOp(condition, types, regions[0], regions[1]))
    set_all(code, op.results, branch.results)


@lowers("scf.yield")
def lower_yield(code: ThreadBuilder, op: scf.YieldOp) -> None:
    code.emit(scf.YieldOp(*flatten_values(code, op.arguments)))


@lowers("scf.condition")
def lower_condition(code: ThreadBuilder, op: scf.ConditionOp) -> None:
    code.emit(scf.ConditionOp(code.value(op.condition), *flatten_values(code, op.args)))


# Waits


@lowers("gpu.barrier", "nv_tileas.barrier")
def lower_barrier(code: ThreadBuilder, op: Operation) -> None:
    sync_threads(code)


@lowers("nv_tileas.wait_copies")
def lower_wait_copies(code: ThreadBuilder, op: WaitCopiesOp) -> None:
    wait_for_copies(code, written=op.written is not None)


@lowers("nv_tileas.fence_proxy")
def lower_fence_proxy(code: ThreadBuilder, op: Operation) -> None:
    code.emit(FenceProxyOp(ProxyKind.ASYNC))
