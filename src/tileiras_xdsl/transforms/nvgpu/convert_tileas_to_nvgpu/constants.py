"""
Constants: scalars, splats, and tensors of different elements.

A tensor of different elements is a constant vector if all threads hold the same ones. Any other is
a table in memory in which the elements of a thread are contiguous, so that it reads them by
vectorized loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, mul

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatTF32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.llvm import AddressOfOp, GlobalOp, LLVMArrayType, LLVMPointerType, ZeroOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.arith import TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import (
    float_to_bits,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import width_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .lowering_registry import lowers
from .thread_builder import (
    ThreadBuilder,
    element_of,
    extend_index,
    index_pointers,
    make_constant,
    splat,
)
from .thread_index import get_thread

GLOBAL_SPACE = 1
TABLE_NAME = "constant_table"
MAX_ACCESS_BYTES = 16
TF32_SPARE_BITS = 13
"""How many more mantissa bits f32 has than tf32."""


def known_number(value: SSAValue) -> int | None:
    """The integer that a value, or each element of a vector, is, if that is known."""
    match value.owner:
        case vector.BroadcastOp() as op:
            return known_number(op.source)
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            element = dense.get_element_type()
            if not isinstance(element, IntegerType | IndexType):
                return None
            size = len(dense.data.data) // len(dense)
            first = dense.data.data[:size]
            if first * (len(dense.data.data) // size) != dense.data.data:
                return None
            number = int.from_bytes(first, "little", signed=True)
            return number & 1 if element == i1 else number
        case _:
            return None


def known_numbers(value: SSAValue) -> Sequence[int] | None:
    """
    The integers that the elements of a vector are, without a sign, if they are computed from
    constants.
    """
    return _known_numbers(value, {})


def _known_numbers(
    value: SSAValue, seen: dict[SSAValue, Sequence[int] | None]
) -> Sequence[int] | None:
    ty, owner = value.type, value.owner
    if value in seen or not isinstance(ty, VectorType):
        return seen.get(value)
    bits = width_of(ty.get_element_type())
    numbers: list[int] | None = None
    if (number := known_number(value)) is not None:
        numbers = [number] * ty.element_count()
    elif isinstance(owner, arith.ConstantOp):
        dense = owner.value
        assert isinstance(dense, DenseIntOrFPElementsAttr)
        if isinstance(dense.get_element_type(), IntegerType):
            data = dense.data.data
            parts = range(0, len(data), len(data) // len(dense))
            numbers = [
                int.from_bytes(data[first : first + parts.step], "little") for first in parts
            ]
    elif isinstance(owner, arith.AddiOp | arith.MuliOp | TruncIOp | vector.ShuffleOp):
        first, last = (
            _known_numbers(each, seen) for each in (owner.operands[0], owner.operands[-1])
        )
        if first is not None and last is not None:
            match owner:
                case arith.AddiOp():
                    numbers = [*map(add, first, last)]
                case arith.MuliOp():
                    numbers = [*map(mul, first, last)]
                case TruncIOp():
                    numbers = [*first]
                case vector.ShuffleOp():
                    both = [*first, *last]
                    numbers = [both[place] for place in owner.mask.get_values()]
    mask = (1 << bits) - 1
    seen[value] = None if numbers is None else [each & mask for each in numbers]
    return seen[value]


# Ops


@lowers(arith.ConstantOp)
def lower_constant(builder: ThreadBuilder, op: arith.ConstantOp) -> None:
    ty = op.result.type
    (new_type,) = builder.converted_types(op.result)
    match op.value:
        case DenseIntOrFPElementsAttr() as dense if isinstance(ty, TensorType):
            bits = dense_bits(dense, ty.get_element_type())
            if bits.count(bits[0]) == len(bits):
                builder.map(op.result, builder.literal_bits(bits[0], new_type))
            else:
                builder.map(op.result, lower_table(builder, op, bits))
        case FloatAttr() as number:
            bits = float_to_bits(number.value.data, ty)
            builder.map(op.result, builder.literal_bits(register_bits(bits, ty), new_type))
        case IntegerAttr() as number:
            builder.map(op.result, builder.literal_bits(number.value.data, new_type))
        case _:
            fail(op, f"no constant '{op.value}' can be made")


def register_bits(bits: int, element: Attribute) -> int:
    """The bits of an element in a register."""
    return bits << TF32_SPARE_BITS if isinstance(element, FloatTF32Type) else bits


def dense_bits(dense: DenseIntOrFPElementsAttr, element: Attribute) -> list[int]:
    """The bits of the elements of a constant, as they are in registers."""
    data = dense.data.data
    size = len(data) // len(dense)
    mask = (1 << width_of(element)) - 1
    return [
        register_bits(int.from_bytes(data[start : start + size], "little") & mask, element)
        for start in range(0, len(data), size)
    ]


def lower_table(builder: ThreadBuilder, op: arith.ConstantOp, bits: Sequence[int]) -> SSAValue:
    """The elements that a thread holds of a constant."""
    layout = builder.layout(op.result)
    (ty,) = builder.converted_types(op.result)
    assert isinstance(ty, VectorType)
    if not any(layout.lane) and not any(layout.warp):
        own = [bits[layout.element(register=index)] for index in range(layout.registers)]
        return builder.get_or_emit_in_entry(("table", tuple(own), ty), make_constant, own, ty)
    element = ty.get_element_type()
    memory = i8 if width_of(element) < 8 else element
    size = width_of(memory) // 8
    rows = get_rows(layout, bits, builder.kernel.consumer_warps)
    name = add_table(builder, op, rows, memory)
    access = min(layout.registers, MAX_ACCESS_BYTES // size)
    base = builder.get_or_emit_in_entry(("address", name), AddressOfOp, name, GLOBAL_POINTER)
    thread = extend_index(builder, get_thread(builder))
    start = builder.binary("mul", thread, layout.registers)
    offsets = builder.constant_vector(list(range(0, layout.registers, access)), i64)
    moved = builder.binary("add", splat(builder, start, layout.registers // access), offsets)
    addresses = index_pointers(builder, base, moved, memory)
    held = VectorType(memory, ty.get_shape())
    load = FragmentLoadOp(addresses, result_type=held, alignment=access * size)
    load.invariant = UnitAttr()
    value = builder.emit(load).result
    return value if memory == element else builder.emit(TruncIOp(value, ty)).result


def get_rows(layout: LinearLayout, bits: Sequence[int], warps: int) -> list[int]:
    """The elements of all threads; those of one thread are contiguous."""
    return [
        bits[layout.element(register=register, lane=lane, warp=warp)]
        for warp in range(warps)
        for lane in range(32)
        for register in range(layout.registers)
    ]


def add_table(
    builder: ThreadBuilder, op: Operation, rows: Sequence[int], element: Attribute
) -> str:
    """Puts a table next to the kernel, and returns its name."""
    name = builder.kernel.symbols.new_table(TABLE_NAME)
    size = width_of(element) // 8
    data = b"".join(number.to_bytes(size, "little") for number in rows)
    integer = IntegerType(8 * size)
    table = GlobalOp(
        LLVMArrayType(len(rows), integer),
        name,
        "internal",
        addr_space=GLOBAL_SPACE,
        constant=True,
        value=DenseIntOrFPElementsAttr(TensorType(integer, [len(rows)]), BytesAttr(data)),
        alignment=MAX_ACCESS_BYTES,
    )
    table.location = op.location
    Rewriter.insert_op(table, InsertPoint.before(builder.kernel.function))
    return name


@lowers(SplatOp)
def lower_splat(builder: ThreadBuilder, op: SplatOp) -> None:
    ty = builder.converted_type(op.result)
    assert isinstance(ty, VectorType)
    source = builder.lookup(op.source)
    number = known_literal(source)
    if number is not None:
        builder.map(op.result, builder.literal_bits(number, ty))
    else:
        builder.map(op.result, splat(builder, source, ty.get_shape()[0]))


def known_literal(value: SSAValue) -> int | None:
    """The bits of a scalar constant, if a value is one."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case arith.ConstantOp(value=FloatAttr() as number):
            return float_to_bits(number.value.data, value.type)
        case _:
            return None


@lowers(PoisonOp)
def lower_poison(builder: ThreadBuilder, op: PoisonOp) -> None:
    """A value that does not matter: zeros, which cost nothing and repeat."""
    builder.map(op.result, *(zero(builder, ty) for ty in builder.converted_types(op.result)))


def zero(builder: ThreadBuilder, ty: Attribute) -> SSAValue:
    """The number 0, or the null pointer, or vectors of them."""
    element = element_of(ty)
    if not isinstance(element, LLVMPointerType):
        return builder.literal_bits(0, ty)
    null = builder.get_or_emit_in_entry(
        ("null", element), lambda: ZeroOp.create(result_types=[element])
    )
    if not isinstance(ty, VectorType):
        return null
    return splat(builder, null, ty.get_shape()[0])
