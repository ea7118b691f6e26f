"""
The compiler as a whole: from a program to a cubin that can be launched.

| file | does |
| --- | --- |
| `options` | what a compilation can be told, and what programs can be given as |
| `compilation` | runs the pipeline and the back end, and measures them |
| `compiled` | `tileiras_xdsl.compile` and what it returns |
| `cache` | keeps results on disk |
| `hints` | what the hints of an entry come to |
| `explain` | what was decided about a kernel, and why |
| `remarks` | what is told about the code, in lines or as YAML |

Importing the package imports none of them.
"""
