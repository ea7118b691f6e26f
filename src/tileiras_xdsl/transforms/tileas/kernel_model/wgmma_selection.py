"""
The products that warpgroups multiply (`wgmma`), and the layouts that these ask for.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>, nv_tileas.layout = …,
        nv_tileas.layout_a = …} : …

The right factor comes from shared memory, where the tensor memory accelerator puts it; so does
the left one if it is loaded, else it stays in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatTF32Type, f32
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import wgmma_accumulator
from tileiras_xdsl.analysis.mma_instructions import MmaInstruction
from tileiras_xdsl.analysis.wgmma_operands import STEP_BYTES
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import GROUP_ROWS, MIN_COLUMNS

from .tma_loads import find_load, find_uses, is_rounding, operand_or_reason, tile_or_reason
from .wgmma import get_wgmma

SUMS = ("f32", "i32")


@dataclass(frozen=True)
class WarpgroupGrid:
    """How warpgroups share a tile."""

    m: int
    n: int


def choose_group_grid(shape: Sequence[int], groups: int) -> WarpgroupGrid:
    """Warpgroups along rows first: those of one row of instructions share nothing but B."""
    m = min(groups, shape[0] // GROUP_ROWS)
    return WarpgroupGrid(m, groups // m)


def by_loop(products: Sequence[DotOp]) -> list[list[DotOp]]:
    """Products by the loop that they are in."""
    loops: dict[Operation | None, list[DotOp]] = {}
    for op in products:
        loop = op.parent_op()
        while loop is not None and not isinstance(loop, scf.ForOp | scf.WhileOp):
            loop = loop.parent_op()
        loops.setdefault(loop, []).append(op)
    return list(loops.values())


def is_for_warpgroups(op: DotOp, target: Target, facts: AxisInfoAnalysis) -> bool:
    """Whether warpgroups can multiply the factors of a product as they are loaded."""
    return why_not_warpgroups(op, target, facts) is None


def why_not_warpgroups(op: DotOp, target: Target, facts: AxisInfoAnalysis) -> str | None:
    """Why warpgroups cannot multiply the factors of a product; none if they can."""
    if target.warpgroups is None:
        return f"{target} has no wgmma"
    product = get_wgmma(op, target)
    shape, total = get_shape(op.result.type), get_element(op.result.type)
    factors = f"{get_element(op.a.type)} and {get_element(op.b.type)}"
    if product is None or not _takes(product, op):
        return f"wgmma does not multiply {factors} as they are"
    if str(total) not in SUMS:
        return f"wgmma is not used for sums in {total}"
    if len(shape) != 2:
        return f"wgmma has no batches, and there are {shape[0]}"
    if shape[0] < GROUP_ROWS or shape[1] < MIN_COLUMNS:
        return f"{shape[0]}x{shape[1]} is smaller than {GROUP_ROWS}x{MIN_COLUMNS}"
    depth = get_shape(op.a.type)[1]
    if depth * product.instruction.element_bits < STEP_BYTES * 8:
        return f"{depth} terms are less than {STEP_BYTES} bytes"
    factor = operand_or_reason(op.b, 0, facts)
    if isinstance(factor, str):
        is_loaded = not isinstance(tile_or_reason(op.b, facts), str)
        refusal = "wgmma cannot read" if is_loaded else "TMA cannot load"
        return f"{refusal} the right factor: {factor}"
    if isinstance(product.factor, FloatTF32Type) and not _may_be_rounded(op.b, target):
        return "TMA cannot round the right factor: not all that use it do"
    return None


def _may_be_rounded(value: SSAValue, target: Target) -> bool:
    """Whether all uses of a tile that is loaded round it to tf32, or are factors of tf32."""
    load = find_load(value)
    assert load is not None
    if get_element(load.result.type) != f32:
        return True
    for use in find_uses(load.result):
        product = get_wgmma(use.op, target) if isinstance(use.op, DotOp) else None
        is_mma_operand = (
            product is not None and use.number < 2 and isinstance(product.factor, FloatTF32Type)
        )
        if not is_mma_operand and not any(map(is_rounding, use.chain)):
            return False
    return True


def _takes(product: MmaInstruction, op: DotOp) -> bool:
    """Whether factors need no conversion but one that rounds them."""
    factors = (get_element(op.a.type), get_element(op.b.type))
    if isinstance(product.factor, FloatTF32Type):
        return all(factor in (f32, product.factor) for factor in factors)
    if product.factor is not None and any(factor != product.factor for factor in factors):
        return False
    return product.type_a != "f64"


def find_group_grid(
    shape: Sequence[int], layout: LinearLayout, groups: int
) -> WarpgroupGrid | None:
    """How warpgroups share a tile in a layout."""
    m = 1
    while m <= groups:
        if wgmma_accumulator(shape, m, groups // m) == layout:
            return WarpgroupGrid(m, groups // m)
        m *= 2
    return None
