"""
Passes on kernels of Triton.

Modules:

    affine: Integers and pointers of Triton's IR as sums: of products of scalars
    arithmetic: Rules for ops that work element by element: of `arith`, `math` and `tt`
    control_flow: Rules for loops, branches and calls, and the bodies of functions
    convert_tt_to_cuda_tile: Kernels of Triton as kernels of public Tile IR
    emitter: What the rules of `convert-tt-to-cuda-tile` build ops with
    inline_assembly: Inline assembly, instruction by instruction, for all elements at once
    masks: What the masks of accesses say of the integers that their addresses are made of
    memory: Rules for accesses to memory: through pointers, by atomics, and through descriptors
    shapes: Rules for ops that make, arrange and combine tensors, and for dots
    tt_recover_views: Tensors in memory, found in the arithmetic of pointers
"""
