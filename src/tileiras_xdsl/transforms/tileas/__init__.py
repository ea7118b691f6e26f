"""
To `nv_tileas`, where tiles get layouts, warps and a schedule, and the passes on it.

Modules:

    convert_tileaa_to_tileas: Lowers the alias-aware dialect to the scheduled one
    kernel_model: The kernel model: what ops of `nv_tileas` need of the machine
    layouts: Layouts of `nv_tileas` tensors: which ops are anchors
    schedule: From a kernel of tile ops to agents: warp specialization and software pipelining
    tileas_allocate_shared_memory: Allocates shared memory
    tileas_allocate_tensor_memory: Allocates columns of tensor memory
    tileas_assign_dot_layouts: Chooses MMA instructions and layouts for dots
    tileas_assign_load_store_layouts: Chooses layouts for memory accesses
    tileas_assign_tensor_memory: Puts accumulators of `tcgen05` into tensor memory
    tileas_choose_occupancy: Chooses how many CTAs of a kernel without dots share an SM
    tileas_coarsen_thread_blocks: Thread-block coarsening
    tileas_dynamic_persistent: Persistent kernels: each CTA loops over the work of many tile blocks
    tileas_generate_schedule: Schedules kernels whose dots read tiles that TMA loads
    tileas_insert_barriers: Inserts barriers, waits for bulk copies, and proxy fences
    tileas_insert_profiling: Records for a profile when warps begin and end to wait
    tileas_materialize_convert_layout: Plans layout conversions
    tileas_materialize_schedule: Warp specialization and software pipelining, as a schedule says
    tileas_order_tile_blocks: Starts the tile blocks that take longest first
    tileas_overlap_launches: Programmatic dependent launch
    tileas_pair_ctas: Makes pairs of CTAs that issue MMAs together
    tileas_plan: Writes a plan into kernels, which later passes follow
    tileas_prepare_for_scheduling: Hoists epilogue loads above the main loop, in accumulator layout
    tileas_remove_layout_conversions: Propagates layouts again, with fewer conversions
    tileas_resolve_cluster_hints: Drops cluster hints that no pass has followed
    tileas_slice_epilogues: Slices epilogues
    tileas_unspecialized_pipeline: Multi-stage pipelines by `cp.async`, without warp specialization
"""
