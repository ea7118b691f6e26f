"""Which persistent kernels may be launched in clusters whose CTAs multicast what both need."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.decisions import COARSENED, PAIR
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_ctas, get_persistent_ctas
from tileiras_xdsl.targets.machine import CACHE_LINE
from tileiras_xdsl.transforms.common.compute_capability import get_warpgroups
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .block_pairs import (
    NoPairs,
    find_changes,
    find_leaves,
    find_main_loop,
    find_operand_loads,
    is_of,
)
from .copied_loads import is_copied
from .layout_rules import memory_bits
from .persistence import find_persistent_loop
from .requirements import multiply_adds
from .tma_loads import halve, whole_tiling
from .wgmma import computes_between_mmas, needs_accumulator_promotion


class NoClusters(Exception):
    """Why launches cannot choose clusters."""


class NothingMissed(NoClusters):
    """They would choose none: loads of operands do not limit the kernel."""


def find_common_loads(function: FuncOp) -> Sequence[TiledLoadOp]:
    """
    The loads whose tiles two tile blocks that follow each other mostly have in common, if a launch
    may choose clusters that multicast them; `NoClusters` if it cannot.
    """
    persistent = find_persistent_loop(function)
    if persistent is None or get_cluster_ctas(function) > 1 or PAIR.is_on(function):
        raise NothingMissed("CTAs do not loop over tile blocks, each by itself")
    if computes_between_mmas(function):
        raise NothingMissed("threads compute between MMAs")
    if COARSENED.is_on(function):
        raise NothingMissed("CTAs compute two tile blocks at once")
    try:
        loop = find_main_loop(persistent)
        loads = find_operand_loads(loop)
    except NoPairs as reason:
        raise NothingMissed(str(reason)) from None
    check_limits(function, loop, loads)
    if get_persistent_ctas(function) > 1:
        raise NoClusters("several CTAs share an SM")
    check_lockstep(function, persistent, loop)
    changes = find_changes(persistent, 1)
    common = [
        load
        for load in loads
        if (leaves := find_leaves(load, persistent, loop)) is not None
        and all(changes[leaf].amount == 0 for leaf in leaves)
    ]
    if not common or len(common) == len(loads):
        raise NoClusters("tile blocks that follow each other do not have one operand in common")
    for load in common:
        tiling = whole_tiling(load)
        if tiling is None or halve(tiling) is None:
            raise NoClusters("CTAs cannot load one half each of what tile blocks have in common")
    if not all(is_placed_before(load, persistent, loop) for load in common):
        raise NoClusters("where tiles are in a tile block is computed in the main loop")
    if not any(map(may_straddle_lines, common)):
        raise NothingMissed("rows of what tile blocks have in common begin at cache lines")
    return common


def is_placed_before(load: TiledLoadOp, persistent: scf.ForOp, loop: scf.ForOp) -> bool:
    """
    Whether a CTA can compute in front of the main loop what its peer loads: no coordinate is made
    of the counter of that loop and the tile block.
    """
    body = loop.body.block
    return not any(
        is_of(index, body)
        and any(is_of(each, persistent.body.block) for each in reachable([index], operands_of))
        for index in load.indices
    )


def check_lockstep(function: FuncOp, persistent: scf.ForOp, loop: scf.ForOp) -> None:
    """
    `NoClusters` unless both CTAs of a cluster fill and release equally many buffer stages: if they
    load in the main loop only, and that has the same trip count for all tile blocks.
    """
    if any(map(is_copied, walk(function))):
        raise NoClusters("threads copy an operand of an MMA")
    if any(load.parent_op() is not loop for load in find_all(persistent, TiledLoadOp)):
        raise NoClusters("tiles are loaded outside of the main loop, too")
    if persistent.iter_args:
        raise NoClusters("CTAs do not take tile blocks in rounds")
    if any(persistent.is_ancestor(bound.owner) for bound in (loop.lb, loop.ub, loop.step)):
        raise NoClusters("the trip count of the main loop depends on the tile block")


def check_limits(function: FuncOp, loop: scf.ForOp, loads: Sequence[TiledLoadOp]) -> None:
    """
    `NothingMissed` if tiles take less time to load than to multiply, or threads have work between
    MMAs: clusters lose what their CTAs wait for each other, even in tiles of 128x128x64 if rows
    begin at cache lines (702 instead of 721 TFLOP/s).
    """
    dots = find_all(loop, DotOp)
    if any(map(needs_accumulator_promotion, dots)):
        raise NothingMissed("threads promote accumulators")
    cycles = get_warpgroups(function).iteration_cycles(
        [(multiply_adds(dot), memory_bits(get_element(dot.a.type))) for dot in dots],
        sum(
            prod(get_shape(load.result.type)) * memory_bits(get_element(load.result.type)) // 8
            for load in loads
        ),
    )
    if cycles.l2 < cycles.tensor:
        raise NothingMissed("tiles take less time to load than to multiply")


def may_straddle_lines(load: TiledLoadOp) -> bool:
    """Whether rows of a tensor may begin in the midst of a cache line."""
    ty = load.view_type.memref
    size = memory_bits(ty.element_type) // 8
    return any(
        stride is None or (stride > 1 and stride * size % CACHE_LINE) for stride in ty.strides.data
    )
