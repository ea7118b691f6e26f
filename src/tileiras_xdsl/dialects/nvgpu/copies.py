"""Barriers in shared memory and asynchronous copies of `nvgpu`."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final

from xdsl.dialects.builtin import (
    I32,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.nvvm.base import (
    MemScopeAttr,
    SharedPointer,
)
from tileiras_xdsl.targets import tma

from .types import (
    MBarrierGroupType,
    MBarrierType,
    OrderedOperation,
    TensorMapDescriptorType,
    TokenType,
    verify_barrier,
    verify_descriptor,
    verify_global,
    verify_shared,
    verify_token,
)

# Barriers in shared memory


@diagnosed_op
class MBarrierCreateOp(OrderedOperation):
    """
    A barrier, or a group of them, in shared memory of its own.

        %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
    """

    name = "nvgpu.mbarrier.create"

    barrier = result_def(MBarrierType | MBarrierGroupType)

    assembly_format = "attr-dict `:` type($barrier)"

    DEFAULTS: ClassVar = {"barrier_type": MBarrierType()}


class MBarrierOperation(OrderedOperation, ABC):
    """An operation whose first operand is a barrier, `op %bar, … : types`."""

    assembly_format = "operands attr-dict `:` type(operands)"

    def verify_(self) -> None:
        verify_barrier(0, self.operands[0].type)


class MBarrierQuery(MBarrierOperation, ABC):
    """One that yields something, `op %bar, … : types -> type`."""

    assembly_format = "operands attr-dict `:` type(operands) `->` type(results)"


@diagnosed_op
class MBarrierInitOp(MBarrierOperation):
    """
    Sets a barrier up for this many arrivals in each phase.

        nvgpu.mbarrier.init %bar, %count : !nvgpu.mbarrier, i32
    """

    name = "nvgpu.mbarrier.init"

    barrier = operand_def()
    count = operand_def(eq(i32))


@diagnosed_op
class MBarrierArriveOp(MBarrierQuery):
    """
    Arrives on a barrier.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
    """

    name = "nvgpu.mbarrier.arrive"

    barrier = operand_def()
    token = result_def()

    DEFAULTS: ClassVar = {"token_type": TokenType()}

    def verify_(self) -> None:
        super().verify_()
        verify_result_token(self.token.type)


def verify_result_token(ty: Attribute) -> None:
    """Raises if a result is no token."""
    try:
        verify_token(0, ty)
    except VerifyException:
        raise VerifyException(f"result #0 must be a token, but got '{ty}'") from None


@diagnosed_op
class MBarrierArriveNocompleteOp(MBarrierQuery):
    """
    Arrives this many times on a barrier, without completing the phase.

        %tok = nvgpu.mbarrier.arrive.nocomplete %bar, %count
            : !nvgpu.mbarrier, i32 -> !nvgpu.token
    """

    name = "nvgpu.mbarrier.arrive.nocomplete"

    barrier = operand_def()
    count = operand_def(eq(i32))
    token = result_def()

    DEFAULTS: ClassVar = {"token_type": TokenType()}

    def verify_(self) -> None:
        super().verify_()
        verify_result_token(self.token.type)


@diagnosed_op
class MBarrierArriveExpectTxOp(MBarrierOperation):
    """
    Arrives on a barrier, and expects this many bytes in its phase.

        nvgpu.mbarrier.arrive.expect_tx %bar, %bytes : !nvgpu.mbarrier, i32
    """

    name = "nvgpu.mbarrier.arrive.expect_tx"

    barrier = operand_def()
    tx_count = operand_def(eq(i32))


@diagnosed_op
class MBarrierTestWaitOp(MBarrierQuery):
    """
    Whether the phase of an arrival is complete.

        %done = nvgpu.mbarrier.test.wait %bar, %tok : !nvgpu.mbarrier, !nvgpu.token -> i1
    """

    name = "nvgpu.mbarrier.test.wait"

    barrier = operand_def()
    token = operand_def()
    done = result_def(eq(i1))

    def verify_(self) -> None:
        super().verify_()
        verify_token(1, self.token.type)


@diagnosed_op
class MBarrierTryWaitParityOp(MBarrierQuery):
    """
    Waits until the phase of this parity is complete, at most this many nanoseconds.

        %done = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks
            : !nvgpu.mbarrier, i1, i32 -> i1
    """

    name = "nvgpu.mbarrier.try_wait.parity"

    barrier = operand_def()
    phase = operand_def(eq(i1))
    ticks = operand_def(eq(i32))
    done = result_def(eq(i1))


# Tensor copies


def verify_rank(rank: int) -> None:
    """Raises if no tensor map has this rank."""
    if not 1 <= rank <= tma.MAX_RANK:
        raise VerifyException(f"expects 1 to {tma.MAX_RANK} coordinates, but got {rank}")


def verify_strides(dims: int, strides: int) -> None:
    """Raises unless all dimensions but the innermost have a stride."""
    if strides != dims - 1:
        raise VerifyException(
            f"expects {dims - 1} strides for {dims} dimensions, but got {strides}"
        )


@diagnosed_op
class TmaAsyncLoadOp(OrderedOperation):
    """
    TMA load: copies a TMA tile of a tensor to shared memory, and completes its bytes on an
    mbarrier.

        nvgpu.tma.async.load %dst[%x, %y], %bar, %map multicastMask = %mask l2CacheHint = %hint
            : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.async.load"

    dst = operand_def()
    barrier = operand_def()
    descriptor = operand_def()
    coordinates = var_operand_def(eq(i32))
    multicast_mask = opt_operand_def(eq(i16))
    l2_cache_hint = opt_operand_def(eq(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$dst `[` $coordinates `]` `,` $barrier `,` $descriptor "
        "(`multicastMask` `=` $multicast_mask^)? (`l2CacheHint` `=` $l2_cache_hint^)? "
        "attr-dict `:` type($dst) `,` type($barrier) `,` type($descriptor)"
    )

    def verify_(self) -> None:
        verify_shared(0, self.dst.type)
        verify_barrier(1, self.barrier.type)
        verify_descriptor(2, self.descriptor.type)
        verify_rank(len(self.coordinates))


@diagnosed_op
class TmaAsyncStoreOp(OrderedOperation):
    """
    TMA store: copies a TMA tile from shared memory to a tensor.

        nvgpu.tma.async.store %src, %map[%x, %y] l2CacheHint = %hint
            : memref<64x64xf16, 3>, !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.async.store"

    src = operand_def()
    descriptor = operand_def()
    coordinates = var_operand_def(eq(i32))
    l2_cache_hint = opt_operand_def(eq(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$src `,` $descriptor `[` $coordinates `]` (`l2CacheHint` `=` $l2_cache_hint^)? "
        "attr-dict `:` type($src) `,` type($descriptor)"
    )

    def verify_(self) -> None:
        verify_shared(0, self.src.type)
        verify_descriptor(1, self.descriptor.type)
        verify_rank(len(self.coordinates))


@diagnosed_op
class TmaCreateDescriptorOp(OrderedOperation):
    """
    The tensor map of a tensor in global memory and a TMA tile of it. What the type of the result
    does not say (swizzle, interleave, …) has its default.

        %map = nvgpu.tma.create.descriptor %tensor box[%h, %w]
            : memref<*xf16> -> !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.create.descriptor"

    tensor = operand_def()
    box_dimensions = var_operand_def(IndexType)
    descriptor = result_def(TensorMapDescriptorType)

    assembly_format = (
        "$tensor `box` `[` $box_dimensions `]` attr-dict `:` type($tensor) `->` type($descriptor)"
    )

    DEFAULTS: ClassVar = {"descriptor_type": TensorMapDescriptorType()}

    def verify_(self) -> None:
        if not 1 <= len(self.box_dimensions) <= tma.MAX_RANK:
            raise VerifyException(
                f"expects 1 to {tma.MAX_RANK} box dimensions, but got {len(self.box_dimensions)}"
            )


class TmaDescriptorOperation(OrderedOperation, ABC):
    """An operation on a tensor map: `nvgpu.tma.… %map : !nvgpu.tensormap.descriptor`."""

    descriptor = operand_def()

    assembly_format = "$descriptor attr-dict `:` type($descriptor)"

    def verify_(self) -> None:
        verify_descriptor(0, self.descriptor.type)


@diagnosed_op
class TmaPrefetchDescriptorOp(TmaDescriptorOperation):
    """
    Brings a tensor map into the cache.

        nvgpu.tma.prefetch.descriptor %map : !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.prefetch.descriptor"


@diagnosed_op
class TmaFenceDescriptorOp(TmaDescriptorOperation):
    """
    Acquires a tensor map: a proxy fence that makes writes to the map, also those of the host,
    visible to TMA.

        nvgpu.tma.fence.descriptor %map : !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.fence.descriptor"


DYNAMIC_EXTENT: Final = -(1 << 31)
"""Stands for an extent of a box that is an operand."""


@diagnosed_op
class TmaEncodeDescriptorOp(OrderedOperation):
    """
    Writes all fields of a tensor map in shared memory, 128 bytes that were zeros. The innermost
    dimension comes first and has no stride; strides are elements.

    - `box`: the shape of the TMA tile; extents that threads do not have in common are operands,
      for which there is -2147483648 (`DYNAMIC_EXTENT`)
    - `element`: the type of elements, as PTX names it
    - `swizzle`: bytes of the rows of the swizzle atom, none without it
    - `element_strides`: every how many elements of the TMA tile are copied along a dimension, all
      of them without it; the innermost dimension has no gaps
    - `fill_nan`: elements out of bounds read as NaN instead of zero

        nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {
            box = array<i32: 64, 128>, element = "f16", swizzle = 128 : i32} : !llvm.ptr<3>
        nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] box[%rows] {
            box = array<i32: 64, -2147483648>, element = "f16"} : !llvm.ptr<3>
        nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {
            box = array<i32: 128, 128>, element = "u8", element_strides = array<i32: 1, 2>}
            : !llvm.ptr<3>
    """

    name = "nvgpu.tma.encode.descriptor"

    descriptor = operand_def(SharedPointer)
    address = operand_def(eq(i64))
    dims = var_operand_def(eq(i32))
    strides = var_operand_def(eq(i64))
    extents = var_operand_def(eq(i32))
    box = prop_def(DenseArrayBase.constr(i32))
    element = prop_def(StringAttr)
    swizzle = opt_prop_def(IntegerAttr[I32])
    element_strides = opt_prop_def(DenseArrayBase.constr(i32))
    fill_nan = opt_prop_def(UnitAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$descriptor `,` $address `dims` `[` $dims `]` `strides` `[` $strides `]` "
        "(`box` `[` $extents^ `]`)? attr-dict `:` type($descriptor)"
    )

    DEFAULTS: ClassVar = {"extents": ()}

    def get_box(self) -> list[int | SSAValue]:
        """The extents of the TMA tile, those that are known and the others."""
        extents = iter(self.extents)
        return [
            next(extents) if extent == DYNAMIC_EXTENT else int(extent)
            for extent in self.box.get_values()
        ]

    def get_element(self) -> tma.MapElement:
        """The type of elements, which must be one that tensor maps know."""
        element = tma.by_name(self.element.data)
        if element is None:
            raise VerifyException(f"no tensor map has elements of '{self.element.data}'")
        return element

    @property
    def swizzle_bytes(self) -> int:
        return 0 if self.swizzle is None else self.swizzle.value.data

    def get_element_strides(self) -> list[int]:
        """Every how many elements are copied along each dimension."""
        if self.element_strides is None:
            return [1] * len(self.dims)
        return [int(stride) for stride in self.element_strides.get_values()]

    def verify_(self) -> None:
        verify_rank(len(self.dims))
        verify_strides(len(self.dims), len(self.strides))
        element = self.get_element()
        gaps = self.get_element_strides()
        if (
            len(gaps) != len(self.dims)
            or gaps[0] != 1
            or not all(1 <= stride <= tma.MAX_ELEMENT_STRIDE for stride in gaps)
        ):
            raise VerifyException(
                f"element_strides must be {len(self.dims)} numbers from 1 to "
                f"{tma.MAX_ELEMENT_STRIDE}, the first one 1, but got {self.element_strides}"
            )
        box = self.box.get_values()
        known = [extent for extent in box if extent != DYNAMIC_EXTENT]
        if len(box) != len(self.dims) or not all(1 <= extent <= tma.MAX_BOX for extent in known):
            raise VerifyException(
                f"box must have {len(self.dims)} extents from 1 to {tma.MAX_BOX}, but got "
                f"{self.box}"
            )
        if len(box) - len(known) != len(self.extents):
            raise VerifyException(
                f"box has {len(box) - len(known)} dynamic extents, but got {len(self.extents)}"
            )
        if self.fill_nan is not None and not element.is_float:
            raise VerifyException(
                f"only floats can be filled with NaN, but elements are '{self.element.data}'"
            )
        if self.swizzle_bytes not in tma.SWIZZLES:
            sizes = ", ".join(map(str, tma.SWIZZLES))
            raise VerifyException(f"swizzle must be one of {sizes}, but got {self.swizzle_bytes}")


@diagnosed_op
class TmaRebindDescriptorOp(OrderedOperation):
    """
    Points a tensor map, which copies on this device may use, to another tensor. Extents are
    `i32`, strides `i64` bytes, the innermost dimension comes first and has no stride. Without
    `scope`, the whole device can see the map.

        nvgpu.tma.rebind.descriptor %map, %address dims[%d0, %d1] strides[%s1]
            : !nvgpu.tensormap.descriptor, !llvm.ptr<1>
    """

    name = "nvgpu.tma.rebind.descriptor"

    descriptor = operand_def()
    address = operand_def()
    dims = var_operand_def(eq(i32))
    strides = var_operand_def(eq(i64))
    scope = opt_prop_def(MemScopeAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$descriptor `,` $address `dims` `[` $dims `]` `strides` `[` $strides `]` attr-dict `:` "
        "type($descriptor) `,` type($address)"
    )

    def verify_(self) -> None:
        verify_descriptor(0, self.descriptor.type)
        if self.address.type != i64:
            verify_global(1, self.address.type)
        verify_rank(len(self.dims))
        verify_strides(len(self.dims), len(self.strides))


# Copies of elements


@diagnosed_op
class DeviceAsyncCopyOp(OrderedOperation):
    """
    Copies this many bytes from global to shared memory; `bypassL1` keeps them out of its cache.

        %tok = nvgpu.device_async_copy %src, %dst, %size
            : memref<1024xf32, 1>, memref<1024xf32, 3>, i32 -> !nvgpu.token
    """

    name = "nvgpu.device_async_copy"

    src = operand_def()
    dst = operand_def()
    size = operand_def(eq(i32))
    bypass_l1 = opt_prop_def(UnitAttr, prop_name="bypassL1")
    token = result_def()

    assembly_format = (
        "$src `,` $dst `,` $size attr-dict `:` "
        "type($src) `,` type($dst) `,` type($size) `->` type($token)"
    )

    DEFAULTS: ClassVar = {"token_type": TokenType()}

    def verify_(self) -> None:
        verify_result_token(self.token.type)
        verify_global(0, self.src.type)
        verify_shared(1, self.dst.type)


@diagnosed_op
class DeviceAsyncCreateGroupOp(OrderedOperation):
    """
    Commits the copies issued so far as a group; the tokens are documentation.

        %group = nvgpu.device_async_create_group %t0, %t1
            : (!nvgpu.token, !nvgpu.token) -> !nvgpu.token
    """

    name = "nvgpu.device_async_create_group"

    tokens = var_operand_def()
    group = result_def()

    assembly_format = "$tokens attr-dict `:` functional-type($tokens, results)"

    DEFAULTS: ClassVar = {"group_type": TokenType()}

    def verify_(self) -> None:
        for index, token in enumerate(self.tokens):
            verify_token(index, token.type)
        verify_result_token(self.group.type)


@diagnosed_op
class DeviceAsyncWaitOp(OrderedOperation):
    """
    Waits until at most `numGroups` groups, without it none, are in flight; the token is
    documentation, and may be left out if `numGroups` is there.

        nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
    """

    name = "nvgpu.device_async_wait"

    group = opt_operand_def()
    num_groups = opt_prop_def(IntegerAttr[I32], prop_name="numGroups")

    assembly_format = "($group^)? attr-dict (`:` type($group)^)?"

    def verify_(self) -> None:
        if self.group is not None:
            verify_token(0, self.group.type)
        elif self.num_groups is None:
            # Its text would take the result that follows it for a token.
            raise VerifyException("without a token, needs numGroups")
        if self.num_groups is not None and self.num_groups.value.data < 0:
            raise VerifyException(
                f"numGroups must not be negative, but got {self.num_groups.value.data}"
            )
