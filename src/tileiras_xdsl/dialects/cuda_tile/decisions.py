"""Discardable attributes of `cuda_tile`: what passes leave to be told."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import StringAttr

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .shape import SelectOp

GUARDED_MASK: Final = DiscardableAttribute(
    "cuda_tile.guarded_mask",
    StringAttr,
    "How the selection of a masked tile is skipped where the mask is the same for all elements.",
    carriers=(SelectOp,),
    written_by=("guard-masks",),
)
UNGUARDED_MASK: Final = DiscardableAttribute(
    "cuda_tile.unguarded_mask",
    StringAttr,
    "Why the selection of a masked tile is not skipped in any iteration of a loop.",
    carriers=(SelectOp,),
    written_by=("guard-masks",),
)
