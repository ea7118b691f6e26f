"""
Folds and canonicalization patterns of `cuda_tile`, a module for each family of ops.

Modules:

    branches: What the passes over `cuda_tile.if` ask about branches, and the rewrites they share
    conditionals: Canonicalization patterns of `cuda_tile.if`
    patterns: Folds and canonicalization patterns of `cuda_tile`
    select: Folds and patterns of `cuda_tile.select`
    values: What the `cuda_tile` patterns ask about values, and the small expressions they build
"""
