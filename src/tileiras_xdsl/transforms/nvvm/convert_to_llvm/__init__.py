"""
The conversion `convert-to-llvm`.

Modules:

    arith: `arith` on scalars and vectors
    building: What patterns share: types, constants, shuffles, flags of accesses
    conversion_pass: The last conversion: what is left of `arith`, `math`, `vector`, `memref`
    vector: `vector`
"""
