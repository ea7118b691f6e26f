"""
Datacentre Blackwell: sm_100 (B200), sm_103 (B300), sm_107, sm_110 (Thor), with suffixes a and f.

`tcgen05` multiplies with accumulators in tensor memory; `wgmma` is gone. What differs, as ptxas
says of each instruction [P]:

| | sm_100a | sm_103a | sm_110a | suffix f | none |
| --- | --- | --- | --- | --- | --- |
| tcgen05, tensor memory, TMA of pairs, gather4, scatter4 | yes | yes | yes | yes | no |
| products of kind::i8 | yes | no | yes | no | no |
| tcgen05.shift | yes | yes | yes | no | no |
| scale-input-d | yes | yes | no | as a | no |
| tcgen05.ld.red | no | yes | yes | as a | no |
| K = 96 of kind::mxf4 and kind::mxf4nvf4 [I] | no | yes | no | no | no |
| cluster launch control | yes | yes | yes | yes | yes |

sm_107 has what sm_103 has, as far as ptxas was asked. LLVM 22 does not know it, so it writes code
for sm_103, whose first lines then name the other. Nothing was run on such a GPU. How far to trust
numbers: those with [P], [L], [I] and [G] are what ptxas and LLVM do, and what is documented of
programs; speeds have the grades of `tcgen05_rates`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .ampere import MMA, MMA_F8
from .hopper import FEATURES as HOPPER_FEATURES
from .hopper import VECTOR_REDUCTIONS
from .machine import KIB, ComputeCapability, Rates, RegisterFile, SharedMemory, Threads
from .target import Feature, Relative, Target, features
from .tcgen05 import TENSOR_MEMORY, rates, tensor_memory_warpgroups

FEATURES: Final = HOPPER_FEATURES | features("cvt.f4", "f32x2", "max3", "clusterlaunchcontrol")

WITH_SUFFIX: Final = FEATURES | features(
    *("tcgen05", "tma.cta_group", "tma.gather4", "tma.scatter4")
)
"""`tcgen05` is "not supported on .target sm_100" without a suffix [P]."""
ONLY_A: Final = features("tcgen05.i8", "tcgen05.shift", "tcgen05.k96")
"""What the suffix f does not have, which is for a family of architectures [P]."""

B200: Final = Rates(
    {4: 16384, 8: 8192, 16: 4096, 32: 2048}, memory_bytes=28, sm_count=148, gigahertz=1.85
)
"""
2.25 PFLOP/s in f16 by `tcgen05` [A], 7.7 TB/s of an HGX board [A] (6.6 were measured [B]), 148 SMs
at 1.85 to 1.96 GHz [B]; 16 exponentials [A]; bytes from L2 as on Hopper: a guess, nobody says.
"""
B300: Final = replace(B200, special_lanes=32)
"""Twice as many exponentials: FlashAttention-4 computes none by polynomials there [B]."""
THOR: Final = replace(B200, memory_bytes=8, sm_count=20, gigahertz=1.57)
"""
Jetson T5000: 2560 cores at 1.57 GHz, 273 GB/s [A]. Its 1035 TFLOP/s in 4 bits, without sparsity,
are those of 20 SMs with the rates of sm_100 [C].
"""

SHARED: Final = SharedMemory(228 * KIB, 227 * KIB, static=227 * KIB)
FAMILY_SHARED: Final = SharedMemory(228 * KIB, 227 * KIB)
"""The suffix f: 48 KiB without asking [P]."""

KINDS: Final = ("f16", "tf32", "f8f6f4", "mxf8f6f4", "mxf4", "mxf4nvf4")
"""What all of them multiply; some have i8 as well."""

SM_100: Final = Target(
    capability=ComputeCapability(10, 0),
    ptx_version=86,
    shared=SHARED,
    threads=Threads(2048, 32),
    rates=B200,
    features=FEATURES,
    mma=MMA | MMA_F8,
    vector_reductions=VECTOR_REDUCTIONS,
    tensor_memory=TENSOR_MEMORY,
    tcgen05=rates((*KINDS, "i8")),
    cluster=8,
    parameter_base=0x380,
)
"""What is written for it is compiled as sm_100a, so it has as much static shared memory."""

SM_103: Final = replace(
    SM_100,
    capability=ComputeCapability(10, 3),
    ptx_version=88,
    rates=B300,
    tcgen05=rates(KINDS, long_k=True, exponentials=B300.special_lanes),
)
SM_107: Final = replace(
    SM_103, capability=ComputeCapability(10, 7), relative=Relative("sm_103", ptx_version=94)
)
"""Its speed is a guess [G]."""
SM_110: Final = replace(
    SM_100,
    capability=ComputeCapability(11, 0),
    ptx_version=90,
    threads=Threads(1536, 24),
    rates=THOR,
)


def _variants(base: Target, family_version: int, *extras: Feature) -> tuple[Target, Target, Target]:
    """
    An architecture, and its variants a and f. The latter may need a later PTX, and lacks some of
    what the former has.
    """
    major, minor = base.capability.major, base.capability.minor
    own = replace(
        base,
        capability=ComputeCapability(major, minor, "a"),
        features=WITH_SUFFIX | features(*extras),
        warpgroups=tensor_memory_warpgroups(base.shared, RegisterFile(), base.rates),
    )
    family = replace(
        own,
        capability=ComputeCapability(major, minor, "f"),
        ptx_version=family_version,
        shared=FAMILY_SHARED,
        features=own.features - ONLY_A,
        warpgroups=tensor_memory_warpgroups(FAMILY_SHARED, RegisterFile(), base.rates),
    )
    return base, own, family


TARGETS: Final = (
    *_variants(SM_100, 88, "tcgen05.i8", "tcgen05.shift", "tcgen05.scale_input_d"),
    *_variants(
        *(SM_103, 88, "tcgen05.shift", "tcgen05.scale_input_d", "tcgen05.ld.red", "tcgen05.k96")
    ),
    *_variants(
        *(SM_107, 88, "tcgen05.shift", "tcgen05.scale_input_d", "tcgen05.ld.red", "tcgen05.k96")
    ),
    *_variants(SM_110, 90, "tcgen05.i8", "tcgen05.shift", "tcgen05.ld.red"),
)
