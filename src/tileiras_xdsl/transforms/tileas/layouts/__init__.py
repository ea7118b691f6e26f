"""
Layouts of `nv_tileas` tensors: which ops are anchors, and how layouts propagate from them.

`tileas-assign-dot-layouts` and `tileas-assign-load-store-layouts` put anchor layouts into
attributes; the latter gives every tensor a layout, `tileas-remove-layout-conversions` propagates
them again, with fewer conversions.

Modules:

    apply: Layout assignment, which the passes that assign layouts share
    bodies: Tiles in the bodies of reductions and scans
    broadcast_loads: Loads of small tiles that are broadcast take the layout of what they are …
    carried_tiles: Accumulators that loops carry in the shape in which dots need them
    dot_anchors: The layouts of dots by `mma.sync` and by FMAs
    early_renaming: Registers are renamed before elements are narrowed
    inference: Layout propagation: the layout of every value of a kernel; `None` if it is flexible
    load_chains: Loads whose tiles reach an op by reshapes and ops on single elements only
    memory_anchors: The layouts of memory accesses
    prepared_dots: Block-scaled dots, as `tcgen05` reads their operands and scales or
    rewriting: Rewrites a kernel with a layout on every tensor
    scanned_loads: Loads of tiles that are scanned give each thread consecutive elements along …
    staged_dots: Marks the dots by `mma.sync` whose operands TMA loads
    swapped_dots: Dots with few rows, transposed: WGMMA has 64 rows, but as few as 8 columns
    tcgen05_layouts: The layouts of dots by `tcgen05`
    tensor_memory_plan: Whether tiles of dots fit in tensor memory, found out by a trial
    wgmma_layouts: The layouts of WGMMA
"""
