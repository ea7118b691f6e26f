"""Folds and canonicalization patterns of `cuda_tile`, a module for each family of ops."""
