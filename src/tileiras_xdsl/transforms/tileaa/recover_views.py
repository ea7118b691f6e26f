"""
Finds tensors in gathers: rows whose numbers follow each other are a tile of a view.

Before:  %rows = nv_tileaa.addi %first, %range                 // 128 rows in a row
         %p = nv_tileaa.addptr %base, %rows * %stride + %columns
         %x = nv_tileaa.load %p mask(%rows < %m and %columns < %k) other(0) …
         nv_tileaa.dot %x, …
After:   %t = nv_tileaa.make_memref %base sizes(%m, %k) strides(%stride)
         %v = nv_tileaa.block_tile %t … : !nv_tileaa.tiled_view<128x64, …, steps = [1, 8]>
         %x = nv_tileaa.tiled_load %v[%first, %column / 8] …
         nv_tileaa.dot %x, …

TMA loads tiles of views; what goes through pointers, threads load element by element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i32, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.counted_loops import without_assumptions
from tileiras_xdsl.analysis.tma_tiles import PIECE_BYTES, TmaTiling
from tileiras_xdsl.dialects.arith import ExtSIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, AndIOp, CmpIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp, LoadOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    MakeRangeOp,
    SplatOp,
    ViewOp,
    is_positive_zero,
)
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp, TiledLoadOp
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of


@dataclass(frozen=True)
class RecoverViewsPass(ModulePass):
    """
    Replaces a load of an operand of a dot that goes through pointers by the load of a tile, if
    numbers of rows and of columns each follow each other, and the mask is that both are in a tensor
    whose address, sizes and stride are parameters of the kernel. What is masked out has to be zero.
    """

    name = "recover-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            loads = [load for load in find_all(function, LoadOp) if is_operand(load)]
            found = [(load, tile) for load in loads if (tile := find_tile(load)) is not None]
            if found:
                axis_info = analyze(function)
                for load, tile in found:
                    replace(load, tile, axis_info)


def is_operand(load: LoadOp) -> bool:
    """Whether a load is of a tile that dots use, and nothing else does."""
    uses = [use.operation for use in load.result.uses]
    if not uses or not all(isinstance(op, DotOp) for op in uses):
        return False
    return is_plain_load(load) and load.result_token is not None


@dataclass(frozen=True)
class Numbers:
    """Numbers of rows or columns that follow each other along a dimension of a tile."""

    dim: int
    starts: tuple[SSAValue, ...]
    """What is added to the number of an element in the tile; scalars."""


@dataclass(frozen=True)
class Tile:
    """A tile of a tensor with two dimensions."""

    base: SSAValue
    numbers: tuple[Numbers, Numbers]
    """By dimension of the tile, as the others."""
    sizes: tuple[SSAValue, SSAValue]
    strides: tuple[SSAValue | None, SSAValue | None]
    """None for 1."""


def find_tile(load: LoadOp) -> Tile | None:
    """The tile that a load reads, if it is one."""
    pointers, mask = load.pointer.owner, load.mask
    if mask is None or load.other is None or not is_positive_zero(load.other):
        return None
    if not isinstance(pointers, AddPtrOp) or len(get_shape(load.result.type)) != 2:
        return None
    base, offsets = splat_of(pointers.base), pointers.offset.owner
    if base is None or not is_parameter(base) or not isinstance(offsets, AddIOp):
        return None
    strides: dict[Numbers, SSAValue | None] = {}
    for term in offsets.operands:
        stride = None
        if isinstance(product := term.owner, MulIOp):
            term, factor = product.operands
            stride = splat_of(factor)
            if stride is None:
                return None
        numbers = find_numbers(term)
        if numbers is None:
            return None
        strides[numbers] = stride
    bounds = [*find_bounds(mask)]
    sizes = {numbers: size for numbers, size in bounds if numbers is not None}
    ordered = sorted(strides, key=lambda each: each.dim)
    if [each.dim for each in ordered] != [0, 1] or {*sizes} != {*strides}:
        return None
    rows, columns = ordered
    if len(sizes) != len(bounds) or [*strides.values()].count(None) != 1:
        return None
    found = (strides[rows], strides[columns])
    numbers = (sizes[rows], sizes[columns])
    scalars = [each for each in (*found, *numbers) if each is not None]
    if not all(each.type == i32 and is_parameter(each) for each in scalars):
        return None
    return Tile(base, (rows, columns), numbers, found)


def find_bounds(mask: SSAValue) -> Iterator[tuple[Numbers | None, SSAValue]]:
    """The numbers that a mask compares, and what they are less than, unsigned."""
    op = mask.owner
    if isinstance(op, AndIOp):
        for each in op.operands:
            yield from find_bounds(each)
        return
    if (
        isinstance(op, CmpIOp)
        and not op.is_signed
        and word(op.comparison_predicate, "equal") == "less_than"
    ):
        size = splat_of(op.rhs)
        if size is not None:
            yield find_numbers(op.lhs), size
            return
    yield None, mask


def find_numbers(value: SSAValue) -> Numbers | None:
    """What numbers of rows or columns a tile of 64-bit integers has, if they follow each other."""
    is_wide, dim, starts = False, 0, list[SSAValue]()
    while True:
        match value.owner:
            case BroadcastOp() as op:
                value = op.source
            case ExtSIOp() as op if get_element(op.operands[0].type) == i32:
                is_wide, value = True, op.operands[0]
            case ViewOp() as op if isinstance(op.source.type, TensorType):
                shape = get_shape(op.result.type)
                if len(get_shape(op.source.type)) != 1 or len(shape) != 2 or shape.count(1) != 1:
                    return None
                dim, value = 1 - shape.index(1), op.source
            case AddIOp() as op if is_wide:
                scalars = [splat_of(each) for each in op.operands]
                index = next((n for n, each in enumerate(scalars) if each is not None), None)
                if index is None or (start := scalars[index]) is None:
                    return None
                starts.append(start)
                value = op.operands[1 - index]
            case MakeRangeOp() as op if is_wide and integer_of(op.start) == 0:
                return Numbers(dim, tuple(starts))
            case _:
                return None


def splat_of(value: SSAValue) -> SSAValue | None:
    """The scalar that all elements of a tile are, before it is extended to 64 bits."""
    if not isinstance(value.owner, SplatOp):
        return None
    scalar = value.owner.source
    if scalar.type == i64 and isinstance(scalar.owner, ExtSIOp):
        return scalar.owner.operands[0]
    return scalar


def is_parameter(value: SSAValue) -> bool:
    """Whether a scalar is an argument of the kernel, of which something may be assumed."""
    block = without_assumptions(value).owner
    return isinstance(block, Block) and isinstance(block.parent_op(), FuncOp)


def replace(load: LoadOp, tile: Tile, axis_info: AxisInfoAnalysis) -> None:
    """Replaces a load by one of a tile of a view, if TMA may load it and its sizes are positive."""
    element, shape = get_element(load.result.type), get_shape(load.result.type)
    size = element_bit_width(element) // 8
    piece = PIECE_BYTES // max(1, size)
    column = tile.strides.index(None)
    stride = tile.strides[1 - column]
    assert stride is not None
    starts = [axis_info[each].divisor for each in tile.numbers[column].starts]
    if size == 0 or any(each % piece for each in (*starts, axis_info[stride].divisor)):
        return
    if axis_info[tile.base].divisor % PIECE_BYTES or any(
        axis_info[each].low < 0 for each in (*tile.sizes, stride)
    ):
        return
    steps = [1, 1]
    steps[column] = piece
    strides = [None if each is not None else 1 for each in tile.strides]
    memref = MemRefType(element, (None, None), strides)
    view = TiledViewType(shape, memref, steps=steps, padding="zero")
    if TmaTiling.of(view) is None:
        return
    indices = [
        add_index(load, numbers, step) for numbers, step in zip(tile.numbers, steps, strict=True)
    ]
    tensor = MakeMemrefOp(tile.base, tile.sizes, [stride], memref)
    tiles = BlockTileOp(tensor.result, view)
    read = TiledLoadOp(tiles.result, indices, token=load.token, result_type=load.result.type)
    if load.optimization_hints is not None:
        read.properties["optimization_hints"] = load.optimization_hints
    for op in (tensor, tiles, read):
        op.location = load.location
    Rewriter.replace_op(load, [tensor, tiles, read], read.results)


def add_index(load: LoadOp, numbers: Numbers, step: int) -> SSAValue:
    """The index of a tile along a dimension, of which one begins every so many elements."""
    ops: list[Operation] = [arith.ConstantOp(IntegerAttr(0, i32))]
    index, *others = numbers.starts or ops[0].results
    for each in others:
        ops.append(added := AddIOp(index, each))
        index = added.result
    if step > 1:
        shift = arith.ConstantOp(IntegerAttr(step.bit_length() - 1, i32))
        ops += [shift, shifted := arith.ShRSIOp(index, shift.result)]
        index = shifted.result
    for op in ops:
        op.location = load.location
    Rewriter.insert_op(ops, InsertPoint.before(load))
    return index
