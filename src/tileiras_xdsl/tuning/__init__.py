"""
Tuning: which tile sizes and hints make a kernel fastest.

Importing the package imports no module of it.

Modules:

    cost: The cost model of tuning: how long a launch takes, from the program as it was written
    database: Measurements on disk, in an SQLite file in the folder of the cache
    result: The table that `tileiras_xdsl.tune` returns
    scalars: The integers of a `cuda_tile` program
    space: The configurations of a kernel of cuTile, and the program and launch that each of them is
    timing: Measures launches: on GPUs, or by whatever else stands in for them
    tune: `tileiras_xdsl.tune`: the fastest configuration of a kernel of cuTile
"""
