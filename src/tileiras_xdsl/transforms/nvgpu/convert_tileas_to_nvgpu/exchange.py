"""Tiles in scratch memory, through which threads exchange elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from xdsl.dialects import vector
from xdsl.dialects.builtin import IntegerType, VectorType, i1, i8, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.layout_conversion import (
    Identity,
    LocalSelect,
    Renaming,
    Select,
    SharedAccess,
    Shuffles,
    ThroughShared,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout, xor_all
from tileiras_xdsl.analysis.matrix_layouts import MatrixAccess
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nvgpu import LdMatrixOp
from tileiras_xdsl.dialects.nvvm import BarWarpSyncOp, MatrixLayout, ShflOp, ShuffleKind, StMatrixOp
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import window_elements
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    ConversionStep,
    conversion_steps,
)

from .barriers import sync_threads, take_scratch
from .lowering_registry import lowers
from .thread_builder import (
    ThreadBuilder,
    concatenate,
    element_of,
    extract,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
    with_element,
)
from .thread_index import ALL_LANES, apply_bases, is_owner

VECTOR_BYTES = 16
"""The widest access of a thread to shared memory."""


def is_narrow(element: Attribute) -> bool:
    """Whether an integer is smaller than a byte."""
    return isinstance(element, IntegerType) and element.width.data < 8


def to_shared_type(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A fragment in the type that shared memory holds: at least a byte, integers for pointers."""
    element = element_of(value.type)
    if is_narrow(element):
        return builder.cast("zext", value, i8)
    if isinstance(element, LLVMPointerType):
        return builder.emit(llvm.PtrToIntOp(value, with_element(value.type, i64))).results[0]
    return value


