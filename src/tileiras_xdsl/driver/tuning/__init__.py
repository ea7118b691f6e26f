"""
Tuning: which tile sizes and hints make a kernel fastest.

Importing the package imports no module of it.

Modules:

    result: The table that `tileiras_xdsl.tune` returns, and the configurations that it tries
    tune: `tileiras_xdsl.tune`: the fastest configuration of a cuTile kernel
"""
