"""
A layout halfway between two, for conversions of tiles that do not fit in shared memory.

A conversion takes several rounds through the same memory if there are elements that differ by
registers alone, both before and after: these can wait for a later round. A transposition has none
of them, for what a thread holds before lies in different threads after.

    source      registers  a b c d    threads  e f g h
    halfway     registers  c d g h    threads  a b e f     c d can wait on the way here,
    target      registers  e f g h    threads  a b c d     g h on the way from here
"""

from __future__ import annotations

from .linear_layout import LinearLayout, extend, intersection, log2


def intermediate_layout(
    source: LinearLayout, target: LinearLayout, parts: int
) -> LinearLayout | None:
    """
    A layout to and from which conversions can be done in so many parts, a power of two; none if
    threads hold copies of elements, or have too few registers for it.
    """
    bits, waiting = log2(source.elements), log2(parts)
    threads = len(source.lane) + len(source.warp)
    for layout in (source, target):
        if len(layout.all_bases) != bits or len(layout.register) < waiting:
            return None
    first = source.register[len(source.register) - waiting :]
    last = target.register[len(target.register) - waiting :]
    # Where threads lie must be independent of what waits, on both ways.
    around_first = [basis for basis in source.all_bases if basis not in first]
    around_last = [basis for basis in target.all_bases if basis not in last]
    places = intersection(around_first, around_last)[:threads]
    wanted = extend((), (*first, *last))
    if len(places) < threads or len(extend(places, wanted)) < len(wanted):
        return None
    registers = extend(places, (*wanted, *(1 << bit for bit in range(bits))))
    lanes = len(source.lane)
    return LinearLayout.distributed(source.shape, registers, places[:lanes], places[lanes:])
