"""
Global variables, memory of a CTA, fences, programmatic dependent launch, marks of a profile.

`alloca` is shared memory of the CTA, one buffer for each op however often it is executed. Where the
op asks for global memory, or for more than the GPU has shared memory, the kernel allocates it on
the device heap when it starts, for all such ops at once, and frees it when it ends. Either way a
pointer may now point to two address spaces: in such a kernel all pointers are generic, and LLVM
infers address spaces where it can. An `alloca` whose pointer is one to shared memory,
`!llvm.ptr<3>`, is different: nothing else has that type.

At a mark of a profile, the first thread of a warp writes the clock of its SM to a row of the
buffer.

    %n = nv_tileas.profile.mark %p[%m] {event = 2 : i32, …} : !llvm.ptr<1>

becomes

    %fits = arith.cmpi ult, %m, %limit            the records of a row, 0 for all other threads
    scf.if %fits {
      %clock = nvvm.read.ptx.sreg.clock : i32
      … a word of event and clock …
      llvm.store %word, %place : i64, !llvm.ptr<1>
    }
    %n = arith.addi %m, %one : i32
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.dialects.gpu import ModuleOp as GpuModuleOp
from xdsl.dialects.llvm import (
    AddressOfOp,
    CallOp,
    FuncOp,
    LinkageAttr,
    LLVMFunctionType,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.symbol_table import get_name_if_symbol

from tileiras_xdsl.dialects import gpu, llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.gpu import ReturnOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AllocaOp,
    GdcLaunchDependentsOp,
    GdcWaitOp,
    GetGlobalOp,
    MemoryFenceAliasOp,
)
from tileiras_xdsl.dialects.nv_tileaa.memory import GlobalOp as TileGlobalOp
from tileiras_xdsl.dialects.nv_tileaa.types import PtrType
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_ATOMS, has_atom
from tileiras_xdsl.dialects.nv_tileas.profiling import (
    EVENT_SHIFT,
    HEADER,
    ProfileBeginOp,
    ProfileEndOp,
    ProfileLayout,
    ProfileMarkOp,
    ProfileOperation,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers, is_on_heap
from tileiras_xdsl.dialects.nvgpu.types import HEAP
from tileiras_xdsl.dialects.nvvm import read_register
from tileiras_xdsl.targets.machine import (
    HEAP_ALIGNMENT,
    HEAP_RETRIES,
    HEAP_SLEEP,
    LARGEST_HEAP,
)
from tileiras_xdsl.transforms.common.globals import convert_global
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import alloca_bytes
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from . import tensor_maps
from .accesses import broadcast_scalar
from .barriers import only_if, shared_address, sync_threads
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder, extract, index_pointer, splat
from .thread_index import get_warp, is_first_of_warp, is_first_thread

GENERIC_POINTER = LLVMPointerType()
GLOBAL_SPACE = 1
HEAP_ADDRESS = "heap"
"""What the address of the memory on the heap is kept as."""

# Globals


def convert_globals(module: GpuModuleOp) -> None:
    """Turns the global variables of a module into those of LLVM."""
    for op in list(module.body.ops):
        if isinstance(op, TileGlobalOp):
            Rewriter.replace_op(op, convert_global(op, GLOBAL_SPACE), [])


@lowers(GetGlobalOp)
def lower_get_global(builder: ThreadBuilder, op: GetGlobalOp) -> None:
    name = op.global_name
    assert isinstance(name, SymbolRefAttr)
    address = builder.emit(AddressOfOp(name, nvvm.pointer_to(GLOBAL_SPACE))).result
    builder.map(op.result, cast_pointer(builder, address, builder.converted_type(op.result)))


def cast_pointer(builder: ThreadBuilder, pointer: SSAValue, ty: Attribute) -> SSAValue:
    """A pointer in another address space."""
    if pointer.type == ty:
        return pointer
    return builder.emit(llvm.AddrSpaceCastOp(pointer, ty)).result


# Memory of a CTA


def use_generic_pointers(ops: Sequence[Operation]) -> None:
    """Makes all pointers of a kernel generic if it allocates memory that any may point to."""
    allocas = (op for op in ops if isinstance(op, AllocaOp))
    is_mixed = any(op.result.type != nvvm.SHARED_POINTER for op in allocas)
    for op in ops if is_mixed else ():
        for block in [block for region in op.regions for block in region.blocks]:
            for value in list(block.args):
                _make_generic(value)
        for value in list(op.results):
            _make_generic(value)


def _make_generic(value: SSAValue) -> None:
    ty = value.type
    new = ty
    match ty:
        case TensorType(element_type=element) if element == nvvm.SHARED_POINTER:
            return
        case LLVMPointerType() if ty != nvvm.SHARED_POINTER:
            new = GENERIC_POINTER
        case PtrType():
            new = PtrType(ty.pointee, 0)
        case TensorType(element_type=LLVMPointerType() | PtrType() as element):
            pointer = GENERIC_POINTER
            if isinstance(element, PtrType):
                pointer = PtrType(element.pointee, 0)
            new = TensorType(pointer, ty.get_shape(), ty.encoding)
        case _:
            return
    Rewriter.replace_value_with_new_type(value, new)


def allocate_all(builder: ThreadBuilder, ops: Sequence[Operation]) -> None:
    """Allocates memory for all `alloca` ops of a kernel, at its start."""
    allocas = [op for op in ops if isinstance(op, AllocaOp)]
    on_heap = [op for op in allocas if is_on_heap(op)]
    for op in allocas:
        if op not in on_heap:
            (buffer,) = get_buffers(op)
            address = shared_address(builder.for_op(op), buffer.offset)
            builder.map(
                op.result, cast_pointer(builder, address, builder.converted_type(op.result))
            )
    if on_heap:
        # Through the buffer of the last one: what follows waits until that has been read.
        _allocate_on_heap(builder.for_op(on_heap[-1]), on_heap)
        if any(has_atom(op, *TMA_ATOMS) for op in ops):
            # The address went through scratch memory, in which tensor maps are made next.
            sync_threads(builder)


def _allocate_on_heap(builder: ThreadBuilder, ops: Sequence[AllocaOp]) -> None:
    """
    The first thread allocates memory on the device heap, for all ops at once, and broadcasts the
    address.
    """
    size, alignment, offsets = 0, HEAP_ALIGNMENT, list[int]()
    for op in ops:
        own = op.alignment.value.data
        alignment = max(alignment, own)
        offsets.append(-(-size // own) * own)
        # No GPU has more, so that what is behind is never accessed.
        size = min(offsets[-1] + alloca_bytes(op), LARGEST_HEAP)
    if alignment > HEAP_ALIGNMENT:
        size += alignment
    HEAP.set(builder.kernel.function, IntegerAttr(size, i64))
    null = builder.constant(0, i64)
    block = Block()
    with builder.at_end_of(block):
        address = _call_malloc(builder, size)
        is_there = builder.compare("ne", address, null)
        builder.emit(cf.AssertOp(is_there, f"the heap of the device has no {size} bytes left"))
        builder.emit(scf.YieldOp(address))
    other = Block()
    with builder.at_end_of(other):
        builder.emit(scf.YieldOp(null))
    branch = scf.IfOp(is_first_thread(builder), [i64], Region(block), Region(other))
    mine = splat(builder, builder.emit(branch).results[0], 1)
    address = extract(builder, broadcast_scalar(builder, mine, i64), 0)
    builder.kernel.hoisted[HEAP_ADDRESS] = address
    if alignment > HEAP_ALIGNMENT:
        moved = builder.binary("add", address, alignment - 1)
        address = builder.binary("and", moved, -alignment)
    for op, offset in zip(ops, offsets, strict=True):
        place = builder.binary("add", address, offset)
        builder.map(op.result, builder.emit(llvm.IntToPtrOp(place, GENERIC_POINTER)).results[0])


def _call_malloc(builder: ThreadBuilder, size: int) -> SSAValue:
    """
    The address of memory on the device heap, as an i64; 0 if there is none for a long time.

    Memory comes free when other CTAs end, so a thread that finds none tries again. A CTA has no
    memory of the heap while it does: those that have some get on without it.
    """
    declare(builder, "malloc", LLVMFunctionType([i64], GENERIC_POINTER))
    before = Block(arg_types=[i32])
    with builder.at_end_of(before):
        (attempt,) = before.args
        num_bytes = builder.constant(size, i64)
        memory = builder.emit(CallOp("malloc", num_bytes, return_type=GENERIC_POINTER)).returned
        assert memory is not None
        address = builder.emit(llvm.PtrToIntOp(memory, i64)).results[0]
        is_null = builder.compare("eq", address, 0)
        is_early = builder.compare("ult", attempt, HEAP_RETRIES)
        again = builder.binary("and", is_null, is_early)
        builder.emit(scf.ConditionOp(again, address, attempt))
    after = Block(arg_types=[i64, i32])
    with builder.at_end_of(after):
        builder.emit(nvvm.NanosleepOp(builder.constant(HEAP_SLEEP)))
        builder.emit(scf.YieldOp(builder.emit(arith.AddiOp(after.args[1], builder.constant(1)))))
    first = builder.constant(0)
    loop = scf.WhileOp([first], [i64, i32], Region(before), Region(after))
    return builder.emit(loop).results[0]


def declare(builder: ThreadBuilder, name: str, ty: LLVMFunctionType) -> None:
    """Declares a function that the driver has."""
    module = builder.kernel.function.parent
    assert module is not None
    known = next((op for op in module.ops if get_name_if_symbol(op) == name), None)
    if known is not None and not isinstance(known, FuncOp):
        fail(known, f"'@{name}' is the name of a function of the driver that is called here")
    if known is None:
        function = FuncOp(name, ty, LinkageAttr("external"))
        function.location = builder.location
        Rewriter.insert_op(function, InsertPoint.before(builder.kernel.function))


@lowers(AllocaOp)
def lower_alloca(builder: ThreadBuilder, op: AllocaOp) -> None:
    """`allocate_all` did it at the start of the kernel."""


@lowers(ReturnOp)
def lower_return(builder: ThreadBuilder, op: ReturnOp) -> None:
    tensor_maps.finish(builder)
    if (heap := builder.kernel.hoisted.get(HEAP_ADDRESS)) is not None:
        declare(builder, "free", LLVMFunctionType([GENERIC_POINTER]))
        sync_threads(builder)
        with only_if(builder, is_first_thread(builder)):
            memory = builder.emit(llvm.IntToPtrOp(heap, GENERIC_POINTER))
            builder.emit(CallOp("free", memory))
    builder.emit(ReturnOp([]))


# Order


@lowers(MemoryFenceAliasOp)
def lower_memory_fence_alias(builder: ThreadBuilder, op: MemoryFenceAliasOp) -> None:
    builder.emit(nvvm.FenceProxyOp(nvvm.ProxyKind.ALIAS))


@lowers(GdcWaitOp)
def lower_gdc_wait(builder: ThreadBuilder, op: GdcWaitOp) -> None:
    if builder.kernel.target.has("griddepcontrol"):
        builder.emit(nvvm.GriddepcontrolWaitOp())


@lowers(GdcLaunchDependentsOp)
def lower_gdc_launch_dependents(builder: ThreadBuilder, op: GdcLaunchDependentsOp) -> None:
    if builder.kernel.target.has("griddepcontrol"):
        builder.emit(nvvm.GriddepcontrolLaunchDependentsOp())


WORD_BYTES = 8


@lowers(ProfileBeginOp)
def lower_begin(builder: ThreadBuilder, op: ProfileBeginOp) -> None:
    entry = builder.get_or_emit_in_entry("profile entry", lambda: read_register("clock"))
    with only_if(builder, _is_recorded(builder, op)):
        time = builder.emit(read_register("globaltimer")).result
        clock = builder.emit(read_register("clock")).result
        sm = builder.emit(read_register("smid")).result
        shift = builder.constant(EVENT_SHIFT, i64)
        high = builder.binary("shl", _widen(builder, sm), shift)
        word = builder.binary("or", high, _widen(builder, clock))
        _write_header(builder, op, {"begin time": time, "begin": word, "entry": entry})


@lowers(ProfileMarkOp)
def lower_mark(builder: ThreadBuilder, op: ProfileMarkOp) -> None:
    count = builder.lookup(op.count)
    fits = builder.compare("ult", count, _find_limit(builder, op))
    with only_if(builder, fits):
        clock = builder.emit(read_register("clock")).result
        event = builder.constant(op.event.value.data << EVENT_SHIFT, i64)
        word = builder.binary("or", _widen(builder, clock), event)
        first = builder.get_or_emit_in_entry(
            ("profile records", op.get_layout()),
            lambda: arith.AddiOp(_find_row(builder, op), builder.constant(len(HEADER))),
        )
        _write(builder, op, builder.binary("add", first, count), word)
    builder.map(op.result, builder.binary("add", count, 1))


@lowers(ProfileEndOp)
def lower_end(builder: ThreadBuilder, op: ProfileEndOp) -> None:
    count = builder.lookup(op.count)
    with only_if(builder, _is_recorded(builder, op)):
        clock = builder.emit(read_register("clock")).result
        time = builder.emit(read_register("globaltimer")).result
        _write_header(builder, op, {"end": clock, "end time": time, "marks": count})


def _write_header(builder: ThreadBuilder, op: ProfileOperation, words: dict[str, SSAValue]) -> None:
    row = _find_row(builder, op)
    for name, word in words.items():
        number = builder.constant(HEADER.index(name))
        place = builder.binary("add", row, number)
        _write(builder, op, place, _widen(builder, word))


def _write(builder: ThreadBuilder, op: ProfileOperation, index: SSAValue, word: SSAValue) -> None:
    buffer = builder.lookup(op.operands[0])
    place = builder.emit(index_pointer(buffer, index, i64, buffer.type)).result
    builder.emit(llvm.StoreOp(word, place, alignment=WORD_BYTES))


def _widen(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    return value if value.type == i64 else builder.cast("zext", value, i64)


# What is known from the start


def _is_recorded(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """Whether a thread writes at all."""
    limit = _find_limit(builder, op)
    return builder.get_or_emit_in_entry(
        ("profile recorded", tuple(op.get_warps())),
        lambda: CmpiOp(limit, builder.constant(0), "ne"),
    )


def _find_limit(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """How many marks a thread writes: as many as a row has room for, or none."""
    layout, warps = op.get_layout(), op.get_warps()

    def make() -> SelectOp:
        is_first = is_first_of_warp(builder)
        is_chosen = builder.emit_in_entry(arith.AndIOp(is_first, _is_any(builder, warps))).result
        is_chosen = builder.emit_in_entry(
            arith.AndIOp(is_chosen, _is_recorded_cta(builder, layout))
        ).result
        return SelectOp(is_chosen, builder.constant(layout.records), builder.constant(0))

    return builder.get_or_emit_in_entry(("profile limit", tuple(warps)), make)


def _is_any(builder: ThreadBuilder, warps: Sequence[int]) -> SSAValue:
    """Whether a thread is in one of some warps."""
    found: SSAValue | None = None
    for warp in warps:
        compare = CmpiOp(get_warp(builder), builder.constant(warp), "eq")
        is_this = builder.emit_in_entry(compare).result
        if found is not None:
            is_this = builder.emit_in_entry(arith.OrIOp(found, is_this)).result
        found = is_this
    assert found is not None
    return found


def _find_cta(builder: ThreadBuilder) -> SSAValue:
    """The linear index of the CTA, as an i64."""

    def make() -> Operation:
        number: SSAValue | None = None
        for dimension in (DimensionEnum.Z, DimensionEnum.Y, DimensionEnum.X):
            axis = DimensionAttr(dimension)
            index = _as_i64(builder, gpu.BlockIdOp(axis))
            if number is not None:
                size = _as_i64(builder, gpu.GridDimOp(axis))
                scaled = builder.emit_in_entry(arith.MuliOp(number, size)).result
                index = builder.emit_in_entry(arith.AddiOp(scaled, index)).result
            number = index
        assert number is not None
        return arith.AddiOp(number, builder.constant(0, i64))

    return builder.get_or_emit_in_entry("profile cta", make)


def _as_i64(builder: ThreadBuilder, query: gpu.DimensionQueryOp) -> SSAValue:
    index = builder.emit_in_entry(query).results[0]
    return builder.emit_in_entry(IndexCastOp(index, i64)).results[0]


def _find_slot(builder: ThreadBuilder, layout: ProfileLayout) -> SSAValue:
    """Which CTA this is of those that are recorded, if it is one of these."""
    every = builder.constant(layout.every, i64)
    return builder.get_or_emit_in_entry(
        ("profile slot", layout), lambda: arith.DivUIOp(_find_cta(builder), every)
    )


def _is_recorded_cta(builder: ThreadBuilder, layout: ProfileLayout) -> SSAValue:
    def make() -> arith.AndIOp:
        every, zero = builder.constant(layout.every, i64), builder.constant(0, i64)
        rest = builder.emit_in_entry(arith.RemUIOp(_find_cta(builder), every)).result
        is_first = builder.emit_in_entry(CmpiOp(rest, zero, "eq")).result
        limit = builder.constant(layout.ctas, i64)
        is_there = CmpiOp(_find_slot(builder, layout), limit, "ult")
        return arith.AndIOp(is_first, builder.emit_in_entry(is_there).result)

    return builder.get_or_emit_in_entry(("profile recorded cta", layout), make)


def _find_row(builder: ThreadBuilder, op: ProfileOperation) -> SSAValue:
    """The first word of the row of the warp, if that is recorded."""
    layout = op.get_layout()

    def make() -> arith.MuliOp:
        slot = builder.emit_in_entry(TruncIOp(_find_slot(builder, layout), i32)).result
        warps = builder.constant(layout.warps)
        first = builder.emit_in_entry(arith.MuliOp(slot, warps)).result
        row = builder.emit_in_entry(arith.AddiOp(first, get_warp(builder))).result
        return arith.MuliOp(row, builder.constant(layout.row))

    return builder.get_or_emit_in_entry(("profile row", layout), make)
