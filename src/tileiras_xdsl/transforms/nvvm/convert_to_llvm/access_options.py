"""How LLVM's accesses are made, by the attributes of the ops that become them."""

from __future__ import annotations

from typing import TypedDict

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, UnitAttr
from xdsl.ir import Operation

from tileiras_xdsl.dialects.llvm import AtomicOrdering


class AtomicOptions(TypedDict, total=False):
    """What atomic operations have, too."""

    alignment: int | None
    volatile: bool
    syncscope: str | None


class AccessOptions(AtomicOptions, total=False):
    """How LLVM loads and stores."""

    ordering: IntegerAttr[IntegerType]
    nontemporal: bool


def get_flag(op: Operation, *names: str) -> bool:
    """Whether an op has a flag, as a property or as an attribute."""
    values = (op.properties.get(name, op.attributes.get(name)) for name in names)
    return any(
        isinstance(value, UnitAttr) or (isinstance(value, IntegerAttr) and value.value.data != 0)
        for value in values
    )


def get_ordering(op: Operation, default: AtomicOrdering) -> AtomicOrdering:
    """The ordering that an op asks for."""
    match op.attributes.get("ordering"):
        case IntegerAttr() as number:
            return AtomicOrdering.of(number)
        case StringAttr(data=word):
            return AtomicOrdering(word)
        case _:
            return default


def get_atomic_options(op: Operation, alignment: int | None = None) -> AtomicOptions:
    """What an op asks for, of what LLVM's atomic operations have."""
    given = op.properties.get("alignment", op.attributes.get("alignment"))
    scope = op.attributes.get("syncscope")
    return {
        "alignment": given.value.data if isinstance(given, IntegerAttr) else alignment,
        "volatile": get_flag(op, "volatile", "volatile_"),
        "syncscope": scope.data if isinstance(scope, StringAttr) else None,
    }


def get_access_options(op: Operation, alignment: int | None = None) -> AccessOptions:
    """What an op asks for, of what LLVM's accesses have."""
    return {
        **get_atomic_options(op, alignment),
        "ordering": get_ordering(op, AtomicOrdering.NOT_ATOMIC).attr,
        "nontemporal": get_flag(op, "nontemporal"),
    }
