"""
Kernels whose CTAs have memory on the heap of the device, from when they start until they end.

The attribute `nvgpu.heap` says how many bytes each of them allocates, so that a launcher can make
the heap large enough. Where it is not, CTAs wait until others have ended.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

HEAP: Final = DiscardableAttribute(
    "nvgpu.heap",
    IntegerAttr,
    "Bytes on the heap of the device that each CTA allocates when it starts.",
    written_by=("convert-tileas-to-nvgpu",),
)


def get_heap_bytes(kernel: Operation) -> int:
    """Bytes on the heap of the device that each CTA of a kernel allocates."""
    size = HEAP.get(kernel)
    return 0 if size is None else size.value.data
