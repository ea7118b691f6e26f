"""
Exploration: the IR after every pass, and the provenance of each op.

Importing the package imports no module of it.

Modules:

    compare: Two programs side by side, or one for two GPUs, optimization levels or schedules
    cost: What ops and instructions cost: clocks of the unit of an SM that each keeps busy, bytes
    cpu: What kernels take of a CPU: code, scratch memory, and how long they are expected to take
    diff: What a pass changed
    edits: Edits of a program on its way through the pipeline, as passes
    exploration: `tileiras_xdsl.explore`, and what it returns
    provenance: Provenance of ops
    report: A program on its way through the compiler as one web page
    resources: What kernels take of an SM: registers, shared memory, occupancy, instructions by kind
    search: Lines of the IR: where something occurs, and what other passes made of it
    steps: Runs the pipeline on a program and keeps the module after every pass
    texts: LLVM IR, PTX, assembly and machine code of a module
"""
