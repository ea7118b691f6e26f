"""
Tensor maps: the descriptors by which TMA accesses tensors in global memory.

`tensor_map` gives the address of a map. Who makes it depends on the ABI of the kernel:

- `host-maps`: the launcher, which the attribute `nvgpu.host_maps` tells how, and which passes the
  map after the other arguments;
- `device-maps`: the kernel. When it starts, each map is written by a warp of its own to shared
  memory, field by field, while the first thread takes a slot in global memory; then the warps
  publish the maps there (`encoded_maps`), from where TMA reads them. A map that a launcher cannot
  make, because it depends on more than arguments, is made so with either ABI.

The map of a tensor that is defined inside of a loop or a branch is built there (`rebuilt_maps`).

Which maps there are is known before the kernel is lowered (`map_requests`): `make_maps` makes all
of them when the kernel starts, and `tensor_map` gives their addresses.

A slot has all maps of a CTA, and must belong to it alone. Each SM has as many slots as CTAs of the
kernel fit on it, and a bit mask of those that are taken. Concurrent launches of the same kernel
share the masks, so that they take different slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
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

from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering, CountTrailingZerosOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BufferAttr, get_buffers
from tileiras_xdsl.dialects.nvgpu.host_maps import HostMap, set_host_maps
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import (
    EMPTY_BYTES,
    MAP_ALIGNMENT,
    MAP_BYTES,
)
from tileiras_xdsl.transforms.tileas.kernel_model.map_requests import is_rebuilt, requested_maps
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import (
    MAP_STATE_BYTES,
    SLOT_NUMBER_BYTES,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import (
    MapKey,
    find_host_map,
    find_memref,
    stored_element,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .barriers import only_if, shared_address, sync_threads
from .encoded_maps import SLOT, encode_maps, in_order, move_slot, publish_maps, write_fields
from .map_table import RebuiltMap, TensorMaps
from .thread_builder import ThreadBuilder
from .thread_index import get_thread, is_first_thread
from .vectors import index_pointer, move_pointer

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
    copies every so many elements of the box.
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


def make_maps(builder: ThreadBuilder, *, host_maps: bool) -> TensorMaps:
    """
    Makes the maps of a kernel at its start: one thread prefetches those of the launcher, and warps
    make the others, each one. A CTA barrier follows, if agents do not begin with one.
    """
    parameters: dict[MapKey, HostMap] = {}
    built: list[MapKey] = []
    rebuilt: dict[MapKey, str] = {}

    def is_copied(op: TmaAccess) -> bool:
        return WARPGROUP_STORE.is_on(op) or builder.kernel.model.store_subtiles(op) is not None

    for key in dict.fromkeys(requested_maps(builder.kernel.function, is_copied)):
        op = key.memref.owner
        assert isinstance(op, MakeMemrefOp)
        host_map = find_host_map(op, key, lambda: builder.kernel.axis_info) if host_maps else None
        if host_map is not None:
            parameters[key] = host_map
        elif is_rebuilt(key):
            rebuilt[key] = _global_name(builder, str(len(rebuilt)))
        else:
            built.append(key)
    addresses = _add_parameters(builder, parameters)
    return TensorMaps(addresses, *_make_slots(builder, in_order(built), rebuilt))


def _add_parameters(
    builder: ThreadBuilder, maps: Mapping[MapKey, HostMap]
) -> dict[MapKey, SSAValue]:
    """Adds the maps that the launcher makes to the parameters of a kernel."""
    if not maps:
        return {}
    addresses = {key: builder.kernel.add_argument(GENERIC_POINTER) for key in maps}
    for index, address in enumerate(addresses.values()):
        address.name_hint = f"map_{index}"
    with only_if(builder, is_first_thread(builder)):
        for address in addresses.values():
            builder.emit(nvvm.PrefetchTensorMapOp(address))
    _describe_parameters(builder, [*maps.values()])
    return addresses


def _make_slots(
    builder: ThreadBuilder, maps: Sequence[MapKey], rebuilt: Mapping[MapKey, str]
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
    turns: dict[str, int] = {}
    addresses: list[SSAValue] = []
    if maps:
        built = _global_name(builder, BUILT)
        turns[built] = len(maps)
        slot = _find_slot(builder, built, slot_index, len(maps))
        publish_maps(builder, len(maps), memory, slot)
        if builder.kernel.agent_switch is None:
            sync_threads(builder)
        for index in range(len(maps)):
            address = builder.emit(move_slot(slot, builder.constant(index))) if index else slot
            cast = llvm.AddrSpaceCastOp(SSAValue.get(address), GENERIC_POINTER)
            addresses.append(builder.emit(cast).result)
    elif builder.kernel.agent_switch is None:
        sync_threads(builder)
    stored = {
        key for op in builder.kernel.ops if isinstance(op, TmaAccess) for key in requested_maps(op)
    }
    warpgroups = max(1, builder.kernel.consumer_warps // WARPGROUP_WARPS)
    later: dict[MapKey, RebuiltMap] = {}
    source = buffers[-1].offset
    for key, name in rebuilt.items():
        is_stored = key in stored
        count, copies = (1, warpgroups) if is_stored else (count_turns(builder), 1)
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


def count_turns(builder: ThreadBuilder) -> int:
    """
    How many slots a map takes by turns, so that no load by means of it is in flight any more when
    its slot is written again: more than twice as many as all pipelines have buffer stages. After a
    map has been built, a load by means of it follows. So when a slot is written again, some
    pipeline was filled more than twice since. For that, consumer warps had to release a tile that
    was loaded at least an iteration after all tiles that were loaded by means of this slot, and
    software pipelining delays their use by one iteration at most.
    """
    pipelines = (op for op in builder.kernel.ops if isinstance(op, CreatePipelineOp))
    return 2 + 2 * sum(op.get_num_stages() for op in pipelines)


def _clear(builder: ThreadBuilder, buffer: BufferAttr) -> None:
    """The last warp clears a buffer."""
    warp = builder.emit(arith.ShRUIOp(get_thread(builder), builder.constant(5))).result
    last = builder.constant(builder.kernel.warps - 1)
    with only_if(builder, builder.emit(CmpiOp(warp, last, "eq")).result):
        lane = builder.emit(arith.AndIOp(get_thread(builder), builder.constant(31))).result
        is_first = builder.emit(CmpiOp(lane, builder.constant(0), "eq")).result
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


def _describe_parameters(builder: ThreadBuilder, maps: Sequence[HostMap]) -> None:
    """Describes the maps to the launcher, and marks them as passed by value."""
    function = builder.kernel.function
    assert isinstance(function, FuncOp)
    set_host_maps(function, maps)
    given = function.attributes.get("arg_attrs")
    attributes = list(given) if isinstance(given, ArrayAttr) else []
    attributes += [DictionaryAttr({})] * (len(function.body.block.args) - len(attributes))
    attributes += [DictionaryAttr(PARAMETER_ATTRIBUTES)] * len(maps)
    function.attributes["arg_attrs"] = ArrayAttr(attributes)


# Maps of the kernel


def _read_slot(builder: ThreadBuilder, offset: int) -> llvm.LoadOp:
    """The index of the slot of the CTA, as an i32."""
    return builder.emit(
        llvm.LoadOp(shared_address(builder, offset), i32, alignment=SLOT_NUMBER_BYTES)
    )


def _find_slot(builder: ThreadBuilder, name: str, slot: SSAValue, maps: int) -> SSAValue:
    """The address of a slot, which has so many maps, in an array."""
    array = builder.emit(AddressOfOp(name, nvvm.GLOBAL_POINTER)).result
    if maps > 1:
        slot = builder.emit(arith.MuliOp(slot, builder.constant(maps))).result
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
    sm = builder.emit(arith.AndIOp(sm, last)).result
    word = _word_address(builder, sm)
    first = builder.constant(1)
    old = builder.emit(_atomic(AtomicBinOp.OR, word, first)).res
    bit = _wait_for_slot(builder, word, first, old, slots)
    index = builder.emit(CountTrailingZerosOp(bit)).results[0]
    start = builder.emit(arith.MuliOp(sm, builder.constant(slots))).result
    slot = builder.emit(arith.AddiOp(start, index)).result
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
        ones = builder.constant(-1)
        free = builder.emit(arith.AndIOp(tried, builder.emit(arith.XOrIOp(seen, ones)))).result
        is_taken = builder.emit(CmpiOp(free, builder.constant(0), "eq")).result
        builder.emit(scf.ConditionOp(is_taken, tried, seen))
    after = Block(arg_types=[i32, i32])
    with builder.at_end_of(after):
        _, seen = after.args
        all_slots = builder.constant((1 << slots) - 1)
        free = builder.emit(
            arith.XOrIOp(builder.emit(arith.AndIOp(seen, all_slots)), all_slots)
        ).result
        negative = builder.emit(arith.SubiOp(builder.constant(0), free)).result
        lowest = builder.emit(arith.AndIOp(free, negative)).result
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
    The occupancy: how many CTAs of so many threads and bytes of shared memory an SM can hold,
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
    word = _word_address(builder, builder.emit(arith.ShRUIOp(slot, shift)).result)
    if slots == 1:
        # Nobody else changes the word, and the CTA need not wait for an answer before it ends.
        free = llvm.StoreOp(
            builder.constant(0), word, 4, AtomicOrdering.MONOTONIC, syncscope="device"
        )
        builder.emit(free)
        return
    index = builder.emit(arith.AndIOp(slot, builder.constant(slots - 1))).result
    bit = builder.emit(arith.ShLIOp(builder.constant(1), index)).result
    rest = builder.emit(arith.XOrIOp(bit, builder.constant(-1))).result
    builder.emit(_atomic(AtomicBinOp.AND, word, rest))


def _add_globals(builder: ThreadBuilder, maps: Mapping[str, int]) -> None:
    """
    Adds global variables for the slots of maps, so many for each CTA, and the words that say which
    are taken.
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
