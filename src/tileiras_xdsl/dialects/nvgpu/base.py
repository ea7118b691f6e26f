"""What the operations of `nvgpu` share."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import IRDLOperation, ParsePropInAttrDict, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect


class NvgpuOperation(IRDLOperation, ABC):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class OrderedOperation(NvgpuOperation, ABC):
    """An operation that is never removed, moved across another, or merged with one."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class PlainOperation(OrderedOperation, ABC):
    """An operation without operands, `nvgpu.op`."""

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()
