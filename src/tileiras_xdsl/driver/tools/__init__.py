"""
The command line.

Modules:

    batch: `tileiras-xdsl --batch`: many programs with one command
    command: What our commands have in common: input may be nested deeply
    tileiras_explore: `tileiras-explore`: a program on its way through the compiler as one web page
    tileiras_opt: `tileiras-opt`: `xdsl-opt` for our tests, with diagnostics
    tileiras_reduce: `tileiras-reduce`: the smallest program that a test still finds interesting
    tileiras_xdsl: `tileiras-xdsl`: the compiler as a command
    tileirdisasm: `tileirdisasm`: bytecode as the text that NVIDIA's disassembler prints
"""
