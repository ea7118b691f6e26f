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
from .machine import (
    KIB,
    Board,
    ClockDrop,
    ComputeCapability,
    Rates,
    RegisterFile,
    SharedMemory,
    Threads,
    Timing,
)
from .target import Target, features
from .warpgroups import Pipelining, Warpgroups

FEATURES: Final = AMPERE_FEATURES | features(
    *("cvt.f8", "cvt.tf32", "stmatrix"),
    *("tma", "multicast", "clusters", "griddepcontrol", "setmaxnreg"),
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
    interleaved_warpgroups=4,
    load_cycles=1600,
    min_stages=4,
    max_stages=12,
    enough_stages=3,
    cluster_ctas=2,
    least_overhead_registers=16,
)
"""
Why it is these numbers, all on an H200:

- max_warpgroups: sizes of tiles are powers of two, so three cannot share one; four, with a producer
  warp, have 96 registers per thread, of which 64 are left: no more than a 128×256 accumulator;
- max_accumulator_registers: with 192, attention with 128 queries, 128 keys and d = 256 spills, and
  its WGMMAs are serialized (`attention_d128` has 128 and 64);
- max_single_warpgroup_accumulator_registers: two warpgroups that share more keep the tensor cores
  busy when one of them waits (708 instead of 602 TFLOP/s, `matmul_128x128x64`);
- interleaved_warpgroups: attention with tiles of 256×64 and d = 64 has 497 TFLOP/s with four, 432
  with two, whose latencies are exposed; a producer warpgroup leaves four 112 registers per thread;
- least_overhead_registers: the loop of an f8 product of 128×256×128 whose operand B is transposed
  in registers takes 238 of them, 224 for tiles [P];
- load_cycles: more buffer stages than cover it do harm (706 TFLOP/s with 6, 713 with 5, 704 with
  4, `matmul_128x128x64`; gathered rows 637, 642 and 631, `matmul_grouped_128x128x64`);
- min_stages: two tile blocks at once that others launch need as many: with 3, tf32 has 378 instead
  of 400 TFLOP/s, but 395 instead of 354 if threads transpose an operand; f16 with 4 has 769 instead
  of 733 (H200, 2026-11-19).
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

TIMING: Final = Timing(
    in_order=True,
    setup=0,
    agent_setup=900,
    fetch=1.0,
    load=1200,
    thread_load=700,
    memory_load=1375,
    masked_atomic=22,
    store=600,
    store_slots=2,
    idle_share=0.42,
    staging_elements=9,
    mma_latency=128,
    mma_setup=150,
    mma_slots=4,
    stage_slots=12,
    barrier_slots=2,
    wait=60,
    special_latency=40,
)
"""
Clocks of SMs between two kernels that read `%clock64`, in CUDA graphs of 15 launches on an H200
(2026-11-17), of launches that vary one size:

- store, store_slots: copies of vectors by 1 to 4224 CTAs, which take 0.92 to 3.46 µs, of which
  0.6 ns for each CTA (2026-11-19);
- setup, fetch, idle_share: least absolute errors over kernels of the board that are not held out,
  1 to 12 µs long (2026-11-19);
- agent_setup, load, store: products of one tile for each SM, with K from 64 to 16384. An iteration
  of 128×256×64 takes 1026 clocks, of 128×128×64 512 to 518, and the rest 9600 and 7400. A setup
  of 1500 clocks fits, 600 of which are the fetch of 400 instructions;
- shuffle, exchange, scalar_division of `Timing`: chains of 1 to 8 sums of 1024 elements by four
  warps, 230 clocks each, and of divisions of scalars (2026-11-19);
- thread_load: a product of f8 with a scale for each block, which threads loaded when they needed
  it (820 clocks for an iteration), and gradients of attention;
- mma_setup: the same product with scales that are loaded ahead (2026-11-18), by its time;
- memory_load, masked_atomic: the histogram of 4096 counts, by clock reads. An iteration of 4 loads
  and 16 atomics of a thread takes 2066 clocks, and 1391 if all CTAs load the same 8 MiB. Of these,
  loads take 1375 and 700, and what is not branches 340;
- staging_elements: the same with one, two and four tiles for each SM, which add 4300 and 2000
  clocks to the iterations of a tile;
- in_order, mma_latency, wait, special_latency: attention of 512 to 16896 keys.
  An iteration takes 2400 clocks with d = 128, and 2070 to 2340 with d = 64. What one of them takes
  was not measured;
- mma_slots, stage_slots, barrier_slots: counted in the code of such a loop, which has 92 of 270
  instructions that are not arithmetic on tiles, for 8 WGMMAs, 2 buffer stages and a turn.
"""

H200_BOARD: Final = Board(
    gpu="H200",
    gigahertz=1.98,
    drop=ClockDrop(
        multiply_adds={
            "f16": 245,
            "bf16": 217,
            "f8E4M3FN": 296,
            "f8E5M2": 296,
            "tf32": 171,
            "i8": 92,
        },
        l2_byte=4.0,
        issue=138,
    ),
    memory_bandwidth=4300.0,
    l2_bytes=32 << 20,
    launch=0.72,
    parameters=0.22,
    cta=1.7,
    least_cta=0.63,
    returning_cta=2.45,
    overlap=4.0,
)
"""
Measured in the same runs on one H200 (2026-11-17), random inputs:

- drop: least squares over launches of the `gemm` cases and of products, attention and softmax of
  other sizes: clocks of 1.44 to 1.98 GHz, the law is off by 37 MHz (root mean square), and as much
  over the cases that it was not fitted to. Zeros as inputs are faster (1.78 GHz instead of 1.55),
  and so is a burst of 20 ms as they are measured here than half a second (1.43 GHz);
- memory_bandwidth: 201 to 805 MB, two reads and a write;
- l2_bytes: of arrays of 12 MB nothing comes from memory in the next launch, of 48 MB nearly all;
- cta: `docs/journal/2026-11-15-first-measurements.md`;
- launch, parameters: kernels of the board that are not held out; a copy by one CTA takes 0.2 less;
- overlap: the same kernels, those that memory limits (2026-11-19): GELU, whose SMs need 0.76 and
  0.88 of the time of memory, takes 1.28 times as long as memory alone; 3 to 5 fit as well;
- returning_cta: the histogram, 16384 CTAs. If two of each SM spin for 12, 18 and 40 µs, so that one
  fits beside them, all of it takes 21.9, 26.0 and 41.2; if all return, 14.0, and three fit;
- least_cta: 100,000 CTAs of 32 to 384 threads that do nothing. With 200 KiB of shared memory, so
  that one fits, it is 1.12 to 1.21: less than what kernels with parameters and registers take.
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
    parameter_base=0x210,
    timing=TIMING,
    board=H200_BOARD,
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
