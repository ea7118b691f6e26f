"""Attributes of `tcgen05` operations, and the tensor memory that these are declared to access."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.definitions import EnumAttr, enum_attribute

from .base import PointerTo, pointer_to

TENSOR_SPACE = 6
TENSOR_POINTER = pointer_to(TENSOR_SPACE)
TensorPointer = PointerTo(TENSOR_SPACE, "tensor memory")


@dataclass(frozen=True)
class TensorMemoryResource(Resource):
    """Tensor memory, which no load or store of another kind accesses."""

    def name(self) -> str:
        return "tensor memory"


class AccessesTensorMemory(MemoryEffect):
    """
    Reads and writes tensor memory, asynchronously, and shared memory or barriers besides: such an
    op is never removed, merged with another, or moved across an op with effects.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {
            EffectInstance(MemoryEffectKind.READ),
            EffectInstance(MemoryEffectKind.WRITE),
            EffectInstance(MemoryEffectKind.READ, resource=TensorMemoryResource()),
            EffectInstance(MemoryEffectKind.WRITE, resource=TensorMemoryResource()),
        }


class CtaGroup(StrEnum):
    """Whose tensor memory an instruction accesses: that of a CTA, or of a pair of them."""

    CTA_1 = "cta_1"
    CTA_2 = "cta_2"

    @property
    def ctas(self) -> int:
        """CTAs of the group."""
        return int(self.value[-1])


class Tcgen05Fence(StrEnum):
    """On which side of a synchronization a fence is."""

    BEFORE = "before"
    AFTER = "after"


class Tcgen05Wait(StrEnum):
    """What a warp waits for."""

    LOAD = "load"
    STORE = "store"


class Tcgen05LdStShape(StrEnum):
    """Lanes and bits of each that a warp moves at a time."""

    SHAPE_32X32B = "shape_32x32b"
    SHAPE_16X64B = "shape_16x64b"
    SHAPE_16X128B = "shape_16x128b"
    SHAPE_16X256B = "shape_16x256b"
    SHAPE_16X32BX2 = "shape_16x32bx2"

    @property
    def ptx(self) -> str:
        """`32x32b`"""
        return self.value.removeprefix("shape_")


class Tcgen05CpShape(StrEnum):
    """Rows and bits of each that are copied from shared memory."""

    SHAPE_128X256B = "shape_128x256b"
    SHAPE_4X256B = "shape_4x256b"
    SHAPE_128X128B = "shape_128x128b"
    SHAPE_64X128B = "shape_64x128b"
    SHAPE_32X128B = "shape_32x128b"

    @property
    def ptx(self) -> str:
        """`32x128b`"""
        return self.value.removeprefix("shape_")


class Tcgen05CpMulticast(StrEnum):
    """The warps whose lanes all get the rows that are copied."""

    WARPX2_02_13 = "warpx2_02_13"
    WARPX2_01_23 = "warpx2_01_23"
    WARPX4 = "warpx4"


class Tcgen05CpFormat(StrEnum):
    """What elements are in shared memory that become bytes: 16 of 4 bits, or of 6."""

    B4X16_P64 = "b4x16_p64"
    B6X16_P32 = "b6x16_p32"


class Tcgen05MmaKind(StrEnum):
    """What an MMA multiplies, see `targets/tcgen05.py`."""

    F16 = "f16"
    TF32 = "tf32"
    F8F6F4 = "f8f6f4"
    I8 = "i8"
    MXF8F6F4 = "mxf8f6f4"
    MXF4 = "mxf4"
    MXF4NVF4 = "mxf4nvf4"


class Tcgen05Collector(StrEnum):
    """What becomes of A in the collector buffer, where the next MMA may find it."""

    DISCARD = "discard"
    LASTUSE = "lastuse"
    FILL = "fill"
    USE = "use"


class Tcgen05BlockScale(StrEnum):
    """How many elements along K share a scale factor."""

    BLOCK16 = "block16"
    BLOCK32 = "block32"

    @property
    def size(self) -> int:
        return int(self.value[-2:])


class Tcgen05Reduction(StrEnum):
    """What a load computes of all that a thread loads."""

    MIN = "min"
    MAX = "max"


class CancelQuery(StrEnum):
    """What the answer of a `try.cancel` is asked for."""

    IS_CANCELED = "is_canceled"
    FIRST_CTA_ID_X = "get_first_cta_id_x"
    FIRST_CTA_ID_Y = "get_first_cta_id_y"
    FIRST_CTA_ID_Z = "get_first_cta_id_z"


CtaGroupAttr = enum_attribute("nvvm.cta_group", CtaGroup)
Tcgen05FenceAttr = enum_attribute("nvvm.tcgen05_fence", Tcgen05Fence)
Tcgen05WaitAttr = enum_attribute("nvvm.tcgen05_wait", Tcgen05Wait)
Tcgen05LdStShapeAttr = enum_attribute("nvvm.tcgen05_ldst_shape", Tcgen05LdStShape)
Tcgen05CpShapeAttr = enum_attribute("nvvm.tcgen05_cp_shape", Tcgen05CpShape)
Tcgen05CpMulticastAttr = enum_attribute("nvvm.tcgen05_cp_multicast", Tcgen05CpMulticast)
Tcgen05CpFormatAttr = enum_attribute("nvvm.tcgen05_cp_src_fmt", Tcgen05CpFormat)
Tcgen05MmaKindAttr = enum_attribute("nvvm.tcgen05_mma_kind", Tcgen05MmaKind)
Tcgen05CollectorAttr = enum_attribute("nvvm.tcgen05_mma_collectorop", Tcgen05Collector)
Tcgen05BlockScaleAttr = enum_attribute("nvvm.tcgen05_mma_block_scale", Tcgen05BlockScale)
Tcgen05ReductionAttr = enum_attribute("nvvm.tcgen05_ld_red", Tcgen05Reduction)
CancelQueryAttr = enum_attribute("nvvm.clc_query_type", CancelQuery)


def group_size(group: EnumAttr[CtaGroup] | None) -> int:
    """CTAs of a group, which is one of one CTA unless it says otherwise."""
    return 1 if group is None else group.data.ctas


def known_integer(value: SSAValue) -> int | None:
    """The number that a value is, if a constant makes it."""
    if not isinstance(value, OpResult) or value.op.name not in (
        "arith.constant",
        "llvm.mlir.constant",
    ):
        return None
    attribute = value.op.properties.get("value")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
