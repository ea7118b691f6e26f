"""
The compiler as a whole: from a program to a cubin that can be launched.

| file | does |
| --- | --- |
| `options` | options of a compilation, and kinds of input |
| `compilation` | runs the pipeline and the back end, and measures them |
| `compiled` | `tileiras_xdsl.compile` and what it returns |
| `many` | `tileiras_xdsl.compile_many`: many programs on an executor |
| `processes` | processes of this machine as an executor |
| `cache` | keeps results on disk |
| `explain` | what was decided about a kernel, and why |
| `remarks` | remarks, as lines or YAML |

Importing the package imports none of them.
"""
