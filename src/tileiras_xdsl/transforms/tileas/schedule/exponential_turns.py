"""
Consumer warpgroups that compute exponentials in turns.

Where stage 1 of a loop begins with exponentials (`schedule/stages.py`), WGMMAs are in flight while
these are computed. What warpgroups then wait for at the same time are special functions. In turns,
one computes exponentials while the other one does all the rest: issues WGMMAs, finds the maximum of
its next scores, subtracts it.

    wait K(i+1);  S(i+1) = Q·K(i+1)
    sched_barrier;  turn.wait;  sched_barrier
    P(i) = exp2(X(i));  sum of P(i);  O *= scale;  P(i) in f16
    sched_barrier;  turn.pass;  sched_barrier
    wait V(i);  O += P(i)·V(i)
    wait S(i+1);  m = maximum;  X(i+1) = S(i+1) - m;  wait O

The order of instructions is fixed there: ptxas would compute exponentials before WGMMAs are issued,
or outside of turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.instruction_order import SchedBarrierOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.turns import TurnPassOp, TurnWaitOp

from ..kernel_model.layout_rules import memory_bits
from ..kernel_model.slicing import is_pure
from ..kernel_model.staged_loads import LoadGroup
from ..kernel_model.turns import meets_others
from .agents import WgmmaInFlight
from .stages import is_special
from .turns import AgentWithTurns


class ExponentialTurnBuilder(AgentWithTurns):
    """
    Warpgroups compute exponentials in turns, where WGMMAs are in flight. A turn ends before threads
    wait for a stage or a WGMMA, or release a stage.
    """

    _is_in_turn = False

    def before(self, op: Operation) -> None:
        if not self._may_be_in_turn(op):
            self._pass(op)
        elif not self._is_in_turn and self._pending and is_special(op):
            self._is_in_turn, self._is_issuing = True, False
            self.emit(SchedBarrierOp(), op)
            self.emit(TurnWaitOp(self._begin.result), op)
            # LLVM could compute it before as well.
            values = [op.operands[0]] if memory_bits(get_element(op.operands[0].type)) == 32 else []
            barrier = self.emit(SchedBarrierOp([self.get(value) for value in values]), op)
            self.values.update(zip(values, barrier.results, strict=True))

    def _may_be_in_turn(self, op: Operation) -> bool:
        """Whether no thread waits for other warps at an op."""
        if isinstance(op, DotOp) or op.has_trait(IsTerminator):
            return False
        if meets_others(self._model, op):
            return False
        return isinstance(op, AggregateOperation) or (not op.regions and is_pure(op))

    def _read_stage(self, index: int, loads: LoadGroup, source: Operation) -> SSAValue:
        self._pass(source)
        return super()._read_stage(index, loads, source)

    def _wait(self, pending: WgmmaInFlight) -> None:
        self._pass(pending.dot)
        super()._wait(pending)

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        if stages:
            self._pass(source)
        super()._release(stages, source)

    def _pass(self, source: Operation) -> None:
        """Passes the turn on, if warpgroups are in one."""
        if not self._is_in_turn:
            return
        self._is_in_turn = False
        self.emit(SchedBarrierOp(), source)
        self.emit(TurnPassOp(self._begin.result), source)
        self.emit(SchedBarrierOp(), source)
