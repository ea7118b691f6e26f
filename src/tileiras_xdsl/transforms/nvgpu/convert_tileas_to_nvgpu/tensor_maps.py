"""
Tensor maps: what copies of boxes (TMA) have to know about a tensor in global memory.

`tensor_map` gives the address of a map. Who makes it depends on the ABI of the kernel:

- `host-maps`: the launcher, which is told how by the attribute `nvgpu.host_maps` and passes the
  map behind the other arguments;
- `device-maps`: the kernel. When it starts, its first warp writes the maps to shared memory field
  by field and copies them to a slot in global memory, from where copies can use them. A map that
  a launcher cannot know, because it depends on more than arguments, is made so with either ABI.

All threads call `begin` where the kernel starts, and `finish_together` where it ends; the pass and
the lowering of returns do. A thread that copies says so once, before its first copy:

    address = tensor_map(code, view, box, swizzle)
    with code.first_only():
        acquire(code, address)
        …

Which maps there are is known when all is lowered; `complete` then writes the code of `begin`,
`acquire` and `finish` to where they were called.

A slot must belong to one block: a multiprocessor has as many as blocks of the kernel fit on it, and
a word whose bits say which are taken. Launches of the same kernel that run at once share the words,
so that they take different slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
    UnrealizedConversionCastOp,
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
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.llvm import AtomicBinOp, CountTrailingZerosOp, Ordering
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nvgpu import (
    TmaEncodeDescriptorOp,
    TmaFenceDescriptorOp,
    TmaPrefetchDescriptorOp,
    TmaPublishDescriptorOp,
)
from tileiras_xdsl.dialects.nvgpu.host_maps import HostMap, set_host_maps
from tileiras_xdsl.dialects.nvvm import (
    GLOBAL_POINTER,
    GLOBAL_SPACE,
    SHARED_POINTER,
    BarWarpSyncOp,
    MemScope,
    read_register,
)
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import (
    EMPTY_BYTES,
    EMPTY_SIZE,
    MAP_ALIGNMENT,
    MAP_BYTES,
    map_element,
)
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import SLOT_NUMBER_BYTES
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import (
    MapKey,
    find_host_map,
    find_memref,
    map_dims,
    stored_element,
)

from .thread_code import ThreadCode, index_pointer
from .views import Number, get_tensor, value_of

GENERIC_POINTER: Final = LLVMPointerType()
SLOT: Final = LLVMArrayType(MAP_BYTES, i8)
SLOT_ALIGNMENT: Final = 128
WORDS: Final = "slots"
"""What the name of the words of slots ends with."""
EMPTY: Final = "empty"
"""What the name of the zeros ends with that stand for tensors without elements; nobody writes."""
PARAMETER_ATTRIBUTES: Final[dict[str, Attribute]] = {
    "llvm.align": IntegerAttr(MAP_ALIGNMENT, i64),
    "llvm.byval": SLOT,
    "nvvm.grid_constant": UnitAttr(),
}
"""A map is passed by value and read in place."""


@dataclass(frozen=True)
class BuiltMap:
    """A map that the kernel makes."""

    memref: MakeMemrefOp
    name: str
    """Of the array of slots in global memory."""
    address: SSAValue
    """Of the slot of the block."""


@dataclass
class Start:
    """What `begin` has emitted."""

    mark: Operation
    """It stands for the code that prepares maps, and for a barrier if there is any."""
    number: llvm.LoadOp
    """It reads the number of the block's slot from shared memory."""
    last: Operation
    """Addresses of slots are computed behind this op."""
    offset: int = 0
    """Where in shared memory the number is, if there are any slots."""


@dataclass
class TensorMaps:
    """The tensor maps of a kernel, as they are found."""

    host_maps: bool = False
    """Whether the launcher makes those that it can."""
    parameters: dict[MapKey, tuple[SSAValue, HostMap]] = field(
        default_factory=dict[MapKey, tuple[SSAValue, HostMap]]
    )
    """Maps that the launcher makes, in the order of the parameters."""
    built: dict[MapKey, BuiltMap] = field(default_factory=dict[MapKey, BuiltMap])
    """Maps that the kernel makes."""
    start: Start | None = None
    acquisitions: list[tuple[Operation, Sequence[SSAValue]]] = field(
        default_factory=list[tuple[Operation, Sequence[SSAValue]]]
    )
    """Where maps are acquired, and which, or none for those used there; ops stand for the code."""
    end: Operation | None = None
    """It stands for the code that gives the slot back."""
    ends_together: bool = False
    """Whether all threads of the block come by there."""


