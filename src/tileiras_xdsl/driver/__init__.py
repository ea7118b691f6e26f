"""
What drives the compiler: `compile`, the command-line tools, the compile service, tuning and demos.

Modules:

    compiler: The compiler as a whole: from a program to a cubin that can be launched
    demos: Example programs; `python -m tileiras_xdsl.driver.demos` compiles and runs two of them
    service: The compile service: a server that has the compiler imported
    tools: The command line
    tuning: Tuning: which tile sizes and hints make a kernel fastest
"""
