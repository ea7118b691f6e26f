"""
How warps encode the tensor maps of a kernel in shared memory when it starts, and publish them.

Each map is made by a warp of its own, but for the first, which has other things to do; if there are
more maps, warps make several. A warp clears 128 bytes of shared memory, and its first lane writes
the fields. After a CTA barrier, which the caller emits, the warp copies its map to global memory.
TMA reads maps through the tensormap proxy: the warp that has published a map acquires it, too, by a
proxy fence, and prefetches it; a CTA barrier follows, so threads that issue copies need not.

Instructions that write fields are many, and ptxas takes its time for them. So maps that differ in
nothing but numbers (addresses, extents, strides, boxes) are encoded by the same instructions, for
which each warp selects the numbers of its map:

    %number = warp - 1                                         // of the map
    scf.if %number < 3 {                                       // unsigned
      %map = %memory[%number]
      … clear it, and in its first lane
      %is_b = arith.cmpi eq, %number, 1; %is_c = arith.cmpi eq, %number, 2
      %base = arith.select %is_c, %base_c, (arith.select %is_b, %base_b, %base_a)
      …
      nvgpu.tma.encode.descriptor %map, %base dims[%d0, %d1] strides[%s1] box[%rows] {
          box = array<i32: 64, -2147483648>, element = "f16", swizzle = 128 : i32}
    }

The rank, the type of elements, the swizzle and element strides are part of instructions: maps that
differ in these have code of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i8, i32, i64
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nvgpu import DYNAMIC_EXTENT, TmaEncodeDescriptorOp
from tileiras_xdsl.targets.tma import EMPTY_SIZE, MAP_BYTES, map_element
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import MapKey, map_dims

from .barriers import only_if
from .lowering_registry import lower_op
from .thread_builder import ThreadBuilder
from .thread_index import get_thread
from .vectors import index_pointer, move_pointer
from .views import OpFoldResult, get_tensor, value_of

SLOT: Final = LLVMArrayType(MAP_BYTES, i8)


def in_order(keys: Sequence[MapKey]) -> list[MapKey]:
    """Maps in the order in which they are made: those that share code follow each other."""
    kinds = list(dict.fromkeys(map(_kind, keys)))
    return sorted(keys, key=lambda key: kinds.index(_kind(key)))


def _kind(key: MapKey) -> tuple[int, str, int, tuple[int, ...]]:
    """What is part of the instructions that encode a map."""
    dims, element = map_dims(key.memref), map_element(str(key.element)).name
    return len(dims), element, key.swizzle, key.strides_in(dims)


def move_slot(address: SSAValue, number: SSAValue) -> llvm.GEPOp:
    """An address in global memory moved by a number of maps."""
    return index_pointer(address, number, SLOT, nvvm.GLOBAL_POINTER)


class Makers:
    """The warps that make so many maps, in turns: each has one map in each of them."""

    def __init__(self, builder: ThreadBuilder, maps: int):
        self.builder = builder
        self.maps = maps
        self.is_alone = builder.kernel.warps == 1
        # Not emitted in the entry block, where ops are in the order of their first use.
        self.warp = builder.emit(arith.ShRUIOp(get_thread(builder), builder.constant(5))).result

    def turns(self) -> Iterator[range]:
        """The maps that are made at the same time."""
        step = 1 if self.is_alone else self.builder.kernel.warps - 1
        return (range(i, min(i + step, self.maps)) for i in range(0, self.maps, step))

    def select(self, first: int, count: int) -> tuple[SSAValue, SSAValue | None]:
        """
        Whether a warp makes one of some maps of a turn, and which, counted from the first of them;
        `None` if there is one.
        """
        builder, maker = self.builder, 0 if self.is_alone else 1 + first
        if count == 1:
            is_maker = builder.emit(CmpiOp(self.warp, builder.constant(maker), "eq")).result
            return is_maker, None
        number = builder.emit(arith.AddiOp(self.warp, builder.constant(-maker))).result
        return builder.emit(CmpiOp(number, builder.constant(count), "ult")).result, number


def encode_maps(
    builder: ThreadBuilder,
    keys: Sequence[MapKey],
    memory: SSAValue,
    zeros: Callable[[], SSAValue],
) -> None:
    """Warps write maps to shared memory; `zeros` gives the address of those of empty tensors."""
    makers = Makers(builder, len(keys))
    for turn in makers.turns():
        first = turn.start
        for _, kind in groupby(keys[turn.start : turn.stop], _kind):
            group = list(kind)
            is_maker, number = makers.select(first - turn.start, len(group))
            with only_if(builder, is_maker):
                place = _own_memory(builder, memory, first, number)
                _encode(builder, group, place, number, zeros)
            first += len(group)


def publish_maps(builder: ThreadBuilder, count: int, memory: SSAValue, slot: SSAValue) -> None:
    """Warps copy their maps from shared memory to a slot, and acquire them."""
    makers = Makers(builder, count)
    for turn in makers.turns():
        is_maker, number = makers.select(0, len(turn))
        with only_if(builder, is_maker):
            source = _own_memory(builder, memory, turn.start, number)
            target = slot
            if turn.start:
                target = builder.emit(move_slot(target, builder.constant(turn.start))).result
            if number is not None:
                target = builder.emit(move_slot(target, number)).result
            builder.emit(nvvm.TensorMapCpFenceProxyOp(target, source))
            address = builder.emit(llvm.AddrSpaceCastOp(target, LLVMPointerType())).result
            acquire_map(builder, address)
            builder.emit(nvvm.PrefetchTensorMapOp(address))


def acquire_map(builder: ThreadBuilder, address: SSAValue) -> None:
    """Lets TMA see what threads of the device have written to a tensor map."""
    size = builder.constant(MAP_BYTES)
    builder.emit(nvvm.FenceProxyAcquireOp(address, size, nvvm.MemScope.GPU))


def _own_memory(
    builder: ThreadBuilder, memory: SSAValue, first: int, number: SSAValue | None
) -> SSAValue:
    """Where in shared memory the map of a warp is."""
    place = builder.emit(move_pointer(memory, MAP_BYTES * first)).result
    if number is None:
        return place
    return builder.emit(index_pointer(place, number, SLOT, nvvm.SHARED_POINTER)).result


def _encode(
    builder: ThreadBuilder,
    keys: Sequence[MapKey],
    address: SSAValue,
    number: SSAValue | None,
    zeros: Callable[[], SSAValue],
) -> None:
    """A warp writes one of some maps: it clears the memory, and its first lane writes fields."""
    lane = builder.emit(arith.AndIOp(get_thread(builder), builder.constant(31))).result
    word = builder.emit(index_pointer(address, lane, i32, nvvm.SHARED_POINTER))
    builder.emit(llvm.StoreOp(builder.constant(0), word.result, alignment=4))
    everyone = builder.constant(-1)
    builder.emit(nvvm.BarWarpSyncOp(everyone))
    is_first = builder.emit(CmpiOp(lane, builder.constant(0), "eq")).result
    with only_if(builder, is_first):
        _lower_tensors(builder, keys)
        write_fields(builder, keys, address, number, zeros)
    builder.emit(nvvm.BarWarpSyncOp(everyone))


def _lower_tensors(builder: ThreadBuilder, keys: Sequence[MapKey]) -> None:
    """Rematerializes tensors and their backward slices at the insertion point."""
    lowered: set[Operation] = set()
    for memref in dict.fromkeys(key.memref.owner for key in keys):
        assert isinstance(memref, MakeMemrefOp)
        assert memref.parent is not None
        needed = backward_slice(memref.results)
        for op in memref.parent.ops:
            if op in needed and op not in lowered:
                lower_op(builder, op)
                lowered.add(op)


def write_fields(
    builder: ThreadBuilder,
    keys: Sequence[MapKey],
    address: SSAValue,
    number: SSAValue | None,
    zeros: Callable[[], SSAValue],
) -> None:
    """Writes all fields of one of some maps in shared memory, the first or that with a number."""
    tensors = [get_tensor(builder, key.memref) for key in keys]
    dims = [map_dims(key.memref) for key in keys]
    choose = Choice(builder, number, len(keys))
    base = choose([builder.emit(llvm.PtrToIntOp(each.base, i64)).results[0] for each in tensors])
    # In the order of the dimensions of the first tensor.
    positions = sorted(range(len(dims[0])), key=lambda position: dims[0][position])
    sizes = {
        position: choose(
            [each.sizes[own[position]] for each, own in zip(tensors, dims, strict=True)]
        )
        for position in positions
    }
    extents = {position: _narrow(builder, sizes[position]) for position in positions}
    is_empty = _is_empty(builder, [sizes[position] for position in positions])
    if is_empty is not None:
        nowhere = zeros()
        base = builder.emit(SelectOp(is_empty, nowhere, value_of(builder, base))).result
        for position in positions:
            one = builder.constant(EMPTY_SIZE)
            extents[position] = builder.emit(SelectOp(is_empty, one, extents[position])).result
    strides = [
        choose([each.strides[own[position]] for each, own in zip(tensors, dims, strict=True)])
        for position in range(1, len(dims[0]))
    ]
    boxes = [
        choose([key.box[own[position]] for key, own in zip(keys, dims, strict=True)], i32)
        for position in range(len(dims[0]))
    ]
    encode = TmaEncodeDescriptorOp(
        address,
        value_of(builder, base),
        [extents[position] for position in range(len(dims[0]))],
        [value_of(builder, stride) for stride in strides],
        [box for box in boxes if not isinstance(box, int)],
        box=[box if isinstance(box, int) else DYNAMIC_EXTENT for box in boxes],
        element=map_element(str(keys[0].element)).name,
        swizzle=keys[0].swizzle or None,
        element_strides=keys[0].strides_in(dims[0]) or None,
    )
    builder.emit(encode)


class Choice:
    """Selects from numbers of maps those of a warp."""

    def __init__(self, builder: ThreadBuilder, number: SSAValue | None, count: int):
        self.builder = builder
        self.conditions: list[SSAValue] = []
        if number is not None:
            for other in range(1, count):
                is_other = CmpiOp(number, builder.constant(other), "eq")
                self.conditions.append(builder.emit(is_other).result)

    def __call__(self, values: Sequence[OpFoldResult], ty: IntegerType = i64) -> OpFoldResult:
        chosen, *others = values
        if all(other == chosen for other in others):
            return chosen
        for condition, other in zip(self.conditions, others, strict=True):
            other, chosen = (value_of(self.builder, each, ty) for each in (other, chosen))
            chosen = self.builder.emit(SelectOp(condition, other, chosen)).result
        return chosen


def _narrow(builder: ThreadBuilder, value: OpFoldResult) -> SSAValue:
    if isinstance(value, int):
        return builder.constant(value)
    return builder.emit(TruncIOp(value, i32)).result


def _is_empty(builder: ThreadBuilder, sizes: Sequence[OpFoldResult]) -> SSAValue | None:
    """
    Whether a tensor of some sizes is empty; `None` if it is known not to be. There are no maps of
    empty tensors: such a one gets the map of a zero elsewhere, to which nobody stores
    (`tma_coordinates.if_in_bounds`).
    """
    result = None
    for size in sizes:
        if isinstance(size, int) and size > 0:
            continue
        is_none = builder.emit(
            CmpiOp(value_of(builder, size), builder.constant(1, i64), "slt")
        ).result
        result = is_none if result is None else builder.emit(arith.OrIOp(result, is_none)).result
    return result
