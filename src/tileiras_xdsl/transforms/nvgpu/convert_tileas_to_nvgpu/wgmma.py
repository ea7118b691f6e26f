"""
Products of warpgroups: `wgmma`.

    %f = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>} : …
    %d = nv_tileas.async.future_wait %f : …

Each warpgroup multiplies its rows, 64 at a time, by up to 256 columns; the terms of a tile are
added in steps of 32 bytes, all by one op. A product is a group of its own, so that it is known how
many are under way behind it when it is waited for.

Sums of floats of 8 bits are added to those of all bits by threads, 128 terms at a time, unless the
product allows fewer bits (`fast_acc`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.analysis.matrix_layouts import wgmma_a
from tileiras_xdsl.analysis.wgmma_operands import ADDRESS_MASK, STEP_BYTES, SharedOperand
from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import ExtUIOp, SelectOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncFutureWaitOp, ToAsyncOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.types import AsyncType
from tileiras_xdsl.dialects.nvgpu import (
    WarpgroupCommitOp,
    WarpgroupFenceOp,
    WarpgroupMmaAsyncOp,
    WarpgroupWaitOp,
)
from tileiras_xdsl.dialects.nvvm import MatrixShapeAttr
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.targets.machine import GROUP_WARPS
from tileiras_xdsl.targets.warpgroups import GROUP_ROWS, MAX_COLUMNS
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import is_elementwise
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    ATOM,
    PROMOTED_COLUMNS,
    PROMOTION_K,
    get_wgmma,
    needs_accumulator_promotion,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma_selection import (
    WarpgroupGrid,
    find_group_grid,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .async_copies import element_bytes, is_shared
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import get_group
from .vectors import concatenate, select_registers

UNIT_BITS = 4
"""Descriptors count in units of 16 bytes."""
SUM_TYPES = {"f32": "f32", "i32": "s32"}


@lowers("nv_tileas.async.dot")
def lower_async_dot(code: ThreadBuilder, op: AsyncDotOp) -> None:
    if op.atom is None or op.atom.data != ATOM:
        fail(op, f"only products by '{ATOM}' can go on while the program does")
    for value in find_ready_accumulators(op):
        # The compiler would move what computes them behind this product, where ptxas waits for it.
        under_way = len(find_wgmma_in_flight(op))
        kept = code.emit(WarpgroupWaitOp([code.value(value)], under_way))
        code.set(value, kept.results[0])
    code.set(op.result, begin_wgmma(code, op))


def find_ready_accumulators(op: AsyncDotOp) -> list[SSAValue]:
    """The sums that products behind one add to, if threads computed them before it in its block."""
    block = op.parent_block()
    assert block is not None
    dots = [each for each in block.ops if isinstance(each, AsyncDotOp)]
    sums = dict.fromkeys(each.accumulator for each in dots if op.is_before_in_block(each))
    return [
        value
        for value in sums
        if isinstance(owner := value.owner, Operation)
        and owner.is_before_in_block(op)
        and is_elementwise(owner)
    ]


def find_wgmma_in_flight(op: Operation) -> list[SSAValue]:
    """
    The products that began before an op and were not waited for, in the order in which they began.
    In a loop these are what its arguments stand for, first.
    """
    block = op.parent
    if block is None or (outer := block.parent_op()) is None:
        return []
    products = []
    if isinstance(outer, scf.ForOp):
        products = _async_values(block.args)
    elif not isinstance(outer, FuncOp):
        products = find_wgmma_in_flight(outer)
    _follow_wgmma(block, products, op)
    return products


def _follow_wgmma(block: Block, products: list[SSAValue], last: Operation | None = None) -> None:
    """Adds the products that begin in a block before an op, and takes away what is waited for."""
    for op in block.ops:
        if op is last:
            break
        if op.name == AsyncDotOp.name:
            products.append(op.results[0])
        elif op.name == AsyncFutureWaitOp.name:
            products.remove(op.operands[0])
        elif op.name == scf.ForOp.name:
            products += _async_values(op.results)
        else:
            for inner in (inner for region in op.regions for inner in region.blocks):
                _follow_wgmma(inner, products)


def _async_values(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, AsyncType)]


@lowers("nv_tileas.async.future_wait")
def lower_future_wait(code: ThreadBuilder, op: AsyncFutureWaitOp) -> None:
    products = find_wgmma_in_flight(op)
    if op.source not in products:
        fail(op, "the product that is waited for did not begin in the same block")
    behind = len(products) - products.index(op.source) - 1
    if op.result.first_use is None:
        # Its registers may belong to the next product already.
        code.emit(WarpgroupWaitOp([], behind))
        return
    wait = code.emit(WarpgroupWaitOp([code.value(op.source)], behind))
    code.set(op.result, wait.results[0])


@lowers("nv_tileas.async.to_async")
def lower_to_async(code: ThreadBuilder, op: ToAsyncOp) -> None:
    code.set(op.result, *code.parts(op.source))


def multiply_by_warpgroups(code: ThreadBuilder, op: DotOp) -> None:
    """A product that is waited for at once."""
    value = begin_wgmma(code, op)
    wait = code.emit(WarpgroupWaitOp([value]))
    code.set(op.result, wait.results[0])


@dataclass(frozen=True)
class Blocks:
    """The instructions of a warpgroup for a tile of sums."""

    grid: WarpgroupGrid
    rows: int
    """How many times 64 rows a warpgroup has."""
    columns: int
    """How many times `width` columns."""
    width: int

    @property
    def registers(self) -> int:
        """Of a thread, for one instruction."""
        return self.width // 2


def begin_wgmma(code: ThreadBuilder, op: DotOp | AsyncDotOp) -> SSAValue:
    """Begins a product, and returns the registers of its sums."""
    product = get_wgmma(op, code.kernel.target)
    sums = op.get_types()[2]
    shape, depth, layout = get_shape(sums), get_shape(op.a.type)[1], layout_of(sums)
    grid = None
    if layout is not None:
        grid = find_group_grid(shape, layout, code.kernel.warps // GROUP_WARPS)
    total = SUM_TYPES.get(str(get_element(sums)))
    if product is None or grid is None or total is None:
        fail(op, "operands are not in the layouts of products by warpgroups")
    part = shape[1] // grid.n
    is_exact = needs_accumulator_promotion(op)
    width = min(part, PROMOTED_COLUMNS if is_exact else MAX_COLUMNS)
    blocks = Blocks(grid, shape[0] // (GROUP_ROWS * grid.m), part // width, width)
    size = element_bytes(get_element(op.a.type))
    right = _shared_operand(code, op, op.b, 0, size)
    if right is None:
        fail(op, "the right factor of a product by warpgroups must be in shared memory")
    left = _shared_operand(code, op, op.a, 1, size)
    left_base = None
    if left is not None:
        left_base = _descriptor(code, op.a, left, _group_row(code, grid, left))
    right_base = _descriptor(code, op.b, right, _group_column(code, grid, right, part))
    terms = STEP_BYTES // size
    steps = depth // terms
    instructions = Instructions(
        code,
        op,
        blocks,
        (total, product.type_a, product.type_b),
        terms,
        steps,
        left,
        left_base,
        right,
        right_base,
    )
    keeps, accumulator = _accumulator(code, op)
    if not is_exact:
        code.emit(WarpgroupFenceOp())
    results: list[SSAValue] = []
    for row in range(blocks.rows):
        for column in range(blocks.columns):
            first = (row * blocks.columns + column) * blocks.registers
            value = select_registers(code, accumulator, range(first, first + blocks.registers))
            if is_exact:
                value = _add_exactly(instructions, row, column, value, keeps)
            else:
                value = instructions.emit(row, column, value, range(steps), keeps)
            results.append(value)
    if not is_exact:
        code.emit(WarpgroupCommitOp())
    return concatenate(code, results)


def _add_exactly(
    instructions: Instructions, row: int, column: int, total: SSAValue, keeps: bool
) -> SSAValue:
    """Sums up some terms at a time, and adds these sums to those of all bits."""
    code = instructions.code
    count = max(1, PROMOTION_K // instructions.terms)
    for step in range(0, instructions.steps, count):
        steps = range(step, min(step + count, instructions.steps))
        code.emit(WarpgroupFenceOp())
        part = instructions.emit(row, column, total, steps, keeps=False)
        code.emit(WarpgroupCommitOp())
        part = code.emit(WarpgroupWaitOp([part])).results[0]
        total = code.emit(arith.AddfOp(total, part)).result if keeps or step else part
    return total


@dataclass(frozen=True)
class Instructions:
    """The instructions of a product."""

    code: ThreadBuilder
    op: DotOp | AsyncDotOp
    blocks: Blocks
    types: tuple[str, str, str]
    terms: int
    """That one instruction sums up."""
    steps: int
    """How many instructions it takes along the summed dimension."""
    left: SharedOperand | None
    left_base: SSAValue | None
    right: SharedOperand
    right_base: SSAValue

    def emit(self, row: int, column: int, value: SSAValue, steps: range, keeps: bool) -> SSAValue:
        """Adds the terms of some steps to the sums of one instruction."""
        code, blocks, left, right = self.code, self.blocks, self.left, self.right
        run = min(right.run(len(steps)), len(steps) if left is None else left.run(len(steps)))
        for step in range(steps.start, steps.stop, run):
            if left is None or self.left_base is None:
                a = _registers_of_a(code, self.op, blocks, row, step, run, self.steps)
            else:
                offset = _known(left.offset(row * GROUP_ROWS * blocks.grid.m))
                a = _add(code, self.left_base, offset + left.step_offset(step))
            offset = _known(right.offset(column * blocks.width))
            b = _add(code, self.right_base, offset + right.step_offset(step))
            value = code.emit(
                WarpgroupMmaAsyncOp(
                    a,
                    b,
                    value,
                    shape=MatrixShapeAttr.of(GROUP_ROWS, blocks.width, self.terms),
                    types=self.types,
                    trans_a=left is not None and left.is_transposed,
                    trans_b=right.is_transposed,
                    scale_d=None if keeps or step > steps.start else False,
                    k_steps=run,
                    a_step=None if left is None else left.step >> UNIT_BITS,
                    b_step=right.step >> UNIT_BITS,
                )
            ).result
        return value


def _known(offset: int | None) -> int:
    assert offset is not None
    return offset


def _shared_operand(
    code: ThreadBuilder, op: Operation, value: SSAValue, summed: int, size: int
) -> SharedOperand | None:
    """How a factor is read, if it is in shared memory."""
    if not is_shared(value):
        return None
    factor = SharedOperand.of(code.layout(value), summed, size)
    if factor is None:
        fail(op, f"no descriptor can describe '{value.type}'")
    return factor


def _accumulator(code: ThreadBuilder, op: DotOp | AsyncDotOp) -> tuple[bool, SSAValue]:
    """Whether the product is added to something, and the registers of its sums."""
    accumulator = code.value(op.accumulator)
    fact = None if op.accumulate is None else code.kernel.facts[op.accumulate]
    if fact is not None and fact.low == fact.high == 0:
        return False, accumulator
    if is_zero(op.accumulator):
        return False, accumulator
    if fact is not None and op.accumulate is not None and fact.low == 0:
        accumulator = or_zero(code, code.value(op.accumulate), accumulator)
    return True, accumulator


def is_zero(value: SSAValue) -> bool:
    """Whether a tile is known to be all zeros."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        owner = owner.operands[0].owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    match owner.value:
        case FloatAttr() | IntegerAttr() as number:
            return number.value.data == 0
        case DenseIntOrFPElementsAttr() as numbers:
            return numbers.is_splat() and numbers.get_values()[0] == 0
        case _:
            return False


