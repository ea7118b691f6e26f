"""
Proofs that a rewrite keeps the meaning of a program, by the SMT solver z3 (extra `prove`).

    from tileiras_xdsl.checking.proofs.rewrites import prove_steps

    for step in prove_steps(module, [MyPattern()]):
        print(step.rule, step.verdict)

The ops before and after a pattern has run are translated to bit-vectors, floats and an array of
bytes, for all values of what they use, and the solver looks for values with which the new ops do
not refine the old ones. Overflow flags give poison, and so do shifts by too much; a branch on
poison, a division by zero and an assumption that fails are undefined behaviour.

- `smt`: the solver, imported when it is first used, and claims that are tried for all values
- `machine`: tiles of terms, and the meaning of blocks, branches and ops
- `integers`, `floats`, `accesses`: what ops of `cuda_tile`, `nv_tileaa`, `arith` and `llvm` mean
- `rewrites`: patterns run one step at a time, each step proven

Modules:

    accesses: What accesses to memory, atomics and tokens mean
    floats: What floating-point ops mean: IEEE formats by the solver's theory
    integers: What integer ops, constants, comparisons and choices mean
    machine: The meaning of blocks and branches, for all values at once
    rewrites: Rewrite patterns and folds, run one step at a time as the greedy driver does
    smt: The solver: what it is asked, and what it answers
"""
