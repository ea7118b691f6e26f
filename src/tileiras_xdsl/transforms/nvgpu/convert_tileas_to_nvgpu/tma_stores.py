"""
Stores by the tensor memory accelerator: a tile goes to scratch memory, from where it is copied as
whole boxes, while the kernel goes on.

    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #nv_tileas.atom<tma_store>} : …

becomes, with four boxes of 128x64 elements,

    nvgpu.stmatrix %x, %rows {num = 4 : i32, …} : vector<128xf16>, vector<16x!llvm.ptr<3>>
    nvgpu.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, …}
    gpu.barrier
    scf.if %first {
      nvgpu.tma.async.store %box0, %map[%j256, %i128] : !llvm.ptr<3>, !llvm.ptr
      …
      nvgpu.tma.commit_group
    }

Threads wait for the copies when scratch memory is needed again, or the kernel ends
(`ThreadCode.finish_copies`). A tile that is too large is stored in parts of some boxes each, all in
the same memory. Parts are chosen by registers: each thread writes its elements of a part.

Atomics on tiles go the same way (`tma_reductions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import i8
from xdsl.ir import Block, Operation, Region, SSAValue

from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, log2
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.tensor_boxes import TileBox, may_begin_outside
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.memory import TiledStoreOp
from tileiras_xdsl.dialects.nvgpu import FenceProxyOp, TmaAsyncStoreOp, TmaCommitGroupOp
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER, ProxyKind, SharedSpace
from tileiras_xdsl.targets.tma import MAX_RANK

from . import views
from .accesses import encode, own_registers
from .box_copies import (
    BoxAccess,
    Copy,
    box_coordinates,
    stored_coordinates,
    tile_facts,
    unless_outside,
    write_places,
    writes_only_inside,
)
from .group_stores import store_by_groups
from .tensor_maps import acquire, can_map, tensor_map
from .thread_code import BOX_ALIGNMENT, GROUP_STORE, ThreadCode, has_atom, lowers

STORE_ATOM: Final = "tma_store"
REDUCE_ATOM: Final = "tma_redg"
PART_BYTES: Final = 64 * 1024
"""The most scratch memory that a store takes."""


@dataclass(frozen=True)
class Part:
    """Boxes that are in scratch memory together."""

    registers: Sequence[int]
    """Those of each thread that hold the elements."""
    boxes: Sequence[tuple[tuple[int, ...], int]]
    """Where each begins: in the tile, by dimension of the tensor, and in scratch memory."""


@dataclass(frozen=True)
class Parts:
    """A tile, cut into parts that lie in scratch memory one after the other."""

    bytes: int
    """Of a part."""
    places: LinearLayout
    """The registers of a part to their numbers in scratch memory, in elements."""
    parts: Sequence[Part]

    @staticmethod
    def of(box: TileBox, layout: LinearLayout, limit: int) -> Parts | None:
        """
        The parts of a tile that registers hold in a layout without copies of others. None if they
        do not fit a limit in bytes: then some thread would have nothing to do.
        """
        size = box.element_bytes
        places = offsets_of(box.layout, layout)
        bits = len(box.layout.offset)
        if limit <= 0:
            return None
        count = 0
        while box.bytes >> count > limit:
            count += 1
        first = log2(box.box_bytes // size)
        free = [bit for bit in reversed(range(first, bits)) if _is_register_bit(places, bit)]
        if count > len(free):
            return None
        chosen = free[:count]
        fixed = [places.register.index(1 << bit) for bit in chosen]
        kept = [bit for bit in range(bits) if bit not in chosen]
        within = BitMap(
            tuple(1 << kept.index(bit) if bit in kept else 0 for bit in range(bits)),
        )
        rest = [basis for basis in places.register if basis not in {1 << bit for bit in chosen}]
        inside = places.replaced(register=rest).mapped(within, (1 << len(kept),))
        parts: list[Part] = []
        for number in range(1 << count):
            registers = [
                index
                for index in range(layout.registers)
                if all(index >> at & 1 == number >> i & 1 for i, at in enumerate(fixed))
            ]
            boxes = [
                (start, within.apply(offset // size) * size)
                for start, offset in box.parts()
                if all(offset // size >> b & 1 == number >> i & 1 for i, b in enumerate(chosen))
            ]
            parts.append(Part(registers, boxes))
        return Parts(box.bytes >> count, inside, parts)


def _is_register_bit(places: LinearLayout, bit: int) -> bool:
    """Whether one bit of registers, and nothing else, flips a bit of the places."""
    users = [basis for basis in places.all_bases if basis >> bit & 1]
    return users == [1 << bit] and 1 << bit in places.register


def tma_store_bytes(function: Operation) -> int:
    """How much scratch memory the stores of a kernel want, with what alignment may cost."""
    sizes = [
        min(box.bytes, PART_BYTES)
        for op in function.walk()
        if isinstance(op, BoxAccess)
        and has_atom(op, STORE_ATOM, REDUCE_ATOM)
        and GROUP_STORE not in op.attributes
        if (box := TileBox.of(_view_type(op))) is not None
    ]
    return max(sizes) + BOX_ALIGNMENT if sizes else 0


def _view_type(op: BoxAccess) -> TiledViewType:
    type = op.view.type
    assert isinstance(type, TiledViewType)
    return type


@lowers("nv_tileas.tiled_store")
def lower_tiled_store(code: ThreadCode, op: TiledStoreOp) -> None:
    """A store of boxes, if it is to be one and its parts fit, or one by all threads."""
    if _view_type(op).rank > MAX_RANK or not has_atom(op, STORE_ATOM):
        views.lower_tile_store(code, op)
    else:
        store_boxes(code, op, TmaAsyncStoreOp, lambda: views.lower_tile_store(code, op))


def store_boxes(code: ThreadCode, op: BoxAccess, copy: Copy, otherwise: Callable[[], None]) -> None:
    """
    Lets boxes be copied from shared memory to a tile, or does it in another way if there is no way
    to. Copies write whole units of 16 bytes: it depends on the size of the tensor, which may be
    known only when the kernel runs, whether these may be written.
    """
    store = _find_store(code, op, copy)
    if store is None:
        otherwise()
        return
    condition = writes_only_inside(code, op)
    if condition is None:
        store()
        return
    blocks: list[Block] = []
    for write in (store, otherwise):
        block = Block()
        blocks.append(block)
        with code.inside(block, op):
            write()
            code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(blocks[0]), Region(blocks[1])))


def _find_store(code: ThreadCode, op: BoxAccess, copy: Copy) -> Callable[[], None] | None:
    """What copies boxes, if something can."""
    if GROUP_STORE in op.attributes:
        return lambda: store_by_groups(code, op, copy)
    box = TileBox.of(_view_type(op))
    if box is None or not can_map(op.view) or may_begin_outside(tile_facts(code, op)):
        return None
    limit = min(PART_BYTES, code.shared.limit - code.shared.scratch_base)
    parts = Parts.of(box, code.layout(op.value).compressed(), limit)
    if parts is None:
        return None
    return lambda: _store_parts(code, op, box, parts, copy)


def _store_parts(code: ThreadCode, op: BoxAccess, box: TileBox, parts: Parts, copy: Copy) -> None:
    layout = code.layout(op.value)
    value = own_registers(code, code.value(op.value), layout)
    value = encode(code, value, box.type.element_type)
    owner = code.is_owner(layout.compressed())
    address = tensor_map(code, op.view, box.box, box.swizzle)
    for part in parts.parts:
        scratch = code.scratch(parts.bytes)
        chosen = code.select_registers(value, part.registers)
        write_places(code, scratch.address, chosen, parts.places, owner)
        code.emit(FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA))
        code.barrier()
        with code.first_only():
            if not code.is_in_agent:
                acquire(code, address)
            with unless_outside(code, op):
                for start, offset in part.boxes:
                    source = _move(code, scratch.address, offset)
                    coordinates = box_coordinates(code, op.view, op.indices, start)
                    coordinates = stored_coordinates(code, op, coordinates)
                    code.emit(copy(source, address, coordinates))
            code.emit(TmaCommitGroupOp())
        code.keep_for_copies(scratch)


def _move(code: ThreadCode, address: SSAValue, bytes: int) -> SSAValue:
    move = llvm.GEPOp(address, [bytes], i8, result_type=SHARED_POINTER, inbounds=True)
    return code.emit(move).result
