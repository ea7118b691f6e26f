"""Barriers in shared memory and asynchronous copies of `nvgpu`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import I32, IndexType, IntegerAttr, UnitAttr, i1, i16, i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, unit
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.nvvm import MemScope, MemScopeAttr
from tileiras_xdsl.targets.tma import MAX_RANK

from .base import OrderedOperation
from .types import (
    MBarrierGroupType,
    MBarrierType,
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

    def __init__(self, type: MBarrierType | MBarrierGroupType | None = None):
        super().__init__(result_types=[MBarrierType() if type is None else type])


class MBarrierOperation(OrderedOperation, ABC):
    """An operation whose first operand is a barrier."""

    def verify_(self) -> None:
        verify_barrier(0, self.operands[0].type)


@diagnosed_op
class MBarrierInitOp(MBarrierOperation):
    """
    Sets a barrier up for so many arrivals in each phase.

        nvgpu.mbarrier.init %bar, %count : !nvgpu.mbarrier, i32
    """

    name = "nvgpu.mbarrier.init"

    barrier = operand_def()
    count = operand_def(eq(i32))

    assembly_format = "$barrier `,` $count attr-dict `:` type($barrier) `,` type($count)"

    def __init__(self, barrier: Value, count: Value):
        super().__init__(operands=[barrier, count])


@diagnosed_op
class MBarrierArriveOp(MBarrierOperation):
    """
    Arrives on a barrier.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
    """

    name = "nvgpu.mbarrier.arrive"

    barrier = operand_def()
    token = result_def()

    assembly_format = "$barrier attr-dict `:` type($barrier) `->` type($token)"

    def __init__(self, barrier: Value, token_type: Attribute | None = None):
        super().__init__(operands=[barrier], result_types=[token_type or TokenType()])

    def verify_(self) -> None:
        super().verify_()
        verify_result_token(self.token.type)


def verify_result_token(type: Attribute) -> None:
    """Raises if a result is no token."""
    try:
        verify_token(0, type)
    except VerifyException:
        raise VerifyException(f"result #0 must be a token, but got '{type}'") from None


@diagnosed_op
class MBarrierArriveNocompleteOp(MBarrierOperation):
    """
    Arrives so many times on a barrier, without completing the phase.

        %tok = nvgpu.mbarrier.arrive.nocomplete %bar, %count
            : !nvgpu.mbarrier, i32 -> !nvgpu.token
    """

    name = "nvgpu.mbarrier.arrive.nocomplete"

    barrier = operand_def()
    count = operand_def(eq(i32))
    token = result_def()

    assembly_format = (
        "$barrier `,` $count attr-dict `:` type($barrier) `,` type($count) `->` type($token)"
    )

    def __init__(self, barrier: Value, count: Value, token_type: Attribute | None = None):
        super().__init__(operands=[barrier, count], result_types=[token_type or TokenType()])

    def verify_(self) -> None:
        super().verify_()
        verify_result_token(self.token.type)


@diagnosed_op
class MBarrierArriveExpectTxOp(MBarrierOperation):
    """
    Arrives on a barrier, and expects so many bytes in its phase.

        nvgpu.mbarrier.arrive.expect_tx %bar, %bytes : !nvgpu.mbarrier, i32
    """

    name = "nvgpu.mbarrier.arrive.expect_tx"

    barrier = operand_def()
    tx_count = operand_def(eq(i32))

    assembly_format = "$barrier `,` $tx_count attr-dict `:` type($barrier) `,` type($tx_count)"

    def __init__(self, barrier: Value, tx_count: Value):
        super().__init__(operands=[barrier, tx_count])


@diagnosed_op
class MBarrierTestWaitOp(MBarrierOperation):
    """
    Whether the phase of an arrival is complete.

        %done = nvgpu.mbarrier.test.wait %bar, %tok : !nvgpu.mbarrier, !nvgpu.token -> i1
    """

    name = "nvgpu.mbarrier.test.wait"

    barrier = operand_def()
    token = operand_def()
    done = result_def(eq(i1))

    assembly_format = (
        "$barrier `,` $token attr-dict `:` type($barrier) `,` type($token) `->` type($done)"
    )

    def __init__(self, barrier: Value, token: Value):
        super().__init__(operands=[barrier, token], result_types=[i1])

    def verify_(self) -> None:
        super().verify_()
        verify_token(1, self.token.type)


@diagnosed_op
class MBarrierTryWaitParityOp(MBarrierOperation):
    """
    Waits for the end of the phase of this parity, at most so many nanoseconds.

        %done = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks
            : !nvgpu.mbarrier, i1, i32 -> i1
    """

    name = "nvgpu.mbarrier.try_wait.parity"

    barrier = operand_def()
    phase = operand_def(eq(i1))
    ticks = operand_def(eq(i32))
    done = result_def(eq(i1))

    assembly_format = (
        "$barrier `,` $phase `,` $ticks attr-dict `:` "
        "type($barrier) `,` type($phase) `,` type($ticks) `->` type($done)"
    )

    def __init__(self, barrier: Value, phase: Value, ticks: Value):
        super().__init__(operands=[barrier, phase, ticks], result_types=[i1])


# Tensor copies


def verify_rank(rank: int) -> None:
    """Raises if no tensor map has this rank."""
    if not 1 <= rank <= MAX_RANK:
        raise VerifyException(f"expects 1 to {MAX_RANK} coordinates, but got {rank}")


@diagnosed_op
class TmaAsyncLoadOp(OrderedOperation):
    """
    Copies a box of a tensor to shared memory, and completes its bytes on a barrier.

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

    def __init__(
        self,
        dst: Value,
        barrier: Value,
        descriptor: Value,
        coordinates: Sequence[Value],
        multicast_mask: Value | None = None,
        l2_cache_hint: Value | None = None,
    ):
        super().__init__(
            operands=[dst, barrier, descriptor, coordinates, multicast_mask, l2_cache_hint]
        )

    def verify_(self) -> None:
        verify_shared(0, self.dst.type)
        verify_barrier(1, self.barrier.type)
        verify_descriptor(2, self.descriptor.type)
        verify_rank(len(self.coordinates))


