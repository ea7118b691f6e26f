"""
`convert-tileas-to-nvgpu`: from the tiles of a CTA to the code of one thread.

Modules:

    accesses: What memory accesses have in common: elements as memory holds them
    agents: Agents: warp specialization
    aggregates: Reductions and scans with any body
    assertions: Assertions: a message on standard output, then a trap, which fails the launch
    async_copies: Tiles in shared memory: buffers, asynchronous copies into them (`cp.async`)
    atomics: Atomics on tensors of pointers, on tiles of views, and on scalars
    barriers: CTA and named barriers, code of single threads, and scratch memory
    casts: Conversions between integer and floating-point types
    constants: Constants: scalars, splats, and tensors of different elements
    control_flow: Structured control flow, cloned with converted types (1:N); and waits
    conversion_pass: The pass: from the tiles of a CTA to the code of a thread
    convert_layout: Layout conversions, as `analysis.layout_conversion` plans them
    division: Division by a broadcast divisor, as in softmax, which divides rows by their sums
    dot: Dots
    early_return: CTAs without work return before they set anything up: tensor maps, mbarriers
    elementwise: Integer arithmetic, comparisons and selects, elementwise
    encoded_maps: How warps encode the tensor maps of a kernel in shared memory when it starts
    exchange: Tiles in scratch memory, through which threads exchange elements
    float_formats: Conversions of narrow floats to f32 and back, on whole fragments
    floats: Floating-point arithmetic and math functions, elementwise
    hoisted_ops: Ops hoisted to the start of a kernel's entry block: constants
    instruction_order: The order of instructions
    kernel: The state of lowering a kernel to the code of one thread
    late_passes: Turns that are passed on while exponentials are computed
    lowering_registry: Dispatches each op of a kernel at the level of `nv_tileas`
    map_states: What a kernel knows of tensor maps that it rebuilds (`rebuilt_maps`)
    map_table: The tensor maps of a kernel that is being lowered, and where they are
    memory: Accesses through pointers, and pointers themselves
    misc: Global variables, memory of a CTA, fences, and programmatic dependent launch
    mma_operands: Operands of `mma.sync`, from registers or from shared memory
    packing: `pack` and `unpack`: reinterpret the bits as elements of another size
    pipelines: Pipelines: multi-stage buffers in shared memory
    printing: Printing, by the first thread of a CTA
    profiling: Marks of a profile
    rebuilt_maps: Tensor maps of tensors that are defined inside of a loop or a branch
    row_copies: Copies by `cp.async` of a tile whose rows are a stride apart that is not known
    shapes: Changes of shape: most only rename registers
    tcgen05: Dots by `tcgen05`, and tiles in tensor memory
    tensor_maps: Tensor maps: the descriptors by which TMA accesses tensors in global memory
    thread_builder: Emits the code of one thread for an op of `nv_tileas`
    thread_index: Thread, lane, warp and warpgroup index
    tma_coordinates: TMA tiles: their coordinates in the tensor, bounds checks
    tma_reductions: Atomics by TMA: a tile goes to scratch memory as in a store (`tma_stores`)
    tma_stores: TMA stores: a tile goes to scratch memory
    turns: Turns of warpgroups, by a named barrier for each
    vectors: Vectors of registers: how they are made, taken apart, and used as addresses and masks
    views: Tiles of views: addresses, bounds, and padding
    waits: Arrivals on mbarriers of other CTAs, and waits for mbarriers
    warpgroup_stores: TMA stores by single warpgroups
    wgmma: Dots by WGMMA
"""
