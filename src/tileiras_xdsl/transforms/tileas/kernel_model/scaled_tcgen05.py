"""
Block-scaled dots by `tcgen05`.

    %d = nv_tileas.scaled_dot %a, %b, %c scales(%sa, %sb) {atom = #nv_tileas.atom<mma.sm100>,
        packed = f4E2M1FN, block = 32 : i32} : tensor<128x64xi8>, tensor<64x64xi8>, …

Operands are in shared memory. Elements of 4 bits are two to a byte there, K-major. MMAs read these
bytes, so `pack_operands` replaces A and B by what they were unpacked from:

    %x = nv_tileaa.unpack %flat : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
    %a = nv_tileas.view %x : tensor<32768xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
    nv_tileas.scaled_dot %a, …
    →
    nv_tileas.scaled_dot %bytes, … {packed = f4E2M1FN} : tensor<128x128xi8>, …

Scales are written to shared memory by the threads
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

from xdsl.dialects.builtin import IntegerAttr, TensorType, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout, bits_along
from tileiras_xdsl.analysis.tensor_memory_layouts import SCALE_LANES, SCALES_PER_WORD
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileas.matmul import PER_BYTE, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.shape import ExpandDimsOp, ViewOp
from tileiras_xdsl.targets.tcgen05 import INSTRUCTION_ROWS
from tileiras_xdsl.transforms.common.scaled_dots import types_of

from .tma_loads import operand_or_reason


def is_unpacked(op: ScaledDotOp) -> bool:
    """Whether both operands of a dot, of two dimensions, are bytes that were unpacked along K."""
    a, b = op.a, op.b
    if len(get_shape(op.result.type)) != 2 or op.packed is not None:
        return False
    if not isinstance(owner := b.owner, PermuteOp) or owner.get_permutation() != (1, 0):
        return False
    return all(find_unpacking(value) is not None for value in (a, owner.source))


def find_unpacking(value: SSAValue) -> UnpackOp | None:
    """The op that unpacked a tile from bytes, two elements from each; None if there is none."""
    while isinstance(owner := value.owner, ViewOperation):
        value = owner.operands[0]
    if not isinstance(owner, UnpackOp):
        return None
    size = get_shape(owner.source.type)[0]
    return owner if get_shape(owner.result.type)[0] == PER_BYTE * size else None


def pack_operands(op: ScaledDotOp) -> None:
    """Lets a dot multiply the bytes that its operands were unpacked from."""
    packing, old = OperandPacking(op), (op.a, op.b)
    op.properties["packed"] = op.elements[0]
    op.operands[0] = packing.pack(op.a)
    op.operands[1] = packing.transpose(packing.pack(packing.transpose(op.b)))
    for value in old:
        while isinstance(owner := value.owner, Operation) and is_trivially_dead(owner):
            value = owner.operands[0]
            Rewriter.erase_op(owner)


class OperandPacking:
    """Packs operands of a dot."""

    def __init__(self, op: ScaledDotOp):
        self.op = op

    def insert(self, op: Operation) -> SSAValue:
        """Inserts an op before the dot."""
        op.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0]

    def transpose(self, value: SSAValue) -> SSAValue:
        """A matrix transposed; what it was transposed from, if it was."""
        if isinstance(owner := value.owner, PermuteOp) and owner.get_permutation() == (1, 0):
            return owner.source
        return self.insert(PermuteOp(value, (1, 0)))

    def pack(self, value: SSAValue) -> SSAValue:
        """The bytes of a tile, which may have been unpacked from them."""
        rows, columns = get_shape(value.type)
        shape = (rows, columns // PER_BYTE)
        source: SSAValue = value
        while isinstance(owner := source.owner, ViewOperation):
            source = owner.operands[0]
        if isinstance(owner := source.owner, UnpackOp):
            return self._view(owner.source, shape)
        flat = self._view(value, (rows * columns,))
        size = rows * columns // PER_BYTE
        return self._view(self.insert(PackOp(flat, TensorType(i8, (size,)))), shape)

    def _view(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile in another shape; what it was a view of, if that has the shape."""
        while tuple(get_shape(value.type)) != tuple(shape):
            if not isinstance(owner := value.owner, ViewOperation):
                return self.insert(ViewOp(value, TensorType(get_element(value.type), shape)))
            value = owner.operands[0]
        return value


COPIED_BYTES: Final = 512
"""What `tcgen05.cp.32x128b` copies: the scales of 128 rows and 4 groups."""
COPIED_COLUMNS: Final = 4


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
