"""
The kernel model: what ops of `nv_tileas` need of the machine, below all passes that decide.

| file | answers |
| --- | --- |
| `layout_rules` | how the layouts of operands and results hang together |
| `tma_loads`, `tma_stores`, `group_stores` | what TMA loads and stores need |
| `tensor_maps` | which tensors can have a tensor map |
| `warpgroup_mma` | which products `wgmma` does |
| `slicing` | what other warps can compute for themselves |
| `registers`, `thread_types` | registers that tiles take, and what values are in a thread |
| `shared_memory` | what is put into shared memory, and how it is aligned |
"""
