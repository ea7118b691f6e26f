"""
How fast `tcgen05` is: what passes and cost estimates ask before they choose shapes.

Nobody here has run it. Every number says where it is from, and how far to trust it: [A] NVIDIA
publishes it, or what it follows from; [B] others measured it, and agree; [C] it is computed from
those; [G] a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .tcgen05 import KINDS, STEP_BYTES

FULL_ROWS: Final = 128
"""Rows of D in one CTA that keep all of the data path busy; 64 take as long [A]."""


@dataclass(frozen=True)
class Tcgen05Rates:
    """Throughput of the tensor cores of an SM, per cycle."""

    multiply_adds: Mapping[str, int]
    """Multiply-adds by kind: what 148 SMs at 1.85 GHz need for the peaks in data sheets [A]."""
    long_k_multiply_adds: int | None = None
    """The same of 4-bit operands with K = 96, where that exists [B]."""
    shared_bytes: int = 128
    """Bytes that tensor cores read of shared memory (FlashAttention-4, SemiAnalysis) [B]."""
    exponentials: int = 16
    """Exponentials of all threads, which attention needs as many of as it has scores [A]."""

    def cycles(
        self, kind: str, m: int, n: int, k: int, cta_group: int = 1, *, long_k: bool = False
    ) -> float:
        """
        How long the tensor cores of an SM work on a product [C]. Half of a pair has half of M; if
        that is 64 rows, D fills all lanes, with half of the columns [G].
        """
        rows = m / cta_group if cta_group == 2 else max(m, FULL_ROWS)
        rate = self.multiply_adds[kind]
        if long_k and self.long_k_multiply_adds is not None:
            rate = self.long_k_multiply_adds
        return rows * n * k / rate

    def operand_bytes(
        self, kind: str, m: int, n: int, k: int, cta_group: int = 1, *, a_is_shared: bool = True
    ) -> float:
        """
        Bytes of shared memory that an SM reads for a product [C]: its rows of A, and of B what it
        has itself, half of it in a pair. Each instruction reads 32 bytes of each row.
        """
        steps = k / KINDS[kind].k
        rows = (m / cta_group if a_is_shared else 0) + n / cta_group
        return rows * STEP_BYTES * steps

    def is_bound_by_shared_memory(
        self, kind: str, m: int, n: int, cta_group: int = 1, *, a_is_shared: bool = True
    ) -> bool:
        """Whether operands take longer to read than to multiply [C]."""
        k = KINDS[kind].k
        read = self.operand_bytes(kind, m, n, k, cta_group, a_is_shared=a_is_shared)
        return read / self.shared_bytes > self.cycles(kind, m, n, k, cta_group)


def rates(names: tuple[str, ...], *, long_k: bool = False, exponentials: int = 16) -> Tcgen05Rates:
    """Rates of an architecture that has these kinds. All read 32 bytes of K in the same time."""
    base = {"tf32": 2048, "f16": 4096, "f8f6f4": 8192, "i8": 8192, "mxf8f6f4": 8192}
    base |= {"mxf4": 16384, "mxf4nvf4": 16384}
    return Tcgen05Rates(
        {name: base[name] for name in names}, 24576 if long_k else None, exponentials=exponentials
    )
