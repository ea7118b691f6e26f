"""
The agent of the consumer warps, which computes: what it waits for and when, which WGMMAs are in
flight, and who releases the stages of buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddFOp
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp, ToAsyncOp
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    StagedLoad,
    is_async_mma,
    is_tcgen05,
    is_wgmma,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    STAGED,
    get_pipeline_id,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import SchedBarrierOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateNullTokenOp,
    PipelineYieldOp,
)
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.types import CONSUMER_TOKEN
from tileiras_xdsl.targets.warpgroups import MIN_STAGES
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    reshaped,
)
from tileiras_xdsl.transforms.tileas.kernel_model.registers import (
    free_registers,
    is_made,
    is_staged,
    type_registers,
)
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import (
    LoadGroup,
    TileUse,
    find_uses,
    find_wait_point,
    first_and_last,
    is_mma_operand,
    is_rounded,
    live_range,
    stage_order,
    staged_layout,
    staged_types,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    always_reads_accumulator,
    has_one_partial_sum,
    needs_accumulator_promotion,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk

from ..kernel_model.copied_loads import is_by_tma
from ..kernel_model.slicing import is_pure
from ..kernel_model.tma_loads import find_load, is_rounding, is_view_like
from ..kernel_model.written_operands import A_INDEX, B_INDEX
from .agents import AgentBuilder, LoopBounds, ScheduledPipeline


@dataclass(frozen=True)
class OperandBuffer:
    """Where consumer warps write an operand: a buffer, and the slot of it and of others."""

    value: SSAValue
    slot: int


OperandBuffers = Mapping[tuple[DotOp, int], OperandBuffer]
"""By the dot that reads an operand, and the index of the operand."""


Release = tuple[SSAValue, SSAValue]
"""A pipeline, and the token of a stage of it that is released."""


@dataclass
class WgmmaInFlight:
    """
    A WGMMA in flight, with those in flight that it adds to, and the buffer stages of which they are
    the last readers.
    """

    dots: Sequence[DotOp]
    """All of them, oldest first."""
    future: SSAValue
    releases: list[Release]
    """Of the last one."""
    chained: list[tuple[SSAValue, list[Release]]] = field(
        default_factory=list[tuple[SSAValue, list["Release"]]]
    )
    """The futures of all but the last that were not waited for, with what these release."""
    accumulator: SSAValue | None = None
    """What threads add to its result, which are partial sums that have to be promoted."""
    is_delayed: bool = False
    """Whether threads have reduced or scanned other tiles since it was issued."""

    @property
    def dot(self) -> DotOp:
        """The last one, whose result the others are part of."""
        return self.dots[-1]

    def count_held(self, pipeline: SSAValue) -> int:
        """How many stages of a pipeline they have yet to release."""
        releases = [*self.releases, *(each for _, some in self.chained for each in some)]
        return sum(each is pipeline for each, _ in releases)


@dataclass(frozen=True)
class Contents:
    """What a slot contains: an operand that was written in a block of the agent."""

    value: SSAValue
    buffer: OperandBuffer
    block: Block
    written: SSAValue

    def is_same(self, value: SSAValue, buffer: OperandBuffer, block: Block) -> bool:
        """Whether it is what is to be written."""
        return self.value is value and self.buffer is buffer and self.block is block


@dataclass
class CarriedWgmmas:
    """WGMMAs that are still in flight when the next iteration of their loop begins."""

    dots: Sequence[DotOp]
    """In the order of their accumulators, which the loop carries."""
    accumulators: list[SSAValue] = field(default_factory=list[SSAValue])
    """What those of the iteration before have computed."""
    futures: list[SSAValue] = field(default_factory=list[SSAValue])
    pipelines: list[SSAValue] = field(default_factory=list[SSAValue])
    tokens: list[SSAValue] = field(default_factory=list[SSAValue])
    """The pipelines of the stages that they read, and what releases each of these stages."""


def find_carried_wgmmas(loop: scf.ForOp) -> list[DotOp]:
    """
    The WGMMAs of a loop if all they do is to add products to an accumulator each, of tiles in
    shared memory, or of one that an earlier iteration has made, so that the next ones may be issued
    while they are in flight.
    """
    body = loop.body.block
    dots = find_all(loop, DotOp)
    accumulators = [dot.accumulator for dot in dots]
    carried = [*filter(accumulators.__contains__, body.args)]
    # Those that a loop carries are in flight in the order of its arguments.
    return dots if carried == accumulators and all(_is_carried(x, dots) for x in dots) else []


def _is_carried(dot: DotOp, dots: Sequence[DotOp]) -> bool:
    """Whether one of the dots of a loop can be in flight across its iterations."""
    body, argument = dot.parent_block(), dot.accumulator
    if body is None or argument.owner is not body:
        return False
    if not is_wgmma(dot) or not always_reads_accumulator(dot):
        return False
    if needs_accumulator_promotion(dot):
        # CUDA cores add the partial sums of the tensor cores to the accumulator.
        return False
    tiles = [dot.b] if is_made_earlier(dot) else [dot.a, dot.b]
    if is_made(dot) or not all(map(is_staged, tiles)):
        return False
    if not all(is_last_use(dots, value) for value in tiles):
        return False
    if len([*argument.uses, *dot.result.uses]) != 2:
        return False
    (use,) = dot.result.uses
    return use.operation is body.last_op and body.args[use.index + 1] is argument


def is_made_earlier(dot: DotOp) -> bool:
    """Whether a loop carries operand A of a WGMMA to it, in registers."""
    return dot.a.owner is dot.parent_block() and not is_staged(dot.a)


def is_read_by_mmas(loads: LoadGroup) -> bool:
    """Whether MMAs read a tile of a buffer stage."""
    return any(
        is_mma_operand(use, staged_layout(load)) for load in loads for use in find_uses(load.result)
    )


def is_worth_unrolling(loop: scf.ForOp, dots: Sequence[DotOp]) -> bool:
    """
    Whether two iterations should be one where a loop carries operands A that threads have computed:
    if there are registers for those of two iterations, and for the largest tile that they are
    computed of. What threads only read they have at once.
    """
    body = loop.body.block
    arguments = {body.args.index(dot.a): dot.a for dot in dots if is_made_earlier(dot)}
    if any(find_load(last_of(body).operands[index - 1]) is not None for index in arguments):
        return False
    read = max(
        (
            type_registers(op.results[0].type)
            for op in body.ops
            if is_plain_load(op)
            and not any(isinstance(use.op, DotOp) for use in find_uses(op.results[0]))
        ),
        default=0,
    )
    made = sum(type_registers(value.type) for value in arguments.values())
    return 2 * made + read <= free_registers(dots)


def unroll_by_two(block: Block, lower: SSAValue, step: SSAValue) -> None:
    """
    Lets the body of a loop do two iterations of one with this lower bound and step; the loop then
    counts these pairs from 0 on.
    """
    ops, terminator = [*block.ops][:-1], last_of(block)
    pair = block.args[0]
    twice = arith.AddiOp(step, step)
    distance = arith.MuliOp(pair, twice.result)
    first = arith.AddiOp(lower, distance.result)
    second = arith.AddiOp(first.result, step)
    counting = [twice, distance, first, second]
    pair.replace_uses_with_if(first.result, lambda use: use.operation not in counting)
    values: dict[SSAValue, SSAValue] = {first.result: second.result}
    values.update(zip(block.args, [second.result, *terminator.operands], strict=True))
    clones: list[Operation] = []
    for op in ops:
        clone = op.clone(values)
        for old, new in zip(walk(op), walk(clone), strict=True):
            new.location = old.location
        clones.append(clone)
    for op in counting:
        op.location = terminator.location
    Rewriter.insert_op(counting, InsertPoint.at_start(block))
    Rewriter.insert_op(clones, InsertPoint.before(terminator))
    terminator.operands = [values.get(value, value) for value in terminator.operands]


def is_last_use(dots: Sequence[DotOp], value: SSAValue) -> bool:
    """Whether nothing in the block of some dots uses the tile of an operand after them."""
    load = find_load(value)
    assert load is not None
    if load.parent_block() is not dots[-1].parent_block():
        return True
    return first_and_last(load)[1] in dots


def only_meets(op: Operation) -> bool:
    """Whether threads do nothing in a branch but wait for each other."""
    return isinstance(op, scf.IfOp) and all(
        isinstance(inner, scf.YieldOp) or own_effects(inner) is Effect.FENCE
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )


def find_read_point(ops: Sequence[Operation], wait: Operation) -> Operation:
    """
    Where threads read a tile that they need at an op: before the WGMMAs that are issued since the
    last wait for one, whose operands come from shared memory before anything for threads. Those of
    m64n64k16 take all of its bandwidth: what threads read behind them is there when all of them are
    done, of all warpgroups, and the tensor cores have nothing to do meanwhile
    (`docs/journal/2026-11-18-hopper-schedules.md`).
    """
    point = wait
    for op in reversed(ops[: ops.index(wait)]):
        if isinstance(op, DotOp) and is_wgmma(op):
            point = op
        elif not is_pure(op) and not isinstance(op, TiledLoadOp):
            break
        if not is_view_like(op) and any(map(is_async_result, op.operands)):
            # Threads wait for the dot before this op.
            break
    return point


def is_async_result(value: SSAValue) -> bool:
    """Whether a WGMMA computes a value."""
    return isinstance(value.owner, DotOp) and is_wgmma(value.owner)


class ConsumerBuilder(AgentBuilder):
    """
    The agent of the consumer warps, which does all but load. A WGMMA is in flight until its result
    is needed; a buffer stage is released when the last WGMMA that reads it is done.
    """

    has_operands: ClassVar = True
    """Whether dots of the agent read tiles of buffer stages."""
    has_tiles: ClassVar = True
    """Whether threads of the agent copy tiles of buffer stages into registers."""

    def __init__(
        self,
        pipelines: Sequence[ScheduledPipeline],
        iterators: Sequence[SSAValue],
        buffers: OperandBuffers,
    ):
        super().__init__(pipelines, iterators)
        self._buffers = buffers
        self._contents: dict[int, Contents] = {}
        """What consumer warps have written to each slot last."""
        self._pending: list[WgmmaInFlight] = []
        self._carry: CarriedWgmmas | None = None
        self._operands: dict[tuple[Operation, int], SSAValue] = {}
        self._tokens: dict[tuple[Operation, int], SSAValue] = {}
        """The tokens that release the stages of operands in shared memory."""

    def keeps(self, value: SSAValue) -> bool:
        return True

    def emit_ops(self, ops: Sequence[Operation]) -> None:
        outer, self._pending = self._pending, []
        # By op: the load groups that are waited for before it, those whose tiles it is the last to
        # use, and the pipelines and tokens of the latter, as soon as their stages have been read.
        waits: dict[Operation, list[tuple[int, LoadGroup]]] = {}
        last_uses: dict[Operation, list[tuple[int, LoadGroup]]] = {}
        releases: dict[Operation, list[tuple[SSAValue, SSAValue]]] = {}
        # By load: where its tile is needed that was read earlier.
        needed: dict[Operation, Operation] = {}
        # By op: the stages that were read earlier, which are released before it.
        read: dict[Operation, list[tuple[SSAValue, SSAValue]]] = {}
        for op in ops:
            found = self.load_groups.get(op)
            if found is not None and op is found[1][0] and self.reads(found[0]):
                first, last = live_range(found[1])
                wait = find_wait_point(ops, op, first)
                if self._is_read_early(*found):
                    needed[op], wait = wait, find_read_point(ops, wait)
                waits.setdefault(wait, []).append(found)
                last_uses.setdefault(last, []).append(found)
        overwritten = self._find_overwritten_operands(ops)
        for op in ops:
            for index, loads in waits.get(op, ()):
                pipeline = self.pipelines[index]
                self._hold_at_most(pipeline.value, pipeline.stages - 1)
                token = self._read_stage(index, loads, op)
                if not self.has_operands or not is_read_by_mmas(loads):
                    # All of it is in registers where it is needed.
                    stage = self.pipelines[index].value, token
                    read.setdefault(needed.get(loads[0], op), []).append(stage)
                    continue
                for last, load_groups in last_uses.items():
                    if (index, loads) in load_groups:
                        pipeline = self.pipelines[index].value
                        releases.setdefault(last, []).append((pipeline, token))
            self._release(read.get(op, []), op)
            if self.load_groups.get(op) is not None or self._is_emitted_with_stage(op):
                continue
            if not self.emits(op):
                self.instead_of(op)
                self._release(releases.get(op, []), op)
                continue
            self.before(op)
            self._wait_for_operands(op, overwritten)
            if isinstance(op, DotOp) and is_async_mma(op):
                self._write_operands(op)
                issue = self._issue_tcgen05 if is_tcgen05(op) else self._issue_wgmma
                issue(op, releases.get(op, []))
            elif STAGED.is_on(op):
                self._emit_staged_dot(op)
                self._release_after_readers(releases.get(op, []), op)
            else:
                self.emit_op(op)
                self._release_after_readers(releases.get(op, []), op)
            self.after(op)
        while self._pending:
            self._wait(self._pending[0])
        self._pending = outer
        if ops and (terminator := ops[-1].next_op) is not None:
            self.before(terminator)

    def _is_read_early(self, index: int, loads: LoadGroup) -> bool:
        """Whether threads read a stage before WGMMAs are issued: one that is there by then."""
        return (
            self.has_tiles
            and not is_read_by_mmas(loads)
            and self.pipelines[index].stages >= MIN_STAGES
        )

    def emits(self, op: Operation) -> bool:
        """Whether an op belongs to the agent."""
        return True

    def instead_of(self, op: Operation) -> None:
        """Where an op of another agent is."""

    def before(self, op: Operation) -> None:
        """Before an op of the agent is emitted, or that ends a block."""

    def after(self, op: Operation) -> None:
        """After an op of the agent was emitted."""

    def _is_emitted_with_stage(self, op: Operation) -> bool:
        """
        Whether an op only reshapes a tile of a buffer stage, and so is emitted where that stage is
        read.
        """
        if not is_view_like(op):
            return False
        if op.operands[0] in self.values:
            return op.results[0] in self.values
        owner = op.operands[0].owner
        while isinstance(owner, Operation) and is_view_like(owner):
            owner = owner.operands[0].owner
        return isinstance(owner, StagedLoad) and get_pipeline_id(owner) is not None

    # Stages

    def _read_stage(self, index: int, loads: LoadGroup, source: Operation) -> SSAValue:
        """Waits for a stage to be full, and maps its tiles to their users."""
        pipeline = self.pipelines[index].value
        token = self.emit(ConsumerWaitOp(pipeline, self.iterators[index]), source).result
        types = staged_types(loads)
        block = Block(arg_types=types)
        block.add_op(PipelineYieldOp(*block.args))
        read = self.emit(ConsumerReadOp(pipeline, token, types, Region(block)), source)
        self.advance(index, source)
        for load, tile in zip(stage_order(loads), read.values, strict=True):
            layout = staged_layout(load)
            others: list[TileUse] = []
            for use in find_uses(load.result):
                if is_mma_operand(use, layout):
                    if not self.has_operands:
                        continue
                    value = tile
                    for op in use.chain:
                        value = self.emit(reshaped(op, value), op).results[0]
                    self._operands[use.op, use.operand_index] = value
                    self._tokens[use.op, use.operand_index] = read.result_token
                else:
                    others.append(use)
            if others and self.has_tiles:
                self._copy_out(load.result, tile, load)
        return read.result_token

    def _copy_out(self, value: SSAValue, tile: SSAValue, load: StagedLoad) -> None:
        """
        Copies a tile into registers, once in each layout that it is converted to; reshapes of it
        may stand before the wait for it. One that TMA has rounded is of the rounded type.
        """
        block = load.parent_block()
        rounded = list[Operation]()
        if is_by_tma(load) and is_rounded(load):
            rounded = [use.operation for use in value.uses if is_rounding(use.operation)]
        for op in rounded:
            self._copy_out(op.results[0], self.emit(reshaped(op, tile), op).results[0], load)
        conversions = [
            use.operation
            for use in value.uses
            if isinstance(use.operation, ConvertLayoutOp) and use.operation.parent_block() is block
        ]
        for op in conversions:
            copy = self.emit(CopyOp(tile, result_type=op.results[0].type), op)
            self.values[op.results[0]] = copy.result
            self._emit_view_like_users(op.results[0], block)
        if any(use.operation not in (*conversions, *rounded) for use in value.uses):
            copy = self.emit(CopyOp(tile, result_type=value.type), load)
            self.values[value] = copy.result
            self._emit_view_like_users(value, block)

    def _emit_view_like_users(self, value: SSAValue, block: Block | None) -> None:
        """Emits the reshapes of a tile in registers; they may stand before the wait for it."""
        pending = [*value.uses][::-1]
        while pending:
            op = pending.pop().operation
            if is_view_like(op) and op.parent_block() is block and op.results[0] not in self.values:
                self.emit_op(op)
                pending += [*op.results[0].uses][::-1]

    def _release(self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation) -> None:
        for pipeline, token in stages:
            self.emit(ConsumerReleaseOp(pipeline, token), source)

    def _release_after_readers(
        self, stages: Sequence[tuple[SSAValue, SSAValue]], source: Operation
    ) -> None:
        """Releases stages; those that WGMMAs in flight read, when the last of these is done."""
        for pipeline, token in stages:
            readers = [
                each
                for each in self._pending
                if token
                in (self._tokens.get((dot, index)) for dot in each.dots for index in range(2))
            ]
            if readers:
                readers[-1].releases.append((pipeline, token))
            else:
                self._release([(pipeline, token)], source)

    def _emit_staged_dot(self, op: Operation) -> None:
        """A dot by `mma.sync`, which reads its operands from buffer stages."""
        values = dict(self.values)
        for index, value in enumerate(op.operands):
            if (tile := self._operands.get((op, index))) is not None:
                values[value] = tile
        dot = op.clone(values)
        dot.location = op.location
        STAGED.drop(dot)
        self.emit(dot, op)
        self.values.update(zip(op.results, dot.results, strict=True))

    # WGMMA

    def _issue_wgmma(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        """Issues a WGMMA, without waiting for it."""
        operands = [
            self._operands.get((op, index)) or self.get(value)
            for index, value in enumerate(op.operands)
        ]
        accumulator = None
        if has_one_partial_sum(op):
            accumulator, operands[2] = operands[2], self._zeros(op)
        dots, chained = [op], list[tuple[SSAValue, list[Release]]]()
        if (earlier := self._find_chained(op)) is not None:
            operands[2] = earlier.future
            dots = [*earlier.dots, op]
            chained = [*earlier.chained, (earlier.future, earlier.releases)]
            self._pending.remove(earlier)
        carry = self._carry
        properties = dict(op.properties)
        properties.pop("operandSegmentSizes", None)
        dot = AsyncDotOp(
            operands[0],
            operands[1],
            operands[2],
            operands[3] if op.accumulate is not None else None,
            properties=properties,
        )
        dot.attributes.update(op.attributes)
        self.emit(dot, op)
        if carry is None or op not in carry.dots:
            self._pending.append(WgmmaInFlight(dots, dot.result, releases, chained, accumulator))
            for pipeline, _ in releases:
                # The producer fills the stage of the one before while this one multiplies.
                self._hold_at_most(pipeline, 1)
            return
        carry.accumulators.append(operands[2])
        carry.futures.append(dot.result)
        for pipeline, token in releases:
            carry.pipelines.append(pipeline)
            carry.tokens.append(token)
        if op is not carry.dots[-1]:
            return
        # The WGMMAs of the iteration before are done, which releases their stages.
        for value in carry.accumulators:
            self.emit(AsyncFutureWaitOp(value), op)
        before = self.block.args[len(self.block.args) - len(carry.tokens) :]
        self._release([*zip(carry.pipelines, before)], op)

    def _zeros(self, op: DotOp) -> SSAValue:
        """What a dot adds to whose partial sums are promoted."""
        element = self.emit(arith.ConstantOp(FloatAttr(0.0, f32)), op).result
        return self.emit(SplatOp(element, op.accumulator.type), op).result

    def _issue_tcgen05(self, op: DotOp, releases: list[tuple[SSAValue, SSAValue]]) -> None:
        """
        Issues an MMA by `tcgen05`. Its stages are released at once: on the hardware the MMA itself
        tells the producer when it has read them. Who waits for its result is decided later
        (`tileas-allocate-tensor-memory`).
        """
        operands = [
            self._operands.get((op, index)) or self.get(value)
            for index, value in enumerate(op.operands)
        ]
        dot = self.emit(
            type(op).create(
                operands=operands,
                result_types=[op.result.type],
                properties=op.properties,
                attributes=op.attributes,
            ),
            op,
        )
        dot.result.name_hint = op.result.name_hint
        self.values[op.result] = dot.result
        self._release(releases, op)

    def _find_chained(self, op: Operation) -> WgmmaInFlight | None:
        """
        The last WGMMA in flight, if another adds to its result and nothing else needs it: the
        tensor cores execute them in order, on the same registers.
        """
        last = self._pending[-1] if self._pending else None
        if last is None or not isinstance(op, DotOp) or not is_wgmma(op):
            return None
        is_next = op.accumulator is last.dot.result and len([*last.dot.result.uses]) == 1
        if not is_next or not always_reads_accumulator(op):
            return None
        if any(map(needs_accumulator_promotion, (op, last.dot))):
            return None
        return last

    def _write_operands(self, op: DotOp) -> None:
        """
        Writes operands to their buffers, unless they are there already. WGMMAs that read what was
        in a buffer have to be done.
        """
        for index in range(len(op.operands)):
            buffer = self._buffers.get((op, index))
            if buffer is None:
                continue
            value, contents = op.operands[index], self._contents.get(buffer.slot)
            if contents is None or not contents.is_same(value, buffer, self.block):
                self._wait_for_all([x for x in self._pending if self._reads(x, buffer.slot)])
                copy = CopyOp(self.get(value), buffer.value, result_type=buffer.value.type)
                contents = Contents(value, buffer, self.block, self.emit(copy, op).result)
                self._contents[buffer.slot] = contents
            self._operands[op, index] = contents.written

    def _reads(self, pending: WgmmaInFlight, slot: int) -> bool:
        buffers = [
            self._buffers.get((dot, index)) for dot in pending.dots for index in (A_INDEX, B_INDEX)
        ]
        return any(buffer is not None and buffer.slot == slot for buffer in buffers)

    def _emit_for(self, op: scf.ForOp) -> None:
        """
        A loop whose WGMMAs may be in flight across iterations. They hold their buffer stages until
        the next ones are issued, whose tiles need other stages. Where threads have made operands A,
        those of the next iteration need other registers: two iterations are one, and a loop for the
        last one of an odd number follows.
        """
        dots = find_carried_wgmmas(op)
        # The pipelines that have a stage which one of the dots is the last to read.
        read = [
            pipeline
            for dot in dots
            for pipeline in self.pipelines
            for loads in pipeline.load_groups
            if loads[0].parent_block() is dot.parent_block() and live_range(loads)[1] is dot
        ]
        if not dots or any(each.stages < 2 * read.count(each) for each in read):
            super()._emit_for(op)
            return
        is_unrolled = any(map(is_made_earlier, dots))
        if is_unrolled and not is_worth_unrolling(op, dots):
            super()._emit_for(op)
            return
        body, pipelines = op.body.block, self._pipelines_in(op)
        indices = [body.args.index(dot.accumulator) - 1 for dot in dots]
        bounds, rest = LoopBounds(*map(self.get, (op.lb, op.ub, op.step))), None
        if is_unrolled:
            bounds, rest = self._split_bounds(op, bounds)
        carried = [*map(self.get, op.iter_args)]
        for index in indices:
            carried[index] = self.emit(ToAsyncOp(carried[index]), op).result
        carried += self._iterators_of(pipelines)
        carried += [self.emit(CreateNullTokenOp(CONSUMER_TOKEN), op).result for _ in read]
        outer = self._carry
        carry = self._carry = CarriedWgmmas(dots)
        block = self._emit_region(body, body.args, [body.args[0], *carried], pipelines)
        self._carry = outer
        yields = [*map(self.get, last_of(body).operands)]
        for index, future in zip(indices, carry.futures, strict=True):
            yields[index] = future
        yields += self._iterators_of(pipelines)
        block.add_op(scf.YieldOp(*yields, *carry.tokens))
        if is_unrolled:
            unroll_by_two(block, self.get(op.lb), self.get(op.step))
        loop = scf.ForOp(bounds.lower, bounds.upper, bounds.step, carried, Region(block))
        self._replace(op, loop, range(len(op.iter_args)), pipelines)
        for index in indices:
            done = self.emit(AsyncFutureWaitOp(loop.results[index]), op).result
            done.name_hint = op.results[index].name_hint
            self.values[op.results[index]] = done
        last = loop.results[len(loop.results) - len(read) :]
        self._release([*zip(carry.pipelines, last, strict=True)], op)
        if rest is None:
            return
        for each in body.ops:
            for result in each.results:
                self.values.pop(result, None)
        self._emit_loop(op, rest, [*map(self.get, op.results)])

    def _split_bounds(self, op: scf.ForOp, bounds: LoopBounds) -> tuple[LoopBounds, LoopBounds]:
        """
        The bounds of a loop that counts pairs of iterations of another one, and of one for the last
        of an odd number.
        """
        lower, upper, step = bounds
        ty = lower.type
        assert isinstance(ty, IntegerType | IndexType)

        def number(value: int) -> SSAValue:
            return emit(arith.ConstantOp(IntegerAttr(value, ty)))

        def emit(made: Operation) -> SSAValue:
            return self.emit(made, op).results[0]

        zero, one = number(0), number(1)
        length = emit(arith.SubiOp(emit(arith.SubiOp(upper, lower)), one))
        # As unsigned numbers, none of these is too large for its type.
        count = emit(arith.AddiOp(emit(arith.DivUIOp(length, step)), one))
        count = emit(SelectOp(emit(CmpiOp(lower, upper, "slt")), count, zero))
        pairs = emit(arith.ShRUIOp(count, one))
        even = emit(arith.AddiOp(pairs, pairs))
        last = emit(arith.AddiOp(lower, emit(arith.MuliOp(even, step))))
        end = emit(SelectOp(emit(CmpiOp(even, count, "eq")), last, upper))
        return LoopBounds(zero, pairs, one), LoopBounds(last, end, step)

    def _wait_for_operands(self, op: Operation, overwritten: dict[Operation, set[DotOp]]) -> None:
        """
        Waits for the WGMMAs whose result an op uses, or whose operand registers it overwrites.
        Loops and branches wait for all of them, because WGMMAs in flight are tracked by block,
        unless there is nothing but barriers in them; reductions and scans for all but the youngest
        ones that stay in flight.
        """
        used = {operand for each in walk(op) for operand in each.operands}
        chained = self._find_chained(op)
        waits_for = len(self._pending)
        if isinstance(op, AggregateOperation):
            waits_for -= self._stays_in_flight()
        elif not op.regions or only_meets(op):
            waits_for = 0
        needed = [
            each
            for place, each in enumerate(self._pending)
            if place < waits_for
            or (each.dot.result in used and each is not chained)
            or not overwritten.get(op, set[DotOp]()).isdisjoint(each.dots)
        ]
        self._wait_for_all(needed)
        if isinstance(op, AggregateOperation):
            for each in self._pending:
                each.is_delayed = True

    def _stays_in_flight(self) -> int:
        """How many WGMMAs stay in flight while threads reduce or scan other tiles."""
        return 0

    def _wait_for_all(self, needed: Sequence[WgmmaInFlight]) -> None:
        """Waits for some WGMMAs in flight, and those that were issued before them."""
        if needed:
            last = self._pending.index(needed[-1])
            for each in self._pending[: last + 1]:
                self._wait(each)

    def _hold_at_most(self, pipeline: SSAValue, count: int) -> None:
        """
        Waits for the oldest WGMMAs in flight, until they have released all but this many stages of
        a pipeline. There are more if successive load groups share it.
        """
        while sum(each.count_held(pipeline) for each in self._pending) > count:
            oldest = self._pending[0]
            if not oldest.chained:
                self._wait(oldest)
                continue
            future, releases = oldest.chained.pop(0)
            self.emit(AsyncFutureWaitOp(future), oldest.dot)
            self._release(releases, oldest.dot)

    def _wait(self, pending: WgmmaInFlight) -> None:
        self._is_issuing = False
        if pending.is_delayed and not self._is_ordered(pending):
            # ptxas would move the wait above the work that was to be done meanwhile.
            self.emit(SchedBarrierOp(), pending.dot)
        for future, _ in pending.chained:
            self.emit(AsyncFutureWaitOp(future), pending.dot)
        result = self.emit(AsyncFutureWaitOp(pending.future), pending.dot).result
        result.name_hint = pending.dot.result.name_hint
        self._is_done(pending)
        for _, releases in pending.chained:
            self._release(releases, pending.dot)
        self._release(pending.releases, pending.dot)
        if pending.accumulator is not None:
            result = self.emit(AddFOp(pending.accumulator, result), pending.dot).result
            result.name_hint = pending.dot.result.name_hint
        self.values[pending.dot.result] = result
        self._pending.remove(pending)

    def _is_ordered(self, pending: WgmmaInFlight) -> bool:
        """Whether the wait for a WGMMA is where it should be without a scheduling barrier."""
        return False

    def _is_done(self, pending: WgmmaInFlight) -> None:
        """After threads have waited for a WGMMA."""

    @staticmethod
    def _find_overwritten_operands(ops: Sequence[Operation]) -> dict[Operation, set[DotOp]]:
        """
        For ops whose results a loop carries into the registers of an operand A: the WGMMAs that
        read these registers, and have to be done before.
        """
        if not ops or not isinstance(loop := ops[0].parent_op(), scf.ForOp):
            return {}
        body = loop.body.block
        found: dict[Operation, set[DotOp]] = {}
        for argument, value in zip(body.args[1:], last_of(body).operands, strict=True):
            for use in find_uses(argument):
                dot = use.op
                if (
                    isinstance(dot, DotOp)
                    and use.operand_index == 0
                    and isinstance(value.owner, Operation)
                ):
                    found.setdefault(value.owner, set()).add(dot)
        return found
