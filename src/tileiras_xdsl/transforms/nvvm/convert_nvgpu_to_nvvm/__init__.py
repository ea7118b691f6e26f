"""The conversion from `nvgpu` to `nvvm`: types, pattern families, and the pass."""
