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
| `cold_start` | makes the imports of a command short |
| `module_cache` | keeps the bytecode of modules in one file |
| `code_cache` | keeps the code of dataclasses on disk |
| `pattern_cache` | keeps compiled regular expressions on disk |
| `code_files` | files with code that only their user may have written |
| `remarks` | remarks, as lines or YAML |

Importing the package imports none of them.
"""
