"""
Exploration: the IR after every pass, and the provenance of each op.

| file | does |
| --- | --- |
| `exploration` | `tileiras_xdsl.explore` and what it returns |
| `steps` | runs the pipeline and keeps what every pass made |
| `provenance` | tracks ops through passes, by their locations |
| `listing` | the text of a module, with the ops of each line |
| `diff`, `search` | what a pass changed, where something occurs |
| `texts` | LLVM IR, PTX and machine code, with the ops that lines came from |
| `source` | the Python functions that a kernel was made from |
| `notes` | remarks, errors, resources and estimates, and the lines that they are about |
| `weights` | which of the ops that a line became matters most |
| `data` | all of it as JSON-like data, for pages |

Importing the package imports none of them.
"""
