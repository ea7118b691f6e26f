"""
Kernels whose blocks stay: a launch has as many blocks as the device runs at once, and each of them
does the work of many, one after the other.

Such a kernel has the attribute `nvgpu.persistent`, the number of blocks that a multiprocessor runs
at once. The sizes of the grid that was asked for, three i32, are behind its other parameters, and
before tensor maps.
"""

from __future__ import annotations

from math import prod
from typing import Final

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

PERSISTENT: Final = DiscardableAttribute(
    "nvgpu.persistent",
    IntegerAttr,
    "How many blocks of a kernel stay on a multiprocessor, and do the work of many.",
    written_by=("tileas-dynamic-persistent", "tileas-generate-schedule"),
    read_by=("tileas-dynamic-persistent", "tileas-generate-schedule"),
)
CLUSTER_SIZES: Final = ("gpu.known_cluster_size", "nvvm.cluster_dim")
"""Where it says how many blocks are in a cluster, in turn."""
GRID_PARAMETERS: Final = 3


def get_persistent_blocks(kernel: Operation) -> int:
    """How many blocks of a kernel stay on a multiprocessor; 0 if they do not stay."""
    blocks = PERSISTENT.get(kernel)
    return 0 if blocks is None else blocks.value.data


def set_persistent_blocks(kernel: Operation, blocks: int) -> None:
    """Says how many blocks of a kernel stay on a multiprocessor."""
    PERSISTENT.set(kernel, IntegerAttr(blocks, i32))


def get_cluster_blocks(kernel: Operation) -> int:
    """How many blocks of a kernel are in a cluster; 1 if it has none."""
    for name in CLUSTER_SIZES:
        sizes = kernel.attributes.get(name)
        if isa(sizes, DenseArrayBase[IntegerType]):
            return prod(sizes.get_values())
    return 1
