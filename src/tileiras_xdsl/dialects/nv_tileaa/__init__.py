"""
The `nv_tileaa` dialect, the alias-aware level of the compiler.

Tiles are builtin tensors and scalars, memory is reached through pointers (`!llvm.ptr<1>`) or
strided `memref`s cut into tiles, and the order of accesses is a graph of memory tokens. Loops
and branches are those of `scf`, kernels those of `gpu`. `convert-cuda-tile-to-tileaa` makes
it, `canonicalize-tileaa` simplifies it.

Modules:

    aggregate: Reductions and scans, whose body combines two elements of each operand
    attributes: Attributes of `nv_tileaa`: the predicates of `assume`
    decisions: Discardable attributes of `nv_tileaa`, by which passes communicate
    elementwise: Elementwise operations, on scalars and on tensors: arithmetic, comparison
    matmul: Dot: matrix multiplication with an accumulator, and packing of sub-byte operands
    memory: Memory: pointers, accesses through them, globals
    queues: Queues between agents, plugins with the resources they need, and pragmas
    shape: Operations that change shapes or pick parts, and `assume`
    types: Types of `nv_tileaa`
    views: Strided tensors in memory, tiles cut from them, and accesses to those tiles
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in

from . import aggregate, attributes, elementwise, matmul, memory, queues, shape, types, views
from . import decisions as decisions

NvTileaa = Dialect(
    "nv_tileaa",
    [*operations_in(elementwise, shape, matmul, aggregate, memory, views, queues)],
    [*attributes_in(types, attributes)],
)
