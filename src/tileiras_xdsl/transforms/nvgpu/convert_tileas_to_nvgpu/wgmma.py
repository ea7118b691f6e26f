"""
Dots by WGMMA.

    %f = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>} : …
    %d = nv_tileas.async.future_wait %f : …

Each warpgroup issues instructions of 64 rows and up to 256 columns. One `nvvm.wgmma.mma_async`
covers the K of a tile, 32 bytes in each step. Every dot commits a commit group of its own (a
*wgmma-group*), so that a wait knows how many younger ones may stay in flight; only f8 dots whose
partial sums are promoted to f32 are synchronous. Two dots that follow each other, with the same
operand A and operands B side by side in a buffer stage, are done by the same instructions, of twice
the columns, and have one group: operand A is read once. (An empty group would cost an instruction
of the tensor cores.)

The tensor core adds FP8 products with fewer bits than f32 has. Unless the dot allows that
(`fast_acc`), partial accumulators are promoted: every 128 elements along K, the CUDA cores add
them to accumulators in f32.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.matrix_layouts import ADDRESS_MASK, STEP_BYTES, SharedOperand, wgmma_a
from tileiras_xdsl.analysis.mma_instructions import get_mma_instruction
from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, is_zero
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp, ToAsyncOp
from tileiras_xdsl.dialects.nv_tileas.atoms import WGMMA_ATOM
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerReadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFER_ALIGNMENT
from tileiras_xdsl.dialects.nv_tileas.types import AsyncType
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.targets.choices import PROMOTED_COLUMNS, PROMOTION_K
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.targets.warpgroups import MAX_COLUMNS, WGMMA_M
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import is_elementwise, is_root
from tileiras_xdsl.transforms.tileas.kernel_model.slicing import is_pure
from tileiras_xdsl.transforms.tileas.kernel_model.tma_loads import is_view_like
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    WarpgroupGrid,
    find_warpgroup_grid,
    needs_accumulator_promotion,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import integer_of, last_of

from .async_copies import element_bytes, is_shared
from .lowering_registry import lowers
from .thread_builder import BY_OPERAND, ThreadBuilder, concatenate, select_registers
from .thread_index import get_warpgroup

UNIT_BITS = 4
"""Matrix descriptors count in units of 16 bytes."""
ACCUMULATOR_TYPES = {"f32": "f32", "i32": "s32"}


@lowers(AsyncDotOp)
def lower_async_dot(builder: ThreadBuilder, op: AsyncDotOp) -> None:
    if op.atom is None or op.atom.data != WGMMA_ATOM:
        fail(op, f"only dots by '{WGMMA_ATOM}' can be asynchronous")
    pairs = find_pairs_side_by_side(builder, op)
    if op in pairs:
        # The other one does it.
        return
    first = next((left for left, right in pairs.items() if right is op), None)
    pin_accumulators(builder, op if first is None else first)
    if first is None:
        builder.map(op.result, *issue_wgmma(builder, [op]))
        return
    for dot, value in zip((first, op), issue_wgmma(builder, [first, op]), strict=True):
        builder.map(dot.result, value)


def find_pairs_side_by_side(builder: ThreadBuilder, op: AsyncDotOp) -> dict[AsyncDotOp, AsyncDotOp]:
    """The dots of the block of a dot that are done together with one that follows, and that one."""
    block = op.parent_block()
    assert block is not None
    dots = [each for each in block.ops if isinstance(each, AsyncDotOp)]
    pairs: dict[AsyncDotOp, AsyncDotOp] = {}
    for left, right in itertools.pairwise(dots):
        if left not in pairs.values() and are_side_by_side(builder, left, right):
            pairs[left] = right
    return pairs


def are_side_by_side(builder: ThreadBuilder, left: AsyncDotOp, right: AsyncDotOp) -> bool:
    """
    Whether two dots, of which the second one follows the first, can be done by instructions of
    twice the columns.
    """
    if left.a is not right.a or left.get_types() != right.get_types():
        return False
    if left.accumulate is not right.accumulate or left.properties != right.properties:
        return False
    if needs_accumulator_promotion(left) or is_zero(left.accumulator) != is_zero(right.accumulator):
        return False
    between = left.next_op
    while between is not None and between is not right:
        if not is_pure(between) or _async_values(between.operands):
            # It may wait for a dot.
            return False
        between = between.next_op
    tiles = [find_stage_tile(dot.b) for dot in (left, right)]
    if None in tiles or right.accumulator is left.result:
        return False
    (first, number), (second, other) = cast("list[tuple[SSAValue, int]]", tiles)
    if first is not second or other != number + 1:
        return False
    ty = left.get_types()[2]
    (_, columns), layout = get_shape(ty), layout_of(ty)
    size = element_bytes(get_element(left.b.type))
    operand = SharedOperand.of(builder.layout(left.b), 0, size)
    if layout is None or operand is None or 2 * columns > MAX_COLUMNS:
        return False
    grid = find_warpgroup_grid(
        get_shape(ty), layout, builder.kernel.consumer_warps // WARPGROUP_WARPS
    )
    num_bytes = prod(get_shape(left.b.type)) * size
    return (
        grid is not None
        and grid.n == 1
        and num_bytes % BUFFER_ALIGNMENT == 0
        and operand.offset(columns) == num_bytes
    )


def find_stage_tile(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The token of the buffer stage that a tile is in, perhaps as a view, and its number there."""
    while isinstance(owner := value.owner, Operation) and is_view_like(owner):
        value = owner.operands[0]
    if not isinstance(owner, ConsumerReadOp):
        return None
    yielded = last_of(owner.body.block).operands[owner.values.index(value)]
    if not isinstance(yielded, BlockArgument) or yielded.owner is not owner.body.block:
        return None
    return owner.token, yielded.index


