"""The conversion from `nv_tileaa` to `nv_tileas`: tokens, resources, and the pass."""
