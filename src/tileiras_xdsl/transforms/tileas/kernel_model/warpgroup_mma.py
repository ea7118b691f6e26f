"""Products by warpgroups (`wgmma`): which ops these are, and how exact their sums have to be."""

from __future__ import annotations

from xdsl.ir import Operation

from tileiras_xdsl.analysis.products import SMALL_FLOATS
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp

ATOM = "mma.sm90"


EXACT_TERMS = 128
"""
How many terms of floats of 8 bits may be summed up before the sum is added to one of all bits.
Tensor cores align what they add to the largest and keep about 14 bits.
"""


EXACT_COLUMNS = 128
"""How many columns are summed up at a time then, for there are two sums of each."""


def needs_exact_sums(op: DotOp | AsyncDotOp) -> bool:
    """Whether a product of floats of 8 bits has to be as exact as its sums are."""
    return op.fast_acc is None and str(get_element(op.a.type)) in SMALL_FLOATS


def is_warpgroup_product(op: Operation) -> bool:
    """Whether an op is a product by warpgroups."""
    return isinstance(op, DotOp) and op.atom is not None and op.atom.data == ATOM