# What can have a map


# Where maps are asked for


def tensor_map(
    code: ThreadCode,
    view: SSAValue,
    box: Sequence[int],
    swizzle: int,
    element: Attribute | None = None,
) -> SSAValue:
    """
    The address of the map of the tensor behind a view, or of a memref, as a generic pointer. `box`
    has as many elements for each dimension of the tensor as a copy moves, outermost first; the
    swizzle is 0, 32, 64 or 128 bytes. With an element type other than that of the tensor, copies
    round to it.
    """
    op = find_memref(view)
    assert op is not None
    maps = _get_maps(code)
    type = op.result.type
    assert isinstance(type, MemRefType)
    key = MapKey(op.result, tuple(box), swizzle, element or stored_element(type.element_type))
    if key in maps.parameters:
        return maps.parameters[key][0]
    if key in maps.built:
        return maps.built[key].address
    host_map = find_host_map(op, key, lambda: code.facts) if maps.host_maps else None
    if host_map is None:
        maps.built[key] = built = _add_slot(code, maps, op)
        return built.address
    parameter = code.add_argument(GENERIC_POINTER)
    parameter.name_hint = f"map_{len(maps.parameters)}"
    maps.parameters[key] = parameter, host_map
    return parameter


def begin(code: ThreadCode) -> None:
    """
    Prepares maps, where all threads come by when the kernel starts. If the kernel makes maps, they
    wait for each other here.
    """
    maps = _get_maps(code)
    if maps.start is not None:
        return
    if code.heap:
        code.barrier()
    mark = _mark(code)
    offset = next((buffer.offset for buffer in get_buffers(code.function)), 0)
    number = _read_number(code, offset)
    maps.start = Start(mark, number, number, offset)


def acquire(code: ThreadCode, *addresses: SSAValue) -> None:
    """Lets the threads that come by use some maps, or all that they use later in this block."""
    _get_maps(code).acquisitions.append((_mark(code), addresses))


def finish(code: ThreadCode) -> None:
    """
    Gives back what maps needed, where one thread comes by when all copies are done. The last call
    counts.
    """
    _finish(code, is_together=False)


def finish_together(code: ThreadCode) -> None:
    """The same where all threads come by; they wait for each other."""
    _finish(code, is_together=True)


def _finish(code: ThreadCode, *, is_together: bool) -> None:
    maps = _get_maps(code)
    if maps.start is None:
        return
    if maps.end is not None:
        maps.end.detach()
        maps.end.erase()
    maps.end, maps.ends_together = _mark(code), is_together


def _get_maps(code: ThreadCode) -> TensorMaps:
    if code.maps is None:
        code.maps = TensorMaps()
    return code.maps


def _mark(code: ThreadCode) -> Operation:
    """An op that stands for code that is not known yet."""
    return code.emit(UnrealizedConversionCastOp.get([], []))


def _fill(code: ThreadCode, mark: Operation, write: Callable[[], None]) -> None:
    """Puts code in the place of an op that stands for it."""
    block = Block()
    with code.early(block):
        write()
    ops = list(block.ops)
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(mark))
    mark.detach()
    mark.erase()


def _only_if(code: ThreadCode, condition: SSAValue, write: Callable[[], None]) -> None:
    """Code that threads execute if they fulfil a condition."""
    block = Block()
    with code.branch(block):
        write()
        code.emit(scf.YieldOp())
    code.emit(scf.IfOp(condition, [], Region(block)))


# Maps of the launcher


# When all maps are known


def complete(code: ThreadCode) -> None:
    """Writes what `begin`, `acquire` and `finish` have left out."""
    maps = _get_maps(code)
    if maps.start is not None:
        _fill(code, maps.start.mark, lambda: _start(code, maps))
    for mark, addresses in maps.acquisitions:
        own = [
            each.address
            for each in maps.built.values()
            if (each.address in addresses if addresses else _is_used_behind(mark, each.address))
        ]
        _fill(code, mark, lambda own=own: _acquire(code, own))
    if maps.end is not None:
        _fill(code, maps.end, lambda: _end(code, maps))
    if maps.start is not None and not maps.built:
        _erase_unused(maps.start.number)
    if maps.built:
        _add_globals(code, maps)
    if maps.parameters:
        _say_parameters(code, maps)


