"""What a kernel knows of tensor maps that it rebuilds (`rebuilt_maps`), in shared memory."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp

from .barriers import shared_address
from .map_table import RebuiltMap
from .thread_builder import ThreadBuilder

INDEX: Final = 0
IS_OUT_OF_DATE: Final = 4
"""Offsets in the state of a map."""


def mark_out_of_date(builder: ThreadBuilder, op: MakeMemrefOp) -> None:
    """Where a tensor is defined: from here on its maps are those of another tensor."""
    for key, rebuilt in builder.kernel.maps.rebuilt.items():
        if key.memref is op.result:
            write_state(builder, rebuilt, IS_OUT_OF_DATE, builder.constant(1))


def read_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int) -> SSAValue:
    """A number of the state of a map."""
    address = shared_address(builder, rebuilt.state + offset)
    return builder.emit(llvm.LoadOp(address, i32, alignment=4)).dereferenced_value


def write_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int, value: SSAValue) -> None:
    """Writes a number of the state of a map."""
    address = shared_address(builder, rebuilt.state + offset)
    builder.emit(llvm.StoreOp(value, address, alignment=4))
