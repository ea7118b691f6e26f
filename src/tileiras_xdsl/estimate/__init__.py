"""
Static estimates: how long a kernel takes, from its schedule, and what limits it.

The agents of a kernel at the end of the stage `tileas` are run on a model of an SM: each op takes
time of the units that do it, asynchronous ones run on while agents wait for them, and loads,
MMAs, threads and stores overlap as far as pipelines, waits and barriers let them. No number is
computed, only clocks. Nothing of it is a measurement.

| module | has |
| --- | --- |
| `clock` | points in time with what they waited for, units, signals, schedulers, tensor cores |
| `scalars` | the integers of a kernel, of which trip counts are made |
| `work` | what an op takes of which unit |
| `strands` | the warpgroups of agents, which run ops |
| `model` | a CTA or several on an SM, and a launch |
| `trace` | what each op did meanwhile |
| `threads` | what ops and instructions of threads take, from `nvgpu` to PTX, and how often |
| `report` | what comes out, in words |
"""
