"""
Kernels compiled ahead of time: a fat binary, a launcher in C for it, and one for Python that needs
nothing of this package. See docs/export.md.

`runtime.c` is the part of the launcher that all kernels share.

Modules:

    export: `tileiras_xdsl.export`: compiles versions of a kernel for several architectures
    loader: Launches exported kernels from Python, through the launcher in C
    sources: The launcher in C: types, tables and functions of exported kernels
"""
