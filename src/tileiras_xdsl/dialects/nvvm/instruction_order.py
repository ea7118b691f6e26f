"""What orders instructions of a thread for ptxas."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import VectorType, i32
from xdsl.irdl import BaseAttr, VarConstraint, eq, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, value_type
from tileiras_xdsl.dialects.diagnosed import diagnosed_op

from .base import SHARED_POINTER, OrderedOperation


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

    def __init__(self, value: Value, on: Value):
        super().__init__(operands=[value, on], result_types=[value_type(value)])

    def verify_(self) -> None:
        ty = self.value.type
        if isinstance(ty, VectorType) and (ty.get_element_type() != i32 or ty.get_num_dims() != 1):
            raise VerifyException(f"expects i32 or a vector of them, not '{ty}'")
