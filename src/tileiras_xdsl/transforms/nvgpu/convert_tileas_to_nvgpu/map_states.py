"""What a kernel knows of tensor maps that it rebuilds (`rebuilt_maps`), in shared memory."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import MAP_STATE_BYTES
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER

from .barriers import only_if, shared_address
from .kernel import RebuiltMap
from .thread_builder import ThreadBuilder, index_pointer
from .thread_index import get_warpgroup, is_first_of_warpgroup

INDEX: Final = 0
IS_OUT_OF_DATE: Final = 4
"""Offsets in the state of a map."""


def mark_out_of_date(builder: ThreadBuilder, op: MakeMemrefOp) -> None:
    """Where a tensor is defined: from here on its maps are those of another tensor."""
    for key, rebuilt in builder.kernel.maps.rebuilt.items():
        if key.memref is not op.result:
            continue
        if rebuilt.by_warpgroups:
            with only_if(builder, is_first_of_warpgroup(builder)):
                write_state(builder, rebuilt, IS_OUT_OF_DATE, builder.constant(1))
        else:
            write_state(builder, rebuilt, IS_OUT_OF_DATE, builder.constant(1))


def own_address(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int, size: int) -> SSAValue:
    """An address in shared memory, where each warpgroup has this many bytes if it has a map."""
    address = shared_address(builder, offset)
    if not rebuilt.by_warpgroups:
        return address
    index = builder.emit(arith.MuliOp(get_warpgroup(builder), builder.constant(size))).result
    return builder.emit(index_pointer(address, index, i8, SHARED_POINTER)).result


def read_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int) -> SSAValue:
    """A number of the state of a map."""
    address = own_address(builder, rebuilt, rebuilt.state + offset, MAP_STATE_BYTES)
    return builder.emit(llvm.LoadOp(address, i32, alignment=4)).dereferenced_value


def write_state(builder: ThreadBuilder, rebuilt: RebuiltMap, offset: int, value: SSAValue) -> None:
    """Writes a number of the state of a map."""
    address = own_address(builder, rebuilt, rebuilt.state + offset, MAP_STATE_BYTES)
    builder.emit(llvm.StoreOp(value, address, alignment=4))
