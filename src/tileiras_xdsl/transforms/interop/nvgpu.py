"""Conversions of the ops of `nvgpu` that upstream has, and our kernels are not made of."""

from __future__ import annotations

from tileiras_xdsl.transforms.nvvm.llvm_symbols import RuntimeSymbols
from tileiras_xdsl.xdsl_extras.dialect_conversion import PatternSet

from .nvgpu_barriers import populate_own_barriers
from .nvgpu_matrix import populate_warp_mma
from .nvgpu_packed import populate_packed
from .nvgpu_tensor_maps import populate_tensor_maps
from .nvgpu_warpgroup import populate_whole_mma


def populate_upstream(patterns: PatternSet) -> None:
    """Adds a pattern for each of them."""
    populate_own_barriers(patterns, RuntimeSymbols())
    populate_tensor_maps(patterns)
    populate_warp_mma(patterns)
    populate_whole_mma(patterns)
    populate_packed(patterns)
