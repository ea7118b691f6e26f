"""
Who waits for whom in a kernel whose shared memory is allocated.

Tiles are values, so a barrier that is missing changes no result at level 2. What threads would do
is known all the same: `nv_tileas.buffers` says which bytes an op uses, and what its threads wait
for between their writes and their reads. A CTA notes what its threads have used since they last
waited for each other, and objects to an op that writes the same bytes, to a release that comes
before accesses of other threads are done, and to buffers that overlap while both are kept. Agents
have barriers of their own, so each agent has its notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.memory_order import ACCESS, Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, MemoryFenceAliasOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    find_stage_read,
    get_slot,
    is_released_by_warps,
)
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReleaseOp
from tileiras_xdsl.dialects.nv_tileas.shape import ExtractSliceOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BarrierOp,
    BufferAttr,
    FenceProxyOp,
    SharedMemoryAttr,
    WaitCopiesOp,
    get_buffers,
    get_shared_memory,
)
from tileiras_xdsl.dialects.nv_tileas.types import AtomAttr, get_memory

from .errors import ExecutionError, place_of
from .machine import BoundProgram, CallFrame, Step
from .memory import Array
from .tokens import AccessOrdering

if TYPE_CHECKING:
    from .cta_state import CtaState

TMA_LOAD: Final = "tma_load"
TMA_STORES: Final = ("tma_store", "tma_redg")
"""Atoms of stores by bulk copies, which read shared memory after the op."""


class Used(NamedTuple):
    """Bytes that an op has used."""

    buffer: BufferAttr
    op: Operation


class Touched(NamedTuple):
    """A part of a buffer that is a tensor, as an op has written or read it."""

    part: Array
    """Kept, so that nothing else gets its address."""
    op: Operation
    writes: bool
    layout: Attribute | None = None
    """Which thread writes or reads which element, if that is known."""

    def races_with(self, other: Touched) -> bool:
        """
        Whether threads of one may be at bytes of the other. Each thread writes the same bytes
        every time that an op writes, and reads what it has written itself if both ops have one
        layout.
        """
        if not self.writes and not other.writes:
            return False
        is_same_write = self.op is other.op and self.writes and other.writes
        if is_same_write or (self.layout is not None and self._is_same_part(other)):
            return False
        return np.may_share_memory(self.part, other.part)

    def _is_same_part(self, other: Touched) -> bool:
        """Whether the same threads access the same elements."""
        places = (each.part.__array_interface__["data"] for each in (self, other))
        is_same_place = len(set(places)) == 1 and self.part.strides == other.part.strides
        return self.layout == other.layout and is_same_place and self.part.shape == other.part.shape


@dataclass
class MemoryUse:
    """What the threads of a CTA, or of an agent, have done since they last waited."""

    busy: list[Used] = field(default_factory=list[Used])
    """What they have written or read since the last barrier."""
    touched: list[Touched] = field(default_factory=list[Touched])
    """The same of buffers that are tensors."""
    unpublished: list[Touched] = field(default_factory=list[Touched])
    """What threads have written to such buffers since the last proxy fence."""
    in_flight: dict[Operation, Sequence[Touched]] = field(
        default_factory=dict[Operation, "Sequence[Touched]"]
    )
    """What WGMMAs read that threads have not waited for."""
    copied: list[Used] = field(default_factory=list[Used])
    """What bulk copies may still be reading."""
    writing: Operation | None = None
    """A store whose bulk copies may not have written global memory yet."""
    unfenced: Operation | None = None
    """An access to global memory since the last proxy fence."""
    accessed: Operation | None = None
    """An access of all threads to global memory since the last barrier."""
    accessed_by_one: Operation | None = None
    """The same of the thread that performs all accesses of rank 0."""
    acquired: Operation | None = None
    """An access that acquired something for its own threads only, since the last barrier."""
    left: Operation | None = None
    """A copy out of shared memory since the last barrier."""

    def wait_for_threads(self) -> None:
        """All threads have waited for each other."""
        self.busy.clear()
        self.touched.clear()
        self.accessed = self.accessed_by_one = self.acquired = self.left = None

    def wait_for_copies(self, *, written: bool) -> None:
        """Bulk copies have read their source, or have written their target as well."""
        self.copied.clear()
        if written:
            self.writing = None


class Plan:
    """What an op does, as far as it can be read off before it runs."""

    def __init__(self, op: Operation, memory: SharedMemoryAttr):
        self.op = op
        self.effects = own_effects(op)
        self.is_access = bool(self.effects & ACCESS)
        self.is_single = self.is_access and AccessOrdering.of(op).single
        buffers = get_buffers(op)
        self.kept = [each for each in buffers if each.offset < memory.scratch]
        # Memory from the heap is asked for where the kernel starts.
        is_early = isinstance(op, AllocaOp)
        self.scratch = () if is_early else [each for each in buffers if each not in self.kept]
        atom = op.properties.get("atom")
        name = atom.data if isinstance(atom, AtomAttr) else ""
        self.is_tma = name in (TMA_LOAD, *TMA_STORES)
        self.is_tma_store = name in TMA_STORES
        self.leaves = (
            isinstance(op, CopyOp)
            and get_memory(op.source.type) == "shared"
            and get_memory(op.result.type) != "shared"
        )
        read = find_stage_read(op.source) if isinstance(op, CopyOp) else None
        self.is_released_by_warps = read is not None and is_released_by_warps(read.pipeline)
        """Whether each warp releases by itself what it reads."""
        self.layout: Attribute | None = LAYOUT.get(op)
        """Which thread accesses which element of a buffer that is a tensor, if that is known."""
        if self.leaves and isinstance(ty := op.results[0].type, TensorType):
            self.layout = ty.encoding
        written = getattr(op, "destination", None)
        self.tensors: list[tuple[SSAValue, bool]] = []
        """Buffers that are tensors, and whether they are written."""
        if not isinstance(op, ExtractSliceOp):
            self.tensors = [
                (value, value is written)
                for value in op.operands
                if get_memory(value.type) == "shared"
            ]

    @property
    def is_needed(self) -> bool:
        """Whether the op matters here."""
        uses = self.effects or self.kept or self.scratch or self.tensors
        waits = gpu.BarrierOp | ConsumerReleaseOp | AsyncFutureWaitOp
        return bool(uses) or isinstance(self.op, waits)


def guard_threads(program: BoundProgram, memory: SharedMemoryAttr, op: Operation) -> Step | None:
    """Notes what an op does before it does it; nothing for one that does not matter."""
    plan = Plan(op, memory)
    if not plan.is_needed:
        return None
    tensors = [(program.register(value), writes) for value, writes in plan.tensors]

    def step(frame: CallFrame) -> None:
        cta: CtaState = frame.cta
        if cta.threads_use is not None:
            parts = [
                Touched(part, op, writes, plan.layout)
                for number, writes in tensors
                if isinstance(part := frame.registers[number], np.ndarray)
            ]
            cta.threads_use.visit(cta, plan, parts)

    return step


@dataclass(frozen=True)
class KernelMemory:
    """What is the same for all CTAs of a kernel whose shared memory is allocated."""

    kernel: Operation
    has_tma_stores: bool
    """Whether bulk copies access global memory."""

    @staticmethod
    def of(kernel: Operation) -> KernelMemory | None:
        """Of a kernel; `None` if its shared memory is not allocated."""
        memory = get_shared_memory(kernel)
        if memory is None:
            return None
        return KernelMemory(kernel, any(Plan(op, memory).is_tma for op in kernel.walk()))


@dataclass
class ThreadsUse:
    """What the threads of a CTA do with its shared memory, while the CTA runs."""

    of_kernel: KernelMemory
    reports: bool
    """Whether what is missing is reported; if not, only what exchanges order is noted."""
    uses: dict[int, MemoryUse] = field(default_factory=dict[int, MemoryUse])
    """By the number of the agent; that of the whole CTA is `WHOLE_CTA`."""
    kept: dict[Operation, Sequence[BufferAttr]] = field(
        default_factory=dict[Operation, "Sequence[BufferAttr]"]
    )
    """What ops keep to the end of the kernel."""
    _has_waited: bool = False
    """Whether threads have waited for each other in the last op, after its access."""

    WHOLE_CTA = -1

    def __post_init__(self) -> None:
        kernel = self.of_kernel.kernel
        self.kept[kernel] = get_buffers(kernel)

    def _use(self, cta: CtaState) -> MemoryUse:
        schedule = cta.schedule
        number = self.WHOLE_CTA if schedule is None else schedule.current
        return self.uses.setdefault(number, MemoryUse())

    def visit(self, cta: CtaState, plan: Plan, parts: Sequence[Touched]) -> None:
        """An op is about to run, on parts of buffers that are tensors."""
        if self._has_waited:
            self._has_waited = False
            cta.synchronize()
        op, use = plan.op, self._use(cta)
        self._touch(use, parts)
        match op:
            case gpu.BarrierOp():
                self._check_visible(use, op)
                use.wait_for_threads()
            case BarrierOp():
                use.wait_for_threads()
            case WaitCopiesOp():
                use.wait_for_copies(written=op.written is not None)
            case FenceProxyOp():
                use.unpublished.clear()
                if op.shared is None:
                    use.unfenced = None
            case AsyncDotOp():
                self._check_published(use, parts)
                use.in_flight[op] = parts
            case AsyncFutureWaitOp() if isinstance(dot := op.source.owner, AsyncDotOp):
                use.touched += use.in_flight.pop(dot, ())
            case MemoryFenceAliasOp():
                self._check_visible(use, op)
                self._check_barrier(op, use.accessed or use.accessed_by_one)
            case ConsumerReleaseOp():
                if not is_released_by_warps(op.pipeline):
                    self._check_barrier(op, use.left)
            case _:
                self._access(cta, use, plan)

    def _access(self, cta: CtaState, use: MemoryUse, plan: Plan) -> None:
        op = plan.op
        if plan.is_access:
            self._check_acquired(use, plan)
        if plan.effects & Effect.RELEASE:
            self._check_visible(use, op)
            one = None if plan.is_single else use.accessed_by_one
            self._check_barrier(op, use.accessed or one)
        if plan.is_access:
            use.unfenced = op
            if plan.is_single:
                use.accessed_by_one = op
            else:
                use.accessed = op
        if plan.effects & Effect.ACQUIRE:
            use.acquired = op
        if plan.leaves and not plan.is_released_by_warps:
            use.left = op
        if plan.kept:
            self._keep(use, plan)
        if plan.scratch and self._exchange(use, plan):
            cta.check_ping_pong("warpgroups wait for each other")
            if plan.is_tma_store:
                # Copies begin after the wait.
                cta.synchronize()
                use.accessed = op
            else:
                self._has_waited = True

    # Memory

    def _touch(self, use: MemoryUse, parts: Sequence[Touched]) -> None:
        for part in parts:
            for other in use.touched:
                if part.races_with(other):
                    self._report(
                        part.op,
                        f"{'writes' if part.writes else 'reads'} a buffer that threads of "
                        f"{_name(other.op)} may still be {'writing' if other.writes else 'reading'}"
                        f": missing {BarrierOp.name}",
                    )
            for dot, read in use.in_flight.items():
                if any(part.races_with(other) for other in read):
                    self._report(
                        part.op, f"writes a buffer that {_name(dot)} in flight may still be reading"
                    )
            if part.writes:
                use.unpublished.append(part)
        use.touched += parts

    def _check_published(self, use: MemoryUse, parts: Sequence[Touched]) -> None:
        """WGMMAs see what threads wrote."""
        for part in parts:
            for other in use.unpublished:
                if part.races_with(other):
                    self._report(
                        part.op,
                        f"does not see what {_name(other.op)} writes: missing {FenceProxyOp.name}",
                    )

    def _keep(self, use: MemoryUse, plan: Plan) -> None:
        """An op uses memory that nobody else has."""
        op = plan.op
        if op not in self.kept:
            for other, buffers in self.kept.items():
                for mine in plan.kept:
                    for buffer in buffers:
                        shares = plan.is_tma_store and buffer == mine
                        shares |= get_slot(op) is not None and get_slot(op) == get_slot(other)
                        if mine.overlaps(buffer) and not shares:
                            self._report_overlap(op, mine, Used(buffer, other))
            self.kept[op] = plan.kept
        if plan.is_tma_store:
            # Warpgroups wait for their own copies before they write their buffer again.
            use.copied += [Used(buffer, op) for buffer in plan.kept]
            use.writing = op

    def _exchange(self, use: MemoryUse, plan: Plan) -> bool:
        """Threads write buffers, wait, and read them; whether all of them wait."""
        op = plan.op
        together: list[Used] = []
        has_waited = False
        for buffer in plan.scratch:
            if buffer.wait == "copies":
                use.wait_for_copies(written=False)
            if buffer.wait:
                use.wait_for_threads()
            self._check_free(use, op, buffer)
            for other in together:
                if other.buffer.overlaps(buffer):
                    self._report_overlap(op, buffer, other)
            together.append(Used(buffer, op))
            if buffer.sync == "next":
                continue
            if buffer.sync != "warp":
                use.wait_for_threads()
                has_waited = True
            if buffer.sync == "copies":
                use.copied += together
                use.writing = op
            use.busy += together
            together = []
        return has_waited

    def _check_free(self, use: MemoryUse, op: Operation, buffer: BufferAttr) -> None:
        for other, buffers in self.kept.items():
            for each in buffers:
                if each.overlaps(buffer):
                    self._report_overlap(op, buffer, Used(each, other))
        for who, users, missing in (
            ("bulk copies", use.copied, WaitCopiesOp),
            ("threads", use.busy, BarrierOp),
        ):
            for used in users:
                if used.buffer.overlaps(buffer):
                    self._report(
                        op,
                        f"writes {_bytes(buffer)} of shared memory while {who} of "
                        f"{_name(used.op)} may still be using {_bytes(used.buffer)}: "
                        f"missing {missing.name}",
                    )

    def _report_overlap(self, op: Operation, buffer: BufferAttr, other: Used) -> None:
        self._report(
            op,
            f"uses {_bytes(buffer)} of shared memory, which overlaps {_bytes(other.buffer)} of "
            f"{_name(other.op)}",
        )

    # Order

    def _check_visible(self, use: MemoryUse, op: Operation) -> None:
        """What bulk copies write is there, and those that follow see what threads wrote."""
        if use.writing is not None:
            self._report(
                op,
                f"comes before what bulk copies of {_name(use.writing)} write: missing "
                f"{WaitCopiesOp.name} written",
            )
        if self.of_kernel.has_tma_stores and use.unfenced is not None:
            self._report(
                op,
                f"does not order bulk copies with {_name(use.unfenced)}: missing "
                f"{FenceProxyOp.name}",
            )

    def _check_barrier(self, op: Operation, other: Operation | None) -> None:
        if other is not None:
            self._report(
                op,
                f"does not come after {_name(other)} of all threads: missing {BarrierOp.name}",
            )

    def _check_acquired(self, use: MemoryUse, plan: Plan) -> None:
        """Threads see what one of them acquired."""
        acquired = use.acquired
        if acquired is None or (plan.is_single and AccessOrdering.of(acquired).single):
            return
        self._report(
            plan.op,
            f"does not come after what {_name(acquired)} acquires in other threads: missing "
            f"{BarrierOp.name}",
        )

    # Ends

    def finish_agent(self, cta: CtaState) -> None:
        """An agent ends; what it used may be in use after all agents."""
        schedule = cta.schedule
        use = None if schedule is None else self.uses.pop(schedule.current, None)
        if use is not None:
            self._check_copied(use)
            self.uses.setdefault(self.WHOLE_CTA, MemoryUse()).busy += use.busy

    def finish(self) -> None:
        """The kernel ends."""
        for use in self.uses.values():
            self._check_copied(use)

    def _check_copied(self, use: MemoryUse) -> None:
        """Shared memory is there until bulk copies have read it."""
        if use.copied:
            self._report(
                use.copied[0].op,
                "leaves bulk copies that may still be reading shared memory when its threads end: "
                f"missing {WaitCopiesOp.name}",
            )

    def _report(self, op: Operation, message: str) -> None:
        if self.reports:
            raise ExecutionError(message, op)


def _bytes(buffer: BufferAttr) -> str:
    return f"bytes {buffer.offset} to {buffer.end - 1}"


def _name(op: Operation) -> str:
    return f"{place_of(op)}'{op.name}'"
