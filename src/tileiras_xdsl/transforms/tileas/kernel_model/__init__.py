"""
The kernel model: what ops of `nv_tileas` need of the machine, below all passes that decide. Remarks
and pictures ask it, and not the passes.

| file | answers |
| --- | --- |
| `layout_rules` | how the layouts of operands and results relate |
| `tma_loads`, `tma_stores`, `warpgroup_stores` | what TMA loads and stores need |
| `tensor_maps` | which tensors can have a tensor map |
| `tma_store_selection` | which stores and atomics TMA does |
| `wgmma`, `wgmma_selection` | which dots are WGMMAs, and how warpgroups share them |
| `staged_loads` | which loads fill which multi-stage buffer |
| `requirements` | the resources of a kernel that is to be scheduled |
| `persistence` | which kernels can be persistent |
| `turns` | whether warpgroups can issue WGMMAs in turns |
| `slicing` | which slices producer warps can compute for themselves |
| `registers`, `thread_types` | register pressure of tiles, and the types of values in a thread |
| `resources` | the limits of a CTA |
| `allocation`, `scratch_use` | offsets in shared memory |
| `exchanges`, `layout_conversions`, `map_requests` | scratch memory and tensor maps that ops need |
| `shared_memory` | alignment in shared memory |
"""
