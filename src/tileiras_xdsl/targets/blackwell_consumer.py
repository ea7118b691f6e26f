"""
Consumer Blackwell: sm_120 (GeForce 50, RTX PRO), sm_121 (DGX Spark), with the suffixes a and f.

As Ada, with the copies, barriers and clusters of Hopper, and 99 KiB of shared memory. There is
neither `wgmma` nor `tcgen05`: "not supported" for every such instruction [P]. Nothing was run on
such a GPU.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .ampere import MMA, MMA_F8
from .hopper import FEATURES as HOPPER_FEATURES
from .hopper import MMA_PIPELINING, VECTOR_REDUCTIONS
from .machine import KIB, ComputeCapability, Rates, SharedMemory, Threads
from .target import Target, WarpChoice, features

FEATURES: Final = HOPPER_FEATURES - features("multicast") | features(
    *("tma.cta", "cvt.f4", "f32x2", "max3", "clusterlaunchcontrol")
)
"""
Multicast assembles, and ptxas advises against it; clusters have one CTA in CUTLASS. Loads to
`.shared::cluster` compare CTAs and may call a function, and `setmaxnreg` is ignored then: those to
`.shared::cta` do not [P].
"""

GB202: Final = Rates(
    {4: 2048, 8: 1024, 16: 512, 32: 256}, memory_bytes=4, sm_count=170, gigahertz=2.4
)
"""As Ada in f16 [W]; 1.79 TB/s for 170 SMs at 2.4 GHz."""

SHARED: Final = SharedMemory(100 * KIB, 99 * KIB, static=99 * KIB)
FAMILY_SHARED: Final = SharedMemory(100 * KIB, 99 * KIB)
"""The suffix f: 48 KiB without asking [P]."""

PIPELINING: Final = replace(MMA_PIPELINING, shared=SHARED, rates=GB202, min_row_bytes=64)
"""
As on Hopper without WGMMA; nothing of it was measured on such a GPU.

- min_row_bytes: `ldmatrix` reads rows with a swizzle of 64 bytes without bank conflicts, and shared
  memory has room for a second stage of 128×256 tiles if K is split up to these.
"""

WARPS: Final = WarpChoice(flat_dot=0)
"""An SM has shared memory for one CTA with a tile of 128×128, so that it needs eight warps."""

SM_120: Final = Target(
    capability=ComputeCapability(12, 0),
    ptx_version=87,
    shared=SHARED,
    threads=Threads(1536, 24),
    rates=GB202,
    features=FEATURES,
    mma=MMA | MMA_F8,
    vector_reductions=VECTOR_REDUCTIONS,
    cluster=8,
    parameter_base=0x380,
    mma_pipelining=PIPELINING,
    warps=WARPS,
)
"""What is written for it is compiled as sm_120a, so it has as much static shared memory."""

SM_121: Final = replace(SM_120, capability=ComputeCapability(12, 1), ptx_version=88)


def _variants(base: Target) -> tuple[Target, Target, Target]:
    """An architecture, and its variants a and f, of which the latter came with PTX 8.8."""
    major, minor = base.capability.major, base.capability.minor
    own = replace(
        base,
        capability=ComputeCapability(major, minor, "a"),
        features=FEATURES | features("mma.f8f6f4", "mma.block_scale"),
    )
    family = replace(
        base,
        capability=ComputeCapability(major, minor, "f"),
        ptx_version=88,
        shared=FAMILY_SHARED,
        mma_pipelining=None,
    )
    return base, own, family


TARGETS: Final = (*_variants(SM_120), *_variants(SM_121))
