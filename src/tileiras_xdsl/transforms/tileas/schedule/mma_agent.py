"""
The MMA agent: one warp that issues the dots by `tcgen05`.

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

from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, CopyOp
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
from tileiras_xdsl.transforms.tileas.kernel_model.mma_exchanges import MmaPartition, TileExchange
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import (
    LoadGroup,
    find_uses,
    is_mma_operand,
    staged_layout,
)

from ..kernel_model.tensor_memory_webs import is_in_tensor_memory
from .agents import ConsumerBuilder, ScheduledPipeline, is_read_by_mmas


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
