"""
The conversion from `nv_tileaa` to `nv_tileas`: tokens, resources, and the pass.

Modules:

    arith: The patterns for `arith`
    conversion_pass: The second lowering: from the alias-aware dialect to the one that is scheduled
    core: The core of the conversion: memory, shape, dot
    scaled_dot: Block-scaled dots
"""
