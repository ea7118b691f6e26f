"""To `nv_tileaa`, where tokens order accesses to memory, and the passes on it."""
