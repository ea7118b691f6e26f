"""
What the ops of `nv_tileas` do, and the barriers that tokens became.

Layouts are where values lie, not what they are: they are ignored, and `convert_layout` is the
identity. A tensor in shared memory is a buffer that copies change, and `extract_slice` a window on
it; to all other ops a tensor is a value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects import llvm
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas import aggregate, async_ops, matmul, memory, shape
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from tileiras_xdsl.dialects.nvvm import (
    MBarrierArriveSharedOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)

from . import nv_tileaa
from .blocks import BlockState
from .copy_groups import Copy
from .cuda_tile import in_bounds
from .elements import dtype_of, from_bytes, to_bytes
from .errors import ExecutionError
from .machine import TERMINATORS, Direct, Exit, Frame, Function, InBlock, Program, Value, binds
from .memory import Array
from .memory_ops import TileAccess, bind_load, bind_tile_load
from .nv_tileaa import literal_of
from .shapes import SHAPES, bind_identity, bind_reduce, bind_scan
from .types import element_of, shape_of

TERMINATORS[aggregate.YieldOp] = Exit.YIELD

# What is the same at level 1

binds(memory.LoadOp)(nv_tileaa.bind_load_op)
binds(memory.StoreOp)(nv_tileaa.bind_store_op)
binds(memory.TiledLoadOp, memory.GatherLoadOp)(nv_tileaa.bind_tiled_load)
binds(memory.TiledStoreOp, memory.ScatterStoreOp)(nv_tileaa.bind_tiled_store)
binds(memory.TiledAtomicRMWOp)(nv_tileaa.bind_tiled_rmw)
binds(shape.ViewOp)(SHAPES["view"])
binds(shape.ExpandDimsOp)(SHAPES["expand_dims"])
binds(aggregate.ReduceOp)(bind_reduce("axis"))
binds(aggregate.ScanOp)(bind_scan("axis"))
binds(shape.ConvertLayoutOp, shape.ShuffleOp)(bind_identity)


@binds(matmul.DotOp)
def bind_dot(op: matmul.DotOp | async_ops.AsyncDotOp, program: Program) -> Function:
    multiply = nv_tileaa.bind_product(op, program)

    def apply(a: Array, b: Array, accumulator: Array, accumulate: Value = True) -> Array:
        return multiply(a, b, accumulator if accumulate else np.zeros_like(accumulator))

    return apply


# Buffers and parts of tensors


@binds(memory.AllocTensorOp)
def bind_alloc_tensor(op: memory.AllocTensorOp, program: Program) -> Function:
    dims, dtype = shape_of(op.result.type), dtype_of(element_of(op.result.type))

    def apply() -> Value:
        return np.zeros(dims, dtype)

    return apply


@binds(memory.CopyOp)
def bind_copy(op: memory.CopyOp, program: Program) -> Function:
    def apply(source: Array, destination: Array | None = None) -> Value:
        if destination is None:
            return np.array(source)
        destination[...] = source
        return destination

    return apply


def _window(op: Operation, part: tuple[int, ...], whole: tuple[int, ...]) -> Function:
    steps = (*(1,) * (len(whole) - len(part)), *part)

    def select(value: Array, *indices: Value) -> Array:
        starts = [int(index) * step for index, step in zip(indices, steps, strict=True)]
        for start, step, size in zip(starts, steps, whole, strict=True):
            if not 0 <= start <= size - step:
                raise ExecutionError(f"takes a part at {start} of {size} elements", op)
        return value[tuple(slice(a, a + n) for a, n in zip(starts, steps, strict=True))]

    return select


@binds(shape.ExtractSliceOp)
def bind_extract_slice(op: shape.ExtractSliceOp, program: Program) -> Function:
    part, whole = shape_of(op.result.type), shape_of(op.source.type)
    select = _window(op, part, whole)

    def apply(source: Array, *indices: Value) -> Value:
        # Only dimensions of size one are dropped, so this is a window still.
        return select(source, *indices).reshape(part)

    return apply


@binds(shape.InsertSliceOp)
def bind_insert_slice(op: shape.InsertSliceOp, program: Program) -> Function:
    select = _window(op, shape_of(op.source.type), shape_of(op.destination.type))

    def apply(source: Array, destination: Array, *indices: Value) -> Value:
        target = np.array(destination)
        window = select(target, *indices)
        window[...] = source.reshape(window.shape)
        return target

    return apply


@binds(shape.ReinterpretOp)
def bind_reinterpret(op: shape.ReinterpretOp, program: Program) -> Function:
    old, new = element_of(op.source.type), element_of(op.result.type)
    dims = shape_of(op.result.type)

    def apply(source: Array) -> Value:
        return from_bytes(to_bytes(np.ascontiguousarray(source), old), new).reshape(dims)

    return apply


@binds(shape.GenerateOp)
def bind_generate(op: shape.GenerateOp, program: Program) -> Direct:
    body = program.bind_block(op.body.block)
    result = program.register(op.result)
    dims, dtype = shape_of(op.result.type), dtype_of(element_of(op.result.type))

    def step(frame: Frame) -> None:
        made = np.empty(dims, dtype)
        for index in np.ndindex(dims):
            coordinates = [np.asarray(number, np.int32) for number in index]
            (made[index],) = body.run(frame, coordinates).values
        frame.registers[result] = made

    return Direct(step)


@binds(aggregate.PragmaOp)
def bind_pragma(op: aggregate.PragmaOp, program: Program) -> Direct:
    """The body, as if nothing were said about it."""
    body = program.bind_block(op.body.block)
    arguments, results = program.all(op.arguments), program.all(op.results)

    def step(frame: Frame) -> None:
        registers = frame.registers
        given = [registers[argument] for argument in arguments][: len(body.arguments)]
        for result, value in zip(results, body.run(frame, given).values, strict=True):
            registers[result] = value

    return Direct(step)


# Asynchronous work


def _into(load: Direct, token: int, destination: int) -> Direct:
    """Copies what was read into the register of a token to a buffer instead."""

    def step(frame: Frame) -> None:
        load.step(frame)
        registers = frame.registers
        registers[token] = frame.block.copies.issue(registers[destination], registers[token])

    return Direct(step)


@binds(async_ops.AsyncLoadOp)
def bind_async_load(op: async_ops.AsyncLoadOp, program: Program) -> Direct:
    type, results = op.destination.type, [op.result, None]
    load = bind_load(op, program, op.pointer, op.mask, op.other, None, results, type)
    return _into(load, program.register(op.result), program.register(op.destination))


@binds(async_ops.AsyncTiledLoadOp)
def bind_async_tiled_load(op: async_ops.AsyncTiledLoadOp, program: Program) -> Direct:
    tile = TileAccess(op, program, op.view, op.indices, in_bounds(op, "in_bounds"))
    load = bind_tile_load(tile, program, None, [op.result, None])
    return _into(load, program.register(op.result), program.register(op.destination))


@binds(async_ops.AsyncCopyOp)
def bind_async_copy(op: async_ops.AsyncCopyOp, program: Program) -> InBlock:
    def apply(block: BlockState, source: Array, destination: Array) -> Value:
        return block.copies.issue(destination, source)

    return InBlock(apply)


@binds(async_ops.AsyncWaitOp)
def bind_async_wait(op: async_ops.AsyncWaitOp, program: Program) -> InBlock:
    pending = None if op.pending is None else op.pending.value.data

    def apply(block: BlockState, *tokens: Copy | None) -> Value:
        for token in tokens:
            if token is not None:
                token.finish()
        if pending is not None:
            block.copies.wait(pending)
        return ()

    return InBlock(apply)


@binds(DeviceAsyncCreateGroupOp)
def bind_commit_group(op: DeviceAsyncCreateGroupOp, program: Program) -> InBlock:
    def apply(block: BlockState, *tokens: Value) -> Value:
        block.copies.commit()
        return None

    return InBlock(apply)


@binds(DeviceAsyncWaitOp)
def bind_wait_group(op: DeviceAsyncWaitOp, program: Program) -> InBlock:
    pending = 0 if op.num_groups is None else op.num_groups.value.data

    def apply(block: BlockState, *tokens: Value) -> Value:
        block.copies.wait(pending)
        return ()

    return InBlock(apply)


@binds(async_ops.CreateNoneOp)
def bind_create_none(op: async_ops.CreateNoneOp, program: Program) -> Function:
    def apply() -> Value:
        return None

    return apply


binds(async_ops.AsyncDotOp)(bind_dot)
binds(async_ops.AsyncFutureWaitOp, async_ops.ToAsyncOp, async_ops.TokenToAsyncOp)(bind_identity)


# Barriers


@dataclass
class Barrier:
    """A barrier in shared memory: it counts arrivals, and phases by their parity."""

    count: int = 0
    pending: int = 0
    parity: int = 0

    def initialize(self, count: int) -> None:
        self.count = self.pending = count

    def arrive(self) -> None:
        self.pending -= 1
        if self.pending == 0:
            self.pending, self.parity = self.count, 1 - self.parity


@binds(llvm.ConstantOp)
def bind_llvm_constant(op: llvm.ConstantOp, program: Program) -> Function:
    array = literal_of(op.value)

    def apply() -> Value:
        return array

    return apply


@binds(llvm.AddressOfOp)
def bind_addressof(op: llvm.AddressOfOp, program: Program) -> Function:
    def apply() -> Value:
        return None

    return apply


@binds(llvm.GEPOp)
def bind_slot(op: llvm.GEPOp, program: Program) -> Function:
    """A slot of the pool; each is addressed once in a function."""

    def apply(pool: Value) -> Value:
        return Barrier()

    return apply


@binds(MBarrierInitSharedOp)
def bind_init(op: MBarrierInitSharedOp, program: Program) -> Function:
    def apply(barrier: Barrier, count: Value) -> Value:
        barrier.initialize(int(count))
        return ()

    return apply


@binds(MBarrierArriveSharedOp)
def bind_arrive(op: MBarrierArriveSharedOp, program: Program) -> Function:
    def apply(barrier: Barrier) -> Value:
        barrier.arrive()
        return None

    return apply


@binds(MBarrierTryWaitParitySharedOp)
def bind_try_wait(op: MBarrierTryWaitParitySharedOp, program: Program) -> InBlock:
    def apply(block: BlockState, barrier: Barrier, parity: Value, ticks: Value) -> Value:
        # All that arrive run in this thread, so nobody will while it waits.
        if barrier.parity == int(parity):
            raise ExecutionError("waits for a phase that nobody completes", op, block.index)
        return np.asarray(True)

    return InBlock(apply)
