"""
Ping-pong scheduling: consumer warpgroups issue WGMMAs alternately.

In attention all warpgroups of a CTA do the same at the same time: they wait for the tensor cores,
then compute their softmax, and the tensor cores wait for them. If one issues its WGMMAs only after
the other has issued those of the same iteration, they are half an iteration apart from then on: one
multiplies while the other one computes.

    wait K(i+1)
    ping_pong.wait                      the other one has issued S(i+1) and O += P(i)·V(i)
    S(i+1) = Q·K(i+1)
    O *= scale;  wait V(i)
    O += P(i)·V(i)
    ping_pong.arrive                      now the other one issues its next ones
    wait S(i+1), O;  P(i+1) = softmax(S(i+1))

The tensor cores serve WGMMAs of different warps by turns of their own, though, so that WGMMAs that
two warpgroups have issued are done at about the same time. In exclusive turns `ping_pong.arrive` is
behind `wait S(i+1), O`: the other one issues its WGMMAs when those of this turn are done, and these
are done twice as fast. With four warpgroups the tensor cores would wait too often for the next one.
If the maxima of S(i+1) are found before that, the arrival is delayed, among the exponentials.

A turn is no longer than from the first to the last WGMMA of a block, or the wait for that one,
between which nobody waits for other warps: what a warpgroup in its turn waits for must not depend
on the others, as these wait for their turns. Stages that it reads were released by all of them
before, so that the producer can fill them; it waits for none after it has released one itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import (
    PingPongArriveOp,
    PingPongBeginOp,
    PingPongEndOp,
    PingPongWaitOp,
    SchedBarrierOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import PipelineYieldOp
from tileiras_xdsl.transforms.tileas.kernel_model.iteration_work import find_exchanges, meets_others
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import LoadGroup
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import is_waited_for_in_parts

from ..kernel_model.exchanges import KernelModel
from ..kernel_model.slicing import is_pure
from .agents import ConsumerBuilder, OperandBuffers, ScheduledPipeline, WgmmaInFlight, only_meets
from .stages import is_special


class WgmmaPingPongBuilder(ConsumerBuilder):
    """The agent of consumer warps whose warpgroups issue WGMMAs alternately."""

    _last: Operation | None = None
    """The last WGMMA that was issued in the turn, if warpgroups are in one."""

    def __init__(
        self,
        pipelines: Sequence[ScheduledPipeline],
        iterators: Sequence[SSAValue],
        buffers: OperandBuffers,
        warpgroups: int,
        model: KernelModel,
    ):
        super().__init__(pipelines, iterators, buffers)
        self._begin = PingPongBeginOp(warpgroups=warpgroups)
        self._model = model

    def build(self, ops: Sequence[Operation]) -> Block:
        self.emit(self._begin, ops[0])
        self.emit_ops(ops)
        self.emit(PingPongEndOp(self._begin.result), ops[-1])
        self.emit(PipelineYieldOp(), ops[-1])
        return self.block

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
        return not is_carried and not self._has_written_operands(op)

    def _has_written_operands(self, op: Operation) -> bool:
        """Whether all warpgroups write an operand of a dot, and wait for each other before it."""
        return isinstance(op, DotOp) and any(
            (op, index) in self._buffers for index in range(len(op.operands))
        )

    def _may_be_in_turn(self, op: Operation) -> bool:
        """Whether no thread waits for others at an op."""
        if op.regions or not is_pure(op) or self._has_written_operands(op):
            return False
        return not any(find_exchanges(self._model, op))

    def _issue_wgmma(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        takes_turn = self._takes_turn(op)
        if takes_turn and self._last is None:
            self.emit(PingPongWaitOp(self._begin.result), op)
        super()._issue_wgmma(op, releases)
        if takes_turn:
            self._last = self.block.last_op

    def _copy_out(self, value: SSAValue, tile: SSAValue, load: StagedLoad) -> None:
        self._pass()
        super()._copy_out(value, tile, load)

    def _pass(self) -> None:
        """Passes the turn on behind the last WGMMA, if warpgroups are in one."""
        if self._last is None:
            return
        op = PingPongArriveOp(self._begin.result)
        op.location = self._last.location
        self.block.insert_op_after(op, self._last)
        self._last = None


class PingPongBuilder(WgmmaPingPongBuilder):
    """
    The turn is passed on after the last WGMMA that was issued, as soon as it is known that no other
    one follows in the turn.
    """

    def _wait(self, pending: WgmmaInFlight) -> None:
        self._pass()
        super()._wait(pending)

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        if stages:
            self._pass()
        super()._release(stages, source)


class ExclusivePingPongBuilder(WgmmaPingPongBuilder):
    """
    Warpgroups keep a turn until their WGMMAs are done: it is passed on behind the wait for the last
    one, or behind the WGMMA itself where threads would wait for others before that. What they
    reduce first, as the maxima of scores, is reduced before that wait, and the turn is passed on
    among the special functions that follow. Otherwise a scheduling barrier follows: ptxas would
    pass the turn on after all that they compute.
    """

    _has_released = False
    """Whether a stage was released in the turn."""

    def before(self, op: Operation) -> None:
        if self._last is not None and is_special(op):
            self._wait_for_all(self._pending)
        if isinstance(op, AggregateOperation):
            keeps_turn = not meets_others(self._model, op)
        else:
            # Loops and branches wait for all WGMMAs before anything else, and so pass the turn on.
            keeps_turn = bool(op.regions) and not only_meets(op)
        if not keeps_turn:
            super().before(op)

    def after(self, op: Operation) -> None:
        super().after(op)
        if self._last is not None and isinstance(op, AggregateOperation):
            self._wait_for_all(self._pending)

    def _stays_in_flight(self) -> int:
        return 0 if self._last is None else len(self._pending)

    def _issue_wgmma(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        if self._last is None:
            self._has_released = False
        super()._issue_wgmma(op, releases)

    def _wait(self, pending: WgmmaInFlight) -> None:
        ends_turn = self._ends_turn(pending)
        super()._wait(pending)
        if ends_turn and not pending.is_delayed:
            self.emit(SchedBarrierOp(), pending.dot)

    def _ends_turn(self, pending: WgmmaInFlight) -> bool:
        return self._last is not None and pending.future is self._last.results[0]

    def _is_ordered(self, pending: WgmmaInFlight) -> bool:
        return self._ends_turn(pending)

    def _is_done(self, pending: WgmmaInFlight) -> None:
        if self._ends_turn(pending):
            self.emit(PingPongArriveOp(self._begin.result, delayed=pending.is_delayed), pending.dot)
            self._last = None

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        self._has_released |= bool(stages)
        super()._release(stages, source)

    def _read_stage(self, index: int, loads: LoadGroup, source: Operation) -> SSAValue:
        if self._has_released:
            # Others may wait for their turns before they release the stage.
            self._pass()
        return super()._read_stage(index, loads, source)
