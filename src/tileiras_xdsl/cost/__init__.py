"""
Static estimates: how long a kernel takes, from its schedule, and what limits it.

The agents of a kernel at the end of the stage `tileas` are run on a model of an SM: each op takes
time of the units that do it, asynchronous ones run on while agents wait for them, and loads,
MMAs, threads and stores overlap as far as pipelines, waits and barriers let them. No number is
computed, only clocks. Nothing of it is a measurement.

Modules:

    clock: Time in an estimate
    cpu: How long a kernel takes on a CPU, from its module at level 1
    model: Runs the CTAs that share an SM, and what follows for a launch
    report: What an estimate says, and how
    threads: What ops and instructions of threads take of the units of an SM: those of `nvgpu`
    warpgroups: The warpgroups of the agents of a CTA
    work: What ops take of the units of an SM, and the integers of a kernel that this depends on
"""
