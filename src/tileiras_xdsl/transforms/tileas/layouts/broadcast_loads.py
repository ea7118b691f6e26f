"""
Loads of small tiles that are broadcast take the layout of what they are broadcast to.

Before:  %b = nv_tileas.tiled_load %v[%j] : … -> tensor<128xf16, #one_each>
         %c = nv_tileas.convert_layout %b : … -> tensor<128xf16, #slice>  // by shared memory
         %d = nv_tileaa.broadcast (a view of %c) : … -> tensor<64x128xf16, #rows>
After:   %c = nv_tileas.tiled_load %v[%j] : … -> tensor<128xf16, #slice>  // eight each
         %d = nv_tileaa.broadcast (a view of %c) : … -> tensor<64x128xf16, #rows>

Threads load copies of elements, which the first level of caches has: that is faster than to store
each once to shared memory, wait for all threads, and load it from there. Weak loads only: others
are done once for each element. In a loop, `tileas-unspecialized-pipeline` copies tiles to shared
memory ahead of time, if no two threads copy the same element: there loads keep their layout, unless
WGMMAs of the loop have a producer warp. Beside these, what is broadcast may be computed from
several tiles, as scales of both operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import contiguous_run
from tileiras_xdsl.analysis.layout_conversion import ThroughShared, plan_conversion
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, get_vector
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.layout_rules import memory_bits, set_anchor_layout
from ..kernel_model.wgmma import is_wgmma
from .load_chains import find_load, find_loads

MOST_ACCESSES: Final = 4
"""
Instructions for which a thread loads its copies: a trip through shared memory has a store, a load
and a barrier, and takes longer than a load that hits.
"""


def anchor_broadcast_loads(function: FuncOp) -> bool:
    """
    Gives loads of a kernel with layouts the layouts of broadcasts; whether there are any. The
    kernel has no dots.
    """
    found = False
    for value, target in _find_broadcasts(function):
        load, layout = find_load(value, target)
        if load is None or layout is None or not isinstance(load.parent_op(), FuncOp):
            continue
        if _is_cheap_load(load, layout):
            set_anchor_layout(load, LAYOUT, layout)
            found = True
    return found


def anchor_loads_beside_mmas(function: FuncOp) -> bool:
    """
    The same for loads of loops whose dots are WGMMAs. What is broadcast may be computed from
    several tiles, and a tile be part of several broadcasts of one layout.
    """
    wanted: dict[TiledLoadOp, LinearLayout] = {}
    for value, target in _find_broadcasts(function):
        loads = find_loads(value, target) or {}
        if all(
            _is_beside_mmas(load.parent_op())
            and _is_cheap_load(load, layout)
            and wanted.get(load, layout) == layout
            for load, layout in loads.items()
        ):
            wanted |= loads
    for load, layout in wanted.items():
        set_anchor_layout(load, LAYOUT, layout)
    return bool(wanted)


def _find_broadcasts(function: FuncOp) -> Iterator[tuple[SSAValue, LinearLayout]]:
    """Tiles that go through shared memory to be broadcast, with the layout that they get."""
    for conversion in find_all(function, ConvertLayoutOp):
        value, result = conversion.operands[0], conversion.results[0]
        source, target = layout_of(value.type), layout_of(result.type)
        if source is None or target is None or not _is_broadcast(result):
            continue
        bits = memory_bits(get_element(value.type))
        if isinstance(plan_conversion(source, target, bits), ThroughShared):
            yield value, target


def _is_beside_mmas(loop: Operation | None) -> bool:
    """Whether dots of a loop are WGMMAs, whose operands a producer warp loads."""
    return isinstance(loop, scf.ForOp) and any(map(is_wgmma, loop.body.block.ops))


def _is_broadcast(value: SSAValue) -> bool:
    """Whether a value is broadcast, and nothing else is done with it."""
    users = [use.operation for use in value.uses]
    return bool(users) and all(isinstance(op, BroadcastOp) for op in users)


def _is_cheap_load(load: TiledLoadOp, layout: LinearLayout) -> bool:
    """Whether a thread loads what it needs in a layout by few instructions."""
    ty, vector = load.result.type, get_vector(load)
    if vector is None or not isinstance(ty, TensorType):
        return False
    width = min(vector.width, contiguous_run(layout, vector.dim))
    return layout.registers // width <= MOST_ACCESSES