def _is_used_behind(mark: Operation, address: SSAValue) -> bool:
    """Whether an address is used in the block of an op, or in a block in there."""
    block = mark.parent
    assert block is not None
    return any(block.find_ancestor_op_in_block(use.operation) for use in address.uses)


def _erase_unused(op: Operation) -> None:
    """Erases an op whose results have no uses, and what was computed for it alone."""
    sources = [owner for operand in op.operands if isinstance(owner := operand.owner, Operation)]
    op.detach()
    op.erase()
    for source in sources:
        if not any(result.uses for result in source.results):
            _erase_unused(source)


def _start(code: ThreadCode, maps: TensorMaps) -> None:
    """One thread fetches the maps of the launcher, and a warp makes the others."""
    if maps.parameters:
        addresses = [address for address, _ in maps.parameters.values()]
        _only_if(code, code.first_thread(), lambda: _prefetch(code, addresses))
    if maps.built:
        first = code.emit(CmpiOp(code.warp, code.constant(0), "eq")).result
        _only_if(code, first, lambda: _build(code, maps))
        code.barrier()


def _prefetch(code: ThreadCode, addresses: Sequence[SSAValue]) -> None:
    for address in addresses:
        code.emit(TmaPrefetchDescriptorOp(address))


def _say_parameters(code: ThreadCode, maps: TensorMaps) -> None:
    """Tells the launcher about the maps, and that they are passed by value."""
    function = code.function
    assert isinstance(function, FuncOp)
    set_host_maps(function, [host_map for _, host_map in maps.parameters.values()])
    given = function.attributes.get("arg_attrs")
    attributes = list(given) if isinstance(given, ArrayAttr) else []
    attributes += [DictionaryAttr({})] * (len(function.body.block.args) - len(attributes))
    attributes += [DictionaryAttr(PARAMETER_ATTRIBUTES)] * len(maps.parameters)
    function.attributes["arg_attrs"] = ArrayAttr(attributes)


# Maps of the kernel


def _add_slot(code: ThreadCode, maps: TensorMaps, op: MakeMemrefOp) -> BuiltMap:
    """Computes the address of a map where the kernel starts."""
    start = maps.start
    if start is None:
        code.fail(code.op, "a tensor map is used before the kernel has begun to make it")
    if not get_buffers(code.function):
        code.fail(code.op, f"'{code.op.name}' op needs a tensor map, for which there is no memory")
    name = _global_name(code, str(len(maps.built)))
    base = AddressOfOp(name, GLOBAL_POINTER)
    slot = _slot_address(base.result, start.number.dereferenced_value)
    address = llvm.AddrSpaceCastOp(slot.result, GENERIC_POINTER)
    for each in (base, slot, address):
        each.location = code.location
        Rewriter.insert_op(each, InsertPoint.after(start.last))
        start.last = each
    return BuiltMap(op, name, address.result)


def _acquire(code: ThreadCode, addresses: Sequence[SSAValue]) -> None:
    for address in addresses:
        code.emit(TmaFenceDescriptorOp(address, MemScope.GPU))


def _build(code: ThreadCode, maps: TensorMaps) -> None:
    """
    A warp makes all maps: it clears scratch memory, which nobody uses yet, its first lane takes a
    slot and writes the fields, and all lanes copy the maps to the slot.
    """
    assert maps.start is not None
    memory = code.shared_address(code.memory.scratch)
    places = [
        code.emit(_move(memory, MAP_BYTES * index)).result for index in range(len(maps.built))
    ]
    for place in places:
        word = code.emit(index_pointer(place, code.lane, i32, SHARED_POINTER))
        code.emit(llvm.StoreOp(code.constant(0), word.result, alignment=4))
    everyone = code.constant(-1)
    code.emit(BarWarpSyncOp(everyone))
    number = code.shared_address(maps.start.offset)
    is_first = code.emit(CmpiOp(code.lane, code.constant(0), "eq")).result
    _only_if(code, is_first, lambda: _write_maps(code, maps, places, number))
    code.emit(BarWarpSyncOp(everyone))
    slot = _read_number(code, maps.start.offset).dereferenced_value
    for built, place in zip(maps.built.values(), places, strict=True):
        array = code.emit(AddressOfOp(built.name, GLOBAL_POINTER)).result
        target = code.emit(_slot_address(array, slot)).result
        code.emit(TmaPublishDescriptorOp(target, place))


def _read_number(code: ThreadCode, offset: int) -> llvm.LoadOp:
    """The number of the block's slot, as an i32."""
    return code.emit(llvm.LoadOp(code.shared_address(offset), i32, alignment=SLOT_NUMBER_BYTES))


