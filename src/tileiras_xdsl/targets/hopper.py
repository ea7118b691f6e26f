"""
Hopper: sm_90a (H100, H200), and sm_90, its part that later architectures have too.

TMA fills multi-stage buffers in shared memory, from which WGMMA reads its operands. Everything in
`WARPGROUPS` was measured on an H200; `docs/hopper.md` tells how passes use it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .ampere import FEATURES as AMPERE_FEATURES
from .ampere import MMA, MMA_F8
from .capability import ComputeCapability
from .machine import KIB, Rates, RegisterFile, SharedMemory, Threads
from .target import Target, features
from .warpgroups import Pipelining, Warpgroups

FEATURES: Final = AMPERE_FEATURES | features(
    *("cvt.f8", "stmatrix", "tma", "multicast", "clusters", "griddepcontrol", "setmaxnreg")
)

VECTOR_REDUCTIONS: Final = {"f32": 4, "f16": 8, "bf16": 8}
"""`red` of `.v4.f32`, `.v8.f16` and `.v8.bf16`: 16 bytes [I]."""

H200: Final = Rates({8: 4096, 16: 2048, 32: 1024}, memory_bytes=20, sm_count=132, gigahertz=1.8)
"""Memory: 4.8 TB/s for 132 SMs at 1.8 GHz."""

SHARED: Final = SharedMemory(228 * KIB, 227 * KIB, static=227 * KIB)
"""Launched with 200 KiB and no attribute on an H200."""

WARPGROUPS: Final = Warpgroups(
    shared=SHARED,
    registers=RegisterFile(),
    rates=H200,
    max_warpgroups=2,
    consumer_registers=240,
    producer_registers=24,
    overhead_registers=32,
    max_accumulator_registers=160,
    high_pressure_accumulator_registers=128,
    max_single_warpgroup_accumulator_registers=64,
    load_cycles=1600,
    min_stages=4,
    max_stages=12,
    enough_stages=3,
    cluster_ctas=2,
)
"""
Why it is these numbers, all on an H200:

- max_warpgroups: sizes of tiles are powers of two, so three cannot share one; four, with a producer
  warp, have 96 registers per thread, of which 64 are left: no more than a 128×256 accumulator;
- max_accumulator_registers: with 192, attention with 128 queries, 128 keys and d = 256 spills, and
  its WGMMAs are serialized (`attention_d128` has 128 and 64);
- max_single_warpgroup_accumulator_registers: two warpgroups that share more keep the tensor cores
  busy when one of them waits (708 instead of 602 TFLOP/s, `matmul_128x128x64`);
- load_cycles: more buffer stages than cover it do harm (706 TFLOP/s with 6, 713 with 5, 704 with
  4, `matmul_128x128x64`; gathered rows 367 with 12, 410 with 5, `row_gather`);
- enough_stages: 3 stages are as fast as 4 (764 and 761 TFLOP/s, `matmul_128x256x64`), 2 of twice
  the size are not (0.65 of it, 256×256×128 by two CTAs);
- cluster_ctas: with one CTA per SM, multicast costs more than it saves (702 instead of 721
  TFLOP/s, `matmul_128x128x64`) unless rows of memory are not aligned.
"""

MMA_PIPELINING: Final = Pipelining(
    shared=SHARED,
    registers=RegisterFile(),
    rates=H200,
    consumer_registers=240,
    producer_registers=24,
    overhead_registers=64,
    load_cycles=1600,
    min_stages=3,
    max_stages=6,
    enough_stages=3,
    cluster_ctas=2,
    max_accumulator_registers=128,
    min_warps=8,
)
"""
Dots that WGMMA cannot do, on an H200, at 4096³ unless it says otherwise:

- operands by TMA instead of `cp.async`: 181 instead of 134 TFLOP/s in f8 with B stored as [K, N],
  188 instead of 178 in i8, 165 instead of 159 for batches of 2×64×64; without WGMMA 128×128×64 in
  f16 has 399 instead of 288;
- min_warps: CTAs of four warps are smaller, so that each builds its tensor maps for less work, and
  fewer of them fit beside a producer warp: 64×64×64 has 225 instead of 286 TFLOP/s, 32×32×64 121
  instead of 153, 128×128×32 by four warps 382 instead of 412;
- overhead_registers: threads have the fragments of two steps along K beside their tiles;
- max_accumulator_registers: with these and what follows from them, threads have 190 registers in a
  loop [P]. It is asked where there is no WGMMA.
"""

SM_90: Final = Target(
    capability=ComputeCapability(9, 0),
    ptx_version=78,
    shared=SHARED,
    threads=Threads(2048, 32),
    rates=H200,
    features=FEATURES,
    mma=MMA | MMA_F8,
    vector_reductions=VECTOR_REDUCTIONS,
    cluster=8,
    tile_ctas=2,
)
"""
What is written for it is compiled as sm_90a, so it has as much static shared memory.

- tile_ctas: with two, grids that do not fill the GPU are faster (2048³ in tiles of 256×256: 30 µs
  instead of 48), and others not slower (4096³: 183 and 180). Not all SMs can run clusters of four
  at the same time (2048³ in tiles of 512×256: 53 µs with four, 48 with two).
"""

SM_90A: Final = replace(
    SM_90,
    capability=ComputeCapability(9, 0, "a"),
    ptx_version=80,
    features=FEATURES | features("wgmma"),
    warpgroups=WARPGROUPS,
    mma_pipelining=MMA_PIPELINING,
)

TARGETS: Final = (SM_90, SM_90A)
