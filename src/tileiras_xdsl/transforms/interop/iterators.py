"""
The ends of queues become producers and consumers of pipelines, whose iterators are threaded
through loops and branches.

    scf.for %i = %a to %b step %c : i32 {
      nv_tileaa.queue.put %q, %x : …
    }
    →
    %it2 = scf.for %i = %a to %b step %c iter_args(%it = %put) -> (!nv_tileas.iterator<…>) : i32 {
      nv_tileas.async.pipeline.produce_one %q[%it] : … { acquire; write; commit }
      %it1 = nv_tileas.async.pipeline.inc_iter %it : …
      scf.yield %it1 : !nv_tileas.iterator<…>
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileaa.queues import QueueGetOp, QueuePutOp
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.xdsl_extras.structure import last_of

from .queue_edges import fail_end


class IteratorThread:
    """Lowers the ends of a queue that share an iterator."""

    def __init__(self, pipeline: SSAValue, ends: AbstractSet[Operation]):
        self.pipeline = pipeline
        self.ends = ends

    def lower(self, block: Block, iterator: SSAValue) -> SSAValue:
        """Lowers the ends in a block; returns the iterator after the last of them."""
        for op in tuple(block.ops):
            match op:
                case QueuePutOp() if op in self.ends:
                    iterator = self._step(op, self._produce(op, iterator), iterator)
                case QueueGetOp() if op in self.ends:
                    iterator = self._step(op, self._consume(op, iterator), iterator)
                case _ if op.regions and not self.ends.isdisjoint(op.walk()):
                    iterator = self._enter(op, iterator)
                case _:
                    pass
        return iterator

    # Loops and branches

    def _enter(self, op: Operation, iterator: SSAValue) -> SSAValue:
        match op:
            case scf.ForOp():
                self._carry(op.body.block, iterator)
                body = op.detach_region(0)
                new = scf.ForOp(op.lb, op.ub, op.step, [*op.iter_args, iterator], body)
            case scf.WhileOp():
                self._carry(op.before_region.block, iterator)
                self._carry(op.after_region.block, iterator)
                types = [*op.result_types, iterator.type]
                before, after = (op.detach_region(region) for region in tuple(op.regions))
                new = scf.WhileOp([*op.arguments, iterator], types, before, after)
            case scf.IfOp():
                for region in op.regions:
                    if not region.blocks:
                        region.add_block(Block([scf.YieldOp()]))
                    _append(region.block, self.lower(region.block, iterator))
                types = [*op.result_types, iterator.type]
                then, otherwise = (op.detach_region(region) for region in tuple(op.regions))
                new = scf.IfOp(op.cond, types, then, otherwise)
            case _:
                end = next(inner for inner in op.walk() if inner in self.ends)
                fail_end(end, f"a '{op.name}' op around it cannot carry an iterator")
        new.attributes.update(op.attributes)
        *results, last = new.results
        _replace(op, new, results)
        last.name_hint = iterator.name_hint
        return last

    def _carry(self, block: Block, iterator: SSAValue) -> None:
        """A block of a loop takes an iterator, and hands on the one at its end."""
        argument = block.insert_arg(iterator.type, len(block.args))
        argument.name_hint = iterator.name_hint
        _append(block, self.lower(block, argument))

    # Ends

    def _step(self, op: Operation, new: Operation, iterator: SSAValue) -> SSAValue:
        _replace(op, new, new.results)
        following = pl.IncIterOp(iterator)
        following.location = op.location
        Rewriter.insert_op(following, InsertPoint.after(new))
        following.result.name_hint = iterator.name_hint
        return following.result

    def _produce(self, op: QueuePutOp, iterator: SSAValue) -> Operation:
        values = Region(Block([pl.PipelineYieldOp(*op.values)]))
        acquire = pl.ProducerAcquireOp(self.pipeline, iterator)
        write = pl.ProducerWriteOp(self.pipeline, acquire, values)
        commit = pl.ProducerCommitOp(self.pipeline, write)
        body = Region(Block([acquire, write, commit, pl.PipelineYieldOp()]))
        return pl.ProduceOneOp(self.pipeline, iterator, (), body)

    def _consume(self, op: QueueGetOp, iterator: SSAValue) -> Operation:
        ty = self.pipeline.type
        assert isinstance(ty, PipelineType)
        block = op.body.block
        if not block.args:
            for element in ty.element_types:
                block.insert_arg(element, len(block.args))
        end = last_of(block)
        _replace(end, pl.PipelineYieldOp(*end.operands), ())
        wait = pl.ConsumerWaitOp(self.pipeline, iterator, op.consumer_idx)
        region = op.detach_region(0)
        read = pl.ConsumerReadOp(self.pipeline, wait, op.result_types, region, op.consumer_idx)
        release = pl.ConsumerReleaseOp(self.pipeline, read.result_token)
        body = Region(Block([wait, read, release, pl.PipelineYieldOp(*read.values)]))
        properties = {"consumer_idx": op.consumer_idx}
        return pl.ConsumeOneOp(self.pipeline, iterator, op.result_types, body, properties)


def _append(block: Block, value: SSAValue) -> None:
    """Lets the terminator of a block hand on one more value."""
    last = last_of(block)
    last.operands = [*last.operands, value]


def _replace(op: Operation, new: Operation, results: Sequence[SSAValue]) -> None:
    """Puts an op, whose parts without a location get that of the old one, in its place."""
    for made in new.walk():
        if isinstance(made.location, UnknownLoc):
            made.location = op.location
    Rewriter.replace_op(op, new, results)
