"""
What only programs of others reach: IR of this compiler's levels, and of upstream MLIR's, that is
written by hand or made by another front end. `docs/interop.md` says who would use what.

Passes import it where a program needs it, inside of functions, so that no other pays for it. It may
import all levels.

Modules:

    iterators: The ends of queues become producers and consumers of pipelines
    memref: `memref`: a reference is the address of its element at zeros
    nvgpu: Conversions of the ops of `nvgpu` that upstream has, and our kernels are not made of
    nvgpu_matrix: `mma.sync` on fragments as upstream has them
    nvgpu_tensor_maps: Tensor maps that the driver encodes
    nvgpu_values: Values of `nvgpu` types that control flow, or functions, pass on
    nvgpu_warpgroup: WGMMA as upstream has it: whole tiles, from matrix descriptors to memory
    queue_edges: Which ends the queues of a function have, and whether all of them have a slot
    queues: From queues and executes to pipelines and agents
    token_barriers: Mbarriers in place of tokens: which ops wait for which phase, and which arrive
    token_slots: Which barriers a token may stand for
    tokens: Memory tokens to mbarriers
    transfers: Accesses of `vector` that are more than one load or store: under a mask
"""
