"""Passes on `cuda_tile`, the level that programs come in."""
