"""
Allocation of shared memory: buffers that live as long as the kernel, scratch memory, and the tensor
maps that a kernel builds itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import Final

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, Region, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, PrintOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExtractOp, InsertOp
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_ATOMS, has_atom
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    COLUMN,
    HALVED_TILES,
    MULTICAST,
    PAIR,
    PAIR_BARRIER,
    TENSOR_MEMORY,
    TMA_ELEMENT_TYPE,
    WARPGROUP_STORE,
    get_slot,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp, CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.profiling import ProfileOperation
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    ADDRESS_BYTES,
    BARRIER_BYTES,
    BUFFER_ALIGNMENT,
    BUFFERS,
    MAP_STATE_BYTES,
    SCRATCH_ALIGNMENT,
    SHARED_MEMORY,
    SLOT_NUMBER_BYTES,
    TMA_TILE_ALIGNMENT,
    BarrierOp,
    BufferAttr,
    FenceProxyOp,
    SharedMemoryAttr,
    WaitCopiesOp,
    get_buffers,
    get_shared_memory,
    is_on_heap,
    set_buffers,
)
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM, CommitDotsOp
from tileiras_xdsl.dialects.nv_tileas.types import PipelineType, get_kernel_hint, get_memory
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.choices import SMALL_STORE_BYTES
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import CtaResources, Target
from tileiras_xdsl.targets.tcgen05 import ALLOCATED_COLUMNS
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.common.abi import DEVICE_MAPS_ABI, HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .exchanges import HEAP_POINTER_BYTES, Exchange, KernelModel
from .layout_rules import ScratchBudget, is_packed, memory_type, width_of
from .registers import type_registers
from .scratch_use import Range, SharedMemoryWalk, is_inert
from .tma_loads import (
    MapKey,
    find_host_map,
    find_memref,
    halve,
    is_at_start,
    loaded_tiling,
    stored_element,
)
from .tma_stores import TmaAccess, WarpgroupTmaTiles, staging_bytes

WINDOWED: Final = (ExtractOp, InsertOp, PackOp, UnpackOp, PrintOp)
"""Ops whose tiles go through scratch memory in windows, if they do not fit."""


def make_model(function: FuncOp, target: Target, scratch: int, limit: int) -> KernelModel:
    """The model of a kernel whose scratch memory begins at an offset, and may reach to a limit."""
    scratch_budget = ScratchBudget.of(target, scratch, limit)
    return KernelModel(function, get_warps(function), scratch_budget)


def find_resources(function: FuncOp, target: Target) -> CtaResources | None:
    """What a CTA of a kernel takes; None if the kernel has dots, or no shared memory yet."""
    memory = get_shared_memory(function)
    if memory is None or find_all(function, DotOperation):
        return None
    model = make_model(function, target, memory.scratch, memory.limit)

    def count(*, loads: bool) -> int:
        tiles = LiveTiles(tile_registers, lambda op: bool(model.exchanges(op)), loads=loads)
        return tiles.in_function(function)

    registers, held = count(loads=True), count(loads=False)
    return CtaResources(get_warps(function), registers, memory.size, held)


def tile_registers(tile: SSAValue) -> int:
    """Registers per thread for a tile: an element that is loaded alone has one to itself."""
    layout, op = layout_of(tile.type), tile.owner
    if layout is not None and isinstance(op, Operation):
        vector = get_vector(op)
        if vector is not None and vector.width == 1:
            return max(layout.registers, type_registers(tile.type))
    return type_registers(tile.type)


def allocate(function: FuncOp, target: Target, abi: str) -> None:
    """
    Allocates shared memory for the ops of a kernel. With host maps the launcher is ours, and asks
    for as much dynamic shared memory as the kernel needs.
    """
    limit = target.shared.limit(asks=abi == HOST_MAPS_ABI)
    kept = PermanentBuffers.of(function, limit, abi)
    has_tma_stores = False
    for op in walk(function):
        BUFFERS.drop(op)
        if isinstance(op, AllocaOp) and op not in kept.buffers:
            op.properties["global"] = UnitAttr()
        has_tma_stores |= has_atom(op, *TMA_ATOMS)
    alignment = TMA_TILE_ALIGNMENT if has_tma_stores else SCRATCH_ALIGNMENT
    base = -(-kept.size // alignment) * alignment
    scratch_limit, least, columns = limit, 0, TENSOR_MEMORY.get(function)
    if columns is not None:
        scratch_limit = find_scratch_limit(function, target, base, limit)
        least = least_bytes_of_clusters(function, target, columns.data)
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
    size = max(base + scratch.size, min(limit, least))
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
    share = target.shared.per_cta(get_kernel_hint(function, "occupancy"))
    return min(limit, share) if base + SMALL_STORE_BYTES <= share else limit


def least_bytes_of_clusters(function: FuncOp, target: Target, columns: int) -> int:
    """
    Shared memory that CTAs of a cluster allocate at least, if they load for each other and have
    tensor memory. An SM may have more CTAs than it has columns for, of which some wait until others
    free theirs: if one CTA of each of two clusters waits, and the other one for its peer, nobody
    goes on. With less than twice as many CTAs as there are columns for, a cluster has all it needs.
    """
    if not PAIR.is_on(function) and not any(map(MULTICAST.is_on, walk(function))):
        return 0
    most = ALLOCATED_COLUMNS[-1] // columns
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
    def of(function: FuncOp, limit: int, abi: str) -> PermanentBuffers:
        """The permanent buffers of a kernel with a limit of shared memory in bytes."""
        kept = PermanentBuffers(limit)
        kept._allocate_all(function)
        found = find_built_maps(function, abi)
        warpgroups = max(1, get_warps(function) // WARPGROUP_WARPS)
        rebuilt = [*filter(is_rebuilt, found)]
        kept.maps = len(found) - len(rebuilt)
        if found:
            kept.buffers[function] = [kept.take(SLOT_NUMBER_BYTES, SLOT_NUMBER_BYTES)]
        if rebuilt:
            copies = count_copies(rebuilt, function, warpgroups)
            size = copies * (MAP_BYTES + MAP_STATE_BYTES)
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
        for op in find_all(function, AllocaOp):
            self._allocate_alloca(op)
        slots: dict[int, list[AllocTensorOp]] = {}
        for op in find_all(function, AllocTensorOp):
            if (slot := get_slot(op)) is not None:
                slots.setdefault(slot, []).append(op)
            elif not COLUMN.is_on(op):
                self._allocate_tensor(op)
        # Buffers in the same slot begin at the same place.
        for sharing in slots.values():
            sizes = [tile_bytes(op.result.type) for op in sharing]
            start = self.take(max(sizes), BUFFER_ALIGNMENT).offset
            for op, size in zip(sharing, sizes, strict=True):
                self.buffers[op] = [BufferAttr.of(start, size)]
        pipelines = find_all(function, CreatePipelineOp)
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
    With how many buffer stages, at most, the pipelines of a kernel take this many bytes less of
    shared memory than they do; 0 if one is too many.
    """
    pipelines = find_all(function, CreatePipelineOp)
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


