"""
The kernel model: what ops of `nv_tileas` need of the machine, below all passes that decide. Remarks
and pictures ask it, and not the passes.

Modules:

    allocation: Allocation of shared memory: buffers that live as long as the kernel, scratch memory
    block_pairs: Pairs of tile blocks that share operands
    copied_loads: Operands of WGMMA that threads of producer warps copy to shared memory by …
    dot_waits: Who waits for whom around dots by `tcgen05`
    exchanges: Which ops exchange elements between threads through scratch memory
    expected_code: What the code of a kernel will take of an SM
    iteration_work: How much work an iteration of a loop with asynchronous MMAs is
    layout_rules: How layouts of operands and results relate
    mma_exchanges: A kernel with dots by `tcgen05` as two agents
    persistence: Which kernels can be persistent, and multicast loads within clusters
    registers: Register pressure of tiles
    remarks: The texts of remarks on dots, accesses and schedules
    requirements: Resources that scheduled kernels ask for: shared memory, registers
    scaled_tcgen05: Block-scaled dots by `tcgen05`
    scratch_use: Liveness of scratch memory
    slicing: Backward slices of an op: the values it depends on
    staged_loads: Which loads fill which pipeline
    tcgen05_selection: Selects dots for `tcgen05`
    tensor_memory_assignment: Accumulators of `tcgen05` in one kernel, and what loops carry of them
    tensor_memory_webs: Tiles in tensor memory that share a place, and when the place is in use
    tma_loads: Loads that producer warps can do by TMA, and how their tiles reach a dot
    tma_stores: Scratch memory of stores and atomics by TMA
    wgmma: MMAs that read operands from shared memory, WGMMA and `tcgen05`: which dots use them
    wgmma_selection: Selects dots for WGMMA, and the layouts of their operands and accumulators
    written_operands: Operands of WGMMA that consumer warps write to shared memory
"""
