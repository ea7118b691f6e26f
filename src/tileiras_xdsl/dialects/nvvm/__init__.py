"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

| file | has |
| --- | --- |
| `registers` | special registers |
| `barriers` | CTA, named and cluster barriers, mbarriers, fences |
| `copies` | asynchronous copies of elements, bulk copies, TMA |
| `matrix` | MMA, WGMMA, `ldmatrix`, `stmatrix` |
| `warp` | what lanes of a warp do together |
| `math` | approximations, rounded and packed arithmetic |

The fragment of a thread, of a matrix or a tile, is one vector; the translation to LLVM IR splits
it.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in

from . import barriers, base, copies, fragment_matrices, fragments, math, matrix, registers, warp
from .barriers import *
from .base import *
from .copies import *
from .fragment_matrices import *
from .fragments import *
from .math import *
from .matrix import *
from .registers import *
from .warp import *

Nvvm = Dialect(
    "nvvm",
    [
        *registers.SPECIAL_REGISTERS.values(),
        *operations_in(barriers, copies),
        *copies.BULK_TENSOR_LOADS.values(),
        *copies.BULK_TENSOR_STORES.values(),
        *operations_in(fragments, fragment_matrices, matrix, warp, math),
    ],
    [*attributes_in(base)],
)
