"""
The conversion from `cuda_tile` to `nv_tileaa`: types, pattern groups, and the pass.

Modules:

    aggregates: Patterns of dots, reductions, scans and five transcendental functions
    arithmetic: Patterns of arithmetic, comparison, conversion and indexing
    attributes: What becomes of `cuda_tile` attributes
    control_flow: Patterns of control flow: `if`, `for` and `loop`, early exits included
    conversion_pass: The first lowering: public Tile IR to the alias-aware dialect
    exits: Early exits in structured control flow
    functions_and_views: Patterns of memory accesses, pointers, tokens and views
    late_patterns: The eight patterns that other passes use on their own
    one_to_one: The default shape of a rewrite: the same op under another name, with converted types
    types: What becomes of `cuda_tile` types
"""
