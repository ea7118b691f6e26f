"""
Asynchronous copies of `nvvm`: of elements (`cp.async`), of bytes and of TMA tiles
(`cp.async.bulk`).

Bulk copies list their operands in the order of the hardware's slots. Which of the optional ones
at the end are there, `multicastEnable` and `cacheHintEnable` say.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import TypeVar
from xdsl.dialects.builtin import I32, BoolAttr, IntegerAttr, UnitAttr, i16, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    VerificationContext,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, define, diagnosed_op, unit
from tileiras_xdsl.targets.tma import MAX_RANK

from .base import (
    CacheModifierAttr,
    GlobalPointer,
    LoadModeAttr,
    OrderedOperation,
    PlainOperation,
    ReductionKindAttr,
    SharedPointer,
    TensorMapPointer,
)
from .tcgen05 import CtaGroupAttr, group_size

RANKS = range(1, MAX_RANK + 1)

# Elements


@diagnosed_op
class CpAsyncSharedGlobalOp(OrderedOperation):
    """
    Copies 4, 8 or 16 bytes from global to shared memory. Of `src_size` bytes, if it is given,
    the rest is zeros. The modifier says which caches are used; `cg` is for 16 bytes only.

        nvvm.cp.async.shared.global %dst, %src, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
        nvvm.cp.async.shared.global %dst, %src, %size, %src_size
            {modifier = #nvvm<load_cache_modifier cg>} : !llvm.ptr<3>, !llvm.ptr<1>, i32
    """

    name = "nvvm.cp.async.shared.global"

    dst = operand_def(SharedPointer)
    src = operand_def(GlobalPointer)
    size = operand_def(eq(i32))
    src_size = opt_operand_def(eq(i32))
    modifier = opt_prop_def(CacheModifierAttr)

    assembly_format = (
        "$dst `,` $src `,` $size (`,` $src_size^)? attr-dict `:` "
        "type($dst) `,` type($src) `,` type($size)"
    )


@diagnosed_op
class CpAsyncCommitGroupOp(PlainOperation):
    """Makes a group of the copies issued so far: `nvvm.cp.async.commit.group`."""

    name = "nvvm.cp.async.commit.group"


@diagnosed_op
class CpAsyncWaitGroupOp(OrderedOperation):
    """Waits until at most this many groups are in flight: `nvvm.cp.async.wait.group 0`."""

    name = "nvvm.cp.async.wait.group"

    groups = prop_def(IntegerAttr[I32])

    assembly_format = "$groups attr-dict"

    def verify_(self) -> None:
        verify_groups(self.groups)


def verify_groups(groups: IntegerAttr) -> None:
    """Raises if a number of groups is negative."""
    if groups.value.data < 0:
        raise VerifyException(f"number of groups must not be negative, but got {groups.value.data}")


@diagnosed_op
class CpAsyncWaitAllOp(PlainOperation):
    """Waits for all copies of elements: `nvvm.cp.async.wait.all`."""

    name = "nvvm.cp.async.wait.all"


@diagnosed_op
class CpAsyncMBarrierArriveSharedOp(OrderedOperation):
    """
    Arrives on a barrier when the copies issued so far are done; with `noinc` the barrier counts
    this arrival among those it expects.

        nvvm.cp.async.mbarrier.arrive.shared %slot {noinc = true} : !llvm.ptr<3>
    """

    name = "nvvm.cp.async.mbarrier.arrive.shared"

    address = operand_def(SharedPointer)
    noinc = opt_prop_def(BoolAttr)

    assembly_format = "$address attr-dict `:` type($address)"


# Bulk copies and TMA

Slot = tuple[str, AttrConstraint]

COORDINATE: Slot = ("coordinate", eq(i32))
BARRIER: Slot = ("barrier", SharedPointer)
MASK: Slot = ("multicast mask", eq(i16))
HINT: Slot = ("cache hint", eq(i64))
MAP: Slot = ("tensor map", TensorMapPointer())
DESTINATION: Slot = ("destination", SharedPointer)
SOURCE: Slot = ("source", SharedPointer)
SIZE: Slot = ("size", eq(i32))


class BulkOperation(OrderedOperation, ABC):
    """
    A copy whose operands are slots, `nvvm.op %a, %b {…} : T, U`. The last one may be a cache
    hint, `i64`.
    """

    BEFORE: ClassVar[tuple[Slot, ...]]
    """What comes before the coordinates."""
    AFTER: ClassVar[tuple[Slot, ...]] = ()
    """What comes after them."""
    RANK: ClassVar[int | None] = 0
    """The number of coordinates; without it, any number that tensors have."""

    slots = var_operand_def()
    cache_hint_enable = opt_prop_def(UnitAttr, prop_name="cacheHintEnable")

    assembly_format = "$slots attr-dict `:` type($slots)"

    def __init__(
        self,
        *slots: Value,
        multicast_mask: Value | None = None,
        cache_hint: Value | None = None,
        **properties: Attribute,
    ):
        optional = [value for value in (multicast_mask, cache_hint) if value is not None]
        super().__init__(
            operands=[[*slots, *optional]],
            properties={
                **properties,
                "multicastEnable": unit(multicast_mask is not None),
                "cacheHintEnable": unit(cache_hint is not None),
            },
        )

    def get_optional(self) -> list[Slot]:
        """What there is of what need not be."""
        return [] if self.cache_hint_enable is None else [HINT]

    @property
    def rank(self) -> int:
        if self.RANK is not None:
            return self.RANK
        others = (*self.BEFORE, *self.AFTER, *self.get_optional())
        return len(self.slots) - len(others)

    def get_slot(self, slot: Slot) -> SSAValue:
        """The operand that is this slot."""
        if slot in self.BEFORE:
            return self.slots[self.BEFORE.index(slot)]
        return self.slots[len(self.BEFORE) + self.rank + self.AFTER.index(slot)]

    @property
    def tensor_map(self) -> SSAValue:
        return self.get_slot(MAP)

    @property
    def coordinates(self) -> Sequence[SSAValue]:
        return self.slots[len(self.BEFORE) : len(self.BEFORE) + self.rank]

    @property
    def cache_hint(self) -> SSAValue | None:
        return None if self.cache_hint_enable is None else self.slots[-1]

    def verify_(self) -> None:
        if self.RANK is None and self.rank not in RANKS:
            raise VerifyException(f"expects 1 to 5 coordinates, but got {self.rank}")
        coordinates = [COORDINATE] * self.rank
        expected = [*self.BEFORE, *coordinates, *self.AFTER, *self.get_optional()]
        if len(self.slots) != len(expected):
            names = ", ".join(name for name, _ in expected)
            raise VerifyException(
                f"expects {len(expected)} operands ({names}), but got {len(self.slots)}"
            )
        for index, (value, (name, constraint)) in enumerate(zip(self.slots, expected, strict=True)):
            try:
                constraint.verify(value.type, VerificationContext())
            except VerifyException as error:
                raise VerifyException(f"operand #{index}, the {name}: {error}") from error


class MulticastOperation(BulkOperation, ABC):
    """A copy into shared memory that may have a multicast mask, `i16`, of the CTAs that get it."""

    multicast_enable = opt_prop_def(UnitAttr, prop_name="multicastEnable")

    def get_optional(self) -> list[Slot]:
        return [*([] if self.multicast_enable is None else [MASK]), *super().get_optional()]

    @property
    def multicast_mask(self) -> SSAValue | None:
        if self.multicast_enable is None:
            return None
        return self.slots[-1 if self.cache_hint_enable is None else -2]


class BulkTensorLoadOp(MulticastOperation, ABC):
    """
    TMA load: copies a TMA tile from global to shared memory, and completes its bytes on an
    mbarrier. Slots: destination, tensor map, coordinates, barrier, mask?, hint?

    With `group`, the mbarrier may be one of the other CTA of a pair; `leader_barrier` means the one
    at the same offset in the pair's even CTA.

        nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %dst, %map, %x, %y, %bar, %mask
            {multicastEnable, mode = #nvvm.load_mode<tile>}
            : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16
    """

    BEFORE: ClassVar = (DESTINATION, MAP)
    AFTER: ClassVar = (BARRIER,)

    mode = opt_prop_def(LoadModeAttr)
    group = opt_prop_def(CtaGroupAttr)
    leader_barrier = opt_prop_def(UnitAttr)

    @property
    def dst(self) -> SSAValue:
        return self.get_slot(DESTINATION)

    @property
    def barrier(self) -> SSAValue:
        return self.get_slot(BARRIER)

    def verify_(self) -> None:
        super().verify_()
        if self.leader_barrier is not None and group_size(self.group) != 2:
            raise VerifyException("leader_barrier needs group = #nvvm.cta_group<cta_2>")


class BulkTensorStoreOp(BulkOperation, ABC):
    """
    TMA store: copies a TMA tile from shared to global memory. Slots: tensor map, coordinates,
    source, hint?

        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %map, %x, %y, %src
            : !llvm.ptr, i32, i32, !llvm.ptr<3>
    """

    BEFORE: ClassVar = (MAP,)
    AFTER: ClassVar = (SOURCE,)

    @property
    def src(self) -> SSAValue:
        return self.get_slot(SOURCE)


TensorCopyT = TypeVar("TensorCopyT", bound=BulkTensorLoadOp | BulkTensorStoreOp)


def _define_ranks(base: type[TensorCopyT], suffix: str) -> dict[int, type[TensorCopyT]]:
    return {
        rank: define(
            base,
            base.__name__.replace("Tensor", f"Tensor{rank}D"),
            f"nvvm.cp.async.bulk.tensor.{rank}d.{suffix}",
            base.__doc__,
            RANK=rank,
        )
        for rank in RANKS
    }


BULK_TENSOR_LOADS = _define_ranks(BulkTensorLoadOp, "shared.cluster.global.tile")
"""`nvvm.cp.async.bulk.tensor.{rank}d.shared.cluster.global.tile` by rank."""

BULK_TENSOR_STORES = _define_ranks(BulkTensorStoreOp, "global.shared.cta.tile")
"""`nvvm.cp.async.bulk.tensor.{rank}d.global.shared.cta.tile` by rank."""


@diagnosed_op
class BulkTensorGather4Op(BulkTensorLoadOp):
    """
    TMA load of four rows of a matrix that lie anywhere, one after the other in shared memory.
    Coordinates are a column and the four rows; the box of the tensor map has one row.

        nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4 %dst, %map, %x, %r0, %r1,
            %r2, %r3, %bar : !llvm.ptr<3>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
    """

    name = "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4"

    RANK: ClassVar = 5


@diagnosed_op
class BulkTensorScatter4Op(BulkTensorStoreOp):
    """
    TMA store of four rows to rows of a matrix that lie anywhere, see `gather4`.

        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %map, %x, %r0, %r1, %r2, %r3,
            %src : !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
    """

    name = "nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4"

    RANK: ClassVar = 5


@diagnosed_op
class BulkTensorReduceOp(BulkTensorStoreOp):
    """
    TMA reduction: combines a TMA tile in shared memory with a tensor. Slots: tensor map,
    coordinates, source, hint?

        nvvm.cp.async.bulk.tensor.reduce %map, %x, %y, %src
            {red_op = #nvvm.tma_redux_kind<add>} : !llvm.ptr, i32, i32, !llvm.ptr<3>
    """

    name = "nvvm.cp.async.bulk.tensor.reduce"

    RANK: ClassVar = None

    red_op = prop_def(ReductionKindAttr)


@diagnosed_op
class BulkTensorPrefetchOp(BulkOperation):
    """
    Prefetches a TMA tile into the L2 cache. Slots: tensor map, coordinates, hint?

        nvvm.cp.async.bulk.tensor.prefetch %map, %x, %y : !llvm.ptr, i32, i32
    """

    name = "nvvm.cp.async.bulk.tensor.prefetch"

    BEFORE: ClassVar = (MAP,)
    RANK: ClassVar = None


@diagnosed_op
class BulkLoadOp(MulticastOperation):
    """
    Copies bytes from global to shared memory, and completes them on a barrier. Slots:
    destination, source, barrier, size, mask?, hint?

        nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %bar, %size
            : !llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32
    """

    name = "nvvm.cp.async.bulk.shared.cluster.global"

    BEFORE: ClassVar = (DESTINATION, ("source", GlobalPointer), BARRIER, SIZE)


@diagnosed_op
class BulkStoreOp(BulkOperation):
    """
    Copies bytes from shared to global memory. Slots: destination, source, size, hint?

        nvvm.cp.async.bulk.global.shared.cta %dst, %src, %size
            : !llvm.ptr<1>, !llvm.ptr<3>, i32
    """

    name = "nvvm.cp.async.bulk.global.shared.cta"

    BEFORE: ClassVar = (("destination", GlobalPointer), SOURCE, SIZE)


@diagnosed_op
class CpAsyncBulkCommitGroupOp(PlainOperation):
    """Makes a group of the stores issued so far: `nvvm.cp.async.bulk.commit.group`."""

    name = "nvvm.cp.async.bulk.commit.group"


@diagnosed_op
class CpAsyncBulkWaitGroupOp(OrderedOperation):
    """
    Waits until at most this many groups of bulk copies are in flight; with `read` until they have
    read their source.

        nvvm.cp.async.bulk.wait_group 0 {read}
    """

    name = "nvvm.cp.async.bulk.wait_group"

    groups = prop_def(IntegerAttr[I32])
    read = opt_prop_def(UnitAttr)

    assembly_format = "$groups attr-dict"

    def verify_(self) -> None:
        verify_groups(self.groups)


@diagnosed_op
class PrefetchTensorMapOp(OrderedOperation):
    """Brings a tensor map into the cache: `nvvm.prefetch.tensormap %map : !llvm.ptr`."""

    name = "nvvm.prefetch.tensormap"

    address = operand_def(TensorMapPointer())

    assembly_format = "$address attr-dict `:` type($address)"
