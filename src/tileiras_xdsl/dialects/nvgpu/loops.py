"""What is known of loops when they become branches."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, UnitAttr
from xdsl.ir import Attribute

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

NO_WRAP: Final = DiscardableAttribute(
    "nvgpu.no_wrap",
    UnitAttr,
    "The step after the last iteration of the loop leads to no number that its type does not have.",
    carriers=(scf.ForOp,),
    written_by=(
        "tileas-dynamic-persistent",
        "tileas-materialize-schedule",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-tile-blocks",
    ),
    read_by=(
        "convert-scf-while-to-cf",
        "tileas-coarsen-tile-blocks",
    ),
)

INDEX_BITS: Final = 64


def ends_before_wrapping(ty: Attribute, end: int, step: int) -> bool:
    """
    Whether a loop of a type that ends before a number, in steps of at most another, gets to none
    that the type does not have.
    """
    bits = ty.width.data if isinstance(ty, IntegerType) else INDEX_BITS
    return step == 1 or end - 1 + step < 1 << (bits - 1)
