"""How far arrays reach, as kernels with checks at run time take it."""

from __future__ import annotations

from math import prod
from typing import Any, Final

UNKNOWN: Final = 1 << 62
"""Bytes on either side of a pointer whose array is not known."""


def get_extents(array: Any) -> tuple[int, int]:
    """
    How many bytes of an array lie before its first element and how many follow, as the parameters
    of a checked kernel; of what is no array, but an address, all that there are.
    """
    if hasattr(array, "element_size"):
        # PyTorch has no word for some types in the other interfaces.
        shape, size = tuple(array.shape), array.element_size()
        strides = [stride * size for stride in array.stride()]
    else:
        interface = getattr(array, "__array_interface__", None)
        if interface is None:
            interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            return UNKNOWN, UNKNOWN
        shape, size = interface["shape"], int(interface["typestr"][2:])
        strides = interface.get("strides")
    if strides is None or 0 in shape:
        return 0, prod(shape) * size
    reaches = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    before = -sum(reach for reach in reaches if reach < 0)
    return before, sum(reach for reach in reaches if reach > 0) + size
