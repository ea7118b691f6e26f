"""
Which kernels multiply by pairs of CTAs (`cta_group::2`).

The CTAs of a cluster do neighbouring rows of a product (`split-tiles`). One of them issues MMAs for
both: of 256 rows, of which each CTA has 128 in its tensor memory, and has loaded as many of A and
half of the columns of B. Scales of block-scaled products are of a CTA: threads of each write those
of its rows of A, and all of those of B. So whatever decides which MMAs there are has to be the same
in both CTAs: tiles of B, how often loops run, which branch is taken, and whether an MMA adds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.slices import reachable, sources_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.arith import IndexCastOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOperation, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nvgpu.persistence import BLOCKS_ARE_CLUSTERS, get_cluster_ctas
from tileiras_xdsl.targets.tcgen05_schedule import (
    INSTRUCTION_ROWS,
    MOST_COLUMNS,
    PAIR_COLUMN_STEP,
    PAIR_CTAS,
)
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.xdsl_extras.structure import integer_of
from tileiras_xdsl.xdsl_extras.walking import find_all

from .layout_rules import memory_bits
from .slicing import is_pure
from .staged_loads import find_staged_loads, is_mma_operand
from .tma_loads import TileUse, find_load, find_uses, half_view
from .wgmma import is_tcgen05
from .written_operands import B_INDEX

COLUMNS = 1
"""The dimension of operand B that a pair shares."""
TOWARDS_ZERO = StringAttr("zero")


def is_pair_candidate(function: FuncOp) -> bool:
    """Whether the CTAs of a cluster share a tile block of dots, and could multiply together."""
    warpgroups = get_target(function).warpgroups
    return (
        BLOCKS_ARE_CLUSTERS.is_on(function)
        and get_cluster_ctas(function) == PAIR_CTAS
        and warpgroups is not None
        and warpgroups.pair_ctas == PAIR_CTAS
        and bool(find_all(function, DotOperation))
    )


def halves_or_reason(function: FuncOp) -> dict[TiledLoadOp, int] | str:
    """
    The loads of which each CTA of a pair does half, and the dimension of their tiles that is
    halved; or why no pair multiplies.
    """
    dots: list[DotOp] = []
    for op in find_all(function, DotOperation):
        if not isinstance(op, DotOp) or not is_tcgen05(op):
            return f"'{op.name}' is not done by tcgen05"
        dots.append(op)
    for op in dots:
        if (reason := _why_no_shape(op)) is not None:
            return reason
    halved: dict[TiledLoadOp, int] = {}
    staged = find_staged_loads(function, analyze(function))
    for op in dots:
        for name, value in (("A", op.a), ("B", op.b)):
            if find_load(value) not in staged:
                return f"operand {name} is not loaded by TMA"
    for load in staged:
        if not isinstance(load, TiledLoadOp):
            return "threads copy an operand"
        found = _halved_dim(load)
        if isinstance(found, str):
            return found
        if found is not None:
            halved[load] = found
    return _why_different(dots, halved) or halved


def _why_no_shape(op: DotOp) -> str | None:
    rows, columns = get_shape(op.result.type)
    if rows != INSTRUCTION_ROWS:
        return f"MMAs of a pair have {INSTRUCTION_ROWS} rows of each CTA, not {rows}"
    if columns > MOST_COLUMNS or columns % PAIR_COLUMN_STEP:
        return f"MMAs of a pair have no {columns} columns"
    return None


# Halves of tiles


def _halved_dim(load: TiledLoadOp) -> int | str | None:
    """
    The dimension of a tile along which CTAs load half of it each; None if each loads all of it, for
    it is operand A.
    """
    tiling = TmaTiling.of(load.view_type)
    assert tiling is not None
    dims: set[int | str | None] = set()
    for use in find_uses(load.result):
        if not is_mma_operand(use, tiling.layout):
            return "threads read a tile that TMA loads"
        dims.add(_find_half(load, use) if use.operand_index == B_INDEX else None)
    if len(dims) != 1:
        return "a tile is read in several ways"
    (dim,) = dims
    return dim


def _find_half(load: TiledLoadOp, use: TileUse) -> int | str:
    """The dimension of a tile that is the columns of operand B, if a descriptor has its half."""
    refusal = "no descriptor can describe half of operand B"
    dim: int | None = COLUMNS
    for op in reversed(use.chain):
        dim = _source_dim(op, dim)
        if dim is None:
            return refusal
    tiling = TmaTiling.of(half_view(load.view_type, dim))
    if tiling is None:
        return "TMA cannot load half of operand B"
    layout: LinearLayout | None = tiling.layout
    for op in use.chain:
        layout = _reshaped(op, layout)
    size = memory_bits(get_element(use.op.operands[B_INDEX].type)) // 8
    whole = SharedOperand.of(_layout_of(load, use), 0, size, transposes_bytes=True)
    half = SharedOperand.of(layout, 0, size, transposes_bytes=True)
    columns = get_shape(use.op.operands[B_INDEX].type)[COLUMNS]
    if whole is None or half is None or half != whole.half(columns):
        return refusal
    return dim


def _layout_of(load: TiledLoadOp, use: TileUse) -> LinearLayout:
    tiling = TmaTiling.of(load.view_type)
    assert tiling is not None
    layout = tiling.layout
    for op in use.chain:
        layout = _reshaped(op, layout)
    return layout


def _reshaped(op: Operation, layout: LinearLayout) -> LinearLayout:
    """The layout of a reshaped tile, or of half of one."""
    match op:
        case PermuteOp():
            return layout.permute(op.get_permutation())
        case ViewOperation() | ExpandDimsOperation():
            extents = iter([extent for extent in layout.shape if extent > 1])
            shape = [
                1 if extent == 1 else next(extents) for extent in get_shape(op.results[0].type)
            ]
            return layout.reshape(shape)
        case _:
            return layout


def _source_dim(op: Operation, dim: int) -> int | None:
    """The dimension of a tile that becomes one of its reshape; None if it is made of several."""
    match op:
        case PermuteOp():
            return op.get_permutation()[dim]
        case ViewOperation() | ExpandDimsOperation():
            shapes = [get_shape(value.type) for value in (op.operands[0], op.results[0])]
            places = [
                [index for index, extent in enumerate(shape) if extent > 1] for shape in shapes
            ]
            kept = [[shape[n] for n in place] for shape, place in zip(shapes, places, strict=True)]
            return places[0][places[1].index(dim)] if kept[0] == kept[1] else None
        case _:
            return dim


# What is the same in both CTAs


def _why_different(dots: Sequence[DotOp], halved: Collection[TiledLoadOp]) -> str | None:
    """Why CTAs of a cluster may not issue the same MMAs; None if they do."""
    for op in dots:
        if op.accumulate is not None and may_differ([op.accumulate]):
            return "CTAs may not agree whether an MMA adds"
        loads = [find_load(value) for value in op.operands[:2]]
        for each in (op, *(load for load in loads if load is not None)):
            if (reason := _why_different_paths(each)) is not None:
                return reason
    if any(may_differ(load.operands) for load in halved):
        return "CTAs may load different tiles of B"
    return None


def _why_different_paths(op: Operation) -> str | None:
    """Why CTAs may not both get to an op, equally often; None if they do."""
    around = op.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        match around:
            case scf.ForOp():
                if may_differ([around.lb, around.ub, around.step]):
                    return "CTAs may run a loop of MMAs differently often"
            case scf.IfOp():
                if may_differ([around.cond]):
                    return "only one of the CTAs may multiply"
            case _:
                return f"'{around.name}' has MMAs in it"
        around = around.parent_op()
    return None


def may_differ(values: Iterable[SSAValue]) -> bool:
    """
    Whether values may not be the same in both CTAs of a cluster, whose indices differ in the last
    bit of their x.
    """
    return any(_is_own(each) for each in reachable(values, _inputs))


def _is_own(value: SSAValue) -> bool:
    """Whether a value is one that CTAs do not have in common."""
    owner = value.owner
    if isinstance(owner, Block):
        return not isinstance(owner.parent_op(), FuncOp | scf.ForOp)
    if isinstance(owner, BlockIdOp):
        return owner.dimension.data == DimensionEnum.X
    if isinstance(owner, scf.ForOp | scf.IfOp):
        return False
    return bool(owner.regions) or not is_pure(owner)


def _inputs(value: SSAValue) -> Collection[SSAValue]:
    """What a value depends on; nothing, if CTAs of a cluster have it in common."""
    owner = value.owner
    match owner:
        case Block():
            loop = owner.parent_op()
            if isinstance(loop, scf.ForOp) and value is owner.args[0]:
                return (loop.lb, loop.step)
            return sources_of(value)
        case scf.ForOp():
            return (owner.lb, owner.ub, owner.step, *sources_of(value))
        case scf.IfOp():
            return (owner.cond, *sources_of(value))
        case DivIOp() | arith.DivSIOp() if _is_cluster_index(owner):
            return ()
        case _:
            return owner.operands


def _is_cluster_index(op: Operation) -> bool:
    """
    Whether an op divides the index of a CTA by a number of CTAs, with both of a pair. Rounded away
    from zero, the quotients of a pair differ.
    """
    if isinstance(op, DivIOp) and op.rounding not in (None, TOWARDS_ZERO):
        return False
    number, by = op.operands
    divisor = integer_of(by)
    while isinstance(number.owner, IndexCastOp | arith.IndexCastOp):
        number = number.owner.operands[0]
    return isinstance(number.owner, BlockIdOp) and bool(divisor) and divisor % PAIR_CTAS == 0
