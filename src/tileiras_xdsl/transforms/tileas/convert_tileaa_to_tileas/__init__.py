"""
The conversion from `nv_tileaa` to `nv_tileas`: tokens, resources, and the pass.

Modules:

    conversion_pass: Lowers the alias-aware dialect to the scheduled one
"""
