"""
The conversion from `gpu` to `nvvm`: functions, pattern families, and the pass.

Modules:

    conversion_pass: From portable GPU ops to those of NVIDIA's GPUs
    functions: Functions, kernels and their memory
    math: Functions of libdevice, NVIDIA's library of math in LLVM IR
    queries: Where a thread is: queries become reads of special registers
    runtime_calls: Assertions and output: calls of what the CUDA runtime defines on the device
    warps: What threads do together: barriers, shuffles, and reductions over a warp and a CTA
"""
