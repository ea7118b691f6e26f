"""
Special registers: `nvvm.read.ptx.sreg.*`, one operation for each, made from a table.

    %r = nvvm.read.ptx.sreg.tid.x : i32

`read_register("tid.x")` makes the operation, `SPECIAL_REGISTERS` has its class.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.irdl import result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.definitions import define

from .base import NvvmOperation

PREFIX = "nvvm.read.ptx.sreg."

VECTORS = (
    *("tid", "ntid", "ctaid", "nctaid"),
    *("clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"),
)
"""Registers with three dimensions."""

SCALARS = (
    *("warpsize", "laneid", "warpid", "nwarpid", "smid", "nsmid"),
    *("cluster.ctarank", "cluster.nctarank"),
    *("lanemask.eq", "lanemask.le", "lanemask.lt", "lanemask.ge", "lanemask.gt"),
    *("dynamic_smem_size", "total_smem_size"),
)

CLOCKS = {"clock": i32, "clock64": i64, "globaltimer": i64, "globaltimer.lo": i32}
"""Registers that differ at each reading."""


class SpecialRegisterOp(NvvmOperation, ABC):
    """Reads a special register: `%r = nvvm.read.ptx.sreg.tid.x : i32`."""

    WIDTH: ClassVar[IntegerType] = i32

    result = result_def(IntegerType)

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self) -> None:
        super().__init__(result_types=[self.WIDTH])

    def verify_(self) -> None:
        if self.result.type != self.WIDTH:
            raise VerifyException(f"reads an {self.WIDTH}, but has type '{self.result.type}'")


class ConstantRegisterOp(SpecialRegisterOp, ABC):
    """Reads a special register that is constant for a thread."""

    traits = traits_def(Pure())


class ClockRegisterOp(SpecialRegisterOp, ABC):
    """Reads a register that counts, so that readings keep their order and number."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


def _define(
    register: str, base: type[SpecialRegisterOp], width: IntegerType = i32
) -> type[SpecialRegisterOp]:
    name = f"{PREFIX}{register}"
    words = register.replace("_", ".").split(".")
    return define(
        base,
        "".join(word.capitalize() for word in words) + "Op",
        name,
        f"Reads a special register: `%r = {name} : {width}`.",
        WIDTH=width,
    )


SPECIAL_REGISTERS: dict[str, type[SpecialRegisterOp]] = {
    **{
        register: _define(register, ConstantRegisterOp)
        for register in (*(f"{name}.{axis}" for name in VECTORS for axis in "xyz"), *SCALARS)
    },
    **{register: _define(register, ClockRegisterOp, width) for register, width in CLOCKS.items()},
}
"""Operations by the name of the register."""


def read_register(register: str) -> SpecialRegisterOp:
    """An operation that reads a special register, `read_register("tid.x")`."""
    return SPECIAL_REGISTERS[register]()
