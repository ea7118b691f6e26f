"""Folds and canonicalization patterns, one module for each dialect and large family of ops."""
