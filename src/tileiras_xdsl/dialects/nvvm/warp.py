"""Operations of `nvvm` that lanes of a warp do together, and a few of single threads."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, UnitAttr, f32, i1, i32, i64
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute
from xdsl.irdl import (
    VarConstraint,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, Value, define, diagnosed_op, unit, value_type

from .base import (
    CLUSTER_POINTER,
    ClusterPointer,
    MatchKind,
    MatchKindAttr,
    NvvmOperation,
    OrderedOperation,
    PlainOperation,
    ReduxKind,
    ReduxKindAttr,
    RegisterWords,
    SharedPointer,
    ShuffleKind,
    ShuffleKindAttr,
    VoteKind,
    VoteKindAttr,
)

# Special registers: `nvvm.read.ptx.sreg.*`, one operation for each, made from a table.
#
#     %r = nvvm.read.ptx.sreg.tid.x : i32
#
# `read_register("tid.x")` makes the operation, `SPECIAL_REGISTERS` has its class.

PREFIX = "nvvm.read.ptx.sreg."

VECTORS = (
    *("tid", "ntid", "ctaid", "nctaid"),
    *("clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"),
)
"""Registers with three dimensions."""

SCALARS = (
    *("warpsize", "laneid", "warpid", "nwarpid", "smid", "nsmid"),
    *("cluster.ctarank", "cluster.nctarank"),
    *("lanemask.eq", "lanemask.le", "lanemask.lt", "lanemask.ge", "lanemask.gt"),
    *("dynamic_smem_size", "total_smem_size"),
)

CLOCKS = {"clock": i32, "clock64": i64, "globaltimer": i64, "globaltimer.lo": i32}
"""Registers that differ at each reading."""


class SpecialRegisterOp(NvvmOperation, ABC):
    """Reads a special register: `%r = nvvm.read.ptx.sreg.tid.x : i32`."""

    WIDTH: ClassVar[IntegerType] = i32

    result = result_def(IntegerType)

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self) -> None:
        super().__init__(result_types=[self.WIDTH])

    def verify_(self) -> None:
        if self.result.type != self.WIDTH:
            raise VerifyException(f"reads an {self.WIDTH}, but has type '{self.result.type}'")


class ConstantRegisterOp(SpecialRegisterOp, ABC):
    """Reads a special register that is constant for a thread."""

    traits = traits_def(Pure())


class ClockRegisterOp(SpecialRegisterOp, ABC):
    """Reads a register that counts, so that readings keep their order and number."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


def _define(
    register: str, base: type[SpecialRegisterOp], width: IntegerType = i32
) -> type[SpecialRegisterOp]:
    name = f"{PREFIX}{register}"
    words = register.replace("_", ".").split(".")
    return define(
        base,
        "".join(word.capitalize() for word in words) + "Op",
        name,
        f"Reads a special register: `%r = {name} : {width}`.",
        WIDTH=width,
    )


SPECIAL_REGISTERS: dict[str, type[SpecialRegisterOp]] = {
    **{
        register: _define(register, ConstantRegisterOp)
        for register in (*(f"{name}.{axis}" for name in VECTORS for axis in "xyz"), *SCALARS)
    },
    **{register: _define(register, ClockRegisterOp, width) for register, width in CLOCKS.items()},
}
"""Operations by the name of the register."""


def read_register(register: str) -> SpecialRegisterOp:
    """An operation that reads a special register, `read_register("tid.x")`."""
    return SPECIAL_REGISTERS[register]()


class ConvergentOperation(OrderedOperation, ABC):
    """Convergent: lanes execute it together, so it may not be moved into other control flow."""


@diagnosed_op
class ShflOp(ConvergentOperation):
    """
    The value of another lane. With `return_value_and_is_valid` the result is a struct of it and of
    whether that lane was in range. A vector is shuffled register by register.

        %r = nvvm.shfl.sync bfly %mask, %value, %offset, %clamp : f32 -> f32
    """

    name = "nvvm.shfl.sync"

    T: ClassVar = VarConstraint("T", RegisterWords())

    mask = operand_def(eq(i32))
    value = operand_def(T)
    offset = operand_def(eq(i32))
    clamp = operand_def(eq(i32))
    kind = prop_def(ShuffleKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    result = result_def()

    assembly_format = (
        "$kind $mask `,` $value `,` $offset `,` $clamp attr-dict `:` "
        "type($value) `->` type($result)"
    )

    def __init__(
        self,
        kind: ShuffleKind,
        mask: Value,
        value: Value,
        offset: Value,
        clamp: Value,
        *,
        return_value_and_is_valid: bool = False,
    ):
        super().__init__(
            operands=[mask, value, offset, clamp],
            properties={
                "kind": ShuffleKindAttr(kind),
                "return_value_and_is_valid": unit(return_value_and_is_valid),
            },
            result_types=[self.result_type(value_type(value), return_value_and_is_valid)],
        )

    @staticmethod
    def result_type(value: Attribute, is_valid: bool) -> Attribute:
        """The type of the result, with or without whether it is valid."""
        return LLVMStructType.from_type_list([value, i1]) if is_valid else value

    def verify_(self) -> None:
        expected = self.result_type(self.value.type, self.return_value_and_is_valid is not None)
        if self.result.type != expected:
            raise VerifyException(
                f"expects a result of type '{expected}', but got '{self.result.type}'"
            )


@diagnosed_op
class VoteSyncOp(ConvergentOperation):
    """
    Whether the predicate holds in any lane, in all, in all or none (`uni`); or a mask of those
    where it does (`ballot`).

        %r = nvvm.vote.sync ballot %mask, %p -> i32
    """

    name = "nvvm.vote.sync"

    mask = operand_def(eq(i32))
    predicate = operand_def(eq(i1))
    kind = prop_def(VoteKindAttr)
    result = result_def()

    assembly_format = "$kind $mask `,` $predicate attr-dict `->` type($result)"

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("kind", lambda kind: VoteSyncOp.result_type(kind.data))
    }

    @staticmethod
    def result_type(kind: VoteKind) -> Attribute:
        """The type of a vote."""
        return i32 if kind is VoteKind.BALLOT else i1

    def verify_(self) -> None:
        expected = self.result_type(self.kind.data)
        if self.result.type != expected:
            raise VerifyException(
                f"'{self.kind.data}' yields '{expected}', but the result is '{self.result.type}'"
            )


