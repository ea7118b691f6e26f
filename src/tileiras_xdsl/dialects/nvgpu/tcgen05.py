"""
Tensor memory of `nvgpu`, and MMAs with accumulators there.

A value of type `!nvgpu.tensor_memory` is an address in tensor memory, `lane << 16 | column`, which
`tensor_memory.at` makes of an integer. Types and shapes of MMAs are properties, of which
`convert-nvgpu-to-nvvm` makes instruction descriptors. All else is as in `nvvm`, see its `tcgen05`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    I64,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f32,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
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
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, init_plain, unit
from tileiras_xdsl.dialects.constraints import Word
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.nvvm.base import MatrixShapeAttr, RegisterWords, SharedPointer
from tileiras_xdsl.dialects.nvvm.tcgen05 import (
    count_repetitions,
    verify_access,
    verify_columns,
    verify_copy,
    verify_reducing_load,
)
from tileiras_xdsl.dialects.nvvm.tcgen05_attributes import (
    AccessesTensorMemory,
    CtaGroupAttr,
    Tcgen05BlockScaleAttr,
    Tcgen05CollectorAttr,
    Tcgen05CpFormatAttr,
    Tcgen05CpMulticastAttr,
    Tcgen05CpShapeAttr,
    Tcgen05FenceAttr,
    Tcgen05LdStShape,
    Tcgen05LdStShapeAttr,
    Tcgen05MmaKindAttr,
    Tcgen05ReductionAttr,
    Tcgen05WaitAttr,
    group_size,
)
from tileiras_xdsl.dialects.nvvm.tcgen05_mma import (
    get_block_size,
    verify_descriptor,
    verify_kind,
    verify_options,
    verify_scale_type,
    verify_steps,
)
from tileiras_xdsl.targets.tcgen05 import (
    KINDS,
    InstructionDescriptor,
    MmaKind,
    SharedDescriptor,
)
from tileiras_xdsl.targets.tcgen05 import SWIZZLES as MATRIX_SWIZZLES
from tileiras_xdsl.targets.tensor_memory import ACCESS_SHAPES, AccessShape

from .base import NvgpuOperation, OrderedOperation
from .types import TensorMemoryType, verify_barrier, verify_shared


class Tcgen05Operation(NvgpuOperation, ABC):
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


@diagnosed_op
class TensorMemoryAtOp(NvgpuOperation):
    """
    The tensor memory at an address, such as one that an `alloc` wrote, or columns further on.

        %t = nvgpu.tensor_memory.at %address : i32 -> !nvgpu.tensor_memory
    """

    name = "nvgpu.tensor_memory.at"

    address = operand_def(eq(i32))
    memory = result_def(TensorMemoryType)

    traits = traits_def(Pure())

    assembly_format = "$address attr-dict `:` type($address) `->` type($memory)"

    def __init__(self, address: Value, memory_type: TensorMemoryType | None = None):
        init_plain(self, [address], [memory_type or TensorMemoryType()])


@diagnosed_op
class Tcgen05AllocOp(GroupOperation):
    """
    A warp allocates columns of tensor memory, a power of two from 32 to 512, and writes their
    address, an `i32`, to shared memory. It waits until there are as many.

        nvgpu.tcgen05.alloc %slot {columns = 128 : i32} : !llvm.ptr<3>
    """

    name = "nvgpu.tcgen05.alloc"

    address = operand_def(SharedPointer)
    columns = prop_def(IntegerAttr[I32])

    assembly_format = "$address attr-dict `:` type($address)"

    def verify_(self) -> None:
        verify_columns(self.columns.value.data)


@diagnosed_op
class Tcgen05DeallocOp(GroupOperation):
    """
    A warp frees the columns that an `alloc` got.

        nvgpu.tcgen05.dealloc %t {columns = 128 : i32} : !nvgpu.tensor_memory
    """

    name = "nvgpu.tcgen05.dealloc"

    address = operand_def(TensorMemoryType)
    columns = prop_def(IntegerAttr[I32])

    assembly_format = "$address attr-dict `:` type($address)"

    def verify_(self) -> None:
        verify_columns(self.columns.value.data)


@diagnosed_op
class Tcgen05RelinquishAllocPermitOp(GroupOperation):
    """
    A warp allows other CTAs of the SM to allocate; its own does not any more:
    `nvgpu.tcgen05.relinquish_alloc_permit`.
    """

    name = "nvgpu.tcgen05.relinquish_alloc_permit"

    assembly_format = "attr-dict"


# Order


@diagnosed_op
class Tcgen05FenceOp(Tcgen05Operation):
    """
    Orders asynchronous operations on tensor memory with a synchronization of threads, before or
    after it: `nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}`.
    """

    name = "nvgpu.tcgen05.fence"

    kind = prop_def(Tcgen05FenceAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class Tcgen05WaitOp(Tcgen05Operation):
    """
    Waits until all loads, or stores, of the warp are complete:
    `nvgpu.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}`.
    """

    name = "nvgpu.tcgen05.wait"

    kind = prop_def(Tcgen05WaitAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class Tcgen05CommitOp(GroupOperation):
    """
    Arrives once on an mbarrier when all MMAs, copies and shifts that the thread issued so far are
    complete; with a mask, on those at the same offset in these CTAs of the cluster.

        nvgpu.tcgen05.commit %bar : !nvgpu.mbarrier
        nvgpu.tcgen05.commit %bar multicast_mask = %mask {group = #nvvm.cta_group<cta_2>}
            : !nvgpu.mbarrier
    """

    name = "nvgpu.tcgen05.commit"

    barrier = operand_def()
    multicast_mask = opt_operand_def(eq(i16))

    assembly_format = (
        "$barrier (`multicast_mask` `=` $multicast_mask^)? attr-dict `:` type($barrier)"
    )

    def verify_(self) -> None:
        verify_barrier(0, self.barrier.type)


# Loads and stores


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
        """The repetitions: `x32`."""
        return count_repetitions(self.access_shape, self.fragment.type)


@diagnosed_op
class Tcgen05LdOp(AccessOperation):
    """
    Loads a fragment, see `nvvm.tcgen05.ld`.

        %v = nvgpu.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
            : !nvgpu.tensor_memory -> vector<32xf32>
    """

    name = "nvgpu.tcgen05.ld"

    address = operand_def(TensorMemoryType)
    pack = opt_prop_def(UnitAttr)
    result = result_def(RegisterWords())

    assembly_format = "$address attr-dict `:` type($address) `->` type($result)"

    def __init__(
        self,
        address: Value,
        result_type: Attribute,
        shape: Tcgen05LdStShape = Tcgen05LdStShape.SHAPE_32X32B,
        *,
        offset: int | None = None,
        pack: bool = False,
    ):
        super().__init__(
            operands=[address],
            properties={
                "shape": Tcgen05LdStShapeAttr(shape),
                "offset": None if offset is None else IntegerAttr(offset, i32),
                "pack": unit(pack),
            },
            result_types=[result_type],
        )

    @property
    def fragment(self) -> SSAValue:
        return self.result

    def verify_(self) -> None:
        verify_access(self.access_shape, self.result.type, self.offset, packs=bool(self.pack))


@diagnosed_op
class Tcgen05LdRedOp(AccessOperation):
    """
    Loads a fragment, and yields the minimum or maximum of what the thread loads as well.

        %v, %max = nvgpu.tcgen05.ld.red %t {op = #nvvm.tcgen05_ld_red<max>,
            shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
            : !nvgpu.tensor_memory -> vector<32xf32>, f32
    """

    name = "nvgpu.tcgen05.ld.red"

    address = operand_def(TensorMemoryType)
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
        verify_reducing_load(self.shape, self.result.type, self.reduced.type)
        verify_access(self.access_shape, self.result.type, self.offset)


@diagnosed_op
class Tcgen05StOp(AccessOperation):
    """
    Stores a fragment, see `nvvm.tcgen05.st`.

        nvgpu.tcgen05.st %t, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>}
            : !nvgpu.tensor_memory, vector<32xf32>
    """

    name = "nvgpu.tcgen05.st"

    address = operand_def(TensorMemoryType)
    value = operand_def(RegisterWords())
    unpack = opt_prop_def(UnitAttr)

    assembly_format = "$address `,` $value attr-dict `:` type($address) `,` type($value)"

    def __init__(
        self,
        address: Value,
        value: Value,
        shape: Tcgen05LdStShape = Tcgen05LdStShape.SHAPE_32X32B,
        *,
        offset: int | None = None,
        unpack: bool = False,
    ):
        super().__init__(
            operands=[address, value],
            properties={
                "shape": Tcgen05LdStShapeAttr(shape),
                "offset": None if offset is None else IntegerAttr(offset, i32),
                "unpack": unit(unpack),
            },
        )

    @property
    def fragment(self) -> SSAValue:
        return self.value

    def verify_(self) -> None:
        verify_access(self.access_shape, self.value.type, self.offset, packs=bool(self.unpack))


# Copies and descriptors


@diagnosed_op
class Tcgen05GenerateDescriptorOp(NvgpuOperation):
    """
    Describes a matrix in shared memory to `tcgen05.mma` and `tcgen05.cp`. Offsets are bytes; see
    `SharedDescriptor` in `targets/tcgen05.py`.

        %desc = nvgpu.tcgen05.generate.descriptor %base {leading_byte_offset = 16 : i64,
            stride_byte_offset = 1024 : i64, swizzle = "128B"} : !llvm.ptr<3> -> i64
    """

    name = "nvgpu.tcgen05.generate.descriptor"

    base = operand_def()
    leading_byte_offset = prop_def(IntegerAttr[I64])
    stride_byte_offset = prop_def(IntegerAttr[I64])
    swizzle = prop_def(Word("swizzle", tuple(MATRIX_SWIZZLES)))
    descriptor = result_def(eq(i64))

    traits = traits_def(Pure())

    assembly_format = "$base attr-dict `:` type($base) `->` type($descriptor)"

    DEFAULTS: ClassVar = {"leading_byte_offset": 16, "swizzle": "128B"}

    def get_constant(self) -> SharedDescriptor:
        """The descriptor of such a matrix at address 0."""
        return SharedDescriptor(
            leading=self.leading_byte_offset.value.data,
            stride=self.stride_byte_offset.value.data,
            swizzle=self.swizzle.data,
        )

    def verify_(self) -> None:
        verify_shared(0, self.base.type)
        if (reason := self.get_constant().why_not()) is not None:
            raise VerifyException(reason)


@diagnosed_op
class Tcgen05CpOp(GroupOperation):
    """
    Copies a matrix that a descriptor describes from shared to tensor memory, see `nvvm.tcgen05.cp`.

        nvgpu.tcgen05.cp %t, %desc {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>,
            multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !nvgpu.tensor_memory, i64
    """

    name = "nvgpu.tcgen05.cp"

    address = operand_def(TensorMemoryType)
    descriptor = operand_def(eq(i64))
    shape = prop_def(Tcgen05CpShapeAttr)
    multicast = opt_prop_def(Tcgen05CpMulticastAttr)
    src_format = opt_prop_def(Tcgen05CpFormatAttr)

    assembly_format = "$address `,` $descriptor attr-dict `:` type($address) `,` type($descriptor)"

    def verify_(self) -> None:
        verify_copy(self.shape, self.multicast)


@diagnosed_op
class Tcgen05ShiftOp(GroupOperation):
    """
    Moves 32 bytes of each lane, but the last, one lane down.

        nvgpu.tcgen05.shift %t : !nvgpu.tensor_memory
    """

    name = "nvgpu.tcgen05.shift"

    address = operand_def(TensorMemoryType)

    assembly_format = "$address attr-dict `:` type($address)"


# MMA


class MmaOperation(GroupOperation, ABC):
    """What MMAs with and without scale factors share."""

    IS_SCALED: ClassVar[bool]

    d = operand_def(TensorMemoryType)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    enable_input_d = operand_def(eq(i1))
    kind = prop_def(Tcgen05MmaKindAttr)
    shape = prop_def(MatrixShapeAttr)
    types = prop_def(ArrayAttr[StringAttr])
    trans_a = opt_prop_def(UnitAttr)
    trans_b = opt_prop_def(UnitAttr)
    negate_a = opt_prop_def(UnitAttr)
    negate_b = opt_prop_def(UnitAttr)
    collector_op = opt_prop_def(Tcgen05CollectorAttr)
    k_steps = opt_prop_def(IntegerAttr[I32])
    a_step = opt_prop_def(IntegerAttr[I64])
    b_step = opt_prop_def(IntegerAttr[I64])

    @property
    def is_a_in_tensor_memory(self) -> bool:
        """Whether A is in tensor memory, and not in shared memory."""
        return isinstance(self.a.type, TensorMemoryType)

    @property
    def mma_kind(self) -> MmaKind:
        return KINDS[self.kind.data.value]

    @property
    def steps(self) -> int:
        """How many instructions this is."""
        return 1 if self.k_steps is None else self.k_steps.value.data

    def get_descriptor(self) -> InstructionDescriptor:
        """The instruction descriptor; raises if types are not those of d, a and b."""
        if len(self.types) != 3:
            raise VerifyException(f"types must be those of d, a and b, but got {self.types}")
        m, n, k = self.shape.extents
        d, a, b = (ty.data for ty in self.types)
        return InstructionDescriptor(
            self.kind.data.value,
            m,
            n,
            a,
            b,
            d,
            trans_a=self.trans_a is not None,
            trans_b=self.trans_b is not None,
            negate_a=self.negate_a is not None,
            negate_b=self.negate_b is not None,
            long_k=self.mma_kind.is_packed and k != self.mma_kind.k,
        )

    def verify_(self) -> None:
        if self.a.type != i64 and not self.is_a_in_tensor_memory:
            raise VerifyException(
                f"A must be a descriptor, 'i64', or in tensor memory, but got '{self.a.type}'"
            )
        verify_kind(self.kind, self.IS_SCALED)
        verify_steps(self.k_steps)
        descriptor = self.get_descriptor()
        verify_descriptor(descriptor, self.group, self.is_a_in_tensor_memory)
        if self.shape.k.data != descriptor.k:
            raise VerifyException(
                f"K of kind::{descriptor.kind} must be {descriptor.k}, but got {self.shape.k.data}"
            )


@diagnosed_op
class Tcgen05MmaOp(MmaOperation):
    """
    One thread issues `d = a * b + d`, or `d = a * b` if `enable_input_d` is false, see
    `nvvm.tcgen05.mma`.

    - `kind`, `shape`, `types`: what is multiplied, the shape of one instruction, and the types of
      d, a and b, as PTX names them
    - `trans_a`, `trans_b`: the matrix is stored with M, or N, innermost
    - `saturate`: sums of kind i8 stop at the ends of s32
    - `k_steps`: so many instructions; A and B grow by `a_step` and `b_step`, in units of 16 bytes,
      or in columns for A in tensor memory; from the second one on, D is added to

        nvgpu.tcgen05.mma %d, %a, %b, %enable {kind = #nvvm.tcgen05_mma_kind<f16>,
            shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"],
            k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64} : !nvgpu.tensor_memory, i64
    """

    name = "nvgpu.tcgen05.mma"
    IS_SCALED: ClassVar = False

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorMemoryType)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    enable_input_d = operand_def(eq(i1))
    mask = opt_operand_def(AnyAttr())
    scale_input_d = opt_prop_def(IntegerAttr[I32])
    a_shift = opt_prop_def(UnitAttr)
    saturate = opt_prop_def(UnitAttr)

    assembly_format = (
        "$d `,` $a `,` $b `,` $enable_input_d (`mask` `=` $mask^ `:` type($mask))? "
        "attr-dict `:` type($d) `,` type($a)"
    )

    def get_descriptor(self) -> InstructionDescriptor:
        return replace(super().get_descriptor(), saturate=self.saturate is not None)

    def verify_(self) -> None:
        super().verify_()
        verify_options(
            self.kind,
            self.group,
            self.mask,
            self.scale_input_d,
            self.a_shift is not None,
            self.is_a_in_tensor_memory,
            self.collector_op,
        )


@diagnosed_op
class Tcgen05MmaBlockScaleOp(MmaOperation):
    """
    One thread issues `d = (a * scale_a) * (b * scale_b) + d`, where blocks of elements along K
    share a scale factor, see `nvvm.tcgen05.mma.block_scale`.

    - `scale_type`: of scale factors, `ue8m0` or `ue4m3`; `block_scale`: elements of a block
    - `scale_a_id`, `scale_b_id`: at which byte of their words the factors of the first instruction
      are; those of each further one are in the next bytes

        nvgpu.tcgen05.mma.block_scale %d, %a, %b, %enable, %sfa, %sfb
            {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, shape = #nvvm.shape<m = 128, n = 128, k = 32>,
            types = ["f32", "e4m3", "e4m3"], scale_type = "ue8m0"} : !nvgpu.tensor_memory, i64
    """

    name = "nvgpu.tcgen05.mma.block_scale"
    IS_SCALED: ClassVar = True

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorMemoryType)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    enable_input_d = operand_def(eq(i1))
    scale_a = operand_def(TensorMemoryType)
    scale_b = operand_def(TensorMemoryType)
    block_scale = opt_prop_def(Tcgen05BlockScaleAttr)
    scale_type = prop_def(Word("type of scale factors", ("ue8m0", "ue4m3")))
    scale_a_id = opt_prop_def(IntegerAttr[I32])
    scale_b_id = opt_prop_def(IntegerAttr[I32])

    assembly_format = (
        "$d `,` $a `,` $b `,` $enable_input_d `,` $scale_a `,` $scale_b "
        "attr-dict `:` type($d) `,` type($a) `,` type($scale_a) `,` type($scale_b)"
    )

    @property
    def block_size(self) -> int:
        """Elements along K that share a scale factor."""
        return get_block_size(self.mma_kind, self.block_scale)

    @property
    def scales(self) -> int:
        """Scale factors of a row that one instruction uses."""
        return self.shape.k.data // self.block_size

    def get_descriptor(self) -> InstructionDescriptor:
        return replace(
            super().get_descriptor(),
            scale=self.scale_type.data,
            scale_a_id=0 if self.scale_a_id is None else self.scale_a_id.value.data,
            scale_b_id=0 if self.scale_b_id is None else self.scale_b_id.value.data,
        )

    def verify_(self) -> None:
        super().verify_()
        verify_scale_type(self.mma_kind, self.block_size, self.scale_type.data)
        descriptor = self.get_descriptor()
        last = self.steps * self.scales + max(descriptor.scale_a_id, descriptor.scale_b_id)
        if last > 4 and self.steps > 1:
            raise VerifyException(
                f"{self.steps} steps use bytes up to {last - 1} of words of four scale factors"
            )


# Cluster launch control


@diagnosed_op
class TryCancelOp(OrderedOperation):
    """
    Asks that a cluster which has not started be canceled, see
    `nvvm.clusterlaunchcontrol.try.cancel`.

        nvgpu.cluster_launch.try_cancel %answer, %bar : !llvm.ptr<3>, !nvgpu.mbarrier
    """

    name = "nvgpu.cluster_launch.try_cancel"

    address = operand_def(SharedPointer)
    barrier = operand_def()
    multicast = opt_prop_def(UnitAttr)

    assembly_format = "$address `,` $barrier attr-dict `:` type($address) `,` type($barrier)"

    def verify_(self) -> None:
        verify_barrier(1, self.barrier.type)
