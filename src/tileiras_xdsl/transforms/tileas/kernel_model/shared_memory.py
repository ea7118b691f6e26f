"""Alignment and sizes of what kernels have in shared memory."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr
from tileiras_xdsl.targets.tma import SWIZZLE_ATOM_ROWS, SWIZZLES

SCRATCH_ALIGNMENT: Final = 128
BUFFER_ALIGNMENT: Final = 1024
"""Of permanent buffers, and of all shared memory of a CTA."""
ADDRESS_BYTES: Final = 4
"""An address in tensor memory."""
BARRIER_BYTES: Final = 8
"""Of an mbarrier."""
SLOT_NUMBER_BYTES: Final = 4
"""Of the number of the slot that holds the tensor maps of a CTA."""
MAP_STATE_BYTES: Final = 8
"""Of what is known about a tensor map that is rebuilt: two numbers."""

TMA_TILE_ALIGNMENT = max(SWIZZLES) * SWIZZLE_ATOM_ROWS
"""Of TMA tiles in shared memory."""

STORE_ATOM: Final = "tma_store"
REDUCE_ATOM: Final = "tma_redg"
TMA_STORES: Final = (STORE_ATOM, REDUCE_ATOM)
TMA_ATOMS: Final = ("tma_load", *TMA_STORES)


def has_atom(op: Operation, *atoms: str) -> bool:
    """Whether an `nv_tileas` op has one of some atoms."""
    atom = op.properties.get("atom")
    return atom is not None and isinstance(atom, AtomAttr) and atom.data in atoms


def is_on_heap(op: AllocaOp) -> bool:
    """Whether an `alloca` comes from the device heap, not from shared memory."""
    return op.global_ is not None
