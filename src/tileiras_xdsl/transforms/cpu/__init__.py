"""
To `llvm` for a CPU.

Modules:

    arithmetic: What ops on elements become: each case that LLVM leaves undefined is written out
    atomics: Atomics: `atomicrmw` on integers, a loop around `cmpxchg` on floats
    cpu_lower_tiles: Tiles of `nv_tileaa` become loops over vectors
    dots: Dots: a block of the accumulator is in registers while all of `k` is added to it
    emitter: Appends ops of `llvm` and `scf` to a block: constants, indices that fold, vectors
    functions: Elementary functions: polynomials on vectors of `f32`, the C library for all others
    reports: `print` and `assert`
    tiles: Tiles as functions of an index, which yield vectors along the last dimension
"""
