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
"""

from .run import run_threads

__all__ = ["run_threads"]
