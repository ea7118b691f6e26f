"""
What several levels share: the architecture, kernel specifications, hints, symbol names.

Modules:

    abi: How kernels are launched, which decides what a launch can be asked for
    access_hints: Optimization hints of memory accesses
    accumulator_liveness: Which accumulators of a kernel are live together
    compute_capability: The target a program is compiled for
    kernel_spec: How many warps a kernel runs with
    rewriting: What patterns do to ops so that new ones know where they come from
    scaled_dots: Block-scaled dots: which of them an instruction does
    symbol_names: Names for the symbols that the compiler adds to a module
"""
