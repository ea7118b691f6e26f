"""Edits of a module, of which any may be left out: what strategies consist of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

Edit: TypeAlias = Callable[[], None]
"""
Changes the module it was made for. It does nothing where an edit before it has taken away what it
is about, and may leave an invalid module, or raise: such a candidate is not tried.
"""


@dataclass(frozen=True)
class Strategy:
    """A way to make programs smaller."""

    name: str
    find: Callable[[ModuleOp], list[Edit]]
    """The edits of a module; for a copy of it the same ones in the same order."""


def is_attached(op: Operation, root: Operation) -> bool:
    """Whether an op is still in the module."""
    current: Operation | None = op
    while current is not None and current is not root:
        current = current.parent_op()
    return current is root