@diagnosed_op
class TmaAsyncStoreOp(OrderedOperation):
    """
    Copies a box in shared memory to a tensor.

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

    def __init__(
        self,
        src: Value,
        descriptor: Value,
        coordinates: Sequence[Value],
        l2_cache_hint: Value | None = None,
    ):
        super().__init__(operands=[src, descriptor, coordinates, l2_cache_hint])

    def verify_(self) -> None:
        verify_shared(0, self.src.type)
        verify_descriptor(1, self.descriptor.type)
        verify_rank(len(self.coordinates))


@diagnosed_op
class TmaCreateDescriptorOp(OrderedOperation):
    """
    Describes a tensor in global memory and the boxes that copies take from it. What is not
    said by the type of the result (swizzle, interleave, …) is its default.

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

    def __init__(
        self,
        tensor: Value,
        box_dimensions: Sequence[Value],
        descriptor_type: TensorMapDescriptorType | None = None,
    ):
        super().__init__(
            operands=[tensor, box_dimensions],
            result_types=[descriptor_type or TensorMapDescriptorType()],
        )

    def verify_(self) -> None:
        if not 1 <= len(self.box_dimensions) <= MAX_RANK:
            raise VerifyException(
                f"expects 1 to {MAX_RANK} box dimensions, but got {len(self.box_dimensions)}"
            )


class TmaDescriptorOperation(OrderedOperation, ABC):
    """An operation on a tensor map: `nvgpu.tma.… %map : !nvgpu.tensormap.descriptor`."""

    descriptor = operand_def()

    assembly_format = "$descriptor attr-dict `:` type($descriptor)"

    def __init__(self, descriptor: Value):
        super().__init__(operands=[descriptor])

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
    Shows what was written to a tensor map to copies.

        nvgpu.tma.fence.descriptor %map : !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.fence.descriptor"


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

    def __init__(
        self,
        descriptor: Value,
        address: Value,
        dims: Sequence[Value],
        strides: Sequence[Value],
        scope: MemScope | None = None,
    ):
        super().__init__(
            operands=[descriptor, address, dims, strides],
            properties={"scope": None if scope is None else MemScopeAttr(scope)},
        )

    def verify_(self) -> None:
        verify_descriptor(0, self.descriptor.type)
        if self.address.type != i64:
            verify_global(1, self.address.type)
        verify_rank(len(self.dims))
        if len(self.strides) != len(self.dims) - 1:
            raise VerifyException(
                f"expects {len(self.dims) - 1} strides for {len(self.dims)} dimensions, "
                f"but got {len(self.strides)}"
            )


# Copies of elements


@diagnosed_op
class DeviceAsyncCopyOp(OrderedOperation):
    """
    Copies so many bytes from global to shared memory; `bypassL1` keeps them out of its cache.

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

    def __init__(
        self,
        src: Value,
        dst: Value,
        size: Value,
        *,
        bypass_l1: bool = False,
        token_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[src, dst, size],
            properties={"bypassL1": unit(bypass_l1)},
            result_types=[token_type or TokenType()],
        )

    def verify_(self) -> None:
        verify_global(0, self.src.type)
        verify_shared(1, self.dst.type)
        verify_result_token(self.token.type)


@diagnosed_op
class DeviceAsyncCreateGroupOp(OrderedOperation):
    """
    Makes a group of the copies issued so far; the tokens are for the reader.

        %group = nvgpu.device_async_create_group %t0, %t1
            : (!nvgpu.token, !nvgpu.token) -> !nvgpu.token
    """

    name = "nvgpu.device_async_create_group"

    tokens = var_operand_def()
    group = result_def()

    assembly_format = "$tokens attr-dict `:` functional-type($tokens, results)"

    def __init__(self, tokens: Sequence[Value], token_type: Attribute | None = None):
        super().__init__(operands=[tokens], result_types=[token_type or TokenType()])

    def verify_(self) -> None:
        for index, token in enumerate(self.tokens):
            verify_token(index, token.type)
        verify_result_token(self.group.type)


@diagnosed_op
class DeviceAsyncWaitOp(OrderedOperation):
    """
    Waits until at most `numGroups` groups, without it none, are under way.

        nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
    """

    name = "nvgpu.device_async_wait"

    group = operand_def()
    num_groups = opt_prop_def(IntegerAttr[I32], prop_name="numGroups")

    assembly_format = "$group attr-dict `:` type($group)"

    def __init__(self, group: Value, num_groups: int | None = None):
        super().__init__(
            operands=[group],
            properties={"numGroups": None if num_groups is None else IntegerAttr(num_groups, i32)},
        )

    def verify_(self) -> None:
        verify_token(0, self.group.type)
        if self.num_groups is not None and self.num_groups.value.data < 0:
            raise VerifyException(
                f"numGroups must not be negative, but got {self.num_groups.value.data}"
            )
