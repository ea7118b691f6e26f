"""What the operations of `nvgpu` share."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import ParsePropInAttrDict, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from tileiras_xdsl.dialects.building import BuiltOperation


class NvgpuOperation(BuiltOperation, ABC):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class OrderedOperation(NvgpuOperation, ABC):
    """An operation that is never removed, moved across another, or merged with one."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
