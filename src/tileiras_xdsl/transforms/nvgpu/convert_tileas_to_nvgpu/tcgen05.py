"""
Dots by `tcgen05`, and tiles in tensor memory.

    %d = nv_tileas.dot %a, %b, %t {atom = #nv_tileas.atom<mma.sm100>} : …
    %p = nv_tileas.commit_dots
    nv_tileas.wait_dots %p
    %r = nv_tileas.tensor_memory_load %d : tensor<128x128xf32, #tmem> -> …

A tile in tensor memory becomes its address. One elected thread issues all MMAs, of the warp of the
MMA agent, or else of the first consumer warp, and only that warp waits for the stages that MMAs
read; `tcgen05.commit` tells the producer when they are free again. So all MMAs of a CTA are of one
thread, which orders those that add to the same accumulator. Warps read and write the lanes that are
theirs: a thread has a row.

An MMA agent and threads hand tiles to each other by pipelines whose stages are columns
(`pipelines.py`). Without one, what is waited for has an mbarrier, of whose phase each thread keeps
the parity: one of its own for each `commit_dots`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IntegerAttr,
    VectorType,
    f32,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import AllocaOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.matrix_layouts import STEP_BYTES, SharedOperand
from tileiras_xdsl.analysis.mma_instructions import get_mma_instruction
from tileiras_xdsl.analysis.tensor_memory_layouts import (
    HALF_ROWS,
    LANE_STEP,
    SCALE_LANES,
    SCALES_PER_WORD,
    AccessPiece,
    RowGrid,
    access_pieces,
    choose_row_grid,
    find_row_grid,
    instruction_rows,
    row_layout,
    warpgroup_column,
)
from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.building import EnumAttr
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width, memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileas.decisions import COLUMN, PAIR_BARRIER, READS_SLICES
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReadOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_buffers
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TMEM,
    CommitDotsOp,
    TensorMemoryFenceOp,
    TensorMemoryLoadOp,
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
    WaitDotsOp,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.dialects.nvvm.tcgen05 import (
    TENSOR_POINTER,
    CtaGroup,
    CtaGroupAttr,
    Tcgen05BlockScale,
    Tcgen05CpMulticast,
    Tcgen05CpShape,
    Tcgen05Fence,
    Tcgen05LdStShape,
    Tcgen05MmaKind,
    Tcgen05Wait,
)
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS, WORD_BITS
from tileiras_xdsl.targets.tcgen05 import (
    ADDRESS_MASK,
    MOST_COLUMNS,
    UNIT,
    InstructionDescriptor,
    SharedDescriptor,
    kind_of,
)
from tileiras_xdsl.targets.tma import SWIZZLE_ATOM_ROWS
from tileiras_xdsl.transforms.common.scaled_dots import types_of
from tileiras_xdsl.transforms.tileas.kernel_model.scaled_tcgen05 import (
    COPIED_BYTES,
    COPIED_COLUMNS,
    columns_of_scales,
    scale_columns,
    scale_shared_layout,
    transposes_bytes,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_memory_webs import scale_pipeline
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .barriers import arrive_remotely, only_if, shared_address, sync_threads, wait
from .lowering_registry import lower_op, lowers
from .shapes import broadcast_indices
from .thread_builder import ThreadBuilder, concatenate, extract, select_registers
from .thread_index import (
    ALL_LANES,
    get_cluster_rank,
    get_uniform_warp,
    get_warpgroup,
    is_first_thread,
)

UNIT_BITS = UNIT.bit_length() - 1
"""Descriptors count in units of 16 bytes."""
ACCUMULATOR_TYPES = {"f32": "f32", "i32": "s32"}
SCALE_STEP = 1 << 29 | 1 << 4
"""What an instruction descriptor grows by if the bytes of both scale factors do."""
SWIZZLES = {32: "32B", 64: "64B", 128: "128B"}


# Threads that issue


def is_first_warp(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the warp that issues MMAs, the first consumer warp."""
    return builder.get_or_emit_in_entry(
        "first warp", CmpiOp, get_uniform_warp(builder), builder.constant(0), "eq"
    )