def from_shared_type(builder: ThreadBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """A fragment that was read from shared memory in its own type: inverts `to_shared_type`."""
    if element == i1:
        zero = builder.constant_vector([0] * count_lanes(value.type), i8)
        return builder.compare("ne", value, zero)
    if is_narrow(element):
        return builder.cast("trunc", value, element)
    if isinstance(element, LLVMPointerType):
        return builder.emit(llvm.IntToPtrOp(value, with_element(value.type, element))).results[0]
    return value


def stored_type(element: Attribute) -> Attribute:
    """The type that elements have in shared memory."""
    if is_narrow(element):
        return i8
    return i64 if isinstance(element, LLVMPointerType) else element


@dataclass(frozen=True)
class ElementOffsets:
    """Element offsets of a thread: bases of lane and warp bits, and an offset per register."""

    lane: Sequence[int]
    warp: Sequence[int]
    registers: Sequence[int]

    @staticmethod
    def of(layout: LinearLayout) -> ElementOffsets:
        """The row-major offsets of the elements that a thread holds."""
        linear_indices = [layout.element(register=index) for index in range(layout.registers)]
        return ElementOffsets(layout.lane, layout.warp, linear_indices)

    @property
    def width(self) -> int:
        """The vector width: how many consecutive registers hold aligned, contiguous elements."""
        width = 1
        while (
            2 * width <= len(self.registers)
            and all(
                self.registers[start + i] == self.registers[start] + i
                and self.registers[start] % (2 * width) == 0
                for start in range(0, len(self.registers), 2 * width)
                for i in range(2 * width)
            )
            and all(basis % (2 * width) == 0 for basis in (*self.lane, *self.warp))
        ):
            width *= 2
        return width


def emit_offsets(builder: ThreadBuilder, offsets: ElementOffsets, step: int = 1) -> SSAValue:
    """The offsets of every `step`-th element, as a vector of i32."""
    linear_indices = builder.constant_vector(list(offsets.registers[::step]))
    thread = apply_bases(builder, offsets.lane, offsets.warp)
    if thread is None:
        return linear_indices
    splatted = splat(builder, thread, len(offsets.registers) // step)
    return builder.binary("xor", splatted, linear_indices)


def write_tile(
    builder: ThreadBuilder,
    address: SSAValue,
    value: SSAValue,
    offsets: ElementOffsets,
    owner: SSAValue | None,
) -> None:
    """Writes the elements of a fragment to their offsets, by the threads that own them."""
    value = to_shared_type(builder, value)
    element = element_of(value.type)
    size = element_bits(element) // 8
    width = min(offsets.width, VECTOR_BYTES // size)
    addresses = index_pointers(builder, address, emit_offsets(builder, offsets, width), element)
    mask = None if owner is None else splat(builder, owner, len(offsets.registers) // width)
    builder.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size * width))


def read_tile(
    builder: ThreadBuilder, address: SSAValue, element: Attribute, offsets: ElementOffsets
) -> SSAValue:
    """Reads the elements at some offsets."""
    stored = stored_type(element)
    size = element_bits(stored) // 8
    width = min(offsets.width, VECTOR_BYTES // size)
    addresses = index_pointers(builder, address, emit_offsets(builder, offsets, width), stored)
    result = VectorType(stored, [len(offsets.registers)])
    value = builder.emit(
        FragmentLoadOp(addresses, result_type=result, alignment=size * width)
    ).result
    return from_shared_type(builder, value, element)


@dataclass(frozen=True)
class Window:
    """The part of a row-major tile that is in scratch memory."""

    scratch: SSAValue
    index: int
    """How many windows come before it."""
    elements: int
    is_whole: bool
    """Whether it is the whole tile."""

    def locate(
        self, builder: ThreadBuilder, linear_indices: SSAValue
    ) -> tuple[SSAValue, SSAValue | None]:
        """
        Where elements of the tile are in the window, and which of them are in it; `None` if all
        are.
        """
        if self.is_whole:
            return linear_indices, None
        count = count_lanes(linear_indices.type)
        bits = self.elements.bit_length() - 1
        window = builder.binary("lshr", linear_indices, bits)
        mask = builder.compare("eq", window, self.index)
        within = builder.constant_vector([self.elements - 1] * count)
        return builder.binary("and", linear_indices, within), mask


def write_shared_tile(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout
) -> Iterator[Window]:
    """
    Writes a tile to scratch memory, row-major, and synchronizes: the whole tile, or if that does
    not fit one window of it after the other. The first window is written by the call, the others
    when the iterator gets there, so that the one before has been read.
    """
    windows = _share_windows(builder, value, layout)
    return chain([next(windows)], windows)


def _share_windows(
    builder: ThreadBuilder, value: SSAValue, layout: LinearLayout
) -> Iterator[Window]:
    size = element_bits(stored_type(element_of(value.type))) // 8
    elements = window_elements(layout.elements, size, builder.kernel.model.scratch_budget)
    for index in range(layout.elements // elements):
        scratch = take_scratch(builder, elements * size)
        window = Window(scratch, index, elements, elements == layout.elements)
        write_window(builder, window, value, layout)
        sync_threads(builder)
        yield window


def write_window(
    builder: ThreadBuilder, window: Window, value: SSAValue, layout: LinearLayout
) -> None:
    """The owners of elements in a window of a tile write them to it."""
    owner, offsets = is_owner(builder, layout), ElementOffsets.of(layout)
    if window.is_whole:
        write_tile(builder, window.scratch, value, offsets, owner)
        return
    size = window.elements
    lane, warp = ([basis % size for basis in bases] for bases in (offsets.lane, offsets.warp))
    # The window of an element is that of its register, XORed with what the thread adds.
    thread = apply_bases(
        builder,
        [basis // size for basis in offsets.lane],
        [basis // size for basis in offsets.warp],
    )
    groups: dict[int, list[int]] = {}
    for register, offset in enumerate(offsets.registers):
        groups.setdefault(offset // size ^ window.index, []).append(register)
    for wanted, registers in groups.items():
        condition = owner
        if thread is not None:
            condition = builder.compare("eq", thread, wanted)
            if owner is not None:
                condition = builder.binary("and", condition, owner)
        elif wanted:
            continue
        places = ElementOffsets(lane, warp, [offsets.registers[each] % size for each in registers])
        part = select_registers(builder, value, registers)
        write_tile(builder, window.scratch, part, places, condition)


def read_elements(
    builder: ThreadBuilder,
    scratch: SSAValue,
    element: Attribute,
    linear_indices: SSAValue,
    mask: SSAValue | None = None,
    other: SSAValue | None = None,
) -> SSAValue:
    """
    Reads the elements whose offsets are in a vector of i32; where a mask is false, they are those
    of `other`, or 0.
    """
    stored = stored_type(element)
    addresses = index_pointers(builder, scratch, linear_indices, stored)
    result = VectorType(stored, [count_lanes(linear_indices.type)])
    size = element_bits(stored) // 8
    if other is not None:
        other = to_shared_type(builder, other)
    load = FragmentLoadOp(addresses, mask=mask, other=other, result_type=result, alignment=size)
    return from_shared_type(builder, builder.emit(load).result, element)


def read_windows(
    builder: ThreadBuilder,
    windows: Iterator[Window],
    element: Attribute,
    linear_indices: SSAValue,
) -> SSAValue:
    """Reads elements of a tile, by their linear indices, from all its windows."""
    found: SSAValue | None = None
    for window in windows:
        places, mask = window.locate(builder, linear_indices)
        found = read_elements(builder, window.scratch, element, places, mask, found)
    assert found is not None
    return found


def as_i32(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A scalar integer as an i32."""
    ty = value.type
    if ty == i32:
        return value
    if not isinstance(ty, IntegerType):
        return builder.emit(IndexCastOp(value, i32)).result
    if ty.width.data > 32:
        return builder.cast("trunc", value, i32)
    return builder.cast("sext", value, i32)


# Layout conversions, as `analysis.layout_conversion` plans them: registers are permuted or
# selected, shuffled within warps, or go through shared memory.

LAST_LANE = 31


def convert_value(
    builder: ThreadBuilder, value: SSAValue, source: LinearLayout, target: LinearLayout
) -> SSAValue:
    """A fragment in another layout."""
    if source == target:
        return value
    element = element_of(value.type)
    for step in conversion_steps(
        source, target, element_bits(element), builder.kernel.model.scratch_budget
    ):
        value = _convert_step(builder, value, step, element)
    return value


def _convert_step(
    builder: ThreadBuilder, value: SSAValue, step: ConversionStep, element: Attribute
) -> SSAValue:
    plan = step.plan
    match plan:
        case Identity():
            return value
        case Renaming():
            return select_registers(builder, value, plan.indices)
        case LocalSelect():
            chosen = _apply_selects(builder, to_shared_type(builder, value), plan.selects)
            result = select_registers(builder, chosen, plan.indices)
        case Shuffles():
            result = _shuffle(builder, to_shared_type(builder, value), plan)
        case ThroughShared():
            owner = is_owner(builder, step.source)
            result = _through_shared(builder, to_shared_type(builder, value), plan, owner)
    return from_shared_type(builder, result, element)


@lowers(ConvertLayoutOp)
def lower_convert_layout(builder: ThreadBuilder, op: ConvertLayoutOp) -> None:
    source, result = op.operands[0], op.results[0]
    value = convert_value(
        builder, builder.lookup(source), builder.layout(source), builder.layout(result)
    )
    builder.map(result, value)


# Within a thread


def _apply_selects(builder: ThreadBuilder, value: SSAValue, selects: Iterable[Select]) -> SSAValue:
    """Selects between registers by bits of the thread index."""
    for select in selects:
        value = builder.select(
            _condition(builder, select),
            select_registers(builder, value, select.when_true),
            select_registers(builder, value, select.when_false),
        )
    return value


def _condition(builder: ThreadBuilder, select: Select) -> SSAValue:
    """Whether the parity of some bits of lane and warp index is odd."""
    lane = [select.lane >> bit & 1 for bit in range(select.lane.bit_length())]
    warp = [select.warp >> bit & 1 for bit in range(select.warp.bit_length())]
    parity = apply_bases(builder, lane, warp)
    assert parity is not None
    return builder.emit_in_entry(CmpiOp(parity, builder.constant(0), "ne")).result


# Within a warp


def _shuffle(builder: ThreadBuilder, value: SSAValue, plan: Shuffles) -> SSAValue:
    """
    Moves registers between lanes, all that come from the same lane with one op. Selects before and
    after make what a lane sends and receives the same registers in all lanes.
    """
    value = _apply_selects(builder, value, plan.before)
    full = max(1, WORD_BITS // element_bits(element_of(value.type)))
    width = len(plan.words[0].registers)
    parts: list[SSAValue] = []
    for xor, words in groupby(plan.words, lambda word: word.xor):
        # Shuffles move 32 bits: words of narrow elements are padded.
        published = [
            index
            for word in words
            for index in (*word.registers, *word.registers[:1] * full)[:full]
        ]
        parts.append(_from_lane(builder, select_registers(builder, value, published), plan, xor))
    got = concatenate(builder, parts)
    if width < full:
        count = count_lanes(got.type)
        kept = [index for index in range(count) if index % full < width]
        got = select_registers(builder, got, kept)
    return select_registers(builder, _apply_selects(builder, got, plan.after), plan.indices)


def _from_lane(builder: ThreadBuilder, value: SSAValue, plan: Shuffles, xor: int) -> SSAValue:
    """The registers of another lane."""
    mask, clamp = builder.constant(ALL_LANES), builder.constant(LAST_LANE)
    if plan.keeps_lanes:
        if not xor:
            return value
        return builder.emit(
            ShflOp(ShuffleKind.BFLY, mask, value, builder.constant(xor), clamp)
        ).result
    lane = apply_bases(builder, plan.lane, plan.warp)
    if lane is None:
        lane = builder.constant(xor)
    elif xor:
        lane = builder.binary("xor", lane, xor)
    return builder.emit(ShflOp(ShuffleKind.IDX, mask, value, lane, clamp)).result


# Through shared memory


def _through_shared(
    builder: ThreadBuilder, value: SSAValue, plan: ThroughShared, owner: SSAValue | None
) -> SSAValue:
    scratch = take_scratch(builder, plan.bytes)
    parts: list[SSAValue] = []
    for index, gather in enumerate(plan.gather):
        if index:
            _synchronize(builder, plan)
        _store(builder, select_registers(builder, value, gather), scratch, plan.store, owner)
        _synchronize(builder, plan)
        parts.append(_load(builder, scratch, plan, element_of(value.type)))
    return select_registers(builder, concatenate(builder, parts), plan.spread)


def _synchronize(builder: ThreadBuilder, plan: ThroughShared) -> None:
    if plan.within_warps:
        builder.emit(BarWarpSyncOp(builder.constant(ALL_LANES)))
    else:
        sync_threads(builder)


def _store(
    builder: ThreadBuilder,
    value: SSAValue,
    base: SSAValue,
    access: SharedAccess | MatrixAccess,
    owner: SSAValue | None,
) -> None:
    """Writes registers in the order of an access."""
    element, count = element_of(value.type), count_lanes(value.type)
    bits = element_bits(element)
    addresses = vector_addresses(builder, base, access, element)
    if isinstance(access, SharedAccess):
        mask = None if owner is None else splat(builder, owner, count_lanes(addresses.type))
        size = access.width * bits // 8
        builder.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size))
        return
    words = builder.emit(
        vector.BitcastOp(value, VectorType(i32, [count * bits // WORD_BITS]))
    ).result
    layout = MatrixLayout.COL if access.transposed else MatrixLayout.ROW
    for index in range(count_lanes(addresses.type)):
        address = extract(builder, addresses, index)
        first = index * access.count
        matrices = [extract(builder, words, first + n) for n in range(access.count)]
        builder.emit(StMatrixOp(address, matrices, layout))


def _load(
    builder: ThreadBuilder, base: SSAValue, plan: ThroughShared, element: Attribute
) -> SSAValue:
    """Reads registers in the order of an access."""
    access = plan.load
    addresses = vector_addresses(builder, base, access, element)
    vectors, bits = count_lanes(addresses.type), element_bits(element)
    if isinstance(access, SharedAccess):
        result = VectorType(element, [vectors * access.width])
        size = access.width * bits // 8
        return builder.emit(FragmentLoadOp(addresses, result_type=result, alignment=size)).result
    words = concatenate(
        builder,
        [
            builder.emit(
                LdMatrixOp(
                    extract(builder, addresses, index), access.count, transpose=access.transposed
                )
            ).result
            for index in range(vectors)
        ],
    )
    result = VectorType(element, [vectors * access.count * WORD_BITS // bits])
    return builder.emit(vector.BitcastOp(words, result)).result


def vector_addresses(
    builder: ThreadBuilder,
    base: SSAValue,
    access: SharedAccess | MatrixAccess,
    element: Attribute,
    *,
    rematerialize: bool = False,
) -> SSAValue:
    """
    The address of each vector. Register bases that share no bits with those of the thread never
    carry into them, so XOR is an addition there: a constant offset, which is an immediate of the
    instruction. With `rematerialize`, addresses are not kept in registers across iterations of a
    loop.
    """
    thread = apply_bases(builder, access.lane, access.warp, rematerialize=rematerialize)
    vectors = 1 << len(access.register)
    taken = 0
    for basis in (*access.lane, *access.warp):
        taken |= basis
    mixed = _closure(access.register, taken)
    xored = [xor_all([b if b in mixed else 0 for b in access.register], i) for i in range(vectors)]
    added = [xor_all([0 if b in mixed else b for b in access.register], i) for i in range(vectors)]
    offsets = builder.constant_vector(xored)
    if thread is not None:
        splatted = splat(builder, thread, vectors)
        offsets = builder.binary("xor", splatted, offsets) if any(xored) else splatted
    addresses = index_pointers(builder, base, offsets, element)
    if not any(added):
        return addresses
    distances = builder.constant_vector(added)
    return builder.emit(index_pointer(addresses, distances, element, addresses.type)).result


def _closure(bases: Sequence[int], taken: int) -> set[int]:
    """The bases that share bits with those taken before, or with each other, transitively."""
    mixed: set[int] = set()
    while True:
        more = {basis for basis in bases if basis & taken} - mixed
        if not more:
            return mixed
        mixed |= more
        for basis in more:
            taken |= basis
