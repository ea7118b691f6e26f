"""Arithmetic on whole fragments."""

from __future__ import annotations

from xdsl.dialects import arith

from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddFOp

from .thread_code import ThreadCode, lowers


@lowers("nv_tileaa.addf")
def lower_addf(code: ThreadCode, op: AddFOp) -> None:
    lhs, rhs = (code.value(operand) for operand in op.operands)
    code.set(op.results[0], code.emit(arith.AddfOp(lhs, rhs)))
