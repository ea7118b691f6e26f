"""
Folds and canonicalization patterns of `cuda_tile`, a module for each family of ops.

Modules:

    integers: Folds of integer arithmetic, which C++ needs
    patterns: Folds and canonicalization patterns of `cuda_tile`
    values: What the `cuda_tile` patterns ask about values, and the small expressions they build
"""