def is_issuing_warp(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the warp that issues MMAs; of a pair of CTAs, that of the even one."""
    first = is_first_warp(builder)
    if builder.kernel.pair_ctas == 1:
        return first
    leads = is_leader(builder)
    return builder.get_or_emit_in_entry("issuing warp", arith.AndIOp, first, leads)


def is_leader(builder: ThreadBuilder) -> SSAValue:
    """Whether this is the even CTA of a pair, which issues the MMAs of both."""
    rank = get_cluster_rank(builder)
    return builder.get_or_emit_in_entry("leader", CmpiOp, rank, builder.constant(0), "eq")


def cta_group(builder: ThreadBuilder) -> EnumAttr[CtaGroup] | None:
    """Whose tensor memory instructions access, if it is that of a pair of CTAs."""
    return None if builder.kernel.pair_ctas == 1 else CtaGroupAttr(CtaGroup.CTA_2)


@contextmanager
def issuing_thread(builder: ThreadBuilder) -> Generator[None]:
    """
    Appends to a branch of the thread that issues MMAs. It is elected: ptxas would put each MMA
    into a loop over the threads of the warp otherwise. The warp goes on together.
    """
    if builder.agent.name == "mma":
        with elected_thread(builder):
            yield
        return
    with only_if(builder, is_issuing_warp(builder)), elected_thread(builder):
        yield


@contextmanager
def elected_thread(builder: ThreadBuilder) -> Generator[None]:
    """Appends to a branch of one thread of a warp."""
    elected = builder.emit(nvvm.ElectSyncOp()).predicate
    with only_if(builder, elected):
        yield
    builder.emit(nvvm.BarWarpSyncOp(builder.constant(ALL_LANES)))


def fence(builder: ThreadBuilder, kind: Tcgen05Fence) -> None:
    """Orders accesses of tensor memory with a synchronization of threads."""
    builder.emit(nvvm.Tcgen05FenceOp(kind))


# Allocation


def allocate_tensor_memory(builder: ThreadBuilder, op: Operation, columns: int) -> None:
    """
    The first warp allocates tensor memory, before a CTA barrier; other CTAs of the SM may do so
    after it.
    """
    (slot,) = get_buffers(op)
    with only_if(builder, is_first_warp(builder)):
        address = shared_address(builder, slot.offset)
        group = cta_group(builder)
        builder.emit(nvvm.Tcgen05AllocOp(address, builder.constant(columns), group))
        builder.emit(nvvm.Tcgen05RelinquishAllocPermitOp(group))
    fence(builder, Tcgen05Fence.BEFORE)


def find_tensor_memory(builder: ThreadBuilder, op: Operation) -> SSAValue:
    """After the CTA barrier, warps of an agent read where tensor memory is."""
    (slot,) = get_buffers(op)
    fence(builder, Tcgen05Fence.AFTER)
    address = shared_address(builder, slot.offset)
    load = builder.emit(llvm.LoadOp(address, i32, alignment=4))
    return load.dereferenced_value


def free_tensor_memory(builder: ThreadBuilder, base: SSAValue, columns: int) -> None:
    """The first warp frees tensor memory, after the last barrier of the consumer warps."""
    group = cta_group(builder)
    with only_if(builder, is_first_warp(builder)):
        fence(builder, Tcgen05Fence.AFTER)
        memory = _at(builder, base, 0)
        builder.emit(nvvm.Tcgen05DeallocOp(memory, builder.constant(columns), group))


def lower_place(builder: ThreadBuilder, op: AllocTensorOp) -> None:
    """A place in tensor memory is an address."""
    column, base = COLUMN.get(op), builder.agent.tensor_memory
    if column is None or base is None:
        fail(op, "expects tensor memory to be allocated (tileas-allocate-tensor-memory)")
    builder.map(op.result, advance(builder, base, column.data))


def advance(builder: ThreadBuilder, address: SSAValue, columns: int) -> SSAValue:
    """An address some columns further."""
    if not columns:
        return address
    return builder.binary("add", address, columns)


def _at(builder: ThreadBuilder, address: SSAValue, columns: int) -> SSAValue:
    """A pointer to tensor memory some columns further."""
    address = advance(builder, address, columns)
    return builder.emit(llvm.IntToPtrOp(address, TENSOR_POINTER)).output


# Accesses of threads


@dataclass(frozen=True)
class TileAccess:
    """How the threads of a kernel access a tile in tensor memory."""

    shape: tuple[int, ...]
    grid: RowGrid
    bits: int
    columns: int
    """Of the tile in tensor memory, of which a slice may be accessed."""

    @staticmethod
    def of(
        builder: ThreadBuilder, op: Operation, registers: SSAValue, tile: SSAValue
    ) -> TileAccess:
        """Of a tile that has a layout in registers."""
        shape = tuple(get_shape(registers.type))
        warpgroups = builder.kernel.consumer_warps // WARPGROUP_WARPS
        grid = find_row_grid(shape, builder.layout(registers), warpgroups)
        bits = memory_bits(get_element(registers.type))
        if grid is None or bits > WORD_BITS:
            fail(op, f"'{registers.type}' is in no layout of tensor memory")
        return TileAccess(shape, grid, bits, get_shape(tile.type)[1])

    def pieces(self) -> list[AccessPiece]:
        """What each instruction accesses."""
        return access_pieces(self.shape, self.grid, self.bits, self.columns)

    @property
    def instruction(self) -> Tcgen05LdStShape:
        """The shape of accesses."""
        is_half = self.shape[0] == HALF_ROWS
        return Tcgen05LdStShape.SHAPE_16X32BX2 if is_half else Tcgen05LdStShape.SHAPE_32X32B

    @property
    def offset(self) -> int | None:
        """The columns between the two halves of a warp, if these access different ones."""
        if self.shape[0] != HALF_ROWS:
            return None
        return self.shape[1] * self.bits // WORD_BITS // self.grid.n // 2

    def address(self, builder: ThreadBuilder, tile: SSAValue) -> SSAValue:
        """Where the part of a warp begins: its lanes, and the columns of its warpgroup."""
        rows, columns = warpgroup_column(self.shape, self.grid, self.bits, self.columns)
        warp = get_uniform_warp(builder)

        def lanes() -> arith.MuliOp:
            index = builder.emit_in_entry(
                arith.AndIOp(warp, builder.constant(WARPGROUP_WARPS - 1))
            ).result
            return arith.MuliOp(index, builder.constant(LANE_STEP))

        address = builder.binary("add", tile, builder.get_or_emit_in_entry("lanes", lanes))
        if self.grid.m > 1:
            group = builder.get_or_emit(
                arith.AndIOp, get_warpgroup(builder), builder.constant(self.grid.m - 1)
            )
            part = builder.get_or_emit(arith.MuliOp, group, builder.constant(rows))
            address = builder.binary("add", address, part)
        if self.grid.n > 1:
            shift = builder.constant(self.grid.m.bit_length() - 1)
            group = builder.get_or_emit(arith.ShRUIOp, get_warpgroup(builder), shift)
            part = builder.get_or_emit(arith.MuliOp, group, builder.constant(columns))
            address = builder.binary("add", address, part)
        return address

    def load(
        self, builder: ThreadBuilder, address: SSAValue, piece: AccessPiece, element: Attribute
    ) -> SSAValue:
        """What an instruction reads, which is to be waited for."""
        place, ty = _at(builder, address, piece.column), VectorType(element, [piece.registers])
        load = nvvm.Tcgen05LdOp(place, ty, shape=self.instruction, offset=self.offset)
        return builder.emit(load).result

    def store(
        self, builder: ThreadBuilder, address: SSAValue, piece: AccessPiece, value: SSAValue
    ) -> None:
        """What an instruction writes, which is to be waited for."""
        place = _at(builder, address, piece.column)
        builder.emit(nvvm.Tcgen05StOp(place, value, shape=self.instruction, offset=self.offset))


@lowers(TensorMemoryLoadOp)
def lower_tensor_memory_load(builder: ThreadBuilder, op: TensorMemoryLoadOp) -> None:
    access = TileAccess.of(builder, op, op.result, op.source)
    ty = builder.converted_type(op.result)
    assert isinstance(ty, VectorType)
    element = ty.get_element_type()
    if element_bit_width(element) != WORD_BITS:
        fail(op, f"elements of '{op.result.type}' are no words")
    first = 0 if op.column is None else op.column.value.data
    if op.column is not None:
        # Other threads may have written it, before a barrier.
        fence(builder, Tcgen05Fence.AFTER)
    address = advance(builder, access.address(builder, builder.lookup(op.source)), first)
    narrowing = find_narrowing(op)
    values: list[SSAValue] = []
    for piece in access.pieces():
        value = access.load(builder, address, piece, element)
        if narrowing is not None:
            # The next part takes the registers of this one.
            builder.emit(nvvm.Tcgen05WaitOp(Tcgen05Wait.LOAD))
            builder.map(op.result, value)
            lower_op(builder, narrowing)
            value = builder.lookup(narrowing.result)
            del builder.kernel.mapping[narrowing.result]
        values.append(value)
    if narrowing is not None:
        builder.map(narrowing.result, concatenate(builder, values))
        return
    builder.emit(nvvm.Tcgen05WaitOp(Tcgen05Wait.LOAD))
    builder.map(op.result, concatenate(builder, values))


def find_narrowing(op: TensorMemoryLoadOp) -> FpToFpOp | None:
    """The op that narrows what is loaded, if nothing else needs it."""
    if not op.result.has_one_use():
        return None
    (use,) = op.result.uses
    user = use.operation
    if not isinstance(user, FpToFpOp) or user.parent_block() is not op.parent_block():
        return None
    is_narrower = memory_bits(get_element(user.result.type)) < WORD_BITS
    return user if is_narrower and get_memory(user.result.type) == "register" else None


def follow_slices(builder: ThreadBuilder) -> None:
    """Other threads may have read slices of what is overwritten, before a barrier."""
    if READS_SLICES.is_on(builder.kernel.function):
        fence(builder, Tcgen05Fence.AFTER)


def is_narrowed_as_loaded(op: Operation, mapping: Mapping[SSAValue, object]) -> bool:
    """Whether an op narrows a tile part by part, which was done where that is loaded."""
    return isinstance(op.operands[0].owner, TensorMemoryLoadOp) and op.results[0] in mapping


@lowers(TensorMemoryStoreOp)
def lower_tensor_memory_store(builder: ThreadBuilder, op: TensorMemoryStoreOp) -> None:
    access = TileAccess.of(builder, op, op.source, op.result)
    value, tile = builder.lookup(op.source), builder.lookup(op.destination)
    packed = WORD_BITS // access.bits
    address = access.address(builder, tile)
    follow_slices(builder)
    for piece in access.pieces():
        first = piece.register * packed
        part = select_registers(builder, value, range(first, first + piece.registers * packed))
        access.store(builder, address, piece, part)
    builder.emit(nvvm.Tcgen05WaitOp(Tcgen05Wait.STORE))
    builder.map(op.result, tile)


@lowers(TensorMemoryScaleOp)
def lower_tensor_memory_scale(builder: ThreadBuilder, op: TensorMemoryScaleOp) -> None:
    """
    Reads, multiplies and writes a few columns after the other; the next ones are on their way
    meanwhile. A warp whose factors are all one leaves its rows as they are.
    """
    shape = tuple(get_shape(op.result.type))
    grid = choose_row_grid(shape, builder.kernel.consumer_warps // WARPGROUP_WARPS)
    layout = row_layout(shape, grid)
    access = TileAccess(shape, grid, WORD_BITS, shape[1])
    if layout is None or builder.layout(op.factors) != layout.restricted((shape[0], 1)):
        fail(op, f"'{op.factors.type}' are not the factors of the rows that threads have")
    factors, tile = builder.lookup(op.factors), builder.lookup(op.destination)
    repeated = select_registers(
        builder, factors, broadcast_indices(layout, builder.layout(op.factors))
    )
    pieces = access.pieces()
    address = access.address(builder, tile)

    follow_slices(builder)
    with only_if(builder, _is_not_one(builder, factors)):
        values = access.load(builder, address, pieces[0], f32)
        for piece, later in zip(pieces, [*pieces[1:], None], strict=True):
            builder.emit(nvvm.Tcgen05WaitOp(Tcgen05Wait.LOAD))
            following = values
            if later is not None:
                following = access.load(builder, address, later, f32)
            registers = range(piece.register, piece.register + piece.registers)
            times = select_registers(builder, repeated, registers)
            product = builder.binary("fmul", values, times)
            access.store(builder, address, piece, product)
            values = following
        builder.emit(nvvm.Tcgen05WaitOp(Tcgen05Wait.STORE))
    builder.map(op.result, tile)


def _is_not_one(builder: ThreadBuilder, factors: SSAValue) -> SSAValue:
    """Whether some thread of the warp has a factor that is not one."""
    one = builder.literal(1.0, f32)
    found: SSAValue | None = None
    for index in range(nvvm.count_lanes(factors.type)):
        factor = extract(builder, factors, index)
        differs = builder.compare("une", factor, one)
        found = differs if found is None else builder.binary("or", found, differs)
    assert found is not None
    return builder.emit(
        nvvm.VoteSyncOp(builder.constant(ALL_LANES), found, nvvm.VoteKind.ANY)
    ).result


@lowers(TensorMemoryFenceOp)
def lower_tensor_memory_fence(builder: ThreadBuilder, op: TensorMemoryFenceOp) -> None:
    """Loads and stores are waited for where they are, so what is left is their order."""
    fence(builder, Tcgen05Fence.BEFORE)


# MMAs


def lower_tcgen05_dot(builder: ThreadBuilder, op: DotOp) -> None:
    """Issues the MMAs of a dot; its result is where the accumulator is."""
    mma = get_mma_instruction(op, builder.kernel.target)
    shape, accumulator = get_shape(op.result.type), builder.lookup(op.accumulator)
    type_d = ACCUMULATOR_TYPES.get(str(get_element(op.result.type)))
    kind = None if mma is None else kind_of(mma.type_a, mma.type_b)
    if mma is None or type_d is None or kind is None or get_memory(op.result.type) != TMEM:
        fail(op, "the accumulator is not in tensor memory, or the types are none of tcgen05")
    size = memory_bits(get_element(op.a.type)) // 8
    b_operand = _find_operand(builder, op, op.b, 0, size)
    ctas = builder.kernel.pair_ctas
    if ctas > 1:
        b_operand = b_operand.half(shape[1])
    in_memory = get_memory(op.a.type) == TMEM
    a_operand = None if in_memory else _find_operand(builder, op, op.a, 1, size)
    enable = _reads_accumulator(builder, op)
    rows, width = instruction_rows(shape), min(shape[1], MOST_COLUMNS)
    instruction = InstructionDescriptor(
        kind.name,
        ctas * rows,
        width,
        mma.type_a,
        mma.type_b,
        type_d,
        trans_a=a_operand is not None and a_operand.is_transposed,
        trans_b=b_operand.is_transposed,
    )
    steps = get_shape(op.a.type)[1] * size // STEP_BYTES
    with issuing_thread(builder):
        fence(builder, Tcgen05Fence.AFTER)
        b_base = _describe(builder, op.b, b_operand)
        a_base = builder.lookup(op.a) if a_operand is None else _describe(builder, op.a, a_operand)
        uniform = b_operand.uniform_steps(steps)
        if a_operand is not None:
            uniform = min(uniform, a_operand.uniform_steps(steps))
        for row in range(0, shape[0], rows):
            for column in range(0, shape[1], width):
                place = _at(builder, accumulator, row // rows * shape[1] + column)
                for step in range(0, steps, uniform):
                    if a_operand is None:
                        a = _at(builder, a_base, step * STEP_BYTES * 8 // WORD_BITS)
                    else:
                        offset = a_operand.descriptor_offset(row, step)
                        a = _advance_descriptor(builder, a_base, offset)
                    offset = b_operand.descriptor_offset(column, step)
                    b = _advance_descriptor(builder, b_base, offset)
                    builder.emit(
                        nvvm.Tcgen05MmaOp(
                            d=place,
                            a=a,
                            b=b,
                            idesc=builder.constant(instruction.encode()),
                            enable_input_d=builder.constant(1, i1) if step else enable,
                            kind=Tcgen05MmaKind(kind.name),
                            k_steps=uniform,
                            a_step=_a_step(a_operand),
                            b_step=b_operand.step >> UNIT_BITS,
                            group=cta_group(builder),
                        )
                    )
    builder.map(op.result, accumulator)


def lower_tcgen05_scaled_dot(builder: ThreadBuilder, op: ScaledDotOp) -> None:
    """
    Copies scales to tensor memory, and issues the MMAs of a block-scaled dot, in one thread: an MMA
    is in order behind a copy. That a copy over scales is behind an earlier MMA that reads them is
    not said by the PTX ISA (`TensorOrderWarning`). It need not be: threads write scales after they
    have waited for that MMA, and an MMA agent copies each stage of scales to columns of its own. In
    a pair, a copy is one of both CTAs: from the same place of their shared memories to the same
    columns.
    """
    types, kind = types_of(op), types_of(op).kind
    shape, accumulator = get_shape(op.result.type), builder.lookup(op.accumulator)
    if kind is None or get_memory(op.result.type) != TMEM:
        fail(op, "the accumulator is not in tensor memory, or the types are none of tcgen05")
    a_operand = _find_operand(builder, op, op.a, 1, 1)
    b_operand = _find_operand(builder, op, op.b, 0, 1)
    ctas = builder.kernel.pair_ctas
    if ctas > 1:
        b_operand = b_operand.half(shape[1])
    enable = _reads_accumulator(builder, op)
    rows, width = instruction_rows(shape), min(shape[1], MOST_COLUMNS)
    steps = get_shape(op.a.type)[1] // STEP_BYTES
    scales_per_step = kind.k // types.block
    uniform = min(
        a_operand.uniform_steps(steps),
        b_operand.uniform_steps(steps),
        SCALES_PER_WORD // scales_per_step,
    )
    type_a, type_b, scale_type = types.names
    instruction = InstructionDescriptor(
        kind.name,
        ctas * rows,
        width,
        type_a,
        type_b,
        trans_a=a_operand.is_transposed,
        trans_b=b_operand.is_transposed,
        scale=scale_type,
    )
    with issuing_thread(builder):
        fence(builder, Tcgen05Fence.AFTER)
        scale_a = _scale_place(builder, op, op.scale_a, 0)
        scale_b = _scale_place(builder, op, op.scale_b, scale_columns(op)[0])
        word_a = _copy_scales(builder, op, op.scale_a, scale_a)
        word_b = _copy_scales(builder, op, op.scale_b, scale_b)
        a_base = _describe(builder, op.a, a_operand)
        b_base = _describe(builder, op.b, b_operand)
        for row in range(0, shape[0], rows):
            for start in range(0, shape[1], width):
                place = _at(builder, accumulator, row // rows * shape[1] + start)
                for step in range(0, steps, uniform):
                    word, ident = divmod(step * scales_per_step, SCALES_PER_WORD)
                    a_offset = a_operand.descriptor_offset(row, step)
                    b_offset = b_operand.descriptor_offset(start, step)
                    first = replace(instruction, scale_a_id=ident, scale_b_id=ident)
                    builder.emit(
                        nvvm.Tcgen05MmaBlockScaleOp(
                            d=place,
                            a=_advance_descriptor(builder, a_base, a_offset),
                            b=_advance_descriptor(builder, b_base, b_offset),
                            idesc=builder.constant(first.encode()),
                            enable_input_d=builder.constant(1, i1) if step else enable,
                            scale_a=_at(builder, scale_a, word * word_a + row // SCALE_LANES),
                            scale_b=_at(builder, scale_b, word * word_b + start // SCALE_LANES),
                            kind=Tcgen05MmaKind(kind.name),
                            k_steps=uniform,
                            a_step=a_operand.step >> UNIT_BITS,
                            b_step=b_operand.step >> UNIT_BITS,
                            block_scale=Tcgen05BlockScale(f"block{types.block}"),
                            # Scales of the next instruction are in the next bytes.
                            idesc_step=IntegerAttr(
                                scales_per_step * SCALE_STEP, i32, truncate_bits=True
                            )
                            if uniform > 1
                            else None,
                            group=cta_group(builder),
                        )
                    )
    builder.map(op.result, accumulator)


def _scale_place(builder: ThreadBuilder, op: ScaledDotOp, value: SSAValue, skip: int) -> SSAValue:
    """Where scales are in tensor memory: by the stage of a pipeline, or behind others of a dot."""
    pipeline, base = scale_pipeline(value), builder.agent.tensor_memory
    column = COLUMN.get(op if pipeline is None else pipeline)
    if column is None or base is None:
        fail(op, "expects tensor memory to be allocated (tileas-allocate-tensor-memory)")
    if pipeline is None:
        return advance(builder, base, column.data + skip)
    address, read = advance(builder, base, column.data), value.owner
    assert isinstance(read, ConsumerReadOp)
    if pipeline.get_num_stages() == 1:
        return address
    step = builder.constant(columns_of_scales(value.type))
    offset = builder.get_or_emit(arith.MuliOp, builder.lookup(read.result_token), step)
    return builder.binary("add", address, offset)


def _copy_scales(builder: ThreadBuilder, op: ScaledDotOp, value: SSAValue, place: SSAValue) -> int:
    """
    Copies scales from shared memory to tensor memory; returns how many columns have the words of
    all rows.
    """
    shape, row_dim = get_shape(value.type), 0 if value is op.scale_a else 1
    expected = scale_shared_layout(shape, 1 - row_dim)
    if get_memory(value.type) != "shared" or builder.layout(value) != expected:
        fail(op, f"'{value.type}' is not as tcgen05.cp reads scales")
    matrix = SharedDescriptor(leading=UNIT, stride=SWIZZLE_ATOM_ROWS * UNIT, swizzle="none")
    descriptor = _describe_matrix(builder, builder.lookup(value), matrix)
    for number in range(shape[0] * shape[1] // COPIED_BYTES):
        builder.emit(
            nvvm.Tcgen05CpOp(
                _at(builder, place, number * COPIED_COLUMNS),
                _advance_descriptor(builder, descriptor, number * COPIED_BYTES),
                shape=Tcgen05CpShape.SHAPE_32X128B,
                multicast=Tcgen05CpMulticast.WARPX4,
                group=cta_group(builder),
            )
        )
    return shape[row_dim] // SCALE_LANES


def _a_step(operand: SharedOperand | None) -> int:
    """From one K step to the next: units of a descriptor, or columns of tensor memory."""
    return STEP_BYTES * 8 // WORD_BITS if operand is None else operand.step >> UNIT_BITS


def _find_operand(
    builder: ThreadBuilder, op: Operation, value: SSAValue, k_dim: int, size: int
) -> SharedOperand:
    operand = None
    if get_memory(value.type) == "shared":
        operand = SharedOperand.of(
            builder.layout(value), k_dim, size, transposes_bytes=transposes_bytes(op)
        )
    if operand is None or operand.k_permutation:
        fail(op, f"no descriptor can describe '{value.type}'")
    return operand


def _describe(builder: ThreadBuilder, value: SSAValue, operand: SharedOperand) -> SSAValue:
    """The descriptor of an operand in shared memory."""
    matrix = SharedDescriptor(
        leading=operand.leading, stride=operand.stride, swizzle=SWIZZLES[operand.line]
    )
    return _describe_matrix(builder, builder.lookup(value), matrix)


def _describe_matrix(builder: ThreadBuilder, base: SSAValue, matrix: SharedDescriptor) -> SSAValue:
    """The descriptor of a matrix at an address; all but the address is a constant."""
    address = builder.emit(llvm.PtrToIntOp(base, i32)).output
    masked = builder.binary("and", address, ADDRESS_MASK)
    shifted = builder.binary("lshr", masked, UNIT_BITS)
    wide = builder.cast("zext", shifted, i64)
    return builder.binary("or", builder.constant(matrix.encode(), i64), wide)


def _advance_descriptor(builder: ThreadBuilder, descriptor: SSAValue, offset: int) -> SSAValue:
    if not offset:
        return descriptor
    return builder.binary("add", descriptor, offset >> UNIT_BITS)


def _reads_accumulator(builder: ThreadBuilder, op: DotOp) -> SSAValue:
    """Whether MMAs add to the accumulator, or overwrite it."""
    if op.accumulate is None:
        return builder.constant(1, i1)
    return builder.lookup(op.accumulate)


# What threads wait for


def _barrier(builder: ThreadBuilder, op: Operation) -> SSAValue:
    """The mbarrier of a `commit_dots`, or of a barrier of a pair."""
    (buffer,) = get_buffers(op)
    return shared_address(builder, buffer.offset)


def commit_barriers(builder: ThreadBuilder, ops: Sequence[Operation]) -> list[SSAValue]:
    """The mbarriers of all `commit_dots` among some ops, on which one thread arrives."""
    return [_barrier(builder, op) for op in ops if isinstance(op, CommitDotsOp)]


@lowers(CommitDotsOp)
def lower_commit_dots(builder: ThreadBuilder, op: CommitDotsOp) -> None:
    with issuing_thread(builder):
        commit(builder, _barrier(builder, op), builder.kernel.pair_ctas)
    builder.map(op.result)


@lowers(WaitDotsOp)
def lower_wait_dots(builder: ThreadBuilder, op: WaitDotsOp) -> None:
    commit = op.token.owner
    if not isinstance(commit, CommitDotsOp):
        fail(op, "expects the token of 'nv_tileas.commit_dots'")
    phase = _phase(builder, commit)
    parity = builder.emit(llvm.LoadOp(phase, i32, alignment=4)).dereferenced_value
    wait(builder, _barrier(builder, commit), parity)
    flipped = builder.binary("xor", parity, 1)
    builder.emit(llvm.StoreOp(flipped, phase, alignment=4))
    fence(builder, Tcgen05Fence.AFTER)


def _phase(builder: ThreadBuilder, commit: Operation) -> SSAValue:
    """A variable of the thread, the parity that it waits for next; LLVM keeps it in a register."""

    def make() -> Operation:
        one = builder.constant(1)
        return AllocaOp(one, i32, 4)

    known = builder.kernel.hoisted.get(("phase", commit))
    if known is None:
        known = builder.get_or_emit_in_entry(("phase", commit), make)
        builder.emit_in_entry(llvm.StoreOp(builder.constant(0), known, alignment=4))
    return known


def commit(builder: ThreadBuilder, barrier: SSAValue, ctas: int) -> None:
    """
    Arrives on an mbarrier when all MMAs issued so far are complete: that of the CTA, or those of so
    many CTAs of the cluster.
    """
    mask = None if ctas == 1 else builder.constant((1 << ctas) - 1, i16)
    builder.emit(nvvm.Tcgen05CommitOp(barrier, mask, cta_group(builder)))


# Pairs of CTAs


def pair_barriers(builder: ThreadBuilder, ops: Sequence[Operation]) -> list[SSAValue]:
    """The mbarriers of the barriers of pairs among some ops: one thread of each CTA arrives."""
    return [_barrier(builder, op) for op in ops if PAIR_BARRIER.is_on(op)]


def sync_pair(builder: ThreadBuilder, op: Operation) -> None:
    """
    All consumer threads of both CTAs wait for each other: those of a CTA, of which one then tells
    both CTAs, and all wait to be told.
    """
    sync_threads(builder)
    barrier = _barrier(builder, op)
    with only_if(builder, is_first_thread(builder)):
        builder.emit(nvvm.MBarrierArriveSharedOp(barrier))
        peer = builder.get_or_emit(arith.XOrIOp, get_cluster_rank(builder), builder.constant(1))
        arrive_remotely(builder, barrier, peer, nvvm.MemScope.CLUSTER)
    phase = _phase(builder, op)
    parity = builder.emit(llvm.LoadOp(phase, i32, alignment=4)).dereferenced_value
    wait(builder, barrier, parity, nvvm.MemScope.CLUSTER)
    flipped = builder.binary("xor", parity, 1)
    builder.emit(llvm.StoreOp(flipped, phase, alignment=4))
    fence(builder, Tcgen05Fence.AFTER)
