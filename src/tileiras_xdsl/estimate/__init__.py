"""
Static estimates: how long a kernel takes, from its schedule, and what limits it.

The agents of a kernel at the end of the stage `tileas` are run on a model of an SM: each op takes
time of the units that do it, asynchronous ones run on while agents wait for them, and loads,
MMAs, threads and stores overlap as far as pipelines, waits and barriers let them. No number is
computed, only clocks. Nothing of it is a measurement.

Modules:

    clock: Time in an estimate
    launches: What an estimate wants to know of a launch: the grid, numbers, and the bytes of arrays
    loops: How often the blocks of a control-flow graph run, given the trip counts of its loops
    model: Runs the CTAs that share an SM, and what follows for a launch
    prediction: How long a launch takes, in microseconds, and what binds it
    producers: Which code of threads a single warp runs for the others: the producer
    ptx: Kinds of instructions of PTX
    report: What an estimate says, and how
    scalars: The integers of a kernel at the stage `tileas`
    schedulers: The warp schedulers of an SM, which share its arithmetic units out to warpgroups
    strands: Strands: the warpgroups of the agents of a CTA
    tensor_cores: The tensor cores of an SM, to which warpgroups issue WGMMAs
    threads: What ops and instructions of threads take of the units of an SM: those of `nvgpu`
    trace: What each op did while a kernel ran on the model of an SM: the units it kept busy
    work: What ops take of the units of an SM
"""
