"""
What the ops of `cuda_tile` and `nv_tileaa`, and those of other dialects next to them, do, but for
arithmetic, control flow and accesses to memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, FloatTF32Type, IntegerType, SymbolRefAttr, f32, i8
from xdsl.ir import Attribute, Operation, Region, TypedAttribute

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.nv_tileaa import memory
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import CreateMemTokenOp, JoinMemTokenOp
from tileiras_xdsl.dialects.nv_tileas import async_ops
from tileiras_xdsl.dialects.nv_tileas.matmul import ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import SchedBarrierOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ResidentCtasOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, FenceProxyOp, WaitCopiesOp

from . import numerics
from .arithmetic import run_identity, tile_ops
from .control_flow import assign
from .cta_state import CtaState
from .elements import dtype_of, from_bits, round_to
from .machine import TILES, Body, BodyExit, BoundProgram, CallFrame, Direct, Function, InCta
from .tokens import Token
from .values import (
    Array,
    Value,
    attribute,
    element_of,
    has_results,
    integer,
    integer_of,
    integers,
    is_signed,
    literal_of,
    operand_shape,
    pointee_of,
    property_of,
    result_element,
    result_shape,
    shape_of,
    word,
    word_of,
)


def elements_of(value: DenseElementsAttr) -> Array:
    """The array of a literal of `cuda_tile`."""
    bits = np.array(value.get_bits(), np.uint64)
    shape = value.type.get_shape()
    numbers = from_bits(bits, value.element_type)
    return np.broadcast_to(numbers[0], shape) if value.is_splat else numbers.reshape(shape)


@TILES.binds(ct.ConstantOp)
def bind_constant(op: ct.ConstantOp, program: BoundProgram) -> Function:
    """A literal."""
    array = elements_of(op.elements)
    return lambda: array


# The grid


@TILES.runs(ct.GetTileBlockIdOp)
def run_tile_block_id(cta: CtaState) -> Value:
    """The index of the tile block."""
    return [np.asarray(index, np.int32) for index in cta.index]


@TILES.runs(ct.GetNumTileBlocksOp)
def run_num_tile_blocks(cta: CtaState) -> Value:
    """The sizes of the grid."""
    return [np.asarray(size, np.int32) for size in cta.grid]


@TILES.runs(gpu.BlockIdOp, dimension=word("dimension"))
def run_block_id(cta: CtaState, *, dimension: str) -> Array:
    """The index of the CTA along one dimension."""
    return np.asarray(cta.index["xyz".index(dimension)], np.int64)


@TILES.runs(gpu.GridDimOp, dimension=word("dimension"))
def run_grid_dim(cta: CtaState, *, dimension: str) -> Array:
    """The size of the grid along one dimension."""
    return np.asarray(cta.grid["xyz".index(dimension)], np.int64)


@TILES.runs(ResidentCtasOp, per_sm=integer("ctas_per_sm", 1))
def run_resident_ctas(cta: CtaState, *, per_sm: int) -> Array:
    """The CTAs that all SMs hold at once."""
    return np.asarray(cta.sm_count * per_sm, np.int32)


@TILES.runs(gpu.BarrierOp, BarrierOp)
def run_barrier(cta: CtaState) -> None:
    """A CTA barrier."""
    cta.check_ping_pong("warpgroups wait for each other")
    cta.synchronize()


@TILES.runs(FenceProxyOp, WaitCopiesOp)
def run_nothing() -> None:
    """Bulk copies are done at once here; `barriers` knows which may not be."""


# Memory of the CTA, and what it says


def _symbol_of(op: Operation) -> str:
    name = property_of(op, "name")
    assert isinstance(name, SymbolRefAttr)
    return name.root_reference.data


@TILES.runs(ct.GetGlobalOp, memory.GetGlobalOp, symbol=_symbol_of)
def run_get_global(cta: CtaState, *, symbol: str) -> Array:
    """The address of a global variable."""
    return np.asarray(cta.globals[symbol], np.int64)


SIZES = {"count": integer("num_elem"), "alignment": integer("alignment")}


@TILES.runs(ct.AllocaOp, element=lambda op: pointee_of(op.results[0].type), **SIZES)
@TILES.runs(memory.AllocaOp, element=attribute("elem_type"), **SIZES)
def run_alloca(
    cta: CtaState, *, op: Operation, element: Attribute, count: int, alignment: int
) -> Array:
    """Memory of the CTA."""
    return cta.allocate(op, element, count, alignment)


@TILES.runs(ct.AssertOp, memory.AssertOp, message=word("message"))
def run_assert(cta: CtaState, condition: Value, *, op: Operation, message: str) -> None:
    """Stops the program unless a condition holds."""
    cta.verify(op, condition, message)


@TILES.binds(ct.PrintTkoOp, ct.PrintOp, memory.PrintOp)
def bind_print(op: ct.PrintTkoOp | ct.PrintOp | memory.PrintOp, program: BoundProgram) -> InCta:
    """Prints values."""
    text = word_of(op, "str")
    arguments = op.arguments if isinstance(op, memory.PrintOp) else op.args
    elements = [element_of(value.type) for value in arguments]
    token = None if isinstance(op, ct.PrintOp) else op.token

    def show(cta: CtaState, token: Token | None, *values: Value) -> Token | None:
        return cta.show(op, token, text, values, elements)

    return InCta(show, [token, *arguments], op.results[:1] or [None])


# Tokens


@TILES.runs(ct.MakeTokenOp, CreateMemTokenOp)
def run_make_token(cta: CtaState, *scope: Value) -> Token | None:
    """The token that comes after nothing."""
    return cta.join(())


@TILES.runs(ct.JoinTokensOp, ct.TokenJoinOp, JoinMemTokenOp)
def run_join(cta: CtaState, *joined: Token | None) -> Token | None:
    """The token after several others."""
    return cta.join(joined)


@TILES.runs(ct.GdcWaitOp, memory.GdcWaitOp, has_token=has_results)
def run_gdc_wait(cta: CtaState, *before: Token | None, has_token: bool) -> Token | None:
    """Waits for the grid that the launch depends on."""
    after = cta.wait_for_grids(before, has_token=has_token)
    return after if has_token else None


@TILES.binds(ct.MemoryFenceAliasOp, ct.GdcLaunchDependentsOp)
@TILES.binds(memory.MemoryFenceAliasOp, memory.GdcLaunchDependentsOp)
def bind_token_effect(op: Operation, program: BoundProgram) -> InCta:
    """What orders by its tokens only; a fence without any is a barrier."""
    if isinstance(op, memory.MemoryFenceAliasOp) and not op.results and not op.operands:
        return InCta(run_barrier)
    return InCta(run_join, results=op.results[:1] or [None])


# Shapes and parts

TF32 = FloatTF32Type()


@TILES.runs(*tile_ops("reshape"), *tile_ops("view"), *tile_ops("expand_dims"), shape=result_shape)
def run_reshape(value: Value, *, shape: tuple[int, ...]) -> Array:
    """The same elements in another shape."""
    return np.asarray(value).reshape(shape)


@TILES.runs(*tile_ops("broadcast"), *tile_ops("splat"), shape=result_shape)
def run_broadcast(value: Value, *, shape: tuple[int, ...]) -> Array:
    """Elements repeated along dimensions."""
    return np.broadcast_to(value, shape)


@TILES.runs(*tile_ops("permute"), order=integers("permutation"))
def run_permute(value: Value, *, order: list[int]) -> Array:
    """Dimensions in another order."""
    return np.transpose(value, order)


@TILES.runs(*tile_ops("cat"), dim=integer("dim"))
def run_cat(lhs: Value, rhs: Value, *, dim: int) -> Array:
    """Two tiles side by side."""
    return np.concatenate((lhs, rhs), dim)


def _slices(part: tuple[int, ...], whole: tuple[int, ...], indices: tuple[Value, ...]):
    """The slice of a given number along each dimension; a number too large is cut."""
    found: list[slice] = []
    for size, extent, index in zip(part, whole, indices, strict=True):
        number = int(index) % (1 << 32)
        number = min(number, extent // size - 1)
        found.append(slice(number * size, (number + 1) * size))
    return tuple(found)


@TILES.runs(*tile_ops("extract"), whole=operand_shape(0), part=result_shape)
def run_extract(
    value: Array, *indices: Value, whole: tuple[int, ...], part: tuple[int, ...]
) -> Array:
    """A part of a tile."""
    return value[_slices(part or (1,) * len(whole), whole, indices)].reshape(part)


@TILES.runs(*tile_ops("insert"), part=operand_shape(0), whole=operand_shape(1))
def run_insert(
    source: Array,
    destination: Array,
    *indices: Value,
    part: tuple[int, ...],
    whole: tuple[int, ...],
) -> Array:
    """A tile with a part replaced."""
    result = np.array(destination)
    result[_slices(part, whole, indices)] = source
    return result


@TILES.binds(*tile_ops("iota"))
def bind_iota(op: Operation, program: BoundProgram) -> Function:
    """0, 1, 2 …"""
    element, shape = element_of(op.results[0].type), shape_of(op.results[0].type)
    numbers = from_bits(np.arange(prod(shape), dtype=np.uint64), element)
    return lambda: numbers


@TILES.runs(*tile_ops("make_range"), element=result_element, shape=result_shape)
def run_make_range(
    start: Value, end: Value, *, element: Attribute, shape: tuple[int, ...]
) -> Array:
    """Consecutive numbers, starting at a first one."""
    values = int(start) + np.arange(prod(shape), dtype=np.int64)
    return from_bits(values.astype(np.uint64), element)


# Where values lie, and what is known of them, makes no difference.
for mnemonic in "int_to_ptr ptr_to_int ptr_to_ptr assume convert_layout shuffle".split():
    TILES.runs(*tile_ops(mnemonic))(run_identity)
for op in (async_ops.AsyncFutureWaitOp, async_ops.ToAsyncOp, async_ops.TokenToAsyncOp):
    TILES.runs(op)(run_identity)


@TILES.runs(SchedBarrierOp)
def run_sched_barrier() -> tuple[Value, ...]:
    """Instructions are in their order anyway."""
    return ()


# Dot


@TILES.binds(*tile_ops("mmaf"))
def bind_mmaf(op: Operation, program: BoundProgram) -> Function:
    """A dot of floats."""
    a, b, c = (element_of(value.type) for value in op.operands[:3])
    return partial(numerics.mmaf, a, b, c)


@TILES.binds(*tile_ops("mmai"))
def bind_mmai(op: Operation, program: BoundProgram) -> Function:
    """A dot of integers."""
    lhs_signed, rhs_signed = (is_signed(op, f"signedness_{side}") for side in ("lhs", "rhs"))
    return partial(numerics.mmai, lhs_signed=lhs_signed, rhs_signed=rhs_signed)


@TILES.binds(*tile_ops("mmaf_scaled"))
def bind_mmaf_scaled(op: Operation, program: BoundProgram) -> Function:
    """A scaled dot."""
    return partial(numerics.mmaf_scaled, [element_of(value.type) for value in op.operands])


@TILES.binds(*tile_ops("dot"), async_ops.AsyncDotOp)
def bind_dot(op: DotOperation, program: BoundProgram) -> Function:
    """A dot of A and B plus the accumulator, unless a fourth operand says to overwrite it."""
    element = element_of(op.operands[0].type)
    is_integer = isinstance(element, IntegerType)
    multiply = bind_mmai(op, program) if is_integer else bind_mmaf(op, program)
    assert callable(multiply)
    is_rounded = element == f32 and word_of(op, "input_precision") == "tf32"

    def apply(a: Array, b: Array, accumulator: Array, accumulate: Value = True) -> Array:
        if is_rounded:
            a, b = round_to(a, TF32), round_to(b, TF32)
        return multiply(a, b, accumulator if accumulate else np.zeros_like(accumulator))

    return apply


@TILES.binds(ScaledDotOp)
def bind_scaled_dot(op: ScaledDotOp, program: BoundProgram) -> Function:
    """A scaled dot plus the accumulator, unless an operand says to overwrite it."""
    values = (op.accumulator, op.scale_a, op.scale_b)
    elements = [*op.elements, *(element_of(value.type) for value in values)]
    multiply = partial(numerics.mmaf_scaled, elements)
    *batch, m, n = shape_of(op.result.type)
    groups = op.k // op.get_block()

    def unpacked(value: Array) -> Array:
        """The elements of bytes, along the last dimension."""
        flat = numerics.unpack(i8, op.elements[0], np.ascontiguousarray(value).reshape(-1))
        return flat.reshape(*value.shape[:-1], -1)

    def apply(a: Array, b: Array, accumulator: Array, *others: Value) -> Array:
        *flags, scale_a, scale_b = others
        if flags and not flags[0]:
            accumulator = np.zeros_like(accumulator)
        if op.packed is not None:
            a, b = unpacked(a), unpacked(b.T).T
        # There may be more scales than the dot reads.
        scale_a, scale_b = cast(Array, scale_a), cast(Array, scale_b)
        if not batch:
            scale_a, scale_b = scale_a[:m, :groups], scale_b[:groups, :n]
        return multiply(a, b, accumulator, scale_a, scale_b)

    return apply


# Reductions and scans


class Combiner:
    """The body of a reduction or scan, on whole arrays where its ops allow that."""

    def __init__(self, region: Region, program: BoundProgram):
        self.body: Body = program.bind_block(region.block)
        scalars = all(
            not shape_of(value.type)
            for op in region.walk()
            for value in (*op.operands, *op.results)
        )
        straight = all(not op.regions for op in region.walk())
        self.on_arrays = scalars and straight

    def combine(self, frame: CallFrame, first: list[Array], second: list[Array]) -> list[Array]:
        """Combines the elements of two lists of arrays."""
        if self.on_arrays:
            return self._run(frame, first, second)
        shape = first[0].shape
        results = [np.empty(shape, array.dtype) for array in first]
        for index in np.ndindex(shape):
            values = self._run(frame, [a[index] for a in first], [a[index] for a in second])
            for result, value in zip(results, values, strict=True):
                result[index] = value
        return results

    def _run(self, frame: CallFrame, first: list[Value], second: list[Value]) -> list[Array]:
        pairs = [value for pair in zip(first, second, strict=True) for value in pair]
        signal = self.body.run(frame, pairs)
        assert signal.exit is BodyExit.YIELD
        shape = np.shape(first[0])
        return [np.broadcast_to(value, shape) for value in signal.values]


def _moved(frame: CallFrame, operands: Sequence[int], axis: int) -> list[Array]:
    return [np.moveaxis(frame.registers[operand], axis, 0) for operand in operands]


def _axis_of(op: Operation) -> int:
    return integer_of(op, "dim" if op.name.startswith("cuda_tile.") else "axis")


@TILES.binds(*tile_ops("reduce"))
def bind_reduce(op: Operation, program: BoundProgram) -> Direct:
    """Neighbours are combined until one is left, so that the order stays as it is."""
    axis, combiner = _axis_of(op), Combiner(op.regions[0], program)
    operands, results = program.all(op.operands), program.all(op.results)

    def step(frame: CallFrame) -> None:
        arrays = _moved(frame, operands, axis)
        while arrays[0].shape[0] > 1:
            even, odd = [a[0::2] for a in arrays], [a[1::2] for a in arrays]
            arrays = combiner.combine(frame, even, odd)
        assign(frame, results, [np.asarray(array)[0] for array in arrays])

    return Direct(step)


@TILES.binds(*tile_ops("scan"))
def bind_scan(op: Operation, program: BoundProgram) -> Direct:
    """Each round combines an element with the one twice as far before it."""
    axis, combiner = _axis_of(op), Combiner(op.regions[0], program)
    reverse, inclusive = integer_of(op, "reverse", 0), integer_of(op, "inclusive", 1)
    identities = _identities(op)
    operands, results = program.all(op.operands), program.all(op.results)

    def step(frame: CallFrame) -> None:
        arrays = _moved(frame, operands, axis)
        if reverse:
            arrays = [array[::-1] for array in arrays]
        distance = 1
        while distance < arrays[0].shape[0]:
            before, here = [a[:-distance] for a in arrays], [a[distance:] for a in arrays]
            combined = combiner.combine(frame, before, here)
            arrays = [
                np.concatenate((a[:distance], c)) for a, c in zip(arrays, combined, strict=True)
            ]
            distance *= 2
        if not inclusive:
            arrays = [
                np.concatenate((np.full_like(a[:1], identity), a[:-1]))
                for a, identity in zip(arrays, identities, strict=True)
            ]
        if reverse:
            arrays = [array[::-1] for array in arrays]
        assign(frame, results, [np.moveaxis(array, 0, axis) for array in arrays])

    return Direct(step)


def _identities(op: Operation) -> list[Array]:
    """The values an exclusive scan begins with; zeros if they are not given."""
    attribute = op.properties.get("identities")
    if not isinstance(attribute, ArrayAttr):
        return [np.zeros((), dtype_of(element_of(value.type))) for value in op.operands]
    typed = cast(Sequence[TypedAttribute], attribute.data)
    return [literal_of(value, value.get_type()) for value in typed]
