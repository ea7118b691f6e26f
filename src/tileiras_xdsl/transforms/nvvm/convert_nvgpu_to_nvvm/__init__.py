"""
The conversion from `nvgpu` to `nvvm`: types, pattern families, and the pass.

Modules:

    barriers: Barriers in shared memory
    conversion_pass: From asynchronous GPU ops to the instructions that implement them
    copies: `cp.async`: copies of elements from global to shared memory
    matrix: `ldmatrix`, `stmatrix` and WGMMA
    one_to_one: Ops that `nvvm` has under another name, with the same operands and properties
    tcgen05: Tensor memory, and MMAs with accumulators there
    tensor_copies: TMA copies and tensor maps
    types: What becomes of `nvgpu` types
"""
