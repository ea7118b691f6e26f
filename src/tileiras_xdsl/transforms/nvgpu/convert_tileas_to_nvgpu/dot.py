"""
Dots.

A dot whose operands are in the layouts of an MMA instruction becomes one `nvvm.fragment.mma`.
Otherwise each thread computes its elements of the result by FMAs, and the operands go through
shared memory, a K block at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    f16,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, log2, unflatten, xor_all
from tileiras_xdsl.analysis.matrix_layouts import (
    Instruction,
    MatrixAccess,
    matrix_access,
    offsets_of,
)
from tileiras_xdsl.analysis.mma_instructions import (
    MmaLayouts,
    find_grid,
    get_mma_instruction,
    scale_layouts,
)
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, IndexCastOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT_A, LAYOUT_B
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.nvvm import (
    FragmentMmaOp,
    FragmentScaledMmaOp,
    MatrixShapeAttr,
    MatrixType,
    MatrixTypeAttr,
)
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLdMatrixOp,
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.targets.choices import UNROLLED_FMAS
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import FmaDotTiling
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    NATIVE_FLOATS,
    get_anchor_layout,
    register_type,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import MMA_SYNC_ATOM, get_scaled_instruction
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .accesses import unique_registers
from .async_copies import is_shared
from .barriers import sync_threads, take_scratch
from .exchange import ElementOffsets
from .lowering_registry import lowers
from .tcgen05 import lower_tcgen05_dot, lower_tcgen05_scaled_dot
from .thread_builder import (
    ThreadBuilder,
    all_of,
    concatenate,
    element_of,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
    with_element,
)
from .thread_index import apply_bases, get_coordinate_parts, get_coordinates, is_owner
from .wgmma import lower_wgmma_dot, select_or_zero

# Operands of `mma.sync`, from registers or from shared memory, one step of the instruction along K
# at a time: only the fragments of that step are live.
#
# Shared memory is read by `ldmatrix` where the layouts allow it. An address is the base of the
# buffer, plus the swizzled offset of the thread, plus a constant. Addresses are arranged so that
# the constant is an immediate of the instruction, and few thread offsets serve all steps.

VECTOR_BYTES = 16
"""The widest access of a thread to shared memory."""


def split_steps(layout: LinearLayout, dim: int, size: int) -> tuple[list[int], list[int]]:
    """Register bits within a step along a dimension, and those that number the steps."""
    inner: list[int] = []
    outer: list[int] = []
    for bit, basis in enumerate(layout.register):
        (outer if unflatten(basis, layout.shape)[dim] >= size else inner).append(bit)
    return inner, outer


@dataclass
class MmaOperand:
    """An operand of a dot, in the layout of an MMA instruction."""

    builder: ThreadBuilder
    value: SSAValue
    """Registers, or the address of a buffer in shared memory."""
    layout: LinearLayout
    dim: int
    """The reduction dimension, K."""
    instruction: Instruction
    element: Attribute
    shared: LinearLayout | None = None
    """The layout in shared memory; `None` if the operand is in registers."""

    def __post_init__(self) -> None:
        self.inner, self.outer = split_steps(self.layout, self.dim, self.instruction.k)
        self._bases: dict[int, SSAValue] = {}

    @property
    def steps(self) -> int:
        return 1 << len(self.outer)

    def step(self, step_index: int) -> SSAValue:
        """The fragment of a step along K."""
        if self.shared is None:
            spread = sum(
                1 << bit for index, bit in enumerate(self.outer) if step_index >> index & 1
            )
            chosen = [
                spread | sum(1 << bit for index, bit in enumerate(self.inner) if each >> index & 1)
                for each in range(1 << len(self.inner))
            ]
            return select_registers(self.builder, self.value, chosen)
        offsets = offsets_of(self.shared, self.layout)
        start = xor_all([offsets.register[bit] for bit in self.outer], step_index)
        part = self.layout.replaced(register=[self.layout.register[bit] for bit in self.inner])
        bits = element_bits(self.element)
        for transposed in (False, True):
            access = matrix_access(self.shared, part, bits, transposed=transposed)
            if access is not None:
                return self._read_matrices(access, start)
        return self._read_vectors(offsets_of(self.shared, part), start)

    # Addresses

    def _base(self, lane: Sequence[int], warp: Sequence[int], xor: int) -> SSAValue:
        """The base address of a thread, with some bits of its offset XORed."""
        known = self._bases.get(xor)
        if known is None:
            builder = self.builder
            size = element_bits(self.element) // 8
            thread = apply_bases(
                builder, [size * each for each in lane], [size * each for each in warp]
            )
            if thread is None:
                thread = builder.constant(0)
            if xor:
                mask = builder.constant(size * xor)
                key = ("xor", thread, xor, size)
                thread = builder.get_or_emit_in_entry(key, arith.XOrIOp, thread, mask)
            pointer = index_pointer(self.value, thread, i8, self.value.type)
            known = self._bases[xor] = builder.emit(pointer).result
        return known

    def _group_by_base(
        self, lane: Sequence[int], warp: Sequence[int], offsets: Sequence[int]
    ) -> list[tuple[SSAValue, list[int], list[int]]]:
        """
        Groups offsets by the bits that they share with the offset of the thread. Those bits have to
        be XORed (the swizzle); the others never carry, so they are added as constants. Each group
        is a base address, the constants, and the indices of its offsets.
        """
        thread_bits = 0
        for basis in (*lane, *warp):
            thread_bits |= basis
        groups: dict[int, list[int]] = {}
        for index, offset in enumerate(offsets):
            groups.setdefault(offset & thread_bits, []).append(index)
        return [
            (
                self._base(lane, warp, xor),
                [offsets[index] & ~thread_bits for index in indices],
                indices,
            )
            for xor, indices in groups.items()
        ]

    def _addresses(self, base: SSAValue, offsets: Sequence[int]) -> SSAValue:
        builder = self.builder
        return index_pointers(builder, base, builder.constant_vector(list(offsets)), self.element)

    # Reads

    def _read_matrices(self, access: MatrixAccess, start: int) -> SSAValue:
        builder = self.builder
        count = 1 << len(access.register)
        offsets = [start ^ xor_all(access.register, index) for index in range(count)]
        width = access.count * 32 // element_bits(self.element)
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._group_by_base(access.lane, access.warp, offsets):
            result = VectorType(self.element, [width * len(indices)])
            op = FragmentLdMatrixOp(
                self._addresses(base, added), result, access.count, access.transposed
            )
            parts.append(builder.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _read_vectors(self, offsets: LinearLayout, start: int) -> SSAValue:
        builder = self.builder
        element_offsets = ElementOffsets.of(offsets)
        width = min(element_offsets.width, VECTOR_BYTES * 8 // element_bits(self.element))
        starts = [start ^ offset for offset in element_offsets.registers[::width]]
        alignment = width * element_bits(self.element) // 8
        parts: list[SSAValue] = []
        order: list[int] = []
        for base, added, indices in self._group_by_base(
            element_offsets.lane, element_offsets.warp, starts
        ):
            result = VectorType(self.element, [width * len(indices)])
            op = FragmentLoadOp(
                self._addresses(base, added), result_type=result, alignment=alignment
            )
            parts.append(builder.emit(op).result)
            order.extend(indices)
        return self._ordered(parts, order, width)

    def _ordered(self, parts: Sequence[SSAValue], order: Sequence[int], width: int) -> SSAValue:
        """Concatenates what was read, and puts each vector at its index."""
        positions = {vector: position for position, vector in enumerate(order)}
        chosen = [
            positions[vector] * width + each
            for vector in range(len(order))
            for each in range(width)
        ]
        return select_registers(self.builder, concatenate(self.builder, list(parts)), chosen)


BYTE_BITS = 8


@lowers(ScaledDotOp)
def lower_scaled_dot(builder: ThreadBuilder, op: ScaledDotOp) -> None:
    if is_tcgen05(op):
        lower_tcgen05_scaled_dot(builder, op)
        return
    if op.atom is None or op.atom.data != MMA_SYNC_ATOM:
        fail(op, "a block-scaled dot is done by 'mma.sm80' or 'mma.sm100' only")
    accumulator = builder.lookup(op.accumulator)
    if op.accumulate is not None:
        accumulator = select_or_zero(builder, builder.lookup(op.accumulate), accumulator)
    builder.map(op.result, _lower_scaled_dot(builder, op, accumulator))


@lowers(PlainDotOp)
def lower_dot(builder: ThreadBuilder, op: PlainDotOp) -> None:
    if is_wgmma(op):
        lower_wgmma_dot(builder, op)
        return
    if is_tcgen05(op):
        lower_tcgen05_dot(builder, op)
        return
    accumulator = builder.lookup(op.accumulator)
    if op.accumulate is not None:
        accumulator = select_or_zero(builder, builder.lookup(op.accumulate), accumulator)
    if op.atom is not None and op.atom.data == MMA_SYNC_ATOM:
        builder.map(op.result, _lower_mma_sync_dot(builder, op, accumulator))
    elif op.atom is not None and op.atom.data != "fma":
        fail(op, f"a dot by '{op.atom.data}' cannot be lowered to threads")
    else:
        builder.map(op.result, FmaDot(builder, op).multiply(accumulator))


# By `mma.sync`


def _lower_mma_sync_dot(builder: ThreadBuilder, op: DotOp, accumulator: SSAValue) -> SSAValue:
    mma = get_mma_instruction(op, builder.kernel.target)
    if mma is None or (
        mma.operand_type is not None
        and any(get_element(operand.type) != mma.operand_type for operand in (op.a, op.b))
    ):
        fail(
            op,
            f"{builder.kernel.target.name} has no instruction for '{op.a.type}', '{op.b.type}' and "
            f"'{op.accumulator.type}'",
        )
    layouts = _find_layouts(builder, op)
    shape, k_extent = get_shape(op.result.type), get_shape(op.a.type)[-1]
    instruction = mma.instruction
    extents = (instruction.m, instruction.n, instruction.k)
    if find_grid(layouts, shape, k_extent, instruction) is None:
        m, n, k = extents
        fail(op, f"operands are not in the layouts of m{m}n{n}k{k}")
    *repetitions, steps = _count_repetitions(layouts, k_extent, extents)
    parts = _find_fragments(builder, op, layouts, instruction, steps)
    for a, b in parts:
        accumulator = builder.emit(
            FragmentMmaOp(
                a,
                b,
                accumulator,
                shape=MatrixShapeAttr.of(*extents),
                tiles=[*repetitions, steps // len(parts)],
                type_a=MatrixType(mma.type_a),
                type_b=MatrixType(mma.type_b),
            )
        ).result
    return accumulator


def _lower_scaled_dot(builder: ThreadBuilder, op: ScaledDotOp, accumulator: SSAValue) -> SSAValue:
    """A block-scaled dot; scales are in registers, for all steps along K together."""
    mma = get_scaled_instruction(op, builder.kernel.target)
    layouts = _find_layouts(builder, op)
    shape, k_extent = get_shape(op.result.type), get_shape(op.a.type)[-1]
    instruction = mma.instruction
    extents = (instruction.m, instruction.n, instruction.k)
    if op.packed is not None:
        instruction = instruction.of_bytes()
    grid = find_grid(layouts, shape, k_extent, instruction)
    groups = get_shape(op.scale_a.type)[-1]
    scales = builder.layout(op.scale_a), builder.layout(op.scale_b)
    if grid is None or scales != scale_layouts(shape, groups, grid, instruction):
        m, n, k = extents
        fail(op, f"operands or scales are not in the layouts of m{m}n{n}k{k}")
    *repetitions, steps = _count_repetitions(layouts, op.k, extents)
    parts = _find_fragments(builder, op, layouts, instruction, steps)
    if instruction.element_bits < BYTE_BITS:
        parts = [[_pack_pairs(builder, value) for value in values] for values in parts]
    for number, (a, b) in enumerate(parts):
        accumulator = builder.emit(
            FragmentScaledMmaOp(
                operands=[
                    *(a, b, accumulator),
                    *(builder.lookup(op.scale_a), builder.lookup(op.scale_b)),
                ],
                result_types=[accumulator.type],
                properties={
                    "kind": StringAttr(mma.kind),
                    "shape": MatrixShapeAttr.of(*extents),
                    "tiles": DenseArrayBase.from_list(i64, [*repetitions, steps // len(parts)]),
                    "first": IntegerAttr(number, i64),
                    "steps": IntegerAttr(steps, i64),
                    "type_a": MatrixTypeAttr(MatrixType(mma.operand_type)),
                    "type_b": MatrixTypeAttr(MatrixType(mma.operand_type)),
                    "scale_type": MatrixTypeAttr(MatrixType(mma.scale_type)),
                    "scales": IntegerAttr(mma.scales, i64),
                },
            )
        ).result
    return accumulator


def _pack_pairs(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """Elements of 4 bits, which have a byte each, two to a byte."""
    count = count_lanes(value.type) // 2
    low = select_registers(builder, value, range(0, 2 * count, 2))
    high = select_registers(builder, value, range(1, 2 * count, 2))
    shift = builder.constant_vector([BYTE_BITS // 2] * count, i8)
    high = builder.binary("shl", high, shift)
    return builder.binary("or", low, high)


def _find_layouts(builder: ThreadBuilder, op: DotOp) -> MmaLayouts:
    """The layouts of fragments; attributes say those of operands in shared memory."""
    found: list[LinearLayout] = []
    for value, attribute in ((op.a, LAYOUT_A), (op.b, LAYOUT_B)):
        layout = builder.layout(value)
        if is_shared(value):
            layout = get_anchor_layout(op, attribute, value.type)
            if layout is None:
                fail(op, f"an operand in shared memory needs the attribute '{attribute.name}'")
        found.append(layout)
    return MmaLayouts(found[0], found[1], builder.layout(op.result))


def _find_fragments(
    builder: ThreadBuilder, op: DotOp, layouts: MmaLayouts, instruction: Instruction, steps: int
) -> list[list[SSAValue]]:
    """
    The operands A and B of each MMA: one MMA for each step along K if any is in shared memory, so
    that only the fragments of a step are live, else one for all steps.
    """
    operands: list[MmaOperand] = []
    for value, layout, dim in ((op.a, layouts.a, -1), (op.b, layouts.b, -2)):
        shared = builder.layout(value) if is_shared(value) else None
        element = register_type(get_element(value.type))
        registers = builder.lookup(value)
        operands.append(MmaOperand(builder, registers, layout, dim, instruction, element, shared))
    if all(operand.shared is None for operand in operands):
        return [[operand.value for operand in operands]]
    return [[operand.step(step) for operand in operands] for step in range(steps)]


def _count_repetitions(
    layouts: MmaLayouts, k_extent: int, extents: tuple[int, int, int]
) -> tuple[int, int, int, int]:
    """How often a warp repeats the instruction along the batch, M, N and K."""
    m, n, k = extents
    layout = layouts.accumulator
    positions = [(0, *unflatten(basis, layout.shape))[-3:] for basis in layout.register]
    batch, rows, columns = (
        prod(2 for position in positions if position[dim] >= size)
        for dim, size in enumerate((1, m, n))
    )
    return batch, rows, columns, k_extent // k


# By FMAs


@dataclass(frozen=True)
class StagedOperand:
    """A K block of an operand in shared memory, row-major, with the stride of rows in elements."""

    address: SSAValue
    element: Attribute
    stride: int


class FmaDot:
    """A dot by FMAs of single elements."""

    def __init__(self, builder: ThreadBuilder, op: DotOp):
        self.builder = builder
        self.op = op
        self.layout = builder.layout(op.result)
        self.rank = len(self.layout.shape)
        for value in (op.a, op.b):
            element = get_element(value.type)
            if is_float(element) and register_type(element) not in NATIVE_FLOATS:
                fail(op, f"operands of '{element}' must be converted first")
        self.tiling = FmaDotTiling.of(op, builder.kernel.model.scratch_budget)
        self.result_type = element_of(builder.lookup(op.accumulator).type)
        self.accumulator_type = f32 if self.result_type == f16 else self.result_type
        self.rows = self.layout.slice(self.rank - 1)
        """The layout of the rows of A that threads need."""
        self.columns = self.layout.slice(self.rank - 2)

    def multiply(self, accumulator: SSAValue) -> SSAValue:
        """The accumulator plus the dot."""
        builder = self.builder
        total = accumulator
        if self.accumulator_type != self.result_type:
            wide = with_element(total.type, self.accumulator_type)
            total = builder.emit(arith.ExtFOp(total, wide)).result
        for start in range(0, self.tiling.k, self.tiling.k_block):
            total = self._add_k_block(total, start)
        if self.accumulator_type != self.result_type:
            narrow = with_element(total.type, self.result_type)
            total = builder.emit(arith.TruncFOp(total, narrow)).result
        return total

    def _add_k_block(self, total: SSAValue, start: int) -> SSAValue:
        builder, op, k_block = self.builder, self.op, self.tiling.k_block
        scratch = take_scratch(builder, self.tiling.bytes)
        a = StagedOperand(scratch, element_of(builder.lookup(op.a).type), self.tiling.stride)
        moved = index_pointer(scratch, builder.constant(self.tiling.a_bytes), i8, scratch.type)
        b = StagedOperand(
            builder.emit(moved).result, element_of(builder.lookup(op.b).type), self.tiling.n
        )
        self._share(op.a, a, self.rank - 1, start, k_block)
        self._share(op.b, b, self.rank - 2, start, k_block)
        sync_threads(builder)
        total = self._accumulate(total, a, b, k_block)
        return total

    # Into shared memory

    def _share(
        self, value: SSAValue, staged: StagedOperand, dim: int, start: int, k_block: int
    ) -> None:
        """Writes the K block of an operand that starts at a coordinate to shared memory."""
        builder = self.builder
        full = builder.layout(value)
        layout = full.compressed()
        registers = unique_registers(builder, builder.lookup(value), full)
        width = self._width(layout, element_bits(staged.element) // 8, k_block, dim)
        chosen, mask = self._choose(layout, dim, start, k_block, width)
        offsets = self._offsets(layout, staged.stride, dim, k_block, width)
        if len(chosen) < layout.registers // width:
            offsets = select_registers(builder, offsets, chosen)
            indices = [vector * width + each for vector in chosen for each in range(width)]
            registers = select_registers(builder, registers, indices)
        owner = is_owner(builder, layout)
        if owner is not None:
            mask = all_of(builder, [mask, splat(builder, owner, len(chosen))])
        addresses = index_pointers(builder, staged.address, offsets, staged.element)
        alignment = element_bits(staged.element) // 8 * width
        builder.emit(FragmentStoreOp(registers, addresses, mask=mask, alignment=alignment))

    def _width(self, layout: LinearLayout, size: int, k_block: int, dim: int) -> int:
        """How many elements of a row one vectorized store writes."""
        width = min(_contiguous(layout), VECTOR_BYTES // size)
        return min(width, k_block) if dim == self.rank - 1 else width

    def _choose(
        self, layout: LinearLayout, dim: int, start: int, k_block: int, width: int
    ) -> tuple[list[int], SSAValue | None]:
        """
        The vectors of a thread that may be in a K block, and a mask of those that are. Register
        bits decide at compile time, lane and warp bits when the kernel runs.
        """
        builder = self.builder
        _, registers = get_coordinate_parts(builder, layout, dim, width)
        moved = 0
        for basis in (*layout.lane, *layout.warp):
            moved |= unflatten(basis, layout.shape)[dim]
        vectors = range(len(registers))
        fixed = -k_block & ~moved
        chosen = [each for each in vectors if registers[each] & fixed == start & fixed]
        if not moved & -k_block:
            return chosen, None
        coordinates = select_registers(
            builder, get_coordinates(builder, layout, dim, width), chosen
        )
        count = len(chosen)
        above = arith.AndIOp(coordinates, builder.constant_vector([-k_block] * count))
        compare = CmpiOp(builder.emit(above).result, builder.constant_vector([start] * count), "eq")
        return chosen, builder.emit(compare).result

    def _offsets(
        self, layout: LinearLayout, stride: int, dim: int, k_block: int, width: int
    ) -> SSAValue:
        """The offsets of the vectors in the K block, from their coordinates modulo its size."""
        builder = self.builder
        extents = [*layout.shape]
        extents[dim] = k_block
        steps = [stride, 1]
        for extent in reversed(extents[:-1]):
            steps.insert(0, steps[0] * extent)
        steps = steps[-self.rank :]
        total = None
        for axis, step in enumerate(steps):
            offset = get_coordinates(builder, layout, axis, width)
            if axis == dim:
                offset = builder.binary("and", offset, k_block - 1)
            if step != 1:
                offset = builder.binary("mul", offset, step)
            total = offset if total is None else builder.binary("add", total, offset)
        assert total is not None
        return total

    # Accumulation

    def _accumulate(
        self, total: SSAValue, a: StagedOperand, b: StagedOperand, k_block: int
    ) -> SSAValue:
        """Accumulates a K block whose operands are in shared memory."""
        builder = self.builder
        step = min(k_block, UNROLLED_FMAS)
        if step == k_block:
            return self._accumulate_steps(total, a, b, None, k_block, step)
        index = IndexType()
        bounds = [builder.constant(bound, index) for bound in (0, k_block, step)]
        body = Block(arg_types=[index, total.type])
        with builder.at_end_of(body):
            k_start = builder.emit(IndexCastOp(body.args[0], i32)).result
            added = self._accumulate_steps(body.args[1], a, b, k_start, k_block, step)
            builder.emit(scf.YieldOp(added))
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], [total], Region(body))
        return builder.emit(loop).results[0]

    def _accumulate_steps(
        self,
        total: SSAValue,
        a: StagedOperand,
        b: StagedOperand,
        k_start: SSAValue | None,
        k_block: int,
        step: int,
    ) -> SSAValue:
        """Accumulates `step` elements along K, starting at a coordinate."""
        builder = self.builder
        rows = self._widen(self._read_rows(a, k_start, step), is_a=True)
        columns = self._widen(self._read_columns(b, k_start, k_block, step), is_a=False)
        chosen_rows = _register_indices(self.layout, self.rows, self.rank - 1)
        chosen_columns = _register_indices(self.layout, self.columns, self.rank - 2)
        for k in range(step):
            x = select_registers(builder, rows, [row * step + k for row in chosen_rows])
            count = self.columns.registers
            y = select_registers(builder, columns, [k * count + each for each in chosen_columns])
            if isinstance(self.accumulator_type, IntegerType):
                x = builder.binary("mul", x, y)
                total = builder.binary("add", total, x)
            else:
                total = builder.emit(math.FmaOp(x, y, total)).result
        return total

    def _read_rows(self, a: StagedOperand, k_start: SSAValue | None, step: int) -> SSAValue:
        """The elements of the rows of A, `step` of each row."""
        builder = self.builder
        layout = self.rows
        width = min(step, VECTOR_BYTES // self.tiling.sizes[0])
        vectors = step // width
        offsets = self._linear_indices(layout, [a.stride] * layout.registers)
        repeated = [row for row in range(layout.registers) for _ in range(vectors)]
        offsets = select_registers(builder, offsets, repeated)
        within = [vector * width for _ in range(layout.registers) for vector in range(vectors)]
        offsets = builder.binary("add", offsets, builder.constant_vector(within))
        return self._read(a, offsets, k_start, 1, layout.registers * step, width)

    def _linear_indices(self, layout: LinearLayout, scale: Sequence[int]) -> SSAValue:
        """The linear indices of the elements of a layout, scaled."""
        builder = self.builder
        registers = [layout.element(register=each) for each in range(layout.registers)]
        linear_indices = builder.constant_vector(registers)
        thread = apply_bases(builder, layout.lane, layout.warp)
        if thread is not None:
            splatted = splat(builder, thread, layout.registers)
            linear_indices = builder.binary("xor", splatted, linear_indices)
        return builder.binary("mul", linear_indices, builder.constant_vector(scale))

    def _read_columns(
        self, b: StagedOperand, k_start: SSAValue | None, k_block: int, step: int
    ) -> SSAValue:
        """The elements of the columns of B in `step` rows, row by row."""
        builder = self.builder
        layout = self.columns
        width = min(_contiguous(layout), VECTOR_BYTES // self.tiling.sizes[1])
        count = layout.registers // width
        offsets = get_coordinates(builder, layout, self.rank - 2, width)
        if self.rank == 3:
            batch = get_coordinates(builder, layout, 0, width)
            scale = builder.constant_vector([k_block * b.stride] * count)
            batch = builder.binary("mul", batch, scale)
            offsets = builder.binary("add", offsets, batch)
        offsets = select_registers(builder, offsets, [*range(count)] * step)
        rows = [row * b.stride for row in range(step) for _ in range(count)]
        offsets = builder.binary("add", offsets, builder.constant_vector(rows))
        return self._read(b, offsets, k_start, b.stride, layout.registers * step, width)

    def _read(
        self,
        staged: StagedOperand,
        offsets: SSAValue,
        k_start: SSAValue | None,
        stride: int,
        count: int,
        width: int,
    ) -> SSAValue:
        builder = self.builder
        if k_start is not None:
            if stride != 1:
                k_start = builder.binary("mul", k_start, stride)
            splatted = splat(builder, k_start, count_lanes(offsets.type))
            offsets = builder.binary("add", offsets, splatted)
        addresses = index_pointers(builder, staged.address, offsets, staged.element)
        alignment = element_bits(staged.element) // 8 * width
        result = VectorType(staged.element, [count])
        return builder.emit(
            FragmentLoadOp(addresses, result_type=result, alignment=alignment)
        ).result

    def _widen(self, value: SSAValue, *, is_a: bool) -> SSAValue:
        """An operand in the type of the accumulator."""
        element = element_of(value.type)
        ty = with_element(value.type, self.accumulator_type)
        if element == self.accumulator_type:
            return value
        if not isinstance(element, IntegerType):
            return self.builder.emit(arith.ExtFOp(value, ty)).result
        assert isinstance(self.accumulator_type, IntegerType)
        if element.width.data > self.accumulator_type.width.data:
            return self.builder.emit(TruncIOp(value, ty)).result
        is_signed = self.op.is_signed("lhs" if is_a else "rhs")
        return self.builder.emit((ExtSIOp if is_signed else ExtUIOp)(value, ty)).result


def _contiguous(layout: LinearLayout) -> int:
    """How many consecutive registers are neighbours along the last dimension."""
    width = 1
    bits = len(layout.register)
    thread = (*layout.lane, *layout.warp)
    while (
        (bit := log2(width)) < bits
        and layout.register[bit] == width < layout.shape[-1]
        and all(basis & width == 0 for basis in (*thread, *layout.register[bit + 1 :]))
    ):
        width *= 2
    return width


def _register_indices(layout: LinearLayout, sliced: LinearLayout, dropped: int) -> list[int]:
    """For each register of a tile, that of the layout of the tile without a dimension."""
    known = {sliced.element(register=each): each for each in range(sliced.registers)}
    indices: list[int] = []
    for register in range(layout.registers):
        position = list(unflatten(layout.element(register=register), layout.shape))
        del position[dropped]
        indices.append(known[flatten(position, sliced.shape)])
    return indices
