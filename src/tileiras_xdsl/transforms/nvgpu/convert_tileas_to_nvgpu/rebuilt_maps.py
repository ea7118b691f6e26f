"""
Tensor maps of tensors that are defined inside of a loop or a branch, as those of a grouped GEMM,
whose addresses are loaded.

    scf.for %g … {
      %m = nv_tileaa.make_memref %p sizes(…)       the map is out of date
      scf.while … {
        scf.for %k … {                             before it, the map is built if it is out of date
          … nv_tileas.tiled_load %v[%i, %k] {atom = #nv_tileas.atom<tma_load>}

The one thread that loads builds a map: it encodes it in shared memory, copies it to the next slot
in global memory, and releases and acquires it by proxy fences. So loads that are in flight still
have the old map, in another slot; `tensor_maps` says why there are enough. In a loop that loads,
the map is built before the loop, if that has any iterations: each map that is built is used.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import VectorType, i8, i32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import llvm, nvvm
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import ProducerWriteOp
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.tileas.kernel_model.map_requests import requested_maps
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import MapKey
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess

from .barriers import only_if
from .encoded_maps import SLOT, acquire_map
from .map_states import INDEX, IS_OUT_OF_DATE, own_address, read_state, write_state
from .map_table import RebuiltMap
from .tensor_maps import GENERIC_POINTER, rewrite_fields
from .thread_builder import ThreadBuilder
from .thread_index import get_warpgroup
from .vectors import index_pointer, move_pointer

PIECE = VectorType(i32, [4])
PIECE_BYTES = 16


@contextmanager
def up_to_date_in(builder: ThreadBuilder, loop: scf.ForOp) -> Generator[None]:
    """Before a loop that loads, builds the maps of tensors that are defined outside of it."""
    writes = [op for op in loop.body.block.ops if isinstance(op, ProducerWriteOp)]
    keys = [key for key in _find(builder, writes) if not loop.is_ancestor(_maker(key))]
    if keys:
        bounds = builder.lookup(loop.lb), builder.lookup(loop.ub)
        has_iterations = builder.emit(CmpiOp(*bounds, "slt")).result
        _update(builder, keys, has_iterations)
    yield
    for key in keys:
        del builder.kernel.maps.current[key]


@contextmanager
def up_to_date_at(builder: ThreadBuilder, op: ProducerWriteOp | TmaAccess) -> Generator[None]:
    """
    Before loads, builds their maps that were not built before a loop; before a store, that of the
    warpgroup.
    """
    keys = _find(builder, [op])
    if keys:
        _update(builder, keys, None)
    yield
    for key in keys:
        del builder.kernel.maps.current[key]


def _find(builder: ThreadBuilder, ops: Sequence[Operation]) -> list[MapKey]:
    """The maps of loads that may be out of date."""
    maps = builder.kernel.maps
    if not maps.rebuilt:
        return []
    used = dict.fromkeys(key for op in ops for key in requested_maps(op))
    return [key for key in used if key in maps.rebuilt and key not in maps.current]


def _maker(key: MapKey) -> Operation:
    op = key.memref.owner
    assert isinstance(op, MakeMemrefOp)
    return op


def _update(builder: ThreadBuilder, keys: Sequence[MapKey], condition: SSAValue | None) -> None:
    """Builds maps that are out of date, if a condition holds, and finds the slots of all."""
    maps = [builder.kernel.maps.rebuilt[key] for key in keys]
    are_old = [
        builder.emit(
            CmpiOp(read_state(builder, each, IS_OUT_OF_DATE), builder.constant(0), "ne")
        ).result
        for each in maps
    ]
    any_is_old = are_old[0]
    for is_old in are_old[1:]:
        any_is_old = builder.emit(arith.OrIOp(any_is_old, is_old)).result
    if condition is not None:
        any_is_old = builder.emit(arith.AndIOp(any_is_old, condition)).result
    with only_if(builder, any_is_old):
        if any(rebuilt.by_warpgroups for rebuilt in maps):
            # There is one slot, which stores in flight use.
            builder.emit(nvvm.CpAsyncBulkWaitGroupOp(0, read=False))
        for key, rebuilt, is_old in zip(keys, maps, are_old, strict=True):
            with only_if(builder, is_old):
                _build(builder, key, rebuilt)
        builder.emit(nvvm.FenceProxyReleaseOp(nvvm.MemScope.GPU))
        for rebuilt in maps:
            acquire_map(builder, _generic_slot(builder, rebuilt))
    for key, rebuilt in zip(keys, maps, strict=True):
        builder.kernel.maps.current[key] = _generic_slot(builder, rebuilt)


def _build(builder: ThreadBuilder, key: MapKey, rebuilt: RebuiltMap) -> None:
    """A thread builds a map in its next slot."""
    index = read_state(builder, rebuilt, INDEX)
    following = builder.emit(arith.AddiOp(index, builder.constant(1))).result
    is_last = builder.emit(CmpiOp(following, builder.constant(rebuilt.count), "eq")).result
    index = builder.emit(SelectOp(is_last, builder.constant(0), following)).result
    write_state(builder, rebuilt, INDEX, index)
    write_state(builder, rebuilt, IS_OUT_OF_DATE, builder.constant(0))
    source = own_address(builder, rebuilt, rebuilt.source, MAP_BYTES)
    rewrite_fields(builder, key, source)
    target = _slot(builder, rebuilt, index)
    for start in range(0, MAP_BYTES, PIECE_BYTES):
        place = builder.emit(move_pointer(source, start)).result
        piece = builder.emit(llvm.LoadOp(place, PIECE, alignment=PIECE_BYTES)).dereferenced_value
        offset = builder.constant(start)
        place = builder.emit(index_pointer(target, offset, i8, nvvm.GLOBAL_POINTER)).result
        builder.emit(llvm.StoreOp(piece, place, alignment=PIECE_BYTES))


def _generic_slot(builder: ThreadBuilder, rebuilt: RebuiltMap) -> SSAValue:
    """The address of the slot that a map has, as a generic pointer."""
    slot = _slot(builder, rebuilt, read_state(builder, rebuilt, INDEX))
    return builder.emit(llvm.AddrSpaceCastOp(slot, GENERIC_POINTER)).result


def _slot(builder: ThreadBuilder, rebuilt: RebuiltMap, index: SSAValue) -> SSAValue:
    """The address of one of the slots of a map."""
    if rebuilt.by_warpgroups:
        count = builder.constant(rebuilt.count)
        first = builder.emit(arith.MuliOp(get_warpgroup(builder), count)).result
        index = builder.emit(arith.AddiOp(first, index)).result
    return builder.emit(index_pointer(rebuilt.slots, index, SLOT, nvvm.GLOBAL_POINTER)).result
