"""
An intermediate layout, for conversions of tiles that do not fit in shared memory.

A conversion can reuse the same scratch memory in several rounds if source and target have basis
vectors in common that both map to registers: elements that differ by these are exchanged in
different rounds. A transpose has none, as registers of the source are threads of the target. Two
conversions with an intermediate layout in between have some:

    source          registers  a b c d    threads  e f g h
    intermediate    registers  c d g h    threads  a b e f     rounds by c d to here,
    target          registers  e f g h    threads  a b c d     by g h from here
"""

from __future__ import annotations

from .linear_layout import LinearLayout, extend, intersection, log2


def intermediate_layout(
    source: LinearLayout, target: LinearLayout, parts: int
) -> LinearLayout | None:
    """
    A layout to and from which conversions take `parts` rounds, a power of two; `None` if threads
    hold copies of elements, or have too few registers.
    """
    bits, waiting = log2(source.elements), log2(parts)
    threads = len(source.lane) + len(source.warp)
    for layout in (source, target):
        if len(layout.all_bases) != bits or len(layout.register) < waiting:
            return None
    first = source.register[len(source.register) - waiting :]
    last = target.register[len(target.register) - waiting :]
    # Thread bases must be independent of the bases of rounds, in both conversions.
    around_first = [basis for basis in source.all_bases if basis not in first]
    around_last = [basis for basis in target.all_bases if basis not in last]
    places = intersection(around_first, around_last)[:threads]
    wanted = extend((), (*first, *last))
    if len(places) < threads or len(extend(places, wanted)) < len(wanted):
        return None
    registers = extend(places, (*wanted, *(1 << bit for bit in range(bits))))
    lanes = len(source.lane)
    return LinearLayout.distributed(source.shape, registers, places[:lanes], places[lanes:])
