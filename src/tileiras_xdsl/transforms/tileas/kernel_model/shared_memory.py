"""What kernels put into shared memory."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.targets.tma import SWIZZLE_LINES, SWIZZLES

SCRATCH_ALIGNMENT: Final = 128
BUFFER_ALIGNMENT: Final = 1024
"""Of buffers that are kept, and of all shared memory of a block."""
BARRIER_BYTES: Final = 8
"""Of an mbarrier."""
SLOT_NUMBER_BYTES: Final = 4
"""Of the number of the slot that holds the tensor maps of a block."""

BOX_ALIGNMENT = max(SWIZZLES) * SWIZZLE_LINES
"""Of boxes in shared memory that the tensor memory accelerator copies."""

STORE_ATOM: Final = "tma_store"
REDUCE_ATOM: Final = "tma_redg"
BOX_STORES: Final = (STORE_ATOM, REDUCE_ATOM)
BOX_ATOMS: Final = ("tma_load", *BOX_STORES)


def has_atom(op: Operation, *atoms: str) -> bool:
    """Whether an op of level 2 is made of one of some instructions."""
    atom = op.properties.get("atom")
    return isinstance(atom, AtomAttr) and atom.data in atoms


def is_on_heap(op: AllocaOp) -> bool:
    """Whether memory of a kernel comes from the heap of the device, not from shared memory."""
    return op.global_ is not None
