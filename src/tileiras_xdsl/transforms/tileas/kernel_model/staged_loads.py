"""
Which loads fill which pipeline.

Loads of a block whose tiles are first and last used at the same ops share a pipeline: one buffer
stage holds all of them, and one mbarrier tracks them. Loops that run one after the other share
pipelines of the same tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, STAGED
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.xdsl_extras.walking import find_all

from .layout_rules import memory_bits, result_layout
from .scaled_tcgen05 import transposes_bytes
from .tma_loads import (
    TileUse,
    find_load,
    find_tma_tiling,
    find_uses,
    is_rounding,
    is_scalar_slice,
    loaded_view,
)
from .wgmma import is_async_mma, is_tcgen05


def is_mma_operand(use: TileUse, tiling: TmaTiling) -> bool:
    """Whether a use is that of an MMA that reads shared memory."""
    op = use.op
    if not isinstance(op, DotOp) or use.operand_index > 1:
        return False
    if not is_async_mma(op) and not STAGED.is_on(op):
        return False
    layout = tiling.layout
    for each in use.chain:
        changed = result_layout(each, layout)
        if changed is None:
            return False
        layout = changed
    if any(map(is_rounding, use.chain)):
        # TMA rounds all of a tile, or nothing.
        load = find_load(op.operands[use.operand_index])
        if load is None or not is_rounded(load):
            return False
    if STAGED.is_on(op):
        # Threads read any layout.
        return True
    size = memory_bits(get_element(op.operands[use.operand_index].type)) // 8
    transposed = is_tcgen05(op) and transposes_bytes(op)
    found = SharedOperand.of(layout, 1 - use.operand_index, size, transposes_bytes=transposed)
    return found is not None


def find_staged_loads(
    function: Operation, axis_info: AxisInfoAnalysis, *, operands_only: bool = False
) -> list[TiledLoadOp]:
    """
    The loads of a kernel whose tiles WGMMA reads from shared memory, and unless only these are
    asked for, those in loops that operands are computed from which consumer warps write. In loops
    of dots by `mma.sync` that read buffer stages, all loads.
    """
    staged = {op.parent_block() for op in find_all(function, DotOp) if STAGED.is_on(op)}
    if staged:
        return [op for op in find_all(function, TiledLoadOp) if op.parent_block() in staged]
    sources: set[Operation] = set() if operands_only else find_operand_sources(function)
    loads: list[TiledLoadOp] = []
    for op in find_all(function, TiledLoadOp):
        tile = find_tma_tiling(op, axis_info)
        if tile is None:
            continue
        is_operand = any(is_mma_operand(use, tile) for use in find_uses(op.result))
        if (is_operand or op in sources) and is_scalar_slice(op):
            loads.append(op)
    return loads


def find_operand_sources(function: Operation) -> set[Operation]:
    """
    The ops of loop bodies that operands of WGMMAs are computed from which consumer warps write, but
    not by another dot.
    """
    found: set[Operation] = set()
    for dot in find_all(function, DotOp):
        block = dot.parent_block()
        if not is_async_mma(dot) or find_load(dot.b) is not None:
            continue
        if block is None or not isinstance(block.parent_op(), scf.ForOp):
            continue
        values = [value for value in dot.operands[:2] if find_load(value) is None]
        found |= backward_slice(
            values, lambda op, block=block: op.parent_block() is block and not isinstance(op, DotOp)
        )
    return found


def user_in(block: Block, op: Operation) -> Operation:
    """The op of a block that is, or contains, another op."""
    while op.parent_block() is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def first_and_last(load: TiledLoadOp) -> tuple[Operation, Operation]:
    """
    The live range of a tile: the first and last op in the block of its load that use it. What the
    block passes on is in registers by then.
    """
    block = load.parent_block()
    assert block is not None
    users = {user_in(block, use.op) for use in find_uses(load.result)}
    ordered = [op for op in block.ops if op in users and op is not block.last_op]
    return ordered[0], ordered[-1]


LoadGroup = Sequence[TiledLoadOp]
"""The loads that fill one buffer stage together."""
LoadPipeline = Sequence[LoadGroup]
"""The load groups that fill a pipeline; if there are several, each is in a different loop."""


def group_loads(loads: Sequence[TiledLoadOp]) -> list[LoadGroup]:
    """Groups loads whose tiles have the same live range."""
    load_groups: dict[tuple[Operation, Operation], list[TiledLoadOp]] = {}
    for load in loads:
        load_groups.setdefault(first_and_last(load), []).append(load)
    return [*load_groups.values()]


def share_pipelines(load_groups: Sequence[LoadGroup]) -> list[LoadPipeline]:
    """Load groups by the pipeline that they fill."""
    pipelines: list[list[LoadGroup]] = []
    for loads in load_groups:
        shared = (each for each in pipelines if all(can_share(loads, other) for other in each))
        if (pipeline := next(shared, None)) is not None:
            pipeline.append(loads)
        else:
            pipelines.append([loads])
    return [*pipelines]


def find_pipelines(function: FuncOp, *, operands_only: bool = False) -> list[LoadPipeline]:
    """All pipelines of a kernel, or those of operands that WGMMA reads."""
    loads = find_staged_loads(function, analyze(function), operands_only=operands_only)
    return share_pipelines(group_loads(loads))


def can_share(loads: LoadGroup, other: LoadGroup) -> bool:
    """Whether two load groups have the same tiles, in loops of which neither contains the other."""
    first, second = find_loop(loads[0]), find_loop(other[0])
    if first is None or second is None:
        return False
    if first in _loops_around(second) or second in _loops_around(first):
        return False
    tiles = [
        [(staged_type(x), is_rounded(x), HALVED.get(x)) for x in each] for each in (loads, other)
    ]
    return tiles[0] == tiles[1]


def find_loop(op: Operation) -> Operation | None:
    """The loop that an op is in."""
    return next(_loops_around(op.parent_op()), None)


def _loops_around(op: Operation | None) -> Iterator[Operation]:
    """The loops that an op is, or is in, from the inside out."""
    while op is not None:
        if isinstance(op, scf.ForOp | scf.WhileOp):
            yield op
        op = op.parent_op()


def is_rounded(load: TiledLoadOp) -> bool:
    """Whether all uses of a tile round it to tf32 first."""
    uses = list(find_uses(load.result))
    return bool(uses) and all(any(map(is_rounding, use.chain)) for use in uses)


def staged_type(load: TiledLoadOp) -> TensorType:
    """The type of a tile in shared memory."""
    ty, view = load.result.type, load.view_type
    assert isinstance(ty, TensorType)
    tiling = TmaTiling.of(view)
    assert tiling is not None
    return with_layout(ty, tiling.layout)


def staged_types(loads: Sequence[TiledLoadOp]) -> list[Attribute]:
    """The tile types of a buffer stage."""
    return [staged_type(load) for load in loads]


def staged_bytes(loads: Sequence[TiledLoadOp]) -> int:
    """The bytes of a buffer stage."""
    total = 0
    for load in loads:
        tiling = TmaTiling.of(loaded_view(load))
        assert tiling is not None
        total += tiling.bytes
    return total
