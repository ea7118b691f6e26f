"""The corpus of cuTile Python kernels; importing this package fills `registry.KERNELS`."""

from . import (  # noqa: F401
    atomics,
    attention,
    casts,
    control_flow,
    elementwise,
    gather_scatter,
    integer,
    large,
    math,
    matmul,
    misc,
    normalization,
    reductions,
    rejected,
    scans,
    shapes,
    views,
)
from .registry import KERNELS, CorpusKernel

__all__ = ["KERNELS", "CorpusKernel"]
