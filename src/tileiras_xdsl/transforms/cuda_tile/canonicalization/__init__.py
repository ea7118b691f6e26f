"""
Folds and canonicalization patterns of `cuda_tile`, a module for each family of ops.

Modules:

    patterns: Folds and canonicalization patterns of `cuda_tile`
    values: What the `cuda_tile` patterns ask about values, the small expressions they build
"""
