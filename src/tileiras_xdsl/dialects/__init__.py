"""The dialects of every level, `cuda_tile` first. Their ops run on a patched xDSL."""

from tileiras_xdsl.xdsl_extras.xdsl_patches import apply_patches

apply_patches()
