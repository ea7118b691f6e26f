"""
Who waits for whom around dots by `tcgen05`.

MMAs run while threads go on, and read their operands as late as they write their result. So

- threads wait for an MMA before they read its result, or overwrite an operand of it, in tensor
  memory or in shared memory (`commit_dots`, `wait_dots`);
- an MMA waits for threads that have written an operand of it to tensor memory, or have accessed
  what it overwrites (`tensor_memory_fence`, then a barrier);
- an MMA that overwrites what another one reads, or reads what another one writes, or adds to an
  accumulator of another shape or by another kind of MMA, waits for it: only those of one kind on
  the same accumulator are in order;
- the MMA of a pair of CTAs waits for scales that threads of both have written to shared memory
  (`fence_proxy`, then a barrier of both);
- threads that have waited for an MMA wait for each other before the next one is issued;
- warps that access columns otherwise than others did before wait for these, if there is more than
  one warpgroup: a warp of four reaches lanes that no other one does.

A kernel is followed in the order of its threads. A loop begins with what is in flight before it, or
where an iteration ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import AGENTS, PAIR, PAIR_BARRIER
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, ConsumerReadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, FenceProxyOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    CommitDotsOp,
    TensorMemoryFenceOp,
    TensorMemoryLoadOp,
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
    TensorMemoryWrite,
    WaitDotsOp,
)
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.transforms.common.scaled_dots import types_of
from tileiras_xdsl.xdsl_extras.walking import last_of, parents, walk

from .tensor_memory_webs import Webs, buffer_of, columns_of, is_in_tensor_memory

FIRST_CARRIED: Final = 3
"""Operands of `scf.for` before what it carries: the bounds and the step."""


@dataclass(frozen=True)
class Columns:
    """Columns of tensor memory, with a tile in them."""

    first: int
    end: int
    ty: Attribute

    def overlaps(self, other: Columns) -> bool:
        """Whether they have columns in common."""
        return self.first < other.end and other.first < self.end


@dataclass(frozen=True)
class Issued:
    """An MMA that threads have not waited for."""

    dot: DotOp
    writes: Columns
    reads: tuple[Columns, ...]
    buffers: frozenset[SSAValue | int]
    """Buffers in shared memory, or their slots."""
    kind: object
    """What MMAs of one accumulator have in common that the hardware takes in turn."""
    is_earlier: bool = False
    """Whether it was issued in another block, or an earlier iteration."""


@dataclass
class InFlight:
    """What MMAs and threads may be doing at a point of a kernel."""

    issued: list[Issued] = field(default_factory=list[Issued])
    """In the order in which they were issued."""
    read: list[Columns] = field(default_factory=list[Columns])
    written: list[Columns] = field(default_factory=list[Columns])
    """By threads, since they last waited for each other."""
    has_waited: bool = False
    """
    Whether threads have waited for MMAs since they last waited for each other. Some may not have
    seen yet that these are complete, and would miss it if another phase of the mbarrier were
    complete by then.
    """

    @property
    def needs_barrier(self) -> bool:
        """Whether threads may be at different points."""
        return self.has_waited or bool(self.read) or bool(self.written)

    def copy(self) -> InFlight:
        """The same, for a path of its own."""
        return InFlight([*self.issued], [*self.read], [*self.written], self.has_waited)

    def joined(self, other: InFlight) -> InFlight:
        """Where two paths meet."""
        return InFlight(
            list(dict.fromkeys([*self.issued, *other.issued])),
            list(dict.fromkeys([*self.read, *other.read])),
            list(dict.fromkeys([*self.written, *other.written])),
            self.has_waited or other.has_waited,
        )

    def settle(self) -> None:
        """In another block, commits can no longer follow an MMA directly."""
        self.issued = list(dict.fromkeys(replace(each, is_earlier=True) for each in self.issued))

    def covers(self, other: InFlight) -> bool:
        """Whether all that another state has is here, too."""
        return (
            {*other.issued} <= {*self.issued}
            and {*other.read} <= {*self.read}
            and {*other.written} <= {*self.written}
            and self.has_waited >= other.has_waited
        )


class DotWaits:
    """Inserts the waits of a kernel whose tiles have columns."""

    def __init__(self, function: FuncOp, webs: Webs):
        self.function = function
        self.webs = webs
        self.state = InFlight()
        self._is_trying = False
        self._is_pair = PAIR.is_on(function)
        self._warps = get_warps(function)

    def insert(self) -> None:
        """Inserts what is missing."""
        for region in self.function.regions:
            for block in region.blocks:
                self._follow(block)

    def _columns(self, value: SSAValue) -> Columns:
        web = self.webs.of(value)
        return Columns(web.column, web.column + columns_of(value), value.type)

    # Control flow

    def _follow(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case AgentSwitchOp():
                    self._follow_agents(op)
                case scf.ForOp() | scf.WhileOp():
                    self._follow_loop(op)
                case scf.IfOp():
                    self._follow_branches(op)
                case DotOp() if is_tcgen05(op):
                    self._visit_dot(op)
                case TensorMemoryLoadOp():
                    self._visit_load(op)
                case TensorMemoryStoreOp() | TensorMemoryScaleOp():
                    self._visit_store(op)
                case CopyOp() if op.destination is not None:
                    self._visit_copy(op)
                case _:
                    pass

    def _follow_agents(self, op: AgentSwitchOp) -> None:
        if AGENTS.is_on(op):
            # An MMA agent and threads hand tiles to each other by pipelines; tensor memory is given
            # back when all threads are done.
            (consumer,) = (x for x in op.agents if any(map(touches, walk_region(x.block))))
            self._separate_slices(consumer.block)
            self._synchronize(last_of(consumer.block))
            return
        for region in op.agents:
            if not any(map(is_tcgen05, walk_region(region.block))):
                continue
            self.state = InFlight()
            self._follow(region.block)
            last = last_of(region.block)
            if self.state.issued:
                self._wait(last, self.state.issued[-1])
            # Tensor memory is given back after that.
            self._synchronize(last)

    def _separate_slices(self, block: Block) -> None:
        """Threads divide slices otherwise than the tile that they have written, or will write."""
        ops = walk_region(block)
        loads = [op for op in ops if isinstance(op, TensorMemoryLoadOp) and op.column is not None]
        for op in ops:
            if isinstance(op, TensorMemoryWrite) and self._may_overwrite(op, loads, ops):
                self._synchronize(op)
        for op in ops:
            if not isinstance(op, TensorMemoryWrite) or not (loads := find_slices(op.result)):
                continue
            is_rare = isinstance(op.parent_op(), scf.IfOp) and op.next_op is not None
            after = op.next_op if is_rare else first_of(loads, block)
            assert after is not None
            self._synchronize(after)

    def _may_overwrite(
        self, op: TensorMemoryWrite, loads: Sequence[TensorMemoryLoadOp], ops: Sequence[Operation]
    ) -> bool:
        """
        Whether threads write where others may still read slices. An MMA agent that hands them what
        they write to has waited for these.
        """
        if isinstance(op.destination.owner, ConsumerReadOp):
            return False
        web = self.webs.of(op.result)
        return any(
            self.webs.of(load.source) is web
            and (ops.index(load) < ops.index(op) or have_common_loop(load, op))
            for load in loads
        )

    def _follow_loop(self, op: Operation) -> None:
        blocks = [block for region in op.regions for block in region.blocks]
        if not any(is_tcgen05(each) or touches(each) for each in walk(op)):
            return
        if self.state.needs_barrier:
            # Once before the loop, instead of in each iteration.
            self._synchronize(op)
        entry = self.state.copy()
        entry.settle()
        was_trying, self._is_trying = self._is_trying, True
        # What is in flight where an iteration begins only grows, and is finite.
        self._follow_body(blocks, entry)
        while not entry.covers(self.state):
            entry = entry.joined(self.state)
            self._follow_body(blocks, entry)
        self._is_trying = was_trying
        self._follow_body(blocks, entry)
        self.state = entry.joined(self.state)

    def _follow_body(self, blocks: Sequence[Block], entry: InFlight) -> None:
        self.state = entry.copy()
        for block in blocks:
            self._follow(block)
            self.state.settle()

    def _follow_branches(self, op: scf.IfOp) -> None:
        before = self.state
        before.settle()
        ends: list[InFlight] = []
        for region in op.regions:
            self.state = before.copy()
            for block in region.blocks:
                self._follow(block)
            self.state.settle()
            ends.append(self.state)
        self.state = ends[0].joined(ends[-1]) if ends else before

    # Ops

    def _visit_load(self, op: TensorMemoryLoadOp) -> None:
        columns = self._columns(op.source)
        if op.column is not None:
            # Threads divide a slice otherwise than the whole tile.
            columns = replace(columns, ty=op.result.type)
        self._wait_for(op, lambda each: each.writes.overlaps(columns))
        self._separate(op, columns, [*self.state.written])
        self.state.read.append(columns)

    def _visit_store(self, op: TensorMemoryWrite) -> None:
        columns = self._columns(op.result)
        self._wait_for(
            op, lambda each: any(x.overlaps(columns) for x in (each.writes, *each.reads))
        )
        self._separate(op, columns, [*self.state.read, *self.state.written])
        self.state.written.append(columns)

    def _separate(self, op: Operation, columns: Columns, others: Sequence[Columns]) -> None:
        """
        Other warps may have accessed the same columns for a tile of another layout. Those of one
        warpgroup cannot: each has lanes of its own, and waits for its accesses where they are.
        """
        if self._warps > WARPGROUP_WARPS and any(
            x.overlaps(columns) and x.ty != columns.ty for x in others
        ):
            self._synchronize(op)

    def _visit_copy(self, op: CopyOp) -> None:
        key = buffer_of(op.destination)
        if key is not None:
            self._wait_for(op, lambda each: key in each.buffers)

    def _visit_dot(self, op: DotOp) -> None:
        writes = self._columns(op.result)
        reads = tuple(self._columns(x) for x in op.operands[:2] if is_in_tensor_memory(x))
        kind = kind_of_operands(op)

        def collides(each: Issued) -> bool:
            is_same = each.writes == writes and each.kind == kind
            return (
                (each.writes.overlaps(writes) and not is_same)
                or any(x.overlaps(writes) for x in each.reads)
                or any(x.overlaps(each.writes) for x in reads)
            )

        self._wait_for(op, collides)
        state = self.state
        touched = [*state.read, *state.written]
        is_touched = any(x.overlaps(writes) for x in touched)
        is_written = any(x.overlaps(y) for x in state.written for y in reads)
        scales = op.scales if isinstance(op, ScaledDotOp) else ()
        is_published = self._is_pair and bool(scales)
        if is_touched or is_written or state.has_waited or is_published:
            self._synchronize(op, publishes=is_published)
        keys = (buffer_of(value) for value in (op.a, op.b, *scales))
        buffers = frozenset(key for key in keys if key is not None)
        self.state.issued.append(Issued(op, writes, reads, buffers, kind))

    # Waits

    def _wait_for(self, op: Operation, collides: Callable[[Issued], bool]) -> None:
        found = [each for each in self.state.issued if collides(each)]
        if found:
            self._wait(op, found[-1])

    def _wait(self, op: Operation, last: Issued) -> None:
        """Threads wait, before an op, for an MMA and all that were issued before it."""
        issued = self.state.issued
        is_here = not last.is_earlier and last.dot.parent_block() is op.parent_block()
        if not is_here and self.state.has_waited:
            # No dot is between, on a path, which threads would meet before: the same commit may
            # follow itself, as in a loop around a loop that has no iterations.
            self._synchronize(op)
        if not self._is_trying:
            commit = CommitDotsOp()
            commit.location = last.dot.location
            point = InsertPoint.after(last.dot) if is_here else InsertPoint.before(op)
            Rewriter.insert_op(commit, point)
            self._insert_before(op, WaitDotsOp(commit.result))
        self.state.issued = issued[issued.index(last) + 1 :] if is_here else []
        self.state.has_waited = True

    def _synchronize(self, op: Operation, *, publishes: bool = False) -> None:
        """
        Accesses of all threads to tensor memory are done before an op, and MMAs see what these
        have written to shared memory.
        """
        if not self._is_trying:
            if publishes:
                self._insert_before(op, FenceProxyOp(shared=True))
            self._insert_before(op, TensorMemoryFenceOp())
            barrier = BarrierOp()
            if self._is_pair:
                PAIR_BARRIER.set(barrier, UnitAttr())
            self._insert_before(op, barrier)
        self.state.read.clear()
        self.state.written.clear()
        self.state.has_waited = False

    @staticmethod
    def _insert_before(op: Operation, wait: Operation) -> None:
        wait.location = op.location
        Rewriter.insert_op(wait, InsertPoint.before(op))


def kind_of_operands(op: DotOp) -> object:
    """
    What the kind of an MMA depends on: the size of its operands, and whether they are floats, or
    their types and those of scales.
    """
    if isinstance(op, ScaledDotOp):
        kind = types_of(op).kind
        return None if kind is None else kind.name
    element = get_element(op.a.type)
    return memory_bits(element), is_float(element)


def walk_region(block: Block) -> list[Operation]:
    """The ops of a block, with those in them."""
    return [each for op in block.ops for each in walk(op)]


def touches(op: Operation) -> bool:
    """Whether threads access tensor memory in an op."""
    return isinstance(op, TensorMemoryLoadOp | TensorMemoryWrite)


def have_common_loop(first: Operation, second: Operation) -> bool:
    """Whether two ops are in a loop, so that each may come after the other."""
    return any(
        isinstance(around, scf.ForOp | scf.WhileOp) and around.is_ancestor(second)
        for around in parents(first)
    )


def find_slices(value: SSAValue) -> list[Operation]:
    """The loads of slices of a tile, also behind branches and loops that pass it on."""
    found: list[Operation] = []
    pending, seen = [value], set[SSAValue]()
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        for use in each.uses:
            user, index = use.operation, use.index
            parent = user.parent_op()
            match user:
                case TensorMemoryLoadOp() if user.column is not None:
                    found.append(user)
                case scf.YieldOp() if isinstance(parent, scf.IfOp | scf.ForOp):
                    pending.append(parent.results[index])
                    if isinstance(parent, scf.ForOp):
                        pending.append(parent.body.block.args[index + 1])
                case scf.ForOp() if index >= FIRST_CARRIED:
                    pending.append(user.results[index - FIRST_CARRIED])
                    pending.append(user.body.block.args[index - FIRST_CARRIED + 1])
                case _:
                    pass
    return found


def first_of(ops: Sequence[Operation], block: Block) -> Operation:
    """The first of some ops of a block, or in ops of it."""
    inside = set(ops)
    return next(op for op in walk_region(block) if op in inside)
