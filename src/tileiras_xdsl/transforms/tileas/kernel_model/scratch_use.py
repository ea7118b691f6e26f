"""
Liveness of scratch memory, as the passes that allocate it and that insert barriers follow it.

Memory that threads have accessed since the last barrier is busy: writing it again takes a barrier
first. Bulk copies to global memory are in flight, then have read their source, then have written
their target. Waiting for the read says nothing about the write.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import ClassVar, Final

from xdsl.dialects import gpu, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.decisions import WARPGROUP_ORDER
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, MemoryFenceAliasOp, PrintOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_ATOMS, TMA_STORES, has_atom, is_async_mma
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AGENTS,
    WARP_RELEASE,
    WARPGROUP_STORE,
    find_stage_read,
    get_slot,
    is_released_by_warps,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    ConsumerReadOp,
    CreatePipelineOp,
    PipelineYieldOp,
    StageBufferOp,
)
from tileiras_xdsl.dialects.nv_tileas.profiling import ProfileOperation
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BarrierOp,
    FenceProxyOp,
    WaitCopiesOp,
    is_on_heap,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .exchanges import HEAP_POINTER_BYTES, Exchange, KernelModel, may_exchange
from .tma_stores import TmaAccess

Range = tuple[int, int]
"""Begin and end of some bytes."""

MAX_TRIES: Final = 4
"""How often the body of a loop is followed to find what is in use where it begins."""


def _overlap(first: Range, second: Range) -> bool:
    return first[0] < second[1] and second[0] < first[1]


@dataclass
class ScratchUse:
    """Scratch memory that may be in use at a point of a kernel."""

    busy: list[Range] = field(default_factory=list[Range])
    """Accessed by threads since the last barrier."""
    is_unknown: bool = False
    """Whether threads may have accessed any of it."""
    copied: list[Range] = field(default_factory=list[Range])
    """Read by bulk copies since threads last waited for them."""
    may_be_copied: bool = False
    """Whether bulk copies may be reading any of it."""
    may_be_writing: bool = False
    """Whether bulk copies in flight may not have written global memory yet."""
    is_written: bool = False
    """Whether the issuing threads know that they have; others know after a barrier."""
    unfenced: list[Range] = field(default_factory=list[Range])
    """Operands of WGMMA that threads have written without a proxy fence after that."""
    fenced: list[Range] = field(default_factory=list[Range])
    """Those with a proxy fence, but without a barrier after it."""
    in_flight: dict[SSAValue, list[Range]] = field(default_factory=dict[SSAValue, "list[Range]"])
    """What WGMMAs read that threads have not waited for."""
    is_ordered: bool = False
    """Whether threads have accessed no global memory since the last barrier of this block."""
    is_quiet: bool = False
    """Whether they have accessed no memory at all since, but for what they exchanged."""

    @property
    def has_copies(self) -> bool:
        """Whether bulk copies may be reading scratch memory."""
        return self.may_be_copied or bool(self.copied)

    def is_free(self, buffer: Range) -> bool:
        """Whether a buffer is certainly not in use."""
        if self.is_unknown or self.may_be_copied:
            return False
        return not any(map(partial(_overlap, buffer), (*self.busy, *self.copied)))

    def may_be_accessed(self, buffer: Range) -> bool:
        """Whether threads may be accessing a buffer, which no bulk copy does."""
        return self.is_unknown or any(map(partial(_overlap, buffer), self.busy))

    def wait_for_threads(self) -> None:
        """After a CTA barrier."""
        self.busy.clear()
        self.fenced.clear()
        self.is_unknown = False
        self.is_ordered = self.is_quiet = True
        if self.is_written:
            self.may_be_writing = self.is_written = False

    def fence(self) -> None:
        """After a proxy fence of all threads, each for what it wrote itself."""
        self.fenced += self.unfenced
        self.unfenced.clear()

    def wait_for_copies(self, *, written: bool = False) -> None:
        """
        After a wait of the issuing threads: bulk copies have read their source, or have written
        their target as well. For all others memory is in use up to the next barrier.
        """
        self.busy += self.copied
        self.copied.clear()
        self.is_unknown |= self.may_be_copied
        self.may_be_copied = False
        self.is_written |= written

    def exchange(self, exchange: Exchange, buffers: Sequence[Range]) -> None:
        """Threads have written buffers, synchronized, and read them."""
        match exchange.sync:
            case "warp":
                self.is_ordered = self.is_quiet = False
            case "threads":
                self.wait_for_threads()
            case "copies":
                self.wait_for_threads()
                self.copied += buffers
                self.may_be_writing = True
                self.is_written = False
        self.busy += buffers

    def copied_state(self) -> ScratchUse:
        """The same, for a path of its own."""
        return replace(
            self,
            busy=[*self.busy],
            copied=[*self.copied],
            unfenced=[*self.unfenced],
            fenced=[*self.fenced],
            in_flight=dict(self.in_flight),
        )

    def joined(self, other: ScratchUse) -> ScratchUse:
        """
        What threads may be accessing where two paths meet; neither has bulk copies or WGMMAs.
        """
        return ScratchUse(
            busy=list(dict.fromkeys([*self.busy, *other.busy])),
            is_unknown=self.is_unknown or other.is_unknown,
        )

    def covers(self, other: ScratchUse) -> bool:
        """Whether all that threads may be accessing in another state is in use here, too."""
        return self.is_unknown or (not other.is_unknown and {*other.busy} <= {*self.busy})


# Where threads wait


KEEPING: Final = (AllocaOp, AllocTensorOp, CreatePipelineOp)
"""Ops whose memory is live to the end of a kernel."""


@cache
def is_inert(kind: type[Operation]) -> bool:
    """Whether ops of a class neither access memory nor exchange anything, as most ops."""
    others = (*KEEPING, CopyOp, PipelineYieldOp, AsyncDotOp, AsyncFutureWaitOp)
    is_user = may_exchange(kind) or issubclass(kind, others)
    return kind.has_trait(Pure) and not is_user


class SharedMemoryWalk(ABC):
    """
    Walks through a kernel in the order of its threads, and knows where they have to wait.
    Subclasses say where buffers are, and are told of each wait.
    """

    is_exact: ClassVar = False
    """Whether buffers have their places already, so that paths can be followed several times."""

    def __init__(self, model: KernelModel):
        self.model = model
        self.state: ScratchUse = ScratchUse()
        self.ops = [op for op in walk(model.function) if not is_inert(type(op))]
        """All ops that may matter."""
        self.uses_tma = any(has_atom(op, *TMA_ATOMS) for op in self.ops)
        self.has_warpgroup_stores = WARPGROUP_STORE.is_on(model.function)
        self._operand_buffers: dict[SSAValue | int, int] = {}
        """The buffers or slots of operands that threads write, numbered."""
        pipelines = find_all(model.function, CreatePipelineOp)
        self.has_pipelines = bool(pipelines)
        self.has_joint_releases = not (
            all(map(WARP_RELEASE.is_on, pipelines)) or any(map(AGENTS.is_on, self.ops))
        )
        """Whether one thread releases a buffer stage for other warps, too."""
        self._is_plain = self.is_exact and not (
            self.uses_tma or self.has_pipelines or any(map(is_async_mma, self.ops))
        )
        """Whether loops and branches are followed path by path: there are threads only."""
        self._is_trying = False
        """Whether a path is followed to see where it leads, and nothing is inserted."""

    @abstractmethod
    def assign_buffers(
        self, op: Operation, buffer_index: int, exchange: Exchange
    ) -> Sequence[Range]:
        """The buffers of an exchange of an op, which starts at the given one of its buffers."""

    def insert(self, op: Operation, waits: Sequence[Operation], *, after: bool = False) -> None:
        """Inserts waits before an op, or after it."""

    def wait_inside(self, op: Operation, buffer_index: int, wait: str) -> None:
        """Threads wait within an op, before they write a buffer."""

    def drop(self, op: gpu.BarrierOp) -> None:
        """Removes a barrier that orders nothing."""

    def _drop(self, op: gpu.BarrierOp) -> None:
        if not self._is_trying:
            self.drop(op)

    def run(self) -> None:
        """Walks through the kernel."""
        for op in self.ops:
            if isinstance(op, AllocaOp) and is_on_heap(op):
                self._exchange(op, 0, Exchange((HEAP_POINTER_BYTES,)))
        if self.uses_tma and not self.state.is_free((0, 1)):
            # Before tensor maps are built in scratch memory.
            self.state.wait_for_threads()
        self._follow(self.model.function.body.block)

    def _follow(self, block: Block) -> None:
        for op in tuple(block.ops):
            if isinstance(op, ConsumerReadOp) and not walks_memory(op):
                continue
            if self._is_plain and isinstance(op, scf.ForOp):
                self._follow_loop(op)
            elif self._is_plain and isinstance(op, scf.IfOp):
                self._follow_branches(op)
            elif op.regions and not isinstance(op, AggregateOperation):
                self._publish(op, self.state.unfenced or self.state.fenced)
                for region in op.regions:
                    for inner in region.blocks:
                        with self._entered(op, is_agent=isinstance(op, AgentSwitchOp)):
                            self._follow(inner)
            elif not is_inert(type(op)):
                self._visit(op)
            # Whoever writes and reads a tile there.
            if any(get_memory(value.type) == "shared" for value in (*op.operands, *op.results)):
                self.state.is_quiet = False

    def _follow_branches(self, op: scf.IfOp) -> None:
        """A branch begins with what is in use before it; after it, either may have been taken."""
        before = self.state
        ends: list[ScratchUse] = []
        for region in op.regions:
            self.state = before.joined(before)
            for block in region.blocks:
                self._follow(block)
            ends.append(self.state)
        self.state = ends[0].joined(ends[-1])

    def _follow_loop(self, loop: scf.ForOp) -> None:
        """
        An iteration begins with what is in use before the loop, or where an iteration ends. What
        that is depends on the barriers of an iteration, so it is followed without inserting any,
        until nothing is added.
        """
        before = self.state
        entry = before.joined(before)
        was_trying, self._is_trying = self._is_trying, True
        for _ in range(MAX_TRIES):
            self.state = entry.copied_state()
            self._follow(loop.body.block)
            if entry.covers(self.state):
                break
            entry = entry.joined(self.state)
        else:
            entry.is_unknown = True
        self._is_trying = was_trying
        self.state = entry.copied_state()
        self._follow(loop.body.block)
        self.state = before.joined(self.state)

    @contextmanager
    def _entered(self, op: Operation, *, is_agent: bool = False) -> Generator[None]:
        """
        A loop or a branch: what is in use where it begins, and after it, depends on the path
        taken. An agent begins after a barrier.
        """
        state = self.state
        had_copies, was_writing = state.has_copies, state.may_be_writing
        state.is_unknown = not is_agent
        state.is_ordered = state.is_quiet = False
        if not is_agent and any(has_atom(each, *TMA_STORES) for each in walk(op)):
            state.may_be_copied = state.may_be_writing = True
        state.may_be_copied |= had_copies
        yield
        # Paths that are followed one by one have states of their own.
        state = self.state
        state.is_unknown = True
        state.is_ordered = state.is_quiet = False
        state.may_be_copied = had_copies or state.has_copies
        state.may_be_writing |= was_writing

    def _visit(self, op: Operation) -> None:
        state, effects = self.state, own_effects(op)
        match op:
            case gpu.BarrierOp():
                if self._is_plain and state.is_quiet:
                    self._drop(op)
                    return
                self._wait(op, self._visibility())
                state.wait_for_threads()
                return
            case BarrierOp():
                state.wait_for_threads()
                return
            case WaitCopiesOp():
                state.wait_for_copies(written=op.written is not None)
                return
            case FenceProxyOp():
                state.fence()
                return
            case ProfileOperation():
                # Nobody waits for what it writes.
                return
            case CopyOp() if has_stage(op):
                # The agents wait for each other.
                return
            case CopyOp() if (buffer := self._find_operand(op.destination)) is not None:
                self._write_operand(op, buffer)
                return
            case AsyncDotOp() | DotOp() if is_async_mma(op):
                self._read_operands(op)
                return
            case AsyncFutureWaitOp():
                state.busy += state.in_flight.pop(op.source, [])
                return
            case MemoryFenceAliasOp():
                self._wait(op, [*self._visibility(), BarrierOp()])
            case gpu.ReturnOp():
                self._wait(op, self._copies())
            case PipelineYieldOp() if ends_work_on_tiles(op):
                self._wait(op, self._copies())
            case _ if effects & Effect.RELEASE:
                self._order(op)
            case _ if WARPGROUP_ORDER.is_on(op) and WARPGROUP_STORE.is_on(op):
                # Bulk copies of the same threads, of the same parts of tiles.
                self._wait(op, [WaitCopiesOp(written=True)])
            case _:
                pass
        if effects:
            state.is_ordered = False
        state.is_quiet = False
        self._exchange_all(op)
        if effects & Effect.ACQUIRE:
            self._order(op, after=True)
        if isinstance(op, CopyOp) and self.has_joint_releases and is_released_jointly(op):
            # One thread releases a buffer stage for all that read it.
            self._wait(op, [BarrierOp()], after=True)

    # Operands of WGMMA that threads write

    def _find_operand(self, value: SSAValue | None) -> Range | None:
        """The buffer of an operand, as a range that no scratch memory has; None if it has none."""
        if value is not None and isinstance(copy := value.owner, CopyOp):
            value = copy.destination
        if value is None or not isinstance(value.owner, AllocTensorOp):
            return None
        if get_memory(value.type) != "shared":
            return None
        slot = get_slot(value.owner)
        key = value if slot is None else slot
        number = self._operand_buffers.setdefault(key, len(self._operand_buffers))
        return -2 * number - 2, -2 * number - 1

    def _write_operand(self, op: CopyOp, buffer: Range) -> None:
        state = self.state
        if any(buffer in ranges for ranges in state.in_flight.values()):
            fail(op, "a WGMMA in flight may still be reading this buffer")
        if state.may_be_accessed(buffer):
            self._wait(op, [BarrierOp()])
        state.busy.append(buffer)
        state.unfenced.append(buffer)

    def _read_operands(self, op: AsyncDotOp | DotOp) -> None:
        """
        A WGMMA reads shared memory by the asynchronous proxy: each thread fences what it wrote,
        then all of them wait for each other.
        """
        scales = op.scales if isinstance(op, ScaledDotOp) else ()
        buffers = [*filter(None, map(self._find_operand, (op.a, op.b, *scales)))]
        unpublished = {*self.state.unfenced, *self.state.fenced}
        self._publish(op, [*filter(unpublished.__contains__, buffers)])
        if isinstance(op, AsyncDotOp):
            self.state.in_flight[op.result] = buffers
        else:
            self.state.busy += buffers

    def _publish(self, op: Operation, buffers: Sequence[Range]) -> None:
        """Before an op, WGMMAs of all threads see what was written to some buffers."""
        if any(each in self.state.unfenced for each in buffers):
            self._wait(op, [FenceProxyOp(shared=True), BarrierOp()])
        elif buffers:
            self._wait(op, [BarrierOp()])

    def _exchange_all(self, op: Operation) -> None:
        exchanges = self.model.exchanges(op)
        if not exchanges:
            return
        buffer_index = 0
        if isinstance(op, TmaAccess) and self.model.is_conditional(op):
            with self._entered(op):
                for exchange in exchanges:
                    self._exchange(op, buffer_index, exchange, is_inside=True)
                    buffer_index += len(exchange.sizes)
            return
        for exchange in exchanges:
            self._exchange(op, buffer_index, exchange, is_inside=buffer_index > 0)
            buffer_index += len(exchange.sizes)
        if isinstance(op, PrintOp):
            self.state.is_unknown = True
        if isinstance(op, PrintOp | TmaAccess):
            # What they do follows their exchange.
            self.state.is_ordered = self.state.is_quiet = False

    def _exchange(
        self, op: Operation, buffer_index: int, exchange: Exchange, *, is_inside: bool = False
    ) -> None:
        buffers = self.assign_buffers(op, buffer_index, exchange)
        if not all(map(self.state.is_free, buffers)):
            if is_inside:
                has_copies = self.state.has_copies or self.has_warpgroup_stores
                if not self._is_trying:
                    self.wait_inside(op, buffer_index, "copies" if has_copies else "threads")
                self.state.wait_for_copies()
                self.state.wait_for_threads()
            else:
                self._wait(op, [*self._copies(), BarrierOp()])
        self.state.exchange(exchange, buffers)

    # Waits

    def _order(self, op: Operation, *, after: bool = False) -> None:
        """Earlier accesses become visible to all threads, and to bulk copies, after it."""
        if self.uses_tma or not self.state.is_ordered:
            self._wait(op, [*self._visibility(), BarrierOp()], after=after)

    def _visibility(self) -> list[Operation]:
        """
        Bulk copies are complete, and later ones see what threads have written.

        Bulk copies access memory by another proxy than threads, the asynchronous one, and barriers
        order accesses of one proxy only. So, before a barrier that orders both:

        1. who issued copies waits until they have written global memory (`written`): that they
           have read shared memory says nothing of it. Otherwise a release would give out what is
           not there yet;
        2. each thread fences the proxies, so that its accesses of global memory so far, and what
           it has acquired, come before copies that anyone issues after the barrier;
        3. the barrier, which the caller adds, tells all threads of both. A fence orders accesses
           of the thread that executes it only, so it comes before.

        Scratch memory that a store copies has a fence of its own, of shared memory only, between
        the writes and the barrier of its exchange (`sync = copies`).
        """
        if not self.uses_tma:
            return []
        if self.has_warpgroup_stores or self.state.may_be_writing:
            return [WaitCopiesOp(written=True), FenceProxyOp()]
        return [FenceProxyOp()]

    def _copies(self) -> list[Operation]:
        """Bulk copies have read scratch memory."""
        return [WaitCopiesOp()] if self.has_warpgroup_stores or self.state.has_copies else []

    def _wait(self, op: Operation, waits: list[Operation], *, after: bool = False) -> None:
        """
        Inserts waits before an op, or after it, in this order: a barrier tells all threads what
        the issuing threads of bulk copies have waited for.
        """
        if waits and not self._is_trying:
            self.insert(op, waits, after=after)
        for wait in waits:
            match wait:
                case WaitCopiesOp():
                    self.state.wait_for_copies(written=wait.written is not None)
                case BarrierOp():
                    self.state.wait_for_threads()
                case FenceProxyOp():
                    self.state.fence()
                case _:
                    pass


def walks_memory(op: Operation) -> bool:
    """Whether ops in the regions of an op may matter for shared memory."""
    return any(
        not is_inert(type(each)) and not isinstance(each, PipelineYieldOp)
        for each in walk(op)
        if each is not op
    )


def ends_work_on_tiles(op: PipelineYieldOp) -> bool:
    """Whether an op ends the consumer agent, whose threads work on tiles together."""
    switch, region = op.parent_op(), op.parent_region()
    if not isinstance(switch, AgentSwitchOp) or switch.warp_id is None:
        return isinstance(switch, AgentSwitchOp)
    index = next(n for n, each in enumerate(switch.agents) if each is region)
    return int(switch.warp_id.get_values()[index]) == 0


def has_stage(op: CopyOp) -> bool:
    """Whether a copy writes a buffer stage that threads have acquired."""
    return op.destination is not None and isinstance(op.destination.owner, StageBufferOp)


def is_released_jointly(op: CopyOp) -> bool:
    """Whether a copy reads a tile that one thread may release for several warps."""
    read = find_stage_read(op.source)
    is_by_warps = read is not None and is_released_by_warps(read.pipeline)
    return leaves_shared_memory(op) and not is_by_warps


def leaves_shared_memory(op: CopyOp) -> bool:
    """Whether a copy moves a tile from shared memory to registers."""
    return get_memory(op.source.type) == "shared" and get_memory(op.result.type) != "shared"
