"""
Dots.

A dot whose operands are in the layouts of an MMA instruction becomes one `nvvm.fragment.mma`.
Otherwise each thread computes its elements of the result by FMAs, and the operands go through
shared memory, a part of K at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, f16, f32, i8, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, log2, unflatten
from tileiras_xdsl.analysis.matrix_layouts import Instruction
from tileiras_xdsl.analysis.mma_instructions import MmaLayouts, find_grid
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, IndexCastOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT_A, LAYOUT_B
from tileiras_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nvvm import FragmentMmaOp, MatrixShapeAttr, MatrixType
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import FmaDotParts
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import get_anchor
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import NATIVE_FLOATS, register_type
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import ATOM as WARPGROUP_MMA
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import get_mma_instruction
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .accesses import own_registers
from .async_copies import is_shared
from .barriers import sync_threads, take_scratch
from .mma_operands import MmaOperand
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases, get_coordinate_parts, get_coordinates, is_owner
from .vectors import (
    all_of,
    element_of,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
    with_element,
)
from .wgmma import multiply_by_warpgroups, or_zero

MMA = "mma.sm80"
VECTOR_BYTES = 16
"""The widest access of a thread to shared memory."""
UNROLLED = 8
"""How many FMAs of an element are unrolled; more are in a loop."""


@lowers("nv_tileas.dot")
def lower_dot(code: ThreadBuilder, op: DotOp) -> None:
    if op.atom is not None and op.atom.data == WARPGROUP_MMA:
        multiply_by_warpgroups(code, op)
        return
    accumulator = code.value(op.accumulator)
    if op.accumulate is not None:
        accumulator = or_zero(code, code.value(op.accumulate), accumulator)
    if op.atom is not None and op.atom.data == MMA:
        code.set(op.result, _multiply_by_warps(code, op, accumulator))
    elif op.atom is not None and op.atom.data != "fma":
        fail(op, f"a dot by '{op.atom.data}' cannot be lowered to threads")
    else:
        code.set(op.result, FmaDot(code, op).multiply(accumulator))


# By `mma.sync`


def _multiply_by_warps(code: ThreadBuilder, op: DotOp, accumulator: SSAValue) -> SSAValue:
    mma = get_mma_instruction(op, code.kernel.target)
    if mma is None or (
        mma.operand_type is not None
        and any(get_element(operand.type) != mma.operand_type for operand in (op.a, op.b))
    ):
        fail(
            op,
            f"{code.kernel.target.name} has no instruction for '{op.a.type}', '{op.b.type}' and "
            f"'{op.accumulator.type}'",
        )
    layouts = MmaLayouts(
        _operand_layout(code, op, op.a, LAYOUT_A),
        _operand_layout(code, op, op.b, LAYOUT_B),
        code.layout(op.result),
    )
    shape, k_extent = get_shape(op.result.type), get_shape(op.a.type)[-1]
    instruction = mma.instruction
    extents = (instruction.m, instruction.n, instruction.k)
    if find_grid(layouts, shape, k_extent, instruction) is None:
        m, n, k = extents
        fail(op, f"operands are not in the layouts of m{m}n{n}k{k}")
    *tiles, steps = _count_tiles(layouts, k_extent, extents)
    operands = (
        _operand(code, op.a, layouts.a, -1, instruction),
        _operand(code, op.b, layouts.b, -2, instruction),
    )
    parts = [[operand.value for operand in operands]]
    if any(operand.shared is not None for operand in operands):
        # One MMA for each step along K, so that only the fragments of a step are live.
        parts = [[operand.step(step) for operand in operands] for step in range(steps)]
        steps = 1
    for a, b in parts:
        accumulator = code.emit(
            FragmentMmaOp(
                a,
                b,
                accumulator,
                shape=MatrixShapeAttr.of(*extents),
                tiles=[*tiles, steps],
                type_a=MatrixType(mma.type_a),
                type_b=MatrixType(mma.type_b),
            )
        ).result
    return accumulator


def _operand_layout(
    code: ThreadBuilder, op: DotOp, value: SSAValue, anchor: DiscardableAttribute[LayoutAttr]
) -> LinearLayout:
    """The layout of an operand's fragments; an attribute says it for one in shared memory."""
    if not is_shared(value):
        return code.layout(value)
    layout = get_anchor(op, anchor, value.type)
    if layout is None:
        fail(op, f"an operand in shared memory needs the attribute '{anchor.name}'")
    return layout


