"""
To `nv_tileaa`, where tokens order accesses to memory, and the passes on it.

Modules:

    canonicalization: Folds and canonicalization patterns of `nv_tileaa`
    canonicalize_tileaa: Simplifies `nv_tileaa` by the patterns of its ops, and by nothing else
    convert_cuda_tile_to_tileaa: The conversion from `cuda_tile` to `nv_tileaa`: types
    discharge_mem_tokens: Enforces the memory order of tokens by CTA barriers where it is needed
    hoist_loads: Issues loads early and once, and widens what they read late
    hoist_views: Defines tensors at the start of a kernel
    merge_loads: Loads a tile that is read twice only once
    privatize_atomics: Privatizes atomics: each CTA combines what it updates in shared memory
    recover_views: Finds tensors in gathers
    scalarize_loads: Loads single elements of a tile, if a program uses no others
    simplify_loops: Removes needless loop-carried values of `scf.for` and results of `scf.if`
    spill_tiles: Tiles in memory
    split_depth: Splits K of dots whose operands leave room for few buffer stages
    split_operands: Splits tiles that several dots of a loop read
    split_region: Cutting a part of a kernel along a dimension: which tiles are cut together
    split_tiles: Splits tiles whose accumulators do not fit in the registers of a CTA
    strip_mine_tiles: Strip-mining
    tile_slices: Parts of values, on demand
    tiling: How each op is cut: what MLIR's `TilingInterface` says of an op
    unroll_loops: Unrolls loops without products
    uplift_while_to_for: Uplifts counted `scf.while` loops to `scf.for`
    verify_no_cuda_tile: Verifies that `convert-cuda-tile-to-tileaa` left nothing of `cuda_tile`
"""
