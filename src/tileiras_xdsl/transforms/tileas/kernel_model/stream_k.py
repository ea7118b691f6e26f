"""Which persistent kernels may divide the iterations of a tile block between CTAs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.dialects.gpu import BlockIdOp, FuncOp, GridDimOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.arith import IndexCastOp, SelectOp
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    CLUSTER,
    PAIR,
    PAIRED_TILE_BLOCKS,
    SINGLE_TILE_BLOCKS,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.workspace import FLAG_BYTES
from tileiras_xdsl.dialects.nvvm.fragments import element_bits
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.warpgroups import Rates
from tileiras_xdsl.transforms.common.compute_capability import get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.structure import last_of
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .copied_loads import is_by_tma
from .iteration_work import iteration_work
from .layout_rules import memory_bits
from .persistence import find_persistent_loop
from .requirements import multiply_adds
from .thread_types import memory_type
from .tma_loads import find_load
from .wgmma import find_async_mmas, is_wgmma, needs_accumulator_promotion

LEAST_CYCLES: Final = 1 << 14
"""
Of tensor cores, that a CTA is spared at least: it takes about as long to hand over tiles, and to
read operands that others do not read at the same time (f16 16x2048x2048x2048 in tiles of 128x256x64
would be spared 14,300, and is as fast as before).
"""
SLOT_ALIGNMENT: Final = 128
"""In bytes: slots of different CTAs have no cache line in common."""


class KeepsTileBlocks(Exception):
    """Why CTAs do whole tile blocks only."""


@dataclass(frozen=True)
class StreamK:
    """How the work of a kernel may be divided."""

    persistent: scf.ForOp
    """The loop over tile blocks, or pairs of them."""
    singles: scf.ForOp
    """The one over single tile blocks, the same if there are no pairs."""
    paired: arith.MinSIOp | None
    """What says how many tile blocks may be in pairs."""
    loop: scf.ForOp
    """The one in it whose iterations may be divided."""
    slot_bytes: int
    """Of the tiles of a CTA in the workspace."""
    flag_bytes: int
    """Of the flags of a CTA in front of all tiles."""
    least_spared: int
    """Iterations that a CTA has to be spared so that dividing them pays."""


def find_stream_k(function: FuncOp, *, rescaled: bool = False) -> StreamK:
    """
    How the work of a persistent kernel is divided; `KeepsTileBlocks` if it is not. With `rescaled`,
    threads may rescale accumulators while tensor cores multiply.
    """
    persistent = find_persistent_loop(function)
    if persistent is None or persistent.iter_args or not is_grid_stride(persistent):
        raise KeepsTileBlocks("CTAs do not take tile blocks in rounds")
    if CLUSTER.is_on(persistent) or PAIR.is_on(function):
        raise KeepsTileBlocks("CTAs of clusters share loads")
    singles, paired = find_singles(persistent)
    body = singles.body.block
    dots = [dot for dot in find_async_mmas(function) if singles.is_ancestor(dot)]
    if not dots or not all(map(is_wgmma, dots)):
        raise KeepsTileBlocks("accumulators are not in registers")
    loops = {op for op in body.ops if isinstance(op, scf.ForOp) and find_all(op, DotOp)}
    if len(loops) != 1 or any(dot.parent_op() not in loops for dot in dots):
        raise KeepsTileBlocks("not all MMAs are in the body of one loop")
    (loop,) = loops
    for bound in (loop.lb, loop.ub, loop.step):
        if bound.type != i32:
            raise KeepsTileBlocks("an i32 does not count the iterations of the main loop")
        if persistent.is_ancestor(bound.owner):
            raise KeepsTileBlocks("the trip count of the main loop depends on the tile block")
    rates = get_warpgroups(function).rates
    is_rescaled = rescaled and is_rescaled_while_multiplying(loop, rates)
    check_carried(loop, dots, is_rescaled=is_rescaled)
    check_operands(loop, dots, is_rescaled=is_rescaled)
    check_effects(body.ops, loop)
    types = [value.type for value in loop.iter_args]
    least = max(1, round(LEAST_CYCLES / iteration_cycles(function, dots)))
    threads = get_warps(function) * WARP_THREADS
    size = slot_bytes(threads, types)
    return StreamK(persistent, singles, paired, loop, size, threads * FLAG_BYTES, least)


def find_singles(persistent: scf.ForOp) -> tuple[scf.ForOp, arith.MinSIOp | None]:
    """
    The loop over single tile blocks, and what says how many may be in pairs: that of
    `tileas-coarsen-tile-blocks`, or the loop over tile blocks itself.
    """
    loops = [loop for loop in find_all(persistent, scf.ForOp) if SINGLE_TILE_BLOCKS.is_on(loop)]
    if not loops:
        return persistent, None
    block, end = persistent.parent_block(), loops[0].ub.owner
    assert block is not None
    for paired in block.ops:
        if PAIRED_TILE_BLOCKS.is_on(paired) and isinstance(paired, arith.MinSIOp):
            if isinstance(end, SelectOp) and end.rhs is paired.lhs:
                return loops[0], paired
    raise KeepsTileBlocks("the loop over pairs of tile blocks is not as it was made")


def is_grid_stride(loop: scf.ForOp) -> bool:
    """Whether a loop over tile blocks begins with the index of the CTA, in steps of the grid."""
    first, step = loop.lb.owner, loop.step.owner
    return (
        isinstance(first, IndexCastOp)
        and isinstance(first.operands[0].owner, BlockIdOp)
        and isinstance(step, IndexCastOp)
        and isinstance(step.operands[0].owner, GridDimOp)
    )


def is_rescaled_while_multiplying(loop: scf.ForOp, rates: Rates) -> bool:
    """
    Whether threads compute with what the main loop carries, and exponentials there take less time
    than WGMMAs: in attention they rescale accumulators meanwhile. On an H200 it has 1.016 of the
    speed with d = 128 and 4096 keys, but it takes 1.28 times as long to compile. Where exponentials
    take as long, everything depends on the order that ptxas puts instructions in, which changes
    with everything around: d = 64 has 0.987 of the speed if nothing is divided, and 1.012 if
    something is, f8 with d = 128 has 0.981 and 0.998.
    """
    work = iteration_work(loop, rates)
    return carries_more_than_sums(loop) and 0 < work.special < work.tensor


def carries_more_than_sums(loop: scf.ForOp) -> bool:
    """Whether a loop carries something else than accumulators that its dots add to."""
    yielded = last_of(loop.body.block).operands
    return not all(
        isinstance(value.owner, DotOp)
        and value.owner.accumulator is argument
        and argument.has_one_use()
        for argument, value in zip(loop.body.block.args[1:], yielded, strict=True)
    )


def check_carried(loop: scf.ForOp, dots: Iterable[DotOp], *, is_rescaled: bool) -> None:
    """
    The main loop carries accumulators, which WGMMAs have in consecutive registers, as a thread
    loads them. If threads add partial accumulators to a tile, these should be in other banks than
    the tile, but a load would say where that is: f8 has 0.84 to 0.92 of the speed. Nor may threads
    compute with accumulators, unless they rescale them while tensor cores multiply.
    """
    if not loop.iter_args:
        raise KeepsTileBlocks("the main loop carries nothing")
    if any(map(needs_accumulator_promotion, dots)):
        raise KeepsTileBlocks("threads promote accumulators")
    if carries_more_than_sums(loop) and not is_rescaled:
        raise KeepsTileBlocks("threads compute with what the main loop carries")
    if not all(isinstance(value.type, TensorType) for value in loop.iter_args):
        raise KeepsTileBlocks("the main loop carries scalars, which are not handed over")


def check_operands(loop: scf.ForOp, dots: Iterable[DotOp], *, is_rescaled: bool) -> None:
    """
    TMA loads all operands: threads that copy some have addresses in their registers already (rows
    that they gather: 0.95 of the speed). In attention, queries are loaded before the main loop, and
    threads compute weights.
    """
    for dot in dots:
        for operand in (dot.a, dot.b):
            load = find_load(operand)
            if load is None and is_rescaled and loop.is_ancestor(operand.owner):
                continue
            is_inside = load is not None and load.parent_block() is dot.parent_block()
            if not is_by_tma(load) or not (is_inside or is_rescaled):
                raise KeepsTileBlocks("TMA does not load all operands in the main loop")


def check_effects(ops: Iterable[Operation], loop: scf.ForOp) -> None:
    """
    Two CTAs do what comes before the main loop, and each of them some of its iterations: only the
    epilogue may do more than read.
    """
    for op in ops:
        for each in walk(op):
            if own_effects(each) & ~Effect.READ:
                raise KeepsTileBlocks(f"'{each.name}' before the epilogue has effects")
        if op is loop:
            return


def iteration_cycles(function: FuncOp, dots: Sequence[DotOp]) -> float:
    """How long the tensor cores take for an iteration of the main loop."""
    rates = get_warpgroups(function).rates
    return sum(
        multiply_adds(dot) / rates.multiply_adds_of(memory_bits(get_element(dot.a.type)))
        for dot in dots
    )


def slot_bytes(threads: int, types: Iterable[Attribute]) -> int:
    """The bytes that a CTA hands over: what its threads hold of tiles."""
    total = sum(threads * thread_bytes(ty) for ty in types)
    return -(-total // SLOT_ALIGNMENT) * SLOT_ALIGNMENT


def thread_bytes(ty: Attribute) -> int:
    """The bytes of what a thread holds of a tile, without copies."""
    assert isinstance(ty, TensorType)
    layout = layout_of(ty)
    assert layout is not None
    return layout.compressed().registers * element_bits(memory_type(ty.get_element_type())) // 8
