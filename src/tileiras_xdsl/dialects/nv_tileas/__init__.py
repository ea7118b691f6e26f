"""
The `nv_tileas` dialect, the schedulable level of the compiler.

Values are tensors still, but their encodings say how they lie in registers or shared memory
(`layout`), and attributes which instructions ops are made of (`attributes`). Copies may be
asynchronous, and agents that work side by side are joined by pipelines. Views, pointers and
elementwise ops stay those of `nv_tileaa` and `arith`. `convert-tileaa-to-tileas` makes it, the
`tileas-*` passes assign and schedule.
"""

from xdsl.ir import Dialect

from . import aggregate, async_ops, matmul, memory, pipeline, shape
from .attributes import AtomAttr, MemoryAttr
from .decisions import ATTRIBUTES as DECISIONS
from .layout import ATTRIBUTES as LAYOUTS
from .types import (
    AsyncTokenType,
    AsyncType,
    ConsumerTokenType,
    IteratorType,
    PipelineType,
    ProducerTokenType,
    TmaDescType,
)

NvTileas = Dialect(
    "nv_tileas",
    [
        *memory.OPERATIONS,
        *shape.OPERATIONS,
        *matmul.OPERATIONS,
        *aggregate.OPERATIONS,
        *async_ops.OPERATIONS,
        *pipeline.OPERATIONS,
    ],
    [
        *(AtomAttr, MemoryAttr, *LAYOUTS, *DECISIONS),
        *(AsyncTokenType, AsyncType, ConsumerTokenType, IteratorType, PipelineType),
        *(ProducerTokenType, TmaDescType),
    ],
)
