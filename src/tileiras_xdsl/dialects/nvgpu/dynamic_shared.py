"""
Kernels with dynamic shared memory, which the launcher has to request, so only our own launcher runs
them. The attribute `tileiras.dynamic_shared_bytes` says how much; launch records carry it.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation

DYNAMIC_SHARED_ATTRIBUTE: Final = "tileiras.dynamic_shared_bytes"


def get_dynamic_shared(kernel: Operation) -> int | None:
    """
    Bytes of dynamic shared memory of a kernel; `None` without the attribute, or if its value is not
    a number of bytes.
    """
    attribute = kernel.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    if not isinstance(attribute, IntegerAttr) or attribute.value.data < 0:
        return None
    return attribute.value.data


def set_dynamic_shared(kernel: Operation, size: int) -> None:
    """Sets the bytes of dynamic shared memory of a kernel."""
    kernel.attributes[DYNAMIC_SHARED_ATTRIBUTE] = IntegerAttr(size, i64)
