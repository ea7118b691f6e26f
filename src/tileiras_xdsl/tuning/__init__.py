"""
Tuning: which tile sizes and hints make a kernel fastest.

| file | does |
| --- | --- |
| `tune` | `tileiras_xdsl.tune`: enumerates, drops, compiles, measures on GPUs |
| `space` | the configurations of a kernel, and the programs and launches that they are |
| `scalars` | the scalars of a program, as far as the arguments of a launch decide them |
| `cost` | the cost model: how long a launch takes at least, before anything is compiled |
| `result` | the table that `tune` returns, and measurements kept on disk |

Importing the package imports none of them.
"""
