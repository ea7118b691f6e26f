"""
Exploration: the IR after every pass, and the provenance of each op.

Importing the package imports no module of it.

Modules:

    compare: Two programs side by side, or one for two GPUs, optimization levels or schedules
    compare_page: A comparison as lists, strings and numbers, which JSON can hold
    cost: What ops and instructions cost: clocks of the unit of an SM that each keeps busy, bytes
    data: An exploration as lists, strings and numbers, which JSON can hold; pages are made of it
    diff: What a pass changed
    edits: Edits of a program on its way through the pipeline, as passes
    exploration: `tileiras_xdsl.explore`, and what it returns
    line_matching: Which lines of two listings are the same, were moved, or became which others
    listing: The text of a module, with the ops that begin on each line
    module_view: Modules that explorations give out: they know where they are, and show themselves
    notes: What there is to say about lines: remarks of the compiler, errors
    predictions: How long a launch takes, in microseconds, what binds it
    provenance: Provenance of ops
    report: A program on its way through the compiler as one web page
    resources: What kernels take of an SM: registers, shared memory, occupancy, instructions by kind
    search: Lines of the IR: where something occurs, and what other passes made of it
    source: The Python functions that a kernel was made from, with the ops that their lines became
    steps: Runs the pipeline on a program and keeps the module after every pass
    tables: Tables, as text for terminals and as HTML for notebooks and pages
    texts: LLVM IR, PTX and machine code of a module, with the ops that their lines came from
    weights: How much of a kernel's time ops and instructions are likely to stand for
"""
