"""
Removes pairs of casts that cancel out.

    %b = builtin.unrealized_conversion_cast %a : T to U
    %c = builtin.unrealized_conversion_cast %b : U to T
    →
    %a in place of %c
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.xdsl_extras.walking import find_all


def get_source(value: SSAValue) -> SSAValue:
    """What a chain of casts of single values begins with."""
    while isinstance(value.owner, UnrealizedConversionCastOp) and len(value.owner.operands) == 1:
        value = value.owner.operands[0]
    return value


def reconcile_casts(root: Operation) -> None:
    """
    Replaces a cast at whose beginning there is a value of its type, and erases those that
    nothing uses any more.
    """
    casts = find_all(root, UnrealizedConversionCastOp)
    for cast in casts:
        if len(cast.results) != 1 or len(cast.operands) != 1:
            continue
        result, source = cast.results[0], cast.operands[0]
        while source.type != result.type:
            owner = source.owner
            if not isinstance(owner, UnrealizedConversionCastOp) or len(owner.operands) != 1:
                break
            source = owner.operands[0]
        else:
            if source.name_hint is None:
                source.name_hint = result.name_hint
            result.replace_all_uses_with(source)
    for cast in reversed(casts):
        if not any(result.uses for result in cast.results):
            cast.detach()
            cast.erase()
