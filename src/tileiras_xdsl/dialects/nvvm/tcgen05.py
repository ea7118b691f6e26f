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
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    I64,
    FixedBitwidthType,
    IntegerAttr,
    UnitAttr,
    VectorType,
    f32,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import (
    AnyAttr,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import EnumAttr, diagnosed_op, enum_attribute, vector_of
from tileiras_xdsl.targets.tcgen05 import (
    ACCESS_SHAPES,
    COLUMNS,
    CP_MULTICASTS,
    KINDS,
    TENSOR_MEMORY,
    AccessShape,
    InstructionDescriptor,
    MmaKind,
)

from .base import NvvmOperation, PointerTo, RegisterWords, SharedPointer, element_of, pointer_to

# Attributes of `tcgen05` operations, and the tensor memory that these are declared to access.

TENSOR_SPACE = 6
TENSOR_POINTER = pointer_to(TENSOR_SPACE)
TensorPointer = PointerTo(TENSOR_SPACE, "tensor memory")


@dataclass(frozen=True)
class TensorMemoryResource(Resource):
    """Tensor memory, which no load or store of another kind accesses."""

    def name(self) -> str:
        return "tensor memory"


class AccessesTensorMemory(MemoryEffect):
    """
    Reads and writes tensor memory, asynchronously, and shared memory or barriers besides: such an
    op is never removed, merged with another, or moved across an op with effects.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {
            EffectInstance(MemoryEffectKind.READ),
            EffectInstance(MemoryEffectKind.WRITE),
            EffectInstance(MemoryEffectKind.READ, resource=TensorMemoryResource()),
            EffectInstance(MemoryEffectKind.WRITE, resource=TensorMemoryResource()),
        }


class CtaGroup(StrEnum):
    """Whose tensor memory an instruction accesses: that of a CTA, or of a pair of them."""

    CTA_1 = "cta_1"
    CTA_2 = "cta_2"

    @property
    def ctas(self) -> int:
        """CTAs of the group."""
        return int(self.value[-1])


class Tcgen05Fence(StrEnum):
    """On which side of a synchronization a fence is."""

    BEFORE = "before"
    AFTER = "after"


class Tcgen05Wait(StrEnum):
    """What a warp waits for."""

    LOAD = "load"
    STORE = "store"


class Tcgen05LdStShape(StrEnum):
    """Lanes and bits of each that a warp moves at a time."""

    SHAPE_32X32B = "shape_32x32b"
    SHAPE_16X64B = "shape_16x64b"
    SHAPE_16X128B = "shape_16x128b"
    SHAPE_16X256B = "shape_16x256b"
    SHAPE_16X32BX2 = "shape_16x32bx2"

    @property
    def ptx(self) -> str:
        """`32x32b`"""
        return self.value.removeprefix("shape_")


class Tcgen05CpShape(StrEnum):
    """Rows and bits of each that are copied from shared memory."""

    SHAPE_128X256B = "shape_128x256b"
    SHAPE_4X256B = "shape_4x256b"
    SHAPE_128X128B = "shape_128x128b"
    SHAPE_64X128B = "shape_64x128b"
    SHAPE_32X128B = "shape_32x128b"

    @property
    def ptx(self) -> str:
        """`32x128b`"""
        return self.value.removeprefix("shape_")


class Tcgen05CpMulticast(StrEnum):
    """The warps whose lanes all get the rows that are copied."""

    WARPX2_02_13 = "warpx2_02_13"
    WARPX2_01_23 = "warpx2_01_23"
    WARPX4 = "warpx4"


class Tcgen05CpFormat(StrEnum):
    """What elements are in shared memory that become bytes: 16 of 4 bits, or of 6."""

    B4X16_P64 = "b4x16_p64"
    B6X16_P32 = "b6x16_p32"


class Tcgen05MmaKind(StrEnum):
    """What an MMA multiplies, see `targets/tcgen05.py`."""

    F16 = "f16"
    TF32 = "tf32"
    F8F6F4 = "f8f6f4"
    I8 = "i8"
    MXF8F6F4 = "mxf8f6f4"
    MXF4 = "mxf4"
    MXF4NVF4 = "mxf4nvf4"


class Tcgen05Collector(StrEnum):
    """What becomes of A in the collector buffer, where the next MMA may find it."""

    DISCARD = "discard"
    LASTUSE = "lastuse"
    FILL = "fill"
    USE = "use"


class Tcgen05BlockScale(StrEnum):
    """How many elements along K share a scale factor."""

    BLOCK16 = "block16"
    BLOCK32 = "block32"

    @property
    def size(self) -> int:
        return int(self.value[-2:])


class Tcgen05Reduction(StrEnum):
    """What a load computes of all that a thread loads."""

    MIN = "min"
    MAX = "max"


class CancelQuery(StrEnum):
    """What the answer of a `try.cancel` is asked for."""

    IS_CANCELED = "is_canceled"
    FIRST_CTA_ID_X = "get_first_cta_id_x"
    FIRST_CTA_ID_Y = "get_first_cta_id_y"
    FIRST_CTA_ID_Z = "get_first_cta_id_z"


CtaGroupAttr = enum_attribute("nvvm.cta_group", CtaGroup)
Tcgen05FenceAttr = enum_attribute("nvvm.tcgen05_fence", Tcgen05Fence)
Tcgen05WaitAttr = enum_attribute("nvvm.tcgen05_wait", Tcgen05Wait)
Tcgen05LdStShapeAttr = enum_attribute("nvvm.tcgen05_ldst_shape", Tcgen05LdStShape)
Tcgen05CpShapeAttr = enum_attribute("nvvm.tcgen05_cp_shape", Tcgen05CpShape)
Tcgen05CpMulticastAttr = enum_attribute("nvvm.tcgen05_cp_multicast", Tcgen05CpMulticast)
Tcgen05CpFormatAttr = enum_attribute("nvvm.tcgen05_cp_src_fmt", Tcgen05CpFormat)
Tcgen05MmaKindAttr = enum_attribute("nvvm.tcgen05_mma_kind", Tcgen05MmaKind)
Tcgen05CollectorAttr = enum_attribute("nvvm.tcgen05_mma_collectorop", Tcgen05Collector)
Tcgen05BlockScaleAttr = enum_attribute("nvvm.tcgen05_mma_block_scale", Tcgen05BlockScale)
Tcgen05ReductionAttr = enum_attribute("nvvm.tcgen05_ld_red", Tcgen05Reduction)
CancelQueryAttr = enum_attribute("nvvm.clc_query_type", CancelQuery)


def group_size(group: EnumAttr[CtaGroup] | None) -> int:
    """CTAs of a group, which is one of one CTA unless it says otherwise."""
    return 1 if group is None else group.data.ctas


def known_integer(value: SSAValue) -> int | None:
    """The number that a value is, if a constant makes it."""
    if not isinstance(value, OpResult) or value.op.name not in (
        "arith.constant",
        "llvm.mlir.constant",
    ):
        return None
    attribute = value.op.properties.get("value")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


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
    `targets/tcgen05.py`; `offset` is for `shape_16x32bx2`: how many columns further on the
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


# MMAs of `nvvm` with accumulators in tensor memory.
#
# One op is `k_steps` instructions with the same accumulator, whose descriptors grow: the way in
# which a tile of shared memory is multiplied. `targets/tcgen05.py` says what descriptors mean.
# Where an instruction descriptor is a constant, the verifier reads it; the interpreter of threads
# reads all.

MAX_SCALE_INPUT = 15


class MmaOperation(GroupOperation, ABC):
    """What MMAs with and without scale factors share."""

    IS_SCALED: ClassVar[bool]

    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    kind = prop_def(Tcgen05MmaKindAttr)
    collector_op = opt_prop_def(Tcgen05CollectorAttr)
    k_steps = opt_prop_def(IntegerAttr[I32])
    a_step = opt_prop_def(IntegerAttr[I64])
    b_step = opt_prop_def(IntegerAttr[I64])

    @property
    def is_a_in_tensor_memory(self) -> bool:
        """Whether A is in tensor memory, and not in shared memory."""
        return self.a.type == TENSOR_POINTER

    @property
    def mma_kind(self) -> MmaKind:
        return KINDS[self.kind.data.value]

    @property
    def steps(self) -> int:
        """How many instructions this is."""
        return 1 if self.k_steps is None else self.k_steps.value.data

    @property
    def collector(self) -> Tcgen05Collector:
        """What becomes of A in the collector buffer."""
        return Tcgen05Collector.DISCARD if self.collector_op is None else self.collector_op.data

    def get_descriptor(self) -> InstructionDescriptor | None:
        """What the instruction descriptor says, if it is a constant."""
        bits = known_integer(self.idesc)
        return None if bits is None else InstructionDescriptor.decode(self.mma_kind.name, bits)

    def verify_(self) -> None:
        if self.a.type not in (i64, TENSOR_POINTER):
            raise VerifyException(
                f"A must be a descriptor, 'i64', or a pointer to tensor memory, "
                f"'{TENSOR_POINTER}', but got '{self.a.type}'"
            )
        if self.mma_kind.is_scaled != self.IS_SCALED:
            words = ", ".join(
                name for name, each in KINDS.items() if each.is_scaled == self.IS_SCALED
            )
            with_scales = "with" if self.IS_SCALED else "without"
            raise VerifyException(
                f"kind of an MMA {with_scales} scale factors must be one of {words}, "
                f"but got {self.mma_kind.name}"
            )
        if self.steps < 1:
            raise VerifyException(f"k_steps must be positive, but got {self.steps}")
        try:
            descriptor = self.get_descriptor()
        except ValueError as error:
            raise VerifyException(str(error)) from error
        if descriptor is None:
            return
        if (reason := descriptor.why_not(self.cta_group)) is not None:
            raise VerifyException(reason)
        if self.is_a_in_tensor_memory and descriptor.trans_a:
            raise VerifyException("A in tensor memory must be K-major")


@diagnosed_op
class Tcgen05MmaOp(MmaOperation):
    """
    Issues `d = a * b + d`, or `d = a * b` if `enable_input_d` is false. D is in tensor memory; B is
    the descriptor of a matrix in shared memory, A such a descriptor, or in tensor memory. It is
    complete when the mbarrier of a later `tcgen05.commit` says so.

    - `kind`, `idesc`: what is multiplied, and its types and shape
    - `mask`: lanes, one bit each, that are not written
    - `scale_input_d`: D is divided by two to the power of this first
    - `a_shift`: rows of A are taken one lane further down, but for the last
    - `collector_op`: whether A stays in the collector buffer for the next MMA
    - `k_steps`: this many instructions. A and B grow by `a_step` and `b_step`, in units of 16
      bytes, or in columns for A in tensor memory; from the second one on, D is added to

        nvvm.tcgen05.mma %d, %a, %b, %idesc, %enable {kind = #nvvm.tcgen05_mma_kind<f16>,
            k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64} : !llvm.ptr<6>, i64
    """

    name = "nvvm.tcgen05.mma"
    IS_SCALED: ClassVar = False

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    mask = opt_operand_def(AnyAttr())
    scale_input_d = opt_prop_def(IntegerAttr[I32])
    a_shift = opt_prop_def(UnitAttr)

    assembly_format = (
        "$d `,` $a `,` $b `,` $idesc `,` $enable_input_d (`mask` `=` $mask^ `:` type($mask))? "
        "attr-dict `:` type($d) `,` type($a)"
    )

    def verify_(self) -> None:
        super().verify_()
        if self.scale_input_d is not None:
            if self.mma_kind.name not in ("f16", "tf32"):
                raise VerifyException(
                    "scale_input_d is for kind::f16 and kind::tf32, not for "
                    f"kind::{self.mma_kind.name}"
                )
            scale = self.scale_input_d.value.data
            if not 0 <= scale <= MAX_SCALE_INPUT:
                raise VerifyException(
                    f"scale_input_d must be from 0 to {MAX_SCALE_INPUT}, but got {scale}"
                )
        if self.mask is not None:
            expected = VectorType(i32, [4 * self.cta_group])
            if self.mask.type != expected:
                raise VerifyException(
                    f"mask of cta_group::{self.cta_group} must be '{expected}', but got "
                    f"'{self.mask.type}'"
                )
        if self.a_shift is not None:
            if not self.is_a_in_tensor_memory:
                raise VerifyException("a_shift is for A in tensor memory")
            if self.collector in (Tcgen05Collector.USE, Tcgen05Collector.FILL):
                raise VerifyException(f"a_shift excludes collector '{self.collector.value}'")


@diagnosed_op
class Tcgen05MmaBlockScaleOp(MmaOperation):
    """
    Issues `d = (a * scale_a) * (b * scale_b) + d`, where blocks of elements along K share a scale
    factor. The factors are in tensor memory, where `tcgen05.cp` puts them, and `idesc` says which
    bytes of their words they are. See `tcgen05.mma` for all else.

    - `block_scale`: elements of a block; kinds that have one size need not say it
    - `idesc_step`: what `idesc` grows by with each of `k_steps`, so that it names the next bytes

        nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %enable, %sfa, %sfb
            {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>} : !llvm.ptr<6>, i64
    """

    name = "nvvm.tcgen05.mma.block_scale"
    IS_SCALED: ClassVar = True

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    scale_a = operand_def(eq(TENSOR_POINTER))
    scale_b = operand_def(eq(TENSOR_POINTER))
    block_scale = opt_prop_def(Tcgen05BlockScaleAttr)
    idesc_step = opt_prop_def(IntegerAttr[I32])

    assembly_format = (
        "$d `,` $a `,` $b `,` $idesc `,` $enable_input_d `,` $scale_a `,` $scale_b "
        "attr-dict `:` type($d) `,` type($a)"
    )

    @property
    def block_size(self) -> int:
        """Elements along K that share a scale factor; raises if the kind has no such blocks."""
        kind = self.mma_kind
        assert kind.blocks is not None
        if self.block_scale is None:
            if len(kind.blocks) > 1:
                raise VerifyException(f"kind::{kind.name} needs block_scale, block16 or block32")
            return Tcgen05BlockScale.BLOCK32.size
        block = self.block_scale.data
        if block.size not in kind.blocks:
            words = " or ".join(f"block{size}" for size in kind.blocks)
            raise VerifyException(
                f"block_scale of kind::{kind.name} must be {words}, but got {block.value}"
            )
        return block.size

    def verify_(self) -> None:
        super().verify_()
        kind, block_size, descriptor = self.mma_kind, self.block_size, self.get_descriptor()
        assert kind.blocks is not None
        if descriptor is not None and descriptor.scale not in kind.blocks[block_size]:
            raise VerifyException(
                f"scale factors of kind::{kind.name} with block{block_size} must be "
                f"{' or '.join(kind.blocks[block_size])}, but got {descriptor.scale}"
            )