def pin_accumulators(builder: ThreadBuilder, op: AsyncDotOp) -> None:
    """Computes the accumulators of later dots before a dot is issued, if they can be."""
    for value in find_ready_accumulators(op):
        # LLVM would sink the computation of these accumulators below this WGMMA, where ptxas waits
        # for the WGMMA before it. A wait that leaves all commit groups in flight costs nothing,
        # and pins the accumulators in front of it.
        in_flight = len(find_wgmma_in_flight(op))
        pinned = builder.emit(nvvm.WgmmaWaitGroupOp([builder.lookup(value)], in_flight))
        builder.map(value, pinned.results[0])


def find_ready_accumulators(op: AsyncDotOp) -> list[SSAValue]:
    """Accumulators of later dots of the block that elementwise ops computed before this dot."""
    block = op.parent_block()
    assert block is not None
    dots = [each for each in block.ops if isinstance(each, AsyncDotOp)]
    accumulators = dict.fromkeys(each.accumulator for each in dots if op.is_before_in_block(each))
    return [
        value
        for value in accumulators
        if isinstance(owner := value.owner, Operation)
        and owner.is_before_in_block(op)
        and is_elementwise(owner)
    ]


def is_copied_by_llvm(value: SSAValue) -> bool:
    """
    Whether LLVM copies registers of an accumulator right in front of the WGMMA that overwrites
    them, because several of them have the same value, or something else uses it.
    """
    if isinstance(value.type, AsyncType):
        return False
    return not value.has_one_use() or repeats_values(value)


def repeats_values(value: SSAValue) -> bool:
    """Whether registers of a thread have the same value of a tile by the way it is computed."""

    def follow(value: SSAValue) -> Collection[SSAValue]:
        return operands_of(value) if is_followed(value.owner) else ()

    def is_followed(owner: Operation | Block) -> bool:
        return isinstance(owner, Operation) and (
            is_elementwise(owner) or is_view_like(owner) or isinstance(owner, ConvertLayoutOp)
        )

    return all(
        is_followed(owner)
        or (isinstance(owner, Operation) and (isinstance(owner, BroadcastOp) or is_root(owner)))
        for owner in (each.owner for each in reachable([value], follow))
    )


def find_wgmma_in_flight(op: Operation) -> list[SSAValue]:
    """
    The asynchronous dots in flight before an op, oldest first. Those that a loop carries, as its
    block arguments, come before those of its body.
    """
    block = op.parent
    if block is None or (outer := block.parent_op()) is None:
        return []
    in_flight = []
    if isinstance(outer, scf.ForOp):
        in_flight = _async_values(block.args)
    elif not isinstance(outer, FuncOp):
        in_flight = find_wgmma_in_flight(outer)
    _update_in_flight(block, in_flight, op)
    return in_flight


