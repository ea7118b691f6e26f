"""Which accumulators of a kernel are live together, once tensors have layouts."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.transforms.common import accumulator_liveness
from tileiras_xdsl.transforms.common.accumulator_liveness import DotT

from .layout_rules import is_elementwise
from .tma_loads import is_view_like


def find_live_together(dots: Sequence[DotT]) -> list[list[DotT]]:
    """For each of some dots, those of them whose accumulators are live while it is done."""
    return accumulator_liveness.find_live_together(dots, _passes_on)


def live_shapes(dots: Sequence[DotOperation]) -> list[list[Sequence[int]]]:
    """The shapes of the accumulators that are live together, for each of some dots."""
    return accumulator_liveness.live_shapes(dots, _passes_on)


def _passes_on(op: Operation) -> bool:
    return is_elementwise(op) or is_view_like(op)
