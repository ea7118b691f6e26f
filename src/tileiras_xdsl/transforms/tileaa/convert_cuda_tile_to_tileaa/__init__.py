"""The conversion from `cuda_tile` to `nv_tileaa`: types, pattern groups, and the pass."""
