"""
A smaller program with the same fault: what `tileiras-reduce` does, for Python.

    from tileiras_xdsl.checking.reduction import reduce

    small = reduce(module, lambda candidate: fails(candidate))

`search.py` decides what is tried; `structure.py` and `contents.py` have the ways to make a program
smaller. They work on every level, from `cuda_tile` to the `llvm` dialect.

Modules:

    contents: Edits that make what is left simpler: types, constants, attributes and locations
    search: The search for a smaller program: which edits are tried, in which order
    structure: Edits that take structure away: ops, regions, blocks, parameters
"""

from tileiras_xdsl.checking.reduction.search import NotInteresting, Progress, reduce

__all__ = ["NotInteresting", "Progress", "reduce"]
