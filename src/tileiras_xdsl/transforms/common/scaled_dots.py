"""Which block-scaled dots an instruction does; all others are computed in f32."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from tileiras_xdsl.analysis.mma_instructions import choose_scaled_instruction
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import MmaFScaledOp
from tileiras_xdsl.targets.target import Target

from .compute_capability import get_target


def is_scaled_by_instruction(op: MmaFScaledOp, target: Target | None = None) -> bool:
    """Whether a target, that of the module if none is given, has an instruction for a dot."""
    *_, m, k = get_shape(op.lhs.type)
    block = k // get_shape(op.lhs_scale.type)[-1]
    sizes = (m, get_shape(op.rhs.type)[-1], k)
    elements = get_element(op.lhs.type), get_element(op.lhs_scale.type)
    others = get_element(op.rhs.type), get_element(op.rhs_scale.type)
    if elements != others or get_element(op.acc.type) != f32:
        return False
    found = choose_scaled_instruction(*elements, block, sizes, target or get_target(op))
    return found is not None