def or_zero(code: ThreadBuilder, condition: SSAValue, value: SSAValue) -> SSAValue:
    """A value where a condition holds, else zeros."""
    return code.emit(SelectOp(condition, value, _zeros(code, value.type))).result


def _zeros(code: ThreadBuilder, ty: Attribute) -> SSAValue:
    assert isinstance(ty, VectorType)
    vector = cast("VectorType[Any]", ty)
    zero = 0 if isinstance(ty.get_element_type(), IntegerType) else 0.0

    def make() -> arith.ConstantOp:
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(vector, [zero]), ty)

    return code.once(("zeros", ty), make)


# Descriptors


def _descriptor(
    code: ThreadBuilder, value: SSAValue, factor: SharedOperand, offset: SSAValue | None
) -> SSAValue:
    """The descriptor of a factor, behind an offset in bytes."""
    address = code.emit(llvm.PtrToIntOp(code.value(value), i32)).results[0]
    if offset is not None:
        address = code.emit(arith.AddiOp(address, offset)).result
    address = code.emit(arith.AndIOp(address, code.constant(ADDRESS_MASK))).result
    address = code.emit(arith.ShRUIOp(address, code.constant(UNIT_BITS))).result
    wide = code.emit(ExtUIOp(address, i64)).result
    return code.emit(arith.OrIOp(wide, code.constant(factor.descriptor, i64))).result