def _slot_address(array: SSAValue, number: SSAValue) -> llvm.GEPOp:
    return index_pointer(array, number, SLOT, GLOBAL_POINTER)


def _move(address: SSAValue, bytes: int) -> llvm.GEPOp:
    return llvm.GEPOp(address, [bytes], i8, result_type=SHARED_POINTER, inbounds=True)


def _write_maps(
    code: ThreadCode, maps: TensorMaps, places: Sequence[SSAValue], number: SSAValue
) -> None:
    """One lane asks for a slot, writes the fields of maps meanwhile, and tells which slot it is."""
    slots = count_slots(code.target, code.threads, code.memory.size)
    processor = code.emit(read_register("smid")).result
    last = code.constant(code.target.threads.multiprocessors - 1)
    processor = code.emit(arith.AndIOp(processor, last)).result
    word = _word_address(code, processor)
    first = code.constant(1)
    old = code.emit(_atomic(AtomicBinOp.OR, word, first)).res
    for (key, built), place in zip(maps.built.items(), places, strict=True):
        _write_fields(code, key, built, place)
    bit = _wait_for_slot(code, word, first, old, slots)
    index = code.emit(CountTrailingZerosOp(bit)).results[0]
    start = code.emit(arith.MuliOp(processor, code.constant(slots))).result
    slot = code.emit(arith.AddiOp(start, index)).result
    code.emit(llvm.StoreOp(slot, number, alignment=SLOT_NUMBER_BYTES))


def _wait_for_slot(
    code: ThreadCode, word: SSAValue, first: SSAValue, old: SSAValue, slots: int
) -> SSAValue:
    """The bit that was taken, given the one that was tried and what the word was then."""
    before = Block(arg_types=[i32, i32])
    with code.branch(before):
        tried, seen = before.args
        ones = code.constant(-1)
        free = code.emit(arith.AndIOp(tried, code.emit(arith.XOrIOp(seen, ones)))).result
        is_taken = code.emit(CmpiOp(free, code.constant(0), "eq")).result
        code.emit(scf.ConditionOp(is_taken, tried, seen))
    after = Block(arg_types=[i32, i32])
    with code.branch(after):
        _, seen = after.args
        all_slots = code.constant((1 << slots) - 1)
        free = code.emit(arith.XOrIOp(code.emit(arith.AndIOp(seen, all_slots)), all_slots)).result
        negative = code.emit(arith.SubiOp(code.constant(0), free)).result
        lowest = code.emit(arith.AndIOp(free, negative)).result
        again = code.emit(_atomic(AtomicBinOp.OR, word, lowest)).res
        code.emit(scf.YieldOp(lowest, again))
    loop = scf.WhileOp([first, old], [i32, i32], Region(before), Region(after))
    return code.emit(loop).results[0]


def _atomic(kind: AtomicBinOp, word: SSAValue, bits: SSAValue) -> llvm.AtomicRMWOp:
    """
    Sets or clears bits of a word of slots. That needs no order: what uses a slot is over before its
    bit is cleared, and whoever writes a map afterwards releases it.
    """
    return llvm.AtomicRMWOp(kind, word, bits, Ordering.MONOTONIC, syncscope="device")


def _word_address(code: ThreadCode, processor: SSAValue) -> SSAValue:
    words = code.emit(AddressOfOp(_global_name(code, WORDS), GLOBAL_POINTER)).result
    return code.emit(index_pointer(words, processor, i32, GLOBAL_POINTER)).result


def _global_name(code: ThreadCode, suffix: str) -> str:
    function = code.function
    assert isinstance(function, FuncOp)
    return code.symbols.of_kernel(function, f"{function.sym_name.data}_map_{suffix}")


def count_slots(target: Target, threads: int, shared: int) -> int:
    """
    How many blocks of so many threads and bytes of shared memory a multiprocessor can have, as a
    power of two.
    """
    blocks = min(
        target.threads.blocks,
        target.threads.multiprocessor // threads,
        target.shared.multiprocessor // (shared + target.shared.reserved),
    )
    return 1 << (max(1, blocks) - 1).bit_length()


