"""
Kernels with dynamic shared memory: their launches have to ask for it, so only our own launcher
runs them. The attribute `tileiras.dynamic_shared_bytes` says how much; launch records carry it.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation

DYNAMIC_SHARED_ATTRIBUTE: Final = "tileiras.dynamic_shared_bytes"


def get_dynamic_shared(kernel: Operation) -> int | None:
    """
    Bytes of dynamic shared memory that launches of a kernel ask for; none if it does not say, or
    says no number of bytes.
    """
    attribute = kernel.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    if not isinstance(attribute, IntegerAttr) or attribute.value.data < 0:
        return None
    return attribute.value.data


def set_dynamic_shared(kernel: Operation, size: int) -> None:
    """Says how many bytes launches of a kernel ask for."""
    kernel.attributes[DYNAMIC_SHARED_ATTRIBUTE] = IntegerAttr(size, i64)