def _add(code: ThreadBuilder, descriptor: SSAValue, offset: int) -> SSAValue:
    if not offset:
        return descriptor
    return code.emit(arith.AddiOp(descriptor, code.constant(offset >> UNIT_BITS, i64))).result


def _group_row(code: ThreadBuilder, grid: WarpgroupGrid, factor: SharedOperand) -> SSAValue | None:
    """Where the rows of the warpgroup begin in a left factor, in bytes."""
    if grid.m == 1:
        return None
    group = code.compute(arith.AndIOp, get_group(code), code.constant(grid.m - 1))
    return code.compute(arith.MuliOp, group, code.constant(_known(factor.offset(GROUP_ROWS))))


def _group_column(
    code: ThreadBuilder, grid: WarpgroupGrid, factor: SharedOperand, columns: int
) -> SSAValue | None:
    """Where the columns of the warpgroup begin in a right factor, in bytes."""
    if grid.n == 1:
        return None
    shift = code.constant(grid.m.bit_length() - 1)
    group = code.compute(arith.ShRUIOp, get_group(code), shift)
    return code.compute(arith.MuliOp, group, code.constant(_known(factor.offset(columns))))


# Registers


def _registers_of_a(
    code: ThreadBuilder,
    op: DotOp | AsyncDotOp,
    blocks: Blocks,
    row: int,
    step: int,
    run: int,
    steps: int,
) -> SSAValue:
    """The registers of a left factor for some rows and steps."""
    value = code.value(op.a)
    bits = STEP_BYTES * 8 * steps // get_shape(op.a.type)[1]
    expected = wgmma_a(get_shape(op.a.type), bits, blocks.grid.m, blocks.grid.n)
    if code.layout(op.a) != expected:
        fail(op, f"'{op.a.type}' is not in the layout of a left factor in registers")
    each = count_lanes(value.type) // (blocks.rows * steps)
    first = (row * steps + step) * each
    assert isinstance(value.type, VectorType)
    return select_registers(code, value, range(first, first + run * each))
