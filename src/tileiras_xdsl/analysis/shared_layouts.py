"""
Swizzled layouts of tiles in shared memory.

Rows consist of chunks of 16 bytes. A swizzle puts the same chunk of eight consecutive rows at eight
different offsets modulo 128 bytes. So eight lanes that access a column of chunks, as `ldmatrix`
does, have no bank conflicts, nor have lanes that access neighbouring chunks of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tileiras_xdsl.targets.machine import LINE_BYTES

from .linear_layout import LinearLayout, bits_along, log2

CHUNK_BYTES: Final = 16


def swizzled(shape: Sequence[int], fastest: int, element_bytes: int) -> LinearLayout:
    """
    A tile that is contiguous along `fastest`. The number of a chunk in 128 bytes, which are one row
    or several shorter ones, is XORed with the row number.
    """
    others = [dim for dim in reversed(range(len(shape))) if dim != fastest]
    inside = bits_along(shape, fastest)
    rows = [basis for dim in others for basis in bits_along(shape, dim)]
    first = log2(CHUNK_BYTES // element_bytes)
    chunks = inside[first : first + log2(LINE_BYTES // CHUNK_BYTES)]
    skipped = log2(LINE_BYTES // CHUNK_BYTES) - len(chunks)
    for chunk, row in zip(chunks, range(skipped, len(rows)), strict=False):
        rows[row] ^= chunk
    return LinearLayout.shared(shape, (*inside, *rows))
