"""
Folds and canonicalization patterns of `nv_tileaa`, a module for each family of ops.

Modules:

    dot: Folds of `nv_tileaa.dot`, the only arithmetic whose constants are folded on whole tiles
    memory: Folds of `nv_tileaa` memory operations: pointer arithmetic, masks, atomics
    results: Unused results of `nv_tileaa` operations with regions
    shape: Folds of `nv_tileaa` operations that change shapes or pick parts
    tokens: The algebra of joined memory tokens
    values: What the `nv_tileaa` patterns ask about values, and the small expressions they build
"""
