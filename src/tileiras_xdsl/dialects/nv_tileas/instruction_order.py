"""
The order of instructions, where it matters.

    nv_tileas.async.dot …
    %y = nv_tileas.sched_barrier(%x) : …       // WGMMAs are issued before the exponentials
    nv_tileaa.exp2 %y …
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    RangeOf,
    RangeVarConstraint,
    traits_def,
    var_operand_def,
    var_result_def,
)

from tileiras_xdsl.dialects.building import Value
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.memory_order import UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.base import TileaaOperation


@diagnosed_op
class SchedBarrierOp(TileaaOperation):
    """
    No instruction is moved across it, neither by LLVM nor by ptxas. It orders the instructions of a
    thread, not threads, and no access relies on it. Values that it takes and yields are used after
    it only.
    """

    name = "nv_tileas.sched_barrier"

    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyAttr()))

    values = var_operand_def(T)
    results_ = var_result_def(T)

    traits = traits_def(UnknownEffects())
    assembly_format = "(`(` $values^ `)` `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[Value] = ()):
        given = [SSAValue.get(value) for value in values]
        super().__init__(operands=[given], result_types=[[value.type for value in given]])
