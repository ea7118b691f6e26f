"""The conversion from `gpu` to `nvvm`: functions, pattern families, and the pass."""
