"""
The `nv_tileas` dialect, the schedulable level of the compiler.

Values are tensors still, but their encodings say how they lie in registers or shared memory
(`layout`), and attributes which instructions ops are made of (`attributes`). Copies may be
asynchronous, and agents that work side by side are joined by pipelines. Views, pointers and
elementwise ops stay those of `nv_tileaa` and `arith`. `convert-tileaa-to-tileas` makes it, the
`tileas-*` passes assign and schedule.
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in

from . import (
    aggregate,
    async_ops,
    attributes,
    decisions,
    grid,
    instruction_order,
    layout,
    matmul,
    memory,
    pipeline,
    profiling,
    shape,
    shared_memory,
    tensor_memory,
    turns,
    types,
)

NvTileas = Dialect(
    "nv_tileas",
    [
        *operations_in(memory, shape, matmul, aggregate, async_ops, pipeline),
        *operations_in(shared_memory, tensor_memory, grid, profiling, turns, instruction_order),
    ],
    [*attributes_in(attributes, decisions, layout, profiling, shared_memory, turns, types)],
)
