"""
The conversion from `nv_tileaa` to `nv_tileas`: tokens, resources, and the pass.

Modules:

    conversion_pass: The second lowering: from the alias-aware dialect to the one that is scheduled
"""
