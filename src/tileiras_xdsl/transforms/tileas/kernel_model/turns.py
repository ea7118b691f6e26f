"""Whether consumer warpgroups can issue WGMMAs in turns, and gain from it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation

from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.turns import MIN_WARPGROUPS
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .exchanges import Exchange, KernelModel
from .layout_conversions import ScratchBudget
from .registers import is_staged
from .tma_loads import is_view_like
from .wgmma import is_waited_for_in_parts, is_wgmma
from .written_operands import find_written_operands


def why_no_turns(function: FuncOp) -> str | None:
    """
    Why warpgroups of a kernel do not gain from turns; None if they may. There is a loop whose
    threads work on the results of its WGMMAs, and in all such loops warpgroups are independent.
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
