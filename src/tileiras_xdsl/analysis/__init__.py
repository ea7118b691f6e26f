"""
Analyses, which change no IR: layouts, axis info and integer ranges, alias analysis, slices.

Modules:

    alias: Alias analysis: which accesses of a function may touch the same bytes
    axis_info: Axis info of the integers or pointers in a scalar or tensor
    axis_info_analysis: Axis info analysis: a forward dataflow analysis of contiguity, divisibility
    counted_loops: Which `scf.while` loops are counted loops
    layout_conversion: Plans of layout conversions between distributed layouts
    linear_layout: Linear layouts, that is layouts as linear maps over GF(2)
    live_tiles: Which tiles are live at once in a kernel without dots
    matrix_layouts: Layouts of MMA operands and accumulators, and of `ldmatrix` and `stmatrix`
    memory_order: Which memory effects may be reordered: decided here for all passes
    mma_instructions: MMA instruction selection by operand types, and how warps tile the accumulator
    pointer_tiles: Where the pointers of a tile point to, as a linear expression for each element
    privatization: Which atomics of a kernel may be combined in a private copy of the array that …
    scalar_evolution: Scalar evolution: how integers depend on others
    scalar_values: The integers of a program
    slices: Backward and forward slices
    tensor_memory_layouts: Layouts of tensor memory: where accumulators lie
    tma_tiles: TMA tiles, and their swizzled layouts in shared memory
"""
