"""
To the code of one thread: `nvgpu`, `gpu`, `arith`, `vector` and `scf`.

Modules:

    convert_tileas_to_nvgpu: `convert-tileas-to-nvgpu`
    sink_scalars: Moves scalars to where they are used: into branches, and behind loops
"""
