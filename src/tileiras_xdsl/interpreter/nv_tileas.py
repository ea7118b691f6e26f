"""
What the ops of `nv_tileas` do, and the barriers that tokens became.

Layouts are where values lie, not what they are: they are ignored, and `convert_layout` is the
identity. A tensor in shared memory is a buffer that copies change, and `extract_slice` a window on
it; to all other ops a tensor is a value. Buffers and barriers are kept in `shared_memory`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nv_tileas import async_ops, memory, shape, tensor_memory
from tileiras_xdsl.dialects.nv_tileas import pipeline as pl
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from tileiras_xdsl.dialects.nvvm import (
    MBarrierArriveSharedOp,
    MBarrierInitSharedOp,
    MBarrierTryWaitParitySharedOp,
)

from . import numerics
from .attributes import (
    integer,
    operand_element,
    operand_shape,
    result_element,
    result_shape,
    result_type,
)
from .cta_state import CtaState
from .elements import dtype_of, from_bytes, to_bytes
from .errors import ExecutionError
from .machine import TILES, BoundProgram, CallFrame, Direct
from .shared_memory import Barrier, PendingCopy
from .types import element_of, shape_of
from .values import Array, Value, zeros

# Buffers and parts of tensors


@TILES.runs(memory.AllocTensorOp, ty=result_type)
def run_alloc_tensor(*, ty: Attribute) -> Array:
    """A buffer."""
    return zeros(ty, ())


@TILES.runs(memory.CopyOp)
def run_copy(source: Array, destination: Array | None = None) -> Array:
    """A copy of a tensor, in a buffer if one is given."""
    if destination is None:
        return np.array(source)
    destination[...] = source
    return destination


def _column(op: Operation) -> int:
    assert isinstance(op, tensor_memory.TensorMemoryLoadOp)
    return 0 if op.column is None else op.column.value.data


@TILES.runs(tensor_memory.TensorMemoryLoadOp, ty=result_type, column=_column)
def run_tensor_memory_load(source: Array, *, ty: Attribute, column: int) -> Array:
    """A tile from tensor memory, or some of its columns."""
    return np.array(source[..., column : column + shape_of(ty)[-1]])


@TILES.runs(tensor_memory.TensorMemoryStoreOp)
def run_tensor_memory_store(source: Array, destination: Array) -> Array:
    """A tile in tensor memory."""
    return np.array(source)


@TILES.runs(tensor_memory.TensorMemoryScaleOp)
def run_tensor_memory_scale(destination: Array, factors: Array) -> Array:
    """A tile in tensor memory, times a factor for each row."""
    return numerics.mulf(f32, destination, np.broadcast_to(factors, destination.shape))


@TILES.runs(tensor_memory.CommitDotsOp)
def run_commit_dots() -> None:
    """Dots are done when they are issued."""


@TILES.runs(tensor_memory.WaitDotsOp)
def run_wait_dots(token: Value) -> None:
    """Dots are done when they are issued."""


@TILES.runs(tensor_memory.TensorMemoryFenceOp)
def run_tensor_memory_fence() -> None:
    """Accesses are done when they are issued."""


def _window(
    value: Array, part: tuple[int, ...], whole: tuple[int, ...], indices: Sequence[Value]
) -> Array:
    """The part of a tensor of some numbers."""
    steps = (*(1,) * (len(whole) - len(part)), *part)
    starts = [int(index) * step for index, step in zip(indices, steps, strict=True)]
    for start, step, size in zip(starts, steps, whole, strict=True):
        if not 0 <= start <= size - step:
            raise ExecutionError(f"takes a part at {start} of {size} elements")
    return value[tuple(slice(a, a + n) for a, n in zip(starts, steps, strict=True))]


@TILES.runs(shape.ExtractSliceOp, part=result_shape, whole=operand_shape(0))
def run_extract_slice(
    source: Array, *indices: Value, part: tuple[int, ...], whole: tuple[int, ...]
) -> Array:
    """A window on a part; only dimensions of size one are dropped, so that it stays one."""
    return _window(source, part, whole, indices).reshape(part)


@TILES.runs(shape.InsertSliceOp, part=operand_shape(0), whole=operand_shape(1))
def run_insert_slice(
    source: Array,
    destination: Array,
    *indices: Value,
    part: tuple[int, ...],
    whole: tuple[int, ...],
) -> Array:
    """A tensor with a part replaced."""
    target = np.array(destination)
    window = _window(target, part, whole, indices)
    window[...] = source.reshape(window.shape)
    return target


@TILES.runs(shape.ReinterpretOp, old=operand_element(0), new=result_element, dims=result_shape)
def run_reinterpret(
    source: Array, *, old: Attribute, new: Attribute, dims: tuple[int, ...]
) -> Array:
    """The same bytes as other elements."""
    return from_bytes(to_bytes(np.ascontiguousarray(source), old), new).reshape(dims)


@TILES.binds(shape.GenerateOp)
def bind_generate(op: shape.GenerateOp, program: BoundProgram) -> Direct:
    """A tensor of elements that a region makes of their coordinates."""
    body = program.bind_block(op.body.block)
    result = program.register(op.result)
    dims, dtype = shape_of(op.result.type), dtype_of(element_of(op.result.type))

    def step(frame: CallFrame) -> None:
        made = np.empty(dims, dtype)
        for index in np.ndindex(dims):
            coordinates = [np.asarray(number, np.int32) for number in index]
            (made[index],) = body.run(frame, coordinates).values
        frame.registers[result] = made

    return Direct(step)


# Asynchronous work


@TILES.runs(async_ops.AsyncCopyOp)
def run_async_copy(cta: CtaState, source: Array, destination: Array) -> PendingCopy:
    """Begins to copy a tensor."""
    return cta.copies.issue(destination, source)


@TILES.runs(async_ops.AsyncWaitOp, pending=integer("pending", -1))
def run_async_wait(cta: CtaState, *tokens: PendingCopy | None, pending: int) -> None:
    """Waits for copies, or until at most so many groups are in flight."""
    for token in tokens:
        if token is not None:
            token.finish()
    if pending >= 0:
        cta.copies.wait(pending)


@TILES.runs(DeviceAsyncCreateGroupOp)
def run_commit_group(cta: CtaState, *tokens: Value) -> Value:
    """Makes a group of the copies begun; its token is for the reader."""
    cta.copies.commit()
    return None


@TILES.runs(DeviceAsyncWaitOp, pending=integer("numGroups", 0))
def run_wait_group(cta: CtaState, *tokens: Value, pending: int) -> None:
    """Waits until at most so many groups are in flight."""
    cta.copies.wait(pending)


@TILES.runs(async_ops.CreateNoneOp, pl.CreateNullTokenOp)
def run_create_none() -> None:
    """A token of nothing."""


# Barriers


@TILES.runs(llvm.AddressOfOp)
def run_addressof() -> None:
    """The pool of barriers."""


@TILES.runs(llvm.GEPOp)
def run_slot(pool: Value) -> Barrier:
    """A slot of the pool; each is addressed once in a function."""
    return Barrier()


@TILES.runs(MBarrierInitSharedOp)
def run_init(barrier: Barrier, count: Value) -> None:
    """Sets a barrier up."""
    barrier.count = barrier.pending = int(count)


@TILES.runs(MBarrierArriveSharedOp)
def run_arrive(barrier: Barrier) -> None:
    """Arrives; with the last arrival a phase is complete."""
    barrier.pending -= 1
    if barrier.pending == 0:
        barrier.pending, barrier.parity = barrier.count, 1 - barrier.parity


@TILES.runs(MBarrierTryWaitParitySharedOp)
def run_try_wait(barrier: Barrier, parity: Value, ticks: Value) -> Array:
    """Waits for a phase: all that arrive run in this thread, so nobody will while it waits."""
    if barrier.parity == int(parity):
        raise ExecutionError("waits for a phase that nobody completes")
    return np.asarray(True)
