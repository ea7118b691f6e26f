"""Which instructions ops of `nv_tileas` are lowered to, by their atoms."""

from __future__ import annotations

from typing import Final, TypeGuard

from xdsl.ir import Operation

from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.xdsl_extras.walking import find_all

from .async_ops import AsyncDotOp
from .decisions import COPY_ATOM, get_vector
from .matmul import DotOp
from .memory import GatherLoadOp, LoadOp, TiledLoadOp
from .types import AtomAttr

TMA_STORE_ATOM: Final = "tma_store"
TMA_REDUCE_ATOM: Final = "tma_redg"
TMA_STORES: Final = (TMA_STORE_ATOM, TMA_REDUCE_ATOM)
TMA_ATOMS: Final = ("tma_load", *TMA_STORES)


def has_atom(op: Operation, *atoms: str) -> bool:
    """Whether an op has one of some atoms."""
    atom = op.properties.get("atom")
    return atom is not None and isinstance(atom, AtomAttr) and atom.data in atoms


# MMAs

WGMMA_ATOM: Final = "mma.sm90"
"""The atom of WGMMA."""
TCGEN05_ATOM: Final = "mma.sm100"
"""The atom of `tcgen05`."""


def is_wgmma(op: Operation) -> bool:
    """Whether an op is a WGMMA."""
    return isinstance(op, DotOp | AsyncDotOp) and op.atom is not None and op.atom.data == WGMMA_ATOM


def is_tcgen05(op: Operation) -> bool:
    """Whether an op is an MMA by `tcgen05`."""
    return isinstance(op, DotOp) and op.atom is not None and op.atom.data == TCGEN05_ATOM


def is_async_mma(op: Operation) -> bool:
    """Whether an op is an MMA that reads operands from shared memory while threads go on."""
    return is_wgmma(op) or is_tcgen05(op)


def find_async_mmas(root: Operation) -> list[DotOp]:
    """The MMAs in an op that read operands from shared memory."""
    return [op for op in find_all(root, DotOp) if is_async_mma(op)]


# Loads of producer threads by `cp.async`

CHUNK_BYTES: Final = (4, 8, 16)
"""What one copy moves; 16 bytes are what is swizzled."""

StagedLoad = TiledLoadOp | LoadOp | GatherLoadOp
"""A load of a producer: by TMA, or by `cp.async`."""
CopiedLoad = StagedLoad
"""A load that TMA cannot do, and `cp.async` can: through pointers, or of a view."""


def is_copied(op: object) -> TypeGuard[CopiedLoad]:
    """Whether producer threads copy what a load reads."""
    return isinstance(op, CopiedLoad) and op.atom is not None and op.atom.data == COPY_ATOM


def is_stored(op: CopiedLoad) -> bool:
    """Whether threads load and store chunks of a load whose vectors are known."""
    return get_copied_bytes(op) < CHUNK_BYTES[0]


def get_copied_bytes(op: CopiedLoad) -> int:
    """What one access of a thread reads, of a load whose vectors are known."""
    vector = get_vector(op)
    assert vector is not None
    return min(vector.width * memory_bits(get_element(op.result.type)) // 8, CHUNK_BYTES[-1])
