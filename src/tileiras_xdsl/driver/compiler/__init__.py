"""
The compiler as a whole: from a program to a cubin that can be launched.

Importing the package imports no module of it.

Modules:

    cache: Results of compilations on disk, found by what went into them
    compilation: Runs the pipeline and the back end on a program, and measures them
    compiled: `tileiras_xdsl.compile`, and what it returns
    cpu: `tileiras_xdsl.compile(kernel, "cpu")`
    cpu_arguments: The arguments of a launch on the CPU: in memory as compiled code reads them
    engine: `tileiras_xdsl.run`: a program on NumPy arrays
    export: `tileiras_xdsl.export`: compiles versions of a kernel for several architectures
    exported: Launches exported kernels from Python, through the launcher in C
    many: `tileiras_xdsl.compile_many`: many programs, or variants of one
    options: Options of a compilation
    pass_plan: Passes of other people in the pipeline
    processes: Processes of this machine as an executor of `concurrent.futures`
    remarks: Remarks: what the compiler did, or could not do, and why
    reproducer: Files that repeat what went wrong inside the compiler
"""
