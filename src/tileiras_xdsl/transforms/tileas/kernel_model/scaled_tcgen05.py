"""
Block-scaled dots by `tcgen05`.

    %d = nv_tileas.scaled_dot %a, %b, %c scales(%sa, %sb) {atom = #nv_tileas.atom<mma.sm100>,
        packed = f4E2M1FN, block = 32 : i32} : tensor<128x64xi8>, tensor<64x64xi8>, …

Operands are in shared memory. Elements of 4 bits are two to a byte there, K-major, so A and B
become the bytes that they were unpacked from. Scales are written to shared memory by the threads
that have them, in blocks of 128 rows and 4 groups of K, as `tcgen05.cp.32x128b.warpx4` reads them;
the thread that issues the MMA copies them to tensor memory before. Tiles with fewer scales than
that have copies of them.

| bits of the byte offset in shared memory | of the scale |
| --- | --- |
| 0-1 | group, modulo 4: a word of tensor memory |
| 2-3 | row / 32, modulo 4: the column |
| 4-8 | row, modulo 32: the lane |
| further | row / 128, then group / 4: further columns |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout, bits_along
from tileiras_xdsl.analysis.tensor_memory_layouts import SCALE_LANES, SCALES_PER_WORD
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.matmul import ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.shape import ExpandDimsOp, ViewOp
from tileiras_xdsl.targets.tcgen05_schedule import INSTRUCTION_ROWS
from tileiras_xdsl.transforms.common.scaled_dots import ScaledTypes

from .packed_operands import OperandPacking
from .tma_loads import operand_or_reason

COPIED_BYTES: Final = 512
"""What `tcgen05.cp.32x128b` copies: the scales of 128 rows and 4 groups."""
COPIED_COLUMNS: Final = 4


def types_of(op: ScaledDotOp) -> ScaledTypes:
    """The types of a block-scaled dot."""
    scale_a, scale_b = (get_element(value.type) for value in op.scales)
    return ScaledTypes(*op.elements, scale_a, scale_b, op.get_block())


def transposes_bytes(op: Operation) -> bool:
    """Whether `tcgen05` reads operands of one byte that are MN-major: those of one element."""
    return not isinstance(op, ScaledDotOp) or op.packed is None


def scale_shared_layout(shape: Sequence[int], group_dim: int) -> LinearLayout:
    """The layout in shared memory of scales, given which of their dimensions is along K."""
    groups, rows = bits_along(shape, group_dim), bits_along(shape, 1 - group_dim)
    return LinearLayout.shared(
        tuple(shape), (*groups[:2], *rows[5:7], *rows[:5], *rows[7:], *groups[2:])
    )


def scale_columns(op: ScaledDotOp) -> tuple[int, int]:
    """The columns of tensor memory for the scales of A and of B."""
    a, b = (columns_of_scales(value.type) for value in op.scales)
    return a, b


def columns_of_scales(ty: Attribute) -> int:
    """The columns of tensor memory for a tile of scales."""
    rows, groups = get_shape(ty)
    return rows * groups // (SCALE_LANES * SCALES_PER_WORD)


def find_written_scaled(op: ScaledDotOp, axis_info: AxisInfoAnalysis) -> list[int]:
    """The operands of a block-scaled dot that TMA does not load."""
    found = [
        index
        for index in range(2)
        if isinstance(
            operand_or_reason(
                op.operands[index], 1 - index, axis_info, transposes_bytes=transposes_bytes(op)
            ),
            str,
        )
    ]
    return [*found, op.scale_index, op.scale_index + 1]


def is_written(op: ScaledDotOp, axis_info: AxisInfoAnalysis) -> bool:
    """Whether threads write operand A or B."""
    return find_written_scaled(op, axis_info)[0] != op.scale_index


# The form that the hardware reads


def prepare_scaled_dot(op: ScaledDotOp) -> ScaledDotOp:
    """A dot of packed operands, and of as many scales as are copied together."""
    return Preparation(op).run()


class Preparation(OperandPacking):
    """Rewrites one dot."""

    def run(self) -> ScaledDotOp:
        """The dot that takes the place of another one."""
        op = self.op
        properties = dict(op.properties)
        properties["block"] = IntegerAttr(op.get_block(), i32)
        a, b = op.a, op.b
        kind = types_of(op).kind
        assert kind is not None
        if kind.is_packed:
            properties["packed"] = op.elements[0]
            a, b = self.pack(a), self.transpose(self.pack(self.transpose(b)))
        scales = self._repeat(op.scale_a, 1), self._repeat(op.scale_b, 0)
        flags = () if op.accumulate is None else (op.accumulate,)
        new = ScaledDotOp.create(
            operands=[a, b, op.accumulator, *flags, *scales],
            result_types=[op.result.type],
            properties=properties,
            attributes=dict(op.attributes),
        )
        result = self.insert(new)
        result.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(result)
        Rewriter.erase_op(op)
        return new

    def _repeat(self, value: SSAValue, group_dim: int) -> SSAValue:
        """Scales of at least 128 rows and 4 groups, by copies of those that there are."""
        least = [INSTRUCTION_ROWS, INSTRUCTION_ROWS]
        least[group_dim] = SCALES_PER_WORD
        for dim, size in enumerate(least):
            shape, element = list(get_shape(value.type)), get_element(value.type)
            if shape[dim] >= size:
                continue
            copies = size // shape[dim]
            expanded = self.insert(ExpandDimsOp(value, dim))
            repeated = (*shape[:dim], copies, *shape[dim:])
            value = self.insert(BroadcastOp(expanded, TensorType(element, repeated)))
            shape[dim] = size
            value = self.insert(ViewOp(value, TensorType(element, shape)))
        return value
