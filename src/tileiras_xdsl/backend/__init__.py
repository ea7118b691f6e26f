"""
From modules of `llvm` and `nvvm` to LLVM IR, PTX, a cubin and a launch.

| file | does |
| --- | --- |
| `targets` | what `-t` of the command line names: `llvm-ir`, `ptx`, `cubin` |
| `compile` | a module to a cubin and its launch records, all steps at once |
| `translate` | a module to LLVM IR text |
| `target` | the architectures and PTX versions that can be compiled for |
| `nvptx` | LLVM IR text to PTX text, through LLVM |
| `guard` | refuses what would end the process inside LLVM |
| `worker` | the same as `nvptx`, in a process that LLVM may end |
| `libdevice` | links the math functions that a module declares |
| `ptxas` | PTX to a cubin |
| `entries` | the launch records of the kernels of a module |
| `launch_record` | what a launcher has to know about a kernel |
| `cuda` | loads and launches kernels |

Importing the package imports none of them, and none imports LLVM, NumPy or CUDA before it is used.
"""
