"""
CPUs: what the pipeline for them asks of one.

Numbers of registers and their widths are those of the instruction sets (Intel's and Arm's manuals).
A dot keeps a block of the accumulator in registers, two vectors wide: 16 of 32 registers leave room
for the operands, 8 of 16 as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

STORED_COST: Final = 4
"""What a tile costs that is stored where several places need it: an access in cache costs less."""
MOST_SCRATCH: Final = 1 << 40
"""Bytes of an alloca: no machine has more for each thread."""
UNROLL: Final = 4
"""Vectors that a reduction along the last dimension keeps apart, and steps of a dot."""
CHAINS: Final = 4
"""Registers that a loop computes a long chain of ops for side by side, as FMAs take four clocks."""

CACHE_LINE: Final = 64
"""Bytes, on all CPUs here but Apple's, which have 128: prefetches of a half do no harm."""

SHORT_ROW: Final = 1024
"""
Bytes of a row of a tile up to which the next tile is prefetched: CPUs prefetch by themselves what
follows in a page of 4 KiB. A transpose of 4096² by tiles of 64² is 2.9 times as fast
(benchmarks/cpu.py).
"""

READ_AHEAD: Final = 1024
"""
Bytes from where a long row is read to what is prefetched of it: vector add is 1.08 times as fast, a
scan 1.06 times (benchmarks/cpu.py).
"""

# What the estimate for a CPU (`cost.cpu`) takes things to cost, by orders of magnitude: how fast a
# CPU is in all else is measured.

LIBRARY_LANES: Final = 1000
"""
What a function of the C library takes as long as, in products of lanes; `log` and so on are
polynomials.
"""
FUNCTION_LANES: Final = 25
"""What a polynomial, a root or a division takes as long as."""
SCAN_LANES: Final = 4
SINGLE_LANES: Final = 16
"""An access to an element that has no neighbours."""
ATOMIC_LANES: Final = 400
LAUNCH_MICROSECONDS: Final = 50.0
"""Microseconds before the first tile block: arguments are checked, threads start."""


@dataclass(frozen=True)
class CpuRates:
    """How fast a CPU is, as it was measured (`backend.host_rates`)."""

    cores: int
    flops: float
    """Operations on f32 that a core does in a second, an FMA being two."""
    cache: float
    """Bytes a second that a core reads and writes in its cache."""
    memory: float
    """Bytes a second that all cores together read and write in memory."""


@dataclass(frozen=True)
class CpuTarget:
    """A CPU as LLVM knows it."""

    triple: str
    """`x86_64-unknown-linux-gnu`."""
    name: str
    """`cascadelake`."""
    features: str
    """All features, for LLVM: `+avx2,-avx512f,…`."""
    vector_bits: int
    """Of a register."""
    registers: int
    """For vectors."""

    @property
    def has_fma(self) -> bool:
        """Whether there are instructions for FMAs, which Arm's CPUs always have."""
        return not self.triple.startswith("x86") or "+fma" in self.features.split(",")

    @property
    def has_byte_dots(self) -> bool:
        """Whether there is `vpdpbusd` on 512 bits."""
        return self.vector_bits == 512 and "+avx512vnni" in self.features.split(",")

    @property
    def rows(self) -> int:
        """Of the block of an accumulator that a dot keeps in registers, two vectors wide."""
        return self.registers // 4

    @staticmethod
    def of(triple: str, name: str, features: Mapping[str, bool]) -> CpuTarget:
        """The target of a CPU by its features, under LLVM's names."""
        listed = ",".join(f"{'+' if has else '-'}{each}" for each, has in sorted(features.items()))
        bits, registers = 128, 16
        if triple.startswith(("aarch64", "arm64")):
            registers = 32
        elif all(features.get(f"avx512{part}") for part in ("f", "bw", "dq", "vl")):
            bits, registers = 512, 32
        elif features.get("avx2"):
            bits = 256
        return CpuTarget(triple, name, listed, bits, registers)


X86_FEATURES: Final = ("avx2", "fma", "f16c")
AVX512_FEATURES: Final = tuple(f"avx512{part}" for part in ("f", "bw", "cd", "dq", "vl"))
CPUS: Final = {
    name: CpuTarget.of(f"{arch}-unknown-linux-gnu", cpu, dict.fromkeys(features, True))
    for name, arch, cpu, features in (
        ("x86-64-v3", "x86_64", "x86-64-v3", X86_FEATURES),
        ("x86-64-v4", "x86_64", "x86-64-v4", X86_FEATURES + AVX512_FEATURES),
        ("aarch64", "aarch64", "generic", ("neon",)),
    )
}
"""CPUs that every machine makes code for: those of x86 by the levels of its ABI."""
