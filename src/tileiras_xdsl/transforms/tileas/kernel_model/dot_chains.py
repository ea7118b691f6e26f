"""Dots whose operands come from other dots."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp

MAX_DISTANCE = 64
"""How many ops are searched between two dots."""


def feeds_dot(op: DotOp) -> bool:
    """Whether the result feeds another dot, or operand A comes from one."""
    return _reaches(op.result) or comes_from_dot(op.a)


def _reaches(value: SSAValue) -> bool:
    """Whether a value is used, directly or not, as operand A of a dot."""

    def results(value: SSAValue) -> Iterator[SSAValue]:
        for use in value.uses:
            if not isinstance(use.operation, DotOp):
                yield from use.operation.results

    return any(
        isinstance(use.operation, DotOp) and use.index == 0
        for each in reachable([value], results, MAX_DISTANCE)
        for use in each.uses
    )


def comes_from_dot(value: SSAValue) -> bool:
    """Whether a value is computed from the result of a dot."""

    def sources(value: SSAValue) -> Collection[SSAValue]:
        has_regions = isinstance(value.owner, Operation) and value.owner.regions
        return () if has_regions else operands_of(value)

    values = reachable([value], sources, MAX_DISTANCE)
    return any(isinstance(each.owner, DotOp) for each in values)
