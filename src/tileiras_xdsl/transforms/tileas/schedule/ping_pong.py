"""
Ping-pong scheduling, where consumer warpgroups issue WGMMAs alternately, and the MMA agent.

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

# The MMA agent

One warp issues the dots by `tcgen05`.

    consumer_wait %loads[%it]; %a, %b = consumer_read          producer → MMA agent
    %d = nv_tileas.dot %a, %b, %c
    consumer_release %loads

    %e = producer_acquire %tiles[%it]                          MMA agent → consumer
    %t = stage_buffer %tiles, %e
    … dots on %t …
    producer_write %tiles, %e { yield %d }; producer_commit %tiles

All agents are cloned from the same ops. The MMA agent keeps dots, with loops and branches around
them; the consumer keeps all but dots and loads. What they hand to each other is in
`kernel_model/mma_exchanges.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_tcgen05, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, CopyOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import (
    PingPongArriveOp,
    PingPongBeginOp,
    PingPongEndOp,
    PingPongWaitOp,
    SchedBarrierOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    PipelineYieldOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
    StageBufferOp,
)
from tileiras_xdsl.transforms.tileas.kernel_model.iteration_work import find_exchanges, meets_others
from tileiras_xdsl.transforms.tileas.kernel_model.mma_exchanges import MmaPartition, TileExchange
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import (
    LoadGroup,
    find_uses,
    is_mma_operand,
    staged_layout,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import is_waited_for_in_parts

from ..kernel_model.exchanges import KernelModel
from ..kernel_model.slicing import is_pure
from ..kernel_model.tensor_memory_webs import is_in_tensor_memory
from .agents import ScheduledPipeline
from .consumer import (
    ConsumerBuilder,
    OperandBuffers,
    WgmmaInFlight,
    is_read_by_mmas,
    only_meets,
)
from .stages import is_special


def is_read_by_threads(loads: LoadGroup) -> bool:
    """Whether threads read a tile of a buffer stage."""
    return any(
        not is_mma_operand(use, staged_layout(load))
        for load in loads
        for use in find_uses(load.result)
    )


class ExchangingBuilder(ConsumerBuilder):
    """One of two agents that hand tiles in tensor memory to each other."""

    is_mma: ClassVar[bool]
    """Whether this is the MMA agent."""

    def __init__(
        self,
        pipelines: Sequence[ScheduledPipeline],
        iterators: Sequence[SSAValue],
        partition: MmaPartition,
        exchanges: dict[TileExchange, int],
    ):
        super().__init__(pipelines, iterators, {})
        self.partition = partition
        self.exchanges = exchanges
        """The index of the pipeline of each exchange."""
        self._acquired: dict[TileExchange, SSAValue] = {}
        """The tokens of tiles that are being written."""
        self._received: dict[SSAValue, SSAValue] = {}
        """The tokens of tiles of the other agent."""
        self._written: dict[int, SSAValue] = {}
        """The tokens of operands in shared memory, by the identity of these."""

    def advanced_at(self, op: Operation) -> Iterator[int]:
        yield from super().advanced_at(op)
        for exchange, is_mma in self.partition.exchanges_at(op):
            if is_mma == self.is_mma:
                yield self.exchanges[exchange]

    def acquire(self, op: Operation) -> None:
        """Before a tile is written that is handed over."""
        acquisition = self.partition.acquired.get(op)
        if acquisition is None or acquisition.exchange.to_mma == self.is_mma:
            return
        index = self.exchanges[acquisition.exchange]
        pipeline = self.pipelines[index].value
        token = self.emit(ProducerAcquireOp(pipeline, self.iterators[index]), op).result
        self._acquired[acquisition.exchange] = token
        if acquisition.buffer is not None:
            buffer = self.emit(StageBufferOp(pipeline, token), op).result
            self.values[acquisition.buffer] = buffer

    def send(self, op: Operation) -> None:
        """After a tile was written that is handed over."""
        for value in op.results:
            exchange = self.partition.sent.get(value)
            if exchange is None or exchange.to_mma == self.is_mma:
                continue
            self.commit(exchange, self._acquired.pop(exchange), self.get(value), op)

    def commit(
        self, exchange: TileExchange, token: SSAValue, value: SSAValue, op: Operation
    ) -> None:
        """Hands a tile over."""
        index = self.exchanges[exchange]
        pipeline = self.pipelines[index].value
        body = Block([PipelineYieldOp(value)])
        written = self.emit(ProducerWriteOp(pipeline, token, Region(body)), op).result
        self.emit(ProducerCommitOp(pipeline, written), op)
        self.advance(index, op)

    def receive(self, value: SSAValue, exchange: TileExchange, op: Operation) -> None:
        """Waits for a tile of the other agent, which takes the place of a value."""
        self.values[value], self._received[value] = self.read(exchange, op)
        self.values[value].name_hint = value.name_hint

    def read(self, exchange: TileExchange, op: Operation) -> tuple[SSAValue, SSAValue]:
        """Waits for a tile of the other agent; the token releases it."""
        index = self.exchanges[exchange]
        pipeline = self.pipelines[index].value
        token = self.emit(ConsumerWaitOp(pipeline, self.iterators[index]), op).result
        body = Block(arg_types=[exchange.ty])
        body.add_op(PipelineYieldOp(*body.args))
        read = self.emit(ConsumerReadOp(pipeline, token, [exchange.ty], Region(body)), op)
        self.advance(index, op)
        return read.values[0], read.result_token

    def release(self, value: SSAValue, exchange: TileExchange, op: Operation) -> None:
        """The other agent may write the next tile."""
        pipeline = self.pipelines[self.exchanges[exchange]].value
        self.emit(ConsumerReleaseOp(pipeline, self._received.pop(value)), op)


class MmaBuilder(ExchangingBuilder):
    """The agent that issues MMAs."""

    is_mma: ClassVar = True
    has_tiles: ClassVar = False

    def reads(self, index: int) -> bool:
        return any(map(is_read_by_mmas, self.pipelines[index].load_groups))

    def keeps(self, value: SSAValue) -> bool:
        return value in self.partition.slice.values or value in self.partition.held

    def emits(self, op: Operation) -> bool:
        return op in self.partition.slice.ops

    def before(self, op: Operation) -> None:
        self.acquire(op)
        for value, exchange in self.partition.inputs.get(op, ()):
            self.receive(value, exchange, op)
        for tile in self.partition.written_at(op):
            read, token = self.read(tile.exchange, op)
            self._written[id(tile)] = token
            self._operands.update((use, read) for use in tile.uses)

    def after(self, op: Operation) -> None:
        for value, exchange in self.partition.inputs.get(op, ()):
            self.release(value, exchange, op)
        for tile in self.partition.read_by(op):
            pipeline = self.pipelines[self.exchanges[tile.exchange]].value
            self.emit(ConsumerReleaseOp(pipeline, self._written.pop(id(tile))), op)
        self.send(op)


class ComputeBuilder(ExchangingBuilder):
    """The agent of consumer warps beside an MMA agent: it neither loads nor issues MMAs."""

    is_mma: ClassVar = False
    has_operands: ClassVar = False

    def build(self, ops: Sequence[Operation]) -> Block:
        self.emit_ops(ops)
        loads = [load for each in self.pipelines for group in each.load_groups for load in group]
        if any(HALVED.is_on(load) for load in loads):
            # One CTA of a pair issues MMAs for both. When these have read a tile they tell the
            # other one, which must not exit before that.
            for exchange, index in self.exchanges.items():
                if exchange.to_mma:
                    self.wait_until_empty(index, ops[-1])
        self.emit(PipelineYieldOp(), ops[-1])
        return self.block

    def reads(self, index: int) -> bool:
        return any(map(is_read_by_threads, self.pipelines[index].load_groups))

    def keeps(self, value: SSAValue) -> bool:
        return value not in self.partition.held

    def emits(self, op: Operation) -> bool:
        if isinstance(op, AllocTensorOp) and is_in_tensor_memory(op.result):
            return op in self.partition.local_places
        return not is_tcgen05(op)

    def instead_of(self, op: Operation) -> None:
        for tile in self.partition.written_at(op):
            index = self.exchanges[tile.exchange]
            pipeline = self.pipelines[index].value
            token = self.emit(ProducerAcquireOp(pipeline, self.iterators[index]), op).result
            buffer = self.emit(StageBufferOp(pipeline, token), op).result
            copy = CopyOp(self.get(tile.value), buffer, result_type=buffer.type)
            self.commit(tile.exchange, token, self.emit(copy, op).result, op)

    def before(self, op: Operation) -> None:
        for value in self.partition.received.get(op, ()):
            exchange = self.partition.sent[value]
            self.receive(value, exchange, op)
            if not any(value in each for each in self.partition.released.values()):
                # It is overwritten only after threads have written it again.
                self.release(value, exchange, op)
        self.acquire(op)

    def after(self, op: Operation) -> None:
        self.send(op)
        for value in self.partition.released.get(op, ()):
            self.release(value, self.partition.sent[value], op)


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
