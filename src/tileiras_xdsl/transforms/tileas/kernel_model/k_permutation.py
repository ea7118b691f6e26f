"""
Accumulators of WGMMA as operand A of another one with elements of 8 bits, as in attention.

A thread has accumulators of columns 2 t and 2 t + 1 of every 8, but 8-bit elements of operand A of
columns 4 t to 4 t + 3 of every 16: four lanes would have to exchange them. They need not if operand
B of the first WGMMA has its even columns before odd ones in shared memory. For the instruction they
are columns like all others, so what are columns 2 t and 2 t + 1 of every 8 for it are columns 4 t
and 4 t + 2 of every 16 of the tile, and 4 t + 1 and 4 t + 3 in the second half of the registers:

    %k = nv_tileas.tiled_load %v[%i] {nv_tileas.k_permutation = #nv_tileas.k_permutation<1>} : …
    %s = nv_tileas.dot %q, %k, %zero {nv_tileas.layout = …} : …        even columns first
    %p = nv_tileaa.fp_to_fp %s : …
    %o = nv_tileas.dot %p, %v, %c {nv_tileas.layout_a = …} : …         only renames registers

TMA loads every second row, twice. All else follows from the layout of the accumulators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import wgmma_a, wgmma_accumulator
from tileiras_xdsl.analysis.slices import operands_first, reachable
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, LAYOUT_A
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.walking import last_of

from .copied_loads import is_by_tma
from .layout_rules import is_elementwise, is_root, result_layout, tensors
from .tma_loads import find_uses, tile_or_reason
from .wgmma import choose_warpgroup_grid

BITS: Final = 8
"""Of elements of operand A: those of 16 bits are where accumulators of plain columns are."""
FIRST_CARRIED: Final = 3
"""Operands of `scf.for` before what it carries: the bounds and the step."""


@dataclass(frozen=True)
class KPermutation:
    """Dots whose accumulators have even columns first."""

    dots: Sequence[DotOp]
    loads: dict[TiledLoadOp, int]
    """The loads of their operands B, and the dimension of the tile that the columns are."""


def takes_accumulators(op: DotOp) -> bool:
    """Whether 8-bit elements of operand A are in registers, and come from accumulators of WGMMA."""
    if not is_wgmma(op) or LAYOUT_A.get(op) is None:
        return False
    if memory_bits(get_element(op.a.type)) != BITS:
        return False
    return any(is_wgmma(dot) for dot in _made_by(_web(op.a)))


def k_permutation_or_reason(
    op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis
) -> KPermutation | str:
    """
    The dots that have to have even columns first, so that operand A of a dot, which comes from
    their accumulators, need not be exchanged between lanes; or why they cannot.
    """
    web = _web(op.a)
    dots = _made_by(web)
    if not all(map(is_wgmma, dots)):
        return "a dot that it comes from is not a WGMMA"
    for each in web:
        for use in each.uses:
            user = use.operation
            if isinstance(user, DotOp) and use.index == 0 and LAYOUT_A.get(user) is not None:
                bits = memory_bits(get_element(each.type))
                if bits != BITS:
                    return f"accumulators are an operand A with elements of {bits} bits as well"
    accumulator, a = _layouts(op, num_warpgroups)
    if (accumulator.lane, accumulator.warp) != (a.lane, a.warp):
        return "warpgroups divide its columns"
    loads: dict[TiledLoadOp, int] = {}
    for dot in dots:
        tile = tile_or_reason(dot.b, axis_info)
        if isinstance(tile, str):
            return f"TMA does not load operand B of the dot that it comes from: {tile}"
        if not is_by_tma(tile.load) or HALVED.is_on(tile.load):
            return "TMA does not load all of operand B of the dot that it comes from"
        if any(use.op not in dots or use.operand_index != 1 for use in find_uses(tile.load.result)):
            return "operand B of the dot that it comes from is used elsewhere as well"
        dim = _find_dim(dot, tile.load, tile.chain)
        if isinstance(dim, str):
            return f"TMA cannot load every second column of operand B: {dim}"
        loads[tile.load] = dim
    return KPermutation(dots, loads)


def _layouts(op: DotOp, num_warpgroups: int) -> tuple[LinearLayout, LinearLayout]:
    """The layouts of accumulators with even columns first, and of operand A that they become."""
    shape = get_shape(op.a.type)
    source, grid = (
        choose_warpgroup_grid(each, num_warpgroups) for each in (shape, get_shape(op.result.type))
    )
    accumulator = wgmma_accumulator(shape, source.m, source.n, k_permutation=True)
    a = wgmma_a(shape, BITS, grid.m, grid.n)
    assert accumulator is not None
    assert a is not None
    return accumulator, a


def _find_dim(dot: DotOp, load: TiledLoadOp, chain: Sequence[Operation]) -> int | str:
    """The dimension of a loaded tile that the columns of operand B are, or why TMA cannot skip."""
    tiling = TmaTiling.of_or_reason(load.view_type)
    if isinstance(tiling, str):
        return tiling
    reason = "its columns are contiguous"
    size = memory_bits(get_element(dot.b.type)) // 8
    for dim, extent in enumerate(load.view_type.get_tile_shape()):
        if extent == 1:
            continue
        changed = tiling.k_permutation_or_reason(dim)
        if isinstance(changed, str):
            reason = changed
            continue
        layout: LinearLayout | None = changed.layout
        for each in chain:
            layout = None if layout is None else result_layout(each, layout)
        operand = None if layout is None else SharedOperand.of(layout, 0, size)
        if operand is not None and operand.k_permutation:
            return dim
    return reason


def _made_by(web: Sequence[SSAValue]) -> list[DotOp]:
    """The dots whose results are among some values."""
    return [value.owner for value in web if isinstance(value.owner, DotOp)]


def _web(value: SSAValue) -> list[SSAValue]:
    """The tiles that have to have the layout of one if no element is to be moved."""
    shape = get_shape(value.type)
    flexible: dict[SSAValue, bool] = {}

    def is_flexible(value: SSAValue) -> bool:
        """Whether a tile is made of scalars and rows only, in the layout that a user wants."""
        for each in operands_first(value, made_of, flexible):
            owner = each.owner
            flexible[each] = isinstance(owner, Operation) and (
                is_root(owner)
                or isinstance(owner, BroadcastOp)
                or (is_elementwise(owner) and all(flexible[tile] for tile in made_of(each)))
            )
        return flexible[value]

    def made_of(value: SSAValue) -> Sequence[SSAValue]:
        owner = value.owner
        if not isinstance(owner, Operation) or not is_elementwise(owner):
            return ()
        return tensors(owner.operands)

    def beside(value: SSAValue) -> Iterator[SSAValue]:
        owner = value.owner
        linked = [*_linked_by(owner, value)] if isinstance(owner, Operation) else []
        if isinstance(owner, Block) and isinstance(loop := owner.parent_op(), scf.ForOp):
            linked += _carried(loop, owner.args.index(value) - 1)
        for use in value.uses:
            user = use.operation
            if isinstance(user, scf.YieldOp) and isinstance(loop := user.parent_op(), scf.ForOp):
                linked += _carried(loop, use.index)
            elif isinstance(user, scf.YieldOp) and isinstance(arm := user.parent_op(), scf.IfOp):
                linked.append(arm.results[use.index])
            elif isinstance(user, scf.ForOp) and use.index >= FIRST_CARRIED:
                linked += _carried(user, use.index - FIRST_CARRIED)
            elif isinstance(user, DotOp):
                linked += [user.result] if use.index == 2 else []
            elif is_elementwise(user) or isinstance(user, ConvertLayoutOp):
                linked += [*user.operands, *user.results]
        return (
            each
            for each in tensors(linked)
            if get_shape(each.type) == shape and not is_flexible(each)
        )

    return list(reachable([value], beside))


def _linked_by(op: Operation, result: SSAValue) -> Iterator[SSAValue]:
    """The tiles in whose layout an op has its result."""
    match op:
        case DotOp():
            yield op.accumulator
        case scf.ForOp():
            yield from _carried(op, op.results.index(result))
        case scf.IfOp():
            index = op.results.index(result)
            yield from (last_of(region.block).operands[index] for region in op.regions)
        case _ if is_elementwise(op) or isinstance(op, ConvertLayoutOp):
            yield from op.operands
        case _:
            return


def _carried(loop: scf.ForOp, index: int) -> list[SSAValue]:
    """What a loop carries at an index: before, in and after it."""
    if index < 0:
        return []
    body = loop.body.block
    return [
        loop.iter_args[index],
        body.args[index + 1],
        last_of(body).operands[index],
        loop.results[index],
    ]
