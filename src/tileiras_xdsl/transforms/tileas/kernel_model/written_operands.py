"""
Operands of WGMMA that consumer warps write to shared memory.

    %p = nv_tileaa.fp_to_fp %e : …                     computed, or carried by a loop
    %b = nv_tileas.copy %p into(%buffer : …) : …       swizzled, as TMA would have loaded it
    %d = nv_tileas.async.dot %v, %b, %c : …

Operand B is read from shared memory only. One that no load puts there is written by the threads
that computed it, transposed where the instruction reads its type K-major only. Between the writes
and the WGMMA there is a proxy fence and a barrier (`tileas-insert-barriers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import matrix_access
from tileiras_xdsl.analysis.tma_tiles import swizzled_layout
from tileiras_xdsl.analysis.wgmma_operands import SharedOperand
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.kernel_spec import get_warps

from .layout_rules import memory_bits
from .registers import is_staged
from .shared_memory import BUFFER_ALIGNMENT
from .tma_loads import find_load, tile_or_reason
from .wgmma import find_wgmma_dots
from .wgmma_grid import choose_warpgroup_grid

B_INDEX = 1
"""The operand that WGMMA reads from shared memory only."""


def find_written_layouts(
    shape: Sequence[int], element_bytes: int, columns: int
) -> list[LinearLayout]:
    """
    The layouts in shared memory in which WGMMA can read an operand B, [k, n], of which warpgroups
    have so many columns each: K-major first, which all types can have.
    """
    found: list[LinearLayout] = []
    for order in ((0, 1), (1, 0)):
        layout = swizzled_layout(shape, order, element_bytes)
        operand = SharedOperand.of(layout, 0, element_bytes)
        if operand is not None and operand.offset(columns) is not None:
            if layout not in found:
                found.append(layout)
    return found


def why_not_written(op: DotOp, axis_info: AxisInfoAnalysis) -> str | None:
    """Why threads do not write operand B of a dot to shared memory; None if they do."""
    load = find_load(op.a)
    if load is None or load.parent_block() is not op.parent_block():
        return None
    if isinstance(reason := tile_or_reason(op.a, axis_info), str):
        # Loads for `mma.sync` run ahead in a multi-stage buffer, those of consumer warps do not.
        return f"operand A is loaded by threads in the same block, as TMA cannot: {reason}"
    return None


@dataclass(frozen=True)
class WrittenOperand:
    """An operand B that consumer warps write, and the buffer that it takes."""

    dot: DotOp
    value: SSAValue
    type: TensorType
    """In shared memory."""
    number: int
    """Among the operands of this type in its block."""

    @property
    def buffer(self) -> tuple[Attribute, int]:
        """What dots of different blocks that share a buffer have in common."""
        return self.type, self.number


def find_written_operands(function: FuncOp) -> list[WrittenOperand]:
    """
    The operands of the WGMMAs of a kernel that consumer warps write. Each of a block has a buffer
    of its own, so that WGMMAs that read one may be in flight while the next one is written; a
    value that several dots read is written once.
    """
    num_warpgroups = get_warps(function) // WARPGROUP_WARPS
    found: list[WrittenOperand] = []
    for block, dots in _by_block(find_wgmma_dots(function)):
        numbers: dict[Attribute, list[SSAValue]] = {}
        for dot in dots:
            assert dot.parent_block() is block
            if is_staged(dot.b):
                continue
            ty = written_type(dot, num_warpgroups)
            values = numbers.setdefault(ty, [])
            if dot.b not in values:
                values.append(dot.b)
            found.append(WrittenOperand(dot, dot.b, ty, values.index(dot.b)))
    return found


def _by_block(dots: Sequence[DotOp]) -> Iterator[tuple[Block | None, list[DotOp]]]:
    blocks: dict[Block | None, list[DotOp]] = {}
    for dot in dots:
        blocks.setdefault(dot.parent_block(), []).append(dot)
    yield from blocks.items()


def written_type(dot: DotOp, num_warpgroups: int) -> TensorType:
    """The type of operand B in shared memory: in the layout that takes the fewest writes."""
    ty = dot.b.type
    assert isinstance(ty, TensorType)
    bits = memory_bits(get_element(ty))
    columns = (
        get_shape(ty)[1] // choose_warpgroup_grid(get_shape(dot.result.type), num_warpgroups).n
    )
    layouts = find_written_layouts(get_shape(ty), bits // 8, columns)
    registers = layout_of(ty)
    assert layouts
    assert registers is not None
    return with_layout(ty, min(layouts, key=lambda each: _writes(each, registers, bits)))


def _writes(shared: LinearLayout, registers: LinearLayout, bits: int) -> int:
    """How many instructions write the registers of a thread: `stmatrix` writes four words."""
    registers = registers.compressed()
    for transposed in (False, True):
        access = matrix_access(shared, registers, bits, transposed=transposed)
        if access is not None:
            return 1 << len(access.register)
    return registers.registers


def operand_buffer_bytes(function: FuncOp) -> int:
    """The shared memory of the operands that consumer warps write."""
    buffers = {each.buffer: each.type for each in find_written_operands(function)}
    sizes = (prod(get_shape(ty)) * memory_bits(get_element(ty)) // 8 for ty in buffers.values())
    return sum(-(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT for size in sizes)