def _write_fields(code: ThreadCode, key: MapKey, built: BuiltMap, place: SSAValue) -> None:
    """Writes all fields of a map in shared memory."""
    _lower_tensor(code, built.memref)
    tensor = get_tensor(code, built.memref.result)
    dims = map_dims(built.memref.result)
    base = code.emit(llvm.PtrToIntOp(tensor.base, i64)).results[0]
    sizes = [_narrow(code, size) for size in tensor.sizes]
    is_empty = _is_empty(code, tensor.sizes)
    if is_empty is not None:
        zeros = code.emit(AddressOfOp(_global_name(code, EMPTY), GLOBAL_POINTER)).result
        nowhere = code.emit(llvm.PtrToIntOp(zeros, i64)).results[0]
        base = code.emit(SelectOp(is_empty, nowhere, base)).result
        sizes = [
            code.emit(SelectOp(is_empty, code.constant(EMPTY_SIZE), size)).result for size in sizes
        ]
    encode = TmaEncodeDescriptorOp(
        place,
        base,
        [sizes[dim] for dim in dims],
        [value_of(code, tensor.strides[dim]) for dim in dims[1:]],
        box=[key.box[dim] for dim in dims],
        element=map_element(str(key.element)).name,
        swizzle=key.swizzle,
    )
    code.emit(encode)


def _narrow(code: ThreadCode, number: Number) -> SSAValue:
    if isinstance(number, int):
        return code.constant(number)
    return code.emit(TruncIOp(number, i32)).result


def _is_empty(code: ThreadCode, sizes: Sequence[Number]) -> SSAValue | None:
    """
    Whether a tensor of some sizes has no elements; none if it is known to have some. There is no
    map of such a tensor: it gets that of a zero elsewhere, to which nobody stores
    (`box_copies.unless_outside`).
    """
    result = None
    for size in sizes:
        if isinstance(size, int) and size > 0:
            continue
        is_none = code.emit(CmpiOp(value_of(code, size), code.constant(1, i64), "slt")).result
        result = is_none if result is None else code.emit(arith.OrIOp(result, is_none)).result
    return result


def _lower_tensor(code: ThreadCode, memref: MakeMemrefOp) -> None:
    """Lowers a tensor and all that it is computed from once more, where code is emitted now."""
    needed = backward_slice(memref.results)
    assert memref.parent is not None
    for op in memref.parent.ops:
        if op in needed:
            code.lower(op)


def _end(code: ThreadCode, maps: TensorMaps) -> None:
    """Gives the slot back, when no thread copies any more."""
    if not maps.built:
        return
    if not maps.ends_together:
        _give_back(code, maps)
        return
    code.barrier()
    with code.first_only():
        _give_back(code, maps)


def _give_back(code: ThreadCode, maps: TensorMaps) -> None:
    assert maps.start is not None
    slot = _read_number(code, maps.start.offset).dereferenced_value
    slots = count_slots(code.target, code.threads, code.memory.size)
    shift = code.constant(slots.bit_length() - 1)
    word = _word_address(code, code.emit(arith.ShRUIOp(slot, shift)).result)
    index = code.emit(arith.AndIOp(slot, code.constant(slots - 1))).result
    bit = code.emit(arith.ShLIOp(code.constant(1), index)).result
    rest = code.emit(arith.XOrIOp(bit, code.constant(-1))).result
    code.emit(_atomic(AtomicBinOp.AND, word, rest))


def _add_globals(code: ThreadCode, maps: TensorMaps) -> None:
    """Adds the slots of maps, and the words that say which are taken."""
    count = code.target.threads.multiprocessors
    slots = count * count_slots(code.target, code.threads, code.memory.size)
    words = LLVMArrayType(count, i32)
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [count]), [0])
    arrays: list[tuple[str, LLVMArrayType, Attribute | None, int]] = [
        (_global_name(code, WORDS), words, zeros, 4)
    ]
    nothing = LLVMArrayType(EMPTY_BYTES // 4, i32)
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [EMPTY_BYTES // 4]), [0])
    empty = _global_name(code, EMPTY)
    arrays.append((empty, nothing, zeros, EMPTY_BYTES))
    slot_type = LLVMArrayType(MAP_BYTES * slots, i8)
    for built in maps.built.values():
        arrays.append((built.name, slot_type, None, SLOT_ALIGNMENT))
    for name, type, value, alignment in arrays:
        array = GlobalOp(
            type,
            StringAttr(name),
            LinkageAttr("internal"),
            constant=name == empty,
            addr_space=GLOBAL_SPACE,
            value=value,
            alignment=alignment,
        )
        array.location = code.function.location
        Rewriter.insert_op(array, InsertPoint.before(code.function))
