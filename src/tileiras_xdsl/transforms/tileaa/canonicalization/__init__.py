"""
Folds and canonicalization patterns of `nv_tileaa`, a module for each family of ops.

Modules:

    booleans: Folds of `nv_tileaa` comparisons of truth values that were made numbers
    dot: Folds of `nv_tileaa.dot`, the only arithmetic whose constants are folded on whole tiles
    memory: Folds of `nv_tileaa` memory operations: pointer arithmetic, masks, atomics
    shape: Folds of `nv_tileaa` operations that change shapes or pick parts
"""
