"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

The fragment of a thread, of a matrix or a tile, is one vector; the translation to LLVM IR splits
it.

Modules:

    barriers: Barriers and fences of `nvvm`
    base: What the operations of `nvvm` share: pointers by address space, enumerations, effects
    copies: Asynchronous copies of `nvvm`: of elements (`cp.async`), of bytes and of TMA tiles
    fragments: Accesses of a thread to its part of a tile
    math: Arithmetic of `nvvm`: approximations, rounded arithmetic
    matrix: Matrices of `nvvm`: of a warp (`mma.sync`, `ldmatrix`) and of four warps (`wgmma`)
    tcgen05: Tensor memory of `nvvm`: allocation, loads and stores, copies from shared memory
    warp: Operations of `nvvm` that lanes of a warp do together, and a few of single threads
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in

from . import barriers, base, copies, fragments, math, matrix, tcgen05, warp
from .barriers import *
from .base import *
from .copies import *
from .fragments import *
from .math import *
from .matrix import *
from .tcgen05 import *
from .warp import *

Nvvm = Dialect(
    "nvvm",
    [
        *warp.SPECIAL_REGISTERS.values(),
        *operations_in(barriers, copies),
        *copies.BULK_TENSOR_LOADS.values(),
        *copies.BULK_TENSOR_STORES.values(),
        *operations_in(fragments, matrix, warp, math),
        *operations_in(tcgen05),
    ],
    [*attributes_in(base, tcgen05)],
)
