"""
Passes on `cuda_tile`, the level that programs come in.

Modules:

    canonicalization: Folds and canonicalization patterns of `cuda_tile`
    fuse_fma: Fuses multiplications with the additions and subtractions that use them
    guard_masks: Drops masks in the iterations of a loop in which they are all true
    insert_runtime_checks: Checks at run time: accesses outside of their array
    loop_split: Loop splitting
    require_determinism: Determinism on request: kernels that give the same bits whatever the grid
    synthesize_debug_info_scopes: Gives functions without debug information a scope
    verify_cuda_tile_input: Verifies that the input of the compiler is public Tile IR
"""
