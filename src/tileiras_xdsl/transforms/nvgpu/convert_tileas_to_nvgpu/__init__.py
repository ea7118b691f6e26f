"""
`convert-tileas-to-nvgpu`: from the tiles of a CTA to the code of one thread.

Modules:

    accesses: What memory accesses have in common: elements as memory holds them
    agents: Agents: warp specialization
    aggregates: Reductions and scans with any body
    async_copies: Tiles in shared memory: buffers, asynchronous copies into them (`cp.async`)
    barriers: CTA and named barriers, code of single threads, and scratch memory
    constants: Constants: scalars, splats, and tensors of different elements
    conversion_pass: Lowers the tiles of a CTA to the code of a thread
    delayed_arrivals: Delayed arrivals of ping-pong scheduling
    dot: Dots
    elementwise: Integer arithmetic, comparisons and selects, elementwise
    exchange: Tiles in scratch memory, through which threads exchange elements
    float_formats: Conversions of narrow floats to f32 and back, on whole fragments
    floats: Floating-point arithmetic and math functions, elementwise
    lowering_registry: Dispatches each op of a kernel at the level of `nv_tileas`
    memory: Accesses through pointers, and pointers themselves
    misc: Global variables, memory of a CTA, fences, programmatic dependent launch
    pipelines: Pipelines: multi-stage buffers in shared memory
    printing: Printing, by the first thread of a CTA
    shapes: Changes of shape: most only rename registers
    tcgen05: Dots by `tcgen05`, and tiles in tensor memory
    tensor_maps: Tensor maps: the descriptors by which TMA accesses tensors in global memory
    thread_builder: The state of lowering a kernel
    thread_index: Thread, lane, warp and warpgroup index
    tma_stores: TMA stores: a tile goes to scratch memory
    views: Tiles of views: addresses, bounds, and padding
    wgmma: Dots by WGMMA
"""
