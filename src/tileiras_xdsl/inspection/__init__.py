"""
What looks at a compilation: the explorer, pictures and profiles.

Modules:

    exploration: Exploration: the IR after every pass, and the provenance of each op
    profiling: Profiles: what the warps of a kernel did, and when
    visual: Pictures of what the compiler does: SVG for notebooks and pages, text for terminals
"""
