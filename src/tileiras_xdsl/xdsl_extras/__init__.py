"""
What this project needs from xDSL and xDSL 0.74 does not have; meant to go upstream.

Modules:

    aliases: Aliases: long attributes and types are defined once, above the module that uses them
    bare_types: Dialect types without their prefix
    deep_stack: Room for deeply nested input
    diagnostics: What users are told when something goes wrong: one line, `file:line:col: error
    dialect_conversion: Dialect conversion: rewriting the ops of some dialects into those of others
    discardable_attributes: Discardable attributes that dialects declare
    dominance: SSA dominance: every use of a value is dominated by its definition
    identity_cache: A cache of what follows from an attribute
    public: What functions of the package have in common: one shape of call
    reading: IR as a person reads it: without types, with long signatures
    usage: Mistakes on the command line and in what is installed
    walking: Walks over ops, where xDSL's cost more than what is done on the way
    xdsl_patches: Functions of xDSL that are replaced by ones with the same results that take …
"""
