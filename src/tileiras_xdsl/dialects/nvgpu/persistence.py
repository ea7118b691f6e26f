"""
Persistent kernels: a launch has as many CTAs as the device holds at once, and each of them loops
over output tiles.

Such a kernel has the attribute `nvgpu.persistent`, the CTAs per SM. The sizes of the requested
grid, three i32, are after its other parameters and before tensor maps.

A cluster of a kernel with the attribute `nvgpu.blocks_are_clusters` does the work of a tile block,
and a launch says how many clusters there are.
"""

from __future__ import annotations

from math import prod
from typing import Final

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, UnitAttr, i32
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

PERSISTENT: Final = DiscardableAttribute(
    "nvgpu.persistent",
    IntegerAttr,
    "CTAs per SM of a persistent kernel.",
    written_by=("tileas-dynamic-persistent", "tileas-generate-schedule"),
    read_by=(
        "tileas-dynamic-persistent",
        "tileas-order-tile-blocks",
        "tileas-generate-schedule",
        "tileas-coarsen-tile-blocks",
        "tileas-overlap-launches",
    ),
)
BLOCKS_ARE_CLUSTERS: Final = DiscardableAttribute(
    "nvgpu.blocks_are_clusters",
    UnitAttr,
    "The CTAs of a cluster share a tile block, so grids count clusters.",
    written_by=("split-tiles",),
    read_by=(
        "tileas-slice-epilogues",
        "tileas-pair-ctas",
        "tileas-dynamic-persistent",
        "convert-gpu-to-nvvm",
    ),
)
CLUSTER_SIZES: Final = ("gpu.known_cluster_size", "nvvm.cluster_dim")
"""The attributes that may have the cluster size, in order of precedence."""
GRID_PARAMETERS: Final = 3


def get_persistent_ctas(kernel: Operation) -> int:
    """CTAs per SM of a persistent kernel; 0 if the kernel is not persistent."""
    ctas = PERSISTENT.get(kernel)
    return 0 if ctas is None else ctas.value.data


def set_persistent_ctas(kernel: Operation, ctas: int) -> None:
    """Marks a kernel as persistent with so many CTAs per SM."""
    PERSISTENT.set(kernel, IntegerAttr(ctas, i32))


def get_cluster_ctas(kernel: Operation) -> int:
    """CTAs in a cluster of a kernel; 1 if it has no clusters."""
    for name in CLUSTER_SIZES:
        sizes = kernel.attributes.get(name)
        if isa(sizes, DenseArrayBase[IntegerType]):
            return prod(sizes.get_values())
    return 1