def _update_in_flight(
    block: Block, in_flight: list[SSAValue], last: Operation | None = None
) -> None:
    """Updates the dots in flight by those that a block issues and waits for before an op."""
    for op in block.ops:
        if op is last:
            break
        if op.name == AsyncDotOp.name:
            in_flight.append(op.results[0])
        elif op.name == AsyncFutureWaitOp.name:
            in_flight.remove(op.operands[0])
        elif op.name == scf.ForOp.name:
            in_flight += _async_values(op.results)
        else:
            for inner in (inner for region in op.regions for inner in region.blocks):
                _update_in_flight(inner, in_flight)


def _async_values(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, AsyncType)]


@lowers(AsyncFutureWaitOp)
def lower_future_wait(builder: ThreadBuilder, op: AsyncFutureWaitOp) -> None:
    in_flight = find_wgmma_in_flight(op)
    if op.source not in in_flight:
        fail(op, "the dot that is waited for was not issued in the same block")
    younger = count_younger_groups(builder, in_flight, op.source)
    if op.result.first_use is None:
        # The next dot may already accumulate in its registers.
        if not waits_for_younger(op, in_flight):
            builder.emit(nvvm.WgmmaWaitGroupOp([], younger))
        return
    wait = builder.emit(nvvm.WgmmaWaitGroupOp([builder.lookup(op.source)], younger))
    builder.map(op.result, wait.results[0])


def count_younger_groups(
    builder: ThreadBuilder, in_flight: Sequence[SSAValue], dot: SSAValue
) -> int:
    """How many commit groups behind that of a dot are in flight."""
    younger = list(in_flight[in_flight.index(dot) + 1 :])
    if is_left_of_pair(builder, dot):
        younger = younger[1:]
    return sum(not is_left_of_pair(builder, value) for value in younger)


def is_left_of_pair(builder: ThreadBuilder, value: SSAValue) -> bool:
    """Whether a dot in flight has no commit group of its own, but that of the one beside it."""
    owner = value.owner
    if isinstance(owner, AsyncDotOp):
        return owner in find_pairs_side_by_side(builder, owner)
    # A loop carries it, and dots that it carries at first have no groups.
    loop = owner.parent_op() if isinstance(owner, Block) else owner
    if not isinstance(loop, scf.ForOp):
        return False
    values = loop.body.block.args[1:] if isinstance(owner, Block) else loop.results
    return is_left_of_pair(builder, last_of(loop.body.block).operands[values.index(value)])


def waits_for_younger(op: AsyncFutureWaitOp, in_flight: Sequence[SSAValue]) -> bool:
    """Whether the next op waits for a younger dot, and so for this one as well."""
    following = op.next_op
    return (
        isinstance(following, AsyncFutureWaitOp)
        and following.source in in_flight
        and in_flight.index(following.source) > in_flight.index(op.source)
    )


@lowers(ToAsyncOp)
def lower_to_async(builder: ThreadBuilder, op: ToAsyncOp) -> None:
    values = builder.lookup_all(op.source)
    is_branch = isinstance(op.source.owner, scf.IfOp)
    if is_zero(op.source) or is_branch:
        # LLVM would clear these registers twice: for the loop, and for a loop without iterations.
        # Those that are loaded in a branch it would leave where they are loaded to.
        in_flight = len(find_wgmma_in_flight(op))
        values = builder.emit(nvvm.WgmmaWaitGroupOp(values, in_flight, copies=is_branch)).results
    builder.map(op.result, *values)


def lower_wgmma_dot(builder: ThreadBuilder, op: DotOp) -> None:
    """Lowers a synchronous dot: issues the WGMMAs, and waits for them."""
    (value,) = issue_wgmma(builder, [op])
    wait = builder.emit(nvvm.WgmmaWaitGroupOp([value], 0))
    builder.map(op.result, wait.results[0])


@dataclass(frozen=True)
class InstructionGrid:
    """How the instructions of a warpgroup tile its share of the accumulator."""

    grid: WarpgroupGrid
    rows: int
    """Instructions along M, of 64 rows each."""
    columns: int
    """Instructions along N, of `width` columns each."""
    width: int

    @property
    def registers(self) -> int:
        """Accumulator registers of a thread for one instruction."""
        return self.width // 2


