"""
The dialects of every level, `cuda_tile` first. Their ops run on a patched xDSL.

Modules:

    arith: xDSL's `arith` with the ops it restricts to scalars defined on tensors and vectors too
    building: What constructors of ops take, and make of it
    cuda_tile: The `cuda_tile` dialect: the public contract
    cute: The cuTe layout attributes that tile metadata may carry, in basis-vector notation
    gpu: xDSL's `gpu` with what it lacks: queries about clusters
    llvm: xDSL's `llvm` with what it lacks, spelled as upstream spells it: atomics and fences
    memory_order: What operations do to memory, as they declare it: their effects
    nv_tileaa: The `nv_tileaa` dialect, the alias-aware level of the compiler
    nv_tileas: The `nv_tileas` dialect, the schedulable level of the compiler
    nvgpu: The `nvgpu` dialect: what NVIDIA's GPUs can do beyond `gpu`, on values of one thread
    nvvm: The `nvvm` dialect: instructions of NVIDIA's GPUs, spelled as MLIR spells them
    scf: xDSL's `scf` with loops that carry nothing: upstream writes `scf.while : () -> () {`
    tileiras: Remarks: what passes decide about a kernel, and why, for people to read
    tt: The `tt` dialect of Triton 3.6 to 3.9 (`TTIR`)
    vector: xDSL's `vector` with what it lacks: `from_elements`, `to_elements`, `splat`
"""

from tileiras_xdsl.xdsl_extras.xdsl_patches import apply_patches

apply_patches()
