"""
How layouts of operands and results relate.

A value that is cheap to rematerialize (a constant, a range, a broadcast, arithmetic on such) is
flexible: it takes the layout of each user, once for each. All others have one layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    FloatTF32Type,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.layout_conversion import (
    Plan,
    ThroughShared,
    intermediate_layout,
    plan_conversion,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, unflatten
from tileiras_xdsl.analysis.matrix_layouts import coalesced
from tileiras_xdsl.dialects.arith import Arith
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.attributes import Elementwise, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AddPtrOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    BroadcastOp,
    CatOp,
    ExpandDimsOperation,
    ExtractOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, PtrType, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.layout import LayoutAttr, encode, layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.types import (
    AsyncType,
    ConsumerTokenType,
    IteratorType,
    ProducerTokenType,
    get_memory,
)
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER, SHARED_POINTER, pointer_to
from tileiras_xdsl.targets.target import Target, ThreadLimits
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.discardable_attributes import CarrierT, DiscardableAttribute
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache
from tileiras_xdsl.xdsl_extras.walking import integer_of

ARITHMETIC = frozenset(
    (*arith.Arith.operations, *Arith.operations, *math.Math.operations),
)
"""Scalar ops, which tiles have elementwise."""


def is_tensor(value: SSAValue) -> bool:
    """Whether a value is distributed over threads."""
    return isinstance(value.type, TensorType)


def tensors(values: Sequence[SSAValue]) -> list[SSAValue]:
    """Those of some values that are distributed over threads."""
    return [*filter(is_tensor, values)]


def has_tensors(op: Operation) -> bool:
    """Whether an op reads or makes a tile."""
    return any(map(is_tensor, (*op.operands, *op.results)))


def get_anchor_layout(
    op: Operation, attribute: DiscardableAttribute[LayoutAttr, Any], ty: Attribute
) -> LinearLayout | None:
    """The layout that an attribute gives an op as an anchor, for a value of a type."""
    layout = attribute.get(op)
    if layout is None or not isinstance(ty, TensorType):
        return None
    try:
        layout.verify_shape(ty.get_shape())
    except VerifyException as error:
        fail(op, f"'{attribute.name}': {error}")
    return layout.get_layout(ty.get_shape())


def set_anchor_layout(
    op: CarrierT, attribute: DiscardableAttribute[LayoutAttr, CarrierT], layout: LinearLayout
) -> None:
    """Makes an op an anchor: an attribute of it gives a layout in registers."""
    encoded = encode(layout)
    assert isinstance(encoded, LayoutAttr)
    attribute.set(op, encoded)


def default_layout(ty: Attribute, warps: int) -> LinearLayout:
    """The layout of a value without an anchor."""
    return coalesced(get_shape(ty), warps)


def is_elementwise(op: Operation) -> bool:
    """Whether elements of the results depend on the same elements of the operands only."""
    if op.regions or not op.results:
        return False
    if op.has_trait(Elementwise) or isinstance(op, AddPtrOp | AssumeOp):
        return True
    return type(op) in ARITHMETIC and not isinstance(op, arith.ConstantOp)


def is_root(op: Operation) -> bool:
    """Whether an op makes a tensor of scalars only, in any layout."""
    return isinstance(op, arith.ConstantOp | SplatOp | MakeRangeOp | PoisonOp)


def is_cheap(op: Operation) -> bool:
    """Whether an op may be rematerialized in another layout, if its operands are flexible."""
    return is_root(op) or (
        op.has_trait(Pure)
        and (is_elementwise(op) or isinstance(op, ViewOperation | ExpandDimsOperation | PermuteOp))
    )


def operand_layout(op: Operation, operand: SSAValue, result: LinearLayout) -> LinearLayout | None:
    """
    The layout of an operand that gives an op a result in some layout without moving data between
    threads; None if the op moves data.
    """
    shape = get_shape(operand.type)
    match op:
        case ViewOperation() | ExpandDimsOperation():
            return result.reshape(shape)
        case PermuteOp():
            order = op.get_permutation()
            inverse = [order.index(dim) for dim in range(len(order))]
            return result.permute(inverse)
        case BroadcastOp():
            return result.restricted(shape)
        case CatOp():
            return half_layout(result, op.dim.value.data)
        case _:
            return result if is_elementwise(op) else None


def result_layout(op: Operation, source: LinearLayout) -> LinearLayout | None:
    """The layout of a result, if it follows from the layout of the operand."""
    match op:
        case ViewOperation() | ExpandDimsOperation():
            return source.reshape(get_shape(op.results[0].type))
        case PermuteOp():
            return source.permute(op.get_permutation())
        case _:
            return source if is_elementwise(op) else None


def reshaped(op: Operation, value: SSAValue) -> Operation:
    """A reshape of a tile in another layout."""
    source, result = layout_of(value.type), op.results[0].type
    assert source is not None
    assert isinstance(result, TensorType)
    return type(op).create(
        operands=[value],
        result_types=[with_layout(result, result_layout(op, source))],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )


def extracted_layout(op: ExtractOp, source: LinearLayout) -> LinearLayout | None:
    """The layout in which threads have the elements of a slice already, if there is one."""
    if not isinstance(op.result.type, TensorType):
        return None
    layout = source.restricted(get_shape(op.result.type))
    return None if find_extracted(op, source, layout) is None else layout


def find_extracted(
    op: ExtractOp, source: LinearLayout, result: LinearLayout
) -> Sequence[int] | None:
    """
    Which registers of the source are those of a slice in some layout; None if threads need to
    exchange elements, or its place is not known.
    """
    if None in (start := [*map(integer_of, op.indices)]):
        return None
    part = result.shape
    numbers = [(number or 0) * size for number, size in zip(start, part, strict=True)]
    if any(number >= size for number, size in zip(numbers, source.shape, strict=True)):
        return None

    def place(element: int) -> int:
        return flatten(result.coordinates(element), source.shape)

    if [*map(place, result.lane)] != [*source.lane] or [*map(place, result.warp)] != [*source.warp]:
        return None
    first = flatten(numbers, source.shape)
    found = {source.element(register=index): index for index in range(source.registers)}
    wanted = [first ^ place(result.element(register=index)) for index in range(result.registers)]
    return [found[each] for each in wanted] if found.keys() >= {*wanted} else None


def cat_layout(tile: LinearLayout, dim: int) -> LinearLayout:
    """
    The layout of two tiles of one layout, concatenated along a dimension: twice
    the registers, those of the first tile before those of the second.
    """
    shape = list(tile.shape)
    shape[dim] *= 2

    def embed(linear_index: int) -> int:
        return flatten(unflatten(linear_index, tile.shape), shape)

    second = [0] * len(shape)
    second[dim] = tile.shape[dim]
    inputs = tuple((name, tuple(map(embed, bases))) for name, bases in tile.inputs)
    layout = LinearLayout(tuple(shape), inputs)
    return layout.replaced(register=(*layout.register, flatten(second, shape)))


def half_layout(tile: LinearLayout, dim: int) -> LinearLayout | None:
    """
    The layout of both halves of a tile along a dimension, if each thread has the same elements of
    both; else None.
    """
    shape = list(tile.shape)
    shape[dim] //= 2
    second = [0] * len(shape)
    second[dim] = shape[dim]
    upper = flatten(second, tile.shape)
    if upper not in tile.register:
        return None
    halved = tile.replaced(register=[basis for basis in tile.register if basis != upper])
    places = [unflatten(basis, tile.shape) for _, bases in halved.inputs for basis in bases]
    if any(place[dim] >= shape[dim] for place in places):
        return None

    def shrink(basis: int) -> int:
        return flatten(unflatten(basis, tile.shape), shape)

    inputs = tuple((name, tuple(map(shrink, bases))) for name, bases in halved.inputs)
    return LinearLayout(tuple(shape), inputs)


# Layout conversions as steps, each with a plan that fits in shared memory.
#
# A conversion is one step if its plan fits, in several rounds if need be. One that cannot be done
# in rounds is done in two steps, by way of an intermediate layout.


@dataclass(frozen=True)
class ScratchBudget:
    """How much shared memory a CTA may take as scratch memory."""

    limit: int
    """Shared memory of the CTA, in bytes."""
    base: int
    """Offset of scratch memory, after permanent buffers."""
    limits: ThreadLimits
    ldmatrix: bool = True
    """Whether the target has `ldmatrix`."""
    stmatrix: bool = True
    """Whether the target has `stmatrix`."""

    @staticmethod
    def of(target: Target, base: int = 0, limit: int | None = None) -> ScratchBudget:
        """The shared memory of a target after an offset."""
        return ScratchBudget(
            target.shared.limit(asks=True) if limit is None else limit,
            base,
            target.limits,
            ldmatrix=target.has("ldmatrix"),
            stmatrix=target.has("stmatrix"),
        )

    @property
    def bytes(self) -> int:
        """The hard limit: all that permanent buffers leave."""
        return self.limit - self.base

    @property
    def soft_limit(self) -> int:
        """The size up to which scratch memory may grow to save barriers or rounds of exchanges."""
        return max(self.limits.scratch_least, min(self.limits.scratch_goal, self.bytes))


@dataclass(frozen=True)
class ConversionStep:
    """One step of a layout conversion."""

    source: LinearLayout
    target: LinearLayout
    plan: Plan


@lru_cache(maxsize=4096)
def conversion_steps(
    source: LinearLayout, target: LinearLayout, bits: int, budget: ScratchBudget
) -> Sequence[ConversionStep]:
    """The steps that convert a tile of elements of this many bits from one layout to another."""
    if source == target:
        return ()
    plan = _plan(source, target, bits, budget)
    if not _fits(plan, budget):
        assert isinstance(plan, ThroughShared)
        rounds = -(-plan.bytes // budget.soft_limit)
        middle = intermediate_layout(source, target, 1 << (rounds - 1).bit_length())
        halves = [] if middle is None else [(source, middle), (middle, target)]
        if halves and all(_fits(_plan(*half, bits, budget), budget) for half in halves):
            return tuple(step for half in halves for step in conversion_steps(*half, bits, budget))
    return (ConversionStep(source, target, plan),)


def _plan(source: LinearLayout, target: LinearLayout, bits: int, budget: ScratchBudget) -> Plan:
    return plan_conversion(
        source,
        target,
        max(8, bits),
        ldmatrix=budget.ldmatrix,
        stmatrix=budget.stmatrix,
        max_bytes=budget.soft_limit,
    )


def _fits(plan: Plan, budget: ScratchBudget) -> bool:
    return not isinstance(plan, ThroughShared) or plan.bytes <= budget.bytes


# The types that `nv_tileas` values are converted to: those of one thread.

NATIVE_FLOATS = (f16, bf16, f32, f64)


@identity_cache
def register_type(element: Attribute) -> Attribute:
    """
    The type that an element has in a register: floats of 8 bits and less are bytes, a tf32 is
    an f32 whose low bits are 0.
    """
    match element:
        case FloatTF32Type():
            return f32
        case PtrType():
            return pointer_to(element.address_space.data)
        case IndexType() | IntegerType() | LLVMPointerType():
            return element
        case _ if element in NATIVE_FLOATS:
            return element
        case _ if element_bit_width(element) <= 8:
            return i8
        case _:
            raise ValueError(f"'{element}' has no place in a register")


@identity_cache
def thread_types(ty: Attribute) -> Sequence[Attribute]:
    """
    The types of the converted values of an `nv_tileas` value: a tensor is a vector of the registers
    that its layout gives a thread; a view is its base, the dynamic sizes, and the dynamic strides.
    A tile in shared or tensor memory is its address. A pipeline iterator is a stage index and a
    phase parity, a token a stage index.
    """
    match ty:
        case TensorType() if get_memory(ty) == "shared":
            return [SHARED_POINTER]
        case TensorType() if get_memory(ty) == "tmem":
            return [i32]
        case TensorType():
            layout = layout_of(ty)
            if layout is None:
                raise ValueError(f"'{ty}' has no layout")
            return [VectorType(register_type(ty.get_element_type()), [layout.registers])]
        case AsyncType():
            return thread_types(ty.value_type)
        case IteratorType():
            return [i32, i32]
        case ProducerTokenType() | ConsumerTokenType():
            return [i32]
        case TiledViewType():
            return thread_types(ty.memref)
        case MemRefType():
            dynamic = [*ty.shape.data, *ty.strides.data].count(None)
            return [GLOBAL_POINTER, *[i64] * dynamic]
        case _:
            return [register_type(ty)]


def width_of(element: Attribute) -> int:
    """The bits of an element in a register."""
    if isinstance(element, IndexType | LLVMPointerType):
        return 64
    return element_bit_width(element)


def memory_type(element: Attribute) -> Attribute:
    """The type that an element has in memory; that of its byte if it has less."""
    return i8 if element_bit_width(element) < 8 else register_type(element)


def is_packed(element: Attribute) -> bool:
    """Whether a byte holds two elements."""
    return element_bit_width(element) == 4