def issue_wgmma(builder: ThreadBuilder, ops: Sequence[DotOp | AsyncDotOp]) -> list[SSAValue]:
    """
    Issues the WGMMAs of a dot, or of dots side by side, and returns their accumulator registers,
    which are in flight.
    """
    op, count = ops[0], len(ops)
    mma = get_mma_instruction(op, builder.kernel.target)
    accumulator_type = op.get_types()[2]
    shape, layout = get_shape(accumulator_type), layout_of(accumulator_type)
    k = get_shape(op.a.type)[1]
    grid = None
    if layout is not None:
        grid = find_warpgroup_grid(shape, layout, builder.kernel.consumer_warps // WARPGROUP_WARPS)
    type_d = ACCUMULATOR_TYPES.get(str(get_element(accumulator_type)))
    if mma is None or grid is None or type_d is None:
        fail(op, "operands are not in the layouts of WGMMA")
    warpgroup_n = count * shape[1] // grid.n
    promotes = needs_accumulator_promotion(op)
    width = min(warpgroup_n, PROMOTED_COLUMNS if promotes else MAX_COLUMNS)
    # An instruction cannot name more registers than threads are launched with.
    if width // 2 >= builder.kernel.launched_registers:
        width //= 2
    tiling = InstructionGrid(grid, shape[0] // (WGMMA_M * grid.m), warpgroup_n // width, width)
    size = element_bytes(get_element(op.a.type))
    b_operand = _find_shared_operand(builder, op, op.b, 0, size)
    if b_operand is None:
        fail(op, "operand B of WGMMA must be in shared memory")
    if b_operand.k_permutation != grid.k_permutation:
        fail(op, "columns of operand B and of the accumulators are not in the same order")
    a_operand = _find_shared_operand(builder, op, op.a, 1, size)
    if a_operand is not None and grid.row_permutation is not None:
        fail(op, "rows of operand A and of the accumulators are not in the same order")
    a_base = None
    if a_operand is not None:
        a_base = _make_descriptor(
            builder, op.a, a_operand, _warpgroup_row_offset(builder, grid, a_operand)
        )
    b_base = _make_descriptor(
        builder, op.b, b_operand, _warpgroup_column_offset(builder, grid, b_operand, warpgroup_n)
    )
    instruction_k = STEP_BYTES // size
    steps = k // instruction_k
    emitter = WgmmaEmitter(
        builder,
        op,
        tiling,
        (type_d, mma.type_a, mma.type_b),
        instruction_k,
        steps,
        a_operand,
        a_base,
        b_operand,
        b_base,
    )
    found = [_get_accumulator(builder, each) for each in ops]
    reads_accumulator, accumulators = found[0][0], [accumulator for _, accumulator in found]
    if reads_accumulator and any(is_copied_by_llvm(each.accumulator) for each in ops):
        # The copies have to stand in front of the fence.
        in_flight = len(find_wgmma_in_flight(op))
        accumulators = builder.emit(nvvm.WgmmaWaitGroupOp(accumulators, in_flight)).results
    if not promotes:
        builder.emit(nvvm.WgmmaFenceAlignedOp())
    results: list[list[SSAValue]] = [[] for _ in ops]
    share = tiling.registers // count
    for row in range(tiling.rows):
        for column in range(tiling.columns):
            first = (row * tiling.columns + column) * share
            value = concatenate(
                builder,
                [select_registers(builder, x, range(first, first + share)) for x in accumulators],
            )
            if promotes:
                value = _accumulate_promoted(emitter, row, column, value, reads_accumulator)
            else:
                value = emitter.emit(row, column, value, range(steps), reads_accumulator)
            for index, parts in enumerate(results):
                own = range(index * share, (index + 1) * share)
                parts.append(value if count == 1 else select_registers(builder, value, own))
    if not promotes:
        builder.emit(nvvm.WgmmaCommitGroupOp())
    return [concatenate(builder, parts) for parts in results]


def _accumulate_promoted(
    emitter: WgmmaEmitter, row: int, column: int, total: SSAValue, reads_accumulator: bool
) -> SSAValue:
    """Computes partial sums of `PROMOTION_K` each, and adds them to the f32 accumulators."""
    builder = emitter.builder
    count = max(1, PROMOTION_K // emitter.k)
    for step in range(0, emitter.steps, count):
        steps = range(step, min(step + count, emitter.steps))
        builder.emit(nvvm.WgmmaFenceAlignedOp())
        partial = emitter.emit(row, column, total, steps, reads_accumulator=False)
        builder.emit(nvvm.WgmmaCommitGroupOp())
        partial = builder.emit(nvvm.WgmmaWaitGroupOp([partial], 0)).results[0]
        if reads_accumulator or step:
            partial = builder.binary("fadd", total, partial)
        total = partial
    return total


@dataclass(frozen=True)
class WgmmaEmitter:
    """Emits the WGMMAs of a dot."""

    builder: ThreadBuilder
    op: DotOp | AsyncDotOp
    tiling: InstructionGrid
    types: tuple[str, str, str]
    k: int
    """K of one instruction."""
    steps: int
    """How many instructions there are along K."""
    a_operand: SharedOperand | None
    a_base: SSAValue | None
    b_operand: SharedOperand
    b_base: SSAValue

    def emit(
        self, row: int, column: int, value: SSAValue, steps: range, reads_accumulator: bool
    ) -> SSAValue:
        """Accumulates some steps along K into the accumulators of one instruction."""
        builder, tiling, a_operand, b_operand = (
            self.builder,
            self.tiling,
            self.a_operand,
            self.b_operand,
        )
        k_steps = min(
            b_operand.uniform_steps(len(steps)),
            len(steps) if a_operand is None else a_operand.uniform_steps(len(steps)),
        )
        # How far descriptors advance along K, added to their low words.
        a_step = None if a_operand is None else IntegerAttr(a_operand.step >> UNIT_BITS, i32)
        b_step = IntegerAttr(b_operand.step >> UNIT_BITS, i32)
        for step in range(steps.start, steps.stop, k_steps):
            if a_operand is None or self.a_base is None:
                a = _select_a_registers(builder, self.op, tiling, row, step, k_steps, self.steps)
            else:
                offset = a_operand.descriptor_offset(row * WGMMA_M * tiling.grid.m, step)
                a = _advance_descriptor(builder, self.a_base, offset)
            offset = b_operand.descriptor_offset(column * tiling.width, step)
            b = _advance_descriptor(builder, self.b_base, offset)
            value = builder.emit(
                nvvm.WgmmaMmaAsyncOp(
                    a,
                    b,
                    value,
                    shape=nvvm.MatrixShapeAttr.of(WGMMA_M, tiling.width, self.k),
                    types=self.types,
                    trans_a=a_operand is not None and a_operand.is_transposed,
                    trans_b=b_operand.is_transposed,
                    scale_d=None if reads_accumulator or step > steps.start else False,
                    k_steps=k_steps,
                    a_step=a_step,
                    b_step=b_step,
                )
            ).result
        return value


def _find_shared_operand(
    builder: ThreadBuilder, op: Operation, value: SSAValue, k_dim: int, size: int
) -> SharedOperand | None:
    """How WGMMA reads an operand from shared memory; `None` if it is in registers."""
    if not is_shared(value):
        return None
    operand = SharedOperand.of(builder.layout(value), k_dim, size)
    if operand is None:
        fail(op, f"no matrix descriptor can describe '{value.type}'")
    return operand


def _get_accumulator(builder: ThreadBuilder, op: DotOp | AsyncDotOp) -> tuple[bool, SSAValue]:
    """Whether the dot adds to its accumulator or overwrites it, and the accumulator registers."""
    accumulator = builder.lookup(op.accumulator)
    info = None if op.accumulate is None else builder.kernel.model.axis_info[op.accumulate]
    if info is not None and info.low == info.high == 0:
        return False, accumulator
    if is_zero(op.accumulator):
        return False, accumulator
    if info is not None and op.accumulate is not None and info.low == 0:
        accumulator = select_or_zero(builder, builder.lookup(op.accumulate), accumulator)
    return True, accumulator


def select_or_zero(builder: ThreadBuilder, condition: SSAValue, value: SSAValue) -> SSAValue:
    """A value where a condition holds, else zeros."""
    return builder.select(condition, value, _zeros(builder, value.type))


def _zeros(builder: ThreadBuilder, ty: Attribute) -> SSAValue:
    assert isinstance(ty, VectorType)
    vector = cast("VectorType[Any]", ty)
    zero = 0 if isinstance(ty.get_element_type(), IntegerType) else 0.0

    def make() -> arith.ConstantOp:
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(vector, [zero]), ty)

    return builder.get_or_emit_in_entry(("zeros", ty), make)


# Matrix descriptors


def _make_descriptor(
    builder: ThreadBuilder, value: SSAValue, operand: SharedOperand, offset: SSAValue | None
) -> SSAValue:
    """
    The matrix descriptor of an operand, starting at an offset in bytes. That of the first stage of
    a multi-stage buffer is computed before the loop.
    """
    pointer, units = _split_stage(builder, builder.lookup(value))
    address = builder.emit(llvm.PtrToIntOp(pointer, i32)).results[0]
    if offset is not None:
        address = builder.binary("add", address, offset)
    address = builder.binary("and", address, ADDRESS_MASK)
    address = builder.binary("lshr", address, UNIT_BITS)
    wide = builder.cast("zext", address, i64)
    first = builder.binary("or", wide, operand.descriptor)
    if units is None:
        return first
    return builder.binary("add", first, builder.cast("zext", units, i64))


def _split_stage(builder: ThreadBuilder, pointer: SSAValue) -> tuple[SSAValue, SSAValue | None]:
    """
    The address of a tile of a stage as that of the first stage, and the distance from it in units
    of descriptors. Shared memory has no more bytes than descriptors can say: nothing carries.
    """
    gep = pointer.owner
    if not isinstance(gep, llvm.GEPOp) or gep.elem_type != i8:
        return pointer, None
    if gep.rawConstantIndices == BY_OPERAND:
        distance = gep.ssa_indices[0].owner
        if isinstance(distance, arith.MuliOp):
            size = integer_of(distance.rhs)
            if size is not None and size % (1 << UNIT_BITS) == 0:
                unit = builder.constant(size >> UNIT_BITS)
                return gep.ptr, builder.binary("mul", distance.lhs, unit)
    return pointer, None


def _advance_descriptor(builder: ThreadBuilder, descriptor: SSAValue, offset: int) -> SSAValue:
    """A matrix descriptor, advanced by this many bytes."""
    if not offset:
        return descriptor
    return builder.binary("add", descriptor, offset >> UNIT_BITS)


def _warpgroup_row_offset(
    builder: ThreadBuilder, grid: WarpgroupGrid, operand: SharedOperand
) -> SSAValue | None:
    """Where the rows of the warpgroup begin in operand A, in bytes."""
    if grid.m == 1:
        return None
    index = builder.get_or_emit(arith.AndIOp, get_warpgroup(builder), builder.constant(grid.m - 1))
    distance = builder.constant(operand.descriptor_offset(WGMMA_M))
    return builder.get_or_emit(arith.MuliOp, index, distance)


def _warpgroup_column_offset(
    builder: ThreadBuilder, grid: WarpgroupGrid, operand: SharedOperand, columns: int
) -> SSAValue | None:
    """Where the columns of the warpgroup begin in operand B, in bytes."""
    if grid.n == 1:
        return None
    shift = builder.constant(grid.m.bit_length() - 1)
    index = builder.get_or_emit(arith.ShRUIOp, get_warpgroup(builder), shift)
    distance = builder.constant(operand.descriptor_offset(columns))
    return builder.get_or_emit(arith.MuliOp, index, distance)


# Registers


def _select_a_registers(
    builder: ThreadBuilder,
    op: DotOp | AsyncDotOp,
    tiling: InstructionGrid,
    row: int,
    step: int,
    k_steps: int,
    steps: int,
) -> SSAValue:
    """The registers of operand A for one instruction along M and some steps along K."""
    value = builder.lookup(op.a)
    bits = STEP_BYTES * 8 * steps // get_shape(op.a.type)[1]
    grid = tiling.grid
    expected = wgmma_a(
        get_shape(op.a.type), bits, grid.m, grid.n, row_permutation=grid.row_permutation
    )
    if builder.layout(op.a) != expected:
        fail(op, f"'{op.a.type}' is not in the layout of operand A in registers")
    per_step = count_lanes(value.type) // (tiling.rows * steps)
    first = (row * steps + step) * per_step
    assert isinstance(value.type, VectorType)
    return select_registers(builder, value, range(first, first + k_steps * per_step))
