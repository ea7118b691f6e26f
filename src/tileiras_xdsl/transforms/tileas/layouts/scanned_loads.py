"""
Loads of tiles that are scanned give each thread consecutive elements along the axis of the scan.

Before:  %x = nv_tileas.tiled_load … : … -> tensor<128x128xf32, rows 0, 8, 16, … of a thread>
         %y = nv_tileas.scan %x {axis = 0} …            // warps exchange totals sixteen times
After:   %x = nv_tileas.tiled_load … : … -> tensor<128x128xf32, rows 0, 1, 2, … of a thread>
         %y = nv_tileas.scan %x {axis = 0} …            // once

Which rows a warp loads makes no difference to memory, as long as rows themselves are loaded as
before. A scan along the contiguous dimension is left alone: there lanes have neighbours.
"""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.access_layouts import coalesced_bytes
from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, unflatten
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.aggregate import ScanOp
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, get_vector
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.layout_rules import memory_bits, set_anchor_layout
from .load_chains import find_load


def anchor_scanned_loads(function: FuncOp) -> bool:
    """Gives loads of a kernel with layouts those that suit scans; whether there are any."""
    found = False
    for op in find_all(function, ScanOp):
        for operand in op.operands:
            layout = layout_of(operand.type)
            if layout is None or (wanted := with_runs_along(layout, op.get_axis())) == layout:
                continue
            load, own = find_load(operand, wanted)
            if load is None or own is None or not _keeps_vectors(load, own):
                continue
            set_anchor_layout(load, LAYOUT, own)
            found = True
    return found


def with_runs_along(layout: LinearLayout, axis: int) -> LinearLayout:
    """
    A layout with the same bits along an axis in another order: those of registers count
    neighbours, then those of lanes, then those of warps.
    """
    bits: list[tuple[str, int]] = []
    steps: list[int] = []
    for name in ("register", "lane", "warp"):
        for bit, basis in enumerate(layout.bases(name)):
            place = unflatten(basis, layout.shape)
            if place[axis] and not any(place[:axis]) and not any(place[axis + 1 :]):
                bits.append((name, bit))
                steps.append(place[axis])
    bases = {name: list(layout.bases(name)) for name in ("register", "lane", "warp")}
    for (name, bit), step in zip(bits, sorted(steps), strict=True):
        place = [0] * len(layout.shape)
        place[axis] = step
        bases[name][bit] = flatten(place, layout.shape)
    return layout.replaced(**{name: tuple(each) for name, each in bases.items()})


def _keeps_vectors(load: TiledLoadOp, layout: LinearLayout) -> bool:
    """Whether a load in a layout accesses as wide vectors, of as many neighbours, as before."""
    before, vector = layout_of(load.result.type), get_vector(load)
    if before is None or vector is None:
        return False
    bits = memory_bits(get_element(load.result.type))
    return coalesced_bytes(layout, vector.dim, bits) >= coalesced_bytes(before, vector.dim, bits)
