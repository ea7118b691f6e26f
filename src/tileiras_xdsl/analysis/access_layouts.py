"""Coalesced layouts for accesses to global memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute

from tileiras_xdsl.targets.target import Target

from .linear_layout import LinearLayout, blocked, log2

SECTOR_BYTES = 32
"""The granularity of transfers from global memory."""


def coalesced(
    shape: Sequence[int], warps: int, vector: int = 1, fastest: int | None = None
) -> LinearLayout:
    """
    Vectors along the contiguous dimension, by default the last, then lanes and warps along it and
    the others. Vectors are shortened if otherwise some threads would have none.
    """
    rank = len(shape)
    fastest = rank - 1 if fastest is None else fastest
    order = [fastest, *(dim for dim in reversed(range(rank)) if dim != fastest)]
    share = max(1, prod(shape) // (32 * warps))
    vector = min(vector, share, shape[fastest] if rank else 1)
    return blocked(shape, warps, vector=vector, order=order)


def widest_atomic_add(element: Attribute, target: Target) -> int:
    """The widest vector of an atomic addition to global memory (`red.v2`, …)."""
    return target.vector_reductions.get(str(element), 1)


def coordinate_layout(tile: LinearLayout, dim: int) -> LinearLayout:
    """The slice layout of a 1-D tensor with an element for each coordinate along a dimension."""
    for axis in reversed(range(len(tile.shape))):
        if axis != dim:
            tile = tile.slice(axis)
    return tile


def contiguous_run(layout: LinearLayout, dim: int) -> int:
    """How many consecutive registers hold elements contiguous along a dimension."""
    step = prod(layout.shape[dim + 1 :])
    run = 1
    for bit, basis in enumerate(layout.register):
        if basis != step << bit or 1 << bit >= layout.shape[dim]:
            break
        run *= 2
    return run


def coalesced_bytes(layout: LinearLayout, dim: int, element_bits: int) -> int:
    """
    How many contiguous bytes one instruction of a warp accesses: a vector of registers, continued
    by the lanes.
    """
    step = prod(layout.shape[dim + 1 :])
    bits = log2(contiguous_run(layout, dim))
    bits = min(bits, log2(max(1, 128 // element_bits)))
    for basis in layout.lane:
        if basis == step << bits and 1 << bits < layout.shape[dim]:
            bits += 1
    return (element_bits << bits) // 8


def is_coalesced(layout: LinearLayout, dim: int, element_bits: int) -> bool:
    """Whether every instruction accesses whole sectors, or whole rows if these are smaller."""
    row = layout.shape[dim] * element_bits // 8
    return coalesced_bytes(layout, dim, element_bits) >= min(SECTOR_BYTES, row)
