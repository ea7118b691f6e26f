"""
Verification of shared memory and barriers in a kernel that has them as attributes and ops.

`tileas-insert-barriers` and `convert-tileas-to-nvgpu` rely on the attributes of a kernel, which
anybody may have written or changed. `verify_shared_memory` checks offsets and sizes in one walk
over the ops; `verify_waits` follows the threads as the pass that inserts waits does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE, get_slot
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.profiling import ProfileOperation
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BUFFERS,
    BarrierOp,
    BufferAttr,
    FenceProxyOp,
    SharedMemoryAttr,
    WaitCopiesOp,
    get_buffers,
    get_shared_memory,
)
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM, CommitDotsOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk

from .allocation import alloca_bytes, pipeline_bytes, tile_bytes
from .exchanges import HEAP_POINTER_BYTES, Exchange, KernelModel
from .scratch_use import Range, SharedMemoryWalk, is_inert
from .shared_memory import ADDRESS_BYTES, BARRIER_BYTES, is_on_heap
from .tma_stores import TmaAccess
from .warpgroup_stores import staging_bytes

WAITS = (BarrierOp, WaitCopiesOp, FenceProxyOp)


def verify_shared_memory(function: FuncOp) -> SharedMemoryAttr:
    """
    Checks offsets of all buffers of a kernel, and sizes of permanent ones; returns how much memory
    there is.
    """
    memory = get_shared_memory(function)
    if memory is None:
        fail(function, "expects shared memory to be allocated (tileas-allocate-shared-memory)")
    kept: list[tuple[BufferAttr, Operation]] = []
    for op in walk(function):
        if not BUFFERS.is_on(op) and is_inert(type(op)):
            continue
        wanted, buffers = _permanent_sizes(op), get_buffers(op)
        given = [buffer.size for buffer in buffers]
        if wanted is not None and given != wanted:
            fail(op, f"'{op.name}' op needs buffers of {_list(wanted)}, but has {_list(given)}")
        for buffer in buffers:
            if buffer.end > memory.size:
                fail(
                    op,
                    f"'{op.name}' op uses {_bytes(buffer)}, but the kernel has {memory.size} bytes "
                    "of shared memory",
                )
            is_heap = isinstance(op, AllocaOp) and is_on_heap(op)
            is_kept = wanted is not None and not is_heap
            if buffer.offset < memory.scratch or is_kept or op is function:
                if buffer.end > memory.scratch:
                    fail(
                        op,
                        f"'{op.name}' op keeps {_bytes(buffer)}, which reach into scratch memory "
                        f"from {memory.scratch} on",
                    )
                kept.append((buffer, op))
    _check_disjoint(kept)
    return memory


def _check_disjoint(kept: list[tuple[BufferAttr, Operation]]) -> None:
    """
    No permanent buffers overlap, except for buffers in one slot; stores of the same tile type
    share a staging buffer.
    """
    kept.sort(key=lambda each: (each[0].offset, each[0].end))
    for (before, first), (buffer, op) in pairwise(kept):
        shares = buffer == before and WARPGROUP_STORE.is_on(op) and WARPGROUP_STORE.is_on(first)
        shares |= get_slot(op) is not None and get_slot(op) == get_slot(first)
        if before.overlaps(buffer) and not shares:
            fail(
                op,
                f"'{op.name}' op keeps {_bytes(buffer)}, which overlap {_bytes(before)} of "
                f"'{first.name}'",
            )


def _permanent_sizes(op: Operation) -> list[int] | None:
    """The sizes of an op's permanent buffers; None if it has none."""
    match op:
        case AllocaOp():
            return [HEAP_POINTER_BYTES if is_on_heap(op) else alloca_bytes(op)]
        case AllocTensorOp():
            return None if op.get_memory() == TMEM else [tile_bytes(op.result.type)]
        case CommitDotsOp():
            return [BARRIER_BYTES]
        case AgentSwitchOp() if BUFFERS.is_on(op):
            return [ADDRESS_BYTES]
        case CreatePipelineOp():
            size = pipeline_bytes(op)
            return [*([size] if size else []), 2 * op.get_num_stages() * BARRIER_BYTES]
        case _ if WARPGROUP_STORE.is_on(op) and isinstance(op, TmaAccess):
            size = staging_bytes(op)
            return None if size is None else [size]
        case _:
            return None


