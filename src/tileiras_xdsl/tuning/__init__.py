"""
Tuning: which tile sizes and hints make a kernel fastest.

| file | does |
| --- | --- |
| `tune` | `tileiras_xdsl.tune`: enumerates, drops, compiles, measures |
| `space` | the configurations of a kernel, and the programs and launches that they are |
| `cost` | the cost model: how long a launch takes at least, before anything is compiled |
| `timing` | measures launches on GPUs |
| `database` | keeps measurements on disk |
| `result` | the table that `tune` returns |

Importing the package imports none of them.
"""
