"""Barriers in shared memory and asynchronous copies of `nvgpu`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Final

from xdsl.dialects.builtin import (
    I32,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    VectorType,
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
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, init_plain
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.nvvm.barriers import verify_proxy
from tileiras_xdsl.dialects.nvvm.base import (
    GLOBAL_POINTER,
    SHARED_POINTER,
    GlobalPointer,
    MemScope,
    MemScopeAttr,
    ProxyKindAttr,
    ReductionKindAttr,
    SharedPointer,
    SharedSpaceAttr,
)
from tileiras_xdsl.dialects.nvvm.copies import verify_groups, verify_leader
from tileiras_xdsl.dialects.nvvm.fragments import MaskOrBytes, count_lanes
from tileiras_xdsl.dialects.nvvm.tcgen05_attributes import CtaGroupAttr
from tileiras_xdsl.targets.tma import (
    MAX_BOX,
    MAX_ELEMENT_STRIDE,
    MAX_RANK,
    SWIZZLES,
    MapElement,
    by_name,
)

from .base import NvgpuOperation, OrderedOperation, PlainOperation
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

    def __init__(self, ty: MBarrierType | MBarrierGroupType | None = None):
        super().__init__(result_types=[MBarrierType() if ty is None else ty])


@diagnosed_op
class MBarrierAtOp(NvgpuOperation):
    """
    The mbarrier at an address in shared memory, such as one of a multi-stage buffer.

        %bar = nvgpu.mbarrier.at %p : !llvm.ptr<3> -> !nvgpu.mbarrier
    """

    name = "nvgpu.mbarrier.at"

    address = operand_def(SharedPointer)
    barrier = result_def(MBarrierType)

    traits = traits_def(Pure())

    assembly_format = "$address attr-dict `:` type($address) `->` type($barrier)"

    def __init__(self, address: Value):
        init_plain(self, [address], [MBarrierType()])


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


@diagnosed_op
class MBarrierInitFenceOp(PlainOperation):
    """Shows new barriers to the cluster and to copies: `nvgpu.mbarrier.init.fence`."""

    name = "nvgpu.mbarrier.init.fence"


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


def verify_result_token(ty: Attribute) -> None:
    """Raises if a result is no token."""
    try:
        verify_token(0, ty)
    except VerifyException:
        raise VerifyException(f"result #0 must be a token, but got '{ty}'") from None


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


@diagnosed_op
class MBarrierArriveRemoteOp(MBarrierOperation):
    """
    Arrives so many times on the mbarrier at the same offset in another CTA of the cluster.
    `relaxed` orders nothing; `scope` is that of the release, the CTA without it.

        nvgpu.mbarrier.arrive.remote %bar, %rank, %count {scope = #nvvm.mem_scope<cluster>}
            : !nvgpu.mbarrier, i32, i32
    """

    name = "nvgpu.mbarrier.arrive.remote"

    barrier = operand_def()
    rank = operand_def(eq(i32))
    count = operand_def(eq(i32))
    scope = opt_prop_def(MemScopeAttr)
    relaxed = opt_prop_def(UnitAttr)

    assembly_format = (
        "$barrier `,` $rank `,` $count attr-dict `:` "
        "type($barrier) `,` type($rank) `,` type($count)"
    )


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

    def verify_(self) -> None:
        super().verify_()
        verify_token(1, self.token.type)


@diagnosed_op
class MBarrierTryWaitParityOp(MBarrierOperation):
    """
    Waits until the phase of this parity is complete, at most so many nanoseconds. `scope` is that
    of the acquire, the CTA without it.

        %done = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks
            : !nvgpu.mbarrier, i1, i32 -> i1
    """

    name = "nvgpu.mbarrier.try_wait.parity"

    barrier = operand_def()
    phase = operand_def(eq(i1))
    ticks = operand_def(eq(i32))
    scope = opt_prop_def(MemScopeAttr)
    done = result_def(eq(i1))

    assembly_format = (
        "$barrier `,` $phase `,` $ticks attr-dict `:` "
        "type($barrier) `,` type($phase) `,` type($ticks) `->` type($done)"
    )


@diagnosed_op
class FenceProxyOp(OrderedOperation):
    """
    A proxy fence: orders accesses of the generic proxy with those of another one, such as TMA
    copies of the async proxy. `space` says whose shared memory `async.shared` means.

        nvgpu.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    """

    name = "nvgpu.fence.proxy"

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)

    assembly_format = "attr-dict"

    def verify_(self) -> None:
        verify_proxy(self.kind, self.space)


# Tensor copies


def verify_rank(rank: int) -> None:
    """Raises if no tensor map has this rank."""
    if not 1 <= rank <= MAX_RANK:
        raise VerifyException(f"expects 1 to {MAX_RANK} coordinates, but got {rank}")


def verify_strides(dims: int, strides: int) -> None:
    """Raises unless all dimensions but the innermost have a stride."""
    if strides != dims - 1:
        raise VerifyException(
            f"expects {dims - 1} strides for {dims} dimensions, but got {strides}"
        )


class TmaLoadOperation(OrderedOperation):
    """A TMA load to shared memory, which completes its bytes on an mbarrier."""

    dst = operand_def()
    barrier = operand_def()
    descriptor = operand_def()
    coordinates = var_operand_def(eq(i32))
    multicast_mask = opt_operand_def(eq(i16))
    l2_cache_hint = opt_operand_def(eq(i64))
    group = opt_prop_def(CtaGroupAttr)
    leader_barrier = opt_prop_def(UnitAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def verify_(self) -> None:
        verify_shared(0, self.dst.type)
        verify_barrier(1, self.barrier.type)
        verify_descriptor(2, self.descriptor.type)
        verify_leader(self.leader_barrier, self.group)


@diagnosed_op
class TmaAsyncLoadOp(TmaLoadOperation):
    """
    TMA load: copies a TMA tile of a tensor to shared memory, and completes its bytes on an
    mbarrier. With `group`, that may be one of the other CTA of a pair; `leader_barrier` means the
    one at the same offset in the pair's even CTA.

        nvgpu.tma.async.load %dst[%x, %y], %bar, %map multicastMask = %mask l2CacheHint = %hint
            : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.async.load"

    assembly_format = (
        "$dst `[` $coordinates `]` `,` $barrier `,` $descriptor "
        "(`multicastMask` `=` $multicast_mask^)? (`l2CacheHint` `=` $l2_cache_hint^)? "
        "attr-dict `:` type($dst) `,` type($barrier) `,` type($descriptor)"
    )

    def verify_(self) -> None:
        super().verify_()
        verify_rank(len(self.coordinates))


ROWS = 4
"""Rows of a TMA gather or scatter."""


@diagnosed_op
class TmaGather4Op(TmaLoadOperation):
    """
    TMA load of four rows of a matrix that lie anywhere, one after the other in shared memory. The
    box of the tensor map has one row. See `tma.async.load`.

        nvgpu.tma.gather4 %dst, %bar, %map[%x, %r0, %r1, %r2, %r3]
            : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
    """

    name = "nvgpu.tma.gather4"

    assembly_format = (
        "$dst `,` $barrier `,` $descriptor `[` $coordinates `]` "
        "(`multicastMask` `=` $multicast_mask^)? (`l2CacheHint` `=` $l2_cache_hint^)? "
        "attr-dict `:` type($dst) `,` type($barrier) `,` type($descriptor)"
    )

    def verify_(self) -> None:
        super().verify_()
        verify_rows(len(self.coordinates))


def verify_rows(coordinates: int) -> None:
    """Raises unless coordinates are a column and four rows."""
    if coordinates != 1 + ROWS:
        raise VerifyException(f"expects a column and {ROWS} rows, but got {coordinates} values")


class TmaStoreOperation(OrderedOperation, ABC):
    """A TMA operation from shared memory to a tensor: `nvgpu.… %src, %map[%x, %y]`."""

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
class TmaAsyncStoreOp(TmaStoreOperation):
    """
    TMA store: copies a TMA tile from shared memory to a tensor.

        nvgpu.tma.async.store %src, %map[%x, %y] l2CacheHint = %hint
            : memref<64x64xf16, 3>, !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.async.store"


@diagnosed_op
class TmaScatter4Op(TmaStoreOperation):
    """
    TMA store of four rows to rows of a matrix that lie anywhere, see `tma.gather4`.

        nvgpu.tma.scatter4 %src, %map[%x, %r0, %r1, %r2, %r3] : !llvm.ptr<3>, !llvm.ptr
    """

    name = "nvgpu.tma.scatter4"

    def verify_(self) -> None:
        verify_shared(0, self.src.type)
        verify_descriptor(1, self.descriptor.type)
        verify_rows(len(self.coordinates))


@diagnosed_op
class TmaReduceOp(TmaStoreOperation):
    """
    TMA reduction: combines a TMA tile in shared memory with a tensor, each element atomically.

        nvgpu.tma.reduce %src, %map[%x, %y] {red_op = #nvvm.tma_redux_kind<add>}
            : !llvm.ptr<3>, !llvm.ptr
    """

    name = "nvgpu.tma.reduce"

    red_op = prop_def(ReductionKindAttr)


@diagnosed_op
class TmaCommitGroupOp(PlainOperation):
    """Commits the stores and reductions issued so far as a bulk group: `nvgpu.tma.commit_group`."""

    name = "nvgpu.tma.commit_group"


@diagnosed_op
class TmaWaitGroupOp(OrderedOperation):
    """
    Waits until at most so many bulk groups are in flight; with `read` only until the others have
    read their source.

        nvgpu.tma.wait_group 0 {read}
    """

    name = "nvgpu.tma.wait_group"

    groups = prop_def(IntegerAttr[I32])
    read = opt_prop_def(UnitAttr)

    assembly_format = "$groups attr-dict"

    def verify_(self) -> None:
        verify_groups(self.groups)


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
        if not 1 <= len(self.box_dimensions) <= MAX_RANK:
            raise VerifyException(
                f"expects 1 to {MAX_RANK} box dimensions, but got {len(self.box_dimensions)}"
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
    Acquires a tensor map: a proxy fence that makes writes to the map visible to TMA. `scope` is
    that of the writers; without it, these may be the host.

        nvgpu.tma.fence.descriptor %map : !nvgpu.tensormap.descriptor
    """

    name = "nvgpu.tma.fence.descriptor"

    scope = opt_prop_def(MemScopeAttr)


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

    def get_element(self) -> MapElement:
        """The type of elements, which must be one that tensor maps know."""
        element = by_name(self.element.data)
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
            or not all(1 <= stride <= MAX_ELEMENT_STRIDE for stride in gaps)
        ):
            raise VerifyException(
                f"element_strides must be {len(self.dims)} numbers from 1 to {MAX_ELEMENT_STRIDE}, "
                f"the first one 1, but got {self.element_strides}"
            )
        box = self.box.get_values()
        known = [extent for extent in box if extent != DYNAMIC_EXTENT]
        if len(box) != len(self.dims) or not all(1 <= extent <= MAX_BOX for extent in known):
            raise VerifyException(
                f"box must have {len(self.dims)} extents from 1 to {MAX_BOX}, but got {self.box}"
            )
        if len(box) - len(known) != len(self.extents):
            raise VerifyException(
                f"box has {len(box) - len(known)} dynamic extents, but got {len(self.extents)}"
            )
        if self.fill_nan is not None and not element.is_float:
            raise VerifyException(
                f"only floats can be filled with NaN, but elements are '{self.element.data}'"
            )
        if self.swizzle_bytes not in SWIZZLES:
            sizes = ", ".join(map(str, SWIZZLES))
            raise VerifyException(f"swizzle must be one of {sizes}, but got {self.swizzle_bytes}")


@diagnosed_op
class TmaPublishDescriptorOp(OrderedOperation):
    """
    A warp copies a tensor map from shared to global memory, and releases it there; copies see it
    after a `tma.fence.descriptor`.

        nvgpu.tma.publish.descriptor %dst, %src {scope = #nvvm.mem_scope<gpu>}
            : !llvm.ptr<1>, !llvm.ptr<3>
    """

    name = "nvgpu.tma.publish.descriptor"

    dst = operand_def(GlobalPointer)
    src = operand_def(SharedPointer)
    scope = prop_def(MemScopeAttr)

    assembly_format = "$dst `,` $src attr-dict `:` type($dst) `,` type($src)"

    DEFAULTS: ClassVar = {"scope": MemScope.GPU}


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
    Copies so many bytes from global to shared memory; `bypassL1` keeps them out of its cache.

        %tok = nvgpu.device_async_copy %src, %dst, %size
            : memref<1024xf32, 1>, memref<1024xf32, 3>, i32 -> !nvgpu.token

    Vectors of pointers are several copies, of 4, 8 or 16 bytes each. Where the mask is false,
    zeros are written. A mask of i32 says how many bytes of a copy are read; the others are zeros.

        %tok = nvgpu.device_async_copy %src, %dst, %size mask(%m : vector<4xi1>)
            : vector<4x!llvm.ptr<1>>, vector<4x!llvm.ptr<3>>, i32 -> !nvgpu.token
    """

    name = "nvgpu.device_async_copy"

    src = operand_def()
    dst = operand_def()
    size = operand_def(eq(i32))
    mask = opt_operand_def(MaskOrBytes)
    bypass_l1 = opt_prop_def(UnitAttr, prop_name="bypassL1")
    token = result_def()

    assembly_format = (
        "$src `,` $dst `,` $size (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` "
        "type($src) `,` type($dst) `,` type($size) `->` type($token)"
    )

    DEFAULTS: ClassVar = {"token_type": TokenType()}

    @property
    def has_pieces(self) -> bool:
        """Whether it is several copies."""
        return isinstance(self.dst.type, VectorType)

    def verify_(self) -> None:
        verify_result_token(self.token.type)
        if not self.has_pieces:
            verify_global(0, self.src.type)
            verify_shared(1, self.dst.type)
            if self.mask is not None:
                raise VerifyException("only copies of several pieces have a mask")
            return
        pieces = count_lanes(self.dst.type)
        wanted = (VectorType(pointer, [pieces]) for pointer in (GLOBAL_POINTER, SHARED_POINTER))
        for index, ty in enumerate(wanted):
            if self.operands[index].type != ty:
                raise VerifyException(
                    f"operand #{index} must be '{ty}', but got '{self.operands[index].type}'"
                )
        if self.mask is not None and count_lanes(self.mask.type) != pieces:
            raise VerifyException(f"expects a mask of {pieces} pieces, but got '{self.mask.type}'")


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

    def __init__(self, tokens: Sequence[Value], token_type: Attribute | None = None):
        super().__init__(operands=[tokens], result_types=[token_type or TokenType()])

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
