"""
Stores by the tensor memory accelerator in which each warpgroup is on its own.

Where whole boxes of a tile belong to one warpgroup, as those of sums of products do, its threads
write them to a buffer of the store and copy them from there without waiting for other warpgroups:
these may still multiply.

    scf.if %first_of_group { nvgpu.tma.wait_group 0 {read} }   the buffer is free
    nvvm.barrier id = %group number_of_threads = %c128
    nvgpu.stmatrix %x, %rows …
    nvgpu.fence.proxy …
    nvvm.barrier id = %group number_of_threads = %c128
    scf.if %first_of_group { nvgpu.tma.async.store … ; nvgpu.tma.commit_group }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, i8
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tensor_boxes import TileBox
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nvgpu import FenceProxyOp, TmaCommitGroupOp, TmaWaitGroupOp
from tileiras_xdsl.dialects.nvvm import (
    BarrierOp,
    ProxyKind,
    SharedSpace,
)
from tileiras_xdsl.targets.hopper import GROUP_THREADS, WARPS_IN_GROUP

from .accesses import encode, own_registers
from .box_copies import (
    BoxAccess,
    Copy,
    box_coordinates,
    stored_coordinates,
    unless_outside,
    write_places,
)
from .tensor_maps import acquire, can_map, map_dims, tensor_map
from .thread_code import BOX_ALIGNMENT, GROUP_STORE, ThreadCode, has_atom, index_pointer

BUFFER_BYTES: Final = 64 * 1024
"""What buffers of a kernel take of shared memory at most."""
FIRST_BARRIER: Final = 2
"""The number of the named barrier of the first warpgroup."""


@dataclass(frozen=True)
class GroupBoxes:
    """The boxes of a tile, by the warpgroup that they belong to."""

    box: TileBox
    places: LinearLayout
    """Registers, lanes and warps to numbers of elements in the buffer."""
    starts: Sequence[tuple[tuple[int, ...], int]]
    """Where each box of the first group begins: in the tile, and in the buffer, in bytes."""
    moves: Sequence[tuple[tuple[int, ...], int]]
    """For each bit of the number of a group, how much further its boxes begin."""

    @staticmethod
    def of(type: TiledViewType, layout: LinearLayout) -> GroupBoxes | None:
        """The boxes of a tile in a layout; none if groups share some."""
        box = TileBox.of(type)
        if box is None or layout.warps % WARPS_IN_GROUP or layout.compressed() != layout:
            return None
        if layout.free_bits("lane") or layout.free_bits("warp"):
            return None
        places = offsets_of(box.layout, layout)
        groups = places.warp[log2(WARPS_IN_GROUP) :]
        others = (*places.register, *places.lane, *places.warp[: log2(WARPS_IN_GROUP)])
        for basis in groups:
            if basis.bit_count() != 1 or any(other & basis for other in others):
                return None
        small = _cut(box, min(groups, default=0))
        if small is None:
            return None
        size, mask = box.element_bytes, sum(groups)
        parts = list(small.parts())
        starts = [(at, offset) for at, offset in parts if not offset // size & mask]
        moves: list[tuple[tuple[int, ...], int]] = []
        for basis in groups:
            moved = next((at for at, offset in parts if offset == basis * size), None)
            if moved is None:
                return None
            moves.append((moved, basis * size))
        return GroupBoxes(small, places, starts, moves)


def _cut(box: TileBox, elements: int) -> TileBox | None:
    """The same tile in boxes of at most so many elements, all of them lines below each other."""
    if not elements or elements * box.element_bytes >= box.box_bytes:
        return box
    strides = box.type.memref.strides.data
    lines = [dim for dim, stride in enumerate(strides) if stride == 1]
    inner = max(lines, key=lambda dim: box.box[dim])
    rows = [dim for dim, extent in enumerate(box.box) if extent > 1 and dim != inner]
    count = elements // box.box[inner]
    if len(rows) != 1 or not count:
        return None
    return replace(box, box=tuple(count if d == rows[0] else e for d, e in enumerate(box.box)))


def mark_group_stores(function: Operation, limit: int = BUFFER_BYTES) -> int:
    """
    Marks stores in loops that can have a buffer of their own, up to a limit in bytes, and returns
    how many they take. Where nothing follows, warpgroups gain nothing by going on (attention: 675
    instead of 682 TFLOP/s).
    """
    total, known = 0, set[tuple[TiledViewType, LinearLayout]]()
    for op in function.walk():
        op.attributes.pop(GROUP_STORE, None)
        if not isinstance(op, BoxAccess) or not has_atom(op, "tma_store", "tma_redg"):
            continue
        if isinstance(op.parent_op(), FuncOp):
            continue
        type, layout = op.view.type, layout_of(op.value.type)
        assert isinstance(type, TiledViewType)
        if layout is None or (boxes := GroupBoxes.of(type, layout)) is None:
            continue
        if not can_map(op.view):
            continue
        key = type, layout
        needed = 0 if key in known else boxes.box.bytes
        if total + needed <= limit:
            known.add(key)
            total += needed
            op.attributes[GROUP_STORE] = UnitAttr()
    return total


def group_store_bytes(function: Operation) -> int:
    """The bytes of buffers of stores that were marked."""
    sizes: dict[object, int] = {}
    for op in function.walk():
        if GROUP_STORE in op.attributes and isinstance(op, BoxAccess):
            assert isinstance(op.view.type, TiledViewType)
            box = TileBox.of(op.view.type)
            sizes[op.view.type, op.value.type] = 0 if box is None else box.bytes
    return sum(sizes.values())


def store_by_groups(code: ThreadCode, op: BoxAccess, copy: Copy) -> None:
    """Lets each warpgroup copy its boxes to a tile."""
    type, layout = op.view.type, code.layout(op.value)
    assert isinstance(type, TiledViewType)
    boxes = GroupBoxes.of(type, layout)
    if boxes is None:
        code.fail(op, "warpgroups share boxes of the tile")
    value = own_registers(code, code.value(op.value), layout)
    value = encode(code, value, type.element_type)
    buffer = code.buffers[type, layout]
    address = tensor_map(code, op.view, boxes.box.box, boxes.box.swizzle)
    with code.first_of_group_only():
        code.emit(TmaWaitGroupOp(0, read=True))
    _meet(code)
    write_places(code, code.shared_address(buffer), value, boxes.places, None)
    code.emit(FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA))
    _meet(code)
    with code.first_of_group_only():
        if not code.is_in_agent:
            acquire(code, address)
        group = code.group
        with unless_outside(code, op):
            for start, offset in boxes.starts:
                source = _moved(code, code.shared_address(buffer + offset), group, boxes)
                coordinates = box_coordinates(code, op.view, op.indices, start)
                coordinates = _move_coordinates(code, op, coordinates, group, boxes)
                coordinates = stored_coordinates(code, op, coordinates)
                code.emit(copy(source, address, coordinates))
        code.emit(TmaCommitGroupOp())


def allocate_store_buffers(code: ThreadCode) -> None:
    """Finds memory for the buffers of all stores; those of the same kind share one."""
    for op in code.function.walk():
        if GROUP_STORE not in op.attributes or not isinstance(op, BoxAccess):
            continue
        type, layout = op.view.type, code.layout(op.value)
        assert isinstance(type, TiledViewType)
        box = TileBox.of(type)
        if box is not None and (type, layout) not in code.buffers:
            start = code.shared.allocate(box.bytes, BOX_ALIGNMENT, "box to store", op)
            code.buffers[type, layout] = start


def _meet(code: ThreadCode) -> None:
    """The threads of a warpgroup wait for each other."""
    number = code.compute(arith.AddiOp, code.group, code.constant(FIRST_BARRIER))
    code.emit(BarrierOp(number, code.constant(GROUP_THREADS)))


def _bit(code: ThreadCode, group: SSAValue, bit: int, size: int) -> SSAValue:
    """A number if a bit of the number of the group is set, else 0."""
    shifted = code.compute(arith.ShRUIOp, group, code.constant(bit)) if bit else group
    single = code.compute(arith.AndIOp, shifted, code.constant(1))
    return code.compute(arith.MuliOp, single, code.constant(size))


def _moved(code: ThreadCode, address: SSAValue, group: SSAValue, boxes: GroupBoxes) -> SSAValue:
    for bit, (_, offset) in enumerate(boxes.moves):
        moved = index_pointer(address, _bit(code, group, bit, offset), i8, address.type)
        address = code.emit(moved).result
    return address


def _move_coordinates(
    code: ThreadCode,
    op: BoxAccess,
    coordinates: Sequence[SSAValue],
    group: SSAValue,
    boxes: GroupBoxes,
) -> list[SSAValue]:
    """The coordinates of a box of this warpgroup, given those of the first one."""
    result = list(coordinates)
    for bit, (start, _) in enumerate(boxes.moves):
        for place, dim in enumerate(map_dims(op.view)):
            if start[dim]:
                step = _bit(code, group, bit, start[dim])
                result[place] = code.emit(arith.AddiOp(result[place], step)).result
    return result
