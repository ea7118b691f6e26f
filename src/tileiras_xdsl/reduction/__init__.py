"""
A smaller program with the same fault: what `tileiras-reduce` does, for Python.

    from tileiras_xdsl.reduction import reduce

    small = reduce(module, lambda candidate: fails(candidate))

`search.py` decides what is tried; the other modules are the ways to make a program smaller, one
idea each. They work on every level, from `cuda_tile` to the `llvm` dialect.

Modules:

    attributes: Takes away attributes, hints and locations, and sets enums to their first cases
    blocks: Makes control flow between blocks simpler: one way of two, one block instead of two
    constants: Makes constants simpler: zero, one, the same element everywhere, half of a number
    edits: Edits of a module, of which any may be left out: what strategies consist of
    operations: Takes ops away; what uses their results uses something simpler
    regions: Replaces ops with regions by what is inside: one round of a loop, one branch of an `if`
    search: The search for a smaller program: which edits are tried, in which order
    signatures: Takes away parameters of functions, what loops carry, results of branches
    types: Makes tiles smaller and elements plainer, in all types of a module at once
    values: What a value may be replaced by: a value at hand of the same type, or a zero
"""

from tileiras_xdsl.reduction.search import NotInteresting, Progress, reduce

__all__ = ["NotInteresting", "Progress", "reduce"]
