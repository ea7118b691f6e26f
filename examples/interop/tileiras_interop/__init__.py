"""
What only programs of others reach: IR of this compiler's levels, and of upstream MLIR's, that is
written by hand or made by another front end. `docs/interop.md` says who would use what.

Passes import it where a program needs it, so that no other pays for it.

Modules:

    memref: `memref`: a reference is the address of its element at zeros
    nvgpu: Conversions of the ops of `nvgpu` that upstream has, and our kernels are not made of
    queues: From queues and executes to pipelines and agents
    tokens: Memory tokens to mbarriers
    transfers: Accesses of `vector` that are more than one load or store: under a mask
"""
