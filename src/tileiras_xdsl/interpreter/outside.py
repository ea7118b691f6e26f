"""
Tiles that a program stores outside of their array.

Where a tile lies outside of its array nothing is stored, and that may be all of it. This is legal,
but a whole tile that is lost is nearly always the sign of a wrong grid.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct

from .errors import place_of
from .memory import Memory
from .processes import shared_bytes


class OutsideWarning(UserWarning):
    """A program stores tiles of which no element lies in the array."""


class StoredTiles:
    """
    Counts the tiles that each op of a program stores, and those of them that lie outside of the
    array.

    Only a program as it was written is counted: passes cut tiles into parts, of which some may lie
    outside although the tile does not.
    """

    def __init__(self, kernel: Operation, memory: Memory):
        stores = [op for op in kernel.walk() if isinstance(op, ct.StoreViewOp | ct.AtomicRedViewOp)]
        self.memory = memory
        # Of each op: all tiles, those outside, and the address of the array. Processes share them.
        rows = shared_bytes(24 * len(stores)).view(np.int64).reshape(-1, 3)
        self.counts: dict[Operation, npt.NDArray[np.int64]] = dict(zip(stores, rows, strict=True))

    def add(self, op: Operation, address: int, *, outside: bool) -> None:
        """An op stores a tile of the array at an address."""
        if op in self.counts:
            with self.memory.lock:
                row = self.counts[op]
                row[0] += 1
                row[1] += outside
                row[2] = address

    def warn(self) -> None:
        """One warning about all ops that have stored tiles outside, if any has."""
        lines: list[str] = []
        for op, (total, outside, address) in self.counts.items():
            if outside:
                array = self.memory.find(address)
                name = f" to '{array.name}'" if array is not None else ""
                tiles = f"{outside} of {total} {'tile' if total == 1 else 'tiles'}"
                lines.append(f"{place_of(op)}store{name}: {tiles} outside the array")
        if lines:
            # The caller of `tileiras_xdsl.run`, which is decorated.
            warnings.warn("; ".join(lines), OutsideWarning, stacklevel=5)
