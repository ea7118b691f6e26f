"""
The conversion `convert-to-llvm`.

Modules:

    access_options: How LLVM's accesses are made, by the attributes of the ops that become them
    arith: `arith` on scalars and vectors
    building: What patterns share: constants, shuffles, flags, and ops that become one op
    casts: `builtin.unrealized_conversion_cast` that earlier conversions have left
    control_flow: `cf` and `ub`: branches, poison and what is never reached
    conversion_pass: The last conversion: what is left of `arith`, `math`, `vector`, `memref`
    func: `func`: functions
    math: `math`: what LLVM's NVPTX back end has instructions for
    types: What becomes of types
    vector: `vector`
"""
