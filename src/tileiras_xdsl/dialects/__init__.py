"""The dialects of every level, `cuda_tile` first."""
