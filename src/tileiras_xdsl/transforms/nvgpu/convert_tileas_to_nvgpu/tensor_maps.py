"""
Tensor maps: the descriptors by which TMA accesses tensors in global memory.

`tensor_map` gives the address of a map. Who makes it depends on the ABI of the kernel:

- `host-maps`: the launcher, which the attribute `nvgpu.host_maps` tells how, and which passes the
  map after the other arguments;
- `driver-maps`: code of the cubin that the driver runs when arguments change (`backend.host_code`),
  to parameters of which launches know nothing. It has no zeros in memory for tensors without
  elements: loads of them are out of bounds (`loads_from_nowhere`).
- `device-maps`: the kernel. When it starts, each map is written by a warp of its own to shared
  memory, field by field, while the first thread takes a slot in global memory; then the warps
  publish the maps there (`encoded_maps`), from where TMA reads them. A map that a launcher cannot
  make, because it depends on more than arguments, is made so with either ABI.

The map of a tensor that is defined inside of a loop or a branch is built there (`rebuilt_maps`).

Which maps there are is known before the kernel is lowered (`allocation.find_built_maps`):
`make_maps` makes all of them when the kernel starts, and `tensor_map` gives their addresses.

A slot has all maps of a CTA, and must belong to it alone. Each SM has as many slots as CTAs of the
kernel fit on it, and a bit mask of those that are taken. Concurrent launches of the same kernel
share the masks, so that they take different slots.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import (
    AddressOfOp,
    GlobalOp,
    LinkageAttr,
    LLVMArrayType,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering, CountTrailingZerosOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    CreatePipelineOp,
    ProducerWriteOp,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    MAP_STATE_BYTES,
    SLOT_NUMBER_BYTES,
    BufferAttr,
    get_buffers,
)
from tileiras_xdsl.dialects.nvgpu import DYNAMIC_EXTENT, TmaEncodeDescriptorOp
from tileiras_xdsl.dialects.nvgpu.types import HIDDEN_PARAMETER, HostMap, set_host_maps
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import (
    EMPTY_BYTES,
    EMPTY_SIZE,
    MAP_ALIGNMENT,
    MAP_BYTES,
    map_element,
)
from tileiras_xdsl.transforms.common.abi import DEVICE_MAPS_ABI, DRIVER_MAPS_ABI
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import is_rebuilt, requested_maps
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import (
    MapKey,
    find_host_map,
    find_memref,
    map_dims,
    stored_element,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .barriers import only_if, shared_address, sync_threads
from .lowering_registry import lower_op
from .thread_builder import RebuiltMap, TensorMaps, ThreadBuilder, index_pointer, move_pointer
from .thread_index import get_thread, get_warpgroup, is_first_thread
from .views import (
    MAP_INDEX,
    MAP_IS_OUT_OF_DATE,
    OpFoldResult,
    get_tensor,
    narrow,
    own_address,
    read_state,
    value_of,
    write_state,
)

# How warps encode the tensor maps of a kernel in shared memory when it starts, and publish them.
#
# Each map is made by a warp of its own, but for the first, which has other things to do; if there
# are more maps, warps make several. A warp clears 128 bytes of shared memory, and its first lane
# writes the fields. After a CTA barrier, which the caller emits, the warp copies its map to global
# memory. TMA reads maps through the tensormap proxy: the warp that has published a map acquires
# it, too, by a proxy fence, and prefetches it; a CTA barrier follows, so threads that issue copies
# need not.
#
# Instructions that write fields are many, and ptxas takes its time for them. So maps that differ
# in nothing but numbers (addresses, extents, strides, boxes) are encoded by the same instructions,
# for which each warp selects the numbers of its map:
#
#     %number = warp - 1                                         // of the map
#     scf.if %number < 3 {                                       // unsigned
#       %map = %memory[%number]
#       … clear it, and in its first lane
#       %is_b = arith.cmpi eq, %number, 1; %is_c = arith.cmpi eq, %number, 2
#       %base = arith.select %is_c, %base_c, (arith.select %is_b, %base_b, %base_a)
#       …
#       nvgpu.tma.encode.descriptor %map, %base dims[%d0, %d1] strides[%s1] box[%rows] {
#           box = array<i32: 64, -2147483648>, element = "f16", swizzle = 128 : i32}
#     }
#
# The rank, the type of elements, the swizzle and element strides are part of instructions: maps
# that differ in these have code of their own.

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
    """The warps that make this many maps, in turns: each has one map in each of them."""

    def __init__(self, builder: ThreadBuilder, maps: int):
        self.builder = builder
        self.maps = maps
        self.is_alone = builder.kernel.warps == 1
        # Not emitted in the entry block, where ops are in the order of their first use.
        self.warp = builder.binary("lshr", get_thread(builder), 5)

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
            is_maker = builder.compare("eq", self.warp, maker)
            return is_maker, None
        number = builder.binary("add", self.warp, -maker)
        return builder.compare("ult", number, count), number


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
    lane = builder.binary("and", get_thread(builder), 31)
    word = builder.emit(index_pointer(address, lane, i32, nvvm.SHARED_POINTER))
    builder.emit(llvm.StoreOp(builder.constant(0), word.result, alignment=4))
    everyone = builder.constant(-1)
    builder.emit(nvvm.BarWarpSyncOp(everyone))
    is_first = builder.compare("eq", lane, 0)
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
    extents = {position: narrow(builder, sizes[position], i32) for position in positions}
    is_empty = _is_empty(builder, [sizes[position] for position in positions])
    if is_empty is not None:
        nowhere = zeros()
        base = builder.select(is_empty, nowhere, value_of(builder, base))
        for position in positions:
            one = builder.constant(EMPTY_SIZE)
            extents[position] = builder.select(is_empty, one, extents[position])
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
            chosen = self.builder.select(condition, other, chosen)
        return chosen


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
        is_none = builder.compare("slt", value_of(builder, size), 1)
        result = is_none if result is None else builder.binary("or", result, is_none)
    return result


def loads_from_nowhere(
    builder: ThreadBuilder, view: SSAValue, tensor_map: SSAValue
) -> SSAValue | None:
    """
    Whether loads by means of a map have to be out of bounds: those of an empty tensor, for which
    the driver has no zeros. `None` if they need not be.
    """
    maps = builder.kernel.maps
    if not maps.are_drivers or tensor_map not in maps.parameters.values():
        return None
    sizes = get_tensor(builder, view).sizes
    return _is_empty(builder, [sizes[dim] for dim in map_dims(view)])


GENERIC_POINTER: Final = LLVMPointerType()
SLOT_ALIGNMENT: Final = 128
SLOT_MASKS: Final = "slots"
"""The suffix of the symbol of the bit masks of slots that are taken, one word for each SM."""
BUILT: Final = "built"
"""The suffix of the symbol of the slots of all maps that are built when the kernel starts."""
EMPTY: Final = "empty"
"""The suffix of the symbol of the zeros that stand for empty tensors; they are never written."""
PARAMETER_ATTRIBUTES: Final[dict[str, Attribute]] = {
    "llvm.align": IntegerAttr(MAP_ALIGNMENT, i64),
    "llvm.byval": SLOT,
    "nvvm.grid_constant": UnitAttr(),
}
"""A map is passed by value in constant memory and read in address."""


def tensor_map(
    builder: ThreadBuilder,
    op: Operation,
    view: SSAValue,
    box: Sequence[int],
    swizzle: int,
    element: Attribute | None = None,
    element_strides: Sequence[int] = (),
) -> SSAValue:
    """
    The address of the map of the tensor of a view, or of a memref, as a generic pointer. `box` is
    the shape of the TMA tile, outermost dimension first; the swizzle is 0, 32, 64 or 128 bytes.
    With an element type other than that of the tensor, TMA rounds to it. With element strides, it
    copies every this many elements of the box.
    """
    memref = find_memref(view)
    assert memref is not None
    ty = memref.result.type
    assert isinstance(ty, MemRefType)
    own = element or stored_element(ty.element_type)
    key = MapKey(memref.result, tuple(box), swizzle, own, tuple(element_strides))
    maps = builder.kernel.maps
    address = maps.parameters.get(key) or maps.built.get(key) or maps.current.get(key)
    if address is None:
        fail(op, f"'{op.name}' op needs a tensor map, for which there is no memory")
    return address


# At the start of the kernel


def make_maps(builder: ThreadBuilder, ops: Sequence[Operation], abi: str) -> TensorMaps:
    """
    Makes the maps that ops of a kernel need, at its start: one thread prefetches those that are
    parameters, and warps make the others, each one. A CTA barrier follows, if agents do not begin
    with one.
    """
    parameters: dict[MapKey, HostMap] = {}
    built: list[MapKey] = []
    rebuilt: dict[MapKey, str] = {}

    def is_copied(op: TmaAccess) -> bool:
        return WARPGROUP_STORE.is_on(op) or builder.kernel.model.store_subtiles(op) is not None

    for key in dict.fromkeys(requested_maps(builder.kernel.function, is_copied)):
        op = key.memref.owner
        assert isinstance(op, MakeMemrefOp)
        host_map = None
        if abi != DEVICE_MAPS_ABI:
            host_map = find_host_map(op, key, lambda: builder.kernel.model.axis_info)
        if host_map is not None:
            parameters[key] = host_map
        elif is_rebuilt(key):
            rebuilt[key] = _global_name(builder, str(len(rebuilt)))
        else:
            built.append(key)
    are_drivers = abi == DRIVER_MAPS_ABI
    addresses = _add_parameters(builder, parameters, are_hidden=are_drivers)
    slots = _make_slots(builder, ops, in_order(built), rebuilt)
    return TensorMaps(addresses, are_drivers, *slots)


def _add_parameters(
    builder: ThreadBuilder, maps: Mapping[MapKey, HostMap], *, are_hidden: bool
) -> dict[MapKey, SSAValue]:
    """Adds the maps that the kernel does not make to its parameters."""
    if not maps:
        return {}
    addresses = {key: builder.kernel.add_argument(GENERIC_POINTER) for key in maps}
    for index, address in enumerate(addresses.values()):
        address.name_hint = f"map_{index}"
    with only_if(builder, is_first_thread(builder)):
        for address in addresses.values():
            builder.emit(nvvm.PrefetchTensorMapOp(address))
    _describe_parameters(builder, [*maps.values()], are_hidden=are_hidden)
    return addresses


def _make_slots(
    builder: ThreadBuilder,
    ops: Sequence[Operation],
    maps: Sequence[MapKey],
    rebuilt: Mapping[MapKey, str],
) -> tuple[dict[MapKey, SSAValue], dict[MapKey, RebuiltMap]]:
    """
    Makes maps in the kernel, in a slot of an array in global memory, and takes slots for those that
    are built later, in arrays with symbols of their own.
    """
    buffers = get_buffers(builder.kernel.function)
    if not (maps or rebuilt) or len(buffers) != 1 + bool(rebuilt):
        # Without a buffer, `tensor_map` reports the copy that needs a map.
        return {}, {}
    offset = buffers[0].offset
    memory = shared_address(builder, builder.kernel.memory.scratch)
    with only_if(builder, is_first_thread(builder)):
        _take_slot(builder, offset)
    encode_maps(builder, maps, memory, lambda: _zeros(builder))
    if rebuilt:
        _clear(builder, buffers[1])
    sync_threads(builder)
    slot_index = _read_slot(builder, offset).dereferenced_value
    has_agents = any(isinstance(op, AgentSwitchOp) for op in ops)
    turns: dict[str, int] = {}
    addresses: list[SSAValue] = []
    if maps:
        built = _global_name(builder, BUILT)
        turns[built] = len(maps)
        slot = _find_slot(builder, built, slot_index, len(maps))
        publish_maps(builder, len(maps), memory, slot)
        if not has_agents:
            sync_threads(builder)
        for index in range(len(maps)):
            address = builder.emit(move_slot(slot, builder.constant(index))) if index else slot
            cast = llvm.AddrSpaceCastOp(SSAValue.get(address), GENERIC_POINTER)
            addresses.append(builder.emit(cast).result)
    elif not has_agents:
        sync_threads(builder)
    stored = {key for op in ops if isinstance(op, TmaAccess) for key in requested_maps(op)}
    warpgroups = max(1, builder.kernel.consumer_warps // WARPGROUP_WARPS)
    later: dict[MapKey, RebuiltMap] = {}
    source = buffers[-1].offset
    for key, name in rebuilt.items():
        is_stored = key in stored
        count, copies = (1, warpgroups) if is_stored else (count_turns(ops), 1)
        turns[name] = count * copies
        slot = _find_slot(builder, name, slot_index, turns[name])
        later[key] = RebuiltMap(slot, count, source, 0, by_warpgroups=is_stored)
        source += MAP_BYTES * copies
    state = source
    for key, each in later.items():
        later[key] = replace(each, state=state)
        state += MAP_STATE_BYTES * (warpgroups if each.by_warpgroups else 1)
    _add_globals(builder, turns)
    return dict(zip(maps, addresses, strict=True)), later


def count_turns(ops: Sequence[Operation]) -> int:
    """
    How many slots a map takes by turns, so that no load by means of it is in flight any more when
    its slot is written again: more than twice as many as all pipelines have buffer stages. After a
    map has been built, a load by means of it follows. So when a slot is written again, some
    pipeline was filled more than twice since. For that, consumer warps had to release a tile that
    was loaded at least an iteration after all tiles that were loaded by means of this slot, and
    software pipelining delays their use by one iteration at most.
    """
    pipelines = (op for op in ops if isinstance(op, CreatePipelineOp))
    return 2 + 2 * sum(op.get_num_stages() for op in pipelines)


def _clear(builder: ThreadBuilder, buffer: BufferAttr) -> None:
    """The last warp clears a buffer."""
    warp = builder.binary("lshr", get_thread(builder), 5)
    last = builder.constant(builder.kernel.warps - 1)
    with only_if(builder, builder.compare("eq", warp, last)):
        lane = builder.binary("and", get_thread(builder), 31)
        is_first = builder.compare("eq", lane, 0)
        memory = shared_address(builder, buffer.offset)
        whole = buffer.size // MAP_BYTES * MAP_BYTES
        for start in range(0, whole, MAP_BYTES):
            part = builder.emit(move_pointer(memory, start)).result
            word = builder.emit(index_pointer(part, lane, i32, nvvm.SHARED_POINTER)).result
            builder.emit(llvm.StoreOp(builder.constant(0), word, alignment=4))
        with only_if(builder, is_first):
            for start in range(whole, buffer.size, 4):
                word = builder.emit(move_pointer(memory, start)).result
                builder.emit(llvm.StoreOp(builder.constant(0), word, alignment=4))


def _describe_parameters(
    builder: ThreadBuilder, maps: Sequence[HostMap], *, are_hidden: bool
) -> None:
    """Describes the maps to who makes them, and marks them as passed by value."""
    function = builder.kernel.function
    assert isinstance(function, FuncOp)
    set_host_maps(function, maps)
    given = function.attributes.get("arg_attrs")
    attributes = list(given) if isinstance(given, ArrayAttr) else []
    attributes += [DictionaryAttr({})] * (len(function.body.block.args) - len(attributes))
    hidden = {HIDDEN_PARAMETER: UnitAttr()} if are_hidden else {}
    attributes += [DictionaryAttr({**PARAMETER_ATTRIBUTES, **hidden})] * len(maps)
    function.attributes["arg_attrs"] = ArrayAttr(attributes)


# Maps of the kernel


def _read_slot(builder: ThreadBuilder, offset: int) -> llvm.LoadOp:
    """The index of the slot of the CTA, as an i32."""
    return builder.emit(
        llvm.LoadOp(shared_address(builder, offset), i32, alignment=SLOT_NUMBER_BYTES)
    )


def _find_slot(builder: ThreadBuilder, name: str, slot: SSAValue, maps: int) -> SSAValue:
    """The address of a slot, which has this many maps, in an array."""
    array = builder.emit(AddressOfOp(name, nvvm.GLOBAL_POINTER)).result
    if maps > 1:
        slot = builder.binary("mul", slot, maps)
    return builder.emit(move_slot(array, slot)).result


def _zeros(builder: ThreadBuilder) -> SSAValue:
    """The address of what stands for a tensor without elements, as an i64."""
    zeros = builder.emit(AddressOfOp(_global_name(builder, EMPTY), nvvm.GLOBAL_POINTER)).result
    return builder.emit(llvm.PtrToIntOp(zeros, i64)).results[0]


def _take_slot(builder: ThreadBuilder, offset: int) -> None:
    """One thread takes a slot, and stores its index at an offset in shared memory."""
    slots = count_slots(
        builder.kernel.target, builder.kernel.consumer_threads, builder.kernel.memory.size
    )
    sm = builder.emit(nvvm.read_register("smid")).result
    last = builder.constant(builder.kernel.target.threads.sm_count - 1)
    sm = builder.binary("and", sm, last)
    word = _word_address(builder, sm)
    first = builder.constant(1)
    old = builder.emit(_atomic(AtomicBinOp.OR, word, first)).res
    bit = _wait_for_slot(builder, word, first, old, slots)
    index = builder.emit(CountTrailingZerosOp(bit)).results[0]
    start = builder.binary("mul", sm, slots)
    slot = builder.binary("add", start, index)
    pointer = shared_address(builder, offset)
    builder.emit(llvm.StoreOp(slot, pointer, alignment=SLOT_NUMBER_BYTES))


def _wait_for_slot(
    builder: ThreadBuilder, word: SSAValue, first: SSAValue, old: SSAValue, slots: int
) -> SSAValue:
    """
    The bit of the slot that was taken. The first attempt, a bit and what the word was before it, is
    given; while the bit was set already, the lowest free bit is tried.
    """
    before = Block(arg_types=[i32, i32])
    with builder.at_end_of(before):
        tried, seen = before.args
        free = builder.binary("and", tried, builder.binary("xor", seen, -1))
        is_taken = builder.compare("eq", free, 0)
        builder.emit(scf.ConditionOp(is_taken, tried, seen))
    after = Block(arg_types=[i32, i32])
    with builder.at_end_of(after):
        _, seen = after.args
        all_slots = builder.constant((1 << slots) - 1)
        free = builder.binary("xor", builder.binary("and", seen, all_slots), all_slots)
        negative = builder.binary("sub", builder.constant(0), free)
        lowest = builder.binary("and", free, negative)
        again = builder.emit(_atomic(AtomicBinOp.OR, word, lowest)).res
        builder.emit(scf.YieldOp(lowest, again))
    loop = scf.WhileOp([first, old], [i32, i32], Region(before), Region(after))
    return builder.emit(loop).results[0]


def _atomic(kind: AtomicBinOp, word: SSAValue, bits: SSAValue) -> llvm.AtomicRMWOp:
    """
    Sets or clears bits of a word of slots. Relaxed ordering is enough: all uses of a slot are over
    before its bit is cleared, and whoever writes a map afterwards releases it.
    """
    return llvm.AtomicRMWOp(
        word, bits, kind.attr, AtomicOrdering.MONOTONIC.attr, syncscope="device"
    )


def _word_address(builder: ThreadBuilder, sm: SSAValue) -> SSAValue:
    words = builder.emit(AddressOfOp(_global_name(builder, SLOT_MASKS), nvvm.GLOBAL_POINTER)).result
    return builder.emit(index_pointer(words, sm, i32, nvvm.GLOBAL_POINTER)).result


def _global_name(builder: ThreadBuilder, suffix: str) -> str:
    function = builder.kernel.function
    assert isinstance(function, FuncOp)
    return builder.kernel.symbols.of_kernel(function, f"{function.sym_name.data}_map_{suffix}")


def count_slots(target: Target, threads: int, shared: int) -> int:
    """
    The occupancy: how many CTAs of this many threads and bytes of shared memory an SM can hold,
    rounded up to a power of two.
    """
    ctas = min(
        target.threads.blocks,
        target.threads.per_sm // threads,
        target.shared.per_sm // (shared + target.shared.reserved),
    )
    return 1 << (max(1, ctas) - 1).bit_length()


def rewrite_fields(builder: ThreadBuilder, key: MapKey, address: SSAValue) -> None:
    """Writes all fields of a map in shared memory that is built anew."""
    write_fields(builder, [key], address, None, lambda: _zeros(builder))


def finish(builder: ThreadBuilder) -> None:
    """Releases the slot at the end of the kernel, when no TMA copy is in flight any more."""
    if builder.kernel.maps.built or builder.kernel.maps.rebuilt:
        sync_threads(builder)
        with only_if(builder, is_first_thread(builder)):
            _release_slot(builder)


def _release_slot(builder: ThreadBuilder) -> None:
    slot = _read_slot(builder, get_buffers(builder.kernel.function)[0].offset).dereferenced_value
    slots = count_slots(
        builder.kernel.target, builder.kernel.consumer_threads, builder.kernel.memory.size
    )
    shift = builder.constant(slots.bit_length() - 1)
    word = _word_address(builder, builder.binary("lshr", slot, shift))
    if slots == 1:
        # Nobody else changes the word, and the CTA need not wait for an answer before it ends.
        free = llvm.StoreOp(
            builder.constant(0), word, 4, AtomicOrdering.MONOTONIC.attr, syncscope="device"
        )
        builder.emit(free)
        return
    index = builder.binary("and", slot, slots - 1)
    bit = builder.binary("shl", builder.constant(1), index)
    rest = builder.binary("xor", bit, -1)
    builder.emit(_atomic(AtomicBinOp.AND, word, rest))


def _add_globals(builder: ThreadBuilder, maps: Mapping[str, int]) -> None:
    """
    Adds global variables for the slots of maps, this many for each CTA, and the words that say
    which are taken.
    """
    count = builder.kernel.target.threads.sm_count
    slots = count * count_slots(
        builder.kernel.target, builder.kernel.consumer_threads, builder.kernel.memory.size
    )
    words = LLVMArrayType(count, i32)
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [count]), [0])
    arrays: list[tuple[str, LLVMArrayType, Attribute | None, int]] = [
        (_global_name(builder, SLOT_MASKS), words, zeros, 4)
    ]
    nothing = LLVMArrayType(EMPTY_BYTES // 4, i32)
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [EMPTY_BYTES // 4]), [0])
    empty = _global_name(builder, EMPTY)
    arrays.append((empty, nothing, zeros, EMPTY_BYTES))
    for name, turns in maps.items():
        arrays.append((name, LLVMArrayType(MAP_BYTES * slots * turns, i8), None, SLOT_ALIGNMENT))
    for name, ty, value, alignment in arrays:
        array = GlobalOp(
            ty,
            StringAttr(name),
            LinkageAttr("internal"),
            constant=name == empty,
            addr_space=nvvm.GLOBAL_SPACE,
            value=value,
            alignment=alignment,
        )
        array.location = builder.kernel.function.location
        Rewriter.insert_op(array, InsertPoint.before(builder.kernel.function))


# Tensor maps of tensors that are defined inside of a loop or a branch, as those of a grouped GEMM,
# whose addresses are loaded.
#
#  scf.for %g … {
#    %m = nv_tileaa.make_memref %p sizes(…)       the map is out of date
#    scf.while … {
#      scf.for %k … {                             before it, the map is built if it is out of date
#        … nv_tileas.tiled_load %v[%i, %k] {atom = #nv_tileas.atom<tma_load>}
#
# The one thread that loads builds a map: it encodes it in shared memory, copies it to the next
# slot in global memory, and releases and acquires it by proxy fences. So loads that are in flight
# still have the old map, in another slot; `tensor_maps` says why there are enough. In a loop that
# loads, the map is built before the loop, if that has any iterations: each map that is built is
# used.

PIECE = VectorType(i32, [4])
PIECE_BYTES = 16


@contextmanager
def up_to_date_in(builder: ThreadBuilder, loop: scf.ForOp) -> Generator[None]:
    """Before a loop that loads, builds the maps of tensors that are defined outside of it."""
    writes = [op for op in loop.body.block.ops if isinstance(op, ProducerWriteOp)]
    keys = [key for key in _find(builder, writes) if not loop.is_ancestor(_maker(key))]
    if keys:
        bounds = builder.lookup(loop.lb), builder.lookup(loop.ub)
        has_iterations = builder.emit(CmpiOp(*bounds, "slt")).result
        _update(builder, keys, has_iterations)
    yield
    for key in keys:
        del builder.kernel.maps.current[key]


@contextmanager
def up_to_date_at(builder: ThreadBuilder, op: ProducerWriteOp | TmaAccess) -> Generator[None]:
    """
    Before loads, builds their maps that were not built before a loop; before a store, that of the
    warpgroup.
    """
    keys = _find(builder, [op])
    if keys:
        _update(builder, keys, None)
    yield
    for key in keys:
        del builder.kernel.maps.current[key]


def _find(builder: ThreadBuilder, ops: Sequence[Operation]) -> list[MapKey]:
    """The maps of loads that may be out of date."""
    maps = builder.kernel.maps
    if not maps.rebuilt:
        return []
    used = dict.fromkeys(key for op in ops for key in requested_maps(op))
    return [key for key in used if key in maps.rebuilt and key not in maps.current]


def _maker(key: MapKey) -> Operation:
    op = key.memref.owner
    assert isinstance(op, MakeMemrefOp)
    return op


def _update(builder: ThreadBuilder, keys: Sequence[MapKey], condition: SSAValue | None) -> None:
    """Builds maps that are out of date, if a condition holds, and finds the slots of all."""
    maps = [builder.kernel.maps.rebuilt[key] for key in keys]
    are_old = [
        builder.compare("ne", read_state(builder, each, MAP_IS_OUT_OF_DATE), 0) for each in maps
    ]
    any_is_old = are_old[0]
    for is_old in are_old[1:]:
        any_is_old = builder.binary("or", any_is_old, is_old)
    if condition is not None:
        any_is_old = builder.binary("and", any_is_old, condition)
    with only_if(builder, any_is_old):
        if any(rebuilt.by_warpgroups for rebuilt in maps):
            # There is one slot, which stores in flight use.
            builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=False))
        for key, rebuilt, is_old in zip(keys, maps, are_old, strict=True):
            with only_if(builder, is_old):
                _build(builder, key, rebuilt)
        builder.emit(nvvm.FenceProxyReleaseOp(nvvm.MemScope.GPU))
        for rebuilt in maps:
            acquire_map(builder, _generic_slot(builder, rebuilt))
    for key, rebuilt in zip(keys, maps, strict=True):
        builder.kernel.maps.current[key] = _generic_slot(builder, rebuilt)


def _build(builder: ThreadBuilder, key: MapKey, rebuilt: RebuiltMap) -> None:
    """A thread builds a map in its next slot."""
    index = read_state(builder, rebuilt, MAP_INDEX)
    following = builder.binary("add", index, 1)
    is_last = builder.compare("eq", following, rebuilt.count)
    index = builder.select(is_last, builder.constant(0), following)
    write_state(builder, rebuilt, MAP_INDEX, index)
    write_state(builder, rebuilt, MAP_IS_OUT_OF_DATE, builder.constant(0))
    source = own_address(builder, rebuilt, rebuilt.source, MAP_BYTES)
    rewrite_fields(builder, key, source)
    target = _slot(builder, rebuilt, index)
    for start in range(0, MAP_BYTES, PIECE_BYTES):
        place = builder.emit(move_pointer(source, start)).result
        piece = builder.emit(llvm.LoadOp(place, PIECE, alignment=PIECE_BYTES)).dereferenced_value
        offset = builder.constant(start)
        place = builder.emit(index_pointer(target, offset, i8, nvvm.GLOBAL_POINTER)).result
        builder.emit(llvm.StoreOp(piece, place, alignment=PIECE_BYTES))


def _generic_slot(builder: ThreadBuilder, rebuilt: RebuiltMap) -> SSAValue:
    """The address of the slot that a map has, as a generic pointer."""
    slot = _slot(builder, rebuilt, read_state(builder, rebuilt, MAP_INDEX))
    return builder.emit(llvm.AddrSpaceCastOp(slot, GENERIC_POINTER)).result


def _slot(builder: ThreadBuilder, rebuilt: RebuiltMap, index: SSAValue) -> SSAValue:
    """The address of one of the slots of a map."""
    if rebuilt.by_warpgroups:
        count = builder.constant(rebuilt.count)
        first = builder.binary("mul", get_warpgroup(builder), count)
        index = builder.binary("add", first, index)
    return builder.emit(index_pointer(rebuilt.slots, index, SLOT, nvvm.GLOBAL_POINTER)).result
