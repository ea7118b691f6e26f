"""
Tiles in shared memory: buffers, asynchronous copies into them (`cp.async`), and loads.

A tile in shared memory becomes the address of its first byte; its layout says where elements are. A
multi-stage buffer is a tensor without a layout: the concatenation of its stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from xdsl.dialects import scf, vector
from xdsl.dialects.builtin import VectorType, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import TileAxisInfo
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten, xor_all
from tileiras_xdsl.analysis.matrix_layouts import SharedRead, offsets_of
from tileiras_xdsl.dialects.arith import ExtUIOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncLoadOp, AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_stored
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, find_stage_read, get_vector
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
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentCpAsyncOp,
    FragmentLdMatrixOp,
    FragmentLoadOp,
    FragmentStoreOp,
    element_bits,
)
from tileiras_xdsl.targets.choices import CHUNKS_IN_FLIGHT
from tileiras_xdsl.targets.machine import BYTE_BITS
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import get_chunk_bytes
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import get_anchor_layout, memory_type
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import (
    decode,
    encode,
    get_width,
    move,
    replicated_registers,
    select_vectors,
    unique_registers,
)
from .barriers import shared_address
from .exchange import ElementOffsets, emit_offsets, vector_addresses
from .lowering_registry import lowers
from .tcgen05 import lower_place
from .thread_builder import (
    ThreadBuilder,
    all_of,
    concatenate,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
)
from .thread_index import apply_bases, get_coordinate_parts, is_owner, make_opaque
from .tma_stores import write_at_offsets
from .views import (
    OpFoldResult,
    add,
    clamp,
    get_tensor,
    get_tile_access,
    is_less,
    is_not_less,
    multiply,
    start_of_tile,
    value_of,
)

# Copies by `cp.async` of a tile whose rows are a stride apart that is not known, to where WGMMA
# reads it: the addresses of a thread advance from row to row.
#
#  %s1 = llvm.getelementptr %s0[%step]              pointers of a thread, one for each way in which
#  nvgpu.device_async_copy %s1, %d1, %c4            rows are swizzled
#
# So a copy takes two additions, of a 64-bit address, and no register of its own: products of
# stride and row, of which threads have as many as they copy chunks, would be hoisted out of the
# loop. Only a tile that is not in bounds as a whole has masks. Where chunks are not aligned,
# threads load elements and store chunks, at the same addresses.


@dataclass(frozen=True)
class Chunk:
    """A chunk of a tile, relative to the first one of a thread."""

    row: int
    column: int
    offset: int
    """In shared memory, in elements."""

    def __or__(self, other: Chunk) -> Chunk:
        return Chunk(self.row | other.row, self.column | other.column, self.offset | other.offset)


NO_CHUNK = Chunk(0, 0, 0)


@dataclass(frozen=True)
class RowCopies:
    """The chunks of a thread in order: each step is as many rows further, and has all lanes."""

    layout: LinearLayout
    width: int
    """Elements of a chunk."""
    has_partial_chunks: bool
    """Whether a row may end within a chunk."""
    rows: int
    """The dimension of rows."""
    columns: int
    """The contiguous dimension."""
    swizzles: Sequence[int]
    """What is XORed to where the thread writes, by lane."""
    lanes: Sequence[Chunk]
    repeats: Sequence[Chunk]
    """Chunks of the same row, beside each other."""
    steps: Sequence[Chunk]
    loaded: int | None = None
    """Elements that threads load at a time, if chunks are not aligned; they store whole chunks."""

    @staticmethod
    def of(
        layout: LinearLayout,
        offsets: ElementOffsets,
        width: int,
        columns: int,
        *,
        has_partial_chunks: bool,
    ) -> RowCopies | None:
        """The order of chunks of a thread; `None` if they are not rows and columns."""
        others = [dim for dim, extent in enumerate(layout.shape) if extent > 1 and dim != columns]
        if len(others) != 1:
            return None
        (rows,) = others
        used = 0
        for basis in (*offsets.lane, *offsets.warp):
            used |= basis
        bits: list[tuple[Chunk, int]] = []
        for bit in range(width.bit_length() - 1, layout.registers.bit_length() - 1):
            place = unflatten(layout.element(register=1 << bit), layout.shape)
            offset = offsets.registers[1 << bit]
            bits.append((Chunk(place[rows], place[columns], offset & ~used), offset & used))
        if any(a.offset & b.offset for (a, _), (b, _) in combinations(bits, 2)):
            return None
        fixed = [chunk for chunk, swizzle in bits if not swizzle]
        repeats = [chunk for chunk in fixed if not chunk.row]
        steps: list[Chunk] = []
        for chunk in sorted(fixed, key=lambda chunk: -chunk.row):
            if chunk.row and not chunk.column and (not steps or 2 * chunk.row == steps[0].row):
                steps.insert(0, chunk)
        swizzled = [each for each in bits if each[0] not in (*steps, *repeats)]
        lanes, swizzles = [NO_CHUNK], [0]
        for chunk, swizzle in swizzled:
            lanes += [each | chunk for each in lanes]
            swizzles += [each ^ swizzle for each in swizzles]
        order = lanes, _combine(repeats), _combine(steps)
        return RowCopies(layout, width, has_partial_chunks, rows, columns, swizzles, *order)


def _combine(bits: Sequence[Chunk]) -> list[Chunk]:
    """All combinations of chunks that are bits of an index, by that index."""
    found = [NO_CHUNK]
    for chunk in bits:
        found += [each | chunk for each in found]
    return found


@dataclass(frozen=True)
class Bounds:
    """Which coordinates of a tile are in bounds along a dimension: from start up to end, as i32."""

    dim: int
    start: SSAValue | None
    """None if the tile does not begin before the tensor."""
    end: SSAValue


def copy_rows(
    builder: ThreadBuilder,
    op: TiledLoadOp,
    copies: RowCopies,
    offsets: ElementOffsets,
    address: SSAValue,
) -> None:
    """Copies a tile of a view to an address in shared memory; out of bounds are zeros."""
    ty = op.view_type
    element = memory_type(ty.element_type)
    tensor = get_tensor(builder, op.view)
    strides = [tensor.strides[dim] for dim in ty.get_dim_map()]
    base = _find_first(builder, op, copies, strides, element)
    apart = strides[copies.rows]
    if not isinstance(apart, int):
        apart = _opaque_i64(builder, apart)
    starts = [
        add(builder, multiply(builder, apart, lane.row), lane.column) for lane in copies.lanes
    ]
    sources = _join(builder, [move(builder, base, value_of(builder, s), element) for s in starts])
    thread = apply_bases(builder, offsets.lane, offsets.warp)
    places = builder.constant_vector(list(copies.swizzles))
    if thread is not None:
        places = builder.binary("xor", splat(builder, thread, len(copies.lanes)), places)
    first = builder.constant_vector([lane.offset for lane in copies.lanes])
    places = builder.binary("add", places, first)
    targets = index_pointers(builder, address, places, element)
    step = copies.steps[1].row if len(copies.steps) > 1 else 0
    further = value_of(builder, multiply(builder, apart, step))
    bounds = _find_bounds(builder, op)
    emit = _Emitter(builder, copies, element, sources, targets, further)
    if not bounds:
        emit.all_chunks([])
        return
    condition = all_of(builder, [*_find_conditions(builder, bounds, copies.layout.shape)])
    assert condition is not None
    inside, outside = Block(), Block()
    with builder.at_end_of(inside):
        emit.all_chunks([])
        builder.emit(scf.YieldOp())
    # Masks of rows would be hoisted out of the loop as well.
    bounds = [
        Bounds(
            each.dim,
            None if each.start is None else make_opaque(builder, each.start),
            make_opaque(builder, each.end),
        )
        if each.dim == copies.rows
        else each
        for each in bounds
    ]
    with builder.at_end_of(outside):
        emit.all_chunks(bounds)
        builder.emit(scf.YieldOp())
    builder.emit(scf.IfOp(condition, [], Region(inside), Region(outside)))


def _find_first(
    builder: ThreadBuilder,
    op: TiledLoadOp,
    copies: RowCopies,
    strides: Sequence[OpFoldResult],
    element: Attribute,
) -> SSAValue:
    """The address of the first chunk of a thread."""
    ty, base = op.view_type, get_tensor(builder, op.view).base
    origin: OpFoldResult = 0
    own: OpFoldResult = 0
    for dim, (step, index) in enumerate(zip(ty.get_steps(), op.indices, strict=True)):
        start = start_of_tile(builder, index, step)
        origin = add(builder, origin, multiply(builder, start, strides[dim]))
        thread, _ = get_coordinate_parts(builder, copies.layout, dim, copies.width)
        if thread is not None:
            wide = builder.get_or_emit(ExtUIOp, thread, i64)
            own = add(builder, own, multiply(builder, wide, strides[dim]))
    for part in (origin, own):
        if part != 0:
            base = move(builder, base, value_of(builder, part), element)
    return base


def _find_bounds(builder: ThreadBuilder, op: TiledLoadOp) -> list[Bounds]:
    """The bounds of a tile along the dimensions where it is not known to be in bounds."""
    ty = op.view_type
    assert isinstance(ty, TiledViewType)
    tensor = get_tensor(builder, op.view)
    in_bounds = op.get_in_bounds() or [False] * ty.rank
    found: list[Bounds] = []
    for dim, (step, index) in enumerate(zip(ty.get_steps(), op.indices, strict=True)):
        if in_bounds[dim]:
            continue
        extent, size = ty.get_tile_shape()[dim], tensor.sizes[ty.get_dim_map()[dim]]
        negated = multiply(builder, start_of_tile(builder, index, step), -1)
        end = clamp(builder, add(builder, size, negated), extent)
        is_negative = builder.kernel.model.axis_info[index].low < 0
        found.append(Bounds(dim, clamp(builder, negated, extent) if is_negative else None, end))
    return found


def _find_conditions(
    builder: ThreadBuilder, bounds: Sequence[Bounds], shape: Sequence[int]
) -> Iterator[SSAValue]:
    """What holds if a tile is in bounds as a whole; threads agree about that."""
    for each in bounds:
        yield builder.compare("eq", each.end, shape[each.dim])
        if each.start is not None:
            yield builder.compare("eq", each.start, 0)


@dataclass(frozen=True)
class _Emitter:
    """Emits the copies of a thread, given the pointers of its lanes."""

    builder: ThreadBuilder
    copies: RowCopies
    element: Attribute
    sources: SSAValue
    targets: SSAValue
    further: SSAValue
    """How far apart steps are in global memory, in elements."""

    def all_chunks(self, bounds: Sequence[Bounds]) -> None:
        """Copies all chunks of a thread; out of some bounds are zeros."""
        builder, copies = self.builder, self.copies
        size = copies.width * element_bits(self.element) // 8
        sources = self.sources
        count = len(copies.lanes)
        pending: list[tuple[SSAValue, SSAValue]] = []
        for number, step in enumerate(copies.steps):
            if number:
                further = splat(builder, self.further, count)
                sources = builder.emit(
                    index_pointer(sources, further, self.element, sources.type)
                ).result
            for repeat in copies.repeats:
                source = self._move(sources, repeat.column)
                target = self._move(self.targets, step.offset | repeat.offset)
                if copies.loaded is None:
                    mask = self._mask_or_bytes(bounds, step.row, repeat.column)
                    builder.emit(FragmentCpAsyncOp(target, source, mask, size))
                    continue
                value = self._load(source, bounds, step.row, repeat.column, copies.loaded)
                pending.append((value, target))
                if count * len(pending) > CHUNKS_IN_FLIGHT:
                    self._store(pending[:1])
                    del pending[0]
        self._store(pending)

    def _load(
        self, source: SSAValue, bounds: Sequence[Bounds], row: int, column: int, loaded: int
    ) -> SSAValue:
        """Loads a chunk of each lane, some elements at a time."""
        builder, copies = self.builder, self.copies
        count, size = len(copies.lanes), element_bits(self.element) // 8
        parts: list[SSAValue] = []
        for first in range(0, copies.width, loaded):
            addresses = self._move(source, first)
            mask = self._mask_or_bytes(bounds, row, column + first)
            ty = VectorType(self.element, [count * loaded])
            load = FragmentLoadOp(addresses, result_type=ty, mask=mask, alignment=loaded * size)
            parts.append(builder.emit(load).result)
        order = [
            (each // loaded) * count * loaded + lane * loaded + each % loaded
            for lane in range(count)
            for each in range(copies.width)
        ]
        return select_registers(builder, concatenate(builder, parts), order)

    def _store(self, pending: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Stores whole chunks."""
        size = self.copies.width * element_bits(self.element) // 8
        for value, target in pending:
            self.builder.emit(FragmentStoreOp(value, target, alignment=size))

    def _move(self, pointers: SSAValue, elements: int) -> SSAValue:
        if not elements:
            return pointers
        by = self.builder.constant_vector([elements] * len(self.copies.lanes))
        return self.builder.emit(index_pointer(pointers, by, self.element, pointers.type)).result

    def _mask_or_bytes(self, bounds: Sequence[Bounds], row: int, column: int) -> SSAValue | None:
        """Which lanes are in bounds, or how many bytes of them, if rows may end within a chunk."""
        builder, copies = self.builder, self.copies
        partial = [
            each for each in bounds if each.dim == copies.columns and copies.has_partial_chunks
        ]
        # Chunks are aligned, so none begins before the tensor and ends in it.
        masks = [self._is_above(each, row, column) for each in bounds]
        masks += [self._is_below(each, row, column) for each in bounds if each not in partial]
        mask = all_of(builder, masks)
        if not partial:
            return mask
        count = len(copies.lanes)
        none, whole, size = (
            builder.constant_vector([number] * count)
            for number in (0, copies.width, element_bits(self.element) // 8)
        )
        left = self._moved(partial[0].end, copies.columns, 0, column)
        if (own := self._thread(copies.columns)) is not None:
            left = builder.binary("sub", left, own)
        left = builder.binary("smax", left, none)
        left = builder.binary("smin", left, whole)
        left = builder.binary("mul", left, size)
        return left if mask is None else builder.select(mask, left, none)

    def _thread(self, dim: int) -> SSAValue | None:
        """The coordinate of the thread along a dimension, for each lane; `None` if it is 0."""
        copies = self.copies
        thread, _ = get_coordinate_parts(self.builder, copies.layout, dim, copies.width)
        return None if thread is None else splat(self.builder, thread, len(copies.lanes))

    def _moved(self, bound: SSAValue, dim: int, row: int, column: int) -> SSAValue:
        """
        What a bound along a dimension is for the coordinate of the thread, by lane: coordinates of
        lanes would have registers of their own throughout the loop.
        """
        builder, copies = self.builder, self.copies
        further = [
            {copies.rows: row + lane.row, copies.columns: column + lane.column}.get(dim, 0)
            for lane in copies.lanes
        ]
        bounds = splat(builder, bound, len(further))
        if not any(further):
            return bounds
        return builder.binary("sub", bounds, builder.constant_vector(further))

    def _is_below(self, bounds: Bounds, row: int, column: int) -> SSAValue:
        """Which lanes do not begin after the end of the tensor along a dimension."""
        own = self._thread(bounds.dim) or self.builder.constant_vector([0] * len(self.copies.lanes))
        end = self._moved(bounds.end, bounds.dim, row, column)
        return self.builder.emit(is_less(own, end)).result

    def _is_above(self, bounds: Bounds, row: int, column: int) -> SSAValue | None:
        """Which lanes do not begin before the tensor along a dimension; `None` if none does."""
        if bounds.start is None:
            return None
        own = self._thread(bounds.dim) or self.builder.constant_vector([0] * len(self.copies.lanes))
        start = self._moved(bounds.start, bounds.dim, row, column)
        return self.builder.emit(is_not_less(own, start)).result


def _join(builder: ThreadBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """A vector of pointers."""
    return concatenate(builder, [splat(builder, value, 1) for value in values])


def _opaque_i64(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """The same number, of which the compiler knows nothing outside of a loop."""
    shift = builder.constant(32, i64)
    halves: list[SSAValue] = []
    for half in (value, builder.binary("lshr", value, shift)):
        word = make_opaque(builder, builder.cast("trunc", half, i32))
        halves.append(builder.cast("zext", word, i64))
    high = builder.binary("shl", halves[1], shift)
    return builder.binary("or", high, halves[0])


SHARED = "shared"
COPY_BYTES = 16


def is_shared(value: SSAValue) -> bool:
    """Whether a tensor lies in shared memory."""
    return get_memory(value.type) == SHARED


def element_bytes(element: Attribute) -> int:
    """The bytes of an element in shared memory."""
    return element_bits(memory_type(element)) // 8


@lowers(AllocTensorOp)
def lower_alloc_tensor(builder: ThreadBuilder, op: AllocTensorOp) -> None:
    if op.get_memory() == TMEM:
        lower_place(builder, op)
        return
    (buffer,) = get_buffers(op)
    builder.map(op.result, shared_address(builder, buffer.offset))


@lowers(ExtractSliceOp)
def lower_extract_slice(builder: ThreadBuilder, op: ExtractSliceOp) -> None:
    whole, part = get_shape(op.source.type), get_shape(op.result.type)
    if not is_shared(op.result) or is_shared(op.source) or whole[1:] != part:
        fail(op, "only whole stages of a multi-stage buffer in shared memory can be extracted")
    size = prod(part) * element_bytes(get_element(op.result.type))
    stage = builder.lookup(op.indices[0])
    offset = builder.binary("mul", stage, size)
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
        axis_info = builder.kernel.model.axis_info
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


@lowers(AsyncTiledLoadOp)
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


@lowers(AsyncLoadOp)
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


@lowers(CopyOp)
def lower_copy(builder: ThreadBuilder, op: CopyOp) -> None:
    """Between registers and shared memory, in plain accesses."""
    source, result = op.source, op.result
    element = get_element(result.type)
    stored = memory_type(element)
    if is_shared(source) and not is_shared(result):
        full = builder.layout(result)
        layout = full.compressed()
        # Whoever reads a pipeline has waited for all that wrote it; else, a thread may have waited
        # for its own copies alone, and must not read those of others.
        is_stage = find_stage_read(source) is not None
        matrices = is_stage and builder.kernel.target.has("ldmatrix")
        value = read_shared(builder, source, layout, stored, ldmatrix=matrices)
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
    source: SSAValue,
    registers: LinearLayout,
    element: Attribute,
    *,
    ldmatrix: bool,
) -> SSAValue:
    """
    The registers of a tile in shared memory, in the order in which the fewest instructions read
    them, and then in their own. With `ldmatrix` threads may read for each other.
    """
    address, shared = builder.lookup(source), builder.layout(source)
    bits = element_bits(element)
    read = SharedRead.plan(shared, registers, bits, ldmatrix=ldmatrix)
    count = registers.registers
    if read.matrices is not None:
        half = element if bits == 2 * BYTE_BITS else i16
        words = VectorType(half, [count * bits // (2 * BYTE_BITS)])
        rows = vector_addresses(builder, address, read.matrices, half)
        load = FragmentLdMatrixOp(rows, words, read.matrices.count, read.matrices.transposed)
        value = builder.emit(load).result
        if half != element:
            value = builder.emit(vector.BitcastOp(value, VectorType(element, [count]))).result
    else:
        offsets = ElementOffsets.of(read.offsets)
        addresses = index_pointers(
            builder, address, emit_offsets(builder, offsets, read.width), element
        )
        result = VectorType(element, [count])
        load = FragmentLoadOp(addresses, result_type=result, alignment=bits // 8 * read.width)
        value = builder.emit(load).result
    places = {xor_all([1 << bit for bit in read.order], place): place for place in range(count)}
    return select_registers(builder, value, [places[number] for number in range(count)])
