"""
The `nv_tileaa` dialect, the alias-aware level of the compiler.

Tiles are builtin tensors and scalars, memory is reached through pointers (`!llvm.ptr<1>`) or
strided `memref`s cut into tiles, and the order of accesses is a graph of memory tokens. Loops
and branches are those of `scf`, kernels those of `gpu`. `convert-cuda-tile-to-tileaa` makes
it, `canonicalize-tileaa` simplifies it.
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in

from . import (
    aggregate,
    attributes,
    elementwise,
    matmul,
    memory,
    queues,
    shape,
    tokens,
    types,
    views,
)
from . import decisions as decisions

NvTileaa = Dialect(
    "nv_tileaa",
    [*operations_in(elementwise, shape, matmul, aggregate, tokens, memory, views, queues)],
    [*attributes_in(types, attributes)],
)
