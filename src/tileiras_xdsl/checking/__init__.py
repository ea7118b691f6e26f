"""
What checks the compiler: validation of each pass, proofs of rewrites, and reduction of what fails.

Modules:

    proofs: Proofs that a rewrite keeps the meaning of a program, by the SMT solver z3
    reduction: A smaller program with the same fault: what `tileiras-reduce` does, for Python
    validation: Translation validation
"""
