"""Kernels that races make wrong, what drives them on a GPU, and what must come out."""
