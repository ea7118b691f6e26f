"""
Numbers by which passes choose, the same for all architectures.

What differs between architectures is in the fields of `Target`. Here are limits and thresholds of
single passes, each with its reason. Where none of [P] and the other sources of `target` is named,
no measurement of the number is on record.
"""

from __future__ import annotations

from typing import Final

from .machine import KIB
from .warpgroups import WGMMA_M

# Shared memory

RESERVED_BYTES: Final = KIB
"""Shared memory for barriers and tensor maps."""
SCRATCH_BYTES: Final = KIB
"""Shared memory for layout conversions and reductions, at least."""
SMALL_STORE_BYTES: Final = 16 * KIB
"""For stores, or layout conversions, of a kernel that is short of shared memory."""
MAX_SUBTILE_BYTES: Final = 64 * KIB
"""The most scratch memory that a store takes at a time."""
BESIDE_OPERANDS_BYTES: Final = 36 * KIB
"""Shared memory beside operands: barriers, and scratch memory for conversions and stores."""
LEAST_BESIDE_OPERANDS_BYTES: Final = 18 * KIB
"""
The same, of a kernel that is short of shared memory: `RESERVED_BYTES`, `SCRATCH_BYTES` and
`SMALL_STORE_BYTES`.
"""
LEAST_BESIDE_STAGES_BYTES: Final = 4 * KIB
"""Shared memory beside operands, at least: barriers, tensor maps and scratch memory."""

# Tiles, and what they are cut into

OPERAND_PIECES: Final = 4
"""
Of a tile that several dots of a loop read (`split-operands`). With four, all but a quarter of a
tile is loaded while another is still being read.
"""
OPERAND_PIECE_ROWS: Final = 2 * WGMMA_M
"""Rows and columns of a piece of a dot: two warpgroups share them."""
OPERAND_PIECE_DEPTH: Final = 64
"""Elements of a piece of an operand along K."""
WHOLE_SHARE: Final = 3 / 4
"""
A tile that no dot computes leaves a quarter of the registers to addresses, else it is cut: 65536
f32 by 16 warps would be all registers of an SM.
"""
PIECE_SHARE: Final = 4
"""The largest tile of a piece takes at most a quarter of what there is: others live beside it."""
SMALLEST_DOT: Final = 64
"""Rows of a WGMMA; with fewer columns, operands would be read too often."""
TILE_INSTRUCTIONS: Final = 128 * 20_000
"""As many as four warps have in 20,000 lines of LLVM IR each, for which ptxas takes seconds."""
PRIVATIZED_OPS: Final = 128
"""Of an iteration that works on several tile blocks (`privatize-atomics`)."""
UNROLLED_OPS: Final = 1024
"""Of iterations that are done together, at most (`unroll-loops`)."""
PROMOTION_K: Final = 128
"""
K of an FP8 dot after which partial sums are promoted to an f32 accumulator: tensor cores align
addends to the largest and keep about 14 bits.
"""
PROMOTED_COLUMNS: Final = 128
"""N of such a dot at a time, for there are partial sums beside the accumulators."""

# Accesses

HELD_REGISTERS: Final = 64
"""
Registers of a producer thread for what addresses of operands have in common in all iterations, at
most. With 49, in tiles of 128x128x128, nothing is spilled. With 96 a grouped GEMM spills and takes
143.8 µs; if consumer threads load its operands instead, it takes 120.7 (H200, 2026-11-19).
"""
SCALARIZED_ELEMENTS: Final = 16
"""Elements of a tile that are loaded one by one; a tile of this many fits in a few registers."""
SHORTENED_BYTES: Final = 8
"""Of vectors that are as short as others, so that layouts agree, at least: 256 bytes of a warp."""
BROADCAST_ACCESSES: Final = 4
"""
Instructions for which a thread loads its copies of a tile that is broadcast: a trip through shared
memory has a store, a load and a barrier, and takes longer than a load that hits.
"""
MIN_ACCESS_BYTES: Final = 4
"""Fewest bytes per access for a load in accumulator layout to pay off."""
MOST_COPYING_ACCESSES: Final = 8
"""
Instructions by which a thread loads elements that others load, too: the first level of caches has
them, while a conversion would make all consumer warps wait for each other.
"""
CHUNKS_IN_FLIGHT: Final = 32
"""Of a thread that loads chunks before it stores the first: as many as it has registers for."""
TENSOR_MEMORY_ACCESS_REGISTERS: Final = 16
"""
Of one access: several small ones are interleaved with arithmetic, and ptxas needs registers for a
whole one in a row. With 32, attention needs more than 168 registers, with 16 it does not [P].
"""

# The code of a thread

EXTREMA_CHAINS: Final = 4
"""Chains of extrema side by side, as many as an instruction takes cycles."""
UNROLLED_FMAS: Final = 8
"""How many FMAs of an element are unrolled; more are in a loop."""
RECIPROCAL_USES: Final = 4
"""The least number of quotients by the same divisor for which a reciprocal pays."""
FIRST_EXPONENTIALS: Final = 8
"""
How many exponentials a turn is passed on after, at least. ptxas puts it near the 10th of 64,
whether this is 8 or 16.
"""

# Registers of a thread before ptxas allocates them, of 202 plans of 34 kernels of the board
# (H200, ptxas 13.4, 2026-11-19): the median error is 15 %, of kernels that are held out 20 %.

OTHER_REGISTERS: Final = 22
"""Beside the tiles that are live at once, in a kernel without dots (least error of logarithms)."""
LEAST_OTHER_REGISTERS: Final = 16
"""As few as that can be without spills."""
OVERLAPPED_REGISTERS: Final = 24
"""
Of tiles of a kernel with dots that need not be live at once: products of f8 in tiles of 128x128
need 192 by `needed_beside_dots`, and are compiled with 168 without spills, with 96 not.
"""

# Memory of a tile block

LOCAL_BYTES: Final = 1 << 14
"""
Of each `alloca` of a kernel that is sure to be in shared memory, all together: others come from the
heap of the device where buffers leave no room.
"""

# Instructions in the code of kernels without products, beside those that issue slots count: least
# squares of their shares in 38 kernels of the board, 2026-11-19.

SCALAR_INSTRUCTIONS: Final = 1.5
"""Of an op on scalars."""
DIVISION_INSTRUCTIONS: Final = 30
"""Of a division of scalars."""
ACCESS_INSTRUCTIONS: Final = 2
"""Of an access of a thread."""
REDUCTION_INSTRUCTIONS: Final = 30
"""Of a reduction or scan."""
EXCHANGE_INSTRUCTIONS: Final = 3
"""Of an element of a thread that goes through shared memory."""
