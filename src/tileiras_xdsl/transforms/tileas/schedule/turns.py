"""
Consumer warpgroups that issue WGMMAs in turns.

In attention all warpgroups of a CTA do the same at the same time: they wait for the tensor cores,
then compute their softmax, and the tensor cores wait for them. If one issues its WGMMAs only after
the other has issued those of the same iteration, they are half an iteration apart from then on: one
multiplies while the other one computes.

    wait K(i+1)
    turn.wait                      the other one has issued S(i+1) and O += P(i)·V(i)
    S(i+1) = Q·K(i+1)
    O *= scale;  wait V(i)
    O += P(i)·V(i)
    turn.pass                      now the other one issues its next ones
    wait S(i+1), O;  P(i+1) = softmax(S(i+1))

A turn is no longer than from the first to the last WGMMA of a block between which nobody waits for
a WGMMA or for other warps, and no buffer stage is released: what a warpgroup in its turn waits for
must not depend on the others, as these wait for their turns. Stages that it reads were released by
all of them before, so that the producer can fill them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import PipelineYieldOp
from tileiras_xdsl.dialects.nv_tileas.turns import (
    MIN_WARPGROUPS,
    TurnBeginOp,
    TurnEndOp,
    TurnPassOp,
    TurnWaitOp,
)
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..kernel_model.copied_loads import StagedLoad
from ..kernel_model.exchanges import Exchange, KernelModel
from ..kernel_model.layout_conversions import ScratchBudget
from ..kernel_model.registers import is_staged
from ..kernel_model.slicing import is_pure
from ..kernel_model.tma_loads import is_view_like
from ..kernel_model.wgmma import is_waited_for_in_parts, is_wgmma
from ..kernel_model.written_operands import find_written_operands
from .agents import ConsumerBuilder, OperandBuffers, ScheduledPipeline, WgmmaInFlight


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
            if any(exchange.sync != "warp" for exchange in find_exchanges(model, op)):
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


class AgentWithTurns(ConsumerBuilder):
    """The agent of consumer warps whose warpgroups take turns."""

    def __init__(
        self,
        pipelines: Sequence[ScheduledPipeline],
        iterators: Sequence[SSAValue],
        buffers: OperandBuffers,
        warpgroups: int,
        model: KernelModel,
        in_flight: int,
    ):
        super().__init__(pipelines, iterators, buffers, in_flight)
        self._begin = TurnBeginOp(warpgroups)
        self._model = model

    def build(self, ops: Sequence[Operation]) -> Block:
        self.emit(self._begin, ops[0])
        self.emit_ops(ops)
        self.emit(TurnEndOp(self._begin.result), ops[-1])
        self.emit(PipelineYieldOp(), ops[-1])
        return self.block


class TurnBuilder(AgentWithTurns):
    """
    Warpgroups issue WGMMAs in turns. The turn is passed on after the last WGMMA that was issued, as
    soon as it is known that no other one follows in the turn.
    """

    _last: Operation | None = None
    """The last WGMMA that was issued in the turn, if warpgroups are in one."""

    def emit_ops(self, ops: Sequence[Operation]) -> None:
        super().emit_ops(ops)
        self._pass()

    def before(self, op: Operation) -> None:
        if not (self._takes_turn(op) or self._may_be_in_turn(op)):
            self._pass()

    def _takes_turn(self, op: Operation) -> bool:
        """Whether warpgroups issue an op in turns: a WGMMA that is waited for in its block."""
        if not isinstance(op, DotOp) or not is_wgmma(op) or is_waited_for_in_parts(op):
            return False
        is_carried = self._carry is not None and any(op is dot for dot in self._carry.dots)
        return not is_carried and all((op, n) not in self._buffers for n in range(len(op.operands)))

    def _may_be_in_turn(self, op: Operation) -> bool:
        """Whether no thread waits for others at an op."""
        return not op.regions and is_pure(op) and not any(find_exchanges(self._model, op))

    def _issue_wgmma(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        takes_turn = self._takes_turn(op)
        if takes_turn and self._last is None:
            self.emit(TurnWaitOp(self._begin.result), op)
        super()._issue_wgmma(op, releases)
        if takes_turn:
            self._last = self.block.last_op

    def _wait(self, pending: WgmmaInFlight) -> None:
        self._pass()
        super()._wait(pending)

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        if stages:
            self._pass()
        super()._release(stages, source)

    def _copy_out(self, value: SSAValue, tile: SSAValue, load: StagedLoad) -> None:
        self._pass()
        super()._copy_out(value, tile, load)

    def _pass(self) -> None:
        """Passes the turn on, if warpgroups are in one."""
        if self._last is None:
            return
        op = TurnPassOp(self._begin.result)
        op.location = self._last.location
        self.block.insert_op_after(op, self._last)
        self._last = None
