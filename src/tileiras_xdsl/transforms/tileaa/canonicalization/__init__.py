"""Folds and canonicalization patterns of `nv_tileaa`, a module for each family of ops."""
