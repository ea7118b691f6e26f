"""
Tiles in shared memory: buffers, asynchronous copies into them (`cp.async`), and loads.

A tile in shared memory becomes the address of its first byte; its layout says where elements are. A
multi-stage buffer is a tensor without a layout: the concatenation of its stages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import offsets_of
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncLoadOp, AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, get_vector
from tileiras_xdsl.dialects.nv_tileas.memory import (
    AllocTensorOp,
    CopyOp,
    GatherLoadOp,
    LoadOp,
    TiledLoadOp,
)
from tileiras_xdsl.dialects.nv_tileas.shape import ExtractSliceOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import TMEM
from tileiras_xdsl.dialects.nvvm.fragment_matrices import FragmentCpAsyncOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, element_bits
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import (
    StagedLoad,
    get_chunk_bytes,
    is_stored,
)
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import get_anchor_layout
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import memory_type
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import (
    decode,
    encode,
    get_width,
    replicated_registers,
    select_vectors,
    unique_registers,
)
from .barriers import shared_address
from .exchange import ElementOffsets, emit_offsets
from .lowering_registry import lowers
from .row_copies import RowCopies, copy_rows
from .tcgen05 import lower_place
from .thread_builder import ThreadBuilder
from .thread_index import is_owner
from .tma_coordinates import write_at_offsets
from .vectors import index_pointer, index_pointers
from .views import get_tile_access

SHARED = "shared"
COPY_BYTES = 16


def is_shared(value: SSAValue) -> bool:
    """Whether a tensor lies in shared memory."""
    return get_memory(value.type) == SHARED


def element_bytes(element: Attribute) -> int:
    """The bytes of an element in shared memory."""
    return element_bits(memory_type(element)) // 8


@lowers("nv_tileas.alloc_tensor")
def lower_alloc_tensor(builder: ThreadBuilder, op: AllocTensorOp) -> None:
    if op.get_memory() == TMEM:
        lower_place(builder, op)
        return
    (buffer,) = get_buffers(op)
    builder.map(op.result, shared_address(builder, buffer.offset))


@lowers("nv_tileas.extract_slice")
def lower_extract_slice(builder: ThreadBuilder, op: ExtractSliceOp) -> None:
    whole, part = get_shape(op.source.type), get_shape(op.result.type)
    if not is_shared(op.result) or is_shared(op.source) or whole[1:] != part:
        fail(op, "only whole stages of a multi-stage buffer in shared memory can be extracted")
    size = prod(part) * element_bytes(get_element(op.result.type))
    stage = builder.lookup(op.indices[0])
    offset = builder.emit(arith.MuliOp(stage, builder.constant(size, stage.type))).result
    base = builder.lookup(op.source)
    builder.map(op.result, builder.emit(index_pointer(base, offset, i8, base.type)).result)


def shared_offsets(shared: LinearLayout, registers: LinearLayout) -> ElementOffsets:
    """Where in shared memory the registers of threads are, in elements."""
    return ElementOffsets.of(offsets_of(shared, registers))


@dataclass(frozen=True)
class CopyShape:
    """How the threads of a CTA copy a tile to shared memory."""

    layout: LinearLayout
    """Which thread copies what."""
    offsets: ElementOffsets
    element: Attribute
    width: int
    """Elements of one copy."""

    @staticmethod
    def of(
        builder: ThreadBuilder,
        op: AsyncTiledLoadOp | AsyncLoadOp | StagedLoad,
        destination: SSAValue,
    ) -> CopyShape:
        """How a tile is copied that is a buffer, or is to be in one."""
        ty = destination.type
        layout = get_anchor_layout(op, LAYOUT, ty)
        if layout is None or not is_shared(destination):
            fail(op, "copies go to shared memory, by threads in a layout")
        layout = layout.compressed()
        if is_owner(builder, layout) is not None:
            fail(op, "expects a layout in which every thread has elements of its own")
        element = get_element(ty)
        size = element_bytes(element)
        offsets = shared_offsets(builder.layout(destination), layout)
        width = min(get_width(op, layout, element), offsets.width, COPY_BYTES // size)
        if isinstance(op, TiledLoadOp) and is_stored(op):
            width = get_chunk_bytes(op) // size
        if width * size < 4:
            fail(op, f"copies have 4, 8 or 16 bytes, but elements can be copied {width} at a time")
        return CopyShape(layout, offsets, element, width)

    def find_rows(self, builder: ThreadBuilder, op: TiledLoadOp) -> RowCopies | None:
        """The rows of a view that threads copy; `None` if each chunk has an address of its own."""
        vector = get_vector(op)
        if vector is None:
            return None
        axis_info = builder.kernel.axis_info
        tile = TileAxisInfo.of(op.view, op.indices, axis_info, op.get_in_bounds())
        loaded = tile.vector_width(vector.dim)
        is_partial = loaded < self.width
        place = self.layout, self.offsets, self.width, vector.dim
        rows = RowCopies.of(*place, has_partial_chunks=is_partial and not is_stored(op))
        if rows is None and is_partial:
            fail(op, "only chunks of rows may be partially in bounds")
        return replace(rows, loaded=loaded) if rows is not None and is_stored(op) else rows

    def emit(
        self,
        builder: ThreadBuilder,
        address: SSAValue,
        addresses: SSAValue,
        mask: SSAValue | None,
    ) -> None:
        """Copies vectors to a tile at an address; those that the mask leaves out become zeros."""
        element = memory_type(self.element)
        offsets = emit_offsets(builder, self.offsets, self.width)
        targets = index_pointers(builder, address, offsets, element)
        size = self.width * element_bytes(self.element)
        builder.emit(FragmentCpAsyncOp(targets, addresses, mask, size))


@lowers("nv_tileas.async.tiled_load")
def lower_async_tiled_load(builder: ThreadBuilder, op: AsyncTiledLoadOp) -> None:
    copy_of_view(builder, op, op.destination, builder.lookup(op.destination))


def copy_of_view(
    builder: ThreadBuilder,
    op: AsyncTiledLoadOp | TiledLoadOp | GatherLoadOp,
    tile: SSAValue,
    address: SSAValue,
) -> None:
    """Copies to a tile at an address in shared memory; what is out of bounds becomes zeros."""
    shape = CopyShape.of(builder, op, tile)
    if isinstance(op, TiledLoadOp) and (copies := shape.find_rows(builder, op)) is not None:
        copy_rows(builder, op, copies, shape.offsets, address)
        return
    access = get_tile_access(builder, op, op.view, op.indices, shape.layout, shape.width).get()
    shape.emit(builder, address, access.addresses, access.mask)


@lowers("nv_tileas.async.load")
def lower_async_load(builder: ThreadBuilder, op: AsyncLoadOp) -> None:
    if op.other is not None:
        fail(op, "copies pad with zero")
    copy_through_pointers(builder, op, op.destination, builder.lookup(op.destination))


def copy_through_pointers(
    builder: ThreadBuilder, op: AsyncLoadOp | LoadOp, tile: SSAValue, address: SSAValue
) -> None:
    """Copies to a tile at an address in shared memory; what the mask leaves out becomes zeros."""
    shape = CopyShape.of(builder, op, tile)
    full = builder.layout(op.pointer)
    if full.compressed() != shape.layout:
        fail(op, f"expects the layout of '{op.pointer.type}'")

    def first_of_vectors(value: SSAValue) -> SSAValue:
        registers = unique_registers(builder, builder.lookup(value), full)
        return select_vectors(builder, registers, shape.width)

    mask = None if op.mask is None else first_of_vectors(op.mask)
    shape.emit(builder, address, first_of_vectors(op.pointer), mask)


@lowers("nv_tileas.copy")
def lower_copy(builder: ThreadBuilder, op: CopyOp) -> None:
    """Between registers and shared memory, in plain accesses."""
    source, result = op.source, op.result
    element = get_element(result.type)
    stored = memory_type(element)
    if is_shared(source) and not is_shared(result):
        full = builder.layout(result)
        layout = full.compressed()
        value = read_shared(builder, builder.lookup(source), builder.layout(source), layout, stored)
        builder.map(result, replicated_registers(builder, decode(builder, value, element), full))
        return
    if is_shared(source) or op.destination is None:
        fail(op, f"cannot copy '{source.type}' to '{result.type}'")
    full = builder.layout(source)
    layout = full.compressed()
    value = encode(builder, unique_registers(builder, builder.lookup(source), full), element)
    address = builder.lookup(op.destination)
    offsets = offsets_of(builder.layout(result), layout)
    write_at_offsets(builder, address, value, offsets, is_owner(builder, layout))
    builder.map(result, address)


def read_shared(
    builder: ThreadBuilder,
    address: SSAValue,
    shared: LinearLayout,
    registers: LinearLayout,
    element: Attribute,
) -> SSAValue:
    """The registers of a tile in shared memory, in plain accesses."""
    offsets = shared_offsets(shared, registers)
    width = min(offsets.width, COPY_BYTES * 8 // element_bits(element))
    addresses = index_pointers(builder, address, emit_offsets(builder, offsets, width), element)
    result = VectorType(element, [registers.registers])
    alignment = element_bits(element) // 8 * width
    return builder.emit(FragmentLoadOp(addresses, result_type=result, alignment=alignment)).result
