"""
What programs come as: bytecode, text, and `load`, which takes either.

Modules:

    bytecode: Tile IR bytecode: what cuTile Python writes and what NVIDIA's `tileiras` reads
    cutile_kernels: Kernels of cuTile as programs: functions that `cuda.tile.kernel` decorates
    load: The one door programs come in by: Tile IR bytecode or either text form
    targets: The output targets `tileir-bytecode` and `cuda-tile-public`
    text: The text front end
    uses: Which kernels of a package of others this compiler compiles
"""
