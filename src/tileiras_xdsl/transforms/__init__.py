"""
The passes, in folders by the level that they lead to, in the order of `pipeline.PIPELINE`.

What only programs of others need is the package `tileiras_interop`, see `common.interop`.

Modules:

    common: What several levels share: the architecture, kernel specifications, hints, symbol names
    cpu: To `llvm` for a CPU
    cuda_tile: Passes on `cuda_tile`, the level that programs come in
    nvgpu: To the code of one thread: `nvgpu`, `gpu`, `arith`, `vector` and `scf`
    nvvm: To `nvvm` and `llvm`, which are translated to LLVM IR
    tileaa: To `nv_tileaa`, where tokens order accesses to memory, and the passes on it
    tileas: To `nv_tileas`, where tiles get layouts, warps and a schedule, and the passes on it
    tt: Passes on kernels of Triton
"""
