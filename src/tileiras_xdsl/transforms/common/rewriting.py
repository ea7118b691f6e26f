"""What patterns do to ops so that new ones know where they come from."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.symbol_table import get_name_if_symbol

from tileiras_xdsl.xdsl_extras.walking import walk


def build(rewriter: PatternRewriter, location: LocationAttr, op: Operation) -> SSAValue:
    """Inserts an op with one result before the matched one, at a location."""
    op.location = location
    return rewriter.insert(op).results[0]


def replace_by(rewriter: PatternRewriter, op: Operation, new: Operation) -> None:
    """Puts an op in place of the matched one, at its location."""
    new.location = op.location
    rewriter.replace(op, new)


def erase_unused(root: Operation | Region) -> None:
    """
    Erases ops that nothing uses, users first, in one walk; xDSL's `region_dce` asks every op again
    until nothing changes.
    """
    for op in reversed(walk(root)):
        if (not op.results or op.results[0].first_use is None) and is_trivially_dead(op):
            Rewriter.erase_op(op)


# Names for the symbols that the compiler adds to a module.
#
# Kernels and globals have the names that the program gives them, which may be any. So whatever is
# added asks here for its name: the wanted one, or with a number after it if that is taken.


def unique_name(taken: Collection[str], wanted: str) -> str:
    """A name that is not taken: `wanted`, or `wanted_1`, …"""
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def symbols_of(table: Operation) -> dict[str, Operation]:
    """The symbols directly in a module, by name."""
    ops = table.regions[0].block.ops
    return {name: op for op in ops if (name := get_name_if_symbol(op)) is not None}


class SymbolNames:
    """The names of a module, those given away before they are used included."""

    def __init__(self, table: Operation | None):
        self._taken = set[str]() if table is None else set(symbols_of(table))

    def take(self, wanted: str) -> str:
        """A name that nothing has, and that nothing else gets."""
        name = unique_name(self._taken, wanted)
        self._taken.add(name)
        return name

    def take_number(self, prefix: str) -> str:
        """A name of a series, `prefix_0`, `prefix_1`, …, that nothing has."""
        name = next(name for n in count() if (name := f"{prefix}_{n}") not in self._taken)
        self._taken.add(name)
        return name
