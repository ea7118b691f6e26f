"""How much may be made from a file."""

from __future__ import annotations

from .primitives import ByteReader


class Budget:
    """
    Bounds what is made from a file to a multiple of its size. Most of it takes bytes of its
    own; what a few bytes refer to again and again, and what grows with every reference, is
    charged for here.
    """

    FREE = 64
    """Items of this size are not charged for: the reference is not that much smaller."""
    BASE = 1 << 20
    FACTOR = 256
    ARGUMENT = 128
    """The charge for an argument of a function, which only the signature lists."""

    def __init__(self, file_size: int):
        self._left = self.BASE + self.FACTOR * file_size

    def charge(self, size: int, reader: ByteReader) -> None:
        """Takes note of `size` bytes that `reader` refers to."""
        if size <= self.FREE:
            return
        self._left -= size
        if self._left < 0:
            reader.fail("the file expands to far more than its size")
