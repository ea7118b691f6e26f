"""
`convert-tileas-to-nvgpu`: from the tiles of a CTA to the code of one thread.

| file | has |
| --- | --- |
| `lowering_registry` | which function lowers which op |
| `thread_builder` | emits ops, and maps values to converted values |
| `conversion_pass` | the pass |
| `kernel`, `hoisted_ops` | the state of lowering a kernel, and ops hoisted to its start |
| `vectors` | vectors of registers |
| `thread_index` | thread, lane and warp index, and the coordinates that a thread holds |
| `barriers` | barriers, code that one thread runs, and scratch memory |
| `control_flow` | loops and branches |
| `accesses` | what memory accesses have in common: elements, vectorization, memory order |
| `atomics` | atomics on pointers and tiles of views |
| `memory` | pointers, and accesses through them |
| `assertions` | assertions |
| `misc` | global variables, `alloca`, fences |
| `printing` | printing |
| `views` | tiles of views |
| `async_copies` | tiles in shared memory, and `cp.async` |
| `tma_coordinates` | TMA tiles: coordinates, bounds checks, staging in shared memory |
| `tma_stores`, `tma_reductions`, `warpgroup_stores` | TMA stores and reductions |
| `tensor_maps` | tensor maps of the launcher or the kernel |
| `pipelines`, `agents` | multi-stage buffers with mbarriers, TMA loads, warp specialization |
| `dot`, `mma_operands` | dots by `mma.sync` or FMAs, and their operands |
| `wgmma` | dots by WGMMA |
| `shapes`, `packing` | changes of shape and slices; `pack` and `unpack` |
| `convert_layout`, `exchange` | layout conversions, and tiles in scratch memory |
| `aggregates` | reductions and scans |
| `elementwise` | integers, comparisons, selects |
| `floats`, `division` | arithmetic and functions of floats; division by a broadcast divisor |
| `casts` | conversions between numeric types |
| `float_formats` | conversions of narrow floats to f32, and back |
| `constants` | constants: splats, vectors, tables in memory |
"""
