"""
The kernel model: what ops of `nv_tileas` need of the machine, below all passes that decide. Remarks
and pictures ask it, and not the passes.

Modules:

    agent_order: Whether consumer warps beside an MMA agent keep what they do in memory behind loads
    allocation: Allocation of shared memory: buffers that live as long as the kernel
    block_order: In which order tile blocks should start: those with most iterations first
    block_pairs: Pairs of tile blocks that share operands
    copied_loads: Operands of WGMMA that threads of producer warps copy to shared memory by …
    corrections: Accumulators in tensor memory whose rows are only multiplied between dots
    cta_pairs: Which kernels multiply by pairs of CTAs (`cta_group::2`)
    cta_resources: What a CTA of a kernel without dots takes of an SM
    dot_chains: Dots whose operands come from other dots
    dot_waits: Who waits for whom around dots by `tcgen05`
    even_first: Accumulators of WGMMA as operand A of another one with elements of 8 bits
    exchanges: Which ops exchange elements between threads through scratch memory
    interleaved_dots: Loops in which threads compute between dots, as softmax does in attention
    iteration_work: How much work an iteration of a loop with asynchronous MMAs is
    layout_conversions: Layout conversions as steps, each with a plan that fits in shared memory
    layout_rules: How layouts of operands and results relate
    map_requests: Which tensor maps the bulk copies of a kernel use
    mma_exchanges: A kernel with dots by `tcgen05` as two agents
    operand_slots: Slots
    own_order: Stores and atomics that follow themselves without a barrier
    packed_operands: Operands of 4-bit elements as the bytes that they are in memory
    persistence: Which kernels can be persistent, and multicast loads within clusters
    registers: Register pressure of tiles
    remarks: The texts of remarks on dots, accesses and schedules
    requirements: Resources that scheduled kernels ask for: shared memory, registers
    resources: Resource limits of a CTA, and the check that `execute` and `plugin` stay within them
    scaled_tcgen05: Block-scaled dots by `tcgen05`
    scratch_use: Liveness of scratch memory
    shared_memory: Alignment and sizes of what kernels have in shared memory
    slicing: Backward slices of an op: the values it depends on
    staged_loads: Which loads fill which pipeline
    staged_mma: Dots by `mma.sync` whose operands producer warps load by TMA
    tcgen05_selection: Selects dots for `tcgen05`
    tensor_maps: Which tensors can have a tensor map, which TMA needs
    tensor_memory_assignment: Accumulators of `tcgen05` in one kernel, and what loops carry of them
    tensor_memory_webs: Tiles in tensor memory that share a place, and when the place is in use
    thread_types: The types that `nv_tileas` values are converted to: those of one thread
    tile_pressure: How many registers the tiles of a kernel take where most of them are live
    tma_loads: Loads that producer warps can do by TMA, and how their tiles reach a dot
    tma_store_selection: Selects stores and atomics for TMA
    tma_stores: Scratch memory of stores and atomics by TMA
    turns: Whether consumer warpgroups can issue WGMMAs in turns, and gain from it
    verification: Verification of shared memory and barriers in a kernel that has them as …
    warpgroup_stores: TMA stores in which each warpgroup stores TMA tiles of its own
    wgmma: MMAs that read operands from shared memory, WGMMA and `tcgen05`: which dots use them
    wgmma_grid: How warpgroups divide the output tile of a WGMMA
    wgmma_selection: Selects dots for WGMMA, and the layouts of their operands and accumulators
    written_operands: Operands of WGMMA that consumer warps write to shared memory
    zero_tiles: Tiles that are known to be zero
"""
