"""
Coordinates of TMA stores, computed while the last WGMMAs of a tile are in flight.

One thread of each warpgroup issues TMA stores, so LLVM moves the coordinates that only they need
into its branch: behind the wait for the accumulator, and behind the barrier before the store. In
a persistent kernel these are several divisions in a row, for which the whole warpgroup waits before
it issues the first WGMMA of the next tile, while the tensor cores idle. Here they are operands of
the wait instead, which yields them:

    %x = arith.divsi %tile_block, %columns : i32
    %d, %x1 = nvvm.wgmma.wait.group.sync.aligned 0, %c, %x : vector<128xf32>, i32
    …
    scf.if %first { nvvm.cp.async.bulk.tensor.… %map, %x1, %y1, %tile : … }

What is computed before a wait takes no time, as long as the tensor cores are busy with the last
WGMMAs of the tile.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncFutureWaitOp
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.transforms.tileas.kernel_model.tma_stores import TmaAccess
from tileiras_xdsl.transforms.tileas.kernel_model.warpgroup_stores import is_converted

from .thread_builder import ThreadBuilder
from .warpgroup_stores import find_coordinates, find_tma_tiles, wait_for_staging_buffer


def wait_with_coordinates(
    builder: ThreadBuilder, op: AsyncFutureWaitOp, accumulator: SSAValue, groups: int
) -> SSAValue:
    """
    Waits for an accumulator. If it comes from a loop, whose last WGMMAs are in flight, coordinates
    of the stores after the wait, in the same block or in a branch of it, are computed in front of
    it. Yields the accumulator.
    """
    if not isinstance(op.source.owner, scf.ForOp):
        return builder.emit(nvvm.WgmmaWaitGroupOp(groups, [accumulator])).results[0]
    _wait_for_staging_buffer(builder, op)
    found = list(_find_stores(builder, op))
    indices = dict.fromkeys(
        index for store in found for index in store.indices if _is_of_block(op, index)
    )
    # While an epilogue computes, registers are scarce: coordinates follow from indices quickly.
    stores = {each: find_coordinates(builder, each) for each in found if is_converted(op, each)}
    scalars = {builder.lookup(index): None for index in indices}
    tiles = (tile for each in stores.values() for tile in each.values())
    scalars.update((coordinate, None) for tile in tiles for coordinate in tile)
    pinned = [each for each in scalars if each.type == i32 and isinstance(each.owner, Operation)]
    wait = builder.emit(nvvm.WgmmaWaitGroupOp(groups, [accumulator, *pinned]))
    after = dict(zip(pinned, wait.results[1:], strict=True))
    for index in indices:
        builder.map(index, after.get(old := builder.lookup(index), old))
    for store, coordinates in stores.items():
        builder.kernel.coordinates[store] = {
            start: [after.get(each, each) for each in tile] for start, tile in coordinates.items()
        }
    return wait.results[0]


def _wait_for_staging_buffer(builder: ThreadBuilder, op: AsyncFutureWaitOp) -> None:
    """
    Waits for the staging buffer of the first TMA store after a wait, while the last WGMMAs are in
    flight. If threads compute what they store, ptxas then writes elements to the buffer while
    others are computed, as there is nothing to wait for in between.
    """
    for following in _find_following(op):
        if isinstance(following, TmaAccess):
            is_early = builder.kernel.has_producer_warp or not is_converted(op, following)
            if WARPGROUP_STORE.is_on(following) and is_early:
                wait_for_staging_buffer(builder)
                builder.kernel.free_staging.add(following)
            return
        if following.regions:
            return


def _find_stores(builder: ThreadBuilder, op: AsyncFutureWaitOp) -> Iterator[TmaAccess]:
    """The TMA stores of single warpgroups after a wait whose tiles are known before it."""
    for following in _find_following(op):
        if isinstance(following, TmaAccess) and WARPGROUP_STORE.is_on(following):
            known = (_is_known(builder, index) for index in following.indices)
            if all(known) and find_tma_tiles(builder, following) is not None:
                yield following


def _find_following(op: Operation) -> Iterator[Operation]:
    """The ops after an op in its block, and those of branches instead of these."""
    following = op.next_op
    while following is not None:
        if isinstance(following, scf.IfOp):
            for region in following.regions:
                for block in region.blocks:
                    yield from block.ops
        else:
            yield following
        following = following.next_op


def _is_known(builder: ThreadBuilder, index: SSAValue) -> bool:
    """Whether an index is computed already."""
    return index in builder.kernel.mapping


def _is_of_block(op: Operation, index: SSAValue) -> bool:
    """Whether an index is computed in the block of an op, so that all uses of it are in there."""
    return isinstance(index.owner, Operation) and index.owner.parent_block() is op.parent_block()
