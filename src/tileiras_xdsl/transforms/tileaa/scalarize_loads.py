"""
Loads single elements of a tile, if a program uses no others.

Before:  %t = nv_tileaa.tiled_load %v[%i, %j] : !nv_tileaa.tiled_view<1x8, …>, i32, i32
             -> tensor<1x8xi64>
         %e = nv_tileaa.extract %t[%c0, %c2] : (tensor<1x8xi64>, i32, i32) -> tensor<1x1xi64>
         %s = nv_tileaa.view %e : tensor<1x1xi64> -> i64
After:   %p = nv_tileaa.addptr %base, (%i * 1 + %c0) * %stride + (%j * 8 + %c2) {elem_type = i64}
         %s = nv_tileaa.load %p mask(the element is in the tensor) : !llvm.ptr<1> -> i64

A tile of one element that is viewed as a scalar needs no extract.

A scalar is one load of all threads, from one address, where a tile is distributed over threads and
an element of it has to be broadcast. Scalars can also be addresses, sizes and strides of tensors
that TMA loads, because producer warps can load them as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import (
    FAR,
    AxisInfoAnalysis,
    analyze,
    may_be_far,
    memref_of,
)
from tileiras_xdsl.analysis.counted_loops import without_assumptions
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp, JoinMemTokenOp, LoadOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExtractOp, ViewOp
from tileiras_xdsl.dialects.nv_tileaa.types import MEM_TOKEN, MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.targets.choices import SCALARIZED_ELEMENTS
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.walking import find_all

SCALARS: Final = (IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type)
"""Types of elements."""
LEAST_BITS: Final = 8
"""Of integers: smaller ones have no address."""
PADDINGS: Final = (None, "zero")
"""What elements outside of a tensor may read as."""


@dataclass(frozen=True)
class ScalarizeLoadsPass(ModulePass):
    """
    Replaces a weak load of a tile by loads of scalars, if all uses of the tile extract single
    elements, at most 16 of them, or view a tile of one element as a scalar. Loads of tensors with
    an offset, or that are padded with anything but zero, are left alone.
    """

    name = "scalarize-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if not find_all(function, ExtractOp, ViewOp):
                continue
            loads = [load for load in find_all(function, TiledLoadOp) if find_scalars(load)]
            if not loads:
                continue
            axis_info = analyze(function)
            for load in loads:
                LoadScalarizer(load, axis_info).rewrite()


def find_scalars(load: TiledLoadOp) -> Sequence[ExtractOp | ViewOp]:
    """The ops that take single elements of a tile; none if it has other uses."""
    found = [use.operation for use in load.result.uses]
    scalars = [op for op in found if isinstance(op, ExtractOp | ViewOp)]
    if not len(scalars) == len(found) <= SCALARIZED_ELEMENTS:
        return ()
    ty, memref = load.view.type, memref_of(load.view)
    assert isinstance(ty, TiledViewType)
    if not is_plain_load(load) or memref is None or memref.offset is not None:
        return ()
    element = get_element(load.result.type)
    if isinstance(element, IntegerType) and element.width.data < LEAST_BITS:
        return ()
    if _padding_of(load) not in PADDINGS or not isinstance(element, SCALARS):
        return ()
    return scalars if all(_is_scalar(op, load) for op in scalars) else ()


def _padding_of(load: TiledLoadOp) -> str | None:
    """What elements outside of the tensor read as."""
    ty = load.view.type
    assert isinstance(ty, TiledViewType)
    return ty.get_padding() if load.padding_value is None else load.padding_value.data


def _is_scalar(op: ExtractOp | ViewOp, load: TiledLoadOp) -> bool:
    """Whether an op takes one element, as a scalar, which is known where the tile is loaded."""
    if isinstance(op, ViewOp):
        return not isinstance(op.result.type, TensorType)
    result = op.result
    if prod(get_shape(result.type)) != 1 or not all(_dominates(v, load) for v in op.indices):
        return False
    if not isinstance(result.type, TensorType):
        return True
    users = [use.operation for use in result.uses]
    return all(isinstance(op, ViewOp) and _is_scalar(op, load) for op in users)


def _dominates(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined before an op."""
    if isinstance(owner := value.owner, Block):
        return owner.find_ancestor_op_in_block(op) is not None
    block = owner.parent
    ancestor = None if block is None else block.find_ancestor_op_in_block(op)
    return ancestor is not None and owner.is_before_in_block(ancestor)


