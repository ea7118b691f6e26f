"""
What checks the compiler: validation of each pass, and reduction of what fails.

Modules:

    reduction: A smaller program with the same fault: what `tileiras-reduce` does, for Python
    validation: Translation validation
"""
