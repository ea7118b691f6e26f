"""
The conversion from `cuda_tile` to `nv_tileaa`: types, pattern groups, and the pass.

Modules:

    control_flow: Patterns of control flow: `if`, `for` and `loop`, early exits included
    conversion_pass: Lowers public Tile IR to the alias-aware dialect
    types: What becomes of `cuda_tile` types
"""
