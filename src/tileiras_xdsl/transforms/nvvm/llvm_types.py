"""Types of the LLVM dialect: memory references become bare pointers to their first element."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.gpu import AddressSpace, AddressSpaceAttr
from tileiras_xdsl.dialects.nvvm import GENERIC_SPACE, GLOBAL_SPACE, SHARED_SPACE, pointer_to

LOCAL_SPACE = 5

SPACES = {
    AddressSpace.GLOBAL: GLOBAL_SPACE,
    AddressSpace.WORKGROUP: SHARED_SPACE,
    AddressSpace.PRIVATE: LOCAL_SPACE,
}


def get_integers(attribute: Attribute | None) -> tuple[int, ...] | None:
    """The numbers of an `array<i32: …>`."""
    if not isinstance(attribute, DenseArrayBase):
        return None
    return tuple(cast("DenseArrayBase[IntegerType]", attribute).get_values())


def convert_memory_space(space: Attribute) -> int | None:
    """The address space of a memory space: none is generic, a number is itself."""
    match space:
        case NoneAttr():
            return GENERIC_SPACE
        case IntegerAttr():
            return space.value.data
        case AddressSpaceAttr():
            return SPACES[space.data]
        case _:
            return None


def element_of_memref(ty: MemRefType) -> Attribute:
    """The element type of a memory reference."""
    return ty.element_type


def convert_memref(ty: MemRefType | UnrankedMemRefType) -> LLVMPointerType | None:
    """The pointer to the first element: `memref<64x64xf16, 3>` → `!llvm.ptr<3>`."""
    space = convert_memory_space(ty.memory_space)
    return None if space is None else pointer_to(space)
