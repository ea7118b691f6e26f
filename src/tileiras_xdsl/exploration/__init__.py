"""
Exploration: the IR after every pass, and the provenance of each op.

| file | does |
| --- | --- |
| `exploration` | `tileiras_xdsl.explore` and what it returns |
| `steps` | runs the pipeline and keeps what every pass made, with the ops of each line; views |
| `provenance` | tracks ops through passes, by their locations |
| `diff`, `search` | what a pass changed, where something occurs |
| `compare` | two programs side by side |
| `texts` | Python, LLVM IR, PTX and machine code, with the ops that lines belong to |
| `notes` | remarks, errors, resources and estimates, and the lines that they are about |
| `resources`, `cost` | what kernels take, and what their lines do |
| `report` | all of it as JSON-like data, and as a page |

Importing the package imports none of them.
"""
