"""
The `nv_tileaa` dialect, the alias-aware level of the compiler.

Tiles are builtin tensors and scalars, memory is reached through pointers (`!llvm.ptr<1>`) or
strided `memref`s cut into tiles, and the order of accesses is a graph of memory tokens. Loops
and branches are those of `scf`, kernels those of `gpu`. `convert-cuda-tile-to-tileaa` makes
it, `canonicalize-tileaa` simplifies it.
"""

from xdsl.ir import Dialect

from . import aggregate, elementwise, matmul, memory, queues, shape, tokens, views
from . import decisions as decisions
from .attributes import BoundedAttr, DivByAttr, KernelSpecAttr, SameElementsAttr
from .types import MemRefType, MemTokenType, ProgramIdType, PtrType, QueueType, TiledViewType

NvTileaa = Dialect(
    "nv_tileaa",
    [
        *elementwise.OPERATIONS,
        *shape.OPERATIONS,
        *matmul.OPERATIONS,
        *aggregate.OPERATIONS,
        *tokens.OPERATIONS,
        *memory.OPERATIONS,
        *views.OPERATIONS,
        *queues.OPERATIONS,
    ],
    [
        *(MemRefType, MemTokenType, ProgramIdType, PtrType, QueueType, TiledViewType),
        *(BoundedAttr, DivByAttr, KernelSpecAttr, SameElementsAttr),
    ],
)
