"""
Types of LLVM IR, and how values are held in registers.

A vector is not one value of LLVM: it is as many as it fills registers of 32 bits, a `float` or
`i32` each, `<2 x half>`, `<4 x i8>`; elements of 64 bits have one each. A struct or an array is
the list of the registers of its members. So fragments of tiles go through loops as plain
registers, and taking an aggregate apart costs nothing. For a CPU (`whole_vectors`) a vector is one
value.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import (
    BFloat16Type,
    FixedBitwidthType,
    Float16Type,
    Float32Type,
    Float64Type,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerType,
    NoneType,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache

FLOAT_NAMES: Final = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
"""What names of intrinsics call the types of floats."""

_FLOAT_BITS: Final = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
POINTER_BITS: Final = 64
INDEX_BITS: Final = 64


@dataclass(frozen=True)
class Register:
    """A value of LLVM that is held in one register, or in two if it has 64 bits."""

    element: str
    """The type of a lane."""
    lanes: int = 1

    @property
    def type(self) -> str:
        """The type in LLVM: `float`, `<2 x half>`."""
        return vector_of(self.element, self.lanes)

    @property
    def bits(self) -> int:
        return scalar_bits(self.element) * self.lanes


def vector_of(element: str, lanes: int) -> str:
    """The type of this many elements; one is no vector."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def scalar_bits(ty: str) -> int:
    """Bits of a scalar of LLVM."""
    if ty.startswith("ptr"):
        return POINTER_BITS
    return _FLOAT_BITS.get(ty) or int(ty[1:])


def name_of(element: str, lanes: int = 1) -> str:
    """A type in the name of an intrinsic: `f32`, `v2f16`, `p3`."""
    if element.startswith("ptr"):
        word = f"p{element[14:-1] or 0}"
    else:
        word = FLOAT_NAMES.get(element, element)
    return word if lanes == 1 else f"v{lanes}{word}"


def pointer(space: int) -> str:
    """The type of pointers into an address space."""
    return f"ptr addrspace({space})" if space else "ptr"


def space_of(ty: Attribute) -> int:
    """The address space of a pointer."""
    match ty:
        case LLVMPointerType(addr_space=IntAttr(data=space)):
            return space
        case _:
            return 0


def lanes_of(ty: Attribute) -> int:
    """The number of elements of a vector; a scalar has one."""
    count = 1
    if isinstance(ty, VectorType):
        for extent in ty.get_shape():
            count *= extent
    return count


@identity_cache
def scalar_type(ty: Attribute) -> str:
    """The type of a scalar, or of an element of a vector."""
    match ty:
        case VectorType():
            return scalar_type(ty.get_element_type())
        case IntegerType():
            return f"i{ty.width.data}"
        case IndexType():
            return f"i{INDEX_BITS}"
        case Float16Type():
            return "half"
        case BFloat16Type():
            return "bfloat"
        case Float32Type():
            return "float"
        case Float64Type():
            return "double"
        case LLVMPointerType():
            return pointer(space_of(ty))
        case FixedBitwidthType() if ty.bitwidth == 8:
            # LLVM has no floats of 8 bits.
            return "i8"
        case _:
            raise BackendError(f"type '{ty}' has no translation to LLVM IR")


@identity_cache
def native_type(ty: Attribute) -> str:
    """The type as LLVM has it: in memory, in calls, in aggregates."""
    match ty:
        case VectorType():
            return f"<{lanes_of(ty)} x {scalar_type(ty)}>"
        case LLVMStructType():
            return f"{{ {', '.join(map(native_type, ty.types))} }}" if ty.types.data else "{}"
        case LLVMArrayType():
            return f"[{ty.size.data} x {native_type(ty.type)}]"
        case LLVMVoidType() | NoneType():
            return "void"
        case LLVMFunctionType():
            return function_type(ty)
        case FunctionType():
            raise BackendError(f"type '{ty}' has no translation to LLVM IR")
        case _:
            return scalar_type(ty)


def function_type(ty: LLVMFunctionType) -> str:
    """The type of a function: `i32 (ptr, ...)`."""
    arguments = [native_type(argument) for argument in ty.inputs]
    if ty.is_variadic:
        arguments.append("...")
    return f"{native_type(ty.output)} ({', '.join(arguments)})"


ALL_LANES: Final = 1 << 30
"""More than a vector has."""

_whole_vectors: ContextVar[bool] = ContextVar("whole_vectors", default=False)


@contextmanager
def whole_vectors() -> Generator[None]:
    """For a CPU: a vector is one value of LLVM, however long it is."""
    token = _whole_vectors.set(True)
    try:
        yield
    finally:
        _whole_vectors.reset(token)


def are_vectors_whole() -> bool:
    """Whether a vector is one value of LLVM."""
    return _whole_vectors.get()


def lanes_in_register(element: str) -> int:
    """How many elements of a vector share a register."""
    if _whole_vectors.get():
        return ALL_LANES
    if element.startswith("ptr") or element == "i1":
        return 1
    bits = scalar_bits(element)
    return 32 // bits if bits in (8, 16) else 1


def registers_of(ty: Attribute) -> tuple[Register, ...]:
    """The registers that hold a value."""
    return _whole_registers_of(ty) if _whole_vectors.get() else _registers_of(ty)


@identity_cache
def _whole_registers_of(ty: Attribute) -> tuple[Register, ...]:
    if isinstance(ty, VectorType):
        return (Register(scalar_type(ty), lanes_of(ty)),)
    return _registers_of(ty)


@identity_cache
def _registers_of(ty: Attribute) -> tuple[Register, ...]:
    match ty:
        case VectorType():
            if ty.get_num_scalable_dims():
                raise BackendError(f"type '{ty}' has no translation to LLVM IR: it is scalable")
            element, count = scalar_type(ty), lanes_of(ty)
            share = lanes_in_register(element)
            full = (Register(element, share),) * (count // share)
            return (*full, Register(element, count % share)) if count % share else full
        case LLVMStructType():
            return tuple(register for member in ty.types for register in registers_of(member))
        case LLVMArrayType():
            return registers_of(ty.type) * ty.size.data
        case _:
            return (Register(scalar_type(ty)),)


def member(ty: Attribute, position: tuple[int, ...]) -> tuple[int, Attribute]:
    """Where the registers of a member of an aggregate begin, and its type."""
    start = 0
    for index in position:
        match ty:
            case LLVMStructType():
                members = ty.types.data
                start += sum(len(registers_of(each)) for each in members[:index])
                ty = members[index]
            case LLVMArrayType():
                ty = ty.type
                start += index * len(registers_of(ty))
            case _:
                raise BackendError(f"type '{ty}' has no members")
    return start, ty
