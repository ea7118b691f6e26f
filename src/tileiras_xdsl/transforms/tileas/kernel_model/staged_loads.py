"""
Which loads fill which pipeline.

Loads of a block whose tiles are first and last used at the same ops share a pipeline: one buffer
stage holds all of them, and one mbarrier tracks them. Loops that run one after the other share
pipelines of the same tiles.

If there is not enough shared memory for a pipeline of each load group, as in a loop that was
unrolled by hand, those whose tiles are read one after the other share one, too. Such successive
load groups fill its stages as iterations of a loop do:

    %d1 = dot %a1, %b1, %c       %a1 and %b1 in stage 0
    %d2 = dot %a2, %b2, %d1      %a2 and %b2 in stage 1
    %d3 = dot %a3, %b3, %d2      %a3 and %b3 in stage 0, when the first dot has read it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import SharedOperand
from tileiras_xdsl.analysis.memory_order import follows_loads
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    CopiedLoad,
    StagedLoad,
    find_async_mmas,
    is_async_mma,
    is_copied,
    is_tcgen05,
    is_wgmma,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    HALVED,
    LOAD_GROUP,
    STAGED,
    LoadGroupAttr,
    get_pipeline_id,
)
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.targets.choices import LEAST_BESIDE_STAGES_BYTES
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import Pipelining
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all, find_around, find_in_block

from .copied_loads import copied_bytes, find_contiguous, get_contiguous, is_by_tma, shared_layout
from .layout_rules import has_tensors, result_layout
from .registers import free_registers, is_made, type_registers
from .scaled_tcgen05 import transposes_bytes
from .tma_loads import (
    TileUse,
    find_load,
    find_tma_tiling,
    find_uses,
    is_rounding,
    is_view_like,
    loaded_layout_or_reason,
    loaded_tiling,
    tma_tiling_or_reason,
    whole_tiling,
    why_not_scalar,
)
from .wgmma import MMA_SYNC_ATOM


def is_mma_operand(use: TileUse, layout: LinearLayout) -> bool:
    """Whether a use is that of an MMA that reads a tile in shared memory, which has a layout."""
    op = use.op
    if not isinstance(op, DotOp) or use.operand_index > 1:
        return False
    if not is_async_mma(op) and not STAGED.is_on(op):
        return False
    for each in use.chain:
        changed = result_layout(each, layout)
        if changed is None:
            return False
        layout = changed
    if any(map(is_rounding, use.chain)):
        # TMA rounds all of a tile, or nothing.
        load = find_load(op.operands[use.operand_index])
        if not is_by_tma(load) or not is_rounded(load):
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
) -> list[StagedLoad]:
    """
    The loads of a kernel whose tiles WGMMA reads from shared memory, and unless only these are
    asked for, those in loops that operands are computed from which consumer warps write. In loops
    of dots by `mma.sync` that read buffer stages, all loads.
    """
    staged = set(map(Operation.parent_block, find_staged_dots(function)))
    if staged:
        return [op for op in find_all(function, TiledLoadOp) if op.parent_block() in staged]
    sources: set[Operation] = set() if operands_only else find_operand_sources(function)
    loads: list[StagedLoad] = []
    for op in find_all(function, TiledLoadOp, LoadOp, GatherLoadOp):
        if not is_by_tma(op):
            if is_copied(op) and is_copied_operand(op, axis_info):
                loads.append(op)
            continue
        tile = find_tma_tiling(op, axis_info)
        if tile is None:
            continue
        is_operand = any(is_mma_operand(use, tile.layout) for use in find_uses(op.result))
        is_needed = is_operand or op in sources or (not operands_only and is_pressed_row(op))
        if is_needed and why_not_scalar(op) is None:
            loads.append(op)
    return loads


def is_copied_operand(op: CopiedLoad, axis_info: AxisInfoAnalysis) -> bool:
    """Whether producer threads can copy a tile, which nothing but MMAs reads."""
    layout = loaded_layout_or_reason(op, axis_info)
    if isinstance(layout, str) or layout != staged_layout(op):
        return False
    return all(is_mma_operand(use, layout) for use in find_uses(op.result))


def is_pressed_row(load: TiledLoadOp) -> bool:
    """
    Whether a load of a loop of WGMMAs is that of a row, of which threads have copies, and there are
    no registers for such loads of the loop an iteration ahead.
    """
    block = load.parent_block()
    if block is None or not isinstance(block.parent_op(), scf.ForOp) or not is_row(load):
        return False
    dots = find_in_block(block, DotOp)
    if not any(map(is_wgmma, dots)):
        return False
    rows = [op for op in block.ops if isinstance(op, TiledLoadOp) and is_row(op)]
    return sum(type_registers(op.result.type) for op in rows) > free_registers(dots)


def is_row(load: Operation) -> bool:
    """Whether a tile has one dimension that counts."""
    shape = get_shape(load.results[0].type)
    return max(shape) == prod(shape)


def find_operand_sources(function: Operation) -> set[Operation]:
    """
    The ops of loop bodies that operands of MMAs are computed from, but not by another dot: those
    that consumer warps write to shared memory, and operands A of WGMMAs in registers, also loaded
    ones that WGMMA cannot read from shared memory.
    """
    found: set[Operation] = set()
    for dot in find_all(function, DotOp):
        block = dot.parent_block()
        if not is_async_mma(dot):
            continue
        if block is None or not isinstance(block.parent_op(), scf.ForOp):
            continue
        if find_load(dot.b) is None:
            values = [value for value in dot.operands[:2] if find_load(value) is None]
        elif is_made(dot):
            values = [dot.a]
        else:
            continue
        found |= backward_slice(
            values, lambda op, block=block: op.parent_block() is block and not isinstance(op, DotOp)
        )
    return found


def first_and_last(load: StagedLoad) -> tuple[Operation, Operation]:
    """
    The live range of a tile: the first and last op in the block of its load that use it. What the
    block passes on is in registers by then: if that is all that uses the tile, the last reshape of
    it, or the load.
    """
    block = load.parent_block()
    assert block is not None
    uses = [*find_uses(load.result)]
    users = {ancestor_in(block, use.op) for use in uses} - {block.last_op}
    if not users:
        passed = (use.op.operands[use.operand_index].owner for use in uses)
        users = {op for op in passed if isinstance(op, Operation)}
    ordered = [op for op in block.ops if op in users]
    return ordered[0], ordered[-1]


LoadGroup = Sequence[StagedLoad]
"""The loads that fill one buffer stage together, as they come in their block."""
LoadPipeline = Sequence[LoadGroup]
"""
The load groups that fill a pipeline; if there are several, they are in different loops, or read one
after the other.
"""
IsOperand = Callable[[StagedLoad, TileUse], bool]
"""Whether a use of a tile is that of an MMA which reads it from shared memory."""


def group_loads(loads: Sequence[StagedLoad], *, successive: bool = False) -> list[LoadGroup]:
    """
    Groups loads whose tiles have the same live range. One that begins and ends at WGMMAs which
    follow each other without a wait counts as that of the first of them, unless successive load
    groups are to share memory. Threads read tiles that they have in registers for a WGMMA earlier
    than that reads others.
    """
    load_groups: dict[tuple[Operation, Operation, bool], list[StagedLoad]] = {}
    for load in loads:
        first, last = first_and_last(load)
        if not successive:
            heads = find_first_wgmma(first), find_first_wgmma(last)
            if heads[0] is not None and heads[0] is heads[1]:
                first = last = heads[0]
        # As operand A of a WGMMA, in registers.
        in_registers = any(
            use.operand_index == 0 and is_made(use.op) for use in find_uses(load.result)
        )
        load_groups.setdefault((first, last, in_registers), []).append(load)
    return [*load_groups.values()]


def stage_order(loads: LoadGroup) -> list[StagedLoad]:
    """
    The loads of a group in the order of their tiles in a buffer stage: operands A of dots, then
    operands B, then others. So load groups can share a pipeline whichever is loaded first.
    """

    def operand_index(load: StagedLoad) -> int:
        uses = find_uses(load.result)
        return min((use.operand_index for use in uses if isinstance(use.op, DotOp)), default=3)

    return sorted(loads, key=operand_index)


def live_range(loads: LoadGroup) -> tuple[Operation, Operation]:
    """The first and the last op that use a tile of a load group."""
    block = loads[0].parent_block()
    assert block is not None
    ends = set(chain.from_iterable(map(first_and_last, loads)))
    ordered = [op for op in block.ops if op in ends]
    return ordered[0], ordered[-1]


def find_first_wgmma(op: Operation) -> Operation | None:
    """
    For a WGMMA, the first of those of its block that read a loaded tile in common with it, or one
    that threads make, and between which there are only loads, scalar code and other WGMMAs that do
    not wait for each other. None for other ops.
    """
    if not isinstance(op, DotOp) or not is_wgmma(op):
        return None
    first, common, results = op, _operand_tiles(op), {op.result}
    before = op.prev_op
    while before is not None:
        if isinstance(before, DotOp):
            if not is_wgmma(before):
                break
            common &= _operand_tiles(before)
            results.add(before.result)
            if not common or any(value in results for value in (*first.operands, *op.operands)):
                break
            first = before
        elif not isinstance(before, StagedLoad) and not _is_scalar(before):
            break
        before = before.prev_op
    return first


def _operand_tiles(dot: DotOp) -> set[Operation]:
    """The ops of the block of a dot that load its operands, or that make them last."""
    owners = (find_load(value) or value.owner for value in (dot.a, dot.b))
    block = dot.parent_block()
    return {op for op in owners if isinstance(op, Operation) and op.parent_block() is block}


def _is_scalar(op: Operation) -> bool:
    """Whether an op only computes scalars from scalars, or reshapes a tile."""
    return is_view_like(op) or not (op.regions or has_tensors(op))


def share_pipelines(
    load_groups: Sequence[LoadGroup],
    axis_info: AxisInfoAnalysis | None = None,
    is_operand: IsOperand | None = None,
) -> list[LoadPipeline]:
    """
    Load groups by the pipeline that they fill; axis info is for copied loads whose vectors are not
    known yet. If it is said what reads tiles, successive load groups share one, too.
    """
    pipelines: list[list[_Candidate]] = []
    for loads in load_groups:
        spans = None if is_operand is None else find_spans(loads, is_operand)
        candidate = _Candidate(loads, spans, axis_info)
        for pipeline in pipelines:
            if all(map(candidate.can_share, pipeline)):
                pipeline.append(candidate)
                break
        else:
            pipelines.append([candidate])
    return [[each.loads for each in pipeline] for pipeline in pipelines]


def find_pipelines(
    function: FuncOp, *, operands_only: bool = False, successive: bool = False
) -> list[LoadPipeline]:
    """
    All pipelines of a kernel, or those of operands that WGMMA reads; successive load groups share
    them, or have one each.
    """
    loads = find_staged_loads(function, analyze(function), operands_only=operands_only)
    load_groups = group_loads(loads, successive=successive)
    return share_pipelines(load_groups, is_operand=reads_stage if successive else None)


def get_pipelines(function: Operation) -> dict[int, LoadPipeline]:
    """The pipelines of a kernel by their numbers, as its loads are annotated with them."""
    found: dict[int, dict[tuple[Block | None, LoadGroupAttr | None], list[StagedLoad]]] = {}
    for op in find_all(function, TiledLoadOp, LoadOp, GatherLoadOp):
        number = get_pipeline_id(op)
        if number is not None:
            key = op.parent_block(), LOAD_GROUP.get(op)
            found.setdefault(number, {}).setdefault(key, []).append(op)
    return {number: [*found[number].values()] for number in sorted(found)}


def reads_stage(load: StagedLoad, use: TileUse) -> bool:
    """Whether a use of a tile is that of an MMA which reads it from its buffer stage."""
    return is_mma_operand(use, staged_layout(load))


def are_successive(pipeline: LoadPipeline) -> bool:
    """Whether load groups that share a pipeline are successive ones, not those of other loops."""
    return len(pipeline) > 1 and find_spans(pipeline[0], reads_stage) is not None


Spans = Mapping[Block, tuple[int, int]]
"""
When the tiles of a load group are in shared memory: from where its consumers wait for them to the
last dot that reads them, as positions of ops in the block of its loads, and in those around it.
"""


def find_spans(loads: LoadGroup, is_operand: IsOperand) -> Spans | None:
    """When the tiles of a load group are read, if only MMAs do so, and all loads come before."""
    if not all(is_operand(load, use) for load in loads for use in find_uses(load.result)):
        return None
    block = loads[0].parent_block()
    assert block is not None
    ops = [*block.ops]
    first, last = live_range(loads)
    start = ops.index(find_wait_point(ops, loads[0], first))
    if ops.index(loads[-1]) > start:
        return None
    spans = {block: (start, ops.index(last))}
    around = block.parent_op()
    while around is not None and (block := around.parent_block()) is not None:
        position = block.get_operation_index(around)
        spans[block] = position, position
        around = block.parent_op()
    return spans


def find_wait_point(ops: Sequence[Operation], load: Operation, first: Operation) -> Operation:
    """
    Where to wait for a tile: at its first use, but before anything between the load and that use
    which must not be reordered with it, such as a store that may alias the loaded memory.
    """
    start, end = ops.index(load), ops.index(first)
    return next(filter(follows_loads, ops[start:end]), first)


@dataclass(eq=False)
class _Candidate:
    """A load group that may share a pipeline."""

    loads: LoadGroup
    spans: Spans | None
    axis_info: AxisInfoAnalysis | None

    @cached_property
    def tiles(self) -> Sequence[object]:
        """What two load groups of a pipeline have in common."""
        loads = stage_order(self.loads)
        return [(staged_type(x, self.axis_info), is_rounded(x), HALVED.get(x)) for x in loads]

    def can_share(self, other: _Candidate) -> bool:
        """Whether two load groups have the same tiles, not at the same time."""
        if self.spans is None or other.spans is None:
            is_apart = self.spans is other.spans and self._is_in_other_loop(other)
        else:
            is_apart = self._is_successive(self.spans, other, other.spans)
        return is_apart and self.tiles == other.tiles

    def _is_in_other_loop(self, other: _Candidate) -> bool:
        """Whether two load groups are in loops of which neither contains the other."""
        first, second = find_loop(self.loads[0]), find_loop(other.loads[0])
        if first is None or second is None:
            return False
        return first not in _loops_around(second) and second not in _loops_around(first)

    def _is_successive(self, spans: Spans, other: _Candidate, others: Spans) -> bool:
        """
        Whether all dots that read the tiles of one load group come before those of the other one,
        in each iteration of loops around both, or are in the other region of a branch.
        """
        block = next(block for block in spans if block in others)
        mine, its = spans[block], others[block]
        is_apart = mine[1] < its[0] or its[1] < mine[0]
        return is_apart or are_alternatives(self.loads[0], other.loads[0])


def find_alternatives(pipelines: Sequence[LoadPipeline]) -> dict[int, int]:
    """
    Pipelines whose loops are all in one region of a branch, and by each of them the larger one, or
    the first, whose loops are all in the other region: they may share memory.
    """
    found: dict[int, int] = {}
    inside = {
        n: each for n, each in enumerate(pipelines) if find_around(each[0][0], scf.IfOp) is not None
    }
    if len(inside) < 2:
        return found
    for index, pipeline in inside.items():
        others = [
            number
            for number, other in inside.items()
            if all(are_alternatives(x[0], y[0]) for x in pipeline for y in other)
        ]
        key = staged_bytes(pipeline[0]), -index
        if len(others) == 1 and (staged_bytes(pipelines[others[0]][0]), -others[0]) > key:
            found[index] = others[0]
    # Each has one other at most.
    return {a: b for a, b in found.items() if [*found.values()].count(b) == 1 and b not in found}


def are_alternatives(first: Operation, second: Operation) -> bool:
    """Whether two ops are in different regions of a branch."""
    around = first.parent_op()
    while around is not None:
        if isinstance(around, scf.IfOp) and around.is_ancestor(second):
            return not any(
                region.block.is_ancestor(first) and region.block.is_ancestor(second)
                for region in around.regions
                if region.blocks
            )
        around = around.parent_op()
    return False


def find_loop(op: Operation) -> Operation | None:
    """The loop that an op is in."""
    return next(_loops_around(op.parent_op()), None)


def _loops_around(op: Operation | None) -> Iterator[Operation]:
    """The loops that an op is, or is in, from the inside out."""
    while op is not None:
        if isinstance(op, scf.ForOp | scf.WhileOp):
            yield op
        op = op.parent_op()


def is_rounded(load: StagedLoad) -> bool:
    """Whether all uses of a tile round it to tf32 first."""
    uses = list(find_uses(load.result))
    return bool(uses) and all(any(map(is_rounding, use.chain)) for use in uses)


def staged_layout(load: StagedLoad, axis_info: AxisInfoAnalysis | None = None) -> LinearLayout:
    """
    The layout of a tile in shared memory; axis info is for copied loads whose vectors are not known
    yet.
    """
    if not is_by_tma(load):
        dim = get_contiguous(load) if axis_info is None else find_contiguous(load, axis_info)
        assert not isinstance(dim, str), "checked by 'why_not_copied'"
        return shared_layout(load, dim)
    tiling = whole_tiling(load)
    assert tiling is not None
    return tiling.layout


def staged_type(load: StagedLoad, axis_info: AxisInfoAnalysis | None = None) -> TensorType:
    """The type of a tile in shared memory (`staged_layout`)."""
    ty = load.result.type
    assert isinstance(ty, TensorType)
    return with_layout(ty, staged_layout(load, axis_info))


def staged_types(loads: LoadGroup) -> list[Attribute]:
    """The tile types of a buffer stage."""
    return [*map(staged_type, stage_order(loads))]


def staged_bytes(loads: LoadGroup) -> int:
    """The bytes of a buffer stage."""
    total = 0
    for load in loads:
        if not is_by_tma(load):
            total += copied_bytes(load)
            continue
        tiling = loaded_tiling(load)
        assert tiling is not None
        total += tiling.bytes
    return total


# Dots by `mma.sync` whose operands producer warps load by TMA.
#
#     nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.staged, …} : …
#
# TMA fills the stages of a multi-stage buffer, and consumer warps read fragments from there by
# `ldmatrix`: no thread spends registers or instructions on addresses in global memory. It is all
# or nothing for a kernel: loads of other loops would not run ahead, for `cp.async` is by all
# threads.


def is_mma_sync(op: Operation) -> TypeGuard[PlainDotOp]:
    """Whether an op is a dot by `mma.sync`."""
    return isinstance(op, PlainDotOp) and op.atom is not None and op.atom.data == MMA_SYNC_ATOM


def find_staged_dots(function: Operation) -> list[DotOp]:
    """The dots by `mma.sync` whose operands are read from buffer stages."""
    return [*filter(STAGED.is_on, find_all(function, DotOp))]


def loads_of_loops(function: FuncOp) -> list[Operation]:
    """The loads of tiles in the bodies of loops."""
    return [
        op
        for loop in find_all(function, scf.ForOp, scf.WhileOp)
        for region in loop.regions
        for block in region.blocks
        for op in block.ops
        if is_plain_load(op) and isinstance(op.results[0].type, TensorType)
    ]


def has_dots(op: Operation | None) -> bool:
    """Whether a dot by `mma.sync` is in the body of a loop, and not in one in it."""
    if not isinstance(op, scf.ForOp):
        return False
    return any(map(is_mma_sync, op.body.block.ops))


def is_around_dots(op: Operation | None) -> bool:
    """Whether dots by `mma.sync` are in loops in a loop only: threads load its own tiles."""
    return op is not None and not has_dots(op) and any(map(is_mma_sync, find_all(op, PlainDotOp)))


def why_not_staged(function: FuncOp, target: Target, axis_info: AxisInfoAnalysis) -> str | None:
    """Why TMA does not load the operands of a kernel's dots by `mma.sync`; None if it does."""
    model = target.mma_pipelining
    if model is None:
        return f"threads load operands of mma.sync on {target}"
    if find_async_mmas(function):
        return "another dot of the kernel is an asynchronous MMA"
    warps = get_warps(function)
    if warps < model.min_warps:
        return f"threads load operands of mma.sync in CTAs of {warps} warps"
    loads = loads_of_loops(function)
    loads = [op for op in loads if not is_around_dots(op.parent_op())]
    for op in loads:
        if not has_dots(op.parent_op()):
            return "a loop without dots loads tiles, which only threads can load ahead"
        if not isinstance(op, TiledLoadOp):
            return f"TMA cannot do '{op.name}'"
        if isinstance(tiling := tma_tiling_or_reason(op, axis_info), str):
            return f"TMA cannot load a tile of the loop: {tiling}"
        if tiling.is_long_row:
            return "a tile of the loop is a row of more than 128 bytes"
        if (reason := why_not_scalar(op)) is not None:
            return reason
        if is_only_passed_on(op):
            return "a tile of the loop is used in later iterations only"
    staged = [op for op in loads if isinstance(op, TiledLoadOp)]
    if not staged:
        return "no loop of dots loads tiles"
    return _why_not_fitting(staged, model)


def is_only_passed_on(load: TiledLoadOp) -> bool:
    """Whether only the end of the block of a load uses its tile."""
    block = load.parent_block()
    return block is not None and all(use.op is block.last_op for use in find_uses(load.result))


def _why_not_fitting(loads: Sequence[TiledLoadOp], model: Pipelining) -> str | None:
    loops: dict[Operation | None, list[TiledLoadOp]] = {}
    for op in loads:
        loops.setdefault(op.parent_op(), []).append(op)
    needed = max(map(staged_bytes, loops.values())) + LEAST_BESIDE_STAGES_BYTES
    limit = model.shared.limit(asks=False)
    if needed > limit:
        return f"a stage of its tiles takes {needed} of {limit} bytes of shared memory"
    return None
