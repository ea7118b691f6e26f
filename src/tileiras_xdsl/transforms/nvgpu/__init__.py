"""To the code of one thread: `nvgpu`, `gpu`, `arith`, `vector` and `scf`."""
