"""
Datacentre Blackwell: sm_100 (B200), sm_103 (B300), sm_110 (Thor), with the suffixes a and f.

Kernels are compiled as for Hopper without `wgmma`, which is gone: dots are `mma.sync`.
`tcgen05` and tensor memory are described here and not used yet. Nothing was run on such a GPU.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .ampere import MMA, MMA_F8
from .capability import ComputeCapability
from .hopper import FEATURES as HOPPER_FEATURES
from .hopper import VECTOR_REDUCTIONS
from .machine import KIB, Rates, SharedMemory, Threads
from .target import Target, features

FEATURES: Final = HOPPER_FEATURES | features("cvt.f4", "f32x2")

WITH_SUFFIX: Final = FEATURES | features("tcgen05")
"""`tcgen05` is "not supported on .target sm_100" without a suffix [P]."""

B200: Final = Rates(
    {4: 16384, 8: 8192, 16: 4096, 32: 2048}, memory_bytes=28, sm_count=148, gigahertz=1.85
)
"""2.25 PFLOP/s in f16 by `tcgen05`, 7.7 TB/s for 148 SMs at 1.85 GHz [W]."""

SHARED: Final = SharedMemory(228 * KIB, 227 * KIB, static=227 * KIB)
FAMILY_SHARED: Final = SharedMemory(228 * KIB, 227 * KIB)
"""The suffix f: 48 KiB without asking [P]."""

TENSOR_MEMORY: Final = 128 * 512 * 4
"""Lanes, columns and bytes [I]."""

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
    cluster=8,
)
"""What is written for it is compiled as sm_100a, so it has as much static shared memory."""

SM_103: Final = replace(SM_100, capability=ComputeCapability(10, 3), ptx_version=88)
SM_110: Final = replace(
    SM_100, capability=ComputeCapability(11, 0), ptx_version=90, threads=Threads(1536, 24)
)


def _variants(base: Target, family_version: int) -> tuple[Target, Target, Target]:
    """An architecture, and its variants a and f, of which the latter may need a later PTX."""
    major, minor = base.capability.major, base.capability.minor
    own = replace(base, capability=ComputeCapability(major, minor, "a"), features=WITH_SUFFIX)
    family = replace(
        own,
        capability=ComputeCapability(major, minor, "f"),
        ptx_version=family_version,
        shared=FAMILY_SHARED,
    )
    return base, own, family


TARGETS: Final = (*_variants(SM_100, 88), *_variants(SM_103, 88), *_variants(SM_110, 90))
