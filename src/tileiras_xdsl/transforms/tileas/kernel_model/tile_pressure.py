"""
How many registers the tiles of a kernel take where most of them are live, before they have layouts.

Values that are cheap to rematerialize, as constants and what is computed of coordinates, take none,
nor do tiles that dots read from shared memory.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.xdsl_extras.walking import walk

from .layout_rules import is_cheap, is_root, memory_bits
from .tma_loads import is_view_like


def peak_words(function: FuncOp, in_shared: Collection[SSAValue]) -> int:
    """The most registers that live tiles take, of all threads; some tiles are in shared memory."""
    return TilePressure(in_shared).peak(function.body.block, set())


class TilePressure:
    """Follows the live tiles of a kernel backwards."""

    def __init__(self, in_shared: Collection[SSAValue]):
        self._free = dict.fromkeys(in_shared, True)
        self._sizes: dict[SSAValue, int] = {}

    def peak(self, block: Block, live: set[SSAValue]) -> int:
        """The most words of tiles that are live in a block, given those that are live after it."""
        live = set(live)
        most = words = sum(map(self._size, live))
        for op in reversed(block.ops):
            inner = [each for region in op.regions for each in region.blocks]
            used = {value for each in walk(op) for value in each.operands}
            if inner:
                inside = {value for each in walk(op) for value in each.results}
                inside |= {argument for each in inner for argument in each.args}
                used -= inside
                most = max(most, *(self.peak(each, live | used) for each in inner))
            made, used = live.intersection(op.results), used - live
            words += sum(map(self._size, used)) - sum(map(self._size, made))
            live -= made
            live |= used
            most = max(most, words)
        return most

    def _size(self, value: SSAValue) -> int:
        if value not in self._sizes:
            self._sizes[value] = self._find_size(value)
        return self._sizes[value]

    def _find_size(self, value: SSAValue) -> int:
        ty = value.type
        if not isinstance(ty, TensorType) or self._is_free(value):
            return 0
        return prod(ty.get_shape()) * memory_bits(get_element(ty)) // WORD_BITS

    def _is_free(self, value: SSAValue) -> bool:
        """Whether a tile is in shared memory, or made where it is used."""
        for each in operands_first(value, _made_of, self._free):
            op = each.owner
            self._free[each] = isinstance(op, Operation) and (
                is_root(op)
                or isinstance(op, BroadcastOp)
                or (_is_made_anywhere(op) and all(self._free[tile] for tile in _made_of(each)))
            )
        return self._free[value]


def _made_of(value: SSAValue) -> list[SSAValue]:
    """The tiles that one is made of, if it is made where it is used."""
    op = value.owner
    if not isinstance(op, Operation) or is_root(op) or not _is_made_anywhere(op):
        return []
    return [each for each in op.operands if isinstance(each.type, TensorType)]


def _is_made_anywhere(op: Operation) -> bool:
    return is_view_like(op) or is_cheap(op)
