"""The types that `nv_tileas` values are converted to: those of one thread."""

from __future__ import annotations

from collections.abc import Sequence

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
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, PtrType, TiledViewType
from tileiras_xdsl.dialects.nv_tileas.attributes import get_memory
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.types import (
    AsyncType,
    ConsumerTokenType,
    IteratorType,
    ProducerTokenType,
)
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER, SHARED_POINTER, pointer_to
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache

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
