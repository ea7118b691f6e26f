"""
Accesses of a thread to its part of a tile.

A fragment is a vector that is read or written in pieces of equal size, each at an address of its
own, maybe under a mask. One operation stands for all pieces; PTX has an instruction for each.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    ParsePropInAttrDict,
    VarConstraint,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Argument
from tileiras_xdsl.dialects.diagnosed import diagnosed_op

from .base import NvvmOperation

Addresses = VectorType.constr(BaseAttr(LLVMPointerType))
Mask = VectorType.constr(eq(i1))
MaskOrBytes = VectorType.constr(eq(i1) | eq(i32))
"""Whether pieces are copied, or how many bytes of each."""
AnyVector = VectorType.constr()

SEMANTICS = ("weak", "relaxed", "acquire", "release", "mmio")
ATOMIC_SEMANTICS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("cta", "cluster", "gpu", "sys")
INTEGER_UPDATES = ("add", "and", "or", "xor", "max", "min", "umax", "umin")
FLOAT_UPDATES = ("fadd", "fmax", "fmin")
UPDATES = ("xchg", *INTEGER_UPDATES, *FLOAT_UPDATES)
"""What atomics do, in the words of LLVM."""
MAX_VECTOR_BITS = 128


class FragmentOperation(NvvmOperation, ABC):
    """An access in pieces, each `alignment` bytes aligned."""

    alignment = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    volatile_ = opt_prop_def(UnitAttr)
    semantic = opt_prop_def(StringAttr)
    """The memory order, `weak` if it is not given."""
    scope = opt_prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    SEMANTICS: ClassVar[tuple[str, ...]] = SEMANTICS

    def __init__(self, *arguments: Argument, **named: Any):
        if named.get("semantic") == "weak":
            del named["semantic"]
        super().__init__(*arguments, **named)

    def verify_pieces(self, addresses: Attribute, mask: SSAValue | None, value: Attribute) -> None:
        """Checks that a fragment divides into pieces that instructions can access."""
        pieces, lanes = count_lanes(addresses), count_lanes(value)
        if lanes % pieces:
            raise VerifyException(f"'{value}' does not divide into {pieces} pieces")
        width = lanes // pieces * element_bits(value)
        if width % 8 or width & (width - 1) or width > MAX_VECTOR_BITS:
            raise VerifyException(f"a piece of '{value}' has {width} bits")
        if mask is not None and count_lanes(mask.type) != pieces:
            raise VerifyException(f"expects a mask of {pieces} lanes, but got '{mask.type}'")
        if self.semantic is not None and self.semantic.data not in self.SEMANTICS:
            raise VerifyException(f"there is no memory order '{self.semantic.data}'")
        if self.scope is not None and self.scope.data not in SCOPES:
            raise VerifyException(f"there is no scope '{self.scope.data}'")

    def get_semantic(self) -> str:
        """The memory order."""
        return "weak" if self.semantic is None else self.semantic.data


def count_lanes(ty: Attribute) -> int:
    """The number of elements of a vector of rank 1."""
    if not isinstance(ty, VectorType) or len(ty.get_shape()) != 1:
        raise VerifyException(f"expects a vector of rank 1, but got '{ty}'")
    return ty.get_shape()[0]


def element_bits(ty: Attribute) -> int:
    """The size of an element of a vector; pointers have 64 bits."""
    element = ty.get_element_type() if isinstance(ty, VectorType) else ty
    match element:
        case LLVMPointerType():
            return 64
        case FixedBitwidthType():
            return element.bitwidth
        case _:
            raise VerifyException(f"'{element}' has no size in memory")


@diagnosed_op
class FragmentLoadOp(FragmentOperation):
    """
    Reads a fragment. Vectors whose mask is false are taken from `other`, or are 0.

        %v = nvvm.fragment.load %ptrs mask(%m : vector<4xi1>) {alignment = 16 : i64}
            : vector<4x!llvm.ptr<1>> -> vector<32xf16>
    """

    name = "nvvm.fragment.load"

    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    other = opt_operand_def(AnyVector)
    result = result_def(AnyVector)
    invariant = opt_prop_def(UnitAttr)
    """Whether nothing writes this memory while the kernel runs."""

    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$addresses (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`other` `(` $other^ `:` type($other) `)`)? attr-dict "
        "`:` type($addresses) `->` type($result)"
    )

    def verify_(self) -> None:
        self.verify_pieces(self.addresses.type, self.mask, self.result.type)
        if self.other is not None and self.other.type != self.result.type:
            raise VerifyException(
                f"expects '{self.result.type}' instead of what is read, but got '{self.other.type}'"
            )


@diagnosed_op
class FragmentStoreOp(FragmentOperation):
    """
    Writes a fragment, except for pieces whose mask is false.

        nvvm.fragment.store %v, %ptrs {alignment = 16 : i64}
            : vector<32xf16>, vector<4x!llvm.ptr<1>>
    """

    name = "nvvm.fragment.store"

    value = operand_def(AnyVector)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses)"
    )

    def verify_(self) -> None:
        self.verify_pieces(self.addresses.type, self.mask, self.value.type)


class FragmentAtomic(FragmentOperation, ABC):
    """Accesses to elements, each of which nothing comes between."""

    SEMANTICS: ClassVar = ATOMIC_SEMANTICS

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def get_semantic(self) -> str:
        return "relaxed" if self.semantic is None else self.semantic.data

    def verify_elements(
        self, addresses: Attribute, mask: SSAValue | None, value: Attribute
    ) -> None:
        """Checks that there is an address for each element."""
        self.verify_pieces(addresses, mask, value)
        if count_lanes(addresses) != count_lanes(value):
            raise VerifyException(f"expects an address for each element of '{value}'")


@diagnosed_op
class FragmentAtomicRMWOp(FragmentAtomic):
    """
    Combines each element in memory with one of a fragment, except where the mask is false, and
    yields what was there, or 0 there; without a result nothing is read.

        %old = nvvm.fragment.atomicrmw %v, %ptrs {bin_op = "add", semantic = "acq_rel",
            scope = "gpu"} : vector<4xi32>, vector<4x!llvm.ptr<1>> -> vector<4xi32>

    Vectors have one element each, except for an `fadd` without a result, which some GPUs do on
    several neighbours at once. `fmax` and `fmin` ignore a NaN if there is another number; -0 is
    less than +0.
    """

    name = "nvvm.fragment.atomicrmw"

    value = operand_def(AnyVector)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    result = opt_result_def(AnyVector)
    bin_op = prop_def(StringAttr)

    assembly_format = (
        "$value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses) (`->` type($result)^)?"
    )

    DEFAULTS: ClassVar = {"semantic": "relaxed", "scope": "gpu"}

    def verify_(self) -> None:
        if self.result is None and self.bin_op.data == "fadd":
            self.verify_pieces(self.addresses.type, self.mask, self.value.type)
        else:
            self.verify_elements(self.addresses.type, self.mask, self.value.type)
        if self.result is not None and self.result.type != self.value.type:
            raise VerifyException(
                f"expects a result of type '{self.value.type}', but got '{self.result.type}'"
            )
        assert isinstance(self.value.type, VectorType)
        element, kind = self.value.type.get_element_type(), self.bin_op.data
        if kind not in UPDATES:
            raise VerifyException(f"there is no atomic '{kind}'")
        is_integer = isinstance(element, IntegerType)
        if kind in (FLOAT_UPDATES if is_integer else INTEGER_UPDATES):
            raise VerifyException(f"there is no atomic '{kind}' of '{element}'")
        smallest = 16 if kind in FLOAT_UPDATES else 32
        if not smallest <= element_bits(element) <= 64:
            raise VerifyException(f"there is no atomic '{kind}' of '{element}'")


@diagnosed_op
class FragmentCmpXchgOp(FragmentAtomic):
    """
    Replaces each element in memory that has the bits of `compare`, except where the mask is
    false, and yields what was there, or what it was compared with there.

        %old = nvvm.fragment.cmpxchg %compare, %value, %ptrs {semantic = "acq_rel", scope = "gpu"}
            : vector<4xi32>, vector<4x!llvm.ptr<1>>
    """

    name = "nvvm.fragment.cmpxchg"

    T: ClassVar = VarConstraint("T", AnyVector)
    compare = operand_def(T)
    value = operand_def(T)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    result = result_def(T)

    assembly_format = (
        "$compare `,` $value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses)"
    )

    DEFAULTS: ClassVar = {"semantic": "relaxed", "scope": "gpu"}

    def verify_(self) -> None:
        self.verify_elements(self.addresses.type, self.mask, self.value.type)
        if element_bits(self.value.type) not in (16, 32, 64):
            raise VerifyException(f"elements of '{self.value.type}' cannot be compared")
