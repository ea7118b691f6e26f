"""
Programmatic dependent launch: a kernel may start before those ahead of it on the stream have ended.

One with the attribute `nvgpu.programmatic` waits for these by itself, before it accesses memory and
in any case before it ends. Launches of it may have the attribute of the driver that allows this;
without, its waits take no time.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import UnitAttr

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

PROGRAMMATIC: Final = DiscardableAttribute(
    "nvgpu.programmatic",
    UnitAttr,
    "The kernel waits by itself for those ahead of it on the stream.",
    written_by=("tileas-overlap-launches",),
    read_by=("tileas-overlap-launches",),
)
