"""
Tiles of views: addresses, bounds, and padding.

Accesses are vectorized as `nv_tileas.vector` says, as far as consecutive registers of the layout
are contiguous along its dimension. Whoever chose the vector has proved that it is aligned,
contiguous in memory, and in or out of bounds as a whole. Bounds are checked along the dimensions
that `in_bounds` does not exempt.

The tensor of coordinates of a gathered or scattered tile has the layout of the tile without its
other dimensions (`coordinate_layout`), or one that has the same numbers in other registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IntegerType, VectorType, i8, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import FAR, may_be_far
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.analysis.matrix_layouts import coordinate_layout
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import CmpiOp, ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits
from tileiras_xdsl.dialects.nv_tileaa.types import PADDINGS, MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    MakeMemrefOp,
    TiledAccess,
    TileStore,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import get_vector
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, PadOp, ScatterStoreOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import MAP_STATE_BYTES
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import FragmentAtomicRMWOp, count_lanes
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import is_packed, memory_type
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import (
    Order,
    VectorAccess,
    decode,
    encode,
    get_width,
    load_consistent,
    load_vectors,
    make_consistent,
    move,
    owned,
    register_map,
    replicated_registers,
    select_vectors,
    splat_bits,
    store_vectors,
    unique_registers,
)
from .barriers import only_if, shared_address
from .lowering_registry import lowers
from .thread_builder import (
    RebuiltMap,
    ThreadBuilder,
    all_of,
    concatenate,
    extend_index,
    index_pointer,
    index_pointers,
    select_registers,
)
from .thread_index import (
    get_coordinate_parts,
    get_coordinates,
    get_warpgroup,
    is_first_of_warpgroup,
)

OpFoldResult = int | SSAValue
"""A constant, or an i64, as in MLIR."""

I32_LIMIT = 1 << 31


@dataclass(frozen=True)
class StridedTensor:
    """A strided tensor in memory."""

    base: SSAValue
    sizes: Sequence[OpFoldResult]
    strides: Sequence[OpFoldResult]


# Views


@lowers(MakeMemrefOp)
def lower_make_memref(builder: ThreadBuilder, op: MakeMemrefOp) -> None:
    ty = op.result.type
    assert isinstance(ty, MemRefType)
    base = builder.lookup(op.base)
    if op.offset is not None:
        offset = extend_index(builder, builder.lookup(op.offset))
        if is_packed(ty.element_type):
            offset = builder.binary("ashr", offset, 1)
        base = move(builder, base, offset, memory_type(ty.element_type))
    extents = [extend_index(builder, builder.lookup(value)) for value in (*op.sizes, *op.strides)]
    builder.map(op.result, base, *extents)
    if builder.kernel.maps.rebuilt:
        mark_out_of_date(builder, op)


@lowers(BlockTileOp)
def lower_block_tile(builder: ThreadBuilder, op: BlockTileOp) -> None:
    builder.map(op.result, *builder.lookup_all(op.memref))


def get_tensor(builder: ThreadBuilder, view: SSAValue) -> StridedTensor:
    """The tensor that a view, or a tile of it, is of."""
    ty = view.type
    memref = ty.memref if isinstance(ty, TiledViewType) else ty
    assert isinstance(memref, MemRefType)
    base, *dynamic = builder.lookup_all(view)
    rest = iter(dynamic)
    sizes = [next(rest) if size is None else size for size in memref.shape.data]
    strides = [next(rest) if stride is None else stride for stride in memref.strides.data]
    return StridedTensor(base, sizes, strides)


@lowers(GetTensorShapeOp)
def lower_get_tensor_shape(builder: ThreadBuilder, op: GetTensorShapeOp) -> None:
    for result, size in zip(op.sizes, get_tensor(builder, op.source).sizes, strict=True):
        builder.map(result, narrow(builder, size, result.type))


@lowers(GetIndexSpaceShapeOp)
def lower_get_index_space_shape(builder: ThreadBuilder, op: GetIndexSpaceShapeOp) -> None:
    ty = op.source.type
    assert isinstance(ty, TiledViewType)
    sizes = get_tensor(builder, op.source).sizes
    for dim, result in enumerate(op.counts):
        size, step = sizes[ty.get_dim_map()[dim]], ty.get_steps()[dim]
        if isinstance(size, int):
            count: OpFoldResult = -(-size // step)
        elif step == 1:
            count = size
        else:
            last = add(builder, size, step - 1)
            if step & (step - 1):
                by = builder.constant(step, i64)
                count = builder.emit(arith.FloorDivSIOp(value_of(builder, last), by)).result
            else:
                by = builder.constant(step.bit_length() - 1, i64)
                count = builder.binary("ashr", value_of(builder, last), by)
        builder.map(result, narrow(builder, count, result.type))


MAP_INDEX: Final = 0
MAP_IS_OUT_OF_DATE: Final = 4
"""Offsets in what a kernel knows, in shared memory, of a tensor map that it rebuilds."""


def mark_out_of_date(builder: ThreadBuilder, op: MakeMemrefOp) -> None:
    """Where a tensor is defined: from here on its maps are those of another tensor."""
    for key, rebuilt in builder.kernel.maps.rebuilt.items():
        if key.memref is not op.result:
            continue
        if rebuilt.by_warpgroups:
            with only_if(builder, is_first_of_warpgroup(builder)):
                write_state(builder, rebuilt, MAP_IS_OUT_OF_DATE, builder.constant(1))
        else:
            write_state(builder, rebuilt, MAP_IS_OUT_OF_DATE, builder.constant(1))


def own_address(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int, size: int) -> SSAValue:
    """An address in shared memory, where each warpgroup has this many bytes if it has a map."""
    address = shared_address(builder, offset)
    if not rebuilt.by_warpgroups:
        return address
    index = builder.binary("mul", get_warpgroup(builder), size)
    return builder.emit(index_pointer(address, index, i8, SHARED_POINTER)).result


def read_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int) -> SSAValue:
    """A number of the state of a map."""
    address = own_address(builder, rebuilt, rebuilt.state + offset, MAP_STATE_BYTES)
    return builder.emit(llvm.LoadOp(address, i32, alignment=4)).dereferenced_value


def write_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int, value: SSAValue) -> None:
    """Writes a number of the state of a map."""
    address = own_address(builder, rebuilt, rebuilt.state + offset, MAP_STATE_BYTES)
    builder.emit(llvm.StoreOp(value, address, alignment=4))


def narrow(builder: ThreadBuilder, value: OpFoldResult, ty: Attribute) -> SSAValue:
    """An integer of a type, cut to its bits."""
    assert isinstance(ty, IntegerType)
    if isinstance(value, int) or ty == i64:
        return value_of(builder, value, ty)
    return builder.emit(TruncIOp(value, ty)).result


# Numbers


def multiply(builder: ThreadBuilder, first: OpFoldResult, second: OpFoldResult) -> OpFoldResult:
    """A product of i64."""
    if isinstance(first, int):
        first, second = second, first
    if isinstance(first, int) and isinstance(second, int):
        return first * second
    if second == 1:
        return first
    if second == 0:
        return 0
    return builder.get_or_emit(arith.MuliOp, value_of(builder, first), value_of(builder, second))


def add(builder: ThreadBuilder, first: OpFoldResult, second: OpFoldResult) -> OpFoldResult:
    """A sum of i64."""
    if isinstance(first, int) and isinstance(second, int):
        return first + second
    if first == 0:
        return second
    if second == 0:
        return first
    return builder.get_or_emit(arith.AddiOp, value_of(builder, first), value_of(builder, second))


def fold_integer(builder: ThreadBuilder, value: SSAValue) -> OpFoldResult:
    """The constant that an integer is known to be, or its converted value as an i64."""
    info = builder.kernel.model.axis_info[value]
    return info.low if info.low == info.high else extend_index(builder, builder.lookup(value))


def start_of_tile(builder: ThreadBuilder, index: SSAValue, step: int) -> OpFoldResult:
    """
    Where a tile begins along a dimension, in elements. An index with which the product would wrap
    around is far outside of the tensor, and stays there.
    """
    value = fold_integer(builder, index)
    far = FAR // step
    if isinstance(value, int):
        return min(max(value, -far), far) * step
    if may_be_far(builder.kernel.model.axis_info[index], step):
        value = builder.get_or_emit(arith.MaxSIOp, value, builder.constant(-far, i64))
        value = builder.get_or_emit(arith.MinSIOp, value, builder.constant(far, i64))
    return multiply(builder, value, step)


def value_of(builder: ThreadBuilder, folded: OpFoldResult, ty: IntegerType = i64) -> SSAValue:
    """As an SSA value."""
    return builder.constant(folded, ty) if isinstance(folded, int) else folded


# Addresses


@dataclass
class Offsets:
    """
    Offsets of the vectors of a tile in elements, as a sum of parts: `origin` is uniform, `thread`
    and `small` depend on the thread, `constants` on the register alone, `vector` on both. Kept
    apart, the uniform part is computed in uniform registers and the constants become immediates.
    """

    builder: ThreadBuilder
    count: int
    origin: OpFoldResult = 0
    thread: OpFoldResult = 0
    small: SSAValue | None = None
    """A part that depends on the thread, as a nonnegative i32: 32-bit arithmetic is cheaper."""
    limit: int = 1
    """An upper bound of `small`, exclusive."""
    constants: list[int] = field(default_factory=list[int])
    vector: SSAValue | None = None

    def __post_init__(self):
        self.constants = [0] * self.count

    def add_coordinates(
        self, layout: LinearLayout, dim: int, width: int, stride: OpFoldResult
    ) -> None:
        """Adds the coordinates of vectors along a dimension, times a stride."""
        builder = self.builder
        thread, registers = get_coordinate_parts(builder, layout, dim, width)
        used = _thread_bits(layout, dim)
        if any(used & each for each in registers):
            self.add_vector(
                extend_index(builder, get_coordinates(builder, layout, dim, width)), stride
            )
            return
        if thread is not None:
            self._add_thread(thread, used, stride)
        if isinstance(stride, int):
            pairs = zip(self.constants, registers, strict=True)
            self.constants = [old + stride * each for old, each in pairs]
        elif any(registers):
            self.add_vector(builder.constant_vector(registers, i64), stride)

    def _add_thread(self, thread: SSAValue, most: int, stride: OpFoldResult) -> None:
        builder = self.builder
        if isinstance(stride, int) and self.limit + most * stride < I32_LIMIT:
            if stride != 1:
                thread = builder.get_or_emit(arith.MuliOp, thread, builder.constant(stride))
            self.small = _sum(builder, self.small, thread)
            self.limit += most * stride
        else:
            wide = builder.get_or_emit(ExtUIOp, thread, i64)
            self.thread = add(builder, self.thread, multiply(builder, wide, stride))

    def add_vector(self, values: SSAValue, stride: OpFoldResult) -> None:
        """Adds an i64 for each vector, times a stride."""
        builder = self.builder
        if stride != 1:
            scale = get_splat(builder, value_of(builder, stride), self.count)
            values = builder.get_or_emit(arith.MuliOp, values, scale)
        self.vector = _sum(builder, self.vector, values)

    def _thread_part(self) -> OpFoldResult:
        if self.small is None:
            return self.thread
        return add(self.builder, self.thread, self.builder.get_or_emit(ExtUIOp, self.small, i64))

    def _register_part(self) -> SSAValue:
        known = self.builder.constant_vector(self.constants, i64)
        if self.vector is None:
            return known
        return _sum(self.builder, self.vector, known) if any(self.constants) else self.vector

    def addresses(self, base: SSAValue, element: Attribute) -> SSAValue:
        """The addresses of the vectors."""
        for part in (self.origin, self._thread_part()):
            if part != 0:
                base = move(self.builder, base, value_of(self.builder, part), element)
        return index_pointers(self.builder, base, self._register_part(), element)

    def total(self) -> SSAValue:
        """The offsets as one vector of i64."""
        start = add(self.builder, self.origin, self._thread_part())
        if start == 0:
            return self._register_part()
        start_vector = get_splat(self.builder, value_of(self.builder, start), self.count)
        return _sum(self.builder, start_vector, self._register_part())


def _thread_bits(layout: LinearLayout, dim: int) -> int:
    """The bits of a coordinate that depend on lane and warp."""
    used = 0
    for basis in (*layout.lane, *layout.warp):
        used |= unflatten(basis, layout.shape)[dim]
    return used


def _sum(builder: ThreadBuilder, first: SSAValue | None, second: SSAValue) -> SSAValue:
    return second if first is None else builder.get_or_emit(arith.AddiOp, first, second)


@dataclass(frozen=True)
class TileVectorAccess:
    """The vectorized accesses of a thread to a tile of a view."""

    base: SSAValue
    offsets: Offsets
    mask: SSAValue | None
    width: int
    element: Attribute

    def get(self) -> VectorAccess:
        """The accesses by their addresses, of elements that are not packed."""
        element = memory_type(self.element)
        return VectorAccess(self.offsets.addresses(self.base, element), self.mask, self.width)


def get_tile_access(
    builder: ThreadBuilder,
    op: TiledAccess,
    view: SSAValue,
    indices: Sequence[SSAValue],
    layout: LinearLayout,
    width: int,
) -> TileVectorAccess:
    """The accesses to a tile whose registers hold no copies, masked by the bounds of the tensor."""
    ty = view.type
    assert isinstance(ty, TiledViewType)
    tensor = get_tensor(builder, view)
    count = layout.registers // width
    in_bounds = op.get_in_bounds() or [False] * ty.rank
    offsets = Offsets(builder, count)
    masks: list[SSAValue | None] = []
    for dim, (step, index) in enumerate(zip(ty.get_steps(), indices, strict=True)):
        stride = tensor.strides[ty.get_dim_map()[dim]]
        size = tensor.sizes[ty.get_dim_map()[dim]]
        if dim == ty.get_sparse_dim():
            rows, chosen = _get_rows(builder, op, index, layout, dim, width)
            if not in_bounds[dim]:
                masks.append(_check_rows(builder, rows, size, chosen))
            if stride != 1:
                scale = get_splat(builder, value_of(builder, stride), count_lanes(rows.type))
                rows = builder.binary("mul", rows, scale)
            offsets.add_vector(select_registers(builder, rows, chosen), 1)
            continue
        origin = start_of_tile(builder, index, step)
        offsets.origin = add(builder, offsets.origin, multiply(builder, origin, stride))
        offsets.add_coordinates(layout, dim, width, stride)
        if not in_bounds[dim]:
            is_negative = builder.kernel.model.axis_info[index].low < 0
            masks.append(_check_bounds(builder, layout, dim, width, origin, size, is_negative))
    return TileVectorAccess(tensor.base, offsets, all_of(builder, masks), width, ty.element_type)


def _get_rows(
    builder: ThreadBuilder,
    op: Operation,
    index: SSAValue,
    layout: LinearLayout,
    dim: int,
    width: int,
) -> tuple[SSAValue, Sequence[int]]:
    """The coordinates along the sparse dimension as i64, and the index of that of each vector."""
    wanted = coordinate_layout(layout, dim)
    found = register_map(builder.layout(index), wanted)
    if found is None:
        fail(op, f"expects coordinates in the layout {wanted}, but got '{index.type}'")
    rows = select_registers(builder, extend_index(builder, builder.lookup(index)), found)
    coordinates = {wanted.element(register=each): each for each in range(wanted.registers)}
    chosen = [
        coordinates[unflatten(layout.element(register=register), layout.shape)[dim]]
        for register in range(0, layout.registers, width)
    ]
    return rows, chosen


def _check_rows(
    builder: ThreadBuilder, rows: SSAValue, size: OpFoldResult, chosen: Sequence[int]
) -> SSAValue:
    """Which vectors have a row in bounds; unsigned, a negative one is out of bounds as well."""
    limit = value_of(builder, size)
    if not isinstance(size, int):
        # But a negative size is that of a tensor without rows.
        limit = builder.get_or_emit(arith.MaxSIOp, limit, builder.constant(0, i64))
    sizes = get_splat(builder, limit, count_lanes(rows.type))
    inside = builder.compare("ult", rows, sizes)
    return select_registers(builder, inside, chosen)


def _check_bounds(
    builder: ThreadBuilder,
    layout: LinearLayout,
    dim: int,
    width: int,
    origin: OpFoldResult,
    size: OpFoldResult,
    is_negative: bool,
) -> SSAValue:
    """
    Which vectors are in bounds along a dimension. How much of the tile is in bounds is uniform and
    fits 32 bits, so coordinates in the tile are compared with that instead of 64-bit coordinates in
    the tensor. Only a tile that may begin at a negative coordinate is checked at its lower end.
    """
    extent = layout.shape[dim]
    count = layout.registers // width
    coordinates = get_coordinates(builder, layout, dim, width)
    negated = multiply(builder, origin, -1)
    end = clamp(builder, add(builder, size, negated), extent)
    below = builder.get_or_emit(is_less, coordinates, get_splat(builder, end, count))
    if not is_negative:
        return below
    start = clamp(builder, negated, extent)
    above = builder.get_or_emit(is_not_less, coordinates, get_splat(builder, start, count))
    return builder.get_or_emit(arith.AndIOp, below, above)


def clamp(builder: ThreadBuilder, integer: OpFoldResult, extent: int) -> SSAValue:
    """A 64-bit integer, clamped to 0 … extent of the tile, as an i32."""
    if isinstance(integer, int):
        return builder.constant(min(max(integer, 0), extent))
    value = builder.get_or_emit(arith.MaxSIOp, integer, builder.constant(0, i64))
    value = builder.get_or_emit(arith.MinSIOp, value, builder.constant(extent, i64))
    return builder.get_or_emit(TruncIOp, value, i32)


def is_less(first: SSAValue, second: SSAValue) -> CmpiOp:
    """A signed comparison."""
    return CmpiOp(first, second, "slt")


def is_not_less(first: SSAValue, second: SSAValue) -> CmpiOp:
    """The opposite comparison."""
    return CmpiOp(first, second, "sge")


def get_splat(builder: ThreadBuilder, scalar: SSAValue, count: int) -> SSAValue:
    """A splat of a scalar, the same op if there is one already."""
    return builder.get_or_emit(vector.BroadcastOp, scalar, VectorType(scalar.type, [count]))


# Loads


def get_padding(
    builder: ThreadBuilder, op: TiledAccess, ty: TiledViewType, count: int
) -> SSAValue | None:
    """What is read outside of the tensor, as memory holds it; `None` stands for zero."""
    word = ty.get_padding() if op.padding_value is None else op.padding_value.data
    if word in (None, "zero"):
        return None
    bits = float_to_bits(PADDINGS[word], ty.element_type)
    return splat_bits(builder, bits, ty.element_type, count)


@lowers(TiledLoadOp, GatherLoadOp)
def lower_tiled_load(builder: ThreadBuilder, op: TiledLoadOp | GatherLoadOp) -> None:
    full = builder.layout(op.result)
    layout = full.compressed()
    ty = op.view_type
    element = ty.element_type
    width = get_width(op, layout, element)
    order = Order.of(builder, op)
    tile = get_tile_access(builder, op, op.view, op.indices, layout, width)
    padding = None
    if tile.mask is not None:
        padding = get_padding(builder, op, ty, layout.registers)
    if is_packed(ty.element_type):
        result = make_consistent(
            builder, _load_packed(builder, tile, order, padding), layout, element, order
        )
    else:
        result = load_consistent(builder, tile.get(), layout, element, order, padding)
    builder.map(op.result, replicated_registers(builder, result, full))


@lowers(PadOp)
def lower_pad(builder: ThreadBuilder, op: PadOp) -> None:
    full = builder.layout(op.source)
    layout, ty = full.compressed(), op.view_type
    width = get_width(op, layout, ty.element_type)
    value = builder.lookup(op.source)
    mask = get_tile_access(builder, op, op.view, op.indices, layout, width).mask
    if mask is not None:
        own = unique_registers(builder, value, full)
        padding = get_padding(builder, op, ty, layout.registers)
        if padding is None:
            padding = splat_bits(builder, 0, ty.element_type, layout.registers)
        is_inside = select_registers(
            builder, mask, [each // width for each in range(layout.registers)]
        )
        padding = decode(builder, padding, ty.element_type)
        own = builder.select(is_inside, own, padding)
        value = replicated_registers(builder, own, full)
    builder.map(op.result, value)


# Stores


def store_by_threads(builder: ThreadBuilder, op: TileStore) -> None:
    """A store by all threads; `tma_stores` decides which tiles are stored so."""
    full = builder.layout(op.value)
    layout = full.compressed()
    ty = op.view_type
    width = get_width(op, layout, ty.element_type)
    if op.mask is not None:
        width = min(width, _mask_width(builder, op, op.mask))
    order = Order.of(builder, op)
    tile = get_tile_access(builder, op, op.view, op.indices, layout, width)
    mask = tile.mask
    if op.mask is not None:
        if builder.layout(op.mask) != full:
            fail(op, f"expects a mask in the layout of the tile, but got '{op.mask.type}'")
        own = unique_registers(builder, builder.lookup(op.mask), full)
        mask = all_of(builder, [mask, select_vectors(builder, own, width)])
    mask = owned(builder, layout, mask, layout.registers // width)
    value = unique_registers(builder, builder.lookup(op.value), full)
    tile = TileVectorAccess(tile.base, tile.offsets, mask, width, ty.element_type)
    if is_packed(ty.element_type):
        _store_packed(builder, tile, value, order)
    else:
        store_vectors(builder, tile.get(), value, ty.element_type, order)


lowers(ScatterStoreOp)(store_by_threads)


def _mask_width(builder: ThreadBuilder, op: TileStore, mask: SSAValue) -> int:
    """How many neighbours have the same mask."""
    vector, constancy = get_vector(op), builder.kernel.model.axis_info[mask].constancy
    axis = len(constancy) - 1 if vector is None else vector.dim
    return max(1, constancy[axis]) if constancy else 1


# Packed elements, of 4 bits


def _load_packed(
    builder: ThreadBuilder, tile: TileVectorAccess, order: Order, padding: SSAValue | None
) -> SSAValue:
    """Loads elements that share bytes: whole bytes if vectors have these, else one by one."""
    offsets, addresses = _find_bytes(builder, tile)
    count = tile.offsets.count
    if tile.width > 1:
        whole = load_vectors(
            builder, VectorAccess(addresses, tile.mask, tile.width // 2), i8, order
        )
        result = _unpack(builder, whole)
    else:
        result = load_vectors(builder, VectorAccess(addresses, tile.mask, 1), i8, order)
        shifts = _nibble_shifts(builder, offsets, i8)
        result = builder.binary("lshr", result, shifts)
    if tile.mask is not None and padding is not None:
        mask = tile.mask
        if tile.width > 1:
            repeated = [vector for vector in range(count) for _ in range(tile.width)]
            mask = select_registers(builder, mask, repeated)
        result = builder.select(mask, result, padding)
    return decode(builder, result, tile.element)


def _find_bytes(builder: ThreadBuilder, tile: TileVectorAccess) -> tuple[SSAValue, SSAValue]:
    """The offsets of elements, and the addresses of the bytes that they are in."""
    offsets = tile.offsets.total()
    one = builder.constant_vector([1] * tile.offsets.count, i64)
    byte_offsets = builder.binary("ashr", offsets, one)
    return offsets, index_pointers(builder, tile.base, byte_offsets, i8)


def _nibble_shifts(builder: ThreadBuilder, offsets: SSAValue, ty: IntegerType) -> SSAValue:
    """By how many bits elements are shifted in their bytes."""
    count = count_lanes(offsets.type)
    odd = arith.AndIOp(offsets, builder.constant_vector([1] * count, i64))
    bits = arith.ShLIOp(builder.emit(odd), builder.constant_vector([2] * count, i64))
    return builder.emit(TruncIOp(builder.emit(bits).result, VectorType(ty, [count]))).result


def _unpack(builder: ThreadBuilder, packed: SSAValue) -> SSAValue:
    """The elements in bytes, each in the low half of a byte of its own."""
    count = count_lanes(packed.type)
    high = builder.binary("lshr", packed, 4)
    both = concatenate(builder, [packed, high])
    return select_registers(
        builder, both, [half * count + i for i in range(count) for half in (0, 1)]
    )


def _store_packed(
    builder: ThreadBuilder, tile: TileVectorAccess, value: SSAValue, order: Order
) -> None:
    """
    Writes elements that share bytes. Where another thread may write the other half of a byte, the
    halves are changed in two atomic steps.
    """
    registers = count_lanes(value.type)
    value = encode(builder, value, tile.element)
    value = builder.binary("and", value, 15)
    offsets, addresses = _find_bytes(builder, tile)
    count = tile.offsets.count
    if tile.width > 1:
        low = select_registers(builder, value, range(0, registers, 2))
        high = select_registers(builder, value, range(1, registers, 2))
        high = builder.binary("shl", high, 4)
        whole = builder.binary("or", low, high)
        store_vectors(
            builder, VectorAccess(addresses, tile.mask, tile.width // 2), whole, i8, order
        )
        return
    integers = builder.emit(llvm.PtrToIntOp(addresses, VectorType(i64, [count]))).results[0]
    in_word = builder.binary("and", integers, 3)
    words = builder.binary("sub", integers, in_word)
    pointers = builder.emit(llvm.IntToPtrOp(words, addresses.type)).results[0]
    shifts = builder.binary("shl", in_word, 3)
    shifts = builder.emit(TruncIOp(shifts, VectorType(i32, [count]))).result
    shifts = builder.binary("add", shifts, _nibble_shifts(builder, offsets, i32))
    halves = builder.binary("shl", builder.constant_vector([15] * count), shifts)
    kept = builder.binary("xor", halves, -1)
    wide = builder.emit(ExtUIOp(value, VectorType(i32, [count]))).result
    added = builder.binary("shl", wide, shifts)
    for kind, operand in (("and", kept), ("or", added)):
        builder.emit(
            FragmentAtomicRMWOp(
                operand,
                pointers,
                tile.mask,
                bin_op=kind,
                semantic=order.semantic,
                scope=order.scope or "gpu",
            )
        )
