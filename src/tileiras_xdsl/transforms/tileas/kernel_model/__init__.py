"""
The kernel model: what ops of `nv_tileas` need of the machine, below all passes that decide. Those
who explain or draw decisions ask it, and not the passes.

| file | answers |
| --- | --- |
| `layout_rules` | how the layouts of operands and results hang together |
| `tma_loads`, `tma_stores`, `group_stores` | what TMA loads and stores need |
| `tensor_maps` | which tensors can have a tensor map |
| `box_stores` | which stores and atomics TMA does |
| `warpgroup_mma`, `warpgroup_products` | which products `wgmma` does, and who shares them |
| `pipelines` | which loads fill which ring of stages |
| `needs` | what a kernel asks for that is to be scheduled |
| `persistence` | which kernels can have blocks that stay |
| `slicing` | what other warps can compute for themselves |
| `registers`, `thread_types` | registers that tiles take, and what values are in a thread |
| `resources` | what a block can have of each resource |
| `allocation`, `scratch_use` | where in shared memory what lies |
| `exchanges`, `conversions`, `map_requests` | what ops need of shared memory |
| `shared_memory` | what is put into shared memory, and how it is aligned |
"""
