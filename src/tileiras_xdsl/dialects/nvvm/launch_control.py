"""
Cluster launch control of `nvvm`: a running CTA takes over the work of one that has not started.

The answer to a request is 16 bytes in shared memory, which the async proxy writes, and whose bytes
complete on an mbarrier. After a request was refused, none may follow.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, UnitAttr, i1, i32
from xdsl.ir import Attribute
from xdsl.irdl import eq, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value
from tileiras_xdsl.dialects.diagnosed import diagnosed_op

from .base import NvvmOperation, OrderedOperation, SharedPointer
from .tcgen05_attributes import CancelQuery, CancelQueryAttr

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

    def __init__(self, answer: Value, query: CancelQuery):
        super().__init__(
            operands=[answer],
            properties={"query": CancelQueryAttr(query)},
            result_types=[self.result_type(query)],
        )

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
