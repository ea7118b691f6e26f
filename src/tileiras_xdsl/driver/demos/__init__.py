"""
Example programs; `python -m tileiras_xdsl.driver.demos` compiles and runs two of them.

Modules:

    examples: `tileiras_xdsl.examples`: programs to try, with a grid, arrays and what to expect
    kernels: The examples, written in cuTile
"""