class LoadScalarizer:
    """Replaces the load of a tile by loads of its elements that are used."""

    def __init__(self, load: TiledLoadOp, axis_info: AxisInfoAnalysis):
        memref = memref_of(load.view)
        assert memref is not None
        ty, memref_type = load.view.type, memref.result.type
        assert isinstance(ty, TiledViewType)
        assert isinstance(memref_type, MemRefType)
        self.load = load
        self.memref = memref
        self.view_type = ty
        self.rank = len(get_shape(load.result.type))
        self.axis_info = axis_info
        dynamic = iter((*memref.sizes, *memref.strides))
        self.sizes, self.strides = (
            [next(dynamic) if dim is None else dim for dim in dims.data]
            for dims in (memref_type.shape, memref_type.strides)
        )

    def rewrite(self) -> None:
        """Replaces the load."""
        load, tokens = self.load, list[SSAValue]()
        for op in find_scalars(load):
            indices = op.indices if isinstance(op, ExtractOp) else [self._number(0)] * self.rank
            scalar = self._load_element(indices)
            if scalar.result_token is not None:
                tokens.append(scalar.result_token)
            users = [use.operation for use in tuple(op.result.uses)]
            if isinstance(op.result.type, TensorType):
                for view in users:
                    view.results[0].replace_all_uses_with(scalar.result)
                    Rewriter.erase_op(view)
            else:
                op.result.replace_all_uses_with(scalar.result)
            Rewriter.erase_op(op)
        if load.result_token is not None and load.result_token.first_use is not None:
            load.result_token.replace_all_uses_with(self._add(JoinMemTokenOp(*tokens)))
        Rewriter.erase_op(load)

    def _add(self, op: Operation) -> SSAValue:
        op.location = self.load.location
        Rewriter.insert_op(op, InsertPoint.before(self.load))
        return op.results[0]

    def _number(self, value: int, ty: IntegerType = i64) -> SSAValue:
        return self._add(arith.ConstantOp(IntegerAttr(value, ty)))

    def _wide(self, value: SSAValue | int) -> SSAValue:
        """A number as an i64."""
        if isinstance(value, int):
            return self._number(value)
        return value if value.type == i64 else self._add(ExtSIOp(value, i64))

    def _load_element(self, indices: Sequence[SSAValue]) -> LoadOp:
        """Loads the element at indices in the tile, if the tensor has it."""
        load, offset, mask = self.load, None, None
        ty, element = self.view_type, get_element(self.load.result.type)
        assert isinstance(element, SCALARS)
        for index, inner, step, dim in zip(
            load.indices, indices, ty.get_steps(), ty.get_dim_map(), strict=True
        ):
            start = self._wide(index)
            if not self._can_multiply(index, step):
                # Far outside of the tensor, on either side, where the product would wrap around.
                moved = self._add(arith.AddiOp(start, self._number(FAR // step)))
                is_small = self._add(CmpiOp(moved, self._number(2 * (FAR // step)), "ult"))
                mask = is_small if mask is None else self._add(arith.AndIOp(mask, is_small))
            if step != 1:
                start = self._add(arith.MuliOp(start, self._number(step)))
            place = self._add(arith.AddiOp(start, self._wide(inner)))
            moved = self._add(arith.MuliOp(place, self._wide(self.strides[dim])))
            offset = moved if offset is None else self._add(arith.AddiOp(offset, moved))
            if not self._is_inside(index, inner, step, self.sizes[dim]):
                known = self.sizes[dim]
                size = self._wide(known)
                if not isinstance(known, int) and self.axis_info[known].low < 0:
                    size = self._add(arith.MaxSIOp(size, self._number(0)))
                # Negative numbers are large ones without a sign.
                is_inside = self._add(CmpiOp(place, size, "ult"))
                mask = is_inside if mask is None else self._add(arith.AndIOp(mask, is_inside))
        pointer = self.memref.base
        if offset is not None:
            pointer = self._add(AddPtrOp(pointer, offset, element))
        other = None
        if mask is not None and _padding_of(load) is not None:
            is_integer = isinstance(element, IntegerType)
            zero = IntegerAttr(0, element) if is_integer else FloatAttr(0.0, element)
            other = self._add(arith.ConstantOp(zero))
        hints = load.optimization_hints
        scalar = LoadOp.create(
            operands=[v for v in (pointer, mask, other, load.token) if v is not None],
            result_types=[element, *([MEM_TOKEN] if load.result_token is not None else [])],
            properties={
                "operandSegmentSizes": DenseArrayBase.from_list(
                    i32, [1, *(int(v is not None) for v in (mask, other, load.token))]
                ),
                **({} if hints is None else {"optimization_hints": hints}),
            },
        )
        self._add(scalar)
        return scalar

    def _can_multiply(self, index: SSAValue, step: int) -> bool:
        """Whether an index times the size of a tile is known to fit in 64 bits."""
        return step == 1 or not may_be_far(self.axis_info[index], step)

    def _is_inside(self, index: SSAValue, inner: SSAValue, step: int, size: SSAValue | int) -> bool:
        """Whether an element is known to be in the tensor, along a dimension."""
        place, within = self.axis_info[index], self.axis_info[inner]
        if place.low < 0 or within.low < 0:
            return False
        least = size if isinstance(size, int) else self.axis_info[size].low
        if place.high * step + within.high < least:
            return True
        return (
            step == 1 and within.high == 0 and isinstance(size, SSAValue) and _is_below(index, size)
        )


def _is_below(index: SSAValue, size: SSAValue) -> bool:
    """Whether a number counts up to a size, exclusively."""
    index, size = without_assumptions(index), without_assumptions(size)
    if not isinstance(index, BlockArgument) or index.index != 0:
        return False
    loop = index.owner.parent_op()
    return isinstance(loop, scf.ForOp) and without_assumptions(loop.ub) is size
