"""
Ampere and Ada: sm_80 (A100), sm_86 (GeForce 30), sm_87 and sm_88 (Orin and its relatives), sm_89
(GeForce 40, L40).

Tiles are loaded through `cp.async` into multi-stage buffers in shared memory, and dots are
`mma.sync`. Ptxas takes 48 KiB of static shared memory here; more needs a launch that asks for it
(`--abi host-maps`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .machine import KIB, ComputeCapability, Rates, SharedMemory, Threads
from .target import Shape, Target, features

FEATURES: Final = features("cp.async", "ldmatrix", "redux")

MMA: Final[dict[str, Shape]] = {
    "f16": (16, 8, 16),
    "bf16": (16, 8, 16),
    "tf32": (16, 8, 8),
    "s8": (16, 8, 32),
    "u8": (16, 8, 32),
    "f64": (8, 8, 4),
}
"""The largest shape of `mma.sync` for each type [I]."""

MMA_F8: Final[dict[str, Shape]] = {"e4m3": (16, 8, 32), "e5m2": (16, 8, 32)}
"""From sm_89 on [I]."""

VECTOR_REDUCTIONS: Final = {"f16": 2}
"""`red.f16x2`; that of `bf16x2` is a loop before sm_90 [P]."""

A100: Final = Rates(
    {8: 2048, 16: 1024, 32: 512}, memory_bytes=10, sm_count=108, gigahertz=1.41, l2_bytes=47
)
"""
312 TFLOP/s in f16, 1.56 TB/s from memory and 5120 bytes a cycle from L2, for 108 SMs at 1.41 GHz
[W].
"""
GA102: Final = Rates({8: 1024, 16: 512, 32: 256}, memory_bytes=6, sm_count=82, gigahertz=1.7)
"""Half the tensor cores of an A100 [W]; 936 GB/s for 82 SMs at 1.7 GHz."""

LARGE: Final = SharedMemory(164 * KIB, 163 * KIB)
SMALL: Final = SharedMemory(100 * KIB, 99 * KIB)

SM_80: Final = Target(
    capability=ComputeCapability(8, 0),
    ptx_version=70,
    shared=LARGE,
    threads=Threads(2048, 32),
    rates=A100,
    features=FEATURES,
    mma=MMA,
    vector_reductions=VECTOR_REDUCTIONS,
)
SM_86: Final = replace(
    SM_80,
    capability=ComputeCapability(8, 6),
    ptx_version=71,
    shared=SMALL,
    threads=Threads(1536, 16),
    rates=GA102,
)
SM_87: Final = replace(SM_86, capability=ComputeCapability(8, 7), ptx_version=74, shared=LARGE)
SM_88: Final = replace(SM_86, capability=ComputeCapability(8, 8), ptx_version=90)
"""The programming guide does not list it: it has what all of the family have."""
SM_89: Final = replace(
    SM_86,
    capability=ComputeCapability(8, 9),
    ptx_version=78,
    threads=Threads(1536, 24),
    features=FEATURES | features("cvt.f8"),
    mma=MMA | MMA_F8,
)

TARGETS: Final = (SM_80, SM_86, SM_87, SM_88, SM_89)
