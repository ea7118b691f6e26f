"""
Barriers and fences of `nvvm`.

An mbarrier is 64 bits in shared memory that count arrivals: it begins in phase 0, and whenever as
many arrivals and bytes are in as the phase expects, the phase is complete and the next one begins.
A wait names a phase by its parity, so a waiter may be at most one phase behind.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType, UnitAttr, VectorType, i1, i32, i64
from xdsl.ir import Attribute
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
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import EnumAttr, TypeOf, diagnosed_op
from tileiras_xdsl.targets import tma

from .base import (
    SHARED_POINTER,
    BarrierReduction,
    BarrierReductionAttr,
    ClusterPointer,
    GlobalPointer,
    MemScope,
    MemScopeAttr,
    NvvmOperation,
    OrderedOperation,
    PlainOperation,
    ProxyKind,
    ProxyKindAttr,
    SharedPointer,
    SharedSpaceAttr,
    TensorMapField,
    TensorMapFieldAttr,
    TensorMapPointer,
)
from .tcgen05 import CancelQuery, CancelQueryAttr

# Barriers of a CTA, a warp and a cluster


@diagnosed_op
class BarSyncAlignedOp(OrderedOperation):
    """
    A barrier of all threads of the CTA; the threads of a warp execute it together.

        nvvm.bar.sync.aligned %c0 : i32
    """

    name = "nvvm.bar.sync.aligned"

    barrier = operand_def(eq(i32))

    assembly_format = "$barrier attr-dict `:` type($barrier)"


@diagnosed_op
class Barrier0Op(PlainOperation):
    """
    `nvvm.bar.sync.aligned` with barrier 0.

        nvvm.barrier0
    """

    name = "nvvm.barrier0"


def reduction_type(reduction: EnumAttr[BarrierReduction] | None) -> Attribute | None:
    """The type of what a barrier yields, if anything."""
    if reduction is None:
        return None
    return i32 if reduction.data is BarrierReduction.POPC else i1


@diagnosed_op
class BarrierOp(OrderedOperation):
    """
    A named barrier of this many threads, or of all of the CTA, optionally with a reduction of a
    predicate of all threads. `unaligned`: the threads of a warp may execute it one by one.

        nvvm.barrier id = %id number_of_threads = %n
        %all = nvvm.barrier id = %id reduction = and %p -> i1
    """

    name = "nvvm.barrier"

    id = opt_operand_def(eq(i32))
    thread_count = opt_operand_def(eq(i32))
    predicate = opt_operand_def(eq(i1))
    reduction = opt_prop_def(BarrierReductionAttr)
    unaligned = opt_prop_def(UnitAttr)
    result = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "(`id` `=` $id^)? (`number_of_threads` `=` $thread_count^)? "
        "(`reduction` `=` $reduction^ $predicate)? attr-dict (`->` type($result)^)?"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("reduction", reduction_type)}

    def verify_(self) -> None:
        if self.thread_count is not None and self.id is None:
            raise VerifyException("a number of threads needs the id of a barrier")
        if self.reduction is None:
            if self.predicate is not None or self.result is not None:
                raise VerifyException("a predicate and a result need a reduction")
            return
        if self.predicate is None or self.result is None:
            raise VerifyException("a reduction needs a predicate and a result")
        expected = reduction_type(self.reduction)
        if self.result.type != expected:
            raise VerifyException(
                f"reduction '{self.reduction.data}' yields '{expected}', "
                f"but the result is '{self.result.type}'"
            )


@diagnosed_op
class BarrierArriveOp(OrderedOperation):
    """
    Arrives at a named barrier without waiting; `number_of_threads` counts those that arrive or
    wait.

        nvvm.barrier.arrive id = %id number_of_threads = %n
    """

    name = "nvvm.barrier.arrive"

    id = operand_def(eq(i32))
    thread_count = operand_def(eq(i32))
    unaligned = opt_prop_def(UnitAttr)

    assembly_format = "`id` `=` $id `number_of_threads` `=` $thread_count attr-dict"


@diagnosed_op
class BarWarpSyncOp(OrderedOperation):
    """
    A barrier of the lanes of a mask.

        nvvm.bar.warp.sync %mask : i32
    """

    name = "nvvm.bar.warp.sync"

    mask = operand_def(eq(i32))

    assembly_format = "$mask attr-dict `:` type($mask)"


class ClusterBarrierOp(OrderedOperation, ABC):
    """An operation on the barrier of the cluster; `aligned`: all threads of a warp execute it."""

    aligned = opt_prop_def(UnitAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class ClusterArriveOp(ClusterBarrierOp):
    """Arrives at the barrier of the cluster, releasing: `nvvm.cluster.arrive {aligned}`."""

    name = "nvvm.cluster.arrive"


@diagnosed_op
class ClusterArriveRelaxedOp(ClusterBarrierOp):
    """Arrives at the barrier of the cluster: `nvvm.cluster.arrive.relaxed {aligned}`."""

    name = "nvvm.cluster.arrive.relaxed"


@diagnosed_op
class ClusterWaitOp(ClusterBarrierOp):
    """Waits for all threads of the cluster: `nvvm.cluster.wait {aligned}`."""

    name = "nvvm.cluster.wait"


# Barriers in shared memory


class MBarrierOperation(OrderedOperation, ABC):
    """An operation on one barrier in shared memory, `op %slot, … : types`."""

    assembly_format = "operands attr-dict `:` type(operands)"


class MBarrierQuery(MBarrierOperation, ABC):
    """One that yields something, `op %slot, … : types -> type`."""

    assembly_format = "operands attr-dict `:` type(operands) `->` type(results)"


@diagnosed_op
class MBarrierInitSharedOp(MBarrierOperation):
    """
    Makes a barrier in phase 0 that expects `count` arrivals in each phase.

        nvvm.mbarrier.init.shared %slot, %n : !llvm.ptr<3>, i32
    """

    name = "nvvm.mbarrier.init.shared"

    address = operand_def(SharedPointer)
    count = operand_def(eq(i32))


@diagnosed_op
class MBarrierInvalSharedOp(MBarrierOperation):
    """
    Ends a barrier, so that its memory can serve other purposes.

        nvvm.mbarrier.inval.shared %slot : !llvm.ptr<3>
    """

    name = "nvvm.mbarrier.inval.shared"

    address = operand_def(SharedPointer)


@diagnosed_op
class MBarrierArriveSharedOp(MBarrierQuery):
    """
    Arrives on a barrier; yields the state before that.

        %state = nvvm.mbarrier.arrive.shared %slot : !llvm.ptr<3> -> i64
    """

    name = "nvvm.mbarrier.arrive.shared"

    address = operand_def(SharedPointer)
    state = result_def(eq(i64))


@diagnosed_op
class MBarrierArriveNocompleteSharedOp(MBarrierQuery):
    """
    Arrives `count` times, which may not complete the phase; yields the state before that.

        %state = nvvm.mbarrier.arrive.nocomplete.shared %slot, %n : !llvm.ptr<3>, i32 -> i64
    """

    name = "nvvm.mbarrier.arrive.nocomplete.shared"

    address = operand_def(SharedPointer)
    count = operand_def(eq(i32))
    state = result_def(eq(i64))


@diagnosed_op
class MBarrierArriveExpectTxSharedOp(MBarrierOperation):
    """
    Expects `tx_count` more bytes in this phase, and arrives.

        nvvm.mbarrier.arrive.expect_tx.shared %slot, %bytes : !llvm.ptr<3>, i32
    """

    name = "nvvm.mbarrier.arrive.expect_tx.shared"

    address = operand_def(SharedPointer)
    tx_count = operand_def(eq(i32))


@diagnosed_op
class MBarrierExpectTxSharedOp(MBarrierOperation):
    """
    Expects `tx_count` more bytes in this phase.

        nvvm.mbarrier.expect_tx.shared %slot, %bytes : !llvm.ptr<3>, i32
    """

    name = "nvvm.mbarrier.expect_tx.shared"

    address = operand_def(SharedPointer)
    tx_count = operand_def(eq(i32))


@diagnosed_op
class MBarrierArriveClusterOp(MBarrierOperation):
    """
    Arrives `count` times on an mbarrier of any CTA of the cluster. `relaxed` orders nothing;
    `scope` is that of the release, the CTA without it.

        nvvm.mbarrier.arrive.shared.cluster %slot, %n : !llvm.ptr<7>, i32
    """

    name = "nvvm.mbarrier.arrive.shared.cluster"

    address = operand_def(ClusterPointer)
    count = operand_def(eq(i32))
    scope = opt_prop_def(MemScopeAttr)
    relaxed = opt_prop_def(UnitAttr)


@diagnosed_op
class MBarrierArriveExpectTxClusterOp(MBarrierOperation):
    """
    Expects `tx_count` more bytes on an mbarrier of any CTA of the cluster, and arrives on it.

        nvvm.mbarrier.arrive.expect_tx.shared.cluster %slot, %bytes : !llvm.ptr<7>, i32
    """

    name = "nvvm.mbarrier.arrive.expect_tx.shared.cluster"

    address = operand_def(ClusterPointer)
    tx_count = operand_def(eq(i32))


@diagnosed_op
class MBarrierTestWaitSharedOp(MBarrierQuery):
    """
    Whether the phase of a state that an arrival yielded is complete.

        %done = nvvm.mbarrier.test.wait.shared %slot, %state : !llvm.ptr<3>, i64 -> i1
    """

    name = "nvvm.mbarrier.test.wait.shared"

    address = operand_def(SharedPointer)
    state = operand_def(eq(i64))
    done = result_def(eq(i1))


@diagnosed_op
class MBarrierTestWaitParitySharedOp(MBarrierQuery):
    """
    Whether the phase of this parity has ended, without waiting for it.

        %done = nvvm.mbarrier.test.wait.parity.shared %slot, %phase : !llvm.ptr<3>, i1 -> i1
    """

    name = "nvvm.mbarrier.test.wait.parity.shared"

    address = operand_def(SharedPointer)
    phase = operand_def(eq(i1))
    done = result_def(eq(i1))


@diagnosed_op
class MBarrierTryWaitParitySharedOp(MBarrierQuery):
    """
    Waits until the phase of this parity is complete, at most `ticks` nanoseconds, or a time that
    the hardware chooses if that is 0; yields whether it is. A fresh mbarrier answers true to
    parity 1. `scope` is that of the acquire, the CTA without it.

        %w = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks
            : !llvm.ptr<3>, i1, i32 -> i1
    """

    name = "nvvm.mbarrier.try_wait.parity.shared"

    address = operand_def(SharedPointer)
    phase = operand_def(eq(i1))
    ticks = operand_def(eq(i32))
    done = result_def(eq(i1))
    scope = opt_prop_def(MemScopeAttr)


# Fences


@diagnosed_op
class FenceMBarrierInitOp(PlainOperation):
    """Shows new barriers to the cluster and to copies: `nvvm.fence.mbarrier.init`."""

    name = "nvvm.fence.mbarrier.init"


class ScopedFenceOp(OrderedOperation, ABC):
    """A fence for the threads of a scope: `nvvm.fence.… {scope = #nvvm.mem_scope<gpu>}`."""

    scope = prop_def(MemScopeAttr)

    assembly_format = "attr-dict"


@diagnosed_op
class FenceAcqRelOp(ScopedFenceOp):
    """Acquires and releases: `nvvm.fence.acq_rel {scope = #nvvm.mem_scope<gpu>}`."""

    name = "nvvm.fence.acq_rel"


@diagnosed_op
class FenceScOp(ScopedFenceOp):
    """Is in one order with all such fences: `nvvm.fence.sc {scope = #nvvm.mem_scope<gpu>}`."""

    name = "nvvm.fence.sc"


@diagnosed_op
class FenceProxyOp(OrderedOperation):
    """
    Orders ordinary accesses with those of a proxy, such as tensor copies; `space` says whose
    shared memory `async.shared` means.

        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    """

    name = "nvvm.fence.proxy"

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)

    assembly_format = "attr-dict"

    def verify_(self) -> None:
        is_shared = self.kind.data is ProxyKind.ASYNC_SHARED
        if is_shared and self.space is None:
            raise VerifyException("'async.shared' fence requires space attribute")
        if not is_shared and self.space is not None:
            raise VerifyException("only 'async.shared' fence can have space attribute")


@diagnosed_op
class FenceProxyAcquireOp(OrderedOperation):
    """
    Shows what was written to a tensor map to copies that use it.

        nvvm.fence.proxy.acquire %map, %size {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
    """

    name = "nvvm.fence.proxy.acquire"

    address = operand_def(TensorMapPointer())
    size = operand_def(eq(i32))
    scope = prop_def(MemScopeAttr)

    assembly_format = "$address `,` $size attr-dict `:` type($address) `,` type($size)"


@diagnosed_op
class FenceProxyReleaseOp(ScopedFenceOp):
    """
    Lets writes to tensor maps be acquired.

        nvvm.fence.proxy.release {scope = #nvvm.mem_scope<gpu>}
    """

    name = "nvvm.fence.proxy.release"


@diagnosed_op
class FenceProxyAcquireSyncOp(OrderedOperation):
    """
    Shows what was written to a tensor map to copies that use it; of a map that is not named,
    nothing can be acquired, so the address is left out only by hand-written programs. The scope
    is the system, unless it says otherwise, so that the host may have written.

        nvvm.fence.proxy.acquire.sync %map : !llvm.ptr
    """

    name = "nvvm.fence.proxy.acquire.sync"

    address = opt_operand_def(TensorMapPointer())
    scope = opt_prop_def(MemScopeAttr)

    assembly_format = "($address^ `:` type($address))? attr-dict"


@diagnosed_op
class TensorMapCpFenceProxyOp(OrderedOperation):
    """
    Copies a tensor map from shared to global memory, and releases it there.

        nvvm.tensormap.cp_fenceproxy %dst, %src {scope = #nvvm.mem_scope<gpu>}
            : !llvm.ptr<1>, !llvm.ptr<3>
    """

    name = "nvvm.tensormap.cp_fenceproxy"

    dst = operand_def(GlobalPointer)
    src = operand_def(SharedPointer)
    scope = prop_def(MemScopeAttr)

    assembly_format = "$dst `,` $src attr-dict `:` type($dst) `,` type($src)"

    DEFAULTS: ClassVar = {"scope": MemScope.GPU}


@diagnosed_op
class TensorMapReplaceOp(OrderedOperation):
    """
    Writes a field of the 128 bytes of a tensor map in shared memory, the one of dimension `ord`
    where each dimension has one; dimension 0 is the innermost.

        nvvm.tensormap.replace %map, %size {field = #nvvm.tensormap_field<global_dim>,
            ord = 0 : i32} : !llvm.ptr<3>, i32

    | field | value |
    | --- | --- |
    | `global_address` | the address of the tensor, 64 bits |
    | `rank` | the number of dimensions less one |
    | `global_dim`, `box_dim` | how many elements the tensor has along a dimension, and a box |
    | `global_stride` | bytes from one element to the next along dimension `ord` + 1, 64 bits |
    | `element_stride` | 1, or every how many elements are copied |
    | `elemtype` | a constant, see `MapElement.device` in `targets/tma.py` |
    | `interleave_layout` | a constant: 0 for none |
    | `swizzle_mode` | a constant: 0 for none, 1, 2, 3 for 32, 64, 128 bytes |
    | `fill_mode` | a constant: what is outside of the tensor is 0 for zero, 1 for NaN |
    """

    name = "nvvm.tensormap.replace"

    map = operand_def(SharedPointer)
    value = operand_def(IntegerType)
    field = prop_def(TensorMapFieldAttr)
    ord = opt_prop_def(IntegerAttr[I32])

    assembly_format = "$map `,` $value attr-dict `:` type($map) `,` type($value)"

    def verify_(self) -> None:
        field = self.field.data
        if field.has_dimension != (self.ord is not None):
            wanted = "needs a dimension" if field.has_dimension else "has no dimensions"
            raise VerifyException(f"'{field.value}' {wanted}")
        last = tma.MAX_RANK - (2 if field is TensorMapField.GLOBAL_STRIDE else 1)
        if self.ord is not None and not 0 <= self.ord.value.data <= last:
            raise VerifyException(f"there is no dimension {self.ord.value.data} of '{field.value}'")
        width = i64 if field.is_wide else i32
        if self.value.type != width:
            raise VerifyException(f"'{field.value}' is an {width}, but got '{self.value.type}'")


# Cluster launch control of `nvvm`: a running CTA takes over the work of one that has not started.
#
# The answer to a request is 16 bytes in shared memory, which the async proxy writes, and whose
# bytes complete on an mbarrier. After a request was refused, none may follow.

i128 = IntegerType(128)


@diagnosed_op
class TryCancelOp(OrderedOperation):
    """
    Asks that a cluster which has not started be canceled. The answer of 16 bytes is written to
    shared memory, with `multicast` to that of all CTAs of the cluster, and completes on an
    mbarrier.

        nvvm.clusterlaunchcontrol.try.cancel %answer, %bar : !llvm.ptr<3>, !llvm.ptr<3>
    """

    name = "nvvm.clusterlaunchcontrol.try.cancel"

    address = operand_def(SharedPointer)
    barrier = operand_def(SharedPointer)
    multicast = opt_prop_def(UnitAttr)

    assembly_format = "$address `,` $barrier attr-dict `:` type($address) `,` type($barrier)"


@diagnosed_op
class QueryCancelOp(NvvmOperation):
    """
    What an answer says: whether a cluster was canceled, and if so, which block index its first CTA
    would have had.

        %yes = nvvm.clusterlaunchcontrol.query.cancel %answer
            {query = #nvvm.clc_query_type<is_canceled>} : i128 -> i1
    """

    name = "nvvm.clusterlaunchcontrol.query.cancel"

    answer = operand_def(eq(i128))
    query = prop_def(CancelQueryAttr)
    result = result_def(eq(i1) | eq(i32))

    traits = traits_def(Pure())

    assembly_format = "$answer attr-dict `:` type($answer) `->` type($result)"

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("query", lambda query: QueryCancelOp.result_type(query.data))
    }

    @staticmethod
    def result_type(query: CancelQuery) -> Attribute:
        """The type of what is asked for."""
        return i1 if query is CancelQuery.IS_CANCELED else i32

    def verify_(self) -> None:
        expected = self.result_type(self.query.data)
        if self.result.type != expected:
            raise VerifyException(
                f"'{self.query.data.value}' yields '{expected}', but the result is "
                f"'{self.result.type}'"
            )


# What orders instructions of a thread for ptxas.


@diagnosed_op
class ArtificialDependenceOp(OrderedOperation):
    """
    Yields its first operand, in such a way that ptxas computes nothing of it before it has the
    second one. A scalar is there when it is computed. A word of shared memory is read after all
    barriers and accesses in front of the op; what it is does not matter, nor who writes it
    meanwhile.

        %id = nvvm.artificial_dependence %barrier, %first : i32, i32
        %y = nvvm.artificial_dependence %x, %word : vector<1xi32>, !llvm.ptr<3>

    `nvvm.barrier.arrive` of the barrier `%id` comes after what `%first` is computed of, and what is
    computed of `%y` after that. Other instructions may be anywhere, unlike with `nvvm.pmevent`.
    """

    name = "nvvm.artificial_dependence"

    T: ClassVar = VarConstraint("T", eq(i32) | BaseAttr(VectorType))

    value = operand_def(T)
    on = operand_def(eq(i32) | eq(SHARED_POINTER))
    result = result_def(T)

    assembly_format = "$value `,` $on attr-dict `:` type($value) `,` type($on)"

    def verify_(self) -> None:
        ty = self.value.type
        if isinstance(ty, VectorType) and (ty.get_element_type() != i32 or ty.get_num_dims() != 1):
            raise VerifyException(f"expects i32 or a vector of them, not '{ty}'")
