"""What kernels put into shared memory."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.targets.tma import SWIZZLE_LINES, SWIZZLES

SCRATCH_ALIGNMENT = 128


BOX_ALIGNMENT = max(SWIZZLES) * SWIZZLE_LINES
"""Of boxes in shared memory that the tensor memory accelerator copies."""


BOX_STORES: Final = ("tma_store", "tma_redg")


BOX_ATOMS: Final = ("tma_load", *BOX_STORES)


SCRATCH_GOAL = 32 * 1024


SCRATCH_LEAST = 8 * 1024


def has_atom(op: Operation, *atoms: str) -> bool:
    """Whether an op of level 2 is made of one of some instructions."""
    atom = op.properties.get("atom")
    return isinstance(atom, AtomAttr) and atom.data in atoms
