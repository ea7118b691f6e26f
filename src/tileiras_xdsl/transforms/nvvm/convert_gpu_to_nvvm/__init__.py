"""
The conversion from `gpu` to `nvvm`: functions, pattern families, and the pass.

Modules:

    conversion_pass: Lowers portable GPU ops to those of NVIDIA's GPUs
    math: Functions of libdevice, NVIDIA's library of math in LLVM IR
    warps: What threads do together: barriers, shuffles, and reductions over a warp and a CTA
"""
