"""
Optimization hints of memory accesses.

    nv_tileas.tiled_load %v[%i] {optimization_hints = {default = {allow_tma = false},
        sm_90 = {latency = 4 : i64}}} : …

`latency` (1 to 10) is the expected cost of an access; a multi-stage buffer gets one stage more than
that. `allow_tma = false` forbids TMA.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.ir import Operation

from tileiras_xdsl.targets.hopper import SM_90A

HINTS = "optimization_hints"
ARCHITECTURE = SM_90A.capability.base_name
"""The only one whose passes look at these hints."""


def get_hint(op: Operation, key: str) -> int | None:
    """The value of a hint for the architecture, else the default one."""
    hints = op.properties.get(HINTS)
    if not isinstance(hints, DictionaryAttr):
        return None
    for name in (ARCHITECTURE, "default"):
        entry = hints.data.get(name)
        if isinstance(entry, DictionaryAttr):
            if isinstance(value := entry.data.get(key), IntegerAttr):
                return value.value.data
    return None


def allows_tma(op: Operation) -> bool:
    """Whether no hint forbids TMA."""
    return get_hint(op, "allow_tma") != 0
