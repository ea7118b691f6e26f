"""
The conversion of tiles to the code of a thread.

| file | has |
| --- | --- |
| `patterns` | which op is lowered by what |
| `thread_builder` | where a lowering emits ops, and asks what values became |
| `kernel`, `prologue` | the state of the lowering of a kernel, and invariants at its start |
| `vectors` | vectors of registers |
| `thread_index` | thread, lane and warp index, and the coordinates that a thread holds |
| `barriers` | barriers, code of single threads, and scratch memory |
| `control_flow` | loops and branches |
| `accesses` | what memory accesses have in common: elements, vectorization, memory order |
| `atomics` | atomics on pointers and tiles of views |
| `memory` | pointers, and accesses through them |
| `misc` | global variables, memory of a CTA, assertions, fences |
| `printing` | printing |
| `views` | tiles of views |
| `async_copies` | tiles in shared memory, and `cp.async` |
| `tma_copies`, `tma_stores`, `tma_reductions`, `warpgroup_stores` | TMA |
| `tensor_maps` | tensor maps of the launcher or the kernel |
| `pipelines`, `agents` | multi-stage buffers with mbarriers, and warp specialization |
| `dot`, `mma_operands` | dots by `mma.sync` or FMAs, and their operands |
| `wgmma` | dots by WGMMA |
| `convert_layout`, `exchange` | layout conversions, and tiles in scratch memory |
| `aggregates` | reductions and scans |
| `elementwise` | integers, comparisons, selects |
| `floats` | arithmetic and functions of floats |
| `conversions` | conversions between numbers |
| `float_formats` | narrow floats in f32, and back |
| `constants` | constants, equal or from tables |
"""