@diagnosed_op
class ReduxOp(ConvergentOperation):
    """
    Combines the values of the lanes of a mask; `abs` and `nan` are for floats.

        %r = nvvm.redux.sync add %value, %mask : i32 -> i32
    """

    name = "nvvm.redux.sync"

    T: ClassVar = VarConstraint("T", eq(i32) | eq(f32))

    value = operand_def(T)
    mask = operand_def(eq(i32))
    kind = prop_def(ReduxKindAttr)
    abs = opt_prop_def(UnitAttr)
    nan = opt_prop_def(UnitAttr)
    result = result_def(T)

    assembly_format = "$kind $value `,` $mask attr-dict `:` type($value) `->` type($result)"

    def verify_(self) -> None:
        is_float = self.kind.data in (ReduxKind.FMIN, ReduxKind.FMAX)
        expected = f32 if is_float else i32
        if self.value.type != expected:
            raise VerifyException(
                f"'{self.kind.data}' combines '{expected}', but got '{self.value.type}'"
            )
        if not is_float and (self.abs is not None or self.nan is not None):
            raise VerifyException("abs and nan are for fmin and fmax only")


@diagnosed_op
class MatchSyncOp(ConvergentOperation):
    """
    The mask of the lanes that have the same value (`any`); or that mask if all have it, and
    whether they do (`all`).

        %r = nvvm.match.sync any %mask, %value : i32 -> i32
        %r = nvvm.match.sync all %mask, %value : i64 -> !llvm.struct<(i32, i1)>
    """

    name = "nvvm.match.sync"

    mask = operand_def(eq(i32))
    value = operand_def(eq(i32) | eq(i64))
    kind = prop_def(MatchKindAttr)
    result = result_def()

    assembly_format = "$kind $mask `,` $value attr-dict `:` type($value) `->` type($result)"

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("kind", lambda kind: MatchSyncOp.result_type(kind.data))
    }

    @staticmethod
    def result_type(kind: MatchKind) -> Attribute:
        """The type of a match."""
        return i32 if kind is MatchKind.ANY else LLVMStructType.from_type_list([i32, i1])

    def verify_(self) -> None:
        expected = self.result_type(self.kind.data)
        if self.result.type != expected:
            raise VerifyException(
                f"'{self.kind.data}' yields '{expected}', but the result is '{self.result.type}'"
            )


@diagnosed_op
class ElectSyncOp(ConvergentOperation):
    """
    True in one lane of a mask, without one of all lanes.

        %p = nvvm.elect.sync -> i1
        %p = nvvm.elect.sync %mask -> i1
    """

    name = "nvvm.elect.sync"

    mask = opt_operand_def(eq(i32))
    predicate = result_def(eq(i1))

    assembly_format = "($mask^)? attr-dict `->` type($predicate)"


@diagnosed_op
class ActiveMaskOp(ConvergentOperation):
    """The lanes that execute this together: `%mask = nvvm.activemask : i32`."""

    name = "nvvm.activemask"

    mask = result_def(eq(i32))

    assembly_format = "attr-dict `:` type($mask)"


@diagnosed_op
class MapaOp(NvvmOperation):
    """
    The address of the same variable in the shared memory of another CTA of the cluster.

        %q = nvvm.mapa %p, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    """

    name = "nvvm.mapa"

    address = operand_def(SharedPointer)
    rank = operand_def(eq(i32))
    result = result_def(ClusterPointer)

    traits = traits_def(Pure())

    assembly_format = "$address `,` $rank attr-dict `:` type($address) `->` type($result)"

    def __init__(self, address: Value, rank: Value):
        super().__init__(operands=[address, rank], result_types=[CLUSTER_POINTER])


@diagnosed_op
class PrmtOp(NvvmOperation):
    """
    Four bytes chosen from eight: `%r = nvvm.prmt %low, %high, %selector : i32`.
    """

    name = "nvvm.prmt"

    low = operand_def(eq(i32))
    high = operand_def(eq(i32))
    selector = operand_def(eq(i32))
    result = result_def(eq(i32))

    traits = traits_def(Pure())

    assembly_format = "$low `,` $high `,` $selector attr-dict `:` type($result)"


@diagnosed_op
class NanosleepOp(OrderedOperation):
    """Sleeps for about this many nanoseconds: `nvvm.nanosleep %n : i32`."""

    name = "nvvm.nanosleep"

    duration = operand_def(eq(i32))

    assembly_format = "$duration attr-dict `:` type($duration)"


@diagnosed_op
class GriddepcontrolWaitOp(PlainOperation):
    """Waits for the grids that this one depends on: `nvvm.griddepcontrol.wait`."""

    name = "nvvm.griddepcontrol.wait"


@diagnosed_op
class GriddepcontrolLaunchDependentsOp(PlainOperation):
    """Lets the grids that depend on this one start: `nvvm.griddepcontrol.launch.dependents`."""

    name = "nvvm.griddepcontrol.launch.dependents"
