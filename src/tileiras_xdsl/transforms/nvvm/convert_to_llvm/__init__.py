"""
The conversion `convert-to-llvm`.

Modules:

    access_options: How LLVM's accesses are made, by the attributes of the ops that become them
    arith: `arith` on scalars and vectors
    building: What patterns share: constants, shuffles, flags, and ops that become one op
    conversion_pass: The last conversion: what is left of `arith`, `math`, `vector`, `memref`
    types: What becomes of types
    vector: `vector`
"""