# Verification of shared memory and barriers in a kernel that has them as attributes and ops.
#
# `tileas-insert-barriers` and `convert-tileas-to-nvgpu` rely on the attributes of a kernel, which
# anybody may have written or changed. `verify_shared_memory` checks offsets and sizes in one walk
# over the ops; `verify_waits` follows the threads as the pass that inserts waits does.

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
        following = filter(self.present.__contains__, _neighbours(op, after=after))
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


def find_built_maps(function: FuncOp, abi: str) -> list[MapKey]:
    """The tensor maps that a kernel builds itself, because nobody else does or can."""
    known: AxisInfoAnalysis | None = None

    def get_axis_info() -> AxisInfoAnalysis:
        nonlocal known
        if known is None:
            known = analyze(function)
        return known

    found = dict.fromkeys(requested_maps(function))
    return [
        key
        for key in found
        if isinstance(op := key.memref.owner, MakeMemrefOp)
        and not (abi != DEVICE_MAPS_ABI and find_host_map(op, key, get_axis_info) is not None)
    ]


def count_copies(rebuilt: Sequence[MapKey], code: Operation, warpgroups: int) -> int:
    """
    How often maps are rebuilt: one of a load by the thread that loads, and one of a store by a
    thread of each warpgroup.
    """
    stored = {key for op in walk(code) if isinstance(op, TmaAccess) for key in requested_maps(op)}
    return sum(warpgroups if key in stored else 1 for key in rebuilt)


def is_rebuilt(key: MapKey) -> bool:
    """
    Whether a map is of a tensor that is defined inside of a loop or branch: then it is built
    there, each time that the tensor is another one.
    """
    op = key.memref.owner
    assert isinstance(op, MakeMemrefOp)
    return not is_at_start(op)


def requested_maps(
    code: Operation | Region, is_copied: Callable[[TmaAccess], bool] | None = None
) -> Iterator[MapKey]:
    """
    The tensor maps of the bulk copies of a kernel or of some of its code, in their order; of stores
    only those that are copies, if `is_copied` tells.
    """
    for op in walk(code):
        if has_atom(op, *TMA_ATOMS) and isinstance(op, TiledLoadOp | TmaAccess):
            if is_copied is not None and isinstance(op, TmaAccess) and not is_copied(op):
                continue
            tiling = _tma_tiling_of(op)
            memref = find_memref(op.view)
            if tiling is not None and memref is not None:
                element = TMA_ELEMENT_TYPE.get(op) or stored_element(
                    memref.result.type.element_type
                )
                yield MapKey(
                    memref.result,
                    tiling.traversed,
                    tiling.swizzle,
                    element,
                    tiling.element_strides,
                )


def _tma_tiling_of(op: TiledLoadOp | TmaAccess) -> TmaTiling | None:
    """The TMA tiling of an op's copies."""
    ty = op.view_type
    if isinstance(op, TmaAccess) and WARPGROUP_STORE.is_on(op):
        layout = layout_of(op.value.type)
        tiles = None if layout is None else WarpgroupTmaTiles.of(ty, layout)
        return None if tiles is None else tiles.tiling
    tiling = loaded_tiling(op) if isinstance(op, TiledLoadOp) else TmaTiling.of(ty)
    return halve(tiling) if tiling is not None and MULTICAST.is_on(op) else tiling
