"""
Runs the code of one thread (level 3, or level 4) on the CPU: all threads of a CTA at once,
through NumPy.

An SSA value is an array whose first dimension is the threads of the CTA, or 1 if it is the
same for all of them; those of a vector follow. A struct is a tuple, a memref a tuple of address,
sizes and strides. Threads run in lockstep: where they part, each side runs under a mask of the
threads that take it, and what the other threads hold stays. One file for each family of ops
registers what they do.

Where warps wait for each other, or something runs asynchronously (TMA copies, WGMMA), each warp
runs apart, in turns: `schedule`. What is asynchronous happens as
late as it may, and `clocks` know what comes after what, so that races are found whatever the order
of turns was. The CTAs of a `cluster` run like this side by side.

Modules:

    accesses: Loads, stores and atomics of all threads: through global, shared
    clocks: What is ordered before what, and who races
    cluster: CTAs that run side by side, and reach each other's shared memory
    copies: Asynchronous copies of elements
    grid: Where a thread is, barriers of the CTA, output, calls of functions that the device has
    matrix: Matrices of a warp, also as fragments: `mma.sync`, `ldmatrix` and `stmatrix`
    mbarriers: Barriers in shared memory, which count arrivals of threads and bytes of copies
    outside: Those who touch global memory from outside of the CTAs that run: other CTAs
    pointers: Pointers and memrefs, and loads, stores and atomics through them
    run: Running a kernel of level 3, or 4, over a grid
    shadow: Which bytes of a memory have been written at all, and which are on their way
    state: A CTA while it runs: its threads, who of them is active, and its memories
    tcgen05: Tensor memory and the instructions on it: allocation, loads and stores, copies, MMAs
    tcgen05_mma: `tcgen05.mma`: what one instruction computes, and what it touches
    tensor_copies: TMA copies and bulk copies between global and shared memory
    tensor_cores: What the tensor cores do while threads run on: MMAs, copies to tensor memory
    tensor_maps: Tensor maps: the descriptors by which TMA accesses tensors in global memory
    tensor_memory: Tensor memory: 128 lanes of 512 columns of 32-bit words
    vectors: Vectors and structs: their elements, slices, shuffles and reductions
    warp: What lanes of a warp do together: shuffles, votes and reductions
    warpgroup: WGMMA
"""

from .run import run_threads

__all__ = ["run_threads"]