def _operand(
    code: ThreadBuilder,
    value: SSAValue,
    layout: LinearLayout,
    dim: int,
    instruction: Instruction,
) -> MmaOperand:
    shared = code.layout(value) if is_shared(value) else None
    element = register_type(get_element(value.type))
    return MmaOperand(code, code.value(value), layout, dim, instruction, element, shared)


def _count_tiles(
    layouts: MmaLayouts, k_extent: int, extents: tuple[int, int, int]
) -> tuple[int, int, int, int]:
    """How many instructions a warp needs along the batch, M, N and K."""
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
    """A part of an operand in shared memory, row-major, with the stride of rows in elements."""

    address: SSAValue
    element: Attribute
    stride: int


class FmaDot:
    """A dot by FMAs of single elements."""

    def __init__(self, code: ThreadBuilder, op: DotOp):
        self.code = code
        self.op = op
        self.layout = code.layout(op.result)
        self.rank = len(self.layout.shape)
        for value in (op.a, op.b):
            element = get_element(value.type)
            if is_float(element) and register_type(element) not in NATIVE_FLOATS:
                fail(op, f"operands of '{element}' must be converted first")
        self.parts = FmaDotParts.of(op, code.kernel.room)
        self.result_type = element_of(code.value(op.accumulator).type)
        self.accumulator_type = f32 if self.result_type == f16 else self.result_type
        self.rows = self.layout.slice(self.rank - 1)
        """The layout of the rows of A that threads need."""
        self.columns = self.layout.slice(self.rank - 2)

    def multiply(self, accumulator: SSAValue) -> SSAValue:
        """The accumulator plus the dot."""
        code = self.code
        total = accumulator
        if self.accumulator_type != self.result_type:
            wide = with_element(total.type, self.accumulator_type)
            total = code.emit(arith.ExtFOp(total, wide)).result
        for start in range(0, self.parts.k, self.parts.part):
            total = self._add_part(total, start)
        if self.accumulator_type != self.result_type:
            narrow = with_element(total.type, self.result_type)
            total = code.emit(arith.TruncFOp(total, narrow)).result
        return total

    def _add_part(self, total: SSAValue, start: int) -> SSAValue:
        code, op, part = self.code, self.op, self.parts.part
        scratch = take_scratch(code, self.parts.bytes)
        a = StagedOperand(scratch, element_of(code.value(op.a).type), self.parts.stride)
        moved = index_pointer(scratch, code.constant(self.parts.a_bytes), i8, scratch.type)
        b = StagedOperand(code.emit(moved).result, element_of(code.value(op.b).type), self.parts.n)
        self._share(op.a, a, self.rank - 1, start, part)
        self._share(op.b, b, self.rank - 2, start, part)
        sync_threads(code)
        total = self._accumulate(total, a, b, part)
        return total

    # Into shared memory

    def _share(
        self, value: SSAValue, staged: StagedOperand, dim: int, start: int, part: int
    ) -> None:
        """Writes the part of an operand from a coordinate along K on to shared memory."""
        code = self.code
        full = code.layout(value)
        layout = full.compressed()
        registers = own_registers(code, code.value(value), full)
        width = self._width(layout, element_bits(staged.element) // 8, part, dim)
        chosen, mask = self._choose(layout, dim, start, part, width)
        offsets = self._offsets(layout, staged.stride, dim, part, width)
        if len(chosen) < layout.registers // width:
            offsets = select_registers(code, offsets, chosen)
            indices = [vector * width + each for vector in chosen for each in range(width)]
            registers = select_registers(code, registers, indices)
        owner = is_owner(code, layout)
        if owner is not None:
            mask = all_of(code, [mask, splat(code, owner, len(chosen))])
        addresses = index_pointers(code, staged.address, offsets, staged.element)
        alignment = element_bits(staged.element) // 8 * width
        code.emit(FragmentStoreOp(registers, addresses, mask=mask, alignment=alignment))

    def _width(self, layout: LinearLayout, size: int, part: int, dim: int) -> int:
        """How many elements of a row one vectorized store writes."""
        width = min(_contiguous(layout), VECTOR_BYTES // size)
        return min(width, part) if dim == self.rank - 1 else width

    def _choose(
        self, layout: LinearLayout, dim: int, start: int, part: int, width: int
    ) -> tuple[list[int], SSAValue | None]:
        """
        The vectors of a thread that may be in a part of K, and a mask of those that are. Register
        bits decide at compile time, lane and warp bits when the kernel runs.
        """
        code = self.code
        _, registers = get_coordinate_parts(code, layout, dim, width)
        moved = 0
        for basis in (*layout.lane, *layout.warp):
            moved |= unflatten(basis, layout.shape)[dim]
        vectors = range(len(registers))
        fixed = -part & ~moved
        chosen = [each for each in vectors if registers[each] & fixed == start & fixed]
        if not moved & -part:
            return chosen, None
        coordinates = select_registers(code, get_coordinates(code, layout, dim, width), chosen)
        count = len(chosen)
        above = arith.AndIOp(coordinates, code.constants([-part] * count))
        compare = CmpiOp(code.emit(above).result, code.constants([start] * count), "eq")
        return chosen, code.emit(compare).result

    def _offsets(
        self, layout: LinearLayout, stride: int, dim: int, part: int, width: int
    ) -> SSAValue:
        """The offsets of the vectors in the part, from their coordinates modulo its size."""
        code = self.code
        extents = [*layout.shape]
        extents[dim] = part
        steps = [stride, 1]
        for extent in reversed(extents[:-1]):
            steps.insert(0, steps[0] * extent)
        steps = steps[-self.rank :]
        count = layout.registers // width
        total = None
        for axis, step in enumerate(steps):
            offset = get_coordinates(code, layout, axis, width)
            if axis == dim:
                offset = code.emit(arith.AndIOp(offset, code.constants([part - 1] * count))).result
            if step != 1:
                offset = code.emit(arith.MuliOp(offset, code.constants([step] * count))).result
            total = offset if total is None else code.emit(arith.AddiOp(total, offset)).result
        assert total is not None
        return total

    # Accumulation

    def _accumulate(
        self, total: SSAValue, a: StagedOperand, b: StagedOperand, part: int
    ) -> SSAValue:
        """Accumulates a part of K whose operands are in shared memory."""
        code = self.code
        step = min(part, UNROLLED)
        if step == part:
            return self._accumulate_steps(total, a, b, None, part, step)
        index = IndexType()
        bounds = [code.constant(number, index) for number in (0, part, step)]
        body = Block(arg_types=[index, total.type])
        with code.branch(body):
            place = code.emit(IndexCastOp(body.args[0], i32)).result
            added = self._accumulate_steps(body.args[1], a, b, place, part, step)
            code.emit(scf.YieldOp(added))
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], [total], Region(body))
        return code.emit(loop).results[0]

    def _accumulate_steps(
        self,
        total: SSAValue,
        a: StagedOperand,
        b: StagedOperand,
        place: SSAValue | None,
        part: int,
        step: int,
    ) -> SSAValue:
        """Accumulates `step` elements along K, from a coordinate on."""
        code = self.code
        rows = self._widen(self._read_rows(a, place, step), is_a=True)
        columns = self._widen(self._read_columns(b, place, part, step), is_a=False)
        chosen_rows = _register_numbers(self.layout, self.rows, self.rank - 1)
        chosen_columns = _register_numbers(self.layout, self.columns, self.rank - 2)
        for number in range(step):
            x = select_registers(code, rows, [row * step + number for row in chosen_rows])
            count = self.columns.registers
            y = select_registers(code, columns, [number * count + each for each in chosen_columns])
            if isinstance(self.accumulator_type, IntegerType):
                x = code.emit(arith.MuliOp(x, y)).result
                total = code.emit(arith.AddiOp(total, x)).result
            else:
                total = code.emit(math.FmaOp(x, y, total)).result
        return total

    def _read_rows(self, a: StagedOperand, place: SSAValue | None, step: int) -> SSAValue:
        """The elements of the rows of A, `step` of each row."""
        code = self.code
        layout = self.rows
        width = min(step, VECTOR_BYTES // self.parts.sizes[0])
        vectors = step // width
        offsets = self._row_numbers(layout, [a.stride] * layout.registers)
        repeated = [row for row in range(layout.registers) for _ in range(vectors)]
        offsets = select_registers(code, offsets, repeated)
        within = [vector * width for _ in range(layout.registers) for vector in range(vectors)]
        offsets = code.emit(arith.AddiOp(offsets, code.constants(within))).result
        return self._read(a, offsets, place, 1, layout.registers * step, width)

    def _row_numbers(self, layout: LinearLayout, scale: Sequence[int]) -> SSAValue:
        """The row-major numbers of the elements of a layout, scaled."""
        code = self.code
        registers = [layout.element(register=each) for each in range(layout.registers)]
        numbers = code.constants(registers)
        thread = apply_bases(code, layout.lane, layout.warp)
        if thread is not None:
            lanes = splat(code, thread, layout.registers)
            numbers = code.emit(arith.XOrIOp(lanes, numbers)).result
        return code.emit(arith.MuliOp(numbers, code.constants(scale))).result

    def _read_columns(
        self, b: StagedOperand, place: SSAValue | None, part: int, step: int
    ) -> SSAValue:
        """The elements of the columns of B in `step` rows, row by row."""
        code = self.code
        layout = self.columns
        width = min(_contiguous(layout), VECTOR_BYTES // self.parts.sizes[1])
        count = layout.registers // width
        offsets = get_coordinates(code, layout, self.rank - 2, width)
        if self.rank == 3:
            batch = get_coordinates(code, layout, 0, width)
            scale = code.constants([part * b.stride] * count)
            batch = code.emit(arith.MuliOp(batch, scale)).result
            offsets = code.emit(arith.AddiOp(offsets, batch)).result
        offsets = select_registers(code, offsets, [*range(count)] * step)
        rows = [row * b.stride for row in range(step) for _ in range(count)]
        offsets = code.emit(arith.AddiOp(offsets, code.constants(rows))).result
        return self._read(b, offsets, place, b.stride, layout.registers * step, width)

    def _read(
        self,
        staged: StagedOperand,
        offsets: SSAValue,
        place: SSAValue | None,
        stride: int,
        count: int,
        width: int,
    ) -> SSAValue:
        code = self.code
        if place is not None:
            if stride != 1:
                place = code.emit(arith.MuliOp(place, code.constant(stride))).result
            lanes = splat(code, place, count_lanes(offsets.type))
            offsets = code.emit(arith.AddiOp(offsets, lanes)).result
        addresses = index_pointers(code, staged.address, offsets, staged.element)
        alignment = element_bits(staged.element) // 8 * width
        result = VectorType(staged.element, [count])
        return code.emit(FragmentLoadOp(addresses, result_type=result, alignment=alignment)).result

    def _widen(self, value: SSAValue, *, is_a: bool) -> SSAValue:
        """An operand in the type of the accumulator."""
        element = element_of(value.type)
        ty = with_element(value.type, self.accumulator_type)
        if element == self.accumulator_type:
            return value
        if not isinstance(element, IntegerType):
            return self.code.emit(arith.ExtFOp(value, ty)).result
        assert isinstance(self.accumulator_type, IntegerType)
        if element.width.data > self.accumulator_type.width.data:
            return self.code.emit(TruncIOp(value, ty)).result
        is_signed = self.op.is_signed("lhs" if is_a else "rhs")
        return self.code.emit((ExtSIOp if is_signed else ExtUIOp)(value, ty)).result


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


def _register_numbers(layout: LinearLayout, part: LinearLayout, dropped: int) -> list[int]:
    """For each register of a tile, that of the layout of the tile without a dimension."""
    known = {part.element(register=each): each for each in range(part.registers)}
    numbers: list[int] = []
    for register in range(layout.registers):
        position = list(unflatten(layout.element(register=register), layout.shape))
        del position[dropped]
        numbers.append(known[flatten(position, part.shape)])
    return numbers
