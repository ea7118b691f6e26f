"""
Allocation of shared memory: buffers that live as long as the kernel, and scratch memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, PrintOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExtractOp, InsertOp
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    COLUMN,
    HALVED_TILES,
    MULTICAST,
    PAIR,
    PAIR_BARRIER,
    TENSOR_MEMORY,
    WARPGROUP_STORE,
    get_slot,
)
from tileiras_xdsl.dialects.nv_tileas.hints import get_kernel_hint
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    BUFFERS,
    SHARED_MEMORY,
    BufferAttr,
    SharedMemoryAttr,
    set_buffers,
)
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM, CommitDotsOp
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05_schedule import ALLOCATED_COLUMNS
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk

from .exchanges import Exchange, KernelModel
from .layout_conversions import ScratchBudget
from .map_requests import count_rebuilt_maps, find_built_maps, is_rebuilt
from .requirements import SMALL_STORE_BYTES
from .scratch_use import Range, SharedMemoryWalk
from .shared_memory import (
    ADDRESS_BYTES,
    BARRIER_BYTES,
    BUFFER_ALIGNMENT,
    MAP_STATE_BYTES,
    SCRATCH_ALIGNMENT,
    SLOT_NUMBER_BYTES,
    TMA_ATOMS,
    TMA_TILE_ALIGNMENT,
    has_atom,
    is_on_heap,
)
from .thread_types import is_packed, memory_type, width_of
from .tma_stores import TmaAccess
from .warpgroup_stores import staging_bytes

WINDOWED: Final = (ExtractOp, InsertOp, PackOp, UnpackOp, PrintOp)
"""Ops whose tiles go through scratch memory in windows, if they do not fit."""


def make_model(function: FuncOp, target: Target, scratch: int, limit: int) -> KernelModel:
    """The model of a kernel whose scratch memory begins at an offset, and may reach to a limit."""
    scratch_budget = ScratchBudget.of(target, scratch, limit)
    return KernelModel(function, get_warps(function), scratch_budget)


def allocate(function: FuncOp, target: Target, *, host_maps: bool) -> None:
    """
    Allocates shared memory for the ops of a kernel. With host maps the launcher is ours, and asks
    for as much dynamic shared memory as the kernel needs.
    """
    limit = target.shared.limit(asks=host_maps)
    kept = PermanentBuffers.of(function, limit, host_maps=host_maps)
    for op in walk(function):
        BUFFERS.drop(op)
        if isinstance(op, AllocaOp) and op not in kept.buffers:
            op.properties["global"] = UnitAttr()
    has_tma_stores = any(has_atom(op, *TMA_ATOMS) for op in walk(function))
    alignment = TMA_TILE_ALIGNMENT if has_tma_stores else SCRATCH_ALIGNMENT
    base = -(-kept.size // alignment) * alignment
    scratch_limit = find_scratch_limit(function, target, base, limit)
    scratch = ScratchAllocation(make_model(function, target, base, scratch_limit), alignment)
    # Warps build tensor maps in scratch memory before anybody else uses it.
    scratch.size = MAP_BYTES * kept.maps
    scratch.run()
    for op, buffers in (*kept.buffers.items(), *scratch.buffers.items()):
        set_buffers(op, buffers)
    for op, buffers in scratch.buffers.items():
        if isinstance(op, WINDOWED) and len(buffers) > 1:
            tile = max((value.type for value in op.operands), key=_tile_bytes)
            remark(
                op,
                "Missed",
                "Resources",
                f"a tile of '{_without_layout(tile)}' does not fit in scratch memory: it goes "
                f"through it in {len(buffers)} windows, one after the other",
            )
    size = max(base + scratch.size, min(limit, least_bytes_of_clusters(function, target)))
    if size > limit:
        user = scratch.largest if scratch.size > kept.size else None
        asked = target.shared.limit(asks=True)
        stages = find_fitting_stages(function, size - limit)
        advice = "use smaller tiles"
        if stages:
            most = "1 buffer stage" if stages == 1 else f"{stages} buffer stages"
            advice = f"use at most {most}, or smaller tiles"
        if limit < size <= asked:
            advice += f", or --abi {HOST_MAPS_ABI}, whose launches ask for up to {asked}"
        fail(
            user or function,
            f"the kernel needs {size} bytes of shared memory, but {target} has "
            f"{limit}{' without asking' if limit < asked else ''}: {advice}",
        )
    SHARED_MEMORY.set(function, SharedMemoryAttr.of(size, base, scratch_limit))


def find_scratch_limit(function: FuncOp, target: Target, base: int, limit: int) -> int:
    """
    Where scratch memory that begins at an offset has to end: CTAs that divide the tensor memory of
    an SM divide its shared memory, too, if a small scratch memory is enough for that.
    """
    if TENSOR_MEMORY.get(function) is None:
        return limit
    share = target.shared.per_cta(get_kernel_hint(function, "occupancy"))
    return min(limit, share) if base + SMALL_STORE_BYTES <= share else limit


def least_bytes_of_clusters(function: FuncOp, target: Target) -> int:
    """
    Shared memory that CTAs of a cluster allocate at least, if they load for each other and have
    tensor memory. An SM may have more CTAs than it has columns for, of which some wait until others
    free theirs: if one CTA of each of two clusters waits, and the other one for its peer, nobody
    goes on. With less than twice as many CTAs as there are columns for, a cluster has all it needs.
    """
    columns = TENSOR_MEMORY.get(function)
    shares = PAIR.is_on(function) or any(MULTICAST.is_on(op) for op in walk(function))
    if columns is None or not shares:
        return 0
    most = ALLOCATED_COLUMNS[-1] // columns.data
    return target.shared.per_cta(2 * most) + 1


def _tile_bytes(ty: Attribute) -> int:
    return tile_bytes(ty) if isinstance(ty, TensorType) else 0


def _without_layout(ty: Attribute) -> Attribute:
    return TensorType(ty.element_type, ty.shape) if isinstance(ty, TensorType) else ty


@dataclass
class PermanentBuffers:
    """Shared memory that is live from the start of a kernel to its end."""

    limit: int
    size: int = 0
    maps: int = 0
    """How many tensor maps the kernel builds itself when it starts."""
    buffers: dict[Operation, list[BufferAttr]] = field(
        default_factory=dict[Operation, list[BufferAttr]]
    )
    """Buffers of each op; an `alloca` that is not here comes from the device heap."""

    @staticmethod
    def of(function: FuncOp, limit: int, *, host_maps: bool) -> PermanentBuffers:
        """The permanent buffers of a kernel with a limit of shared memory in bytes."""
        kept = PermanentBuffers(limit)
        kept._allocate_all(function)
        found = find_built_maps(function, host_maps=host_maps)
        warpgroups = max(1, get_warps(function) // WARPGROUP_WARPS)
        rebuilt = count_rebuilt_maps(found, function, warpgroups)
        kept.maps = sum(not is_rebuilt(key) for key in found)
        if found:
            kept.buffers[function] = [kept.take(SLOT_NUMBER_BYTES, SLOT_NUMBER_BYTES)]
        if rebuilt:
            size = rebuilt * (MAP_BYTES + MAP_STATE_BYTES)
            kept.buffers[function].append(kept.take(size, MAP_BYTES))
        return kept

    def take(self, size: int, alignment: int) -> BufferAttr:
        """Allocates the next bytes at a multiple of an alignment."""
        start = -(-self.size // alignment) * alignment
        self.size = start + size
        return BufferAttr.of(start, size)

    def _allocate_all(self, function: FuncOp) -> None:
        """Allocates all permanent buffers of a kernel; those with little alignment come last."""
        ops = walk(function)
        for op in ops:
            if isinstance(op, AllocaOp):
                self._allocate_alloca(op)
        tensors = [op for op in ops if isinstance(op, AllocTensorOp) and not COLUMN.is_on(op)]
        for op in tensors:
            if get_slot(op) is None:
                self._allocate_tensor(op)
        self._allocate_slots(tensors)
        pipelines = [op for op in ops if isinstance(op, CreatePipelineOp)]
        data = self._allocate_stages(pipelines)
        self._allocate_staging(ops)
        for op, stages in zip(pipelines, data, strict=True):
            barriers = self.take(2 * op.get_num_stages() * BARRIER_BYTES, BARRIER_BYTES)
            self.buffers[op] = [*stages, barriers]
        for op in ops:
            if isinstance(op, CommitDotsOp) or PAIR_BARRIER.is_on(op):
                self.buffers[op] = [self.take(BARRIER_BYTES, BARRIER_BYTES)]
            elif isinstance(op, AgentSwitchOp) and TENSOR_MEMORY.is_on(function):
                # Where the address of tensor memory is written.
                self.buffers[op] = [self.take(ADDRESS_BYTES, ADDRESS_BYTES)]

    def _allocate_alloca(self, op: AllocaOp) -> None:
        """An `alloca` of the program; what does not fit comes from the device heap."""
        size, alignment = alloca_bytes(op), op.alignment.value.data
        is_shared = op.result.type == SHARED_POINTER
        if is_on_heap(op) or (self.size + size > self.limit and not is_shared):
            return
        if alignment > BUFFER_ALIGNMENT:
            fail(op, f"shared memory is aligned to {BUFFER_ALIGNMENT} bytes, not to {alignment}")
        self.buffers[op] = [self.take(size, alignment)]

    def _allocate_tensor(self, op: AllocTensorOp) -> None:
        if op.get_memory() != "shared":
            fail(op, "only buffers in shared memory can be lowered to threads")
        element = get_element(op.result.type)
        if element_bit_width(element) < 8:
            fail(op, f"there are no buffers of '{element}'")
        self.buffers[op] = [self.take(tile_bytes(op.result.type), BUFFER_ALIGNMENT)]

    def _allocate_slots(self, tensors: Sequence[AllocTensorOp]) -> None:
        """Buffers in the same slot begin at the same place."""
        slots: dict[int, list[AllocTensorOp]] = {}
        for op in tensors:
            if (slot := get_slot(op)) is not None:
                slots.setdefault(slot, []).append(op)
        for sharing in slots.values():
            sizes = [tile_bytes(op.result.type) for op in sharing]
            start = self.take(max(sizes), BUFFER_ALIGNMENT).offset
            for op, size in zip(sharing, sizes, strict=True):
                self.buffers[op] = [BufferAttr.of(start, size)]

    def _allocate_stages(self, pipelines: Sequence[CreatePipelineOp]) -> list[list[BufferAttr]]:
        """The multi-stage buffers of pipelines; those of a slot begin at the same place."""
        slots: dict[int, int] = {}
        largest: dict[int, int] = {}
        for op in pipelines:
            if (slot := get_slot(op)) is not None:
                largest[slot] = max(largest.get(slot, 0), pipeline_bytes(op))
        data: list[list[BufferAttr]] = []
        for op in pipelines:
            size, slot = pipeline_bytes(op), get_slot(op)
            if slot is None:
                data.append([self.take(size, BUFFER_ALIGNMENT)] if size else [])
                continue
            if slot not in slots:
                slots[slot] = self.take(largest[slot], BUFFER_ALIGNMENT).offset
            data.append([BufferAttr.of(slots[slot], size)])
        return data

    def _allocate_staging(self, ops: Sequence[Operation]) -> None:
        """Staging buffers of warpgroup stores; stores of the same tile type share one."""
        known: dict[object, BufferAttr] = {}
        for op in ops:
            if not WARPGROUP_STORE.is_on(op) or not isinstance(op, TmaAccess):
                continue
            key = op.view_type, layout_of(op.value.type)
            size = staging_bytes(op)
            if size is not None:
                if key not in known:
                    known[key] = self.take(size, TMA_TILE_ALIGNMENT)
                self.buffers[op] = [known[key]]


def alloca_bytes(op: AllocaOp) -> int:
    """The size of an `alloca`."""
    count = op.num_elem.value.data
    if is_packed(op.elem_type):
        return max(1, -(-count // 2))
    return max(1, count * width_of(memory_type(op.elem_type)) // 8)


def tile_bytes(ty: Attribute) -> int:
    """The size of a tile in shared memory."""
    return prod(get_shape(ty)) * width_of(memory_type(get_element(ty))) // 8


def find_fitting_stages(function: FuncOp, excess: int) -> int:
    """
    With how many buffer stages, at most, the pipelines of a kernel take so many bytes less of
    shared memory than they do; 0 if one is too many.
    """
    pipelines = [op for op in walk(function) if isinstance(op, CreatePipelineOp)]
    sizes = [(op.get_num_stages(), pipeline_bytes(op)) for op in pipelines]
    for most in range(max((count for count, _ in sizes), default=1) - 1, 0, -1):
        if sum(size // count * max(0, count - most) for count, size in sizes) >= excess:
            return most
    return 0


def pipeline_bytes(op: CreatePipelineOp) -> int:
    """The size of all buffer stages of a pipeline; 0 if they are in tensor memory."""
    ty = op.result.type
    assert isinstance(ty, PipelineType)
    for element in ty.element_types:
        if get_memory(element) == TMEM:
            continue
        if not isinstance(element, TensorType):
            fail(op, f"a stage of '{ty}' cannot be put into shared memory")
    stage = sum(-(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT for size in stage_tile_bytes(op))
    return op.get_num_stages() * stage


def stage_tile_bytes(op: CreatePipelineOp) -> list[int]:
    """The sizes of tiles in shared memory of a buffer stage; a CTA of a pair has half of some."""
    ty = op.result.type
    assert isinstance(ty, PipelineType)
    halved = HALVED_TILES.get(op)
    halves = () if halved is None else halved.data.tiles
    return [
        tile_bytes(element) // (2 if index in halves else 1)
        for index, element in enumerate(ty.element_types)
        if get_memory(element) != TMEM
    ]


class ScratchAllocation(SharedMemoryWalk):
    """
    First-fit allocation of scratch memory: the first range that may not be in use, as long as
    scratch memory does not grow too much, else the start, after a barrier.
    """

    def __init__(self, model: KernelModel, alignment: int):
        super().__init__(model)
        self.alignment = alignment
        self.size = 0
        """Bytes of scratch memory so far."""
        self.largest: Operation | None = None
        """The op that needs the most of it."""
        self.buffers: dict[Operation, list[BufferAttr]] = {}

    def assign_buffers(
        self, op: Operation, buffer_index: int, exchange: Exchange
    ) -> Sequence[Range]:
        buffers = self._find(exchange.sizes) or self._from_start(exchange.sizes)
        base = self.model.scratch_budget.base
        self.buffers.setdefault(op, []).extend(
            BufferAttr.of(base + start, end - start, sync=sync)
            for (start, end), sync in zip(buffers, exchange.syncs, strict=True)
        )
        if (end := max(end for _, end in buffers)) > self.size:
            self.size, self.largest = end, op
        return buffers

    def _find(self, sizes: Sequence[int]) -> list[Range] | None:
        """Ranges that may not be in use, if there are any."""
        state = self.state
        if state.is_unknown or state.may_be_copied:
            return None
        taken = [*state.busy, *state.copied]
        budget = self.model.scratch_budget
        most = max(self.size, min(budget.soft_limit, budget.bytes))
        found: list[Range] = []
        for size in sizes:
            start = 0
            for begin, end in sorted([*taken, *found]):
                if start + size <= begin:
                    break
                start = max(start, self._align(end))
            if start and start + size > most:
                return None
            found.append((start, start + size))
        return found

    def _from_start(self, sizes: Sequence[int]) -> list[Range]:
        found: list[Range] = []
        start = 0
        for size in sizes:
            found.append((start, start + size))
            start = self._align(start + size)
        return found

    def _align(self, offset: int) -> int:
        return -(-offset // self.alignment) * self.alignment
