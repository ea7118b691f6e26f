"""
To the code of one thread: `nvgpu`, `gpu`, `arith`, `vector` and `scf`.

Modules:

    convert_tileas_to_nvgpu: `convert-tileas-to-nvgpu`
    sink_scalars: Moves scalars to where they are used: into branches, and behind loops
    slice_fragments: Slices epilogues: computes and stores fragments some elements at a time
"""