class AllocatedWalk(SharedMemoryWalk):
    """A walk through a kernel whose shared memory is allocated."""

    is_exact = True

    def __init__(self, model: KernelModel):
        super().__init__(model)
        self.present = {op for op in self.ops if isinstance(op, WAITS)}
        """Waits that are in the kernel already."""
        self._num_assigned: dict[Operation, int] = {}
        """How many buffers of each op have been asked for."""

    def run(self) -> None:
        super().run()
        for op in self.ops:
            scratch = [
                each for each in get_buffers(op) if each.offset >= self.model.scratch_budget.base
            ]
            if len(scratch) > self._num_assigned.get(op, 0):
                needed = self._num_assigned.get(op, "none")
                fail(op, f"'{op.name}' op has {len(scratch)} buffers, but needs {needed}")

    def assign_buffers(
        self, op: Operation, buffer_index: int, exchange: Exchange
    ) -> Sequence[Range]:
        buffers = get_buffers(op)[buffer_index : buffer_index + len(exchange.sizes)]
        wanted = list(zip(exchange.sizes, exchange.syncs, strict=True))
        given = [(buffer.size, buffer.sync) for buffer in buffers]
        if given != wanted:
            fail(op, f"'{op.name}' op needs {_describe(wanted)}, but has {_describe(given)}")
        self._num_assigned[op] = buffer_index + len(buffers)
        return [(buffer.offset, buffer.end) for buffer in buffers]

    def missing(
        self, op: Operation, waits: Sequence[Operation], *, after: bool
    ) -> Sequence[Operation]:
        """
        Some waits, or none if they stand next to an op already, in their order. They are not mixed
        with existing ones, because what comes after a barrier does not count for it.
        """
        there = [each for each in _neighbours(op, after=after) if each in self.present]
        following = iter(there)
        if all(any(_serves(each, wait) for each in following) for wait in waits):
            return ()
        return waits


def _neighbours(op: Operation, *, after: bool) -> list[Operation]:
    """
    The waits directly before an op, or after it, in program order. Marks of a profile may be in
    between, as no thread waits for what these write.
    """
    found: list[Operation] = []
    following = op.next_op if after else op.prev_op
    while isinstance(following, (*WAITS, ProfileOperation)):
        if isinstance(following, WAITS):
            found.append(following)
        following = following.next_op if after else following.prev_op
    return found if after else found[::-1]


def _serves(there: Operation, wanted: Operation) -> bool:
    """Whether one wait implies another."""
    if isinstance(there, WaitCopiesOp) and isinstance(wanted, WaitCopiesOp):
        return there.written is not None or wanted.written is None
    if isinstance(there, FenceProxyOp) and isinstance(wanted, FenceProxyOp):
        return there.shared is None or wanted.shared is not None
    return there.name == wanted.name


def verify_waits(model: KernelModel) -> None:
    """Checks that threads of a kernel wait wherever they have to."""
    WaitCheck(model).run()


class WaitCheck(AllocatedWalk):
    """Fails at each missing wait."""

    def insert(self, op: Operation, waits: Sequence[Operation], *, after: bool = False) -> None:
        for wait in self.missing(op, waits, after=after):
            where = "after" if after else "before"
            written = " written" if isinstance(wait, WaitCopiesOp) and wait.written else ""
            fail(
                op,
                f"{_users(wait)} {where} '{op.name}' op: missing {wait.name}{written} "
                "(tileas-insert-barriers)",
            )

    def wait_inside(self, op: Operation, buffer_index: int, wait: str) -> None:
        buffer = get_buffers(op)[buffer_index]
        if buffer.wait not in (wait, "copies"):
            fail(
                op,
                f"threads may still be using {_bytes(buffer)} in '{op.name}' op: missing wait "
                f"'{wait}' of buffer {buffer_index} (tileas-insert-barriers)",
            )


def _users(wait: Operation) -> str:
    """What a missing wait does not wait for, in words."""
    match wait:
        case WaitCopiesOp():
            return "bulk copies may still be in flight"
        case FenceProxyOp():
            return "bulk copies may not see what threads wrote"
        case _:
            return "threads may still be using memory"


def _describe(buffers: Sequence[tuple[int, str]]) -> str:
    """Sizes and synchronization of buffers, in words."""
    return ", ".join(f"{size} bytes (sync = {sync})" for size, sync in buffers) or "no buffer"


def _list(sizes: Sequence[int]) -> str:
    return f"{', '.join(map(str, sizes))} bytes" if sizes else "none"


def _bytes(buffer: BufferAttr) -> str:
    return f"bytes {buffer.offset} to {buffer.end - 1}"
