"""How much work an iteration of a loop with asynchronous MMAs is, for tensor cores and threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.cost.work import product_of, work_of
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.atoms import is_async_mma, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import MIN_WARPGROUPS
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TensorMemoryLoadOp,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import IterationWork
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, find_in_block, walk

from .exchanges import Exchange, KernelModel
from .layout_rules import ScratchBudget
from .registers import is_staged, type_registers
from .tma_loads import find_load, is_view_like
from .wgmma import is_waited_for_in_parts, needs_accumulator_promotion
from .written_operands import find_written_operands

# Loops in which threads compute between dots, as softmax does in attention.


def are_interleaved(dots: Sequence[DotOp]) -> bool:
    """
    Whether each loop of some dots is one of attention: operand A of one of its two dots is computed
    from the result of the other. Then warpgroups take longer for that than for WGMMAs, and with
    more of them some compute while others have the tensor cores.

    That takes registers: threads have no other tiles beside, neither loaded nor carried by the loop
    nor of accumulators that they promote. And warpgroups must not wait for each other: nothing is
    reduced or scanned across rows.
    """
    if len(dots) < 2 or any(map(needs_accumulator_promotion, dots)):
        return False
    blocks = dict.fromkeys(op.parent_block() for op in dots)
    return all(block is not None and _is_interleaved(block) for block in blocks)


def _is_interleaved(block: Block) -> bool:
    loop = block.parent_op()
    if not isinstance(loop, scf.ForOp):
        return False
    dots = find_in_block(block, DotOp)
    operands = {find_load(value) for op in dots for value in (op.a, op.b)}
    loads = [op for op in block.ops if is_plain_load(op) and op not in operands]
    if len(dots) != 2 or any(_is_tile(value) for op in loads for value in op.results):
        return False
    if sum(map(_is_tile, loop.iter_args)) > 1:
        return False
    if any(isinstance(op, AggregateOperation) and op.get_axis() == 0 for op in block.ops):
        return False
    return any(
        backward_slice([op.a], lambda each: each.parent_block() is block) & ({*dots} - {op})
        for op in dots
    )


def _is_tile(value: SSAValue) -> bool:
    """Whether a value has more than one element in each row, unlike maxima and sums of rows."""
    ty = value.type
    return isinstance(ty, TensorType) and prod(ty.get_shape()[1:]) > 1


def find_inner_loops(function: FuncOp) -> list[scf.ForOp]:
    """The loops that have asynchronous MMAs and no loops in them."""
    return [
        loop
        for loop in find_all(function, scf.ForOp)
        if any(map(is_async_mma, walk(loop))) and len(find_all(loop, scf.ForOp)) == 1
    ]


def iteration_work(loop: scf.ForOp, target: Target) -> IterationWork:
    """The work of an iteration, in cycles of an SM that does nothing else (`cost.work`)."""
    tensor, special = 0.0, 0.0
    for op in walk(loop):
        if isinstance(op, DotOp) and is_async_mma(op):
            tensor += product_of(op, target, 1.0).ideal
        else:
            special += work_of(op, target, 1.0).clocks.get("exponentials", 0.0)
    return IterationWork(round(tensor), round(special), is_serial(loop))


def is_serial(loop: scf.ForOp) -> bool:
    """
    Whether a loop has one MMA, which adds to no tile that the loop carries, and threads work on its
    result: nothing is multiplied meanwhile.
    """
    dots, body = find_all(loop, DotOp), loop.body.block
    if len(dots) != 1 or not is_wgmma(dots[0]):
        return False
    (dot,) = dots
    added = backward_slice([dot.accumulator], lambda op: op.parent_block() is body)
    carried = {*body.args}
    return (
        dot.accumulator not in carried
        and not any(value in carried for op in added for value in op.operands)
        and not any(isinstance(use.operation, scf.YieldOp) for use in dot.result.uses)
    )


def row_registers(function: FuncOp) -> int:
    """Registers per thread for the largest tile that threads read from tensor memory."""
    return max(
        (
            type_registers(load.result.type)
            for load in find_all(function, TensorMemoryLoadOp)
            if get_memory(load.result.type) == "register"
        ),
        default=0,
    )


# Whether consumer warpgroups can issue WGMMAs alternately, and gain from it.


def why_no_ping_pong(function: FuncOp) -> str | None:
    """
    Why warpgroups of a kernel do not gain from ping-pong scheduling; None if they may. There is a
    loop whose threads work on the results of its WGMMAs, and in all such loops warpgroups are
    independent.
    """
    warpgroups = get_warps(function) // WARPGROUP_WARPS
    if warpgroups < MIN_WARPGROUPS:
        return f"{max(1, warpgroups)} warpgroup multiplies"
    if not any(map(is_wgmma, find_all(function, DotOp))):
        return "no dot is a WGMMA"
    loops = [loop for loop in find_all(function, scf.ForOp) if _works_on_results(loop.body.block)]
    if not loops:
        return "in no loop threads work on the results of its WGMMAs"
    model = make_model(function)
    written = {operand.dot for operand in find_written_operands(function)}
    for loop in loops:
        for op in walk(loop):
            if op in written:
                return f"warpgroups wait for each other before '{op.name}', to write its operands"
            if isinstance(op, DotOp) and is_waited_for_in_parts(op):
                return f"threads wait for each part of '{op.name}', to add it to the accumulator"
            if meets_others(model, op):
                return f"warpgroups wait for each other at '{op.name}'"
    return None


def make_model(function: FuncOp) -> KernelModel:
    """What the ops of a kernel exchange between threads."""
    return KernelModel(function, get_warps(function), ScratchBudget.of(get_target(function)))


def _works_on_results(body: Block) -> bool:
    """Whether other ops of a loop body than WGMMAs use the results of its WGMMAs."""
    dots = [op for op in body.ops if isinstance(op, DotOp) and is_wgmma(op)]
    users = (use.operation for op in dots for use in op.result.uses)
    return any(
        each.parent_block() is body and not isinstance(each, DotOp | scf.YieldOp) for each in users
    )


def find_exchanges(model: KernelModel, op: Operation) -> Iterator[Exchange]:
    """What threads exchange at an op of the consumer: not tiles that stay in buffer stages."""
    if isinstance(op, DotOp | TiledLoadOp) or (is_view_like(op) and is_staged(op.operands[0])):
        return
    yield from model.exchanges(op)


def meets_others(model: KernelModel, op: Operation) -> bool:
    """Whether warpgroups of the consumer wait for each other at an op."""
    return any(exchange.sync != "warp" for exchange in find_exchanges(model, op))
