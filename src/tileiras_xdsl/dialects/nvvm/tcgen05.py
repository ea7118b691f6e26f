"""
Tensor memory of `nvvm`: allocation, loads and stores, copies from shared memory, and what orders
them.

A pointer into address space 6 is `lane << 16 | column`. All but `alloc`, `dealloc` and the fences
are asynchronous: a warp waits for its loads and stores by `tcgen05.wait`, a thread for its MMAs,
copies and shifts by a `tcgen05.commit`, which arrives on an mbarrier when they are complete.
Between threads, `tcgen05.fence` comes before what the one does and after what the other waits for.

| ops | are executed by |
| --- | --- |
| `alloc`, `dealloc`, `relinquish_alloc_permit`, `ld`, `st`, `wait` | a warp, converged |
| `mma`, `cp`, `shift`, `commit` | one thread, which `elect.sync` chooses |
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from xdsl.dialects.builtin import (
    I32,
    FixedBitwidthType,
    IntegerAttr,
    UnitAttr,
    VectorType,
    f32,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import vector_of
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.targets.tensor_memory import (
    ACCESS_SHAPES,
    COLUMNS,
    CP_MULTICASTS,
    TENSOR_MEMORY,
    AccessShape,
)

from .base import NvvmOperation, RegisterWords, SharedPointer, element_of
from .tcgen05_attributes import (
    AccessesTensorMemory,
    CtaGroupAttr,
    Tcgen05CpFormatAttr,
    Tcgen05CpMulticastAttr,
    Tcgen05CpShapeAttr,
    Tcgen05FenceAttr,
    Tcgen05LdStShape,
    Tcgen05LdStShapeAttr,
    Tcgen05ReductionAttr,
    Tcgen05WaitAttr,
    TensorPointer,
    group_size,
    known_integer,
)


class Tcgen05Operation(NvvmOperation, ABC):
    """An operation on tensor memory, or one that orders such operations."""

    traits = traits_def(AccessesTensorMemory())


class GroupOperation(Tcgen05Operation, ABC):
    """An operation of a CTA, or of a pair of CTAs: `{group = #nvvm.cta_group<cta_2>}`."""

    group = opt_prop_def(CtaGroupAttr)

    @property
    def cta_group(self) -> int:
        """CTAs of the group."""
        return group_size(self.group)


# Allocation


def verify_columns(columns: int | None) -> None:
    """Raises if no allocation has a known number of columns."""
    if columns is not None and (reason := TENSOR_MEMORY.why_not_allocated(columns)) is not None:
        raise VerifyException(reason)


@diagnosed_op
class Tcgen05AllocOp(GroupOperation):
    """
    Allocates columns of tensor memory, a power of two from 32 to 512, and writes their address to
    shared memory. It waits until there are as many.

        nvvm.tcgen05.alloc %slot, %columns : !llvm.ptr<3>, i32
    """

    name = "nvvm.tcgen05.alloc"

    address = operand_def(SharedPointer)
    columns = operand_def(eq(i32))

    assembly_format = "$address `,` $columns attr-dict `:` type($address) `,` type($columns)"

    def verify_(self) -> None:
        verify_columns(known_integer(self.columns))


@diagnosed_op
class Tcgen05DeallocOp(GroupOperation):
    """
    Frees the columns that an `alloc` got. All must be freed before the kernel ends.

        nvvm.tcgen05.dealloc %t, %columns : !llvm.ptr<6>, i32
    """

    name = "nvvm.tcgen05.dealloc"

    address = operand_def(TensorPointer)
    columns = operand_def(eq(i32))

    assembly_format = "$address `,` $columns attr-dict `:` type($address) `,` type($columns)"

    def verify_(self) -> None:
        verify_columns(known_integer(self.columns))


@diagnosed_op
class Tcgen05RelinquishAllocPermitOp(GroupOperation):
    """
    Allows other CTAs of the SM to allocate; this one does not any more:
    `nvvm.tcgen05.relinquish_alloc_permit`.
    """

    name = "nvvm.tcgen05.relinquish_alloc_permit"

    assembly_format = "attr-dict"


# Order


@diagnosed_op
class Tcgen05FenceOp(Tcgen05Operation):
    """
    Orders asynchronous operations on tensor memory with a synchronization of threads, before or
    after it: `nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}`.
    """

    name = "nvvm.tcgen05.fence"

    kind = prop_def(Tcgen05FenceAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class Tcgen05WaitOp(Tcgen05Operation):
    """
    Waits until all loads, or stores, of the warp are complete:
    `nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}`.
    """

    name = "nvvm.tcgen05.wait"

    kind = prop_def(Tcgen05WaitAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class Tcgen05CommitOp(GroupOperation):
    """
    Arrives once on an mbarrier when all MMAs, copies and shifts that the thread issued so far are
    complete; with a mask, on those at the same offset in these CTAs of the cluster.

        nvvm.tcgen05.commit %bar : !llvm.ptr<3>
        nvvm.tcgen05.commit %bar multicast_mask = %mask {group = #nvvm.cta_group<cta_2>}
            : !llvm.ptr<3>
    """

    name = "nvvm.tcgen05.commit"

    address = operand_def(SharedPointer)
    multicast_mask = opt_operand_def(eq(i16))

    assembly_format = (
        "$address (`multicast_mask` `=` $multicast_mask^)? attr-dict `:` type($address)"
    )


# Loads and stores


def count_words(ty: Attribute) -> int:
    """The registers of 32 bits that a fragment fills."""
    element = element_of(ty)
    assert isinstance(element, FixedBitwidthType)
    count = 1
    if isinstance(ty, VectorType):
        for extent in ty.get_shape():
            count *= extent
    return count * element.bitwidth // 32


class AccessOperation(Tcgen05Operation, ABC):
    """A load or store of a fragment, one vector or word for each thread."""

    shape = prop_def(Tcgen05LdStShapeAttr)
    offset = opt_prop_def(IntegerAttr[I32])

    @property
    @abstractmethod
    def fragment(self) -> SSAValue:
        """What each thread loads or stores."""

    @property
    def access_shape(self) -> AccessShape:
        return ACCESS_SHAPES[self.shape.data.ptx]

    @property
    def num(self) -> int:
        """The repetitions of the shape that fill the fragment, `x32`; raises if none do."""
        shape, ty = self.access_shape, self.fragment.type
        words = count_words(ty)
        if words % shape.registers:
            raise VerifyException(
                f"shape {shape.name} moves a multiple of {shape.registers} registers for each "
                f"thread, but got {words} in '{ty}'"
            )
        num = words // shape.registers
        if (reason := shape.why_not(num)) is not None:
            raise VerifyException(reason)
        return num

    def verify_access(self, *, packs: bool = False) -> None:
        """Raises unless an instruction moves the fragment."""
        shape, num = self.access_shape, self.num
        if shape.has_offset != (self.offset is not None):
            wanted = "needs" if shape.has_offset else "has no"
            raise VerifyException(f"shape {shape.name} {wanted} offset of the second half")
        if self.offset is not None and not 0 <= self.offset.value.data < COLUMNS:
            raise VerifyException(
                f"offset must be a column from 0 to {COLUMNS - 1}, but got {self.offset.value.data}"
            )
        columns = num * shape.columns * (2 if packs else 1)
        if columns > COLUMNS:
            raise VerifyException(f"{columns} columns are more than tensor memory has")


@diagnosed_op
class Tcgen05LdOp(AccessOperation):
    """
    Loads a fragment. Its shape and size say which lanes and columns a thread gets, see
    `targets/tensor_memory.py`; `offset` is for `shape_16x32bx2`: how many columns further on the
    upper half of the warp is. `pack` joins the lower halves of two neighbouring columns.

        %v = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
            : !llvm.ptr<6> -> vector<32xf32>
    """

    name = "nvvm.tcgen05.ld"

    address = operand_def(TensorPointer)
    pack = opt_prop_def(UnitAttr)
    result = result_def(RegisterWords())

    assembly_format = "$address attr-dict `:` type($address) `->` type($result)"

    @property
    def fragment(self) -> SSAValue:
        return self.result

    def verify_(self) -> None:
        self.verify_access(packs=self.pack is not None)


REDUCING_SHAPES = (Tcgen05LdStShape.SHAPE_32X32B, Tcgen05LdStShape.SHAPE_16X32BX2)


@diagnosed_op
class Tcgen05LdRedOp(AccessOperation):
    """
    Loads a fragment, and yields the minimum or maximum of what the thread loads as well. `abs`
    compares magnitudes, `nan` yields NaN if there is one.

        %v, %max = nvvm.tcgen05.ld.red %t {op = #nvvm.tcgen05_ld_red<max>,
            shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<32xf32>, f32
    """

    name = "nvvm.tcgen05.ld.red"

    address = operand_def(TensorPointer)
    op = prop_def(Tcgen05ReductionAttr)
    abs = opt_prop_def(UnitAttr)
    nan = opt_prop_def(UnitAttr)
    result = result_def()
    reduced = result_def(eq(f32) | eq(i32))

    assembly_format = "$address attr-dict `:` type($address) `->` type($result) `,` type($reduced)"

    @property
    def fragment(self) -> SSAValue:
        return self.result

    def verify_(self) -> None:
        if self.shape.data not in REDUCING_SHAPES:
            raise VerifyException(f"no load of shape {self.shape.data.ptx} reduces what it loads")
        fragment, reduced = self.result.type, self.reduced.type
        extents = fragment.get_shape() if isinstance(fragment, VectorType) else ()
        if len(extents) != 1 or fragment != vector_of(reduced, extents[0]):
            raise VerifyException(
                f"results must be a vector and an element of it, but got '{fragment}' and "
                f"'{reduced}'"
            )
        if extents[0] < 2:
            raise VerifyException("a load that reduces has at least two repetitions")
        self.verify_access()
        if self.reduced.type != f32 and (self.abs is not None or self.nan is not None):
            raise VerifyException("abs and nan are for f32 only")


@diagnosed_op
class Tcgen05StOp(AccessOperation):
    """
    Stores a fragment, see `tcgen05.ld`. `unpack` writes the halves of each word to two neighbouring
    columns.

        nvvm.tcgen05.st %t, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
            : !llvm.ptr<6>, vector<32xf32>
    """

    name = "nvvm.tcgen05.st"

    address = operand_def(TensorPointer)
    value = operand_def(RegisterWords())
    unpack = opt_prop_def(UnitAttr)

    assembly_format = "$address `,` $value attr-dict `:` type($address) `,` type($value)"

    @property
    def fragment(self) -> SSAValue:
        return self.value

    def verify_(self) -> None:
        self.verify_access(packs=self.unpack is not None)


# Copies


@diagnosed_op
class Tcgen05CpOp(GroupOperation):
    """
    Copies a matrix that a descriptor describes from shared to tensor memory. MMAs that the thread
    issues later see it.

    - `shape`, `multicast`: rows and bits of each, and the warps whose lanes all get them
    - `src_format`: elements of 4 or 6 bits become bytes

        nvvm.tcgen05.cp %t, %desc {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>,
            multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !llvm.ptr<6>, i64
    """

    name = "nvvm.tcgen05.cp"

    address = operand_def(TensorPointer)
    descriptor = operand_def(eq(i64))
    shape = prop_def(Tcgen05CpShapeAttr)
    multicast = opt_prop_def(Tcgen05CpMulticastAttr)
    src_format = opt_prop_def(Tcgen05CpFormatAttr)

    assembly_format = "$address `,` $descriptor attr-dict `:` type($address) `,` type($descriptor)"

    def verify_(self) -> None:
        shape, expected = self.shape.data.ptx, CP_MULTICASTS[self.shape.data.ptx]
        found = "none" if self.multicast is None else self.multicast.data.value
        if found not in expected:
            raise VerifyException(
                f"multicast of shape {shape} must be {' or '.join(expected)}, but got {found}"
            )


@diagnosed_op
class Tcgen05ShiftOp(GroupOperation):
    """
    Moves 32 bytes of each lane, but the last, one lane down.

        nvvm.tcgen05.shift %t : !llvm.ptr<6>
    """

    name = "nvvm.tcgen05.shift"

    address = operand_def(TensorPointer)

    assembly_format = "$address attr-dict `:` type($address)"
