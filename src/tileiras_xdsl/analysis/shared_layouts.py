"""
Layouts of tiles in shared memory.

Rows of a tile are chunks of 16 bytes. Eight rows below each other have the same chunk at eight
different places modulo 128 bytes, so that eight lanes that read or write such a column of chunks,
as `ldmatrix` does, use all banks; so do lanes that access neighbouring chunks of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tileiras_xdsl.targets.machine import LINE_BYTES

from .linear_layout import LinearLayout, bits_along, log2

CHUNK_BYTES: Final = 16


def swizzled(shape: Sequence[int], fastest: int, element_bytes: int) -> LinearLayout:
    """
    A tile whose rows lie along a dimension. The chunks of a row of 128 bytes, or of several
    shorter rows that share these, are permuted by xor with the number of the row.
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
