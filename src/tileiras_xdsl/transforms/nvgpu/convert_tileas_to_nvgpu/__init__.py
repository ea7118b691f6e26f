"""
The conversion of tiles to the code of a thread.

| file | has |
| --- | --- |
| `patterns` | which op is lowered by what |
| `thread_builder` | where a lowering emits ops, and asks what values became |
| `kernel`, `prologue` | what is known of a kernel, and what it computes once, where it starts |
| `vectors` | vectors of registers |
| `thread_index` | where the thread is, and which elements it holds |
| `barriers` | threads that wait or act alone, and shared memory |
| `control_flow` | loops and branches |
| `accesses` | what accesses to memory have in common: elements, pieces, order |
| `atomics` | atomics on pointers and tiles of views |
| `memory` | pointers, and accesses through them |
| `misc` | global variables, memory of a block, assertions, fences |
| `printing` | printing |
| `views` | tiles of views |
| `async_copies` | tiles in shared memory, and copies into it |
| `dot`, `factors` | matrix products, and their factors from shared memory |
| `elementwise` | integers, comparisons, choices |
| `floats` | arithmetic and functions of floats |
| `conversions` | conversions between numbers |
| `float_formats` | narrow floats in f32, and back |
| `constants` | constants, equal or from tables |
"""
