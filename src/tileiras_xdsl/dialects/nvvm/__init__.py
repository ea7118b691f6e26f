"""
The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them.

The fragment of a thread, of a matrix or a tile, is one vector; the translation to LLVM IR splits
it.

Modules:

    barriers: Barriers and fences of `nvvm`
    base: What the operations of `nvvm` share: pointers by address space, enumerations, effects
    copies: Asynchronous copies of `nvvm`: of elements (`cp.async`), of bytes and of TMA tiles
    fragment_matrices: MMAs and copies of whole matrix fragments
    fragments: Accesses of a thread to its part of a tile
    instruction_order: What orders instructions of a thread for ptxas
    launch_control: Cluster launch control of `nvvm`
    math: Arithmetic of `nvvm`: approximations, rounded arithmetic
    matrix: Matrices of `nvvm`: of a warp (`mma.sync`, `ldmatrix`) and of four warps (`wgmma`)
    registers: Special registers: `nvvm.read.ptx.sreg.*`, one operation for each, made from a table
    tcgen05: Tensor memory of `nvvm`: allocation, loads and stores, copies from shared memory
    tcgen05_attributes: Attributes of `tcgen05` operations
    tcgen05_mma: MMAs of `nvvm` with accumulators in tensor memory
    warp: Operations of `nvvm` that lanes of a warp do together, and a few of single threads
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
