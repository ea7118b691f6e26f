"""What the ops of `nv_tileaa`, and those of other dialects next to them, do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatTF32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import arith as tensor_arith
from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa, aggregate, memory, shape, tokens, views
from tileiras_xdsl.dialects.nv_tileaa import matmul as products

from . import numerics
from .blocks import BlockState
from .cuda_tile import bind_get_global, bind_index_space, bind_tensor_shape, in_bounds
from .elements import dtype_of, from_bits, round_to
from .elementwise import ELEMENTWISE, bind_itof, bind_signed_conversion
from .machine import Binder, Direct, Function, InBlock, Program, Value, binds
from .memory import Array
from .memory_ops import (
    TileAccess,
    add_offset,
    bind_cas,
    bind_load,
    bind_make_tensor,
    bind_rmw,
    bind_store,
    bind_tile_load,
    bind_tile_store,
    bind_tile_update,
)
from .shapes import (
    SHAPES,
    bind_identity,
    bind_mmaf,
    bind_mmai,
    bind_reduce,
    bind_scan,
    bind_select,
)
from .types import element_of, integer_of, shape_of, tensor_dims

SHARED = ELEMENTWISE | SHAPES
TF32 = FloatTF32Type()

for op_class in NvTileaa.operations:
    mnemonic = op_class.name.partition(".")[2]
    if mnemonic in SHARED:
        binds(op_class)(SHARED[mnemonic])

binds(aggregate.ReduceOp)(bind_reduce("axis"))
binds(aggregate.ScanOp)(bind_scan("axis"))
binds(shape.AssumeOp)(bind_identity)


@binds(products.DotOp)
def bind_dot(op: products.DotOp, program: Program) -> Function:
    return bind_product(op, program)


def bind_product(op: products.Product, program: Program) -> Function:
    """A product of the first two operands, added to the third."""
    element = element_of(op.operands[0].type)
    if isinstance(element, IntegerType):
        return bind_mmai(op, program)
    multiply = bind_mmaf(op, program)
    if op.input_precision is None or op.input_precision.data != "tf32" or element != f32:
        return multiply

    def multiply_rounded(a: Array, b: Array, accumulator: Array) -> Array:
        return multiply(round_to(a, TF32), round_to(b, TF32), accumulator)

    return multiply_rounded


# arith


def literal_of(value: Attribute) -> Array:
    """The array of the literal of an `arith.constant`."""
    if isinstance(value, DenseIntOrFPElementsAttr):
        type = value.get_type()
        assert isinstance(type, TensorType)
        element = element_of(type)
        data = np.frombuffer(value.data.data, np.uint8).reshape(prod(type.get_shape()), -1)
        size = data.shape[1]
        wide = np.zeros((len(data), 8), np.uint8)
        wide[:, :size] = data
        bits = wide.view(np.uint64)[:, 0]
        if isinstance(element, IntegerType) and element.width.data < 64:
            bits = bits & np.uint64((1 << element.width.data) - 1)
        return from_bits(bits, element).reshape(type.get_shape())
    assert isinstance(value, IntegerAttr | FloatAttr)
    type = value.get_type()
    if isinstance(value, FloatAttr):
        return from_bits(np.array(float_to_bits(value.value.data, type), np.uint64), type)
    if isinstance(type, IndexType):
        return np.asarray(value.value.data, np.int64)
    assert isinstance(type, IntegerType)
    bits = value.value.data & ((1 << type.width.data) - 1)
    return from_bits(np.array(bits, np.uint64), type)


@binds(arith.ConstantOp)
def bind_constant(op: arith.ConstantOp, program: Program) -> Function:
    array = literal_of(op.value)

    def apply() -> Value:
        return array

    return apply


def _integer(function: Callable[..., Array]) -> Binder:
    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)
        element = i64 if isinstance(element, IndexType) else element

        def apply(a: Value, b: Value) -> Value:
            return function(element, a, b)

        return apply

    return bind


def _signed(function: Callable[..., Array], signed: bool) -> Binder:
    def bind(op: Operation, program: Program) -> Function:
        element = element_of(op.operands[0].type)

        def apply(a: Value, b: Value) -> Value:
            return function(element, a, b, signed=signed)

        return apply

    return bind


binds(arith.AddiOp)(_integer(numerics.addi))
binds(arith.SubiOp)(_integer(numerics.subi))
binds(arith.MuliOp)(_integer(numerics.muli))
binds(arith.DivSIOp)(_integer(numerics.divi))
binds(arith.DivUIOp)(_signed(numerics.divi, signed=False))
binds(arith.RemSIOp)(_integer(numerics.remi))
binds(arith.AndIOp)(_integer(numerics.andi))
binds(arith.OrIOp)(_integer(numerics.ori))
binds(arith.XOrIOp)(_integer(numerics.xori))
binds(arith.MaxSIOp)(_signed(numerics.maxi, signed=True))
binds(arith.MaxUIOp)(_signed(numerics.maxi, signed=False))
binds(arith.MinSIOp)(_signed(numerics.mini, signed=True))
binds(arith.MinUIOp)(_signed(numerics.mini, signed=False))
binds(tensor_arith.SelectOp)(bind_select)
binds(tensor_arith.ExtSIOp)(bind_signed_conversion(numerics.exti, signed=True))
binds(tensor_arith.ExtUIOp)(bind_signed_conversion(numerics.exti, signed=False))
binds(tensor_arith.FPToSIOp)(bind_signed_conversion(numerics.ftoi, signed=True))
binds(tensor_arith.FPToUIOp)(bind_signed_conversion(numerics.ftoi, signed=False))
binds(tensor_arith.SIToFPOp)(bind_itof(signed=True))
binds(tensor_arith.UIToFPOp)(bind_itof(signed=False))

PREDICATES = {
    0: ("equal", True),
    1: ("not_equal", True),
    2: ("less_than", True),
    3: ("less_than_or_equal", True),
    4: ("greater_than", True),
    5: ("greater_than_or_equal", True),
    6: ("less_than", False),
    7: ("less_than_or_equal", False),
    8: ("greater_than", False),
    9: ("greater_than_or_equal", False),
}


@binds(arith.CmpiOp)
def bind_cmpi(op: arith.CmpiOp, program: Program) -> Function:
    element = element_of(op.lhs.type)
    element = i64 if isinstance(element, IndexType) else element
    predicate, signed = PREDICATES[op.predicate.value.data]

    def apply(a: Value, b: Value) -> Value:
        return numerics.cmpi(element, a, b, predicate=predicate, signed=signed)

    return apply


@binds(arith.IndexCastOp)
def bind_index_cast(op: arith.IndexCastOp, program: Program) -> Function:
    type = op.result.type
    dtype = np.dtype(np.int64) if isinstance(type, IndexType) else dtype_of(type)

    def apply(value: Value) -> Value:
        return np.asarray(value).astype(dtype)

    return apply


@binds(PoisonOp)
def bind_poison(op: PoisonOp, program: Program) -> Function:
    """A value that does not matter; zeros, so that runs are alike."""
    type = op.results[0].type
    element = element_of(type)
    try:
        dtype = dtype_of(element)
    except (KeyError, TypeError, ValueError):

        def apply() -> Value:
            return None

        return apply
    array = np.zeros(shape_of(type), dtype)

    def apply() -> Value:
        return array

    return apply


# gpu


def _dimension(op: gpu.BlockIdOp | gpu.GridDimOp) -> int:
    return "xyz".index(str(op.dimension.data))


@binds(gpu.BlockIdOp)
def bind_block_id(op: gpu.BlockIdOp, program: Program) -> InBlock:
    dimension = _dimension(op)

    def apply(block: BlockState) -> Value:
        return np.asarray(block.index[dimension], np.int64)

    return InBlock(apply)


@binds(gpu.GridDimOp)
def bind_grid_dim(op: gpu.GridDimOp, program: Program) -> InBlock:
    dimension = _dimension(op)

    def apply(block: BlockState) -> Value:
        return np.asarray(block.grid[dimension], np.int64)

    return InBlock(apply)


@binds(gpu.BarrierOp)
def bind_barrier(op: gpu.BarrierOp, program: Program) -> InBlock:
    return InBlock(BlockState.synchronize)


# Memory


binds(memory.GetGlobalOp)(bind_get_global)


@binds(memory.AddPtrOp)
def bind_addptr(op: memory.AddPtrOp, program: Program) -> Function:
    element = op.elem_type

    def apply(pointer: Value, offset: Value) -> Value:
        return add_offset(pointer, offset, element)

    return apply


@binds(memory.AllocaOp)
def bind_alloca(op: memory.AllocaOp, program: Program) -> InBlock:
    count, alignment = integer_of(op, "num_elem"), integer_of(op, "alignment")

    def apply(block: BlockState) -> Value:
        return block.allocate(op, op.elem_type, count, alignment)

    return InBlock(apply)


@binds(memory.AssertOp)
def bind_assert(op: memory.AssertOp, program: Program) -> InBlock:
    message = op.message.data

    def apply(block: BlockState, condition: Value) -> Value:
        return block.verify(op, condition, message)

    return InBlock(apply)


@binds(memory.PrintOp)
def bind_print(op: memory.PrintOp, program: Program) -> InBlock:
    format = op.properties["str"]
    assert isinstance(format, StringAttr)
    elements = [element_of(value.type) for value in op.arguments]
    count, has_token, has_result = len(elements), op.token is not None, bool(op.results)

    def show(block: BlockState, *values: Value) -> Value:
        before = values[-1] if has_token else None
        after = block.show(op, before, format.data, values[:count], elements)
        return after if has_result else ()

    return InBlock(show)


@binds(tokens.CreateMemTokenOp)
def bind_create_token(op: tokens.CreateMemTokenOp, program: Program) -> InBlock:
    def apply(block: BlockState, *scope: Value) -> Value:
        return block.join(())

    return InBlock(apply)


@binds(tokens.JoinMemTokenOp)
def bind_join(op: tokens.JoinMemTokenOp, program: Program) -> InBlock:
    def apply(block: BlockState, *joined: Value) -> Value:
        return block.join(joined)

    return InBlock(apply)


@binds(memory.GdcWaitOp)
def bind_gdc_wait(op: memory.GdcWaitOp, program: Program) -> InBlock:
    has_token = bool(op.results)

    def apply(block: BlockState, *before: Value) -> Value:
        after = block.wait_for_grids(before, has_token=has_token)
        return after if has_token else ()

    return InBlock(apply)


@binds(memory.MemoryFenceAliasOp, memory.GdcLaunchDependentsOp)
def bind_token_effect(op: Operation, program: Program) -> InBlock:
    has_result = bool(op.results)
    if isinstance(op, memory.MemoryFenceAliasOp) and not has_result and not op.operands:
        return InBlock(BlockState.synchronize)

    def apply(block: BlockState, *before: Value) -> Value:
        return block.join(before) if has_result else ()

    return InBlock(apply)


@binds(memory.LoadOp)
def bind_load_op(op: memory.LoadOp, program: Program) -> Direct:
    results = [op.result, op.result_token]
    return bind_load(op, program, op.pointer, op.mask, op.other, op.token, results)


@binds(memory.StoreOp)
def bind_store_op(op: memory.StoreOp, program: Program) -> Direct:
    return bind_store(op, program, op.pointer, op.value, op.mask, op.token, op.result_token)


@binds(memory.AtomicRMWOp)
def bind_atomic_rmw(op: memory.AtomicRMWOp, program: Program) -> Direct:
    results = [op.result, op.result_token]
    return bind_rmw(op, program, "rmw_mode", op.pointer, op.value, op.mask, op.token, results)


@binds(memory.AtomicCASOp)
def bind_atomic_cas(op: memory.AtomicCASOp, program: Program) -> Direct:
    results = [op.result, op.result_token]
    return bind_cas(op, program, op.pointer, op.compare, op.replacement, op.mask, op.token, results)


# Views


@binds(views.MakeMemrefOp)
def bind_make_memref(op: views.MakeMemrefOp, program: Program) -> Function:
    make = bind_make_tensor(op, program, op.base, op.sizes, op.strides)
    if op.offset is None:
        return make
    element, _, _ = tensor_dims(op.result.type)

    def apply(base: Value, offset: Value, *dims: Value) -> Value:
        return make(add_offset(base, offset, element), *dims)

    return apply


@binds(views.BlockTileOp)
def bind_block_tile(op: views.BlockTileOp, program: Program) -> Function:
    def apply(tensor: Value) -> Value:
        return tensor

    return apply


binds(views.GetTensorShapeOp)(bind_tensor_shape)
binds(views.GetIndexSpaceShapeOp)(bind_index_space)


def _tile(
    op: Operation, program: Program, view: SSAValue, indices: Sequence[SSAValue]
) -> TileAccess:
    return TileAccess(op, program, view, indices, in_bounds(op, "in_bounds"))


@binds(views.TiledLoadOp, views.GatherLoadOp)
def bind_tiled_load(op: views.TiledLoadOp | views.GatherLoadOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.indices)
    return bind_tile_load(tile, program, op.token, [op.result, op.result_token])


@binds(views.TiledStoreOp, views.ScatterStoreOp)
def bind_tiled_store(op: views.TiledStoreOp | views.ScatterStoreOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.indices)
    return bind_tile_store(tile, program, op.value, op.mask, op.token, op.result_token)


@binds(views.TiledAtomicRMWOp)
def bind_tiled_rmw(op: views.TiledAtomicRMWOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.indices)
    return bind_tile_update(tile, program, "rmw_mode", op.value, op.token, op.result_token)
