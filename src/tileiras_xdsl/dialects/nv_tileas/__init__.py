"""
The `nv_tileas` dialect, the schedulable level of the compiler.

Values are tensors still, but their encodings say how they lie in registers or shared memory
(`layout`), and attributes which instructions ops are made of (`types`). Copies may be
asynchronous, and agents that work side by side are joined by pipelines. Views, pointers and
elementwise ops stay those of `nv_tileaa` and `arith`. `convert-tileaa-to-tileas` makes it, the
`tileas-*` passes assign and schedule.

Modules:

    async_ops: Asynchronous copies into and out of buffers, asynchronous dots, and waits
    atoms: Which instructions ops of `nv_tileas` are lowered to, by their atoms
    decisions: Discardable attributes of `nv_tileas`, by which passes communicate
    layout: Encodings of tensors: where their elements are
    matmul: Dots: matrix multiplication with an accumulator, maybe of operands with scales
    memory: Memory: accesses as in `nv_tileaa`, with the instruction they are made of, buffers
    ping_pong: Ping-pong scheduling: the warpgroups of the consumer issue WGMMAs one after the other
    pipeline: Warp specialization: agents, and pipelines
    plan: What a kernel is asked to be, before passes decide: its plan
    profiling: Marks of a profile: when warps begin to do something else
    shape: Reductions, scans and pragmas, as in `nv_tileaa`; other shapes, other layouts
    shared_memory: Shared memory buffers and the synchronization of their accesses in `nv_tileas`
    tensor_memory: Tensor memory: tiles that are there, and what threads and MMAs have to wait for
    types: Types and attributes of `nv_tileas`
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in

from . import (
    async_ops,
    decisions,
    layout,
    matmul,
    memory,
    ping_pong,
    pipeline,
    plan,
    profiling,
    shape,
    shared_memory,
    tensor_memory,
    types,
)

NvTileas = Dialect(
    "nv_tileas",
    [
        *operations_in(memory, shape, matmul, async_ops, pipeline),
        *operations_in(shared_memory, tensor_memory, profiling, ping_pong),
    ],
    [*attributes_in(decisions, layout, plan, profiling, shared_memory, ping_pong, types)],
)
