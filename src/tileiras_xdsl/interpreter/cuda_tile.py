"""What the ops of `cuda_tile` do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, SymbolRefAttr
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr

from .accesses import Tensor
from .blocks import BlockState
from .elements import dtype_of, from_bits
from .elementwise import ELEMENTWISE
from .machine import Direct, Function, InBlock, Program, Value, binds
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
    index_space,
)
from .shapes import SHAPES, bind_identity, bind_reduce, bind_scan
from .types import ViewLayout, element_of, pointee_of

SHARED = ELEMENTWISE | SHAPES

for op_class in ct.CudaTile.operations:
    mnemonic = op_class.name.partition(".")[2]
    if mnemonic in SHARED:
        binds(op_class)(SHARED[mnemonic])

binds(ct.ReduceOp)(bind_reduce("dim"))
binds(ct.ScanOp)(bind_scan("dim"))


def elements_of(value: DenseElementsAttr) -> Array:
    """The array of a literal."""
    bits = np.array(value.get_bits(), np.uint64)
    shape = value.type.get_shape()
    numbers = from_bits(bits, value.element_type)
    return np.broadcast_to(numbers[0], shape) if value.is_splat else numbers.reshape(shape)


@binds(ct.ConstantOp)
def bind_constant(op: ct.ConstantOp, program: Program) -> Function:
    array = elements_of(op.elements)

    def apply() -> Value:
        return array

    return apply


@binds(ct.AssumeOp)
def bind_assume(op: ct.AssumeOp, program: Program) -> Function:
    return bind_identity(op, program)  # pyright: ignore[reportReturnType]


@binds(ct.GetTileBlockIdOp)
def bind_block_id(op: Operation, program: Program) -> InBlock:
    def apply(block: BlockState) -> Value:
        return [np.asarray(index, np.int32) for index in block.index]

    return InBlock(apply)


@binds(ct.GetNumTileBlocksOp)
def bind_num_blocks(op: Operation, program: Program) -> InBlock:
    def apply(block: BlockState) -> Value:
        return [np.asarray(size, np.int32) for size in block.grid]

    return InBlock(apply)


@binds(ct.GetGlobalOp)
def bind_get_global(op: Operation, program: Program) -> InBlock:
    name = op.properties["name"]
    assert isinstance(name, SymbolRefAttr)
    symbol = name.root_reference.data

    def apply(block: BlockState) -> Value:
        return np.asarray(block.globals[symbol], np.int64)

    return InBlock(apply)


@binds(ct.OffsetOp)
def bind_offset(op: ct.OffsetOp, program: Program) -> Function:
    element = pointee_of(op.ptr.type)

    def apply(pointer: Value, offset: Value) -> Value:
        return add_offset(pointer, offset, element)

    return apply


@binds(ct.AllocaOp)
def bind_alloca(op: ct.AllocaOp, program: Program) -> InBlock:
    from .types import integer_of

    element = pointee_of(op.result.type)
    count, alignment = integer_of(op, "num_elem"), integer_of(op, "alignment")

    def apply(block: BlockState) -> Value:
        return block.allocate(op, element, count, alignment)

    return InBlock(apply)


@binds(ct.AssertOp)
def bind_assert(op: ct.AssertOp, program: Program) -> InBlock:
    message = op.properties["message"]
    assert isinstance(message, StringAttr)

    def apply(block: BlockState, condition: Value) -> Value:
        return block.verify(op, condition, message.data)

    return InBlock(apply)


@binds(ct.PrintTkoOp, ct.PrintOp)
def bind_print(op: ct.PrintTkoOp | ct.PrintOp, program: Program) -> InBlock:
    format = op.properties["str"]
    assert isinstance(format, StringAttr)
    arguments = list(op.args)
    token = op.token if isinstance(op, ct.PrintTkoOp) else None
    elements = [element_of(value.type) for value in arguments]
    count, has_token, has_result = len(arguments), token is not None, bool(op.results)

    def show(block: BlockState, *values: Value) -> Value:
        before = values[-1] if has_token else None
        after = block.show(op, before, format.data, values[:count], elements)
        return after if has_result else ()

    return InBlock(show)


# Tokens


@binds(ct.MakeTokenOp)
def bind_make_token(op: ct.MakeTokenOp, program: Program) -> InBlock:
    def apply(block: BlockState) -> Value:
        return block.join(())

    return InBlock(apply)


@binds(ct.JoinTokensOp, ct.TokenJoinOp)
def bind_join(op: Operation, program: Program) -> InBlock:
    def apply(block: BlockState, *tokens: Value) -> Value:
        return block.join(tokens)

    return InBlock(apply)


@binds(ct.GdcWaitOp)
def bind_gdc_wait(op: ct.GdcWaitOp, program: Program) -> InBlock:
    def apply(block: BlockState, *tokens: Value) -> Value:
        return block.wait_for_grids(tokens, has_token=True)

    return InBlock(apply)


@binds(ct.MemoryFenceAliasOp, ct.GdcLaunchDependentsOp)
def bind_token_effect(op: Operation, program: Program) -> InBlock:
    def apply(block: BlockState, *tokens: Value) -> Value:
        return block.join(tokens)

    return InBlock(apply)


# Accesses


@binds(ct.LoadPtrOp)
def bind_load_ptr(op: ct.LoadPtrOp, program: Program) -> Direct:
    return bind_load(
        op, program, op.source, op.mask, op.padding_value, op.token, [op.result, op.result_token]
    )


@binds(ct.StorePtrOp)
def bind_store_ptr(op: ct.StorePtrOp, program: Program) -> Direct:
    return bind_store(op, program, op.destination, op.value, op.mask, op.token, op.result_token)


@binds(ct.AtomicRMWOp)
def bind_atomic_rmw(op: ct.AtomicRMWOp, program: Program) -> Direct:
    results = [op.result, op.result_token]
    return bind_rmw(op, program, "mode", op.pointers, op.arg, op.mask, op.token, results)


@binds(ct.AtomicCASOp)
def bind_atomic_cas(op: ct.AtomicCASOp, program: Program) -> Direct:
    results = [op.result, op.result_token]
    return bind_cas(op, program, op.pointers, op.cmp, op.val, op.mask, op.token, results)


@binds(ct.MakeTensorViewOp)
def bind_make_tensor_view(op: ct.MakeTensorViewOp, program: Program) -> Function:
    return bind_make_tensor(op, program, op.base, op.dynamic_shape, op.dynamic_strides)


@binds(ct.MakePartitionViewOp, ct.MakeStridedViewOp, ct.MakeGatherScatterViewOp)
def bind_make_view(op: Operation, program: Program) -> Function:
    def apply(tensor: Value) -> Value:
        return tensor

    return apply


@binds(ct.GetTensorShapeOp)
def bind_tensor_shape(op: Operation, program: Program) -> Function:
    return _bind_sizes(op, lambda tensor: tensor.sizes)


@binds(ct.GetIndexSpaceShapeOp)
def bind_index_space(op: Operation, program: Program) -> Function:
    layout = ViewLayout.of(op.operands[0].type)
    return _bind_sizes(op, lambda tensor: index_space(layout, tensor))


def _bind_sizes(op: Operation, sizes: Callable[[Tensor], Sequence[int]]) -> Function:
    dtypes = [dtype_of(element_of(result.type)) for result in op.results]

    def query(tensor: Tensor) -> Value:
        found = [
            np.asarray(size).astype(dtype)
            for size, dtype in zip(sizes(tensor), dtypes, strict=True)
        ]
        return found[0] if len(found) == 1 else found

    return query


def in_bounds(op: Operation, name: str) -> Sequence[bool]:
    """The dimensions a tile is said to be inside of."""
    attribute = op.properties.get(name)
    if not isinstance(attribute, DenseArrayBase):
        return ()
    return [bool(value) for value in array_values(attribute)]


def _tile(op: Operation, program: Program, view: SSAValue, index: Sequence[SSAValue]) -> TileAccess:
    return TileAccess(op, program, view, index, in_bounds(op, "inbounds"))


@binds(ct.LoadViewOp)
def bind_load_view(op: ct.LoadViewOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.index)
    return bind_tile_load(tile, program, op.token, [op.tile, op.result_token])


@binds(ct.StoreViewOp)
def bind_store_view(op: ct.StoreViewOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.index)
    return bind_tile_store(tile, program, op.tile, op.mask, op.token, op.result_token)


@binds(ct.AtomicRedViewOp)
def bind_atomic_red_view(op: ct.AtomicRedViewOp, program: Program) -> Direct:
    tile = _tile(op, program, op.view, op.index)
    return bind_tile_update(tile, program, "mode", op.value, op.token, op.result_token)
