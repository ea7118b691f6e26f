"""
Static estimates: how long a kernel takes, from its schedule, and what limits it.

The agents of a kernel at the end of the stage `tileas` are run on a model of an SM: each op takes
time of the units that do it, asynchronous ones run on while agents wait for them, and loads,
MMAs, threads and stores overlap as far as pipelines, waits and barriers let them. No number is
computed, only clocks. Nothing of it is a measurement.

| module | has |
| --- | --- |
| `clock` | points in time with what they waited for, units, signals |
| `scalars` | the integers of a kernel and of its launch, of which trip counts are made |
| `work` | what an op takes of which unit |
| `strands` | the warpgroups of agents, which run ops |
| `model` | a CTA or several on an SM, and a launch |
| `launches` | what is known of a launch, from its grid and arguments |
| `trace` | what each op did meanwhile |
| `threads` | what ops and instructions of threads take, from `nvgpu` to PTX |
| `ptx` | kinds of instructions of PTX |
| `loops` | how often blocks run |
| `report` | what comes out, in words |
"""
