"""To `nv_tileas`, where tiles get layouts, warps and a schedule, and the passes on it."""
