"""
What several levels share: the architecture, kernel specifications, hints, symbol names.

Modules:

    abi: How kernels are launched, which decides what a launch can be asked for
    accumulator_liveness: Which accumulators of a kernel are live together
    expressions: Arithmetic on values as one writes it: each operator appends an op
    globals: Global variables, from `nv_tileaa` to `llvm`
    interop: The package `tileiras_interop`, if it is installed
    kernel_spec: How many warps a kernel runs with, and how it is launched (`Abi`)
    rewriting: What patterns do to ops so that new ones know where they come from
    scaled_dots: Block-scaled dots: which of them an instruction does
"""
