"""
Accesses of a thread to its part of a tile.

A fragment is a vector that is read or written in pieces of equal size, each at an address of its
own, maybe under a mask. One operation stands for all pieces; PTX has an instruction for each.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    ParsePropInAttrDict,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.diagnosed import diagnosed_op

from .base import NvvmOperation, unit

Addresses = VectorType.constr(BaseAttr(LLVMPointerType))
Mask = VectorType.constr(eq(i1))
Fragment = VectorType.constr()

SEMANTICS = ("weak", "relaxed", "acquire", "release", "mmio")
SCOPES = ("cta", "cluster", "gpu", "sys")
MAX_PIECE_BITS = 128


class FragmentOperation(NvvmOperation, ABC):
    """An access in pieces, each `alignment` bytes aligned."""

    alignment = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    volatile_ = opt_prop_def(UnitAttr)
    semantic = opt_prop_def(StringAttr)
    """The memory order, `weak` if it is not given."""
    scope = opt_prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def verify_pieces(self, addresses: Attribute, mask: SSAValue | None, value: Attribute) -> None:
        """Checks that a fragment divides into pieces that instructions can access."""
        pieces, lanes = count_lanes(addresses), count_lanes(value)
        if lanes % pieces:
            raise VerifyException(f"'{value}' does not divide into {pieces} pieces")
        width = lanes // pieces * element_bits(value)
        if width % 8 or width & (width - 1) or width > MAX_PIECE_BITS:
            raise VerifyException(f"a piece of '{value}' has {width} bits")
        if mask is not None and count_lanes(mask.type) != pieces:
            raise VerifyException(f"expects a mask of {pieces} lanes, but got '{mask.type}'")
        if self.semantic is not None and self.semantic.data not in SEMANTICS:
            raise VerifyException(f"there is no memory order '{self.semantic.data}'")
        if self.scope is not None and self.scope.data not in SCOPES:
            raise VerifyException(f"there is no scope '{self.scope.data}'")

    def get_semantic(self) -> str:
        """The memory order."""
        return "weak" if self.semantic is None else self.semantic.data


def count_lanes(type: Attribute) -> int:
    """The number of elements of a vector of rank 1."""
    if not isinstance(type, VectorType) or len(type.get_shape()) != 1:
        raise VerifyException(f"expects a vector of rank 1, but got '{type}'")
    return type.get_shape()[0]


def element_bits(type: Attribute) -> int:
    """The size of an element of a vector; pointers have 64 bits."""
    element = type.get_element_type() if isinstance(type, VectorType) else type
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
    Reads a fragment. Pieces whose mask is false are taken from `other`, or are 0.

        %v = nvvm.fragment.load %ptrs mask(%m : vector<4xi1>) {alignment = 16 : i64}
            : vector<4x!llvm.ptr<1>> -> vector<32xf16>
    """

    name = "nvvm.fragment.load"

    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    other = opt_operand_def(Fragment)
    result = result_def(Fragment)
    invariant = opt_prop_def(UnitAttr)
    """Whether nothing writes this memory while the kernel runs."""

    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$addresses (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`other` `(` $other^ `:` type($other) `)`)? attr-dict "
        "`:` type($addresses) `->` type($result)"
    )

    def __init__(
        self,
        addresses: SSAValue | Operation,
        result_type: VectorType,
        *,
        mask: SSAValue | None = None,
        other: SSAValue | None = None,
        alignment: int | None = None,
        volatile: bool = False,
        semantic: str | None = None,
        scope: str | None = None,
        invariant: bool = False,
    ):
        super().__init__(
            operands=[addresses, mask, other],
            result_types=[result_type],
            properties={
                **_properties(alignment, volatile, semantic, scope),
                "invariant": unit(invariant),
            },
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

    value = operand_def(Fragment)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        addresses: SSAValue | Operation,
        *,
        mask: SSAValue | None = None,
        alignment: int | None = None,
        volatile: bool = False,
        semantic: str | None = None,
        scope: str | None = None,
    ):
        super().__init__(
            operands=[value, addresses, mask],
            properties=_properties(alignment, volatile, semantic, scope),
        )

    def verify_(self) -> None:
        self.verify_pieces(self.addresses.type, self.mask, self.value.type)


def _properties(
    alignment: int | None, volatile: bool, semantic: str | None, scope: str | None
) -> dict[str, Attribute | None]:
    return {
        "alignment": None if alignment is None else IntegerAttr(alignment, i64),
        "volatile_": unit(volatile),
        "semantic": None if semantic in (None, "weak") else StringAttr(semantic),
        "scope": None if scope is None else StringAttr(scope),
    }
