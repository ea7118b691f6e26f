"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

Operations are listed by family in `OPERATIONS`. So far there are the barriers in shared memory
(`mbarrier`). A barrier is 64 bits that count arrivals: it begins in phase 0, and whenever as
many effects have arrived as it was initialised with, the phase is complete and the next one
begins. Who waits names a phase by its parity, so at most one phase can lie between the waiter
and the barrier.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import IntAttr, i1, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VerificationContext,
    eq,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

SHARED_SPACE = 3
SHARED_POINTER = LLVMPointerType(IntAttr(SHARED_SPACE))


@dataclass(frozen=True)
class PointerTo(AttrConstraint[LLVMPointerType]):
    """A pointer into one address space."""

    space: int
    phrase: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if attr != LLVMPointerType(IntAttr(self.space)):
            raise VerifyException(
                f"must be a pointer to {self.phrase}, '!llvm.ptr<{self.space}>', but got '{attr}'"
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> PointerTo:
        return self


SharedPointer = PointerTo(SHARED_SPACE, "shared memory")


class NvvmOperation(IRDLOperation, ABC):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class MBarrierOperation(NvvmOperation, ABC):
    """
    An operation on one barrier in shared memory. All of them order other accesses, so none is
    removed, moved across another, or merged with one.
    """

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class MBarrierInitSharedOp(MBarrierOperation):
    """
    Makes a barrier in phase 0 that expects `count` arrivals in each phase.

        nvvm.mbarrier.init.shared %slot, %n : !llvm.ptr<3>, i32
    """

    name = "nvvm.mbarrier.init.shared"

    address = operand_def(SharedPointer)
    count = operand_def(eq(i32))

    assembly_format = "$address `,` $count attr-dict `:` type($address) `,` type($count)"

    def __init__(self, address: SSAValue | Operation, count: SSAValue | Operation):
        super().__init__(operands=[address, count])


@irdl_op_definition
class MBarrierArriveSharedOp(MBarrierOperation):
    """
    Arrives on a barrier; yields the state before that.

        %state = nvvm.mbarrier.arrive.shared %slot : !llvm.ptr<3> -> i64
    """

    name = "nvvm.mbarrier.arrive.shared"

    address = operand_def(SharedPointer)
    state = result_def(eq(i64))

    assembly_format = "$address attr-dict `:` type($address) `->` type($state)"

    def __init__(self, address: SSAValue | Operation):
        super().__init__(operands=[address], result_types=[i64])


@irdl_op_definition
class MBarrierTryWaitParitySharedOp(MBarrierOperation):
    """
    Waits for the end of the phase of this parity, at most `ticks` nanoseconds; yields whether
    it has ended. A barrier that nobody arrived on answers true to parity 1.

        %w = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks
            : !llvm.ptr<3>, i1, i32 -> i1
    """

    name = "nvvm.mbarrier.try_wait.parity.shared"

    address = operand_def(SharedPointer)
    phase = operand_def(eq(i1))
    ticks = operand_def(eq(i32))
    done = result_def(eq(i1))

    assembly_format = (
        "$address `,` $phase `,` $ticks attr-dict `:` "
        "type($address) `,` type($phase) `,` type($ticks) `->` type($done)"
    )

    def __init__(
        self,
        address: SSAValue | Operation,
        phase: SSAValue | Operation,
        ticks: SSAValue | Operation,
    ):
        super().__init__(operands=[address, phase, ticks], result_types=[i1])


OPERATIONS: tuple[type[IRDLOperation], ...] = (
    # Barriers in shared memory
    *(MBarrierInitSharedOp, MBarrierArriveSharedOp, MBarrierTryWaitParitySharedOp),
)

Nvvm = Dialect("nvvm", [*OPERATIONS])
