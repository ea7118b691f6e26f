"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

| file | has |
| --- | --- |
| `registers` | special registers |
| `barriers` | CTA, named and cluster barriers, mbarriers, fences |
| `copies` | asynchronous copies of elements, bulk copies, TMA |
| `matrix` | MMA, WGMMA, `ldmatrix`, `stmatrix` |
| `tcgen05`, `tcgen05_mma` | tensor memory, and MMAs with accumulators there |
| `launch_control` | cluster launch control |
| `instruction_order` | dependences that exist for the scheduler only |
| `warp` | what lanes of a warp do together |
| `math` | approximations, rounded and packed arithmetic |

The fragment of a thread, of a matrix or a tile, is one vector; the translation to LLVM IR splits
it.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in

from . import (
    barriers,
    base,
    copies,
    fragment_matrices,
    fragments,
    instruction_order,
    launch_control,
    math,
    matrix,
    registers,
    tcgen05,
    tcgen05_attributes,
    tcgen05_mma,
    warp,
)
from .barriers import *
from .base import *
from .copies import *
from .fragment_matrices import *
from .fragments import *
from .instruction_order import *
from .launch_control import *
from .math import *
from .matrix import *
from .registers import *
from .tcgen05 import *
from .tcgen05_attributes import *
from .tcgen05_mma import *
from .warp import *

Nvvm = Dialect(
    "nvvm",
    [
        *registers.SPECIAL_REGISTERS.values(),
        *operations_in(barriers, copies),
        *copies.BULK_TENSOR_LOADS.values(),
        *copies.BULK_TENSOR_STORES.values(),
        *operations_in(fragments, fragment_matrices, matrix, warp, math),
        *operations_in(tcgen05, tcgen05_mma, launch_control, instruction_order),
    ],
    [*attributes_in(base, tcgen05_attributes)],
)
